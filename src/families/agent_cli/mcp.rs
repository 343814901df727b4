//! Stand-alone CLIs for the MCP server: `reference` says which tools there are, the program answers each call.

mod call;
mod schema;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::contract::FAMILY;
use crate::conform::target;
use crate::conform::tools::TOOLS;
use crate::inputs::spec_source;
use crate::mcp::answer::ToolFault;
use crate::mcp::envelope;
use crate::mcp::program::ServedProgram;
use crate::mcp::provider::{
    Call, Declared, Opener, Options, Provider, ServedSubject, ToolIdentity,
};
use crate::mcp::tool::McpTool;
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Kind};
use crate::system::{environment, search_path};
use crate::visible::excerpt;

use call::ArgumentShape;

/// How long `reference` may take.
const REFERENCE: Duration = Duration::from_secs(30);

pub struct AgentCliOpener;

impl Opener for AgentCliOpener {
    fn declared(
        &self,
        subject: &ServedSubject<'_>,
        options: &Options,
    ) -> Result<Declared, Failure> {
        let program = found(subject, options)?;
        // Credentials are kept by the tool itself; `reference` names the variables, and it would have to run.
        Ok(Declared { name: program.name, secrets: Vec::new(), needs_network: true })
    }

    fn open(
        &self,
        subject: &ServedSubject<'_>,
        options: &Options,
    ) -> Result<Box<dyn Provider>, Failure> {
        Ok(Box::new(ReferenceTool::open(found(subject, options)?, options)?))
    }

    fn knows(&self, name: &str, _options: &Options) -> bool {
        located(name).is_some()
    }
}

/// The program of a project, of a path or of PATH.
fn found(subject: &ServedSubject<'_>, options: &Options) -> Result<ServedProgram, Failure> {
    match subject {
        ServedSubject::Project(project) => {
            let named = TOOLS.of(FAMILY).and_then(|tools| tools.tool(project));
            let name = named.unwrap_or_else(|| project.directory_name.clone());
            let found = target::of_project(project, &name, spec_source::latest(FAMILY)?)?;
            Ok(program(name, found.program, found.prefix, options))
        }
        ServedSubject::Named(name) => {
            let path = located(name).ok_or_else(|| {
                let shown = excerpt(name, 200);
                Failure::new(ErrorCode::NotFound, format!("the program `{shown}` was not found"))
                    .hint("pass the path of the program, or its name on PATH")
            })?;
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            Ok(program(stem.unwrap_or_default(), path, Vec::new(), options))
        }
    }
}

/// The program of a path or of a name on PATH.
fn located(name: &str) -> Option<PathBuf> {
    if !name.contains(['/', '\\']) {
        return search_path::find(name);
    }
    let path = Path::new(name);
    let real = files::canonical(path).ok()?;
    let is_program = match files::kind(&real) {
        Ok(Kind::File { executable, .. }) => executable || cfg!(windows),
        _ => false,
    };
    // The path as it was given, made absolute: environments are known by it.
    is_program.then(|| files::canonical(Path::new(".")).map(|here| here.join(path)).unwrap_or(real))
}

fn program(name: String, path: PathBuf, prefix: Vec<String>, options: &Options) -> ServedProgram {
    ServedProgram {
        name,
        path,
        prefix,
        directory: files::canonical(Path::new(".")).unwrap_or_else(|_| PathBuf::from(".")),
        variables: options.environment.clone(),
        limit: REFERENCE,
        is_quiet: options.is_quiet,
    }
}

/// A tool that has described itself.
struct ReferenceTool {
    identity: ToolIdentity,
    tools: Vec<McpTool>,
    /// How each tool is called, in the same order.
    shapes: Vec<ArgumentShape>,
    program: ServedProgram,
}

impl ReferenceTool {
    fn open(mut program: ServedProgram, options: &Options) -> Result<Self, Failure> {
        let reference = reference(&program)?;
        let text = |member: &str| {
            let value = reference.get(member).and_then(Value::as_str).unwrap_or_default();
            excerpt(value, 100)
        };
        let name = match text("tool") {
            name if name.is_empty() => program.name.clone(),
            name => name,
        };
        let variables = reference.get("environment").and_then(Value::as_array);
        let variables: Vec<(String, bool)> = variables
            .into_iter()
            .flatten()
            .filter_map(|one| {
                let is_secret = one.get("secret").and_then(Value::as_bool).unwrap_or(false);
                Some((one.get("name")?.as_str()?.to_owned(), is_secret))
            })
            .collect();
        // A tool keeps its credentials in a store of its own as well, so a missing variable is not a fault.
        program.variables.extend(variables.iter().map(|(name, _)| name.clone()));
        program.limit = options.limit;
        let (tools, shapes) = schema::tools(&name, &reference).into_iter().unzip();
        let mut notes = Vec::new();
        if variables.iter().any(|(name, is_secret)| *is_secret && environment::read(name).is_some())
        {
            notes.push("a credential of the environment is passed on".to_owned());
        }
        let identity = ToolIdentity {
            name,
            version: text("version"),
            family: FAMILY.name(),
            place: program.path.display().to_string(),
            missing_secrets: Vec::new(),
            notes,
        };
        Ok(Self { identity, tools, shapes, program })
    }
}

/// Returns the description that the tool prints of itself.
fn reference(program: &ServedProgram) -> Result<Value, Failure> {
    let arguments = ["reference".to_owned()];
    let answer = program
        .run(&arguments, &|| false)
        .and_then(|(stdout, exit)| envelope::data(&program.name, &stdout, exit));
    let refused = |why: String| {
        let name = excerpt(&program.name, 80);
        Failure::new(
            ErrorCode::Validation,
            format!("`{name} reference` returned no description: {why}"),
        )
        .hint(
            "use a tool that follows the contract `agent-cli`; `aos conform` reports what it lacks",
        )
    };
    let reference = answer.map_err(|fault| refused(fault.message))?;
    match reference.get("commands").is_some_and(Value::is_array) {
        true => Ok(reference),
        false => Err(refused("it has no list `commands`".to_owned())),
    }
}

impl Provider for ReferenceTool {
    fn identity(&self) -> &ToolIdentity {
        &self.identity
    }

    fn tools(&self) -> &[McpTool] {
        &self.tools
    }

    fn invalid_code(&self) -> &'static str {
        "E_VALIDATION"
    }

    fn call(&self, call: &Call<'_>) -> Result<Value, ToolFault> {
        let place = self.tools.iter().position(|tool| tool.name == call.tool.name);
        let Some(shape) = place.and_then(|place| self.shapes.get(place)) else {
            return Err(ToolFault::new("E_NOT_FOUND", "the tool no longer exists"));
        };
        let arguments = shape.arguments(&call.tool.id, call.arguments);
        let (stdout, exit) = self.program.run(&arguments, call.is_cancelled)?;
        envelope::data(&self.program.name, &stdout, exit)
    }

    fn manifests(&self) -> Vec<PathBuf> {
        vec![self.program.path.clone()]
    }
}
