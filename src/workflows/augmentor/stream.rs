//! Chunks on stdout as they come: one envelope for each in JSON, their text for a person.

use serde_json::Value;

use crate::report::answers::{self, augmentor::StreamedChunk};
use crate::report::envelope;
use crate::system::terminal;
use crate::visible::{Visible, visible};
use crate::workflows::Format;

/// The chunks of one call.
pub struct ChunkStream {
    format: Format,
    sequence: u64,
}

impl ChunkStream {
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self { format, sequence: 0 }
    }

    /// Writes a chunk; false when stdout is no longer read.
    pub fn write(&mut self, chunk: &Value) -> bool {
        let text = match self.format {
            Format::Text => spoken(chunk),
            Format::Json | Format::Raw => {
                let item = envelope::item(&answers::value(&StreamedChunk {
                    seq: self.sequence,
                    chunk: chunk.clone(),
                }));
                Visible::json(&format!("{item}\n"))
            }
        };
        self.sequence += 1;
        terminal::write_stdout(&text).is_ok()
    }
}

/// A chunk for a person, one line each.
fn spoken(chunk: &Value) -> Visible {
    match chunk.get("data").and_then(Value::as_str) {
        Some(text) => visible!("{}\n", Visible::block(text.trim_end_matches('\n'))),
        None => visible!("{}\n", Visible::json(&chunk.to_string())),
    }
    .without_commands()
}
