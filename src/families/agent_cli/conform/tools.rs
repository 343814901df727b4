//! Finds and calls stand-alone CLIs for `aos conform`.

use crate::conform::tools::FamilyTools;
use crate::inputs::project::Project;

pub struct AgentCliTools;

impl FamilyTools for AgentCliTools {
    fn greeting(&self) -> &'static [&'static str] {
        &["reference"]
    }

    fn directory(&self) -> &'static str {
        "."
    }

    fn places(&self) -> &'static [&'static str] {
        &["bin", "dist", "build", ".venv/bin", "venv/bin", "target/release", "target/debug"]
    }

    fn tool(&self, project: &Project) -> Option<String> {
        project.answer("name").or_else(|| project.python_name("pyproject.toml"))
    }
}
