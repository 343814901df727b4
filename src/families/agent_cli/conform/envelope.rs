//! The envelope and the two streams (agent-cli §1 to §5): looked at in calls that every tool has.

use serde_json::Value;

use super::fixture::{Role, Sample};
use super::lab::{Account, ProbeCaller, and, examine, words};
use super::listing::commands;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::{kind, shapes};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// Calls of every kind that need neither arguments nor an upstream; half of them fail.
const CALLS: [&[&str]; 8] = [
    &["reference"],
    &["context"],
    &["changelog"],
    &["doctor"],
    &["no-such-command"],
    &["context", "--no-such-option"],
    &["context", "--format", "no-such-format"],
    &[],
];

pub const ONE_DOCUMENT: Probe = Probe {
    id: "cli.one-document",
    section: "§4",
    title: "stdout contains exactly one JSON document in every case",
    why: "An agent parses stdout as a whole; one additional word makes the response unusable",
    fix: "print banners, logs and colours to stderr, and usage errors as an envelope",
    run: |session| examine(session, one_document),
    ..Probe::of(FAMILY)
};

fn one_document(lab: &ProbeCaller<'_>) -> ProbeStep {
    for call in CALLS {
        let shot = lab.look(call);
        if let Err(reason) = &shot.document {
            return Err(shot.fail(reason.clone()));
        }
        shot.without(shapes::stdout(shot.observed.stdout(), shot.at("")))?;
    }
    Ok(())
}

/// Returns the answers that were printed as documents.
fn documents<'a>(lab: &'a ProbeCaller<'_>) -> impl Iterator<Item = Answered> + 'a {
    CALLS.into_iter().map(|call| lab.look(call)).filter(|shot| shot.document.is_ok())
}

pub const ENVELOPE_KEYS: Probe = Probe {
    id: "cli.envelope-keys",
    section: "§3",
    title: "An envelope has exactly the keys of a success or of a failure",
    why: "Agents distinguish success and failure by the keys; an additional or missing key breaks strict readers",
    fix: "print `ok`, `schema_version`, `meta` and either `data` or `error`, even if they are empty",
    run: |session| examine(session, envelope_keys),
    ..Probe::of(FAMILY)
};

fn envelope_keys(lab: &ProbeCaller<'_>) -> ProbeStep {
    for shot in documents(lab) {
        shot.without(shapes::envelope(&lab.contract.envelope, shot.at("")))?;
    }
    Ok(())
}

pub const ERROR_KEYS: Probe = Probe {
    id: "cli.error-keys",
    section: "§3",
    title: "An error has exactly code, message, details and retryable",
    why: "Readers cannot rely on `details` if it is missing when empty",
    fix: "print all four keys in every failure; `details` is an object, empty if there is nothing to say",
    run: |session| examine(session, error_keys),
    ..Probe::of(FAMILY)
};

fn error_keys(lab: &ProbeCaller<'_>) -> ProbeStep {
    for shot in documents(lab).filter(|shot| shot.at("/ok") == false) {
        shot.without(shapes::error(&lab.contract.envelope, shot.at("")))?;
    }
    Ok(())
}

pub const META_KEYS: Probe = Probe {
    id: "cli.meta-keys",
    section: "§3",
    title: "`meta` has only duration_ms and, if there are any, notices",
    why: "Everything else belongs in `data`; readers of `meta` are strict",
    fix: "print `duration_ms` as a whole number even if it is 0, and omit `notices` if there are none",
    run: |session| examine(session, meta_keys),
    ..Probe::of(FAMILY)
};

fn meta_keys(lab: &ProbeCaller<'_>) -> ProbeStep {
    for shot in documents(lab) {
        shot.without(shapes::meta(&lab.contract.envelope, shot.at("")))?;
    }
    Ok(())
}

pub const SCHEMA_VERSION: Probe = Probe {
    id: "cli.schema-version",
    section: "§3",
    title: "`schema_version` is the string in the contract",
    why: "It tells a reader which format to expect",
    fix: "take the value from the generated contract module",
    run: |session| examine(session, schema_version),
    ..Probe::of(FAMILY)
};

fn schema_version(lab: &ProbeCaller<'_>) -> ProbeStep {
    for shot in documents(lab) {
        shot.without(shapes::schema_version(&lab.contract.envelope, shot.at("")))?;
    }
    Ok(())
}

pub const OK_EQUALS_EXIT: Probe = Probe {
    id: "cli.ok-equals-exit",
    section: "§6",
    title: "`ok` is true exactly when the exit code is 0",
    why: "Shells and agents must come to the same result",
    fix: "derive the exit code from the envelope in one place",
    run: |session| examine(session, ok_equals_exit),
    ..Probe::of(FAMILY)
};

