//! The subject of a new project, as its family sees it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::contract::family::FamilyParts;
use crate::generate::scaffold::ScaffoldOrigin;
use crate::inputs::embedded;
use crate::inputs::template::{Presets, TemplateInfo};
use crate::openapi::{ApiDescription, ApiPlan, KnownCommand, RequestKey};
use crate::plan::{FileSet, FileSetError};
use crate::report::answers::openapi::ApiChange;
use crate::report::{ErrorCode, Failure};

/// The choices on the command line.
#[derive(Clone, Copy, Debug)]
pub struct WantedProject<'a> {
    pub name: &'a str,
    pub preset: Option<&'a str>,
    pub template: &'a TemplateInfo,
    pub presets: &'a Presets,
    /// A checkout of the program that the project becomes a part of.
    pub checkout: Option<&'a Path>,
}

/// The room that the name of a tool leaves for other names.
#[derive(Clone, Debug)]
pub struct DescribedNames {
    pub id_length: usize,
    pub variable_prefix: String,
}

/// The creation of new projects of a family.
pub trait Scaffolder: Sync {
    /// NAME under the rules of the family.
    ///
    /// # Errors
    /// Returns an error if no project can be called so.
    fn name(&self, wanted: &WantedProject<'_>) -> Result<Box<dyn Named>, Failure>;

    /// True if a user's file can declare the operations of a project.
    fn takes_own_preset(&self) -> bool {
        false
    }

    /// Returns the maximum length of a command id of this tool, and the prefix of its environment variables; `None` if
    /// no commands are made from a description.
    ///
    /// # Errors
    /// Returns an error if no project can be called so.
    fn described_names(&self, _name: &str) -> Result<Option<DescribedNames>, Failure> {
        Ok(None)
    }

    /// The ids that a preset has for method and path of a description.
    ///
    /// # Errors
    /// Returns an error if the preset cannot be read.
    fn described_known(
        &self,
        _preset: &str,
    ) -> Result<BTreeMap<RequestKey, KnownCommand>, Failure> {
        Ok(BTreeMap::new())
    }

    /// Returns the changes in another preset of the same API.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be read.
    fn described_changes(&self, _before: &str, _after: &str) -> Result<Vec<ApiChange>, Failure> {
        Ok(Vec::new())
    }

    /// The preset of a description.
    ///
    /// # Errors
    /// Returns an error if no project can be called so.
    fn described_preset(
        &self,
        _name: &str,
        _api: &ApiDescription,
        _plan: &ApiPlan,
    ) -> Result<String, Failure> {
        Ok(String::new())
    }

    /// True if a project becomes a part of another program.
    fn takes_checkout(&self) -> bool {
        false
    }
}

/// The scaffolder of each family.
pub static SCAFFOLDERS: FamilyParts<dyn Scaffolder> = FamilyParts::new();

/// The name of a new project, before its questions are answered.
pub trait Named {
    /// Returns the variables for the defaults of questions.
    fn variables(&self) -> Map<String, Value>;

    /// The subject that the command line asks for; a preset is named in the answers.
    ///
    /// # Errors
    /// Returns an error if preset and answers do not fit.
    fn subject(
        self: Box<Self>,
        wanted: &WantedProject<'_>,
        answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure>;
}

/// The subject of a new project.
pub trait Subject {
    /// Name of the project's directory.
    fn tool(&self) -> &str;

    /// Returns the value of NAME, for the record.
    fn name(&self) -> &str;

    /// The package of its code.
    fn package(&self) -> String;

    /// The preset, when there is one.
    fn preset_name(&self) -> Option<&str> {
        None
    }

    /// Returns the number of commands of the new tool, if it follows from the preset.
    fn commands(&self) -> Option<usize> {
        None
    }

    /// Returns the variables for its templates.
    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value;

    /// Returns the names for which its templates repeat files, each with its variables.
    fn resources(&self) -> Vec<(String, Value)> {
        Vec::new()
    }

    /// Files that do not come from the template.
    ///
    /// # Errors
    /// Returns an error if two of them are one.
    fn files(&self) -> Result<FileSet, FileSetError> {
        Ok(FileSet::default())
    }

    /// Refuses a project that its host could not take.
    ///
    /// # Errors
    /// Says what to change.
    fn refuse(&self, _files: &FileSet) -> Result<(), Failure> {
        Ok(())
    }
}

/// Refuses a preset of a template that has none.
///
/// # Errors
/// Returns an error if a preset was asked for.
pub fn without_preset(wanted: &WantedProject<'_>) -> Result<(), Failure> {
    if wanted.preset.is_none() {
        return Ok(());
    }
    let names = embedded::template_names();
    let names: Vec<_> = names.into_iter().filter(|name| embedded::has_presets(name)).collect();
    let message = format!("the template `{}` has no presets", wanted.template.name);
    Err(Failure::new(ErrorCode::Validation, message)
        .hint(format!("omit `--preset`; only {} has presets", names.join(", "))))
}
