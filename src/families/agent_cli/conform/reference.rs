//! `reference` (agent-cli §11): whether what a tool says about itself is whole and can be used by a program.

use std::collections::BTreeSet;

use serde_json::Value;

use super::kind::{self, is_gated};
use super::lab::{ProbeCaller, examine};
use super::normal;
use super::stop::{ProbeStep, Unfinished};
use crate::conform::probe::Probe;
use crate::families::agent_cli::conform::listing::commands;
use crate::families::agent_cli::conform::listing::params;
use crate::families::agent_cli::conform::listing::split;
use crate::families::agent_cli::contract::{FAMILY, SelfDescription};

/// Options of every command.
const GLOBAL: [&str; 9] =
    ["format", "json", "fields", "compact", "dry-run", "confirm", "quiet", "help", "version"];

pub const REFERENCE: Probe = Probe {
    id: "cli.reference",
    section: "§11",
    title: "`reference` has every section, every exit code and every error code",
    why: "Agents learn about a tool only from `reference`",
    fix: "generate `reference` from the tables that the program itself uses",
    run: |session| examine(session, reference),
    ..Probe::of(FAMILY)
};

fn reference(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["reference"]);
    shot.expect(shot.is_ok(), "`reference` fails")?;
    let data = shot.data();
    let rules = &lab.contract.self_description.reference;
    for key in SelfDescription::members(rules, "required_keys") {
        shot.expect(data.get(key).is_some(), format!("`reference` has no `{key}`"))?;
    }
    let exits = data["exit_codes"].as_object();
    let codes = data["error_codes"].as_object();
    let (Some(exits), Some(codes)) = (exits, codes) else {
        return Err(shot.fail("`exit_codes` or `error_codes` is not an object"));
    };
    shot.expect(
        exits.contains_key("0") && exits.contains_key("130"),
        "`exit_codes` lacks 0 or 130",
    )?;
    for (code, spec) in codes {
        let Some(exit) = spec["exit"].as_i64() else {
            return Err(shot.fail(format!("`error_codes.{code}` has no exit")));
        };
        let message = format!("`exit_codes` lacks {exit}, the exit of `{code}`");
        shot.expect(exits.contains_key(&exit.to_string()), message)?;
        shot.expect(
            spec["retryable"].is_boolean(),
            format!("`error_codes.{code}` has no retryable"),
        )?;
        let core = lab.contract.error_codes.core.iter().find(|(name, _)| name.as_str() == code);
        let same = core.is_none_or(|(_, core)| {
            i64::from(core.exit) == exit && spec["retryable"] == core.retryable
        });
        shot.expect(same, format!("`error_codes.{code}` is not as in the core"))?;
        let is_transient = matches!(exit, 7 | 8 | 130);
        let message = format!("`{code}` has exit {exit}, which does not fit its `retryable`");
        shot.expect(core.is_some() || spec["retryable"] == is_transient, message)?;
    }
    let tier = data["risk_tier"].as_str().unwrap_or_default();
    shot.expect(["T0", "T1", "T2"].contains(&tier), "`risk_tier` is not T0, T1 or T2")
}

pub const COMMANDS: Probe = Probe {
    id: "cli.reference-commands",
    section: "§11",
    title: "Every command of `reference` has a real schema, an example and, for a write, its gate",
    why: "A reference to a missing schema makes an agent guess",
    fix: "enumerate the fields from the code that builds the data, and show --dry-run and --confirm for writes",
    run: |session| examine(session, each_command),
    ..Probe::of(FAMILY)
};

