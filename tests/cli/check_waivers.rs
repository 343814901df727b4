//! No waiver hides drift: every managed file is edited under every breakage of what it is compared with, and every rule
//! that may be waived is waived.
//!
//! The edits are made here, so the truth does not come from aos. Verdicts come from the library; `gen --check` and a
//! sample of the verdicts come from the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aos::audit::{AuditOptions, ProjectReport, audit, rules};
use aos::contract::Finding;
use aos::inputs::spec_source::SpecSession;

use super::disk;
use super::sandbox::{Sandbox, is_full_run};

/// Every state of a source or record that a reader may refuse.
const BREAKAGES: [&str; 12] = [
    "byte order mark",
    "syntax error",
    "duplicate key",
    "missing",
    "a directory",
    "a link",
    "a dangling link",
    "UTF-16",
    "invalid UTF-8",
    "empty",
    "too large",
    "null",
];

fn break_file(path: &Path, breakage: &str) {
    let old = std::fs::read(path).unwrap_or_else(|_| b"{}\n".to_vec());
    let aside = path.with_extension("aside");
    let text = String::from_utf8_lossy(&old).into_owned();
    let _ = std::fs::remove_file(path);
    let new: Vec<u8> = match breakage {
        "byte order mark" => [b"\xef\xbb\xbf", old.as_slice()].concat(),
        "syntax error" => [old.as_slice(), b"]["].concat(),
        "duplicate key" if text.starts_with('{') => {
            text.replacen('{', "{\"tool\": \"aos-acme\", \"tool\": \"aos-acme\",", 1).into()
        }
        "duplicate key" => format!("{text}\n{text}").into(),
        "missing" => return,
        "a directory" => return std::fs::create_dir(path).unwrap(),
        "a link" => {
            let place = beside(path);
            std::fs::write(&place, &old).unwrap();
            return std::os::unix::fs::symlink(place, path).unwrap();
        }
        "a dangling link" => return std::os::unix::fs::symlink(&aside, path).unwrap(),
        "UTF-16" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "invalid UTF-8" => [old.as_slice(), b"\xff\xfe"].concat(),
        "empty" => Vec::new(),
        "too large" => [old.as_slice(), &vec![b' '; 5 * 1024 * 1024]].concat(),
        "null" => b"null\n".to_vec(),
        other => panic!("{other}"),
    };
    std::fs::write(path, new).unwrap();
}

/// Where the target of a link is put: out of the directory, which may be one that aos keeps.
fn beside(path: &Path) -> PathBuf {
    path.parent().unwrap().parent().unwrap().join("aside.link")
}

/// A waiver of each rule, for each path and number of its findings; one without a finding has any path.
fn waivers(rules: &BTreeSet<&str>, findings: &[Finding]) -> String {
    let of = |rule: &str| {
        let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.rule == rule) {
            *paths.entry(&finding.path).or_default() += 1;
        }
        if paths.is_empty() {
            paths.insert("aos.toml", 1);
        }
        let waiver = |(path, count): (&str, usize)| {
            format!(
                "\n[[waivers]]\nrule = \"{rule}\"\npath = {path:?}\ncount = {count}\nreason = \"agreed with Ann\"\n"
            )
        };
        paths.into_iter().map(waiver).collect::<String>()
    };
    rules.iter().map(|rule| of(rule)).collect()
}

struct Scene {
    sandbox: Sandbox,
    project: PathBuf,
    record: String,
    managed: Vec<String>,
    sources: Vec<&'static str>,
    /// Each file is tried under each so many-th breakage of a source, every other file under the next ones.
    every: usize,
}

impl Scene {
    fn new(template: &str) -> Self {
        aos::families::install();
        let sandbox = Sandbox::new();
        let data =
            sandbox.aos(&["new", "acme", "--template", template, "--no-git", "--diff"]).data();
        let project = PathBuf::from(data["path"].as_str().unwrap());
        let mut managed: Vec<_> = data["files"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|file| file["role"] == "managed")
            .map(|file| file["path"].as_str().unwrap().to_owned())
            .collect();
        assert!(managed.len() >= 5, "{managed:?}");
        // One rule compares all files of a runtime; this tests the first, the middle and the last one.
        let runtime: Vec<_> =
            managed.iter().filter(|path| path.contains("runtime/")).cloned().collect();
        let last = runtime.len().saturating_sub(1);
        let chosen: Vec<_> = [0, last / 2, last].iter().filter_map(|at| runtime.get(*at)).collect();
        managed.retain(|path| !runtime.contains(path) || chosen.contains(&path));
        let record = disk::read(&project.join("aos.toml"));
        let mut sources = vec!["contract/contract-ext.json", ".agent/spec.lock", "aos.toml"];
        if template.starts_with("connector") {
            sources.insert(0, "connector.json");
        }
        // The sources of the other families are a part of a connector's.
        let every = match (template.starts_with("connector"), is_full_run()) {
            (_, true) => 1,
            (true, false) => 6,
            (false, false) => 12,
        };
        Self { sandbox, project, record, managed, sources, every }
    }

