//! How a connector is called, and the few calls that many probes look at.

use std::sync::Arc;

use serde_json::Value;

use super::super::session::{Call, Observed, Session};

/// A command of the manifest.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub id: String,
    pub required_mode: String,
    pub is_read: bool,
}

impl Command {
    /// The words that call it.
    pub fn words(&self) -> Vec<String> {
        self.id.split('.').map(str::to_owned).collect()
    }

    pub fn is_builtin(&self) -> bool {
        BUILTIN.contains(&self.id.as_str())
    }
}

/// Commands that every connector has.
pub(super) const BUILTIN: [&str; 3] = ["capabilities", "health", "config.show"];

/// `--json` and these words.
pub(super) fn json(words: &[&str]) -> Call {
    Call::new(std::iter::once("--json").chain(words.iter().copied()))
}

/// The three calls that every connector answers without anything.
pub(super) fn basics(session: &Session) -> Vec<Arc<Observed>> {
    [&["capabilities"][..], &["health"], &["config", "show"]]
        .into_iter()
        .map(|words| session.observe(&json(words)))
        .collect()
}

/// What `capabilities` says, when it says anything.
pub(super) fn capabilities(session: &Session) -> Result<Value, (Arc<Observed>, String)> {
    let observed = session.observe(&json(&["capabilities"]));
    let envelope = observed.json().map_err(|why| (Arc::clone(&observed), why))?;
    match envelope.get("data") {
        Some(data @ Value::Object(_)) => Ok(data.clone()),
        _ => Err((observed, "the envelope has no `data` object".to_owned())),
    }
}

/// The commands of the manifest; of `capabilities` where there is no manifest.
pub(super) fn commands(session: &Session) -> Vec<Command> {
    let own = session.manifest.clone();
    let source = own.or_else(|| capabilities(session).ok()).unwrap_or_default();
    let entries = source.get("commands").and_then(Value::as_array).cloned().unwrap_or_default();
    entries.iter().filter_map(command).collect()
}

fn command(entry: &Value) -> Option<Command> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let id = text("id")?;
    // What is no id is a finding of `aos check`; here it would become a word of a command line.
    let is_plain = |symbol: char| symbol.is_ascii_alphanumeric() || "._-".contains(symbol);
    let usable =
        !id.is_empty() && id.len() <= 120 && !id.starts_with('-') && id.chars().all(is_plain);
    usable.then(|| Command {
        id: id.to_owned(),
        required_mode: text("required_mode").unwrap_or_default().to_owned(),
        is_read: text("action_class") == Some("read"),
    })
}
