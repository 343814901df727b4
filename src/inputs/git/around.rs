//! Files of the repository above a project that decide about it: pipelines and attributes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::contract::pipelines::{DIRECTORIES, FILES, is_pipeline};
use crate::contract::repository::EnclosingFiles;
use crate::system::files;

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 512 * 1024;
/// Most bytes of all of them.
const MAX_TOTAL: usize = 4 * 1024 * 1024;
/// Most files of one directory.
const MAX_NAMES: usize = 200;

/// Reads them for the project at `prefix` below `top`; a project at the top has none.
pub fn read(top: &Path, prefix: &str) -> EnclosingFiles {
    let mut found = BTreeMap::new();
    if prefix.is_empty() {
        return EnclosingFiles::default();
    }
    let mut paths: Vec<String> = FILES.iter().map(|path| (*path).to_owned()).collect();
    for directory in DIRECTORIES {
        let names = files::names(&top.join(directory)).unwrap_or_default();
        let names = names.iter().take(MAX_NAMES);
        paths.extend(names.map(|name| format!("{directory}/{}", name.to_string_lossy())));
    }
    paths.retain(|path| is_pipeline(path));
    paths.push(".gitattributes".to_owned());
    let above = prefix.match_indices('/').map(|(at, _)| &prefix[..at]);
    paths.extend(above.map(|directory| format!("{directory}/.gitattributes")));
    let mut total = 0;
    for path in paths {
        let Ok(loaded) = files::read(&top.join(&path), MAX_FILE) else { continue };
        total += loaded.bytes.len();
        if total > MAX_TOTAL {
            break;
        }
        found.insert(path, loaded.bytes);
    }
    EnclosingFiles { prefix: prefix.to_owned(), files: found }
}
