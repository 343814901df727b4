//! Calls of a connector, and the few calls that many probes share.

use std::sync::Arc;

use serde_json::Value;

use crate::families::harness::contract::FlagPosition;
use crate::families::harness::contract::HarnessContract;

use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, ProbeVerdict};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{Observed, ToolCall, ToolCaller};
use crate::reason::Reason;

/// Most commands that a run looks at one by one.
const MAX_COMMANDS: usize = 400;
/// Commands that every connector has.
pub(super) const BUILTIN: [(&str, &[&str]); 3] = [
    ("capabilities", &["capabilities"]),
    ("health", &["health"]),
    ("config.show", &["config", "show"]),
];

/// A command of the manifest.
#[derive(Clone, Debug)]
pub(super) struct CallableCommand {
    pub id: String,
    pub required_mode: String,
}

impl CallableCommand {
    /// The words that call it.
    pub fn words(&self) -> Vec<String> {
        self.id.split('.').map(str::to_owned).collect()
    }

    /// True if it is about the connector itself, and needs no sample and no request of the API.
    pub fn is_builtin(&self) -> bool {
        BUILTIN.iter().any(|(id, _)| *id == self.id) || self.id == "doctor"
    }

    /// `--json`, the mode, and the words.
    pub fn call(&self, mode: Option<&str>) -> ToolCall {
        let mut arguments = vec!["--json".to_owned()];
        arguments.extend(mode.into_iter().flat_map(|mode| ["--mode".to_owned(), mode.to_owned()]));
        arguments.extend(self.words());
        ToolCall::new(arguments)
    }

    /// The same with the arguments that the fixture gives for it.
    pub fn sampled(&self, session: &ToolCaller, mode: Option<&str>) -> ToolCall {
        let mut call = self.call(mode);
        call.arguments.extend(self.sample(session).unwrap_or_default().iter().cloned());
        call
    }

    pub fn sample<'a>(&self, session: &'a ToolCaller) -> Option<&'a [String]> {
        session.fixture.as_ref()?.samples.get(&self.id).map(Vec::as_slice)
    }
}

/// `--json` and these words.
pub(super) fn json(words: &[&str]) -> ToolCall {
    ToolCall::new(std::iter::once("--json").chain(words.iter().copied()))
}

/// The three calls that every connector answers without anything, with their ids.
pub(super) fn basics(session: &ToolCaller) -> Vec<(&'static str, Arc<Observed>)> {
    BUILTIN.into_iter().map(|(id, words)| (id, session.observe(&json(words)))).collect()
}

/// The object on stdout, also with other text around it, which only one probe reports.
pub(super) fn loose(observed: &Observed) -> Option<Value> {
    let value = observed.json().ok().or_else(|| {
        let text = String::from_utf8_lossy(observed.stdout()).into_owned();
        let whole = text.get(text.find('{')?..=text.rfind('}')?)?;
        crate::strict_json::read(whole).ok()
    })?;
    value.is_object().then_some(value)
}

/// Explains why a response is not a JSON object.
pub(super) fn no_object(observed: &Observed) -> String {
    observed.json().err().map_or_else(|| "it is not an object".to_owned(), String::from)
}

/// Returns the answer of `capabilities`; without one, the call and the reason.
pub(super) fn capabilities(session: &ToolCaller) -> Result<(Arc<Observed>, Value), Conclusion> {
    let observed = session.observe(&json(&["capabilities"]));
    match loose(&observed).and_then(|envelope| envelope.get("data").cloned()) {
        Some(data @ Value::Object(_)) => Ok((observed, data)),
        _ => {
            let why = "`capabilities` returned no envelope with a `data` object";
            Err(Conclusion::fail(why).with(observed.evidence(why)))
        }
    }
}

/// The commands of the manifest; of `capabilities` where there is no manifest.
pub(super) fn commands(session: &ToolCaller) -> Vec<CallableCommand> {
    match &session.manifest {
        Some(manifest) => listed(manifest),
        None => capabilities(session).map(|(_, data)| listed(&data)).unwrap_or_default(),
    }
}

/// The commands in the list of a manifest or of `capabilities`.
pub(super) fn listed(source: &Value) -> Vec<CallableCommand> {
    let entries = source.get("commands").and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(command).take(MAX_COMMANDS).collect()
}

/// Returns the reason why the list of commands is unreliable, so that nothing may be concluded from an omission.
pub(super) fn unreadable(session: &ToolCaller) -> Option<String> {
    let said = capabilities(session).map(|(_, data)| data).unwrap_or_default();
    let (name, source) = match &session.manifest {
        Some(manifest) => ("connector.json", manifest),
        None => ("`capabilities`", &said),
    };
    let entries = match source.get("commands").and_then(Value::as_array) {
        Some(entries) if !entries.is_empty() => entries,
        _ => return Some(format!("{name} has no readable list of commands")),
    };
    if entries.len() > MAX_COMMANDS {
        return Some(format!("{name} has more than {MAX_COMMANDS} commands"));
    }
    let modes = modes(session);
    for entry in entries {
        let Some(command) = command(entry) else {
            return Some(format!("{name} has a command whose id cannot be read"));
        };
        if !modes.contains(&command.required_mode) {
            return Some(format!(
                "`{}` of {name} needs the mode `{}`, which the contract does not know",
                command.id, command.required_mode
            ));
        }
    }
    let known: Vec<_> = entries.iter().filter_map(command).map(|command| command.id).collect();
    let more = said.get("commands").and_then(Value::as_array).into_iter().flatten();
    let more = more.filter_map(|entry| entry.as_str().or_else(|| entry.get("id")?.as_str()));
    let hidden = more.into_iter().find(|id| !known.iter().any(|known| known == id))?;
    Some(format!("`capabilities` lists `{hidden}`, which {name} lacks"))
}

