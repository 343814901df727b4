//! A loaded package: calls are validated, bounded and answered; after a crash the next call starts it again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::families::augmentor::contract::AugmentorContract;
use crate::reason::Reason;
use crate::system::program;
use crate::visible::excerpt;
use crate::workflows::augmentor::seam::Callee;

use super::arguments;
use super::child::{self, Child, ChildProcess, EventSink, LostChild, Stray};
use super::containment::{Containment, Restrictions};
use super::facts::PackageFacts;
use super::interpreter;
use super::message::{CallHooks, CallLimits, Context, ObservedUse, RunnerEvent, RunnerRequest};
use super::outcome::{CallError, FaultOrigin};
use super::place::PackagePlace;

/// The version of the protocol that aos speaks.
const PROTOCOL: u32 = 1;
/// Limits where the contract sets none.
const MESSAGE_BYTES: u64 = 1_048_576;
const LOAD_SECONDS: u64 = 10;
const CALL_SECONDS: u64 = 60;
const SHUTDOWN_SECONDS: u64 = 5;
/// The interface version where the contract names none.
const ABI: &str = "1.0";
/// Most observations and most lines of the log that are kept.
const MAX_KEPT: usize = 400;

/// A package, ready to be called.
#[derive(Debug)]
pub struct HostedPackage<'a> {
    pub place: PackagePlace,
    contract: &'a AugmentorContract,
    program: PathBuf,
    pub containment: Containment,
    pub facts: PackageFacts,
    pub observed: BTreeSet<ObservedUse>,
    /// Traces and faults, for the log.
    pub log: Vec<String>,
    /// The output of earlier processes.
    printed: Vec<u8>,
    child: Option<Child>,
    call_limit: Duration,
}

/// The caller that waits for a call.
pub struct Caller<'a> {
    pub is_streamed: bool,
    pub sink: EventSink<'a>,
    /// Whether the answer is no longer wanted.
    pub is_withdrawn: &'a dyn Fn() -> bool,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Done {
    pub value: Map<String, Value>,
    pub warnings: Vec<String>,
}

/// The interpreter that runs a package.
///
/// # Errors
/// Returns an error if there is none on this machine.
pub fn program(
    place: &PackagePlace,
    python: Option<&std::path::Path>,
) -> Result<PathBuf, CallError> {
    let found = match place.runtime.as_str() {
        "python" => place.python.clone().or_else(|| interpreter::python(python, &place.root)),
        _ => interpreter::node(),
    };
    found.ok_or_else(|| {
        let message = format!("no {} was found to run the package", place.runtime);
        CallError::load_failed("runtime_missing", message)
    })
}

impl<'a> HostedPackage<'a> {
    /// Starts a process and loads the package into it.
    ///
    /// # Errors
    /// Returns an error if it cannot be loaded, or no host could use it.
    pub fn load(
        place: PackagePlace,
        contract: &'a AugmentorContract,
        program: PathBuf,
        network: &Result<(), Reason>,
        call_limit: Option<Duration>,
    ) -> Result<Self, (CallError, Vec<String>)> {
        let containment = Containment::of(&place, &program, &Restrictions::with_network(network));
        let seconds = Duration::from_secs(contract.limit("call_seconds", CALL_SECONDS));
        let mut package = Self {
            place,
            contract,
            program,
            containment,
            facts: PackageFacts::default(),
            observed: BTreeSet::new(),
            log: Vec::new(),
            printed: Vec::new(),
            child: None,
            call_limit: call_limit.unwrap_or(seconds),
        };
        match package.start() {
            Ok(facts) => package.facts = facts,
            Err(error) => {
                package.lose();
                package.note(error.trace.as_deref());
                return Err((error, package.log));
            }
        }
        Ok(package)
    }

    fn start(&mut self) -> Result<PackageFacts, CallError> {
        let mut child = start(&ChildProcess {
            runtime: &self.place.runtime,
            program: &self.program,
            options: &self.containment.options,
            enclosure: self.containment.enclosure.as_ref(),
            message_bytes: message_bytes(self.contract),
        })?;
        let loaded = load(&mut child, self.contract, &self.place, true);
        self.child = Some(child);
        let event = loaded.map_err(|lost| {
            self.lost(&lost, "loading", self.limit("load_seconds", LOAD_SECONDS))
        })?;
        let (protocol, facts, observed) = match event {
            RunnerEvent::Loaded { protocol, facts, observed, .. } => (protocol, facts, observed),
            RunnerEvent::Error { error, origin, trace, observed, .. } => {
                self.observe(observed);
                return Err(CallError { error, origin, trace });
            }
            _ => return Err(unexpected()),
        };
        self.observe(observed);
        if protocol != PROTOCOL {
            return Err(unexpected());
        }
        let faults = facts.faults(self.contract);
        match faults.first() {
            None => Ok(facts),
            Some(first) => {
                let all: Vec<_> =
                    faults.iter().take(20).map(|fault| fault.message.clone()).collect();
                let data = json!({"reason": "not_usable", "faults": all});
                Err(CallError::host("load_failed", first.message.clone(), data))
            }
        }
    }

