//! The rules for every call of a connector, and the probe that a violation contradicts.
//!
//! Each rule belongs to a probe that looks at a few samples itself. What a tag leaves open is not a rule: the first tag
//! says how commands answer, not how a command line that cannot be parsed is refused.

use serde_json::Value;

use crate::conform::call::Upstream;
use crate::conform::mock::Behaviour;
use crate::conform::monitor::{self, Noted, Ruling};
use crate::conform::secrets::{SecretShape, Sentinel};
use crate::conform::session::ToolCaller;
use crate::families::harness::contract::HarnessContract;

use super::call::{self, BUILTIN, CallableCommand};
use super::{envelope, leaks, process, results, shapes, surface};

/// The code of a command line that cannot be parsed, and the id of an unrecognized command.
const USAGE: &str = "INVALID_USAGE";
const UNKNOWN: &str = "unknown";
const USAGE_EXIT: i32 = 2;

/// Every secret that a call of the run may carry.
#[must_use]
pub fn sentinels(session: &ToolCaller) -> Vec<Sentinel> {
    let shapes = [SecretShape::Plain, SecretShape::Special];
    shapes.into_iter().flat_map(|shape| session.sentinels(shape)).collect()
}

/// Returns the rulings on each call.
#[must_use]
pub fn judge(session: &ToolCaller, calls: &[Noted]) -> Vec<Ruling> {
    let Some(contract) = call::contract(session) else { return Vec::new() };
    let commands = match &session.manifest {
        Some(manifest) => call::listed(manifest),
        None => said_in(calls),
    };
    let rules = ConnectorRules { session, contract, commands, is_strict: call::is_strict(session) };
    calls.iter().map(|noted| rules.rule(noted)).collect()
}

/// The commands of the first `capabilities` that worked, for a tool without a manifest.
fn said_in(calls: &[Noted]) -> Vec<CallableCommand> {
    let is_asked = |noted: &&Noted| noted.has("capabilities") && noted.observed.exit() == Some(0);
    let said = calls.iter().filter(is_asked).find_map(|noted| {
        let envelope = call::loose(&noted.observed)?;
        envelope.get("data").filter(|data| data.is_object()).map(call::listed)
    });
    said.unwrap_or_default()
}

struct ConnectorRules<'a> {
    session: &'a ToolCaller,
    contract: &'a HarnessContract,
    commands: Vec<CallableCommand>,
    is_strict: bool,
}

