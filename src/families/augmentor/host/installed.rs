//! Installed packages: pip packages of a Python environment, npm packages of a `node_modules` directory.

use std::path::{Path, PathBuf};

use crate::families::augmentor::contract::MANIFEST;
use crate::system::files::{self, Kind};
use crate::visible::excerpt;

use super::interpreter;

/// Largest list of installed files, and largest `direct_url.json`.
const MAX_RECORD: u64 = 16 * 1024 * 1024;
const MAX_URL: u64 = 64 * 1024;
/// Most packages of an environment that are looked at, and most directories above this one.
const MAX_PACKAGES: usize = 20_000;
const MAX_PARENTS: usize = 64;

/// A directory with a manifest.
#[derive(Clone, Debug)]
pub struct FoundPackage {
    pub root: PathBuf,
    /// The import directories of Python, relative to `root`.
    pub paths: Vec<String>,
    pub found: String,
    pub python: Option<PathBuf>,
}

impl FoundPackage {
    /// A source tree.
    #[must_use]
    pub fn source(root: PathBuf, found: String) -> Self {
        Self { root, paths: vec!["src".to_owned(), ".".to_owned()], found, python: None }
    }

    /// An import package, which is imported from the directory above it.
    #[must_use]
    pub fn installed(root: PathBuf, found: String) -> Self {
        Self { paths: vec!["..".to_owned()], ..Self::source(root, found) }
    }

    /// True if the root is the import package itself.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        self.paths == [".."]
    }
}

/// The installed package of this name: pip first, then npm. Places that were searched are added to `looked`.
pub fn find(name: &str, python: Option<&Path>, looked: &mut Vec<String>) -> Option<FoundPackage> {
    if is_name(name) {
        let interpreter = interpreter::python(python, Path::new("."));
        for site in interpreter.iter().flat_map(|python| interpreter::site_packages(python)) {
            looked.push(site.display().to_string());
            if let Some(mut found) = in_site(&site, name) {
                found.python = interpreter;
                return Some(found);
            }
        }
    }
    if is_name(
        name.strip_prefix('@')
            .map_or(name, |scoped| scoped.split_once('/').map_or("", |(_, name)| name)),
    ) {
        return in_node_modules(name, looked);
    }
    None
}

/// A name of a package, and no path.
fn is_name(name: &str) -> bool {
    let allowed =
        |symbol: char| symbol.is_ascii_alphanumeric() || matches!(symbol, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(allowed)
}

/// As pip compares names.
fn normalized(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

fn in_site(site: &Path, name: &str) -> Option<FoundPackage> {
    let names = files::names(site).ok()?;
    let is_meant = |directory: &&std::ffi::OsString| {
        let named = directory.to_str().and_then(|text| text.strip_suffix(".dist-info"));
        let distribution = named.and_then(|text| text.rsplit_once('-'));
        distribution.is_some_and(|(distribution, _)| normalized(distribution) == normalized(name))
    };
    let metadata = site.join(names.iter().take(MAX_PACKAGES).find(is_meant)?);
    let record = files::read(&metadata.join("RECORD"), MAX_RECORD).ok()?;
    let record = String::from_utf8_lossy(&record.bytes).into_owned();
    let shown = format!("pip package in {}", site.display());
    // Build systems may copy the manifest of an editable installation, but the code is in the source tree.
    if let Some(source) = editable_source(&metadata) {
        return in_source(&source, name, format!("editable {shown}"));
    }
    let package = record.lines().find_map(package_of)?;
    let root = files::canonical(&site.join(package)).ok()?;
    has_manifest(&root).then(|| FoundPackage::installed(root, shown))
}

/// The directory that an editable installation was made from.
fn editable_source(metadata: &Path) -> Option<PathBuf> {
    let url = files::read(&metadata.join("direct_url.json"), MAX_URL).ok()?;
    let url: serde_json::Value = serde_json::from_slice(&url.bytes).ok()?;
    let is_editable = url.get("dir_info")?.get("editable")?.as_bool()?;
    let path = url.get("url")?.as_str()?.strip_prefix("file://")?;
    decoded(path).filter(|_| is_editable).map(PathBuf::from)
}

/// The package in a source tree: its manifest is at the root, or in the import package.
fn in_source(source: &Path, name: &str, shown: String) -> Option<FoundPackage> {
    let source = files::canonical(source).ok()?;
    if has_manifest(&source) {
        return Some(FoundPackage::source(source, shown));
    }
    let package = normalized(name).replace('-', "_");
    let roots = [source.join("src").join(&package), source.join(&package)];
    let roots = roots.iter().filter_map(|root| files::canonical(root).ok());
    let root = roots.into_iter().find(|root| root.starts_with(&source) && has_manifest(root))?;
    Some(FoundPackage::installed(root, shown))
}

fn has_manifest(root: &Path) -> bool {
    matches!(files::kind(&root.join(MANIFEST)), Ok(Kind::File { .. }))
}

/// The import package of a line of RECORD, when the line is that of its manifest.
fn package_of(line: &str) -> Option<&str> {
    let path = line.split(',').next()?.trim_matches('"');
    let package = path.strip_suffix(MANIFEST)?.strip_suffix('/')?;
    (is_name(package) && !package.contains('/')).then_some(package)
}

/// A path of a URL with its escapes replaced.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// As Node looks for packages: in every `node_modules` from here up.
fn in_node_modules(name: &str, looked: &mut Vec<String>) -> Option<FoundPackage> {
    let here = files::canonical(Path::new(".")).ok()?;
    for directory in here.ancestors().take(MAX_PARENTS) {
        let modules = directory.join("node_modules");
        if !matches!(files::kind(&modules), Ok(Kind::Directory | Kind::Symlink)) {
            continue;
        }
        looked.push(excerpt(&modules.join(name).display().to_string(), 200));
        let Ok(root) = files::canonical(&modules.join(name)) else { continue };
        if has_manifest(&root) {
            let shown = format!("npm package in {}", modules.display());
            return Some(FoundPackage::source(root, shown));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_pip_compares_them() {
        for name in ["bid-db", "Bid_DB", "bid.db", "bid--db"] {
            assert_eq!(normalized(name), "bid-db");
        }
    }

    #[test]
    fn a_manifest_is_found_in_the_import_package_only() {
        assert_eq!(package_of("bid_db/augmentor.toml,sha256=x,10"), Some("bid_db"));
        for line in [
            "augmentor.toml,,",
            "../augmentor.toml,,",
            "a/b/augmentor.toml,,",
            "a/augmentor.toml.txt,,",
        ] {
            assert_eq!(package_of(line), None, "{line}");
        }
    }

    #[test]
    fn escapes_of_a_url_are_replaced() {
        assert_eq!(decoded("/home/a%20b/c").as_deref(), Some("/home/a b/c"));
        assert_eq!(decoded("/%f"), None);
        assert_eq!(decoded("/%ff"), None);
    }

    #[test]
    fn a_path_is_not_a_name() {
        assert!(is_name("bid-db"));
        for path in ["", ".", "..", "a/b", "a\\b", "@scope/a"] {
            assert!(!is_name(path), "{path}");
        }
    }
}
