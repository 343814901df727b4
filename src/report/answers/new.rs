//! `created_project`: the answer of `aos new`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::PreviewOf;
use super::openapi::DescribedApi;

/// A new project, its preview, or the list of templates.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum NewAnswer {
    Created(Box<CreatedProject>),
    Preview(Box<PreviewOf<NewNotes>>),
    Templates(TemplateList),
    Described(Box<DescribedApi>),
}

/// A project that exists.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CreatedProject {
    /// `created` or `unchanged`.
    pub status: &'static str,
    pub tool: String,
    pub path: String,
    pub template: String,
    pub template_version: String,
    pub preset: Option<String>,
    /// Null for a project without a contract.
    pub spec_tag: Option<String>,
    /// The number of commands of the new tool, if it follows from the preset.
    pub commands: Option<usize>,
    pub files: Vec<CreatedFile>,
    pub git: GitState,
    pub notes: Vec<String>,
    /// The description that the commands were made from.
    pub api: Option<DescribedApi>,
    pub next: Vec<String>,
    pub advice: Option<String>,
}

/// A file of a new project.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CreatedFile {
    pub path: String,
    /// `managed` or `yours`.
    pub role: &'static str,
    pub executable: bool,
}

/// The state of the repository.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct GitState {
    pub initialised: bool,
    pub committed: bool,
    /// Why a step was left out.
    pub reason: Option<String>,
}

/// The additional facts in a preview of `aos new`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct NewNotes {
    pub notes: Vec<String>,
    /// The description that the commands are made from.
    pub api: Option<DescribedApi>,
}

/// `--list`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TemplateList {
    pub templates: Vec<TemplateSummary>,
    /// The options that show the questions, if they are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub more: Option<&'static str>,
}

/// A template, its presets and its questions.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TemplateSummary {
    pub name: String,
    pub version: String,
    pub family: &'static str,
    pub summary: String,
    pub presets: Vec<String>,
    /// Only with `--template` or `--all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<TemplateQuestion>")]
    pub questions: Option<Vec<TemplateQuestion>>,
}

/// A question of a template.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TemplateQuestion {
    pub key: String,
    pub help: String,
    pub default: String,
    pub choices: Vec<String>,
    pub required: bool,
}
