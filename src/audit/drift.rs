//! Findings about managed files: each edit of the plan that would restore them is a fault.

use std::collections::BTreeSet;

use crate::contract::repository::is_below;
use crate::contract::rules::rule::Rule;
use crate::contract::{Finding, ProjectFiles};
use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::outputs;
use crate::generate::record::{AGENT_DIRECTORY, PIN_PATH, Record};
use crate::inputs::desired::{Desired, DesiredError};
use crate::inputs::project::Project;
use crate::inputs::repository;
use crate::plan::{Action, Content, Digest, Edit, FileSet, Plan, RelativePath, TreeEntry, diff};
use crate::system::files;

use super::{names, rules, runtime, shadow, strays};

/// The managed files of one project, compared with the state they should be in.
#[derive(Debug)]
pub struct DriftComparison {
    /// The change that would remove every difference.
    pub plan: Plan,
    pub findings: Vec<Finding>,
    /// Every file that was compared, whether it exists or not.
    pub compared: BTreeSet<RelativePath>,
}

/// Compares every managed file. `aos check` and `aos gen --check` both report exactly this.
///
/// # Errors
/// Returns an error if two wanted files are one.
pub fn compare(
    project: &Project,
    repository: &ProjectFiles,
    record: &Record,
    desired: &Desired,
) -> Result<DriftComparison, DesiredError> {
    let wanted = desired.files()?;
    let lock = project.lock.good();
    let known = desired.known(lock);
    let mut compared: BTreeSet<_> = wanted.paths().chain(known.keys()).cloned().collect();
    let tree = repository::tree(&project.root, repository, &compared);
    let mut plan = desired.between(&tree, &wanted, &known);
    if lock.is_some_and(|lock| lock_follows(lock, repository, desired, &plan)) {
        plan = plan.only(|path| path.as_str() != LOCK_PATH);
    }
    let mut found = findings(&plan, desired);
    let older = runtime::older(project, repository, record, desired);
    found.extend(older.findings);
    compared.extend(older.compared);
    found.extend(desired.claims(&tree, &wanted, &known).iter().map(claimed));
    found.extend(extra(repository, record, &wanted, &desired.kept));
    let edited = plan.edits().iter().map(|edit| edit.path.as_str());
    let in_the_way = plan.obstacles().iter().map(|obstacle| obstacle.path.as_str());
    let differs: BTreeSet<_> = edited.chain(in_the_way).collect();
    let ours = wanted.paths().map(RelativePath::as_str).filter(|path| !differs.contains(path));
    let shadows = shadow::findings(&project.root, repository, record, &ours.collect());
    // A file that is loaded instead of the module is reported once.
    let mut strays = strays::findings(repository, record, &wanted);
    strays.retain(|stray| !shadows.iter().any(|shadow| shadow.path == stray.path));
    found.extend(strays);
    found.extend(shadows);
    found.extend(special_modes(project, repository, &compared));
    found.extend(names::findings(repository, &wanted));
    Ok(DriftComparison { plan, findings: found, compared })
}

/// Managed files with a bit that a plan does not know.
fn special_modes(
    project: &Project,
    repository: &ProjectFiles,
    compared: &BTreeSet<RelativePath>,
) -> Vec<Finding> {
    let special =
        compared.iter().filter(|path| match repository.files.contains_key(path.as_str()) {
            true => repository.special.contains(path.as_str()),
            false => {
                files::has_special_mode(&path.below(&project.root)).is_ok_and(|special| special)
            }
        });
    let finding = |path: &RelativePath| {
        let message = "the file has a setuid, setgid or sticky bit".to_owned();
        let mut finding = rules::MODE.finding(path.as_str(), message);
        finding.fix = "remove the bit: `chmod u-s,g-s,-t FILE`".to_owned();
        finding
    };
    special.map(finding).collect()
}

/// A file that is in the lock, but that aos does not write.
fn claimed(path: &RelativePath) -> Finding {
    let message = "the lock names this file, but aos does not write such a file".to_owned();
    let mut finding = rules::EXTRA.finding(path.as_str(), message);
    finding.fix = "run `aos sync-spec`; it removes the file from the lock and keeps it".to_owned();
    finding
}

fn is_runtime(record: &Record, directory: &str) -> bool {
    record.runtime.as_ref().is_some_and(|runtime| runtime.path.as_str() == directory)
}

/// True if the lock differs only because generated files do: each of those has its own finding, and `aos gen` renews
/// both.
fn lock_follows(lock: &Lock, repository: &ProjectFiles, desired: &Desired, plan: &Plan) -> bool {
    let generated_differ =
        plan.edits().iter().any(|edit| desired.generated.get(&edit.path).is_some());
    let same_files = lock.generated.keys().eq(desired.generated.paths());
    let expected = Lock { generated: lock.generated.clone(), ..desired.lock.clone() };
    generated_differ
        && same_files
        && repository.bytes(LOCK_PATH) == Some(expected.render().as_bytes())
}