fn ok_equals_exit(lab: &ProbeCaller<'_>) -> ProbeStep {
    for shot in documents(lab) {
        shot.without(shapes::ok_and_exit(shot.at(""), shot.exit()))?;
    }
    Ok(())
}

pub const FORMATS: Probe = Probe {
    id: "cli.formats",
    section: "§2",
    title: "json is the default, --json means the same, --compact changes only white space, and text is not JSON",
    why: "Agents and people rely on the difference between the formats",
    fix: "choose the format in one place, also for failures",
    run: |session| examine(session, formats),
    ..Probe::of(FAMILY)
};

fn formats(lab: &ProbeCaller<'_>) -> ProbeStep {
    for (call, is_failure) in [("context", false), ("no-such-command", true)] {
        let plain = lab.look(&[call]);
        let shape = shape_of(plain.at(""));
        for more in [&["--format", "json"][..], &["--json"], &["--compact"]] {
            let shot = lab.look(&[&[call], more].concat());
            let same = shot.document.is_ok() && shape_of(shot.at("")) == shape;
            shot.expect(
                same,
                format!("{} returns another document than the default", more.join(" ")),
            )?;
            if more == ["--compact"] {
                let stdout = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
                shot.expect(
                    stdout.trim_end().lines().count() == 1,
                    "--compact prints several lines",
                )?;
            }
        }
        let text = lab.look(&[call, "--format", "text"]);
        let is_json = text.document.as_ref().is_ok_and(|document| document.is_object());
        text.expect(!is_json, "--format text prints the JSON document")?;
        let exit = text.exit();
        text.expect(
            exit.is_some_and(|exit| (exit != 0) == is_failure),
            "--format text changes the exit",
        )?;
        text.expect(says_something(&text), "--format text prints nothing")?;
    }
    let reads = [Role::Get, Role::List, Role::Scopes];
    for sample in reads.into_iter().flat_map(|role| lab.samples(role)) {
        // Without an upstream there is nothing to read.
        if lab.reading(sample.role).is_err() {
            break;
        }
        of_command(lab, sample)?;
    }
    Ok(())
}

/// The formats of one command that reads from the upstream.
fn of_command(lab: &ProbeCaller<'_>, sample: &Sample) -> ProbeStep {
    let (call, path) = (sample.call(), &sample.path);
    let plain = lab.call(&call);
    if !plain.is_ok() {
        return Ok(());
    }
    let compact = lab.call(&and(&call, &["--compact"]));
    let is_same = shape_of(compact.at("")) == shape_of(plain.at(""));
    compact.expect(is_same, format!("--compact changes the document of `{path}`"))?;
    let stdout = String::from_utf8_lossy(compact.observed.stdout()).into_owned();
    let is_one_line = stdout.trim_end().lines().count() == 1;
    compact.expect(is_one_line, format!("`{path}` --compact prints several lines"))?;
    let text = lab.call(&and(&call, &["--format", "text"]));
    let is_json = text.document.as_ref().is_ok_and(|document| document.is_object());
    text.expect(!is_json, format!("`{path}` --format text prints the JSON document"))?;
    text.expect(text.exit() == Some(0), format!("--format text changes the exit of `{path}`"))?;
    text.expect(says_something(&text), format!("`{path}` --format text prints nothing"))
}

fn says_something(shot: &Answered) -> bool {
    let is_empty = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    !is_empty(shot.observed.stdout()) || !is_empty(shot.observed.stderr())
}

/// The keys of a document in their order, and the kinds of the values.
fn shape_of(value: &Value) -> Vec<String> {
    fn walk(value: &Value, path: &str, shape: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                shape.push(format!("{path}{{}}"));
                for (key, member) in members {
                    walk(member, &format!("{path}.{key}"), shape);
                }
            }
            Value::Array(items) => {
                shape.push(format!("{path}[{}]", items.len()));
                for item in items {
                    walk(item, &format!("{path}[]"), shape);
                }
            }
            Value::String(_) => shape.push(format!("{path}:text")),
            Value::Number(_) => shape.push(format!("{path}:number")),
            Value::Bool(_) => shape.push(format!("{path}:boolean")),
            Value::Null => shape.push(format!("{path}:null")),
        }
    }
    let mut shape = Vec::new();
    walk(value, "", &mut shape);
    shape
}

