//! SIGKILL at named and at random moments: the installed program is the old one or the new one, byte for byte, and
//! the next update works.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::sandbox::is_full_run;

use super::host::Reply;
use super::setup::{
    LATEST, NEWER, Release, Setup, archive_name, as_version, asset, install, original_bytes, run,
    wait_until,
};

/// Rounds of the random test: of a usual run, and of a full one.
const ROUNDS: [usize; 2] = [50, 200];

/// Which program is installed; anything but the two is a failure.
#[track_caller]
fn installed(setup: &Setup, new: &[u8], name: &str) -> &'static str {
    let bytes = std::fs::read(setup.program()).expect("a program");
    if bytes == new {
        return "new";
    }
    assert!(bytes == original_bytes(), "{name}: neither old nor new");
    "old"
}

/// The next update works and leaves nothing of the killed one, which left the program `before`.
#[track_caller]
fn next_works(setup: &Setup, new: &[u8], before: &str, name: &str) {
    let data = run(&mut setup.update_command(&[])).data();
    assert_eq!(data["current_version"], NEWER, "{name}: {data}");
    assert_eq!(data["binary_replaced"], before == "old", "{name}: {data}");
    assert_eq!(installed(setup, new, name), "new", "{name}");
    // Where there was nothing to stage, nothing was looked for either.
    if before == "old" {
        assert_eq!(names(setup), ["aos"], "{name}");
    }
    let skill = std::fs::read(skill(setup)).expect("a Skill");
    let own = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos/SKILL.md"));
    assert!(skill == own.expect("the Skill"), "{name}: the Skill is another one");
}

/// The names in the directory of the program.
fn names(setup: &Setup) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(setup.place("bin"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        // A file without a mark may be that of an update which is just starting, so it stays for a while.
        .filter(|name| !name.ends_with(".tmp"))
        .collect();
    names.sort();
    names
}

fn skill(setup: &Setup) -> std::path::PathBuf {
    setup.sandbox.home().join(".agents/skills/aos/SKILL.md")
}

/// A Skill that is right for both: this build's own, which a copy of this build carries too.
fn install_skill(setup: &Setup) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/skills/aos");
    setup.npx(
        "good",
        &format!(
            "mkdir -p \"$HOME/.agents/skills\" && cp -r '{source}' \"$HOME/.agents/skills/\"\necho done >>'{}'\n",
            setup.place("npx.log").display()
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
        assert_eq!(installed(&setup, &new, point), expected, "{point}");
        next_works(&setup, &new, expected, point);
    }
}

/// Puts the old program in place.
fn old(setup: &Setup) {
    install(&setup.program());
}

/// How far a killed update had come, by what it left behind.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Reached {
    Start,
    Discover,
    Download,
    Staging,
    Swap,
    Skill,
}

fn reached(setup: &Setup, program: &str) -> Reached {
    let paths = setup.host.paths();
    let has_staged = names(setup).iter().any(|name| {
        let staged = std::fs::metadata(setup.place("bin").join(name)).expect("a file");
        name != "aos" && staged.len() > 0
    });
    if program == "new" {
        if skill(setup).exists() { Reached::Skill } else { Reached::Swap }
    } else if has_staged {
        Reached::Staging
    } else if paths.contains(&asset(NEWER, &archive_name(NEWER))) {
        Reached::Download
    } else if paths.contains(&LATEST.to_owned()) {
        Reached::Discover
    } else {
        Reached::Start
    }
}

/// Moments at random, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let limit = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX).max(1);
        Duration::from_micros((self.0 >> 33) % limit)
    }
}

/// How long a whole update takes here, and how long its way from the archive on.
fn durations(setup: &Setup) -> (Duration, Duration) {
    let start = Instant::now();
    let child = setup.update_command(&[]).stdout(Stdio::null()).spawn();
    let mut child = child.expect("it starts");
    wait_until(|| asked_for_the_archive(setup));
    let archive = start.elapsed();
    assert!(child.wait().expect("it ends").success());
    (start.elapsed(), start.elapsed().saturating_sub(archive))
}

fn asked_for_the_archive(setup: &Setup) -> bool {
    setup.host.paths().contains(&asset(NEWER, &archive_name(NEWER)))
}

/// One update, killed at a random moment; every other one when its last steps have begun.
fn killed(setup: &Setup, number: usize, random: &mut Random, lasts: (Duration, Duration)) {
    let mut command = setup.update_command(&[]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let (whole, end) = lasts;
    if number % 2 == 1 {
        wait_until(|| asked_for_the_archive(setup));
        std::thread::sleep(random.below(end * 5 / 4));
    } else {
        std::thread::sleep(random.below(whole * 5 / 4));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    // The installer of the killed update may still be at work; it would get in the way of the next round.
    let log = || std::fs::read_to_string(setup.place("npx.log")).unwrap_or_default();
    wait_until(|| log().matches("good\n").count() == log().matches("done\n").count());
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_program() {
    let new = as_version(NEWER);
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let rounds = ROUNDS[usize::from(is_full_run())];
    let done = AtomicUsize::new(0);
    let seen: Mutex<BTreeMap<Reached, usize>> = Mutex::default();
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (new, done, seen) = (&new, &done, &seen);
            scope.spawn(move || {
                let setup = Setup::empty();
                install_skill(&setup);
                let described = setup.publish(&release(new));
                // A small pause, so that every stage has its share of the time.
                setup.host.set(LATEST, Reply::json(&described).after(Duration::from_millis(10)));
                let lasts = durations(&setup);
                let mut random = Random(seed + worker);
                // The machine may become slower or faster: a kill before the swap lets the next one come later.
                let mut stretch = 1.0_f64;
                loop {
                    let number = done.fetch_add(1, Ordering::Relaxed);
                    if number >= rounds {
                        return;
                    }
                    old(&setup);
                    setup.host.forget();
                    let _ = std::fs::remove_dir_all(setup.sandbox.home().join(".agents"));
                    let (whole, end) = lasts;
                    let lasts = (whole.mul_f64(stretch), end.mul_f64(stretch));
                    killed(&setup, number, &mut random, lasts);
                    let name = format!("seed {seed}, round {number}");
                    let program = installed(&setup, new, &name);
                    let reached = reached(&setup, program);
                    *seen.lock().expect("a count").entry(reached).or_default() += 1;
                    let factor = if reached < Reached::Swap { 1.1 } else { 0.85 };
                    stretch = (stretch * factor).clamp(0.3, 8.0);
                    next_works(&setup, new, program, &format!("{name}, {reached:?}"));
                }
            });
        }
    });
    let seen = seen.into_inner().expect("counts");
    println!("{seen:?}");
    let before = seen.keys().filter(|reached| **reached < Reached::Swap).count();
    assert!(before >= 2 && before < seen.len(), "the kills do not spread: {seen:?}");
}
