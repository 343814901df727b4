//! `context`, `doctor`, `changelog`, `--version` and help (agent-cli §11): what a tool reports about itself and its surroundings.

use std::collections::BTreeSet;
use std::sync::Arc;

use semver::Version;
use serde_json::Value;

use crate::conform::mock::{Mock, ReceivedRequest, Reply};
use crate::conform::session::ToolCall;

use super::fixture::Role;
use super::kinds;
use super::lab::{Account, ProbeCaller, examine};
use super::listing::commands;
use super::stop::{ProbeStep, Unfinished};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::{FAMILY, SelfDescription};

const SELF: &[&str] = &["reference", "context", "doctor", "changelog"];

pub const DECLARED_FIELDS: Probe = Probe {
    id: "cli.declared-fields",
    section: "§11",
    title: "`data` has only fields that the command's schema declares",
    why: "An agent chooses --fields from the schema, and never requests an undeclared field",
    fix: "generate the fields of the schema from the code that builds the data",
    run: |session| examine(session, declared_fields),
    ..Probe::of(FAMILY)
};

fn declared_fields(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let mut shots: Vec<_> = SELF.iter().map(|path| (*path, lab.look(&[*path]))).collect();
    let reads =
        [Role::Get, Role::List, Role::Scopes].into_iter().flat_map(|role| lab.samples(role));
    let reads: Vec<_> = reads.collect();
    if !reads.is_empty() && !lab.fixture.local {
        lab.start_upstream()?;
        shots.extend(reads.iter().map(|sample| (sample.path.as_str(), lab.call(&sample.call()))));
    }
    for (path, shot) in shots.iter().filter(|(_, shot)| shot.is_ok()) {
        let command = commands(&reference).find(|(known, _)| known == path);
        let label = command.and_then(|(_, command)| command["output_schema"].as_str());
        let schema = &reference["schemas"][label.unwrap_or_default()];
        let Some(fields) = schema["fields"].as_array() else { continue };
        let rows = shot.data().as_array().cloned().unwrap_or_else(|| vec![shot.data().clone()]);
        let members = rows.iter().filter_map(Value::as_object).flatten();
        for (key, _) in members {
            let known = fields.iter().any(|field| field == key.as_str());
            let known = known || key == lab.contract.untrusted_key.as_str();
            shot.expect(
                known,
                format!("`{path}` prints `{key}`, which its schema does not declare"),
            )?;
        }
    }
    Ok(())
}

pub const CONTEXT: Probe = Probe {
    id: "cli.context",
    section: "§11",
    title: "`context` has the version, and a boolean that says whether credentials exist",
    why: "Agents call it first",
    fix: "print `version` and `credentials.configured`; print `notices` only if there is one",
    run: |session| examine(session, context),
    ..Probe::of(FAMILY)
};

fn context(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["context"]);
    shot.expect(shot.is_ok(), "`context` fails without configuration")?;
    for key in SelfDescription::members(&lab.contract.self_description.context, "required_keys") {
        let there = shot.data().get(key).is_some();
        shot.expect(there, format!("`context` has no `{key}`"))?;
    }
    let configured = shot.at("/data/credentials/configured");
    shot.expect(configured.is_boolean(), "`credentials.configured` is not a boolean")?;
    let is_empty = shot.at("/data/notices").as_array().is_some_and(Vec::is_empty);
    shot.expect(!is_empty, "`notices` is present but empty")?;
    if lab.fixture.credentials.is_none() {
        return Ok(());
    }
    shot.expect(configured == false, "`credentials.configured` is true without credentials")?;
    let with = lab.run_as(Account::One, &["context".to_owned()], &[]);
    let configured = with.at("/data/credentials/configured") == true;
    with.expect(configured, "`credentials.configured` is not true with credentials")
}

pub const CREDENTIAL_STORAGE: Probe = Probe {
    id: "cli.credential-storage",
    section: "§10",
    title: "Credentials are kept in the keyring, an encrypted file or the environment",
    why: "Other programs can read a token in a plain file",
    fix: "use the keyring of the system, or an encrypted file",
    run: |session| examine(session, storage),
    ..Probe::of(FAMILY)
};

fn storage(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.run_as(Account::One, &["context".to_owned()], &[]);
    if !shot.is_ok() {
        return Err(Unfinished::Blocked("`context` fails".to_owned()));
    }
    let storage = shot.at("/data/credentials/storage");
    if storage.is_null() {
        return Err(Unfinished::NotApplicable(
            "`context` does not say where credentials are kept".to_owned(),
        ));
    }
    let storage = storage.as_str().unwrap_or_default();
    let known =
        ["keyring", "encrypted-file", "env", "none"].contains(&storage.replace('_', "-").as_str());
    shot.expect(known, format!("credentials are kept in `{storage}`"))
}

pub const DOCTOR: Probe = Probe {
    id: "cli.doctor",
    section: "§11",
    title: "`doctor` has a fix for each failed check, notices a missing credential, and agrees with `reference` on readiness",
    why: "A finding without a fix does not help",
    fix: "print `check`, `status` and `fix` for each check; `fix` is null if and only if the status is pass",
    run: |session| examine(session, doctor),
    ..Probe::of(FAMILY)
};

