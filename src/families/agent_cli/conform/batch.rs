//! Batch commands (agent-cli §15): one call, one token, one result for each target.

use serde_json::Value;

use super::fixture::{Role, Sample};
use super::gate::{meant, token};
use super::lab::{Account, ProbeCaller, and, examine};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::unanswered;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

fn of(lab: &ProbeCaller<'_>, sample: &Sample, targets: &[String]) -> Vec<String> {
    meant(lab, sample, &sample.of_targets(targets))
}

fn preview(lab: &ProbeCaller<'_>, call: &[String]) -> ProbeStep<Answered> {
    let shot = lab.call(&and(call, &["--dry-run"]));
    shot.expect(shot.is_ok(), "the dry run of the batch fails")?;
    Ok(shot)
}

/// Previews and confirms.
fn carried_out(lab: &ProbeCaller<'_>, call: &[String]) -> ProbeStep<Answered> {
    let token = token(lab, call)?;
    let shot = lab.call(&and(call, &["--confirm", &token]));
    shot.expect(shot.is_ok(), "the envelope of a batch that ran is not ok")?;
    Ok(shot)
}

fn targets_of(value: &Value) -> Vec<String> {
    let targets = value.as_array().into_iter().flatten();
    targets
        .map(|target| target.as_str().map_or_else(|| target.to_string(), str::to_owned))
        .collect()
}

pub const TARGETS: Probe = Probe {
    id: "cli.batch-targets",
    section: "§15.1",
    title: "The plural flag accepts commas and repetition, removes duplicates, keeps the order, and requires at least one target",
    why: "The same set of targets must be the same batch in every notation",
    fix: "split and deduplicate in one place, before anything runs",
    run: |session| examine(session, targets),
    ..Probe::of(FAMILY)
};

fn targets(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Batch)?;
    let wanted = &sample.targets;
    let repeated = wanted.iter().flat_map(|target| [sample.flag.clone(), target.clone()]);
    let repeated = meant(lab, sample, &sample.with(&repeated.collect::<Vec<_>>()));
    let (first, rest) = wanted.split_at(1);
    let mixed = and(&of(lab, sample, rest), &[]);
    let mut turned = rest.to_vec();
    turned.extend(first.to_vec());
    let mixed = and(&mixed, &[&sample.flag, &first[0]]);
    let mut doubled = wanted.clone();
    doubled.push(wanted[0].clone());
    let spellings = [
        ("by comma", of(lab, sample, wanted), wanted),
        ("repeated", repeated, wanted),
        ("by comma and repeated", mixed, &turned),
        ("with a duplicate", of(lab, sample, &doubled), wanted),
    ];
    for (how, call, expected) in spellings {
        let shot = preview(lab, &call)?;
        let found = targets_of(shot.at("/data/preview/targets"));
        shot.expect(found == *expected, format!("targets {how} become {}", found.join(",")))?;
    }
    preview(lab, &of(lab, sample, first))?;
    let empty = meant(lab, sample, &sample.with(&[sample.flag.clone(), String::new()]));
    let shot = lab.call(&and(&empty, &["--dry-run"]));
    shot.expect_code(&["E_VALIDATION", "E_USAGE"], "a batch without a target")
}

pub const PREVIEW: Probe = Probe {
    id: "cli.batch-preview",
    section: "§15.2",
    title: "The dry run shows all targets, and its token is valid only for these targets",
    why: "People agree to a specific set of targets",
    fix: "put action, total, targets and changes into the preview, and include the targets in the token",
    run: |session| examine(session, batch_preview),
    ..Probe::of(FAMILY)
};

