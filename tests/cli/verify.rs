//! `aos verify` and `aos verify-bundle`: who is accepted, what is said, and what is wrong with a command line.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sandbox::{Answer, Sandbox};
use crate::sigstore::{GITHUB, Key, LogVersion, Name, Signing, Sigstore};

pub const FILE: &[u8] = b"c0ffee  aos_1.2.3_linux_amd64.tar.gz\n";

/// The signer that the tests expect.
pub const SIGNER: &str =
    "https://github.com/acme/aos/.github/workflows/release.yml@refs/tags/v1.2.3";

/// A sandbox with `checksums.txt`, its bundle and the trust root of a Sigstore of its own.
pub struct Signed {
    pub sandbox: Sandbox,
    pub sigstore: Sigstore,
}

impl Signed {
    pub fn new(signing: &Signing) -> Self {
        let signed = Self { sandbox: Sandbox::new(), sigstore: Sigstore::new() };
        signed.bundle(&signed.sigstore.sign(FILE, signing));
        signed.trust_root(&signed.sigstore.trust_root());
        signed.sandbox.write("checksums.txt", std::str::from_utf8(FILE).expect("text"));
        signed
    }

    pub fn bundle(&self, bundle: &Value) {
        self.sandbox.write("bundle.json", &bundle.to_string());
    }

    pub fn trust_root(&self, root: &Value) {
        self.sandbox.write("root.json", &root.to_string());
    }

    /// Verifies the file as its user would, with the exact identity.
    pub fn verify(&self, extra: &[&str]) -> Answer {
        self.verify_as(SIGNER, extra)
    }

    pub fn verify_as(&self, signer: &str, extra: &[&str]) -> Answer {
        let mut arguments = vec!["verify", "checksums.txt", "--certificate-identity", signer];
        arguments.extend(["--bundle", "bundle.json", "--certificate-oidc-issuer", GITHUB]);
        arguments.extend(["--trusted-root", "root.json"]);
        arguments.extend(extra);
        self.sandbox.aos(&arguments)
    }
}

pub fn release() -> Signing {
    Signing::release("acme/aos", "v1.2.3")
}

fn digest() -> String {
    format!("sha256:{}", aos::verify::Sha256::of(FILE))
}

#[test]
fn a_signed_file_is_verified_with_who_when_and_where() {
    let signed = Signed::new(&release());
    let data = signed.verify(&["--offline"]).data();
    assert_eq!(data["verified"], true);
    assert_eq!(data["file"], "checksums.txt");
    assert_eq!(data["digest"], digest().as_str());
    assert_eq!(data["kind"], "signature");
    assert_eq!(data["signer"], json!({"identity": SIGNER, "issuer": GITHUB, "key": null}));
    assert_eq!(data["claims"]["repository"], "https://github.com/acme/aos");
    assert_eq!(
        data["log"],
        json!({"url": "https://rekor.fake.test", "index": "1003", "entry": "hashedrekord 0.0.1"})
    );
    assert_eq!(data["times"], json!([data["signed_at"]]));
    assert_eq!(data["trust_root"]["source"], "file");
    assert_eq!(data["trust_root"]["path"], "root.json");
    assert_eq!(data["_untrusted"], json!(["signer", "claims"]));
    assert_eq!(data["offline"], true);
}

#[test]
fn the_text_form_shows_the_verdict() {
    let signed = Signed::new(&release());
    let answer = signed.verify(&["--format", "text"]);
    assert_eq!((answer.exit, answer.stderr.as_str()), (Some(0), ""));
    let mut lines: Vec<_> = answer.stdout.lines().map(str::to_owned).collect();
    for (line, start) in [(5, "  signed at  20"), (7, "  trust root root.json (sha256:")] {
        assert!(lines[line].starts_with(start), "{answer:?}");
        lines[line] = start.to_owned();
    }
    insta::assert_snapshot!("verify_text", lines.join("\n"));
}

