//! The program of the tool: from the command line, from `aos.toml`, or at the usual locations.

use std::path::{Path, PathBuf};

use super::tools::{FamilyTools, TOOLS};
use crate::contract::{Family, SpecTag};
use crate::inputs::project::Project;
use crate::system::files::{self, Kind};
use crate::system::search_path;

/// Why there is nothing to run.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error("no program was found for `{tool}`; looked for {}", looked.join(", "))]
    NotFound { tool: String, looked: Vec<String> },
    #[error("no {runtime} was found to run `{tool}`")]
    NoRuntime { tool: String, runtime: String },
    #[error("`{program}` cannot be run: {why}")]
    NoProgram { program: String, why: &'static str },
}

/// A tool that can be run.
#[derive(Clone, Debug)]
pub struct Target {
    pub family: Family,
    pub tag: SpecTag,
    /// Absolute path.
    pub program: PathBuf,
    /// Arguments before those of each call.
    pub prefix: Vec<String>,
    /// The directory of calls; without one, an empty directory of the sandbox.
    pub directory: Option<PathBuf>,
    /// The project of the tool.
    pub root: Option<PathBuf>,
    /// Name of the tool.
    pub tool: String,
    /// How it was found, one phrase.
    pub found: String,
}

/// The command that a person gives after `--`.
///
/// # Errors
/// When its first word is not a program.
pub fn given(command: &[String], family: Family, tag: SpecTag) -> Result<Target, TargetError> {
    let (program, mut prefix) = words(command, Path::new("."))?;
    prefix.iter_mut().for_each(|argument| *argument = absolute(argument));
    let tool = program.file_stem().map(|name| name.to_string_lossy().into_owned());
    Ok(Target {
        family,
        tag,
        program,
        prefix,
        directory: None,
        root: None,
        tool: tool.unwrap_or_default(),
        found: "given on the command line".to_owned(),
    })
}

/// The tool of a project.
///
/// # Errors
/// When no place holds a program; names all of them.
pub fn of_project(project: &Project, tool: &str, tag: SpecTag) -> Result<Target, TargetError> {
    let family = project.family;
    if let Some(own) = TOOLS.of(family).and_then(|part| part.target(project, &tag)) {
        return own;
    }
    let usual = TOOLS.of(family).map_or(".", FamilyTools::directory);
    let directory = match files::kind(&project.root.join(usual)) {
        Ok(Kind::Directory) if usual != "." => project.root.join(usual),
        _ => project.root.clone(),
    };
    let target = |program: PathBuf, prefix: Vec<String>, found: String| Target {
        family,
        tag: tag.clone(),
        program,
        prefix,
        directory: Some(directory.clone()),
        root: Some(project.root.clone()),
        tool: tool.to_owned(),
        found,
    };
    let command = project.record.good().map(|record| record.conform.command.as_slice());
    if let Some(command) = command.filter(|command| !command.is_empty()) {
        let (program, prefix) = words(command, &project.root)?;
        return Ok(target(program, prefix, "command of [conform] in aos.toml".to_owned()));
    }
    let mut looked = vec!["[conform] command in aos.toml".to_owned()];
    for place in places(family, tool) {
        let path = project.root.join(&place);
        // A link is how environments are made; what it points to must be there.
        if let Some(program) = executable(&path) {
            return Ok(target(program, Vec::new(), place));
        }
        looked.push(place);
    }
    if is_plain(tool)
        && let Some(program) = search_path::find(tool)
    {
        return Ok(target(program, Vec::new(), "PATH".to_owned()));
    }
    looked.push("PATH".to_owned());
    Err(TargetError::NotFound { tool: tool.to_owned(), looked })
}

/// Calls run in another directory: an argument that names a file here must go on naming it.
fn absolute(argument: &str) -> String {
    let path = Path::new(argument);
    let names_something = match files::kind(path) {
        Ok(Kind::File { .. }) => true,
        // A bare word is rather a module or a command than a directory of that name.
        Ok(Kind::Absent) | Err(_) => false,
        Ok(_) => argument.contains(['/', '\\']),
    };
    let here = names_something.then(|| files::canonical(Path::new(".")).ok()).flatten();
    let path = here.map(|here| here.join(path));
    path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| argument.to_owned())
}

/// Returns the usual paths of a project's program, below its root.
fn places(family: Family, tool: &str) -> Vec<String> {
    if !is_plain(tool) {
        return Vec::new();
    }
    let directories = TOOLS.of(family).map(FamilyTools::places).unwrap_or_default();
    directories.iter().map(|directory| format!("{directory}/{tool}")).collect()
}

/// A name that is not a path.
fn is_plain(tool: &str) -> bool {
    !tool.is_empty() && !tool.starts_with('.') && !tool.contains(['/', '\\', '\0'])
}

/// A program file. Its path is not resolved, because a virtual environment is recognized by it.
fn executable(path: &Path) -> Option<PathBuf> {
    let real = files::canonical(path).ok()?;
    let is_program = matches!(files::kind(&real), Ok(Kind::File { executable: true, .. }))
        || cfg!(windows) && matches!(files::kind(&real), Ok(Kind::File { .. }));
    is_program.then(|| path.to_owned())
}

/// Returns the reason why a path is not a program.
fn obstacle(path: &Path) -> &'static str {
    let Ok(real) = files::canonical(path) else {
        return match files::kind(path) {
            Ok(Kind::Symlink) => "it is a broken link",
            _ => "it does not exist",
        };
    };
    match files::kind(&real) {
        Ok(Kind::File { .. }) => "its owner may not execute it; `chmod +x` allows it",
        Ok(Kind::Directory) => "it is a directory",
        _ => "it is not a file",
    }
}

/// Program and first arguments; a path counts from `base`, a name is searched on PATH.
fn words(command: &[String], base: &Path) -> Result<(PathBuf, Vec<String>), TargetError> {
    let (program, prefix) =
        command.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
    let fault = |why| TargetError::NoProgram { program: program.to_owned(), why };
    let path = if program.contains(['/', '\\']) {
        let base = files::canonical(base).map_err(|_| fault("its directory does not exist"))?;
        let path = base.join(program);
        executable(&path).ok_or_else(|| fault(obstacle(&path)))?
    } else {
        search_path::find(program).ok_or_else(|| {
            // A shell also searches only PATH.
            match files::kind(&base.join(program)) {
                Ok(Kind::File { .. }) => {
                    fault("it is not on PATH; `./` before it names the file here")
                }
                _ => fault("it is not on PATH"),
            }
        })?
    };
    Ok((path, prefix.to_vec()))
}
