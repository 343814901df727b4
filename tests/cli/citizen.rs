//! aos as a process: it ends, never waits for a person, needs no network, and handles signals.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cases::{self, finish};
use crate::envelope::{all, assert_citizen};
use crate::sandbox::{Answer, Sandbox, answer, skipped, tree};

/// Longest time of a call that has nothing to wait for; generous, as the machine may be busy.
const SECONDS: Duration = Duration::from_secs(20);

// In every other test stdin is closed; here it is open and silent, as in a forgotten terminal.
#[test]
fn no_command_waits_for_stdin() {
    for case in all() {
        let answer = case.plain();
        assert_eq!(answer.json()["ok"], case.expected == "OK", "{}: {answer:?}", case.name);
    }
}

// A program that aos starts is killed if it hangs.
#[cfg(unix)]
#[test]
fn doctor_gives_up_on_a_program_that_hangs() {
    let sandbox = Sandbox::new();
    let programs = sandbox.work().join("bin");
    script(&programs.join("git"), "exec sleep 60");
    script(&programs.join("python3"), "exit 3");
    let clock = Instant::now();
    let answer = finish("doctor", sandbox.command(&["doctor"]).env("PATH", path_with(&programs)));
    assert!(clock.elapsed() < SECONDS, "{:?}", clock.elapsed());
    let checks = answer.data()["checks"].clone();
    let status = |name: &str| {
        let checks = checks.as_array().expect("checks");
        checks.iter().find(|check| check["check"] == name).expect("a check")["status"].clone()
    };
    assert_eq!((status("git"), status("python3")), ("warn".into(), "warn".into()));
}

#[cfg(unix)]
fn script(path: &Path, body: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("a script");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
}

fn path_with(first: &Path) -> std::ffi::OsString {
    let mut paths = vec![first.to_owned()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(paths).expect("a PATH")
}

// aos needs no HOME, no PATH, no terminal and no user.
#[test]
fn queries_need_nothing_from_the_environment() {
    let sandbox = Sandbox::new();
    for leaf in ["reference", "context", "doctor", "changelog"] {
        let mut command = sandbox.command(&[leaf]);
        command.env_clear();
        assert_citizen(leaf, &finish(leaf, &mut command));
    }
}

// There is never a backtrace, whatever the environment requests, even if aos itself fails.
#[test]
fn no_failure_shows_a_backtrace() {
    for case in cases::failures() {
        for format in ["json", "text"] {
            let sandbox = Sandbox::new();
            let mut command = case.command(&sandbox, &["--format", format]);
            command.env("RUST_BACKTRACE", "full").env("RUST_LIB_BACKTRACE", "1");
            let answer = finish(case.name, &mut command);
            for stream in [&answer.stdout, &answer.stderr] {
                for sign in ["backtrace", "panicked", "RUST_BACKTRACE", "src/", "thread '"] {
                    assert!(!stream.contains(sign), "{}: {answer:?}", case.name);
                }
            }
        }
    }
}

/// Starts a call that pauses at a checkpoint, sends `signal` there, and gives the answer.
#[cfg(all(unix, debug_assertions))]
fn interrupted(
    sandbox: &Sandbox,
    directory: &Path,
    arguments: &[&str],
    pause: (&str, &str),
    signal: rustix::process::Signal,
) -> Answer {
    let (checkpoint, sign) = pause;
    let mut command = sandbox.command(arguments);
    command.current_dir(directory).env("AOS_TEST_PAUSE_AT", checkpoint);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    let clock = Instant::now();
    let staged = || {
        std::fs::read_dir(directory)
            .expect("a directory")
            .any(|entry| entry.expect("an entry").file_name().to_string_lossy().starts_with(sign))
    };
    while !staged() {
        assert!(clock.elapsed() < SECONDS, "nothing was staged in {}", directory.display());
        std::thread::sleep(Duration::from_millis(5));
    }
    // The name of the staged tree appears a moment before the pause.
    std::thread::sleep(Duration::from_millis(300));
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a pid"), signal).expect("a signal");
    answer(child.wait_with_output().expect("its output"))
}

#[cfg(all(unix, debug_assertions))]
#[test]
fn a_signal_while_a_project_is_made_leaves_one_envelope_and_no_file() {
    use rustix::process::Signal;
    for (signal, format) in [(Signal::INT, "json"), (Signal::TERM, "json"), (Signal::INT, "text")] {
        let sandbox = Sandbox::new();
        let arguments = ["new", "acme", "--no-git", "--format", format];
        let pause = ("new:staged", ".");
        let answer = interrupted(&sandbox, &sandbox.work(), &arguments, pause, signal);
        if format == "json" {
            assert_citizen("interrupted", &answer);
            answer.error("E_INTERRUPTED", 130);
        } else {
            assert_eq!((answer.stdout.as_str(), answer.exit), ("", Some(130)));
            assert!(answer.stderr.starts_with("error[E_INTERRUPTED]: "), "{answer:?}");
        }
        assert!(tree(&sandbox.work()).is_empty(), "{:?}", tree(&sandbox.work()).keys());
    }
}

#[cfg(all(unix, debug_assertions))]
#[test]
fn a_signal_while_a_spec_is_synced_leaves_one_envelope_and_the_old_state() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let before = tree(&project);
    let arguments = ["sync-spec", "--to", "v1.0.0"];
    let pause = ("apply:staged", ".aos-transaction");
    let signal = rustix::process::Signal::TERM;
    let answer = interrupted(&sandbox, &project, &arguments, pause, signal);
    assert_citizen("interrupted", &answer);
    answer.error("E_INTERRUPTED", 130);
    assert_eq!(tree(&project), before);
    sandbox.aos_in(&project, &["check"]).data();
}

