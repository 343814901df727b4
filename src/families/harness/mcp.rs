//! Connectors for the MCP server: `connector.json` says which tools there are, the connector's program answers each call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::connector::CONNECTOR_PATH;
use super::connector::{Connector, ConnectorCommand, ConnectorField, FieldKind, is_meta};
use super::contract::{FAMILY, HarnessContract};
use crate::conform::target;
use crate::error::{io_code, io_hint};
use crate::inputs::project::Project;
use crate::inputs::spec_source;
use crate::mcp::answer::ToolFault;
use crate::mcp::envelope;
use crate::mcp::mode::ToolMode;
use crate::mcp::program::{ServedProgram, option};
use crate::mcp::provider::{
    Call, Declared, Opener, Options, Provider, ServedSubject, ToolIdentity,
};
use crate::mcp::tool::{self, Hints, McpTool};
use crate::report::{ErrorCode, Failure};
use crate::system::{environment, files};
use crate::visible::excerpt;

/// Largest manifest, in bytes.
const MAX_MANIFEST: u64 = 2 * 1024 * 1024;

/// The runtime whose commands take the options below.
const RUNTIME: &str = "connector";

/// An option of every command: its id, its kind, what it does.
type FieldShape = (&'static str, FieldKind, &'static str);

const SHAPES: [FieldShape; 2] = [
    (
        "fields",
        FieldKind::String,
        "Dotted paths to show, such as `title,user.login`; `all` shows everything",
    ),
    ("max_bytes", FieldKind::Number, "Maximum size of the response in bytes; the default is 25000"),
];

pub struct HarnessOpener;

impl Opener for HarnessOpener {
    fn declared(
        &self,
        subject: &ServedSubject<'_>,
        _options: &Options,
    ) -> Result<Declared, Failure> {
        let project = project_of(subject)?;
        let connector = read(project, &project.root.join(CONNECTOR_PATH))?;
        let keys = connector.service_keys.iter().map(|key| key.as_str().to_owned());
        Ok(Declared {
            name: connector.tool.as_str().to_owned(),
            secrets: keys.collect(),
            needs_network: true,
        })
    }

    fn open(
        &self,
        subject: &ServedSubject<'_>,
        options: &Options,
    ) -> Result<Box<dyn Provider>, Failure> {
        Ok(Box::new(ServedConnector::open(project_of(subject)?, options)?))
    }

    fn knows(&self, _name: &str, _options: &Options) -> bool {
        false
    }
}

/// The manifest says which inputs there are, and only a project has it.
fn project_of<'p>(subject: &ServedSubject<'p>) -> Result<&'p Project, Failure> {
    match *subject {
        ServedSubject::Project(project) => Ok(project),
        ServedSubject::Named(name) => {
            let message = format!("`{}` has no connector.json", excerpt(name, 200));
            Err(Failure::new(ErrorCode::NotFound, message)
                .hint("pass the directory of the connector"))
        }
    }
}

/// A connector whose program is there.
struct ServedConnector {
    identity: ToolIdentity,
    tools: Vec<McpTool>,
    fields: BTreeMap<String, FieldKind>,
    manifest: PathBuf,
    program: ServedProgram,
}

impl ServedConnector {
    fn open(project: &Project, options: &Options) -> Result<Self, Failure> {
        let manifest = project.root.join(CONNECTOR_PATH);
        let connector = read(project, &manifest)?;
        let name = connector.tool.as_str().to_owned();
        let tag = spec_source::latest(FAMILY)?;
        let found = target::of_project(project, &name, tag)?;
        let keys: Vec<String> =
            connector.service_keys.iter().map(|key| key.as_str().to_owned()).collect();
        let missing = keys.iter().filter(|key| environment::read(key).is_none()).cloned();
        let version = connector.document.get("version").and_then(Value::as_str);
        let identity = ToolIdentity {
            name: name.clone(),
            version: version.unwrap_or_default().to_owned(),
            family: FAMILY.name(),
            place: project.root.display().to_string(),
            missing_secrets: missing.collect(),
            notes: Vec::new(),
        };
        let program = ServedProgram {
            name,
            path: found.program,
            prefix: found.prefix,
            directory: found.directory.unwrap_or_else(|| project.root.clone()),
            variables: keys.into_iter().chain(options.environment.iter().cloned()).collect(),
            limit: options.limit,
            is_quiet: options.is_quiet,
        };
        let fields = connector.fields.iter();
        let mut kinds: BTreeMap<String, FieldKind> =
            fields.map(|(id, field)| (id.as_str().to_owned(), field.kind)).collect();
        let record = project.record.good();
        let runtime = record.and_then(|record| record.runtime.as_ref());
        let shapes = shapes(runtime.is_some_and(|runtime| runtime.name == RUNTIME), &kinds);
        for (id, kind, _) in &shapes {
            kinds.insert((*id).to_owned(), *kind);
        }
        let tools = tools(&connector, &shapes);
        Ok(Self { identity, tools, fields: kinds, manifest, program })
    }
}

