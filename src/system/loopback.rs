//! A small HTTP/1.1 server on loopback for programs under test. Each connection carries one request.
//!
//! Knows nothing of what is asked: a function turns a request into a reply, and the reply may be faulty on purpose.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Largest head and largest body of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
const MAX_BODY: usize = 4 * 1024 * 1024;
/// How long one read or write may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections that are served at the same time; more are closed at once.
const MAX_CONNECTIONS: usize = 64;
const POLL: Duration = Duration::from_millis(10);

/// The request of a program.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub method: String,
    /// Path and query, or a whole address when the program takes this server for a proxy.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// The response to it.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Wait this long before anything is sent.
    pub delay: Duration,
    /// Close after this many bytes of the body, although more were announced.
    pub cut_after: Option<usize>,
    /// Close the connection without a reply.
    pub hangs_up: bool,
}

impl Reply {
    /// A reply of this kind.
    #[must_use]
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into(), ..Self::default() }
    }
}

/// Turns a request into a reply.
pub type Answer = dyn Fn(&ReceivedRequest) -> Reply + Send + Sync;

/// A running server; it ends when this is dropped.
pub struct LoopbackServer {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

impl LoopbackServer {
    /// Starts to listen on a free port of loopback.
    ///
    /// # Errors
    /// If no port or no thread is available.
    pub fn start(answer: Arc<Answer>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(AtomicUsize::new(0));
        let server =
            Self { address, stopped: Arc::clone(&stopped), connections: Arc::clone(&connections) };
        std::thread::Builder::new()
            .spawn(move || accept(&listener, &answer, &stopped, &connections))?;
        Ok(server)
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of connections so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for LoopbackServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// An address on loopback without a listener.
///
/// # Errors
/// If no port is available.
pub fn refusing_url() -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(format!("http://{}", listener.local_addr()?))
}

fn accept(
    listener: &TcpListener,
    answer: &Arc<Answer>,
    stopped: &Arc<AtomicBool>,
    connections: &AtomicUsize,
) {
    let open = Arc::new(AtomicUsize::new(0));
    while !stopped.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            std::thread::sleep(POLL);
            continue;
        };
        connections.fetch_add(1, Ordering::SeqCst);
        if open.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (answer, stopped, served) =
            (Arc::clone(answer), Arc::clone(stopped), Arc::clone(&open));
        let started = std::thread::Builder::new().spawn(move || {
            // A program that closes the connection is not an error of the server.
            let _ = serve(stream, &*answer, &stopped);
            served.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn serve(mut stream: TcpStream, answer: &Answer, stopped: &AtomicBool) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = receive(&mut stream)?;
    let reply = answer(&request);
    let mut left = reply.delay;
    while left > Duration::ZERO && !stopped.load(Ordering::Relaxed) {
        let step = left.min(POLL);
        std::thread::sleep(step);
        left -= step;
    }
    if reply.hangs_up {
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n", reply.body.len()));
    stream.write_all(head.as_bytes())?;
    let end = reply.cut_after.unwrap_or(reply.body.len()).min(reply.body.len());
    if request.method != "HEAD" {
        stream.write_all(&reply.body[..end])?;
    }
    stream.flush()?;
    stream.shutdown(std::net::Shutdown::Write)
}

fn receive(stream: &mut TcpStream) -> io::Result<ReceivedRequest> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    let faulty = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MAX_HEAD {
            return Err(faulty("the header of the request is too long"));
        }
        match stream.read(&mut buffer)? {
            0 => return Err(faulty("the request ends in its header")),
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let value = |wanted: &str| {
        let mut found = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.next().map(|(_, value)| value.as_str())
    };
    if value("Expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let length = value("Content-Length").and_then(|value| value.parse().ok()).unwrap_or(0_usize);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length.min(MAX_BODY) {
        match stream.read(&mut buffer)? {
            0 => break,
            count => body.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(ReceivedRequest { method, target, headers, body })
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 | 302 | 303 | 307 | 308 => "Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
