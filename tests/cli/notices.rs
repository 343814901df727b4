//! The notice of an update in the response of every command, from the cache alone (agent-cli §3, §14).

use std::time::SystemTime;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, run};

/// A find of the last look, as aos keeps it.
pub fn known(latest: &str, age: i64) -> Value {
    let now = SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_secs();
    let checked_at = i64::try_from(now).expect("a time") - age;
    json!({
        "format": 1,
        "latest": latest,
        "highest": latest,
        "severity": "warning",
        "release_url": "https://github.com/ArgentAIOS/aos/releases/tag/v9.9.9",
        "install_method": "standalone",
        "checked_at": checked_at,
    })
}

pub fn keep(sandbox: &Sandbox, text: &str) {
    let state = sandbox.home().join(".aos");
    std::fs::create_dir_all(&state).expect("a state directory");
    std::fs::write(state.join("update-notice.json"), text).expect("a cache");
}

#[test]
fn a_find_is_in_the_meta_of_every_command() {
    let sandbox = Sandbox::new();
    keep(&sandbox, &known("9.9.9", 60).to_string());
    for arguments in
        [&["context"][..], &["changelog"], &["new", "--list"], &["check"], &["--help", "--json"]]
    {
        let envelope = sandbox.aos(arguments).json();
        let notice = &envelope["meta"]["notices"][0];
        let keys: Vec<_> = notice.as_object().expect("a notice").keys().collect();
        assert_eq!(
            keys,
            [
                "type",
                "severity",
                "current_version",
                "latest_version",
                "install_method",
                "recommended_command",
                "release_url",
                "checked_at",
                "next_steps"
            ],
            "{arguments:?}"
        );
        assert_eq!(notice["type"], "update_available");
        assert_eq!(notice["severity"], "warning");
        assert_eq!(notice["latest_version"], "9.9.9");
        assert_eq!(notice["recommended_command"], "aos update");
    }
    let context = sandbox.aos(&["context"]).data();
    assert_eq!(context["notices"][0]["latest_version"], "9.9.9");
}

#[test]
fn an_old_a_passed_and_a_broken_find_are_not_mentioned() {
    let sandbox = Sandbox::new();
    let broken = ["", "{}", "[1]", "\u{0}", "{\"format\": 1}"].map(str::to_owned);
    let frozen = {
        let mut known = known("9.9.9", 60);
        known["highest"] = json!("9.9.10");
        known.to_string()
    };
    let others = [
        known(env!("CARGO_PKG_VERSION"), 60),
        known("0.0.1", 60),
        known("9.9.9", 15 * 24 * 60 * 60),
        known("9.9.9", -3600),
        known("9.9", 60),
    ];
    let texts = others.iter().map(Value::to_string).chain(broken).chain([frozen]);
    for text in texts {
        keep(&sandbox, &text);
        let envelope = sandbox.aos(&["context"]).json();
        assert!(envelope["meta"].get("notices").is_none(), "{text}: {envelope}");
        assert!(envelope["data"].get("notices").is_none(), "{text}");
    }
}

#[test]
fn a_person_gets_one_line_on_stderr_unless_quiet() {
    let sandbox = Sandbox::new();
    keep(&sandbox, &known("9.9.9", 60).to_string());
    let answer = sandbox.aos(&["context", "--format", "text"]);
    assert_eq!(answer.stderr, "aos 9.9.9 is available: run `aos update`\n");
    assert!(!answer.stdout.contains("9.9.9"));
    assert_eq!(sandbox.aos(&["context", "--format", "text", "--quiet"]).stderr, "");
    assert_eq!(sandbox.aos(&["context"]).stderr, "");
}

// A cache that is a pipe or a link to one must not stop a command.
#[cfg(unix)]
#[test]
fn a_cache_that_is_not_a_file_is_ignored() {
    let sandbox = Sandbox::new();
    let state = sandbox.home().join(".aos");
    std::fs::create_dir_all(state.join("update-notice.json")).expect("a directory in its place");
    sandbox.aos(&["context"]).data();
    std::fs::remove_dir(state.join("update-notice.json")).expect("it was empty");
    std::os::unix::fs::symlink("/dev/zero", state.join("update-notice.json")).expect("a link");
    let envelope = run(&mut sandbox.command(&["context"])).json();
    assert!(envelope["meta"].get("notices").is_none());
}
