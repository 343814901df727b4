//! The lifetime of a confirm token (agent-cli §7, §9), and writes whose use of a token cannot be recorded.

use std::path::PathBuf;
use std::time::Duration;

use super::fixture::Role;
use super::gate::{meant, seconds_until, token};
use super::lab::{Account, ProbeCaller, and, examine};
use super::listing::{commands, split};
use super::stop::{ProbeStep, Unfinished};
use super::{kind, tree};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// Longest life of a token that is waited for, in seconds.
const MAX_WAIT: i64 = 10;

pub const TOKEN_EXPIRED: Probe = Probe {
    id: "cli.token-expired",
    section: "§7",
    title: "An expired token fails with E_CONFLICT and exit code 6, and nothing is written",
    why: "An old preview may no longer be correct",
    fix: "include the expiry in the authenticated part of the token, and compare it with the clock before the write",
    run: |session| examine(session, token_expired),
    ..Probe::of(FAMILY)
};

fn token_expired(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let setting = lab.fixture.gate.as_ref().map(|gate| &gate.lifetime);
    let setting = setting.ok_or_else(|| {
        Unfinished::Blocked(
            "conform.toml does not say how to shorten the life of a token ([agent_cli.gate] `lifetime`)"
                .to_owned(),
        )
    })?;
    let more = [(setting.env.as_str(), setting.value.as_str())];
    let call = meant(lab, sample, &sample.call());
    let shot = lab.run_as(Account::One, &and(&call, &["--dry-run"]), &more);
    let token = shot.at("/data/confirm_token").as_str().unwrap_or_default().to_owned();
    let life = seconds_until(shot.at("/data/expires_at").as_str().unwrap_or_default());
    let life = life.filter(|life| (0..=MAX_WAIT).contains(life) && !token.is_empty()).ok_or_else(
        || {
            let message = format!("`{}` does not shorten the life of a token", setting.env);
            Unfinished::Blocked(message)
        },
    )?;
    std::thread::sleep(Duration::from_secs(life.unsigned_abs() + 1));
    let before = lab.mutations();
    let shot = lab.run_as(Account::One, &and(&call, &["--confirm", &token]), &more);
    shot.expect(lab.mutations() == before, "an expired token is accepted")?;
    shot.expect_code(&["E_CONFLICT"], "a token that has expired")?;
    shot.expect(shot.exit() == Some(6), "the exit code for an expired token is not 6")
}

pub const TOKEN_STORAGE: Probe = Probe {
    id: "cli.token-storage",
    section: "§9",
    title: "If the use of a token cannot be recorded, the write continues with a warning on stderr",
    why: "A full disk must not prevent a confirmed write, but the user must know that the token could be used again",
    fix: "turn every error of the record into a warning, except that the token was already used",
    run: |session| examine(session, token_storage),
    ..Probe::of(FAMILY)
};

fn token_storage(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let first = token(lab, &call)?;
    let before = tree::of(&lab.sandbox);
    let shot = lab.call(&and(&call, &["--confirm", &first]));
    if !shot.is_ok() {
        return Err(Unfinished::Blocked("the write cannot be confirmed".to_owned()));
    }
    let after = tree::of(&lab.sandbox);
    // Marks may be empty files, so everything new counts but what is kept for another reason.
    let other = |path: &PathBuf| {
        let name = tree::name(path);
        ["audit", "log", "lock", "secret"].iter().any(|word| name.contains(word))
    };
    let changed = |path: &&PathBuf| !before.contains_key(*path) || before[*path] != after[*path];
    let record = after.keys().filter(changed).find(|path| !other(path));
    let record = record.ok_or_else(|| {
        Unfinished::Blocked("the record of used tokens cannot be found".to_owned())
    })?;
    // The first in order is the directory when that is new as well.
    let second = token(lab, &call)?;
    tree::obstruct(record)?;
    let before = lab.mutations();
    let shot = lab.call(&and(&call, &["--confirm", &second]));
    let writes = shot.is_ok() && lab.mutations() > before;
    shot.expect(writes, "a write fails because the use of its token cannot be recorded")?;
    let warns = !shot.observed.stderr().iter().all(u8::is_ascii_whitespace);
    shot.expect(warns, "the tool does not report that the use of the token was not recorded")
}

pub const GATE_EXAMPLES: Probe = Probe {
    id: "cli.gate-examples",
    section: "§7",
    title: "Every write in `reference`, called like its example but without --dry-run, changes nothing",
    why: "The gate does not protect a command that does not use it",
    fix: "use one gate for every write command",
    run: |session| examine(session, gate_examples),
    ..Probe::of(FAMILY)
};

fn gate_examples(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    lab.sample(Role::Create)?;
    if let Some(why) = commands(&reference)
        .find_map(|(path, command)| kind::unclear(&lab.contract.commands, path, command))
    {
        return Err(Unfinished::Blocked(why));
    }
    let rules = &lab.contract.commands;
    let gated = commands(&reference).filter(|(_, command)| kind::is_gated(rules, command));
    for (path, command) in lab.tally.chosen(&gated.collect::<Vec<_>>()) {
        let examples = command["examples"].as_array().into_iter().flatten();
        let mut examples = examples.filter_map(|example| example.as_str()).map(split);
        let dry = examples.find(|words| words.iter().any(|word| word == "--dry-run"));
        let Some(dry) = dry else { continue };
        let bare: Vec<String> =
            dry.into_iter().skip(1).filter(|word| word != "--dry-run").collect();
        let before = lab.mutations();
        let shot = lab.call(&bare);
        let is_held = !shot.is_ok() && lab.mutations() == before;
        let message = format!("the example of `{path}` writes without a token");
        if !is_held {
            return Err(shot.fail(message));
        }
        // A call that fails for another reason never came to the gate.
        if shot.code() == "E_CONFIRMATION_REQUIRED" {
            shot.judged();
        }
    }
    Ok(())
}
