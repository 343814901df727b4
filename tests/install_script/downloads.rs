//! Faults of a download: by the server, by the network, or by an attacker between.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::release::{Release, VERSION, sha256};
use crate::scene::{Scene, skipped};
use crate::server::Reply;

/// A machine with an older aos, and a release for it.
fn updating() -> (Scene, Release) {
    let (scene, release) = Scene::with_release();
    crate::scene::script(&scene.target(), &crate::release::program("1.0.0"));
    (scene, release)
}

#[test]
fn an_archive_with_other_bytes_is_refused() {
    let (scene, mut release) = updating();
    let last = release.archive.len() - 1;
    release.archive[last / 2] ^= 1;
    release.publish(&scene.server);
    let answer = scene.refused(&[], 1, "SHA-256");
    assert!(answer.stderr.contains("do not retry"), "{answer:?}");
}

#[test]
fn an_archive_of_another_version_under_the_same_name_is_refused() {
    let (scene, mut release) = updating();
    release.archive = Release::new("9.8.6").archive;
    release.publish(&scene.server);
    scene.refused(&[], 1, "SHA-256");
}

#[test]
fn an_invalid_list_is_refused_as_a_whole() {
    let digest = sha256(b"x");
    let lines = [
        "nonsense\n".to_owned(),
        format!("{digest} one-space.tar.gz\n"),
        format!("{}  short.tar.gz\n", &digest[1..]),
        format!("{digest}  ../evil\n"),
        format!("{digest}  a b\n"),
        format!("{digest}  \n"),
        format!("{}z  letters\n", &digest[1..]),
    ];
    for line in lines {
        let (scene, mut release) = updating();
        release.checksums.extend(line.as_bytes());
        release.publish(&scene.server);
        scene.refused(&["--version", VERSION], 1, "no digest and file name");
        assert!(!scene.downloaded(), "{line}");
    }
}

#[test]
fn a_duplicate_name_is_refused_even_with_equal_digests() {
    for other in [sha256(b"other"), String::new()] {
        let (scene, mut release) = updating();
        let digest = if other.is_empty() { sha256(&release.archive) } else { other };
        release.checksums.extend(format!("{digest}  {}\n", release.archive_name()).as_bytes());
        release.publish(&scene.server);
        scene.refused(&["--version", VERSION], 1, "names a file twice");
        assert!(!scene.downloaded());
    }
}

#[test]
fn a_list_in_the_spellings_of_other_systems_is_read() {
    let (scene, mut release) = updating();
    let text = String::from_utf8(release.list()).unwrap();
    let lines = text.lines().map(|line| {
        let (digest, name) = line.split_once("  ").unwrap();
        format!("{} *{name}\r\n", digest.to_uppercase())
    });
    release.checksums = lines.collect::<String>().into_bytes();
    release.publish(&scene.server);
    assert_eq!(scene.install(&[]).exit, Some(0));
}

#[test]
fn missing_files_and_releases_are_named() {
    let (scene, release) = updating();
    scene.server.set(&release.path(&release.archive_name()), Reply::Status(404));
    scene.refused(&[], 3, &release.archive_name());
    scene.server.set(&release.path("checksums.txt.sigstore.json"), Reply::Status(404));
    scene.refused(&[], 1, "not signed");
    scene.server.set(&release.path("checksums.txt"), Reply::Status(404));
    scene.refused(&[], 3, "checksums.txt of version 9.8.7");
    scene.server.set("/latest/download/checksums.txt", Reply::Status(404));
    scene.refused(&[], 3, "newest release");
    scene.refused(&["--version", "5.5.5"], 3, "5.5.5");
}

#[test]
fn a_release_without_an_archive_for_this_machine_is_refused() {
    let (scene, mut release) = updating();
    release.checksums =
        format!("{}  aos-v9.8.7-mips-unknown-linux-gnu.tar.gz\n", sha256(b"x")).into_bytes();
    release.publish(&scene.server);
    scene.refused(&[], 3, "no archive for x86_64-unknown-linux-musl");
    scene.refused(&["--version", VERSION], 3, "no archive for x86_64-unknown-linux-musl");
}

#[test]
fn a_web_page_in_place_of_a_file_is_a_fault_of_the_network() {
    let page = Reply::Bytes(b"<!DOCTYPE html><title>Sign in</title>".to_vec());
    let paths = |release: &Release| {
        [
            "/latest/download/checksums.txt".to_owned(),
            release.path("checksums.txt"),
            release.path("checksums.txt.sigstore.json"),
            release.path(&release.archive_name()),
        ]
    };
    for at in 0..4 {
        let (scene, release) = updating();
        scene.server.set(&paths(&release)[at], page.clone());
        scene.refused(&[], 7, "a web page instead of");
    }
}

