//! What a new project is about: the connector of an API, or a tool with a name of its own.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::contract::Family;
use crate::contract::cli_name::CliName;
use crate::contract::connector::ToolName;
use crate::contract::json;
use crate::contract::operations::Preset;
use crate::generate::outputs::CONNECTOR_PATH;
use crate::generate::scaffold::Origin;
use crate::generate::{cli_values, connector_values, manifest};
use crate::inputs::embedded;
use crate::inputs::template::TemplateInfo;
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::report::{ErrorCode, Failure};

use super::NewArgs;
use super::choices::{cli_name, preset, tool_name};

/// Commands that every connector has besides those of its preset.
const META_COMMANDS: usize = 3;

/// The subject of a new project.
pub enum Subject {
    Connector { tool: ToolName, preset_name: String, preset: Box<Preset> },
    Cli(CliName),
}

/// The name of a new project, before its questions are answered.
pub enum Named {
    Connector(ToolName),
    Cli(CliName),
}

impl Named {
    /// NAME under the rules of the template's family.
    pub fn parse(args: &NewArgs, template: &TemplateInfo) -> Result<Self, Failure> {
        let name = args.name.as_deref().unwrap_or_default();
        Ok(match template.family {
            Family::Harness => Self::Connector(tool_name(name)?),
            Family::AgentCli => Self::Cli(cli_name(name, template)?),
        })
    }

    /// What defaults of questions may use.
    pub fn variables(&self) -> Map<String, Value> {
        match self {
            Self::Connector(tool) => {
                let tool = Value::from(tool.as_str());
                [("tool".to_owned(), tool)].into_iter().collect()
            }
            Self::Cli(name) => cli_values::names(name),
        }
    }
}

impl Subject {
    /// The subject that the command line asks for; a preset is named in the answers.
    pub fn decide(
        named: Named,
        args: &NewArgs,
        template: &TemplateInfo,
        answers: &mut BTreeMap<String, String>,
        notes: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        match named {
            Named::Connector(tool) => {
                let (preset_name, preset) = preset(args, template, &tool, answers, notes)?;
                answers.insert("preset".to_owned(), preset_name.clone());
                Ok(Self::Connector { tool, preset_name, preset: Box::new(preset) })
            }
            Named::Cli(name) if args.preset.is_none() => Ok(Self::Cli(name)),
            Named::Cli(_) => Err(Failure::new(
                ErrorCode::Validation,
                format!("the template `{}` has no presets", template.name),
            )
            .hint(with_presets())),
        }
    }

    /// Name of the project's directory.
    pub fn tool(&self) -> &str {
        match self {
            Self::Connector { tool, .. } => tool.as_str(),
            Self::Cli(name) => name.as_str(),
        }
    }

    /// What NAME was, for the record.
    pub fn name(&self) -> &str {
        match self {
            Self::Connector { tool, .. } => tool.short(),
            Self::Cli(name) => name.as_str(),
        }
    }

    pub fn package(&self) -> String {
        match self {
            Self::Connector { tool, .. } => tool.package(),
            Self::Cli(name) => name.package(),
        }
    }

    pub fn preset_name(&self) -> Option<&str> {
        match self {
            Self::Connector { preset_name, .. } => Some(preset_name),
            Self::Cli(_) => None,
        }
    }

    /// How many commands the new tool has, where that follows from the preset.
    pub fn commands(&self) -> Option<usize> {
        match self {
            Self::Connector { preset, .. } => Some(preset.operations.len() + META_COMMANDS),
            Self::Cli(_) => None,
        }
    }

    pub fn variables(&self, answers: &BTreeMap<String, String>, origin: &Origin<'_>) -> Value {
        match self {
            Self::Connector { tool, preset, .. } => {
                connector_values::variables(tool, preset, answers, origin)
            }
            Self::Cli(name) => cli_values::variables(name, answers, origin),
        }
    }

    pub fn resources(&self) -> Vec<(String, Value)> {
        match self {
            Self::Connector { preset, .. } => connector_values::resources(preset),
            Self::Cli(_) => Vec::new(),
        }
    }

    /// Files that do not come from the template.
    pub fn files(&self) -> Result<FileSet, FileSetError> {
        let mut files = FileSet::default();
        if let Self::Connector { tool, preset, .. } = self {
            let document = json::pretty(&manifest::connector(tool, preset));
            files.insert(RelativePath::literal(CONNECTOR_PATH), Content::plain(document))?;
        }
        Ok(files)
    }
}

fn with_presets() -> String {
    let names = embedded::template_names();
    let names: Vec<_> = names.into_iter().filter(|name| embedded::has_presets(name)).collect();
    format!("leave `--preset` out; presets belong to {}", names.join(", "))
}
