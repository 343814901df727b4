//! Hosts that are down, slow, overloaded or not the expected one: each fault has its code, and no project is OK.

use std::net::TcpListener;
use std::time::Instant;

use serde_json::Value;

use crate::disk;
use crate::sandbox::{Answer, run};
use crate::spec_release::scene::{Release, Scene, asset, latest, tagged};
use crate::spec_release::server::Reply;

const ARCHIVE: &str = "contract-v1.2.0.tar.gz";

/// Limits that a silent host reaches soon.
const IMPATIENT: (&str, &str) = ("AOS_TEST_HTTP_LIMIT_MS", "400");

fn impatient(scene: &Scene, arguments: &[&str]) -> Answer {
    run(scene.trusting(arguments).env(IMPATIENT.0, IMPATIENT.1))
}

/// With this reply at `path`, `sync-spec` writes nothing and `check` of a project that is in order says the same.
#[track_caller]
fn fails(path: &str, reply: &Reply, (code, exit): (&str, i32), cause: &str) -> Value {
    let scene = Scene::at_the_release();
    scene.server.set(path, reply.clone());
    let before = disk::state(&scene.project);
    let synced = impatient(&scene, &["sync-spec"]).error(code, exit);
    assert_eq!(synced["details"]["cause"], cause, "{reply:?}: {synced}");
    let checked = impatient(&scene, &["check"]).error(code, exit);
    assert_eq!(checked["details"]["cause"], cause, "{reply:?}: {checked}");
    assert_eq!(checked["retryable"], synced["retryable"]);
    assert_eq!(checked["details"]["projects"][0]["status"], "uncompared");
    assert_eq!(checked["details"]["projects"][0]["trust"], "none");
    assert_eq!(checked["details"]["summary"]["ok"], 0);
    impatient(&scene, &["gen", "--check"]).error(code, exit);
    assert!(disk::state(&scene.project) == before, "{reply:?}");
    assert!(!scene.cache().exists(), "{reply:?}");
    synced
}

const NETWORK: (&str, i32) = ("E_NETWORK", 7);
const INTEGRITY: (&str, i32) = ("E_INTEGRITY", 1);
const TIMEOUT: (&str, i32) = ("E_TIMEOUT", 8);

fn status(status: u16) -> Reply {
    Reply::Status(status, String::new())
}

#[test]
fn an_answer_of_the_host_says_what_to_do() {
    let path = tagged("v1.2.0");
    fails(&path, &status(404), ("E_NOT_FOUND", 3), "not_found");
    fails(&path, &status(401), ("E_AUTH", 4), "unauthorized");
    fails(&path, &status(403), ("E_FORBIDDEN", 4), "forbidden");
    fails(&path, &status(408), TIMEOUT, "server_timeout");
    fails(&path, &status(429), ("E_RATE_LIMITED", 7), "rate_limited");
    fails(&path, &status(500), ("E_SERVER", 7), "server_error");
    fails(&path, &status(503), ("E_SERVER", 7), "server_error");
    fails(&path, &status(204), NETWORK, "unexpected_status");
    fails(&path, &status(304), NETWORK, "unexpected_status");
    let limited = Reply::Status(403, "X-RateLimit-Remaining: 0\r\nRetry-After: 77\r\n".to_owned());
    let error = fails(&path, &limited, ("E_RATE_LIMITED", 7), "rate_limited");
    assert_eq!(error["details"]["retry_after_s"], 77);
}

