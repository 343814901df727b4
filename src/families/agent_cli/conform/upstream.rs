//! The mock upstream of a project, and the proxy in front of it that can answer in its place and counts what passes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::conform::mock::{Mock, ReceivedRequest, Reply};
use crate::conform::sandbox::Sandbox;
use crate::conform::secrets::percent;
use crate::conform::session::ToolCaller;
use crate::conform::start;
use crate::reason::Reason;
use crate::system::clock::Stopwatch;
use crate::system::loopback::Answer;
use crate::system::subject::{self, Ending, Launch, Ran, Stimulus};
use crate::system::{files, loopback, relay, search_path};

use super::fixture::{AgentCliFixture, DeclaredUpstream as Declared, PORT};

/// How long a mock may take until it listens, and how long it may live.
const START: Duration = Duration::from_secs(20);
const LIFE: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(10);
const MAX_OUTPUT: usize = 64 * 1024;

type Instead = Arc<Mutex<Option<Arc<Answer>>>>;

/// A running mock behind a running proxy; both end when this is dropped.
pub struct UpstreamProcess {
    pub mock: Mock,
    instead: Instead,
    process: MockProcess,
    swaps: Vec<(String, String)>,
}

impl UpstreamProcess {
    /// Starts both.
    ///
    /// # Errors
    /// Says in one sentence what is missing or does not start.
    pub fn start(
        session: &ToolCaller,
        fixture: &AgentCliFixture,
        sandbox: &Sandbox,
    ) -> Result<Self, Reason> {
        if session.base_url_env().is_none() {
            return Err("conform.toml does not say which variable moves the tool to another upstream (`base_url_env`)".into());
        }
        let declared =
            fixture.upstream.as_ref().ok_or("conform.toml has no [agent_cli.upstream]")?;
        let process = MockProcess::start(session, declared, sandbox)?;
        let port = process.port;
        let swaps = swaps(fixture);
        let passed = swaps.clone();
        let instead = Instead::default();
        let replaced = Arc::clone(&instead);
        let answer: Arc<Answer> = Arc::new(move |request: &ReceivedRequest| {
            let other = replaced.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match other {
                Some(answer) => answer(request),
                None => passed_on(port, request, &passed),
            }
        });
        let mock =
            Mock::with(answer).map_err(|error| format!("loopback has no free port: {error}"))?;
        Ok(Self { mock, instead, process, swaps })
    }

    /// The address of the mock itself.
    pub fn direct(&self) -> String {
        format!("http://127.0.0.1:{}", self.process.port)
    }

    /// From now on the second request that would change something fails, also when it is sent again; the mock answers
    /// all others.
    pub fn break_second_write(&self) {
        let writes: Mutex<Vec<Vec<u8>>> = Mutex::default();
        let (port, swaps) = (self.process.port, self.swaps.clone());
        self.replace(move |request| {
            let reads = ["GET", "HEAD", "OPTIONS"].contains(&request.method.as_str());
            let key = [request.target.as_bytes(), b"\n", &request.body].concat();
            let mut writes = writes.lock().unwrap_or_else(PoisonError::into_inner);
            if !reads && !writes.contains(&key) && writes.len() < 2 {
                writes.push(key.clone());
            }
            if !reads && writes.get(1) == Some(&key) {
                return Reply::new(500, "application/json", "{}");
            }
            passed_on(port, request, &swaps)
        });
    }

    /// From now on the mock answers what `change` makes of each request, and the tool gets what `edit` makes of the
    /// response.
    pub fn alter(
        &self,
        change: impl Fn(&mut ReceivedRequest) + Send + Sync + 'static,
        edit: impl Fn(&ReceivedRequest, &mut Reply) + Send + Sync + 'static,
    ) {
        let (port, swaps) = (self.process.port, self.swaps.clone());
        self.replace(move |request| {
            let mut request = request.clone();
            change(&mut request);
            let mut reply = passed_on(port, &request, &swaps);
            edit(&request, &mut reply);
            reply
        });
    }

    /// From now on this answers in place of the mock.
    pub fn replace(&self, answer: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static) {
        let answer: Arc<Answer> = Arc::new(answer);
        *self.instead.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }

