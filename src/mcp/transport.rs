//! Lines of a client and lines for it: every request gets a response, also one that cannot be read.
//!
//! Decides only what is a message; the server of the SDK decides what a message does.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientNotification, ErrorCode, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex as AsyncMutex;

use super::message::{JudgedLine, LineFault, judge};

/// Longest message of a client, in bytes.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// The two streams of a session.
pub struct LineTransport<R, W> {
    input: BufReader<R>,
    /// The part of the current line that was read. The next read continues with it after a cancelled one.
    line: Vec<u8>,
    /// The rest of the line is dropped, because it is too long.
    is_dropping: bool,
    output: Arc<AsyncMutex<Option<W>>>,
    /// A response to what was not a message.
    pending: Option<Pending>,
    running: Arc<Mutex<BTreeSet<String>>>,
}

/// A response on its way.
struct Pending {
    bytes: Vec<u8>,
    /// The stream has it, and only the flush is left.
    is_accepted: bool,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    pub fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_dropping: false,
            output: Arc::new(AsyncMutex::new(Some(output))),
            pending: None,
            running: Arc::default(),
        }
    }

    /// The next line; `None` at the end. It keeps what it read if the caller gives up the wait.
    async fn next_line(&mut self) -> std::io::Result<Option<Result<Vec<u8>, LineFault>>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                // Some clients do not end their last line.
                let last = std::mem::take(&mut self.line);
                let is_over = self.is_dropping || last.is_empty();
                return Ok((!is_over).then_some(Ok(last)));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            let is_too_long = !self.is_dropping && self.line.len() + piece.len() > MAX_LINE;
            if !self.is_dropping && !is_too_long {
                self.line.extend_from_slice(piece);
            }
            let was_dropping = self.is_dropping;
            let consumed = piece.len() + usize::from(end.is_some());
            self.input.consume(consumed);
            self.is_dropping = (was_dropping || is_too_long) && end.is_none();
            if is_too_long {
                self.line = Vec::new();
                return Ok(Some(Err(LineFault::TooLong(MAX_LINE))));
            }
            if end.is_some() && !was_dropping {
                return Ok(Some(Ok(std::mem::take(&mut self.line))));
            }
        }
    }

    /// Writes the response to what was not a message. A wait that is given up starts again and writes it once.
    async fn respond(&mut self) -> std::io::Result<()> {
        let Some(pending) = &mut self.pending else { return Ok(()) };
        let mut output = self.output.lock().await;
        let Some(output) = output.as_mut() else { return Ok(()) };
        if !pending.is_accepted {
            // It is short, so the stream accepts all of it or nothing.
            output.write_all(&pending.bytes).await?;
            pending.is_accepted = true;
        }
        output.flush().await?;
        self.pending = None;
        Ok(())
    }

    /// Notes that a request runs, or no longer does; a fault if its id is taken.
    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) -> Result<(), LineFault> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            JsonRpcMessage::Request(request) => {
                let id = key(&request.id);
                if !running.insert(id.clone()) {
                    return Err(LineFault::UsedId { id });
                }
            }
            JsonRpcMessage::Notification(note) => {
                // A request that was cancelled gets no response.
                if let ClientNotification::CancelledNotification(note) = &note.notification
                    && let Some(id) = &note.params.request_id
                {
                    running.remove(&key(id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Ok(())
    }
}

/// A number and a text are different ids.
fn key(id: &RequestId) -> String {
    id.clone().into_json_value().to_string()
}

/// The id of the request that a message answers.
fn answered(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

/// The SDK says only the name of a method that does not exist.
fn explained(message: &mut TxJsonRpcMessage<RoleServer>) {
    if let JsonRpcMessage::Error(error) = message
        && error.error.code == ErrorCode::METHOD_NOT_FOUND
        && !error.error.message.contains(' ')
    {
        let text = format!("the method `{}` is not supported", error.error.message);
        error.error.message = text.into();
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        if let Some(id) = answered(&item) {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.remove(&key(id));
        }
        explained(&mut item);
        async move {
            let mut bytes = serde_json::to_vec(&item)?;
            bytes.push(b'\n');
            let mut output = output.lock().await;
            let closed = || std::io::Error::from(std::io::ErrorKind::NotConnected);
            let output = output.as_mut().ok_or_else(closed)?;
            output.write_all(&bytes).await?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.respond().await.ok()?;
            let judged = match self.next_line().await.ok()?? {
                Ok(line) => judge(&line),
                Err(fault) => JudgedLine::Fault(fault),
            };
            let fault = match judged {
                JudgedLine::Nothing => continue,
                JudgedLine::Message(message) => match self.note(&message) {
                    Ok(()) => return Some(*message),
                    Err(fault) => fault,
                },
                JudgedLine::Fault(fault) => fault,
            };
            self.pending = Some(Pending { bytes: fault.response(), is_accepted: false });
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.lock().await.take();
        Ok(())
    }
}
