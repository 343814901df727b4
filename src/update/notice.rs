//! The cached result of the last check for updates, so that no other command needs a connection (agent-cli §14).
//!
//! Reads and writes one small file in the state directory; an invalid file is the same as none.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use semver::Version;
use serde::Serialize;
use serde_json::Value;

use crate::release::{Release, Repository};
use crate::strict_json;
use crate::system::files::{self, Mode};
use crate::system::{clock, random};

use super::severity::UpdateSeverity;

/// The file in the state directory.
const FILE: &str = "update-notice.json";
/// Version of its format.
const FORMAT: u64 = 1;
/// Largest file, in bytes.
const MAX_FILE: u64 = 16 * 1024;
/// Longest text in it, in bytes.
const MAX_TEXT: usize = 300;
/// How long a result is shown, in seconds.
const LIFETIME: u64 = 14 * 24 * 60 * 60;

/// A notice in a response: an update, or a suspicion about the host of releases (agent-cli §14).
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Notice {
    /// `update_available`, `remote_older` or `possible_freeze`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `info` or `warning`.
    pub severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub message: Option<String>,
    pub current_version: String,
    pub latest_version: String,
    pub install_method: String,
    pub recommended_command: &'static str,
    pub release_url: Option<String>,
    pub checked_at: String,
    pub next_steps: Vec<String>,
}

/// The facts that are known about the newest release.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KnownRelease {
    pub latest: Version,
    /// The newest version that was ever verified. A host that offers an older one is stale or replays an old release.
    pub highest: Option<Version>,
    pub severity: UpdateSeverity,
    pub release_url: Option<String>,
    pub install_method: String,
    /// Seconds since the Unix epoch.
    pub checked_at: u64,
}

/// One check of the newest release.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    pub release: &'a Release,
    pub severity: UpdateSeverity,
    /// Whether its signature was verified.
    pub is_verified: bool,
}

impl KnownRelease {
    /// Combines a check of the newest release with the previous result. Only a verified release raises the highest
    /// version, because anyone can claim a high one.
    #[must_use]
    pub fn seen(before: Option<&Self>, newest: &Look<'_>, install_method: &str) -> Self {
        let Look { release: newest, severity, is_verified } = *newest;
        let latest = newest.version.clone();
        let highest = before.and_then(|before| before.highest.clone());
        let claimed = is_verified.then(|| latest.clone());
        Self {
            highest: highest.max(claimed),
            latest,
            severity,
            release_url: Repository::own().ok().map(|own| newest.page(&own)),
            install_method: install_method.to_owned(),
            checked_at: clock::now_seconds(),
        }
    }

    /// Reads the cached result; `None` if there is none.
    #[must_use]
    pub fn load(state: &Path) -> Option<Self> {
        let bytes = files::read(&state.join(FILE), MAX_FILE).ok()?.bytes;
        let document = strict_json::read(std::str::from_utf8(&bytes).ok()?).ok()?;
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        let version = |name| text(name).and_then(|text| Version::parse(text).ok());
        if document.get("format").and_then(Value::as_u64) != Some(FORMAT) {
            return None;
        }
        Some(Self {
            latest: version("latest")?,
            highest: version("highest"),
            severity: UpdateSeverity::parse(text("severity")?)?,
            release_url: text("release_url").filter(|url| is_plain(url)).map(str::to_owned),
            install_method: text("install_method").filter(|name| is_plain(name))?.to_owned(),
            checked_at: document.get("checked_at").and_then(Value::as_u64)?,
        })
    }

    /// Writes the result atomically.
    ///
    /// # Errors
    /// Returns an error if the state directory cannot be written.
    pub fn save(&self, state: &Path) -> io::Result<()> {
        files::create_private_directory(state)?;
        let document = KeptNotice {
            format: FORMAT,
            latest: self.latest.to_string(),
            highest: self.highest.as_ref().map(Version::to_string),
            severity: self.severity.name(),
            release_url: self.release_url.as_deref(),
            install_method: &self.install_method,
            checked_at: self.checked_at,
        };
        let document = serde_json::to_string(&document)?;
        let name: String = random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        let staged = state.join(format!("{FILE}.{name}"));
        files::write_new(&staged, format!("{document}\n").as_bytes(), Mode::Secret)?;
        files::rename(&staged, &state.join(FILE)).inspect_err(|_| {
            // The old file is kept; the new one is removed.
            let _ = files::remove_file(&staged);
        })
    }

