//! `check_report`: the answer of `aos check`.

use schemars::JsonSchema;
use serde::Serialize;

use super::findings::{ReportedFinding, WaivedFinding};
use super::fleet::FleetReport;
use super::runtime::RuntimeSummary;

/// The verdict on projects, or descriptions of rules.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum CheckAnswer {
    Report(Box<CheckReport>),
    Rules(RuleList),
    /// Of `--explain all` without `--all`.
    Topics(RuleTopics),
}

/// The verdict on all projects of one run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CheckReport {
    pub summary: CheckSummary,
    pub projects: Vec<CheckedProject>,
    /// Only with `--recursive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "FleetReport")]
    pub fleet: Option<FleetReport>,
}

/// Every path of a project by its class.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct PathCounts {
    /// Compared with what aos writes.
    pub managed: usize,
    pub user: usize,
    /// Ignored by git: files, and directories that were not entered.
    pub ignored: usize,
    /// In another project inside this one.
    pub nested: usize,
    /// Loaded in place of a managed file, or beside it without a declaration.
    pub shadow: usize,
    pub not_read: usize,
    /// Always 0 if the status is `ok`.
    pub unclassified: usize,
}

/// The verdict in numbers.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CheckSummary {
    /// `ok`, `partial`, `failed` or `uncompared`.
    pub status: &'static str,
    pub projects: usize,
    pub ok: usize,
    pub partial: usize,
    pub failed: usize,
    pub uncompared: usize,
    pub compared: usize,
    /// The number of managed files.
    pub managed: usize,
    pub errors: usize,
    pub warnings: usize,
    pub waived: usize,
    pub by_rule: Vec<RuleCount>,
    pub only_rules: Vec<String>,
    pub unsearched: Vec<UnsearchedDirectory>,
    /// Only with `--rule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PassedOverFindings")]
    pub passed_over: Option<PassedOverFindings>,
}

/// The number of findings of a rule.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuleCount {
    pub rule: &'static str,
    pub count: usize,
}

/// A directory of a fleet that was not searched.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UnsearchedDirectory {
    pub path: String,
    pub reason: String,
}

/// Findings of rules that `--rule` left out.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct PassedOverFindings {
    pub errors: usize,
    pub warnings: usize,
}

/// The verdict on one project. A shortened response about many projects omits members.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(extend("required" = ["path", "status", "errors", "warnings", "compared", "findings"]))]
pub struct CheckedProject {
    pub path: String,
    pub family: &'static str,
    pub tag: Option<String>,
    pub source: Option<String>,
    /// `embedded`, `signed`, `lock` or `none`.
    pub trust: &'static str,
    pub signer: Option<String>,
    /// `ok`, `partial`, `failed` or `uncompared`.
    pub status: &'static str,
    pub fault: Option<SpecFault>,
    pub notes: Vec<String>,
    pub runtime: Option<RuntimeSummary>,
    /// Name and version of the template.
    pub template: Option<String>,
    /// The number of managed files that were compared.
    pub compared: usize,
    /// The number of managed files.
    pub managed: usize,
    pub paths: PathCounts,
    pub errors: usize,
    pub warnings: usize,
    pub findings: Vec<ReportedFinding>,
    pub waived: Vec<WaivedFinding>,
    /// Only if the project is behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub template_newest: Option<String>,
    /// Only if an upgrade has open conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub template_waiting: Option<String>,
    /// Only with `--rule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PassedOverFindings")]
    pub passed_over: Option<PassedOverFindings>,
}

/// Why a contract could not be obtained.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SpecFault {
    pub code: &'static str,
    pub message: String,
    pub retryable: bool,
}

/// `--explain`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuleList {
    pub rules: Vec<RuleDescription>,
}

/// The ids of every rule.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuleTopics {
    pub topics: Vec<RuleTopic>,
    /// The options that show the descriptions.
    pub more: &'static str,
}

/// The rules of one topic.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuleTopic {
    pub topic: &'static str,
    /// The ids after the topic and a slash.
    pub rules: Vec<&'static str>,
}

/// A rule.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RuleDescription {
    pub rule: &'static str,
    pub severity: String,
    pub families: Vec<&'static str>,
    pub summary: &'static str,
    pub why: &'static str,
    pub fix: &'static str,
    pub source: &'static str,
    pub waivable: bool,
}
