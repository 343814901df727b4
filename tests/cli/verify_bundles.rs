//! Bundles that a lenient reader takes: doubled, unknown, missing and oversized parts, old formats, random damage.

use serde_json::{Value, json};

use crate::sigstore::Signing;
use crate::verify::{FILE, Signed, release};

/// The reason why the binary refuses this text as a bundle.
fn refused(signed: &Signed, text: &str) -> String {
    signed.sandbox.write("bundle.json", text);
    let error = signed.verify(&[]).error("E_INTEGRITY", 1);
    error["details"]["reason"].as_str().expect("a reason").to_owned()
}

fn edited(signed: &Signed, signing: &Signing, edit: impl Fn(&mut Value)) -> String {
    let mut bundle = signed.sigstore.sign(FILE, signing);
    edit(&mut bundle);
    refused(signed, &bundle.to_string())
}

fn remove(object: &mut Value, name: &str) {
    object.as_object_mut().expect("an object").remove(name).expect("a member");
}

// The media type is not signed, and a missing one reads as version 0.1, which needs no proof.
#[test]
fn the_media_type_is_named_and_known() {
    let signed = Signed::new(&release());
    assert_eq!(
        edited(&signed, &release(), |bundle| remove(bundle, "mediaType")),
        "malformed_bundle"
    );
    for other in [
        "",
        "application/json",
        "application/vnd.dev.sigstore.bundle.v0.4+json",
        "application/vnd.dev.sigstore.bundle+json;version=0.1 ",
    ] {
        assert_eq!(
            edited(&signed, &release(), |bundle| bundle["mediaType"] = other.into()),
            "unknown_format"
        );
    }
}

// Under the name of version 0.1, the verifier would accept a promise alone.
#[test]
fn an_inclusion_proof_is_always_there() {
    for version in ["0.1", "0.2", "0.3"] {
        let signing = Signing { version, ..release() };
        let signed = Signed::new(&signing);
        signed.verify(&[]).data();
        let without = edited(&signed, &signing, |bundle| {
            remove(&mut bundle["verificationMaterial"]["tlogEntries"][0], "inclusionProof");
        });
        assert_eq!(without, "malformed_bundle", "{version}");
        let without = edited(&signed, &signing, |bundle| {
            bundle["verificationMaterial"]["tlogEntries"][0]["inclusionProof"]["checkpoint"]["envelope"] =
                "".into();
        });
        assert_ne!(without, "", "{version}");
    }
}

