//! Every rule of the family `harness`, in files by topic.

use crate::contract::findings::Finding;
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::Collector;
use crate::contract::rules::rule::Rule;
use crate::contract::rules::{RECORD, secrets as committed};

use super::facts::HarnessFacts;
use super::subject::{ConnectorSubject, ConnectorTexts};
use super::{
    auth, command_ids, commands, documented, fields, layout, manifest_shape, modes, packaging,
    permissions, python, secrets,
};

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
    fields::UNREAD_MEMBER,
    layout::DIRECTORY_NAME,
    layout::DIRECTORY_SYMLINK,
    layout::TOOL_NAME,
    layout::HARNESS_MISSING,
    layout::PACKAGE_MISSING,
    layout::UNREADABLE,
    layout::SYMLINK,
    layout::ARCHIVE_PATH,
    committed::MERGE_MARKER,
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
    commands::RESOURCE_PREFIX,
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
    committed::COMMITTED,
    secrets::PARTIAL_MASK,
    secrets::IN_URL,
    secrets::OPTION,
];

/// Judges a connector against one `harness` contract: findings in order, none twice.
#[must_use]
pub fn check_harness(repository: &ProjectFiles, facts: &HarnessFacts) -> Vec<Finding> {
    let texts = ConnectorTexts::of(repository);
    let documents = texts.documents();
    let subject = ConnectorSubject::read(repository, facts, &texts, &documents);
    let mut found = Collector::default();
    manifest_shape::check(&subject, &mut found);
    layout::check(&subject, &mut found);
    command_ids::check(&subject, &mut found);
    commands::check(&subject, &mut found);
    documented::check(&subject, &mut found);
    modes::check(&subject, &mut found);
    permissions::check(&subject, &mut found);
    auth::check(&subject, &mut found);
    fields::check(&subject, &mut found);
    packaging::check(&subject, &mut found);
    python::check(&subject, &mut found);
    secrets::check(&subject, &mut found);
    found.into_findings(repository.files.contains_key(RECORD))
}
