//! The proof of a rewrite: `aos conform` on a private copy of the project, before and after.
//!
//! The copy holds what git would keep, and a file that starts the tool from the copy alone. Nothing of the project is
//! written. Results of equal trees are kept for a while, so that a confirmed plan is not examined again.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::contract::ProjectFiles;
use crate::inputs::project::Project;
use crate::plan::Digest;
use crate::plan::digest::hex;
use crate::reason::Reason;
use crate::report::answers::migrate::{ProbeTotals, RewriteProof};
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Mode};
use crate::system::temporary::TemporaryDirectory;
use crate::system::{clock, interrupt, machine_secret};
use crate::workflows::conform::child::{self, ChildAnswer, ProbeVerdicts};

use super::copies;
use super::seam::{Migrator, ProjectLauncher};

/// How long a result is believed, in seconds: the life of a confirm token.
const BELIEVED: u64 = crate::plan::confirmation::LIFETIME_SECONDS;
/// Largest kept result, in bytes.
const MAX_KEPT: u64 = 256 * 1024;
/// Most probes that an answer names.
const MAX_NAMED: usize = 40;

/// The result of an examination: verdicts, or the reason why there are none.
type Examination = Result<ProbeVerdicts, Reason>;

/// Examines trees of one project.
pub struct Prover<'a> {
    project: &'a Project,
    migrator: &'static dyn Migrator,
    known: BTreeMap<Digest, Examination>,
}

impl<'a> Prover<'a> {
    #[must_use]
    pub fn new(project: &'a Project, migrator: &'static dyn Migrator) -> Self {
        Self { project, migrator, known: BTreeMap::new() }
    }

    /// The effect of the rewrite between two trees on the callers of the tool.
    ///
    /// # Errors
    /// Returns an error if the run was interrupted.
    pub fn compare(
        &mut self,
        before: &ProjectFiles,
        after: &ProjectFiles,
    ) -> Result<RewriteProof, Failure> {
        let first = self.examine(before)?;
        let second = match &first {
            Ok(_) => self.examine(after)?,
            Err(why) => Err(why.clone()),
        };
        Ok(match (first, second) {
            (Ok(before), Ok(after)) => proof(&before, &after),
            (_, Err(why)) | (Err(why), _) => RewriteProof::missing(why.into()),
        })
    }

    /// The effect of each step from one of these trees to the next; `None` when a step breaks a probe. Between the
    /// first and the last tree only those probes are run whose verdict is another in the end.
    ///
    /// # Errors
    /// Returns an error if the run was interrupted.
    pub fn steps(&mut self, trees: &[ProjectFiles]) -> Result<Option<Vec<RewriteProof>>, Failure> {
        let [first, between @ .., last] = trees else { return Ok(Some(Vec::new())) };
        let first = match self.examine(first)? {
            Ok(first) => first,
            Err(why) => {
                let missing = || RewriteProof::missing(why.clone().into());
                return Ok(Some((1..trees.len()).map(|_| missing()).collect()));
            }
        };
        let Ok(last) = self.examine(last)? else { return Ok(None) };
        let probes: BTreeSet<&String> = first.keys().chain(last.keys()).collect();
        let is_changed = |probe: &&String| first.get(*probe) != last.get(*probe);
        let changed: Vec<String> = probes.into_iter().filter(is_changed).cloned().collect();
        let mut verdicts = vec![first.clone()];
        for tree in between {
            let mut found = first.clone();
            if !changed.is_empty() {
                let Ok(again) = self.examine_some(tree, &changed)? else { return Ok(None) };
                found.extend(again);
            }
            verdicts.push(found);
        }
        verdicts.push(last);
        let pairs = verdicts.windows(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
        let proofs: Vec<_> = pairs.map(|(before, after)| proof(before, after)).collect();
        let is_safe = proofs.iter().all(|proof| proof.broken.is_empty());
        Ok(is_safe.then_some(proofs))
    }

    fn examine(&mut self, files: &ProjectFiles) -> Result<Examination, Failure> {
        self.examine_some(files, &[])
    }

    /// The verdicts of these probes; of all probes without any.
    fn examine_some(
        &mut self,
        files: &ProjectFiles,
        probes: &[String],
    ) -> Result<Examination, Failure> {
        let digest = digest(files, probes);
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.clone());
        }
        let examined = match kept(&digest) {
            Some(verdicts) => Ok(verdicts),
            None => self.run(files, probes)?,
        };
        if let Ok(verdicts) = &examined {
            keep(&digest, verdicts);
        }
        self.known.insert(digest, examined.clone());
        Ok(examined)
    }

    fn run(&mut self, files: &ProjectFiles, probes: &[String]) -> Result<Examination, Failure> {
        interrupt::check()?;
        // The entry point may be another one after a rewrite.
        let launcher = match self.migrator.launcher(&self.project.root, files) {
            Ok(launcher) => launcher,
            Err(why) => return Ok(Err(why)),
        };
        let programs = [(launcher.path.as_str(), launcher.text.as_str())];
        match copies::make(&self.project.directory_name, files, &programs) {
            Ok(directory) => conform(&directory, &self.project.directory_name, &launcher, probes),
            Err(error) => Ok(Err(format!("a copy of the project cannot be made: {error}").into())),
        }
    }
}

