//! The bytes of a file that was read. Equal files share them, so that what follows from them is computed once.
//!
//! In a fleet most files are equal: the runtime, the contract text. The memory lives in the process only, is bounded, and
//! compares whole files: two files that share their bytes are equal.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Deref;
use std::sync::{Arc, LazyLock, RwLock};

/// Most bytes of files that are kept for others to share.
const MAX_SHARED: usize = 32 * 1024 * 1024;
/// Most files that are met once and remembered by their key.
const MAX_ONCE: usize = 1 << 20;
/// Most files with one key; the key is made of parts of a file.
const MAX_SAME_KEY: usize = 16;
/// Bytes of one part of a file that its key is made of.
const PART: usize = 64;

/// The bytes of one file; whether they are text is known.
#[derive(Clone, Debug)]
pub enum FileBytes {
    Text(Arc<str>),
    Other(Arc<[u8]>),
}

impl FileBytes {
    /// The same bytes as every equal file of this process, as long as the memory lasts.
    #[must_use]
    pub fn shared(bytes: Vec<u8>) -> Self {
        let key = key(&bytes);
        if let Some(known) = SHARED.read().ok().and_then(|shared| shared.find(key, &bytes)) {
            return known;
        }
        let own = Self::from(bytes);
        if let Ok(mut shared) = SHARED.write() {
            return shared.meet(key, own);
        }
        own
    }

    /// Bytes that files are expected to have: they are shared from the first such file on.
    #[must_use]
    pub fn expected(bytes: &[u8]) -> Self {
        let _ = Self::shared(bytes.to_vec());
        Self::shared(bytes.to_vec())
    }

    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Other(bytes) => bytes,
        }
    }

    /// The file as text; `None` when it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(_) => None,
        }
    }

    /// The same bytes, not copied.
    #[must_use]
    pub fn to_arc(&self) -> Arc<[u8]> {
        match self {
            Self::Text(text) => Arc::clone(text).into(),
            Self::Other(bytes) => Arc::clone(bytes),
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl PartialEq for FileBytes {
    fn eq(&self, other: &Self) -> bool {
        let (own, other) = (self.as_slice(), other.as_slice());
        std::ptr::eq(own, other) || own == other
    }
}

impl Eq for FileBytes {}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text.into()),
            Err(error) => Self::Other(error.into_bytes().into()),
        }
    }
}

impl From<&[u8]> for FileBytes {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.into()),
            Err(_) => Self::Other(bytes.into()),
        }
    }
}

impl From<&str> for FileBytes {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for FileBytes {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// The text that lives as long as the process, when `text` is one that files share.
#[must_use]
pub fn kept(text: &str) -> Option<&'static str> {
    SHARED.read().ok()?.places.get(&place(text.as_bytes())).copied()
}

static SHARED: LazyLock<RwLock<SharedFiles>> = LazyLock::new(RwLock::default);

/// Files that were met more than once. None of them is ever dropped.
#[derive(Debug, Default)]
struct SharedFiles {
    /// Keys of files that were met once.
    once: HashSet<u64>,
    known: HashMap<u64, Vec<FileBytes>>,
    /// Texts among them, by the address and the length of their bytes.
    places: HashMap<(usize, usize), &'static str>,
    total: usize,
}

impl SharedFiles {
    fn find(&self, key: u64, bytes: &[u8]) -> Option<FileBytes> {
        self.known.get(&key)?.iter().find(|known| known.as_slice() == bytes).cloned()
    }

    /// Keeps a file that is met for the second time.
    fn meet(&mut self, key: u64, own: FileBytes) -> FileBytes {
        if let Some(known) = self.find(key, &own) {
            return known;
        }
        if !self.once.contains(&key) {
            if self.once.len() < MAX_ONCE {
                self.once.insert(key);
            }
            return own;
        }
        let total = self.total.saturating_add(own.len());
        let same = self.known.entry(key).or_default();
        if total > MAX_SHARED || same.len() >= MAX_SAME_KEY {
            return own;
        }
        self.total = total;
        same.push(own.clone());
        if let FileBytes::Text(text) = &own {
            let text: &'static str = Box::leak(Box::new(Arc::clone(text)));
            self.places.insert(place(text.as_bytes()), text);
        }
        own
    }
}

fn place(bytes: &[u8]) -> (usize, usize) {
    (bytes.as_ptr().addr(), bytes.len())
}

/// Files with another key are different; those with the same key are compared.
fn key(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.len().hash(&mut hasher);
    let middle = bytes.len() / 2;
    for start in [0, middle, bytes.len().saturating_sub(PART)] {
        let part = bytes.get(start..bytes.len().min(start + PART)).unwrap_or_default();
        hasher.write(part);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_share_their_bytes_from_the_second_on_and_others_do_not() {
        let text = "shared by two files of this test\n".repeat(9);
        let first = FileBytes::shared(text.clone().into_bytes());
        let second = FileBytes::shared(text.clone().into_bytes());
        let third = FileBytes::shared(text.clone().into_bytes());
        assert!(first == second && second == third);
        assert!(!std::ptr::eq(first.as_slice(), second.as_slice()));
        assert!(std::ptr::eq(second.as_slice(), third.as_slice()));
        assert!(std::ptr::eq(second.to_arc().as_ref(), third.as_slice()));
        assert_eq!(kept(third.text().unwrap()), Some(text.as_str()));
        assert_eq!(kept(first.text().unwrap()), None);
        // The key of both is the same: they differ where it does not look.
        let mut other = text.clone().into_bytes();
        other[80] ^= 1;
        let changed = FileBytes::shared(other.clone());
        assert_eq!(changed.as_slice(), other);
        assert_eq!(FileBytes::shared(other.clone()).as_slice(), other);
        assert_eq!(FileBytes::shared(text.clone().into_bytes()).as_slice(), text.as_bytes());
    }

    #[test]
    fn bytes_that_are_not_text_and_empty_files_are_kept_unchanged() {
        for bytes in [&b"\xff\xfe"[..], b"", b"a"] {
            for _ in 0..3 {
                let file = FileBytes::shared(bytes.to_vec());
                assert_eq!(file.as_slice(), bytes);
                assert_eq!(file.text().is_some(), bytes != b"\xff\xfe");
            }
        }
    }
}
