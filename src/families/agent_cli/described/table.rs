//! The table of the operations of an API: its types, and its text in a project.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::{ErrorCode, Failure};
use crate::workflows::new::own_preset;

/// Everything that is known about the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedTool {
    pub title: String,
    pub summary: String,
    pub documentation: String,
    /// Empty where each operator sets it.
    pub base_url: String,
    /// The path of a cheap read that works with any key; empty without one.
    pub health: String,
    pub auth: DescribedAuth,
    pub operations: Vec<DescribedOperation>,
}

/// How the credential is sent.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedAuth {
    /// `bearer`, `basic`, `header`, `query`, `keys` or `none`.
    pub form: String,
    /// Of the header or the member of the query.
    #[serde(default)]
    pub name: String,
    /// The keys that the API takes at once, if the form is `keys`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<DescribedKey>,
}

/// One of several keys.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedKey {
    /// Its environment variable, without the prefix of the tool.
    pub variable: String,
    /// `bearer`, `basic`, `header` or `query`.
    pub form: String,
    #[serde(default)]
    pub name: String,
}

/// One operation of the API, which is one command.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedOperation {
    pub id: String,
    pub request: String,
    #[serde(default)]
    pub operation_id: String,
    pub summary: String,
    pub method: String,
    /// Below the address, with the parameters by their names in the API.
    pub path: String,
    pub mode: String,
    pub class: String,
    #[serde(default)]
    pub content_type: String,
    /// `json`, `empty`, `accepted` or `text`.
    pub reply: String,
    /// It is called without credentials.
    #[serde(default)]
    pub public: bool,
    /// Members of the object, or of an entry of the list.
    #[serde(default)]
    pub members: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<DescribedListing>,
    #[serde(default)]
    pub inputs: Vec<DescribedInput>,
}

/// The position of the entries of a list, and how its pages follow each other.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedListing {
    pub items: String,
    pub item_id: String,
    /// `link`, `page`, `offset`, `cursor`, or `none`.
    pub style: String,
    #[serde(default)]
    pub limit: String,
    #[serde(default)]
    pub max_limit: u32,
    #[serde(default)]
    pub position: String,
    #[serde(default)]
    pub next: String,
    #[serde(default)]
    pub more: String,
    #[serde(default)]
    pub total: String,
    /// `body` if size and position are members of the body; empty for the query.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

/// One option.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedInput {
    pub option: String,
    /// Its name in the API.
    pub name: String,
    /// `path`, `query`, `header`, `body` or `whole`.
    pub place: String,
    /// `text`, `long`, `integer`, `number`, `boolean`, `choice`, `list`, `json` or `file`.
    pub kind: String,
    #[serde(default)]
    pub required: bool,
    pub help: String,
    #[serde(default)]
    pub style: String,
    /// Texts become the numbers and truths that they are.
    #[serde(default)]
    pub typed: bool,
    #[serde(default)]
    pub values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Value>,
}

impl DescribedOperation {
    /// True if it may change something.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.mode != "readonly"
    }

    /// True if its write can rarely be undone.
    #[must_use]
    pub fn is_dangerous(&self) -> bool {
        self.mode == "admin" || self.class == "destructive"
    }

    pub fn inputs_in<'a>(&'a self, place: &'a str) -> impl Iterator<Item = &'a DescribedInput> {
        self.inputs.iter().filter(move |input| input.place == place)
    }
}

impl DescribedTool {
    /// Every operation is sent with a credential from now on.
    pub fn take_credentials(&mut self, form: &str, name: &str) {
        self.auth =
            DescribedAuth { form: form.to_owned(), name: name.to_owned(), keys: Vec::new() };
        for operation in &mut self.operations {
            operation.public = false;
        }
    }

    /// True if the API takes no credentials.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.auth.form == "none"
    }

    /// Reads the table of a project.
    ///
    /// # Errors
    /// Returns an error if the text is not one.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        toml_edit::de::from_str(text).map_err(|error| {
            let reason = error.message().replace('\n', ", ");
            let message = format!("`{}` is not the table of an API: {reason}", own_preset::PATH);
            Failure::new(ErrorCode::Validation, message)
                .hint("restore it from git, or write it again with `aos sync-api --openapi FILE`")
        })
    }

    /// The table as the text of a project.
    ///
    /// # Errors
    /// Returns an error if a value has no form in TOML.
    pub fn render(&self) -> Result<String, Failure> {
        let text = toml_edit::ser::to_string_pretty(self).map_err(|error| {
            let message = format!("the table of the API cannot be written: {error}");
            Failure::new(ErrorCode::Unknown, message)
        })?;
        Ok(format!(
            "# Made from a description of the API; its texts are those of its author.\n{text}"
        ))
    }
}