#[test]
fn every_version_of_bundle_and_log_is_read() {
    for signing in [
        Signing { version: "0.1", ..release() },
        Signing { version: "0.2", ..release() },
        Signing { timestamp: true, ..release() },
        release().second_log(),
    ] {
        let data = Signed::new(&signing).verify(&[]).data();
        let entry = if signing.log == LogVersion::Two {
            "hashedrekord 0.0.2"
        } else {
            "hashedrekord 0.0.1"
        };
        assert_eq!(data["log"]["entry"], entry, "{signing:?}");
        let times = if signing.timestamp && signing.log == LogVersion::One { 2 } else { 1 };
        assert_eq!(data["times"].as_array().map(Vec::len), Some(times), "{signing:?}");
    }
}

#[test]
fn a_digest_can_replace_its_file() {
    let signed = Signed::new(&release());
    let verify = |digest: &str| {
        signed.sandbox.aos(&[
            "verify",
            digest,
            "--bundle",
            "bundle.json",
            "--trusted-root",
            "root.json",
            "--certificate-identity",
            SIGNER,
            "--certificate-oidc-issuer",
            GITHUB,
        ])
    };
    let data = verify(&digest()).data();
    assert_eq!(data["digest"], digest().as_str());
    assert_eq!(data["file"], digest().as_str());
    verify(&digest().to_uppercase().replace("SHA256", "sha256")).data();
    let other = format!("sha256:{}", "0".repeat(64));
    assert_eq!(verify(&other).error("E_INTEGRITY", 1)["details"]["reason"], "other_file");
    for text in ["sha256:", "sha256:00", &format!("{}0", digest()), "sha256:é"] {
        let error = verify(text).error("E_USAGE", 2);
        assert!(
            error["details"]["fix"].as_str().expect("a hint").contains("64 hexadecimal"),
            "{error}"
        );
    }
}

// A file called like a digest is reached by its path.
#[test]
fn a_file_that_is_called_like_a_digest_is_named_with_its_directory() {
    let signed = Signed::new(&release());
    std::fs::write(signed.sandbox.work().join("sha256:00"), FILE).expect("a file");
    let data = signed.sandbox.aos(&[
        "verify",
        "./sha256:00",
        "--bundle",
        "bundle.json",
        "--trusted-root",
        "root.json",
        "--certificate-identity",
        SIGNER,
        "--certificate-oidc-issuer",
        GITHUB,
    ]);
    assert_eq!(data.data()["digest"], digest().as_str());
}

#[test]
fn anybody_else_is_refused() {
    let signed = Signed::new(&release());
    for other in [
        "https://github.com/acme/aos/.github/workflows/release.yml@refs/tags/v1.2.2",
        "https://github.com/acme/aos/.github/workflows/release.yml@refs/heads/main",
        "https://github.com/acme/aos/.github/workflows/other.yml@refs/tags/v1.2.3",
        "https://github.com/ACME/aos/.github/workflows/release.yml@refs/tags/v1.2.3",
        "https://github.com/acme/other/.github/workflows/release.yml@refs/tags/v1.2.3",
        &format!("{SIGNER}-evil"),
        &SIGNER[..SIGNER.len() - 1],
        "me@example.com",
    ] {
        let error = signed.verify_as(other, &[]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "wrong_signer", "{other}");
        assert_eq!(error["details"]["signer"]["identity"], SIGNER);
        assert_eq!(error["details"]["_untrusted"], json!(["signer"]));
        assert_eq!(error["retryable"], false);
    }
}

#[test]
fn another_issuer_is_refused() {
    let signed = Signed::new(&release());
    for issuer in ["https://accounts.google.com", "https://token.actions.githubusercontent.com/"] {
        let error = signed.sandbox.aos(&[
            "verify",
            "checksums.txt",
            "--bundle",
            "bundle.json",
            "--trusted-root",
            "root.json",
            "--certificate-identity-regexp",
            "https://github.com/acme/.*",
            "--certificate-oidc-issuer",
            issuer,
        ]);
        let error = error.error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "wrong_issuer");
        assert_eq!(error["details"]["signer"]["issuer"], GITHUB);
    }
}

fn verify_pattern(signed: &Signed, pattern: &str) -> Answer {
    signed.sandbox.aos(&[
        "verify",
        "checksums.txt",
        "--bundle",
        "bundle.json",
        "--trusted-root",
        "root.json",
        "--certificate-identity-regexp",
        pattern,
        "--certificate-oidc-issuer",
        GITHUB,
    ])
}

