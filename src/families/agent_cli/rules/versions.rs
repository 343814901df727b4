//! Rules about the version of a tool: every file has the same number.

use serde_json::Value;
use toml_edit::{Document, Item};

use super::sources::is_foreign;
use super::{skill, yaml};
use crate::contract::json;
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const DIFFERS: Rule = Rule {
    id: "version/differs",
    summary: "package.json, lock, pyproject, `__version__`, Cargo.toml, SKILL.md and the newest heading of the CHANGELOG have the same version",
    why: "Agents read the Skill, package managers the package, and the updater the tag; if the versions differ, updates repeat forever or are refused",
    fix: "use the version of the package there",
    source: "conformance item 49; repository checklist: one version",
    ..Rule::error(&[FAMILY])
};
pub(super) const HEADING: Rule = Rule {
    id: "version/heading",
    summary: "The newest heading in CHANGELOG.md after `Unreleased` is a version",
    why: "The command `changelog` and the severity of update notices are derived from these headings",
    fix: "start each release with `## [version] - YYYY-MM-DD`",
    source: "conformance item 48",
    ..Rule::error(&[FAMILY])
};
pub(super) const DAY: Rule = Rule {
    id: "version/day",
    summary: "The newest release in CHANGELOG.md has a date; the first one may have none until it is out",
    why: "Agents use the date to judge how old the tool is",
    fix: "write the date of the release after its version: `## [version] - YYYY-MM-DD`",
    source: "conformance item 48",
    ..Rule::warning(&[FAMILY])
};
pub(super) const PLATFORM_PIN: Rule = Rule {
    id: "version/platform-pin",
    summary: "Platform packages are pinned to the version of the package",
    why: "An outdated pin installs the binary of another version; six tools of the fleet had one",
    fix: "pin every platform package to the version of package.json",
    source: "repository checklist: npm",
    ..Rule::error(&[FAMILY])
};

const PACKAGE: &str = "package.json";
const LOCK: &str = "package-lock.json";
const CHANGELOG: &str = "CHANGELOG.md";
/// Ends of the names of platform packages.
pub(super) const PLATFORMS: [&str; 6] =
    ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"];

/// A version and its position.
struct Stated {
    path: String,
    at: usize,
    what: &'static str,
    version: String,
}

/// Every version of the project; the first is the one that the others must name.
struct Versions<'a> {
    repository: &'a ProjectFiles,
    stated: Vec<Stated>,
}

pub(super) fn check(repository: &ProjectFiles, found: &mut Collector) {
    let package = document(repository, PACKAGE);
    let lock = document(repository, LOCK);
    let mut versions = Versions { repository, stated: Vec::new() };
    versions.member(package.as_ref(), PACKAGE, &["version"], "the version");
    versions.table("pyproject.toml", &["project", "version"]);
    versions.table("pyproject.toml", &["tool", "poetry", "version"]);
    versions.table("Cargo.toml", &["package", "version"]);
    versions.changelog(found);
    versions.member(lock.as_ref(), LOCK, &["version"], "the version");
    versions.member(lock.as_ref(), LOCK, &["packages", "", "version"], "the version of the root");
    versions.skills();
    versions.code();
    let Some((first, others)) = versions.stated.split_first() else { return };
    for other in others.iter().filter(|other| other.version != first.version) {
        let message = format!(
            "{} is {}, but `{}` has {}",
            other.what,
            shown(&other.version),
            first.path,
            shown(&first.version)
        );
        let bytes = repository.bytes(&other.path).unwrap_or_default();
        found.at(&DIFFERS, &SourceText::new(&other.path, bytes), other.at, message);
    }
    if let Some(version) = package.as_ref().and_then(|package| package["version"].as_str()) {
        let pins = [
            (PACKAGE, package.as_ref().map(|package| &package["optionalDependencies"])),
            (LOCK, lock.as_ref().map(|lock| &lock["packages"][""]["optionalDependencies"])),
        ];
        for (path, pins) in pins {
            platform_pins(path, pins, version, found);
        }
    }
}

fn document(repository: &ProjectFiles, path: &str) -> Option<Value> {
    json::parse(repository.bytes(path)?).ok()
}