fn batch_preview(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Batch)?;
    let call = of(lab, sample, &sample.targets);
    let shot = preview(lab, &call)?;
    let found = shot.at("/data/preview");
    for key in &lab.contract.batch.preview_keys {
        shot.expect(found.get(key.as_str()).is_some(), format!("the preview has no `{key}`"))?;
    }
    let total = found["total"].as_u64();
    shot.expect(total == Some(sample.targets.len() as u64), "`total` does not count the targets")?;
    let changes = found["changes"].as_array().map_or(0, Vec::len);
    shot.expect(changes == sample.targets.len(), "`changes` does not show every target")?;
    let fewer = of(lab, sample, &sample.targets[..sample.targets.len() - 1]);
    for (granted, used, what) in
        [(&call, &fewer, "a token for a larger set"), (&fewer, &call, "a token for a smaller set")]
    {
        let token = token(lab, granted)?;
        let before = lab.mutations();
        let other = lab.call(&and(used, &["--confirm", &token]));
        other.expect(lab.mutations() == before, format!("{what} is executed"))?;
        other.expect_code(&["E_CONFLICT"], what)?;
    }
    Ok(())
}

pub const RESULT: Probe = Probe {
    id: "cli.batch-result",
    section: "§15.5",
    title: "Each target has its own result, which is that of the upstream; the summary agrees with the results, and a failure does not hide successes",
    why: "An agent must know which targets remain",
    fix: "report target, ok and error for each target, count each once, and keep the envelope ok",
    run: |session| examine(session, result),
    ..Probe::of(FAMILY)
};

fn with_failing(sample: &Sample) -> ProbeStep<Vec<String>> {
    if sample.failing.is_empty() {
        return Err(Unfinished::Blocked(format!(
            "`{}` has no `failing` target in conform.toml",
            sample.path
        )));
    }
    let mut targets = vec![sample.targets[0].clone(), sample.failing.clone()];
    targets.extend(sample.targets[1..].iter().cloned());
    Ok(targets)
}

fn result(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Batch)?;
    let targets = with_failing(sample)?;
    let shot = carried_out(lab, &of(lab, sample, &targets))?;
    let items = shot.at("/data/items").as_array().cloned().unwrap_or_default();
    let found: Vec<_> =
        items.iter().map(|item| item["target"].as_str().unwrap_or_default()).collect();
    shot.expect(
        found == targets,
        format!("the items are {}, not {}", found.join(","), targets.join(",")),
    )?;
    for item in &items {
        let is_failing = item["target"] == sample.failing.as_str();
        let message =
            format!("the result of `{}` differs from the response of the upstream", item["target"]);
        shot.expect(item["ok"] == !is_failing, message)?;
        if is_failing {
            let code = item["error"]["code"].as_str().unwrap_or_default();
            let core = lab.contract.error_codes.core.iter().find(|(name, _)| name.as_str() == code);
            let same = core.is_none_or(|(_, spec)| item["error"]["retryable"] == spec.retryable);
            let known = code.starts_with("E_") && same && item["error"]["retryable"].is_boolean();
            shot.expect(known, "the error of an item lacks code and retryable of the table")?;
            shot.expect(code != "E_UNKNOWN", "the error of an item has the code E_UNKNOWN")?;
        }
    }
    let summary = shot.at("/data/summary");
    let number = |key: &str| summary[key].as_u64();
    let (succeeded, failed) = (number("succeeded"), number("failed"));
    shot.expect(
        number("total") == Some(targets.len() as u64),
        "`summary.total` is not the number of targets",
    )?;
    shot.expect(failed == Some(1), "`summary.failed` does not agree with the items")?;
    let sum = succeeded.zip(failed).map(|(one, two)| one + two + number("skipped").unwrap_or(0));
    shot.expect(sum == number("total"), "`summary` does not add up")?;
    unanswered::examine(lab, sample)
}

pub const CONTINUE: Probe = Probe {
    id: "cli.batch-continue",
    section: "§15.5",
    title: "--continue-on-error false stops at the first failure and reports what was skipped",
    why: "The agent can resume with the targets that were not attempted",
    fix: "stop the loop, and count the remaining targets as skipped",
    run: |session| examine(session, go_on),
    ..Probe::of(FAMILY)
};

