//! The answer of `aos update`, with the same members for every status.

use semver::Version;

use crate::release::{Release, Repository, Signed};
use crate::report::Outcome;
use crate::report::answers::update::UpdateAnswer;
use crate::system::clock;
use crate::update::find::UpdateWish;
use crate::update::notice::{Look, Notice};
use crate::update::severity::UpdateSeverity;
use crate::visible::{Visible, visible};

use crate::workflows::Run;

use super::skill::SkillAnswer;

/// A release that is worth going to.
pub struct FoundRelease<'a> {
    pub release: &'a Release,
    pub severity: UpdateSeverity,
    pub is_verified: bool,
    /// Verified, when it had to be before the download.
    pub signed: Option<Signed<'a>>,
}

impl<'a> FoundRelease<'a> {
    pub fn look(&self) -> Look<'a> {
        Look { release: self.release, severity: self.severity, is_verified: self.is_verified }
    }
}

/// All that is said in the end.
pub struct AnswerDraft {
    status: &'static str,
    previous: Version,
    pub current: Version,
    pub target: Version,
    pub update_available: bool,
    /// The newest release of the host, if it is not the target.
    pub remote: Option<Version>,
    method: &'static str,
    evidence: String,
    /// A command that gets there, for a person or an agent.
    pub command: String,
    signer: Option<(String, u64)>,
    pub checksum_verified: bool,
    pub binary_replaced: bool,
    pub archive_sha256: Option<String>,
    pub release_url: Option<String>,
    pub severity: Option<UpdateSeverity>,
    pub skill: SkillAnswer,
    pub notices: Vec<Notice>,
    pub plan: Vec<String>,
}

impl AnswerDraft {
    pub fn new(
        status: &'static str,
        running: &Version,
        method: &'static str,
        evidence: &str,
    ) -> Self {
        Self {
            status,
            previous: running.clone(),
            current: running.clone(),
            target: running.clone(),
            update_available: false,
            remote: None,
            method,
            evidence: evidence.to_owned(),
            command: "aos update".to_owned(),
            signer: None,
            checksum_verified: false,
            binary_replaced: false,
            archive_sha256: None,
            release_url: None,
            severity: None,
            skill: SkillAnswer { status: "not_run".to_owned(), ..SkillAnswer::default() },
            notices: Vec::new(),
            plan: Vec::new(),
        }
    }

    /// Adds the signer of the release, once it is verified.
    pub fn signed(&mut self, signed: Option<&Signed<'_>>) {
        self.signer = signed.map(|signed| (signed.signer.clone(), signed.log_index));
    }

    pub fn outcome(self, run: &Run) -> Outcome {
        let text = self.text(run);
        let verified = self.signer.is_some();
        let next = self.next();
        let (signer, index) = self.signer.unzip();
        let data = UpdateAnswer {
            status: self.status,
            previous_version: self.previous.to_string(),
            current_version: self.current.to_string(),
            target_version: self.target.to_string(),
            update_available: self.update_available,
            remote_version: self.remote.map(|version| version.to_string()),
            install_method: self.method,
            install_evidence: self.evidence,
            command: self.command,
            severity: self.severity.map(UpdateSeverity::name),
            signature_status: if verified { "verified" } else { "not_checked" },
            signature_verified: verified,
            checksum_verified: self.checksum_verified,
            binary_replaced: self.binary_replaced,
            archive_sha256: self.archive_sha256,
            signer_identity: signer,
            tlog_index: index.map(|index| index.to_string()),
            skill_sync_status: self.skill.status,
            skill_sync_command: self.skill.command,
            skill_digest: self.skill.digest,
            skill_places: self.skill.places,
            skill_backups: self.skill.backups,
            release_url: self.release_url,
            plan: self.plan,
            notices: self.notices,
            notes: self.skill.notes,
            next_step: next,
        };
        Outcome::new(data, text)
    }