    fn limit(&self, name: &str, otherwise: u64) -> Duration {
        Duration::from_secs(self.contract.limit(name, otherwise))
    }

    /// Calls a command or an agent, once its arguments have been validated.
    ///
    /// # Errors
    /// Returns the error that the package raised, or the reason why there is no result.
    pub fn call(
        &mut self,
        callee: &Callee<'_>,
        context: &Context,
        caller: Caller<'_>,
    ) -> Result<Done, CallError> {
        arguments::validate(&self.facts, self.contract, callee)?;
        if self.child.is_none() {
            let facts = self.start().inspect_err(|_| self.lose())?;
            self.facts = facts;
        }
        let Some(child) = self.child.as_mut() else { return Err(unexpected()) };
        let stream = caller.is_streamed && self.place.has_cap("stream");
        let request = request(callee, context, stream);
        let Caller { sink, is_withdrawn, .. } = caller;
        match child.ask_unless(&request, self.call_limit, sink, is_withdrawn) {
            Ok(RunnerEvent::Result { value, warnings, observed, .. }) => {
                self.observe(observed);
                Ok(Done { value, warnings })
            }
            Ok(RunnerEvent::Error { error, origin, trace, observed, .. }) => {
                let permissions = &self.place.manifest.permissions;
                let refusal = self.containment.refusal(permissions, &error, &observed);
                self.observe(observed);
                self.note(trace.as_deref());
                let (error, origin) = match refusal {
                    Some(refusal) => (refusal, FaultOrigin::Host),
                    None => (error, origin),
                };
                Err(CallError { error, origin, trace })
            }
            Ok(_) => {
                self.lose();
                Err(unexpected())
            }
            Err(lost) => {
                let error = self.lost(&lost, "the call", self.call_limit);
                self.lose();
                Err(error)
            }
        }
    }

    /// Calls `shutdown` of the package and waits for the end of its process. Says what did not go well.
    pub fn shutdown(&mut self) -> Option<String> {
        let grace = self.limit("shutdown_seconds", SHUTDOWN_SECONDS);
        let mut child = self.child.take()?;
        let answer =
            child.ask(&RunnerRequest::Shutdown, grace + Duration::from_secs(1), &mut child::ignore);
        let fault = match answer {
            Ok(RunnerEvent::Stopped { .. }) => child
                .ends(grace)
                .is_none()
                .then(|| "the process did not end after shutdown, and was killed".to_owned()),
            Ok(RunnerEvent::Error { error, trace, .. }) => {
                self.note(trace.as_deref());
                Some(format!("shutdown failed: {}", excerpt(&error.message, 200)))
            }
            Ok(_) | Err(_) => {
                Some("shutdown did not respond, and the process was killed".to_owned())
            }
        };
        self.collect(&child);
        fault
    }

    /// Returns the output of the package so far.
    #[must_use]
    pub fn printed(&self) -> Vec<u8> {
        let mut all = self.printed.clone();
        if let Some(child) = &self.child {
            all.extend(child.output().into_iter().flat_map(|(bytes, _)| bytes));
        }
        all
    }

    fn observe(&mut self, observed: Vec<ObservedUse>) {
        let room = MAX_KEPT.saturating_sub(self.observed.len());
        self.observed.extend(observed.into_iter().take(room));
    }

    fn note(&mut self, trace: Option<&str>) {
        let lines = trace.into_iter().flat_map(str::lines).map(|line| excerpt(line, 400));
        let room = MAX_KEPT.saturating_sub(self.log.len());
        self.log.extend(lines.take(room));
    }

    /// The error of a call whose process is of no more use.
    fn lost(&mut self, lost: &LostChild, what: &str, limit: Duration) -> CallError {
        match lost {
            LostChild::TimedOut => {
                let seconds = limit.as_secs();
                let message =
                    format!("{what} did not end within {seconds} s, and the process was killed");
                CallError::host("timeout", message, Value::Null)
            }
            LostChild::Ended => {
                let exit = self.child.as_mut().and_then(|child| child.ends(Duration::from_secs(1)));
                let ending = match exit {
                    Some(Some(code)) => format!("ended with exit code {code}"),
                    Some(None) => "was killed by a signal".to_owned(),
                    None => "closed its connection".to_owned(),
                };
                let faults = self.child.iter().flat_map(|child| &child.strays);
                let mut cause = faults.filter_map(|stray| match stray {
                    Stray::Fault { error, .. } => Some(excerpt(&error.message, 200)),
                    Stray::LateChunk(_) => None,
                });
                let cause = cause.next_back().map(|cause| format!(": {cause}")).unwrap_or_default();
                let message = format!("the process of the package {ending} during {what}{cause}");
                CallError::host("crashed", message, Value::Null)
            }
            LostChild::Invalid(why) => {
                let message = format!(
                    "the package wrote to the host's connection, and its process was killed: {}",
                    excerpt(&why.to_string(), 200)
                );
                CallError::host("crashed", message, Value::Null)
            }
            LostChild::Interrupted | LostChild::Unwanted => {
                CallError::host("cancelled", format!("{what} was cancelled"), Value::Null)
            }
        }
    }

