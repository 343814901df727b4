//! The mock upstream: scripted replies on loopback and a journal of what was asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::system::loopback::{Answer, LoopbackServer};
pub use crate::system::loopback::{ReceivedRequest, Reply};

/// Most requests that the journal keeps; all are counted.
const MAX_JOURNAL: usize = 1_000;

/// The behaviour of the upstream, regardless of the request.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Behaviour {
    /// 200 with an empty object, or what the fixture says.
    Good,
    /// The status, with a small JSON body.
    Status(u16),
    /// 200 with an HTML page.
    Html,
    /// 200 with a JSON document that breaks off.
    Malformed,
    /// Answers after half a minute.
    Slow,
    /// Announces more bytes than it sends.
    Cut,
    /// Closes without an answer.
    HangsUp,
    /// 302 to another address of itself, without an end.
    Redirect,
    /// Repeats the headers and the target of the request in an error.
    Echo,
    /// 302 to another origin on this machine.
    Elsewhere,
    /// The reply at this position of a list of the family's facts, regardless of the request.
    Listed(&'static str, usize),
}

/// A scripted reply of a fixture: the first whose method and path fit is given.
#[derive(Clone, Debug)]
pub struct Route {
    /// Any method when empty.
    pub method: String,
    /// Path without query; a trailing `*` matches any rest.
    pub path: String,
    pub reply: Reply,
}

impl Route {
    fn fits(&self, request: &ReceivedRequest) -> bool {
        let path = request.target.split(['?', '#']).next().unwrap_or_default();
        let path_fits = match self.path.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == self.path,
        };
        path_fits && (self.method.is_empty() || self.method == request.method)
    }
}

/// The path that [`Behaviour::Elsewhere`] leads to.
pub const ELSEWHERE: &str = "/elsewhere";

/// A response that takes longer than this is late on purpose.
const LATE: Duration = Duration::from_secs(1);

/// A running mock upstream.
pub struct Mock {
    server: LoopbackServer,
    was_late: Arc<AtomicBool>,
    journal: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Mock {
    /// Starts a mock that behaves the same for every request; only [`Behaviour::Good`] uses `routes`.
    ///
    /// # Errors
    /// Returns an error if loopback has no free port.
    pub fn start(behaviour: Behaviour, routes: &[Route]) -> std::io::Result<Self> {
        let routes = routes.to_vec();
        Self::with(Arc::new(move |request| match behaviour {
            Behaviour::Good => routes.iter().find(|route| route.fits(request)).map_or_else(
                || Reply::new(200, "application/json", "{}"),
                |route| route.reply.clone(),
            ),
            other => scripted(other, request),
        }))
    }

    /// Starts one with an answer of your own.
    ///
    /// # Errors
    /// Returns an error if loopback has no free port.
    pub fn with(answer: Arc<Answer>) -> std::io::Result<Self> {
        let journal: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let kept = Arc::clone(&journal);
        let was_late: Arc<AtomicBool> = Arc::default();
        let late = Arc::clone(&was_late);
        let server = LoopbackServer::start(Arc::new(move |request| {
            let mut journal = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if journal.len() < MAX_JOURNAL {
                journal.push(request.clone());
            }
            drop(journal);
            let reply = answer(request);
            if reply.delay >= LATE {
                late.store(true, Ordering::Relaxed);
            }
            reply
        }))?;
        Ok(Self { server, was_late, journal })
    }

    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns the number of connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.server.connections()
    }

    /// True if it delayed a response on purpose.
    #[must_use]
    pub fn was_late(&self) -> bool {
        self.was_late.load(Ordering::Relaxed)
    }

    /// Returns the received requests in order.
    #[must_use]
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of requests that would have changed something.
    #[must_use]
    pub fn mutations(&self) -> usize {
        let reads = ["GET", "HEAD", "OPTIONS", "CONNECT"];
        self.requests().iter().filter(|request| !reads.contains(&request.method.as_str())).count()
    }
}

/// The reply of a behaviour that is the same for every request.
#[must_use]
pub fn scripted(behaviour: Behaviour, request: &ReceivedRequest) -> Reply {
    let json = |status, body: &str| Reply::new(status, "application/json", body);
    match behaviour {
        Behaviour::Good => json(200, "{}"),
        Behaviour::Listed(..) => json(400, "{}"),
        Behaviour::Elsewhere => {
            let host = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
            let port = host.and_then(|(_, host)| host.rsplit(':').next()).unwrap_or("80");
            let mut reply = json(302, "");
            reply
                .headers
                .push(("Location".to_owned(), format!("http://localhost:{port}{ELSEWHERE}")));
            reply
        }
        Behaviour::Status(status) => json(status, "{\"message\":\"made up by aos conform\"}"),
        Behaviour::Html => {
            Reply::new(200, "text/html", "<!doctype html><title>Sign in</title><p>Sign in")
        }
        Behaviour::Malformed => json(200, "{\"items\": [{\"id\": 1, "),
        Behaviour::Slow => Reply { delay: Duration::from_secs(30), ..json(200, "{}") },
        Behaviour::Cut => Reply { cut_after: Some(4), ..json(200, "{\"items\": []}") },
        Behaviour::HangsUp => Reply { hangs_up: true, ..Reply::default() },
        Behaviour::Redirect => {
            let mut reply = json(302, "");
            reply.headers.push(("Location".to_owned(), "/again".to_owned()));
            reply
        }
        Behaviour::Echo => {
            let headers: Vec<_> =
                request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let text = format!("refused: {} {}", request.target, headers.join("; "));
            json(401, &serde_json::json!({"message": text, "error": text}).to_string())
        }
    }
}
