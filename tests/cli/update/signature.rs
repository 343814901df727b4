//! Every deviation in signer or content is reported as an integrity fault, never as a network fault.

use serde_json::json;

use super::host::Reply;
use super::setup::{
    BUNDLE, CHECKSUMS, NEWER, REPOSITORY, Release, Setup, archive_name, asset, listed, row, run,
};
use crate::sigstore::{Fault, Name, Signing, Sigstore};

const SIGNATURE: super::setup::Row =
    super::setup::Row { stage: "verify_signature", code: "E_INTEGRITY", exit: 1 };
const CHECKSUM: super::setup::Row =
    super::setup::Row { stage: "verify_checksum", code: "E_INTEGRITY", exit: 1 };

#[test]
fn a_file_that_is_not_a_bundle_is_refused() {
    let setup = Setup::empty();
    for bundle in [
        &b""[..],
        b"not JSON",
        b"{}",
        b"[]",
        br#"{"base64Signature": "x", "cert": "y", "rekorBundle": {}}"#,
        br#"{"mediaType": "application/vnd.dev.sigstore.bundle+json;version=9.9"}"#,
    ] {
        let mut release = Release::new(NEWER);
        release.bundle = Some(bundle.to_vec());
        setup.publish(&release);
        let error = setup.fails(SIGNATURE, &[]);
        assert_eq!(error["details"]["cause"], "bad_bundle");
    }
}

#[test]
fn a_signature_of_anybody_else_is_refused() {
    let setup = Setup::empty();
    let own =
        format!("https://github.com/{REPOSITORY}/.github/workflows/release.yml@refs/tags/v{NEWER}");
    let workflow =
        |name: String| Signing { name: Name::Uri(name), ..Signing::release(REPOSITORY, "v1.2.3") };
    for signing in [
        Signing::release("evil/aos", "v1.2.3"),
        // The workflow of another repository cannot build this one, and the other way round.
        Signing { repository: "evil/aos".to_owned(), ..Signing::release(REPOSITORY, "v1.2.3") },
        Signing::release(REPOSITORY, "v1.2.2"),
        Signing::release(REPOSITORY, "v1.2.30"),
        Signing {
            issuer: "https://issuer.example".to_owned(),
            ..Signing::release(REPOSITORY, "v1.2.3")
        },
        workflow(own.replace("release.yml", "ci.yml")),
        workflow(own.replace("refs/tags/v1.2.3", "refs/heads/main")),
        workflow(format!("{own}-rc.1")),
        workflow(format!("https://evil.example/?{own}")),
        workflow(format!("{own}/x")),
        workflow(own.replace("ArgentAIOS", "argentaios")),
        Signing {
            issuer: "https://token.actions.githubusercontent.com.example".to_owned(),
            ..Signing::release(REPOSITORY, "v1.2.3")
        },
        workflow(own.to_uppercase()),
        Signing {
            name: Name::Email("release@github.com".to_owned()),
            ..Signing::release(REPOSITORY, "v1.2.3")
        },
    ] {
        let mut release = Release::new(NEWER);
        let shown = format!("{:?}", signing.name);
        release.signing = signing;
        setup.publish(&release);
        let error = setup.fails(SIGNATURE, &[]);
        assert_eq!(error["details"]["cause"], "bad_signature", "{shown}");
    }
}

#[test]
fn a_list_that_was_changed_after_signing_is_refused() {
    let setup = Setup::new();
    let release = Release::new(NEWER);
    let list = listed(&archive_name(NEWER), &release.archive);
    for bytes in [format!("{list}\n"), list.to_uppercase(), listed(&archive_name(NEWER), b"evil")] {
        let mut described = setup.publish(&Release::new(NEWER));
        for asset in described["assets"].as_array_mut().expect("assets") {
            if asset["name"] == CHECKSUMS {
                asset["size"] = bytes.len().into();
            }
        }
        setup.host.set(super::setup::LATEST, Reply::json(&described));
        setup.host.set(&asset(NEWER, CHECKSUMS), Reply::bytes(bytes.as_bytes()));
        let error = setup.fails(SIGNATURE, &[]);
        assert_eq!(error["details"]["reason"], "other_file");
    }
    // The bundle of another file, signed by the right workflow.
    let mut release = Release::new(NEWER);
    release.bundle =
        Some(setup.sigstore.sign(b"another file", &release.signing).to_string().into_bytes());
    setup.publish(&release);
    setup.fails(SIGNATURE, &[]);
}

