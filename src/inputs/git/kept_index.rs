//! The index of a repository with several projects: read for the first of them, kept from the second on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::system::files::Stamp;

/// The last index that was read.
struct KeptIndex {
    place: PathBuf,
    stamp: Stamp,
    /// All its paths; `None` while one project has asked.
    paths: Option<Arc<BTreeSet<String>>>,
}

static KEPT: Mutex<Option<KeptIndex>> = Mutex::new(None);

/// The memory of an index.
pub enum Known {
    /// Nothing: the first project in it asks.
    Nothing,
    /// Another project asks, so all its paths are worth keeping.
    Again,
    Paths(Arc<BTreeSet<String>>),
}

/// Returns the memory of the index at `place`.
pub fn ask(place: &Path, stamp: Stamp) -> Known {
    let Ok(mut kept) = KEPT.lock() else { return Known::Nothing };
    if let Some(kept) = kept.as_ref().filter(|kept| kept.place == place && kept.stamp == stamp) {
        return kept.paths.clone().map_or(Known::Again, Known::Paths);
    }
    *kept = Some(KeptIndex { place: place.to_owned(), stamp, paths: None });
    Known::Nothing
}

/// Keeps all paths of the index at `place`.
pub fn keep(place: &Path, stamp: Stamp, paths: BTreeSet<String>) -> Arc<BTreeSet<String>> {
    let paths = Arc::new(paths);
    if let Ok(mut kept) = KEPT.lock() {
        let paths = Some(Arc::clone(&paths));
        *kept = Some(KeptIndex { place: place.to_owned(), stamp, paths });
    }
    paths
}

/// The paths below `prefix`, relative to it.
pub fn below(paths: &BTreeSet<String>, prefix: &str) -> BTreeSet<String> {
    let inside = format!("{prefix}/");
    let range = paths.range(inside.clone()..);
    let range = range.map_while(|path| path.strip_prefix(&inside));
    range.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_a_directory_are_relative_to_it() {
        let paths = ["a", "a-b/c", "a/b", "a/c/d", "ab/c"].map(str::to_owned).into();
        assert!(below(&paths, "a").iter().eq(["b", "c/d"]));
        assert!(below(&paths, "b").is_empty());
    }
}