/// The absence of something that commands may have: `evidence` when their list can be relied on, else the reason.
pub(super) fn absence<'a>(session: &ToolCaller, evidence: &'a str) -> Result<&'a str, Reason> {
    unreadable(session).map_or(Ok(evidence), |why| Err(why.into()))
}

/// A verdict over all commands: no pass and no absence while their list cannot be relied on.
pub(super) fn over_all(session: &ToolCaller, finding: Conclusion) -> Conclusion {
    match (finding.verdict(), unreadable(session)) {
        (ProbeVerdict::Pass | ProbeVerdict::NotApplicable, Some(why)) => {
            Conclusion::blocked(why).about(finding.targets(), finding.unit())
        }
        _ => finding,
    }
}

fn command(entry: &Value) -> Option<CallableCommand> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let id = text("id")?;
    // `aos check` reports an invalid id; here it would become a word of a command line.
    let is_plain = |symbol: char| symbol.is_ascii_alphanumeric() || "._-".contains(symbol);
    let usable =
        !id.is_empty() && id.len() <= 120 && !id.starts_with('-') && id.chars().all(is_plain);
    usable.then(|| CallableCommand {
        id: id.to_owned(),
        required_mode: text("required_mode").unwrap_or_default().to_owned(),
    })
}

/// The contract of a connector.
pub(super) fn contract(session: &ToolCaller) -> Option<&HarnessContract> {
    session.contract.of().ok()
}

/// The modes of the contract, lowest first.
pub(super) fn modes(session: &ToolCaller) -> Vec<String> {
    contract(session)
        .map(|contract| contract.modes.iter().map(ToString::to_string).collect())
        .unwrap_or_default()
}

/// Commands that a lower mode must not run, with those modes.
pub(super) fn gated(session: &ToolCaller) -> Vec<(CallableCommand, Vec<String>)> {
    let modes = modes(session);
    let gated = |command: CallableCommand| {
        let rank = modes.iter().position(|mode| *mode == command.required_mode)?;
        (rank > 0).then(|| (command, modes[..rank].to_vec()))
    };
    commands(session).into_iter().filter_map(gated).collect()
}

/// True if the tag asks for what the first tag leaves open: flags in any position, the gate first, rules of health.
pub(super) fn is_strict(session: &ToolCaller) -> bool {
    contract(session).is_some_and(|contract| contract.global_flags_position == FlagPosition::Any)
}

/// Returns the reason why commands must not be run here; `None` if nothing can leave the machine.
pub(super) fn uncontained(session: &ToolCaller) -> Option<Conclusion> {
    let reason = session.isolation.as_ref().err().filter(|_| session.base_url_env().is_none())?;
    Some(Conclusion::blocked(format!(
        "a command might reach a real upstream: conform.toml names no `base_url_env`, and {reason}"
    )))
}

/// Every command but the built-in ones, in its own mode, with secrets.
pub(super) fn carried_out(
    session: &ToolCaller,
    behaviour: Option<Behaviour>,
    shape: SecretShape,
) -> Vec<(CallableCommand, Arc<Observed>)> {
    carried_out_of(commands(session), session, behaviour, shape)
}

/// The same of some commands.
pub(super) fn carried_out_of(
    commands: Vec<CallableCommand>,
    session: &ToolCaller,
    behaviour: Option<Behaviour>,
    shape: SecretShape,
) -> Vec<(CallableCommand, Arc<Observed>)> {
    let commands = commands.into_iter().filter(|command| !command.is_builtin());
    let (commands, calls): (Vec<_>, Vec<_>) = commands
        .map(|command| {
            let call = carrying_out(session, &command, behaviour, shape);
            (command, call)
        })
        .unzip();
    commands.into_iter().zip(session.observe_all(&calls)).collect()
}

/// A command in its own mode, with its sample and secrets.
pub(super) fn carrying_out(
    session: &ToolCaller,
    command: &CallableCommand,
    behaviour: Option<Behaviour>,
    shape: SecretShape,
) -> ToolCall {
    let mode = Some(command.required_mode.as_str()).filter(|mode| !mode.is_empty());
    let call = command.sampled(session, mode).secrets(shape);
    match behaviour {
        Some(behaviour) => call.upstream(behaviour),
        None => call,
    }
}

/// The help of a command, in the highest mode.
pub(super) fn help(session: &ToolCaller, command: &CallableCommand) -> Arc<Observed> {
    let highest = modes(session).pop();
    let mut arguments: Vec<_> =
        highest.into_iter().flat_map(|mode| ["--mode".to_owned(), mode]).collect();
    arguments.extend(command.words());
    arguments.push("--help".to_owned());
    session.observe(&ToolCall::new(arguments))
}

pub(super) fn error_code(envelope: &Value) -> &str {
    envelope.pointer("/error/code").and_then(Value::as_str).unwrap_or_default()
}
