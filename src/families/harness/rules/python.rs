//! Rules about the Python sources: what breaks outside the author's checkout.

use super::super::python_source::{Note, NoteKind};
use super::subject::{ConnectorSubject, HARNESS, PythonFile};
use crate::contract::rules::collector::{Collector, shown_list};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const UNREADABLE: Rule = Rule {
    id: "python/unreadable",
    summary: "Python can read every source of the package",
    why: "If a file is not UTF-8 or has unbalanced brackets, its import fails, and so does every call",
    fix: "fix the file; `python3 -m compileall` reports the line",
    source: "failure map, failure 27",
    ..Rule::error(&[FAMILY])
};
pub(super) const UNPACKAGED_FILE: Rule = Rule {
    id: "python/unpackaged-file",
    summary: "The package reads no `connector.json` or `permissions.json` at run time",
    why: "These files are outside the package: only one of 65 fleet connectors works from a wheel",
    fix: "run `aos gen` and use the constants of `contract_gen.py`",
    source: "fleet survey: works when installed non-editable",
    ..Rule::error(&[FAMILY])
};
pub(super) const OUTSIDE_PACKAGE: Rule = Rule {
    id: "python/outside-package",
    summary: "No path leaves the package",
    why: "Paths that count directories (`parents[6]`) fail in every installed copy; 43 fleet connectors have one",
    fix: "move the files that the package needs into it",
    source: "failure map, failure 22",
    ..Rule::error(&[FAMILY])
};
pub(super) const NODE_HELPER: Rule = Rule {
    id: "python/node-helper",
    summary: "The connector does not start `node --import tsx`",
    why: "This helper fails silently outside the monorepo, so keys seem to be unset; 40 fleet connectors still have it",
    fix: "read the key from the environment, where the host sets it",
    source: "failure map, failures 10 and 11",
    ..Rule::error(&[FAMILY])
};
pub(super) const SHELL: Rule = Rule {
    id: "python/shell",
    summary: "No command is run by a shell",
    why: "The contract forbids passing input to a shell, and options come from agents",
    fix: "pass a list of arguments to `subprocess.run`",
    source: "CONNECTOR-SPEC §9",
    ..Rule::error(&[FAMILY])
};
pub(super) const NO_TIMEOUT: Rule = Rule {
    id: "python/no-timeout",
    summary: "Every request has a time limit",
    why: "The host kills a probe after four seconds, and reports the connector as broken",
    fix: "pass `timeout=`",
    source: "host discovery: probes",
    ..Rule::error(&[FAMILY])
};
pub(super) const LONG_TIMEOUT: Rule = Rule {
    id: "python/long-timeout",
    summary: "The health probe waits less than four seconds",
    why: "A probe of the host may take four seconds in total; 64 fleet connectors wait 20, 30 or 60 seconds",
    fix: "use a limit of two seconds for the requests of `health`",
    source: "host discovery: probes; fleet survey: HTTP timeout",
    ..Rule::warning(&[FAMILY])
};
pub(super) const HEALTH_STATUS: Rule = Rule {
    id: "python/health-status",
    summary: "Health reports `healthy`, not only `ready`",
    why: "The catalogue accepts only healthy or ok, so 51 fleet connectors can never be shown as ready",
    fix: "use `healthy` in `data.status`; `ready` is for the canvas keys of the envelope",
    source: "CONNECTOR-SPEC §11",
    ..Rule::error(&[FAMILY])
};
pub(super) const MODULE_OUTPUT: Rule = Rule {
    id: "python/module-output",
    summary: "Importing modules writes nothing to stdout",
    why: "The host parses stdout as one JSON document; aos-cognee failed because of log lines before it",
    fix: "write to stderr, or inside a function",
    source: "failure map, failure 14",
    ..Rule::warning(&[FAMILY])
};

/// The host's limit for a probe, in milliseconds.
const PROBE_LIMIT: usize = 4000;
/// Most uses of a name in one file that are examined.
const MAX_USES: usize = 200;
/// Paths of one file that are followed; more are reported as they are.
const MAX_CLIMBS: usize = 8;

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    for file in &subject.python {
        if let Some(reason) = unreadable(file) {
            found.at(&UNREADABLE, &file.source, 0, reason.to_owned());
        }
        let served = served_climbs(subject, file);
        for note in &file.content.notes {
            if !served.iter().any(|climb| climb.covers(note)) {
                single(subject, file, note, found);
            }
        }
        for climb in &served {
            climb.report(file, found);
        }
    }
    health_words(subject, found);
    time_limits(subject, found);
}

