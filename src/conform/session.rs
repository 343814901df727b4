//! One run of `aos conform` on one tool: the facts about the tool, and its calls, each made once.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use crate::contract::Family;
use crate::generate::vendor::Contract;
use crate::reason::Reason;
use crate::strict_json;
use crate::system::clock::Stopwatch;
use crate::system::subject::{self, Ending, Launch, Ran, Stimulus};
use crate::system::{files, loopback};

use super::bytecode::BytecodeDirectory;
use super::containment::RunContainment;
use super::family_state::FamilyState;
use super::fixture::Fixture;
use super::memory::Memory;
use super::mock::{Behaviour, Mock};
use super::monitor::log::CallLog;
use super::probe::Need;
use super::pulse::Pulse;
use super::sandbox::Sandbox;
use super::secrets::{SecretShape, Sentinel};
use super::start;
use super::surroundings::Surroundings;
use super::target::Target;
use super::tools::{FamilyTools, TOOLS};

pub use super::call::{CALL_LIMIT, Event, MAX_OUTPUT, Signal, ToolCall, Upstream};
pub use super::observed::Observed;

/// How long the tool may take for the call that shows whether it still responds.
const GREETING_LIMIT: Duration = Duration::from_secs(8);
/// Largest manifest, in bytes.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// One run over one tool.
pub struct ToolCaller {
    pub target: Target,
    pub contract: Contract,
    pub fixture: Option<Fixture>,
    /// The reason when the network could not be cut off.
    pub isolation: Result<(), Reason>,
    /// The containment of the calls.
    pub containment: RunContainment,
    /// The manifest of the project, when it has one that can be read.
    pub manifest: Option<Value>,
    /// Environment variables that hold secrets, sorted.
    pub credentials: Vec<String>,
    pub(super) bytecode: Option<BytecodeDirectory>,
    memory: Memory<Observed>,
    /// Every finished call, for the rules that hold for all of them.
    pub log: CallLog,
    /// The state that the probes of the family share.
    pub state: FamilyState,
    calls: AtomicUsize,
    spent_ms: AtomicU64,
    quickest_ms: AtomicU64,
    /// Whether any call returned something that looks like an envelope.
    spoke: AtomicBool,
    /// Whether the tool still answers.
    pub pulse: Pulse,
}

impl fmt::Debug for ToolCaller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("target", &self.target).finish_non_exhaustive()
    }
}

impl ToolCaller {
    /// Creates a session from the facts that are known about a tool before it runs.
    #[must_use]
    pub fn new(
        target: Target,
        contract: Contract,
        fixture: Option<Fixture>,
        isolation: Result<(), Reason>,
    ) -> Self {
        let tools = TOOLS.of(target.family);
        let name = tools.and_then(FamilyTools::manifest);
        let manifest = target.root.as_ref().zip(name).and_then(|(root, name)| {
            let loaded = files::read(&root.join(name), MAX_MANIFEST).ok()?;
            strict_json::read(std::str::from_utf8(&loaded.bytes).ok()?).ok()
        });
        let known = tools.zip(manifest.as_ref()).map(|(tools, manifest)| tools.secrets(manifest));
        let credentials = credentials(known.unwrap_or_default(), fixture.as_ref());
        Self {
            target,
            contract,
            fixture,
            isolation,
            containment: RunContainment::default(),
            manifest,
            credentials,
            bytecode: BytecodeDirectory::new(),
            memory: Memory::default(),
            log: CallLog::default(),
            state: FamilyState::default(),
            calls: AtomicUsize::new(0),
            spent_ms: AtomicU64::new(0),
            quickest_ms: AtomicU64::new(u64::MAX),
            spoke: AtomicBool::new(false),
            pulse: Pulse::default(),
        }
    }