// A query waits for another program.
#[cfg(unix)]
#[test]
fn a_signal_during_a_query_is_answered_with_an_envelope() {
    let sandbox = Sandbox::new();
    let programs = sandbox.work().join("bin");
    let mark = sandbox.work().join("asked");
    script(&programs.join("git"), &format!("touch '{}'\nexec sleep 60", mark.display()));
    let mut command = sandbox.command(&["doctor"]);
    command.env("PATH", path_with(&programs));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    let clock = Instant::now();
    while !mark.exists() {
        assert!(clock.elapsed() < SECONDS, "git was not asked");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a pid"), rustix::process::Signal::INT).expect("kill");
    let answer = answer(child.wait_with_output().expect("its output"));
    assert_citizen("doctor", &answer);
    answer.error("E_INTERRUPTED", 130);
}

// Every call has the same response without a network.
#[cfg(target_os = "linux")]
#[test]
fn no_command_needs_a_network() {
    let isolated = |program: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--net", "--", program]);
        command
    };
    let works =
        isolated("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !works {
        skipped("no_command_needs_a_network", "`unshare --user --net` does not work here");
        return;
    }
    for case in all() {
        let sandbox = Sandbox::new();
        let plain = case.command(&sandbox, &[]);
        let mut command = isolated(env!("CARGO_BIN_EXE_aos"));
        command.args(plain.get_args()).current_dir(plain.get_current_dir().expect("a directory"));
        command.env_clear().stdin(Stdio::null());
        for (name, value) in plain.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        let answer = finish(case.name, &mut command);
        let code = answer.json()["error"]["code"].as_str().unwrap_or("OK").to_owned();
        assert_eq!(code, case.expected, "{}: {answer:?}", case.name);
    }
}

// Not one internet socket is opened, by aos or by a program that it starts. `update` and `doctor` look for a
// release unless they are told not to.
#[cfg(target_os = "linux")]
#[test]
fn no_command_opens_an_internet_socket() {
    let works = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        skipped("no_command_opens_an_internet_socket", "`strace` does not work here");
        return;
    }
    let mut seen = 0;
    for case in cases::successes() {
        let sandbox = Sandbox::new();
        // An outdated result does not cause a new check.
        let month = 31 * 24 * 60 * 60;
        crate::notices::keep(&sandbox, &crate::notices::known("9.9.9", month).to_string());
        let plain = case.command(&sandbox, &[]);
        let log = sandbox.home().join("trace");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-e", "trace=execve,socket,connect", "-o"]).arg(&log);
        command.arg(env!("CARGO_BIN_EXE_aos")).args(plain.get_args());
        command.current_dir(plain.get_current_dir().expect("a directory")).stdin(Stdio::null());
        command.env_clear().env("HOME", sandbox.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        if ["update", "doctor"].contains(&case.leaf().as_str()) {
            command.env("AOS_OFFLINE", "1");
        }
        assert_eq!(finish(case.name, &mut command).exit, Some(0), "{}", case.name);
        let trace = std::fs::read_to_string(&log).expect("a trace");
        seen += trace.matches("execve(").count();
        // The mock upstream and the tool that is looked at meet on loopback; an augmentor runs where nothing else is.
        let is_apart = ["conform", "describe", "run", "agent"].contains(&case.leaf().as_str())
            || ["augmentor", "mcp"].iter().any(|group| case.name.starts_with(group));
        let is_loopback = |line: &str| {
            is_apart && (!line.contains("connect(") || line.contains("inet_addr(\"127.0.0.1\")"))
        };
        let outside = trace.lines().find(|line| line.contains("AF_INET") && !is_loopback(line));
        assert_eq!(outside, None, "{}", case.name);
    }
    assert!(seen >= cases::successes().len(), "the trace shows {seen} programs");
}

// DESIGN 3: a person at a terminal gets text, with colour unless NO_COLOR says no; a flag still decides.
#[cfg(unix)]
#[test]
fn a_terminal_gets_text() {
    let sandbox = Sandbox::new();
    let in_terminal = |arguments: &str, environment: &[(&str, &str)]| -> Option<String> {
        let call = format!("{} {arguments}", env!("CARGO_BIN_EXE_aos"));
        let mut command = Command::new("script");
        command.args(["-qec", &call, "/dev/null"]).current_dir(sandbox.work());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", sandbox.home()).env("TERM", "xterm-256color").stdin(Stdio::null());
        command.envs(environment.iter().copied());
        let output = command.output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
    };
    let Some(text) = in_terminal("context", &[]) else {
        skipped("a_terminal_gets_text", "`script` is not installed");
        return;
    };
    assert!(text.contains("format   text (terminal)"), "{text}");
    let ask = |arguments: &str, environment: &[(&str, &str)]| {
        in_terminal(arguments, environment).expect("script ran before")
    };
    assert!(ask("doctor", &[]).contains('\u{1b}'), "colour on a terminal");
    assert!(!ask("doctor", &[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(!ask("doctor", &[("TERM", "dumb")]).contains('\u{1b}'));
    assert!(ask("context --json", &[]).starts_with("{\n  \"ok\": true"));
    assert!(ask("context", &[("AOS_FORMAT", "json")]).contains("\"environment\""));
    assert!(ask("nonsense", &[]).contains("the command `nonsense` does not exist"));
}
