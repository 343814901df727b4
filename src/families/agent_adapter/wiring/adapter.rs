//! The adapter that is wired: its names, and the files that the orchestrator compiles.

use std::collections::BTreeSet;

use regex::Regex;

use crate::contract::{ProjectFiles, cli_name};
use crate::inputs::project::Project;
use crate::inputs::repository;
use crate::plan::{Content, FileSet, RelativePath};
use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;

use super::super::name::{AdapterName, MODULE};

/// The directory of adapters in the orchestrator.
pub const ADAPTERS: &str = "backend/internal/adapters/agent";
/// Parts of the runtime that only serve a project of its own.
const LEFT_OUT: &[&str] = &["internal/runtime/kit/"];

/// An adapter, as the orchestrator names it.
#[derive(Debug)]
pub struct Adapter {
    /// The id of the harness.
    pub id: String,
    pub package: String,
    /// `AcmeCode` for `acme-code`.
    pub type_name: String,
    /// Whether hooks report its activity.
    pub has_hooks: bool,
    /// Whether it interprets its hooks itself.
    pub has_deriver: bool,
    /// Its files, at their places in the orchestrator.
    pub files: FileSet,
}

impl Adapter {
    /// Reads the adapter of a project.
    ///
    /// # Errors
    /// Returns an error if the project is not a whole adapter.
    pub fn read(project: &Project) -> Result<Self, Failure> {
        let repository = repository::load(project);
        let package = package(&repository)?;
        let id = id(&repository)?;
        let sources: String = sources(&repository).collect();
        if !sources.contains("\nfunc New(") {
            return Err(unusable("no function `New` is declared"));
        }
        let files = files(&repository, &package)?;
        let rows = Regex::new(r#"\{Native: "|\bao hooks "#).map_err(|_| unusable("hooks.go"))?;
        Ok(Self {
            type_name: cli_name::type_name(&id),
            has_hooks: rows.is_match(&sources),
            has_deriver: sources.contains("\nfunc DeriveActivityState("),
            id,
            package,
            files,
        })
    }

    /// The directory of the package in the orchestrator.
    pub fn directory(&self) -> String {
        format!("{ADAPTERS}/{}", self.package)
    }

    /// The constant of its harness.
    pub fn constant(&self) -> String {
        format!("Harness{}", self.type_name)
    }
}

fn unusable(reason: &str) -> Failure {
    Failure::new(ErrorCode::Validation, format!("the adapter cannot be wired: {reason}"))
        .hint("run `aos check` in the directory of the adapter")
}

fn sources(repository: &ProjectFiles) -> impl Iterator<Item = &str> {
    let own = |path: &&String| {
        !path.contains('/') && path.ends_with(".go") && !path.ends_with("_test.go")
    };
    repository.files.keys().filter(own).filter_map(|path| repository.text(path))
}

fn package(repository: &ProjectFiles) -> Result<String, Failure> {
    let text = repository.text("go.mod").ok_or_else(|| unusable("it has no go.mod"))?;
    let path = text.lines().find_map(|line| line.trim().strip_prefix("module "));
    let path = path.map(|path| path.trim().trim_matches('"')).unwrap_or_default();
    let package = path.strip_prefix(MODULE).filter(|package| {
        package.starts_with(|first: char| first.is_ascii_lowercase())
            && package.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol.is_ascii_digit())
    });
    package.map(str::to_owned).ok_or_else(|| {
        let path = excerpt(path, 120);
        unusable(&format!("its module is `{path}`, not `{MODULE}PACKAGE`"))
    })
}

fn id(repository: &ProjectFiles) -> Result<String, Failure> {
    let form = Regex::new(r#"(?m)^(?:const )?\s*ID\s*=\s*"([^"\n]*)""#)
        .map_err(|_| unusable("its constant `ID`"))?;
    let ids: BTreeSet<_> = sources(repository)
        .flat_map(|text| form.captures_iter(text).filter_map(|hit| Some(hit.get(1)?.as_str())))
        .collect();
    let [id] = ids.iter().copied().collect::<Vec<_>>()[..] else {
        return Err(unusable(&format!("it declares {} constants `ID`", ids.len())));
    };
    match AdapterName::parse(id) {
        Ok(_) => Ok(id.to_owned()),
        Err(error) => Err(unusable(&format!("its id `{}`: {error}", excerpt(id, 60)))),
    }
}

fn files(repository: &ProjectFiles, package: &str) -> Result<FileSet, Failure> {
    let is_part = |path: &str| {
        !LEFT_OUT.iter().any(|place| path.starts_with(place))
            && (path.ends_with(".go")
                || path.starts_with("internal/")
                || path.split('/').rev().skip(1).any(|part| part == "testdata"))
    };
    let unread = repository.unreadable.iter().chain(&repository.unlisted);
    if let Some((path, reason)) = unread.into_iter().find(|(path, _)| path == "." || is_part(path))
    {
        return Err(unusable(&format!("`{}`: {reason}", excerpt(path, 120))));
    }
    if let Some(link) = repository.symlinks.iter().find(|path| is_part(path)) {
        return Err(unusable(&format!("`{}` is a symbolic link", excerpt(link, 120))));
    }
    let mut files = FileSet::default();
    for (path, file) in repository.files.iter().filter(|(path, _)| is_part(path)) {
        let mut content = Content::plain(&file.bytes);
        content.executable = file.executable;
        RelativePath::parse(&format!("{ADAPTERS}/{package}/{path}"))
            .map_err(|error| unusable(&error.to_string()))
            .and_then(|path| {
                files.insert(path, content).map_err(|error| unusable(&error.to_string()))
            })?;
    }
    Ok(files)
}
