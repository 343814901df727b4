//! The runtime of a project: parts that it owns, and an older version compared with its released digests.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Finding, ProjectFiles};
use crate::generate::lock::{LOCK_PATH, LockedRuntime};
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_runtime::{OwnedPart, RuntimeSection};
use crate::generate::runtime::Version;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::desired_runtime::{module_of, runtime_of};
use crate::inputs::project::Project;
use crate::inputs::{repository, runtimes};
use crate::plan::{Digest, RelativePath, TreeEntry};
use crate::reason::Reason;

use super::rules;

/// The runtime of a project, from its records.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RuntimeState {
    pub name: String,
    pub path: String,
    /// The version in the lock; `None` when the lock has none.
    pub version: Option<Version>,
    /// The version in this aos.
    pub newest: Option<Version>,
    pub owned: Vec<OwnedPart>,
}

impl RuntimeState {
    #[must_use]
    pub fn of(project: &Project) -> Option<Self> {
        let section = project.record.good()?.runtime.as_ref()?;
        let locked = project.lock.good().and_then(|lock| lock.runtime.as_ref());
        let newest = runtimes::find(&section.name).ok().flatten();
        Some(Self {
            name: section.name.clone(),
            path: section.path.to_string(),
            version: locked.map(|locked| locked.version),
            newest: newest.map(|runtime| runtime.info.version),
            owned: section.own.clone(),
        })
    }

    /// True if this aos has a newer version than the project.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        matches!((self.version, self.newest), (Some(version), Some(newest)) if version < newest)
    }

    /// Parts that were taken from an older version than the one in this aos.
    pub fn owned_behind(&self) -> impl Iterator<Item = &OwnedPart> {
        self.owned.iter().filter(|part| self.newest.is_some_and(|newest| part.version < newest))
    }

    /// Findings about an older runtime.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let (true, Some(version), Some(newest)) = (self.is_behind(), self.version, self.newest) {
            let message =
                format!("the runtime `{}` is {version}; this aos has {newest}", self.name);
            findings.push(rules::RUNTIME_BEHIND.finding(LOCK_PATH, message));
        }
        for part in self.owned_behind() {
            let newest = self.newest.map(|newest| newest.to_string()).unwrap_or_default();
            let message = format!(
                "you own `{}` since runtime {}; this aos has {newest}",
                part.path, part.version
            );
            findings.push(rules::RUNTIME_OWNED_BEHIND.finding(RECORD_PATH, message));
        }
        findings
    }
}

/// True if the record hands `path` to the project.
#[must_use]
pub fn is_owned(record: &Record, path: &str) -> bool {
    let section = record.runtime.as_ref();
    RelativePath::parse(path)
        .is_ok_and(|path| section.is_some_and(|section| section.owner(&path).is_some()))
}

/// The result of comparing an older runtime.
#[derive(Debug, Default)]
pub struct Older {
    pub findings: Vec<Finding>,
    pub compared: BTreeSet<RelativePath>,
}

/// Compares the files of a runtime that is older than that of this aos with the digests of its release. Its bytes are
/// not in the binary any more, so only their digests can be.
#[must_use]
pub fn older(
    project: &Project,
    repository: &ProjectFiles,
    record: &Record,
    desired: &Desired,
) -> Older {
    let (Some(section), Some(locked)) = (&record.runtime, &desired.lock.runtime) else {
        return Older::default();
    };
    if locked.files.is_empty() || !desired.runtime.is_empty() {
        return Older::default();
    }
    match released(section, locked) {
        Err(reason) => Older {
            findings: vec![rules::RUNTIME_UNKNOWN.finding(LOCK_PATH, reason.into())],
            compared: BTreeSet::new(),
        },
        Ok(files) => judged(project, repository, record, section, &files),
    }
}

type Released = BTreeMap<RelativePath, Digest>;

/// Every file that the recorded version has, owned parts left out.
fn released(section: &RuntimeSection, locked: &LockedRuntime) -> Result<Released, Reason> {
    let listed =
        runtimes::released(&section.name, locked.version).map_err(|error| error.to_string())?;
    let listed = listed.ok_or_else(|| {
        format!("the runtime `{}` has no release {}", section.name, locked.version)
    })?;
    let mut files = Released::new();
    for (inner, digest) in listed {
        let path = RelativePath::parse(&format!("{}/{inner}", section.path))
            .map_err(|error| error.to_string())?;
        if section.owner(&path).is_none() {
            files.insert(path, digest);
        }
    }
    if files.keys().eq(locked.files.keys()) {
        return Ok(files);
    }
    Err(format!("the lock does not list the files of runtime {}", locked.version).into())
}

fn judged(
    project: &Project,
    repository: &ProjectFiles,
    record: &Record,
    section: &RuntimeSection,
    files: &Released,
) -> Older {
    let module = runtime_of(section).and_then(|runtime| {
        let sources = SourceBytes::read(&project.root, record).unwrap_or_default();
        Ok((module_of(&runtime, sources.go_mod.as_deref())?, runtime))
    });
    let (module, runtime) = match module {
        Ok(found) => found,
        Err(error) => {
            let finding = rules::RUNTIME_UNKNOWN.finding(RECORD_PATH, error.to_string());
            return Older { findings: vec![finding], compared: BTreeSet::new() };
        }
    };
    let tree = repository::tree(&project.root, repository, files.keys());
    let finding = |(path, digest): (&RelativePath, &Digest)| {
        let message = match tree.entries.get(path) {
            None => "the file of the runtime does not exist",
            Some(TreeEntry::File(content)) => {
                let found =
                    runtime.canonical_digest(path.as_str(), &content.bytes, module.as_ref());
                if found == *digest && !content.executable {
                    return None;
                }
                "the file differs from the recorded runtime"
            }
            Some(_) => {
                let message = "the path is not a plain file".to_owned();
                return Some(rules::NOT_A_FILE.finding(path.as_str(), message));
            }
        };
        Some(rules::RUNTIME.finding(path.as_str(), message.to_owned()))
    };
    Older {
        findings: files.iter().filter_map(finding).collect(),
        compared: files.keys().cloned().collect(),
    }
}
