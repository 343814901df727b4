//! The rules for every call of a tool of this family, and the probe that a violation contradicts.
//!
//! Each rule belongs to a probe that looks at a few samples itself. If several probes could report a fault, only the
//! one that explains it best does: a `--quiet` that suppresses the document is a fault of `cli.quiet`, not of
//! `cli.one-document`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::conform::call::Event;
use crate::conform::monitor::{self, Noted, Ruling};
use crate::conform::secrets::{SecretShape, Sentinel};
use crate::conform::session::ToolCaller;
use crate::families::agent_cli::contract::AgentCliContract;
use crate::strict_json;
use crate::system::subject::Ending;

use super::fixture::{self, AgentCliFixture, Role};
use super::{
    codes, describe, described, envelope, gate, kind, kinds, listing, normal, optional, pages,
    queries, redaction, secrets, shapes, values,
};

/// The variable of the release host that update probes set to a made-up secret.
const RELEASE_TOKEN: &str = "GITHUB_TOKEN";
/// Options whose answer is text for people.
const FOR_PEOPLE: &[&str] = &["--help", "-h", "--version", "help"];
const TEXT: &str = "the call requests text or raw bytes";

/// Every secret that a call of the run may carry.
#[must_use]
pub fn sentinels(session: &ToolCaller) -> Vec<Sentinel> {
    let shapes = [SecretShape::Plain, SecretShape::Special];
    let mut all: Vec<_> = shapes.into_iter().flat_map(|shape| session.sentinels(shape)).collect();
    let fixture = fixture::of(session).and_then(|fixture| fixture.credentials.as_ref());
    if let Some(credentials) = fixture {
        all.extend(credentials.of_first().into_iter().map(|(made, _)| made));
        all.extend(credentials.of_other().into_iter().map(|(made, _)| made));
    }
    all.push(Sentinel::new(RELEASE_TOKEN, SecretShape::Plain));
    all.dedup();
    all
}

/// Returns the rulings on each call.
#[must_use]
pub fn judge(session: &ToolCaller, calls: &[Noted]) -> Vec<Ruling> {
    let Ok(contract) = session.contract.of::<AgentCliContract>() else { return Vec::new() };
    let fixture = fixture::of(session);
    let reference = described_in(calls).unwrap_or_default();
    let rules = CallRules { contract, fixture, foreign: foreign(fixture, &reference), reference };
    calls.iter().map(|noted| rules.rule(noted)).collect()
}

/// The data of the first plain call of `reference` that worked.
fn described_in(calls: &[Noted]) -> Option<Value> {
    let is_plain = |noted: &&Noted| {
        noted.call.arguments == ["reference"]
            && noted.call.event == Event::None
            && noted.observed.exit() == Some(0)
    };
    calls.iter().filter(is_plain).find_map(|noted| {
        let mut document = noted.observed.json().ok()?;
        let data = document.get_mut("data").map(Value::take).filter(Value::is_object)?;
        Some(normal::read(&data).map_or(data, |normal| normal.data))
    })
}

/// Names of the fields that others wrote, as the commands that show one thing declare them.
fn foreign(fixture: Option<&AgentCliFixture>, reference: &Value) -> BTreeSet<String> {
    let samples = fixture.into_iter().flat_map(|fixture| &fixture.commands);
    let of_get = samples.filter(|sample| sample.role == Role::Get);
    of_get.flat_map(|sample| untrusted_fields(reference, &sample.path)).collect()
}

fn schema<'a>(reference: &'a Value, path: &str) -> Option<&'a Value> {
    let (_, command) = listing::commands(reference).find(|(known, _)| *known == path)?;
    reference["schemas"].get(command["output_schema"].as_str()?)
}

fn untrusted_fields(reference: &Value, path: &str) -> BTreeSet<String> {
    let fields = schema(reference, path).and_then(|schema| schema["untrusted_fields"].as_array());
    fields.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

struct CallRules<'a> {
    contract: &'a AgentCliContract,
    fixture: Option<&'a AgentCliFixture>,
    /// The data of `reference`; null when the run has none.
    reference: Value,
    foreign: BTreeSet<String>,
}

