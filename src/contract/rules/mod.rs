//! Static rules: one file per topic, one registry.
//!
//! A rule is pure: it reads a `Repository` snapshot and returns findings.

mod auth;
mod cli_tree;
mod collector;
mod command_ids;
mod commands;
mod documented;
mod facts;
mod fields;
#[cfg(test)]
mod fleet;
pub mod json_document;
mod layout;
mod manifest_shape;
mod modes;
mod names;
mod packaging;
mod permissions;
mod python;
#[cfg(test)]
mod sample;
pub mod secrets;
mod subject;
#[cfg(test)]
mod tests;
mod tool;

use super::family::Family;
use super::findings::{Finding, Severity};
use super::repository::Repository;
pub use collector::{Collector, Source};
pub use facts::HarnessFacts;
pub use names::{Effect, effect, is_about_many};
use subject::{Subject, Texts};
pub use tool::{RULES as TOOL_RULES, ToolFacts, check_agent_cli, notes as tool_notes};

/// What a rule is, for `--explain`, `docs/rules.md` and `reference`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable id, `topic/name`.
    pub id: &'static str,
    pub severity: Severity,
    /// Whether a project may accept a finding; never for a rule that guards the comparison itself.
    pub waivable: bool,
    /// Families whose projects it judges; empty means every family.
    pub families: &'static [Family],
    /// What must hold, one line without a full stop.
    pub summary: &'static str,
    /// Why it matters: what breaks in the real world when it does not hold.
    pub why: &'static str,
    /// How to fix a finding.
    pub fix: &'static str,
    /// The section of the spec or the fact it comes from.
    pub source: &'static str,
}

impl Rule {
    /// A finding of this rule with its severity and usual fix.
    #[must_use]
    pub fn finding(&self, path: &str, message: String) -> Finding {
        Finding {
            path: path.to_owned(),
            line: None,
            rule: self.id,
            severity: self.severity,
            message,
            fix: self.fix.to_owned(),
            diff: None,
        }
    }
}

/// Base of the harness rules that fail a check.
const ERROR: Rule = Rule {
    id: "",
    severity: Severity::Error,
    waivable: true,
    families: &[super::harness::FAMILY],
    summary: "",
    why: "",
    fix: "",
    source: "",
};

/// Base of the harness rules that are only worth knowing.
const WARNING: Rule = Rule { severity: Severity::Warning, ..ERROR };

/// The record of a project that aos looks after; without it `aos gen` has nothing to go by.
pub const RECORD: &str = "aos.toml";

