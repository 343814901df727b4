//! The sync: looks, keeps what somebody changed, runs `npx skills`, looks again, and puts the verified files wherever
//! anything else is. Only the last look decides.
//!
//! The installer keeps a record and knows where agents look, so it goes first; without it the verified files are put
//! directly where a copy is installed already.

use std::path::PathBuf;
use std::time::Duration;

use semver::Version;

use crate::release::Repository;
use crate::system::clock::Stopwatch;
use crate::system::session::SessionEnding;
use crate::system::{checkpoint, environment, files};

use super::agents::Pin;
use super::backup::{self, BackupError};
use super::examination::{CopyState, Examined, SkillExamination, examine_in};
use super::installed;
use super::installer::{self, InstallerError, InstallerRun, Targets};
use super::journal::Journal;
use super::judgement::{contradiction, is_foreign, is_left_alone, writers};
use super::manifest::SkillManifest;
use super::places::{Bases, SkillDirectory};
use super::put::{self, CopyOrigin};
use super::report::{Cause, KeptCopy, Live, Repair, SkillReport, Status};
use super::tools::{self, SkillTools};
use super::verified::Verified;

/// Longest time of all runs of npx together.
const LIMIT: Duration = Duration::from_secs(180);

/// The Skill to install.
#[derive(Clone, Copy, Debug)]
pub struct SkillRequest<'a> {
    pub repository: &'a Repository,
    /// The release whose Skill it is.
    pub version: &'a Version,
    pub expected: &'a Verified,
    /// File lists of older releases: an installed copy that equals one of them was not changed by a person.
    pub known: &'a [SkillManifest],
}

/// A changed copy that cannot be backed up.
#[derive(Debug, thiserror::Error)]
#[error("`{}` was changed and cannot be backed up: {error}", place.display())]
struct NotBackedUp {
    place: PathBuf,
    error: BackupError,
}

/// Returns a command that installs the Skill of `version`. It verifies the files; a command of the installer would not.
#[must_use]
pub fn command(version: &Version) -> String {
    format!("aos update --target-version {version}")
}

/// True if a sync was killed while the installer could write.
#[must_use]
pub fn is_unfinished() -> bool {
    environment::state_directory().is_some_and(|state| Journal::load(&state).is_some())
}

/// Installs the Skill of `request` in every directory where it is installed, or in the canonical one.
#[must_use]
pub fn sync(request: &SkillRequest<'_>) -> SkillReport {
    let digest = request.expected.manifest().digest().to_string();
    let report = SkillReport::new(digest, command(request.version));
    let (Some(bases), Some(state)) = (Bases::from_environment(), environment::state_directory())
    else {
        return report.failed(Cause::NoHome);
    };
    let clock = Stopwatch::start();
    Work { request, bases: &bases, state, clock, report, own: Vec::new(), is_direct: false }.done()
}

/// With no agent at all, `skills` would make a directory for each that it knows.
fn recognised(bases: &Bases, pin: Pin) -> Targets {
    if bases.has_agent(pin) { Targets::Recognised } else { Targets::Universal(Vec::new()) }
}

/// One sync.
struct Work<'a> {
    request: &'a SkillRequest<'a>,
    bases: &'a Bases,
    state: PathBuf,
    clock: Stopwatch,
    report: SkillReport,
    /// Copies that are the user's alone, and where they are kept while an installer runs.
    own: Vec<KeptCopy>,
    /// Whether aos put the verified files somewhere that no installer had written.
    is_direct: bool,
}

/// The end of the writer of a copy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum CopyWriter {
    /// It ended by itself: every difference is intended.
    Finished,
    /// It was stopped: partial files prove nothing.
    Stopped,
    /// There was none.
    Absent,
}

