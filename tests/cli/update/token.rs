//! The token of the environment: for the API alone, left out when it is the trouble, never shown.

use super::host::{Host, Reply};
use super::setup::{BUNDLE, CHECKSUMS, LATEST, NEWER, Release, Setup, asset, row, run};

const TOKEN: &str = "ghp_canary0123456789abcdef0123456789ab";

/// The requests that were sent with a token.
fn with_token(host: &Host) -> Vec<String> {
    let seen = host.seen();
    let with = seen.iter().filter(|seen| seen.header("authorization").is_some());
    with.map(|seen| seen.path.clone()).collect()
}

#[test]
fn a_token_that_is_not_accepted_is_left_out_once_and_never_shown() {
    let setup = Setup::new();
    let token = "ghp_canary0123456789abcdef0123456789ab";
    setup.host.set(LATEST, Reply::status(401));
    let with_token = |setup: &Setup, over_http: bool| {
        let mut command = setup.update_command(&["--check"]);
        command.env("GITHUB_TOKEN", token);
        if over_http {
            command.env("AOS_TEST_TOKEN_OVER_HTTP", "1");
        }
        run(&mut command)
    };
    let answer = with_token(&setup, true);
    let error = answer.error("E_AUTH", 4);
    assert!(error["message"].as_str().is_some_and(|text| text.contains("GITHUB_TOKEN")), "{error}");
    let sent: Vec<_> = setup
        .host
        .seen()
        .iter()
        .map(|seen| seen.header("authorization").map(str::to_owned))
        .collect();
    assert_eq!(sent, [Some(format!("Bearer {token}")), None]);
    assert!(!answer.stdout.contains("canary") && !answer.stderr.contains("canary"));
    // Without encryption, and for another host than the one of the token, it is not sent at all.
    setup.host.forget();
    setup.publish(&Release::new(NEWER));
    with_token(&setup, false).data();
    assert!(setup.host.seen().iter().all(|seen| seen.header("authorization").is_none()));
    // Assets never get it.
    setup.host.forget();
    with_token(&setup, true).data();
    let seen = setup.host.seen();
    let with: Vec<_> = seen
        .iter()
        .filter(|seen| seen.header("authorization").is_some())
        .map(|seen| seen.path.as_str())
        .collect();
    assert_eq!(with, [LATEST]);
}

// Without the token, it works.
#[test]
fn a_token_that_is_not_accepted_does_not_stop_an_update() {
    let setup = Setup::new();
    let described = setup.publish(&Release::new(NEWER));
    setup.host.set(LATEST, Reply::status(401));
    setup.host.set_after(LATEST, Reply::json(&described));
    let mut command = setup.update_command(&["--check"]);
    command.env("GITHUB_TOKEN", TOKEN).env("AOS_TEST_TOKEN_OVER_HTTP", "1");
    assert_eq!(run(&mut command).data()["status"], "available");
    assert_eq!(with_token(&setup.host), [LATEST]);
}

// Without a token a 401 is final.
#[test]
fn a_host_that_requires_credentials_gets_one_request() {
    let setup = Setup::new();
    setup.host.set(LATEST, Reply::status(401));
    setup.fails(row("discover", "E_AUTH", 4), &[]);
    assert_eq!(setup.host.paths(), [LATEST]);
}

#[test]
fn a_token_does_not_follow_a_redirect() {
    let setup = Setup::new();
    let described = setup.publish(&Release::new(NEWER));
    setup.host.set("/moved", Reply::json(&described));
    setup.host.set(LATEST, Reply::redirect("/moved"));
    let mut command = setup.update_command(&["--check"]);
    command.env("GITHUB_TOKEN", "ghp_canary").env("AOS_TEST_TOKEN_OVER_HTTP", "1");
    run(&mut command).data();
    let seen = setup.host.seen();
    let moved = seen.iter().find(|seen| seen.path == "/moved").expect("a second question");
    assert_eq!(moved.header("authorization"), None);
}

// Another host never gets the token, whichever host redirects to it.
#[test]
fn a_token_is_never_sent_to_another_host() {
    let setup = Setup::new();
    let other = Host::new();
    let described = Release::new(NEWER).describe(&other, &setup.sigstore);
    other.set(LATEST, Reply::json(&described));
    setup.host.set(LATEST, Reply::redirect(&format!("{}{LATEST}", other.base)));
    for name in [CHECKSUMS, BUNDLE] {
        let path = asset(NEWER, name);
        setup.host.set(&path, Reply::redirect(&format!("{}{path}", other.base)));
    }
    let mut command = setup.update_command(&["--check"]);
    command.env("GITHUB_TOKEN", TOKEN).env("AOS_TEST_TOKEN_OVER_HTTP", "1");
    let answer = run(&mut command);
    assert_eq!(answer.data()["status"], "available");
    assert_eq!(with_token(&setup.host), [LATEST]);
    assert_eq!(with_token(&other), [""; 0]);
    assert!(other.paths().len() >= 3, "{:?}", other.paths());
    assert!(!answer.stdout.contains("canary"), "{answer:?}");
}

// If a token cannot be sent in a header, the call works without it and does not print it.
#[test]
fn an_invalid_token_is_not_sent() {
    for token in ["ghp_canary\nx-evil: 1", "ghp_canary\u{e9}\u{7f}"] {
        let setup = Setup::new();
        let mut command = setup.update_command(&["--check"]);
        command.env("GITHUB_TOKEN", token).env("AOS_TEST_TOKEN_OVER_HTTP", "1");
        let answer = run(&mut command);
        assert_eq!(answer.data()["status"], "available");
        assert!(setup.host.seen().iter().all(|seen| seen.header("x-evil").is_none()));
        assert!(!answer.stdout.contains("canary"), "{answer:?}");
    }
}
