//! Compiled Python that is loaded without its source, or that a repository brings along.
//!
//! Python writes caches with the time of their source, which a checkout makes stale; those on disk are left alone.

use std::collections::BTreeSet;

use crate::audit::shadow::module::{GeneratedModule, join};
use crate::contract::Finding;
use crate::system::files;

use super::ending;

/// Largest bytecode file whose head is read, in bytes.
const MAX_BYTECODE: u64 = 16 * 1024 * 1024;
/// The directory of caches beside their sources.
const CACHE: &str = "__pycache__";

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    beside_sources(module, found);
    let files = module.repository.files.keys().map(|path| (path, true));
    let ignored = module.repository.ignored.keys().map(|path| (path, false));
    for (path, is_committed) in files.chain(ignored).filter(|(path, _)| is_compiled(path)) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_cache = directory.rsplit('/').next() == Some(CACHE);
        // A prefix for caches leads Python to files anywhere; only the module's own matter when git ignores them.
        let is_own = name.split('.').next() == Some(module.stem);
        let why = match (is_cache, is_committed) {
            (true, true) => "Python can load this committed cache instead of",
            (false, true) => "a cache path can make Python load this committed bytecode instead of",
            (false, false) if is_own && directory != module.directory => {
                "a cache path can make Python load this bytecode instead of"
            }
            _ => continue,
        };
        found.push(module.shadowed(path, why));
    }
}

fn is_compiled(path: &str) -> bool {
    matches!(ending(path), "pyc" | "pyo")
}

/// Bytecode without a source, and caches that name no time of their source. Python writes such caches only when it is
/// told to, and loads them regardless of the source.
fn beside_sources(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let mut directories: BTreeSet<&str> = BTreeSet::from([module.directory]);
    let sources = module.repository.files.keys().filter(|path| path.ends_with(".py"));
    directories.extend(sources.map(|path| path.rsplit_once('/').map_or("", |(above, _)| above)));
    for directory in directories {
        for name in module.names(directory) {
            let stem = name.split('.').next().unwrap_or(&name);
            let source = join(directory, &format!("{stem}.py"));
            if is_compiled(&name) && !module.repository.holds(&source) {
                let path = join(directory, &name);
                found.push(module.shadowed(&path, "bytecode without a source can change"));
            }
        }
        let cache = join(directory, CACHE);
        for name in module.names(&cache).iter().filter(|name| name.ends_with(".pyc")) {
            let path = join(&cache, name);
            let head = files::read(&module.root.join(&path), MAX_BYTECODE).ok();
            let flags = head.as_ref().and_then(|loaded| loaded.bytes.get(4..8));
            if flags.is_some_and(|flags| flags != [0; 4]) {
                found.push(module.shadowed(
                    &path,
                    "Python loads this bytecode without comparing it with its source, also for",
                ));
            }
        }
    }
}
