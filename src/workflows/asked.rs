//! Versions, tags and trust roots that a command line names.

use std::io;
use std::path::Path;

use crate::contract::{Family, SpecTag};
use crate::error::{io_code, io_hint};
use crate::inputs::{embedded, spec_source};
use crate::report::{ErrorCode, Failure};
use crate::system::files;
use crate::verify::TrustRoot;
use crate::verify::trust_root::MAX_TRUST_ROOT;
use crate::visible::excerpt;

/// Reads a version, with or without its `v`.
///
/// # Errors
/// Returns an error if it is none.
pub fn version(text: &str) -> Result<semver::Version, Failure> {
    semver::Version::parse(text.strip_prefix('v').unwrap_or(text)).map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        Failure::new(ErrorCode::Validation, format!("`{}` is not a version", excerpt(&shown, 200)))
            .hint("write it as MAJOR.MINOR.PATCH, for example `0.1.0`")
    })
}

/// A requested tag; `latest` is the newest that the binary carries.
///
/// # Errors
/// Returns an error if the text is not a tag.
pub fn requested_tag(family: Family, text: &str) -> Result<SpecTag, Failure> {
    if text == "latest" {
        return Ok(spec_source::latest(family)?);
    }
    SpecTag::parse(text).map_err(|error| {
        let known: Vec<_> = embedded::tags(family).iter().map(ToString::to_string).collect();
        Failure::new(ErrorCode::Validation, format!("the tag cannot be used: {error}"))
            .hint(format!("`{family}` has the tags {}; `latest` is the newest", known.join(", ")))
            .detail("known_tags", known)
    })
}

/// Exactly the given root, or exactly the embedded one.
///
/// # Errors
/// Returns an error if the given one cannot be read or used; the embedded one never takes its place.
pub fn trust_root(path: Option<&Path>) -> Result<TrustRoot, Failure> {
    let Some(path) = path else { return Ok(TrustRoot::embedded()?) };
    let bytes =
        files::read_named(path, MAX_TRUST_ROOT as u64).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => {
                too_large("the trust root", path, ErrorCode::Config, MAX_TRUST_ROOT)
            }
            _ => unreadable("the trust root", path, &error),
        })?;
    TrustRoot::given(&bytes.bytes)
        .map_err(|error| about("the trust root ", path, " cannot be used: ", error.into()))
}

/// A file that is larger than it can be.
#[must_use]
pub fn too_large(what: &str, path: &Path, code: ErrorCode, limit: usize) -> Failure {
    Failure::new(code, format!("{what} `{}` is larger than {limit} bytes", shown(path)))
        .hint("use the file that the publisher or the signing tool wrote")
}

/// A file that cannot be read.
#[must_use]
pub fn unreadable(what: &str, path: &Path, error: &io::Error) -> Failure {
    let path = shown(path);
    if error.kind() == io::ErrorKind::NotFound {
        return Failure::new(ErrorCode::NotFound, format!("{what} `{path}` does not exist"))
            .hint("check the path; nothing was verified");
    }
    Failure::new(io_code(error), format!("{what} `{path}` cannot be read: {error}"))
        .hint(io_hint(error))
}

/// Puts what it is about before a message.
#[must_use]
pub fn about(before: &str, path: &Path, after: &str, mut failure: Failure) -> Failure {
    failure.message = format!("{before}`{}`{after}{}", shown(path), failure.message);
    failure
}

/// A path in a message.
#[must_use]
pub fn shown(path: &Path) -> String {
    excerpt(&path.to_string_lossy(), 200)
}
