//! The signature of the list is checked by cosign or by an installed aos, never by the downloaded program.

use std::path::Path;

use crate::release::{Archive, Release, VERSION, program};
use crate::scene::{Scene, script};
use crate::sigstore::{Signing, Sigstore};

const IDENTITY: &str =
    "https://github.com/ArgentAIOS/aos/.github/workflows/release.yml@refs/tags/v9.8.7";
const ISSUER: &str = "https://token.actions.githubusercontent.com";

/// A cosign that writes down what it is asked and answers with `exit`.
fn cosign(scene: &Scene, help: &str, exit: i32) {
    let log = scene.home().join("cosign.log");
    let body = format!(
        "if [ \"$2\" = --help ]; then echo '{help}'; exit 0; fi\n\
         for word; do echo \"$word\"; done >'{}'\necho 'cosign has spoken' >&2\nexit {exit}",
        log.display()
    );
    scene.shim("cosign", &body);
}

#[test]
fn cosign_must_verify_exactly_the_workflow_at_the_tag() {
    let (mut scene, _) = Scene::with_release();
    cosign(&scene, "--new-bundle-format", 0);
    // A mirror does not change who must have signed.
    scene.set("AOS_REQUIRE_SIGNATURE", "1");
    let answer = scene.install(&[]);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    assert!(answer.stdout.contains(&format!("signature: verified with cosign: {IDENTITY}")));
    assert!(!answer.stderr.contains("NOT checked"), "{answer:?}");
    let log = std::fs::read_to_string(scene.home().join("cosign.log")).unwrap();
    let words: Vec<_> = log.lines().collect();
    assert_eq!(words[..2], ["verify-blob", "--new-bundle-format"]);
    assert!(words[3].ends_with("/checksums.txt.sigstore.json"), "{words:?}");
    assert_eq!(
        words[4..8],
        ["--certificate-identity", IDENTITY, "--certificate-oidc-issuer", ISSUER]
    );
    assert!(words[8].ends_with("/checksums.txt"), "{words:?}");
    assert_eq!(words.len(), 9);
}

#[test]
fn an_archive_is_not_downloaded_if_cosign_refuses_the_list() {
    let (scene, _) = Scene::with_release();
    script(&scene.target(), &program("1.0.0"));
    cosign(&scene, "--new-bundle-format", 1);
    let answer = scene.refused(&[], 1, "cosign refuses the signature");
    assert!(answer.stderr.contains("cosign has spoken"), "{answer:?}");
    assert!(!scene.downloaded());
}

#[test]
fn a_cosign_that_knows_no_bundles_is_not_asked() {
    let (scene, _) = Scene::with_release();
    cosign(&scene, "--signature", 1);
    let answer = scene.install(&[]);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    assert!(answer.stderr.contains("NOT checked"), "{answer:?}");
}

#[test]
fn a_signature_that_is_demanded_and_cannot_be_checked_ends_the_run() {
    let (scene, _) = Scene::with_release();
    scene.refused(
        &["--require-signature"],
        4,
        "no program on this machine can check the signature",
    );
    assert!(!scene.downloaded());
}

#[test]
fn the_new_program_is_never_asked_about_itself() {
    let scene = Scene::new();
    let log = scene.home().join("log");
    let body = format!("#!/bin/sh\necho \"$*\" >>'{}'\necho 'aos {VERSION}'\n", log.display());
    let archive = Archive::new(VERSION).file("aos", &body).documents();
    Release::of_archive(VERSION, archive.bytes()).publish(&scene.server);
    assert_eq!(scene.install(&[]).exit, Some(0));
    assert_eq!(std::fs::read_to_string(log).unwrap(), "--version\n");
}

/// The program under test as the earlier aos, which believes the given Sigstore in place of the public one.
fn earlier_aos(scene: &Scene, place: &Path, sigstore: &Sigstore) {
    let root = scene.home().join("trusted_root.json");
    std::fs::write(&root, sigstore.trust_root().to_string()).unwrap();
    let body = format!(
        "case $1 in verify) exec '{}' \"$@\" --trusted-root '{}' ;; *) exec '{0}' \"$@\" ;; esac",
        env!("CARGO_BIN_EXE_aos"),
        root.display()
    );
    script(place, &body);
}

#[test]
fn an_aos_that_is_installed_verifies_the_next_one() {
    let sigstore = Sigstore::new();
    for on_path_only in [false, true] {
        let scene = Scene::new();
        let mut release = Release::new(VERSION);
        let signing = Signing::release("ArgentAIOS/aos", "v9.8.7");
        release.bundle = sigstore.sign(&release.checksums, &signing).to_string().into_bytes();
        release.publish(&scene.server);
        let place = if on_path_only { scene.path_directory().join("aos") } else { scene.target() };
        earlier_aos(&scene, &place, &sigstore);
        let answer = scene.install(&["--require-signature"]);
        assert_eq!(answer.exit, Some(0), "{answer:?}");
        assert!(answer.stdout.contains("signature: verified with"), "{answer:?}");
        assert_eq!(std::fs::read_to_string(scene.target()).unwrap(), program(VERSION));
    }
}

#[test]
fn an_aos_that_is_installed_refuses_every_other_signer_and_every_other_list() {
    let sigstore = Sigstore::new();
    let ours = || Signing::release("ArgentAIOS/aos", "v9.8.7");
    let rows = [
        (Signing::release("ArgentAIOS/aos", "v9.8.6"), false),
        (Signing::release("ArgentAIOS/aos2", "v9.8.7"), false),
        (Signing::release("argentaios/aos", "v9.8.7"), false),
        (Signing { issuer: "https://issuer.example".to_owned(), ..ours() }, false),
        (ours().attestation(), false),
        (ours(), true),
    ];
    for (signing, is_other_list) in rows {
        let scene = Scene::new();
        let mut release = Release::new(VERSION);
        release.bundle = sigstore.sign(&release.checksums, &signing).to_string().into_bytes();
        if is_other_list {
            release.checksums.extend(b"\n");
        }
        release.publish(&scene.server);
        earlier_aos(&scene, &scene.target(), &sigstore);
        scene.refused(&[], 1, "refuses the signature of version 9.8.7");
        assert!(!scene.downloaded(), "{signing:?}");
    }
}
