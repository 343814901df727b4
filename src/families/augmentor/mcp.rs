//! Augmentors for the MCP server: commands as tools, chunks as progress, one process for each package.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::mcp::answer::ToolFault;
use crate::mcp::mode::ToolMode;
use crate::mcp::provider::{
    Call, Declared, Opener, Options, Provider, ServedSubject, ToolIdentity,
};
use crate::mcp::tool::{self, Hints, McpTool};
use crate::report::Failure;
use crate::system::terminal;
use crate::visible::visible;
use crate::workflows::augmentor::seam::{Callee, NamedAugmentor};

use super::commands::{context, contract, failure, find, lines, newest};
use super::contract::AugmentorContract;
use super::contract::{FAMILY, MANIFEST};
use super::host::message::Context;
use super::host::outcome::CallError;
use super::host::package;
use super::host::package::HostedPackage;
use super::host::place::PackagePlace;
use super::manifest::AskedPermissions;

/// How often a call looks whether the one before it has ended.
const LOOK: Duration = Duration::from_millis(2);
/// Most lines of a package that go to stderr for one call.
const MAX_LINES: usize = 50;

pub struct AugmentorOpener;

impl Opener for AugmentorOpener {
    fn declared(
        &self,
        subject: &ServedSubject<'_>,
        options: &Options,
    ) -> Result<Declared, Failure> {
        let name = name_of(subject);
        let place = find(&named(&name, options), current()?)?;
        let permissions = &place.manifest.permissions;
        Ok(Declared {
            name: place.name().to_owned(),
            secrets: permissions.secrets.clone(),
            needs_network: !permissions.has_no_network(),
        })
    }

    fn open(
        &self,
        subject: &ServedSubject<'_>,
        options: &Options,
    ) -> Result<Box<dyn Provider>, Failure> {
        Ok(Box::new(Augmentor::open(&name_of(subject), options)?))
    }

    fn knows(&self, name: &str, options: &Options) -> bool {
        current().is_ok_and(|contract| find(&named(name, options), contract).is_ok())
    }
}

/// The contract of this build, for as long as this process.
fn current() -> Result<&'static AugmentorContract, Failure> {
    static CONTRACT: OnceLock<AugmentorContract> = OnceLock::new();
    if let Some(known) = CONTRACT.get() {
        return Ok(known);
    }
    let release = newest()?;
    let found = contract(&release)?.clone();
    Ok(CONTRACT.get_or_init(|| found))
}

fn name_of(subject: &ServedSubject<'_>) -> String {
    match subject {
        ServedSubject::Project(project) => project.root.display().to_string(),
        ServedSubject::Named(name) => (*name).to_owned(),
    }
}

fn named<'a>(package: &'a str, options: &'a Options) -> NamedAugmentor<'a> {
    NamedAugmentor {
        package,
        runtime: options.runtime.as_deref(),
        python: options.python.as_deref(),
    }
}

/// A loaded package.
struct Augmentor {
    identity: ToolIdentity,
    tools: Vec<McpTool>,
    manifest: PathBuf,
    context: Context,
    contract: &'static AugmentorContract,
    /// Its process answers one call after the other.
    package: Mutex<HostedPackage<'static>>,
    is_quiet: bool,
}

impl Augmentor {
    fn open(name: &str, options: &Options) -> Result<Self, Failure> {
        let contract = current()?;
        let place = find(&named(name, options), contract)?;
        let name = place.name().to_owned();
        let program = package::program(&place, options.python.as_deref())
            .map_err(|error| failure(&error, &name))?;
        let manifest = place.root.join(MANIFEST);
        let context = context(&place)?;
        let loaded =
            HostedPackage::load(place, contract, program, &options.network, Some(options.limit));
        let package = loaded.map_err(|(error, log)| {
            let mut failure = failure(&error, &name);
            if !options.is_quiet {
                failure.annotations = lines(&name, log.iter().map(String::as_str));
            }
            failure
        })?;
        Ok(Self {
            identity: identity(&package),
            tools: tools(&package, contract),
            manifest,
            context,
            contract,
            package: Mutex::new(package),
            is_quiet: options.is_quiet,
        })
    }

    /// The package, as soon as the call before this one has ended; `None` when this one was withdrawn.
    fn turn(
        &self,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<MutexGuard<'_, HostedPackage<'static>>> {
        loop {
            match self.package.try_lock() {
                Ok(package) => return Some(package),
                Err(TryLockError::Poisoned(package)) => return Some(package.into_inner()),
                Err(TryLockError::WouldBlock) if is_cancelled() => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            }
        }
    }

    fn fault(&self, error: CallError) -> ToolFault {
        let code = error.error.code;
        let known = self.contract.error.codes.iter().find(|(key, _)| key.as_str() == code);
        let mut fault = ToolFault::new(&code, error.error.message).data(error.error.data);
        fault.is_retryable = known.is_some_and(|(_, code)| code.retryable);
        fault
    }
}

impl Provider for Augmentor {
    fn identity(&self) -> &ToolIdentity {
        &self.identity
    }