fn each_command(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["reference"]);
    shot.expect(shot.is_ok(), "`reference` fails")?;
    let Some(normal) = normal::read(shot.data()) else {
        return Err(shot.fail(normal::UNREADABLE));
    };
    shot.without(normal::finding(&normal.deviations))?;
    let data = normal.data;
    let rules = &lab.contract.self_description.reference;
    let required: Vec<&str> = SelfDescription::members(rules, "command_keys").collect();
    shot.expect(commands(&data).next().is_some(), "`reference` has no commands")?;
    lab.tally.count("commands");
    let mut unclear = None;
    for (path, command) in commands(&data) {
        lab.tally.subject(path);
        for key in &required {
            shot.expect(command.get(*key).is_some(), format!("`{path}` has no `{key}`"))?;
        }
        let label = command["output_schema"].as_str().unwrap_or_default();
        let schema = &data["schemas"][label];
        let shape = schema["shape"].as_str().unwrap_or_default();
        shot.expect(
            ["object", "array"].contains(&shape),
            format!("`{path}` has no schema `{label}`"),
        )?;
        let fields = texts(&schema["fields"]);
        shot.expect(!fields.is_empty(), format!("the schema `{label}` has no fields"))?;
        let untrusted = texts(&schema["untrusted_fields"]);
        let message = format!("`untrusted_fields` of `{label}` has an entry that is not a field");
        shot.expect(untrusted.is_subset(&fields), message)?;
        let examples = texts(&command["examples"]);
        shot.expect(!examples.is_empty(), format!("`{path}` has no example"))?;
        if let Some(why) = kind::unclear(&lab.contract.commands, path, command) {
            unclear = unclear.or(Some(why));
            continue;
        }
        if !kind::writes(&lab.contract.commands, command) {
            continue;
        }
        let has =
            |word: &str| examples.iter().any(|example| example.split(' ').any(|each| each == word));
        if is_gated(&lab.contract.commands, command) {
            let shown = has("--dry-run") && has("--confirm");
            shot.expect(
                shown,
                format!("the examples of `{path}` do not show --dry-run and --confirm"),
            )?;
        }
        if command["dangerous"] == true {
            shot.expect(
                has("--dangerous"),
                format!("the examples of `{path}` do not show --dangerous"),
            )?;
        }
        let policies = &lab.contract.write.confirm_policies;
        let policy = command["confirm"].as_str().unwrap_or_default();
        let known = policies.is_empty() || policies.iter().any(|each| each.as_str() == policy);
        shot.expect(known, format!("`{path}` does not say how it is confirmed"))?;
    }
    unclear.map_or(Ok(()), |why| Err(Unfinished::Blocked(why)))
}

fn texts(value: &Value) -> BTreeSet<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

pub const EXAMPLES: Probe = Probe {
    id: "cli.examples",
    section: "§11",
    title: "Every example names a command and options that exist",
    why: "Agents copy examples first",
    fix: "run the examples in a test",
    run: |session| examine(session, examples),
    ..Probe::of(FAMILY)
};

fn examples(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["reference"]);
    let data = lab.reference()?;
    let global: BTreeSet<String> = GLOBAL
        .into_iter()
        .map(str::to_owned)
        .chain(params(&serde_json::json!({"params": data["global_flags"]})))
        .collect();
    let tool = data["tool"].as_str().unwrap_or_default();
    lab.tally.count("examples");
    for (path, command) in commands(&data) {
        let known: BTreeSet<String> = params(command).collect();
        for example in texts(&command["examples"]) {
            lab.tally.subject(format!("{path}: {example}"));
            let words = split(example);
            let starts = words.first().is_some_and(|word| word == tool);
            shot.expect(starts, format!("the example `{example}` does not begin with `{tool}`"))?;
            let command: Vec<_> =
                words.iter().skip(1).take(path.split(' ').count()).cloned().collect();
            let message = format!("the example `{example}` is not a call of `{path}`");
            shot.expect(command.join(" ") == path, message)?;
            let rest = words.iter().take_while(|word| *word != "--");
            let options = rest.filter_map(|word| word.strip_prefix("--"));
            for option in options.map(|option| option.split('=').next().unwrap_or_default()) {
                let exists = known.contains(option) || global.contains(option);
                shot.expect(exists, format!("the example `{example}` has the option --{option}, which `{path}` does not know"))?;
            }
        }
    }
    Ok(())
}

pub const READINESS: Probe = Probe {
    id: "cli.readiness",
    section: "§13",
    title: "`release_readiness` uses the values of the contract, and claims nothing that is missing",
    why: "Release scripts rely on the level",
    fix: "set each status to verified, missing, not_applicable or unknown; use the level stable only if none is missing",
    run: |session| examine(session, readiness),
    ..Probe::of(FAMILY)
};

fn readiness(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["reference"]);
    let data = lab.reference()?;
    let readiness = &data["release_readiness"];
    let allowed = |list: &str| -> BTreeSet<&str> {
        SelfDescription::members(&lab.contract.self_description.reference, list).collect()
    };
    let level = readiness["level"].as_str().unwrap_or_default();
    shot.expect(
        allowed("release_levels").contains(level),
        format!("`release_readiness.level` is `{level}`, which is not a level of the contract"),
    )?;
    let statuses = ["fcc_status", "mock_upstream_status", "live_smoke_status"];
    for name in statuses {
        let status = readiness[name].as_str().unwrap_or_default();
        let known = allowed("release_statuses").contains(status);
        shot.expect(known, format!("`{name}` is `{status}`, which is not a status"))?;
        let is_open = ["missing", "unknown"].contains(&status);
        shot.expect(
            level != "stable" || !is_open,
            format!("the level is stable and `{name}` is {status}"),
        )?;
    }
    if readiness["required_evidence"].is_array() {
        return Ok(());
    }
    Err(shot.fail("`required_evidence` is not a list"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_at_spaces_outside_of_quotes() {
        assert_eq!(split("a --b 'c d' \"e\" ''"), ["a", "--b", "c d", "e", ""]);
        assert_eq!(split("  "), Vec::<String>::new());
    }
}
