//! `aos check` and the records of a project: aos.toml, pin, lock, waivers. What cannot be compared is never in order.

use std::path::PathBuf;

use serde_json::Value;

use super::check_drift::findings;
use super::disk;
use super::sandbox::Sandbox;

fn scene() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    (sandbox, project)
}

#[track_caller]
fn has_rule(findings: &[Value], rule: &str) -> Value {
    let found = findings.iter().find(|finding| finding["rule"] == rule);
    found.unwrap_or_else(|| panic!("no {rule}: {findings:#?}")).clone()
}

#[test]
fn a_lock_of_another_version_is_named_and_not_called_a_bug() {
    let (sandbox, project) = scene();
    let lock = disk::read(&project.join(".agent/spec.lock"));
    for version in ["2", "0", "-1", "99999"] {
        let text = lock.replacen("version = 1", &format!("version = {version}\nnew_member = 1"), 1);
        std::fs::write(project.join(".agent/spec.lock"), text).unwrap();
        let finding = has_rule(&findings(&sandbox, &project), "lock/malformed");
        let message = finding["message"].as_str().unwrap();
        assert!(message.contains(&format!("version {version}")), "{message}");
        assert!(finding["fix"].as_str().unwrap().contains("update aos"), "{finding}");
    }
}

#[test]
fn a_lock_with_false_entries_is_found() {
    let (sandbox, project) = scene();
    let path = project.join(".agent/spec.lock");
    let lock = disk::read(&path);
    let zeros = "0".repeat(64);
    let digest = lock.split("sha256:").nth(1).unwrap()[..64].to_owned();
    for text in [
        lock.replace(&digest, &zeros),
        lock.replace("tag = \"v1.1.0\"", "tag = \"v1.0.0\""),
        lock.replace("\"harness\"", "\"agent-cli\""),
        lock.lines().filter(|line| !line.contains("permissions")).collect::<Vec<_>>().join("\n"),
        format!("{lock}\"more.txt\" = \"sha256:{zeros}\"\n"),
        String::new(),
        "not toml [".to_owned(),
        lock.replace("sha256:", "md5:"),
        lock.replace("contract/contract.json", "../contract.json"),
        format!("\u{feff}{lock}"),
    ] {
        assert_ne!(text, lock);
        std::fs::write(&path, &text).unwrap();
        let found = findings(&sandbox, &project);
        let named = found.iter().any(|finding| {
            let rule = finding["rule"].as_str().unwrap();
            rule.starts_with("lock/") || rule == "pin/moved"
        });
        assert!(named, "{text}\n{found:#?}");
    }
}

#[test]
fn a_record_that_cannot_be_read_leaves_nothing_unchecked() {
    let (sandbox, project) = scene();
    let record = disk::read(&project.join("aos.toml"));
    for (text, word) in [
        (String::new(), "family"),
        (record.replace("harness", "harnes"), "harnes"),
        (format!("surprise = 1\n{record}"), "surprise"),
        (record.replace("\"embedded\"", "\"https://example.com\""), "spec.source"),
        (record.replace("source = \"embedded\"", "trust = \"all\""), "spec.trust"),
        (record.replace("[spec]", "[spec"), "line"),
        (format!("{record}[[waivers]]\nrule = \"layout/license\"\n"), "reason"),
        (format!("{record}[[waivers]]\nrule = \"layout/license\"\nreason = \"  \"\n"), "reason"),
        (
            format!(
                "{record}[[waivers]]\nrule = \"layout/license\"\nreason = \"x\"\nexpires = \"soon\"\n"
            ),
            "YYYY-MM-DD",
        ),
        (format!("\u{feff}{record}"), "byte order mark"),
    ] {
        std::fs::write(project.join("aos.toml"), text).unwrap();
        let finding = has_rule(&findings(&sandbox, &project), "project/record");
        assert!(finding["message"].as_str().unwrap().contains(word), "{word}: {finding}");
        let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_CONFIG", 4);
        assert!(error["message"].as_str().unwrap().contains(word), "{word}: {error}");
    }
}

