//! New stand-alone CLIs: their name and what the templates get.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::contract::cli_name::{CliName, CliNameError};
use crate::generate::cli_values;
use crate::generate::scaffold::ScaffoldOrigin;
use crate::inputs::template::TemplateInfo;
use crate::report::{ErrorCode, Failure};
use crate::workflows::new::choices::{shown, slug};
use crate::workflows::new::subject::{Named, Scaffolder, Subject, WantedProject, without_preset};

pub struct AgentCliScaffolder;

impl Scaffolder for AgentCliScaffolder {
    fn name(&self, wanted: &WantedProject<'_>) -> Result<Box<dyn Named>, Failure> {
        Ok(Box::new(NamedTool(cli_name(wanted.name, wanted.template)?)))
    }
}

struct NamedTool(CliName);

impl Named for NamedTool {
    fn variables(&self) -> Map<String, Value> {
        cli_values::names(&self.0)
    }

    fn subject(
        self: Box<Self>,
        wanted: &WantedProject<'_>,
        _answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure> {
        without_preset(wanted)?;
        Ok(Box::new(NewTool(self.0)))
    }
}

struct NewTool(CliName);

impl Subject for NewTool {
    fn tool(&self) -> &str {
        self.0.as_str()
    }

    fn name(&self) -> &str {
        self.0.as_str()
    }

    fn package(&self) -> String {
        self.0.package()
    }

    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value {
        cli_values::variables(&self.0, answers, origin)
    }
}

/// The name of an agent-cli tool, as given.
fn cli_name(name: &str, template: &TemplateInfo) -> Result<CliName, Failure> {
    let python = template.outputs.contains_key("python");
    let parsed = CliName::parse(name, python).and_then(|parsed| {
        if template.reserved.iter().any(|taken| *taken == name || *taken == parsed.package()) {
            return Err(CliNameError::Reserved("used by a part of the new project"));
        }
        Ok(parsed)
    });
    parsed.map_err(|error| {
        let mended = slug(name);
        let mended = match &error {
            CliNameError::Form => mended,
            CliNameError::Reserved(_) => format!("{mended}-cli"),
        };
        let failure = Failure::new(
            ErrorCode::Validation,
            format!("`{}` cannot be the name of a tool: {error}", shown(name)),
        );
        let usable = CliName::parse(&mended, python).is_ok();
        if usable && mended != name {
            failure.hint(format!("`aos new {mended} --template {}`", template.name))
        } else {
            failure.hint("choose a name such as `acme` or `my-crm`")
        }
    })
}