impl Versions<'_> {
    fn state(&mut self, path: &str, at: usize, what: &'static str, version: &str) {
        let (path, version) = (path.to_owned(), version.to_owned());
        self.stated.push(Stated { path, at, what, version });
    }

    fn member(&mut self, document: Option<&Value>, path: &str, keys: &[&str], what: &'static str) {
        let value = document.and_then(|document| {
            keys.iter().try_fold(document, |value, key| value.get(key))?.as_str()
        });
        if let Some(version) = value {
            let text = self.repository.text(path).unwrap_or_default();
            let at = text.find("\"version\"").unwrap_or_default();
            self.state(path, at, what, version);
        }
    }

    fn table(&mut self, path: &str, keys: &[&str]) {
        let Some(text) = self.repository.text(path) else { return };
        let Ok(document) = Document::parse(text) else { return };
        let item = keys.iter().try_fold(document.as_item(), |item: &Item, key| item.get(key));
        if let Some(version) = item.and_then(Item::as_str) {
            let at = item.and_then(Item::span).map_or(0, |span| span.start);
            self.state(path, at, "the version", version);
        }
    }

    /// The newest heading; comments are skipped.
    fn changelog(&mut self, found: &mut Collector) {
        let Some(text) = self.repository.text(CHANGELOG) else { return };
        let releases = releases(text);
        let Some((at, heading)) = releases.first().copied() else { return };
        let (version, rest) = match heading.strip_prefix('[') {
            Some(inner) => inner.split_once(']').unwrap_or((inner, "")),
            None => heading.split_once(' ').unwrap_or((heading, "")),
        };
        let day = rest.trim().trim_start_matches(['-', '\u{2013}', '\u{2014}']).trim();
        let dated = day.get(..10).is_some_and(is_day);
        let source = SourceText::new(CHANGELOG, text.as_bytes());
        if !is_version(version) {
            let message = format!("the heading {} is not a version", shown(heading));
            return found.at(&HEADING, &source, at, message);
        }
        let is_first = releases.len() == 1 && day.is_empty();
        if !dated && !is_first {
            let message = format!("the release {} has no date", shown(version));
            found.at(&DAY, &source, at, message);
        }
        self.state(CHANGELOG, at, "the newest release", version);
    }

    fn skills(&mut self) {
        for (path, text) in skill::documents(self.repository) {
            for entry in yaml::front_matter(text).unwrap_or_default() {
                let what = match entry.path.as_str() {
                    "version" => "the version of the Skill",
                    "metadata.requires.min_version" | "requires.min_version" => {
                        "the version that the Skill needs"
                    }
                    _ => continue,
                };
                self.state(path, entry.at, what, &entry.value);
            }
        }
    }

    /// Versions that the program itself would report.
    fn code(&mut self) {
        let files: Vec<_> = self
            .repository
            .files
            .keys()
            .filter(|path| !is_foreign(path) && !path.contains("test"))
            .filter(|path| path.ends_with("/__init__.py") || path.ends_with(".go"))
            .cloned()
            .collect();
        for path in files {
            let text = self.repository.text(&path).unwrap_or_default();
            let mut at = 0;
            let mut stated = Vec::new();
            for line in text.split_inclusive('\n') {
                if let Some(version) = in_line(line).filter(|version| is_version(version)) {
                    stated.push((at, version.to_owned()));
                }
                at += line.len();
            }
            for (at, version) in stated {
                self.state(&path, at, "the version in the code", &version);
            }
        }
    }
}

/// The value of `__version__ = "…"`, or of `var version = "…"` at the top level.
fn in_line(line: &str) -> Option<&str> {
    let rest = ["__version__", "var version", "var Version", "const version", "const Version"]
        .iter()
        .find_map(|start| line.strip_prefix(start))?;
    let rest = rest.trim_start().strip_prefix("string").unwrap_or(rest).trim_start();
    let value = rest.strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split(quote).next()
}

/// The second-level headings that are not `Unreleased`, outside of comments, the newest first.
fn releases(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut commented = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let visible = !commented && !line.trim_start().starts_with("<!--");
        for mark in
            line.match_indices("<!--").map(|_| true).chain(line.match_indices("-->").map(|_| false))
        {
            commented = mark;
        }
        let Some(heading) = line.strip_prefix("## ").filter(|_| visible) else { continue };
        let heading = heading.trim();
        if !heading.to_lowercase().contains("unreleased") {
            found.push((start, heading));
        }
    }
    found
}

fn is_version(text: &str) -> bool {
    semver::Version::parse(text.strip_prefix('v').unwrap_or(text)).is_ok()
}

fn is_day(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok()
}

fn platform_pins(path: &str, pins: Option<&Value>, version: &str, found: &mut Collector) {
    let Some(pins) = pins.and_then(Value::as_object) else { return };
    for (name, pin) in pins {
        let is_platform = PLATFORMS.iter().any(|platform| name.ends_with(platform));
        if is_platform && pin.as_str() != Some(version) {
            let message = format!("{} is not pinned to {}", shown(name), shown(version));
            found.whole(&PLATFORM_PIN, path, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_in_a_comment_is_not_a_release() {
        let text = "# Changelog\n\n<!--\n## [9.9.9] - 2026-01-01\n-->\n## [Unreleased]\n<!-- ## [8.0.0] -->\n## [1.2.0] - 2026-07-01\n";
        assert_eq!(releases(text)[0].1, "[1.2.0] - 2026-07-01");
        assert_eq!(releases("## Unreleased\n"), []);
    }

    #[test]
    fn versions_in_code_are_those_at_the_top_level() {
        assert_eq!(in_line("__version__ = '1.2.3'\n"), Some("1.2.3"));
        assert_eq!(in_line("var version = \"dev\"\n"), Some("dev"));
        assert_eq!(in_line("var Version string = \"1.0.0\"\n"), Some("1.0.0"));
        assert_eq!(in_line("\tversion = \"1.0.0\"\n"), None);
        assert_eq!(in_line("const versionKey = \"1.0.0\"\n"), None);
    }
}
