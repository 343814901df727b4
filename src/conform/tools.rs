//! The questions of the engine to a family about its tools: how to find one, call it, and give it an upstream.

use serde_json::Value;

use crate::contract::SpecTag;
use crate::contract::family::FamilyParts;
use crate::inputs::project::Project;

use super::fixture::Fixture;
use super::mock::{Behaviour, Mock};
use super::secrets::Sentinel;
use super::target::{Target, TargetError};

/// The tools of a family: how to find and call them.
pub trait FamilyTools: Sync {
    /// The call that every tool of the family answers.
    fn greeting(&self) -> &'static [&'static str] {
        &[]
    }

    /// The directory of a project in which its tool runs; `.` is the root.
    fn directory(&self) -> &'static str {
        "."
    }

    /// Directories of a project in which its program usually is.
    fn places(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name of a project's tool, as its files say.
    fn tool(&self, project: &Project) -> Option<String>;

    /// Returns the target that the family runs in place of a program of the project; `None` if the tool is a program.
    fn target(&self, _project: &Project, _tag: &SpecTag) -> Option<Result<Target, TargetError>> {
        None
    }

    /// True if a tool answers with envelopes. Then a run without one proves nothing.
    fn answers_with_envelopes(&self) -> bool {
        true
    }

    /// The JSON document in the root of a project that says what its tool can do.
    fn manifest(&self) -> Option<&'static str> {
        None
    }

    /// Environment variables that hold secrets, as the manifest says.
    fn secrets(&self, _manifest: &Value) -> Vec<String> {
        Vec::new()
    }

    /// Returns the reason why the facts of the API behind a tool are not known; `None` if they are.
    fn lacks_facts(&self, _fixture: Option<&Fixture>) -> Option<&'static str> {
        Some("conform.toml has no facts of an API for tools of this family")
    }

    /// The upstream of a call, where the facts of its API are known; routes of the fixture answer otherwise.
    fn upstream(
        &self,
        _fixture: &Fixture,
        _behaviour: Behaviour,
        _secrets: &[Sentinel],
    ) -> Option<std::io::Result<Mock>> {
        None
    }
}

/// The tools of each family.
pub static TOOLS: FamilyParts<dyn FamilyTools> = FamilyParts::new();