    /// Kills the process; the next call starts another one.
    fn lose(&mut self) {
        if let Some(child) = self.child.take() {
            self.collect(&child);
        }
    }

    fn collect(&mut self, child: &Child) {
        let faults: Vec<_> = child
            .strays
            .iter()
            .map(|stray| match stray {
                Stray::LateChunk(_) => "a chunk after the result was dropped".to_owned(),
                Stray::Fault { kind, error, trace } => {
                    let trace = trace.as_deref().unwrap_or_default();
                    format!("{kind} outside of every call: {}\n{trace}", error.message)
                }
            })
            .collect();
        for fault in faults {
            self.note(Some(&fault));
        }
        self.printed.extend(child.output().into_iter().flat_map(|(bytes, _)| bytes));
    }
}

/// The longest message of a package, in bytes.
#[must_use]
pub fn message_bytes(contract: &AugmentorContract) -> u64 {
    contract.limit("message_bytes", MESSAGE_BYTES)
}

/// Starts a process for a package, not loaded yet.
///
/// # Errors
/// Returns an error if its program does not start.
pub fn start(process: &ChildProcess<'_>) -> Result<Child, CallError> {
    let refused = |why: String| {
        let message = format!("`{}` cannot be started: {why}", process.program.display());
        CallError::load_failed("runtime_missing", message)
    };
    let mut child = Child::start(process).map_err(|error| refused(error.to_string()))?;
    match child.ready() {
        Ok(()) => Ok(child),
        Err(LostChild::Interrupted) => {
            Err(CallError::host("cancelled", "loading was cancelled", Value::Null))
        }
        Err(_) => {
            let [_, (said, _)] = child.output();
            let said = excerpt(&String::from_utf8_lossy(&said), 300);
            Err(refused(format!("the runner sent no response: {said}")))
        }
    }
}

/// Loads a package into a process.
///
/// # Errors
/// Returns an error if there is no answer.
pub fn load(
    child: &mut Child,
    contract: &AugmentorContract,
    place: &PackagePlace,
    observe: bool,
) -> Result<RunnerEvent, LostChild> {
    let message_bytes = contract.limit("message_bytes", MESSAGE_BYTES);
    let seconds = Duration::from_secs(contract.limit("load_seconds", LOAD_SECONDS));
    let environment = child.environment.clone();
    let hooks = CallHooks {
        host: "aos",
        host_version: program::version(),
        abi: contract.abi.default.as_deref().unwrap_or(ABI),
    };
    let request = RunnerRequest::Load {
        root: &place.root.display().to_string(),
        entry: &place.entry,
        paths: &place.paths,
        hooks,
        environment: &environment,
        limits: CallLimits { message_bytes },
        observe,
    };
    child.ask(&request, seconds, &mut child::ignore)
}

/// The request of a call.
#[must_use]
pub fn request<'r>(callee: &Callee<'r>, context: &'r Context, stream: bool) -> RunnerRequest<'r> {
    match *callee {
        Callee::Command { name, args } => RunnerRequest::Run { name, args, stream, ctx: context },
        Callee::Agent { id, message, history } => {
            RunnerRequest::Handle { name: id, message, history, stream, ctx: context }
        }
    }
}

/// The environment of a context: PATH, and the declared secrets that aos was given. Also the names of those that it was
/// not given.
#[must_use]
pub fn secrets(place: &PackagePlace) -> (BTreeMap<String, String>, Vec<String>) {
    let mut environment = BTreeMap::new();
    let mut missing = Vec::new();
    let names = &place.manifest.permissions.secrets;
    for name in names {
        match crate::system::environment::read(name) {
            Some(value) => drop(environment.insert(name.clone(), value)),
            None => missing.push(name.clone()),
        }
    }
    environment.extend(child::variables().into_iter().filter(|(name, _)| name == "PATH"));
    (environment, missing)
}

fn unexpected() -> CallError {
    CallError {
        trace: None,
        origin: FaultOrigin::Host,
        ..CallError::host("crashed", "the runner sent an unexpected response", Value::Null)
    }
}
