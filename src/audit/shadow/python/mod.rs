//! Python: packages, extension modules and bytecode that are imported first, and code that changes the module.

mod changes;
mod scope;
mod targets;

use std::collections::BTreeSet;

use crate::contract::Finding;
use crate::system::files::{self, Kind};

use super::{Module, join, names};

pub use changes::sources;

/// Largest bytecode file whose head is read, in bytes.
const MAX_BYTECODE: u64 = 16 * 1024 * 1024;
/// Modules that Python runs or reads before any module of the tool.
const AT_START: [&str; 2] = ["sitecustomize", "usercustomize"];

/// Files that the import system prefers to the module.
pub fn places(module: &Module<'_>, found: &mut Vec<Finding>) {
    for name in module.siblings() {
        let path = module.beside(&name);
        if name == module.stem && module.kind(&path) != Kind::Absent {
            found.push(module.shadowed(&path, "Python imports this package in place of"));
        }
        let ending = name.strip_prefix(module.stem).and_then(|rest| rest.strip_prefix('.'));
        let Some(ending) = ending.filter(|_| name != module.file_name) else { continue };
        let kind = ending.rsplit('.').next().unwrap_or(ending);
        if matches!(kind, "so" | "pyd" | "dll" | "dylib" | "sl") {
            found.push(module.shadowed(&path, "Python imports this extension in place of"));
        } else if matches!(kind, "pyc" | "pyo" | "pyw") {
            found.push(module.shadowed(&path, "this file may be imported in place of"));
        }
    }
    bytecode(module, found);
    elsewhere(module, found);
}

/// Bytecode that names no time of its source. Python writes such files only when it is told to; one that is in the
/// repository is loaded after a checkout, whatever the source says. Bytecode with a time is a cache that a checkout
/// makes stale, so it is left alone.
fn bytecode(module: &Module<'_>, found: &mut Vec<Finding>) {
    let mut directories: BTreeSet<&str> = BTreeSet::from([module.directory]);
    let sources = module.repository.files.keys().filter(|path| path.ends_with(".py"));
    directories.extend(sources.map(|path| path.rsplit_once('/').map_or("", |(above, _)| above)));
    for directory in directories {
        let cache = join(directory, "__pycache__");
        for name in names(&module.root.join(&cache)).iter().filter(|name| name.ends_with(".pyc")) {
            let path = join(&cache, name);
            let head = files::read(&module.root.join(&path), MAX_BYTECODE).ok();
            let flags = head.as_ref().and_then(|loaded| loaded.bytes.get(4..8));
            if flags.is_some_and(|flags| flags != [0; 4]) {
                found.push(module.shadowed(
                    &path,
                    "Python loads this bytecode without a look at the time of its source, also for",
                ));
            }
        }
    }
}

/// The package under another directory, and files that Python runs at its start.
fn elsewhere(module: &Module<'_>, found: &mut Vec<Finding>) {
    let package = module.directory.rsplit('/').next().unwrap_or_default();
    let repository = module.repository;
    let links = repository.symlinks.iter().map(String::as_str);
    let unreadable = repository.unreadable.iter().map(|(path, _)| path.as_str());
    let files = repository.files.keys().chain(repository.ignored.keys()).map(String::as_str);
    for path in files.chain(links).chain(unreadable) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        let is_code = [".py", ".pyc", ".so", ".pyd"].iter().any(|ending| name.ends_with(ending));
        let start_package = stem == "__init__"
            && AT_START.contains(&directory.rsplit('/').next().unwrap_or_default());
        let at_start =
            AT_START.contains(&stem) && (is_code || name == stem) || is_code && start_package;
        if at_start || name.ends_with(".pth") {
            found
                .push(module.shadowed(path, "Python reads this file at its start and can replace"));
        }
        let is_package = !package.is_empty()
            && directory != module.directory
            && directory.rsplit('/').next() == Some(package)
            && module.repository.files.contains_key(&module.beside("__init__.py"));
        if is_package && is_code && (stem == "__init__" || stem == module.stem) {
            found.push(module.shadowed(path, "this package has the name of the one that holds"));
        }
    }
}