impl CallRules<'_> {
    fn rule(&self, noted: &Noted) -> Ruling {
        let path = self.path(noted);
        let mut ruling = Ruling::of(path.clone());
        let is_late =
            noted.observed.ran.as_ref().is_ok_and(|ran| matches!(ran.ending, Ending::TimedOut));
        if noted.call.holds_stdin && is_late {
            let fault = "it does not end while its stdin is open".to_owned();
            ruling.see(envelope::NO_PROMPT.id, Some(fault));
        }
        if let Some(reason) = monitor::exclusion(noted) {
            return ruling.excluded(reason);
        }
        secret(noted, &mut ruling);
        if FOR_PEOPLE.iter().any(|word| noted.has(word)) || asks_for_text(&noted.call.arguments) {
            return ruling.excluded(TEXT);
        }
        match noted.observed.json() {
            Ok(document) if document.get("type").is_none() || !self.is_stream(&path) => {
                document["error"]["code"].as_str().unwrap_or_default().clone_into(&mut ruling.code);
                ruling.see(
                    envelope::ONE_DOCUMENT.id,
                    shapes::stdout(noted.observed.stdout(), &document),
                );
                self.envelope(noted, &document, &mut ruling);
                if document["ok"] == true {
                    self.data(noted, &path, &document, &mut ruling);
                }
            }
            _ if self.is_stream(&path) && !noted.observed.stdout().is_empty() => {
                self.stream(noted, &path, &mut ruling);
            }
            Ok(_) => {}
            Err(reason) => no_document(noted, reason.into(), &mut ruling),
        }
        ruling
    }

    /// The command that was called, as `reference` names it; the first words where it does not know them.
    fn path(&self, noted: &Noted) -> String {
        let words = noted.call.arguments.iter().take_while(|word| !word.starts_with('-'));
        let words: Vec<&str> = words.map(String::as_str).collect();
        let known: BTreeSet<&str> =
            listing::commands(&self.reference).map(|(path, _)| path).collect();
        let fitting = (1..=words.len()).rev().map(|count| words[..count].join(" "));
        fitting
            .into_iter()
            .find(|path| known.contains(path.as_str()))
            .unwrap_or_else(|| words.first().copied().unwrap_or_default().to_owned())
    }

    fn command(&self, path: &str) -> Option<&Value> {
        listing::commands(&self.reference)
            .find(|(known, _)| *known == path)
            .map(|(_, command)| command)
    }

    fn is_stream(&self, path: &str) -> bool {
        let samples = self.fixture.into_iter().flat_map(|fixture| &fixture.commands);
        let mut streams = samples.filter(|sample| sample.role == Role::Stream);
        streams.any(|sample| sample.path == path)
            || self.command(path).is_some_and(|command| command["stream"] == true)
    }

    /// §3 and §6: the members of the envelope, and the table of codes.
    fn envelope(&self, noted: &Noted, document: &Value, ruling: &mut Ruling) {
        if !document.is_object() {
            return;
        }
        let rules = &self.contract.envelope;
        let exit = noted.observed.exit();
        ruling.see(envelope::ENVELOPE_KEYS.id, shapes::envelope(rules, document));
        // A member that is missing is a fault of the envelope alone.
        if document.get("meta").is_some() {
            ruling.see(envelope::META_KEYS.id, shapes::meta(rules, document));
        }
        if document.get("schema_version").is_some() {
            ruling.see(envelope::SCHEMA_VERSION.id, shapes::schema_version(rules, document));
        }
        ruling.see(
            envelope::SNAKE_CASE.id,
            shapes::camel(document).map(|key| format!("the key `{key}` is not in snake_case")),
        );
        // The exit of a call that a probe stopped is that probe's.
        if !noted.is_disturbed() {
            ruling.see(envelope::OK_EQUALS_EXIT.id, shapes::ok_and_exit(document, exit));
        }
        if document["ok"] != false || document.get("error").is_none() {
            return;
        }
        ruling.see(envelope::ERROR_KEYS.id, shapes::error(rules, document));
        if is_usage(&ruling.code) {
            ruling.see(codes::USAGE.id, None);
        }
        // Without `reference`, the codes of the tool are unknown.
        if noted.is_disturbed() || exit == Some(0) || !self.reference.is_object() {
            return;
        }
        let table = shapes::code(self.contract, &self.reference, document, exit);
        // `retryable` that is missing is a fault of the keys.
        let is_typed = document["error"]["retryable"].is_boolean();
        ruling.see(codes::CODE_TABLE.id, table.filter(|_| is_typed));
        let listed = self.reference["error_codes"].as_object();
        let is_listed = listed.is_none_or(|codes| codes.contains_key(&ruling.code));
        let fault = (!is_listed)
            .then(|| format!("`{}` is not in `error_codes` of `reference`", ruling.code));
        ruling.see(described::CODES_LISTED.id, fault);
    }

    /// §8, §11 and §15.8: fields, ids, times and marks.
    fn data(&self, noted: &Noted, path: &str, document: &Value, ruling: &mut Ruling) {
        let data = &document["data"];
        let is_preview = noted.has("--dry-run") && data.get("confirm_token").is_some();
        let wrong = values::wrong_of(&self.contract.fields, path, data);
        let owner = wrong.as_ref().map_or(queries::IDS_AND_TIMES.id, |(place, _)| {
            let place: Vec<&str> = place.iter().map(String::as_str).collect();
            match (path, place.as_slice()) {
                ("context", ["credentials", ..]) => optional::EXPIRING.id,
                (_, ["expires_at"]) if is_preview => gate::DRY_RUN.id,
                _ => queries::IDS_AND_TIMES.id,
            }
        });
        ruling.see(queries::IDS_AND_TIMES.id, None);
        ruling.see(owner, wrong.map(|(_, fault)| fault));
        let mark = values::stray_mark(data, self.contract.untrusted_key.as_str());
        let key = &self.contract.untrusted_key;
        let owner = self.owner_of_marks(noted, queries::UNTRUSTED.id);
        ruling.see(
            owner,
            mark.map(|mark| format!("`{key}` names `{mark}`, which is not a member of its object")),
        );
        if let Some(fault) = self.kinds(path, document) {
            ruling.see(kinds::FIELD_KINDS.id, fault);
        }
        // A preview shows what the caller wants, not what others wrote, and its members are those of the gate.
        if is_preview {
            return;
        }
        self.marks(noted, path, data, ruling);
        self.declared(path, data, ruling);
    }

    /// §3.2: the kinds of the published fields, and of those that the schema of the command declares.
    fn kinds(&self, path: &str, document: &Value) -> Option<Option<String>> {
        if self.contract.fields.kinds.is_empty() {
            return None;
        }
        let published = kinds::published(&self.contract.fields, path, document);
        let own = schema(&self.reference, path)
            .map(|schema| {
                kinds::declared(&self.contract.fields, &self.reference, schema, &document["data"])
            })
            .unwrap_or_default();
        (published.fields + own.fields > 0).then(|| published.fault.or(own.fault))
    }

    fn owner_of_marks(&self, noted: &Noted, usual: &'static str) -> &'static str {
        let narrows = noted.call.arguments.iter().any(|word| word.starts_with("--fields"));
        if narrows { queries::FIELDS.id } else { usual }
    }

    /// Text that others wrote is named on its own object.
    fn marks(&self, noted: &Noted, path: &str, data: &Value, ruling: &mut Ruling) {
        let own = untrusted_fields(&self.reference, path);
        if own.is_empty() {
            return;
        }
        let key = self.contract.untrusted_key.as_str();
        let own: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        let all = own.iter().copied().chain(self.foreign.iter().map(String::as_str)).collect();
        let say = |field: String| format!("`{field}` is text from outside, but is not in `{key}`");
        let here = values::unmarked_here(data, key, &own).map(say);
        ruling.see(self.owner_of_marks(noted, queries::UNTRUSTED.id), here);
        if data["items"].is_array() || data.is_array() {
            let below = values::below(data, key, &all).map(say);
            ruling.see(self.owner_of_marks(noted, pages::UNTRUSTED_ITEMS.id), below);
        }
    }

    /// Members that the schema of the command does not declare.
    fn declared(&self, path: &str, data: &Value, ruling: &mut Ruling) {
        let fields = schema(&self.reference, path).and_then(|schema| schema["fields"].as_array());
        let (Some(fields), Some(command)) = (fields, self.command(path)) else { return };
        let mark = self.contract.untrusted_key.as_str();
        let is_declared =
            |key: &str| key == mark || fields.iter().any(|field| field.as_str() == Some(key));
        let rows = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
        let mut names = rows.iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys);
        let stray = names.find(|key| !is_declared(key));
        let owner = if kind::writes(&self.contract.commands, command) {
            described::DECLARED_WRITES.id
        } else {
            describe::DECLARED_FIELDS.id
        };
        ruling.see(
            owner,
            stray.map(|key| format!("`{path}` prints `{key}`, which its schema does not declare")),
        );
    }

    /// §5: the lines of a stream.
    fn stream(&self, noted: &Noted, path: &str, ruling: &mut Ruling) {
        let text = String::from_utf8_lossy(noted.observed.stdout()).into_owned();
        let is_whole = noted.observed.exit() == Some(0);
        let rules = &self.contract.envelope;
        let lines = shapes::stream(rules, &text);
        ruling.see(queries::STREAM.id, lines.as_ref().err().map(ToString::to_string));
        if let (true, Ok(lines)) = (is_whole, &lines) {
            ruling.see(queries::STREAM_SUMMARY.id, shapes::summary(rules, lines));
        }
        for line in lines.unwrap_or_default() {
            ruling.see(
                envelope::SNAKE_CASE.id,
                shapes::camel(&line).map(|key| format!("the key `{key}` is not in snake_case")),
            );
            ruling.see(envelope::SCHEMA_VERSION.id, shapes::schema_version(rules, &line));
            let is_summary = line["type"] == rules.stream_last_type.as_str();
            if line["ok"] == true && !is_summary {
                self.data(noted, path, &line, ruling);
            }
        }
    }
}

