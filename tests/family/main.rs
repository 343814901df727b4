//! A family that the product does not have, added as a folder and a line: `new`, `check`, `gen` and `conform` with it.
//!
//! The program of this test is aos with one family more: with arguments it is aos, without it runs the tests.

#![expect(clippy::disallowed_methods, reason = "the test looks at the disk and starts programs")]
#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod minimal;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;

/// Set for a run of this program that is one of aos.
const IS_AOS: &str = "AOS_TEST_IS_AOS";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let is_helper = arguments.get(1).is_some_and(|word| word == KEEPER);
    if is_helper || std::env::var_os(IS_AOS).is_some() {
        minimal::install();
        return ExitCode::from(aos::run::main(arguments));
    }
    if cfg!(unix) {
        a_family_is_a_folder_a_line_and_a_contract();
    }
    ExitCode::SUCCESS
}

/// The argument with which aos starts itself to clean up after a run.
const KEEPER: &str = aos::system::keeper::ARGUMENT;

/// One run of aos: the envelope and the exit code.
fn aos(directory: &Path, arguments: &[&str]) -> (Value, Option<i32>) {
    let home = directory.parent().expect("a parent").join("home");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env(IS_AOS, "1")
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("AOS_OFFLINE", "1")
        .env("AOS_TEST_TEMPLATES", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/family/templates"))
        .output()
        .expect("a run of aos");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let envelope = serde_json::from_str(&stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {stdout}\n{output:?}"));
    (envelope, output.status.code())
}

#[track_caller]
fn succeeds(directory: &Path, arguments: &[&str]) -> Value {
    let (envelope, exit) = aos(directory, arguments);
    assert_eq!(exit, Some(0), "{arguments:?}: {envelope:#}");
    envelope["data"].clone()
}

#[track_caller]
fn fails(directory: &Path, arguments: &[&str], says: &str) {
    let (envelope, exit) = aos(directory, arguments);
    assert_ne!(exit, Some(0), "{arguments:?}: {envelope:#}");
    assert!(envelope.to_string().contains(says), "{says}: {envelope:#}");
}

fn a_family_is_a_folder_a_line_and_a_contract() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let work = place.path().join("work");
    std::fs::create_dir(&work).expect("a work directory");
    std::fs::create_dir(place.path().join("home")).expect("a home");

    succeeds(&work, &["new", "demo", "--template", "minimal", "--no-git"]);
    let project = work.join("demo");
    let words = project.join("words.txt");
    let read = || std::fs::read_to_string(&words).expect("words.txt");
    let generated = read();
    assert!(generated.ends_with("hello\nworld\n"), "{generated}");
    assert!(project.join(".agent/MINIMAL-SPEC.md").is_file());

    succeeds(&project, &["check"]);
    succeeds(&project, &["gen", "--check"]);
    succeeds(&project, &["conform"]);

    std::fs::write(&words, generated.replace("world", "moon")).expect("words.txt");
    fails(&project, &["check"], "words.txt");
    std::fs::remove_file(&words).expect("words.txt");
    succeeds(&project, &["gen"]);
    assert_eq!(read(), generated);

    let readme = project.join("README.md");
    std::fs::remove_file(&readme).expect("README.md");
    fails(&project, &["check"], "minimal/readme");
    std::fs::write(readme, "# demo\n").expect("README.md");
    succeeds(&project, &["check"]);

    let program = project.join("bin/demo");
    std::fs::write(&program, "#!/bin/sh\necho '{\"ok\": false}'\n").expect("the program");
    fails(&project, &["conform"], "minimal.hello");
}
