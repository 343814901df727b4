//! Whether what a tool says of itself (agent-cli §11) is what it does, what its help says, and what its files say.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::inputs::changelog;
use crate::system::files;

use super::fixture::Role;
use super::gate::{meant, token};
use super::lab::{Account, ProbeCaller, and, examine};
use super::listing::{commands, split};
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::{kind, raw};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

const MAX_FILE: u64 = 4 * 1024 * 1024;

pub const DECLARED_WRITES: Probe = Probe {
    id: "cli.declared-fields-writes",
    section: "§11",
    title: "`data` of a completed write has only fields that its schema declares",
    why: "An agent reads the response of a write by its schema, as for a query",
    fix: "generate the fields of the schema from the code that builds the data",
    run: |session| examine(session, declared_writes),
    ..Probe::of(FAMILY)
};

fn declared_writes(lab: &ProbeCaller<'_>) -> ProbeStep {
    lab.sample(Role::Create)?;
    let reference = lab.reference()?;
    let roles = [Role::Create, Role::Update, Role::Delete, Role::Batch, Role::Job];
    let samples = roles.into_iter().flat_map(|role| lab.samples(role));
    for sample in samples {
        let command = lab.declared(&sample.path)?;
        let call = meant(lab, sample, &sample.call());
        let token = token(lab, &call)?;
        let shot = lab.call(&and(&call, &["--confirm", &token]));
        if !shot.is_ok() {
            continue;
        }
        let label = command["output_schema"].as_str().unwrap_or_default();
        let fields = reference["schemas"][label]["fields"].as_array().cloned().unwrap_or_default();
        for (key, _) in shot.data().as_object().into_iter().flatten() {
            let known = fields.iter().any(|field| field == key.as_str())
                || key == lab.contract.untrusted_key.as_str();
            let message =
                format!("`{}` prints `{key}`, which its schema does not declare", sample.path);
            shot.expect(known, message)?;
        }
    }
    Ok(())
}

pub const CODES_LISTED: Probe = Probe {
    id: "cli.codes-listed",
    section: "§11",
    title: "Every error code and exit code that the tool returns is in `reference`",
    why: "Agents handle only the codes that they know",
    fix: "list the contract's and the tool's codes from the table that failures use",
    run: |session| examine(session, codes_listed),
    ..Probe::of(FAMILY)
};

fn codes_listed(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let mut shots =
        vec![lab.look(&["no-such-command"]), lab.look(&["context", "--format", "no-such-format"])];
    if let Some(sample) = lab.samples(Role::Get).next()
        && lab.start_upstream().is_ok()
    {
        shots.push(lab.call(&sample.with(&sample.missing)));
        shots.push(lab.run_as(Account::None, &sample.call(), &[]));
        for role in [Role::Create, Role::Delete] {
            shots.extend(lab.samples(role).next().map(|sample| lab.call(&sample.call())));
        }
    }
    for shot in shots.iter().filter(|shot| !shot.code().is_empty()) {
        let (code, exit) = (shot.code(), shot.exit().unwrap_or_default().to_string());
        let listed = reference["error_codes"].get(code).is_some();
        shot.expect(listed, format!("`error_codes` of `reference` does not list `{code}`"))?;
        let listed = reference["exit_codes"].get(&exit).is_some();
        shot.expect(listed, format!("`exit_codes` of `reference` does not list {exit}"))?;
    }
    Ok(())
}

pub const EXAMPLES_PARSE: Probe = Probe {
    id: "cli.examples-parse",
    section: "§11",
    title: "The tool accepts every example",
    why: "Agents copy examples first",
    fix: "run the examples in a test",
    run: |session| examine(session, examples_parse),
    ..Probe::of(FAMILY)
};

