//! The environment of a probe of this family: one home, one mock upstream behind a proxy, and calls that share both.
//!
//! Also how a probe ends early: it failed, it could not be found out, or the contract asks nothing.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::conform::mock::Mock;
use crate::conform::probe::{CallEvidence, Conclusion, ProbeVerdict};
use crate::conform::sandbox::Sandbox;
use crate::conform::secrets::Sentinel;
use crate::conform::session::{Event, Observed, ToolCall, ToolCaller};
use crate::families::agent_cli::contract::AgentCliContract;

use super::fixture::{self, AgentCliFixture, Role, Sample};
use super::normal;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::tally::Tally;
use super::upstream::UpstreamProcess;
use crate::reason::Reason;

/// Most calls that the finding of a probe shows.
const MAX_EVIDENCE: usize = 4;
/// Time limit for a call that should not wait for anything.
pub const PROMPT_LIMIT: Duration = Duration::from_secs(8);

/// Why a probe that found nothing wrong passes nothing.
const NOTHING: &str = "no response of the tool was of the kind that this probe judges";

pub(super) fn unusable() -> Unfinished {
    Unfinished::Blocked(
        "`reference` lists no commands that can be read; see `cli.reference-commands`".to_owned(),
    )
}

pub(super) fn local() -> Unfinished {
    Unfinished::NotApplicable("conform.toml says that the tool has no upstream".to_owned())
}

/// The account that makes a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Account {
    None,
    One,
    Other,
}

/// The environment of the calls of one probe.
pub struct ProbeCaller<'a> {
    pub session: &'a ToolCaller,
    pub fixture: &'a AgentCliFixture,
    pub contract: &'a AgentCliContract,
    pub sandbox: Sandbox,
    upstream: RefCell<Option<UpstreamProcess>>,
    shown: RefCell<Vec<CallEvidence>>,
    /// A failure is shown with the calls before it.
    has_history: Cell<bool>,
    /// The targets that the probe has exercised.
    pub tally: Rc<Tally>,
}