fn is_usage(code: &str) -> bool {
    ["E_USAGE", "E_VALIDATION"].contains(&code)
}

fn asks_for_text(arguments: &[String]) -> bool {
    let is_other = |format: &str| ["text", "raw"].contains(&format);
    arguments.windows(2).any(|pair| pair[0] == "--format" && is_other(&pair[1]))
        || arguments.iter().any(|word| word.strip_prefix("--format=").is_some_and(is_other))
}

/// §10: no secret on either stream, for every call and format.
fn secret(noted: &Noted, ruling: &mut Ruling) {
    let said = noted.observed.said();
    let mut secrets = noted.observed.secrets.iter();
    let leak = secrets.find_map(|secret| secret.shows(&said).map(|how| (secret, how)));
    let is_argument =
        noted.observed.secrets.iter().any(|secret| {
            noted.call.arguments.iter().any(|argument| argument.contains(&secret.value))
        });
    // A secret among the arguments has a probe of its own.
    let owner = if is_argument { redaction::PREVIEW_SECRETS.id } else { secrets::SECRETS.id };
    ruling.see(owner, leak.map(|(secret, how)| format!("{} is printed {how}", secret.name)));
}

/// Records that a call printed no document: an envelope on the wrong stream, nothing, or something else.
fn no_document(noted: &Noted, reason: String, ruling: &mut Ruling) {
    let is_empty = noted.observed.stdout().iter().all(u8::is_ascii_whitespace);
    if !is_empty {
        ruling.see(envelope::ONE_DOCUMENT.id, Some(reason));
        return;
    }
    let stderr = String::from_utf8_lossy(noted.observed.stderr()).into_owned();
    let inner = stderr.find('{').zip(stderr.rfind('}'));
    let document = inner.and_then(|(from, to)| strict_json::read(stderr.get(from..=to)?).ok());
    let code = document.as_ref().and_then(|document| document["error"]["code"].as_str());
    if let Some(code) = code {
        code.clone_into(&mut ruling.code);
        let owner = if is_usage(code) { codes::USAGE.id } else { envelope::ONE_DOCUMENT.id };
        ruling
            .see(owner, Some(format!("the envelope of {code} is on stderr, and stdout is empty")));
    } else if noted.has("--quiet") {
        ruling.see(envelope::QUIET.id, Some("--quiet suppresses the document".to_owned()));
    } else {
        ruling.see(envelope::ONE_DOCUMENT.id, Some(reason));
    }
}
