//! Rules about the Python sources: what breaks outside the author's checkout.

use super::super::python_source::{Note, What};
use super::collector::Collector;
use super::subject::{HARNESS, PythonFile, Subject};
use super::{ERROR, Rule, WARNING};

pub(super) const UNPACKAGED_FILE: Rule = Rule {
    id: "python/unpackaged-file",
    summary: "The package reads no `connector.json` or `permissions.json` at run time",
    why: "The files lie outside the package: of 65 fleet connectors one works from a wheel",
    fix: "run `aos gen` and use the constants of `contract_gen.py`",
    source: "fleet survey: works when installed non-editable",
    ..ERROR
};
pub(super) const OUTSIDE_PACKAGE: Rule = Rule {
    id: "python/outside-package",
    summary: "No path climbs out of the package",
    why: "Paths that count directories (`parents[6]`) crash in every installed copy; 43 fleet connectors have one",
    fix: "keep what the package needs inside it",
    source: "failure map, failure 22",
    ..ERROR
};
pub(super) const NODE_HELPER: Rule = Rule {
    id: "python/node-helper",
    summary: "No `node --import tsx` is started",
    why: "The helper silently fails outside the monorepo, so keys look unset; 40 fleet connectors still have it",
    fix: "read the key from the environment, where the host injects it",
    source: "failure map, failures 10 and 11",
    ..ERROR
};
pub(super) const SHELL: Rule = Rule {
    id: "python/shell",
    summary: "No command goes through a shell",
    why: "The contract forbids shell execution of input, and options come from agents",
    fix: "pass a list of arguments to `subprocess.run`",
    source: "CONNECTOR-SPEC §9",
    ..ERROR
};
pub(super) const NO_TIMEOUT: Rule = Rule {
    id: "python/no-timeout",
    summary: "Every request has a time limit",
    why: "The host kills a probe after four seconds and reports the connector as broken",
    fix: "pass `timeout=`",
    source: "host discovery: probes",
    ..ERROR
};
pub(super) const LONG_TIMEOUT: Rule = Rule {
    id: "python/long-timeout",
    summary: "The health probe waits less than four seconds",
    why: "The host gives a probe four seconds in all; 64 fleet connectors wait 20, 30 or 60",
    fix: "use a limit of two seconds for the requests of `health`",
    source: "host discovery: probes; fleet survey: HTTP timeout",
    ..WARNING
};
pub(super) const HEALTH_STATUS: Rule = Rule {
    id: "python/health-status",
    summary: "Health says `healthy`, not only `ready`",
    why: "The catalog accepts only healthy or ok: 51 fleet connectors can never be shown as ready",
    fix: "use `healthy` in `data.status`; `ready` belongs to the canvas keys of the envelope",
    source: "CONNECTOR-SPEC §11",
    ..ERROR
};
pub(super) const MODULE_OUTPUT: Rule = Rule {
    id: "python/module-output",
    summary: "Nothing is written to stdout while modules are imported",
    why: "The host parses the whole of stdout as one JSON document; log lines before it made cognee fail",
    fix: "write to stderr, or inside a function",
    source: "failure map, failure 14",
    ..WARNING
};

/// The host's limit for a probe, in milliseconds.
const PROBE_LIMIT: usize = 4000;

pub(super) fn check(subject: &Subject<'_>, found: &mut Collector) {
    for file in &subject.python {
        for note in &file.content.notes {
            single(subject, file, note, found);
        }
    }
    health_words(subject, found);
    time_limits(subject, found);
}

fn single(subject: &Subject<'_>, file: &PythonFile<'_>, note: &Note<'_>, found: &mut Collector) {
    let (rule, message) = match note.what {
        What::NamesFile(name) if !is_packaged(subject, file, name) => {
            (&UNPACKAGED_FILE, format!("`{name}` is looked for at run time"))
        }
        What::Climbs(levels) if levels >= depth(file.source.path) => {
            (&OUTSIDE_PACKAGE, format!("this path leaves the package, {levels} directories up"))
        }
        What::NodeHelper => (&NODE_HELPER, "`node --import tsx` is started".to_owned()),
        What::Shell => (&SHELL, "a command goes through a shell".to_owned()),
        What::NoTimeout => (&NO_TIMEOUT, "this request has no time limit".to_owned()),
        What::ModuleOutput => (&MODULE_OUTPUT, "this is written to stdout at import".to_owned()),
        _ => return,
    };
    found.at(rule, &file.source, note.at, message);
}

/// Directories between a source and the harness: climbing that many leaves the package.
fn depth(path: &str) -> usize {
    let inner = path.strip_prefix(HARNESS).unwrap_or(path);
    let inner = inner.strip_prefix("src/").unwrap_or(inner);
    inner.matches('/').count().max(1)
}

