//! A token is good only while its target stays as it was (agent-cli §9).
//!
//! conform.toml names a call that changes the target; whether it is the same target shows at the upstream.

use super::fixture::{Role, Sample};
use super::gate::{conflicts, meant, token, writes};
use super::lab::{Account, ProbeCaller, and, examine};
use super::stop::{ProbeStep, Unfinished};
use crate::conform::mock::ReceivedRequest;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

pub const TOKEN_VERSION: Probe = Probe {
    id: "cli.token-version",
    section: "§9",
    title: "A token is invalid after its target changes",
    why: "Otherwise a write would undo someone else's change",
    fix: "include the version of the target in the token, and send it with the write",
    run: |session| examine(session, token_version),
    ..Probe::of(FAMILY)
};

fn token_version(lab: &ProbeCaller<'_>) -> ProbeStep {
    let (sample, change) = change_of_target(lab)?;
    lab.keep_history();
    let call = meant(lab, sample, &sample.call());
    let first = token(lab, &call)?;
    let read = lab.with_upstream(|upstream| upstream.mock.requests())?;
    let second = token(lab, &change)?;
    let shot = lab.call(&and(&change, &["--confirm", &second]));
    let line = change.join(" ");
    if !shot.is_ok() {
        return Err(Unfinished::Blocked(format!(
            "`{line}` in conform.toml does not change the target"
        )));
    }
    let all = lab.with_upstream(|upstream| upstream.mock.requests())?;
    if let Some((wrote, read)) = other_target(&read, &all) {
        return Err(Unfinished::Blocked(format!(
            "`{line}` changes `{wrote}`, and `{}` reads `{read}`: conform.toml names another target, so this shows nothing",
            call.join(" ")
        )));
    }
    conflicts(lab, Account::One, &call, &first, "a token for a target that has changed")
}

/// A sample and a call that changes its target: `changed_by` of any write, or `changed` of an update.
fn change_of_target<'a>(lab: &ProbeCaller<'a>) -> ProbeStep<(&'a Sample, Vec<String>)> {
    if let Some(sample) = writes(lab)?.into_iter().find(|sample| !sample.changed_by.is_empty()) {
        lab.start_upstream()?;
        return Ok((sample, sample.changed_by.clone()));
    }
    let sample = lab.sample(Role::Update)?;
    if sample.changed.is_empty() {
        return Err(Unfinished::Blocked(format!(
            "`{}` has neither `changed` nor `changed_by` in conform.toml",
            sample.path
        )));
    }
    Ok((sample, meant(lab, sample, &sample.with(&sample.changed))))
}

/// Returns the path that was written, and the path that the dry run of the first call had read, if they have nothing in
/// common.
fn other_target(read: &[ReceivedRequest], all: &[ReceivedRequest]) -> Option<(String, String)> {
    let path = |request: &ReceivedRequest| {
        let target = request.target.split('?').next().unwrap_or_default();
        target.trim_end_matches('/').to_owned()
    };
    let is_below = |one: &str, other: &str| {
        one.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let read: Vec<String> =
        read.iter().filter(|request| request.method == "GET").map(path).collect();
    let writes =
        all.iter().filter(|request| !["GET", "HEAD", "CONNECT"].contains(&request.method.as_str()));
    let wrote: Vec<String> = writes.map(path).collect();
    let is_same =
        |wrote: &String| read.iter().any(|read| is_below(wrote, read) || is_below(read, wrote));
    match (read.last(), wrote.last()) {
        (Some(last_read), Some(last_wrote)) if !wrote.iter().any(is_same) => {
            Some((last_wrote.clone(), last_read.clone()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, target: &str) -> ReceivedRequest {
        let (method, target) = (method.to_owned(), target.to_owned());
        ReceivedRequest { method, target, headers: Vec::new(), body: Vec::new() }
    }

    #[test]
    fn a_write_to_the_object_that_was_read_or_below_it_is_of_the_same_target() {
        let read = [request("GET", "/items/7?full=1")];
        for (wrote, is_other) in [
            ("/items/7", false),
            ("/items/7/cancel", false),
            ("/items/8", true),
            ("/items/77", true),
        ] {
            let all = [read[0].clone(), request("POST", wrote)];
            assert_eq!(other_target(&read, &all).is_some(), is_other, "{wrote}");
        }
        assert!(other_target(&[], &[request("POST", "/items/8")]).is_none());
    }
}
