//! Releases that are not what their signer said, or say what was never released: nothing of them reaches a project.

use serde_json::Value;

use crate::disk;
use crate::sigstore::{Fault, Name, Signing};
use crate::spec_release::scene::{Entry, Release, SPEC_TEXT, Scene, asset, contract};
use crate::spec_release::server::Reply;

/// The release is refused by `sync-spec`, `check` and `gen` with this cause, and the project stays.
#[track_caller]
fn refused(release: &Release, cause: &str) {
    for scene in [Scene::new(), Scene::trusting_the_lock()] {
        scene.publish(release);
        refused_in(&scene, cause);
    }
}

#[track_caller]
fn refused_in(scene: &Scene, cause: &str) {
    let before = disk::state(&scene.project);
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["cause"], cause, "{error}");
    assert_eq!(error["retryable"], false);
    assert!(error["message"].as_str().unwrap().contains("github:acme/specs"), "{error}");
    assert!(disk::state(&scene.project) == before);
    assert!(!scene.cache().exists(), "nothing of it is kept");
}

/// A release with something wrong in it.
fn changed(change: impl Fn(&mut Release)) -> Release {
    let mut release = Release::new("v1.2.0");
    change(&mut release);
    release
}

#[test]
fn a_release_that_nobody_signed_is_refused() {
    let scene = Scene::new();
    for (release, cause) in [
        (Release::new("v1.2.0").unsigned(), "no_checksums"),
        (changed(|release| release.has_list = false), "no_checksums"),
        (changed(|release| release.has_bundle = false), "unsigned"),
    ] {
        scene.publish(&release);
        refused_in(&scene, cause);
    }
    let error = scene.sync(&["--to", "latest"]).error("E_INTEGRITY", 1);
    assert!(error["details"]["fix"].as_str().unwrap().contains("trust = \"lock\""), "{error}");
}

#[test]
fn a_release_without_its_signature_or_list_is_refused() {
    for scene in [Scene::new(), Scene::trusting_the_lock()] {
        scene.publish(&Release::new("v1.2.0"));
        let place = asset("v1.2.0", "checksums.txt.sigstore.json");
        scene.server.set(&place, Reply::Status(404, String::new()));
        refused_in(&scene, "unsigned");
        let place = asset("v1.2.0", "checksums.txt");
        scene.server.set(&place, Reply::Status(404, String::new()));
        refused_in(&scene, "no_checksums");
    }
}

#[test]
fn only_the_release_workflow_of_the_source_at_the_tag_may_sign() {
    let named = |name: &str| changed(|release| release.signing.name = Name::Uri(name.to_owned()));
    let workflow = "https://github.com/acme/specs/.github/workflows/release.yml@refs/tags/v1.2.0";
    for release in [
        changed(|release| release.signing = Signing::release("acme/other", "v1.2.0")),
        changed(|release| release.signing = Signing::release("evil/specs", "v1.2.0")),
        changed(|release| release.signing = Signing::release("acme/specs", "v1.1.9")),
        named(&workflow.replace("release.yml", "ci.yml")),
        named(&workflow.replace("tags/v1.2.0", "heads/main")),
        named(&format!("{workflow}0")),
        named(&format!("https://evil.example/{workflow}")),
        changed(|release| release.signing.issuer = "https://evil.example".to_owned()),
        changed(|release| release.signing = release.signing.clone().with(Fault::ForeignAuthority)),
        changed(|release| release.signing = release.signing.clone().with(Fault::BadSignature)),
        changed(|release| release.signing = release.signing.clone().with(Fault::BadInclusionProof)),
    ] {
        refused(&release, "bad_signature");
    }
}

#[test]
fn the_public_trust_root_does_not_believe_another_sigstore() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    let error = scene.aos(&["sync-spec", "--to", "v1.2.0"]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["cause"], "bad_signature");
}

#[test]
fn a_signed_release_of_another_tag_cannot_be_played_again() {
    let old = Release::new("v1.1.5");
    for scene in [Scene::new(), Scene::trusting_the_lock()] {
        let mut replayed = Release::new("v1.2.0");
        (replayed.archive, replayed.list) = (old.archive.clone(), old.list.clone());
        replayed.signing = old.signing.clone();
        scene.publish(&replayed);
        refused_in(&scene, "bad_signature");
    }
    // Signed at the right tag, with the archive of another one inside.
    let mixed = Release::of("v1.2.0", old.archive);
    refused(&mixed, "bad_archive");
}

