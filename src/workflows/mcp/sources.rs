//! The packages of a server, by directory, by program or by name; none of them runs here.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::inputs::project::Project;
use crate::mcp::provider::{Declared, OPENERS, Opener, Options, ServedSubject};
use crate::mcp::session::{Source, SourceKind};
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Kind};
use crate::visible::excerpt;

/// Why the network is as it is, before anything has been decided.
pub const NOT_DECIDED: &str = "nothing has been decided about the network";

/// Returns the package that each argument names.
///
/// # Errors
/// Returns an error if one names nothing, or a project that cannot be served.
pub fn sources(packages: &[String], options: &Options) -> Result<Vec<Source>, Failure> {
    packages.iter().map(|package| source(package, options)).collect()
}

fn source(package: &str, options: &Options) -> Result<Source, Failure> {
    let path = Path::new(package);
    let is_there = files::canonical(path).ok();
    let is_directory =
        is_there.as_deref().is_some_and(|real| matches!(files::kind(real), Ok(Kind::Directory)));
    if is_directory {
        return of_project(&Project::open(path)?);
    }
    let known = OPENERS.entries().into_iter().find(|(_, opener)| opener.knows(package, options));
    match known {
        Some((_, opener)) => Ok(Source { kind: SourceKind::Named(package.to_owned()), opener }),
        // The path of a manifest means its directory.
        None if is_there.is_some() => of_project(&Project::open(path)?),
        None => {
            let shown = excerpt(package, 200);
            let message =
                format!("`{shown}` is not a directory, a program or an installed augmentor");
            Err(Failure::new(ErrorCode::NotFound, message)
                .hint("use the directory of a tool, or an installed program or package"))
        }
    }
}

fn of_project(project: &Project) -> Result<Source, Failure> {
    let family = project.family;
    let opener: Option<&'static dyn Opener> = OPENERS.of(family);
    let opener = opener.ok_or_else(|| {
        let message = format!(
            "`{}` follows the family `{family}`, which has no tools for MCP",
            project.shown
        );
        Failure::new(ErrorCode::Validation, message).hint("use an augmentor, a connector or a CLI")
    })?;
    Ok(Source { kind: SourceKind::Project(project.root.clone()), opener })
}

/// Returns the declaration of a package.
///
/// # Errors
/// Returns an error if it is not there, or its description is not valid.
pub fn declared(source: &Source, options: &Options) -> Result<Declared, Failure> {
    match &source.kind {
        SourceKind::Project(root) => {
            source.opener.declared(&ServedSubject::Project(&Project::open(root)?), options)
        }
        SourceKind::Named(name) => source.opener.declared(&ServedSubject::Named(name), options),
    }
}

/// The names of packages, and of the secrets that they ask for. Runs nothing.
///
/// # Errors
/// Returns an error if one is not there.
pub fn named(packages: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
    let options = Options {
        runtime: None,
        python: None,
        environment: Vec::new(),
        limit: Duration::from_secs(60),
        network: Err(NOT_DECIDED.into()),
        is_quiet: true,
    };
    let (mut names, mut secrets) = (Vec::new(), BTreeSet::new());
    for source in sources(packages, &options)? {
        let declared = declared(&source, &options)?;
        names.push(declared.name);
        secrets.extend(declared.secrets);
    }
    Ok((names, secrets.into_iter().collect()))
}