    /// True if the upstream takes no credentials.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.credentials.is_empty() && self.fixture.as_ref().is_some_and(|fixture| fixture.is_open)
    }

    /// Returns the reason why a probe with this need cannot run; `None` if it can.
    #[must_use]
    pub fn lacks(&self, need: Need) -> Option<String> {
        let lacking = |is_there: bool, why: &str| (!is_there).then(|| why.to_owned());
        match need {
            Need::Fixture => lacking(self.fixture.is_some(), "there is no conform.toml"),
            Need::Facts => self
                .tools()
                .map_or(Some("aos cannot call tools of this family"), |tools| {
                    tools.lacks_facts(self.fixture.as_ref())
                })
                .map(str::to_owned),
            Need::Credentials => lacking(
                !self.credentials.is_empty() || self.is_open(),
                "neither manifest nor conform.toml names a variable that holds a secret",
            ),
            Need::BaseUrl => lacking(
                self.base_url_env().is_some(),
                "conform.toml does not say which variable moves the tool to another upstream (`base_url_env`)",
            ),
            Need::Namespace => self.isolation.as_ref().err().map(|why| {
                format!(
                    "the network cannot be isolated, and the call might reach a real upstream: {why}"
                )
            }),
            Need::Project => lacking(
                self.target.root.is_some(),
                "it needs the project, but only a command was given",
            ),
            Need::Manifest => self.manifest.is_none().then(|| {
                let name = self.tools().and_then(FamilyTools::manifest).unwrap_or("manifest");
                format!("there is no readable {name}")
            }),
            Need::Python => lacking(
                crate::system::search_path::find("python3").is_some(),
                "`python3` is not on PATH",
            ),
        }
    }

    /// The variable that moves the tool to the mock.
    #[must_use]
    pub fn base_url_env(&self) -> Option<&str> {
        self.fixture.as_ref()?.base_url_env.as_deref()
    }

    pub(super) fn tools(&self) -> Option<&'static dyn FamilyTools> {
        TOOLS.of(self.target.family)
    }

    /// True if calls can reach only this machine.
    #[must_use]
    pub fn is_contained(&self) -> bool {
        self.isolation.is_ok()
    }

    /// Sentinels for every secret of the tool.
    #[must_use]
    pub fn sentinels(&self, shape: SecretShape) -> Vec<Sentinel> {
        self.credentials.iter().map(|name| Sentinel::new(name, shape)).collect()
    }

    /// Returns the number of calls and their total time in milliseconds.
    #[must_use]
    pub fn spent(&self) -> (usize, u64) {
        (self.calls.load(Ordering::Relaxed), self.spent_ms.load(Ordering::Relaxed))
    }

    /// The quickest call of all: what the tool takes to start.
    #[must_use]
    pub fn startup_ms(&self) -> Option<u64> {
        let quickest = self.quickest_ms.load(Ordering::Relaxed);
        (quickest < u64::MAX).then_some(quickest)
    }

    /// True if no call of this run returned an envelope, not even the one that every tool answers. Then the absence of
    /// faults proves nothing.
    #[must_use]
    pub fn is_mute(&self) -> bool {
        if self.tools().is_some_and(|tools| !tools.answers_with_envelopes()) {
            return false;
        }
        if !self.spoke.load(Ordering::Relaxed) {
            let _ = self.observe(&self.greeting());
        }
        !self.spoke.load(Ordering::Relaxed)
    }

    /// Counts a call that the family made itself.
    pub fn count(&self, duration_ms: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.spent_ms.fetch_add(duration_ms, Ordering::Relaxed);
        self.quickest_ms.fetch_min(duration_ms, Ordering::Relaxed);
    }

    /// The call that every tool of the family answers.
    fn greeting(&self) -> ToolCall {
        let words = self.tools().map(FamilyTools::greeting).unwrap_or_default();
        ToolCall::new(words.iter().copied())
    }

    /// Makes a call, or returns the result of an equal one.
    #[must_use]
    pub fn observe(&self, call: &ToolCall) -> Arc<Observed> {
        self.memory.get(call, |call| self.perform(call, None))
    }

    /// Makes calls, or returns the results of equal ones, in their order.
    #[must_use]
    pub fn observe_all(&self, calls: &[ToolCall]) -> Vec<Arc<Observed>> {
        self.memory.get_all(calls, |call| self.perform(call, None))
    }

    /// Returns the time of a call. A call that took longer than `most_ms` is made once more, and the shorter time
    /// counts, because a busy machine is not a fault of the tool.
    #[must_use]
    pub fn timed_ms(&self, call: &ToolCall, observed: &Observed, most_ms: u64) -> u64 {
        let took = observed.duration_ms();
        if took <= most_ms { took } else { took.min(self.perform(call, None).duration_ms()) }
    }

    /// Makes a call in a sandbox of the probe: for several calls that share a home. Never remembered.
    #[must_use]
    pub fn observe_in(&self, call: &ToolCall, sandbox: &Sandbox, mock: Option<&Mock>) -> Observed {
        self.perform(call, Some((sandbox, mock)))
    }

    fn perform(&self, call: &ToolCall, given: Option<(&Sandbox, Option<&Mock>)>) -> Observed {
        let secrets = call.secrets.map(|shape| self.sentinels(shape)).unwrap_or_default();
        let argv = std::iter::once(self.target.tool.clone()).chain(call.arguments.iter().cloned());
        let mut observed = Observed {
            argv: argv.collect(),
            ran: Err(Reason::from("")),
            secrets,
            connections: 0,
            requests: Vec::new(),
            was_kept_waiting: false,
        };
        if let Some(why) = self.pulse.refuse() {
            observed.ran = Err(why.into());
            return observed;
        }
        observed.ran = self.attempt(call, given, &mut observed);
        self.listen(call, &observed);
        self.log.note(call, &observed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.spent_ms.fetch_add(observed.duration_ms(), Ordering::Relaxed);
        if observed.looks_like_an_envelope() {
            self.spoke.store(true, Ordering::Relaxed);
        }
        if observed.exit() == Some(0) {
            self.quickest_ms.fetch_min(observed.duration_ms(), Ordering::Relaxed);
        }
        observed
    }

    /// Records whether the tool still responds.
    fn listen(&self, call: &ToolCall, observed: &Observed) {
        let is_silent = |observed: &Observed| {
            observed.ran.as_ref().is_ok_and(|ran| ran.ending == Ending::TimedOut)
        };
        if !is_silent(observed) {
            self.pulse.answered();
            return;
        }
        // In a call that a probe disturbs on purpose, silence can be the right answer.
        if call.event != Event::None || observed.was_kept_waiting || !self.pulse.missed() {
            return;
        }
        let silent = self.pulse.silent();
        let mut greeting = self.greeting();
        greeting.limit = GREETING_LIMIT;
        let mut answer = Observed { argv: Vec::new(), ..observed.clone() };
        answer.ran = self.attempt(&greeting, None, &mut answer);
        if !is_silent(&answer) {
            self.pulse.answered();
            return;
        }
        let last = observed.argv.join(" ");
        self.pulse.lose(format!(
            "the tool hangs: {silent} calls in a row did not end in time, the last was `{last}`, and `{}` does not either",
            greeting.arguments.join(" ")
        ));
    }

    fn attempt(
        &self,
        call: &ToolCall,
        given: Option<(&Sandbox, Option<&Mock>)>,
        observed: &mut Observed,
    ) -> Result<Ran, Reason> {
        let fault = |error: std::io::Error| Reason::of(error);
        let (own_sandbox, own_mock);
        let sandbox = match given {
            Some((sandbox, _)) => sandbox,
            None => {
                own_sandbox = Sandbox::new().map_err(fault)?;
                &own_sandbox
            }
        };
        let mock = match (given.and_then(|(_, mock)| mock), call.upstream) {
            (Some(mock), _) => Some(mock),
            (None, Upstream::Refusing) => None,
            (None, Upstream::Mock(behaviour)) => {
                own_mock = self.mock(behaviour, &observed.secrets).map_err(fault)?;
                Some(&own_mock)
            }
        };
        let url = mock.map_or_else(loopback::refusing_url, |mock| Ok(mock.url())).map_err(fault)?;
        let around = Surroundings {
            url: &url,
            fixture: self.fixture.as_ref(),
            bytecode: self.bytecode.as_ref().map(BytecodeDirectory::path),
            secrets: &observed.secrets,
        };
        let environment = around.variables(call, sandbox);
        let work = sandbox.work();
        // A copy is a program of one file, which neither needs words before its own nor files of the project.
        let copy = sandbox.program();
        let usual = if copy.is_some() { &[][..] } else { &self.target.prefix };
        let (elsewhere, prefix) = sandbox
            .setting()
            .map_or((None, usual), |(directory, prefix)| (Some(directory), prefix));
        let arguments: Vec<_> = prefix.iter().chain(&call.arguments).cloned().collect();
        let before = mock.map_or(0, Mock::connections);
        let clock = Stopwatch::start();
        let connected = || mock.is_some_and(|mock| mock.connections() > before);
        let marked = OnceLock::new();
        let due = || match call.event {
            Event::InterruptAfter(after) => clock.elapsed_ms() >= after,
            Event::AtMark(_, after) => {
                let now = clock.elapsed_ms();
                sandbox.is_marked() && now >= *marked.get_or_init(|| now) + after
            }
            _ => connected(),
        };
        let directory = self.target.directory.as_deref().filter(|_| copy.is_none());
        let enclosure = self.enclosure(sandbox);
        let launch = Launch {
            program: copy.unwrap_or(&self.target.program),
            arguments: &arguments,
            directory: elsewhere.or(directory).unwrap_or(&work),
            environment: &environment,
            stdin: &call.stdin,
            holds_stdin: call.holds_stdin,
            limit: call.limit,
            excuses_queue: true,
            most_output: MAX_OUTPUT,
            stimulus: match call.event {
                Event::None => Stimulus::None,
                Event::CloseStdout => Stimulus::CloseStdout,
                Event::InterruptWhenConnected
                | Event::InterruptAfter(_)
                | Event::AtMark(Signal::Interrupt, _) => Stimulus::InterruptWhen(&due),
                Event::TerminateWhenConnected => Stimulus::TerminateWhen(&due),
                Event::AtMark(Signal::Kill, _) => Stimulus::KillWhen(&due),
            },
            obeys_modes: call.obeys_modes,
            enclosure: enclosure.as_ref(),
        };
        let ran = subject::run(&launch).map_err(|error| {
            let why = start::fault(launch.program, &error);
            self.does_not_start(launch.program, &why);
            Reason::from(why)
        })?;
        let exit = match ran.ending {
            Ending::Exited(exit) => Some(exit),
            _ => None,
        };
        if let Some(why) = start::fault_of_shell(launch.program, exit) {
            self.does_not_start(launch.program, &why);
            return Err(why.into());
        }
        if !self.spoke.load(Ordering::Relaxed)
            && copy.is_none()
            && let Some(why) = self.containment.explains(&ran)
        {
            self.does_not_start(launch.program, &why);
            return Err(why.into());
        }
        if let Some(mock) = mock {
            observed.was_kept_waiting = mock.was_late();
            observed.connections = mock.connections() - before;
            observed.requests = mock.requests();
        }
        Ok(ran)
    }

    /// The upstream of one call: the API of the facts, where there are some.
    fn mock(&self, behaviour: Behaviour, secrets: &[Sentinel]) -> std::io::Result<Mock> {
        let stated = self.fixture.as_ref().zip(self.tools());
        if let Some(mock) =
            stated.and_then(|(fixture, tools)| tools.upstream(fixture, behaviour, secrets))
        {
            return mock;
        }
        let routes = self.fixture.as_ref().map_or(&[][..], |fixture| &fixture.routes);
        Mock::start(behaviour, routes)
    }

    /// A tool that cannot be started is not started again; a copy of it that a probe made may be.
    fn does_not_start(&self, program: &std::path::Path, why: &str) {
        if program == self.target.program {
            self.pulse.lose(format!("`{}` cannot be started: {why}", self.target.tool));
        }
    }

    #[must_use]
    pub fn family(&self) -> Family {
        self.target.family
    }
}

/// Names of variables that hold secrets: of the manifest and of the fixture, without what is public.
fn credentials(known: Vec<String>, fixture: Option<&Fixture>) -> Vec<String> {
    let public = fixture.map(|fixture| fixture.public.as_slice()).unwrap_or_default();
    let base = fixture.and_then(|fixture| fixture.base_url_env.as_deref());
    let more = fixture.map(|fixture| fixture.secrets.clone()).unwrap_or_default();
    let mut names: Vec<_> = known
        .into_iter()
        .chain(more)
        .filter(|name| !public.contains(name) && base != Some(name.as_str()))
        .filter(|name| !name.is_empty() && !name.contains(['=', '\0']) && name.len() <= 100)
        .collect();
    names.sort();
    names.dedup();
    names
}