#[test]
fn faults_that_pass_are_tried_again_and_others_are_not() {
    let (scene, release) = updating();
    let path = release.path(&release.archive_name());
    let good = Box::new(Reply::Bytes(release.archive.clone()));
    scene.server.set(&path, Reply::First(2, Box::new(Reply::Status(503)), good.clone()));
    assert_eq!(scene.install(&[]).exit, Some(0));

    let cut = Reply::Cut(release.archive.clone(), release.archive.len() / 2);
    let (scene, _) = updating();
    scene.server.set(&path, Reply::First(1, Box::new(cut.clone()), good));
    assert_eq!(scene.install(&[]).exit, Some(0));

    let (scene, _) = updating();
    scene.server.set(&path, cut);
    scene.refused(&[], 7, "cannot be downloaded");
    assert_eq!(scene.server.asked().iter().filter(|asked| **asked == path).count(), 3);

    for (status, exit) in [(401, 4), (403, 7), (404, 3), (410, 7)] {
        let (scene, _) = updating();
        scene.server.set(&path, Reply::Status(status));
        scene.refused(&[], exit, "");
        assert_eq!(scene.server.asked().iter().filter(|asked| **asked == path).count(), 1);
    }
}

#[test]
fn a_server_that_is_not_there_is_a_fault_of_the_network() {
    let mut scene = Scene::new();
    // A port that was free a moment ago may belong to the server of another test by now.
    scene.set("AOS_RELEASE_URL", "http://127.0.0.1:1");
    scene.refused(&[], 7, "cannot be reached");
}

#[test]
fn data_without_end_is_cut_off() {
    let (scene, release) = updating();
    scene.server.set(&release.path("checksums.txt"), Reply::Endless);
    scene.refused(&[], 1, "larger than 1048576 bytes");
    let (scene, release) = updating();
    scene.server.set(&release.path("checksums.txt"), Reply::Bytes(vec![b'\n'; 1_048_577]));
    scene.refused(&[], 1, "larger than 1048576 bytes");
}

#[test]
fn a_redirect_away_from_this_machine_is_not_followed() {
    for location in ["http://192.0.2.1/x", "file:///etc/passwd", "/download/v9.8.7/other"] {
        let (scene, release) = updating();
        scene.server.set(&release.path("checksums.txt"), Reply::Redirect(location.to_owned()));
        scene.refused(&[], 1, "redirects to an address that is not allowed");
    }
}

#[test]
fn addresses_that_are_neither_https_nor_of_this_machine_are_refused() {
    for url in [
        "http://releases.example/aos",
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.1:80@evil.example/",
        "http://localhost:/x",
        "http://localhost:8x/",
        "http://[::1]x/",
        "ftp://127.0.0.1/",
        "file:///tmp/x",
        "https://",
        "https://user:word@releases.example",
        "https://releases.example/?x=y",
        "https://releases.example/a b",
        "https://releases.example/'\"",
        "-o/tmp/x",
    ] {
        let scene = Scene::new();
        // An empty variable counts as unset, so there is no empty row.
        scene.refused(&["--release-url", url], 2, "neither https nor http on this machine");
    }
}

#[test]
fn invalid_versions_and_unknown_options_are_refused() {
    let scene = Scene::new();
    for version in
        ["1.2", "../../x", "1.2.3/..", "1.2.3 4", "$(id)", "v", "main", "1.2.3?x", "--dir"]
    {
        scene.refused(&["--version", version], 2, "is not a version");
    }
    scene.refused(&["--verbose"], 2, "does not exist");
    scene.refused(&["--dir"], 2, "needs a value");
    scene.refused(&["--dir", "a\nb"], 2, "line break");
    assert!(scene.server.asked().is_empty());
}

#[test]
fn a_signal_ends_the_run_and_its_download_and_leaves_nothing() {
    for (signal, exit) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        if !is_heard(signal) {
            let test = "a_signal_ends_the_run_and_its_download_and_leaves_nothing";
            skipped(test, &format!("whoever started the tests ignores SIG{signal}"));
            continue;
        }
        let (scene, release) = updating();
        let before = std::fs::read(scene.target()).unwrap();
        scene.server.set(&release.path(&release.archive_name()), Reply::Silent);
        let mut command = scene.command(&[]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        wait_until("the archive is asked for", 60, || scene.downloaded());
        let group = format!("-{}", child.id());
        send(signal, &child.id().to_string());
        let mut ended = None;
        wait_until("the script ends", 60, || {
            ended = child.try_wait().unwrap();
            ended.is_some()
        });
        assert_eq!(ended.unwrap().code(), Some(exit), "{signal}");
        // Sooner than the download would give up by itself.
        wait_until("nothing of it runs", 20, || !send("0", &group));
        scene.assert_clean();
        assert_eq!(std::fs::read(scene.target()).unwrap(), before);
    }
}

/// Whether a shell can hear the signal: one that was ignored when it started stays ignored.
fn is_heard(signal: &str) -> bool {
    let probe = format!("trap 'exit 7' {signal}; kill -{signal} $$; exit 0");
    Command::new("sh").args(["-c", &probe]).status().unwrap().code() == Some(7)
}

/// Sends a signal; false if the process no longer exists.
fn send(signal: &str, whom: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args([&format!("-{signal}"), "--", whom]).stderr(Stdio::null());
    kill.status().unwrap().success()
}

#[track_caller]
fn wait_until(what: &str, seconds: u32, mut condition: impl FnMut() -> bool) {
    for _ in 0..seconds * 20 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{seconds} seconds went by before {what}");
}
