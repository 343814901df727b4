//! An update at a terminal shows its progress on stderr, none of it with `--quiet`, and none of it on stdout.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::host::Reply;
use super::setup::{NEWER, RUNNING, Release, Setup, archive_name, asset};
use crate::sandbox::skipped;

/// The terminal output of an update whose stdout goes to a file, and that file; `None` without the program `script`.
fn watched(arguments: &str) -> Option<(String, String)> {
    let setup = Setup::empty();
    setup.good_npx(NEWER);
    let filler = vec![b'#'; 300_000];
    let release = Release::of(NEWER, &[super::setup::program(NEWER), filler].concat());
    setup.publish(&release);
    let slowly = Reply::bytes(&release.archive).in_pieces(5, Duration::from_millis(150));
    setup.host.set(&asset(NEWER, &archive_name(NEWER)), slowly);
    let call = format!("bin/aos update --trusted-root trusted_root.json {arguments} >out");
    let plain = setup.update_command(&[]);
    let mut command = Command::new("script");
    command.args(["-qec", &call, "/dev/null"]).current_dir(setup.sandbox.work());
    command.env_clear().env("TERM", "xterm-256color").stdin(Stdio::null());
    for (name, value) in plain.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    let output = command.output().ok()?;
    let out = std::fs::read_to_string(setup.place("out")).expect("an answer");
    setup.is_clean();
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), out))
}

#[test]
fn progress_is_for_terminals_and_never_on_stdout() {
    let Some((shown, out)) = watched("--json") else {
        skipped("progress_is_for_terminals_and_never_on_stdout", "`script` is not installed");
        return;
    };
    assert!(shown.contains("aos update") || shown.contains("downloading"), "{shown:?}");
    let answer: serde_json::Value = serde_json::from_str(&out).expect("one document and no more");
    assert_eq!(answer["data"]["status"], "updated");
    assert!(!out.contains('\u{1b}'), "{out}");
    let (_, out) = watched("--format text").expect("script ran before");
    assert!(out.starts_with(&format!("updated {RUNNING} -> {NEWER}\n")), "{out:?}");
    assert!(!out.contains('\u{1b}') && !out.contains('\r'), "{out:?}");
}

#[test]
fn quiet_is_quiet_on_a_terminal_too() {
    let Some((shown, out)) = watched("--quiet") else {
        skipped("quiet_is_quiet_on_a_terminal_too", "`script` is not installed");
        return;
    };
    assert_eq!(shown.trim(), "", "something was shown");
    assert!(out.contains("\"status\": \"updated\""), "{out}");
}
