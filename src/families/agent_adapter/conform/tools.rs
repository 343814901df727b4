//! Finds and runs adapters for `aos conform`, with Go.

use crate::conform::target::{Target, TargetError};
use crate::conform::tools::FamilyTools;
use crate::contract::SpecTag;
use crate::inputs::project::Project;
use crate::system::search_path;
use std::path::PathBuf;

pub struct AdapterTools;

impl FamilyTools for AdapterTools {
    fn tool(&self, project: &Project) -> Option<String> {
        project.answer("name")
    }

    /// The Go toolchain. Without one there is still something to report: every probe is blocked.
    fn target(&self, project: &Project, tag: &SpecTag) -> Option<Result<Target, TargetError>> {
        let go = search_path::find("go");
        let found = if go.is_some() { "the Go toolchain on PATH" } else { "no Go toolchain" };
        Some(Ok(Target {
            family: project.family,
            tag: tag.clone(),
            program: go.unwrap_or_else(|| PathBuf::from("go")),
            prefix: Vec::new(),
            directory: Some(project.root.clone()),
            root: Some(project.root.clone()),
            tool: self.tool(project).unwrap_or_else(|| project.directory_name.clone()),
            found: found.to_owned(),
        }))
    }

    fn answers_with_envelopes(&self) -> bool {
        false
    }
}