#[test]
fn a_check_that_would_compare_nothing_fails() {
    let (sandbox, project) = scene();
    std::fs::remove_dir_all(project.join(".agent")).unwrap();
    std::fs::remove_dir_all(project.join("contract")).unwrap();
    let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert_eq!(drift["details"]["summary"]["compared"], 0);
    std::fs::create_dir(sandbox.work().join("empty")).unwrap();
    sandbox.aos(&["check", "empty"]).error("E_NOT_FOUND", 3);
    sandbox.write("bare/aos.toml", "family = \"harness\"\n");
    let drift = sandbox.aos(&["check", "bare"]).error("E_DRIFT", 6);
    assert_eq!(drift["details"]["summary"]["compared"], 0);
}

#[test]
fn a_rule_filter_reports_only_that_rule_and_must_name_one_that_exists() {
    let (sandbox, project) = scene();
    disk::append(&project.join("contract/contract.json"), " ");
    std::fs::remove_file(project.join("agent-harness/permissions.json")).unwrap();
    let drift =
        sandbox.aos_in(&project, &["check", "--rule", "drift/modified"]).error("E_DRIFT", 6);
    assert_eq!(
        drift["details"]["summary"]["by_rule"],
        serde_json::json!([{"rule": "drift/modified", "count": 1}])
    );
    assert_eq!(drift["details"]["summary"]["only_rules"], serde_json::json!(["drift/modified"]));
    let data = sandbox.aos_in(&project, &["check", "--rule", "pin/malformed"]).data();
    assert_eq!(data["summary"]["only_rules"], serde_json::json!(["pin/malformed"]));
    let error =
        sandbox.aos_in(&project, &["check", "--rule", "drift/modifed"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "did you mean `drift/modified`?");
}

#[test]
fn explain_describes_every_rule() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["check", "--explain", "all", "--all"]).data();
    let rules = data["rules"].as_array().unwrap();
    assert!(rules.len() > 60, "{}", rules.len());
    let mut ids = Vec::new();
    for rule in rules {
        for member in ["rule", "severity", "summary", "why", "fix", "source"] {
            assert!(rule[member].as_str().is_some_and(|text| !text.is_empty()), "{rule}");
        }
        ids.push(rule["rule"].as_str().unwrap());
    }
    let one = sandbox.aos(&["check", "--explain", ids[0]]).data();
    assert_eq!(one["rules"][0], rules[0]);
    let topic = sandbox.aos(&["check", "--explain", "drift"]).data();
    let of_topic = ids.iter().filter(|id| id.starts_with("drift/")).count();
    assert!(of_topic > 1 && topic["rules"].as_array().unwrap().len() == of_topic, "{topic}");
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "two rules with one id");
    let error = sandbox.aos(&["check", "--explain", "drift/modifed"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "did you mean `drift/modified`?");
    assert!(error["details"]["known_rules"].as_array().unwrap().len() == count);
}

/// A project with one finding of a rule that may be waived.
fn with_finding() -> (Sandbox, PathBuf, String, String) {
    let (sandbox, project) = scene();
    std::fs::remove_file(project.join(".github/workflows/ci.yml")).unwrap();
    std::fs::remove_file(project.join("LICENSE")).unwrap();
    std::fs::remove_file(project.join("README.md")).unwrap();
    let answer = sandbox.aos_in(&project, &["check"]).json();
    let part = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    let finding = part["projects"][0]["findings"][0].clone();
    assert!(finding.is_object(), "no rule misses these files: {answer}");
    let text = |member: &str| finding[member].as_str().unwrap().to_owned();
    let (rule, path) = (text("rule"), text("path"));
    (sandbox, project, rule, path)
}

fn waive(project: &std::path::Path, rule: &str, more: &str) {
    disk::append(
        &project.join("aos.toml"),
        &format!("\n[[waivers]]\nrule = \"{rule}\"\nreason = \"agreed with Ann\"\n{more}\n"),
    );
}

fn report(sandbox: &Sandbox, project: &std::path::Path) -> Value {
    let answer = sandbox.aos_in(project, &["check"]).json();
    let part = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    part["projects"][0].clone()
}