// Every fault that the fake Sigstore can inject.
#[test]
fn every_fault_of_a_signature_is_refused() {
    let setup = Setup::empty();
    for fault in [
        Fault::NoSct,
        Fault::SctOfForeignLog,
        Fault::SctOfOtherCertificate,
        Fault::ForeignAuthority,
        Fault::NoCodeSigning,
        Fault::NoIssuer,
        Fault::DeprecatedIssuerOnly,
        Fault::TwoNames,
        Fault::TwoNamesOfOtherKinds,
        Fault::NameOfOtherKind,
        Fault::ForeignLog,
        Fault::NamesOtherLog,
        Fault::BadPromise,
        Fault::NoPromise,
        Fault::BadInclusionProof,
        Fault::BadCheckpoint,
        Fault::CheckpointOfOtherTree,
        Fault::EntryOfOtherFile,
        Fault::EntryOfOtherCertificate,
        Fault::LoggedAfterExpiry,
        Fault::LoggedBeforeIssue,
        Fault::LoggedInFuture,
        Fault::BadSignature,
        Fault::OtherDigest,
    ] {
        let mut release = Release::new(NEWER);
        release.signing = release.signing.with(fault);
        setup.publish(&release);
        let error = setup.fails(SIGNATURE, &[]);
        assert_eq!(error["details"]["cause"], "bad_signature", "{fault:?}");
    }
    for fault in [
        Fault::NoTimestamp,
        Fault::ForeignTimestamp,
        Fault::TimestampOfOtherSignature,
        Fault::TimestampInFuture,
        Fault::ForeignLog,
        Fault::BadInclusionProof,
    ] {
        let mut release = Release::new(NEWER);
        release.signing = release.signing.second_log().with(fault);
        setup.publish(&release);
        let error = setup.fails(SIGNATURE, &[]);
        assert_eq!(error["details"]["cause"], "bad_signature", "{fault:?} of the second log");
    }
    // No entry in a log at all.
    let mut release = Release::new(NEWER);
    let list = listed(&archive_name(NEWER), &release.archive);
    release.checksums = Some(list.clone().into_bytes());
    let mut bundle = setup.sigstore.sign(list.as_bytes(), &release.signing);
    bundle["verificationMaterial"]["tlogEntries"] = json!([]);
    release.bundle = Some(bundle.to_string().into_bytes());
    setup.publish(&release);
    setup.fails(SIGNATURE, &[]);
}

// Both logs of a Sigstore are believed.
#[test]
fn a_release_in_either_log_is_accepted() {
    let setup = Setup::empty();
    let plain = Release::new(NEWER).signing;
    for signing in [plain.clone(), plain.second_log()] {
        let mut release = Release::new(NEWER);
        release.signing = signing;
        setup.publish(&release);
        let data = setup.update(&["--check"]).data();
        assert_eq!(data["signature_verified"], true, "{data}");
    }
}

// The list and the bundle of yesterday fit each other, but not this release.
#[test]
fn a_list_of_an_older_release_is_refused_with_its_own_signature() {
    let setup = Setup::empty();
    let older = Release::new("1.2.2");
    let mut release = Release::new(NEWER);
    let list = listed(&archive_name("1.2.2"), &older.archive);
    let bundle = setup.sigstore.sign(list.as_bytes(), &older.signing);
    release.checksums = Some(list.into_bytes());
    release.bundle = Some(bundle.to_string().into_bytes());
    setup.publish(&release);
    let error = setup.fails(SIGNATURE, &[]);
    assert_eq!(error["details"]["reason"], "wrong_signer");
}

