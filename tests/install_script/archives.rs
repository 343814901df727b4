//! Archives whose digest is right and whose contents are not: the publisher's mistake must not become ours.

use tar::EntryType;

use crate::release::{Archive, Release, VERSION, program};
use crate::scene::{Scene, script};

/// A machine with an older aos, and a release of these bytes.
fn release(archive: Vec<u8>) -> Scene {
    let scene = Scene::new();
    script(&scene.target(), &program("1.0.0"));
    Release::of_archive(VERSION, archive).publish(&scene.server);
    scene
}

#[test]
fn an_entry_that_no_release_has_is_refused_before_anything_is_unpacked() {
    let good = || Archive::good(VERSION);
    let top = format!("aos-v{VERSION}-x86_64-unknown-linux-musl");
    let file = |name: &str| good().entry(name, EntryType::Regular, "evil", "");
    let rows = [
        ("a step up", file(&format!("{top}/../evil"))),
        ("only a step up", file("../evil")),
        ("a step up below the Skill", file(&format!("{top}/skills/aos/../../evil"))),
        ("an absolute name", file("/tmp/aos-test-evil")),
        ("another top directory", file("aos-v0.0.1-other/aos")),
        ("a file without a directory", file("aos")),
        ("a backslash", file(&format!("{top}/skills/aos/..\\evil"))),
        ("a line break", file(&format!("{top}/skills/aos/a\n{top}/aos"))),
        ("a file of another name", good().file("evil.sh", "evil")),
        ("the same file twice", good().file("aos", "evil")),
        ("a directory in place of a name", good().file("aos/evil", "evil")),
        ("two slashes", good().file("skills/aos//SKILL.md", "evil")),
    ];
    for (what, archive) in rows {
        let scene = release(archive.bytes());
        let answer = scene.refused(&[], 1, "has an entry that no release of aos has");
        assert!(!answer.stderr.contains('\u{1b}'), "{what}: {answer:?}");
        assert!(!std::path::Path::new("/tmp/aos-test-evil").exists(), "{what}");
        assert!(!scene.home().join("evil").exists(), "{what}");
    }
}

#[test]
fn links_and_devices_are_refused() {
    for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::Char] {
        let beside = Archive::good(VERSION).special("skills/aos/link", kind, "/etc/passwd");
        release(beside.bytes()).refused(&[], 1, "aos-v9.8.7");
        let program = Archive::new(VERSION).documents().special("aos", kind, "/bin/ls");
        release(program.bytes()).refused(&[], 1, "aos-v9.8.7");
    }
}

#[test]
fn an_archive_without_a_program_is_refused() {
    release(Archive::new(VERSION).documents().bytes()).refused(&[], 1, "has no program");
    let directory = Archive::new(VERSION).documents().special("aos", EntryType::Directory, "");
    release(directory.bytes()).refused(&[], 1, "");
}

#[test]
fn too_many_entries_are_refused() {
    let many = (0..1001)
        .fold(Archive::good(VERSION), |archive, at| archive.file(&format!("skills/aos/{at}"), "x"));
    release(many.bytes()).refused(&[], 1, "more than 1000 entries");
}

#[test]
fn damaged_archives_are_refused() {
    let good = Archive::good(VERSION).bytes();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x55;
    let rows = [
        ("half of it", good[..good.len() / 2].to_vec()),
        ("without its end", good[..good.len() - 4].to_vec()),
        ("a bit turned over", flipped),
        ("not gzip", b"PK\x03\x04 not gzip at all".to_vec()),
        ("with more after its end", [&good[..], b"more"].concat()),
        ("empty", Vec::new()),
    ];
    for (what, bytes) in rows {
        let answer = release(bytes).refused(&[], 1, "is damaged");
        assert!(answer.stderr.contains("do not install"), "{what}");
    }
}

#[test]
fn a_program_that_is_not_the_announced_version_is_refused() {
    for says in ["9.8.6", "", "9.8.7 (dirty)"] {
        let archive = Archive::new(VERSION).file("aos", &program(says)).documents();
        release(archive.bytes()).refused(&[], 1, "does not say that it is version 9.8.7");
    }
}

#[test]
fn a_program_that_does_not_run_here_leaves_the_old_one() {
    for body in ["#!/does/not/exist\n", "#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n"] {
        let archive = Archive::new(VERSION).file("aos", body).documents();
        release(archive.bytes()).refused(&[], 4, "does not run here");
    }
}
