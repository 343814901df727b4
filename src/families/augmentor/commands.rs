//! `aos augmentor`: packages and calls as answers of aos, errors of a package as errors of aos.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::commands::augmentor::seam::{Callee, Host, Named, Network, Request};
use crate::contract::json;
use crate::generate::vendor::SpecRelease;
use crate::inputs::spec_source;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{environment, random};
use crate::visible::{Visible, excerpt, visible};

use super::contract::AugmentorContract;
use super::contract::FAMILY;
use super::host::message::Context;
use super::host::outcome::CallError;
use super::host::package::HostedPackage;
use super::host::place::PackagePlace;
use super::host::place::{PlaceError, WantedPackage};
use super::host::{containment, package};

/// Most lines of the log and of the package's output that go to stderr.
const MAX_LINES: usize = 200;

pub struct AugmentorHost;

impl Host for AugmentorHost {
    fn needs_network(&self, named: &Named<'_>) -> Result<bool, Failure> {
        let release = newest()?;
        let place = find(named, contract(&release)?)?;
        Ok(!place.manifest.permissions.has_no_network())
    }

    fn describe(&self, named: &Named<'_>, network: &Network) -> Result<Outcome, Failure> {
        let release = newest()?;
        let mut package = loaded(named, contract(&release)?, network, None, true)?;
        let mut data = described(&package);
        if let Some(fault) = package.shutdown() {
            data.insert("notes".to_owned(), json!([fault]));
        }
        let text = text(&package);
        Ok(Outcome::new(Value::Object(data), text))
    }

    fn call(
        &self,
        named: &Named<'_>,
        network: &Network,
        request: &Request<'_>,
        sink: &mut dyn FnMut(&Value) -> bool,
    ) -> Result<Outcome, Failure> {
        let release = newest()?;
        let mut package =
            loaded(named, contract(&release)?, network, request.limit, request.is_quiet)?;
        let context = context(&package.place)?;
        let mut chunks = 0_u64;
        let mut counted = |_: u64, chunk: &Value| {
            chunks += 1;
            sink(chunk)
        };
        let (kind, name) = match request.callee {
            Callee::Command { name, .. } => ("command", name),
            Callee::Agent { id, .. } => ("agent", id),
        };
        let caller = package::Caller {
            is_streamed: request.is_streamed,
            sink: &mut counted,
            is_withdrawn: &|| false,
        };
        let answer = package.call(&request.callee, &context, caller);
        let notes: Vec<_> = package.shutdown().into_iter().collect();
        let mut data = Map::new();
        data.insert("package".to_owned(), identity(&package.place));
        data.insert(kind.to_owned(), name.into());
        data.insert("chunks".to_owned(), chunks.into());
        data.insert("permissions".to_owned(), permissions(&package));
        data.insert("secrets".to_owned(), secrets(&package.place));
        data.insert("notes".to_owned(), notes.into());
        let log = if request.is_quiet { Vec::new() } else { log(&package) };
        match answer {
            Ok(done) => {
                let text =
                    Visible::json(json::pretty(&Value::Object(done.value.clone())).trim_end());
                data.insert("result".to_owned(), Value::Object(done.value));
                data.insert("error".to_owned(), Value::Null);
                data.insert("warnings".to_owned(), done.warnings.into());
                let mut outcome = Outcome::new(Value::Object(data), text);
                outcome.annotations = log;
                Ok(outcome)
            }
            Err(error) => {
                let mut failure = failure(&error, package.place.name());
                failure.details.extend(data);
                failure.annotations = log;
                Err(failure)
            }
        }
    }
}

/// The contract that this host follows.
///
/// # Errors
/// When it is not in this build.
pub fn newest() -> Result<Arc<SpecRelease>, Failure> {
    let tag = spec_source::latest(FAMILY)?;
    Ok(spec_source::embedded_release(FAMILY, &tag)?)
}

/// The contract of a release.
///
/// # Errors
/// When it is of another family.
pub fn contract(release: &SpecRelease) -> Result<&AugmentorContract, Failure> {
    release.contract.of::<AugmentorContract>().map_err(|_| {
        Failure::new(
            ErrorCode::Unknown,
            "this build of aos does not contain the contract of augmentors",
        )
        .hint("this build of aos is defective; install a release")
    })
}

