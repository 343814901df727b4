//! The request of `aos upgrade`.

use std::path::PathBuf;
use std::sync::Arc;

use crate::generate::record_openapi::OpenapiSection;
use crate::merge::MergeStyle;
use crate::report::answers::openapi::ApiChange;
use crate::verify::TrustRoot;
use crate::workflows::write_gate::WriteOptions;

/// An upgrade of a project.
#[derive(Clone)]
pub struct UpgradeRequest {
    pub path: PathBuf,
    /// Answers to change, `KEY=VALUE` each.
    pub set: Vec<String>,
    /// Deleted files to bring back.
    pub restore: Vec<String>,
    /// Files to replace by those of the template.
    pub heal: Vec<String>,
    /// The way in which conflicts are written.
    pub conflicts: MergeStyle,
    /// Contract tag to move to as well, or `latest`.
    pub spec: Option<String>,
    /// The newer version of a user's own template.
    pub template: Option<String>,
    /// Compare with the recorded version of such a template, and look for no newer one.
    pub stay: bool,
    /// The trust root for templates of hosts; the embedded one without it.
    pub roots: Option<Arc<TrustRoot>>,
    /// Undo an upgrade whose conflicts are open.
    pub abort: bool,
    /// Other operations of the API than the recorded ones.
    pub api: Option<OtherOperations>,
    pub write: WriteOptions,
}

/// The operations of another description, in addition to those that the project has.
#[derive(Clone, Debug)]
pub struct OtherOperations {
    /// The command that asks for it.
    pub command: &'static str,
    pub preset: String,
    pub section: OpenapiSection,
    pub changes: Vec<ApiChange>,
    pub notes: Vec<String>,
}

impl OtherOperations {
    /// Returns, in a sentence, what callers of the project would lose.
    #[must_use]
    pub fn concern(&self) -> Option<String> {
        let mut commands: Vec<_> = self
            .changes
            .iter()
            .filter(|change| change.is_breaking)
            .map(|change| format!("`{}`", change.command))
            .collect();
        commands.dedup();
        let shown = commands.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        match commands.len() {
            0 => None,
            1..=5 => Some(format!("callers of {shown} would break")),
            all => Some(format!("callers of {shown} and {} more commands would break", all - 5)),
        }
    }
}

/// An upgrade without any choice.
impl Default for UpgradeRequest {
    fn default() -> Self {
        Self {
            path: PathBuf::from("."),
            set: Vec::new(),
            restore: Vec::new(),
            heal: Vec::new(),
            conflicts: MergeStyle::Inline,
            spec: None,
            template: None,
            stay: false,
            roots: None,
            abort: false,
            api: None,
            write: WriteOptions::default(),
        }
    }
}
