//! A client of the Model Context Protocol for tests: one line out, lines in, each wait bounded.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::{Answer, Sandbox};

const PATIENCE: Duration = Duration::from_secs(90);

/// A running server, past its handshake.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// Every message that was not a response, in order.
    pub notes: Vec<Value>,
    pub initialized: Value,
}

impl Client {
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self::start_with(sandbox.command(&[&["mcp", "serve"], arguments].concat()))
    }

    pub fn start_with(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("aos");
        let stdout = child.stdout.take().expect("stdout");
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let mut client =
            Self { child, stdin, lines, next: 0, notes: Vec::new(), initialized: Value::Null };
        client.initialized = client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        )["result"]
            .clone();
        client.notify("notifications/initialized", json!({}));
        client
    }

    fn write(&mut self, message: &Value) {
        self.write_line(message.to_string().as_bytes());
    }

    /// Sends a line, whatever it is.
    pub fn write_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open stdin");
        stdin.write_all(line).expect("a server that reads");
        stdin.write_all(b"\n").expect("a server that reads");
        stdin.flush().expect("a server that reads");
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message.
    #[track_caller]
    pub fn hear(&mut self) -> Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"))
            }
            Err(error @ RecvTimeoutError::Timeout) => panic!("the server says nothing: {error}"),
            Err(RecvTimeoutError::Disconnected) => {
                let stdin = self.stdin.take();
                drop(stdin);
                panic!("the server has ended: {:?}", self.child.wait());
            }
        }
    }

    /// The answer to a request; what comes before it is kept in `notes`.
    #[track_caller]
    pub fn wait(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == id {
                return message;
            }
            self.notes.push(message);
        }
    }

    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.wait(id)
    }

    /// Waits for a notification.
    #[track_caller]
    pub fn wait_for(&mut self, method: &str) -> Value {
        loop {
            let message = self.hear();
            if message["method"] == method {
                return message;
            }
            self.notes.push(message);
        }
    }

    #[track_caller]
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.ask("tools/list", json!({}));
        answer["result"]["tools"].as_array().expect("tools").clone()
    }

    #[track_caller]
    pub fn names(&mut self) -> Vec<String> {
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        self.tools().iter().map(name).collect()
    }

    /// The result of a call; checks that the text says the same.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{answer}");
        same_twice(result, &result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// The error of a call.
    #[track_caller]
    pub fn fail(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        let error = &result["structuredContent"]["error"];
        same_twice(result, error);
        for member in ["code", "message", "data", "retryable"] {
            assert!(error.get(member).is_some(), "{error}");
        }
        error.clone()
    }

    /// Closes stdin and waits for the end.
    pub fn end(mut self) -> Answer {
        drop(self.stdin.take());
        let output = self.child.wait_with_output().expect("an end");
        let rest: Vec<String> = self.lines.iter().collect();
        Answer {
            stdout: rest.join("\n"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            exit: output.status.code(),
        }
    }
}

#[track_caller]
fn same_twice(result: &Value, wanted: &Value) {
    let text = result["content"][0]["text"].as_str().expect("a text block");
    let read: Value = serde_json::from_str(text).expect("JSON as text");
    assert_eq!(&read, wanted);
}
