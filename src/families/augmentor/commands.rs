//! `aos augmentor`: packages and calls as answers of aos, errors of a package as errors of aos.

use std::sync::Arc;

use serde_json::Value;

use crate::contract::json;
use crate::generate::vendor::SpecRelease;
use crate::inputs::spec_source;
use crate::report::answers::augmentor::ManifestFault;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{environment, random};
use crate::visible::{Visible, excerpt, visible};
use crate::workflows::augmentor::seam::{
    AugmentorRequest, AugmentorRunner, Callee, NamedAugmentor, Network,
};

use super::answers::{self, Called};
use super::contract::AugmentorContract;
use super::contract::FAMILY;
use super::host::message::Context;
use super::host::outcome::CallError;
use super::host::package;
use super::host::package::HostedPackage;
use super::host::place::PackagePlace;
use super::host::place::{PlaceError, WantedPackage};

/// Most lines of the log and of the package's output that go to stderr.
const MAX_LINES: usize = 200;

pub struct AugmentorHost;

impl AugmentorRunner for AugmentorHost {
    fn needs_network(&self, named: &NamedAugmentor<'_>) -> Result<bool, Failure> {
        let release = newest()?;
        let place = find(named, contract(&release)?)?;
        Ok(!place.manifest.permissions.has_no_network())
    }

    fn describe(&self, named: &NamedAugmentor<'_>, network: &Network) -> Result<Outcome, Failure> {
        let release = newest()?;
        let mut package = loaded(named, contract(&release)?, network, None, true)?;
        let notes = package.shutdown().into_iter().collect();
        Ok(Outcome::new(answers::described(&package, notes), text(&package)))
    }

    fn call(
        &self,
        named: &NamedAugmentor<'_>,
        network: &Network,
        request: &AugmentorRequest<'_>,
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
        let called = match request.callee {
            Callee::Command { name, .. } => Called::Command(name.to_owned()),
            Callee::Agent { id, .. } => Called::Agent(id.to_owned()),
        };
        let caller = package::Caller {
            is_streamed: request.is_streamed,
            sink: &mut counted,
            is_withdrawn: &|| false,
        };
        let answer = package.call(&request.callee, &context, caller);
        let notes = package.shutdown().into_iter().collect();
        let call = answers::call(&package, called, chunks, notes);
        let log = if request.is_quiet { Vec::new() } else { log(&package) };
        match answer {
            Ok(done) => {
                let shown = Value::Object(done.value.clone());
                let text = Visible::json(json::pretty(&shown).trim_end());
                let answer = answers::result(call, done.value, done.warnings);
                let mut outcome = Outcome::new(answer, text);
                outcome.annotations = log;
                Ok(outcome)
            }
            Err(error) => {
                let mut failure = failure(&error, package.place.name()).with(&call);
                failure.annotations = log;
                Err(failure)
            }
        }
    }
}

/// The contract that this host follows.
///
/// # Errors
/// Returns an error if it is not in this build.
pub fn newest() -> Result<Arc<SpecRelease>, Failure> {
    let tag = spec_source::latest(FAMILY)?;
    Ok(spec_source::embedded_release(FAMILY, &tag)?)
}

/// The contract of a release.
///
/// # Errors
/// Returns an error if it is of another family.
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
/// Returns an error if there is none, or its manifest breaks a rule.
pub fn find(
    named: &NamedAugmentor<'_>,
    contract: &AugmentorContract,
) -> Result<PackagePlace, Failure> {
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
    named: &NamedAugmentor<'_>,
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
/// Returns an error if there is no current directory.
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
    Failure::new(code, message).hint(hint).detail("error", answers::fault(error))
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
                    .map(|finding| ManifestFault {
                        rule: finding.rule,
                        message: finding.message.clone(),
                    })
                    .collect();
                Self::new(ErrorCode::Validation, message)
                    .hint("fix augmentor.toml; run `aos check` in its directory")
                    .detail("findings", all)
            }
            PlaceError::NotInstalled { .. } => Self::new(ErrorCode::Validation, message)
                .hint("pass the project of the package, or install the package with pip"),
            PlaceError::Runtime { known, .. } => Self::new(ErrorCode::Validation, message)
                .hint(format!("use {}", known.join(" or ")))
                .detail("known_runtimes", known),
        }
    }
}