#[test]
fn the_question_for_the_newest_release_fails_in_the_same_ways() {
    let scene = Scene::at_the_release();
    let newest = ["sync-spec", "--to", "latest"];
    let answering = |reply: Reply| {
        scene.server.set(&latest(), reply);
        impatient(&scene, &newest)
    };
    let error = answering(status(404)).error("E_NOT_FOUND", 3);
    assert!(error["details"]["fix"].as_str().unwrap().contains("--to TAG"), "{error}");
    answering(status(401)).error("E_AUTH", 4);
    answering(status(403)).error("E_FORBIDDEN", 4);
    answering(status(429)).error("E_RATE_LIMITED", 7);
    answering(status(502)).error("E_SERVER", 7);
    answering(Reply::Closed).error("E_NETWORK", 7);
    answering(Reply::Silent).error("E_TIMEOUT", 8);
    answering(Reply::Endless).error("E_INTEGRITY", 1);
}

#[test]
fn a_broken_connection_can_be_tried_again() {
    for path in [tagged("v1.2.0"), asset("v1.2.0", "checksums.txt"), asset("v1.2.0", ARCHIVE)] {
        fails(&path, &Reply::Closed, NETWORK, "no_connection");
        fails(&path, &Reply::Garbage, NETWORK, "no_connection");
    }
}

#[test]
fn a_truncated_body_is_refused() {
    let release = Release::new("v1.2.0");
    let archive = asset("v1.2.0", ARCHIVE);
    let half = release.archive.len() / 2;
    fails(&archive, &Reply::Cut(release.archive.clone(), half), NETWORK, "cut_off");
    fails(&archive, &Reply::Cut(release.archive.clone(), 0), NETWORK, "cut_off");
    // Without a length it would look complete; the description of the release knows better.
    fails(&archive, &Reply::Unmeasured(release.archive[..half].to_vec()), NETWORK, "cut_off");
    fails(&archive, &Reply::file(&release.archive[..20]), NETWORK, "cut_off");
    fails(&asset("v1.2.0", "checksums.txt"), &Reply::Unmeasured(Vec::new()), NETWORK, "cut_off");
}

#[test]
fn a_silent_host_is_waited_for_until_the_time_limit() {
    let clock = Instant::now();
    for path in [tagged("v1.2.0"), asset("v1.2.0", ARCHIVE)] {
        fails(&path, &Reply::Silent, TIMEOUT, "timed_out");
        fails(&path, &Reply::Stalled(100), TIMEOUT, "timed_out");
    }
    assert!(clock.elapsed().as_secs() < 300, "{:?}", clock.elapsed());
}

#[test]
fn a_sign_in_page_is_not_a_release() {
    let portal = Reply::portal();
    for path in [tagged("v1.2.0"), asset("v1.2.0", "checksums.txt"), asset("v1.2.0", ARCHIVE)] {
        fails(&path, &portal, NETWORK, "captive_portal");
    }
    let scene = Scene::new();
    scene.server.set(&latest(), portal);
    let error = scene.sync(&["--to", "latest"]).error("E_NETWORK", 7);
    assert_eq!(error["details"]["cause"], "captive_portal");
}

#[test]
fn a_redirect_is_followed_to_safe_places_only() {
    let path = tagged("v1.2.0");
    fails(&path, &Reply::Redirect("file:///etc/passwd".into()), INTEGRITY, "insecure_redirect");
    fails(&path, &Reply::Redirect("http://x.example/".into()), INTEGRITY, "insecure_redirect");
    fails(&path, &Reply::Redirect(path.clone()), NETWORK, "bad_redirect");
    let scene = Scene::at_the_release();
    scene.server.set("/moved", scene.server.reply(&path));
    scene.server.set(&path, Reply::Redirect("/moved".to_owned()));
    scene.check().data();
}

#[test]
fn data_without_end_is_refused() {
    fails(&tagged("v1.2.0"), &Reply::Endless, INTEGRITY, "endless_data");
    fails(&asset("v1.2.0", "checksums.txt"), &Reply::Endless, INTEGRITY, "endless_data");
    fails(&asset("v1.2.0", ARCHIVE), &Reply::Endless, INTEGRITY, "endless_data");
}

