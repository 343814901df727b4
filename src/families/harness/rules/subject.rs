//! One connector as the rules see it: every document read once.
//!
//! Reading only; no rule lives here. Owned texts, parsed documents and views are three steps because each borrows from the one before.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::manifest::ConnectorManifest;
use super::super::python_source::PythonSource;
use super::facts::HarnessFacts;
use super::host_view::HostView;
use crate::contract::pyproject::{Pyproject, TomlFault};
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::SourceText;
use crate::contract::rules::json_document::JsonDocument;

pub(super) const MANIFEST: &str = "connector.json";
pub(super) const HARNESS: &str = "agent-harness/";
pub(super) const PERMISSIONS: &str = "agent-harness/permissions.json";
pub(super) const PYPROJECT: &str = "agent-harness/pyproject.toml";

/// A file's text; invalid bytes are replaced, as the host does.
type FileText<'r> = Option<Cow<'r, str>>;

#[derive(Debug)]
pub(super) struct ConnectorTexts<'r> {
    manifest: FileText<'r>,
    permissions: FileText<'r>,
    pyproject: FileText<'r>,
}

impl<'r> ConnectorTexts<'r> {
    pub fn of(repository: &'r ProjectFiles) -> Self {
        let text = |path| repository.bytes(path).map(String::from_utf8_lossy);
        Self {
            manifest: text(MANIFEST),
            permissions: text(PERMISSIONS),
            pyproject: text(PYPROJECT),
        }
    }

    pub fn documents(&self) -> Documents<'_> {
        Documents {
            manifest: self.manifest.as_deref().map(JsonDocument::read),
            permissions: self.permissions.as_deref().map(JsonDocument::read),
        }
    }
}

#[derive(Debug)]
pub(super) struct Documents<'a> {
    manifest: Option<JsonDocument<'a>>,
    permissions: Option<JsonDocument<'a>>,
}

/// A JSON document of the project and the file it came from.
#[derive(Debug)]
pub(super) struct JsonFile<'a> {
    pub source: SourceText<'a>,
    pub document: &'a JsonDocument<'a>,
    /// Every byte of the file is UTF-8.
    pub is_utf8: bool,
}

#[derive(Debug)]
pub(super) struct PyprojectFile<'a> {
    pub source: SourceText<'a>,
    pub project: Result<Pyproject, TomlFault>,
    pub host: HostView<'a>,
}

#[derive(Debug)]
pub(super) struct PythonFile<'a> {
    pub source: SourceText<'a>,
    pub content: Arc<PythonSource<'a>>,
}

#[derive(Debug)]
pub(super) struct ConnectorSubject<'a> {
    pub repository: &'a ProjectFiles,
    pub facts: &'a HarnessFacts,
    pub manifest_file: Option<JsonFile<'a>>,
    /// Absent when there is no file or it is not JSON.
    pub manifest: Option<ConnectorManifest<'a>>,
    /// Ids of the manifest, sorted, each once.
    pub ids: Vec<&'a str>,
    pub permissions_file: Option<JsonFile<'a>>,
    pub pyproject: Option<PyprojectFile<'a>>,
    /// Sources of the package: no tests, no generated constants.
    pub python: Vec<PythonFile<'a>>,
    /// Python files beside the harness, such as an installer: no tests.
    pub scripts: Vec<PythonFile<'a>>,
    /// There is a file below `agent-harness/`.
    pub has_harness: bool,
}

impl<'a> ConnectorSubject<'a> {
    pub fn read(
        repository: &'a ProjectFiles,
        facts: &'a HarnessFacts,
        texts: &'a ConnectorTexts<'_>,
        documents: &'a Documents<'a>,
    ) -> Self {
        let json = |path, document: &'a Option<JsonDocument<'a>>, text: &'a FileText<'_>| {
            document.as_ref().zip(text.as_ref()).map(|(document, text)| JsonFile {
                source: SourceText::new(path, text.as_bytes()),
                document,
                is_utf8: matches!(text, Cow::Borrowed(_)),
            })
        };
        let manifest_file = json(MANIFEST, &documents.manifest, &texts.manifest);
        let permissions_file = json(PERMISSIONS, &documents.permissions, &texts.permissions);
        let root = documents.manifest.as_ref().and_then(|document| document.root.as_ref());
        let manifest = root.map(ConnectorManifest::read);
        let identified = manifest.iter().flat_map(ConnectorManifest::identified);
        let mut ids: Vec<&str> = identified.map(|(id, _)| id.text).collect();
        ids.sort_unstable();
        ids.dedup();
        let pyproject = texts.pyproject.as_deref().map(|text| PyprojectFile {
            source: SourceText::new(PYPROJECT, text.as_bytes()),
            project: Pyproject::read(text),
            host: HostView::read(text),
        });
        let (python, scripts) = repository
            .below("", ".py")
            .filter(|(path, _)| is_source(path))
            .map(|(path, file)| PythonFile {
                source: SourceText::new(path, &file.bytes),
                content: PythonSource::shared(&file.bytes),
            })
            .partition(|file| file.source.path.starts_with(HARNESS));
        let has_harness = repository.below(HARNESS, "").next().is_some();
        Self {
            repository,
            facts,
            manifest_file,
            manifest,
            ids,
            permissions_file,
            pyproject,
            python,
            scripts,
            has_harness,
        }
    }

    /// The manifest and its file, when there is something to judge.
    pub fn judged_manifest(&self) -> Option<(&ConnectorManifest<'a>, &SourceText<'a>)> {
        Some((self.manifest.as_ref()?, &self.manifest_file.as_ref()?.source))
    }

    pub fn has_command(&self, id: &str) -> bool {
        self.ids.binary_search(&id).is_ok()
    }

    /// Commands that every connector has, and others the host hides from workers.
    pub fn is_meta(&self, id: &str) -> bool {
        self.facts.requires_command(id)
            || ["doctor", "config"].contains(&id)
            || id.starts_with("config.")
    }

    /// The name of the connector, from the manifest or pyproject.toml. The directory is asked last, and only when its
    /// name can be that of a connector: a checkout may have any name.
    pub fn tool(&self) -> Option<&str> {
        let manifest = self.manifest.as_ref().and_then(|manifest| manifest.tool);
        let project = || self.pyproject.as_ref().and_then(|file| file.project.as_ref().ok());
        let stated = || project().and_then(|project| project.name.as_ref());
        let directory = self.repository.directory_name.as_str();
        let named = |name: &&str| name.starts_with("aos-");
        manifest
            .map(|tool| tool.text)
            .or_else(|| stated().map(|name| name.value.as_str()).filter(named))
            .or_else(|| Some(directory).filter(named))
    }
}

/// Parts of a tree that are not the connector's own work.
fn is_foreign(path: &str) -> bool {
    path.split('/').any(|part| {
        matches!(
            part,
            ".git" | ".venv" | "venv" | "node_modules" | "__pycache__" | "build" | "dist" | ".tox"
        ) || part.ends_with(".egg-info")
    })
}

pub(crate) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    // A resource can be called `test_clock`; every module of this directory has handlers.
    let has_handlers = path.contains("/commands/");
    name.starts_with("test_") && !has_handlers
        || name == "conftest.py"
        || path.contains("/tests/")
        || path.starts_with("tests/")
        || path.contains("/_runtime/testkit/")
}

fn is_source(path: &str) -> bool {
    !is_test(path) && !is_foreign(path) && !path.ends_with("/contract_gen.py")
}