impl Work<'_> {
    fn done(mut self) -> SkillReport {
        self.clear_stages();
        if let Some(journal) = Journal::load(&self.state) {
            self.report
                .notes
                .push("an earlier sync was killed; its leftovers were removed".to_owned());
            self.own = journal.own(&self.state);
            self.repair(&journal, CopyWriter::Stopped);
            self.own.clear();
            if !self.report.repairs.is_empty() {
                return self.ended(None);
            }
        }
        let before = self.look();
        for examined in before.developers() {
            let path = examined.place.path.display();
            self.report
                .notes
                .push(format!("`{path}` is in a git working tree, so it was not changed"));
        }
        if before.is_current() {
            return self.finish(Status::Current, None);
        }
        if self.request.expected.manifest().is_empty() {
            return self.failed(Cause::NoManifest);
        }
        let is_developed = before.developers().next().is_some();
        // An installer would replace the link of a developer.
        let tools = if is_developed { Err(Cause::DeveloperLink) } else { self.tools() };
        if let (Err(cause), true) = (&tools, before.places.is_empty()) {
            let note = "the Skill was never installed here, and its installer cannot run, so it was not installed";
            self.report.notes.push(note.to_owned());
            return match cause {
                Cause::Interrupted => self.failed(*cause),
                _ => self.finish(Status::NotInstalled, Some(*cause)),
            };
        }
        if let Err(reason) = self.keep_changes(&before) {
            self.report.notes.push(reason.to_string());
            return self.failed(Cause::BackupFailed);
        }
        match tools {
            Ok(tools) => self.install(&before, &tools),
            Err(Cause::DeveloperLink) => {
                self.repair(&Journal::of(&before, &self.own), CopyWriter::Absent);
                self.finish(Status::Skipped, Some(Cause::DeveloperLink))
            }
            Err(cause) => {
                self.repair(&Journal::of(&before, &self.own), CopyWriter::Absent);
                let said = cause.name().replace('_', " ");
                self.note_direct(&format!("the installer cannot run ({said})"));
                self.ended(None)
            }
        }
    }

    /// The programs that the installer needs; the cause without them.
    fn tools(&mut self) -> Result<SkillTools, Cause> {
        if environment::read(environment::AOS_OFFLINE).is_some() {
            return Err(Cause::Offline);
        }
        tools::find().map_err(|missing| {
            self.report.notes.extend(missing.fix);
            missing.cause
        })
    }

    /// Removes unfinished files of killed syncs, which no agent has read.
    fn clear_stages(&self) {
        for name in files::names(&self.state).unwrap_or_default() {
            if name.to_str().is_some_and(|name| name.starts_with(backup::UNFINISHED)) {
                let _ = files::remove_tree(&self.state.join(name));
            }
        }
    }

    fn look(&mut self) -> SkillExamination {
        let found = examine_in(self.bases, self.request.expected.manifest(), self.request.known);
        self.report.found(&found);
        found
    }

    /// Copies what is neither ours nor unchanged, before anything replaces it.
    fn keep_changes(&mut self, before: &SkillExamination) -> Result<(), NotBackedUp> {
        for place in before.wrong().filter(|wrong| !is_left_alone(wrong)).map(|wrong| &wrong.place)
        {
            if place.is_link && place.real != place.path {
                let (path, real) = (place.path.display(), place.real.display());
                let note = format!("`{path}` was a link to `{real}`, which was not changed");
                self.report.notes.push(note);
            }
        }
        for examined in &before.places {
            let is_own = is_left_alone(examined);
            let is_kept = match &examined.state {
                CopyState::Modified => true,
                // Nobody replaces it, and nothing of it can be copied.
                CopyState::Unreadable(_) => !is_own,
                _ => false,
            };
            if !is_kept {
                continue;
            }
            let place = examined.place.path.clone();
            let kept = backup::make(&place, &self.state)
                .map_err(|error| NotBackedUp { place: place.clone(), error })?;
            if is_own {
                self.own.push(KeptCopy { place, backup: kept.path });
                continue;
            }
            self.report.notes.extend(kept.skipped.iter().map(|path| {
                let path = place.join(path);
                format!("`{}` has no content to back up", path.display())
            }));
            self.report.backups.push(KeptCopy { place, backup: kept.path });
        }
        Ok(())
    }

    fn install(mut self, before: &SkillExamination, tools: &SkillTools) -> SkillReport {
        let journal = Journal::of(before, &self.own);
        if let Err(error) = journal.save(&self.state) {
            let note = format!("`{}` cannot be written: {error}", self.state.display());
            self.report.notes.push(note);
            return self.failed(Cause::NotWritten);
        }
        let mut targets = recognised(self.bases, tools.pin);
        let mut is_first = true;
        let ran = loop {
            let run = match self.run(tools, &targets) {
                Ok(run) => run,
                Err(reason) => {
                    self.report.notes.push(reason.to_string());
                    break None;
                }
            };
            checkpoint::reached("skill:installed");
            let after = self.look();
            self.report.exit = match run.ending {
                SessionEnding::Exited(code) => code,
                SessionEnding::TimedOut | SessionEnding::Interrupted => None,
            };
            self.report.output_tail.clone_from(&run.output);
            let writers = writers(&after, tools.pin);
            let again = after.is_canonical_current()
                && matches!(run.ending, SessionEnding::Exited(_))
                && is_first
                && !after.places.iter().any(|examined| is_foreign(examined, &journal))
                && !writers.is_empty();
            if !again {
                break Some(run);
            }
            // Inside an agent `skills` may serve this agent alone; named ones it serves.
            targets = Targets::Universal(writers);
            is_first = false;
        };
        let writer = match ran.as_ref().map(|run| run.ending) {
            Some(SessionEnding::Exited(Some(_))) => CopyWriter::Finished,
            Some(_) => CopyWriter::Stopped,
            None => CopyWriter::Absent,
        };
        self.repair(&journal, writer);
        self.concluded(ran.as_ref())
    }

    fn run(&self, tools: &SkillTools, targets: &Targets) -> Result<InstallerRun, InstallerError> {
        let spent = Duration::from_millis(self.clock.elapsed_ms());
        let request = self.request;
        let arguments =
            installer::arguments(tools.pin, request.repository, request.version, targets);
        installer::run(&tools.npx, &arguments, limit().saturating_sub(spent))
    }

    /// Puts the verified files wherever a copy is wrong or gone: foreign ones are kept out of sight, those that the
    /// user made where no installer writes stay or come back.
    fn repair(&mut self, journal: &Journal, writer: CopyWriter) {
        if self.request.expected.manifest().is_empty() {
            return;
        }
        for path in journal.gone() {
            self.put(&SkillDirectory::absent(path), CopyOrigin::Known);
        }
        let mut tried: Vec<PathBuf> = Vec::new();
        // A link that is replaced may uncover another one, so each round looks again.
        loop {
            let after = self.look();
            let next = after.places.iter().find_map(|examined| {
                let origin = self.origin(examined, journal, writer)?;
                (!tried.contains(&examined.place.path)).then_some((examined, origin))
            });
            let Some((examined, origin)) = next else { return };
            tried.push(examined.place.path.clone());
            match origin {
                CopyOrigin::Known => self.put(&examined.place, origin),
                CopyOrigin::Foreign => self.repaired(examined),
            }
        }
    }

    /// The origin of a wrong copy; `None` if the copy is correct or the user's.
    fn origin(
        &self,
        examined: &Examined,
        journal: &Journal,
        writer: CopyWriter,
    ) -> Option<CopyOrigin> {
        if is_foreign(examined, journal) {
            let begun = || installed::all(&examined.place.real);
            let is_begun = writer == CopyWriter::Stopped
                && !journal.is_redirected(examined)
                && begun().is_ok_and(|found| self.request.expected.has_begun(&found));
            return Some(if is_begun { CopyOrigin::Known } else { CopyOrigin::Foreign });
        }
        let is_right = matches!(examined.state, CopyState::Current | CopyState::Developer);
        (!is_right && !is_left_alone(examined)).then_some(CopyOrigin::Known)
    }

    /// Installs the verified files where no work is lost.
    fn put(&mut self, place: &SkillDirectory, origin: CopyOrigin) {
        let put = put::put(place, origin, &self.request.expected.tree(), &self.state);
        self.is_direct |= put.fault.is_none();
        self.report.notes.extend(put.fault);
    }

    /// Takes a foreign copy out of sight: what the user had there comes back, or the verified files do.
    fn repaired(&mut self, examined: &Examined) {
        let path = examined.place.path.clone();
        let own = self.own.iter().find(|kept| kept.place == path);
        let own = own.and_then(|kept| backup::load(&kept.backup).ok());
        let (tree, good) = match own {
            Some(own) => (own, Live::Previous),
            None => (self.request.expected.tree(), Live::Verified),
        };
        let put = put::put(&examined.place, CopyOrigin::Foreign, &tree, &self.state);
        let live = match (&put.fault, &put.quarantine) {
            (None, _) => good,
            (Some(_), Some(_)) => Live::Absent,
            (Some(_), None) => Live::Foreign,
        };
        self.report.notes.extend(put.fault);
        self.report.repairs.push(Repair {
            path,
            digest: examined.digest.clone(),
            differences: examined.differences.clone(),
            live,
            quarantine: put.quarantine,
        });
    }

    /// The result of the installer, after every copy was repaired.
    fn concluded(mut self, ran: Option<&InstallerRun>) -> SkillReport {
        let found = self.look();
        let Some(run) = ran else {
            if found.places.is_empty() {
                return self.finish(Status::NotInstalled, Some(Cause::StartFailed));
            }
            self.note_direct("the installer could not be started");
            return self.ended(None);
        };
        if !self.report.repairs.is_empty() {
            return self.ended(None);
        }
        if found.places.is_empty() {
            match run.ending {
                SessionEnding::TimedOut => return self.failed(Cause::TimedOut),
                SessionEnding::Interrupted => return self.failed(Cause::Interrupted),
                SessionEnding::Exited(Some(0)) => {}
                SessionEnding::Exited(_) if installer::is_network_fault(&run.output) => {
                    return self.failed(Cause::Network);
                }
                SessionEnding::Exited(_) => {}
            }
            self.put(&SkillDirectory::absent(self.bases.canonical()), CopyOrigin::Known);
        }
        self.report.notes.extend(contradiction(run.ending));
        if self.is_direct {
            self.note_direct("the installer did not update a copy, or installed none");
        }
        self.ended(Some(run.ending))
    }

    fn note_direct(&mut self, why: &str) {
        self.report.notes.push(format!("{why}, so aos installed the verified files itself"));
    }

    /// The last look.
    fn ended(mut self, ending: Option<SessionEnding>) -> SkillReport {
        let found = self.look();
        if !self.report.repairs.is_empty() {
            return self.failed(Cause::VerifyMismatch);
        }
        if found.is_current() {
            return self.finish(Status::Synced, None);
        }
        let (alone, unwritten): (Vec<_>, Vec<_>) =
            found.wrong().partition(|wrong| is_left_alone(wrong));
        for examined in &alone {
            let path = examined.place.path.display();
            self.report.notes.push(format!(
                "`{path}` is a copy that was made or changed outside of any installer: move or remove it, then its agent reads the canonical copy"
            ));
        }
        let cause = match ending {
            Some(SessionEnding::Interrupted) => Cause::Interrupted,
            _ if unwritten.is_empty() && !alone.is_empty() => Cause::UnmanagedCopy,
            _ => Cause::NotWritten,
        };
        self.failed(cause)
    }

    fn failed(self, cause: Cause) -> SkillReport {
        self.finish(Status::Failed, Some(cause))
    }

    fn finish(mut self, status: Status, cause: Option<Cause>) -> SkillReport {
        // While foreign files are where agents read, the next sync must know them as such.
        let is_clean = self.report.repairs.iter().all(|repair| repair.live != Live::Foreign);
        if is_clean && let Err(error) = Journal::end(&self.state) {
            let note = format!("`{}` cannot be cleaned: {error}", self.state.display());
            self.report.notes.push(note);
        }
        self.report.ended(status, cause)
    }
}

/// The time that is left for all runs together.
fn limit() -> Duration {
    if cfg!(debug_assertions)
        && let Some(limit) = environment::read(environment::AOS_TEST_SKILL_LIMIT_MS)
        && let Ok(limit) = limit.parse()
    {
        return Duration::from_millis(limit);
    }
    LIMIT
}
