//! Static rules: one file per topic, one registry.
//!
//! A rule is pure: it reads a `Repository` snapshot and returns findings.

mod auth;
mod cli_tree;
mod collector;
mod command_ids;
mod commands;
mod connector;
mod fields;
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
mod secrets;

use super::family::Family;
use super::findings::{Finding, Severity};
use super::repository::Repository;
use collector::Collector;
use connector::{Connector, Texts};

/// What a rule is, for `--explain`, `docs/rules.md` and `reference`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable id, `topic/name`.
    pub id: &'static str,
    pub severity: Severity,
    /// Families whose projects it judges; empty means every family.
    pub families: &'static [Family],
    /// What must hold, one line without a full stop.
    pub summary: &'static str,
    /// Why it matters: what breaks in the real world when it does not hold.
    pub why: &'static str,
    /// How to mend a finding.
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
    families: &[Family::Harness],
    summary: "",
    why: "",
    fix: "",
    source: "",
};

/// Base of the harness rules that are only worth knowing.
const WARNING: Rule = Rule { severity: Severity::Warning, ..ERROR };

/// What one published `harness` contract says, as far as static rules need it.
///
/// An empty list means that the contract is silent, and the rule that reads it stays silent too.
#[derive(Clone, Debug, Default)]
pub struct HarnessFacts {
    /// Permission modes, lowest first.
    pub modes: Vec<String>,
    pub admin_mode: String,
    pub bulk_mode: String,
    /// `--json`, `--mode` …: no field may take their names.
    pub global_flags: Vec<String>,
    pub required_commands: Vec<String>,
    pub destructive_verbs: Vec<String>,
    pub bulk_verbs: Vec<String>,
    /// Keys of `permissions.json` that hold the map of command to mode.
    pub permissions_keys: Vec<String>,
    pub manifest_schema_version: String,
    pub manifest_keys: Vec<String>,
    pub connector_keys: Vec<String>,
    pub auth_keys: Vec<String>,
    pub command_keys: Vec<String>,
    pub auth_kinds: Vec<String>,
    pub action_classes: Vec<String>,
    pub side_effect_levels: Vec<String>,
}

impl HarnessFacts {
    /// How much a mode allows; `None` when the contract does not know it.
    fn rank(&self, mode: &str) -> Option<usize> {
        self.modes.iter().position(|known| known == mode)
    }

    fn lowest_mode(&self) -> &str {
        self.modes.first().map_or("", String::as_str)
    }

    fn requires_command(&self, id: &str) -> bool {
        self.required_commands.iter().any(|required| required == id)
    }
}

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
    fields::COMMAND_DEFAULT,
    fields::SHOW_WHEN,
    fields::SELECT_OPTIONS,
    commands::OPTION_MISSING,
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
    let connector = Connector::read(repository, facts, &texts, &documents);
    let mut found = Collector::default();
    manifest_shape::check(&connector, &mut found);
    layout::check(&connector, &mut found);
    command_ids::check(&connector, &mut found);
    commands::check(&connector, &mut found);
    modes::check(&connector, &mut found);
    permissions::check(&connector, &mut found);
    auth::check(&connector, &mut found);
    fields::check(&connector, &mut found);
    packaging::check(&connector, &mut found);
    python::check(&connector, &mut found);
    secrets::check(&connector, &mut found);
    found.into_findings()
}

#[cfg(test)]
mod tests {
    use super::sample::{Sample, facts_v1_0, facts_v1_1};
    use super::*;

    #[test]
    fn a_well_formed_connector_has_no_findings() {
        assert_eq!(Sample::good().to_string(), "");
        assert!(check_harness(&Repository::default(), &HarnessFacts::default()).len() >= 3);
    }

    #[test]
    fn the_same_repository_gives_the_same_findings_in_order() {
        let sample = Sample::good().without("connector.json").code("print(token[:4])\n");
        let first = check_harness(&sample.repository, &facts_v1_1());
        assert!(first.is_sorted() && !first.is_empty());
        assert_eq!(first, check_harness(&sample.repository, &facts_v1_1()));
    }

    #[test]
    fn no_mutation_of_any_file_makes_a_rule_panic() {
        let facts = [facts_v1_0(), facts_v1_1(), HarnessFacts::default()];
        let paths = [
            "connector.json",
            "agent-harness/permissions.json",
            "agent-harness/pyproject.toml",
            "agent-harness/aos_demo/commands/issue.py",
            "agent-harness/aos_demo/client.py",
        ];
        let pieces: [&[u8]; 14] = [
            b"null",
            b"[]",
            b"{}",
            b"-1e999",
            b"\"",
            b"\\ud800",
            b",",
            b"{\"a\":",
            b"\xff",
            b"\n",
            b"[[[[",
            b"\xef\xbb\xbf",
            b"Z",
            b"'''",
        ];
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below.max(1) as u64) as usize
        };
        for round in 0..4000 {
            let path = paths[random(paths.len())];
            let mut bytes = Sample::good().text(path).into_bytes();
            for _ in 0..=random(5) {
                let at = random(bytes.len());
                let end = (at + random(24)).min(bytes.len());
                match random(4) {
                    0 => drop(bytes.splice(at..end, pieces[random(pieces.len())].iter().copied())),
                    1 => drop(bytes.splice(at..end, [])),
                    2 => bytes.truncate(at),
                    _ => {
                        let copy = bytes[at..end].to_vec();
                        bytes.splice(at..at, copy);
                    }
                }
            }
            let sample = Sample::good().bytes(path, bytes);
            let findings = check_harness(&sample.repository, &facts[round % 3]);
            let known = |finding: &Finding| RULES.iter().any(|rule| rule.id == finding.rule);
            assert!(findings.iter().all(known));
        }
    }

    #[test]
    fn a_manifest_of_thousands_of_faults_is_judged_in_bounded_output() {
        let ids: Vec<String> =
            (0..20_000).map(|index| format!("{{\"id\": \"x {index}\"}}")).collect();
        let list = ids.join(",");
        let text = format!("{{\"commands\":[{list}],\"scope\":{{\"fields\":[{list}]}}}}");
        let sample = Sample::good().file("connector.json", &text);
        let findings = check_harness(&sample.repository, &facts_v1_1());
        assert!(findings.len() < 201 * RULES.len());
        assert!(findings.iter().any(|finding| finding.message.starts_with("… and")));
        let huge = format!("{{\"tool\":\"{}\"}}", "é".repeat(400_000));
        let sample = Sample::good().file("connector.json", &huge);
        let findings = check_harness(&sample.repository, &facts_v1_1());
        assert!(findings.iter().all(|finding| finding.message.len() < 1000));
    }

    #[test]
    fn every_rule_is_complete_and_its_id_stands_once() {
        let mut ids = std::collections::BTreeSet::new();
        for rule in RULES {
            assert!(ids.insert(rule.id), "`{}` stands twice", rule.id);
            let topic = rule.id.split('/').next().unwrap();
            assert!(
                ["manifest", "permissions", "pyproject", "python", "layout", "auth", "fields"]
                    .contains(&topic)
                    || ["commands", "secrets"].contains(&topic),
                "{}",
                rule.id
            );
            for text in [rule.summary, rule.why, rule.fix, rule.source] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{}: `{text}`", rule.id);
            }
        }
    }
}
