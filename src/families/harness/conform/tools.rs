//! Finds and calls connectors for `aos conform`.

use serde_json::Value;

use crate::conform::fixture::Fixture;
use crate::conform::mock::{Behaviour, Mock};
use crate::conform::secrets::Sentinel;
use crate::conform::tools::FamilyTools;
use crate::inputs::project::Project;

use super::facts::ApiFacts;
use super::upstream;

pub struct HarnessTools;

impl FamilyTools for HarnessTools {
    fn greeting(&self) -> &'static [&'static str] {
        &["--json", "capabilities"]
    }

    fn directory(&self) -> &'static str {
        "agent-harness"
    }

    fn places(&self) -> &'static [&'static str] {
        &[
            "agent-harness/.venv/bin",
            "agent-harness/venv/bin",
            "agent-harness/bin",
            "agent-harness/shims",
        ]
    }

    fn tool(&self, project: &Project) -> Option<String> {
        let answered = || project.answer("name").map(|name| format!("aos-{name}"));
        project
            .member("connector.json", "tool")
            .or_else(|| project.python_name("agent-harness/pyproject.toml"))
            .or_else(answered)
    }

    fn manifest(&self) -> Option<&'static str> {
        Some("connector.json")
    }

    fn secrets(&self, manifest: &Value) -> Vec<String> {
        let names = |key: &str| {
            let names =
                manifest.get("auth").and_then(|auth| auth.get(key)).and_then(Value::as_array);
            names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
        };
        names("service_keys").chain(names("optional_service_keys")).collect()
    }

    fn lacks_facts(&self, fixture: Option<&Fixture>) -> Option<&'static str> {
        match fixture.and_then(Fixture::section::<ApiFacts>) {
            Some(_) => None,
            None => Some(
                "conform.toml has no table [harness], which describes the API; docs/conform-toml.md explains how to add it to an older connector",
            ),
        }
    }

    fn upstream(
        &self,
        fixture: &Fixture,
        behaviour: Behaviour,
        secrets: &[Sentinel],
    ) -> Option<std::io::Result<Mock>> {
        let facts = fixture.section::<ApiFacts>()?;
        Some(upstream::start(behaviour, facts.clone(), upstream::values(Some(fixture), secrets)))
    }
}
