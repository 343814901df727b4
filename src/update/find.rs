//! Chooses the version to install, before anything is downloaded and before a package manager is started.

use semver::Version;

use crate::release::signed::{self, Signed};
use crate::release::{Release, ReleaseError, ReleasesApi, Repository, repository};
use crate::system::program;
use crate::verify::TrustRoot;

use super::fault::UpdateError;
use super::severity::{self, UpdateSeverity};

/// The changelog of a release, as an asset of its own.
const CHANGELOG: &str = "CHANGELOG.md";
/// Largest changelog, in bytes.
const MAX_CHANGELOG: u64 = 1024 * 1024;

/// The request of the user.
#[derive(Clone, Debug)]
pub struct UpdateWish {
    pub running: Version,
    /// A specific version; without it, the newest.
    pub target: Option<Version>,
    pub allow_downgrade: bool,
    /// The newest version that this machine has ever seen.
    pub highest: Option<Version>,
}

/// The next step of an update.
#[derive(Debug)]
pub enum UpdateDecision {
    /// Go to this release.
    Move(Release),
    /// Nothing; this is the newest release of the host.
    Stay(Release),
}

impl UpdateWish {
    /// Whether the running version is the requested one, which needs no request to the host.
    ///
    /// # Errors
    /// If the requested version is older, and that is not allowed.
    pub fn is_fulfilled(&self) -> Result<bool, UpdateError> {
        let Some(target) = &self.target else { return Ok(false) };
        match target.cmp_precedence(&self.running) {
            std::cmp::Ordering::Equal => Ok(true),
            std::cmp::Ordering::Less if !self.allow_downgrade => Err(UpdateError::Downgrade {
                target: target.clone(),
                current: self.running.clone(),
            }),
            _ => Ok(false),
        }
    }

    /// Requests the release from the host.
    ///
    /// # Errors
    /// If there is no such release, or the response of the host is not valid.
    pub fn decide(
        &self,
        host: &ReleasesApi,
        own: &Repository,
    ) -> Result<UpdateDecision, UpdateError> {
        if let Some(target) = &self.target {
            return Ok(UpdateDecision::Move(host.tagged(own, &repository::tag(target))?));
        }
        let newest = host.latest(own)?;
        // A host that offers an older release than before may be stale or replaying an old release, so nothing is
        // installed without an explicit version.
        if newest.version.cmp_precedence(&self.running).is_gt() && !self.is_frozen(&newest.version)
        {
            Ok(UpdateDecision::Move(newest))
        } else {
            Ok(UpdateDecision::Stay(newest))
        }
    }

    /// True if `newest` is older than a version that the host offered before.
    #[must_use]
    pub fn is_frozen(&self, newest: &Version) -> bool {
        self.highest.as_ref().is_some_and(|highest| newest.cmp_precedence(highest).is_lt())
    }
}

/// Name of the directory inside an archive, and of the archive without its suffix.
#[must_use]
pub fn archive_directory(version: &Version) -> String {
    format!("aos-v{version}-{}", program::TARGET)
}

/// Name of the archive of this platform.
#[must_use]
pub fn archive_name(version: &Version) -> String {
    format!("{}.tar.gz", archive_directory(version))
}

/// Checks that a release can be installed on this platform, according to its description.
///
/// # Errors
/// If it has no archive for this platform, no list of digests or no signature.
pub fn installable(release: &Release) -> Result<(), ReleaseError> {
    signed::required(release, &archive_name(&release.version))?;
    Signed::preflight(release).map(|_| ())
}

/// A release whose signature was verified, and how urgent it is.
pub struct Graded<'a> {
    pub signed: Signed<'a>,
    pub severity: UpdateSeverity,
    /// Whether the severity comes from a verified changelog.
    pub changelog_verified: bool,
}

/// Verifies the list of a release, and derives the severity from the changelog in the list.
///
/// # Errors
/// If the release is not signed by its own workflow at its own tag, or the changelog has another digest.
pub fn graded<'a>(
    host: &'a ReleasesApi,
    release: &'a Release,
    own: &Repository,
    trust: &TrustRoot,
    running: &Version,
) -> Result<Graded<'a>, ReleaseError> {
    let signed = Signed::verify(host, release, own, trust)?;
    let changelog = match release.asset(CHANGELOG) {
        Some(_) => Some(signed.bytes(CHANGELOG, MAX_CHANGELOG)?),
        None => None,
    };
    let changelog = changelog.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let severity = severity::grade(running, &release.version, changelog);
    Ok(Graded { signed, severity, changelog_verified: changelog.is_some() })
}
