//! The request of `aos conform`.

use std::path::{Path, PathBuf};

use crate::conform::Probe;
use crate::contract::Family;
use crate::report::conformance::CommandLine;
use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;

use super::explain;

/// The tool to run, and the options of the run.
#[derive(Clone, Debug, Default)]
pub struct ConformRequest {
    /// The project; without it, the current directory.
    pub path: Option<PathBuf>,
    /// Ids of the probes; all of the family when there are none.
    pub probes: Vec<String>,
    /// `FORMAT=FILE`.
    pub reports: Vec<String>,
    /// Most probes at the same time.
    pub jobs: Option<usize>,
    pub family: Option<String>,
    pub tag: Option<String>,
    pub fixture: Option<PathBuf>,
    pub readable: Vec<PathBuf>,
    /// Program and first arguments, in place of a project.
    pub command: Vec<String>,
    /// Whether every result is in the answer.
    pub is_whole: bool,
}

/// Most probes at the same time.
const MAX_JOBS: usize = 64;

impl ConformRequest {
    /// Returns the number of probes that run at the same time.
    ///
    /// # Errors
    /// Returns an error if it is none.
    pub fn job_count(&self) -> Result<usize, Failure> {
        match self.jobs {
            Some(0) => Err(Failure::new(ErrorCode::Validation, "`--jobs` is 0")
                .hint("use a number of at least 1, or omit the option")),
            Some(jobs) => Ok(jobs.min(MAX_JOBS)),
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from).min(MAX_JOBS)),
        }
    }

    /// The probes that are named.
    ///
    /// # Errors
    /// Returns an error if one does not exist.
    pub fn wanted(&self) -> Result<Vec<&'static Probe>, Failure> {
        self.probes.iter().map(|id| explain::probe(id)).collect()
    }

    /// The command line that looks at the same tool again.
    pub fn again(&self, directory: Option<&Path>) -> CommandLine {
        let mut before = vec!["aos".to_owned()];
        let mut option = |name: &str, value: Option<String>| {
            before.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        option("-C", directory.map(|path| path.display().to_string()));
        before.push("conform".to_owned());
        before.extend(self.path.as_ref().map(|path| path.display().to_string()));
        let mut option = |name: &str, value: Option<String>| {
            before.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        option("--family", self.family.clone());
        option("--tag", self.tag.clone());
        option("--fixture", self.fixture.as_ref().map(|path| path.display().to_string()));
        for path in &self.readable {
            before.extend(["--readable".to_owned(), path.display().to_string()]);
        }
        let mut after = Vec::new();
        if !self.command.is_empty() {
            after.push("--".to_owned());
            after.extend(self.command.iter().cloned());
        }
        CommandLine { before, probes: self.probes.clone(), after }
    }
}

/// The family that a caller names.
///
/// # Errors
/// Returns an error if there is none of that name.
pub fn known_family(text: &str) -> Result<Family, Failure> {
    text.parse().map_err(|error: crate::contract::family::UnknownFamily| {
        let known = Family::names();
        let shown = error.0.chars().take(60).collect::<String>();
        let message = format!("the contract family `{}` does not exist", excerpt(&shown, 200));
        Failure::new(ErrorCode::Validation, message)
            .hint(format!("families are {}", known.join(", ")))
            .detail("known_families", known)
    })
}