/// Generated files that differ from their digests in the lock, for a project whose sources generate nothing.
#[must_use]
pub fn unlike_the_lock(project: &Project, repository: &ProjectFiles) -> Vec<Finding> {
    let Some(lock) = project.lock.good() else { return Vec::new() };
    let tree = repository::tree(&project.root, repository, lock.generated.keys());
    let finding =
        |(path, digest): (&RelativePath, &Digest)| match tree.entries.get(path) {
            None => Some(
                rules::GENERATED_MISSING
                    .finding(path.as_str(), "the generated file does not exist".to_owned()),
            ),
            Some(TreeEntry::File(content)) if content.digest() == *digest => None,
            Some(TreeEntry::File(_)) => Some(rules::GENERATED_STALE.finding(
                path.as_str(),
                "the file has been changed since aos generated it".to_owned(),
            )),
            Some(_) => Some(
                rules::NOT_A_FILE.finding(path.as_str(), "the path is not a plain file".to_owned()),
            ),
        };
    lock.generated.iter().filter_map(finding).collect()
}

/// Every difference that `plan` would remove.
#[must_use]
pub fn findings(plan: &Plan, desired: &Desired) -> Vec<Finding> {
    of_plan(plan, &desired.generated, &desired.runtime)
}

/// The same for a project whose vendored files and runtime alone can be compared.
#[must_use]
pub fn vendored_findings(plan: &Plan, runtime: &FileSet) -> Vec<Finding> {
    of_plan(plan, &FileSet::default(), runtime)
}

fn of_plan(plan: &Plan, generated: &FileSet, runtime: &FileSet) -> Vec<Finding> {
    let edits = plan.edits().iter();
    let mut findings: Vec<_> = edits.map(|edit| edit_finding(edit, generated, runtime)).collect();
    for obstacle in plan.obstacles() {
        findings.push(rules::NOT_A_FILE.finding(obstacle.path.as_str(), obstacle.reason.clone()));
    }
    findings
}

fn edit_finding(edit: &Edit, generated: &FileSet, runtime: &FileSet) -> Finding {
    let is_generated = generated.get(&edit.path).is_some();
    let is_runtime = runtime.get(&edit.path).is_some();
    let (rule, message): (&Rule, &str) = match edit.action {
        Action::Create if is_generated => {
            (&rules::GENERATED_MISSING, "the generated file does not exist")
        }
        Action::Create if is_runtime => (&rules::RUNTIME, "the file of the runtime does not exist"),
        Action::Create => (&rules::MISSING, "the file does not exist"),
        Action::SetMode => (&rules::MODE, "the file is executable"),
        Action::Delete => (&rules::EXTRA, "the file belongs to another version of the contract"),
        Action::Replace if only_line_endings(edit) => {
            (&rules::LINE_ENDINGS, "the line endings were converted")
        }
        Action::Replace if edit.path.as_str() == LOCK_PATH => {
            (&rules::LOCK_STALE, "the lock does not describe the managed files")
        }
        Action::Replace if edit.path.as_str() == PIN_PATH => {
            (&rules::PIN_MALFORMED, "the pin is not one tag and a newline")
        }
        Action::Replace if is_generated => {
            (&rules::GENERATED_STALE, "the file differs from what its sources generate")
        }
        Action::Replace if is_runtime => {
            (&rules::RUNTIME, "the file differs from the recorded runtime")
        }
        Action::Replace => (&rules::MODIFIED, "the file differs from the pinned contract"),
    };
    let mut finding = rule.finding(edit.path.as_str(), message.to_owned());
    if edit.action != Action::Create {
        finding.diff = Some(diff::unified(edit));
    } else if let Some(after) = &edit.after {
        finding.diff = Some(created(edit, after));
    }
    finding
}

/// A missing file is shown by its size instead of its whole text.
fn created(edit: &Edit, after: &Content) -> String {
    format!(
        "--- /dev/null\n+++ b/{}\n({} bytes, {})\n",
        edit.path,
        after.bytes.len(),
        after.digest()
    )
}

fn only_line_endings(edit: &Edit) -> bool {
    let text = |content: &Option<Content>| {
        content
            .as_ref()
            .and_then(|content| std::str::from_utf8(&content.bytes).ok().map(str::to_owned))
    };
    match (text(&edit.before), text(&edit.after)) {
        (Some(before), Some(after)) => diff::line_ending_note(&before, &after).is_some(),
        _ => false,
    }
}

/// Unknown files in a directory that aos manages.
#[must_use]
pub fn extra(
    repository: &ProjectFiles,
    record: &Record,
    wanted: &FileSet,
    stays: &BTreeSet<RelativePath>,
) -> Vec<Finding> {
    let contract = record.spec.directory.as_str();
    let own_file = outputs::own_file_of(record.family, &record.spec.directory);
    let mut directories = vec![AGENT_DIRECTORY];
    if contract != AGENT_DIRECTORY {
        directories.push(contract);
    }
    directories.extend(record.runtime.as_ref().map(|runtime| runtime.path.as_str()));
    let known: BTreeSet<&str> = wanted.paths().chain(stays).map(RelativePath::as_str).collect();
    let mut findings = Vec::new();
    for directory in directories {
        // Ignored code in the runtime is loaded with it.
        let ignored = repository.ignored.keys().map(String::as_str);
        let ignored =
            ignored.filter(|path| is_runtime(record, directory) && is_below(path, directory));
        for path in repository::below(repository, directory).chain(ignored) {
            if own_file.as_deref() != Some(path)
                && !known.contains(path)
                && !record.spec.keep.iter().any(|own| own.as_str() == path)
                && !runtime::is_owned(record, path)
            {
                let message = format!("aos manages `{directory}`, but did not write this file");
                findings.push(rules::EXTRA.finding(path, message));
            }
        }
    }
    findings
}