/// Nothing is at the other end, so a call that is taken ends there; writes are previewed, nothing else is run.
fn examples_parse(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    lab.tally.count("examples");
    let unclear = commands(&reference)
        .find_map(|(path, command)| kind::unclear(&lab.contract.commands, path, command));
    for (path, command) in lab.tally.chosen(&commands(&reference).collect::<Vec<_>>()) {
        let is_long = lab.fixture.long.iter().any(|long| long == path);
        let examples = command["examples"].as_array().into_iter().flatten();
        for example in examples.filter_map(Value::as_str) {
            let words = split(example);
            let is_preview = words.iter().any(|word| word == "--dry-run" || word == "--check");
            let runs = kind::reads(&lab.contract.commands, command) && !is_long
                || is_preview && (command["confirm"] == "always" || path == "update");
            if !runs || words.first().is_none_or(|word| reference["tool"] != word.as_str()) {
                continue;
            }
            let shot = lab.run_as(Account::One, &words[1..], &[]);
            let message = format!("the example `{example}` is refused as a wrong command line");
            if shot.exit().is_some() {
                lab.tally.subject(format!("{path}: {example}"));
            }
            shot.expect(shot.exit() != Some(2), message)?;
        }
    }
    unclear.map_or(Ok(()), |why| Err(Unfinished::Blocked(why)))
}

pub const FORMAT_RAW: Probe = Probe {
    id: "cli.format-raw",
    section: "§2",
    title: "--format raw passes on the bytes of the upstream, and never wraps them in an envelope",
    why: "Raw output is redirected into files, which an envelope or an added line break would corrupt",
    fix: "write the bytes as they are, and refuse --format raw in commands that have no raw output",
    run: |session| examine(session, format_raw),
    ..Probe::of(FAMILY)
};

fn format_raw(lab: &ProbeCaller<'_>) -> ProbeStep {
    for call in ["context", "changelog", "reference"] {
        let shot = lab.look(&[call, "--format", "raw"]);
        if shot.exit() == Some(0) {
            let is_envelope = shot.document.is_ok() && shot.at("/ok").is_boolean();
            shot.expect(!is_envelope, format!("`{call} --format raw` prints the envelope"))?;
        } else if !(shot.exit() == Some(2) && shot.observed.stdout().is_empty()) {
            // With `--format raw`, the refusal may be text on stderr.
            shot.expect_code(&["E_USAGE", "E_VALIDATION"], &format!("`{call} --format raw`"))?;
        }
    }
    raw::examine(lab)
}

pub const HELP_LISTS: Probe = Probe {
    id: "cli.help-lists",
    section: "§11",
    title: "Help lists every command of `reference`, and no other",
    why: "People and agents must see the same commands",
    fix: "generate help and `reference` from one registry",
    run: |session| examine(session, help_lists),
    ..Probe::of(FAMILY)
};

fn help_lists(lab: &ProbeCaller<'_>) -> ProbeStep {
    let reference = lab.reference()?;
    let help = |path: &[&str]| lab.look(&[path, &["--help"]].concat());
    let said = |shot: &Answered| String::from_utf8_lossy(shot.observed.stdout()).into_owned();
    let known: Vec<&str> = commands(&reference).map(|(path, _)| path).collect();
    lab.tally.count("commands");
    for path in &known {
        lab.tally.subject(*path);
        let parts: Vec<&str> = path.split(' ').collect();
        for end in 0..parts.len() {
            let shot = help(&parts[..end]);
            let text = said(&shot);
            let words: BTreeSet<&str> = text
                .split(|symbol: char| symbol.is_whitespace() || ",|`".contains(symbol))
                .collect();
            let message = format!("help does not list `{}`", parts[..=end].join(" "));
            shot.expect(words.contains(parts[end]), message)?;
        }
    }
    let root = help(&[]);
    let text = said(&root);
    for word in listed(&text) {
        let is_known = known.iter().any(|path| path.split(' ').next() == Some(word));
        if is_known || ["help", "completion", "completions"].contains(&word) {
            continue;
        }
        let shot = lab.look(&[word, "--help"]);
        let exists = shot.exit() == Some(0) && said(&shot) != text;
        shot.expect(!exists, format!("help lists `{word}`, but `reference` does not"))?;
    }
    Ok(())
}

