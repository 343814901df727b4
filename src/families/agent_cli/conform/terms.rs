//! The terms of the contract that a program acts on (agent-cli §3.1, §11): types of commands, capabilities, and the digest
//! of the contract that a tool was built from.

use std::collections::BTreeSet;
use std::path::Path;

use indexmap::IndexMap;
use serde_json::Value;

use crate::conform::probe::Probe;
use crate::conform::session::ToolCaller;
use crate::contract::name::{Constant, Key};
use crate::families::agent_cli::contract::{CodeSpec, FAMILY};
use crate::families::agent_cli::extension::Extension;
use crate::families::agent_cli::modules::ContractModel;
use crate::generate::outputs;
use crate::inputs::project::Project;
use crate::system::files;

use super::fixture::Role;
use super::kind;
use super::lab::{ProbeCaller, examine};
use super::listing::{self, commands};
use super::stop::{ProbeStep, Unfinished};

/// Largest `contract-ext.json`, in bytes.
const MAX_EXTENSION: u64 = 1024 * 1024;

/// Ends a probe whose terms the pinned tag does not have.
///
/// # Errors
/// Not applicable for an earlier tag.
pub fn since(lab: &ProbeCaller<'_>, is_defined: bool, terms: &str) -> ProbeStep {
    let tag = &lab.session.target.tag;
    is_defined
        .then_some(())
        .ok_or_else(|| Unfinished::NotApplicable(format!("{tag} does not define {terms}")))
}

pub const COMMAND_TYPES: Probe = Probe {
    id: "cli.command-types",
    section: "§11",
    title: "The type of every command is a word of the contract, and the required commands exist",
    why: "An agent decides by the type whether a call can change something",
    fix: "use `query` for a command that only reads, and `write` for every other one",
    run: |session| examine(session, command_types),
    ..Probe::of(FAMILY)
};

fn command_types(lab: &ProbeCaller<'_>) -> ProbeStep {
    let rules = &lab.contract.commands;
    since(lab, !rules.is_open(), "types of commands")?;
    let reference = lab.reference()?;
    let shot = lab.look(&["reference"]);
    lab.tally.count("commands");
    for (path, command) in commands(&reference) {
        lab.tally.subject(path);
        let word = command["type"].as_str().unwrap_or_default();
        if rules.changes(word).is_none() {
            let words: Vec<&str> = rules.types.keys().map(|word| word.as_str()).collect();
            let message = format!("`{path}` has the type `{word}`, not {}", words.join(" or "));
            return Err(shot.fail(message));
        }
        let is_mixed = kind::unclear(rules, path, command).is_some();
        let message = || format!("`{path}` has the type `{word}`, but is confirmed like a write");
        shot.without(is_mixed.then(message))?;
    }
    let known: BTreeSet<&str> = commands(&reference).map(|(path, _)| path).collect();
    let missing = rules.required.iter().find(|path| !known.contains(path.as_str()));
    shot.without(missing.map(|path| format!("`reference` has no command `{path}`")))
}

pub const CAPABILITIES: Probe = Probe {
    id: "cli.capabilities",
    section: "§11",
    title: "`capabilities` of `reference` has only words of the contract, and agrees with the commands",
    why: "Agents and probes decide by it what can be asked of a tool",
    fix: "compute the list from the commands that the tool has",
    run: |session| examine(session, capabilities),
    ..Probe::of(FAMILY)
};

fn capabilities(lab: &ProbeCaller<'_>) -> ProbeStep {
    since(lab, !lab.contract.capabilities.is_empty(), "capabilities")?;
    let reference = lab.reference()?;
    let shot = lab.look(&["reference"]);
    let Some(listed) = reference["capabilities"].as_array() else {
        return Err(shot.fail("`reference` has no list `capabilities`"));
    };
    lab.tally.count("capabilities");
    let listed: BTreeSet<&str> = listed.iter().filter_map(Value::as_str).collect();
    let known = |word: &&&str| lab.contract.capabilities.keys().any(|key| key.as_str() == **word);
    let unknown = listed.iter().find(|word| !known(word));
    shot.without(unknown.map(|word| format!("`{word}` is not a capability of the contract")))?;
    for (word, is_shown) in shown(lab, &reference) {
        lab.tally.subject(word);
        let fault = match (listed.contains(word), is_shown) {
            (true, false) => {
                Some(format!("`capabilities` has `{word}`, but no command has that feature"))
            }
            (false, true) => {
                Some(format!("`capabilities` lacks `{word}`, but the tool has that feature"))
            }
            _ => None,
        };
        shot.without(fault)?;
    }
    Ok(())
}

/// The capabilities that the rest of `reference` shows, or that it would show.
fn shown(lab: &ProbeCaller<'_>, reference: &Value) -> Vec<(&'static str, bool)> {
    let rules = &lab.contract.commands;
    let any = |test: &dyn Fn(&str, &Value) -> bool| {
        commands(reference).any(|(path, command)| test(path, command))
    };
    let marked = |mark: &'static str| any(&|_, command| command[mark] == true);
    let has = |role| listing::may_have(lab.contract, reference, role);
    let asks_token =
        |_: &str, command: &Value| kind::writes(rules, command) && command["confirm"] != "exempt";
    let mut all = vec![
        ("writes", any(&asks_token)),
        ("dangerous", marked("dangerous")),
        ("streams", marked("stream")),
        ("batch", marked("batch")),
        ("update", any(&|path, _| path == "update")),
        ("human_action", has(Role::Human)),
        ("jobs", has(Role::Job)),
        ("scopes", has(Role::Scopes)),
    ];
    let variables = reference["environment"].as_array().into_iter().flatten();
    let mut secrets = variables.filter(|variable| variable["secret"] == true);
    // The token of the release host is none of the upstream.
    let takes_secret = secrets.any(|variable| variable["name"] != "GITHUB_TOKEN");
    if lab.fixture.credentials.is_some() || takes_secret || any(&|path, _| path == "auth login") {
        all.push(("credentials", true));
    }
    // A command that only looks like a list is none, and only the file of facts knows the upstream.
    if lab.fixture.upstream.is_some() {
        all.push(("upstream", true));
    }
    all
}