/// A copy of the file lies inside the package and is shipped with it.
fn is_packaged(subject: &Subject<'_>, file: &PythonFile<'_>, name: &str) -> bool {
    let ships = subject.pyproject.as_ref().and_then(|file| file.project.as_ref().ok());
    let inner = file.source.path.strip_prefix(HARNESS).unwrap_or_default();
    let package = inner.split('/').next().unwrap_or_default();
    ships.is_some_and(|project| project.package_data)
        && subject.repository.below(&format!("{HARNESS}{package}/"), name).next().is_some()
}

fn health_words(subject: &Subject<'_>, found: &mut Collector) {
    let mut ready = None;
    for file in &subject.python {
        for note in &file.content.notes {
            match note.what {
                What::HealthWord("healthy") => return,
                What::HealthWord(_) => ready = ready.or(Some((file, note))),
                _ => {}
            }
        }
    }
    if let Some((file, note)) = ready {
        let message = "the status is `ready`, and `healthy` stands nowhere".to_owned();
        found.at(&HEALTH_STATUS, &file.source, note.at, message);
    }
}

/// Long limits are fine for commands, as long as something shorter exists for the probe.
fn time_limits(subject: &Subject<'_>, found: &mut Collector) {
    let mut first_long = None;
    let mut has_short = false;
    for file in &subject.python {
        for note in &file.content.notes {
            let What::Timeout(limit) = note.what else { continue };
            if limit < PROBE_LIMIT {
                has_short |= limit > 0;
                continue;
            }
            let probes = ["health", "probe", "doctor", "ping"];
            let inside = probes.iter().any(|word| note.function.contains(word));
            if inside {
                let seconds = limit / 1000;
                let message = format!("`{}` may wait {seconds} seconds", note.function);
                found.at(&LONG_TIMEOUT, &file.source, note.at, message);
                has_short = true;
            }
            first_long = first_long.or(Some((file, note, limit)));
        }
    }
    if let (Some((file, note, limit)), false) = (first_long, has_short) {
        let message =
            format!("every request may wait {} seconds, the health probe too", limit / 1000);
        found.at(&LONG_TIMEOUT, &file.source, note.at, message);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    #[test]
    fn each_fault_of_a_source_is_named_by_its_rule() {
        for (code, rules) in [
            ("P = ROOT / \"permissions.json\"\n", &["python/unpackaged-file"][..]),
            ("P = Path(__file__).resolve().parents[1] / \"x\"\n", &["python/outside-package"]),
            ("P = HERE.parents[6]\n", &["python/outside-package"]),
            ("P = join(HERE, \"../../data\")\n", &["python/outside-package"]),
            ("run([\"node\", \"--import\", \"tsx\", \"-e\", code])\n", &["python/node-helper"]),
            ("run(line, shell=True)\n", &["python/shell"]),
            ("os.system(line)\n", &["python/shell"]),
            ("reply = urlopen(request)\n", &["python/no-timeout"]),
            ("reply = requests.get(url, headers=h)\n", &["python/no-timeout"]),
            ("print('starting')\n", &["python/module-output"]),
            ("def health():\n    return get(timeout=20)\n", &["python/long-timeout"]),
            ("def health():\n    return get(timeout=2)\n", &[]),
            ("P = Path(__file__).parent / \"x\"\n", &[]),
            ("run([\"git\", \"status\"], shell=False)\n", &[]),
        ] {
            assert_eq!(only(&Sample::good().code(code)), rules, "{code}");
        }
    }

    #[test]
    fn a_health_check_that_only_says_ready_is_reported() {
        let path = "agent-harness/aos_demo/client.py";
        let sample = Sample::good().replaced(path, "\"healthy\"", "\"fine\"");
        assert_eq!(only(&sample), ["python/health-status"]);
    }

    #[test]
    fn long_limits_are_reported_once_when_there_is_no_short_one() {
        let path = "agent-harness/aos_demo/client.py";
        let sample = Sample::good().replaced(path, "PROBE_TIMEOUT = 2", "PROBE_TIMEOUT = 20");
        assert_eq!(only(&sample), ["python/long-timeout"]);
    }

    #[test]
    fn a_file_that_is_shipped_inside_the_package_may_be_read() {
        let sample = Sample::good()
            .code("P = files('aos_demo') / 'permissions.json'\n")
            .file("agent-harness/aos_demo/permissions.json", "{}")
            .pyproject("packages =", "package-data = { aos_demo = [\"*.json\"] }\npackages =");
        assert!(only(&sample).is_empty());
    }
}