#[test]
fn a_pattern_is_anchored_at_both_ends() {
    let signed = Signed::new(&release());
    for pattern in [
        r"https://github\.com/acme/aos/\.github/workflows/release\.yml@refs/tags/v\d+\.\d+\.\d+",
        r"^https://github\.com/acme/.*$",
        r".*/acme/aos/.*",
    ] {
        assert_eq!(
            verify_pattern(&signed, pattern).data()["signer"]["identity"],
            SIGNER,
            "{pattern}"
        );
    }
    for pattern in [
        "acme/aos",
        r"https://github\.com/acme/aos/",
        "release.yml@refs/tags/v1.2.3",
        "(?i)https://github.com/ACME",
    ] {
        let error = verify_pattern(&signed, pattern).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "wrong_signer", "{pattern}");
    }
}

#[test]
fn a_pattern_that_accepts_strangers_is_a_usage_error() {
    let signed = Signed::new(&release());
    for pattern in ["", " ", ".*", "https://github.com/.*", "acme)|(?:.*", "(", "acme|"] {
        let error = verify_pattern(&signed, pattern).error("E_USAGE", 2);
        assert!(
            error["message"].as_str().expect("a message").contains("--certificate-identity-regexp"),
            "{error}"
        );
    }
}

#[test]
fn an_email_address_is_an_identity() {
    let name = Name::Email("me@example.com".to_owned());
    let signed = Signed::new(&Signing { name, ..release() });
    assert_eq!(
        signed.verify_as("me@example.com", &[]).data()["signer"]["identity"],
        "me@example.com"
    );
    assert_eq!(verify_pattern(&signed, ".*@example.com").data()["verified"], true);
    assert_eq!(
        verify_pattern(&signed, "e@example.com").error("E_INTEGRITY", 1)["details"]["reason"],
        "wrong_signer"
    );
}

#[test]
fn an_attestation_is_accepted_only_with_its_option() {
    for signing in [release().attestation(), release().attestation().second_log()] {
        let signed = Signed::new(&signing);
        let error = signed.verify(&[]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "not_a_signature");
        let data = signed.verify(&["--attestation"]).data();
        assert_eq!(data["kind"], "attestation");
        assert_eq!(data["predicate_type"], "https://slsa.dev/provenance/v1");
        assert_eq!(data["digest"], digest().as_str());
        signed.sandbox.write("checksums.txt", "changed\n");
        let error = signed.verify(&["--attestation"]).error("E_INTEGRITY", 1);
        assert_eq!(error["details"]["reason"], "other_file");
    }
    let signed = Signed::new(&release().attestation());
    let answer = signed.sandbox.aos(&[
        "verify",
        "checksums.txt",
        "--attestation",
        "--offline",
        "--bundle",
        "bundle.json",
        "--trusted-root",
        "root.json",
        "--certificate-identity",
        SIGNER,
        "--certificate-oidc-issuer",
        GITHUB,
    ]);
    assert_eq!(answer.data()["kind"], "attestation");
    let error = Signed::new(&release()).verify(&["--attestation"]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["reason"], "not_an_attestation");
}

#[test]
fn verify_bundle_takes_either_kind_and_says_which() {
    for (signing, kind) in [(release(), "signature"), (release().attestation(), "attestation")] {
        let signed = Signed::new(&signing);
        let verify = |option: &str, identity: &str| {
            signed.sandbox.aos(&[
                "verify-bundle",
                "--bundle",
                "bundle.json",
                option,
                identity,
                "--certificate-oidc-issuer",
                GITHUB,
                "--trusted-root",
                "root.json",
                "--offline",
                "checksums.txt",
            ])
        };
        assert_eq!(verify("--certificate-identity", SIGNER).data()["kind"], kind);
        assert_eq!(verify("--certificate-identity-regexp", ".*/acme/.*").data()["kind"], kind);
        verify("--certificate-identity", "me@example.com").error("E_INTEGRITY", 1);
    }
    let signed = Signed::new(&release());
    let by_pattern = signed.sandbox.aos(&[
        "verify-bundle",
        "checksums.txt",
        "--bundle",
        "bundle.json",
        "--certificate-identity-regexp",
        ".*@refs/tags/v1.2.3",
        "--certificate-oidc-issuer",
        GITHUB,
    ]);
    by_pattern.error("E_USAGE", 2);
    let strict = signed.sandbox.aos(&[
        "verify-bundle",
        "checksums.txt",
        "--bundle",
        "bundle.json",
        "--certificate-identity",
        SIGNER,
        "--certificate-oidc-issuer",
        GITHUB,
        "--trusted-root",
        "root.json",
        "--attestation",
    ]);
    assert_eq!(strict.error("E_INTEGRITY", 1)["details"]["reason"], "not_an_attestation");
}

