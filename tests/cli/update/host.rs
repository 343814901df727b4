//! A host of releases on loopback that answers each path as a test says: rightly, wrongly, slowly, or not to the end.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One answer: bytes as they go over the wire, and what comes after them.
#[derive(Clone, Debug)]
pub struct Reply {
    wire: Vec<u8>,
    after: After,
    /// How long the server thinks first.
    delay: Duration,
    /// In how many pieces the bytes go out, and how long it thinks before each.
    pieces: (usize, Duration),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum After {
    Close,
    /// The connection breaks.
    Reset,
    /// The connection stays open and silent.
    Stall,
    /// One byte now and then, for ever.
    Drip,
    /// Bytes for ever, as fast as they are taken.
    Flood,
}

impl Reply {
    /// A complete answer with its length.
    pub fn body(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let length = body.len().to_string();
        let mut all = vec![("content-length", length.as_str())];
        all.extend(headers);
        Self::wire(&[head(status, &all).as_bytes(), body].concat())
    }

    pub fn json(body: &serde_json::Value) -> Self {
        Self::body(
            200,
            &[("content-type", "application/json; charset=utf-8")],
            body.to_string().as_bytes(),
        )
    }

    pub fn bytes(body: &[u8]) -> Self {
        Self::body(200, &[("content-type", "application/octet-stream")], body)
    }

    pub fn status(status: u16) -> Self {
        Self::body(status, &[], b"{\"message\": \"no\"}")
    }

    pub fn html() -> Self {
        Self::body(200, &[("content-type", "text/html")], b"<html><body>Sign in</body></html>")
    }

    pub fn redirect(to: &str) -> Self {
        Self::body(302, &[("location", to)], b"")
    }

    /// A head that announces `length` bytes, and the beginning of them.
    pub fn cut(length: usize, beginning: &[u8]) -> Self {
        let length = length.to_string();
        Self::wire(&[head(200, &[("content-length", &length)]).as_bytes(), beginning].concat())
    }

    /// A body whose end is the end of the connection.
    pub fn unbounded(body: &[u8]) -> Self {
        Self::wire(&[head(200, &[]).as_bytes(), body].concat())
    }

    pub fn wire(bytes: &[u8]) -> Self {
        let pieces = (1, Duration::ZERO);
        Self { wire: bytes.to_vec(), after: After::Close, delay: Duration::ZERO, pieces }
    }

    pub fn then_reset(mut self) -> Self {
        self.after = After::Reset;
        self
    }

    pub fn then_stall(mut self) -> Self {
        self.after = After::Stall;
        self
    }

    pub fn then_drip(mut self) -> Self {
        self.after = After::Drip;
        self
    }

    pub fn then_flood(mut self) -> Self {
        self.after = After::Flood;
        self
    }

    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub fn in_pieces(mut self, count: usize, pause: Duration) -> Self {
        self.pieces = (count, pause);
        self
    }
}

fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} X\r\n{lines}connection: close\r\n\r\n")
}

/// A question as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    /// Name in lower case and value, in the order of the wire.
    pub headers: Vec<(String, String)>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Shared {
    /// Replies in their order; the last one repeats.
    routes: Mutex<BTreeMap<String, Vec<Reply>>>,
    seen: Mutex<Vec<Seen>>,
    ended: AtomicBool,
}

/// The server; ends with its owner.
pub struct Host {
    pub base: String,
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
}

impl Host {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let for_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if for_thread.ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&for_thread);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { base: format!("http://{address}"), address, shared }
    }

    pub fn set(&self, path: &str, reply: Reply) {
        self.shared.routes.lock().expect("a lock").insert(path.to_owned(), vec![reply]);
    }

    /// Adds a reply of `path`, which is sent after its earlier replies were each sent once.
    pub fn set_after(&self, path: &str, reply: Reply) {
        self.shared.routes.lock().expect("a lock").entry(path.to_owned()).or_default().push(reply);
    }

    pub fn remove(&self, path: &str) {
        self.shared.routes.lock().expect("a lock").remove(path);
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().expect("a lock").clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.path).collect()
    }

    pub fn forget(&self) {
        self.shared.seen.lock().expect("a lock").clear();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) {
    // A client that went away is what many tests are about.
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let Some(seen) = question(&mut stream) else { return };
    let reply = next(&mut shared.routes.lock().expect("a lock"), &seen.path);
    shared.seen.lock().expect("a lock").push(seen);
    let reply = reply.unwrap_or_else(|| Reply::status(404));
    pause(reply.delay, shared);
    let (count, thought) = reply.pieces;
    for piece in reply.wire.chunks(reply.wire.len().div_ceil(count).max(1)) {
        pause(thought, shared);
        let _ = stream.write_all(piece);
    }
    match reply.after {
        After::Close => {
            let _ = stream.shutdown(std::net::Shutdown::Write);
            // Until the client has taken everything.
            let _ = stream.read(&mut [0; 16]);
        }
        After::Reset => reset(stream),
        After::Stall => pause(Duration::from_secs(60), shared),
        After::Drip => {
            while !shared.ended.load(Ordering::Relaxed) && stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        After::Flood => {
            let piece = vec![b' '; 64 * 1024];
            loop {
                let over = shared.ended.load(Ordering::Relaxed);
                if over || stream.write_all(&piece).is_err() {
                    return;
                }
            }
        }
    }
}

fn next(routes: &mut BTreeMap<String, Vec<Reply>>, path: &str) -> Option<Reply> {
    let replies = routes.get_mut(path)?;
    if replies.len() > 1 { Some(replies.remove(0)) } else { replies.first().cloned() }
}

fn pause(length: Duration, shared: &Shared) {
    let until = std::time::Instant::now() + length;
    while std::time::Instant::now() < until && !shared.ended.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Closing a socket that holds unread bytes breaks the connection instead of ending it.
fn reset(stream: TcpStream) {
    // The bytes that were sent must arrive first.
    std::thread::sleep(Duration::from_millis(50));
    drop(stream);
}

/// Reads a question but its last byte, so that a reset is possible.
fn question(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r") {
        if bytes.len() > 64 * 1024 || stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = text.lines();
    let target = lines.next()?.split(' ').nth(1)?;
    // A proxy is asked for the whole address.
    let path = match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    };
    let path = path.to_owned();
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned()))
        .collect();
    Some(Seen { path, headers })
}
