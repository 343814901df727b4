//! Finding a release: what the host says wrongly, too late or not at all.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};

use super::host::Reply;
use super::setup::{
    BUNDLE, CHECKSUMS, LATEST, NEWER, RUNNING, Release, Setup, archive_name, asset, row, run,
    tagged,
};

const HOUR: u64 = 3600;

fn http_date(in_seconds: i64) -> String {
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(in_seconds);
    jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&now).expect("a date")
}

#[test]
fn a_release_that_does_not_exist_is_not_found() {
    let setup = Setup::empty();
    let found = setup.fails(row("discover", "E_NOT_FOUND", 3), &[]);
    assert!(found["message"].as_str().is_some_and(|text| text.contains("published release")));
    setup.publish(&Release::new(NEWER));
    let error = setup.fails(row("discover", "E_NOT_FOUND", 3), &["--target-version", "7.7.7"]);
    assert!(error["message"].as_str().is_some_and(|text| text.contains("v7.7.7")), "{error}");
    assert_eq!(error["details"]["target_version"], "7.7.7");
}

#[test]
fn a_rate_limit_says_how_long_to_wait_and_is_not_waited_for() {
    let setup = Setup::new();
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_secs();
    let reset = (now + 600).to_string();
    let (later, past) = (http_date(120), http_date(-120));
    type Headers<'a> = Vec<(&'a str, &'a str)>;
    let cases: [(u16, Headers<'_>, std::ops::RangeInclusive<u64>); 12] = [
        (403, vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], 500..=600),
        (403, vec![("x-ratelimit-remaining", "0")], 60..=60),
        (403, vec![("retry-after", "17")], 17..=17),
        (429, vec![("retry-after", "17")], 17..=17),
        (429, vec![("retry-after", &later)], 60..=120),
        (429, vec![("retry-after", &past)], 0..=0),
        (403, vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "17")], 0..=0),
        (429, vec![("retry-after", "99999999999")], 6 * HOUR..=6 * HOUR),
        (429, vec![("retry-after", "99999999999999999999999")], 60..=60),
        (429, vec![("retry-after", "-5")], 60..=60),
        (429, vec![("retry-after", "soon")], 60..=60),
        (429, vec![], 60..=60),
    ];
    for (status, headers, expected) in cases {
        setup.host.set(LATEST, Reply::body(status, &headers, b"{}"));
        let error = setup.fails(row("discover", "E_RATE_LIMITED", 7), &[]);
        let wait = error["details"]["retry_after_s"].as_u64().expect("seconds");
        assert!(expected.contains(&wait), "{headers:?}: {wait}");
        assert!(error["details"]["fix"].as_str().is_some_and(|hint| hint.contains("GITHUB_TOKEN")));
    }
}

// Refused requests, missing releases, and unusual statuses.
#[test]
fn every_status_has_its_code() {
    let setup = Setup::new();
    for (status, code, exit) in [
        (403, "E_FORBIDDEN", 4),
        (401, "E_AUTH", 4),
        (404, "E_NOT_FOUND", 3),
        (500, "E_SERVER", 7),
        (502, "E_SERVER", 7),
        (503, "E_SERVER", 7),
        (504, "E_SERVER", 7),
        (408, "E_TIMEOUT", 8),
        (204, "E_NETWORK", 7),
        (206, "E_NETWORK", 7),
        (304, "E_NETWORK", 7),
        (418, "E_NETWORK", 7),
    ] {
        setup.host.set(LATEST, Reply::status(status));
        setup.fails(row("discover", code, exit), &[]);
    }
}

