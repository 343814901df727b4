//! Each thing that a Sigstore can do wrong, through the real binary: the reason, and nothing but a refusal.

use serde_json::Value;

use crate::sigstore::{Fault, Signing};
use crate::verify::{Signed, release};

fn reason(signing: &Signing) -> String {
    let answer = Signed::new(signing).verify(&[]);
    let error = answer.error("E_INTEGRITY", 1);
    assert_eq!(error["retryable"], false);
    assert!(error["details"]["fix"].is_string(), "{error}");
    error["details"]["reason"].as_str().expect("a reason").to_owned()
}

// Rows V2, V3 and V4 of the fault table.
#[test]
fn every_fault_of_a_service_is_a_refusal_with_its_reason() {
    for (fault, expected) in [
        (Fault::NoSct, "bad_certificate"),
        (Fault::SctOfForeignLog, "bad_certificate"),
        (Fault::SctOfOtherCertificate, "bad_certificate"),
        (Fault::ForeignAuthority, "bad_certificate"),
        (Fault::NoCodeSigning, "bad_certificate"),
        (Fault::NoIssuer, "wrong_issuer"),
        (Fault::ForeignLog, "bad_log_entry"),
        (Fault::NamesOtherLog, "bad_log_entry"),
        (Fault::BadPromise, "bad_log_entry"),
        (Fault::NoPromise, "no_proof_of_time"),
        (Fault::BadInclusionProof, "bad_log_entry"),
        (Fault::BadCheckpoint, "bad_log_entry"),
        (Fault::CheckpointOfOtherTree, "bad_log_entry"),
        (Fault::EntryOfOtherFile, "other_file"),
        (Fault::EntryOfOtherCertificate, "bad_log_entry"),
        (Fault::LoggedAfterExpiry, "bad_certificate"),
        (Fault::LoggedBeforeIssue, "bad_certificate"),
        (Fault::BadSignature, "bad_signature"),
        (Fault::OtherDigest, "other_file"),
    ] {
        assert_eq!(reason(&release().with(fault)), expected, "{fault:?}");
    }
}

#[test]
fn every_fault_of_the_second_log_is_a_refusal_with_its_reason() {
    for (fault, expected) in [
        (Fault::ForeignLog, "bad_log_entry"),
        (Fault::BadInclusionProof, "bad_log_entry"),
        (Fault::BadCheckpoint, "bad_log_entry"),
        (Fault::CheckpointOfOtherTree, "bad_log_entry"),
        (Fault::EntryOfOtherFile, "other_file"),
        (Fault::EntryOfOtherCertificate, "bad_log_entry"),
        (Fault::ForeignTimestamp, "no_proof_of_time"),
        (Fault::TimestampOfOtherSignature, "no_proof_of_time"),
        (Fault::NoTimestamp, "no_proof_of_time"),
        (Fault::BadSignature, "bad_signature"),
    ] {
        assert_eq!(reason(&release().second_log().with(fault)), expected, "{fault:?}");
    }
}

// A timestamp that is right does not excuse a promise that is wrong.
#[test]
fn one_proof_of_time_does_not_excuse_another() {
    let both = Signing { timestamp: true, ..release() };
    for fault in [Fault::BadPromise, Fault::ForeignTimestamp, Fault::TimestampOfOtherSignature] {
        reason(&both.clone().with(fault));
    }
}

#[test]
fn a_time_in_the_future_points_at_the_clock() {
    for signing in [
        release().with(Fault::LoggedInFuture),
        release().second_log().with(Fault::TimestampInFuture),
    ] {
        let error = Signed::new(&signing).verify(&[]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "signed_in_the_future");
        assert!(error["details"]["fix"].as_str().expect("a hint").contains("clock"), "{error}");
    }
}

// The verifier uses only the first name of a type that it knows.
#[test]
fn a_certificate_names_one_signer_of_the_right_kind() {
    for fault in [Fault::TwoNames, Fault::TwoNamesOfOtherKinds, Fault::NameOfOtherKind] {
        assert_eq!(reason(&release().with(fault)), "bad_certificate", "{fault:?}");
    }
}

