//! `[conform]` of `aos.toml`: how the tool is started, and which probes may fail for which reason.

use serde::Deserialize;

use crate::contract::json;
use crate::visible::excerpt;

use super::record_text::{RecordError, quote};

/// Most words of a command, most characters of each.
const MAX_WORDS: usize = 32;
const MAX_WORD: usize = 1024;

/// The command of `aos conform`, and its waivers.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ConformSection {
    /// Program and first arguments; found by itself when empty.
    pub command: Vec<String>,
    pub waivers: Vec<ProbeWaiver>,
}

/// A probe that may fail, with the reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProbeWaiver {
    pub probe: String,
    pub reason: String,
    /// Last day it counts, `YYYY-MM-DD`.
    pub expires: Option<String>,
}

impl ConformSection {
    /// Its text in a record; empty if it has no members.
    pub(super) fn render(&self, text: &mut String) {
        if !self.command.is_empty() {
            let words: Vec<_> = self.command.iter().map(|word| quote(word)).collect();
            text.push_str(&format!("\n[conform]\ncommand = [{}]\n", words.join(", ")));
        }
        for waiver in &self.waivers {
            text.push_str(&format!(
                "\n[[conform.waive]]\nprobe = {}\nreason = {}\n",
                quote(&waiver.probe),
                quote(&waiver.reason)
            ));
            if let Some(day) = &waiver.expires {
                text.push_str(&format!("expires = {}\n", quote(day)));
            }
        }
    }
}

/// The section as it is written, in records and in templates.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConformDocument {
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    waive: Vec<WaiveDocument>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiveDocument {
    probe: String,
    reason: String,
    expires: Option<Day>,
}

/// A date, quoted or not.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Day {
    Text(String),
    Date(toml_edit::Datetime),
}

impl Day {
    /// `YYYY-MM-DD`.
    ///
    /// # Errors
    /// Names `member` when it is something else.
    pub(super) fn parse(self, member: &str) -> Result<String, RecordError> {
        let text = match self {
            Self::Text(text) => text,
            Self::Date(date) => date.to_string(),
        };
        if text.len() != 10 || text.parse::<jiff::civil::Date>().is_err() {
            let reason = format!("`{}` is not a date of the form YYYY-MM-DD", excerpt(&text, 200));
            return Err(RecordError::Member { member: member.to_owned(), reason });
        }
        Ok(text)
    }
}

impl ConformDocument {
    /// The section, with every member checked.
    ///
    /// # Errors
    /// Names the member that cannot be used.
    pub fn parse(self) -> Result<ConformSection, RecordError> {
        let fault = |member: &str, reason: String| RecordError::Member {
            member: member.to_owned(),
            reason,
        };
        let usable = |word: &String| word.len() <= MAX_WORD && !word.contains('\0');
        if self.command.len() > MAX_WORDS || !self.command.iter().all(usable) {
            let reason =
                format!("it has more than {MAX_WORDS} words, or one that is not a valid argument");
            return Err(fault("conform.command", reason));
        }
        if self.command.first().is_some_and(String::is_empty) {
            return Err(fault("conform.command", "its first word is not a program".to_owned()));
        }
        let waivers = self.waive.into_iter().map(|waive| {
            if waive.reason.trim().is_empty() {
                return Err(fault("conform.waive.reason", "a waiver needs a reason".to_owned()));
            }
            if waive.probe.is_empty() || waive.probe.len() > 80 {
                let reason = format!("`{}` is not a probe", json::printable(&waive.probe));
                return Err(fault("conform.waive.probe", reason));
            }
            let expires =
                waive.expires.map(|day| day.parse("conform.waive.expires")).transpose()?;
            Ok(ProbeWaiver { probe: waive.probe, reason: waive.reason, expires })
        });
        Ok(ConformSection { command: self.command, waivers: waivers.collect::<Result<_, _>>()? })
    }
}
