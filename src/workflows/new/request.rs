//! The request of `aos new`.

use std::path::PathBuf;
use std::sync::Arc;

use crate::verify::TrustRoot;
use crate::workflows::write_gate::WriteOptions;

/// A description of an API, and what is chosen of it.
#[derive(Clone, Debug, Default)]
pub struct OpenapiRequest {
    pub file: PathBuf,
    pub select: Vec<String>,
    pub include_deprecated: bool,
    /// `ID=MODE` and `ID=ID`.
    pub modes: Vec<String>,
    pub renames: Vec<String>,
}

/// A new project.
#[derive(Clone)]
pub struct NewRequest {
    pub name: String,
    pub template: String,
    /// The trust root for templates of hosts; the embedded one without it.
    pub roots: Option<Arc<TrustRoot>>,
    pub preset: Option<String>,
    /// A description of an API that the commands are made from.
    pub openapi: Option<OpenapiRequest>,
    /// Directory to create the project's directory in.
    pub dir: PathBuf,
    /// The project goes right into `dir`.
    pub here: bool,
    /// Answers, `KEY=VALUE` each.
    pub set: Vec<String>,
    /// A file with answers.
    pub answers: Option<PathBuf>,
    /// Contract tag, or `latest`.
    pub spec: String,
    /// Checkout that an adapter builds against.
    pub ao: Option<PathBuf>,
    pub no_git: bool,
    pub write: WriteOptions,
}