#[test]
fn a_release_that_was_changed_after_signing_is_refused() {
    for scene in [Scene::new(), Scene::trusting_the_lock()] {
        let release = Release::new("v1.2.0");
        scene.publish(&release);
        let archive = asset("v1.2.0", "contract-v1.2.0.tar.gz");
        let mut tampered = release.archive.clone();
        let last = tampered.len() - 20;
        tampered[last] ^= 1;
        scene.server.set(&archive, Reply::file(&tampered));
        refused_in(&scene, "digest_mismatch");
        scene.publish(&release);
        let mut list = release.list.clone();
        list[0] = if list[0] == b'0' { b'1' } else { b'0' };
        scene.server.set(&asset("v1.2.0", "checksums.txt"), Reply::file(&list));
        refused_in(&scene, "bad_signature");
    }
}

#[test]
fn a_list_that_does_not_name_the_archive_once_is_refused() {
    let digest = "0".repeat(64);
    for list in [
        format!("{digest}  other.tar.gz\n"),
        format!("{digest}  contract-v1.2.0.tar.gz\n{digest}  contract-v1.2.0.tar.gz\n"),
        "not a list\n".to_owned(),
        format!("{}  contract-v1.2.0.tar.gz\n", &digest[1..]),
        String::new(),
    ] {
        refused(&changed(|release| release.list = list.clone().into_bytes()), "bad_checksums");
    }
}

#[test]
fn an_archive_with_anything_but_plain_files_below_its_directory_is_refused() {
    let good = |name: &str| {
        Entry::File(
            format!("contract-v1.2.0/harness/v1.2.0/{name}"),
            match name {
                "contract.json" => contract("v1.2.0", |_| {}),
                _ => SPEC_TEXT.to_vec(),
            },
        )
    };
    let whole = [good("contract.json"), good("CONNECTOR-SPEC.md")];
    let outside = |path: &str| Entry::File(path.to_owned(), b"x".to_vec());
    for bad in [
        outside("contract-v1.2.0/../../escaped"),
        outside("/tmp/escaped"),
        outside("other/contract.json"),
        outside("contract-v1.2.0/a\\..\\b"),
        outside("contract-v1.2.0//a"),
        Entry::Link("contract-v1.2.0/harness".into(), "/etc".into()),
        Entry::Link("contract-v1.2.0/link".into(), "../../x".into()),
        good("contract.json"),
        outside("contract-v1.2.0/HARNESS/V1.2.0/CONTRACT.JSON"),
        Entry::Comment,
    ] {
        let entries: Vec<_> = whole.iter().cloned().chain([bad.clone()]).collect();
        refused(&Release::packing("v1.2.0", &entries), "bad_archive");
    }
    let archive = Release::new("v1.2.0").archive;
    let short = &archive[..archive.len() / 2];
    let more = [archive.as_slice(), b"more"].concat();
    for bytes in [short.to_vec(), more, b"not an archive".to_vec(), Vec::new()] {
        refused(&Release::of("v1.2.0", bytes), "bad_archive");
    }
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused() {
    let big = vec![b' '; 3 * 1024 * 1024];
    refused(&Release::holding("v1.2.0", &big), "bad_archive");
    let filler = vec![0; 65 * 1024 * 1024];
    let entries = [Entry::File("contract-v1.2.0/filler".into(), filler)];
    refused(&Release::packing("v1.2.0", &entries), "bad_archive");
    let many: Vec<_> = (0..1001)
        .map(|number| Entry::File(format!("contract-v1.2.0/{number}"), Vec::new()))
        .collect();
    refused(&Release::packing("v1.2.0", &many), "bad_archive");
}

#[test]
fn an_archive_without_the_contract_says_where_it_was_looked_for() {
    let scene = Scene::new();
    let before = disk::state(&scene.project);
    let entries = [Entry::File("contract-v1.2.0/README.md".into(), b"x".to_vec())];
    scene.publish(&Release::packing("v1.2.0", &entries));
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_NOT_FOUND", 3);
    let looked = error["details"]["looked_for"].as_array().unwrap();
    assert!(looked.contains(&"harness/v1.2.0/contract.json".into()), "{error}");
    assert!(error["details"]["fix"].as_str().unwrap().contains("prefix"), "{error}");
    // The contract without the text is not half a release.
    let path = "contract-v1.2.0/contract.json";
    let entries = [Entry::File(path.into(), contract("v1.2.0", |_| {}))];
    scene.publish(&Release::packing("v1.2.0", &entries));
    scene.forget();
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["looked_for"], serde_json::json!(["CONNECTOR-SPEC.md"]));
    assert!(disk::state(&scene.project) == before);
}

#[test]
fn a_signed_release_without_the_archive_is_not_found() {
    let scene = Scene::new();
    let mut release = Release::new("v1.2.0");
    release.archive_name = "contracts.tar.gz".to_owned();
    scene.publish(&release);
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["wanted_asset"], "contract-v1.2.0.tar.gz");
    assert!(error["details"]["available_assets"].to_string().contains("contracts.tar.gz"));
}

