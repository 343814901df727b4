//! A release server on the loopback address that can fail in every way that matters, and remembers what was asked.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The reply of the server for one path.
#[derive(Clone, Debug)]
pub enum Reply {
    /// 200 with these bytes.
    Bytes(Vec<u8>),
    /// This status with an empty body.
    Status(u16),
    /// A redirect to this location.
    Redirect(String),
    /// 200 with the length of all bytes, and only this many of them.
    Cut(Vec<u8>, usize),
    /// 200 without a length, and zeroes until the client closes the connection.
    Endless,
    /// 200 with a length, and then silence for a while.
    Silent,
    /// The first reply this many times, then the second.
    First(usize, Box<Reply>, Box<Reply>),
}

pub struct Server {
    pub url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    replies: Mutex<BTreeMap<String, Reply>>,
    asked: Mutex<Vec<String>>,
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

    /// Paths in the order in which they were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.state.asked.lock().expect("asked").clone()
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
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header).is_err() || header.trim().is_empty() {
                break;
            }
        }
        self.asked.lock().expect("asked").push(path.clone());
        let reply = self.next(&path);
        // A client that has heard enough closes the connection.
        let _ = answer(stream, &reply);
    }

    fn next(&self, path: &str) -> Reply {
        let mut replies = self.replies.lock().expect("replies");
        match replies.get_mut(path) {
            None => Reply::Status(404),
            Some(Reply::First(0, _, then)) => (**then).clone(),
            Some(Reply::First(left, now, _)) => {
                *left -= 1;
                (**now).clone()
            }
            Some(reply) => reply.clone(),
        }
    }
}

fn answer(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    let head =
        |status: u16, rest: &str| format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{rest}\r\n");
    let length = |bytes: &[u8]| head(200, &format!("Content-Length: {}\r\n", bytes.len()));
    match reply {
        Reply::Bytes(bytes) => {
            stream.write_all(length(bytes).as_bytes())?;
            stream.write_all(bytes)
        }
        Reply::Status(status) => {
            stream.write_all(head(*status, "Content-Length: 0\r\n").as_bytes())
        }
        Reply::Redirect(location) => stream.write_all(
            head(302, &format!("Content-Length: 0\r\nLocation: {location}\r\n")).as_bytes(),
        ),
        Reply::Cut(bytes, count) => {
            stream.write_all(length(bytes).as_bytes())?;
            stream.write_all(&bytes[..*count])
        }
        Reply::Endless => {
            stream.write_all(head(200, "").as_bytes())?;
            loop {
                stream.write_all(&[b'0'; 65536])?;
            }
        }
        Reply::Silent => {
            stream.write_all(head(200, "Content-Length: 10\r\n").as_bytes())?;
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            // Ends when the client goes away.
            stream.read(&mut [0; 1]).map(|_| ())
        }
        Reply::First(..) => Ok(()),
    }
}