/// First words of lines that are set in, as lists of commands have them.
fn listed(text: &str) -> BTreeSet<&str> {
    let words = text.lines().filter(|line| line.starts_with("  ")).filter_map(|line| {
        let word = line.split_whitespace().next()?;
        let is_name = word.len() > 1
            && word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol == '-');
        is_name.then_some(word)
    });
    words.take(60).collect()
}

pub const PACKAGE_VERSION: Probe = Probe {
    id: "cli.package-version",
    section: "§11",
    title: "package.json has the version that the tool reports",
    why: "npm uses the first, and agents use the second",
    fix: "define the version in one place, and derive the other from it",
    run: |session| examine(session, package_version),
    ..Probe::of(FAMILY)
};

fn package_version(lab: &ProbeCaller<'_>) -> ProbeStep {
    let text = project_file(lab, "package.json")?;
    let manifest = crate::strict_json::read(&text)
        .map_err(|_| Unfinished::Fail("package.json is not a JSON document".to_owned(), None))?;
    let Some(version) = manifest["version"].as_str() else {
        return Err(Unfinished::NotApplicable("package.json has no version".to_owned()));
    };
    let reference = lab.reference()?;
    let said = reference["version"].as_str().unwrap_or_default();
    let shot = lab.look(&["reference"]);
    shot.expect(
        said == version,
        format!("package.json has version {version}, but the tool reports {said}"),
    )
}

/// A file of the project.
fn project_file(lab: &ProbeCaller<'_>, name: &str) -> ProbeStep<String> {
    let root = lab.session.target.root.as_ref().ok_or_else(|| {
        Unfinished::Blocked("it needs the project, but only a command was given".to_owned())
    })?;
    match files::read(&root.join(name), MAX_FILE) {
        Ok(loaded) => Ok(String::from_utf8_lossy(&loaded.bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Unfinished::NotApplicable(format!("the project has no {name}")))
        }
        Err(error) => Err(Unfinished::Blocked(format!("{name} cannot be read: {error}"))),
    }
}

pub const CHANGELOG_FILE: Probe = Probe {
    id: "cli.changelog-file",
    section: "§11",
    title: "`changelog` has the releases and changes in CHANGELOG.md, each once",
    why: "People read the file, and agents the command",
    fix: "embed CHANGELOG.md in the program and parse it there",
    run: |session| examine(session, changelog_file),
    ..Probe::of(FAMILY)
};

fn changelog_file(lab: &ProbeCaller<'_>) -> ProbeStep {
    let releases = changelog::parse(&project_file(lab, "CHANGELOG.md")?);
    let shot = lab.look(&["changelog"]);
    let entries = shot.at("/data/entries").as_array().cloned().unwrap_or_default();
    let found: Vec<&str> = entries.iter().filter_map(|entry| entry["version"].as_str()).collect();
    let wanted: Vec<String> = releases.iter().map(|release| release.version.to_string()).collect();
    let message =
        format!("`changelog` has {} and CHANGELOG.md has {}", found.join(", "), wanted.join(", "));
    shot.expect(found == wanted, message)?;
    for (entry, release) in entries.iter().zip(&releases) {
        let count = entry["changes"].as_object().into_iter().flatten();
        let count: usize = count.map(|(_, list)| list.as_array().map_or(0, Vec::len)).sum();
        let wanted: usize = release.changes.iter().map(|(_, list)| list.len()).sum();
        let message = format!(
            "`changelog` has {count} changes for {} and CHANGELOG.md has {wanted}",
            release.version
        );
        shot.expect(count == wanted, message)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_commands_are_found_in_help_and_options_are_none() {
        let text = "Usage: a\n\nCommands:\n  list      Lists all\n  no-op     None\n\n  --json    Prints\n  A line of text\nlast";
        assert_eq!(listed(text).into_iter().collect::<Vec<_>>(), ["list", "no-op"]);
    }
}