fn go_on(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Batch)?;
    let mut targets = with_failing(sample)?;
    // The failing one first: whatever comes after it is skipped, in chunks or one by one.
    targets.swap(0, 1);
    let call = and(&of(lab, sample, &targets), &["--continue-on-error", "false"]);
    let token = token(lab, &call)?;
    let shot = lab.call(&and(&call, &["--confirm", &token]));
    let summary = shot.at("/data/summary");
    let number = |key: &str| summary[key].as_u64().unwrap_or(0);
    shot.expect(shot.is_ok(), "the envelope of a batch that stopped is not ok")?;
    shot.expect(number("failed") == 1, "`summary.failed` is not 1")?;
    shot.expect(number("skipped") >= 1, "nothing is reported as skipped")?;
    let sum = number("succeeded") + number("failed") + number("skipped");
    shot.expect(sum == number("total"), "`summary` does not add up")
}

pub const CHUNKS: Probe = Probe {
    id: "cli.batch-chunks",
    section: "§15.6",
    title: "More targets than the upstream accepts in one request are sent in several requests, invisibly for the caller",
    why: "An agent should not need to know the limit of an endpoint",
    fix: "split the targets at the limit of the upstream, and combine items and summary",
    run: |session| examine(session, chunks),
    ..Probe::of(FAMILY)
};

/// A call with more targets than the upstream takes at once, and a token for it.
fn many<'a>(lab: &ProbeCaller<'a>) -> ProbeStep<(&'a Sample, Vec<String>, String)> {
    let sample = lab.sample(Role::Batch)?;
    if sample.many.is_empty() {
        return Err(Unfinished::NotApplicable(format!(
            "`{}` declares no `many`: its upstream has no cap",
            sample.path
        )));
    }
    let call = of(lab, sample, &sample.many);
    let token = token(lab, &call)?;
    Ok((sample, call, token))
}

fn chunks(lab: &ProbeCaller<'_>) -> ProbeStep {
    let (sample, call, token) = many(lab)?;
    let shot = lab.run_as(Account::One, &and(&call, &["--confirm", &token]), &[]);
    shot.expect(shot.is_ok(), "a large batch fails")?;
    let items = shot.at("/data/items").as_array().cloned().unwrap_or_default();
    shot.expect(
        items.len() == sample.many.len(),
        "a large batch does not have one item for each target",
    )?;
    let failed = items.iter().find(|item| item["ok"] != true);
    shot.expect(failed.is_none(), "the upstream refuses targets because there are too many at once")
}

pub const CHUNK_FAILURE: Probe = Probe {
    id: "cli.batch-chunk-failure",
    section: "§15.6",
    title: "If one request of a large batch fails, only its own targets fail",
    why: "The other targets were written, and the agent must know which ones remain",
    fix: "report the failure for each target of that request, and continue with the next request",
    run: |session| examine(session, chunk_failure),
    ..Probe::of(FAMILY)
};

fn chunk_failure(lab: &ProbeCaller<'_>) -> ProbeStep {
    let (sample, call, token) = many(lab)?;
    // The last part is the smaller one, so the first must not fail.
    lab.with_upstream(|upstream| upstream.break_second_write())?;
    let before = lab.mutations();
    let shot = lab.call(&and(&call, &["--confirm", &token]));
    if lab.mutations() - before < 2 {
        return Err(Unfinished::Blocked("the batch is sent in one part".to_owned()));
    }
    shot.expect(shot.is_ok(), "a batch with a failed part is not ok")?;
    let items = shot.at("/data/items").as_array().cloned().unwrap_or_default();
    let all = items.len() == sample.many.len();
    shot.expect(all, "a batch with a failed part does not have one item for each target")?;
    let failed: Vec<_> = items.iter().filter(|item| item["ok"] != true).collect();
    let is_part = !failed.is_empty() && failed.len() < items.len();
    let message =
        format!("one part failed, and {} of {} items are not ok", failed.len(), items.len());
    shot.expect(is_part, message)?;
    let wrong = failed.iter().find(|item| item["error"]["code"] != "E_SERVER");
    shot.expect(wrong.is_none(), "the code of a target in the failed part is not E_SERVER")
}
