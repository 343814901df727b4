//! A host, a program or a package manager that reports false facts causes no lasting damage.

use serde_json::json;

use super::host::Reply;
use super::setup::{
    CHECKSUMS, LATEST, NEWER, RUNNING, Release, Setup, archive_name, asset, copy, row, run,
};

// Otherwise an attacker who forges one response could stop all later updates.
#[test]
fn a_version_that_nobody_signed_does_not_count_as_seen() {
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let claimed =
        json!({"tag_name": "v99.0.0", "html_url": "https://evil.example/x", "assets": []});
    setup.host.set(LATEST, Reply::json(&claimed));
    let data = run(&mut setup.command(&["doctor"])).data();
    let notice = &data["notices"][0];
    assert_eq!(notice["latest_version"], "99.0.0");
    assert_eq!(
        notice["release_url"], "https://github.com/ArgentAIOS/aos/releases/tag/v99.0.0",
        "what the host says about that is not repeated"
    );
    setup.publish(&Release::new(NEWER));
    assert_eq!(setup.update(&[]).data()["current_version"], NEWER);
}

// A tag without end would push everything else out of the cache.
#[test]
fn a_tag_is_short() {
    let setup = Setup::new();
    setup.update(&["--check"]).data();
    for length in [64, 20_000, 1_000_000] {
        let tag = format!("v0.0.1-{}", "a".repeat(length));
        setup.host.set(LATEST, Reply::json(&json!({"tag_name": tag, "assets": []})));
        let answer = setup.update(&["--check"]);
        answer.error("E_INTEGRITY", 1);
        assert!(answer.stdout.len() < 5000, "{length}");
    }
    let context = run(&mut setup.command(&["context"])).json();
    assert_eq!(context["meta"]["notices"][0]["latest_version"], NEWER, "still known");
}

// A sign-in page is often larger than the file that it replaces.
#[test]
fn a_page_of_any_size_is_a_network_fault() {
    let setup = Setup::new();
    let page = format!("<html>{}</html>", "x".repeat(5000));
    let page = Reply::body(200, &[("content-type", "text/html; charset=utf-8")], page.as_bytes());
    for name in [CHECKSUMS.to_owned(), archive_name(NEWER)] {
        setup.publish(&Release::new(NEWER));
        setup.host.set(&asset(NEWER, &name), page.clone());
        let error = setup.fails(row("download", "E_NETWORK", 7), &[]);
        assert_eq!(error["details"]["cause"], "captive_portal", "{name}");
    }
}

// The fix must not propose a token for a host that never gets it.
#[test]
fn a_fault_of_an_asset_does_not_blame_the_token() {
    let setup = Setup::new();
    for (status, code, exit) in
        [(401, "E_AUTH", 4), (403, "E_FORBIDDEN", 4), (429, "E_RATE_LIMITED", 7)]
    {
        setup.host.set(&asset(NEWER, CHECKSUMS), Reply::status(status));
        let error = setup.fails(row("download", code, exit), &[]);
        let hint = error["details"]["fix"].as_str().expect("a hint");
        assert!(!hint.contains("GITHUB_TOKEN"), "{status}: {hint}");
    }
}

// A program with the name of a leftover file is not removed.
#[test]
fn a_program_with_the_name_of_a_leftover_is_not_removed() {
    let setup = Setup::new();
    let program = setup.place("bin").join(".aos.0123456789abcdef.new");
    copy(&program);
    let mut command =
        setup.command_of(&program, &["update", "--trusted-root", "trusted_root.json"]);
    setup.host.set(&asset(NEWER, &archive_name(NEWER)), Reply::status(500));
    run(&mut command).error("E_SERVER", 7);
    assert!(program.exists());
}

// The output of a program that is started for a check may contain secrets of its environment.
#[cfg(unix)]
#[test]
fn a_program_that_is_tried_cannot_publish_secrets() {
    let setup = Setup::empty();
    for script in
        ["echo \"$MY_PASS $GITHUB_TOKEN\" >&2; exit 1", "echo \"aos $GITHUB_TOKEN $STRIPE_SK\""]
    {
        setup.publish(&Release::of(NEWER, format!("#!/bin/sh\n{script}\n").as_bytes()));
        let mut command = setup.update_command(&[]);
        command
            .env("GITHUB_TOKEN", "ghp_canary0123")
            .env("MY_PASS", "canary-pass")
            .env("STRIPE_SK", "canary-sk");
        let answer = run(&mut command);
        assert_eq!(answer.json()["ok"], false);
        assert!(!answer.stdout.contains("canary"), "{}", answer.stdout);
    }
}

// A clock that is wrong looks like an attack; the hint names it.
#[test]
fn a_signature_of_another_time_asks_for_the_clock() {
    let setup = Setup::empty();
    let mut release = Release::new(NEWER);
    release.signing = release.signing.with(crate::sigstore::Fault::LoggedInFuture);
    setup.publish(&release);
    let error = setup.fails(row("verify_signature", "E_INTEGRITY", 1), &[]);
    let hint = error["details"]["fix"].as_str().expect("a hint");
    assert!(hint.contains("clock") && hint.contains("do not retry"), "{hint}");
}

// The same call again, whatever it was: a look never becomes a change.
#[test]
fn the_call_to_repeat_is_the_one_that_was_made() {
    let setup = Setup::new();
    setup.host.set(LATEST, Reply::status(500));
    let error = setup.fails(row("discover", "E_SERVER", 7), &["--dry-run"]);
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("re-run `aos update --dry-run --trusted-root "), "{message}");
    // AOS_OFFLINE does not pass by itself.
    let mut command = setup.update_command(&[]);
    let error = run(command.env("AOS_OFFLINE", "1")).error("E_NETWORK", 7);
    let message = error["message"].as_str().expect("a message");
    assert!(
        !message.contains("transient") && message.contains(&format!("still on {RUNNING}")),
        "{message}"
    );
}

// Text of a host is shown as it is nowhere.
#[cfg(unix)]
#[test]
fn text_of_a_host_is_escaped_before_it_reaches_a_terminal() {
    let setup = Setup::new();
    let hostile = "v9\u{1b}[2J\n::error file=x::forged\r##[error]x\u{202e}\u{9b}\u{2028}";
    let release =
        json!({"tag_name": hostile, "html_url": hostile, "message": hostile, "assets": []});
    let replies = [
        Reply::json(&release),
        Reply::body(403, &[], hostile.as_bytes()),
        Reply::body(200, &[], hostile.as_bytes()),
    ];
    for reply in replies {
        setup.host.set(LATEST, reply);
        for arguments in [&["update", "--check"][..], &["update"], &["doctor"]] {
            for format in ["text", "json"] {
                let mut command = setup.command(arguments);
                command.env("AOS_FORMAT", format).env("GITHUB_ACTIONS", "1");
                let output = command.output().expect("the binary runs");
                for stream in [&output.stdout, &output.stderr] {
                    crate::hostile_text::assert_fit(&format!("{arguments:?} {format}"), stream);
                    crate::hostile_text::assert_no_command("a host", stream);
                }
            }
        }
    }
}
