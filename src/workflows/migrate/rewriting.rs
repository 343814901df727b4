//! The rewrites one after the other, each with its proof.
//!
//! A run of the tool is the expensive part. All rewrites are made first, and the tool is run before the first and after the
//! last. Between them, only probes that changed their verdict are run again, which says which rewrite changed it. If a
//! probe broke, each rewrite is examined in full, and the one that broke it is left out.

use std::collections::BTreeSet;

use crate::contract::ProjectFiles;
use crate::generate::lock::LOCK_PATH;
use crate::report::Failure;
use crate::report::answers::migrate::{RewriteReport, UntouchedReport};

use super::draft::{Complete, Draft};
use super::proof::Prover;
use super::seam::{Migrator, ProjectRewrite, RewriteSubject, Rewritten, UntouchedPlace};

/// A project after its rewrites.
pub struct RewrittenProject<'a> {
    pub draft: Draft<'a>,
    pub complete: Complete,
    pub reports: Vec<RewriteReport>,
    /// The tree before each rewrite that changed something, and the last one.
    trees: Vec<ProjectFiles>,
}

impl<'a> RewrittenProject<'a> {
    fn new(draft: &Draft<'a>, complete: &Complete) -> Self {
        Self {
            draft: draft.clone(),
            complete: complete.clone(),
            reports: Vec::new(),
            trees: vec![complete.files.clone()],
        }
    }

    fn keep(&mut self, draft: Draft<'a>, complete: Complete) {
        self.trees.push(complete.files.clone());
        (self.draft, self.complete) = (draft, complete);
    }
}

/// Makes the wanted rewrites without running the tool.
pub fn unproved<'a>(
    (draft, complete): (&Draft<'a>, &Complete),
    migrator: &dyn Migrator,
    wanted: &[bool],
) -> RewrittenProject<'a> {
    let mut project = RewrittenProject::new(draft, complete);
    for (rewrite, is_wanted) in migrator.rewrites().iter().zip(wanted) {
        let (next, entry) = next(&project, rewrite, *is_wanted);
        if let Some((draft, complete)) = next {
            project.keep(draft, complete);
        }
        project.reports.push(entry);
    }
    project
}

/// Makes the wanted rewrites, and leaves out those after which a probe no longer passes.
///
/// # Errors
/// Returns an error if the run was interrupted.
pub fn proved<'a>(
    start: (&Draft<'a>, &Complete),
    migrator: &dyn Migrator,
    wanted: &[bool],
    prover: &mut Prover<'_>,
) -> Result<RewrittenProject<'a>, Failure> {
    let mut project = unproved(start, migrator, wanted);
    let Some(proofs) = prover.steps(&project.trees)? else {
        return one_by_one(start, migrator, wanted, prover);
    };
    let changed = project.reports.iter_mut().filter(|entry| entry.status == "rewritten");
    for (entry, proof) in changed.zip(proofs) {
        entry.proof = Some(proof);
    }
    Ok(project)
}

fn one_by_one<'a>(
    (draft, complete): (&Draft<'a>, &Complete),
    migrator: &dyn Migrator,
    wanted: &[bool],
    prover: &mut Prover<'_>,
) -> Result<RewrittenProject<'a>, Failure> {
    let mut project = RewrittenProject::new(draft, complete);
    for (rewrite, is_wanted) in migrator.rewrites().iter().zip(wanted) {
        let (next, mut entry) = next(&project, rewrite, *is_wanted);
        if let Some((draft, complete)) = next {
            let proof = prover.compare(&project.complete.files, &complete.files)?;
            if proof.broken.is_empty() {
                project.keep(draft, complete);
            } else {
                entry.status = "refused";
            }
            entry.proof = Some(proof);
        }
        project.reports.push(entry);
    }
    Ok(project)
}

/// The draft after a rewrite, and its report; `None` when nothing changes.
fn next<'a>(
    project: &RewrittenProject<'a>,
    rewrite: &'static ProjectRewrite,
    is_wanted: bool,
) -> (Option<(Draft<'a>, Complete)>, RewriteReport) {
    if !is_wanted {
        return (None, report(rewrite, "skipped", &Rewritten::default()));
    }
    let complete = &project.complete;
    let subject = RewriteSubject { files: &complete.files, managed: &complete.managed };
    let rewritten = (rewrite.run)(&subject);
    attempt(&project.draft, complete, rewrite, &rewritten)
}

/// The same for a rewrite whose changes are known.
fn attempt<'a>(
    draft: &Draft<'a>,
    complete: &Complete,
    rewrite: &'static ProjectRewrite,
    rewritten: &Rewritten,
) -> (Option<(Draft<'a>, Complete)>, RewriteReport) {
    let unchanged = || {
        let status = if rewritten.untouched.is_empty() { "nothing" } else { "untouched" };
        report(rewrite, status, rewritten)
    };
    if rewritten.changes_nothing() {
        return (None, unchanged());
    }
    let mut changed = draft.clone();
    changed.apply(rewrite, rewritten);
    let tree = match changed.complete() {
        Ok(tree) => tree,
        Err(failure) => {
            let mut refused = rewritten.clone();
            refused.untouched.push(UntouchedPlace::of(".", None, failure.message));
            return (None, report(rewrite, "untouched", &refused));
        }
    };
    let paths = changed_paths(&complete.files, &tree.files);
    if paths.is_empty() {
        return (None, unchanged());
    }
    let mut entry = report(rewrite, "rewritten", rewritten);
    entry.files = paths;
    (Some((changed, tree)), entry)
}

fn changed_paths(before: &ProjectFiles, after: &ProjectFiles) -> Vec<String> {
    let paths: BTreeSet<_> = before.files.keys().chain(after.files.keys()).collect();
    let is_changed = |path: &&&String| before.bytes(path) != after.bytes(path);
    let paths = paths.iter().filter(is_changed).map(|path| (*path).clone());
    // The lock follows from the others.
    paths.filter(|path| path != LOCK_PATH).collect()
}

fn report(
    rewrite: &'static ProjectRewrite,
    status: &'static str,
    rewritten: &Rewritten,
) -> RewriteReport {
    let place = |place: &UntouchedPlace| UntouchedReport {
        path: place.path.clone(),
        line: place.line,
        reason: place.reason.clone(),
    };
    RewriteReport {
        id: rewrite.id,
        summary: rewrite.summary,
        status,
        files: Vec::new(),
        untouched: rewritten.untouched.iter().map(place).collect(),
        proof: None,
    }
}
