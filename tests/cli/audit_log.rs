//! The audit log: a line for each attempt of aos to change something, and for nothing else.

use serde_json::Value;

use super::disk;
use super::sandbox::Sandbox;

fn lines(sandbox: &Sandbox) -> Vec<Value> {
    let log = sandbox.home().join(".aos/audit.jsonl");
    if !log.exists() {
        return Vec::new();
    }
    disk::read(&log).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn each_attempt_to_write_is_a_line_and_a_query_is_not() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["new", "--list"]).data();
    sandbox.aos(&["reference"]).data();
    assert!(lines(&sandbox).is_empty());
    let project = sandbox.connector("github");
    sandbox.aos_in(&project, &["check"]).data();
    disk::append(&project.join("agent-harness/aos_github/contract_gen.py"), "# mine\n");
    sandbox.aos_in(&project, &["gen", "--quiet"]).error("E_CONFIRMATION_REQUIRED", 5);
    let preview = sandbox.aos_in(&project, &["gen", "--dry-run", "--format", "json"]).data();
    let token = preview["confirm_token"].as_str().expect("a token").to_owned();
    sandbox.aos_in(&project, &["gen", "--confirm", &token, "--compact"]).data();
    sandbox.aos_in(&project, &["gen", &format!("--confirm={token}")]).error("E_CONFLICT", 6);
    let lines = lines(&sandbox);
    let of = |member: &str| -> Vec<&Value> { lines.iter().map(|line| &line[member]).collect() };
    assert_eq!(of("command"), ["new", "gen", "gen", "gen", "gen"]);
    assert_eq!(of("step"), ["call", "call", "dry_run", "confirm", "confirm"]);
    assert_eq!(of("exit"), [0, 5, 0, 0, 6]);
    assert_eq!(lines[1]["code"], "E_CONFIRMATION_REQUIRED");
    assert_eq!(lines[0]["code"], Value::Null);
    for line in &lines {
        assert!(line["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{line}");
        assert!(line["duration_ms"].is_u64() && line.get("account").is_some(), "{line}");
        assert!(!line.to_string().contains(&token), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn the_log_is_private_bounded_and_never_in_the_way() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    sandbox.connector("github");
    let log = sandbox.home().join(".aos/audit.jsonl");
    let mode = || std::fs::metadata(&log).expect("the log").permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    disk::set_mode(&log, 0o644);
    std::fs::write(&log, vec![b'x'; 5 * 1024 * 1024]).expect("a large log");
    sandbox.aos(&["new", "one", "--no-git"]).data();
    assert_eq!((mode(), lines(&sandbox).len()), (0o600, 1));
    let aside = std::fs::metadata(log.with_extension("jsonl.1")).expect("the older part");
    assert_eq!(aside.len(), 5 * 1024 * 1024);
    // Nobody is made to write somewhere else, and a log that cannot be written stops nothing.
    std::fs::remove_file(&log).expect("the log");
    let elsewhere = sandbox.work().join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, &log).expect("a link");
    let answer = sandbox.aos(&["new", "two", "--no-git"]);
    assert!(answer.stderr.contains("audit log cannot be written"), "{answer:?}");
    answer.data();
    assert!(!elsewhere.exists());
}