/// Finds a package without running anything of it.
///
/// # Errors
/// When there is none, or its manifest breaks a rule.
pub fn find(named: &Named<'_>, contract: &AugmentorContract) -> Result<PackagePlace, Failure> {
    let known: Vec<_> = contract.runtimes.iter().map(|key| key.as_str()).collect();
    if let Some(runtime) = named.runtime.filter(|runtime| !known.contains(runtime)) {
        let message = format!("`{}` is not a runtime of augmentors", excerpt(runtime, 60));
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint(format!("use one of {}", known.join(", "))));
    }
    let wanted =
        WantedPackage { package: named.package, runtime: named.runtime, python: named.python };
    Ok(PackagePlace::find(&wanted, contract)?)
}

fn loaded<'c>(
    named: &Named<'_>,
    contract: &'c AugmentorContract,
    network: &Network,
    limit: Option<std::time::Duration>,
    is_quiet: bool,
) -> Result<HostedPackage<'c>, Failure> {
    let place = find(named, contract)?;
    let name = place.name().to_owned();
    let program = package::program(&place, named.python).map_err(|error| failure(&error, &name))?;
    HostedPackage::load(place, contract, program, network, limit).map_err(|(error, log)| {
        let mut failure = failure(&error, &name);
        if !is_quiet {
            failure.annotations = lines(&name, log.iter().map(String::as_str));
        }
        failure
    })
}

/// The context of a call that is made here and now.
///
/// # Errors
/// When there is no current directory.
pub fn context(place: &PackagePlace) -> Result<Context, Failure> {
    let here = environment::current_directory().map_err(|error| {
        Failure::new(ErrorCode::Io, format!("the current directory cannot be read: {error}"))
            .hint("run the command in an existing directory")
    })?;
    let random = random::bytes::<8>().unwrap_or_default();
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let (env, _) = package::secrets(place);
    Ok(Context { run_id: format!("aos-{digits}"), cwd: here.display().to_string(), env })
}

fn identity(place: &PackagePlace) -> Value {
    json!({
        "name": place.name(),
        "version": place.manifest.version,
        "runtime": place.runtime,
        "root": place.root.display().to_string(),
        "found": place.found,
    })
}

fn described(package: &HostedPackage<'_>) -> Map<String, Value> {
    let (place, facts) = (&package.place, &package.facts);
    let mut identity = identity(place);
    identity["runtime_version"] = facts.runtime_version.as_str().into();
    let mut data = Map::new();
    data.insert("package".to_owned(), identity);
    data.insert("caps".to_owned(), place.manifest.caps.clone().into());
    data.insert("permissions".to_owned(), permissions(package));
    data.insert("secrets".to_owned(), secrets(place));
    let list = |items: Result<Value, serde_json::Error>| items.unwrap_or_default();
    data.insert("commands".to_owned(), list(serde_json::to_value(&facts.commands)));
    data.insert("agents".to_owned(), list(serde_json::to_value(&facts.agents)));
    data.insert("tools".to_owned(), list(serde_json::to_value(&facts.tools)));
    for key in ["commands", "agents", "tools"] {
        // What is only of use to a judge of the package.
        for item in data.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            for member in ["callable", "faults", "history"] {
                item.as_object_mut().map(|item| item.remove(member));
            }
            if let Some(item) = item.as_object_mut()
                && let Some(schema) = item.remove("inputSchema")
            {
                item.insert("input_schema".to_owned(), schema);
            }
        }
    }
    data.insert("shutdown".to_owned(), facts.shutdown.clone().into());
    data.insert("warnings".to_owned(), place.warnings.clone().into());
    data.insert("notes".to_owned(), json!([]));
    data
}

/// What was declared, seen and enforced. What is not enforced, the package could have done unseen by the system.
fn permissions(package: &HostedPackage<'_>) -> Value {
    let declared = &package.place.manifest.permissions;
    let undeclared: Vec<_> = package
        .observed
        .iter()
        .filter(|observed| !containment::is_declared(declared, observed))
        .collect();
    json!({
        "declared": {"filesystem": declared.filesystem, "network": declared.network},
        "enforced": package.containment.enforced,
        "not_enforced": package.containment.not_enforced,
        "observed": package.observed,
        "undeclared": undeclared,
    })
}

/// Which of the declared secrets the package gets; never their values.
fn secrets(place: &PackagePlace) -> Value {
    let (_, missing) = package::secrets(place);
    let names = &place.manifest.permissions.secrets;
    let given: Vec<_> = names.iter().filter(|name| !missing.contains(name)).collect();
    json!({"given": given, "missing": missing})
}

