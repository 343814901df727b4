//! One project against its contract.

use std::path::Path;
use std::sync::Arc;

use crate::contract::rules::check_harness;
use crate::contract::{Family, Finding, Repository};
use crate::generate::record::{PIN_PATH, Record, SpecSource};
use crate::generate::vendor::{Contract, SpecRelease};
use crate::inputs::desired::{Desired, DesiredError, SourceBytes};
use crate::inputs::project::{Project, ProjectError};
use crate::inputs::repository;
use crate::inputs::spec_source::{self, SpecError};
use crate::plan::{FileSet, Tree};

use super::waivers::{self, Waived};
use super::{drift, records, rules};

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only findings of these rules; all when empty.
    pub rules: Vec<String>,
    /// The day waivers are judged by, `YYYY-MM-DD`.
    pub today: String,
}

/// The verdict on one project.
#[derive(Clone, Debug)]
pub struct ProjectReport {
    /// As somebody named it.
    pub path: String,
    pub family: Family,
    /// The pinned tag, when it can be read.
    pub tag: Option<String>,
    /// How the vendored bytes were judged: `embedded`, `lock`, or `none` when they were not.
    pub trust: &'static str,
    /// How many managed files were compared.
    pub compared: usize,
    pub findings: Vec<Finding>,
    pub waived: Vec<Waived>,
}

impl ProjectReport {
    #[must_use]
    pub fn is_ok(&self) -> bool {
        waivers::is_ok(&self.findings)
    }
}

/// Checks the project that `path` is in.
///
/// # Errors
/// When the path is no project at all.
pub fn audit(path: &Path, options: &Options) -> Result<ProjectReport, ProjectError> {
    let project = Project::open(path)?;
    let repository = repository::load(&project);
    let mut report = ProjectReport {
        path: project.shown.clone(),
        family: project.family,
        tag: project.pin.good().map(ToString::to_string),
        trust: "none",
        compared: 0,
        findings: records::findings(&project),
        waived: Vec::new(),
    };
    let release = compare(&project, &repository, &mut report);
    family_rules(&project, &repository, release.as_deref(), &mut report);
    if let Some(record) = project.record.good() {
        report.waived = waivers::apply(&mut report.findings, &record.waivers, &options.today);
    }
    if !options.rules.is_empty() {
        report.findings.retain(|finding| options.rules.iter().any(|rule| rule == finding.rule));
    }
    report.findings.sort();
    report.findings.dedup();
    Ok(report)
}

/// Compares every managed file; gives the release that was compared with.
fn compare(
    project: &Project,
    repository: &Repository,
    report: &mut ProjectReport,
) -> Option<Arc<SpecRelease>> {
    let record = project.record.good()?;
    let release = release(project, report)?;
    if matches!(project.lock.good(), Some(lock) if lock.tag != release.tag || lock.family != release.family)
    {
        // The files are of another state: one finding says so, a list of every line would only hide it.
        return Some(release);
    }
    match desired(project, record, Arc::clone(&release)) {
        Ok(desired) => judge(project, record, repository, &desired, report),
        Err(error) => {
            let path = match &error {
                DesiredError::Generate(_) | DesiredError::Read { .. } => {
                    source_path(project.family, record)
                }
                DesiredError::Files(_) => crate::generate::record::RECORD_PATH.to_owned(),
            };
            report.findings.push(rules::GENERATOR.finding(&path, error.to_string()));
            vendored_only(project, record, &release, report);
        }
    }
    Some(release)
}

fn source_path(family: Family, record: &Record) -> String {
    match family {
        Family::Harness => crate::generate::outputs::CONNECTOR_PATH.to_owned(),
        Family::AgentCli => format!("{}/contract-ext.json", record.spec.directory),
    }
}

fn desired(
    project: &Project,
    record: &Record,
    release: Arc<SpecRelease>,
) -> Result<Desired, DesiredError> {
    let sources = SourceBytes::read(&project.root, record)?;
    Desired::compute(record, release, &sources)
}

