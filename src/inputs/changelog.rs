//! Released versions in a CHANGELOG.md (Keep a Changelog).

/// One released version.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChangelogRelease {
    pub version: semver::Version,
    pub date: Option<String>,
    /// Category (lower case) and its entries.
    pub changes: Vec<(String, Vec<String>)>,
}

/// Released versions in a changelog, newest first; unreleased entries and comments are left out.
#[must_use]
pub fn parse(markdown: &str) -> Vec<ChangelogRelease> {
    let mut releases: Vec<ChangelogRelease> = Vec::new();
    let mut open = false;
    for line in without_comments(markdown).lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let release = heading_release(heading);
            open = release.is_some();
            releases.extend(release);
        } else if let Some(release) = releases.last_mut().filter(|_| open) {
            add_line(release, line);
        }
    }
    releases.sort_by(|left, right| right.version.cmp_precedence(&left.version));
    releases
}

fn without_comments(markdown: &str) -> String {
    let mut kept = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(start) = rest.find("<!--") {
        kept.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    kept.push_str(rest);
    kept
}

/// `[1.2.0] - 2026-01-31`; `None` for Unreleased and other headings.
fn heading_release(heading: &str) -> Option<ChangelogRelease> {
    let (name, rest) = match heading.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => heading.split_once(' ').unwrap_or((heading, "")),
    };
    let version = semver::Version::parse(name.trim().trim_start_matches('v')).ok()?;
    let date = rest.trim_start_matches([' ', '-', '\u{2013}', '\u{2014}']).trim();
    Some(ChangelogRelease {
        version,
        date: (!date.is_empty()).then(|| date.to_owned()),
        changes: Vec::new(),
    })
}

fn add_line(release: &mut ChangelogRelease, line: &str) {
    if let Some(category) = line.strip_prefix("### ") {
        release.changes.push((category.trim().to_lowercase(), Vec::new()));
        return;
    }
    let Some((_, entries)) = release.changes.last_mut() else { return };
    if let Some(entry) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        entries.push(entry.trim().to_owned());
    } else if line.starts_with(' ')
        && let Some(entry) = entries.last_mut()
    {
        entry.push(' ');
        entry.push_str(line.trim());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "# Changelog\n\n## [Unreleased]\n### Added\n- not yet\n\n<!--\n## [9.9.9] - 2030-01-01\n-->\n\
        ## [1.0.0-rc.1] - 2026-01-01\n### Fixed\n- a bug\n  in two lines\n\n## [1.0.0] - 2026-02-01\n### Security\n\n### Added\n- one\n";

    #[test]
    fn released_versions_are_listed_newest_first() {
        let versions: Vec<_> =
            parse(SAMPLE).iter().map(|release| release.version.to_string()).collect();
        assert_eq!(versions, ["1.0.0", "1.0.0-rc.1"]);
    }

    #[test]
    fn an_entry_may_run_over_several_lines() {
        let releases = parse(SAMPLE);
        assert_eq!(
            releases[1].changes,
            [("fixed".to_owned(), vec!["a bug in two lines".to_owned()])]
        );
    }
}
