//! The message when something cannot be run has the cause in words, and where to look.

use std::process::Command;

use serde_json::Value;

use super::super::sandbox::{Sandbox, run};
use super::{connector, executable, with_verdict};

/// The one message of a run over a program with these bytes.
fn of_program(bytes: &[u8], probe: &str) -> String {
    let sandbox = Sandbox::new();
    let path = sandbox.write("tool", "");
    std::fs::write(&path, bytes).expect("a program");
    executable(&path);
    let arguments = ["conform", "--family", "harness", "--probe", probe, "--", "./tool"];
    let error = sandbox.aos(&arguments).error("E_NONCONFORMANT", 6);
    let message = &error["details"]["results"][0]["message"];
    message.as_str().expect("a message").to_owned()
}

#[test]
fn a_program_that_cannot_be_started_is_blocked_with_the_cause() {
    let one = "harness.one-document";
    let said = of_program(b"#!/nowhere/python3\n", one);
    assert!(
        said.ends_with("its first line names `/nowhere/python3`, which does not exist"),
        "{said}"
    );
    let mut foreign = b"\x7fELF\x02\x01\x01".to_vec();
    foreign.resize(16, 0);
    // An executable for Sparc.
    foreign.extend([2, 0, 2, 0]);
    foreign.resize(200, 0);
    let said = of_program(&foreign, one);
    assert!(said.contains("not for this machine"), "{said}");
}

#[test]
fn output_without_an_end_and_a_held_stdout_are_called_what_they_are() {
    let said = of_program(b"#!/bin/sh\nexec cat /dev/zero\n", "harness.one-document");
    assert!(said.contains("it wrote more than 32000000 bytes"), "{said}");
    let held = b"#!/bin/sh\necho '{}'\nsetsid sleep 7425 &\nsleep 0.2\n";
    let said = of_program(held, "harness.one-document");
    assert!(said.contains("a process that it started has its stdout open"), "{said}");
}

#[test]
fn a_word_that_is_not_a_program_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", "#!/bin/sh\n");
    sandbox.write("directory/file", "");
    std::os::unix::fs::symlink("nowhere", sandbox.work().join("broken")).expect("a link");
    for (program, wanted) in [
        ("./plain", "`chmod +x` allows it"),
        ("./directory", "it is a directory"),
        ("./broken", "it is a broken link"),
        ("./nothing", "it does not exist"),
        ("plain", "`./` before it names the file here"),
        ("no-such-program", "it is not on PATH"),
    ] {
        let answer = sandbox.aos(&["conform", "--family", "harness", "--", program]);
        let error = answer.error("E_NOT_FOUND", 3);
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(wanted), "{program}: {message}");
    }
}

#[test]
fn a_fault_of_conform_toml_names_file_line_and_column() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let text = "version = 1\n\n[agent_cli.upstream]\nshell = \"rm\"\n";
    let wanted = ", line 4, column 1: unknown member `shell` in [agent_cli.upstream]; known are `command`, `timeout`, `refusals`";
    sandbox.write("aos-good/conform.toml", text);
    let error = sandbox.aos_in(&path, &["conform"]).error("E_VALIDATION", 2);
    assert_eq!(error["message"], format!("`conform.toml`{wanted}"));
    sandbox.write("other.toml", text);
    let named = ["conform", "aos-good", "--fixture", "other.toml"];
    let error = sandbox.aos(&named).error("E_VALIDATION", 2);
    assert_eq!(error["message"], format!("`other.toml`{wanted}"));
    sandbox.aos(&["conform", "aos-good", "--fixture", "nothing.toml"]).error("E_NOT_FOUND", 3);
}

#[test]
fn a_command_has_no_fixture_but_the_one_that_is_named() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let probe = "harness.health-401";
    let run = |fixture: &[&str]| {
        let mut arguments = vec!["conform", "--family", "harness", "--probe", probe];
        arguments.extend(fixture);
        arguments.extend(["--", "agent-harness/bin/aos-good"]);
        sandbox.aos_in(&path, &arguments)
    };
    let document = run(&[]).json();
    let notes = document["error"]["details"]["notes"].to_string();
    assert!(notes.contains("`conform.toml` in this directory was not read"), "{document:#}");
    let text = "version = 1\nbase_url_env = \"GOOD_URL\"\nsecrets = [\"GOOD_TOKEN\"]\n";
    sandbox.write("aos-good/named.toml", text);
    let document = run(&["--fixture", "named.toml"]).json();
    let data = document.get("data").unwrap_or(&document["error"]["details"]);
    assert!(!data["notes"].to_string().contains("was not read"), "{document:#}");
    assert_eq!(with_verdict(data, "blocked"), Vec::<&str>::new(), "{document:#}");
}