pub const QUIET: Probe = Probe {
    id: "cli.quiet",
    section: "§2",
    title: "--quiet suppresses neither the document nor an error",
    why: "A silent failure is worse than any other",
    fix: "let --quiet suppress only progress and hints on stderr",
    run: |session| examine(session, quiet),
    ..Probe::of(FAMILY)
};

fn quiet(lab: &ProbeCaller<'_>) -> ProbeStep {
    for call in [&["context", "--quiet"][..], &["context", "--quiet", "--no-such-option"]] {
        let shot = lab.look(call);
        shot.expect(shot.document.is_ok(), "--quiet suppresses the document")?;
    }
    let shot = lab.look(&["no-such-command", "--quiet", "--format", "text"]);
    shot.expect(says_something(&shot), "--quiet suppresses an error in the format text")
}

pub const DETERMINISTIC: Probe = Probe {
    id: "cli.deterministic",
    section: "§1",
    title: "The same call returns the same structure and the same order of keys",
    why: "The caches, diffs and tests of agents depend on it",
    fix: "print maps sorted, or in the order of the contract",
    run: |session| examine(session, deterministic),
    ..Probe::of(FAMILY)
};

fn deterministic(lab: &ProbeCaller<'_>) -> ProbeStep {
    for call in [["context"], ["reference"], ["no-such-command"]] {
        let runs = [(); 2].map(|()| lab.run_as(Account::None, &words(&call), &[]));
        let [first, second] = &runs;
        if first.document.is_err() && second.document.is_err() {
            continue;
        }
        let same = shape_of(first.at("")) == shape_of(second.at(""));
        second.expect(same, format!("`{}` returns another structure the second time", call[0]))?;
    }
    Ok(())
}

pub const NO_PROMPT: Probe = Probe {
    id: "cli.no-prompt",
    section: "§1",
    title: "No command waits for input from a person, not even a confirmed write",
    why: "An agent cannot answer, and would wait forever",
    fix: "fail with E_USAGE or E_VALIDATION if an argument is missing; never read from the terminal",
    run: |session| examine(session, no_prompt),
    ..Probe::of(FAMILY)
};

fn no_prompt(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let mut unclear = None;
    let mut callable: Vec<(&str, &[&str])> = Vec::new();
    for (path, command) in commands(&reference) {
        // A bare write may do something when it need not be confirmed.
        let runs = kind::reads(&lab.contract.commands, command) || command["confirm"] == "always";
        let is_long = lab.fixture.long.iter().any(|long| long == path);
        if !runs {
            unclear = unclear.or_else(|| kind::unclear(&lab.contract.commands, path, command));
        }
        if is_long {
            continue;
        }
        if runs {
            callable.push((path, &[]));
        } else if command["confirm"] == "when_lossy" {
            callable.push((path, &["--dry-run"]));
        }
    }
    for (path, more) in lab.tally.chosen(&callable) {
        let words: Vec<&str> = path.split(' ').chain(more.iter().copied()).collect();
        let shot = lab.look(&words);
        let message = format!("`{}` without arguments does not end", words.join(" "));
        shot.expect(shot.exit().is_some(), message)?;
    }
    unclear.map_or(Ok(()), |why| Err(Unfinished::Blocked(why)))
}

pub const SNAKE_CASE: Probe = Probe {
    id: "cli.snake-case",
    section: "§3.1",
    title: "All keys are in snake_case",
    why: "All tools use one convention, so agents do not need to look up keys",
    fix: "rename the key",
    run: |session| examine(session, snake_case),
    ..Probe::of(FAMILY)
};

fn snake_case(lab: &ProbeCaller<'_>) -> ProbeStep {
    let mut shots: Vec<Answered> = documents(lab).collect();
    // Members from an upstream are the most likely ones to keep the spelling of the upstream.
    let roles = [Role::Get, Role::List, Role::Scopes];
    let samples: Vec<_> = roles.into_iter().flat_map(|role| lab.samples(role)).collect();
    if !samples.is_empty() && (lab.fixture.local || lab.start_upstream().is_ok()) {
        shots.extend(samples.iter().map(|sample| lab.call(&sample.call())));
    }
    for shot in shots.iter().filter(|shot| shot.document.is_ok()) {
        shot.judged();
        if let Some(key) = shapes::camel(shot.at("")) {
            return Err(shot.fail(format!("the key `{key}` is not in snake_case")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_knows_the_order_of_keys_and_no_values() {
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(shape_of(&value("{\"a\":1,\"b\":[]}")), shape_of(&value("{\"a\":2,\"b\":[]}")));
        assert_ne!(shape_of(&value("{\"a\":1,\"b\":2}")), shape_of(&value("{\"b\":2,\"a\":1}")));
    }
}