#[test]
fn a_bundle_for_a_key_needs_the_key() {
    let signed = Signed::new(&release());
    let key = Key::new();
    signed.bundle(&signed.sigstore.sign_with(&key, FILE, &release()));
    signed.sandbox.write("own.pub", &key.pem());
    signed.sandbox.write("other.pub", &Key::new().pem());
    signed
        .sandbox
        .write("broken.pub", "-----BEGIN PUBLIC KEY-----\nAQID\n-----END PUBLIC KEY-----\n");
    for command in ["verify", "verify-bundle"] {
        let verify = |key: &str| {
            signed.sandbox.aos(&[
                command,
                "checksums.txt",
                "--bundle",
                "bundle.json",
                "--trusted-root",
                "root.json",
                "--key",
                key,
            ])
        };
        let data = verify("own.pub").data();
        assert!(data["signer"]["key"].as_str().expect("a key").starts_with("sha256:"), "{data}");
        assert_eq!(data["signer"]["identity"], Value::Null);
        assert_eq!(data["claims"], Value::Null);
        verify("other.pub").error("E_INTEGRITY", 1);
        verify("broken.pub").error("E_CONFIG", 4);
        verify("checksums.txt").error("E_CONFIG", 4);
        verify("missing.pub").error("E_NOT_FOUND", 3);
    }
    let error = signed.verify(&[]).error("E_INTEGRITY", 1);
    assert_eq!(error["details"]["reason"], "wrong_kind_of_signer");
    signed.bundle(&signed.sigstore.sign(FILE, &release()));
    let error = signed.sandbox.aos(&[
        "verify",
        "checksums.txt",
        "--bundle",
        "bundle.json",
        "--key",
        "own.pub",
        "--trusted-root",
        "root.json",
    ]);
    assert_eq!(error.error("E_INTEGRITY", 1)["details"]["reason"], "wrong_kind_of_signer");
    // The guard of the flags reads literals only.
    let answer = signed.sandbox.aos(&[
        "verify-bundle",
        "--key",
        "own.pub",
        "--bundle",
        "bundle.json",
        "checksums.txt",
    ]);
    answer.error("E_INTEGRITY", 1);
}

// The default is the embedded root, and neither root replaces the other.
#[test]
fn exactly_one_trust_root_counts() {
    let signed = Signed::new(&release());
    let error = signed.sandbox.aos(&[
        "verify",
        "checksums.txt",
        "--bundle",
        "bundle.json",
        "--certificate-identity",
        SIGNER,
        "--certificate-oidc-issuer",
        GITHUB,
    ]);
    let error = error.error("E_INTEGRITY", 1);
    assert!(
        error["details"]["fix"].as_str().expect("a hint").contains("--trusted-root"),
        "{error}"
    );
    // Nothing but the option changes the root.
    let mut command = signed.sandbox.command(&[
        "verify",
        "checksums.txt",
        "--bundle",
        "bundle.json",
        "--certificate-identity",
        SIGNER,
        "--certificate-oidc-issuer",
        GITHUB,
    ]);
    for name in ["SIGSTORE_ROOT_FILE", "TUF_ROOT", "AOS_TRUSTED_ROOT", "SIGSTORE_TRUSTED_ROOT"] {
        command.env(name, signed.sandbox.work().join("root.json"));
    }
    crate::sandbox::run(&mut command).error("E_INTEGRITY", 1);
    // Another instance, of the same make.
    signed.trust_root(&Sigstore::new().trust_root());
    signed.verify(&[]).error("E_INTEGRITY", 1);
}

