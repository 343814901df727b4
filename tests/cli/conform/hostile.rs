//! Tools that do everything wrong: nothing hangs, no child stays, the report stays bounded.

use std::time::{Duration, Instant};

use super::super::sandbox::Sandbox;
use super::executable;

const TOOLS: [(&str, &str); 7] = [
    ("endless", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"),
    (
        "children",
        "for i in 1 2 3 4 5 6 7 8; do (setsid sleep 7417 &) ; sleep 7417 & done; echo '{}'",
    ),
    ("stubborn", "trap '' TERM INT; while :; do sleep 1; done"),
    ("not-utf8", "printf '\\377\\376\\000\\200'"),
    ("large", "head -c 100000000 /dev/zero"),
    ("closes", "exec 1>&- 2>&-; sleep 7417"),
    ("silent", "exit 0"),
];

#[test]
fn a_hostile_tool_cannot_hang_the_run_or_leave_a_process() {
    for (name, script) in TOOLS {
        let sandbox = Sandbox::new();
        let tool = sandbox.write(name, &format!("#!/bin/sh\n{script}\n"));
        executable(&tool);
        let started = Instant::now();
        let probe = [
            "conform",
            "--family",
            "harness",
            "--probe",
            "harness.one-document",
            "--",
            tool.to_str().unwrap(),
        ];
        let answer = sandbox.aos(&probe);
        answer.error("E_NONCONFORMANT", 6);
        assert!(started.elapsed() < Duration::from_secs(90), "{name}");
        assert!(answer.stdout.len() < 100_000, "{name}: {} bytes", answer.stdout.len());
        let left = std::process::Command::new("pgrep").args(["-f", "sleep 7417"]).output().unwrap();
        assert!(left.stdout.is_empty(), "{name} left {:?}", String::from_utf8_lossy(&left.stdout));
    }
}

#[test]
fn a_program_without_a_useful_response_passes_no_probe() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("mute", "#!/bin/sh\necho '{}'\n"),
        ("empty", "#!/bin/sh\nexit 0\n"),
        ("absent", "#!/nonexistent/interpreter\n"),
        ("plain", "#!/bin/sh\necho '{\"status\": \"ok\"}'\n"),
    ] {
        let path = sandbox.write(&format!("{name}/tool"), text);
        executable(&path);
        for family in ["harness", "agent-cli"] {
            let program = path.to_str().expect("a path");
            let answer = sandbox.aos(&["conform", "--family", family, "--", program]);
            let error = answer.error("E_NONCONFORMANT", 6);
            assert_eq!(error["details"]["summary"]["pass"], 0, "{name} {family}");
        }
    }
}
