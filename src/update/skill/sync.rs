//! The sync: looks, keeps what somebody changed, runs `npx skills`, looks again. Only the second look decides.
//!
//! Never writes a file of a Skill itself: the installer keeps a record of what it installed, which would be wrong then.

use std::time::Duration;

use semver::Version;

use crate::release::Repository;
use crate::system::clock::Stopwatch;
use crate::system::environment;
use crate::system::session::Ending;

use super::agents::Pin;
use super::backup;
use super::examination::{Examination, State, examine_in};
use super::installer::{self, Run, Targets};
use super::manifest::Manifest;
use super::places::Bases;
use super::report::{Cause, Kept, SkillReport, Status};
use super::tools::{self, Tools};

/// Longest time of all runs of npx together.
const LIMIT: Duration = Duration::from_secs(180);

/// Which Skill is to be installed.
#[derive(Clone, Copy, Debug)]
pub struct SkillRequest<'a> {
    pub repository: &'a Repository,
    /// The release whose Skill it is.
    pub version: &'a Version,
    pub expected: &'a Manifest,
    /// Lists of older releases: an installed copy that equals one of them is nobody's work.
    pub known: &'a [Manifest],
}

/// What a sync would run. Runs nothing but `node --version`, changes nothing.
#[must_use]
pub fn command(request: &SkillRequest<'_>) -> String {
    let pin = tools::find().map_or(Pin::Newer, |tools| tools.pin);
    let targets =
        Bases::from_environment().map_or(Targets::Recognised, |bases| recognised(&bases, pin));
    request.command(pin, &targets)
}

/// Brings the Skill of `request` to every place where it is installed, or to its canonical place.
#[must_use]
pub fn sync(request: &SkillRequest<'_>) -> SkillReport {
    let digest = request.expected.digest().to_string();
    let report = SkillReport::new(digest, request.command(Pin::Newer, &Targets::Recognised));
    match Bases::from_environment() {
        None => report.failed(Cause::NoHome),
        Some(bases) => Work { request, bases: &bases, clock: Stopwatch::start() }.done(report),
    }
}

impl SkillRequest<'_> {
    fn arguments(&self, pin: Pin, targets: &Targets) -> Vec<String> {
        installer::arguments(pin, self.repository, self.version, targets)
    }

    fn command(&self, pin: Pin, targets: &Targets) -> String {
        installer::command_line(&self.arguments(pin, targets))
    }
}

/// With no agent at all, `skills` would make a directory for each that it knows.
fn recognised(bases: &Bases, pin: Pin) -> Targets {
    if bases.has_agent(pin) { Targets::Recognised } else { Targets::Universal(Vec::new()) }
}

/// One sync.
struct Work<'a> {
    request: &'a SkillRequest<'a>,
    bases: &'a Bases,
    clock: Stopwatch,
}