    /// From now on the mock answers again.
    pub fn restore(&self) {
        *self.instead.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Returns the secrets that the tool sends, each with the secret of the mock that replaces it.
fn swaps(fixture: &AgentCliFixture) -> Vec<(String, String)> {
    let Some(credentials) = &fixture.credentials else { return Vec::new() };
    let first = credentials.of_first().into_iter().map(|(made, known)| (made, Some(known)));
    let all = first.chain(credentials.of_other());
    all.filter_map(|(made, known)| Some((made.value, known?.to_owned()))).collect()
}

fn passed_on(port: u16, request: &ReceivedRequest, swaps: &[(String, String)]) -> Reply {
    relay::forward(port, &translated(request, swaps)).unwrap_or_else(|error| {
        Reply::new(502, "text/plain", format!("the mock upstream does not respond: {error}"))
    })
}

fn translated(request: &ReceivedRequest, swaps: &[(String, String)]) -> ReceivedRequest {
    let mut request = request.clone();
    for (from, to) in swaps {
        request.target = request.target.replace(&percent(from), &percent(to));
        // HTTP Basic: a made-up secret has no `:`, so a tool may take it for the name of a user.
        let encoded = [STANDARD.encode(from), STANDARD.encode(format!("{from}:"))];
        for (_, value) in &mut request.headers {
            if value.contains(from.as_str()) {
                *value = value.replace(from.as_str(), to);
            } else if let Some(found) = encoded.iter().find(|one| value.ends_with(one.as_str())) {
                *value = value.replace(found.as_str(), &STANDARD.encode(to));
            }
        }
    }
    request
}

/// Describes the unexpected end of a mock, with its last output.
fn how_it_ended(ran: &Ran) -> String {
    let ending = match ran.ending {
        Ending::Exited(code) => format!("ended by itself with exit {code}"),
        Ending::Signalled(signal) => format!("was ended by signal {signal}"),
        Ending::Flooded => "wrote without an end".to_owned(),
        Ending::TimedOut => "did not end in time".to_owned(),
        Ending::Interrupted => "was interrupted".to_owned(),
    };
    let stderr = String::from_utf8_lossy(&ran.stderr);
    let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last {
        Some(last) => format!("{ending}: {}", last.chars().take(200).collect::<String>()),
        None => format!("{ending} and printed nothing to stderr"),
    }
}

/// The directory of the project, and a program that its fixture names, with the words after it.
pub fn of_project<'a>(
    session: &ToolCaller,
    command: &'a [String],
    what: &str,
) -> Result<(PathBuf, PathBuf, &'a [String]), Reason> {
    let root = session.fixture.as_ref().map(|fixture| fixture.directory.clone());
    let root = root.ok_or_else(|| format!("no conform.toml describes how to start {what}"))?;
    let (first, rest) = command.split_first().ok_or_else(|| format!("{what} has no program"))?;
    let program = if first.contains(['/', '\\']) {
        let real = files::canonical(&root.join(first)).ok();
        if real.as_ref().is_some_and(|real| !real.starts_with(&root)) {
            return Err(format!(
                "{what} `{first}` is a link to a program outside of the project; name a program of the project, or one on PATH without a slash"
            ).into());
        }
        real
    } else {
        search_path::find(first)
    };
    let program = program.ok_or_else(|| {
        format!("{what} cannot be started: there is no program `{first}`; build it first")
    })?;
    Ok((root, program, rest))
}

/// The process of the mock.
struct MockProcess {
    port: u16,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<String>>,
}

impl MockProcess {
    fn start(session: &ToolCaller, declared: &Declared, sandbox: &Sandbox) -> Result<Self, Reason> {
        let (root, program, rest) = of_project(session, &declared.command, "the mock upstream")?;
        let url = loopback::refusing_url().map_err(|error| format!("no port is free: {error}"))?;
        let port: u16 =
            url.rsplit(':').next().and_then(|port| port.parse().ok()).ok_or("no port is free")?;
        let arguments: Vec<_> =
            rest.iter().map(|word| word.replace(PORT, &port.to_string())).collect();
        let environment = sandbox.environment();
        let enclosure = session.enclosure(sandbox);
        let stopped = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&stopped);
        let body = move || {
            let is_due = || ends.load(Ordering::SeqCst);
            let ran = subject::run(&Launch {
                program: &program,
                arguments: &arguments,
                directory: &root,
                environment: &environment,
                stdin: &[],
                holds_stdin: false,
                limit: LIFE,
                excuses_queue: false,
                most_output: MAX_OUTPUT,
                stimulus: Stimulus::StopWhen(&is_due),
                obeys_modes: false,
                enclosure: enclosure.as_ref(),
            });
            match ran {
                Ok(ran) => how_it_ended(&ran),
                Err(error) => format!("cannot be started: {}", start::fault(&program, &error)),
            }
        };
        let thread = std::thread::Builder::new().spawn(body);
        let thread = thread.map_err(|error| format!("a thread cannot be started: {error}"))?;
        let mut process = Self { port, stopped, thread: Some(thread) };
        process.wait().map(|()| process)
    }

    fn wait(&mut self) -> Result<(), Reason> {
        let clock = Stopwatch::start();
        while !relay::listens(self.port) {
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                return Err(format!("the mock upstream {}", self.end()).into());
            }
            if u128::from(clock.elapsed_ms()) > START.as_millis() {
                self.end();
                return Err(format!(
                    "the mock upstream runs, but after {} s nothing listens on the port that replaced `{PORT}`",
                    START.as_secs()
                ).into());
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    fn end(&mut self) -> String {
        self.stopped.store(true, Ordering::SeqCst);
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for MockProcess {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_exchanged_wherever_it_is_sent() {
        let swaps = [("made-up".to_owned(), "a:b c".to_owned())];
        let headers = [
            ("authorization", "Bearer made-up", "Bearer a:b c"),
            ("x-key", "made-up", "a:b c"),
            ("authorization", "Basic bWFkZS11cA==", "Basic YTpiIGM="),
            ("authorization", "Basic bWFkZS11cDo=", "Basic YTpiIGM="),
            ("accept", "*/*", "*/*"),
        ];
        let request = ReceivedRequest {
            target: "/a?key=made-up&b=1".to_owned(),
            headers: headers.map(|(name, sent, _)| (name.to_owned(), sent.to_owned())).to_vec(),
            method: "GET".to_owned(),
            body: Vec::new(),
        };
        let found = translated(&request, &swaps);
        assert_eq!(found.target, "/a?key=a%3Ab%20c&b=1");
        let values: Vec<_> = found.headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, headers.map(|(_, _, wanted)| wanted));
    }
}