fn unreadable(file: &PythonFile<'_>) -> Option<&'static str> {
    let bytes = file.source.bytes;
    if std::str::from_utf8(bytes).is_err() {
        Some("the file is not UTF-8")
    } else if bytes.contains(&0) {
        Some("the file contains NUL bytes")
    } else {
        file.content.unclosed.then_some("a bracket is never closed")
    }
}

fn single(
    subject: &ConnectorSubject<'_>,
    file: &PythonFile<'_>,
    note: &Note<'_>,
    found: &mut Collector,
) {
    let (rule, message) = match note.what {
        NoteKind::NamesFile(name) if !is_packaged(subject, file, name) => {
            (&UNPACKAGED_FILE, format!("`{name}` is read at run time"))
        }
        NoteKind::Climbs(levels) if levels >= depth(file.source.path) => {
            (&OUTSIDE_PACKAGE, format!("this path leaves the package, {levels} directories up"))
        }
        NoteKind::NodeHelper => (&NODE_HELPER, "`node --import tsx` is started".to_owned()),
        NoteKind::Shell => (&SHELL, "a command goes through a shell".to_owned()),
        NoteKind::NoTimeout => (&NO_TIMEOUT, "this request has no time limit".to_owned()),
        NoteKind::ModuleOutput => {
            (&MODULE_OUTPUT, "this is written to stdout at import".to_owned())
        }
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

/// A copy of the file is inside the package and is shipped with it.
fn is_packaged(subject: &ConnectorSubject<'_>, file: &PythonFile<'_>, name: &str) -> bool {
    let ships = subject.pyproject.as_ref().and_then(|file| file.project.as_ref().ok());
    let inner = file.source.path.strip_prefix(HARNESS).unwrap_or_default();
    let package = inner.split('/').next().unwrap_or_default();
    ships.is_some_and(|project| project.package_data)
        && subject.repository.below(&format!("{HARNESS}{package}/"), name).next().is_some()
}

/// A path out of the package that leads to manifest and permissions only: one fault, fixed at one place.
struct ServedClimb<'a> {
    at: usize,
    levels: usize,
    /// Offsets and names of the files that are reached by it.
    files: Vec<(usize, &'a str)>,
}

impl ServedClimb<'_> {
    fn covers(&self, note: &Note<'_>) -> bool {
        note.at == self.at || self.files.iter().any(|(at, _)| *at == note.at)
    }

    fn report(&self, file: &PythonFile<'_>, found: &mut Collector) {
        let mut names: Vec<&str> = self.files.iter().map(|(_, name)| *name).collect();
        names.sort_unstable();
        names.dedup();
        let verb = if names.len() == 1 { "is" } else { "are" };
        let message = format!(
            "{} {verb} looked for at run time, {} directories up and outside the package",
            shown_list(names),
            self.levels
        );
        found.at(&UNPACKAGED_FILE, &file.source, self.at, message);
    }
}

fn served_climbs<'a>(
    subject: &ConnectorSubject<'_>,
    file: &'a PythonFile<'_>,
) -> Vec<ServedClimb<'a>> {
    let mut served = Vec::new();
    let notes = &file.content.notes;
    let climbs = notes.iter().filter(|note| matches!(note.what, NoteKind::Climbs(_)));
    for climb in climbs.take(MAX_CLIMBS) {
        let NoteKind::Climbs(levels) = climb.what else { continue };
        if levels < depth(file.source.path) {
            continue;
        }
        let mut lines = vec![line_of(file.source.bytes, climb.at)];
        if !is_file_line(lines[0].1) {
            // The path has a name: every use of it must lead to one of the files.
            let uses = uses_of(subject, climb.assigned);
            let serves = |(path, line): &(&str, SourceLine<'_>)| {
                is_file_line(line.1)
                    || (*path == file.source.path && line.0 == lines[0].0)
                    || is_import(line.1, climb.assigned)
            };
            if climb.assigned.is_empty() || !uses.iter().all(serves) {
                continue;
            }
            let here = uses.iter().filter(|(path, _)| *path == file.source.path);
            lines = here.map(|(_, line)| *line).collect();
        }
        let files: Vec<(usize, &str)> = notes
            .iter()
            .filter_map(|note| match note.what {
                NoteKind::NamesFile(name) => Some((note.at, name)),
                _ => None,
            })
            .filter(|(at, _)| {
                lines.iter().any(|line| (line.0..=line.0 + line.1.len()).contains(at))
            })
            .collect();
        if !files.is_empty() {
            served.push(ServedClimb { at: climb.at, levels, files });
        }
    }
    served
}