/// The manifest under the contract that the project follows.
fn read(project: &Project, path: &Path) -> Result<Connector, Failure> {
    let loaded = files::read(path, MAX_MANIFEST).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", path.display());
        Failure::new(io_code(&error), message).hint(io_hint(&error))
    })?;
    let latest = spec_source::latest(FAMILY)?;
    let pinned = project.pin.good().unwrap_or(&latest);
    let release = spec_source::embedded_release(FAMILY, pinned)
        .or_else(|_| spec_source::embedded_release(FAMILY, &latest))?;
    let contract = release.contract.of::<HarnessContract>().map_err(|_| {
        Failure::new(
            ErrorCode::Unknown,
            "this build of aos does not contain the contract of connectors",
        )
        .hint("this build of aos is defective; install a release")
    })?;
    Connector::parse(&loaded.bytes, contract).map_err(|error| {
        Failure::new(ErrorCode::Validation, format!("`{}`: {error}", path.display()))
            .hint("fix the manifest; run `aos check` in its directory")
    })
}

impl Provider for ServedConnector {
    fn identity(&self) -> &ToolIdentity {
        &self.identity
    }

    fn tools(&self) -> &[McpTool] {
        &self.tools
    }

    fn invalid_code(&self) -> &'static str {
        "INVALID_USAGE"
    }

    fn call(&self, call: &Call<'_>) -> Result<Value, ToolFault> {
        let mut arguments: Vec<String> = call.tool.id.split('.').map(str::to_owned).collect();
        for (id, value) in call.arguments {
            let Some(kind) = self.fields.get(id) else { continue };
            arguments.extend(word(id, *kind, value));
        }
        arguments.push("--json".to_owned());
        // No more than this command needs, whatever the session allows.
        arguments.extend(["--mode".to_owned(), call.tool.mode.as_str().to_owned()]);
        let (stdout, exit) = self.program.run(&arguments, call.is_cancelled)?;
        envelope::data(&self.program.name, &stdout, exit)
    }

    fn manifests(&self) -> Vec<PathBuf> {
        vec![self.manifest.clone()]
    }
}

/// An input as an option; none for a value that is not given.
fn word(id: &str, kind: FieldKind, value: &Value) -> Option<String> {
    let name = id.replace('_', "-");
    match (kind, value) {
        (_, Value::Null) => None,
        // Connectors of v1.0.0 know the bare form only.
        (FieldKind::Boolean, Value::Bool(true)) => Some(format!("--{name}")),
        _ => Some(option(&name, value)),
    }
}

/// Options of every command of our runtime that say what an answer shows, unless the connector has such inputs.
fn shapes(is_ours: bool, known: &BTreeMap<String, FieldKind>) -> Vec<FieldShape> {
    if is_ours {
        SHAPES.into_iter().filter(|(id, ..)| !known.contains_key(*id)).collect()
    } else {
        Vec::new()
    }
}