fn judge(
    project: &Project,
    record: &Record,
    repository: &Repository,
    desired: &Desired,
    report: &mut ProjectReport,
) {
    match (desired.plan(&project.root, project.lock.good()), desired.files()) {
        (Ok(plan), Ok(wanted)) => {
            report.compared = wanted.len();
            report.findings.extend(drift::findings(&plan, desired));
            report.findings.extend(drift::extra(&project.root, record, &wanted));
            report.findings.extend(drift::stray_modules(repository, &wanted));
        }
        (Err(error), _) | (_, Err(error)) => {
            report.findings.push(
                rules::GENERATOR.finding(crate::generate::record::RECORD_PATH, error.to_string()),
            );
        }
    }
    if report.compared == 0 {
        report
            .findings
            .push(rules::NOTHING_COMPARED.finding(".", "no managed file was compared".to_owned()));
    }
}

/// When nothing can be generated, the vendored files are still compared.
fn vendored_only(
    project: &Project,
    record: &Record,
    release: &Arc<SpecRelease>,
    report: &mut ProjectReport,
) {
    let bare = Record { outputs: std::collections::BTreeMap::new(), ..record.clone() };
    let Ok(wanted) = crate::generate::vendor::files(release, &bare.spec.directory) else { return };
    let tree: Tree = crate::inputs::tree::snapshot(&project.root, wanted.paths());
    let plan = crate::plan::Plan::between(&tree, &wanted, &std::collections::BTreeSet::new());
    report.compared = wanted.len();
    let none = FileSet::default();
    let lock = crate::generate::record::Lock {
        family: release.family,
        tag: release.tag.clone(),
        source: release.source,
        vendored: std::collections::BTreeMap::new(),
        generated: std::collections::BTreeMap::new(),
    };
    let desired = Desired { release: Arc::clone(release), vendored: wanted, generated: none, lock };
    report.findings.extend(drift::findings(&plan, &desired));
}

/// The pinned release: from the binary, or from the tree itself when the record trusts the lock.
fn release(project: &Project, report: &mut ProjectReport) -> Option<Arc<SpecRelease>> {
    let pin = project.pin.good()?;
    match spec_source::embedded_release(project.family, pin) {
        Ok(release) => {
            report.trust = "embedded";
            return Some(release);
        }
        Err(SpecError::UnknownTag { .. }) => {}
        Err(error) => {
            report.findings.push(rules::PIN_UNKNOWN.finding(PIN_PATH, error.to_string()));
            return None;
        }
    }
    let record = project.record.good()?;
    let trusted = record.spec.trust_lock && record.spec.source == SpecSource::Directory;
    match project.lock.good() {
        Some(lock) if lock.source == SpecSource::Directory && trusted => {
            match spec_source::locked_release(&project.root, &record.spec.directory, lock) {
                Ok(release) => {
                    report.trust = "lock";
                    Some(release)
                }
                Err(error) => {
                    report.findings.push(rules::MODIFIED.finding(error.path(), error.to_string()));
                    None
                }
            }
        }
        Some(lock) if lock.source == SpecSource::Directory => {
            let message =
                format!("`{pin}` came from a directory, and aos.toml does not trust the lock");
            report.findings.push(rules::SOURCE_UNAVAILABLE.finding(PIN_PATH, message));
            None
        }
        _ => {
            let known: Vec<_> = crate::inputs::embedded::tags(project.family)
                .iter()
                .map(ToString::to_string)
                .collect();
            let message = format!(
                "`{pin}` is not a released tag of `{}`; there are {}",
                project.family,
                known.join(", ")
            );
            report.findings.push(rules::PIN_UNKNOWN.finding(PIN_PATH, message));
            None
        }
    }
}

/// The rules of the family, under the pinned contract or, without one, under the newest.
fn family_rules(
    project: &Project,
    repository: &Repository,
    release: Option<&SpecRelease>,
    report: &mut ProjectReport,
) {
    let newest = || {
        spec_source::latest(project.family)
            .and_then(|tag| spec_source::embedded_release(project.family, &tag))
            .ok()
    };
    let fallback = if release.is_none() { newest() } else { None };
    let Some(release) = release.or(fallback.as_deref()) else { return };
    match &release.contract {
        Contract::Harness(contract) => {
            report.findings.extend(check_harness(repository, &contract.facts()));
        }
        // The static rules of this family are those about its managed files.
        Contract::AgentCli(_) => {}
    }
}
