//! A memory of values computed from a text, for the next file with the same text: most files of a fleet are equal.
//!
//! Only for what follows from the text alone. Nothing is forgotten, so the amount of text is bounded. A text that files
//! share is known by its place in memory and is not compared.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, RwLock};

use super::file_bytes;

/// Most bytes of text that one memory holds.
const MAX_TEXT: usize = 1024 * 1024;

/// Texts by length, so that two of them are rarely compared, with what was computed from each.
type KnownTexts<V> = BTreeMap<(usize, &'static str), V>;

/// Values by the text they were computed from.
#[derive(Debug)]
pub struct Remembered<V: 'static> {
    known: RwLock<(usize, KnownTexts<V>)>,
    /// For texts that files share, by address and length.
    shared: LazyLock<RwLock<HashMap<(usize, usize), V>>>,
}

impl<V: Clone> Remembered<V> {
    #[must_use]
    pub const fn new() -> Self {
        Self { known: RwLock::new((0, BTreeMap::new())), shared: LazyLock::new(RwLock::default) }
    }

    /// The value of `text`, computed by `value` the first time; `None` once the memory is full.
    pub fn of(&self, text: &str, value: impl FnOnce(&'static str) -> V) -> Option<V> {
        let place = (text.as_ptr().addr(), text.len());
        if let Some(value) = self.shared.read().ok()?.get(&place) {
            return Some(value.clone());
        }
        if let Some(kept) = file_bytes::kept(text) {
            // Two threads may compute the same value; neither waits for the other.
            let value = value(kept);
            self.shared.write().ok()?.insert(place, value.clone());
            return Some(value);
        }
        {
            let known = self.known.read().ok()?;
            if let Some(value) = found(&known.1, text) {
                return Some(value);
            }
            if known.0.saturating_add(text.len()) > MAX_TEXT {
                return None;
            }
        }
        let mut known = self.known.write().ok()?;
        if let Some(value) = found(&known.1, text) {
            return Some(value);
        }
        let total = known.0.saturating_add(text.len());
        if total > MAX_TEXT {
            return None;
        }
        // It lives as long as the process, like everything in a static.
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        let value = value(kept);
        known.0 = total;
        known.1.insert((kept.len(), kept), value.clone());
        Some(value)
    }
}

impl<V: Clone> Default for Remembered<V> {
    fn default() -> Self {
        Self::new()
    }
}

fn found<'a, V: Clone>(known: &BTreeMap<(usize, &'a str), V>, text: &'a str) -> Option<V> {
    known.get(&(text.len(), text)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_computed_once_for_each_text() {
        let remembered = Remembered::new();
        assert_eq!(remembered.of("a", str::len), Some(1));
        assert_eq!(remembered.of("a", |_| 7), Some(1));
        assert_eq!(remembered.of("b", |_| 7), Some(7));
    }

    #[test]
    fn a_full_memory_keeps_what_it_has_and_takes_no_more() {
        let remembered = Remembered::new();
        let half = "x".repeat(MAX_TEXT / 2);
        assert_eq!(remembered.of(&half, |_| 1), Some(1));
        assert_eq!(remembered.of(&format!("{half}y"), |_| 2), None);
        assert_eq!(remembered.of(&half, |_| 3), Some(1));
    }
}