type Change = fn(&mut Value);

#[test]
fn signed_or_not_a_release_keeps_what_was_released_before() {
    let changes: [Change; 5] = [
        |c| c["error_codes"]["PERMISSION_DENIED"]["exit"] = 4.into(),
        |c| c["error_codes"]["BACKEND_UNAVAILABLE"]["retryable"] = false.into(),
        |c| drop(c["error_codes"].as_object_mut().unwrap().remove("NOT_FOUND")),
        |c| c["exit_codes"][0]["name"] = "fine".into(),
        |c| c["modes"].as_array_mut().unwrap().reverse(),
    ];
    for change in changes {
        for scene in [Scene::new(), Scene::trusting_the_lock()] {
            let before = disk::state(&scene.project);
            scene.publish(&Release::holding("v1.2.0", &contract("v1.2.0", change)));
            let error = scene.sync(&["--to", "v1.2.0"]);
            assert!(
                ["E_INTEGRITY", "E_VALIDATION"]
                    .contains(&error.json()["error"]["code"].as_str().unwrap()),
                "{error:?}"
            );
            assert!(disk::state(&scene.project) == before);
        }
    }
}

#[test]
fn a_tag_that_the_program_carries_has_its_bytes_or_is_refused() {
    for scene in [Scene::new(), Scene::trusting_the_lock()] {
        scene.publish(&Release::holding(
            "v1.1.0",
            &contract("v1.1.0", |c| {
                c["error_codes"]["NEW_CODE"] =
                    serde_json::json!({"exit": 5, "retryable": true, "details": []});
            }),
        ));
        let before = disk::state(&scene.project);
        let error = scene.sync(&["--to", "v1.1.0"]).error("E_INTEGRITY", 1);
        assert!(error["message"].as_str().unwrap().contains("never changes"), "{error}");
        assert!(disk::state(&scene.project) == before);
    }
}

#[test]
fn a_contract_that_calls_itself_another_tag_is_refused() {
    let scene = Scene::new();
    scene.publish(&Release::holding("v1.2.0", &contract("v1.3.0", |_| {})));
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_INTEGRITY", 1);
    assert!(error["message"].as_str().unwrap().contains("v1.3.0"), "{error}");
    let other = contract("v1.2.0", |c| c["contract"] = "agent-cli".into());
    scene.publish(&Release::holding("v1.2.0", &other));
    let error = scene.sync(&["--to", "v1.2.0"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("agent-cli"), "{error}");
}

#[test]
fn values_of_a_contract_never_become_code() {
    let scene = Scene::new();
    let before = disk::state(&scene.project);
    let changes: [Change; 6] = [
        |c| c["error_codes"]["NOT_FOUND"]["exit"] = "__import__('os')".into(),
        |c| c["error_codes"]["NOT_FOUND"]["retryable"] = "false".into(),
        |c| c["envelope"]["schema_version"] = serde_json::json!({}),
        |c| c["modes"] = "admin".into(),
        |c| c["modes"][0] = true.into(),
        |c| c["__proto__"] = serde_json::json!({}),
    ];
    for change in changes {
        scene.publish(&Release::holding("v1.2.0", &contract("v1.2.0", change)));
        scene.sync(&["--to", "v1.2.0"]).error("E_VALIDATION", 2);
        scene.forget();
    }
    for bytes in [
        &b"\xef\xbb\xbf{}"[..],
        b"{\"tag\": \"v1.2.0\", \"tag\": \"v1.2.0\"}",
        b"[]",
        b"",
        b"{\"contract\": \"harness\", \"tag\": \"\xff\"}",
        b"<html></html>",
    ] {
        scene.publish(&Release::holding("v1.2.0", bytes));
        scene.sync(&["--to", "v1.2.0"]).error("E_VALIDATION", 2);
        scene.forget();
    }
    assert!(disk::state(&scene.project) == before);
}

#[test]
fn a_link_in_the_project_is_not_followed() {
    let scene = Scene::new();
    scene.publish(&Release::new("v1.2.0"));
    let outside = scene.sandbox.write("outside.json", "mine");
    let vendored = scene.project.join("contract/contract.json");
    std::fs::remove_file(&vendored).unwrap();
    std::os::unix::fs::symlink(&outside, &vendored).unwrap();
    scene.sync(&["--to", "v1.2.0"]).error("E_CONFLICT", 6);
    assert_eq!(disk::read(&outside), "mine");
    assert_eq!(disk::read(&scene.project.join(".agent/SPEC_VERSION")), "v1.1.0\n");
}
