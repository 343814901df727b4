//! Downloading the archive: cut off, slow, endless, or something else altogether.

use std::time::Duration;

use super::host::Reply;
use super::setup::{BUNDLE, CHECKSUMS, NEWER, Release, Setup, archive_name, asset, row, run};

fn archive() -> String {
    asset(NEWER, &archive_name(NEWER))
}

#[test]
fn the_status_of_an_asset_has_its_code() {
    let setup = Setup::new();
    for (status, code, exit) in [
        (404, "E_NOT_FOUND", 3),
        (403, "E_FORBIDDEN", 4),
        (401, "E_AUTH", 4),
        (429, "E_RATE_LIMITED", 7),
        (500, "E_SERVER", 7),
        (503, "E_SERVER", 7),
        (408, "E_TIMEOUT", 8),
        (204, "E_NETWORK", 7),
        (206, "E_NETWORK", 7),
        (304, "E_NETWORK", 7),
    ] {
        setup.host.set(&archive(), Reply::status(status));
        setup.fails(row("download", code, exit), &[]);
    }
}

// A bundle that is temporarily unavailable is not an invalid one.
#[test]
fn an_unavailable_signature_is_not_a_verdict() {
    for name in [CHECKSUMS, BUNDLE] {
        let setup = Setup::new();
        setup.host.set(&asset(NEWER, name), Reply::status(503));
        setup.fails(row("download", "E_SERVER", 7), &[]);
        setup.impatient();
        setup.host.set(&asset(NEWER, name), Reply::cut(100, b"x").then_stall());
        setup.fails(row("download", "E_TIMEOUT", 8), &[]);
    }
}

#[test]
fn an_archive_that_ends_too_early_is_a_network_fault() {
    let setup = Setup::new();
    let bytes = Release::new(NEWER).archive;
    let half = &bytes[..bytes.len() / 2];
    let chunked = {
        let mut wire = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        wire.extend(format!("{:x}\r\n", bytes.len()).bytes());
        wire.extend(half);
        wire
    };
    for (name, reply) in [
        ("reset", Reply::cut(bytes.len(), half).then_reset()),
        ("shorter than announced", Reply::cut(bytes.len(), half)),
        ("chunk cut", Reply::wire(&chunked)),
        ("short without a length", Reply::unbounded(half)),
        ("short with its length", Reply::bytes(half)),
        ("empty", Reply::bytes(b"")),
    ] {
        setup.host.set(&archive(), reply);
        let error = setup.fails(row("download", "E_NETWORK", 7), &[]);
        assert_eq!(error["details"]["cause"], "cut_off", "{name}");
    }
}

#[test]
fn an_archive_that_stalls_or_drips_is_a_timeout() {
    let setup = Setup::new();
    setup.impatient();
    let length = Release::new(NEWER).archive.len();
    setup.host.set(&archive(), Reply::cut(length, b"x").then_stall());
    setup.fails(row("download", "E_TIMEOUT", 8), &[]);
    setup.host.set(&archive(), Reply::cut(length, b"x").then_drip());
    setup.fails(row("download", "E_TIMEOUT", 8), &[]);
}

// A download that makes progress may take longer than any limit: a slow line is not a fault.
#[cfg(unix)]
#[test]
fn an_archive_that_gets_on_slowly_is_waited_for() {
    let setup = Setup::empty();
    setup.impatient();
    setup.good_npx(NEWER);
    let filler = vec![b'#'; 300_000];
    let release = Release::of(NEWER, &[super::setup::program(NEWER), filler].concat());
    setup.publish(&release);
    let pieces = Reply::bytes(&release.archive).in_pieces(12, Duration::from_millis(150));
    setup.host.set(&archive(), pieces);
    let clock = std::time::Instant::now();
    assert_eq!(setup.update(&[]).data()["status"], "updated");
    assert!(
        clock.elapsed() > Duration::from_millis(1500),
        "it was not slow: {:?}",
        clock.elapsed()
    );
}

#[test]
fn a_page_in_place_of_the_archive_is_a_network_fault() {
    let setup = Setup::new();
    setup.host.set(&archive(), Reply::html());
    let error = setup.fails(row("download", "E_NETWORK", 7), &[]);
    assert_eq!(error["details"]["cause"], "captive_portal");
    // One of the right size is another file.
    let size = Release::new(NEWER).archive.len();
    let page = format!("{:<size$}", "<html>Sign in</html>");
    setup.host.set(&archive(), Reply::body(200, &[("content-type", "text/html")], page.as_bytes()));
    let error = setup.fails(row("verify_checksum", "E_INTEGRITY", 1), &[]);
    assert_eq!(error["details"]["cause"], "digest_mismatch");
    // The list and its signature can be replaced by a page as well.
    for name in [CHECKSUMS, BUNDLE] {
        let setup = Setup::new();
        setup.host.set(&asset(NEWER, name), Reply::html());
        let error = setup.fails(row("download", "E_NETWORK", 7), &[]);
        assert_eq!(error["details"]["cause"], "captive_portal", "{name}");
    }
}

