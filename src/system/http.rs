//! HTTP GET: bounded in size and time, over https or on loopback, one redirect at a time.
//!
//! Reports what happened; the caller decides what it means. Uses the system's certificates and proxies.

mod address;
mod fault;

use std::io;
use std::pin::pin;
use std::time::Duration;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client as Inner, Response, redirect};

pub use address::Address;
pub use fault::HttpError;

use super::clock::Stopwatch;
use super::{environment, interrupt};

/// Most redirects that are followed.
const MAX_REDIRECTS: usize = 5;
/// How often a wait looks for a signal.
const TICK: Duration = Duration::from_millis(25);
/// The size up to which a body counts as small, in bytes.
const SMALL_BODY: u64 = 8 * 1024 * 1024;
/// How many idle limits a small body may take.
const SMALL_LIMITS: u128 = 4;
/// How many limits of a test a large body may take.
const TESTS_TOTAL: u32 = 12;
/// A body that receives fewer bytes than this within one idle limit counts as stalled.
const MIN_PROGRESS: u64 = 16 * 1024;

/// The time limits of the parts of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the head of the answer, and between two pieces of its body.
    pub idle: Duration,
    /// Until a large body is complete.
    pub total: Duration,
}

impl Limits {
    /// For work on which the user waits.
    #[must_use]
    pub fn patient() -> Self {
        let seconds = |seconds| tests_limit().unwrap_or(Duration::from_secs(seconds));
        let total = tests_limit().map(|limit| limit * TESTS_TOTAL);
        let total = total.unwrap_or(Duration::from_secs(15 * 60));
        Self { connect: seconds(10), idle: seconds(30), total }
    }

    /// For a check that must not delay a command.
    #[must_use]
    pub fn brief() -> Self {
        let limit = tests_limit().unwrap_or(Duration::from_secs(2));
        Self { connect: limit, idle: limit, total: limit * 4 }
    }
}

/// Debug builds only: lets a test meet a stalled server without waiting for it.
fn tests_limit() -> Option<Duration> {
    if !cfg!(debug_assertions) {
        return None;
    }
    environment::read("AOS_TEST_HTTP_LIMIT_MS")?.parse().ok().map(Duration::from_millis)
}

/// A value that is sent and never shown.
#[derive(Clone)]
pub struct Secret(HeaderValue);

impl Secret {
    /// A bearer token; `None` if it is not valid in a header.
    #[must_use]
    pub fn bearer(token: &str) -> Option<Self> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim())).ok()?;
        value.set_sensitive(true);
        Some(Self(value))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret")
    }
}

/// An HTTP request.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub address: &'a Address,
    /// Media type that the answer should have.
    pub accept: &'static str,
    /// Sent to the address itself, never to where it redirects.
    pub secret: Option<&'a Secret>,
    /// Largest body, in bytes.
    pub max_bytes: u64,
}

/// The head of an answer.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub status: u16,
    /// Media type without parameters, in lower case.
    pub media_type: String,
    /// Length of the body as announced, in bytes.
    pub length: Option<u64>,
    headers: HeaderMap,
}

impl Head {
    /// A header as text; `None` when it is not there or not text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Takes a body piece by piece.
pub trait Sink {
    /// The head has arrived; the body follows.
    fn begin(&mut self, _head: &Head) {}
    /// Takes one piece.
    ///
    /// # Errors
    /// Returns an error if it cannot be kept; the exchange ends.
    fn take(&mut self, piece: &[u8]) -> io::Result<()>;
}

impl Sink for Vec<u8> {
    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.extend_from_slice(piece);
        Ok(())
    }
}

/// An HTTP client that sends one request at a time.
pub struct Client {
    /// Only empty while the client is dropped.
    runtime: Option<tokio::runtime::Runtime>,
    inner: Inner,
    limits: Limits,
}

impl Client {
    /// A client that introduces itself as `agent`.
    ///
    /// # Errors
    /// If the system has no certificates or provides no sockets.
    pub fn new(agent: &str, limits: Limits) -> Result<Self, HttpError> {
        if environment::read(environment::AOS_OFFLINE).is_some() {
            return Err(HttpError::Offline);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| HttpError::Setup { reason: source.to_string() })?;
        let inner = Inner::builder()
            .user_agent(agent)
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(limits.connect)
            .build()
            .map_err(|error| HttpError::Setup { reason: fault::chain(&error) })?;
        Ok(Self { runtime: Some(runtime), inner, limits })
    }

