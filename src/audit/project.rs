//! One project against its contract.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::contract::repository::is_below;
use crate::contract::{Family, Finding, ProjectFiles, Severity, SpecTag};
use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::outputs;
use crate::generate::record::{PIN_PATH, RECORD_PATH, Record};
use crate::generate::record_spec::SpecSource;
use crate::generate::vendor::{self, SpecRelease};
use crate::inputs::desired::{Desired, DesiredError, SourceBytes};
use crate::inputs::desired_runtime::{WantedRuntime, runtime_files};
use crate::inputs::project::{Project, ProjectError};
use crate::inputs::spec_source::{self, SpecError, SpecSession, Trust, WantedRelease};
use crate::inputs::{embedded, repository};
use crate::plan::{Plan, RelativePath};

use super::inventory::Inventory;
use super::runtime::RuntimeState;
use super::template::TemplateState;
use super::waivers;
use super::{drift, guard, records, rules, shadow};

pub use super::report::{AuditOptions, PassedOverProject, ProjectReport};

/// Checks the project that `path` is in; contracts of hosts come through `session`.
///
/// # Errors
/// Returns an error if there is no project at the path.
pub fn audit(
    path: &Path,
    options: &AuditOptions,
    session: &SpecSession,
) -> Result<ProjectReport, ProjectError> {
    let project = Project::open(path)?;
    let repository = repository::load(&project);
    let mut audit = Audit {
        report: ProjectReport {
            path: project.shown.clone(),
            name: project.directory_name.clone(),
            family: project.family,
            tag: project.pin.good().map(ToString::to_string),
            source: project.record.good().map(|record| record.spec.source.to_string()),
            trust: "none",
            signer: None,
            fault: None,
            notes: Vec::new(),
            runtime: RuntimeState::of(&project),
            template: TemplateState::of(&project),
            compared: 0,
            wanted: 0,
            inventory: Inventory::default(),
            nested: Vec::new(),
            findings: records::findings(&project),
            waived: Vec::new(),
            passed_over: None,
        },
        project,
        repository,
        session,
        compared: BTreeSet::new(),
        vendored: BTreeSet::new(),
    };
    let release = audit.compare();
    audit.family_rules(release.as_deref());
    Ok(audit.conclude(options))
}

/// A list of paths for a sentence.
fn named(paths: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = paths.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// An examination under way.
struct Audit<'a> {
    project: Project,
    repository: ProjectFiles,
    session: &'a SpecSession,
    report: ProjectReport,
    compared: BTreeSet<RelativePath>,
    /// Files of the pinned release, if it is available.
    vendored: BTreeSet<RelativePath>,
}

