//! A host of releases on the loopback address that can fail in every way that matters, and counts what it is asked.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The reply of the server for one path.
#[derive(Clone, Debug)]
pub enum Reply {
    /// 200 with these bytes as this media type.
    Bytes(&'static str, Vec<u8>),
    /// This status with these header lines and no body.
    Status(u16, String),
    /// A redirect to this location.
    Redirect(String),
    /// 200 with the length of all bytes, and only this many of them.
    Cut(Vec<u8>, usize),
    /// 200 without a length, and only these bytes.
    Unmeasured(Vec<u8>),
    /// 200 without a length, and zeroes until the client closes the connection.
    Endless,
    /// The connection is taken and nothing is said.
    Silent,
    /// 200 with a length, and then silence.
    Stalled(usize),
    /// The connection ends without an answer.
    Closed,
    /// Something that is not HTTP.
    Garbage,
}

impl Reply {
    pub fn json(value: &serde_json::Value) -> Self {
        Self::Bytes("application/json", value.to_string().into_bytes())
    }

    pub fn file(bytes: &[u8]) -> Self {
        Self::Bytes("application/octet-stream", bytes.to_vec())
    }

    /// The page of a network that requires a sign-in.
    pub fn portal() -> Self {
        Self::Bytes("text/html", b"<html>Sign in to this network</html>".to_vec())
    }
}

pub struct Server {
    pub url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    replies: Mutex<BTreeMap<String, Reply>>,
    asked: Mutex<Vec<Asked>>,
}

/// One question.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub authorization: Option<String>,
}

impl Server {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { url, state }
    }

    pub fn set(&self, path: &str, reply: Reply) {
        self.state.replies.lock().expect("replies").insert(path.to_owned(), reply);
    }

    pub fn reply(&self, path: &str) -> Reply {
        self.state.replies.lock().expect("replies")[path].clone()
    }

    /// Every question since the last call, in the order in which they came.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state.asked.lock().expect("asked"))
    }
}

impl State {
    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut authorization = None;
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header).is_err() || header.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = header.split_once(':')
                && name.eq_ignore_ascii_case("authorization")
            {
                authorization = Some(value.trim().to_owned());
            }
        }
        self.asked.lock().expect("asked").push(Asked { path: path.clone(), authorization });
        let reply = self.replies.lock().expect("replies").get(&path).cloned();
        // A client that has heard enough closes the connection.
        let _ = answer(stream, &reply.unwrap_or(Reply::Status(404, String::new())));
    }
}

fn answer(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    let head =
        |status: u16, rest: &str| format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{rest}\r\n");
    let length = |length: usize| head(200, &format!("Content-Length: {length}\r\n"));
    match reply {
        Reply::Bytes(media_type, bytes) => {
            let rest = format!("Content-Type: {media_type}\r\nContent-Length: {}\r\n", bytes.len());
            stream.write_all(head(200, &rest).as_bytes())?;
            stream.write_all(bytes)
        }
        Reply::Status(status, lines) => {
            stream.write_all(head(*status, &format!("Content-Length: 0\r\n{lines}")).as_bytes())
        }
        Reply::Redirect(location) => stream.write_all(
            head(302, &format!("Content-Length: 0\r\nLocation: {location}\r\n")).as_bytes(),
        ),
        Reply::Cut(bytes, count) => {
            stream.write_all(length(bytes.len()).as_bytes())?;
            stream.write_all(&bytes[..*count])
        }
        Reply::Unmeasured(bytes) => {
            stream.write_all(head(200, "").as_bytes())?;
            stream.write_all(bytes)
        }
        Reply::Endless => {
            stream.write_all(head(200, "").as_bytes())?;
            loop {
                stream.write_all(&[b'0'; 65536])?;
            }
        }
        Reply::Silent => until_nobody_listens(&mut stream),
        Reply::Stalled(announced) => {
            stream.write_all(length(*announced).as_bytes())?;
            until_nobody_listens(&mut stream)
        }
        Reply::Closed => Ok(()),
        Reply::Garbage => stream.write_all(b"220 this is no web server\r\n"),
    }
}

fn until_nobody_listens(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.read(&mut [0; 1]).map(|_| ())
}