    /// The notice in every response of the version `running`; `None` if it is current or the result is too old.
    #[must_use]
    pub fn notice(&self, running: &Version, now: u64) -> Option<Notice> {
        // A host that offers an older version than before is suspicious, so there is no notice.
        let is_newer = self.latest.cmp_precedence(running).is_gt()
            && self.highest.as_ref().is_none_or(|highest| self.latest >= *highest);
        let age = now.checked_sub(self.checked_at);
        if !is_newer || age.is_none_or(|age| age > LIFETIME) {
            return None;
        }
        Some(Notice {
            kind: "update_available",
            severity: self.severity.name(),
            message: None,
            current_version: running.to_string(),
            latest_version: self.latest.to_string(),
            install_method: self.install_method.clone(),
            recommended_command: "aos update",
            release_url: self.release_url.clone(),
            checked_at: clock::iso8601(self.checked_at),
            next_steps: vec!["aos update".to_owned(), format!("aos changelog --since {running}")],
        })
    }
}

/// The file in the state directory.
#[derive(Serialize)]
struct KeptNotice<'a> {
    format: u64,
    latest: String,
    highest: Option<String>,
    severity: &'static str,
    release_url: Option<&'a str>,
    install_method: &'a str,
    checked_at: u64,
}

/// Short and printable, because another program may have written the file, and people and agents see the notice.
fn is_plain(text: &str) -> bool {
    text.len() <= MAX_TEXT && text.bytes().all(|symbol| symbol.is_ascii_graphic())
}

/// The notice for the version `running`, from the state directory alone.
#[must_use]
pub fn current(state: Option<PathBuf>, running: &str) -> Option<Notice> {
    let running = Version::parse(running).ok()?;
    KnownRelease::load(&state?)?.notice(&running, clock::now_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> KnownRelease {
        KnownRelease {
            latest: Version::new(1, 3, 0),
            highest: Some(Version::new(1, 3, 0)),
            severity: UpdateSeverity::Warning,
            release_url: Some("https://github.com/acme/aos/releases/tag/v1.3.0".to_owned()),
            install_method: "standalone".to_owned(),
            checked_at: 1_000,
        }
    }

    #[test]
    fn a_saved_release_is_loaded_again() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        assert_eq!(KnownRelease::load(&state), None);
        known().save(&state).unwrap();
        known().save(&state).unwrap();
        assert_eq!(KnownRelease::load(&state), Some(known()));
        assert_eq!(files::names(&state).unwrap(), [FILE]);
    }

    #[test]
    fn an_invalid_file_gives_no_notice() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        for text in [
            "",
            "{}",
            "[]",
            "{\"format\": 2}",
            "{\"format\": 1, \"latest\": \"x\", \"highest\": \"1.0.0\", \"severity\": \"info\", \"install_method\": \"npm\", \"checked_at\": 1}",
            "{\"format\": 1, \"latest\": \"1.0.0\", \"highest\": \"1.0.0\", \"severity\": \"panic\", \"install_method\": \"npm\", \"checked_at\": 1}",
            "{\"format\": 1, \"latest\": \"1.0.0\", \"highest\": \"1.0.0\", \"severity\": \"info\", \"install_method\": \"npm\", \"checked_at\": -1}",
        ] {
            let _ = files::remove_file(&path);
            files::write_new(&path, text.as_bytes(), Mode::Plain).unwrap();
            assert_eq!(KnownRelease::load(directory.path()), None, "{text}");
        }
    }

    #[test]
    fn a_notice_is_for_older_versions_and_for_a_while() {
        let known = known();
        let notice = known.notice(&Version::new(1, 2, 9), 1_001).unwrap();
        assert_eq!(notice.severity, "warning");
        assert_eq!(notice.latest_version, "1.3.0");
        assert_eq!(known.notice(&Version::new(1, 3, 0), 1_001), None);
        assert_eq!(known.notice(&Version::new(2, 0, 0), 1_001), None);
        assert_eq!(known.notice(&Version::new(1, 2, 9), 1_001 + LIFETIME), None);
        let frozen = KnownRelease { highest: Some(Version::new(1, 4, 0)), ..known.clone() };
        assert_eq!(frozen.notice(&Version::new(1, 2, 9), 1_001), None);
        // A clock that was set back says nothing about age.
        assert_eq!(known.notice(&Version::new(1, 2, 9), 999), None);
    }
}