fn text(package: &HostedPackage<'_>) -> Visible {
    let place = &package.place;
    let version = place.manifest.version.as_deref().unwrap_or_default();
    let mut lines = vec![visible!("{} {} ({})", place.name(), version, place.runtime)];
    let described = |name: &Value, description: &Value| {
        let name = name.as_str().unwrap_or_default();
        visible!("  {:16} {}", name, description.as_str().unwrap_or_default())
    };
    if !package.facts.commands.is_empty() {
        lines.push(Visible::literal("commands"));
        lines.extend(
            package.facts.commands.iter().map(|one| described(&one.name, &one.description)),
        );
    }
    if !package.facts.agents.is_empty() {
        lines.push(Visible::literal("agents"));
        lines.extend(package.facts.agents.iter().map(|one| described(&one.id, &one.description)));
    }
    let declared = &place.manifest.permissions;
    lines.push(visible!("files {}, network {}", declared.filesystem, declared.network));
    let enforced = package.containment.enforced.join(", ");
    if !enforced.is_empty() {
        lines.push(visible!("enforced: {}", enforced));
    }
    for left in &package.containment.not_enforced {
        lines.push(visible!("not enforced: {} ({})", left.permission, left.reason));
    }
    Visible::joined(lines, "\n")
}

/// Traces and what the package printed, for stderr.
fn log(package: &HostedPackage<'_>) -> Vec<Visible> {
    let printed = String::from_utf8_lossy(&package.printed()).into_owned();
    let printed = printed.lines().filter(|line| !is_about_the_model(line));
    let all = package.log.iter().map(String::as_str).chain(printed);
    lines(package.place.name(), all)
}

/// Node says on every start that its permission model is new.
fn is_about_the_model(line: &str) -> bool {
    line.contains("ExperimentalWarning: Permission is an experimental feature")
        || line.starts_with("(Use `node --trace-warnings")
}

/// Lines of a package, each with its name.
pub fn lines<'l>(name: &str, all: impl Iterator<Item = &'l str>) -> Vec<Visible> {
    // The name keeps a line of the package from being taken for a line of aos.
    let line = |line: &str| visible!("{}: {}", name, line).without_commands();
    all.filter(|text| !text.trim().is_empty()).take(MAX_LINES).map(line).collect()
}

/// The error of a call as an error of aos.
pub fn failure(error: &CallError, name: &str) -> Failure {
    let members = &error.error;
    let (code, hint) = match members.code.as_str() {
        "invalid_input" => (
            ErrorCode::Validation,
            "correct the arguments; `aos augmentor describe` shows the schema",
        ),
        "unknown_command" | "unknown_agent" => {
            (ErrorCode::NotFound, "`aos augmentor describe` lists commands and agents")
        }
        "permission_denied" => (
            ErrorCode::Forbidden,
            "declare the permission in augmentor.toml if the package needs it",
        ),
        "timeout" => (ErrorCode::Timeout, "retry, or allow more time with `--timeout`"),
        "cancelled" => (ErrorCode::Interrupted, "run the same command again"),
        "crashed" => (ErrorCode::Crashed, "retry; if it crashes again, report it to its author"),
        "load_failed" => (
            ErrorCode::Augmentor,
            "fix the package; run `aos check` and `aos conform` in its directory",
        ),
        _ => (ErrorCode::Augmentor, "the package returned the error; its data may have details"),
    };
    let shown = excerpt(&members.message, 600);
    let message = format!("the augmentor `{}` failed: {shown}", excerpt(name, 80));
    Failure::new(code, message).hint(hint).detail(
        "error",
        json!({
            "code": members.code,
            "message": members.message,
            "data": members.data,
            "origin": error.origin,
        }),
    )
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        let message = error.to_string();
        match error {
            PlaceError::NotFound { looked, .. } => Self::new(ErrorCode::NotFound, message)
                .hint("pass the directory of its augmentor.toml, or install it with pip or npm")
                .detail("looked_for", looked),
            PlaceError::Read { source, .. } => Self::new(crate::error::io_code(&source), message)
                .hint(crate::error::io_hint(&source)),
            PlaceError::Manifest { findings } => {
                let all: Vec<_> = findings
                    .iter()
                    .take(20)
                    .map(|finding| json!({"rule": finding.rule, "message": finding.message}))
                    .collect();
                Self::new(ErrorCode::Validation, message)
                    .hint("fix augmentor.toml; run `aos check` in its directory")
                    .detail("findings", all)
            }
            PlaceError::Runtime { known, .. } => Self::new(ErrorCode::Validation, message)
                .hint(format!("use {}", known.join(" or ")))
                .detail("known_runtimes", known),
        }
    }
}