/// Runs a probe and puts its end into a finding.
pub fn examine(
    session: &ToolCaller,
    probe: impl FnOnce(&ProbeCaller<'_>) -> ProbeStep,
) -> Conclusion {
    let lab = match ProbeCaller::new(session) {
        Ok(lab) => lab,
        Err(reason) => return Conclusion::blocked(reason),
    };
    let ended = probe(&lab);
    let (targets, unit) = lab.tally.total();
    let mut finding = match ended {
        Ok(()) => {
            let mut finding = Conclusion::unless_vacuous(targets, unit, NOTHING);
            if let (ProbeVerdict::Pass, Some(choice)) = (finding.verdict(), lab.tally.choice()) {
                finding.message = choice;
            }
            finding
        }
        Err(Unfinished::Fail(message, evidence)) => {
            let finding = Conclusion::fail(message).about(targets, unit);
            let finding = evidence.into_iter().fold(finding, |finding, each| finding.with(*each));
            // The failed call is usually enough evidence; the calls before it are noise.
            let before = if lab.has_history.get() { lab.shown.take() } else { Vec::new() };
            return before.into_iter().fold(finding, Conclusion::with);
        }
        Err(Unfinished::Blocked(message)) => Conclusion::blocked(message),
        Err(Unfinished::NotApplicable(message)) => Conclusion::not_applicable(message),
    };
    finding.evidence = lab.shown.take();
    finding.about(targets, unit)
}

impl<'a> ProbeCaller<'a> {
    /// A home for calls that belong together.
    ///
    /// # Errors
    /// Returns an error if there is no sandbox, or if the contract belongs to another family.
    pub fn new(session: &'a ToolCaller) -> Result<Self, Reason> {
        static NOTHING: AgentCliFixture = AgentCliFixture {
            local: false,
            long: Vec::new(),
            credentials: None,
            gate: None,
            upstream: None,
            update: None,
            commands: Vec::new(),
        };
        let contract = session
            .contract
            .of::<AgentCliContract>()
            .map_err(|_| "the contract is one of another family")?;
        let sandbox =
            Sandbox::new().map_err(|error| format!("the sandbox cannot be created: {error}"))?;
        Ok(Self {
            session,
            fixture: fixture::of(session).unwrap_or(&NOTHING),
            contract,
            sandbox,
            upstream: RefCell::default(),
            shown: RefCell::default(),
            has_history: Cell::default(),
            tally: Rc::default(),
        })
    }

    /// A call without secrets and upstream; equal ones of all probes are made once.
    #[must_use]
    pub fn look(&self, words: &[&str]) -> Answered {
        let mut call = ToolCall::new(words.iter().copied());
        call.limit = PROMPT_LIMIT;
        call.holds_stdin = true;
        self.kept(self.session.observe(&call))
    }

    /// A call in the home of this probe, as this account, with the upstream if it was started.
    #[must_use]
    pub fn run_as(&self, account: Account, words: &[String], more: &[(&str, &str)]) -> Answered {
        self.run(account, words, more, Event::None)
    }

    /// A call of the first account.
    #[must_use]
    pub fn call(&self, words: &[String]) -> Answered {
        self.run(Account::One, words, &[], Event::None)
    }

    /// A call of the first account whose stdin stays open, as where nobody is at the keyboard.
    #[must_use]
    pub fn unattended(&self, words: &[String]) -> Answered {
        let upstream = self.upstream.borrow();
        let mock = upstream.as_ref().map(|upstream| &upstream.mock);
        let mut call = self.prepared(Account::One, words, &[], Event::None);
        (call.limit, call.holds_stdin) = (PROMPT_LIMIT, true);
        let mut observed = self.session.observe_in(&call, &self.sandbox, mock);
        observed.secrets = self.secrets();
        self.kept(Arc::new(observed))
    }

    /// A call with everything said.
    #[must_use]
    pub fn run(
        &self,
        account: Account,
        words: &[String],
        more: &[(&str, &str)],
        event: Event,
    ) -> Answered {
        self.kept(Arc::new(self.observe(&self.sandbox, account, words, more, event)))
    }

    /// A call in another home.
    #[must_use]
    pub fn elsewhere(&self, sandbox: &Sandbox, words: &[String]) -> Answered {
        self.kept(Arc::new(self.observe(sandbox, Account::One, words, &[], Event::None)))
    }

    /// Makes a call and shows it nowhere; may run on several threads.
    fn observe(
        &self,
        sandbox: &Sandbox,
        account: Account,
        words: &[String],
        more: &[(&str, &str)],
        event: Event,
    ) -> Observed {
        let upstream = self.upstream.borrow();
        let mock = upstream.as_ref().map(|upstream| &upstream.mock);
        let call = self.prepared(account, words, more, event);
        let mut observed = self.session.observe_in(&call, sandbox, mock);
        observed.secrets = self.secrets();
        observed
    }

    fn prepared(
        &self,
        account: Account,
        words: &[String],
        more: &[(&str, &str)],
        event: Event,
    ) -> ToolCall {
        let mut call = ToolCall::new(words.iter().cloned()).event(event);
        for secret in self.secrets_of(account) {
            call = call.variable(&secret.name, &secret.value);
        }
        more.iter().fold(call, |call, (name, value)| call.variable(name, value))
    }

    /// A call in the home of this probe against another server than the upstream.
    #[must_use]
    pub fn run_against(
        &self,
        mock: &Mock,
        account: Account,
        words: &[String],
        more: &[(&str, &str)],
        event: Event,
    ) -> Answered {
        let call = self.prepared(account, words, more, event);
        let mut observed = self.session.observe_in(&call, &self.sandbox, Some(mock));
        observed.secrets = self.secrets();
        self.kept(Arc::new(observed))
    }

    /// A call in another sandbox, as this account.
    #[must_use]
    pub fn run_in(
        &self,
        sandbox: &Sandbox,
        account: Account,
        words: &[String],
        more: &[(&str, &str)],
    ) -> Answered {
        self.kept(Arc::new(self.observe(sandbox, account, words, more, Event::None)))
    }

    /// A call in another home against another server than the upstream, with everything said.
    #[must_use]
    pub fn run_there(&self, mock: &Mock, sandbox: &Sandbox, call: &ToolCall) -> Answered {
        let observed = self.session.observe_in(call, sandbox, Some(mock));
        self.kept(Arc::new(observed))
    }

    /// Two equal calls at the same moment.
    #[must_use]
    pub fn twice_at_once(&self, words: &[String]) -> [Answered; 2] {
        let upstream = self.upstream.borrow();
        let mock = upstream.as_ref().map(|upstream| &upstream.mock);
        let call = self.prepared(Account::One, words, &[], Event::None);
        let (session, sandbox) = (self.session, &self.sandbox);
        let observe = || session.observe_in(&call, sandbox, mock);
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(observe);
            (observe(), other.join())
        });
        let second = second.unwrap_or_else(|_| first.clone());
        [first, second].map(|mut observed| {
            observed.secrets = self.secrets();
            self.kept(Arc::new(observed))
        })
    }

    /// From now on a failure is shown with the calls before it, which it depends on.
    pub fn keep_history(&self) {
        self.has_history.set(true);
    }

    fn kept(&self, observed: Arc<Observed>) -> Answered {
        let mut shown = self.shown.borrow_mut();
        if shown.len() < MAX_EVIDENCE {
            shown.push(observed.evidence(""));
        }
        Answered::new(observed, Rc::clone(&self.tally))
    }

    /// Starts the mock of the project behind a proxy.
    ///
    /// # Errors
    /// Blocked when the fixture does not say how, or when it does not start.
    pub fn start_upstream(&self) -> ProbeStep {
        if self.fixture.local {
            return Err(local());
        }
        let started = UpstreamProcess::start(self.session, self.fixture, &self.sandbox);
        *self.upstream.borrow_mut() = Some(started.map_err(Unfinished::blocked)?);
        Ok(())
    }

    /// The upstream that was started.
    ///
    /// # Errors
    /// Blocked when there is none.
    pub fn with_upstream<T>(&self, act: impl FnOnce(&UpstreamProcess) -> T) -> ProbeStep<T> {
        let upstream = self.upstream.borrow();
        upstream
            .as_ref()
            .map(act)
            .ok_or_else(|| Unfinished::Blocked("there is no upstream".to_owned()))
    }

    /// Requests so far that would have changed something.
    #[must_use]
    pub fn mutations(&self) -> usize {
        self.upstream.borrow().as_ref().map_or(0, |upstream| upstream.mock.mutations())
    }

    /// Starts the upstream and returns the first sample of a role.
    ///
    /// # Errors
    /// Returns an error if there is no upstream or no sample.
    pub fn sample(&self, role: Role) -> ProbeStep<&'a Sample> {
        let sample = self.samples(role).next();
        let sample = sample.ok_or_else(|| self.lacks_sample(role))?;
        self.start_upstream()?;
        Ok(sample)
    }

    /// The first sample of a role, also of a tool that has no upstream; starts it where there is one.
    ///
    /// # Errors
    /// Returns an error if there is no sample, or no upstream where one is needed.
    pub fn reading(&self, role: Role) -> ProbeStep<&'a Sample> {
        match self.samples(role).next() {
            Some(sample) if self.fixture.local => Ok(sample),
            _ => self.sample(role),
        }
    }

    pub fn samples(&self, role: Role) -> impl Iterator<Item = &'a Sample> + use<'a> {
        self.fixture.commands.iter().filter(move |sample| sample.role == role)
    }

    /// Returns the entry in `reference` of a command that conform.toml names.
    ///
    /// # Errors
    /// Blocked when it says nothing.
    pub fn declared(&self, path: &str) -> ProbeStep<Value> {
        let reference = self.reference()?;
        super::listing::declared(&reference, path).cloned().ok_or_else(|| {
            Unfinished::Blocked(format!(
                "conform.toml names `{path}`, which `reference` does not list"
            ))
        })
    }

    /// The fields of a command whose text others wrote.
    ///
    /// # Errors
    /// Blocked when `reference` does not say which these are.
    pub fn foreign(&self, path: &str) -> ProbeStep<Vec<String>> {
        let (reference, command) = (self.reference()?, self.declared(path)?);
        let label = command["output_schema"].as_str().unwrap_or_default();
        let fields = reference["schemas"][label]["untrusted_fields"].as_array();
        let fields = fields.ok_or_else(|| {
            Unfinished::Blocked(format!(
                "`reference` does not say which fields of `{path}` contain text from outside"
            ))
        })?;
        Ok(fields.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// The data of `reference`, when it lists commands that can be read: from a list that cannot be read nothing may
    /// be concluded, least of all that the tool has no writes.
    #[must_use]
    pub fn session_reference(&self) -> Option<Value> {
        let shot = self.look(&["reference"]);
        if !shot.is_ok() {
            return None;
        }
        normal::read(shot.data()).map(|normal| normal.data)
    }

    /// The data of `reference`.
    ///
    /// # Errors
    /// Blocked when there is none: another probe says why.
    pub fn reference(&self) -> ProbeStep<Value> {
        self.session_reference().ok_or_else(unusable)
    }

    /// The secrets of an account.
    #[must_use]
    pub fn secrets_of(&self, account: Account) -> Vec<Sentinel> {
        let Some(credentials) = &self.fixture.credentials else { return Vec::new() };
        match account {
            Account::None => Vec::new(),
            Account::One => credentials.of_first().into_iter().map(|(made, _)| made).collect(),
            Account::Other => credentials.of_other().into_iter().map(|(made, _)| made).collect(),
        }
    }

    /// All secrets that calls may carry.
    #[must_use]
    pub fn secrets(&self) -> Vec<Sentinel> {
        [Account::One, Account::Other]
            .into_iter()
            .flat_map(|account| self.secrets_of(account))
            .collect()
    }
}

/// Words as a call wants them.
#[must_use]
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Words and more words.
#[must_use]
pub fn and(first: &[String], more: &[&str]) -> Vec<String> {
    first.iter().cloned().chain(words(more)).collect()
}
