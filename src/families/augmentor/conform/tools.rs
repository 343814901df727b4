//! Finds and runs augmentors for `aos conform`, with the interpreter of their runtime.

use super::super::host::interpreter;
use crate::conform::target::{Target, TargetError};
use crate::conform::tools::FamilyTools;
use crate::contract::SpecTag;
use crate::families::augmentor::contract::MANIFEST;
use crate::inputs::project::Project;
use crate::system::files;

/// Largest manifest that is read for its name.
const MAX_MANIFEST: u64 = 65_536;

pub struct AugmentorTools;

impl FamilyTools for AugmentorTools {
    fn tool(&self, project: &Project) -> Option<String> {
        let document = manifest(project)?;
        document.get("name").and_then(toml_edit::Item::as_str).map(str::to_owned)
    }

    /// The interpreter of the preferred runtime; the examination finds that of another one itself.
    fn target(&self, project: &Project, tag: &SpecTag) -> Option<Result<Target, TargetError>> {
        let document = manifest(project);
        let runtime = document
            .as_ref()
            .and_then(|document| document.get("runtime").and_then(toml_edit::Item::as_str))
            .unwrap_or("python");
        let tool = self.tool(project).unwrap_or_else(|| project.directory_name.clone());
        let program = match runtime {
            "node" => interpreter::node(),
            _ => interpreter::python(None, &project.root),
        };
        let target = program.map(|program| Target {
            family: project.family,
            tag: tag.clone(),
            program,
            prefix: Vec::new(),
            directory: Some(project.root.clone()),
            root: Some(project.root.clone()),
            tool: tool.clone(),
            found: format!("the {runtime} that runs {MANIFEST}"),
        });
        let runtime = runtime.to_owned();
        Some(target.ok_or(TargetError::NoRuntime { tool, runtime }))
    }

    fn answers_with_envelopes(&self) -> bool {
        false
    }
}

fn manifest(project: &Project) -> Option<toml_edit::Document<String>> {
    let loaded = files::read(&project.root.join(MANIFEST), MAX_MANIFEST).ok()?;
    toml_edit::Document::parse(String::from_utf8(loaded.bytes).ok()?).ok()
}
