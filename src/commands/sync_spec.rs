//! `aos sync-spec`: vendor a contract tag, regenerate what follows from it, move the pin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::apply;
use crate::cli::WriteOptions;
use crate::contract::{Family, SpecTag};
use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{PIN_PATH, RECORD_PATH, Record, SpecSource};
use crate::generate::vendor::{self, SpecRelease};
use crate::inputs::adoption::{self, Adoption};
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::project::{Project, Slot};
use crate::inputs::{embedded, repository, spec_source, tree};
use crate::plan::{Content, Digest, FileSet, Plan, RelativePath};
use crate::report::{ErrorCode, Failure, Outcome, changes};

use super::Run;
use super::new::requested_tag;
use super::write_gate::{self, Decision, Request};

/// Vendor the contract at a tag, regenerate what follows from it and move the pin
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos sync-spec                 follow the pin\n  aos sync-spec --to latest     move to the newest tag\n  aos sync-spec --to v1.0.0 --dry-run"
)]
pub struct SyncSpecArgs {
    /// Project directory
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Tag to move to, or `latest`; default is the tag in .agent/SPEC_VERSION
    #[arg(long, value_name = "TAG")]
    pub to: Option<String>,
    /// Directory to take the contract from instead of this program
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// When the tag cannot be had, a source is refused, or work would be lost without a token.
pub fn run(args: &SyncSpecArgs, run: &Run) -> Result<Outcome, Failure> {
    let (project, mut notes) = open(&args.path, &args.write)?;
    let adoption = adopt(&project)?;
    let adopting = adoption.is_some();
    let mut record = match (&project.record, adoption) {
        (Slot::Good(record), _) => record.clone(),
        (_, Some(adoption)) => {
            notes.extend(adoption.reasons);
            adoption.record
        }
        (Slot::Faulty { reason, .. }, None) => return Err(faulty_record(reason)),
        (Slot::Absent, None) => return Err(faulty_record("it does not exist")),
    };
    let release = release(args, &project, record.family)?;
    record.spec.source = release.source;
    record.spec.trust_lock = release.source == SpecSource::Directory;
    let sources = SourceBytes::read(&project.root, &record)?;
    let desired = Desired::compute(&record, Arc::clone(&release), &sources)?;
    let plan = full_plan(&project, &record, &desired)?;
    let summary = Summary {
        status: status(&project, &plan, adopting, &release.tag),
        previous: project.pin.good().map(ToString::to_string),
        release: &release,
        plan: &plan,
        notes,
    };
    if plan.is_empty() && !args.write.dry_run && args.write.confirm.is_none() {
        return Ok(summary.outcome(run));
    }
    let known = known(&project, &record, &plan);
    let request = Request {
        command: "sync-spec",
        arguments: format!("{} {} {}", release.family, release.tag, release.source.name()),
        root: &project.root,
        plan: &plan,
        known: &known,
    };
    match write_gate::decide(&request, &args.write, run)? {
        Decision::Preview(outcome) => Ok(*outcome),
        Decision::Proceed => {
            apply::apply(&project.root, &plan, LOCK_PATH)?;
            Ok(summary.outcome(run))
        }
    }
}

/// Opens a project for writing: undoes a write that was cut off first, unless this is a dry run.
///
/// # Errors
/// When the path is no project, or the journal cannot be used.
pub fn open(path: &Path, write: &WriteOptions) -> Result<(Project, Vec<String>), Failure> {
    let project = Project::open(path)?;
    if !write.dry_run {
        apply::journal::remove_leftovers(&project.root);
    }
    if !project.has_transaction {
        return Ok((project, Vec::new()));
    }
    if write.dry_run {
        return Err(Failure::new(ErrorCode::Conflict, "an earlier run was cut off while it wrote")
            .hint("run the command without `--dry-run`; it puts the old state back first"));
    }
    let mut notes = Vec::new();
    if let Some(recovery) = apply::recover(&project.root)? {
        notes.push(format!(
            "an earlier run was cut off; {} files were put back",
            recovery.restored.len()
        ));
        notes.extend(
            recovery
                .skipped
                .iter()
                .map(|path| format!("`{path}` was changed since then and was left as it is")),
        );
    }
    Ok((project.reload(), notes))
}

fn faulty_record(reason: &str) -> Failure {
    Failure::new(ErrorCode::Config, format!("`{RECORD_PATH}` cannot be used: {reason}"))
        .hint("mend the named member, or delete the file and run `aos sync-spec` to make a new one")
}

fn adopt(project: &Project) -> Result<Option<Adoption>, Failure> {
    match project.record {
        Slot::Absent => Ok(Some(adoption::propose(project.family, &repository::load(project)))),
        Slot::Good(_) | Slot::Faulty { .. } => Ok(None),
    }
}

fn release(
    args: &SyncSpecArgs,
    project: &Project,
    family: Family,
) -> Result<Arc<SpecRelease>, Failure> {
    let wanted = match (&args.to, &project.pin) {
        (Some(text), _) if text == "latest" && args.from.is_some() => None,
        (Some(text), _) => Some(requested_tag(family, text)?),
        (None, Slot::Good(pin)) if holds(args.from.as_deref(), family, pin) => Some(pin.clone()),
        (None, Slot::Faulty { reason, .. }) => return Err(faulty_pin(family, reason)),
        (None, _) => None,
    };
    match (&args.from, wanted) {
        (Some(directory), wanted) => {
            Ok(spec_source::directory_release(directory, family, wanted.as_ref())?)
        }
        (None, Some(tag)) => match spec_source::embedded_release(family, &tag) {
            Ok(release) => Ok(release),
            // A tag that came from a directory is still here, as the lock describes it.
            Err(unknown) => vendored_copy(project, &tag).ok_or_else(|| unknown.into()),
        },
        (None, None) => {
            let latest = spec_source::latest(family)?;
            Ok(spec_source::embedded_release(family, &latest)?)
        }
    }
}

/// Whether the pin decides: always without `--from`, and when the directory has a place for that tag.
fn holds(from: Option<&Path>, family: Family, pin: &SpecTag) -> bool {
    from.is_none_or(|directory| spec_source::has_tag(directory, family, pin))
}

fn vendored_copy(project: &Project, tag: &SpecTag) -> Option<Arc<SpecRelease>> {
    let (record, lock) = (project.record.good()?, project.lock.good()?);
    let usable = lock.tag == *tag && lock.source == SpecSource::Directory && record.spec.trust_lock;
    if !usable {
        return None;
    }
    spec_source::locked_release(&project.root, &record.spec.directory, lock).ok()
}

fn faulty_pin(family: Family, reason: &str) -> Failure {
    let known: Vec<_> = embedded::tags(family).iter().map(ToString::to_string).collect();
    Failure::new(ErrorCode::Validation, format!("`{PIN_PATH}` is not a tag: {reason}"))
        .hint(format!(
            "name the tag: `aos sync-spec --to {}`",
            known.last().map_or("TAG", String::as_str)
        ))
        .detail("known_tags", known)
}

/// Managed files, and the record where it is new or its source changed.
fn full_plan(project: &Project, record: &Record, desired: &Desired) -> Result<Plan, Failure> {
    let managed = desired.plan(&project.root, project.lock.good())?;
    let Some(text) = record_text(project, record)? else { return Ok(managed) };
    let mut files = FileSet::default();
    files
        .insert(RelativePath::literal(RECORD_PATH), Content::plain(text))
        .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))?;
    let current = tree::snapshot(&project.root, files.paths());
    let own = Plan::between(&current, &files, &Default::default());
    Ok(managed.and(own))
}