/// Every rule of the `harness` family, in the order of the reference.
pub const RULES: &[Rule] = &[
    manifest_shape::MISSING,
    manifest_shape::SYNTAX,
    manifest_shape::DUPLICATE_KEY,
    manifest_shape::ENCODING,
    manifest_shape::TYPE,
    manifest_shape::MISSING_KEY,
    manifest_shape::SCHEMA_VERSION,
    manifest_shape::SCOPE_FLAGS,
    manifest_shape::SCAFFOLD_WRITES,
    manifest_shape::WRITE_FLAG,
    manifest_shape::FORMAT,
    layout::DIRECTORY_NAME,
    layout::DIRECTORY_SYMLINK,
    layout::TOOL_NAME,
    layout::HARNESS_MISSING,
    layout::PACKAGE_MISSING,
    layout::UNREADABLE,
    layout::SYMLINK,
    layout::ARCHIVE_PATH,
    layout::MERGE_MARKER,
    layout::SHIM_EXECUTABLE,
    layout::README_MISSING,
    layout::CHANGELOG_MISSING,
    layout::TESTS_MISSING,
    layout::TESTS_COVERAGE,
    command_ids::REQUIRED_MISSING,
    command_ids::ID_CHARACTERS,
    command_ids::ID_DASH,
    command_ids::ID_SEGMENTS,
    command_ids::DUPLICATE_ID,
    command_ids::COLLIDING_IDS,
    command_ids::ID_IS_GROUP,
    command_ids::META_ID,
    commands::SUPPORTS_JSON,
    commands::RESOURCE_UNKNOWN,
    commands::REQUIRED_FIELD,
    commands::HANDLER_MISSING,
    commands::HANDLER_UNKNOWN,
    commands::CLI_NAME,
    modes::UNKNOWN_MODE,
    modes::META_MODE,
    modes::DESTRUCTIVE_MODE,
    modes::DESTRUCTIVE_CLASS,
    modes::IRREVERSIBLE_MODE,
    modes::BULK_MODE,
    modes::WRITE_AT_LOWEST,
    modes::READ_MUTATES,
    modes::CLASS_MODE,
    modes::ACTION_CLASS,
    modes::SIDE_EFFECT,
    modes::SIDE_EFFECT_MISSING,
    permissions::MISSING,
    permissions::JSON,
    permissions::SHAPE,
    permissions::KEY_MISSING,
    permissions::KEYS_DIFFER,
    permissions::MISSING_COMMAND,
    permissions::EXTRA_COMMAND,
    permissions::MODE_DIFFERS,
    permissions::UNKNOWN_MODE,
    permissions::REQUIRED_MISSING,
    permissions::IDENTITY,
    auth::KIND,
    auth::HOST_KIND,
    auth::KEY_NAME,
    auth::DUPLICATE_KEY,
    auth::REQUIRED_WITHOUT_KEYS,
    auth::SETUP_MISSING,
    auth::NOT_INJECTED,
    auth::ONE_OF,
    auth::OPTIONAL_AS_REQUIRED,
    auth::UNDECLARED_SECRET,
    fields::RESERVED_ID,
    fields::ID_CHARACTERS,
    fields::DUPLICATE_ID,
    fields::INCOMPLETE,
    fields::UNKNOWN_COMMAND,
    fields::WORKER_ACTION,
    fields::PICKER_HINT,
    fields::PICKER_ARGUMENTS,
    fields::COMMAND_DEFAULT,
    fields::SHOW_WHEN,
    fields::SELECT_OPTIONS,
    fields::UNREAD_KEY,
    fields::MULTISELECT,
    fields::PICKER_SOURCE,
    fields::EXPRESSION,
    commands::OPTION_MISSING,
    documented::OF_CONNECTOR,
    packaging::MISSING,
    packaging::SYNTAX,
    packaging::NAME,
    packaging::SCRIPT,
    packaging::HOST_UNREADABLE,
    packaging::REQUIRES_PYTHON,
    packaging::CLICK_MISSING,
    packaging::ENTRY_MODULE,
    packaging::SHARED_PACKAGE,
    packaging::README_MISSING,
    packaging::VERSION,
    python::UNREADABLE,
    python::UNPACKAGED_FILE,
    python::OUTSIDE_PACKAGE,
    python::NODE_HELPER,
    python::SHELL,
    python::NO_TIMEOUT,
    python::LONG_TIMEOUT,
    python::HEALTH_STATUS,
    python::MODULE_OUTPUT,
    secrets::COMMITTED,
    secrets::PARTIAL_MASK,
    secrets::IN_URL,
    secrets::OPTION,
];

/// Judges a connector against one `harness` contract: findings in order, none twice.
#[must_use]
pub fn check_harness(repository: &Repository, facts: &HarnessFacts) -> Vec<Finding> {
    let texts = Texts::of(repository);
    let documents = texts.documents();
    let subject = Subject::read(repository, facts, &texts, &documents);
    let mut found = Collector::default();
    manifest_shape::check(&subject, &mut found);
    layout::check(&subject, &mut found);
    command_ids::check(&subject, &mut found);
    commands::check(&subject, &mut found);
    documented::check_connector(&subject, &mut found);
    modes::check(&subject, &mut found);
    permissions::check(&subject, &mut found);
    auth::check(&subject, &mut found);
    fields::check(&subject, &mut found);
    packaging::check(&subject, &mut found);
    python::check(&subject, &mut found);
    secrets::check(&subject, &mut found);
    found.into_findings(repository.files.contains_key(RECORD))
}
