//! The interface of `aos discover` to the family whose host finds its tools on a machine.
//!
//! A host knows where it looks, what it reads and how it judges; the workflow looks, reads and runs.

use std::path::{Path, PathBuf};

use crate::contract::family::FamilyParts;

/// The environment in which the host would run.
#[derive(Clone, Debug)]
pub struct DiscoverSurroundings {
    pub working: PathBuf,
    pub home: Option<PathBuf>,
    /// Checkout or installation of the host, if the caller named it.
    pub installation: Option<PathBuf>,
}

/// A directory whose children the host looks at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SearchRoot {
    pub path: PathBuf,
    /// The setting or default that names it.
    pub source: &'static str,
}

/// The facts in the files of one tool, as the host reads them.
#[derive(Clone, Debug, Default)]
pub struct Described {
    pub label: Option<String>,
    pub version: Option<String>,
    /// The tool's name, as far as the files say it.
    pub tool: Option<String>,
    /// Ids of the commands that the host shows.
    pub commands: Vec<String>,
    /// Environment variables that the tool needs.
    pub keys: Vec<String>,
    /// Whether the directory that a program is installed from is there.
    pub is_installable: bool,
    /// Files that the host cannot use, or reads differently than intended.
    pub warnings: Vec<String>,
}

/// The end of a probe.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Said {
    Exited {
        exit: i32,
        stdout: Vec<u8>,
        stderr: String,
    },
    TimedOut,
    TooMuch,
    Signalled(i32),
    /// The program did not start; the text says why.
    NotStarted(String),
}

/// The answers of one tool to its probes; a probe that was not needed is `None`.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    pub first: Option<Said>,
    pub second: Option<Said>,
}

/// The state of a tool for the host.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum State {
    Ready,
    NeedsSetup,
    Error,
    RepoOnly,
    /// Not asked.
    NotProbed,
}

impl State {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::NeedsSetup => "needs-setup",
            Self::Error => "error",
            Self::RepoOnly => "repo-only",
            Self::NotProbed => "not-probed",
        }
    }
}

/// The verdict on one tool.
#[derive(Clone, Debug)]
pub struct Judged {
    pub state: State,
    /// The state that the published document requires for the same responses.
    pub promised: State,
    /// A stable word for the reason.
    pub reason: &'static str,
    /// The reason and what to do about it, for every tool with this reason.
    pub meaning: &'static str,
    pub fix: &'static str,
    /// The tool's own statement about it.
    pub detail: Option<String>,
    /// The tool's own name, version and command ids.
    pub tool: Option<String>,
    pub version: Option<String>,
    pub commands: Option<Vec<String>>,
    /// Variables that the tool reports as missing.
    pub missing: Vec<String>,
}

/// A host, as far as it can be known from outside.
pub trait Host: Sync {
    fn name(&self) -> &'static str;

    /// Returns the directories that it searches, the one that wins first.
    fn roots(&self, surroundings: &DiscoverSurroundings) -> Vec<SearchRoot>;

    /// Returns the prefix of the names of its tools.
    fn prefix(&self) -> &'static str;

    /// A file that makes a directory one of its tools, regardless of its name.
    fn marker(&self) -> &'static str;

    /// Places of the program of `name` in its directory, the one that wins first.
    fn programs(&self, name: &str) -> Vec<String>;

    /// The directory below a tool in which its program runs.
    fn working_directory(&self) -> &'static str;

    /// Reads the files of one tool.
    fn describe(&self, directory: &Path) -> Described;

    /// Arguments of the two probes; the second is made when the first succeeds.
    fn probes(&self) -> [&'static [&'static str]; 2];

    /// Variables that every probe gets beside those of the host.
    fn variables(&self) -> &'static [(&'static str, &'static str)];

    /// Longest time of a probe, and most bytes it may write.
    fn limits(&self) -> (std::time::Duration, usize);

    /// True if the answer to the first probe lets the host go on to the second.
    fn accepts(&self, said: &Said) -> bool;

    /// The verdict on a tool that has a program.
    fn judge(&self, answers: &Answers) -> Judged;

    /// The verdict on a tool without one.
    fn without_program(&self, described: &Described) -> Judged;
}

/// The families whose tools are found by a host.
pub static HOSTS: FamilyParts<dyn Host> = FamilyParts::new();
