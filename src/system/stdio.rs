//! The standard streams as a connection: messages arrive on stdin and are written to stdout until stdin ends.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf, Stdin, Stdout};

use super::clock::Stopwatch;

/// The two streams and their state.
#[must_use]
pub fn connection() -> (StdioInput, Stdout, Arc<End>) {
    let end = Arc::<End>::default();
    (StdioInput { stdin: tokio::io::stdin(), end: Arc::clone(&end) }, tokio::io::stdout(), end)
}

/// The state of the other side.
#[derive(Debug, Default)]
pub struct End {
    ended: OnceLock<Stopwatch>,
    has_spoken: AtomicBool,
}

impl End {
    /// True if stdin ended longer ago than `grace`.
    #[must_use]
    pub fn is_over(&self, grace: Duration) -> bool {
        self.ended.get().is_some_and(|end| u128::from(end.elapsed_ms()) >= grace.as_millis())
    }

    /// True if anything arrived on stdin.
    #[must_use]
    pub fn has_spoken(&self) -> bool {
        self.has_spoken.load(Ordering::Relaxed)
    }
}

/// Stdin that records its end.
#[derive(Debug)]
pub struct StdioInput {
    stdin: Stdin,
    end: Arc<End>,
}

impl AsyncRead for StdioInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let polled = Pin::new(&mut self.stdin).poll_read(context, buffer);
        match &polled {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                self.end.has_spoken.store(true, Ordering::Relaxed);
            }
            Poll::Ready(_) if room > 0 => {
                // The first end counts.
                let _ = self.end.ended.set(Stopwatch::start());
            }
            _ => {}
        }
        polled
    }
}
