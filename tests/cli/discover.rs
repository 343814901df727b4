//! `aos discover` against connectors of shell scripts: roots, precedence, what is read, every install state.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::sandbox::{Sandbox, run};

const HEALTHY: &str = r#"{"ok":true,"data":{"status":"healthy"}}"#;
const CAPABILITIES: &str = r#"{"ok":true,"data":{"commands":[]}}"#;

/// A connector whose program answers the two probes with these shell commands.
fn connector(root: &Path, name: &str, capabilities: &str, health: &str) -> PathBuf {
    let directory = root.join(name);
    write(
        &directory.join("connector.json"),
        r#"{"connector":{"label":"X"},"auth":{"service_keys":["X_KEY"]},"commands":[{"id":"a.b"},{"id":"health"}]}"#,
    );
    write(
        &directory.join("agent-harness/pyproject.toml"),
        "[project]\nname = \"x\"\nversion = \"1.0.0\"\n\n[build-system]\n",
    );
    let script = format!(
        "#!/bin/sh\ntest \"$1\" = --json || exit 9\ncase $2 in\ncapabilities) {capabilities} ;;\nhealth) {health} ;;\nesac\n"
    );
    program(&directory.join("agent-harness/bin").join(name), &script);
    directory
}

fn program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    write(path, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    std::fs::write(path, text).expect("a file");
}

fn say(text: &str) -> String {
    format!("echo '{text}'")
}

fn discover(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    sandbox.aos(&[&["discover"][..], arguments].concat()).data()
}

/// State, promised state and reason of each tool.
fn verdicts(data: &Value) -> Vec<(String, String, String, String)> {
    let tools = data["tools"].as_array().expect("details");
    let text = |tool: &Value, name: &str| tool[name].as_str().expect(name).to_owned();
    let verdict = |tool: &Value| {
        (text(tool, "name"), text(tool, "state"), text(tool, "promised"), text(tool, "reason"))
    };
    tools.iter().map(verdict).collect()
}

