//! The secret that confirm tokens are keyed with (agent-cli §7): of this machine, private, and never replaced by nothing.

use std::path::PathBuf;

use crate::conform::sandbox::Sandbox;
use crate::system::files;

use super::fixture::Role;
use super::gate::{meant, token};
use super::lab::{ProbeCaller, and, examine};
use super::secrets::files_below;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::tree;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

const NAME: &str = "confirm.secret";
const MAX_SECRET: u64 = 64 * 1024;
/// The minimum length of a key in bytes.
const LEAST: usize = 32;

pub const TOKEN_MACHINE: Probe = Probe {
    id: "cli.token-machine",
    section: "§7",
    title: "A token of another machine or user fails with E_CONFLICT",
    why: "A token that anyone can compute confirms nothing",
    fix: "authenticate the token with random bytes that never leave this machine",
    run: |session| examine(session, token_machine),
    ..Probe::of(FAMILY)
};

fn token_machine(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Create)?;
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let elsewhere = Sandbox::new()
        .map_err(|error| Unfinished::Blocked(format!("the sandbox cannot be created: {error}")))?;
    let before = lab.mutations();
    let shot = lab.elsewhere(&elsewhere, &and(&call, &["--confirm", &token]));
    shot.expect(lab.mutations() == before, "a token of another machine is accepted")?;
    shot.expect_code(&["E_CONFLICT"], "a token of another machine")
}

pub const TOKEN_SECRET: Probe = Probe {
    id: "cli.token-secret",
    section: "§7",
    title: "The secret of the tokens is long, and only this user can access its file and directory",
    why: "Anyone who can read it can confirm every write",
    fix: "create it on first use: 32 random bytes, mode 0600, in a directory with mode 0700",
    run: |session| examine(session, token_secret),
    ..Probe::of(FAMILY)
};

fn token_secret(lab: &ProbeCaller<'_>) -> ProbeStep {
    let (shot, path) = secret(lab)?;
    let loaded = files::read(&path, MAX_SECRET).map_err(unusable)?;
    shot.expect(loaded.bytes.len() >= LEAST, format!("`{NAME}` has fewer than {LEAST} bytes"))?;
    if cfg!(unix) {
        let is_private = files::is_private(&path).map_err(unusable)?;
        shot.expect(is_private, format!("others can read `{NAME}`"))?;
        let directory = path.parent().unwrap_or(&path);
        let is_private = files::is_private(directory).map_err(unusable)?;
        shot.expect(is_private, format!("others can enter the directory of `{NAME}`"))?;
    }
    Ok(())
}

pub const SECRET_DAMAGED: Probe = Probe {
    id: "cli.token-secret-damaged",
    section: "§7",
    title: "A secret that is too short or unreadable is an error, and is never skipped",
    why: "Without a secret, anyone can make a token",
    fix: "fail with E_CONFIG, and name the file",
    run: |session| examine(session, secret_damaged),
    ..Probe::of(FAMILY)
};

fn secret_damaged(lab: &ProbeCaller<'_>) -> ProbeStep {
    let (_, path) = secret(lab)?;
    let sample = lab.sample(Role::Create)?;
    let call = and(&meant(lab, sample, &sample.call()), &["--dry-run"]);
    for what in ["empty", "short", "no file"] {
        match what {
            "empty" => tree::replace(&path, b"")?,
            "short" => tree::replace(&path, b"short")?,
            // Root can read every file, whatever its mode is.
            _ => tree::obstruct(&path)?,
        }
        let shot = lab.call(&call);
        let has_token = shot.at("/data/confirm_token").is_string();
        shot.expect(
            !has_token && !shot.is_ok(),
            format!("with a `{NAME}` that is {what}, the tool returns a token"),
        )?;
        let is_said = shot.at("/error/message").as_str().is_some_and(|text| !text.is_empty());
        shot.expect(
            is_said,
            format!("with a `{NAME}` that is {what}, the tool ends without an envelope"),
        )?;
    }
    Ok(())
}

/// The file of the secret after a first use.
fn secret(lab: &ProbeCaller<'_>) -> ProbeStep<(Answered, PathBuf)> {
    let sample = lab.sample(Role::Create)?;
    let shot = lab.call(&and(&meant(lab, sample, &sample.call()), &["--dry-run"]));
    if !shot.at("/data/confirm_token").is_string() {
        return Err(Unfinished::Blocked("the dry run returns no token".to_owned()));
    }
    let found = files_below(&lab.sandbox.path().join("home"));
    let secret = found.into_iter().find(|path| path.file_name().is_some_and(|name| name == NAME));
    // The name is an example of the contract; without the file only the behaviour counts.
    let secret = secret.ok_or_else(|| {
        Unfinished::NotApplicable(format!("the home of the tool has no file `{NAME}`"))
    })?;
    Ok((shot, secret))
}

fn unusable(error: std::io::Error) -> Unfinished {
    Unfinished::Blocked(format!("`{NAME}` cannot be used: {error}"))
}
