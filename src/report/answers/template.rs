//! `checked_template` and `made_template`: the answers of `aos template`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::PreviewOf;

/// A template that was checked; its faults are in the details of an error.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CheckedTemplate {
    /// `ok` or `faulty`.
    pub status: &'static str,
    pub path: String,
    pub name: Option<String>,
    pub version: Option<String>,
    /// Null for a template without a contract.
    pub family: Option<&'static str>,
    /// As a project records it.
    pub digest: String,
    pub files: usize,
    pub questions: usize,
    pub coverage: TemplateCoverage,
    pub faults: Vec<ReportedFault>,
    /// Notes about parts that are valid but may be unintended.
    pub notes: Vec<String>,
}

/// The combinations of answers that were rendered.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TemplateCoverage {
    /// The number of combinations.
    pub possible: u64,
    pub rendered: u64,
    /// Whether every combination was rendered.
    pub complete: bool,
    /// A sentence that says what was rendered.
    pub statement: String,
}

/// A fault in a template.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ReportedFault {
    /// Relative to the directory of the template.
    pub path: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub message: String,
}

/// A new template, or its preview.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum TemplateAnswer {
    Made(MadeTemplate),
    Preview(Box<PreviewOf<TemplateFacts>>),
}

/// A template that was written.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MadeTemplate {
    /// Always `created`.
    pub status: &'static str,
    pub path: String,
    #[serde(flatten)]
    pub facts: TemplateFacts,
    pub files: Vec<String>,
    pub next: Vec<String>,
}

/// The facts of a new template.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TemplateFacts {
    pub name: String,
    /// Keys of its questions.
    pub questions: Vec<String>,
    /// The number of files that are rendered and not only copied.
    pub rendered_files: usize,
    pub left_out: Vec<LeftOutPart>,
    pub notes: Vec<String>,
}

/// A part that could not be converted.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LeftOutPart {
    pub what: String,
    pub line: Option<usize>,
    pub reason: String,
}
