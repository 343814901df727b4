//! One list of commands: in the manifest, in `capabilities`, in permissions.json and on the command line.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::strict_json;
use crate::system::files;

use super::judge::Judge;
use super::{call, results};
use crate::conform::help;
use crate::conform::mock::Behaviour;
use crate::conform::probe::{Conclusion, Need, Probe};
use crate::conform::secrets::SecretShape;
use crate::conform::session::{ToolCall, ToolCaller};
use crate::families::harness::contract::FAMILY;

const MAX_PERMISSIONS: u64 = 1024 * 1024;

pub(super) const CAPABILITIES_KEYS: Probe = Probe {
    id: "harness.capabilities-keys",
    section: "§3.1",
    title: "`capabilities` has tool, version, modes and commands",
    why: "The host builds its catalogue from them",
    fix: "set every key of the contract for `capabilities`",
    needs: &[],
    run: capabilities_keys,
    ..Probe::of(FAMILY)
};

pub(super) const CAPABILITIES_COMMANDS: Probe = Probe {
    id: "harness.capabilities-commands",
    section: "§3.1",
    title: "`capabilities` lists the commands of the manifest, with their modes",
    why: "A command in only one of them is offered but cannot run, or can run but is never offered",
    fix: "generate both from one source",
    needs: &[Need::Manifest],
    run: capabilities_commands,
    ..Probe::of(FAMILY)
};

pub(super) const CAPABILITIES_QUIET: Probe = Probe {
    id: "harness.capabilities-quiet",
    section: "§3.1",
    title: "`capabilities` makes no network call",
    why: "The host calls every connector at once, before anything is set up",
    fix: "return `capabilities` from constants",
    needs: &[],
    run: capabilities_quiet,
    ..Probe::of(FAMILY)
};

pub(super) const TOOL_NAME: Probe = Probe {
    id: "harness.tool-name",
    section: "§7",
    title: "Envelope, `capabilities` and manifest have the same name of the tool",
    why: "A different name creates a second entry in the host's catalogue",
    fix: "use the name of the manifest everywhere",
    needs: &[],
    run: tool_name,
    ..Probe::of(FAMILY)
};

pub(super) const PERMISSIONS: Probe = Probe {
    id: "harness.permissions-file",
    section: "§6.1",
    title: "permissions.json has the commands and modes of `capabilities`",
    why: "The host uses it for modes that the manifest lacks",
    fix: "generate permissions.json from the manifest (`aos gen`)",
    needs: &[Need::Project],
    run: permissions,
    ..Probe::of(FAMILY)
};

pub(super) const COMMANDS_EXIST: Probe = Probe {
    id: "harness.commands-exist",
    section: "§2",
    title: "Every command of the manifest exists under the words of its id",
    why: "The host splits the id at its dots and runs these words; it never replaces `_` with `-`",
    fix: "name groups and commands exactly as the segments of the id",
    needs: &[],
    run: commands_exist,
    ..Probe::of(FAMILY)
};

pub(super) const COMMANDS_LISTED: Probe = Probe {
    id: "harness.commands-listed",
    section: "§7",
    title: "Every command that the help shows is in the manifest",
    why: "A command without an entry has no mode, so no gate protects it",
    fix: "add the command to the manifest, or remove it",
    needs: &[],
    run: commands_listed,
    ..Probe::of(FAMILY)
};

fn capabilities_keys(session: &ToolCaller) -> Conclusion {
    let (observed, data) = match call::capabilities(session) {
        Ok(found) => found,
        Err(finding) => return finding,
    };
    let keys = call::contract(session).map(|contract| contract.capabilities_keys.as_slice());
    let missing = keys.unwrap_or_default().iter().find(|key| data.get(key.as_str()).is_none());
    let mut fault = missing.map(|key| format!("`data.{key}` is missing"));
    if fault.is_none() && call::is_strict(session) {
        let modes: Vec<_> = call::modes(session).into_iter().map(Value::String).collect();
        let said = data.get("modes").and_then(Value::as_array);
        fault = (said != Some(&modes))
            .then(|| "`data.modes` is not the list of the modes, lowest first".to_owned());
    }
    let mut judge = Judge::default();
    judge.judge(&observed, fault);
    judge.verdict()
}

/// Ids and modes of a list of commands; an entry may be an id alone.
fn listed(source: &Value) -> BTreeMap<String, String> {
    let entries = source.get("commands").and_then(Value::as_array);
    let entry = |entry: &Value| {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = entry.as_str().map(str::to_owned).or_else(|| text("id"))?;
        Some((id, text("required_mode").unwrap_or_default()))
    };
    entries.into_iter().flatten().filter_map(entry).collect()
}

/// The first difference of two lists; a mode counts where both give one.
fn difference(
    (left_name, left): (&str, &BTreeMap<String, String>),
    (right_name, right): (&str, &BTreeMap<String, String>),
) -> Option<String> {
    let only = |name: &str, one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
        let id = one.keys().find(|id| !other.contains_key(*id))?;
        Some(format!("only {name} has `{id}`"))
    };
    only(left_name, left, right).or_else(|| only(right_name, right, left)).or_else(|| {
        let (id, mode) = left.iter().find(|(id, mode)| {
            let other = right.get(*id).map_or("", String::as_str);
            !mode.is_empty() && !other.is_empty() && **mode != other
        })?;
        let other = right.get(id).map_or("", String::as_str);
        Some(format!("`{id}` needs {mode} in {left_name} and {other} in {right_name}"))
    })
}