/// The new text of aos.toml; `None` when it stays as it is.
fn record_text(project: &Project, record: &Record) -> Result<Option<String>, Failure> {
    match &project.record {
        Slot::Good(old) if old.spec == record.spec => Ok(None),
        Slot::Good(_) => {
            let path = project.root.join(RECORD_PATH);
            let loaded = crate::system::files::read(&path, 1024 * 1024)
                .map_err(|error| faulty_record(&error.to_string()))?;
            let text = String::from_utf8(loaded.bytes)
                .map_err(|error| faulty_record(&error.to_string()))?;
            crate::generate::record::with_spec_source(&text, &record.spec)
                .map(Some)
                .map_err(|error| faulty_record(&error.to_string()))
        }
        Slot::Absent | Slot::Faulty { .. } => Ok(Some(record.render())),
    }
}

fn status(project: &Project, plan: &Plan, adopting: bool, tag: &SpecTag) -> &'static str {
    match project.pin.good() {
        _ if plan.is_empty() => "unchanged",
        _ if adopting => "adopted",
        Some(pin) if pin != tag => "moved",
        _ => match project.lock.good() {
            Some(lock) if lock.tag != *tag => "moved",
            _ => "renewed",
        },
    }
}

/// Digests of bytes that can be had again: what the lock records, released contract files, and aos's own records.
fn known(project: &Project, record: &Record, plan: &Plan) -> BTreeMap<RelativePath, Digest> {
    let mut known = project.lock.good().map(crate::generate::lock::Lock::known).unwrap_or_default();
    let replaced = |path: &str| plan.edits().iter().find(|edit| edit.path.as_str() == path);
    for path in [PIN_PATH, LOCK_PATH, RECORD_PATH] {
        let readable = match path {
            PIN_PATH => project.pin.good().is_some(),
            LOCK_PATH => project.lock.good().is_some(),
            _ => true,
        };
        if let Some(before) =
            replaced(path).filter(|_| readable).and_then(|edit| edit.before.as_ref())
        {
            known.insert(RelativePath::literal(path), before.digest());
        }
    }
    for tag in embedded::tags(record.family) {
        let Ok(release) = spec_source::embedded_release(record.family, &tag) else { continue };
        let Ok(files) = vendor::files(&release, &record.spec.directory) else { continue };
        for (path, content) in &files {
            let same =
                replaced(path.as_str()).and_then(|edit| edit.before.as_ref()) == Some(content);
            if same {
                known.insert(path.clone(), content.digest());
            }
        }
    }
    known
}

