//! A version of a runtime of generated tools, and its files in a project.
//!
//! A file is vendored byte for byte. Only the import path of the Go module is replaced, because Go has no relative
//! imports.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::contract::FileBytes;
use crate::plan::{Content, Digest, FileSet, FileSetError, RelativePath};

use super::go_module::GoModule;
use super::record_runtime::RuntimeSection;
use super::scaffold::{ExampleNames, PACKAGE_MARK};

/// The version of a runtime: three numbers.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Version([u32; 3]);

impl Version {
    /// `X.Y.Z` without leading zeros; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let version = semver::Version::parse(text).ok()?;
        if !version.pre.is_empty() || !version.build.is_empty() {
            return None;
        }
        let part = |number: u64| u32::try_from(number).ok();
        Some(Self([part(version.major)?, part(version.minor)?, part(version.patch)?]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(formatter, "{major}.{minor}.{patch}")
    }
}

/// `runtime.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeInfo {
    pub name: String,
    #[serde(deserialize_with = "version")]
    pub version: Version,
    /// The directory that is vendored.
    pub root: String,
    /// Go: the module path that a project replaces by its own.
    pub import: Option<String>,
    /// Python: the package that the example tool has.
    pub package: Option<String>,
    /// Excluded files: `*_test.go` for the end of a file name, `testdata/` for a directory.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Tags of the contract that it supports.
    #[serde(default)]
    pub contracts: Vec<String>,
}

fn version<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
    let text = String::deserialize(deserializer)?;
    Version::parse(&text).ok_or_else(|| serde::de::Error::custom("it is not a version `X.Y.Z`"))
}

/// One version of a runtime with its files.
#[derive(Clone, Debug)]
pub struct Runtime {
    pub info: RuntimeInfo,
    /// Every file of the runtime's own repository, tests and example tool included, by path.
    pub sources: BTreeMap<String, Cow<'static, [u8]>>,
    /// The vendored files that are equal in all projects, by their path below the root.
    equal: OnceLock<BTreeMap<String, (Content, Digest)>>,
}

/// Why a runtime cannot be given to a project.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error(transparent)]
    Files(#[from] FileSetError),
    #[error("the runtime `{0}` needs the module path in `go.mod`, but there is no `go.mod`")]
    NoModule(String),
}

impl Runtime {
    #[must_use]
    pub fn new(info: RuntimeInfo, sources: BTreeMap<String, Cow<'static, [u8]>>) -> Self {
        Self { info, sources, equal: OnceLock::new() }
    }

    /// The vendored files by their path below the root.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.sources.iter().filter_map(|(path, bytes)| {
            let inner = path.strip_prefix(self.info.root.as_str())?.strip_prefix('/')?;
            (!self.is_excluded(inner)).then_some((inner, bytes.as_ref()))
        })
    }

    fn is_excluded(&self, path: &str) -> bool {
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.info.exclude.iter().any(|pattern| match pattern.strip_suffix('/') {
            Some(directory) => directories.split('/').any(|part| part == directory),
            None => {
                pattern.strip_prefix('*').map_or(name == pattern, |ending| name.ends_with(ending))
            }
        })
    }

    /// The files that a project keeps from this runtime; parts that it owns are left out.
    ///
    /// # Errors
    /// Returns an error if a path is none, or the module path is needed and missing.
    pub fn files(
        &self,
        section: &RuntimeSection,
        module: Option<&GoModule>,
    ) -> Result<FileSet, RuntimeError> {
        let mut files = FileSet::default();
        let equal = self.equal();
        for (inner, bytes) in self.parts() {
            let path = RelativePath::parse(&format!("{}/{inner}", section.path))
                .map_err(FileSetError::from)?;
            if section.owner(&path).is_none() {
                let content = match equal.get(inner) {
                    Some((content, _)) => content.clone(),
                    None => Content::plain(self.localised(inner, bytes, module)?),
                };
                files.insert(path, content)?;
            }
        }
        Ok(files)
    }

    /// The digests of `files`, which this runtime has in a project.
    #[must_use]
    pub fn digests(
        &self,
        section: &RuntimeSection,
        files: &FileSet,
    ) -> BTreeMap<RelativePath, Digest> {
        let equal = self.equal();
        let root = section.path.as_str();
        let digest = |(path, content): (&RelativePath, &Content)| {
            let inner = path.as_str().strip_prefix(root).and_then(|path| path.strip_prefix('/'));
            let known = inner.and_then(|inner| equal.get(inner));
            let known = known.filter(|(known, _)| known == content);
            (path.clone(), known.map_or_else(|| content.digest(), |(_, digest)| *digest))
        };
        files.iter().map(digest).collect()
    }

    /// Files without an import path: those of Go need the one of the project.
    fn equal(&self) -> &BTreeMap<String, (Content, Digest)> {
        self.equal.get_or_init(|| {
            let is_equal = |inner: &str| self.info.import.is_none() || !inner.ends_with(".go");
            let parts = self.parts().filter(|(inner, _)| is_equal(inner));
            let shared = parts.map(|(inner, bytes)| {
                let bytes = FileBytes::expected(bytes).to_arc();
                let digest = Digest::of(&bytes);
                (inner.to_owned(), (Content { bytes, executable: false }, digest))
            });
            shared.collect()
        })
    }

    /// The bytes of one file as a project has them.
    fn localised<'a>(
        &self,
        path: &str,
        bytes: &'a [u8],
        module: Option<&GoModule>,
    ) -> Result<Cow<'a, [u8]>, RuntimeError> {
        let Some(import) = self.info.import.as_deref().filter(|_| path.ends_with(".go")) else {
            return Ok(bytes.into());
        };
        let module = module.ok_or_else(|| RuntimeError::NoModule(self.info.name.clone()))?;
        Ok(import_replaced(bytes, import, module.as_str()))
    }

    /// The digest of a file of a project, its module path put back.
    #[must_use]
    pub fn canonical_digest(&self, path: &str, bytes: &[u8], module: Option<&GoModule>) -> Digest {
        match (&self.info.import, module) {
            (Some(import), Some(module)) if path.ends_with(".go") => {
                Digest::of(&import_replaced(bytes, module.as_str(), import))
            }
            _ => Digest::of(bytes),
        }
    }

    /// The names of the example tool.
    #[must_use]
    pub fn names(&self) -> ExampleNames {
        ExampleNames { module: self.info.import.clone(), package: self.info.package.clone() }
    }

    /// The path in a template of a file of the example tool.
    #[must_use]
    pub fn template_path(&self, path: &str) -> String {
        let mark = |component| match self.info.package.as_deref() {
            Some(package) if component == package => PACKAGE_MARK,
            _ => component,
        };
        path.split('/').map(mark).collect::<Vec<_>>().join("/")
    }
}