#[test]
fn a_host_that_cannot_be_understood_is_a_network_fault() {
    let setup = Setup::new();
    let good = setup.publish(&Release::new(NEWER)).to_string();
    for (name, reply) in [
        ("closes before the head", Reply::wire(b"")),
        ("resets before the head", Reply::wire(b"").then_reset()),
        ("speaks another language", Reply::wire(b"SSH-2.0-OpenSSH_9.2\r\n")),
        ("cuts the head", Reply::wire(b"HTTP/1.1 200 OK\r\ncontent-")),
        ("has a bad length", Reply::wire(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nxx")),
        (
            "has two lengths",
            Reply::wire(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nxxxxx"),
        ),
        ("cuts the body", Reply::cut(good.len(), &good.as_bytes()[..20])),
        ("resets in the body", Reply::cut(good.len(), &good.as_bytes()[..20]).then_reset()),
        (
            "cuts a chunk",
            Reply::wire(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{}"),
        ),
    ] {
        setup.host.set(LATEST, reply);
        let error = setup.fails(row("discover", "E_NETWORK", 7), &[]);
        assert!(error["details"]["cause"].is_string(), "{name}");
    }
}

#[test]
fn an_unreachable_host_is_a_network_fault() {
    let setup = Setup::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    for url in [address.as_str(), "https://releases.invalid"] {
        let mut command = setup.update_command(&[]);
        command.env("AOS_UPDATE_API_URL", url);
        row("discover", "E_NETWORK", 7).check(&setup, &run(&mut command));
    }
}

#[test]
fn a_host_that_is_silent_is_a_timeout() {
    let setup = Setup::new();
    setup.impatient();
    for reply in [
        Reply::wire(b"").then_stall(),
        Reply::wire(b"HTTP/1.1 200 OK\r\n").then_stall(),
        Reply::cut(100, b"{").then_stall(),
        Reply::cut(100_000, b"{").then_drip(),
    ] {
        setup.host.set(LATEST, reply);
        setup.fails(row("discover", "E_TIMEOUT", 8), &[]);
    }
}

// A slow host is not a fault.
#[test]
fn a_host_may_take_its_time() {
    let setup = Setup::new();
    setup.impatient();
    let described = setup.publish(&Release::new(NEWER));
    setup.host.set(LATEST, Reply::json(&described).after(Duration::from_millis(400)));
    assert_eq!(setup.update(&["--check"]).data()["status"], "available");
}

#[test]
fn redirects_end_and_stay_where_they_are_safe() {
    let setup = Setup::new();
    setup.host.set(LATEST, Reply::redirect(LATEST));
    setup.fails(row("discover", "E_NETWORK", 7), &[]);
    // Six are too many, wherever they end.
    let described = setup.publish(&Release::new(NEWER));
    for hop in 0..5 {
        setup.host.set(&format!("/step{hop}"), Reply::redirect(&format!("/step{}", hop + 1)));
    }
    setup.host.set(LATEST, Reply::redirect("/step0"));
    setup.host.set("/step5", Reply::json(&described));
    setup.fails(row("discover", "E_NETWORK", 7), &[]);
    assert!(!setup.host.paths().contains(&"/step5".to_owned()));
    setup.host.set(LATEST, Reply::redirect("http://[broken"));
    setup.fails(row("discover", "E_NETWORK", 7), &[]);
    for target in [
        "http://releases.example/x",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "data:application/json,{}",
    ] {
        setup.host.set(LATEST, Reply::redirect(target));
        let error = setup.fails(row("discover", "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], "insecure_redirect", "{target}");
    }
    // Five are fine.
    let described = setup.publish(&Release::new(NEWER));
    for hop in 0..4 {
        setup.host.set(&format!("/hop{hop}"), Reply::redirect(&format!("/hop{}", hop + 1)));
    }
    setup.host.set(LATEST, Reply::redirect("/hop0"));
    setup.host.set("/hop4", Reply::json(&described));
    assert_eq!(setup.update(&["--check"]).data()["status"], "available");
}

#[test]
fn a_page_to_sign_in_is_a_network_fault() {
    let setup = Setup::new();
    setup.host.set(LATEST, Reply::html());
    let error = setup.fails(row("discover", "E_NETWORK", 7), &[]);
    assert_eq!(error["details"]["cause"], "captive_portal");
}

#[test]
fn a_malformed_release_is_an_integrity_fault() {
    let setup = Setup::new();
    let good = setup.publish(&Release::new(NEWER));
    let mut texts: Vec<String> =
        ["[]", "{", "null", "{\"tag_name\": \"v1.2.3\", \"tag_name\": \"v1.2.3\"}"]
            .map(str::to_owned)
            .to_vec();
    for (place, value) in [
        ("/tag_name", Value::Null),
        ("/tag_name", json!("latest")),
        ("/tag_name", json!("1.2.3")),
        ("/tag_name", json!("v1.2.3/../../x")),
        ("/assets", json!("none")),
        ("/assets/0/name", json!("a/b")),
        ("/assets/0/browser_download_url", json!("file:///etc/passwd")),
    ] {
        let mut document = good.clone();
        *document.pointer_mut(place).expect("a member") = value;
        texts.push(document.to_string());
    }
    let mut twice = good.clone();
    let first = twice["assets"][0].clone();
    twice["assets"].as_array_mut().expect("assets").push(first);
    texts.push(twice.to_string());
    for text in texts {
        setup.host.set(LATEST, Reply::bytes(text.as_bytes()));
        let error = setup.fails(row("discover", "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], "malformed_release", "{text}");
    }
}

#[test]
fn an_endless_answer_is_an_integrity_fault() {
    let setup = Setup::new();
    for reply in [Reply::cut(5 * 1024 * 1024, b"{"), Reply::unbounded(b"{").then_flood()] {
        setup.host.set(LATEST, reply);
        let error = setup.fails(row("discover", "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], "endless_data");
    }
}

#[test]
fn another_release_than_the_one_asked_for_is_an_integrity_fault() {
    let setup = Setup::new();
    let other = setup.publish(&Release::new("1.2.2"));
    setup.host.set(&tagged(NEWER), Reply::json(&other));
    setup.fails(row("discover", "E_INTEGRITY", 1), &["--target-version", NEWER]);
}

// A replayed old release installs nothing.
#[test]
fn a_host_that_falls_behind_is_not_followed() {
    let setup = Setup::empty();
    setup.good_npx(RUNNING);
    setup.publish(&Release::new("0.0.1"));
    let data = setup.update(&["--check"]).data();
    assert_eq!(data["status"], "current");
    assert_eq!(data["update_available"], false);
    assert_eq!(data["remote_version"], "0.0.1");
    assert_eq!(data["target_version"], RUNNING);
    assert_eq!(data["notices"][0]["type"], "remote_older");
    assert_eq!(data["notices"][0]["severity"], "warning");
    // A newer one was there before: the one that is shown now is held back, or played again.
    setup.publish(&Release::new("2.0.0"));
    assert_eq!(setup.update(&["--check"]).data()["target_version"], "2.0.0");
    setup.publish(&Release::new(NEWER));
    let data = setup.update(&["--check"]).data();
    assert_eq!(data["status"], "current");
    assert_eq!(data["notices"][0]["type"], "possible_freeze");
    assert!(setup.sandbox.aos(&["context"]).json()["meta"].get("notices").is_none());
    setup.is_untouched();
}

#[test]
fn an_older_version_is_never_installed_silently() {
    let setup = Setup::empty();
    setup.publish(&Release::new("0.0.9"));
    let error = setup.fails(row("discover", "E_VALIDATION", 2), &["--target-version", "0.0.9"]);
    assert!(
        error["details"]["fix"].as_str().is_some_and(|hint| hint.contains("--allow-downgrade"))
    );
    assert_eq!(setup.host.paths(), [""; 0], "nobody was asked");
    for text in ["", "latest", "1.2", "1.2.3.4", "../x"] {
        setup.fails(row("discover", "E_VALIDATION", 2), &["--target-version", text]);
    }
}

#[test]
fn a_release_without_this_platform_says_what_it_has() {
    let setup = Setup::new();
    let mut described = setup.publish(&Release::new(NEWER));
    // A program for another C library or processor is never taken instead.
    for other in ["aos-v1.2.3-x86_64-unknown-linux-musl.tar.gz.sig", "aos-v1.2.3-other.tar.gz"] {
        described["assets"][0]["name"] = other.into();
        setup.host.set(LATEST, Reply::json(&described));
        for arguments in [&[][..], &["--check"], &["--dry-run"]] {
            let error = setup.fails(row("discover", "E_NOT_FOUND", 3), arguments);
            assert_eq!(error["details"]["wanted_asset"], archive_name(NEWER));
            assert!(
                error["details"]["available_assets"]
                    .as_array()
                    .is_some_and(|names| names.contains(&json!(other)))
            );
        }
    }
}

#[test]
fn an_unsigned_release_is_refused_before_any_download() {
    for (name, stage, cause) in
        [(CHECKSUMS, "verify_checksum", "no_checksums"), (BUNDLE, "verify_signature", "unsigned")]
    {
        let setup = Setup::empty();
        let mut release = Release::new(NEWER);
        release.unlisted.push(name);
        setup.publish(&release);
        let error = setup.fails(row(stage, "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], cause);
        assert_eq!(setup.host.paths(), [LATEST]);
        // Listed, but not there.
        setup.publish(&Release::new(NEWER));
        setup.host.remove(&asset(NEWER, name));
        let error = setup.fails(row(stage, "E_INTEGRITY", 1), &[]);
        assert_eq!(error["details"]["cause"], cause);
    }
}

// agent-cli §14: an unknown state is never a success.
#[test]
fn a_check_without_a_network_says_what_was_known_before() {
    let setup = Setup::new();
    let offline = |setup: &Setup| {
        let mut command = setup.update_command(&["--check"]);
        run(command.env("AOS_OFFLINE", "1")).error("E_NETWORK", 7)
    };
    assert_eq!(offline(&setup)["details"]["last_known"], Value::Null);
    setup.update(&["--check"]).data();
    let error = offline(&setup);
    assert_eq!(error["details"]["last_known"]["target_version"], NEWER);
    assert_eq!(error["details"]["last_known"]["update_available"], true);
    assert!(error["details"]["last_known"]["checked_at"].is_string());
}

#[test]
fn an_address_that_is_not_safe_is_a_configuration_fault() {
    let setup = Setup::new();
    for url in [
        "http://releases.example",
        "ftp://127.0.0.1",
        "127.0.0.1",
        "https://user:canary@releases.example",
    ] {
        let mut command = setup.update_command(&[]);
        command.env("AOS_UPDATE_API_URL", url);
        let answer = run(&mut command);
        row("discover", "E_CONFIG", 4).check(&setup, &answer);
        assert!(!answer.stdout.contains("canary"));
    }
}