/// Returns the reason why a requirement for these capabilities does not apply to the tool: `capabilities` of
/// `reference` lacks one, the rest of `reference` confirms that, and help lists no other command.
pub fn without(session: &ToolCaller, needs: &[Key]) -> Option<String> {
    if needs.is_empty() {
        return None;
    }
    let lab = ProbeCaller::new(session).ok()?;
    let reference = lab.session_reference().filter(|_| !lab.contract.capabilities.is_empty())?;
    let listed: Vec<&str> =
        reference["capabilities"].as_array()?.iter().filter_map(Value::as_str).collect();
    let mut unlisted = needs.iter().map(Key::as_str).filter(|word| !listed.contains(word));
    let missing = unlisted.find(|word| is_absent(&lab, &reference, word))?;
    match lab.absent(&format!("`capabilities` of `reference` has no `{missing}`")) {
        Unfinished::NotApplicable(evidence) => Some(evidence),
        _ => None,
    }
}

/// True if the rest of `reference` confirms that a capability is not there. A word of the tool alone proves nothing.
fn is_absent(lab: &ProbeCaller<'_>, reference: &Value, word: &str) -> bool {
    let shown = shown(lab, reference);
    match (word, shown.iter().find(|(known, _)| *known == word)) {
        (_, Some((_, is_shown))) => !is_shown,
        ("lists", None) => !listing::may_have(lab.contract, reference, Role::List),
        // A tool that lists its variables would list one for its secret.
        ("credentials", None) => reference["environment"].is_array(),
        _ => false,
    }
}

pub const CONTRACT_DIGEST: Probe = Probe {
    id: "cli.contract-digest",
    section: "§3.1",
    title: "The tool was built from the pinned contract, as the digest in `reference` shows",
    why: "A program that was built before the pin moved follows an old contract",
    fix: "generate the module with `aos gen`, build the tool again, and hash the text of the module",
    run: |session| examine(session, contract_digest),
    ..Probe::of(FAMILY)
};

fn contract_digest(lab: &ProbeCaller<'_>) -> ProbeStep {
    since(lab, !lab.contract.capabilities.is_empty(), "the digest of the contract")?;
    let reference = lab.reference()?;
    let shot = lab.look(&["reference"]);
    let said = &reference["contract"];
    let tag = lab.contract.tag.as_str();
    let message = format!("`contract.tag` of `reference` is not `{tag}`, the pinned tag");
    shot.expect(said["tag"] == tag, message)?;
    let extension = own_codes(lab, &reference)?;
    let model = ContractModel::new(lab.contract, &extension)
        .map_err(|error| Unfinished::Blocked(format!("the contract gives no module: {error}")))?;
    let digest = model.digest();
    let message =
        format!("`contract.digest` of `reference` is not `{digest}`, that of the pinned contract");
    shot.expect(said["digest"] == digest.as_str(), message)
}

/// The codes that the tool adds to the core: those of its project, else those of its own list, which other probes compare
/// with what it does.
///
/// # Errors
/// Blocked when the file of the project cannot be used.
fn own_codes(lab: &ProbeCaller<'_>, reference: &Value) -> ProbeStep<Extension> {
    if let Some(root) = &lab.session.target.root {
        return of_project(lab, root);
    }
    let listed = reference["error_codes"].as_object().into_iter().flatten();
    let codes = listed.filter_map(|(name, spec)| {
        let code = Constant::parse(name)?;
        let exit = u8::try_from(spec["exit"].as_u64()?).ok()?;
        let retryable = spec["retryable"].as_bool()?;
        let is_core = lab.contract.error_codes.core.contains_key(&code);
        (!is_core).then_some((code, CodeSpec { exit, retryable }))
    });
    Ok(Extension { codes: codes.collect::<IndexMap<_, _>>() })
}

fn of_project(lab: &ProbeCaller<'_>, root: &Path) -> ProbeStep<Extension> {
    let blocked = |why: String| Unfinished::Blocked(why);
    let project = Project::open(root).map_err(|error| blocked(error.to_string()))?;
    let record =
        project.record.good().ok_or_else(|| blocked("aos.toml cannot be read".to_owned()))?;
    let Some(path) = outputs::own_file_of(FAMILY, &record.spec.directory) else {
        return Ok(Extension::default());
    };
    match files::read(&root.join(&path), MAX_EXTENSION) {
        Ok(file) => Extension::parse(&file.bytes, lab.contract)
            .map_err(|error| blocked(format!("`{path}` is not valid: {error}"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Extension::default()),
        Err(error) => Err(blocked(format!("`{path}` cannot be read: {error}"))),
    }
}