/// Import paths below `from` as paths below `to`: the module path follows a quote and ends with one or a slash.
fn import_replaced<'a>(bytes: &'a [u8], from: &str, to: &str) -> Cow<'a, [u8]> {
    let inner = replaced(bytes, &format!("\"{from}/"), &format!("\"{to}/"));
    let whole = replaced(&inner, &format!("\"{from}\""), &format!("\"{to}\"")).into_owned();
    whole.into()
}

/// Bytes that are not text are kept unchanged.
fn replaced<'a>(bytes: &'a [u8], from: &str, to: &str) -> Cow<'a, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) if from != to && text.contains(from) => text.replace(from, to).into_bytes().into(),
        _ => bytes.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> Runtime {
        let info = toml_edit::de::from_str(
            "name = \"go\"\nversion = \"0.1.0\"\nroot = \"internal/runtime\"\nimport = \"aos.invalid/tool\"\n\
             exclude = [\"*_test.go\", \"testdata/\"]\n",
        );
        let files = [
            ("go.mod", "module aos.invalid/tool\n"),
            (
                "internal/runtime/a/a.go",
                "import \"aos.invalid/tool/internal/b\" // aos.invalid/tool\n",
            ),
            ("internal/runtime/a/a_test.go", "x"),
            ("internal/runtime/a/testdata/x.json", "x"),
            ("internal/runtime/scripts/run.js", "\"aos.invalid/tool/x\"\n"),
            ("internal/cli/items.go", "import \"aos.invalid/tool/internal/runtime/a\"\n"),
        ];
        let sources = files.map(|(path, text)| (path.to_owned(), text.as_bytes().into()));
        Runtime::new(info.unwrap(), BTreeMap::from(sources))
    }

    fn section(own: &[&str]) -> RuntimeSection {
        let path = |text: &str| RelativePath::parse(text).unwrap();
        let own = own.iter().map(|text| super::super::record_runtime::OwnedPart {
            path: path(text),
            version: Version::parse("0.1.0").unwrap(),
        });
        RuntimeSection { name: "go".into(), path: path("lib/rt"), own: own.collect() }
    }

    #[test]
    fn a_project_gets_the_root_without_tests_and_with_its_own_import_path() {
        let module = GoModule::parse("github.com/acme/acme").unwrap();
        let files = runtime().files(&section(&[]), Some(&module)).unwrap();
        let text: Vec<_> = files
            .iter()
            .map(|(path, content)| {
                (path.to_string(), String::from_utf8(content.bytes.to_vec()).unwrap())
            })
            .collect();
        let expected = [
            ("lib/rt/a/a.go", "import \"github.com/acme/acme/internal/b\" // aos.invalid/tool\n"),
            ("lib/rt/scripts/run.js", "\"aos.invalid/tool/x\"\n"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(text, expected);
        let (inner, bytes) = ("a/a.go", text[0].1.as_bytes());
        let original = runtime();
        let (_, source) = original.parts().find(|(path, _)| *path == inner).unwrap();
        assert_eq!(original.canonical_digest(inner, bytes, Some(&module)), Digest::of(source));
    }

    #[test]
    fn owned_parts_are_left_out_and_a_missing_module_is_an_error() {
        let module = GoModule::parse("m").unwrap();
        let files = runtime().files(&section(&["lib/rt/a"]), Some(&module)).unwrap();
        assert_eq!(
            files.paths().map(RelativePath::as_str).collect::<Vec<_>>(),
            ["lib/rt/scripts/run.js"]
        );
        assert!(matches!(runtime().files(&section(&[]), None), Err(RuntimeError::NoModule(_))));
    }

    #[test]
    fn versions_have_three_numbers() {
        assert!(Version::parse("0.10.0") > Version::parse("0.9.9"));
        for text in ["1", "1.2", "01.2.3", "1.2.3-rc.1", "1.2.3+x", "99999999999.0.0", ""] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
