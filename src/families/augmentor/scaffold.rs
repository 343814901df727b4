//! New augmentors: their name and what the templates get.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::contract::cli_name::CliName;
use crate::generate::cli_values;
use crate::generate::scaffold::ScaffoldOrigin;
use crate::report::{ErrorCode, Failure};
use crate::workflows::new::choices::{shown, slug};
use crate::workflows::new::subject::{Named, Scaffolder, Subject, WantedProject, without_preset};

/// The question that asks for both runtimes in one source tree, and the answer that does.
const RUNTIMES: (&str, &str) = ("runtimes", "both");

pub struct AugmentorScaffolder;

impl Scaffolder for AugmentorScaffolder {
    fn name(&self, wanted: &WantedProject<'_>) -> Result<Box<dyn Named>, Failure> {
        let python = wanted.template.outputs.contains_key("python");
        let parsed = CliName::parse(wanted.name, python);
        let taken = |name: &CliName| {
            let reserved = &wanted.template.reserved;
            reserved.iter().any(|word| *word == name.as_str() || *word == name.package())
        };
        let fault = match parsed {
            Ok(name) if !taken(&name) => return Ok(Box::new(PackageName(name))),
            Ok(_) => "it is used by a part of the new project".to_owned(),
            Err(error) => error.to_string(),
        };
        let message =
            format!("`{}` cannot be the name of an augmentor: {fault}", shown(wanted.name));
        let usable = slug(wanted.name);
        let failure = Failure::new(ErrorCode::Validation, message);
        Err(match CliName::parse(&usable, python) {
            Ok(name) if usable != wanted.name && !taken(&name) => {
                failure.hint(format!("`aos new {usable} --template {}`", wanted.template.name))
            }
            _ => failure.hint("choose a name such as `biddb` or `my-notes`"),
        })
    }
}

struct PackageName(CliName);

impl Named for PackageName {
    fn variables(&self) -> Map<String, Value> {
        cli_values::names(&self.0)
    }

    fn subject(
        self: Box<Self>,
        wanted: &WantedProject<'_>,
        _answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure> {
        without_preset(wanted)?;
        let runtime = if wanted.template.name.ends_with("node") { "node" } else { "python" };
        Ok(Box::new(NewAugmentor { name: self.0, runtime }))
    }
}

struct NewAugmentor {
    name: CliName,
    /// The runtime that the template is for.
    runtime: &'static str,
}

impl Subject for NewAugmentor {
    fn tool(&self) -> &str {
        self.name.as_str()
    }

    fn name(&self) -> &str {
        self.name.as_str()
    }

    fn package(&self) -> String {
        self.name.package()
    }

    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value {
        let mut variables = cli_values::variables(&self.name, answers, origin);
        let both = answers.get(RUNTIMES.0).is_some_and(|answer| answer == RUNTIMES.1);
        let says = |holds: bool| if holds { "yes" } else { "no" };
        variables["runtime"] = json!(self.runtime);
        for runtime in ["python", "node"] {
            variables[runtime] = json!(says(both || self.runtime == runtime));
        }
        if variables.get("typescript").is_none() {
            variables["typescript"] = json!("no");
        }
        variables
    }
}
