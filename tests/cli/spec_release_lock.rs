//! `trust = "lock"`: unsigned sources. The digests of the first download are trusted, and every response says so.

use serde_json::json;

use crate::disk;
use crate::sandbox::run;
use crate::spec_release::scene::{
    Entry, Release, SOURCE, SPEC_TEXT, Scene, asset, contract, latest, signer, tagged, tarball,
};
use crate::spec_release::server::Reply;

/// The archive that a host makes of a repository: a directory of an unknown name, a comment, links and other files.
fn repository(contract: Vec<u8>) -> Vec<Entry> {
    let top = "acme-specs-0123abc";
    vec![
        Entry::Comment,
        Entry::Directory(format!("{top}/")),
        Entry::File(format!("{top}/README.md"), b"# Specs\n".to_vec()),
        Entry::File(format!("{top}/readme.md"), b"twice on some systems\n".to_vec()),
        Entry::Link(format!("{top}/CLAUDE.md"), "README.md".into()),
        Entry::File(format!("{top}/contract/harness/v1.2.0/contract.json"), contract),
        Entry::File(format!("{top}/contract/harness/v1.2.0/CONNECTOR-SPEC.md"), SPEC_TEXT.to_vec()),
    ]
}

#[test]
fn an_unsigned_release_is_accepted_and_every_response_says_that_it_is_unsigned() {
    let scene = Scene::trusting_the_lock();
    scene.publish(&Release::new("v1.2.0").unsigned());
    let preview = scene.sync(&["--to", "v1.2.0", "--dry-run"]).data();
    assert_eq!((&preview["trust"], &preview["signer"]), (&json!("lock"), &json!(null)));
    let data = scene.sync(&["--to", "v1.2.0"]).data();
    assert_eq!((&data["source"], &data["trust"]), (&json!(SOURCE), &json!("lock")));
    assert_eq!(data["signer"], json!(null));
    let again = scene.offline(&["sync-spec"]).data();
    assert_eq!((&again["status"], &again["trust"]), (&json!("unchanged"), &json!("lock")));
    let verdict = scene.offline(&["check"]).data();
    assert_eq!(verdict["projects"][0]["trust"], "lock");
    assert_eq!(scene.offline(&["gen"]).data()["trust"], "lock");
    let text = run(&mut scene.trusting(&["check", "--format", "text"])).stdout;
    assert!(text.contains("trusted by its lock only"), "{text}");
    let text = scene.sync(&["--format", "text"]).stdout;
    assert!(text.contains("trusted by its lock only"), "{text}");
    let record = disk::read(&scene.project.join("aos.toml"));
    assert!(record.contains(SOURCE) && record.contains("trust = \"lock\""), "{record}");
}

#[test]
fn digests_that_an_unsigned_release_lists_must_be_right() {
    let scene = Scene::trusting_the_lock();
    let mut release = Release::new("v1.2.0");
    release.has_bundle = false;
    scene.publish(&release);
    assert_eq!(scene.sync(&["--to", "v1.2.0", "--dry-run"]).data()["trust"], "lock");
    for list in
        [format!("{}  contract-v1.2.0.tar.gz\n", "0".repeat(64)), "x\n".into(), String::new()]
    {
        release.list = list.into_bytes();
        scene.publish(&release);
        scene.sync(&["--to", "v1.2.0"]).error("E_INTEGRITY", 1);
    }
}

#[test]
fn a_signed_release_is_still_verified() {
    let scene = Scene::trusting_the_lock();
    scene.publish(&Release::new("v1.2.0"));
    let data = scene.sync(&["--to", "v1.2.0"]).data();
    assert_eq!((&data["trust"], &data["signer"]), (&json!("signed"), &json!(signer("v1.2.0"))));
    // The record still trusts the lock, so that is what the check compares with, and says.
    assert_eq!(scene.offline(&["check"]).data()["projects"][0]["trust"], "lock");
}

#[test]
fn a_tag_without_a_release_is_taken_from_what_the_host_packs() {
    let scene = Scene::trusting_the_lock();
    scene.pack("v1.2.0", &repository(contract("v1.2.0", |_| {})));
    let data = scene.sync(&["--to", "v1.2.0"]).data();
    assert_eq!((&data["tag"], &data["trust"]), (&json!("v1.2.0"), &json!("lock")));
    assert_eq!(data["release_url"], "https://github.com/acme/specs/tree/v1.2.0");
    let asked: Vec<_> = scene.server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked, [tagged("v1.2.0"), tarball("v1.2.0"), "/codeload/v1.2.0".to_owned()]);
    assert_eq!(scene.offline(&["check"]).data()["projects"][0]["trust"], "lock");
    // A release without an archive of the contract is the same.
    let scene = Scene::trusting_the_lock();
    let mut release = Release::new("v1.2.0");
    release.archive_name = "tool.tar.gz".to_owned();
    scene.publish(&release);
    scene.pack("v1.2.0", &repository(contract("v1.2.0", |_| {})));
    assert_eq!(scene.sync(&["--to", "latest"]).data()["trust"], "lock");
}

