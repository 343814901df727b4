//! `augmentor` and `augmentor_result`: the answers of `aos augmentor`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// An augmentor, loaded.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorDescription {
    pub package: AugmentorPackage,
    pub caps: Vec<String>,
    pub permissions: AugmentorPermissions,
    pub secrets: AugmentorSecrets,
    pub commands: Vec<AugmentorCommand>,
    pub agents: Vec<AugmentorAgent>,
    pub tools: Vec<AugmentorTool>,
    /// The location of `shutdown`: `package` or `module`.
    pub shutdown: Option<String>,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
}

/// A call, however it ended.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorCall {
    pub package: AugmentorPackage,
    /// The command that was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// The agent that received the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub agent: Option<String>,
    /// The number of chunks.
    pub chunks: u64,
    pub permissions: AugmentorPermissions,
    pub secrets: AugmentorSecrets,
    pub notes: Vec<String>,
}

/// The result of a call.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorResult {
    #[serde(flatten)]
    pub call: AugmentorCall,
    pub result: Map<String, Value>,
    /// Always null in a success; the error of a package is in the details of an error.
    pub error: Option<AugmentorFault>,
    pub warnings: Vec<String>,
}

/// The error of a package.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorFault {
    pub code: String,
    pub message: String,
    pub data: Value,
    pub origin: String,
}

/// The package that answers.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorPackage {
    pub name: String,
    pub version: Option<String>,
    pub runtime: String,
    pub root: String,
    pub found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub runtime_version: Option<String>,
}

/// The declared, enforced and observed permissions.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorPermissions {
    pub declared: DeclaredPermissions,
    pub enforced: Vec<String>,
    pub not_enforced: Vec<UnenforcedPermission>,
    pub observed: Vec<ObservedAccess>,
    pub undeclared: Vec<ObservedAccess>,
}

/// The permissions of a manifest.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DeclaredPermissions {
    pub filesystem: String,
    pub network: String,
}

/// A permission that the package could overstep.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UnenforcedPermission {
    pub permission: String,
    pub reason: String,
}

/// An access of the package that its runner saw.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ObservedAccess {
    pub kind: String,
    pub target: String,
}

/// The names of the declared secrets that the package gets; never their values.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorSecrets {
    pub given: Vec<String>,
    pub missing: Vec<String>,
}

/// A command of a package. Members come from the package and can be any JSON.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorCommand {
    pub name: Value,
    pub description: Value,
    pub schema: Value,
    #[serde(rename = "async")]
    pub is_async: bool,
}

/// An agent of a package. Members come from the package and can be any JSON.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorAgent {
    pub id: Value,
    pub description: Value,
    pub schema: Value,
    #[serde(rename = "async")]
    pub is_async: bool,
}

/// A tool of a package. Members come from the package and can be any JSON.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AugmentorTool {
    pub name: Value,
    pub description: Value,
    pub input_schema: Value,
}

/// A rule that the manifest of a package breaks.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ManifestFault {
    pub rule: &'static str,
    pub message: String,
}

/// One line of `--stream`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct StreamedChunk {
    pub seq: u64,
    pub chunk: Value,
}