// The verifier uses the deprecated extension if the current one is missing.
#[test]
fn an_issuer_in_the_deprecated_extension_alone_is_refused() {
    assert_eq!(reason(&release().with(Fault::DeprecatedIssuerOnly)), "bad_certificate");
}

// The verifier accepts any log of the root in place of the one that the entry names.
#[test]
fn an_entry_of_the_second_log_names_the_log_that_signed_it() {
    assert_eq!(reason(&release().second_log().with(Fault::NamesOtherLog)), "bad_log_entry");
}

// The verifier does not check the validity period of a log of version 2.
#[test]
fn the_key_of_the_log_was_valid_at_the_time_of_signing() {
    for (log, signing) in [(0, release()), (1, release().second_log())] {
        for (edge, time) in [("end", "2020-01-01T00:00:00Z"), ("start", "2090-01-01T00:00:00Z")] {
            let signed = Signed::new(&signing);
            let mut root = signed.sigstore.trust_root();
            let window = &mut root["tlogs"][log]["publicKey"]["validFor"];
            if edge == "end" {
                window["start"] = "2019-01-01T00:00:00Z".into();
            }
            window[edge] = time.into();
            signed.trust_root(&root);
            let error = signed.verify(&[]).error("E_INTEGRITY", 1);
            assert_eq!(error["details"]["reason"], "bad_log_entry", "{log} {edge}");
        }
    }
}

#[test]
fn a_changed_file_is_not_the_signed_one() {
    let signed = Signed::new(&release());
    for text in
        ["", "c0ffee  aos_1.2.3_linux_amd64.tar.gz", "c0ffee  aos_1.2.3_linux_amd64.tar.gz\n\n"]
    {
        signed.sandbox.write("checksums.txt", text);
        let error = signed.verify(&[]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "other_file", "{text}");
    }
}

// A valid release of yesterday under the name of today's.
#[test]
fn an_older_release_does_not_pass_for_a_newer_one() {
    let signed = Signed::new(&Signing::release("acme/aos", "v1.2.2"));
    assert_eq!(signed.verify(&[]).error("E_INTEGRITY", 1)["details"]["reason"], "wrong_signer");
}

/// The name of a change of a trust root, and the change.
type Edit = (&'static str, fn(&mut Value));

// An unusable trust root is a fault of the configuration, not a verdict.
#[test]
fn a_faulty_trust_root_is_not_a_verdict() {
    let signed = Signed::new(&release());
    let edits: [Edit; 8] = [
        ("no media type", |root| drop(root.as_object_mut().map(|root| root.remove("mediaType")))),
        ("other media type", |root| root["mediaType"] = "application/json".into()),
        ("no logs", |root| root["tlogs"] = Value::Array(Vec::new())),
        ("no authorities", |root| root["certificateAuthorities"] = Value::Array(Vec::new())),
        ("no certificate logs", |root| {
            drop(root.as_object_mut().map(|root| root.remove("ctlogs")))
        }),
        ("no start", |root| root["tlogs"][0]["publicKey"]["validFor"] = serde_json::json!({})),
        ("empty chain", |root| {
            root["certificateAuthorities"][0]["certChain"]["certificates"] =
                Value::Array(Vec::new());
        }),
        ("a log twice", |root| {
            let log = root["tlogs"][0].clone();
            root["tlogs"].as_array_mut().expect("logs").push(log);
        }),
    ];
    for (name, edit) in edits {
        let mut root = signed.sigstore.trust_root();
        edit(&mut root);
        signed.trust_root(&root);
        let error = signed.verify(&[]).error("E_CONFIG", 4);
        let message = error["message"].as_str().expect("a message");
        assert!(
            message.starts_with("the trust root `root.json` cannot be used: "),
            "{name}: {message}"
        );
    }
    for text in ["", "{", "[]", "null", "\u{feff}{}"] {
        signed.sandbox.write("root.json", text);
        signed.verify(&[]).error("E_CONFIG", 4);
    }
    signed.sandbox.write("root.json", &" ".repeat(1024 * 1024 + 1));
    signed.verify(&[]).error("E_CONFIG", 4);
}