    /// The verdict with waivers of these rules, for the findings that there are without them.
    fn audit(&self, waived: &BTreeSet<&str>) -> ProjectReport {
        std::fs::write(self.project.join("aos.toml"), &self.record).unwrap();
        let plain = self.verdict();
        if waived.is_empty() { plain } else { self.waived(waived, &plain.findings) }
    }

    /// The verdict with waivers of these rules for these findings.
    fn waived(&self, waived: &BTreeSet<&str>, findings: &[Finding]) -> ProjectReport {
        let text = format!("{}{}", self.record, waivers(waived, findings));
        std::fs::write(self.project.join("aos.toml"), text).unwrap();
        self.verdict()
    }

    fn verdict(&self) -> ProjectReport {
        let options = AuditOptions { rules: Vec::new(), today: "2026-01-01".to_owned() };
        audit(&self.project, &options, &SpecSession::new(None)).expect("a project")
    }

    /// Puts `path` back to what it was.
    fn restore(&self, path: &str, state: Option<&[u8]>) {
        let place = self.project.join(path);
        if place.is_dir() && !place.is_symlink() {
            std::fs::remove_dir(&place).unwrap();
        } else {
            let _ = std::fs::remove_file(&place);
        }
        let _ = std::fs::remove_file(beside(&place));
        if let Some(bytes) = state {
            std::fs::write(&place, bytes).unwrap();
        }
    }

    /// Checks the project, one of whose managed files differs, with no waiver, with all of them, and with each that
    /// has a finding: a rule without a finding has nothing to waive.
    fn never_ok(&self, case: &str) -> usize {
        let all: BTreeSet<&str> =
            rules::all().filter(|rule| rule.waivable).map(|rule| rule.id).collect();
        assert!(all.len() > 100, "{}", all.len());
        let plain = self.audit(&BTreeSet::new());
        assert!(!plain.is_ok(), "{case}: {:?}", plain.findings);
        let found: BTreeSet<&str> = plain
            .findings
            .iter()
            .map(|finding| finding.rule)
            .filter(|rule| all.contains(rule))
            .collect();
        let mut runs = 1;
        let mut sets = vec![all];
        sets.extend(found.into_iter().map(|rule| BTreeSet::from([rule])));
        for waived in sets {
            runs += 1;
            let report = self.waived(&waived, &plain.findings);
            assert!(!report.is_ok(), "{case}: waived {waived:?}: {:?}", report.findings);
        }
        runs
    }

    fn run(&self) {
        let mut runs = 0;
        let pristine = self.audit(&BTreeSet::new());
        assert!(pristine.is_ok(), "{:?}", pristine.findings);
        for (turn, file) in self.managed.iter().enumerate() {
            let good = std::fs::read(self.project.join(file)).unwrap();
            for (offset, source) in self.sources.iter().enumerate() {
                if source == file {
                    continue;
                }
                let sound = std::fs::read(self.project.join(source)).ok();
                for breakage in
                    BREAKAGES.iter().skip((turn + offset) % self.every).step_by(self.every)
                {
                    let mut edited = good.clone();
                    edited.extend(b"\n# edited\n");
                    std::fs::write(self.project.join(file), edited).unwrap();
                    let case = format!("{file} edited, {source}: {breakage}");
                    if *source == "aos.toml" {
                        let all = rules::all().filter(|rule| rule.waivable).map(|rule| rule.id);
                        let text = format!("{}{}", self.record, waivers(&all.collect(), &[]));
                        std::fs::write(self.project.join(source), text).unwrap();
                        break_file(&self.project.join(source), breakage);
                        let report = self.verdict();
                        assert!(!report.is_ok(), "{case}: {:?}", report.findings);
                        runs += 1;
                    } else {
                        break_file(&self.project.join(source), breakage);
                        runs += self.never_ok(&case);
                    }
                    let answer = self.sandbox.aos_in(&self.project, &["gen", "--check"]);
                    assert_ne!(answer.exit, Some(0), "{case}: {answer:?}");
                    if runs % 7 == 0 {
                        let answer = self.sandbox.aos_in(&self.project, &["check"]);
                        assert_eq!(answer.exit, Some(6), "{case}: {answer:?}");
                    }
                    self.restore(source, sound.as_deref());
                    self.restore("aos.toml", Some(self.record.as_bytes()));
                }
            }
            self.restore(file, Some(&good));
            for change in ["edited", "missing", "a directory", "a link", "empty"] {
                match change {
                    "edited" => disk::append(&self.project.join(file), "\n# edited\n"),
                    other => break_file(&self.project.join(file), other),
                }
                runs += self.never_ok(&format!("{file}: {change}"));
                let answer = self.sandbox.aos_in(&self.project, &["gen", "--check"]);
                assert_ne!(answer.exit, Some(0), "{file}: {change}: {answer:?}");
                self.restore(file, Some(&good));
            }
        }
        assert!(self.audit(&BTreeSet::new()).is_ok(), "everything was put back");
        assert!(runs > 100, "{runs}");
    }
}

