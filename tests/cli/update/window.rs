//! The moment of the swap: what others see of it, and what happens when something is in its way.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::host::Reply;
use super::setup::{
    NEWER, RUNNING, Release, Setup, archive_name, as_version, asset, original_bytes, run,
    wait_until,
};
use crate::sandbox::{answer, skipped};

// A reader sees the old program or the new one, never none and never a part.
#[test]
fn a_reader_sees_the_old_or_the_new_program_at_every_moment() {
    let new = as_version(NEWER);
    let setup = Setup::empty();
    setup.good_npx(NEWER);
    setup.publish(&Release::of(NEWER, &new));
    let ended = AtomicBool::new(false);
    let program = setup.program();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut looks, mut changes) = (0_u32, 0_u32);
            let mut before = original_bytes().len();
            while !ended.load(Ordering::Relaxed) {
                let length = std::fs::metadata(&program).expect("a program").len();
                let length = usize::try_from(length).expect("a length");
                if length != before {
                    let bytes = std::fs::read(&program).expect("a program");
                    assert!(bytes == new, "neither old nor new: {length} bytes");
                    (before, changes) = (length, changes + 1);
                }
                looks += 1;
            }
            (looks, changes)
        });
        let data = setup.update(&[]).data();
        ended.store(true, Ordering::Relaxed);
        assert_eq!(data["status"], "updated");
        let (looks, changes) = reader.join().expect("no look failed");
        assert!(looks > 100 && changes <= 1, "{looks} looks, {changes} changes");
    });
}

// The system is asked for exactly one rename of the program, so the result does not depend on timing.
#[cfg(target_os = "linux")]
#[test]
fn the_program_is_replaced_by_one_rename_and_nothing_else() {
    let test = "the_program_is_replaced_by_one_rename_and_nothing_else";
    let works = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        skipped(test, "`strace` does not work here");
        return;
    }
    let setup = Setup::new();
    setup.good_npx(NEWER);
    let log = setup.place("trace");
    let plain = setup.update_command(&[]);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "4096", "-e", "trace=%file", "-o"]).arg(&log);
    command.arg(plain.get_program()).args(plain.get_args()).current_dir(setup.sandbox.work());
    command.env_clear();
    for (name, value) in plain.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    assert_eq!(run(&mut command).data()["status"], "updated");
    let trace = std::fs::read_to_string(&log).expect("a trace");
    let own = format!("\"{}\"", setup.program().display());
    let changing = ["rename", "unlink", "link", "truncate", "O_TRUNC", "O_CREAT", "chmod", "chown"];
    let changes: Vec<_> = trace
        .lines()
        .filter(|line| line.contains(&own) && changing.iter().any(|sign| line.contains(sign)))
        .filter(|line| !line.contains("readlink"))
        .collect();
    let [only] = changes.as_slice() else { panic!("{changes:#?}") };
    assert!(only.contains("rename") && only.contains(".new\"") && only.ends_with("= 0"), "{only}");
}

// The rename itself fails: meanwhile, another program has put a directory there.
#[test]
fn a_swap_that_fails_is_an_io_fault_and_leaves_nothing() {
    let setup = Setup::new();
    let archive = asset(NEWER, &archive_name(NEWER));
    let reply = Reply::bytes(&Release::new(NEWER).archive).after(Duration::from_millis(2500));
    setup.host.set(&archive, reply);
    let child = setup.update_command(&[]).stdout(Stdio::piped()).spawn().expect("it starts");
    wait_until(|| setup.host.paths().contains(&archive));
    std::fs::remove_file(setup.program()).expect("a program");
    std::fs::create_dir_all(setup.program().join("full")).expect("a directory");
    let answer = answer(child.wait_with_output().expect("it ends"));
    let error = answer.error("E_IO", 1);
    let details = &error["details"];
    assert_eq!(details["stage"], "replace", "{error:#}");
    assert_eq!(details["cause"], "not_replaced", "{error:#}");
    assert_eq!(details["binary_replaced"], false);
    assert_eq!(details["current_version"], RUNNING);
    assert_eq!(details["path"], setup.program().display().to_string());
    assert!(details["fix"].as_str().is_some_and(|hint| hint.contains("run `aos update` again")));
    assert!(setup.program().join("full").is_dir(), "somebody else's directory is gone");
    setup.is_clean();
}

// Facts 20 to 22: the program was deleted while it runs; the system names a path that is none.
#[cfg(target_os = "linux")]
#[test]
fn a_deleted_program_is_updated_or_the_reason_is_reported() {
    let setup = Setup::new();
    let mut command = Command::new("sh");
    let plain = setup.update_command(&[]);
    // The shell becomes the program after the entry is gone.
    command.args(["-c", "exec 9<\"$0\" && rm \"$0\" && exec /proc/self/fd/9 \"$@\""]);
    command.arg(setup.program()).args(plain.get_args()).current_dir(setup.sandbox.work());
    command.env_clear();
    for (name, value) in plain.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    let answer = run(&mut command);
    let error = answer.error("E_IO", 1);
    assert_eq!(error["details"]["binary_replaced"], false, "{error:#}");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("no longer exists")));
    assert_eq!(setup.host.paths(), [""; 0]);
}