fn doctor(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["doctor"]);
    shot.expect(shot.is_ok(), "`doctor` is not ok without network and configuration")?;
    let checks = shot.at("/data/checks").as_array().cloned().unwrap_or_default();
    shot.expect(!checks.is_empty(), "`doctor` checks nothing")?;
    for check in &checks {
        let name = check["check"].as_str().unwrap_or_default();
        shot.expect(!name.is_empty(), "a check has no name")?;
        let status = check["status"].as_str().unwrap_or_default();
        let known = ["pass", "warn", "fail"].contains(&status);
        shot.expect(known, format!("`{name}` has the status `{status}`"))?;
        let Some(fix) = check.get("fix") else {
            return Err(shot.fail(format!("`{name}` has no `fix`")));
        };
        let says = fix.as_str().is_some_and(|fix| !fix.trim().is_empty());
        let stray = other_member(lab, check);
        let message =
            |key| format!("`{name}` has the member `{key}`, which the contract does not know");
        shot.without(stray.map(message))?;
        let fits = if status == "pass" { fix.is_null() } else { says };
        shot.expect(fits, format!("`fix` of `{name}` does not fit its status `{status}`"))?;
    }
    let find = |wanted: &dyn Fn(&str) -> bool| {
        checks.iter().find(|check| check["check"].as_str().is_some_and(wanted))
    };
    let version = find(&|name| name.contains("version"));
    shot.expect(version.is_some(), "no check compares versions (`min_version`)")?;
    // This call has no credential; a keyring of the machine cannot be reached.
    let credentials = find(&|name| name == "credentials");
    let passes = credentials.is_some_and(|check| check["status"] == "pass");
    let message = "the check `credentials` passes although there is no credential";
    shot.expect(!passes || lab.fixture.credentials.is_none(), message)?;
    let Some(readiness) = find(&|name| name == "release_readiness") else {
        return Err(shot.fail("there is no check `release_readiness`"));
    };
    let reference = lab.reference()?;
    let level = reference["release_readiness"]["level"].as_str().unwrap_or_default();
    let wanted = match level {
        "stable" => "pass",
        "beta" => "warn",
        _ => "fail",
    };
    let agrees =
        readiness["status"] == wanted || level == "stable" && readiness["status"] == "fail";
    shot.expect(
        agrees,
        format!("`release_readiness` is not `{wanted}` although the level is {level}"),
    )
}

/// A member that a check may not have; tags before v1.2.0 allow any.
fn other_member(lab: &ProbeCaller<'_>, check: &Value) -> Option<String> {
    let lists = &lab.contract.self_description.doctor;
    let optional: Vec<&str> = SelfDescription::members(lists, "check_optional_keys").collect();
    let required: Vec<&str> = SelfDescription::members(lists, "check_keys").collect();
    let mut members = check.as_object().into_iter().flatten().map(|(key, _)| key);
    let is_known =
        |key: &&String| [&optional, &required].iter().any(|list| list.contains(&key.as_str()));
    members.find(|key| !optional.is_empty() && !is_known(key)).cloned()
}

pub const CHANGELOG: Probe = Probe {
    id: "cli.changelog",
    section: "§11",
    title: "`changelog` lists the released versions, newest first; --since lists only newer ones",
    why: "After an update, an agent must learn what has changed",
    fix: "parse the embedded CHANGELOG.md; skip comments and Unreleased; compare by semantic versions",
    run: |session| examine(session, changelog),
    ..Probe::of(FAMILY)
};

fn changelog(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.look(&["changelog"]);
    // Whether the exit agrees is looked at elsewhere.
    shot.expect(shot.at("/ok") == true, "`changelog` fails")?;
    let entries = shot.at("/data/entries").as_array().cloned();
    let entries = entries.ok_or_else(|| shot.fail("`changelog` has no `entries`"))?;
    shot.expect(
        shot.at("/data/current_version").is_string(),
        "`changelog` has no `current_version`",
    )?;
    let mut versions = Vec::new();
    for entry in &entries {
        let text = entry["version"].as_str().unwrap_or_default();
        let version = Version::parse(text).ok();
        let version =
            version.ok_or_else(|| shot.fail(format!("the entry `{text}` is not a version")))?;
        // Null while a version is not published yet.
        let date = entry.get("date");
        let is_date = date.and_then(Value::as_str).is_some_and(kinds::is_day);
        let fits = is_date || date.is_some_and(Value::is_null);
        shot.expect(fits, format!("the entry {text} has no date"))?;
        let changes = entry["changes"].as_object();
        let changes =
            changes.ok_or_else(|| shot.fail(format!("the entry {text} has no `changes`")))?;
        let rules = &lab.contract.self_description.changelog;
        let categories: BTreeSet<&str> =
            SelfDescription::members(rules, "change_categories").collect();
        let other =
            changes.keys().find(|key| !categories.is_empty() && !categories.contains(key.as_str()));
        shot.expect(other.is_none(), format!("the entry {text} has an unknown category"))?;
        versions.push(version);
    }
    let ordered = versions.windows(2).all(|pair| pair[0] > pair[1]);
    shot.expect(ordered, "the entries are not ordered, newest first")?;
    for since in &versions {
        let shot = lab.look(&["changelog", "--since", &since.to_string()]);
        let found = shot.at("/data/entries").as_array().into_iter().flatten();
        let found: Vec<_> = found.filter_map(|entry| entry["version"].as_str()).collect();
        let wanted: Vec<_> =
            versions.iter().filter(|version| *version > since).map(Version::to_string).collect();
        let message =
            format!("--since {since} returns {}, not {}", found.join(","), wanted.join(","));
        shot.expect(found == wanted, message)?;
        shot.expect(
            shot.at("/data/since") == since.to_string().as_str(),
            "`since` is not in the response",
        )?;
    }
    Ok(())
}

