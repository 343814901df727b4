//! Optional patterns (agent-cli §16): credentials that expire, jobs, steps for a person. Asked of tools that use them.

use serde_json::Value;

use crate::conform::mock::Reply;

use super::fixture::{Role, Sample};
use super::gate::{meant, token, utc};
use super::kind;
use super::lab::{Account, ProbeCaller, and, examine, words};
use super::listing::split;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

const STATES: &[&str] = &["pending", "running", "succeeded", "failed", "cancelled"];
/// How often a job is asked for its state.
const POLLS: usize = 20;

pub const EXPIRING: Probe = Probe {
    id: "cli.expiring-credentials",
    section: "§16.1",
    title: "`context` reports when credentials expire, and `doctor` checks them",
    why: "An agent can renew them in time instead of failing during its work",
    fix: "print valid, expires_at in UTC and refreshable in `context`, and check `credentials` in `doctor`",
    run: |session| examine(session, expiring),
    ..Probe::of(FAMILY)
};

fn expiring(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = lab.run_as(Account::One, &words(&["context"]), &[]);
    if !shot.is_ok() {
        return Err(Unfinished::Blocked("`context` fails".to_owned()));
    }
    let credentials = shot.at("/data/credentials");
    if ["valid", "expires_at", "refreshable"].iter().all(|key| credentials.get(key).is_none()) {
        return Err(Unfinished::NotApplicable("`context` reports no expiry".to_owned()));
    }
    for key in ["valid", "refreshable"] {
        let fits = credentials.get(key).is_none_or(|value| value.is_boolean() || value.is_null());
        shot.expect(fits, format!("`credentials.{key}` is not a boolean"))?;
    }
    let expires = &credentials["expires_at"];
    let is_time = expires.as_str().is_some_and(|text| utc(text).is_some());
    shot.expect(expires.is_null() || is_time, "`credentials.expires_at` is not a UTC time")?;
    let doctor = lab.run_as(Account::One, &words(&["doctor"]), &[]);
    if !doctor.is_ok() {
        return Err(Unfinished::Blocked("`doctor` fails".to_owned()));
    }
    let checks = doctor.at("/data/checks").as_array().into_iter().flatten();
    let found = checks.into_iter().any(|check| check["check"] == "credentials");
    doctor.expect(found, "`doctor` has no check `credentials`")
}

pub const EXPIRED: Probe = Probe {
    id: "cli.credentials-expired",
    section: "§16.1",
    title: "An expired credential that cannot be renewed is E_AUTH with exit code 4, and the message says that a login is needed",
    why: "A retry does not help; only the user can log in",
    fix: "compare the expiry with the clock and try to renew the credential; if that fails, return E_AUTH with the next step",
    run: |session| examine(session, expired),
    ..Probe::of(FAMILY)
};

fn expired(lab: &ProbeCaller<'_>) -> ProbeStep {
    let context = lab.run_as(Account::One, &words(&["context"]), &[]);
    if !context.is_ok() {
        return Err(Unfinished::Blocked("`context` fails".to_owned()));
    }
    let credentials = context.at("/data/credentials");
    if ["valid", "expires_at", "refreshable"].iter().all(|key| credentials.get(key).is_none()) {
        return Err(Unfinished::NotApplicable("`context` reports no expiry".to_owned()));
    }
    let sample = lab.sample(Role::Get)?;
    let setting = lab.fixture.credentials.as_ref().and_then(|each| each.expired.as_ref());
    let setting = setting.ok_or_else(|| {
        let why = "conform.toml does not say which variable makes a credential expire";
        Unfinished::Blocked(format!("{why} ([agent_cli.credentials] `expired`)"))
    })?;
    let more = [(setting.env.as_str(), setting.value.as_str())];
    let refused = || Reply::new(401, "application/json", "{\"error\":\"made up by aos conform\"}");
    lab.with_upstream(|upstream| upstream.replace(move |_| refused()))?;
    let shot = lab.run_as(Account::One, &sample.call(), &more);
    shot.expect_code(&["E_AUTH"], "an expired credential")?;
    shot.expect(shot.exit() == Some(4), "the exit code for an expired credential is not 4")?;
    let again = shot.at("/error/retryable") == false;
    shot.expect(again, "an expired credential is retryable")?;
    let says = shot.at("/error/details").as_object().is_some_and(|details| !details.is_empty());
    shot.expect(says, "`details` does not say that a new login is needed")?;
    let shot = lab.run_as(Account::One, &words(&["context"]), &more);
    let valid = shot.at("/data/credentials/valid");
    shot.expect(shot.is_ok() && valid != true, "`context` reports an expired credential as valid")?;
    let shot = lab.run_as(Account::One, &words(&["doctor"]), &more);
    let checks = shot.at("/data/checks").as_array().into_iter().flatten();
    let passes = checks
        .into_iter()
        .any(|check| check["check"] == "credentials" && check["status"] == "pass");
    shot.expect(!passes, "`doctor` reports no problem with an expired credential")
}