impl ConnectorRules<'_> {
    fn rule(&self, noted: &Noted) -> Ruling {
        let id = self.id(noted);
        let mut ruling = Ruling::of(id.clone().unwrap_or_else(|| UNKNOWN.to_owned()));
        if let Some(reason) = monitor::exclusion(noted) {
            return ruling.excluded(reason);
        }
        let envelope = call::loose(&noted.observed);
        let code = envelope.as_ref().map(call::error_code).unwrap_or_default();
        code.clone_into(&mut ruling.code);
        secret(noted, id.as_deref(), &mut ruling);
        if ["--help", "--version"].iter().any(|word| noted.has(word)) {
            return ruling.excluded("the call requests help or the version, which is text");
        }
        if !noted.has("--json") {
            return ruling.excluded("the call requests text");
        }
        // A signal may end a connector without an answer; what it prints then is judged by the probe that sent it.
        if noted.is_disturbed() {
            return ruling.excluded("a probe ended it with a signal");
        }
        let document = noted.observed.json();
        if document.is_err() && envelope.is_none() {
            if !self.is_strict && noted.observed.exit() == Some(USAGE_EXIT) {
                return ruling
                    .excluded("this tag does not specify the response to a wrong command line");
            }
            let (owner, fault) = self.no_document(noted, id.as_deref());
            ruling.see(owner, Some(fault));
            return ruling;
        }
        // Text of `--verbose` before the document is the fault of one probe.
        if !noted.has("--verbose") {
            ruling.see(envelope::ONE_DOCUMENT.id, document.err().map(String::from));
        }
        if let Some(envelope) = envelope {
            self.envelope(noted, id.as_deref(), &envelope, &mut ruling);
        }
        ruling
    }

    /// The command that was called; `None` when no word names one.
    fn id(&self, noted: &Noted) -> Option<String> {
        let words = words(&noted.call.arguments);
        let builtin = BUILTIN.iter().map(|(id, _)| (*id).to_owned());
        let known: Vec<String> =
            builtin.chain(self.commands.iter().map(|command| command.id.clone())).collect();
        let mut fitting = (1..=words.len()).rev().map(|count| words[..count].join("."));
        fitting.find(|id| known.contains(id))
    }

    /// Returns the probe that is responsible for a missing document, and the fault.
    fn no_document(&self, noted: &Noted, id: Option<&str>) -> (&'static str, String) {
        let observed = &noted.observed;
        let reason = call::no_object(observed);
        let is_builtin = id.is_some_and(|id| BUILTIN.iter().any(|(known, _)| *known == id));
        if observed.has_traceback() && !is_builtin {
            return (process::BACKEND_DOWN.id, "a traceback is not a response".to_owned());
        }
        if observed.exit() != Some(USAGE_EXIT) || !observed.stdout().is_empty() {
            return (envelope::ONE_DOCUMENT.id, reason);
        }
        let is_mode = |mode: &str| self.contract.modes.iter().any(|known| known.as_str() == mode);
        let variable = self.contract.mode_env.as_ref();
        let environment = &noted.call.environment;
        let given = environment
            .iter()
            .find(|(name, _)| variable.is_some_and(|known| known.as_str() == name));
        let owner = if mode(&noted.call.arguments).is_some_and(|mode| !is_mode(mode)) {
            envelope::BAD_MODE.id
        } else if given.is_some_and(|(_, value)| !is_mode(value)) {
            envelope::BAD_MODE_VARIABLE.id
        } else if id.is_none() {
            envelope::UNKNOWN_COMMAND.id
        } else {
            envelope::UNKNOWN_OPTION.id
        };
        (owner, reason)
    }

    /// §4 and §5: the members of the envelope, and what they say about the call.
    fn envelope(&self, noted: &Noted, id: Option<&str>, value: &Value, ruling: &mut Ruling) {
        let contract = self.contract;
        let is_ok = value.get("ok") == Some(&Value::Bool(true));
        if is_ok {
            let fault = shapes::success(contract, id.unwrap_or_default(), value);
            ruling.see(envelope::SUCCESS_KEYS.id, fault);
        } else {
            ruling.see(envelope::ERROR_KEYS.id, shapes::failure(contract, value));
        }
        // A member that is missing is a fault of the envelope alone.
        if value.get("meta").is_some() {
            ruling.see(envelope::META.id, shapes::meta(contract, value));
        }
        self.names(noted, id, value, ruling);
        if let Some(exit) = noted.observed.exit() {
            let ok = value.get("ok").and_then(Value::as_bool);
            let fault = ok
                .filter(|ok| *ok != (exit == 0))
                .map(|ok| format!("`ok` is {ok}, but the exit code is {exit}"));
            ruling.see(envelope::OK_IS_EXIT_ZERO.id, fault);
            ruling.see(process::EXIT_CODES.id, shapes::exit(contract, &ruling.code, exit));
        }
        if is_ok && self.is_strict && noted.observed.exit() == Some(0) {
            ruling.see(results::DATA.id, results::wrong_data(value));
            self.list(noted, id, value, ruling);
        }
    }

    /// The tool, the command and the mode that an answer names.
    fn names(&self, noted: &Noted, id: Option<&str>, value: &Value, ruling: &mut Ruling) {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        let tool = self.session.manifest.as_ref().and_then(|manifest| manifest.get("tool"));
        if let (Some(known), Some(said)) = (tool.and_then(Value::as_str), text("/tool")) {
            let fault = (said != known).then(|| format!("it reports `{said}`, not `{known}`"));
            ruling.see(surface::TOOL_NAME.id, fault);
        }
        // If the command line cannot be parsed, command and mode may be unknown.
        let is_parsed = ruling.code != USAGE;
        if let (Some(id), Some(said)) = (id, text("/command")) {
            let fits = said == id || !is_parsed && said == UNKNOWN;
            let fault = (!fits).then(|| format!("`command` is `{said}`, not `{id}`"));
            ruling.see(envelope::COMMAND_ID.id, fault);
        }
        let mode = mode(&noted.call.arguments);
        if let (Some(mode), Some(said), true) = (mode, text("/meta/mode"), is_parsed) {
            let fault =
                (said != mode).then(|| format!("the mode is {mode}, but it reports `{said}`"));
            ruling.see(envelope::META_MODE.id, fault);
        }
    }

    /// A list, where the upstream gave what conform.toml states: another one may give anything.
    fn list(&self, noted: &Noted, id: Option<&str>, value: &Value, ruling: &mut Ruling) {
        let is_answered = noted.call.upstream == Upstream::Mock(Behaviour::Good)
            && noted.call.secrets.is_some()
            && self.session.fixture.is_some()
            && self.session.base_url_env().is_some();
        let command = self.commands.iter().find(|command| Some(command.id.as_str()) == id);
        let Some(command) = command.filter(|_| is_answered) else { return };
        if results::is_list(self.session, command) {
            let data = value.get("data").unwrap_or(&Value::Null);
            ruling.see(results::LISTS.id, results::not_a_list(data, command));
        }
    }
}

/// The words that name a command: before its options, without the global flags.
fn words(arguments: &[String]) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--json" | "--verbose" => {}
            "--mode" => drop(rest.next()),
            word if word.starts_with("--mode=") => {}
            word if word.starts_with('-') => break,
            word => words.push(word),
        }
    }
    words
}

/// The mode that a call asks for; the last one counts.
fn mode(arguments: &[String]) -> Option<&str> {
    let joined = arguments.iter().rev().find_map(|word| word.strip_prefix("--mode="));
    joined.or_else(|| {
        let mut pairs = arguments.windows(2).rev();
        pairs.find(|pair| pair[0] == "--mode").map(|pair| pair[1].as_str())
    })
}

/// §9: no secret on either stream. The probe is that of the command, or that of errors for what no command said.
fn secret(noted: &Noted, id: Option<&str>, ruling: &mut Ruling) {
    let said = noted.observed.said();
    let mut secrets = noted.observed.secrets.iter();
    let leak = secrets.find_map(|secret| secret.shows(&said).map(|how| (secret, how)));
    let owner = match id {
        _ if [USAGE, "PERMISSION_DENIED"].contains(&ruling.code.as_str()) => leaks::ERRORS.id,
        None | Some("capabilities") => leaks::ERRORS.id,
        Some("config.show") => leaks::CONFIG.id,
        Some("health") => leaks::HEALTH.id,
        Some(_) => leaks::COMMANDS.id,
    };
    ruling.see(owner, leak.map(|(secret, how)| format!("{} is printed {how}", secret.name)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_words_of_a_command_end_at_its_options() {
        for line in
            ["--json --mode write item create --label item", "item --json create --mode write"]
        {
            assert_eq!(words(&call(line)), ["item", "create"], "{line}");
            assert_eq!(mode(&call(line)), Some("write"), "{line}");
        }
        assert_eq!(words(&call("--json")), Vec::<&str>::new());
        assert_eq!(mode(&call("--mode=full health")), Some("full"));
        assert_eq!(mode(&call("health --json")), None);
    }
}