fn rules_of(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_waiver_with_a_reason_takes_its_finding_out_and_is_reported() {
    let (sandbox, project, rule, path) = with_finding();
    waive(&project, &rule, &format!("path = \"{path}\"\nexpires = 2999-12-31"));
    let report = report(&sandbox, &project);
    assert!(
        !rules_of(&report).contains(&rule) || report["findings"][0]["path"] != path.as_str(),
        "{report}"
    );
    assert_eq!(report["waived"][0]["rule"], rule.as_str());
    assert_eq!(report["waived"][0]["reason"], "agreed with Ann");
    assert_eq!(report["waived"][0]["expires"], "2999-12-31");
}

#[test]
fn an_expired_waiver_waives_nothing_and_is_an_error() {
    let (sandbox, project, rule, _) = with_finding();
    waive(&project, &rule, "expires = \"2020-01-31\"");
    let rules = rules_of(&report(&sandbox, &project));
    assert!(rules.contains(&rule) && rules.contains(&"waiver/expired".to_owned()), "{rules:?}");
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
}

#[test]
fn a_waiver_without_a_finding_is_a_warning() {
    let (sandbox, project) = scene();
    let (_, _, rule, path) = with_finding();
    waive(&project, &rule, &format!("path = \"{path}\""));
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["projects"][0]["findings"][0]["rule"], "waiver/unused");
    assert_eq!(verdict["summary"]["warnings"], 1);
}

#[test]
fn a_waiver_without_a_path_accepts_nothing_and_names_the_paths() {
    let (sandbox, project, rule, path) = with_finding();
    waive(&project, &rule, "");
    let whole = report(&sandbox, &project);
    let rules = rules_of(&whole);
    assert!(
        rules.contains(&rule) && rules.contains(&"waiver/without-path".to_owned()),
        "{rules:?}"
    );
    assert_eq!(whole["waived"].as_array().unwrap().len(), 0);
    let findings = whole["findings"].as_array().unwrap();
    let finding = findings.iter().find(|found| found["rule"] == "waiver/without-path").unwrap();
    assert!(finding["message"].as_str().unwrap().contains(&format!("`{path}`")), "{finding}");
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
}

#[test]
fn a_waiver_accepts_as_many_findings_as_it_says_and_no_later_ones() {
    let (sandbox, project) = scene();
    let (rule, path) = ("secrets/committed", "notes.txt");
    let uses = |count: usize| {
        let token = |number| format!("gh{}canary{number}0123456789abcdef0123456789ab\n", "p_");
        let text: String = (0..count).map(token).collect();
        std::fs::write(project.join(path), text).unwrap();
    };
    uses(1);
    let record = disk::read(&project.join("aos.toml"));
    let with = |more: &str| {
        std::fs::write(project.join("aos.toml"), &record).unwrap();
        waive(&project, rule, &format!("path = \"{path}\"\n{more}"));
        report(&sandbox, &project)
    };
    assert_eq!(with("")["waived"].as_array().unwrap().len(), 1);
    uses(2);
    let later = with("");
    let rules = rules_of(&later);
    for expected in ["waiver/exceeded", rule] {
        assert!(rules.contains(&expected.to_owned()), "{expected}: {later}");
    }
    let both = with("count = 2");
    assert_eq!(both["waived"].as_array().unwrap().len(), 2, "{both}");
    assert!(!rules_of(&both).iter().any(|rule| rule.starts_with("waiver/")), "{both}");
    let fewer = with("count = 3");
    assert!(rules_of(&fewer).contains(&"waiver/unused".to_owned()), "{fewer}");
    let none = with("count = 0");
    assert!(rules_of(&none).contains(&"project/record".to_owned()), "{none}");
}

#[test]
fn rules_that_protect_the_check_cannot_be_waived() {
    for rule in [
        "drift/modified",
        "pin/moved",
        "lock/stale",
        "project/record",
        "waiver/expired",
        "no/such-rule",
    ] {
        let (sandbox, project) = scene();
        disk::append(&project.join("contract/contract.json"), " ");
        waive(&project, rule, "");
        let rules = rules_of(&report(&sandbox, &project));
        assert!(rules.contains(&"waiver/unknown-rule".to_owned()), "{rule}: {rules:?}");
        assert!(rules.contains(&"drift/modified".to_owned()), "{rule}: {rules:?}");
        sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    }
}
