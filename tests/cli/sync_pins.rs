//! The pin is parsed, never interpolated: each way it goes wrong has a verdict of its own.

use super::disk;
use super::sandbox::Sandbox;

/// Bytes of a pin file, and the words that its verdict must contain.
const BAD_PINS: [(&[u8], &str); 22] = [
    (b"", "empty"),
    (b"\n", "empty"),
    (b"  \n", "empty"),
    (b"main\n", "is not a version tag"),
    (b"latest\n", "is not a version tag"),
    (b"HEAD\n", "is not a version tag"),
    (b"--from\n", "is not a version tag"),
    (b"../../attacker/repo/main\n", "is a path, not a tag"),
    (b"v1.1.0/../../x\n", "is a path, not a tag"),
    (b"..\\x\n", "is a path, not a tag"),
    (b"v1.1#\n", "contains `#`"),
    (b"v1.4?x=\n", "contains `?`"),
    (b"v1.1.0%2e\n", "contains `%`"),
    (b"v1.1.0;id\n", "contains `;`"),
    (b"\xef\xbb\xbfv1.1.0\n", "byte order mark"),
    (b"v1.1.0\r\n", "CRLF"),
    (b"v1.1.0\r", "CRLF"),
    (b"v1.1.0 \n", "spaces around"),
    (b"v1.1.0\nv1.0.0\n", "more than one line"),
    (b"v1.1.0\n\n", "more than one line"),
    (b"\xff\xfe\n", "not UTF-8"),
    (b"v1.01.0\n", "not a version"),
];

#[test]
fn each_bad_pin_has_its_own_verdict_in_check_and_sync_spec_and_nothing_changes() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for (bytes, words) in BAD_PINS {
        std::fs::write(project.join(".agent/SPEC_VERSION"), bytes).unwrap();
        let before = disk::state(&project);
        let shown = String::from_utf8_lossy(bytes);
        let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        let findings = drift["details"]["projects"][0]["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["rule"] == "pin/malformed");
        let finding = finding.unwrap_or_else(|| panic!("{shown:?}: {findings:?}"));
        assert!(finding["message"].as_str().unwrap().contains(words), "{shown:?}: {finding}");
        assert_eq!(finding["path"], ".agent/SPEC_VERSION");
        for command in ["sync-spec", "gen"] {
            let answer = sandbox.aos_in(&project, &[command]);
            let error = match command {
                "gen" => answer.error("E_CONFIG", 4),
                _ => answer.error("E_VALIDATION", 2),
            };
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(words), "{command} {shown:?}: {message}");
            assert!(!message.chars().any(char::is_control), "{message:?}");
        }
        assert_eq!(disk::state(&project), before, "{shown:?}");
    }
}

#[test]
fn a_pin_that_no_one_released_is_never_called_in_order() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    for pin in ["v1.2.0", "v0.9", "v99.0.0", "v1.1.0-rc.1"] {
        std::fs::write(project.join(".agent/SPEC_VERSION"), format!("{pin}\n")).unwrap();
        let before = disk::state(&project);
        let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        let rules: Vec<_> = drift["details"]["projects"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["rule"].as_str().unwrap().to_owned())
            .collect();
        assert!(rules.contains(&"pin/unknown".to_owned()), "{pin}: {rules:?}");
        let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_NOT_FOUND", 3);
        assert!(error["message"].as_str().unwrap().contains("v1.0.0, v1.1.0"), "{error}");
        assert_eq!(disk::state(&project), before);
    }
}

#[test]
fn a_bad_pin_is_fixed_by_naming_the_tag_after_a_preview() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = disk::state(&project);
    std::fs::write(project.join(".agent/SPEC_VERSION"), "main\n").unwrap();
    let error = sandbox
        .aos_in(&project, &["sync-spec", "--to", "v1.1.0"])
        .error("E_CONFIRMATION_REQUIRED", 5);
    let token = error["details"]["confirm_token"].as_str().unwrap();
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.1.0", "--confirm", token]).data();
    assert_eq!(disk::state(&project), before);
}

#[test]
fn a_pin_without_final_newline_is_read_but_reported_and_renewed() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join(".agent/SPEC_VERSION"), "v1.1.0").unwrap();
    let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert_eq!(drift["details"]["projects"][0]["findings"][0]["rule"], "pin/malformed");
    assert_eq!(sandbox.aos_in(&project, &["sync-spec"]).data()["status"], "renewed");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_pin_that_is_a_link_or_a_directory_is_not_followed() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let pin = project.join(".agent/SPEC_VERSION");
    std::fs::remove_file(&pin).unwrap();
    let outside = sandbox.write("outside", "v1.0.0\n");
    std::os::unix::fs::symlink(&outside, &pin).unwrap();
    let drift = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert!(drift.to_string().contains("symbolic link"), "{drift}");
    sandbox.aos_in(&project, &["sync-spec"]).error("E_VALIDATION", 2);
    let before = disk::state(&sandbox.work());
    sandbox.aos_in(&project, &["sync-spec", "--to", "v1.0.0"]).error("E_CONFLICT", 6);
    assert_eq!(disk::state(&sandbox.work()), before);
    std::fs::remove_file(&pin).unwrap();
    std::fs::create_dir(&pin).unwrap();
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    sandbox.aos_in(&project, &["sync-spec"]).error("E_VALIDATION", 2);
}
