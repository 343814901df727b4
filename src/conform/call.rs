//! One call of the tool: arguments, variables, secrets, what is at the other end, what happens meanwhile.

use std::time::Duration;

use super::mock::Behaviour;
use super::secrets::SecretShape;

/// Longest time of a call unless it says otherwise: that of the host for a command.
pub const CALL_LIMIT: Duration = Duration::from_secs(15);

/// Most bytes of a stream that are kept: more than the host takes, and enough for the `reference` of 2,000 commands.
pub const MAX_OUTPUT: usize = 8_000_000;

/// The upstream that the tool reaches.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Upstream {
    /// A closed port.
    #[default]
    Refusing,
    /// The mock.
    Mock(Behaviour),
}

/// An event during the run of the tool.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Event {
    #[default]
    None,
    /// SIGINT as soon as it has a connection to the mock.
    InterruptWhenConnected,
    /// SIGTERM as soon as it has a connection to the mock.
    TerminateWhenConnected,
    /// SIGINT after so many milliseconds.
    InterruptAfter(u64),
    /// Stdout is closed.
    CloseStdout,
    /// A signal so many milliseconds after the mark of the sandbox is set: by a mock, or by a stand-in for a program.
    AtMark(Signal, u64),
}

/// A signal that a program gets while it works.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Signal {
    Interrupt,
    Kill,
}

/// One call of the tool. Calls that are equal are made once.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ToolCall {
    pub arguments: Vec<String>,
    /// Variables of this call, after all others.
    pub environment: Vec<(String, String)>,
    /// Whether the secrets of the tool are set, and to what.
    pub secrets: Option<SecretShape>,
    pub upstream: Upstream,
    pub event: Event,
    pub stdin: Vec<u8>,
    /// Stdin stays open without an end, so a program that asks a person there waits.
    pub holds_stdin: bool,
    pub limit: Duration,
    /// Modes of files hold for it, also when root runs `aos`.
    pub obeys_modes: bool,
    /// Tells calls apart that are equal otherwise and must both be made.
    pub round: u32,
}

impl ToolCall {
    /// Creates a call with these arguments, without secrets and without an upstream.
    #[must_use]
    pub fn new<S: Into<String>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self {
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
            secrets: None,
            upstream: Upstream::Refusing,
            event: Event::None,
            stdin: Vec::new(),
            holds_stdin: false,
            limit: CALL_LIMIT,
            obeys_modes: false,
            round: 0,
        }
    }

    /// With sentinel secrets.
    #[must_use]
    pub fn secrets(mut self, shape: SecretShape) -> Self {
        self.secrets = Some(shape);
        self
    }

    /// With a mock that behaves like this.
    #[must_use]
    pub fn upstream(mut self, behaviour: Behaviour) -> Self {
        self.upstream = Upstream::Mock(behaviour);
        self
    }

    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn event(mut self, event: Event) -> Self {
        self.event = event;
        self
    }
}