    /// Sends `request`; the body of a 200 is written to `sink`, any other body is not read.
    ///
    /// # Errors
    /// Returns an error if there is no complete answer within the limits.
    pub fn get(&self, request: &Request<'_>, sink: &mut dyn Sink) -> Result<Head, HttpError> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(self.exchange(request, sink)),
            None => Err(HttpError::Setup { reason: "the client has ended".to_owned() }),
        }
    }

    async fn exchange(
        &self,
        request: &Request<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Head, HttpError> {
        let mut address = request.address.clone();
        for _ in 0..=MAX_REDIRECTS {
            let first = address == *request.address;
            let response = self.ask(&address, request, first).await?;
            let head = head(&response);
            let target = match head.status {
                301 | 302 | 303 | 307 | 308 => head.header(header::LOCATION.as_str()),
                200 => {
                    self.body(response, &head, request, sink).await?;
                    return Ok(head);
                }
                _ => None,
            };
            let Some(target) = target else { return Ok(head) };
            address = address.followed(target)?;
        }
        Err(HttpError::Redirects { limit: MAX_REDIRECTS })
    }

    async fn ask(
        &self,
        address: &Address,
        request: &Request<'_>,
        first: bool,
    ) -> Result<Response, HttpError> {
        let mut question = self.inner.get(address.0.clone()).header(header::ACCEPT, request.accept);
        if let Some(secret) = request.secret.filter(|_| first) {
            question = question.header(header::AUTHORIZATION, secret.0.clone());
        }
        let limit = self.limits.connect + self.limits.idle;
        let waited = self.wait(question.send(), limit).await?;
        waited.map_err(|error| fault::of(&error, address))
    }

    async fn body(
        &self,
        mut response: Response,
        head: &Head,
        request: &Request<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), HttpError> {
        let too_large = || HttpError::TooLarge { limit: request.max_bytes };
        sink.begin(head);
        if head.length.is_some_and(|length| length > request.max_bytes) {
            return Err(too_large());
        }
        let mut received = 0;
        // A drip of single bytes resets no limit: only real progress does.
        let mut window = (Stopwatch::start(), 0);
        let clock = Stopwatch::start();
        let slow = || HttpError::TimedOut { what: "the server sends too slowly" };
        let total = match request.max_bytes <= SMALL_BODY {
            true => self.limits.idle.as_millis() * SMALL_LIMITS,
            false => self.limits.total.as_millis(),
        };
        loop {
            if u128::from(clock.elapsed_ms()) > total {
                return Err(slow());
            }
            let piece = self
                .wait(response.chunk(), self.limits.idle)
                .await?
                .map_err(|error| fault::of(&error, request.address))?;
            let Some(piece) = piece else { return Ok(()) };
            received += piece.len() as u64;
            if received > request.max_bytes {
                return Err(too_large());
            }
            sink.take(&piece).map_err(HttpError::Sink)?;
            if received - window.1 >= MIN_PROGRESS {
                window = (Stopwatch::start(), received);
            } else if u128::from(window.0.elapsed_ms()) > self.limits.idle.as_millis() {
                return Err(slow());
            }
        }
    }

    /// Waits for `work`, at most as long as `limit` and not after a signal.
    async fn wait<T>(
        &self,
        work: impl Future<Output = T>,
        limit: Duration,
    ) -> Result<T, HttpError> {
        let mut work = pin!(work);
        let clock = Stopwatch::start();
        loop {
            if let Ok(done) = tokio::time::timeout(TICK, work.as_mut()).await {
                return Ok(done);
            }
            interrupt::check().map_err(|_| HttpError::Interrupted)?;
            if u128::from(clock.elapsed_ms()) > limit.as_millis() {
                return Err(HttpError::TimedOut { what: "the server does not respond" });
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A pending DNS lookup must not delay the end of the program.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn head(response: &Response) -> Head {
    let headers = response.headers().clone();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    Head { status: response.status().as_u16(), media_type, length, headers }
}
