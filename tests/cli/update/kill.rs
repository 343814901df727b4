//! SIGKILL at named and at random moments: the installed program is the old one or the new one, byte for byte, and
//! the next update works.

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::host::Reply;
use super::setup::{LATEST, NEWER, Release, Setup, as_version, original};
use crate::sandbox::run;

/// Rounds of the random test.
const ROUNDS: usize = 200;

/// Which program is installed; anything but the two is a failure.
fn installed(setup: &Setup, new: &[u8]) -> &'static str {
    let bytes = std::fs::read(setup.program()).expect("a program");
    if bytes == new {
        return "new";
    }
    assert!(bytes == std::fs::read(original()).expect("a program"), "neither old nor new");
    "old"
}

/// The next update works and leaves nothing of the killed one.
fn next_works(setup: &Setup, new: &[u8]) {
    let answer = run(&mut setup.update_command(&[]));
    let data = answer.data();
    assert_eq!(data["current_version"], NEWER, "{data}");
    assert_eq!(installed(setup, new), "new");
    let left: Vec<_> = std::fs::read_dir(setup.place("bin"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    // Nothing was staged when there was nothing to do, so nothing was looked for either.
    assert!(left.len() <= 2, "{left:?}");
}

/// A Skill that is right for both: this build's own, which a copy of this build carries too.
fn install_skill(setup: &Setup) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos");
    setup.npx(
        "good",
        &format!(
            "mkdir -p \"$HOME/.agents/skills\" && cp -r '{source}' \"$HOME/.agents/skills/\"\n"
        ),
    );
}

/// A release that is this very build with another version, its Skill included.
fn release(new: &[u8]) -> Release {
    let mut entries = super::setup::entries(NEWER, new);
    entries.pop();
    for name in ["SKILL.md", "test-prompts.json"] {
        let path = format!("{}/skills/aos/{name}", super::setup::top(NEWER));
        let source = format!("{}/skills/aos/{name}", env!("CARGO_MANIFEST_DIR"));
        entries.push(super::setup::file(&path, &std::fs::read(source).expect("the Skill")));
    }
    Release::new(NEWER).archive(super::setup::gzip(&super::setup::tree(&entries)))
}

#[test]
fn a_kill_at_every_named_moment_leaves_the_old_or_the_new_program() {
    let new = as_version(NEWER);
    let setup = Setup::empty();
    install_skill(&setup);
    setup.publish(&release(&new));
    for (point, expected) in
        [("update:staged", "old"), ("update:before-rename", "old"), ("update:renamed", "new")]
    {
        old(&setup);
        let mut command = setup.update_command(&[]);
        command.env("AOS_TEST_KILL_AT", point).stdout(Stdio::null()).stderr(Stdio::null());
        assert_eq!(command.status().expect("it starts").code(), None, "{point}");
        assert_eq!(installed(&setup, &new), expected, "{point}");
        next_works(&setup, &new);
    }
}

/// Puts the old program in place.
fn old(setup: &Setup) {
    let _ = std::fs::remove_file(setup.program());
    if std::fs::hard_link(original(), setup.program()).is_err() {
        std::fs::copy(original(), setup.program()).expect("a program");
    }
}

/// How long an update takes here, in milliseconds.
fn duration(setup: &Setup) -> u64 {
    let before = std::time::Instant::now();
    run(&mut setup.update_command(&[])).data();
    u64::try_from(before.elapsed().as_millis()).unwrap_or(1000).max(50)
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_program() {
    let new = as_version(NEWER);
    let seed = u64::from(std::process::id());
    let done = AtomicUsize::new(0);
    let replaced = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (new, done, replaced) = (&new, &done, &replaced);
            scope.spawn(move || {
                let setup = Setup::empty();
                install_skill(&setup);
                let described = setup.publish(&release(new));
                // A small pause, so that every stage has its share of the time.
                setup.host.set(LATEST, Reply::json(&described).after(Duration::from_millis(10)));
                let longest = duration(&setup) * 5 / 4;
                let mut state = seed + worker;
                while done.fetch_add(1, Ordering::Relaxed) < ROUNDS {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let delay = (state >> 33) % longest;
                    old(&setup);
                    let mut command = setup.update_command(&[]);
                    command.stdout(Stdio::null()).stderr(Stdio::null());
                    let mut child = command.spawn().expect("it starts");
                    std::thread::sleep(Duration::from_millis(delay));
                    let _ = child.kill();
                    child.wait().expect("it ends");
                    if installed(&setup, new) == "new" {
                        replaced.fetch_add(1, Ordering::Relaxed);
                    }
                    let version = run(&mut setup.command(&["--version"]));
                    assert_eq!(version.exit, Some(0), "seed {seed}, after {delay} ms");
                }
                next_works(&setup, new);
            });
        }
    });
    let replaced = replaced.load(Ordering::Relaxed);
    assert!(
        replaced > 0 && replaced < ROUNDS,
        "every kill came at the same side of the swap: {replaced}"
    );
}
