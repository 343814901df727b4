//! The current state, for every answer that is not a success: version, program, Skill, stage (agent-cli §14).

use semver::Version;
use serde_json::Value;

use crate::release::Stage;
use crate::report::answers::{self, update::LastKnown};
use crate::report::{ErrorCode, Failure};
use crate::system::{clock, environment};
use crate::update::notice::KnownRelease;

use super::request::UpdateRequest;

/// Facts that change while an update runs.
pub struct UpdateState {
    previous: String,
    /// `None` when the program does not say it any more.
    current: Option<String>,
    binary_replaced: bool,
    pub target: Option<Version>,
    pub install_method: Option<&'static str>,
    pub skill_status: String,
    pub skill_command: Option<String>,
}

impl UpdateState {
    pub fn new(version: &str) -> Self {
        Self {
            previous: version.to_owned(),
            current: Some(version.to_owned()),
            binary_replaced: false,
            target: None,
            install_method: None,
            skill_status: "not_run".to_owned(),
            skill_command: None,
        }
    }

    /// The program is another one now.
    pub fn replaced(&mut self, version: &Version) {
        self.current = Some(version.to_string());
        self.binary_replaced = true;
    }

    /// A manager has left something that does not say what it is.
    pub fn lost(&mut self) {
        self.current = None;
    }

    /// Adds to a failure what is true after it, and says in words what to do next.
    pub fn explain(&self, mut failure: Failure, args: &UpdateRequest) -> Failure {
        failure.message = self.message(&failure, args);
        let mut known = failure.details.clone();
        known.entry("stage").or_insert_with(|| Stage::Discover.name().into());
        known.insert("previous_version".to_owned(), self.previous.as_str().into());
        known.insert("current_version".to_owned(), self.current.as_deref().into());
        // A swap that could not be undone has said so itself.
        let replaced = self.current.as_ref().map(|_| self.binary_replaced);
        known.entry("binary_replaced").or_insert_with(|| replaced.into());
        known.insert("skill_sync_status".to_owned(), self.skill_status.as_str().into());
        if let Some(target) = &self.target {
            known.insert("target_version".to_owned(), target.to_string().into());
        }
        if self.binary_replaced {
            known.insert("update_available".to_owned(), false.into());
        }
        if args.check {
            known.insert("last_known".to_owned(), answers::value(&last_known(&self.previous)));
        }
        if let Some(method) = self.install_method {
            known.insert("install_method".to_owned(), method.into());
        }
        if let Some(command) = &self.skill_command {
            known.insert("skill_sync_command".to_owned(), command.as_str().into());
            failure.hint = Some(self.after_skill(&failure, command));
        }
        failure.details = known;
        failure
    }

    /// Returns the advice for a Skill that is not synced. Never a command that installs unverified files.
    fn after_skill(&self, failure: &Failure, command: &str) -> String {
        let changelog = format!("`aos changelog --since {}`", self.previous);
        let word = |name: &str| failure.details.get(name).and_then(Value::as_str);
        match (failure.code, word("cause"), word("skill_live")) {
            (ErrorCode::Integrity, _, Some("verified" | "previous" | "absent")) => format!(
                "report it to the publisher of aos; you need not install anything; `details.skill_repairs` says what was found; then read {changelog}"
            ),
            (ErrorCode::Integrity, ..) => format!(
                "remove the directories in `details.skill_repairs`, report them to the publisher of aos, then run \
                 `{command}`"
            ),
            (_, Some("unmanaged_copy"), _) => format!(
                "move the copies in `details.stale_paths` away or remove them, then run `{command}` and {changelog}"
            ),
            (_, Some("no_home"), _) => format!("set HOME, then run `{command}` and {changelog}"),
            (_, Some("not_written" | "backup_failed"), _) => format!(
                "make the directories in `details.notes` writable, then run `{command}` and {changelog}"
            ),
            (_, Some("npx_missing" | "node_missing" | "node_too_old"), _) => {
                format!("install Node 22.20 or newer, then run `{command}` and {changelog}")
            }
            (_, Some("git_missing"), _) => {
                format!("install git, then run `{command}` and {changelog}")
            }
            _ => format!("run `{command}`, then {changelog}"),
        }
    }

    fn message(&self, failure: &Failure, args: &UpdateRequest) -> String {
        let said = &failure.message;
        let Some(current) = &self.current else {
            return format!("{said}; the program was changed or removed, and reports no version");
        };
        let again = args.line();
        match failure.code {
            _ if self.binary_replaced || self.skill_command.is_some() => {
                format!("aos is at {current} now, but {said}")
            }
            ErrorCode::Interrupted => {
                format!("cancelled, no change, still on {current}")
            }
            ErrorCode::Integrity => format!(
                "{said}; integrity failure: do NOT retry, stop and report it; still on {current}"
            ),
            // It will not pass by itself.
            ErrorCode::Network if failure.details.get("cause") == Some(&Value::from("offline")) => {
                format!("{said}; no change, still on {current}")
            }
            code if code.retryable() => {
                format!("{said}; transient: re-run `{again}`, it is idempotent; still on {current}")
            }
            _ => format!("{said}; no change, still on {current}"),
        }
    }
}

/// Returns the result of an earlier look, which is old and therefore never an answer, but better than nothing.
fn last_known(current: &str) -> Option<LastKnown> {
    let known = environment::state_directory().and_then(|home| KnownRelease::load(&home));
    let running = Version::parse(current).ok();
    known.zip(running).map(|(known, running)| LastKnown {
        target_version: known.latest.to_string(),
        update_available: known.latest.cmp_precedence(&running).is_gt(),
        checked_at: clock::iso8601(known.checked_at),
    })
}