fn tools(connector: &Connector, shapes: &[FieldShape]) -> Vec<McpTool> {
    let document = connector.document.get("commands").and_then(Value::as_array);
    let described: BTreeMap<&str, &Value> = document
        .into_iter()
        .flatten()
        .filter_map(|command| Some((command.get("id")?.as_str()?, command)))
        .collect();
    let prefix = connector.tool.short().replace('-', "_");
    let commands = connector.commands.iter().map(|(id, command)| {
        let id = id.as_str();
        let mode = ToolMode::parse(command.required_mode.as_str()).unwrap_or(ToolMode::Admin);
        let mut hints = Hints::of(mode, Some(true));
        hints.is_destructive |= command.action_class == "destructive";
        let tags = ["resource", "action_class"]
            .iter()
            .filter_map(|member| described.get(id)?.get(member)?.as_str().map(str::to_owned));
        McpTool {
            name: tool::name(&prefix, id),
            id: id.to_owned(),
            description: command.summary.clone(),
            input: input(connector, command, shapes),
            output: None,
            mode,
            tags: tags.collect(),
            is_meta: is_meta(id),
            hints,
        }
    });
    commands.collect()
}

fn input(
    connector: &Connector,
    command: &ConnectorCommand,
    shapes: &[FieldShape],
) -> Map<String, Value> {
    let mut properties: Map<String, Value> = command
        .options
        .iter()
        .filter_map(|id| Some((id.as_str().to_owned(), schema(connector.fields.get(id)?))))
        .collect();
    if command.action_class == "read" {
        for (id, kind, told) in shapes {
            let kind = if *kind == FieldKind::Number { "integer" } else { "string" };
            properties.insert((*id).to_owned(), json!({"type": kind, "description": told}));
        }
    }
    let required: Vec<_> = command.required.iter().map(|id| id.as_str()).collect();
    tool::input(properties, &required)
}

fn schema(field: &ConnectorField) -> Value {
    let mut schema = match field.kind {
        FieldKind::String | FieldKind::Richtext => json!({"type": "string"}),
        FieldKind::Number => json!({"type": "integer"}),
        FieldKind::Boolean => json!({"type": "boolean"}),
        FieldKind::Select => json!({"type": "string", "enum": field.choices}),
        FieldKind::List => json!({"type": "array", "items": {"type": "string"}}),
        FieldKind::Json => json!({"type": ["object", "array"]}),
    };
    if !field.help.is_empty() {
        schema["description"] = field.help.as_str().into();
    }
    if let Some(default) = field.default.as_ref().and_then(|value| usual(field.kind, value)) {
        schema["default"] = default;
    }
    schema
}

/// The default in the type of its schema; manifests write numbers and booleans as text too.
fn usual(kind: FieldKind, default: &Value) -> Option<Value> {
    match (kind, default) {
        (_, Value::Null) => None,
        (_, Value::String(text)) if text.is_empty() => None,
        (FieldKind::Number, Value::String(text)) => text.parse::<i64>().ok().map(Value::from),
        (FieldKind::Boolean, Value::String(text)) => Some((text == "true").into()),
        (FieldKind::String | FieldKind::Richtext, Value::Number(number)) => {
            Some(number.to_string().into())
        }
        (FieldKind::List, Value::String(_)) => None,
        (_, value) => Some(value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_an_option_with_its_value() {
        for (kind, value, wanted) in [
            (FieldKind::Number, json!(5), "--issue-number=5"),
            (FieldKind::Boolean, json!(true), "--issue-number"),
            (FieldKind::Boolean, json!(false), "--issue-number=false"),
            (FieldKind::String, json!("-x --mode admin"), "--issue-number=-x --mode admin"),
            (FieldKind::List, json!(["a", "b,c"]), "--issue-number=[\"a\",\"b,c\"]"),
        ] {
            assert_eq!(word("issue_number", kind, &value).as_deref(), Some(wanted));
        }
        assert_eq!(word("issue_number", FieldKind::Number, &Value::Null), None);
    }

    #[test]
    fn a_default_has_the_type_of_its_schema() {
        assert_eq!(usual(FieldKind::Number, &json!("30")), Some(json!(30)));
        assert_eq!(usual(FieldKind::Boolean, &json!("false")), Some(json!(false)));
        assert_eq!(usual(FieldKind::String, &json!("")), None);
        assert_eq!(usual(FieldKind::List, &json!("a, b")), None);
    }
}