    fn tools(&self) -> &[McpTool] {
        &self.tools
    }

    fn invalid_code(&self) -> &'static str {
        "invalid_input"
    }

    fn call(&self, call: &Call<'_>) -> Result<Value, ToolFault> {
        let Some(mut package) = self.turn(call.is_cancelled) else {
            return Err(ToolFault::new("cancelled", "the call was cancelled"));
        };
        let arguments = Value::Object(call.arguments.clone());
        let callee = Callee::Command { name: &call.tool.id, args: &arguments };
        let mut sink = |_: u64, chunk: &Value| {
            if let Some(progress) = call.progress {
                progress(spoken(chunk));
            }
            true
        };
        let caller = package::Caller {
            is_streamed: call.progress.is_some(),
            sink: &mut sink,
            is_withdrawn: call.is_cancelled,
        };
        let answer = package.call(&callee, &self.context, caller);
        // A trace belongs to a person: it may hold anything.
        let log = std::mem::take(&mut package.log);
        drop(package);
        if !self.is_quiet {
            for line in
                lines(&self.identity.name, log.iter().map(String::as_str)).iter().take(MAX_LINES)
            {
                terminal::write_stderr(&visible!("{}\n", line));
            }
        }
        match answer {
            Ok(done) => Ok(Value::Object(done.value)),
            Err(error) => Err(self.fault(error)),
        }
    }

    fn manifests(&self) -> Vec<PathBuf> {
        vec![self.manifest.clone()]
    }

    fn close(&self) -> Option<String> {
        self.package.lock().unwrap_or_else(PoisonError::into_inner).shutdown()
    }
}

/// A chunk as the message of a progress notification.
fn spoken(chunk: &Value) -> String {
    match chunk.get("data").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => chunk.get("data").unwrap_or(chunk).to_string(),
    }
}

fn identity(package: &HostedPackage<'_>) -> ToolIdentity {
    let place: &PackagePlace = &package.place;
    let (_, missing_secrets) = package::secrets(place);
    let notes = package.containment.not_enforced.iter().map(|left| {
        format!("the permission `{}` is not enforced: {}", left.permission, left.reason)
    });
    ToolIdentity {
        name: place.name().to_owned(),
        version: place.manifest.version.clone().unwrap_or_default(),
        family: FAMILY.name(),
        place: place.root.display().to_string(),
        missing_secrets,
        notes: notes.chain(place.warnings.iter().cloned()).collect(),
    }
}

/// Nothing says which command of a package changes something, so its permissions decide for all of them.
fn mode(permissions: &AskedPermissions) -> ToolMode {
    match permissions.writes() || !permissions.has_no_network() {
        true => ToolMode::Write,
        false => ToolMode::Readonly,
    }
}

fn tools(package: &HostedPackage<'_>, contract: &AugmentorContract) -> Vec<McpTool> {
    let place = &package.place;
    let separator = contract.mcp.separator.as_deref().unwrap_or("_");
    let prefix = place.manifest.tool_prefix.as_deref().unwrap_or_default();
    let mode = mode(&place.manifest.permissions);
    let is_open_world = Some(!place.manifest.permissions.has_no_network());
    let commands = package.facts.commands.iter().filter_map(|command| {
        let id = command.name.as_str()?;
        // An entry of `tools` with the name of a command replaces what is shown.
        let described = package.facts.tools.iter().find(|tool| tool.name == command.name);
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let description = described
            .and_then(|tool| text(&tool.description))
            .or_else(|| text(&command.description))
            .unwrap_or_default();
        let name = match prefix {
            "" => id.to_owned(),
            _ => format!("{prefix}{separator}{id}"),
        };
        Some(McpTool {
            name: tool::name("", &name),
            id: id.to_owned(),
            description,
            input: input(&command.schema, described.map(|tool| &tool.input_schema)),
            output: None,
            mode,
            tags: place.manifest.caps.clone(),
            is_meta: false,
            hints: Hints::of(mode, is_open_world),
        })
    });
    commands.collect()
}

/// The schema that clients see: that of the tool, if it has one of its own. The package checks that of the command too.
fn input(command: &Value, tool: Option<&Value>) -> Map<String, Value> {
    let own = tool.filter(|schema| schema.is_object());
    let schema = own.unwrap_or(command).as_object().cloned();
    schema.unwrap_or_else(|| Map::from_iter([("type".to_owned(), json!("object"))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_could_change_something_needs_the_mode_write() {
        for (filesystem, network, wanted) in [
            ("none", "none", ToolMode::Readonly),
            ("read", "none", ToolMode::Readonly),
            ("read", "https", ToolMode::Write),
            ("write", "none", ToolMode::Write),
            ("read-write", "all", ToolMode::Write),
        ] {
            let permissions = AskedPermissions {
                filesystem: filesystem.into(),
                network: network.into(),
                secrets: Vec::new(),
            };
            assert_eq!(mode(&permissions), wanted, "{filesystem} {network}");
        }
    }
}