/// The message of `cli.no-credentials`, which needs the mock, if the mock is `command`, in the prepared project.
fn of_mock(command: &str, prepare: impl FnOnce(&Sandbox)) -> String {
    let sandbox = Sandbox::new();
    executable(&sandbox.write(
        "project/bin/tool",
        "#!/bin/sh\necho '{\"ok\": true, \"data\": {\"commands\": [{\"path\": \"get\"}]}}'\n",
    ));
    sandbox
        .write("project/aos.toml", "family = \"agent-cli\"\n[conform]\ncommand = [\"bin/tool\"]\n");
    sandbox.write("project/.agent/SPEC_VERSION", "v1.1.0\n");
    sandbox.write(
        "project/conform.toml",
        &format!("version = 1\nbase_url_env = \"URL\"\n[agent_cli.credentials]\nenv = \"TOKEN\"\naccount = \"a\"\n[agent_cli.upstream]\ncommand = {command}\n[[agent_cli.command]]\npath = \"get\"\nrole = \"get\"\n"),
    );
    prepare(&sandbox);
    let answer = sandbox.aos(&["conform", "project", "--probe", "cli.not-json-reply"]);
    let document = answer.json();
    let result: &Value = &document["error"]["details"]["results"][0];
    assert_eq!(result["verdict"], "blocked", "{document:#}");
    result["message"].as_str().expect("a message").to_owned()
}

#[test]
fn a_mock_that_ends_at_once_is_reported_with_its_exit_and_last_output() {
    let script = "#!/bin/sh\necho Traceback >&2\necho 'port is taken' >&2\nexit 7\n";
    let said = of_mock("[\"./mock\", \"{port}\"]", |sandbox| {
        executable(&sandbox.write("project/mock", script));
    });
    assert_eq!(said, "the mock upstream ended by itself with exit 7: port is taken");
}

#[test]
fn a_mock_that_never_listens_is_reported_as_such_and_not_as_killed() {
    let script =
        "#!/bin/sh\ntrap 'echo KeyboardInterrupt >&2; exit 130' INT\nwhile :; do sleep 0.1; done\n";
    let said = of_mock("[\"./mock\", \"{port}\"]", |sandbox| {
        executable(&sandbox.write("project/mock", script));
    });
    assert!(said.contains("nothing listens on the port"), "{said}");
    assert!(!said.contains("KeyboardInterrupt"), "{said}");
}

#[test]
fn a_mock_that_is_a_link_out_of_the_project_is_not_started() {
    let said = of_mock("[\"./mock\", \"{port}\"]", |sandbox| {
        let outside = sandbox.write("outside", "#!/bin/sh\ntouch \"$0.was-run\"\n");
        executable(&outside);
        std::os::unix::fs::symlink(&outside, sandbox.work().join("project/mock")).expect("a link");
    });
    assert!(said.contains("is a link to a program outside of the project"), "{said}");
}

#[test]
fn a_system_without_namespaces_is_explained() {
    let sandbox = Sandbox::new();
    let path = connector(&sandbox, "");
    let test = "a_system_without_namespaces_is_explained";
    // In a user namespace of its own the limit can be set to none without any right.
    let script = "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$0\" \"$@\"";
    let aos = env!("CARGO_BIN_EXE_aos");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, aos]);
    command.args(["conform", "--probe", "harness.meta"]).current_dir(&path);
    command.env("HOME", sandbox.home());
    let Ok(output) = command.output() else {
        return super::super::sandbox::skipped(test, "there is no `unshare`");
    };
    if !output.stdout.starts_with(b"{") {
        return super::super::sandbox::skipped(test, &String::from_utf8_lossy(&output.stderr));
    }
    let data = run(&mut command).data();
    assert_eq!(data["network"]["cut_off"], false, "{data:#}");
    let reason = data["network"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("user.max_net_namespaces") && !reason.contains("ENOSPC"), "{reason}");
}