#[test]
fn no_waiver_hides_drift_in_a_connector() {
    Scene::new("connector-python").run();
}

#[test]
fn no_waiver_hides_drift_in_a_python_cli() {
    Scene::new("cli-python").run();
}

#[test]
fn no_waiver_hides_drift_in_a_go_cli() {
    Scene::new("cli-go").run();
}

#[test]
fn check_and_gen_check_agree_while_only_a_source_is_broken() {
    for template in ["connector-python", "cli-python", "cli-go"] {
        let scene = Scene::new(template);
        for source in &scene.sources {
            let sound = std::fs::read(scene.project.join(source)).ok();
            for breakage in BREAKAGES {
                break_file(&scene.project.join(source), breakage);
                let check = scene.sandbox.aos_in(&scene.project, &["check"]);
                let generated = scene.sandbox.aos_in(&scene.project, &["gen", "--check"]);
                let (check, generated) = (check.exit == Some(0), generated.exit == Some(0));
                assert_eq!(check, generated, "{template} {source}: {breakage}");
                scene.restore(source, sound.as_deref());
            }
        }
    }
}

#[test]
fn a_waiver_of_a_broken_manifest_is_an_error_and_the_files_are_named() {
    let scene = Scene::new("connector-python");
    for rule in
        ["manifest/encoding", "manifest/syntax", "manifest/missing", "manifest/duplicate-key"]
    {
        break_file(&scene.project.join("connector.json"), "byte order mark");
        disk::append(&scene.project.join("agent-harness/aos_acme/contract_gen.py"), "MODES = ()\n");
        let report = scene.audit(&BTreeSet::from([rule]));
        let found: Vec<_> = report.findings.iter().map(|finding| finding.rule).collect();
        for expected in
            ["waiver/unknown-rule", "manifest/encoding", "drift/stale", "project/not-compared"]
        {
            assert!(found.contains(&expected), "{rule}: {expected}: {found:?}");
        }
        let names = report.findings.iter().find(|finding| finding.rule == "project/not-compared");
        assert!(names.unwrap().message.contains("agent-harness/aos_acme/contract_gen.py"));
        assert!(report.waived.is_empty());
        scene.restore("connector.json", None);
        let fresh = Scene::new("connector-python");
        for path in ["connector.json", "agent-harness/aos_acme/contract_gen.py"] {
            std::fs::copy(fresh.project.join(path), scene.project.join(path)).unwrap();
        }
    }
}

#[test]
fn a_directory_too_deep_to_read_is_reported_and_cannot_be_waived() {
    for template in ["connector-python", "cli-go"] {
        let scene = Scene::new(template);
        let deep = "d/".repeat(30);
        let place = scene.project.join(deep);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("x.txt"), "x\n").unwrap();
        let all = rules::all().filter(|rule| rule.waivable).map(|rule| rule.id).collect();
        let report = scene.audit(&all);
        assert!(
            report.findings.iter().any(|finding| finding.rule == "project/not-read"),
            "{:?}",
            report.findings
        );
        assert!(!report.is_ok());
    }
}

#[test]
fn a_check_of_one_rule_is_partial_and_never_ok() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let contract = project.join("contract/contract.json");
    let good = std::fs::read(&contract).unwrap();
    disk::append(&contract, " ");
    let call = ["check", "--rule", "drift/shadowed", "--rule", "drift/amended"];
    let data = sandbox.aos_in(&project, &call).data();
    let summary = &data["summary"];
    assert_eq!((&summary["status"], &summary["ok"]), (&"partial".into(), &0.into()));
    assert_eq!((&summary["partial"], &summary["failed"]), (&1.into(), &0.into()));
    assert_eq!(summary["passed_over"]["errors"], 1, "{summary}");
    assert_eq!(summary["only_rules"], serde_json::json!(["drift/shadowed", "drift/amended"]));
    assert_eq!(data["projects"][0]["status"], "partial");
    assert_eq!(data["projects"][0]["passed_over"]["errors"], 1);
    let text = sandbox.aos_in(&project, &[&call[..], &["--format", "text"]].concat()).stdout;
    assert!(text.starts_with("PARTIAL "), "{text}");
    assert!(text.contains("1 error and 0 warnings of other rules"), "{text}");
    assert!(!text.contains("OK"), "{text}");
    let found = ["check", "--rule", "drift/modified"];
    let details = sandbox.aos_in(&project, &found).error("E_DRIFT", 6)["details"].clone();
    assert_eq!(
        (&details["summary"]["status"], &details["summary"]["failed"]),
        (&"failed".into(), &1.into())
    );
    std::fs::write(&contract, good).unwrap();
    let data = sandbox.aos_in(&project, &call).data();
    assert_eq!(data["summary"]["status"], "partial", "the rest was not reported");
    assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["status"], "ok");
}
