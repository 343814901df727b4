//! The location of a package, and the content of its manifest. Nothing of the package runs.

use std::path::{Path, PathBuf};

use crate::contract::repository::SourceFile;
use crate::contract::rules::collector::Collector;
use crate::contract::{Finding, ProjectFiles, Severity};
use crate::families::augmentor::contract::AugmentorContract;
use crate::families::augmentor::contract::MANIFEST;
use crate::families::augmentor::manifest::{self, AugmentorManifest};
use crate::families::augmentor::package;
use crate::system::files::{self, Kind};

use super::installed::{self, FoundPackage};

/// Largest manifest that is read; the rules set a lower limit.
const MAX_MANIFEST: u64 = 1024 * 1024;

/// A package that can be loaded.
#[derive(Clone, Debug, Default)]
pub struct PackagePlace {
    /// Canonical directory of the manifest.
    pub root: PathBuf,
    /// The import directories of Python, relative to `root`.
    pub paths: Vec<String>,
    /// How the package was found, in a few words.
    pub found: String,
    pub manifest: AugmentorManifest,
    pub runtime: String,
    pub entry: String,
    /// The interpreter of the environment that the package is installed in.
    pub python: Option<PathBuf>,
    /// Warnings about the manifest.
    pub warnings: Vec<String>,
}

/// The requested package.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedPackage<'a> {
    /// A directory, its manifest, or the name of an installed package.
    pub package: &'a str,
    pub runtime: Option<&'a str>,
    pub python: Option<&'a Path>,
}

/// Why there is nothing to load.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error("the augmentor `{package}` was not found; looked for {}", looked.join(", "))]
    NotFound { package: String, looked: Vec<String> },
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the manifest of the augmentor is not valid: {}", first(findings))]
    Manifest { findings: Vec<Finding> },
    #[error("`{}` is an import package, and `{}` above it is not a directory of installed packages", root.display(), above.display())]
    NotInstalled { root: PathBuf, above: PathBuf },
    #[error("the augmentor has no entry for `{runtime}`")]
    Runtime { runtime: String, known: Vec<String> },
}

fn first(findings: &[Finding]) -> String {
    findings.first().map(|finding| finding.message.clone()).unwrap_or_default()
}

impl PackagePlace {
    /// Finds the package that `wanted` names.
    ///
    /// # Errors
    /// Returns an error if there is none, or its manifest breaks a rule.
    pub fn find(
        wanted: &WantedPackage<'_>,
        contract: &AugmentorContract,
    ) -> Result<Self, PlaceError> {
        let found = locate(wanted)?;
        let path = found.root.join(MANIFEST);
        let loaded =
            files::read(&path, MAX_MANIFEST).map_err(|source| PlaceError::Read { path, source })?;
        let (manifest, warnings) = judged(loaded.bytes, contract)?;
        let (runtime, entry) = chosen(&found, &manifest, contract, wanted.runtime)?;
        let candidates = package::candidates(contract, &runtime, &entry);
        let found = if runtime == "python" && is_import_package(&found, &candidates) {
            FoundPackage::installed(found.root, found.found)
        } else {
            found
        };
        let FoundPackage { root, paths, found, python } = found;
        let place = Self { root, paths, found, manifest, runtime, entry, python, warnings };
        match place.root.parent() {
            Some(above) if !place.may_be_imported() => {
                Err(PlaceError::NotInstalled { root: place.root.clone(), above: above.to_owned() })
            }
            _ => Ok(place),
        }
    }

    /// The name of the package.
    #[must_use]
    pub fn name(&self) -> &str {
        self.manifest.name.as_deref().unwrap_or_default()
    }

    /// False for an import package above which are files that it does not declare to read.
    fn may_be_imported(&self) -> bool {
        self.paths != [".."] || self.imported_from().is_some() || self.manifest.permissions.reads()
    }

    /// The directory above the root that Python imports the package from. It must be a directory of packages: any other
    /// one, such as the home of the user, may hold files that the package must not read.
    #[must_use]
    pub fn imported_from(&self) -> Option<&Path> {
        let above = self.root.parent().filter(|_| self.paths == [".."])?;
        is_directory_of_packages(above).then_some(above)
    }

