//! The findings that an adopted project has from its time before aos: known, dated, and only ever fewer.

use crate::audit::{AuditOptions, audit};
use crate::contract::{Finding, ProjectFiles};
use crate::inputs::baseline::{Baseline, BaselineError};
use crate::inputs::fleet_file::BASELINE_PATH;
use crate::inputs::project::Project;
use crate::inputs::spec_source::SpecSession;
use crate::report::Failure;
use crate::report::answers::migrate::RecordedBaseline;
use crate::system::clock;
use crate::workflows::check;

use super::copies;
use super::draft::Draft;

/// A baseline for the project as it will be.
pub struct Written {
    /// The file; `None` when it stays as it is.
    pub bytes: Option<Vec<u8>>,
    pub report: Option<RecordedBaseline>,
}

/// The baseline after a migration: what is found in the new tree. An existing one only loses entries.
///
/// # Errors
/// Returns an error if the project cannot be examined, or its baseline cannot be read.
pub fn of(
    project: &Project,
    original: &ProjectFiles,
    after: &ProjectFiles,
    draft: &Draft<'_>,
) -> Result<Written, Failure> {
    let path = project.root.join(BASELINE_PATH);
    let old = match Baseline::read(&path) {
        Ok(old) => Some(old),
        Err(BaselineError::Absent { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if old.is_none() && !draft.is_adopted() {
        return Ok(Written { bytes: None, report: None });
    }
    let found = findings(project, original, after)?;
    let now = Baseline::of(check::known_findings(".", &found));
    let baseline = match &old {
        Some(old) => {
            let moved = draft
                .renamed
                .iter()
                .fold(old.clone(), |baseline, (old, new)| baseline.renamed(old, new));
            now.within(&moved)
        }
        None => now.recorded_on(&clock::today()),
    };
    if baseline.is_empty() && old.is_none() {
        return Ok(Written { bytes: None, report: None });
    }
    let report = RecordedBaseline {
        path: BASELINE_PATH.to_owned(),
        recorded_on: baseline.day().map(str::to_owned),
        findings: baseline.len(),
    };
    let bytes = baseline.render().into_bytes();
    let is_new = old.is_none_or(|old| old.render().into_bytes() != bytes);
    Ok(Written { bytes: is_new.then_some(bytes), report: Some(report) })
}

/// The findings of the new tree, worked out on a copy; what a copy alone shows or hides is taken from the project.
fn findings(
    project: &Project,
    original: &ProjectFiles,
    after: &ProjectFiles,
) -> Result<Vec<Finding>, Failure> {
    let session = SpecSession::new(None);
    let options = AuditOptions { rules: Vec::new(), today: clock::today() };
    let here = audit(&project.root, &options, &session)?.findings;
    let copied = |files: &ProjectFiles| -> Result<Vec<Finding>, Failure> {
        let directory = copies::make(&project.directory_name, files, &[])
            .map_err(|error| copies::failure(&error))?;
        Ok(audit(&directory.path().join(&project.directory_name), &options, &session)?.findings)
    };
    let (before, after) = (copied(original)?, copied(after)?);
    let mut found: Vec<_> = without(after, &without(before.clone(), &here));
    found.extend(without(here, &before));
    Ok(found)
}

/// `all` without those of `some`, each once.
fn without(mut all: Vec<Finding>, some: &[Finding]) -> Vec<Finding> {
    for finding in some {
        let same = |other: &Finding| {
            (other.rule, &other.path, &other.message)
                == (finding.rule, &finding.path, &finding.message)
        };
        if let Some(at) = all.iter().position(same) {
            all.remove(at);
        }
    }
    all
}
