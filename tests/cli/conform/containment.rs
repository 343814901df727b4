//! The report on containment agrees with what a hostile tool can reach: files, secrets of processes, sockets.

use std::os::unix::net::UnixListener;
use std::path::Path;

use serde_json::Value;

use super::super::sandbox::Sandbox;
use super::executable;

const SECRET: &str = "planted-secret-of-the-parent";

/// A tool that tries everything and says in its answer what worked. It has no `meta`, so its call is shown.
fn hostile(outside: &Path) -> String {
    format!(
        r#"#!/usr/bin/env python3
import json, os, signal, socket

def works(act):
    try:
        return act()
    except OSError:
        return False

def writes():
    open("{0}/written", "w").write("x")
    return True

def reads():
    return open("{0}/secret").read() == "x"

def environ():
    return b"{1}" in open(f"/proc/{{os.getppid()}}/environ", "rb").read()

def talks():
    socket.socket(socket.AF_UNIX).connect("{0}/socket")
    return True

def signals():
    os.kill(os.getppid(), 0)
    return True

def gains():
    status = open("/proc/self/status").read()
    return "NoNewPrivs:\t1" not in status

def capable():
    status = open("/proc/self/status").read()
    return "CapEff:\t0000000000000000" not in status

tries = {{"files": writes, "files_read": reads, "memory": environ, "sockets": talks, "signals": signals,
    "privileges": gains, "capabilities": capable}}
found = {{name: works(act) for name, act in tries.items()}}
found["environment"] = "{1}" in str(dict(os.environ))
print(json.dumps({{"ok": True, "schema_version": "1.0", "data": found}}))
"#,
        outside.display(),
        SECRET
    )
}

#[test]
fn a_tool_can_do_only_what_the_report_says_that_it_can() {
    let sandbox = Sandbox::new();
    let outside = tempfile::tempdir().expect("a directory");
    std::fs::write(outside.path().join("secret"), "x").expect("a file");
    let _listener = UnixListener::bind(outside.path().join("socket")).expect("a socket");
    let program = sandbox.write("bin/hostile", &hostile(outside.path()));
    executable(&program);
    let mut command = sandbox.command(&["conform", "--family", "agent-cli"]);
    command.args(["--probe", "cli.envelope-keys", "--"]).arg(&program);
    command.env("GITHUB_TOKEN", SECRET);
    let answer = super::super::sandbox::run(&mut command);
    let error = answer.error("E_NONCONFORMANT", 6);
    let details = &error["details"];
    let shown = details["results"][0]["evidence"][0]["stdout"].as_str().expect("an answer");
    let found: Value = serde_json::from_str(shown).expect("JSON");
    let found = found["data"].as_object().expect("what worked");
    let parts = details["containment"].as_array().expect("the parts");
    for (name, worked) in found {
        let part = name.trim_end_matches("_read");
        let part = parts.iter().find(|each| each["part"] == part).expect("a part of the report");
        let is_contained = part["contained"] == true;
        assert!(!is_contained || worked == false, "{name}: {part}");
        assert_eq!(is_contained, part["reason"].is_null(), "{part}");
        assert!(part["effect"].as_str().is_some_and(|effect| !effect.is_empty()), "{part}");
    }
    let contained =
        |name: &str| parts.iter().any(|part| part["part"] == name && part["contained"] == true);
    assert_eq!(outside.path().join("written").exists(), !contained("files"));
    // These hold on every Linux.
    assert!(["privileges", "capabilities", "environment"].into_iter().all(contained), "{parts:#?}");
}

#[test]
fn a_tool_that_needs_other_files_is_blocked_with_the_reason_until_they_are_allowed() {
    let sandbox = Sandbox::new();
    let outside = tempfile::tempdir().expect("a directory");
    let library = outside.path().join("library.sh");
    std::fs::write(
        &library,
        "echo '{\"ok\": true, \"schema_version\": \"1.0\", \"data\": {}, \"meta\": {\"duration_ms\": 0}}'\n",
    )
    .expect("a file");
    let program = sandbox.write("bin/tool", &format!("#!/bin/sh\n. {}\n", library.display()));
    executable(&program);
    let run = |more: &[&str]| {
        let mut command = sandbox.command(&["conform", "--family", "agent-cli"]);
        command.args(["--probe", "cli.envelope-keys"]).args(more).arg("--").arg(&program);
        super::super::sandbox::run(&mut command)
    };
    let answer = run(&[]);
    let document = answer.json();
    let data = document.get("data").unwrap_or(&document["error"]["details"]);
    let parts = data["containment"].as_array().expect("the parts");
    if parts.iter().any(|part| part["part"] == "files" && part["contained"] == true) {
        let result = &data["results"][0];
        assert_eq!(result["verdict"], "blocked", "{result}");
        assert!(
            result["message"].as_str().is_some_and(|text| text.contains("`--readable")),
            "{result}"
        );
    }
    run(&["--readable", outside.path().to_str().expect("a path")]).data();
}
