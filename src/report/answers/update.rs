//! `update`: the answer of `aos update`.

use schemars::JsonSchema;
use serde::Serialize;

use super::notice::Notice;

/// The same members for every status.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UpdateAnswer {
    /// `current`, `available`, `planned` or `updated`.
    pub status: &'static str,
    pub previous_version: String,
    pub current_version: String,
    pub target_version: String,
    pub update_available: bool,
    /// The newest release of the host, if it is not the target.
    pub remote_version: Option<String>,
    pub install_method: &'static str,
    pub install_evidence: String,
    pub command: String,
    pub severity: Option<&'static str>,
    /// `verified` or `not_checked`.
    pub signature_status: &'static str,
    pub signature_verified: bool,
    pub checksum_verified: bool,
    pub binary_replaced: bool,
    pub archive_sha256: Option<String>,
    pub signer_identity: Option<String>,
    pub tlog_index: Option<String>,
    pub skill_sync_status: String,
    pub skill_sync_command: Option<String>,
    pub skill_digest: Option<String>,
    pub skill_places: Vec<SkillPlace>,
    pub skill_backups: Vec<SkillBackup>,
    pub release_url: Option<String>,
    pub plan: Vec<String>,
    pub notices: Vec<Notice>,
    pub notes: Vec<String>,
    pub next_step: Option<String>,
}

/// An installed copy of the Skill.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SkillPlace {
    pub path: String,
    pub state: &'static str,
    pub digest: Option<String>,
    pub differences: Vec<SkillDifference>,
}

/// A file of the Skill that is not the signed one.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SkillDifference {
    pub path: String,
    pub cause: &'static str,
}

/// A copy of changed files, made before they were replaced.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema, Serialize)]
pub struct SkillBackup {
    pub path: String,
    pub backup: String,
}

/// A copy that was not the signed one, and what is in its place now.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SkillRepair {
    pub path: String,
    pub found_digest: Option<String>,
    pub differences: Vec<SkillDifference>,
    pub live: &'static str,
    pub quarantine: Option<String>,
}

/// The result of an earlier check, in the details of a check that failed.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LastKnown {
    pub target_version: String,
    pub update_available: bool,
    pub checked_at: String,
}