/// Runs a sample, through the gate when it is a write.
fn gated(lab: &ProbeCaller<'_>, sample: &Sample) -> ProbeStep<Answered> {
    let command = lab.declared(&sample.path)?;
    if let Some(why) = kind::unclear(&lab.contract.commands, &sample.path, &command) {
        return Err(Unfinished::Blocked(why));
    }
    let call = meant(lab, sample, &sample.call());
    if !kind::writes(&lab.contract.commands, &command) {
        return Ok(lab.call(&call));
    }
    let token = token(lab, &call)?;
    Ok(lab.call(&and(&call, &["--confirm", &token])))
}

pub const JOBS: Probe = Probe {
    id: "cli.jobs",
    section: "§16.2",
    title: "A job returns its id, its state and the commands to continue, and these commands work",
    why: "A call must not block for the whole duration of a job",
    fix: "return job_id, status, poll and result at once; provide separate commands for state and result",
    run: |session| examine(session, jobs),
    ..Probe::of(FAMILY)
};

fn jobs(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Job)?;
    let shot = gated(lab, sample)?;
    shot.expect(shot.is_ok(), "the job is not accepted")?;
    let job_id = shot.at("/data/job_id").clone();
    shot.expect(job_id.is_string(), "`job_id` is not a string")?;
    let mut status = state(&shot)?;
    let poll = command(lab, &shot, "poll")?;
    let result = command(lab, &shot, "result")?;
    for _ in 0..POLLS {
        if !["pending", "running"].contains(&status.as_str()) {
            break;
        }
        let polled = lab.call(&poll);
        polled.expect(polled.is_ok(), "the command in `poll` fails")?;
        let is_same = polled.at("/data/job_id") == &job_id;
        polled.expect(is_same, "the command in `poll` reports another job")?;
        status = state(&polled)?;
    }
    if status != "succeeded" {
        return Err(Unfinished::Blocked(format!("the job of the mock upstream is still {status}")));
    }
    let delivered = lab.call(&result);
    delivered.expect(delivered.is_ok(), "the command in `result` fails")
}

fn state(shot: &Answered) -> ProbeStep<String> {
    let status = shot.at("/data/status").as_str().unwrap_or_default();
    shot.expect(STATES.contains(&status), format!("the job has the state `{status}`"))?;
    Ok(status.to_owned())
}

/// The command in a member, without the name of the tool.
fn command(lab: &ProbeCaller<'_>, shot: &Answered, key: &str) -> ProbeStep<Vec<String>> {
    let line = shot.data()[key].as_str().unwrap_or_default();
    let words = split(line);
    let reference = lab.reference()?;
    let is_own = words.first().is_some_and(|first| reference["tool"] == first.as_str());
    shot.expect(is_own && words.len() > 1, format!("`{key}` is not a command of this tool"))?;
    Ok(words[1..].to_vec())
}

pub const HUMAN: Probe = Probe {
    id: "cli.human-step",
    section: "§16.3",
    title: "A step that needs a person is an error with exit code 9 that says what to do and how to resume",
    why: "The agent tells the user, waits and resumes",
    fix: "return `details.action` and `details.resume`, and do not wait",
    run: |session| examine(session, human),
    ..Probe::of(FAMILY)
};

fn human(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Human)?;
    let shot = gated(lab, sample)?;
    let codes: Vec<_> = lab
        .contract
        .extension
        .human_action_codes
        .iter()
        .map(crate::contract::name::Constant::as_str)
        .collect();
    shot.expect_code(&codes, "a step for a person")?;
    let exit = i32::from(lab.contract.extension.human_action_exit);
    shot.expect(
        shot.exit() == Some(exit),
        format!("the exit code of a step for a person is not {exit}"),
    )?;
    let details = shot.at("/error/details");
    for key in ["action", "resume"] {
        let says = details[key].as_str().is_some_and(|text| !text.is_empty());
        shot.expect(says, format!("`details.{key}` is empty"))?;
    }
    shot.expect(
        shot.at("/error/retryable") == &Value::Bool(false),
        "a step for a person is retryable",
    )
}
