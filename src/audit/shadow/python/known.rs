//! A memory of findings in sources that several projects share, for the next project in which they mean the same.
//!
//! The finding depends on the text and on some facts of the project; both must be equal.

use std::collections::HashMap;
use std::sync::{LazyLock, RwLock};

use crate::contract::file_bytes;

/// Most sets of facts that are kept for one text, and the most bytes of them in all.
const MAX_TERMS: usize = 16;
const MAX_TOTAL: usize = 4 * 1024 * 1024;

/// The places at which a source changes the module or assigns its name to something else.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangedPlaces {
    /// It changes how modules are found.
    pub hook: Option<usize>,
    pub stand_in: Option<usize>,
    pub archive: Option<usize>,
    pub change: Option<usize>,
    /// A change of a module whose name is computed.
    pub computed: Option<usize>,
}

/// By the place of a text in memory: facts, and what was found under them.
type KnownPlaces = HashMap<(usize, usize), Vec<(String, ChangedPlaces)>>;

/// Returns the findings of `judge` in `text` for a project with the facts `terms`.
pub fn places(text: &str, terms: &str, judge: impl FnOnce() -> ChangedPlaces) -> ChangedPlaces {
    static KNOWN: LazyLock<RwLock<(usize, KnownPlaces)>> = LazyLock::new(RwLock::default);
    if file_bytes::kept(text).is_none() {
        return judge();
    }
    let place = (text.as_ptr().addr(), text.len());
    let find = |known: &KnownPlaces| {
        let of_text = known.get(&place)?;
        of_text.iter().find(|(known, _)| known == terms).map(|(_, places)| *places)
    };
    if let Some(places) = KNOWN.read().ok().and_then(|known| find(&known.1)) {
        return places;
    }
    let places = judge();
    if let Ok(mut known) = KNOWN.write() {
        let total = known.0.saturating_add(terms.len());
        let of_text = known.1.entry(place).or_default();
        if of_text.len() < MAX_TERMS && total <= MAX_TOTAL {
            of_text.push((terms.to_owned(), places));
            known.0 = total;
        }
    }
    places
}
