//! `aos-fleet.toml`: the members that a fleet must have, their pins, what is not a part of it, and its baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::contract::SpecTag;
use crate::system::files::{self, Kind};

/// Name of the file in the root of a fleet.
pub const FLEET_PATH: &str = "aos-fleet.toml";
/// Name of the baseline, unless the file names another one.
pub const BASELINE_PATH: &str = "aos-fleet.baseline.json";
/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// Why a fleet file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetFileError {
    #[error("`{}` cannot be read: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("`{}` is not valid: {reason}", path.display())]
    Invalid { path: PathBuf, reason: String },
}

/// The requirements for a fleet.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetFile {
    /// Directories of projects that must exist, relative to the root.
    #[serde(default)]
    pub members: Vec<String>,
    /// Whether a project that is not a member is an error.
    #[serde(default)]
    pub closed: bool,
    /// Directories that are not searched.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The tag that members or whole families must have; a member comes before its family.
    #[serde(default)]
    pub pins: BTreeMap<String, String>,
    /// The file with known findings.
    #[serde(default)]
    pub baseline: Option<String>,
}

impl FleetFile {
    /// Reads the file in `root`; `None` when there is none.
    ///
    /// # Errors
    /// Returns an error if it cannot be read or says something that is not understood.
    pub fn read(root: &Path) -> Result<Option<Self>, FleetFileError> {
        let path = root.join(FLEET_PATH);
        if matches!(files::kind(&path), Ok(Kind::Absent)) {
            return Ok(None);
        }
        let loaded = files::read(&path, MAX_FILE).map_err(|error| FleetFileError::Read {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        let invalid = |reason: String| FleetFileError::Invalid { path: path.clone(), reason };
        let text =
            String::from_utf8(loaded.bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))?;
        let file: Self =
            toml_edit::de::from_str(&text).map_err(|error| invalid(error.message().to_owned()))?;
        let places = file.members.iter().chain(&file.exclude).chain(&file.baseline);
        for place in places {
            if !is_inside(place) {
                return Err(invalid(format!(
                    "`{place}` must be a path below this file, without `..`"
                )));
            }
        }
        if let Some((name, tag)) = file.pins.iter().find(|(_, tag)| SpecTag::parse(tag).is_err()) {
            return Err(invalid(format!("the pin `{tag}` of `{name}` is not a tag")));
        }
        let known = |name: &str| {
            file.members.iter().any(|member| tidy(member) == tidy(name))
                || crate::contract::Family::all().into_iter().any(|family| family.name() == name)
        };
        if let Some(name) = file.pins.keys().find(|name| !known(name)) {
            return Err(invalid(format!("`{name}` under [pins] is neither a member nor a family")));
        }
        Ok(Some(file))
    }

    /// True if a directory is not a part of the fleet.
    #[must_use]
    pub fn excludes(&self, directory: &str) -> bool {
        self.exclude.iter().map(|place| tidy(place)).any(|place| {
            directory
                .strip_prefix(place)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The tag that a project must have.
    #[must_use]
    pub fn pin(&self, member: &str, family: &str) -> Option<&str> {
        let own = self.pins.iter().find(|(name, _)| tidy(name) == member).map(|(_, tag)| tag);
        own.or_else(|| self.pins.get(family)).map(String::as_str)
    }

    #[must_use]
    pub fn lists(&self, member: &str) -> bool {
        self.members.iter().any(|listed| tidy(listed) == member)
    }
}

/// A path without what says nothing.
#[must_use]
pub fn tidy(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    if path.is_empty() { "." } else { path }
}

fn is_inside(place: &str) -> bool {
    let path = Path::new(place);
    !place.is_empty()
        && place.len() <= 4096
        && path.components().all(|part| {
            matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
        })
}