#[test]
fn an_archive_without_end_is_an_integrity_fault() {
    let setup = Setup::new();
    let bytes = Release::new(NEWER).archive;
    let longer = [bytes.as_slice(), b"more"].concat();
    for reply in [
        Reply::bytes(&longer),
        Reply::unbounded(&longer),
        Reply::unbounded(&bytes).then_flood(),
        Reply::cut(usize::MAX >> 12, b"x"),
    ] {
        setup.host.set(&archive(), reply);
        let error = setup.fails(row("download", "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], "endless_data");
    }
    // The limit holds where the release does not say a size, too.
    let mut described = setup.publish(&Release::new(NEWER));
    for asset in described["assets"].as_array_mut().expect("assets") {
        asset.as_object_mut().expect("an asset").remove("size");
    }
    setup.host.set(super::setup::LATEST, Reply::json(&described));
    setup.host.set(&asset(NEWER, CHECKSUMS), Reply::unbounded(b"x").then_flood());
    setup.fails(row("download", "E_INTEGRITY", 1), &[]);
    setup.host.set(&asset(NEWER, CHECKSUMS), Reply::bytes(&vec![b' '; 2 * 1024 * 1024]));
    setup.fails(row("download", "E_INTEGRITY", 1), &[]);
    setup.publish(&Release::new(NEWER));
    setup.host.set(super::setup::LATEST, Reply::json(&described));
    setup.host.set(&asset(NEWER, BUNDLE), Reply::bytes(&vec![b' '; 2 * 1024 * 1024]));
    setup.fails(row("download", "E_INTEGRITY", 1), &[]);
    // 200 MiB are the most of any archive, whatever the release says.
    for asset in described["assets"].as_array_mut().expect("assets") {
        if asset["name"] == archive_name(NEWER) {
            asset["size"] = (300 * 1024 * 1024).into();
        }
    }
    setup.publish(&Release::new(NEWER));
    setup.host.set(super::setup::LATEST, Reply::json(&described));
    setup.host.set(&archive(), Reply::cut(300 * 1024 * 1024, b"x").then_stall());
    let error = setup.fails(row("download", "E_INTEGRITY", 1), &[]);
    assert_eq!(error["details"]["cause"], "endless_data");
}

// If the release states no size, a short file has another digest.
#[test]
fn a_short_archive_of_unknown_size_is_another_file() {
    let setup = Setup::new();
    let mut described = setup.publish(&Release::new(NEWER));
    described["assets"][0].as_object_mut().expect("an asset").remove("size");
    setup.host.set(super::setup::LATEST, Reply::json(&described));
    setup.host.set(&archive(), Reply::unbounded(&Release::new(NEWER).archive[..1000]));
    let error = setup.fails(row("verify_checksum", "E_INTEGRITY", 1), &[]);
    assert_eq!(error["details"]["cause"], "digest_mismatch");
}

// A redirect of an asset.
#[test]
fn an_asset_never_leads_to_an_insecure_place() {
    let setup = Setup::new();
    for place in ["http://releases.example/x", "file:///bin/sh", "data:,x"] {
        setup.host.set(&archive(), Reply::redirect(place));
        let error = setup.fails(row("download", "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], "insecure_redirect", "{place}");
    }
    setup.host.set(&archive(), Reply::redirect(&archive()));
    let error = setup.fails(row("download", "E_NETWORK", 7), &[]);
    assert_eq!(error["details"]["cause"], "bad_redirect");
    setup.host.set(&archive(), Reply::status(302));
    let error = setup.fails(row("download", "E_NETWORK", 7), &[]);
    assert_eq!(error["details"]["cause"], "unexpected_status");
}

#[test]
fn a_directory_for_temporary_files_that_cannot_be_used_is_named() {
    let setup = Setup::new();
    let missing = setup.place("nowhere");
    let mut command = setup.update_command(&[]);
    command.env("TMPDIR", &missing);
    let answer = run(&mut command);
    let error = row("download", "E_IO", 1).check(&setup, &answer);
    assert_eq!(error["details"]["path"], missing.display().to_string());
}
