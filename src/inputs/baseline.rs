//! A baseline: findings of a fleet that are known and accepted for now. It may only become smaller.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::contract::json;
use crate::system::files::{self, Kind};

/// Largest baseline that is read, in bytes.
const MAX_FILE: u64 = 32 * 1024 * 1024;
const VERSION: u32 = 1;

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("the baseline `{}` does not exist", path.display())]
    Absent { path: PathBuf },
    #[error("the baseline `{}` cannot be read: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
}

/// One known finding; how often it may occur is its count.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    pub project: String,
    pub rule: String,
    pub path: String,
    pub message: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    project: String,
    rule: String,
    path: String,
    message: String,
    count: usize,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineDocument {
    version: u32,
    /// The day on which it was first written, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recorded_on: Option<String>,
    findings: Vec<BaselineEntry>,
}

/// Known findings with their counts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Baseline {
    counts: BTreeMap<KnownFinding, usize>,
    recorded_on: Option<String>,
}

impl Baseline {
    #[must_use]
    pub fn of(findings: impl IntoIterator<Item = KnownFinding>) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            *baseline.counts.entry(finding).or_default() += 1;
        }
        baseline
    }

    /// Reads the baseline at `path`.
    ///
    /// # Errors
    /// Returns an error if it does not exist or is not a baseline.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        if matches!(files::kind(path), Ok(Kind::Absent)) {
            return Err(BaselineError::Absent { path: path.to_owned() });
        }
        let fault = |reason: String| BaselineError::Read { path: path.to_owned(), reason };
        let loaded = files::read(path, MAX_FILE).map_err(|error| fault(error.to_string()))?;
        let value = json::parse(&loaded.bytes).map_err(|error| fault(error.to_string()))?;
        let document: BaselineDocument =
            serde_json::from_value(value).map_err(|error| fault(error.to_string()))?;
        if document.version != VERSION {
            return Err(fault(format!("its version {} is unknown", document.version)));
        }
        let mut counts = BTreeMap::new();
        for BaselineEntry { project, rule, path, message, count } in document.findings {
            let known = KnownFinding { project, rule, path, message };
            if count == 0 || counts.insert(known, count).is_some() {
                return Err(fault("an entry appears twice, or its count is 0".to_owned()));
            }
        }
        Ok(Self { counts, recorded_on: document.recorded_on.filter(|day| is_day(day)) })
    }

    /// The same, written on this day for the first time.
    #[must_use]
    pub fn recorded_on(self, day: &str) -> Self {
        Self { recorded_on: Some(day.to_owned()), ..self }
    }

    /// The same after a directory got another name.
    #[must_use]
    pub fn renamed(self, old: &str, new: &str) -> Self {
        let renamed = |mut known: KnownFinding| {
            let inner = known.path.strip_prefix(old).filter(|inner| inner.starts_with('/'));
            if let Some(path) = inner.map(|inner| format!("{new}{inner}")) {
                known.path = path;
            }
            known
        };
        let counts = self.counts.into_iter().map(|(known, count)| (renamed(known), count));
        Self { counts: counts.collect(), recorded_on: self.recorded_on }
    }

    /// The day on which it was first written, when it says so.
    #[must_use]
    pub fn day(&self) -> Option<&str> {
        self.recorded_on.as_deref()
    }

    /// The document, sorted.
    #[must_use]
    pub fn render(&self) -> String {
        let findings = self.counts.iter().map(|(known, count)| BaselineEntry {
            project: known.project.clone(),
            rule: known.rule.clone(),
            path: known.path.clone(),
            message: known.message.clone(),
            count: *count,
        });
        let document = BaselineDocument {
            version: VERSION,
            recorded_on: self.recorded_on.clone(),
            findings: findings.collect(),
        };
        let value = serde_json::to_value(&document).unwrap_or_default();
        format!("{}\n", json::pretty(&value))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.values().sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Takes one occurrence; false when none is left.
    pub fn take(&mut self, finding: &KnownFinding) -> bool {
        let Some(count) = self.counts.get_mut(finding) else { return false };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(finding);
        }
        true
    }

    /// Returns the remaining entries, each once.
    pub fn entries(&self) -> impl Iterator<Item = &KnownFinding> {
        self.counts.keys()
    }

    /// Returns the entries that both have: a baseline may only lose entries.
    #[must_use]
    pub fn within(&self, larger: &Self) -> Self {
        let counts = self.counts.iter().filter_map(|(known, count)| {
            let most = larger.counts.get(known)?;
            Some((known.clone(), *count.min(most)))
        });
        Self { counts: counts.collect(), recorded_on: larger.recorded_on.clone() }
    }

    /// Projects that have an entry.
    #[must_use]
    pub fn projects(&self) -> BTreeSet<&str> {
        self.counts.keys().map(|known| known.project.as_str()).collect()
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(rule: &str) -> KnownFinding {
        KnownFinding {
            project: "a".into(),
            rule: rule.into(),
            path: "p".into(),
            message: "m".into(),
        }
    }

    #[test]
    fn a_baseline_counts_and_only_shrinks() {
        let mut old = Baseline::of([known("x"), known("x"), known("y")]);
        let new = Baseline::of([known("x"), known("x"), known("x"), known("z")]);
        assert_eq!(new.within(&old), Baseline::of([known("x"), known("x")]));
        assert!(old.take(&known("x")) && old.take(&known("x")) && !old.take(&known("x")));
        assert_eq!(old.entries().collect::<Vec<_>>(), [&known("y")]);
    }
}
