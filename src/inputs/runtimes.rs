//! The runtimes inside the binary, and the digests of those that were released before.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use include_dir::{Dir, include_dir};

use crate::generate::runtime::{Runtime, RuntimeInfo, Version};
use crate::plan::Digest;
use crate::system::{environment, files};

use super::embedded::{self, EmbeddedError};

static RUNTIMES: Dir<'_> = include_dir!("$OUT_DIR/runtime");

/// Debug builds only: where tests provide their own runtimes.
const TEST_RUNTIMES: &str = "AOS_TEST_RUNTIMES";
/// Largest file of such a runtime, in bytes.
const MAX_TEST_FILE: u64 = 1024 * 1024;
/// The file that describes a runtime.
const INFO: &str = "runtime.toml";
/// The digests of released runtimes.
const RELEASES: &str = "releases.toml";

/// Names of all runtimes.
#[must_use]
pub fn names() -> Vec<String> {
    let directories = RUNTIMES.dirs().filter_map(|directory| directory.path().to_str());
    directories.map(str::to_owned).collect()
}

/// The runtime called `name`, in the version of this build; `None` when there is none. Read once for a whole fleet.
///
/// # Errors
/// Returns an error if its description is malformed.
pub fn find(name: &str) -> Result<Option<Arc<Runtime>>, EmbeddedError> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Runtime>>> = Mutex::new(BTreeMap::new());
    if let Some(directory) = test_runtimes() {
        let directory = Path::new(&directory).join(name);
        if files::kind(&directory).is_ok_and(|kind| kind == files::Kind::Directory) {
            return from_directory(&directory).map(|runtime| Some(Arc::new(runtime)));
        }
    }
    let Some(directory) = RUNTIMES.get_dir(name) else { return Ok(None) };
    if let Some(known) = KNOWN.lock().ok().and_then(|known| known.get(name).cloned()) {
        return Ok(Some(known));
    }
    let mut sources = BTreeMap::new();
    collect(directory, &format!("{name}/"), &mut sources);
    let runtime = Arc::new(assembled(name, sources)?);
    if let Ok(mut known) = KNOWN.lock() {
        known.insert(name.to_owned(), Arc::clone(&runtime));
    }
    Ok(Some(runtime))
}

/// The digests of the files of a released runtime, by the path below its directory.
///
/// # Errors
/// Returns an error if the list is malformed.
pub fn released(
    name: &str,
    version: Version,
) -> Result<Option<BTreeMap<String, Digest>>, EmbeddedError> {
    type Releases = BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>;
    let embedded = RUNTIMES.get_file(RELEASES).and_then(include_dir::File::contents_utf8);
    let text = match test_runtimes() {
        Some(directory) => files::read(&Path::new(&directory).join(RELEASES), MAX_TEST_FILE)
            .ok()
            .and_then(|loaded| String::from_utf8(loaded.bytes).ok()),
        None => embedded.map(str::to_owned),
    };
    let releases: Releases = embedded::toml(RELEASES, &text.unwrap_or_default())?;
    let Some(listed) = releases.get(name).and_then(|all| all.get(&version.to_string())) else {
        return Ok(None);
    };
    let parsed = listed.iter().map(|(path, text)| Some((path.clone(), Digest::parse(text)?)));
    let parsed: Option<BTreeMap<_, _>> = parsed.collect();
    let fault = || EmbeddedError {
        path: RELEASES.to_owned(),
        reason: format!("a digest of {name} {version} is malformed"),
    };
    parsed.map(Some).ok_or_else(fault)
}

/// Whether tests provide runtimes of their own.
#[must_use]
pub fn is_replaced() -> bool {
    test_runtimes().is_some()
}

fn test_runtimes() -> Option<String> {
    if cfg!(debug_assertions) { environment::read(TEST_RUNTIMES) } else { None }
}

type Sources = BTreeMap<String, Cow<'static, [u8]>>;

fn assembled(name: &str, sources: Sources) -> Result<Runtime, EmbeddedError> {
    let path = format!("{name}/{INFO}");
    let text = sources.get(INFO).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let missing = || EmbeddedError { path: path.clone(), reason: "it is missing".to_owned() };
    let info: RuntimeInfo = embedded::toml(&path, text.ok_or_else(missing)?)?;
    Ok(Runtime::new(info, sources))
}

fn collect(directory: &'static Dir<'static>, root: &str, sources: &mut Sources) {
    for file in directory.files() {
        if let Some(path) = file.path().to_str().and_then(|path| path.strip_prefix(root)) {
            sources.insert(path.to_owned(), file.contents().into());
        }
    }
    for inner in directory.dirs() {
        collect(inner, root, sources);
    }
}

fn from_directory(directory: &Path) -> Result<Runtime, EmbeddedError> {
    let shown = directory.display().to_string();
    let fault = |reason: String| EmbeddedError { path: shown.clone(), reason };
    let mut sources = BTreeMap::new();
    for entry in walkdir::WalkDir::new(directory).sort_by_file_name() {
        let entry = entry.map_err(|error| fault(error.to_string()))?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(directory).unwrap_or(entry.path());
            let loaded = files::read(entry.path(), MAX_TEST_FILE)
                .map_err(|error| fault(error.to_string()))?;
            sources.insert(path.to_string_lossy().into_owned(), loaded.bytes.into());
        }
    }
    assembled(&shown, sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_says_its_own_version() {
        for (name, path, line) in [
            ("go", "internal/runtime/self/self.go", "const Runtime = "),
            ("python", "acme_tool/_runtime/__init__.py", "RUNTIME_VERSION = "),
            ("connector", "agent-harness/aos_acme/_runtime/__init__.py", "RUNTIME_VERSION = "),
        ] {
            let runtime = find(name).unwrap().unwrap();
            let text = String::from_utf8(runtime.sources[path].to_vec()).unwrap();
            let expected = format!("\n{line}\"{}\"\n", runtime.info.version);
            assert!(text.contains(&expected), "{name}: {expected}");
        }
    }

    #[test]
    fn every_runtime_is_well_formed_and_agrees_with_its_released_digests() {
        for name in names() {
            let runtime = find(&name).unwrap().unwrap();
            assert_eq!(runtime.info.name, name);
            let parts: BTreeMap<_, _> =
                runtime.parts().map(|(path, bytes)| (path.to_owned(), Digest::of(bytes))).collect();
            assert!(!parts.is_empty(), "{name}");
            let fixed = released(&name, runtime.info.version).unwrap();
            assert!(
                fixed.is_none_or(|fixed| fixed == parts),
                "{name} {} is released; a change needs a new version",
                runtime.info.version
            );
        }
    }
}