// An attestation about the list is not its signature, even from the right workflow.
#[test]
fn an_attestation_is_not_a_signature() {
    let setup = Setup::empty();
    let mut release = Release::new(NEWER);
    release.signing = release.signing.attestation();
    setup.publish(&release);
    let error = setup.fails(SIGNATURE, &[]);
    assert_eq!(error["details"]["reason"], "not_a_signature");
}

// A release that Sigstore's own keys did not sign, and a root that is none.
#[test]
fn only_the_given_trust_root_is_used() {
    let setup = Setup::new();
    // Without the option the public root inside aos counts, and it knows nothing of this Sigstore.
    let answer = run(&mut setup.command(&["update"]));
    SIGNATURE.check(&setup, &answer);
    std::fs::write(setup.place("other.json"), Sigstore::new().trust_root().to_string())
        .expect("a root");
    let answer = run(&mut setup.command(&["update", "--trusted-root", "other.json"]));
    SIGNATURE.check(&setup, &answer);
    std::fs::write(setup.place("broken.json"), "{}").expect("a root");
    let answer = run(&mut setup.command(&["update", "--trusted-root", "broken.json"]));
    row("discover", "E_CONFIG", 4).check(&setup, &answer);
    let answer = run(&mut setup.command(&["update", "--trusted-root", "missing.json"]));
    row("discover", "E_NOT_FOUND", 3).check(&setup, &answer);
    // No variable selects another root, and nothing is downloaded to renew it.
    let mut command = setup.command(&["update"]);
    for name in ["AOS_TRUSTED_ROOT", "SIGSTORE_ROOT_FILE", "TUF_ROOT", "SIGSTORE_TRUSTED_ROOT"] {
        command.env(name, setup.place("trusted_root.json"));
    }
    setup.host.forget();
    SIGNATURE.check(&setup, &run(&mut command));
    let expected = [super::setup::LATEST.to_owned(), asset(NEWER, CHECKSUMS), asset(NEWER, BUNDLE)];
    assert_eq!(setup.host.paths(), expected);
}

#[test]
fn an_archive_with_another_digest_is_refused() {
    let setup = Setup::new();
    let mut bytes = Release::new(NEWER).archive;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    setup.host.set(&asset(NEWER, &archive_name(NEWER)), Reply::bytes(&bytes));
    let error = setup.fails(CHECKSUM, &[]);
    assert_eq!(error["details"]["cause"], "digest_mismatch");
}

#[test]
fn a_list_that_does_not_name_the_archive_exactly_once_is_refused() {
    let setup = Setup::empty();
    let name = archive_name(NEWER);
    let archive = Release::new(NEWER).archive;
    let good = listed(&name, &archive);
    let digest = good.split(' ').next().expect("a digest");
    for list in [
        String::new(),
        listed("aos-v1.2.3-other.tar.gz", &archive),
        format!("{good}{good}"),
        format!("{good}{}", listed(&name, b"evil")),
        format!("{}  {name}\n", &digest[1..]),
        format!("{}  {name}\n", "g".repeat(64)),
        format!("{digest}  ../{name}\n"),
        format!("{digest} {name}\n"),
        format!("{good}nonsense\n"),
    ] {
        let mut release = Release::new(NEWER);
        release.checksums = Some(list.clone().into_bytes());
        setup.publish(&release);
        let error = setup.fails(CHECKSUM, &[]);
        assert_eq!(error["details"]["cause"], "bad_checksums", "{list}");
        assert!(
            !setup.host.paths().contains(&asset(NEWER, &name)),
            "nothing was downloaded for it"
        );
    }
}

// Lists in the form of other tools are read.
#[test]
fn every_spelling_of_a_list_is_read() {
    let setup = Setup::empty();
    let name = archive_name(NEWER);
    let archive = Release::new(NEWER).archive;
    let good = listed(&name, &archive);
    let (digest, _) = good.split_once(' ').expect("a digest");
    let mut release = Release::new(NEWER);
    release.changelog = None;
    release.checksums = Some(format!("{} *{name}\r\n", digest.to_uppercase()).into_bytes());
    setup.publish(&release);
    setup.good_npx(NEWER);
    assert_eq!(setup.update(&[]).data()["status"], "updated");
}