impl Audit<'_> {
    fn find(&mut self, finding: Finding) {
        self.report.findings.push(finding);
    }

    /// Compares every managed file, and returns the release with which it was compared.
    fn compare(&mut self) -> Option<Arc<SpecRelease>> {
        let record = self.project.record.good()?.clone();
        if record.family == Family::NONE {
            return None;
        }
        let release = self.release()?;
        if let Ok(files) = vendor::files(&release, &record.spec.directory) {
            self.vendored.extend(files.paths().cloned());
        }
        let of_another_state =
            |lock: &Lock| lock.tag != release.tag || lock.family != release.family;
        if self.project.lock.good().is_some_and(of_another_state) {
            // One finding already reports it; a list of all lines would hide it.
            return Some(release);
        }
        // The sources are read as `aos gen` reads them, so that both generate the same or refuse the same.
        let wanted = self.wanted_runtime();
        let desired = SourceBytes::read(&self.project.root, &record)
            .and_then(|sources| Desired::compute(&record, Arc::clone(&release), &sources, wanted));
        let compared = desired
            .and_then(|desired| drift::compare(&self.project, &self.repository, &record, &desired));
        match compared {
            Ok(comparison) => {
                self.compared = comparison.compared;
                self.report.findings.extend(comparison.findings);
            }
            Err(error) => {
                let path = error.path().map(str::to_owned);
                let path = path.unwrap_or_else(|| self.source_path(&record));
                let rule = match &error {
                    DesiredError::Runtime(_) => &rules::RUNTIME_UNKNOWN,
                    _ => &rules::GENERATOR,
                };
                self.find(rule.finding(&path, error.to_string()));
                self.compare_vendored(&record, &release);
                let changed = drift::unlike_the_lock(&self.project, &self.repository);
                self.report.findings.extend(changed);
                let root = &self.project.root;
                let none = BTreeSet::new();
                let shadows = shadow::findings(root, &self.repository, &record, &none);
                self.report.findings.extend(shadows);
            }
        }
        Some(release)
    }

    /// Every file in the lock and the record that was not compared.
    fn count(&mut self) {
        let Some(record) = self.project.record.good() else { return };
        let is_own = self.report.template.as_ref().is_some_and(|template| template.is_own);
        if record.family == Family::NONE {
            // Its template is all that such a project has from aos; a broken archive is a finding of its own.
            self.report.compared = usize::from(is_own);
            self.report.wanted = usize::from(is_own);
            return;
        }
        let mut wanted = self.vendored.clone();
        wanted.extend(record.outputs.values().flatten().map(|output| output.path.clone()));
        wanted.extend(self.project.lock.good().map(Lock::known).unwrap_or_default().into_keys());
        wanted.extend([PIN_PATH, LOCK_PATH].map(RelativePath::literal));
        self.report.compared = self.compared.len();
        self.report.wanted = wanted.len();
        let left: Vec<_> = wanted.difference(&self.compared).map(RelativePath::as_str).collect();
        if left.is_empty() || self.report.fault.is_some() {
            return;
        }
        let all = if self.compared.is_empty() {
            "no managed file was compared".to_owned()
        } else {
            format!("{} of {} managed files were not compared", left.len(), wanted.len())
        };
        let rule = match self.compared.is_empty() {
            true => &rules::NOTHING_COMPARED,
            false => &rules::NOT_COMPARED,
        };
        let finding = rule.finding(LOCK_PATH, format!("{all}: {}", named(&left)));
        self.find(finding);
    }

    fn source_path(&self, record: &Record) -> String {
        outputs::source(self.project.family, &record.spec.directory)
            .unwrap_or_else(|| RECORD_PATH.to_owned())
    }

    /// When nothing can be generated, the vendored files and the runtime are still compared.
    fn compare_vendored(&mut self, record: &Record, release: &SpecRelease) {
        let Ok(mut files) = vendor::files(release, &record.spec.directory) else { return };
        let sources = SourceBytes::read(&self.project.root, record).unwrap_or_default();
        let runtime =
            runtime_files(record, sources.go_mod.as_deref(), self.wanted_runtime(), &release.tag)
                .unwrap_or_default();
        if files.extend(runtime.clone()).is_err() {
            return;
        }
        let tree = repository::tree(&self.project.root, &self.repository, files.paths());
        let plan = Plan::between(&tree, &files, &BTreeSet::new());
        self.compared = files.paths().cloned().collect();
        self.report.findings.extend(drift::vendored_findings(&plan, &runtime));
    }

    fn wanted_runtime(&self) -> WantedRuntime<'_> {
        match self.project.lock.good() {
            Some(lock) => WantedRuntime::Recorded(lock),
            None => WantedRuntime::Newest(None),
        }
    }

    /// The pinned release: from the binary, from the host that the record names, or from the tree itself when the
    /// record trusts the lock.
    fn release(&mut self) -> Option<Arc<SpecRelease>> {
        let pin = self.project.pin.good()?.clone();
        let record = self.project.record.good()?.clone();
        let source = &record.spec.source;
        match spec_source::embedded_release_of(source, self.project.family, &pin) {
            Ok(release) => {
                self.report.trust = Trust::Embedded.name();
                return Some(release);
            }
            Err(SpecError::UnknownTag { .. }) => {}
            Err(error) => {
                self.find(rules::PIN_UNKNOWN.finding(PIN_PATH, error.to_string()));
                return None;
            }
        }
        match WantedRelease::of(&record, pin.clone()).filter(|_| !record.spec.trust_lock) {
            Some(wanted) => self.hosted_release(&wanted),
            None => self.remembered_release(&record, &pin),
        }
    }

    /// A signed release, from the cache or its host. If it is not available, nothing is compared.
    fn hosted_release(&mut self, wanted: &WantedRelease) -> Option<Arc<SpecRelease>> {
        match self.session.obtain(wanted) {
            Ok(obtained) => {
                self.report.trust = obtained.trust.name();
                self.report.signer = obtained.trust.signer().map(str::to_owned);
                self.report.notes = obtained.notes;
                Some(obtained.release)
            }
            Err(fault) => {
                self.report.fault = Some(fault);
                None
            }
        }
    }

    /// The vendored copy, when the record trusts the lock and the lock is of the pin and of the record's source.
    fn remembered_release(&mut self, record: &Record, pin: &SpecTag) -> Option<Arc<SpecRelease>> {
        let source = match &record.spec.source {
            source @ SpecSource::Host(_) => source,
            SpecSource::Embedded | SpecSource::Directory => &SpecSource::Directory,
        };
        let of_the_binary = *source == SpecSource::Directory;
        let (rule, message) = match self.project.lock.good() {
            Some(lock) if lock.source == *source && lock.tag == *pin && record.spec.trust_lock => {
                let lock = lock.clone();
                return self.locked_release(record, &lock);
            }
            Some(lock) if lock.source != SpecSource::Embedded && !record.spec.trust_lock => (
                &rules::SOURCE_UNAVAILABLE,
                format!(
                    "`{pin}` came from a {}, but aos.toml does not trust the lock for it",
                    lock.source
                ),
            ),
            Some(lock) if lock.source != *source && !of_the_binary => (
                &rules::SOURCE_UNAVAILABLE,
                format!(
                    "the source in aos.toml is `{source}`, but the vendored contract is from `{}`",
                    lock.source
                ),
            ),
            Some(lock) if lock.source == *source => (
                &rules::SOURCE_UNAVAILABLE,
                format!("the lock has `{}`, and only the lock is trusted for `{pin}`", lock.tag),
            ),
            None if !of_the_binary => (
                &rules::SOURCE_UNAVAILABLE,
                format!("aos.toml trusts the lock for `{pin}`, but there is no lock"),
            ),
            _ => {
                let known: Vec<_> =
                    embedded::tags(self.project.family).iter().map(ToString::to_string).collect();
                let message = format!(
                    "`{pin}` is not a released tag of `{}`; tags are {}",
                    self.project.family,
                    known.join(", ")
                );
                (&rules::PIN_UNKNOWN, message)
            }
        };
        self.find(rule.finding(PIN_PATH, message));
        None
    }

    fn locked_release(&mut self, record: &Record, lock: &Lock) -> Option<Arc<SpecRelease>> {
        match spec_source::locked_release(&self.project.root, &record.spec.directory, lock) {
            Ok(release) => {
                self.report.trust = Trust::Lock.name();
                self.hold_to_the_floor(record, &release);
                Some(release)
            }
            Err(error) => {
                self.find(rules::MODIFIED.finding(error.path(), error.to_string()));
                None
            }
        }
    }

    /// An unsigned contract must keep everything that the released tags up to the pinned one have in common.
    fn hold_to_the_floor(&mut self, record: &Record, release: &SpecRelease) {
        let family = self.project.family;
        let Ok(Some(core)) = spec_source::core::broken(family, &release.tag, &release.contract)
        else {
            return;
        };
        let path = format!("{}/contract.json", record.spec.directory);
        let message = format!(
            "`{}` lacks or redefines {}, which the released contracts of `{family}` have since `{}`",
            release.tag, core.change, core.since
        );
        let mut finding = rules::FLOOR.finding(&path, message);
        finding.fix =
            format!("in the source of the contract, {}; then run `aos sync-spec`", core.fix());
        self.find(finding);
    }

    /// The rules of the family, under the pinned contract or, without one, under the newest.
    fn family_rules(&mut self, release: Option<&SpecRelease>) {
        let newest = || {
            let tag = spec_source::latest(self.project.family).ok()?;
            spec_source::embedded_release(self.project.family, &tag).ok()
        };
        let fallback = if release.is_none() { newest() } else { None };
        let Some(release) = release.or(fallback.as_deref()) else { return };
        let Some(part) = rules::FAMILY_RULES.of(self.project.family) else { return };
        let record = self.project.record.good();
        let mut found = part.check(&self.repository, &release.contract, record);
        // Another project is checked by itself. Secrets are searched in its files too.
        let nested = self.nested();
        found.retain(|finding| {
            finding.rule.starts_with("secrets/")
                || !nested.iter().any(|project| is_below(&finding.path, project))
        });
        self.report.findings.extend(found);
        self.report.notes.extend(part.notes(&self.repository, &release.contract, record));
    }

    /// Directories below this project that are projects of their own.
    fn nested(&self) -> Vec<String> {
        let outputs = self.project.record.good().into_iter().flat_map(|record| &record.outputs);
        let outputs: Vec<_> = outputs.flat_map(|(_, paths)| paths).map(|o| &o.path).collect();
        let nested = self.repository.nested(outputs.iter().map(|path| path.as_str()));
        nested.into_iter().map(str::to_owned).collect()
    }

    /// Assigns a class to each path. A path without a class is a fault of the check itself, and the project is not OK.
    fn take_inventory(&mut self) {
        self.report.nested = self.nested();
        self.report.inventory = Inventory::of(
            &self.repository,
            &self.compared,
            &self.report.nested,
            &self.report.findings,
        );
        if self.report.inventory.unclassified > 0 {
            let count = self.report.inventory.unclassified;
            let message = format!(
                "{count} paths of the project were neither compared nor excluded; this is a bug in aos"
            );
            self.find(rules::NOT_READ.finding(".", message));
        }
    }

    /// The note on projects below this one.
    fn nested_projects(&self) -> Option<String> {
        let nested = self.nested();
        let names: Vec<_> = nested.iter().take(5).map(|name| format!("`{name}`")).collect();
        let more = nested.len().checked_sub(names.len()).filter(|more| *more > 0);
        let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
        (!names.is_empty()).then(|| {
            format!(
                "each of these is a separate project and was not checked: {}{more}",
                names.join(", ")
            )
        })
    }

    fn conclude(mut self, options: &AuditOptions) -> ProjectReport {
        self.count();
        if let Some(record) = self.project.record.good() {
            self.report.findings.extend(guard::findings(&self.repository, record, &self.compared));
        }
        let state = self.report.runtime.iter();
        let older: Vec<_> = state.flat_map(RuntimeState::findings).collect();
        self.report.findings.extend(older);
        let state = self.report.template.iter();
        let template: Vec<_> = state.flat_map(TemplateState::findings).collect();
        self.report.findings.extend(template);
        self.report.notes.append(&mut self.repository.notes);
        self.report.notes.extend(self.nested_projects());
        self.take_inventory();
        let nested = self.repository.nested(std::iter::empty());
        for path in &self.repository.writes {
            if !nested.iter().any(|project| is_below(path, project)) {
                let message = "it looks like an unfinished write of aos, but aos writes these only in the root of a project";
                let finding = rules::FOREIGN_STATE.finding(path, message.to_owned());
                self.report.findings.push(finding);
            }
        }
        for (path, reason) in &self.repository.unlisted {
            let message = format!("the directory was not read: {reason}");
            self.report.findings.push(rules::NOT_READ.finding(path, message));
        }
        if let Some(record) = self.project.record.good() {
            self.report.waived =
                waivers::apply(&mut self.report.findings, &record.waivers, &options.today);
        }
        let source = self.project.record.good().map(|record| self.source_path(record));
        // After the waivers: a waived cause must not hide its effect.
        let unreadable = rules::FAMILY_RULES.of(self.project.family);
        let unreadable = unreadable.map(rules::FamilyRules::unreadable_source).unwrap_or_default();
        let is_broken = |finding: &Finding| unreadable.contains(&finding.rule);
        if self.report.findings.iter().any(is_broken) {
            self.report.findings.retain(|finding| {
                finding.rule != rules::GENERATOR.id || Some(&finding.path) != source.as_ref()
            });
        }
        self.report.findings.sort();
        self.report.findings.dedup();
        let wanted = &options.rules;
        if !wanted.is_empty() {
            let (asked, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.report.findings)
                .into_iter()
                .partition(|finding| wanted.iter().any(|rule| rule == finding.rule));
            let errors = others.iter().filter(|other| other.severity == Severity::Error).count();
            let warnings = others.len() - errors;
            self.report.passed_over = Some(PassedOverProject { errors, warnings });
            self.report.findings = asked;
        }
        self.report
    }
}
