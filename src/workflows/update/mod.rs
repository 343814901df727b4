//! The way to the newest release, verified, and to the Agent Skill that belongs to it (agent-cli §14).

mod answer;
mod request;
mod skill;
mod state;

use std::path::PathBuf;

use semver::Version;

use crate::release::{Fault, Release, ReleasesApi, Repository, Signed, Stage};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::http::{Client, Limits};
use crate::system::progress::Progress;
use crate::system::{clock, environment, program, temporary};
use crate::update::fault::UpdateError;
use crate::update::find::{self, UpdateDecision, UpdateWish};
use crate::update::install_method::{
    self, Aftermath, Before, InstallMethod, Installation, ManagerCommand,
};
use crate::update::notice::{KnownRelease, Look, Notice};
use crate::update::severity::{self, UpdateSeverity};
use crate::update::{install, swap};
use crate::verify::TrustRoot;
use crate::visible::{Visible, visible};
use crate::workflows::Run;
use crate::workflows::asked::{trust_root, version};

use self::answer::{AnswerDraft, FoundRelease};
use self::state::UpdateState;

pub use self::request::UpdateRequest;

/// Brings program and Skill to the newest release, or says what that would do.
///
/// # Errors
/// Every failure says its stage, the version that runs now, whether the program was replaced, and the state of the
/// Skill.
pub fn update(args: &UpdateRequest, run: &Run) -> Result<Outcome, Failure> {
    let mut state = UpdateState::new(program::version());
    work(args, run, &mut state).map_err(|failure| state.explain(failure, args))
}

fn work(args: &UpdateRequest, run: &Run, state: &mut UpdateState) -> Result<Outcome, Failure> {
    let mut job = Job::new(args, run, state)?;
    // Removes the files of a killed run: an archive may have 200 MiB.
    temporary::sweep();
    // Two updates must not run at the same time.
    if !args.only_looks() {
        job.lock = Some(job.locked()?);
    }
    if job.wish.is_fulfilled()? {
        return job.stay(None, state);
    }
    let client = Client::new(&agent(), Limits::patient())
        .map_err(|error| Fault::from(error).at(Stage::Discover))?;
    let host = ReleasesApi::from_environment(client)?;
    match job.wish.decide(&host, &job.own)? {
        UpdateDecision::Stay(newest) => job.stay(Some(&newest), state),
        UpdateDecision::Move(release) => {
            state.target = Some(release.version.clone());
            let found = job.look(&host, &release)?;
            if args.only_looks() {
                return Ok(job.shown(&found));
            }
            job.carried_out(&host, &found, state)
        }
    }
}

/// Returns the user agent of aos.
#[must_use]
pub fn agent() -> String {
    format!("aos/{}", program::version())
}

/// Everything that is known before the first question.
struct Job<'a> {
    args: &'a UpdateRequest,
    run: &'a Run,
    wish: UpdateWish,
    own: Repository,
    trust: TrustRoot,
    installation: Installation,
    /// State directory.
    home: Option<PathBuf>,
    lock: Option<swap::UpdateLock>,
}

impl<'a> Job<'a> {
    fn new(
        args: &'a UpdateRequest,
        run: &'a Run,
        state: &mut UpdateState,
    ) -> Result<Self, Failure> {
        let running = version(program::version())?;
        let target = args.target_version.as_deref().map(version).transpose()?;
        state.target = target.clone();
        let own = Repository::own().map_err(|error| {
            Failure::new(
                ErrorCode::Unknown,
                format!("aos cannot determine its own repository: {error}"),
            )
        })?;
        let trust = trust_root(args.trusted_root.as_deref())?;
        let executable = environment::current_executable().map_err(|error| {
            Failure::new(
                ErrorCode::Io,
                format!("aos cannot determine where it is installed: {error}"),
            )
            .hint("start aos by its full path")
        })?;
        let installation = install_method::detect(&executable).map_err(UpdateError::from)?;
        state.install_method = Some(installation.method.name());
        let home = environment::state_directory();
        let highest = home.as_deref().and_then(KnownRelease::load).and_then(|known| known.highest);
        let wish = UpdateWish { running, target, allow_downgrade: args.allow_downgrade, highest };
        Ok(Self { args, run, wish, own, trust, installation, home, lock: None })
    }

    fn locked(&self) -> Result<swap::UpdateLock, UpdateError> {
        let home = self.home.as_deref().ok_or(UpdateError::NoState)?;
        Ok(swap::UpdateLock::acquire(home, &self.installation.executable)?)
    }