#[test]
fn without_trust_in_the_lock_nothing_that_the_host_packs_is_taken() {
    let scene = Scene::new();
    scene.pack("v1.2.0", &repository(contract("v1.2.0", |_| {})));
    scene.sync(&["--to", "v1.2.0"]).error("E_NOT_FOUND", 3);
    let asked: Vec<_> = scene.server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked, [tagged("v1.2.0")]);
}

#[test]
fn the_place_of_a_contract_in_a_repository_can_be_named() {
    let scene = Scene::trusting_the_lock();
    scene.record(
        "trust =",
        "files = { contract = \"spec/contract.json\", spec = \".agent/SPEC.md\" }\ntrust =",
    );
    let file = |path: &str, bytes: &[u8]| Entry::File(format!("top/{path}"), bytes.to_vec());
    scene.pack(
        "v1.2.0",
        &[
            file("spec/contract.json", &contract("v1.2.0", |_| {})),
            file(".agent/SPEC.md", SPEC_TEXT),
        ],
    );
    scene.sync(&["--to", "v1.2.0"]).data();
    scene.check().data();
}

#[test]
fn an_archive_of_the_host_must_be_one_safe_directory() {
    let whole = repository(contract("v1.2.0", |_| {}));
    let file = |path: &str| Entry::File(path.to_owned(), b"x".to_vec());
    let wanted = "acme-specs-0123abc/contract/harness/v1.2.0/contract.json";
    let with = |bad: Entry| whole.iter().cloned().chain([bad]).collect::<Vec<_>>();
    let linked = whole.iter().cloned().map(|entry| match entry {
        Entry::File(path, _) if path == wanted => Entry::Link(path, "/etc/passwd".into()),
        entry => entry,
    });
    for entries in [
        with(file("other-top/x")),
        with(file("acme-specs-0123abc/../../x")),
        with(file("/x")),
        with(file(wanted)),
        linked.collect(),
    ] {
        let scene = Scene::trusting_the_lock();
        scene.pack("v1.2.0", &entries);
        let before = disk::state(&scene.project);
        let error = scene.sync(&["--to", "v1.2.0"]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["cause"], "bad_archive", "{entries:?}");
        assert!(disk::state(&scene.project) == before);
    }
}

#[test]
fn faults_of_the_host_are_faults_here_too() {
    let scene = Scene::trusting_the_lock();
    let before = disk::state(&scene.project);
    for (reply, code, exit) in [
        (Reply::Status(404, String::new()), "E_NOT_FOUND", 3),
        (Reply::Status(500, String::new()), "E_SERVER", 7),
        (Reply::portal(), "E_NETWORK", 7),
        (Reply::Redirect("file:///etc/passwd".into()), "E_INTEGRITY", 1),
        (Reply::Cut(b"half".repeat(100), 100), "E_NETWORK", 7),
        (Reply::Unmeasured(b"half".to_vec()), "E_INTEGRITY", 1),
        (Reply::Endless, "E_INTEGRITY", 1),
        (Reply::Closed, "E_NETWORK", 7),
    ] {
        scene.server.set(&tarball("v1.2.0"), reply.clone());
        let answer = scene.sync(&["--to", "v1.2.0"]);
        answer.error(code, exit);
        assert!(disk::state(&scene.project) == before, "{reply:?}");
    }
    // After a fault of the release, aos does not try another source.
    scene.pack("v1.2.0", &repository(contract("v1.2.0", |_| {})));
    for status in [403, 429, 500] {
        scene.server.set(&tagged("v1.2.0"), Reply::Status(status, String::new()));
        assert_ne!(scene.sync(&["--to", "v1.2.0"]).exit, Some(0));
    }
}