#[test]
fn an_archive_that_is_not_there_is_an_incomplete_release() {
    fails(&asset("v1.2.0", ARCHIVE), &status(404), ("E_NOT_FOUND", 3), "not_found");
    fails(&asset("v1.2.0", ARCHIVE), &status(503), ("E_SERVER", 7), "server_error");
}

/// The host is unreachable, and the spec text was changed.
#[test]
fn without_the_host_a_changed_text_is_never_in_order() {
    let scene = Scene::at_the_release();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let down = |arguments: &[&str]| {
        run(scene.trusting(arguments).env("AOS_UPDATE_API_URL", format!("http://{closed}")))
    };
    down(&["check"]).error("E_NETWORK", 7);
    disk::append(&scene.project.join(".agent/CONNECTOR-SPEC.md"), "Anything goes.\n");
    let error = down(&["check"]).error("E_NETWORK", 7);
    assert_eq!(error["retryable"], true);
    assert_eq!(error["details"]["projects"][0]["fault"]["code"], "E_NETWORK");
    let text = run(scene.trusting(&["check", "--format", "text"]).env("AOS_OFFLINE", "1"));
    assert!(!text.stdout.contains("OK") && !text.stderr.contains("OK"), "{text:?}");
    assert!(
        text.stdout.contains("NOT COMPARED") || text.stderr.contains("NOT COMPARED"),
        "{text:?}"
    );
    down(&["sync-spec"]).error("E_NETWORK", 7);
    scene.check().error("E_DRIFT", 6);
}

#[test]
fn offline_no_request_is_made() {
    let scene = Scene::at_the_release();
    for arguments in [&["check"][..], &["sync-spec"], &["sync-spec", "--to", "latest"], &["gen"]] {
        let error = scene.offline(arguments).error("E_NETWORK", 7);
        assert_eq!(error["details"]["cause"], "offline", "{arguments:?}");
    }
    assert!(scene.server.asked().is_empty());
}

#[test]
fn a_host_on_an_unsafe_address_is_not_asked() {
    let scene = Scene::at_the_release();
    for url in ["http://x.example", "ftp://127.0.0.1", "file:///tmp", "https://user:word@x.example"]
    {
        let answer = run(scene.trusting(&["check"]).env("AOS_UPDATE_API_URL", url));
        let error = answer.error("E_CONFIG", 4);
        assert_eq!(error["details"]["cause"], "bad_address", "{url}");
        assert!(!error.to_string().contains("word@"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_while_the_host_is_silent_ends_the_command() {
    let scene = Scene::at_the_release();
    scene.server.set(&asset("v1.2.0", ARCHIVE), Reply::Silent);
    let before = disk::state(&scene.project);
    for arguments in [&["sync-spec"][..], &["check"]] {
        let mut command = scene.trusting(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let waiting = Instant::now();
        while !scene.server.asked().iter().any(|asked| asked.path.ends_with(ARCHIVE)) {
            assert!(waiting.elapsed().as_secs() < 60, "the archive was never asked for");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let id = child.id().to_string();
        assert!(
            std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success()
        );
        let answer = crate::sandbox::answer(child.wait_with_output().unwrap());
        answer.error("E_INTERRUPTED", 130);
        assert!(disk::state(&scene.project) == before);
        assert!(!scene.cache().exists());
    }
}

#[test]
fn an_unusable_trust_root_is_named_before_any_request() {
    let scene = Scene::at_the_release();
    let bad = scene.sandbox.write("bad.json", "{}");
    let bad = bad.to_str().unwrap();
    scene.aos(&["sync-spec", "--trusted-root", bad]).error("E_CONFIG", 4);
    scene.aos(&["check", "--trusted-root", bad]).error("E_CONFIG", 4);
    scene.aos(&["gen", "--trusted-root", bad]).error("E_CONFIG", 4);
    for command in ["sync-spec", "check", "gen"] {
        scene.aos(&[command, "--trusted-root", "absent.json"]).error("E_NOT_FOUND", 3);
    }
    assert!(scene.server.asked().is_empty());
}
