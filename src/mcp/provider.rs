//! The interface between the server and a family: packages that are opened once and called often.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::contract::family::FamilyParts;
use crate::inputs::project::Project;
use crate::reason::Reason;
use crate::report::Failure;

use super::answer::ToolFault;
use super::tool::McpTool;

/// The options for opening packages.
#[derive(Clone, Debug)]
pub struct Options {
    pub runtime: Option<String>,
    pub python: Option<PathBuf>,
    /// Variables that programs get beside those that they name themselves.
    pub environment: Vec<String>,
    /// Longest time of a call.
    pub limit: Duration,
    /// Whether the network of this process was cut off, or why not.
    pub network: Result<(), Reason>,
    /// Lines of packages are not passed on to stderr.
    pub is_quiet: bool,
}

/// Opens packages of one family.
pub trait Opener: Sync {
    /// The declarations of the package. Runs no code of it.
    ///
    /// # Errors
    /// Returns an error if its manifest is not valid.
    fn declared(&self, subject: &ServedSubject<'_>, options: &Options)
    -> Result<Declared, Failure>;

    /// Opens the package.
    ///
    /// # Errors
    /// Returns an error if it cannot be used.
    fn open(
        &self,
        subject: &ServedSubject<'_>,
        options: &Options,
    ) -> Result<Box<dyn Provider>, Failure>;

    /// True if something that is not a project is a package of this family.
    fn knows(&self, name: &str, options: &Options) -> bool;
}

/// The declarations of a package before any of its code runs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Declared {
    pub name: String,
    /// Names of variables that hold its secrets.
    pub secrets: Vec<String>,
    pub needs_network: bool,
}

/// The tool to open.
#[derive(Clone, Copy, Debug)]
pub enum ServedSubject<'a> {
    Project(&'a Project),
    /// The name of something installed, or the path of a program.
    Named(&'a str),
}

/// A package that is open.
pub trait Provider: Send + Sync {
    fn identity(&self) -> &ToolIdentity;

    fn tools(&self) -> &[McpTool];

    /// The code of an error about arguments, in the words of the family.
    fn invalid_code(&self) -> &'static str;

    /// Calls a tool with arguments that match its schema.
    ///
    /// # Errors
    /// The error, for a model.
    fn call(&self, call: &Call<'_>) -> Result<Value, ToolFault>;

    /// Files whose change means that the package must be opened again.
    fn manifests(&self) -> Vec<PathBuf>;

    /// Shuts the package down, and returns problems.
    fn close(&self) -> Option<String> {
        None
    }
}

/// The identity of a package.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ToolIdentity {
    pub name: String,
    pub version: String,
    pub family: &'static str,
    pub place: String,
    /// Names of declared secrets that are not in the environment.
    pub missing_secrets: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// One call.
pub struct Call<'a> {
    pub tool: &'a McpTool,
    pub arguments: &'a Map<String, Value>,
    /// Gets partial output; `None` when the client asked for none.
    pub progress: Option<&'a (dyn Fn(String) + Sync)>,
    /// Whether the client has withdrawn the call.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// The families that have packages for the server.
pub static OPENERS: FamilyParts<dyn Opener> = FamilyParts::new();