pub const VERSION_AND_HELP: Probe = Probe {
    id: "cli.version-and-help",
    section: "§11",
    title: "--version, `context` and `reference` agree, and so do help and `reference`",
    why: "Agents do not find what `reference` omits",
    fix: "generate help and `reference` from one registry",
    run: |session| examine(session, version_and_help),
    ..Probe::of(FAMILY)
};

fn version_and_help(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let version = reference["version"].as_str().unwrap_or("(absent)");
    let shot = lab.look(&["--version"]);
    let said = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
    let has = said.split(|symbol: char| symbol.is_whitespace() || "\",".contains(symbol));
    let has = has.map(|word| word.trim_start_matches('v')).any(|word| word == version);
    shot.expect(
        shot.exit() == Some(0) && has,
        format!("--version does not say `{version}`, the version of `reference`"),
    )?;
    let shot = lab.look(&["context"]);
    shot.expect(
        shot.at("/data/version") == version,
        format!("the `version` of `context` is not `{version}`, that of `reference`"),
    )?;
    let known: BTreeSet<&str> = commands(&reference).map(|(path, _)| path).collect();
    for path in lab.tally.chosen(&known.iter().copied().collect::<Vec<_>>()) {
        let mut call: Vec<&str> = path.split(' ').collect();
        call.push("--help");
        let shot = lab.look(&call);
        shot.expect(
            shot.exit() == Some(0),
            format!("`{path} --help` fails, although `reference` has `{path}`"),
        )?;
    }
    for path in ["reference", "context", "doctor", "changelog", "update"] {
        let shot = lab.look(&[path, "--help"]);
        let exists = shot.exit() == Some(0);
        shot.expect(
            !exists || known.contains(path),
            format!("`{path}` exists, but `reference` does not list it"),
        )?;
    }
    Ok(())
}

pub const NO_PHONE_HOME: Probe = Probe {
    id: "cli.no-phone-home",
    section: "§14",
    title: "Commands that do not check for updates connect only to the upstream",
    why: "Other commands show a cached update notice, but never check for updates",
    fix: "read the cached notice; use the network only in `update` and `doctor`",
    run: |session| examine(session, no_phone_home),
    ..Probe::of(FAMILY)
};

fn no_phone_home(lab: &ProbeCaller<'_>) -> ProbeStep {
    let trap =
        Mock::with(Arc::new(|_: &ReceivedRequest| Reply::new(404, "application/json", "{}")));
    let trap = trap.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
    let host = lab.fixture.update.as_ref().map(|update| update.host.clone());
    for words in [&["context"][..], &["reference"], &["changelog"], &["--version"], &["--help"]] {
        let mut call = ToolCall::new(words.iter().copied());
        if let Some(host) = &host {
            call = call.variable(host, &trap.url());
        }
        let observed = lab.session.observe_in(&call, &lab.sandbox, Some(&trap));
        if observed.connections > 0 {
            let message = format!("`{}` opens a connection", words.join(" "));
            return Err(Unfinished::Fail(
                message.clone(),
                Some(Box::new(observed.evidence(message))),
            ));
        }
        // A call that fails may not have come as far as a connection.
        if observed.exit() == Some(0) {
            lab.tally.call(&Arc::new(observed));
        }
    }
    let Some(sample) = lab.samples(Role::Get).next() else { return Ok(()) };
    lab.start_upstream()?;
    let url = trap.url();
    let more: Vec<_> = host.iter().map(|host| (host.as_str(), url.as_str())).collect();
    let shot = lab.run_as(Account::One, &sample.call(), &more);
    if trap.connections() > 0 {
        return Err(shot.fail(format!("`{}` asks the release host", sample.path)));
    }
    let strayed = lab.with_upstream(|upstream| {
        let away = |request: &ReceivedRequest| {
            request.method == "CONNECT" || request.target.contains("://")
        };
        upstream.mock.requests().iter().any(away)
    })?;
    if strayed {
        return Err(shot
            .fail(format!("`{}` sends requests to another host than the upstream", sample.path)));
    }
    if shot.is_ok() {
        shot.judged();
    }
    Ok(())
}