impl Work<'_> {
    fn done(&self, mut report: SkillReport) -> SkillReport {
        let before = self.look(&mut report);
        report.command = self.request.command(Pin::Newer, &recognised(self.bases, Pin::Newer));
        for examined in before.developers() {
            let path = examined.place.path.display();
            report.notes.push(format!("`{path}` belongs to a work tree, so it is left alone"));
        }
        if before.is_current() {
            return report.ended(Status::Current, None);
        }
        if before.developers().next().is_some() {
            return report.ended(Status::Skipped, Some(Cause::DeveloperLink));
        }
        if self.request.expected.is_empty() {
            return report.failed(Cause::NoManifest);
        }
        let tools = match tools::find() {
            Ok(tools) => tools,
            Err(missing) => {
                report.notes.extend(missing.fix);
                return report.failed(missing.cause);
            }
        };
        report.command = self.request.command(tools.pin, &recognised(self.bases, tools.pin));
        if environment::read(environment::AOS_OFFLINE).is_some() {
            return report.failed(Cause::Offline);
        }
        match self.keep_changes(&before, &mut report) {
            Ok(()) => self.install(&tools, report),
            Err(reason) => {
                report.notes.push(reason);
                report.failed(Cause::BackupFailed)
            }
        }
    }

    fn look(&self, report: &mut SkillReport) -> Examination {
        let found = examine_in(self.bases, self.request.expected, self.request.known);
        report.found(&found);
        found
    }

    /// Copies what is neither ours nor unchanged: the installer will not ask before it replaces it.
    fn keep_changes(&self, before: &Examination, report: &mut SkillReport) -> Result<(), String> {
        for place in before.wrong().map(|examined| &examined.place) {
            if place.is_link && place.real != place.path {
                let (path, real) = (place.path.display(), place.real.display());
                report.notes.push(format!("`{path}` was a link to `{real}`, which stays as it is"));
            }
        }
        let changed = |state: &State| matches!(state, State::Modified | State::Unreadable(_));
        for examined in before.places.iter().filter(|examined| changed(&examined.state)) {
            let place = examined.place.path.clone();
            let state = environment::state_directory().ok_or("there is no state directory")?;
            let kept = backup::make(&place, &state).map_err(|error| {
                format!("`{}` was changed and cannot be kept: {error}", place.display())
            })?;
            report.notes.extend(kept.skipped.iter().map(|path| {
                let path = place.join(path);
                format!("`{}` has no content that could be kept", path.display())
            }));
            report.backups.push(Kept { place, backup: kept.path });
        }
        Ok(())
    }

    fn install(&self, tools: &Tools, mut report: SkillReport) -> SkillReport {
        let mut targets = recognised(self.bases, tools.pin);
        let mut is_first = true;
        loop {
            report.command = self.request.command(tools.pin, &targets);
            let run = match self.run(tools, &targets) {
                Ok(run) => run,
                Err(reason) => {
                    report.notes.push(reason);
                    return report.failed(Cause::StartFailed);
                }
            };
            let after = self.look(&mut report);
            report.exit = match run.ending {
                Ending::Exited(code) => code,
                Ending::TimedOut | Ending::Interrupted => None,
            };
            report.output_tail.clone_from(&run.output);
            if after.is_current() {
                report.notes.extend(contradiction(run.ending));
                return report.ended(Status::Synced, None);
            }
            let writers = writers(&after, tools.pin);
            let again = after.is_canonical_current()
                && matches!(run.ending, Ending::Exited(_))
                && is_first
                && !writers.is_empty();
            if !again {
                return self.failed(&after, &run, tools, report);
            }
            // Inside an agent `skills` may serve this agent alone; named ones it serves.
            targets = Targets::Universal(writers);
            is_first = false;
        }
    }

    fn run(&self, tools: &Tools, targets: &Targets) -> Result<Run, String> {
        let spent = Duration::from_millis(self.clock.elapsed_ms());
        let arguments = self.request.arguments(tools.pin, targets);
        installer::run(&tools.npx, &arguments, limit().saturating_sub(spent))
    }

    fn failed(
        &self,
        after: &Examination,
        run: &Run,
        tools: &Tools,
        mut report: SkillReport,
    ) -> SkillReport {
        let unmanaged: Vec<_> =
            after.wrong().filter(|examined| examined.place.writers(tools.pin).is_empty()).collect();
        let only_unmanaged =
            after.is_canonical_current() && unmanaged.len() == after.wrong().count();
        for examined in unmanaged.iter().filter(|examined| !examined.place.is_canonical) {
            let path = examined.place.path.display();
            let version = tools.pin.version();
            let fix = if examined.place.writers(Pin::Newer).is_empty() {
                "remove it, its agent reads the canonical one"
            } else {
                "remove it, or install Node 22.20 or newer for a `skills` that does"
            };
            report.notes.push(format!("`skills@{version}` does not write `{path}`: {fix}"));
        }
        let cause = match run.ending {
            Ending::TimedOut => Cause::TimedOut,
            Ending::Interrupted => Cause::Interrupted,
            Ending::Exited(_) if only_unmanaged => Cause::UnmanagedCopy,
            Ending::Exited(Some(0)) => Cause::VerifyMismatch,
            Ending::Exited(_) if after.is_canonical_current() => Cause::VerifyMismatch,
            Ending::Exited(_) if installer::is_network_fault(&run.output) => Cause::Network,
            Ending::Exited(_) => Cause::InstallerFailed,
        };
        report.failed(cause)
    }
}

/// Agents by whose name the wrong places can be written.
fn writers(after: &Examination, pin: Pin) -> Vec<&'static str> {
    let mut names: Vec<_> =
        after.wrong().flat_map(|examined| examined.place.writers(pin)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What npx says although every installed file is right.
fn contradiction(ending: Ending) -> Option<String> {
    let said = match ending {
        Ending::Exited(Some(0)) => return None,
        Ending::Exited(Some(code)) => format!("ended with {code}"),
        Ending::Exited(None) => "was ended by a signal".to_owned(),
        Ending::TimedOut => "did not end in time".to_owned(),
        Ending::Interrupted => "was interrupted".to_owned(),
    };
    Some(format!("npx {said}, but every installed file is right"))
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
