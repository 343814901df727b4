//! Faults of releases as failures: the code says what the caller should do next (agent-cli §6, §14).

use crate::release::archive::ArchiveError;
use crate::release::{Fault, ReleaseError, Stage};
use crate::report::{ErrorCode, Failure};
use crate::system::environment;
use crate::system::http::HttpError;
use crate::verify::verdict::Rejection;

use super::{io_code, io_hint};

/// The advice for a file that may have been tampered with.
const STOP: &str = "do not retry; report it to the publisher of the release";
/// The advice for a fault that may pass.
const AGAIN: &str = "run the same command again";

impl From<ReleaseError> for Failure {
    fn from(error: ReleaseError) -> Self {
        let stage = error.stage;
        let failure = Self::from(error.fault).detail("stage", stage.name());
        // The token is for the API alone: it is not a remedy for the files of a release.
        match (stage, failure.code) {
            (Stage::Download, ErrorCode::RateLimited) => {
                failure.hint("wait, then run the same command again")
            }
            (Stage::Download, ErrorCode::Auth | ErrorCode::Forbidden)
                if !failure.details.contains_key("path") =>
            {
                failure.hint("check that this network allows downloads from the release host")
            }
            _ => failure,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let message = fault.to_string();
        let integrity = |cause: &str| {
            Self::new(ErrorCode::Integrity, message.as_str()).hint(STOP).detail("cause", cause)
        };
        let transient = |code: ErrorCode, cause: &str| {
            Self::new(code, message.as_str()).hint(AGAIN).detail("cause", cause)
        };
        match fault {
            Fault::Http(error) | Fault::Api(error) => http(error, &message),
            Fault::NotFound { .. } => Self::new(ErrorCode::NotFound, message.as_str())
                .hint("use an existing release; if it is still being published, try again later")
                .detail("cause", "not_found"),
            Fault::RateLimited { retry_after_s, with_token, .. } => {
                let hint = if with_token {
                    format!("wait {retry_after_s} s, then run the same command again")
                } else {
                    format!(
                        "wait {retry_after_s} s or set {} to raise the limit, then run the same command again",
                        environment::GITHUB_TOKEN
                    )
                };
                transient(ErrorCode::RateLimited, "rate_limited")
                    .hint(hint)
                    .detail("retry_after_s", retry_after_s)
            }
            Fault::Forbidden { .. } => Self::new(ErrorCode::Forbidden, message.as_str())
                .hint("check that this network and the token have access to the repository")
                .detail("cause", "forbidden"),
            Fault::Unauthorized { .. } => Self::new(ErrorCode::Auth, message.as_str())
                .hint(format!("renew or unset {}", environment::GITHUB_TOKEN))
                .detail("cause", "unauthorized"),
            Fault::Server { .. } => transient(ErrorCode::Server, "server_error"),
            Fault::SlowServer { .. } => transient(ErrorCode::Timeout, "server_timeout"),
            Fault::Status { status, .. } => {
                transient(ErrorCode::Network, "unexpected_status").detail("status", status)
            }
            Fault::CaptivePortal { .. } => transient(ErrorCode::Network, "captive_portal")
                .hint("sign in to this network in a browser, then run the same command again"),
            Fault::Malformed { .. } => integrity("malformed_release"),
            Fault::OtherTag { .. } => integrity("other_release"),
            Fault::NoAsset { wanted, available, .. } => Self::new(
                ErrorCode::NotFound,
                message.as_str(),
            )
            .hint("if the release is still being published, try again later; otherwise build from source")
            .detail("cause", "no_asset")
            .detail("wanted_asset", wanted)
            .detail("available_assets", available),
            Fault::NoChecksums { .. } => integrity("no_checksums"),
            Fault::Unsigned { .. } => integrity("unsigned"),
            Fault::Short { .. } => transient(ErrorCode::Network, "cut_off"),
            Fault::Long { .. } => integrity("endless_data"),
            Fault::TrustRoot(error) => Self::from(error).detail("cause", "trust_root"),
            Fault::Bundle(error) => {
                let inner = Self::from(error);
                integrity("bad_bundle")
                    .detail("reason", inner.details.get("reason").cloned().unwrap_or_default())
            }
            Fault::Signature(error) => {
                let reason = error.reason();
                let failure = integrity("bad_signature").detail("reason", reason);
                match error {
                    Rejection::Future(_) | Rejection::Time(_) | Rejection::Certificate(_) => {
                        failure.hint(format!(
                            "check the clock of this machine; if it is correct, {STOP}"
                        ))
                    }
                    _ => failure,
                }
            }
            Fault::Checksums(_) => integrity("bad_checksums"),
            Fault::Digest { .. } => integrity("digest_mismatch"),
            Fault::Archive(ArchiveError::Sink(source)) => {
                Self::new(io_code(&source), message.as_str()).hint(io_hint(&source))
            }
            Fault::Archive(ArchiveError::Interrupted) | Fault::Interrupted => {
                Self::new(ErrorCode::Interrupted, "interrupted by a signal; nothing was changed").hint(AGAIN)
            }
            Fault::Archive(_) => integrity("bad_archive"),
            Fault::Io { path, source } => Self::new(io_code(&source), message.as_str())
                .hint(io_hint(&source))
                .detail("path", path),
        }
    }
}

fn http(error: HttpError, message: &str) -> Failure {
    let failure = |code: ErrorCode, cause: &str| Failure::new(code, message).detail("cause", cause);
    match error {
        HttpError::Offline => failure(ErrorCode::Network, "offline")
            .hint(format!(
                "{} was set on purpose; ask the person who set it whether aos may open a connection",
                environment::AOS_OFFLINE
            )),
        HttpError::Setup { .. } => failure(ErrorCode::Config, "no_certificates")
            .hint("install ca-certificates, or set SSL_CERT_FILE to a file with certificates"),
        HttpError::Address { .. } => failure(ErrorCode::Config, "bad_address")
            .hint(format!("set {} to an https URL or unset it", environment::AOS_UPDATE_API_URL)),
        HttpError::Untrusted { .. } => failure(ErrorCode::Config, "untrusted_certificate").hint(
            "if a proxy intercepts TLS, set SSL_CERT_FILE to its certificate; otherwise stop: the connection may be intercepted",
        ),
        HttpError::Connection { proxy, .. } => {
            let failure = failure(ErrorCode::Network, "no_connection")
                .hint("check the network and the proxy, then run the same command again");
            match proxy {
                Some(proxy) => failure.detail("proxy", proxy),
                None => failure,
            }
        }
        HttpError::Cut { .. } => failure(ErrorCode::Network, "cut_off").hint(AGAIN),
        HttpError::TimedOut { .. } => failure(ErrorCode::Timeout, "timed_out").hint(AGAIN),
        HttpError::Redirects { .. } | HttpError::BadRedirect { .. } => {
            failure(ErrorCode::Network, "bad_redirect").hint(AGAIN)
        }
        HttpError::InsecureRedirect { .. } => {
            failure(ErrorCode::Integrity, "insecure_redirect").hint(STOP)
        }
        HttpError::TooLarge { .. } => failure(ErrorCode::Integrity, "endless_data").hint(STOP),
        HttpError::Sink(source) => Failure::new(io_code(&source), message).hint(io_hint(&source)),
        HttpError::Interrupted => {
            Failure::new(ErrorCode::Interrupted, "interrupted by a signal; nothing was changed").hint(AGAIN)
        }
    }
}