// A v0.3 bundle with only a promise, relabelled.
#[test]
fn a_new_bundle_does_not_pass_for_an_old_one() {
    let signed = Signed::new(&release());
    let relabelled = edited(&signed, &release(), |bundle| {
        bundle["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.1".into();
        bundle["verificationMaterial"]["tlogEntries"][0]["inclusionProof"] = Value::Null;
    });
    assert_eq!(relabelled, "malformed_bundle");
}

#[test]
fn there_is_exactly_one_log_entry() {
    let signed = Signed::new(&release());
    let none = edited(&signed, &release(), |bundle| {
        bundle["verificationMaterial"]["tlogEntries"] = json!([]);
    });
    let two = edited(&signed, &release(), |bundle| {
        let entries = &mut bundle["verificationMaterial"]["tlogEntries"];
        let entry = entries[0].clone();
        entries.as_array_mut().expect("entries").push(entry);
    });
    assert_eq!((none.as_str(), two.as_str()), ("malformed_bundle", "malformed_bundle"));
}

// If there are two, the verifier uses one and ignores the other.
#[test]
fn each_choice_is_made_once() {
    let signed = Signed::new(&release());
    let other = signed.sigstore.sign(FILE, &release().attestation());
    let both = edited(&signed, &release(), |bundle| {
        bundle["dsseEnvelope"] = other["dsseEnvelope"].clone()
    });
    let neither = edited(&signed, &release(), |bundle| remove(bundle, "messageSignature"));
    let key = edited(&signed, &release(), |bundle| {
        bundle["verificationMaterial"]["publicKey"] = json!({"hint": "x"});
    });
    let chain = edited(&signed, &release(), |bundle| {
        let certificate = bundle["verificationMaterial"]["certificate"].clone();
        bundle["verificationMaterial"]["x509CertificateChain"] =
            json!({"certificates": [certificate]});
    });
    let nobody = edited(&signed, &release(), |bundle| {
        remove(&mut bundle["verificationMaterial"], "certificate")
    });
    for reason in [both, neither, key, chain, nobody] {
        assert_eq!(reason, "malformed_bundle");
    }
}

#[test]
fn a_duplicate_or_unknown_member_is_refused() {
    let signed = Signed::new(&release());
    let text = signed.sigstore.sign(FILE, &release()).to_string();
    for (place, with) in [
        ("\"messageSignature\":", "\"messageSignature\":null,\"messageSignature\":"),
        (
            "\"mediaType\":",
            "\"mediaType\":\"application/vnd.dev.sigstore.bundle+json;version=0.1\",\"mediaType\":",
        ),
        ("\"logIndex\":", "\"logIndex\":\"7\",\"logIndex\":"),
        ("\"messageSignature\":", "\"unknown\":1,\"messageSignature\":"),
        ("\"rawBytes\":", "\"other\":\"\",\"rawBytes\":"),
        ("\"keyId\":", "\"keyID\":\"\",\"keyId\":"),
    ] {
        assert!(text.contains(place), "{place}");
        assert_eq!(refused(&signed, &text.replacen(place, with, 1)), "malformed_bundle", "{with}");
    }
    // Both are whole: the first is damaged, the second is right, or the other way round.
    let bundle = signed.sigstore.sign(FILE, &release());
    let right = bundle["messageSignature"].to_string();
    let wrong = right.replacen("SHA2_256", "SHA2_512", 1);
    for (first, second) in [(&right, &wrong), (&wrong, &right), (&right, &right)] {
        let twice = format!("\"messageSignature\":{first},\"messageSignature\":{second}");
        let text = bundle.to_string().replacen(&format!("\"messageSignature\":{right}"), &twice, 1);
        assert!(text.contains(&twice));
        assert_eq!(refused(&signed, &text), "malformed_bundle");
    }
    // A list in place of an object is read by position, and so differently by different readers.
    let listed = edited(&signed, &release(), |bundle| {
        let entry = &mut bundle["verificationMaterial"]["tlogEntries"][0];
        entry["logId"] = json!([entry["logId"]["keyId"]]);
    });
    assert_eq!(listed, "malformed_bundle");
}

#[test]
fn a_bundle_has_a_size() {
    let signed = Signed::new(&release());
    let text = signed.sigstore.sign(FILE, &release()).to_string();
    let padding = 256 * 1024 - text.len();
    signed.sandbox.write("bundle.json", &format!("{text}{}", " ".repeat(padding)));
    signed.verify(&[]).data();
    assert_eq!(refused(&signed, &format!("{text}{}", " ".repeat(padding + 1))), "malformed_bundle");
    assert_eq!(refused(&signed, &"[".repeat(200_000)), "malformed_bundle");
}

#[test]
fn the_format_of_cosign_2_is_named_with_what_to_do() {
    let signed = Signed::new(&release());
    let legacy = json!({
        "base64Signature": "MEUCIQ==",
        "cert": "LS0tLS1CRUdJTg==",
        "rekorBundle": {"SignedEntryTimestamp": "MEUCIQ==", "Payload": {"body": "e30="}},
    });
    signed.bundle(&legacy);
    let error = signed.verify(&[]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["reason"], "old_format");
    assert!(
        error["details"]["fix"].as_str().expect("a hint").contains("cosign sign-blob --bundle"),
        "{error}"
    );
}

// Row V1.
#[test]
fn a_file_that_is_not_a_bundle_is_refused() {
    let signed = Signed::new(&release());
    for text in
        ["", " ", "{", "[]", "null", "1", "{}", "MEUCIQDx", "\u{feff}{}", "{\"mediaType\": 1}"]
    {
        assert_eq!(refused(&signed, text), "malformed_bundle", "{text}");
    }
    std::fs::write(signed.sandbox.work().join("bundle.json"), b"\xff\xfe{}").expect("a file");
    signed.verify(&[]).error("E_INTEGRITY", 1);
}

/// The value at every leaf of `value`, as a list of JSON pointers.
fn leaves(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(name, value)| leaves(value, &format!("{place}/{name}"), found))
        }
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(at, value)| leaves(value, &format!("{place}/{at}"), found)),
        _ => found.push(place.to_owned()),
    }
}

// Whatever is changed in a bundle, at whatever place, it is not accepted, and never by a panic.
#[test]
fn damage_at_any_place_is_refused() {
    for signing in [release(), release().second_log(), release().attestation()] {
        let signed = Signed::new(&signing);
        let arguments: &[&str] = if signing.attestation { &["--attestation"] } else { &[] };
        let bundle = signed.sigstore.sign(FILE, &signing);
        let mut places = Vec::new();
        leaves(&bundle, "", &mut places);
        assert!(places.len() > 12, "{places:?}");
        for place in places {
            let original = bundle.pointer(&place).and_then(Value::as_str).expect("text").to_owned();
            // The middle of a checkpoint may be the name beside a signature, which nothing depends on.
            let at = if place.ends_with("/envelope") { 0 } else { original.len() / 2 };
            let mut damaged = original.clone();
            damaged.replace_range(at..=at, if &original[at..=at] == "A" { "B" } else { "A" });
            for wrong in [json!(damaged), json!(""), json!("A"), json!(7), Value::Null] {
                let mut changed = bundle.clone();
                *changed.pointer_mut(&place).expect("a place") = wrong.clone();
                signed.bundle(&changed);
                let answer = signed.verify(arguments);
                if answer.exit == Some(0) {
                    assert!(is_optional(&place, &wrong), "{place} = {wrong}: {answer:?}");
                } else {
                    let code = answer.json()["error"]["code"].clone();
                    assert_eq!(code, "E_INTEGRITY", "{place} = {wrong}");
                }
            }
        }
    }
}

/// Members that may be left out; `null` is leaving out.
fn is_optional(place: &str, value: &Value) -> bool {
    value.is_null() && ["/logIndex", "/keyid"].iter().any(|end| place.ends_with(end))
}