#[test]
fn missing_files_are_not_found_and_change_nothing() {
    let signed = Signed::new(&release());
    for name in ["checksums.txt", "bundle.json", "root.json"] {
        let place = signed.sandbox.work().join(name);
        let bytes = std::fs::read(&place).expect("a file");
        std::fs::remove_file(&place).expect("removed");
        let error = signed.verify(&[]).error("E_NOT_FOUND", 3);
        assert!(error["message"].as_str().expect("a message").contains(name), "{error}");
        std::fs::create_dir(&place).expect("a directory");
        let error = signed.verify(&[]).error("E_IO", 1);
        assert!(
            error["message"].as_str().expect("a message").contains("not a regular file"),
            "{error}"
        );
        std::fs::remove_dir(&place).expect("removed");
        std::fs::write(&place, bytes).expect("a file");
    }
    signed.verify(&[]).data();
    let files = crate::sandbox::tree(&signed.sandbox.work());
    assert_eq!(files.len(), 3, "verification writes nothing");
    assert!(crate::sandbox::tree(&signed.sandbox.home()).is_empty());
}

#[test]
fn a_command_line_that_names_no_signer_is_a_usage_error() {
    let sandbox = Sandbox::new();
    let error = sandbox.aos(&["verify", "file", "--bundle", "b"]).error("E_USAGE", 2);
    let message = "`--certificate-identity <IDENTITY>` or `--certificate-identity-regexp <PATTERN>` or `--key <FILE>` is missing";
    assert_eq!(error["message"], message);
    for arguments in [
        &["verify"][..],
        &["verify", "file"],
        &["verify", "file", "--bundle", "b"],
        &["verify", "file", "--bundle", "b", "--certificate-identity", "me@example.com"],
        &["verify", "file", "--bundle", "b", "--certificate-oidc-issuer", "https://example.com"],
        &[
            "verify",
            "file",
            "--bundle",
            "b",
            "--certificate-identity",
            "",
            "--certificate-oidc-issuer",
            "https://example.com",
        ],
        &[
            "verify",
            "file",
            "--bundle",
            "b",
            "--certificate-identity",
            "me@example.com",
            "--certificate-oidc-issuer",
            " ",
        ],
        &[
            "verify",
            "file",
            "--bundle",
            "b",
            "--certificate-identity",
            "me@example.com",
            "--certificate-identity-regexp",
            "me@.*",
        ],
        &[
            "verify",
            "file",
            "--bundle",
            "b",
            "--key",
            "k",
            "--certificate-identity",
            "me@example.com",
        ],
        &[
            "verify",
            "file",
            "--bundle",
            "b",
            "--key",
            "k",
            "--certificate-oidc-issuer",
            "https://example.com",
        ],
        &["verify", "file", "other", "--bundle", "b", "--key", "k"],
        &["verify", "file", "--bundle", "b", "--bundle", "c", "--key", "k"],
        &["verify-bundle", "file", "--bundle", "b"],
    ] {
        sandbox.aos(arguments).error("E_USAGE", 2);
    }
}

#[test]
fn a_refusal_says_what_why_and_how_to_fix_it_in_few_lines() {
    let signed = Signed::new(&release());
    signed.sandbox.write("checksums.txt", "changed\n");
    let answer = signed.verify(&["--format", "text"]);
    assert_eq!((answer.exit, answer.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!("verify_refused_text", answer.stderr);
    let signers = [format!("{SIGNER}{}", "x".repeat(2000)), "a\u{1b}[31mb@example.com".to_owned()];
    for signer in signers {
        let name = Name::Uri(signer);
        let answer = Signed::new(&Signing { name, ..release() }).verify(&["--format", "text"]);
        assert!(answer.stderr.lines().count() <= 4 && answer.stderr.len() < 1500, "{answer:?}");
        assert!(!answer.stderr.contains('\u{1b}'), "{answer:?}");
    }
}

/// A file that is too large to be read whole goes through in one pass.
#[test]
fn a_large_file_is_verified_in_one_pass() {
    let signed = Signed::new(&release());
    let large = vec![7_u8; 65 * 1024 * 1024];
    signed.bundle(&signed.sigstore.sign(&large, &release()));
    let place: PathBuf = signed.sandbox.work().join("checksums.txt");
    std::fs::write(&place, &large).expect("a file");
    let data = signed.verify(&[]).data();
    assert_eq!(data["digest"], format!("sha256:{}", aos::verify::Sha256::of(&large)));
    std::fs::write(&place, &large[1..]).expect("a file");
    assert_eq!(signed.verify(&[]).error("E_INTEGRITY", 1)["details"]["reason"], "other_file");
}