    /// Verifies what can be verified before a download, and grades it.
    fn look<'r>(
        &self,
        host: &'r ReleasesApi,
        release: &'r Release,
    ) -> Result<FoundRelease<'r>, Failure> {
        let running = &self.wish.running;
        if self.installation.method == InstallMethod::Standalone {
            find::installable(release)?;
            if self.args.only_looks() {
                let graded = find::graded(host, release, &self.own, &self.trust, running)?;
                return Ok(FoundRelease {
                    release,
                    severity: graded.severity,
                    is_verified: true,
                    signed: Some(graded.signed),
                });
            }
            return Ok(FoundRelease {
                release,
                severity: UpdateSeverity::Info,
                is_verified: false,
                signed: None,
            });
        }
        // A manager answers for what it installs; a changelog that is not verified only has no say.
        let graded = match self.args.only_looks() {
            true => find::graded(host, release, &self.own, &self.trust, running).ok(),
            false => None,
        };
        let is_verified = graded.is_some();
        let severity = graded.map_or_else(
            || severity::grade(running, &release.version, None),
            |graded| graded.severity,
        );
        Ok(FoundRelease { release, severity, is_verified, signed: None })
    }

    /// The answer to `--check` and `--dry-run`.
    fn shown(&self, found: &FoundRelease<'_>) -> Outcome {
        let newest = self.args.check && self.args.target_version.is_none();
        let notices = if newest { self.remember(&found.look()) } else { Vec::new() };
        let status = if self.args.check { "available" } else { "planned" };
        let mut answer = self.answer(status);
        answer.target = found.release.version.clone();
        answer.update_available = true;
        answer.release_url = Some(found.release.page(&self.own));
        answer.notices = notices;
        answer.signed(found.signed.as_ref());
        answer.severity = Some(found.severity);
        let skill = skill::command(&found.release.version);
        answer.plan = self.plan(found);
        answer.command = self.own_command();
        answer.skill.status = skill::looked_at().to_owned();
        answer.skill.command = Some(skill);
        answer.outcome(self.run)
    }

    /// Returns a command that gets there, for a person or an agent.
    fn own_command(&self) -> String {
        if let InstallMethod::Managed { command: Some(command), .. } = &self.installation.method {
            return command.clone();
        }
        let mut command = "aos update".to_owned();
        if let Some(target) = &self.wish.target {
            command.push_str(&format!(" --target-version {target}"));
        }
        if self.wish.allow_downgrade {
            command.push_str(" --allow-downgrade");
        }
        command
    }

    /// Returns the steps of an update.
    fn plan(&self, found: &FoundRelease<'_>) -> Vec<String> {
        let version = &found.release.version;
        let program = self.installation.executable.display();
        let mut steps = match (&self.installation.method, self.manager(version)) {
            (InstallMethod::Managed { manager, .. }, _) => {
                vec![format!(
                    "nothing: {manager} installed `{program}`; run `{}`",
                    self.own_command()
                )]
            }
            (_, Some(command)) => {
                vec![format!("run `{}`", command.shown), format!("ask `{program}` for its version")]
            }
            (_, None) => vec![
                format!("download {}", find::archive_name(version)),
                "compare it with checksums.txt, whose signature is verified".to_owned(),
                format!(
                    "start the new program in the directory of `{program}` and read its version"
                ),
                format!("replace `{program}` with one rename"),
            ],
        };
        steps.push(format!(
            "install the Skill of v{version} with npx, compare every installed copy with the verified files, and replace the copies that differ"
        ));
        steps
    }

    /// Keeps what was found, so that other commands need not ask; returns the notice of an update, if there is one.
    fn remember(&self, newest: &Look<'_>) -> Vec<Notice> {
        let Some(home) = &self.home else { return Vec::new() };
        let before = KnownRelease::load(home);
        let method = self.installation.method.name();
        let known = KnownRelease::seen(before.as_ref(), newest, method);
        // If the result cannot be saved, the notice is shown now and not later.
        let _ = known.save(home);
        known.notice(&self.wish.running, clock::now_seconds()).into_iter().collect()
    }

    fn carried_out(
        &mut self,
        host: &ReleasesApi,
        found: &FoundRelease<'_>,
        state: &mut UpdateState,
    ) -> Result<Outcome, Failure> {
        let release = found.release;
        let mut answer = self.answer("updated");
        answer.release_url = Some(release.page(&self.own));
        let expected = if self.installation.method == InstallMethod::Standalone {
            let staged =
                swap::UpdateStage::new(&self.installation.executable).map_err(UpdateError::from)?;
            let progress = Progress::start("aos update", self.run.quiet);
            progress.say(Visible::literal("verifying the signature"));
            let signed = Signed::verify(host, release, &self.own, &self.trust)?;
            progress.say(Visible::literal("downloading"));
            let installed = install::install(&signed, staged, &mut |done, total| {
                progress.advance(done, total);
            })?;
            answer.signed(Some(&signed));
            answer.checksum_verified = true;
            answer.archive_sha256 = Some(installed.archive_sha256.to_string());
            state.replaced(&installed.version);
            answer.current = installed.version;
            Some(skill::ExpectedSkill::Archive(installed.skill))
        } else {
            let observed = self.driven(&release.version, state)?;
            state.replaced(&observed);
            answer.current = observed;
            None
        };
        answer.target = answer.current.clone();
        answer.binary_replaced = true;
        if self.args.target_version.is_none() {
            let is_verified = self.installation.method == InstallMethod::Standalone;
            self.remember(&Look { release, severity: UpdateSeverity::Info, is_verified });
        }
        answer.skill = match expected {
            Some(expected) => skill::sync(&self.own, &answer.current, expected, state)?,
            None => {
                // The new program knows its Skill, and takes the lock itself.
                self.lock = None;
                skill::delegated(&self.installation, &answer.current, state)?
            }
        };
        Ok(answer.outcome(self.run))
    }

    /// Lets the manager that owns the program bring it to `target`.
    fn driven(&self, target: &Version, state: &mut UpdateState) -> Result<Version, UpdateError> {
        let method = &self.installation.method;
        if let InstallMethod::Managed { manager, command } = method {
            let path = self.installation.executable.clone();
            return Err(UpdateError::Foreign { manager, command: command.clone(), path });
        }
        let Some(command) = self.manager(target) else {
            let (manager, path) = (method.name(), self.installation.executable.clone());
            return Err(UpdateError::Foreign { manager, command: None, path });
        };
        if method.is_newest_only() && self.args.target_version.is_some() {
            return Err(UpdateError::NewestOnly { manager: method.name(), command: command.shown });
        }
        let progress = Progress::start("aos update", self.run.quiet);
        progress.say(visible!("running {}", command.name));
        let before = Before::look(&self.installation, &self.wish.running);
        install_method::drive(&self.installation, &command, &self.wish.running, target).map_err(
            |source| {
                // A manager may fail after it has replaced the program.
                match before.compared(&self.installation) {
                    Aftermath::Untouched => {}
                    Aftermath::Replaced(version) => state.replaced(&version),
                    Aftermath::Unknown => state.lost(),
                }
                UpdateError::Manager { command: command.shown, source }
            },
        )
    }

    /// There is nothing newer: the Skill may still be an old one.
    fn stay(&self, newest: Option<&Release>, state: &mut UpdateState) -> Result<Outcome, Failure> {
        let running = self.wish.running.clone();
        state.target = Some(running.clone());
        let mut answer = self.answer("current");
        if let Some(newest) = newest {
            answer.remote = Some(newest.version.clone());
            answer.release_url = Some(newest.page(&self.own));
            answer.notices =
                answer::suspicions(&self.wish, newest, self.installation.method.name());
            if !self.args.dry_run {
                let severity = UpdateSeverity::Info;
                self.remember(&Look { release: newest, severity, is_verified: false });
            }
        }
        if self.args.only_looks() {
            answer.skill.command = Some(skill::command(&running));
            answer.skill.status = skill::looked_at().to_owned();
        } else {
            answer.skill = skill::sync(&self.own, &running, skill::ExpectedSkill::Embedded, state)?;
        }
        Ok(answer.outcome(self.run))
    }

    /// Returns the command for the package manager that owns the program; `None` if none owns it.
    fn manager(&self, target: &Version) -> Option<ManagerCommand> {
        self.installation.method.command(target, &self.own)
    }

    fn answer(&self, status: &'static str) -> AnswerDraft {
        let installation = &self.installation;
        AnswerDraft::new(
            status,
            &self.wish.running,
            installation.method.name(),
            &installation.evidence,
        )
    }
}