struct Summary<'a> {
    status: &'static str,
    previous: Option<String>,
    release: &'a SpecRelease,
    plan: &'a Plan,
    notes: Vec<String>,
}

impl Summary<'_> {
    fn outcome(&self, run: &Run) -> Outcome {
        let latest = spec_source::latest(self.release.family).ok();
        let newer =
            latest.filter(|latest| *latest > self.release.tag).map(|latest| latest.to_string());
        let data = json!({
            "status": self.status,
            "family": self.release.family.name(),
            "previous_tag": self.previous,
            "tag": self.release.tag.as_str(),
            "newer_tag": newer,
            "source": self.release.source.name(),
            "changes": changes::json(self.plan, false),
            "notes": self.notes,
        });
        let head = match (self.status, &self.previous) {
            ("unchanged", _) => format!("already at {}", self.release.tag),
            ("moved", Some(previous)) => format!("{previous} -> {}", self.release.tag),
            _ => format!("at {}", self.release.tag),
        };
        let mut lines = vec![format!(
            "{} {} {head} ({})",
            run.style.good(self.status),
            self.release.family,
            changes::summary(self.plan)
        )];
        if !self.plan.is_empty() {
            lines.push(changes::text(self.plan, run.style));
        }
        lines
            .extend(self.notes.iter().map(|note| format!("{} {note}", run.style.warning("note:"))));
        if let Some(newer) = &newer {
            lines
                .push(format!("{newer} is out: {}", run.style.accent("aos sync-spec --to latest")));
        }
        Outcome::new(data, lines.join("\n")).raw(changes::patch(self.plan))
    }
}
