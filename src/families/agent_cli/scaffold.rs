//! New stand-alone CLIs: their name and what the templates get.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::described::{self, DescribedLanguage, DescribedTool};
use crate::contract::cli_name::{CliName, CliNameError};
use crate::generate::cli_values;
use crate::generate::scaffold::ScaffoldOrigin;
use crate::inputs::template::TemplateInfo;
use crate::openapi::{ApiDescription, ApiPlan, KnownCommand, RequestKey};
use crate::plan::{FileSet, FileSetError};
use crate::report::answers::openapi::ApiChange;
use crate::report::{ErrorCode, Failure};
use crate::workflows::new::choices::{shown, slug};
use crate::workflows::new::own_preset;
use crate::workflows::new::subject::{
    DescribedNames, Named, Scaffolder, Subject, WantedProject, without_preset,
};

/// Longest id of an operation.
const ID_LENGTH: usize = 54;

pub struct AgentCliScaffolder;

impl Scaffolder for AgentCliScaffolder {
    fn described_names(&self, name: &str) -> Result<Option<DescribedNames>, Failure> {
        let name = CliName::parse(name, false).map_err(|error| {
            let message = format!("`{}` cannot be the name of a tool: {error}", shown(name));
            Failure::new(ErrorCode::Validation, message)
                .hint("choose a name such as `acme` or `my-crm`")
        })?;
        let variable_prefix = name.env_prefix();
        Ok(Some(DescribedNames { id_length: ID_LENGTH, variable_prefix }))
    }

    fn described_known(&self, preset: &str) -> Result<BTreeMap<RequestKey, KnownCommand>, Failure> {
        Ok(described::known(&DescribedTool::parse(preset)?))
    }

    fn described_changes(&self, before: &str, after: &str) -> Result<Vec<ApiChange>, Failure> {
        Ok(described::between(&DescribedTool::parse(before)?, &DescribedTool::parse(after)?))
    }

    fn described_preset(
        &self,
        name: &str,
        api: &ApiDescription,
        plan: &ApiPlan,
    ) -> Result<String, Failure> {
        let prefix = CliName::parse(name, false).map(|parsed| parsed.env_prefix());
        described::table((name, &prefix.unwrap_or_default()), api, plan).render()
    }

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
        answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure> {
        let text = wanted.presets.get(own_preset::PATH);
        let text = text.filter(|_| wanted.preset == Some(own_preset::PATH));
        let Some(text) = text else {
            without_preset(wanted)?;
            if let Some(auth) = answer(answers, "auth") {
                let message = format!("`auth={auth}` is an answer for `--openapi`");
                return Err(Failure::new(ErrorCode::Validation, message).hint(
                    "leave it out; docs/YOUR_API.md says where the credential of your API goes",
                ));
            }
            return Ok(Box::new(NewTool(self.0)));
        };
        for (key, usual) in [("credentials", "static"), ("jobs", "no"), ("human_checkpoint", "no")]
        {
            if let Some(answer) = answers.get(key).filter(|answer| *answer != usual) {
                let message = format!(
                    "`{key}={answer}` is a part of the example, which `--openapi` replaces"
                );
                return Err(Failure::new(ErrorCode::Validation, message)
                    .hint("omit it; `aos add` adds a command later"));
            }
        }
        answers.insert("preset".to_owned(), own_preset::PATH.to_owned());
        let language = if wanted.template.outputs.contains_key("python") {
            DescribedLanguage::Python { package: self.0.package() }
        } else {
            DescribedLanguage::Go { module: answers.get("module").cloned().unwrap_or_default() }
        };
        let mut api = DescribedTool::parse(text)?;
        take_credentials(&mut api, answers)?;
        let files = described::files(&api, &language).map_err(|error| {
            let message = format!("the files of the API cannot be made: {error}");
            Failure::new(ErrorCode::Unknown, message)
        })?;
        Ok(Box::new(DescribedCli { tool: NewTool(self.0), api, text: text.to_string(), files }))
    }
}

fn answer<'a>(answers: &'a BTreeMap<String, String>, key: &str) -> Option<&'a str> {
    answers.get(key).map(String::as_str).filter(|text| !text.is_empty())
}

/// Makes an API whose description says nothing about credentials take those of the answers.
fn take_credentials(
    api: &mut DescribedTool,
    answers: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    let refused = |message: &str, hint: &str| {
        Err(Failure::new(ErrorCode::Validation, message).hint(hint.to_owned()))
    };
    let Some(form) = answer(answers, "auth") else { return Ok(()) };
    if !api.is_anonymous() {
        let message = "`auth` cannot be set: the description says how the credential is sent";
        return refused(message, "leave `auth` out");
    }
    let header = answer(answers, "auth_header");
    if (form == "header") != header.is_some() {
        let message = "`auth=header` and `auth_header` go together";
        return refused(message, "`--set auth=header --set auth_header=X-Api-Key`");
    }
    api.take_credentials(form, header.unwrap_or_default());
    Ok(())
}

struct NewTool(CliName);

/// A tool whose commands are those of a description.
struct DescribedCli {
    tool: NewTool,
    api: DescribedTool,
    text: String,
    files: FileSet,
}

impl Subject for DescribedCli {
    fn tool(&self) -> &str {
        self.tool.tool()
    }

    fn name(&self) -> &str {
        self.tool.name()
    }

    fn package(&self) -> String {
        self.tool.package()
    }

    fn commands(&self) -> Option<usize> {
        Some(self.api.operations.len())
    }

    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value {
        let mut variables = self.tool.variables(answers, origin);
        variables["described"] = Value::from(true);
        variables["anonymous"] = Value::from(self.api.is_anonymous());
        variables["api"] = described::variables(&self.api);
        variables["description_of_skill"] = format!(
            "Works with the {} API through the {} command line tool: {} commands. Use when the user wants to see or change what it has.",
            self.api.title.replace(['<', '>'], " "),
            self.tool(),
            self.api.operations.len()
        )
        .into();
        variables
    }

    fn files(&self) -> Result<FileSet, FileSetError> {
        let mut files = self.files.clone();
        described::keep(&mut files, &self.text)?;
        Ok(files)
    }
}

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
        let mut variables = cli_values::variables(&self.0, answers, origin);
        variables["described"] = Value::from(false);
        variables["anonymous"] = Value::from(false);
        variables
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
