//! `aos discover`: which tools a host sees on this machine, in which state, and what makes each one ready.
//!
//! Searches, probes and reports; the directories of the host and its verdicts belong to its family.

mod answer;
mod probing;
mod scan;
pub mod seam;

use std::path::{Path, PathBuf};

use crate::contract::suggestion;
use crate::report::conformance::shell;
use crate::report::discovery::Discovery;
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::files::{self, Kind};

use probing::Program;
use scan::{Candidate, Programs, Scan};
use seam::{DiscoverSurroundings, HOSTS, Host, SearchRoot};

/// The request of one run.
#[derive(Debug)]
pub struct DiscoverRequest<'a> {
    /// Roots in place of those of the host.
    pub roots: &'a [PathBuf],
    pub installation: Option<&'a Path>,
    /// Only these tools, with every detail.
    pub only: &'a [String],
    pub probe: bool,
    /// Every detail of every tool.
    pub details: bool,
}

/// Looks at the machine as the host does.
///
/// # Errors
/// Returns an error if a root or a tool that was named is not there.
pub fn run(request: &DiscoverRequest<'_>) -> Result<Discovery, Failure> {
    let Some((_, host)) = HOSTS.entries().into_iter().next() else {
        return Err(Failure::new(ErrorCode::Unknown, "this build of aos knows no host"));
    };
    let (roots, single) = roots(host, request)?;
    let programs = if request.roots.is_empty() { Programs::AreTools } else { Programs::RunTools };
    let mut scan = Scan::of(host, roots, programs);
    if let Some(single) = single {
        scan.candidates.retain(|candidate| candidate.directory.as_ref() == Some(&single));
        scan.passed_over.retain(|entry| entry.path == single);
    }
    keep(&mut scan, request.only)?;
    let working = working_directory()?;
    let programs: Vec<_> =
        scan.candidates.iter().map(|candidate| program(host, candidate, &working)).collect();
    let probed = match request.probe {
        true => probing::probe(host, &programs),
        false => programs.iter().map(|_| None).collect(),
    };
    let details = request.details || !request.only.is_empty();
    let call = call(request);
    let wanted = answer::WantedTools { details, probed: request.probe, call: &call };
    Ok(answer::of(host, scan, probed, wanted))
}

/// The call that looks at the same directories.
fn call(request: &DiscoverRequest<'_>) -> String {
    let word = |path: &Path| shell::word(&path.display().to_string());
    let mut words = vec!["aos discover".to_owned()];
    words.extend(request.roots.iter().map(|root| word(root)));
    words.extend(request.installation.map(|host| format!("--host {}", word(host))));
    words.join(" ")
}

fn working_directory() -> Result<PathBuf, Failure> {
    environment::current_directory().map_err(|error| {
        Failure::new(ErrorCode::NotFound, format!("this directory cannot be used: {error}"))
            .hint("pass an existing directory to `-C`")
    })
}

/// The roots, and the one tool that was named in place of a root.
fn roots(
    host: &dyn Host,
    request: &DiscoverRequest<'_>,
) -> Result<(Vec<SearchRoot>, Option<PathBuf>), Failure> {
    if request.roots.is_empty() {
        let surroundings = DiscoverSurroundings {
            working: working_directory()?,
            home: environment::home_directory(),
            installation: request.installation.map(Path::to_owned),
        };
        return Ok((host.roots(&surroundings), None));
    }
    let mut roots = Vec::new();
    let mut single = None;
    for given in request.roots {
        let path = files::canonical(given).map_err(|error| {
            Failure::new(ErrorCode::NotFound, format!("`{}`: {error}", given.display()))
                .hint("pass a directory with tools, or the directory of one tool")
        })?;
        let is_tool = !matches!(files::kind(&path.join(host.marker())), Ok(Kind::Absent) | Err(_));
        match path.parent().filter(|_| is_tool && request.roots.len() == 1) {
            Some(parent) => {
                roots.push(SearchRoot { path: parent.to_owned(), source: "argument" });
                single = Some(path);
            }
            None => roots.push(SearchRoot { path, source: "argument" }),
        }
    }
    Ok((roots, single))
}

/// Keeps the tools that were named.
fn keep(scan: &mut Scan, only: &[String]) -> Result<(), Failure> {
    if only.is_empty() {
        return Ok(());
    }
    let known: Vec<_> = scan.candidates.iter().map(|candidate| candidate.name.clone()).collect();
    for name in only {
        if !known.contains(name) {
            let near = suggestion::nearest(name, known.iter().map(String::as_str));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`aos discover` lists what is found".to_owned(),
            };
            let message = format!("no tool is called `{name}`");
            return Err(Failure::new(ErrorCode::NotFound, message).hint(hint));
        }
    }
    scan.candidates.retain(|candidate| only.contains(&candidate.name));
    Ok(())
}

/// Returns the program of a tool, and the directory in which it runs.
fn program(host: &dyn Host, candidate: &Candidate, working: &Path) -> Option<Program> {
    let path = candidate.program.clone()?;
    let directory = candidate.directory.as_ref();
    let directory =
        directory.map_or(working.to_owned(), |tool| tool.join(host.working_directory()));
    Some(Program { path: working.join(path), directory })
}