/// A digest of every file and of the probes that are run.
fn digest(files: &ProjectFiles, probes: &[String]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(env!("CARGO_PKG_VERSION"));
    for (path, file) in &files.files {
        hasher.update((path.len() as u64).to_be_bytes());
        hasher.update(path);
        hasher.update([u8::from(file.executable)]);
        hasher.update((file.bytes.len() as u64).to_be_bytes());
        hasher.update(&file.bytes);
    }
    for probe in probes {
        hasher.update([b'\n']);
        hasher.update(probe);
    }
    Digest::of(&hasher.finalize())
}

/// Runs `aos conform` on the copy.
fn conform(
    directory: &TemporaryDirectory,
    name: &str,
    launcher: &ProjectLauncher,
    probes: &[String],
) -> Result<Examination, Failure> {
    let readable = launcher.readable.iter();
    let readable = readable.map(|path| ("--readable", path.to_string_lossy().into_owned()));
    let options: Vec<_> = readable
        .chain(probes.iter().map(|probe| ("--probe", probe.clone())))
        .flat_map(|(option, value)| [option.to_owned(), value])
        .collect();
    let none = |why: &str| Ok(Err(format!("`aos conform` returned no result: {why}").into()));
    match child::run(&directory.path().join(name), &options) {
        Ok(ChildAnswer { verdicts: Some(verdicts), .. }) => Ok(Ok(verdicts)),
        Ok(ChildAnswer { error, .. }) => none(&error.message),
        Err(failure) if failure.code == ErrorCode::Interrupted => {
            Err(Failure::new(ErrorCode::Interrupted, "interrupted; nothing was changed"))
        }
        Err(failure) => none(&failure.message),
    }
}

fn totals(verdicts: &ProbeVerdicts) -> ProbeTotals {
    let count = |name: &str| verdicts.values().filter(|verdict| *verdict == name).count();
    ProbeTotals { pass: count("pass"), fail: count("fail"), blocked: count("blocked") }
}

/// A probe that passed must pass; everything else may only become better.
fn proof(before: &ProbeVerdicts, after: &ProbeVerdicts) -> RewriteProof {
    let is = |verdicts: &ProbeVerdicts, probe: &str, wanted: &str| {
        verdicts.get(probe).is_some_and(|verdict| verdict == wanted)
    };
    let named = |judge: &dyn Fn(&str) -> bool| {
        let probes = before.keys().filter(|probe| judge(probe));
        probes.take(MAX_NAMED).cloned().collect::<Vec<_>>()
    };
    let accepted = |probe: &str| {
        ["pass", "waived", "not_applicable"].iter().any(|verdict| is(after, probe, verdict))
    };
    RewriteProof {
        ran: true,
        reason: None,
        before: Some(totals(before)),
        after: Some(totals(after)),
        fixed: named(&|probe| is(before, probe, "fail") && is(after, probe, "pass")),
        broken: named(&|probe| is(before, probe, "pass") && !accepted(probe)),
    }
}

/// The directory of kept results.
fn place() -> Option<std::path::PathBuf> {
    Some(machine_secret::state_directory().ok()?.join("conform-results"))
}

fn kept(digest: &Digest) -> Option<ProbeVerdicts> {
    let path = place()?.join(hex(digest.to_string().as_bytes()));
    let bytes = files::read(&path, MAX_KEPT).ok()?.bytes;
    let text = String::from_utf8(bytes).ok()?;
    let (written, verdicts) = text.split_once('\n')?;
    let written: u64 = written.parse().ok()?;
    let now = clock::now_seconds();
    (written <= now && now - written < BELIEVED).then(|| serde_json::from_str(verdicts).ok())?
}

/// Keeps a result; without a state directory it is worked out again.
fn keep(digest: &Digest, verdicts: &ProbeVerdicts) {
    let Some(place) = place() else { return };
    if files::create_private_directory(&place).is_err() {
        return;
    }
    let now = clock::now_seconds();
    for name in files::names(&place).unwrap_or_default() {
        let path = place.join(&name);
        let written = files::read(&path, MAX_KEPT).ok().and_then(|read| {
            let text = String::from_utf8(read.bytes).ok()?;
            text.split_once('\n')?.0.parse::<u64>().ok()
        });
        if written.is_none_or(|written| written > now || now - written >= BELIEVED) {
            // A result that stays is only clutter.
            let _ = files::remove_file(&path);
        }
    }
    let text = format!("{now}\n{}", serde_json::to_string(verdicts).unwrap_or_default());
    let path = place.join(hex(digest.to_string().as_bytes()));
    // Another run may have written it.
    let _ = files::write_new(&path, text.as_bytes(), Mode::Secret);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(pairs: &[(&str, &str)]) -> ProbeVerdicts {
        pairs.iter().map(|(probe, verdict)| ((*probe).to_owned(), (*verdict).to_owned())).collect()
    }

    #[test]
    fn a_probe_that_passed_and_is_blocked_now_is_broken() {
        let before = verdicts(&[("a", "pass"), ("b", "fail"), ("c", "pass"), ("d", "blocked")]);
        let after =
            verdicts(&[("a", "blocked"), ("b", "pass"), ("c", "not_applicable"), ("d", "fail")]);
        let proof = proof(&before, &after);
        assert_eq!((proof.broken, proof.fixed), (vec!["a".to_owned()], vec!["b".to_owned()]));
    }
}
