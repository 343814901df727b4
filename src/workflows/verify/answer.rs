//! The answers of `aos verify`.

use crate::report::answers::verify::{
    LogRecord, SignerClaims, UsedTrustRoot, VerifiedFile, VerifiedSigner,
};
use crate::verify::trust_root::{EMBEDDED_AS_OF, TrustOrigin};
use crate::verify::{BundleContent, Signer, TrustRoot, Verdict};
use crate::visible::{Visible, visible};
use crate::workflows::Run;
use crate::workflows::asked::shown;

use super::VerifyRequest;

fn kind(verdict: &Verdict) -> &'static str {
    match verdict.content {
        BundleContent::Signature => "signature",
        BundleContent::Attestation => "attestation",
    }
}

pub fn data(args: &VerifyRequest, verdict: &Verdict, trust: &TrustRoot) -> VerifiedFile {
    let times: Vec<_> = verdict.times.iter().map(ToString::to_string).collect();
    let (signer, claims) = match &verdict.signer {
        Signer::Certificate { identity, issuer, claims } => (
            VerifiedSigner {
                identity: Some(identity.clone()),
                issuer: Some(issuer.clone()),
                key: None,
            },
            Some(SignerClaims {
                repository: claims.repository.clone(),
                git_ref: claims.git_ref.clone(),
                commit: claims.commit.clone(),
                runner: claims.runner.clone(),
                trigger: claims.trigger.clone(),
                run: claims.run.clone(),
            }),
        ),
        Signer::Key { fingerprint } => {
            let key = Some(format!("sha256:{fingerprint}"));
            (VerifiedSigner { identity: None, issuer: None, key }, None)
        }
    };
    let log = &verdict.log;
    let statement = verdict.statement.as_ref();
    VerifiedFile {
        verified: true,
        file: args.file.to_string_lossy().into_owned(),
        digest: format!("sha256:{}", verdict.digest),
        kind: kind(verdict),
        predicate_type: statement.map(|statement| statement.predicate_type.clone()),
        signer,
        claims,
        signed_at: times.first().cloned(),
        times,
        log: LogRecord {
            url: log.url.clone(),
            index: log.index.to_string(),
            entry: log.entry.clone(),
        },
        trust_root: UsedTrustRoot {
            source: match trust.origin {
                TrustOrigin::Embedded => "embedded",
                TrustOrigin::Given => "file",
            },
            path: args.trusted_root.as_ref().map(|path| path.to_string_lossy().into_owned()),
            sha256: trust.digest.to_string(),
            as_of: (trust.origin == TrustOrigin::Embedded).then_some(EMBEDDED_AS_OF),
        },
        offline: true,
    }
}

pub fn text(args: &VerifyRequest, verdict: &Verdict, trust: &TrustRoot, run: &Run) -> Visible {
    let what = match &verdict.statement {
        Some(statement) => visible!("attestation, {}", statement.predicate_type),
        None => Visible::literal(kind(verdict)),
    };
    let mut rows = vec![("kind", what)];
    match &verdict.signer {
        Signer::Certificate { identity, issuer, claims } => {
            rows.push(("signed by", Visible::line(identity)));
            rows.push(("vouched by", Visible::line(issuer)));
            if let (Some(repository), Some(commit)) = (&claims.repository, &claims.commit) {
                rows.push(("built from", visible!("{} at {}", repository, commit)));
            }
        }
        Signer::Key { fingerprint } => {
            rows.push(("signed by", visible!("key sha256:{}", fingerprint)))
        }
    }
    let times = verdict.times.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    rows.push(("signed at", Visible::line(&times)));
    let log = &verdict.log;
    rows.push(("logged in", visible!("{}, entry {}", log.url, log.index)));
    rows.push((
        "trust root",
        match &args.trusted_root {
            Some(path) => visible!("{} (sha256:{})", shown(path), trust.digest),
            None => {
                visible!("Sigstore public good instance, embedded in aos, as of {}", EMBEDDED_AS_OF)
            }
        },
    ));
    let rows = rows
        .into_iter()
        .map(|(name, value)| visible!("\n  {} {}", run.style.faint(format!("{name:<10}")), value));
    let file = run.style.strong(shown(&args.file));
    visible!("{} {}{}", run.style.good("verified"), file, Visible::joined(rows, ""))
}
