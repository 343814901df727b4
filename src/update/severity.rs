//! The severity of an update, from the changelog of the new release (agent-cli §14).

use semver::Version;

use crate::inputs::changelog;

/// The severity.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UpdateSeverity {
    Info,
    Warning,
}

impl UpdateSeverity {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Info, Self::Warning].into_iter().find(|severity| severity.name() == text)
    }
}

/// The severity of an update from `current` to `latest`: a security entry or a new major version is a warning. Without
/// a verified changelog, only the versions decide.
#[must_use]
pub fn grade(
    current: &Version,
    latest: &Version,
    verified_changelog: Option<&str>,
) -> UpdateSeverity {
    if latest.major > current.major {
        return UpdateSeverity::Warning;
    }
    let concerns_security = |release: &changelog::ChangelogRelease| {
        release.changes.iter().any(|(name, entries)| name == "security" && !entries.is_empty())
    };
    let on_the_way = |release: &changelog::ChangelogRelease| {
        release.version.cmp_precedence(current).is_gt()
            && release.version.cmp_precedence(latest).is_le()
    };
    let releases = verified_changelog.map(changelog::parse).unwrap_or_default();
    if releases.iter().any(|release| on_the_way(release) && concerns_security(release)) {
        UpdateSeverity::Warning
    } else {
        UpdateSeverity::Info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn security_on_the_way_and_major_versions_are_warnings() {
        let version = |text: &str| Version::parse(text).unwrap();
        let changelog = "## [1.3.0]\n### Security\n- x\n\n## [1.2.0]\n### Added\n- y\n\n## [1.1.0]\n### Security\n- z\n";
        let graded = |current, latest| grade(&version(current), &version(latest), Some(changelog));
        assert_eq!(graded("1.1.0", "1.2.0"), UpdateSeverity::Info);
        assert_eq!(graded("1.1.0", "1.3.0"), UpdateSeverity::Warning);
        assert_eq!(graded("1.0.0", "1.2.0"), UpdateSeverity::Warning);
        assert_eq!(graded("1.3.0-rc.1", "1.3.0"), UpdateSeverity::Warning);
        assert_eq!(grade(&version("0.9.0"), &version("1.0.0"), None), UpdateSeverity::Warning);
        assert_eq!(grade(&version("1.0.0"), &version("1.3.0"), None), UpdateSeverity::Info);
    }
}