    /// True if the package declares a cap.
    #[must_use]
    pub fn has_cap(&self, cap: &str) -> bool {
        self.manifest.caps.iter().any(|declared| declared == cap)
    }
}

fn locate(wanted: &WantedPackage<'_>) -> Result<FoundPackage, PlaceError> {
    let path = Path::new(wanted.package);
    let mut looked = vec![format!("{}", path.join(MANIFEST).display())];
    let local = match path.file_name() {
        Some(name) if name == MANIFEST => path.parent().unwrap_or(Path::new(".")),
        _ => path,
    };
    let local = if local.as_os_str().is_empty() { Path::new(".") } else { local };
    if let Ok(root) = files::canonical(local)
        && is_file(&root.join(MANIFEST))
    {
        return Ok(FoundPackage::source(root, "directory".to_owned()));
    }
    if let Some(found) = installed::find(wanted.package, wanted.python, &mut looked) {
        return Ok(found);
    }
    Err(PlaceError::NotFound { package: wanted.package.to_owned(), looked })
}

/// The manifest under the rules of the contract; a warning does not stop a host.
fn judged(
    bytes: Vec<u8>,
    contract: &AugmentorContract,
) -> Result<(AugmentorManifest, Vec<String>), PlaceError> {
    let mut repository = ProjectFiles::default();
    repository
        .files
        .insert(MANIFEST.to_owned(), SourceFile { bytes: bytes.into(), executable: false });
    let mut found = Collector::default();
    let manifest = manifest::check(&repository, contract, &mut found);
    let (errors, warnings): (Vec<_>, Vec<_>) = found
        .into_findings(false)
        .into_iter()
        .partition(|finding| finding.severity == Severity::Error);
    match manifest.filter(|_| errors.is_empty()) {
        Some(manifest) => {
            Ok((manifest, warnings.into_iter().map(|warning| warning.message).collect()))
        }
        None => Err(PlaceError::Manifest { findings: errors }),
    }
}

/// The runtime whose file is there, the preferred one first.
fn chosen(
    found: &FoundPackage,
    manifest: &AugmentorManifest,
    contract: &AugmentorContract,
    wanted: Option<&str>,
) -> Result<(String, String), PlaceError> {
    let offered = manifest.entries.iter();
    if let Some(wanted) = wanted {
        let entry = offered.clone().find(|(runtime, _)| runtime == wanted);
        return entry.cloned().ok_or_else(|| PlaceError::Runtime {
            runtime: wanted.to_owned(),
            known: manifest.entries.iter().map(|(runtime, _)| runtime.clone()).collect(),
        });
    }
    let is_there = |(runtime, entry): &&(String, String)| {
        let candidates = package::candidates(contract, runtime, entry);
        candidates.iter().any(|path| is_file(&found.root.join(path)))
            || (runtime == "python" && is_import_package(found, &candidates))
    };
    let first = offered.clone().find(is_there).or_else(|| manifest.entries.first());
    // The rules refuse a manifest without an entry.
    Ok(first.cloned().unwrap_or_default())
}

/// True for a directory that pip installs into, and for the `src` of a Python project.
fn is_directory_of_packages(path: &Path) -> bool {
    let holds_installed = || {
        let names = files::names(path).unwrap_or_default();
        names.iter().any(|name| name.to_str().is_some_and(|name| name.ends_with(".dist-info")))
    };
    path.ends_with("site-packages")
        || path.ends_with("dist-packages")
        || (path.ends_with("src") && is_file(&path.with_file_name("pyproject.toml")))
        || holds_installed()
}

/// True if the root is itself the package that Python imports, as in a wheel.
fn is_import_package(found: &FoundPackage, candidates: &[String]) -> bool {
    if !found.is_installed() && candidates.iter().any(|path| is_file(&found.root.join(path))) {
        return false;
    }
    let Some(above) = found.root.parent() else { return false };
    let is_inside = |path: &String| {
        let real = files::canonical(&above.join(path));
        real.is_ok_and(|real| real.starts_with(&found.root) && is_file(&real))
    };
    candidates.iter().any(is_inside)
}

/// True if a file is there, links followed: the runner checks where it really is.
fn is_file(path: &Path) -> bool {
    files::canonical(path).is_ok_and(|path| matches!(files::kind(&path), Ok(Kind::File { .. })))
}