fn capabilities_commands(session: &ToolCaller) -> Conclusion {
    let (observed, data) = match call::capabilities(session) {
        Ok(found) => found,
        Err(finding) => return finding,
    };
    let manifest = session.manifest.as_ref().map(listed).unwrap_or_default();
    let said = listed(&data);
    let mut judge = Judge::default();
    judge.judge(&observed, difference(("capabilities", &said), ("connector.json", &manifest)));
    let required = call::contract(session).map(|contract| contract.required_commands.as_slice());
    let missing = required.unwrap_or_default().iter().find(|id| !said.contains_key(id.as_str()));
    judge.judge(&observed, missing.map(|id| format!("`{id}` is missing")));
    judge.verdict()
}

fn capabilities_quiet(session: &ToolCaller) -> Conclusion {
    let call = call::json(&["capabilities"]).secrets(SecretShape::Plain).upstream(Behaviour::Good);
    let observed = session.observe(&call);
    let mut judge = Judge::default();
    if call::loose(&observed).is_none() {
        return judge.verdict();
    }
    let count = observed.connections;
    judge.judge(&observed, (count > 0).then(|| format!("it made {count} connections")));
    judge.verdict()
}

fn tool_name(session: &ToolCaller) -> Conclusion {
    let manifest = session.manifest.as_ref().and_then(|manifest| manifest.get("tool"));
    let known = call::capabilities(session).ok();
    let known = manifest
        .cloned()
        .or_else(|| known.as_ref().and_then(|(_, data)| data.get("tool").cloned()));
    let Some(Value::String(known)) = known else {
        return Conclusion::blocked("neither manifest nor `capabilities` names the tool");
    };
    let mut judge = Judge::default();
    for (id, observed) in call::basics(session) {
        let Some(value) = call::loose(&observed) else { continue };
        let inner = value.pointer("/data/tool").filter(|_| id == "capabilities");
        if value.get("tool").is_none() {
            continue;
        }
        let said = [value.get("tool"), inner];
        let other =
            said.into_iter().flatten().filter_map(Value::as_str).find(|said| *said != known);
        judge.judge(&observed, other.map(|said| format!("it reports `{said}`, not `{known}`")));
    }
    judge.verdict()
}

fn permissions(session: &ToolCaller) -> Conclusion {
    let Some(root) = &session.target.root else {
        return Conclusion::blocked("there is no project");
    };
    let places = ["agent-harness/permissions.json", "permissions.json"];
    let found = places.iter().find_map(|place| {
        files::read(&root.join(place), MAX_PERMISSIONS).ok().map(|loaded| (*place, loaded.bytes))
    });
    let Some((place, bytes)) = found else {
        return Conclusion::fail("there is no agent-harness/permissions.json");
    };
    let parsed = std::str::from_utf8(&bytes).ok().and_then(|text| strict_json::read(text).ok());
    let Some(document) = parsed else {
        return Conclusion::fail(format!("`{place}` is not one JSON document"));
    };
    let (observed, data) = match call::capabilities(session) {
        Ok(found) => found,
        Err(finding) => return finding,
    };
    let said = listed(&data);
    let keys = call::contract(session)
        .map(crate::families::harness::contract::HarnessContract::permission_keys);
    let mut compared = 0;
    for key in keys.unwrap_or_default() {
        let Some(map) = document.get(key.as_str()).and_then(Value::as_object) else {
            return Conclusion::fail(format!("`{place}` has no object `{key}`"));
        };
        let map =
            map.iter().map(|(id, mode)| (id.clone(), mode.as_str().unwrap_or_default().to_owned()));
        let map: BTreeMap<_, _> = map.collect();
        compared += map.len();
        // Another probe reports differences between capabilities and the manifest.
        let own: BTreeMap<_, _> = match &session.manifest {
            Some(manifest) => listed(manifest),
            None => said.clone(),
        };
        if let Some(why) = difference((place, &map), ("the manifest", &own)) {
            let why = format!("{why} (under `{key}`)");
            return Conclusion::fail(why.clone()).with(observed.evidence(why));
        }
    }
    Conclusion::unless_vacuous(compared, "commands", "no command could be compared")
}

fn commands_exist(session: &ToolCaller) -> Conclusion {
    let mut judge = Judge::of("commands");
    for command in call::commands(session) {
        if results::shows_that_it_exists(session, &command) {
            judge.saw();
            continue;
        }
        let observed = call::help(session, &command);
        let fault = match observed.exit() {
            Some(0) => None,
            _ => Some(format!("`{}` has no help, so it does not exist", command.words().join(" "))),
        };
        judge.judge(&observed, fault);
    }
    call::over_all(session, judge.verdict())
}

fn commands_listed(session: &ToolCaller) -> Conclusion {
    let commands = call::commands(session);
    let known: BTreeSet<_> = commands.iter().map(|command| command.words()).collect();
    // Every group: the tool itself and each start of an id.
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::from([Vec::new()]);
    for words in &known {
        groups.extend((1..words.len()).map(|length| words[..length].to_vec()));
    }
    let mut judge = Judge::default();
    for group in &groups {
        let arguments = group.iter().cloned().chain(["--help".to_owned()]);
        let observed = session.observe(&ToolCall::new(arguments));
        let text = String::from_utf8_lossy(observed.stdout()).into_owned();
        let shown = help::listed_commands(&text);
        let strange = shown.iter().find(|name| {
            let path: Vec<_> = group.iter().cloned().chain([(*name).clone()]).collect();
            !known.iter().any(|words| words.starts_with(&path))
        });
        if !shown.is_empty() {
            judge.judge(&observed, strange.map(|name| format!("`{name}` is not in the manifest")));
        }
    }
    judge.verdict_unless_empty("the help has no readable list of commands")
}