#[test]
fn every_install_state_is_that_of_the_host_beside_that_of_its_document() {
    let sandbox = Sandbox::new();
    let root = sandbox.work().join("root");
    let health = |status: &str| say(&format!(r#"{{"ok":true,"data":{{"status":"{status}"}}}}"#));
    let good = say(CAPABILITIES);
    let rows: [(&str, &str, &str, [&str; 3]); 17] = [
        ("aos-bad-exit", "echo no >&2; exit 3", "", ["error", "error", "capabilities_failed"]),
        (
            "aos-bare",
            &say(r#"{"commands":[]}"#),
            &say(r#"{"status":"OK"}"#),
            ["ready", "error", "health_ok"],
        ),
        ("aos-degraded", &good, &health("degraded"), ["needs-setup", "needs-setup", "degraded"]),
        ("aos-empty", "true", "", ["error", "error", "capabilities_not_json"]),
        ("aos-error", &good, &health("error"), ["needs-setup", "error", "health_error"]),
        ("aos-exits", &good, "echo '{}'; exit 4", ["needs-setup", "error", "health_failed"]),
        (
            "aos-flood",
            "head -c 1000001 /dev/zero | tr '\\0' ' '",
            "",
            ["error", "error", "capabilities_too_large"],
        ),
        ("aos-good", &good, &say(HEALTHY), ["ready", "ready", "healthy"]),
        ("aos-hangs", "sleep 60", "", ["error", "error", "capabilities_timed_out"]),
        ("aos-list", &say("[]"), &health("Healthy"), ["ready", "ready", "healthy"]),
        ("aos-mute", &good, "true", ["needs-setup", "error", "health_not_json"]),
        ("aos-needs", &good, &health("needs_setup"), ["needs-setup", "needs-setup", "needs_setup"]),
        (
            "aos-no-status",
            &good,
            &say(r#"{"ok":false,"error":{}}"#),
            ["ready", "error", "no_status"],
        ),
        (
            "aos-noisy",
            &format!("echo log; {good}"),
            "",
            ["error", "error", "capabilities_not_json"],
        ),
        ("aos-null", &say("null"), &say("null"), ["ready", "error", "no_status"]),
        ("aos-odd", &good, &health("ready"), ["needs-setup", "error", "unknown_status"]),
        ("aos-slow", &good, "sleep 60", ["needs-setup", "error", "health_timed_out"]),
    ];
    for (name, capabilities, health, _) in &rows {
        connector(&root, name, capabilities, health);
    }
    write(&root.join("aos-bare-repo/connector.json"), "{}");
    let dead = connector(&root, "aos-z-dead", "", "");
    program(&dead.join("agent-harness/bin/aos-z-dead"), "#!/nowhere/python\n");
    let data = discover(&sandbox, &["root", "--details"]);
    let found = verdicts(&data);
    for (name, .., [state, promised, reason]) in rows {
        let wanted = (name.to_owned(), state.to_owned(), promised.to_owned(), reason.to_owned());
        assert!(found.contains(&wanted), "{wanted:?} in {found:#?}");
    }
    assert!(found.iter().any(|row| row.0 == "aos-bare-repo" && row.3 == "no_harness"));
    let dead = data["tools"].as_array().expect("tools").last().expect("one");
    assert_eq!(dead["reason"], "not_started");
    assert!(dead["detail"].as_str().expect("why").contains("/nowhere/python"), "{dead}");
    assert_eq!(data["summary"]["tools"], 19);
    assert_eq!(data["summary"]["ready"], 5);
}

#[test]
fn roots_of_the_host_win_in_their_order_and_path_wins_over_the_directory() {
    let sandbox = Sandbox::new();
    let good = |root: &Path, name: &str| connector(root, name, &say(CAPABILITIES), &say(HEALTHY));
    let named = sandbox.work().join("named");
    let home = sandbox.home().join(".argentos/connectors");
    let vendored = sandbox.work().join("tools/aos");
    for root in [&named, &home, &vendored] {
        good(root, "aos-both");
    }
    good(&home, "aos-home");
    good(&vendored, "aos-vendored");
    let bin = sandbox.work().join("bin");
    program(&bin.join("aos-home"), &format!("#!/bin/sh\necho '{HEALTHY}'\n"));
    program(&bin.join("aos-alone"), &format!("#!/bin/sh\necho '{HEALTHY}'\n"));
    let mut command = sandbox.command(&["discover", "--details"]);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    command.env("PATH", path).env("ARGENT_CONNECTOR_REPOS", "named, ");
    let data = run(&mut command).data();
    let tools = data["tools"].as_array().expect("tools");
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect(name);
    assert_eq!(tool("aos-both")["source"], "ARGENT_CONNECTOR_REPOS");
    assert_eq!(tool("aos-home")["source"], "~/.argentos/connectors");
    assert_eq!(tool("aos-vendored")["source"], "./tools/aos");
    assert_eq!(tool("aos-alone")["source"], "PATH");
    let program = tool("aos-home")["program"].as_str().expect("a program");
    assert!(program.ends_with("/bin/aos-home") && !program.contains("agent-harness"), "{program}");
    let warning = tool("aos-home")["warnings"][0].as_str().expect("a warning");
    assert!(warning.starts_with("the host looks on PATH first"), "{warning}");
    let shadowed = data["passed_over"].as_array().expect("a list");
    assert_eq!(shadowed.iter().filter(|entry| entry["reason"] == "shadowed").count(), 2);
}

#[test]
fn links_misnamed_directories_and_stale_programs_are_explained() {
    let sandbox = Sandbox::new();
    let root = sandbox.work().join("root");
    let says = say(
        r#"{"ok":true,"data":{"tool":"aos-other","version":"0.9.0","commands":[{"id":"a.c"}]}}"#,
    );
    let stale = connector(&root, "aos-stale", &says, &say(HEALTHY));
    std::os::unix::fs::symlink("aos-stale", root.join("aos-link")).expect("a link");
    std::os::unix::fs::symlink(".", root.join("aos-loop")).expect("a link");
    write(&root.join("github/connector.json"), "{}");
    std::os::unix::fs::symlink("/nowhere", stale.join("agent-harness/shims")).expect("a link");
    let data = discover(&sandbox, &["root", "--details"]);
    assert_eq!(data["summary"]["tools"], 1);
    let reasons: Vec<_> = data["passed_over"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["reason"].as_str().expect("a reason"))
        .collect();
    assert_eq!(reasons, ["link", "link", "misnamed"]);
    let warnings = data["tools"][0]["warnings"].to_string();
    for part in ["the program is 0.9.0, the files say 1.0.0", "aos-other", "a.b", "a.c"] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
}

#[test]
fn without_probes_nothing_is_run_and_each_tool_has_its_steps() {
    let sandbox = Sandbox::new();
    let root = sandbox.work().join("root");
    let mark = sandbox.work().join("mark");
    connector(&root, "aos-x", &format!("touch {}", mark.display()), "");
    write(&root.join("aos-y/connector.json"), r#"{"auth":{"service_keys":["Y_KEY"]}}"#);
    write(&root.join("aos-y/agent-harness/pyproject.toml"), "[project]\nname = \"y\"\n");
    let data = discover(&sandbox, &["root", "--no-probe", "--details"]);
    assert!(!mark.exists());
    let found: Vec<_> = verdicts(&data).into_iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(
        found,
        [("aos-x".into(), "not-probed".into()), ("aos-y".into(), "repo-only".into())]
    );
    let steps = data["tools"][1]["steps"].to_string();
    let place = root.canonicalize().expect("a root").join("aos-y/agent-harness");
    let place = place.display();
    let install =
        format!("python3 -m venv {place}/.venv && {place}/.venv/bin/pip install -e {place}");
    assert!(steps.contains(&install) && steps.contains("Y_KEY"), "{steps}");
    // One call is enough: what lacks only its program has a command, and the call for the rest can be run as it is.
    let short = discover(&sandbox, &["root", "--no-probe"]);
    assert_eq!(short["next"], serde_json::json!([install, "aos discover root --tool aos-x"]));
    let one = discover(&sandbox, &["root/aos-y", "--no-probe"]);
    assert_eq!(one["summary"]["tools"], 1);
    let one = discover(&sandbox, &["root", "--no-probe", "--tool", "aos-y"]);
    assert_eq!(one["tools"].as_array().expect("details").len(), 1);
    let error = sandbox.aos(&["discover", "root", "--tool", "aos-z", "--no-probe"]);
    error.error("E_NOT_FOUND", 3);
    let host = sandbox.work().join("host");
    write(&host.join("tools/aos/aos-h/connector.json"), "{}");
    let of_host = discover(&sandbox, &["--host", "host", "--no-probe", "--tool", "aos-h"]);
    assert_eq!(of_host["tools"][0]["source"], "host");
}

#[test]
fn hostile_names_files_and_many_tools_stay_bounded() {
    let sandbox = Sandbox::new();
    let root = sandbox.work().join("root");
    let odd = root.join("aos-\u{1b}[31m\u{202e}x\n::error::y");
    write(&odd.join("connector.json"), &"[".repeat(100_000));
    let huge = root.join("aos-huge/connector.json");
    write(&huge, "");
    std::fs::File::options()
        .write(true)
        .open(&huge)
        .expect("a file")
        .set_len(8 << 30)
        .expect("a length");
    let pipe = root.join("aos-pipe/connector.json");
    std::fs::create_dir_all(pipe.parent().expect("a parent")).expect("a directory");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for number in 0..300 {
        write(&root.join(format!("aos-n{number:03}/connector.json")), "{}");
    }
    let answer = sandbox.aos(&["discover", "root", "--no-probe", "--compact"]);
    assert_eq!(answer.data()["summary"]["tools"], 303);
    assert!(answer.stdout.len() < 4096, "{} bytes", answer.stdout.len());
    assert!(!answer.stdout.contains('\u{202e}'));
    let text = sandbox.aos(&["discover", "root", "--no-probe", "--format", "text", "--details"]);
    assert!(!text.stdout.contains('\u{1b}') && !text.stdout.contains("\n::error"));
    for part in ["is larger than", "not a regular file", "is not JSON"] {
        assert!(text.stdout.contains(part), "{part}");
    }
}

#[test]
fn seventy_connectors_are_run_and_none_times_out_because_of_the_others() {
    let sandbox = Sandbox::new();
    let root = sandbox.work().join("root");
    // Each takes a twentieth of its limit of the processor; all at once would not fit into it on one.
    let busy =
        |text: &str| format!("i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done; {}", say(text));
    for number in 0..70 {
        connector(&root, &format!("aos-n{number:02}"), &busy(CAPABILITIES), &busy(HEALTHY));
    }
    let answer = sandbox.aos(&["discover", "root", "--compact"]);
    assert_eq!(answer.data()["summary"]["ready"], 70, "{}", answer.stdout);
    assert!(answer.stdout.len() < 4096, "{} bytes", answer.stdout.len());
}