#[test]
fn a_tag_that_changes_its_bytes_is_refused() {
    let scene = Scene::trusting_the_lock();
    scene.publish(&Release::new("v1.2.0").unsigned());
    scene.sync(&["--to", "v1.2.0"]).data();
    let moved = contract("v1.2.0", |contract| {
        contract["error_codes"]["NEW_CODE"] = json!({"exit": 5, "retryable": true, "details": []});
    });
    scene.publish(&Release::holding("v1.2.0", &moved).unsigned());
    // The copy in the project has the digests in the lock, so there is no request.
    scene.server.asked();
    assert_eq!(scene.sync(&["--to", "v1.2.0"]).data()["status"], "unchanged");
    assert!(scene.server.asked().is_empty());
    // A copy that has to be had again must be the one of the first time.
    std::fs::remove_file(scene.project.join("contract/contract.json")).unwrap();
    let before = disk::state(&scene.project);
    let error = scene.sync(&[]).error("E_INTEGRITY", 1);
    assert!(error["message"].as_str().unwrap().contains("other bytes"), "{error}");
    assert!(disk::state(&scene.project) == before);
    scene.publish(&Release::new("v1.2.0").unsigned());
    scene.sync(&[]).data();
    scene.check().data();
}

#[test]
fn a_signed_tag_that_changes_its_bytes_is_followed_and_mentioned() {
    let scene = Scene::at_the_release();
    let moved = contract("v1.2.0", |contract| {
        contract["error_codes"]["NEW_CODE"] = json!({"exit": 5, "retryable": true, "details": []});
    });
    scene.publish(&Release::holding("v1.2.0", &moved));
    scene.check().error("E_DRIFT", 6);
    scene.forget();
    let data = scene.sync(&[]).data();
    assert!(data["notes"].to_string().contains("other bytes"), "{data}");
    scene.check().data();
}

#[test]
fn a_copy_that_only_the_lock_vouches_for_is_still_guarded() {
    let scene = Scene::trusting_the_lock();
    scene.publish(&Release::new("v1.2.0").unsigned());
    scene.sync(&["--to", "v1.2.0"]).data();
    let drifts = |rule: &str| {
        let error = scene.check().error("E_DRIFT", 6);
        assert!(error.to_string().contains(rule), "{rule}: {error}");
    };
    let contract = scene.project.join("contract/contract.json");
    let text = disk::read(&contract);
    disk::append(&contract, " ");
    drifts("drift/modified");
    run(&mut scene.trusting(&["gen", "--check"])).error("E_DRIFT", 6);
    std::fs::remove_file(&contract).unwrap();
    drifts("contract/contract.json");
    std::fs::write(&contract, text).unwrap();
    scene.check().data();
    let lock = scene.project.join(".agent/spec.lock");
    let saved = disk::read(&lock);
    for other in ["embedded", "directory", "github:evil/specs"] {
        std::fs::write(&lock, saved.replace(SOURCE, other)).unwrap();
        drifts("spec/source-unavailable");
        assert_ne!(run(&mut scene.trusting(&["gen", "--check"])).exit, Some(0));
    }
    std::fs::remove_file(&lock).unwrap();
    drifts("lock/missing");
    std::fs::write(&lock, saved).unwrap();
    // Without that trust only a signature counts, and there is none.
    scene.record("trust = \"lock\"\n", "");
    let error = scene.check().error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["cause"], "no_checksums");
}

#[test]
fn another_source_is_a_difference_until_it_was_synced() {
    let scene = Scene::trusting_the_lock();
    scene.publish(&Release::new("v1.2.0").unsigned());
    scene.sync(&["--to", "v1.2.0"]).data();
    scene.record(SOURCE, "github:acme/other");
    scene.check().error("E_DRIFT", 6);
    run(&mut scene.trusting(&["gen"])).error("E_CONFLICT", 6);
    scene.sync(&[]).error("E_NOT_FOUND", 3);
    // A lock of a host does not vouch for what is said to come from a directory.
    scene.record("github:acme/other", "directory");
    scene.check().error("E_DRIFT", 6);
    run(&mut scene.trusting(&["gen"])).error("E_CONFLICT", 6);
    scene.record("\"directory\"", &format!("\"{SOURCE}\""));
    scene.check().data();
    let preview = run(&mut scene.trusting(&["gen", "--dry-run"])).data();
    assert_eq!(preview["trust"], "lock");
}

#[test]
fn the_newest_release_is_asked_for_and_the_copy_is_kept_when_it_is_that() {
    let scene = Scene::trusting_the_lock();
    scene.publish(&Release::new("v1.2.0").unsigned());
    scene.sync(&["--to", "latest"]).data();
    scene.server.asked();
    assert_eq!(scene.sync(&["--to", "latest"]).data()["status"], "unchanged");
    let asked: Vec<_> = scene.server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked, [latest()]);
    let archive = asset("v1.2.0", "contract-v1.2.0.tar.gz");
    scene.server.set(&archive, Reply::Status(500, String::new()));
    assert_eq!(scene.sync(&["--to", "v1.2.0"]).data()["status"], "unchanged");
}
