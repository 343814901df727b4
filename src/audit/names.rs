//! Paths that are a managed one on systems that do not distinguish letters by case.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Finding, ProjectFiles};
use crate::plan::{FileSet, RelativePath};

use super::rules;

/// Other files that aos reads, and temporary directories that it writes.
const RECORDS: &[&str] =
    &["aos.toml", ".gitattributes", ".gitignore", "connector.json", ".aos-transaction"];

/// Every file or directory whose name collides with a managed one.
#[must_use]
pub fn findings(repository: &ProjectFiles, wanted: &FileSet) -> Vec<Finding> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    let read = RECORDS
        .iter()
        .copied()
        .filter(|path| !path.ends_with(".json") || repository.files.contains_key(*path));
    for path in wanted.paths().map(RelativePath::as_str).chain(read) {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        known.extend(above.chain([path]).map(|place| (place.to_lowercase(), place)));
    }
    let links = repository.symlinks.iter();
    let unread = repository.unreadable.iter().map(|(path, _)| path);
    let paths = repository.files.keys().chain(repository.ignored.keys()).chain(links).chain(unread);
    let mut found: BTreeSet<(&str, &str)> = BTreeSet::new();
    for path in paths {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        // The outermost name that differs is the one to rename.
        let other = above.chain([path.as_str()]).find_map(|place| {
            let managed = *known.get(&place.to_lowercase())?;
            (managed != place).then_some((place, managed))
        });
        found.extend(other);
    }
    let finding = |(place, managed): (&str, &str)| {
        rules::CASE
            .finding(place, format!("it differs from `{managed}` only in upper and lower case"))
    };
    found.into_iter().map(finding).collect()
}