/// A line and the offset where it starts.
type SourceLine<'a> = (usize, &'a str);

fn line_of(bytes: &[u8], at: usize) -> SourceLine<'_> {
    let head = bytes.get(..at).unwrap_or_default();
    let start = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let rest = bytes.get(start..).unwrap_or_default();
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    (start, std::str::from_utf8(line).unwrap_or_default())
}

fn is_file_line(line: &str) -> bool {
    line.contains("connector.json") || line.contains("permissions.json")
}

/// A line that only fetches the name from another module, or is a comment.
fn is_import(line: &str, name: &str) -> bool {
    let line = line.trim();
    line.starts_with("from ") || line.starts_with('#') || line.trim_end_matches(',') == name
}

/// Lines of the package that contain a name, with the file of each.
fn uses_of<'a>(subject: &'a ConnectorSubject<'_>, name: &str) -> Vec<(&'a str, SourceLine<'a>)> {
    let mut uses = Vec::new();
    if name.is_empty() {
        return uses;
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    for file in &subject.python {
        let bytes = file.source.bytes;
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let places = text.match_indices(name).map(|(at, _)| at).filter(|at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            !before.is_some_and(is_word) && !bytes.get(at + name.len()).is_some_and(is_word)
        });
        uses.extend(places.take(MAX_USES).map(|at| (file.source.path, line_of(bytes, at))));
    }
    uses
}

/// The words of health itself, in functions or modules named after it; elsewhere, the same words have other meanings.
fn health_words(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let mut ready = None;
    for file in &subject.python {
        let module = file.source.path.rsplit('/').next().unwrap_or_default();
        for note in &file.content.notes {
            let is_probe = is_probe(note.function) || is_probe(module);
            // A constant, or a function that words the state, may be what the probe answers with.
            let is_source = note.function.is_empty() && !note.assigned.is_empty()
                || ["status", "check", "readiness"].iter().any(|word| note.function.contains(word));
            match note.what {
                NoteKind::HealthWord("healthy") if is_probe || is_source => return,
                NoteKind::HealthWord("ready") if is_probe => ready = ready.or(Some((file, note))),
                _ => {}
            }
        }
    }
    if let Some((file, note)) = ready {
        let message = "health reports `ready`, but never `healthy`".to_owned();
        found.at(&HEALTH_STATUS, &file.source, note.at, message);
    }
}

pub(crate) fn is_probe(name: &str) -> bool {
    ["health", "probe", "doctor"].iter().any(|word| name.contains(word))
}

/// Long limits are fine for commands, as long as something shorter exists for the probe.
fn time_limits(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let mut request = None;
    let mut program = None;
    let mut has_short = false;
    for file in &subject.python {
        for note in &file.content.notes {
            let (limit, first) = match note.what {
                NoteKind::Timeout(limit) => (limit, &mut request),
                NoteKind::ProgramTimeout(limit) => (limit, &mut program),
                _ => continue,
            };
            if limit < PROBE_LIMIT {
                has_short |= limit > 0;
                continue;
            }
            if is_probe(note.function) || note.function.contains("ping") {
                let seconds = limit / 1000;
                let message = format!("`{}` may wait {seconds} seconds", note.function);
                found.at(&LONG_TIMEOUT, &file.source, note.at, message);
                has_short = true;
            }
            first.get_or_insert((file, note, limit / 1000));
        }
    }
    if has_short {
        return;
    }
    if let Some((file, note, seconds)) = request {
        let message =
            format!("every request may wait {seconds} seconds, including that of the health probe");
        found.at(&LONG_TIMEOUT, &file.source, note.at, message);
    } else if let Some((file, note, seconds)) = program {
        let message =
            format!("a program may run for {seconds} seconds, and the health probe waits for it");
        let fix = "start no program for `health`, or give it a limit of two seconds";
        found.with_fix(&LONG_TIMEOUT, &file.source, note.at, message, fix);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    #[test]
    fn each_fault_of_a_source_is_named_by_its_rule() {
        for (code, rules) in [
            ("P = ROOT / \"permissions.json\"\n", &["python/unpackaged-file"][..]),
            ("def broken(:\n    pass\n", &["python/unreadable"]),
            ("X = \"\0\"\n", &["python/unreadable"]),
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