    fn next(&self) -> Option<String> {
        match self.status {
            "updated" => {
                Some(format!("run `aos changelog --since {}` to see what changed", self.previous))
            }
            "available" | "planned" => Some(format!("run `{}`", self.command)),
            _ => None,
        }
    }

    fn text(&self, run: &Run) -> Visible {
        let style = run.style;
        let head = match self.status {
            "updated" => {
                visible!("{} {} -> {}", style.good("updated"), self.previous, self.current)
            }
            "available" => {
                let urgent = match self.severity {
                    Some(UpdateSeverity::Warning) => {
                        style.warning(" (security or a new major version)")
                    }
                    _ => Visible::default(),
                };
                let label = style.accent("available");
                visible!("{} {} -> {}{}", label, self.current, self.target, urgent)
            }
            "planned" => {
                visible!("{} {} -> {}", style.accent("planned"), self.current, self.target)
            }
            _ if self.notices.iter().any(|notice| notice.severity == "warning") => {
                visible!("{} remains at {}", style.warning("current"), self.current)
            }
            _ => visible!("{} {} is up to date", style.good("current"), self.current),
        };
        let mut rows = vec![("installed", format!("{}, {}", self.method, self.evidence))];
        if let Some((signer, index)) = &self.signer {
            rows.push(("signed by", format!("{signer} (log entry {index})")));
        }
        let places: Vec<_> = self.skill.places.iter().map(|place| place.path.as_str()).collect();
        let skill = match places.as_slice() {
            [] => self.skill.status.replace('_', " "),
            paths => format!("{} in {}", self.skill.status, paths.join(", ")),
        };
        rows.push(("skill", skill));
        let backups = self.skill.backups.iter().map(|kept| &kept.backup);
        rows.extend(backups.map(|backup| ("your skill", format!("kept in {backup}"))));
        let mut lines = vec![head];
        lines.extend(
            rows.iter().map(|(name, value)| {
                visible!("  {} {}", style.faint(format!("{name:<10}")), value)
            }),
        );
        lines.extend(self.plan.iter().map(|step| visible!("  - {}", step)));
        let warnings = self.notices.iter().filter(|notice| notice.kind != "update_available");
        lines.extend(warnings.map(|notice| {
            let message = notice.message.as_deref().unwrap_or_default();
            visible!("{} {}", style.warning("warning:"), message)
        }));
        lines.extend(
            self.skill.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)),
        );
        lines.extend(self.next().map(|next| visible!("{} {}", style.faint("next:"), next)));
        Visible::joined(lines, "\n")
    }
}

/// Notices about a host that shows less than it should.
pub fn suspicions(wish: &UpdateWish, newest: &Release, method: &str) -> Vec<Notice> {
    let version = &newest.version;
    let notice = |kind: &'static str, message: String, next_steps: Vec<String>| Notice {
        kind,
        severity: "warning",
        message: Some(message),
        current_version: wish.running.to_string(),
        latest_version: version.to_string(),
        install_method: method.to_owned(),
        recommended_command: "aos update --check",
        release_url: Repository::own().ok().map(|own| newest.page(&own)),
        checked_at: clock::iso8601(clock::now_seconds()),
        next_steps,
    };
    let mut notices = Vec::new();
    if version.cmp_precedence(&wish.running).is_lt() {
        let message = format!(
            "the newest release is {version}, which is older than the running version {}",
            wish.running
        );
        notices.push(notice("remote_older", message, vec!["aos update --check".to_owned()]));
    }
    if let Some(highest) = wish.highest.as_ref().filter(|_| wish.is_frozen(version)) {
        let message = format!(
            "the newest release is {version}, but {highest} was available before: it was withdrawn, or somebody is withholding updates"
        );
        let next = if version.cmp_precedence(&wish.running).is_gt() {
            vec![format!("aos update --target-version {version}")]
        } else {
            Vec::new()
        };
        notices.push(notice("possible_freeze", message, next));
    }
    notices
}
