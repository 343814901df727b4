//! Probes of the family `agent-cli`, in files by the chapter of the contract.
//!
//! `lab` is what a probe works in, `upstream` the mock of the project behind a proxy of ours.

pub mod fixture;

mod batch;
mod codes;
mod describe;
mod described;
mod envelope;
mod gate;
mod host;
pub mod invariants;
mod kind;
mod lab;
mod notice_cache;
mod notices;
mod offline;
mod optional;
mod pages;
mod queries;
mod redaction;
mod reference;
mod secrets;
mod shapes;
mod shot;
mod signals;
mod signed;
mod tally;
mod teller;
mod token_life;
mod token_secret;
mod tree;
mod update;
mod update_disk;
mod update_faults;
mod upstream;
mod values;

pub use signed::Publications;

use super::Probe;
use crate::contract::agent_cli::FAMILY;

/// What all probes of the family have in common.
const PROBE: Probe = Probe {
    id: "",
    family: FAMILY,
    section: "",
    title: "",
    why: "",
    fix: "",
    needs: &[],
    run: |_| super::Finding::blocked("the probe has no body"),
};

/// Every probe of the family, in the order of the report.
pub const PROBES: &[Probe] = &[
    envelope::ONE_DOCUMENT,
    envelope::ENVELOPE_KEYS,
    envelope::ERROR_KEYS,
    envelope::META_KEYS,
    envelope::SCHEMA_VERSION,
    envelope::OK_EQUALS_EXIT,
    envelope::FORMATS,
    described::FORMAT_RAW,
    envelope::QUIET,
    envelope::DETERMINISTIC,
    envelope::NO_PROMPT,
    envelope::SNAKE_CASE,
    codes::CODE_TABLE,
    codes::USAGE,
    codes::NO_CREDENTIALS,
    codes::HTTP_STATUSES,
    codes::RATE_LIMITED_403,
    codes::NO_MESSAGE_SNIFFING,
    codes::NETWORK_REFUSED,
    codes::CLIENT_TIMEOUT,
    codes::REDIRECT,
    codes::NOT_JSON,
    signals::INTERRUPT,
    signals::TERMINATE,
    signals::INTERRUPT_READS,
    signals::INTERRUPT_WRITE,
    gate::GATE_BARE,
    token_life::GATE_EXAMPLES,
    gate::DRY_RUN,
    gate::DRY_RUN_VALIDATES,
    gate::TOKEN_ONCE,
    gate::TOKEN_PAYLOAD,
    gate::TOKEN_FORGED,
    gate::TOKEN_ACCOUNT,
    gate::TOKEN_VERSION,
    token_life::TOKEN_EXPIRED,
    token_secret::TOKEN_MACHINE,
    token_secret::TOKEN_SECRET,
    token_secret::SECRET_DAMAGED,
    token_life::TOKEN_STORAGE,
    gate::TOKEN_RACE,
    gate::DANGEROUS,
    gate::IDEMPOTENCY_KEY,
    queries::FIELDS,
    pages::FIELDS_OF_PAGES,
    queries::PAGING,
    pages::SILENT_CAP,
    queries::IDS_AND_TIMES,
    queries::UNTRUSTED,
    pages::UNTRUSTED_ITEMS,
    queries::SCOPES,
    queries::STREAM,
    pages::STREAM_FAILURE,
    batch::TARGETS,
    batch::PREVIEW,
    batch::RESULT,
    batch::CONTINUE,
    batch::CHUNKS,
    batch::CHUNK_FAILURE,
    reference::REFERENCE,
    reference::COMMANDS,
    described::CODES_LISTED,
    reference::EXAMPLES,
    described::EXAMPLES_PARSE,
    reference::READINESS,
    describe::DECLARED_FIELDS,
    described::DECLARED_WRITES,
    describe::CONTEXT,
    notices::CONTEXT_NOTICES,
    offline::CONTEXT_OFFLINE,
    describe::CREDENTIAL_STORAGE,
    describe::DOCTOR,
    offline::DOCTOR_OFFLINE,
    describe::CHANGELOG,
    described::CHANGELOG_FILE,
    offline::ANY_DIRECTORY,
    describe::VERSION_AND_HELP,
    described::HELP_LISTS,
    described::PACKAGE_VERSION,
    describe::NO_PHONE_HOME,
    update::SHAPE,
    update::CHECK,
    update_disk::CHECK_DISK,
    update_faults::LAST_KNOWN,
    update::DRY_RUN,
    update_disk::DRY_RUN_DISK,
    update_disk::NPM,
    update::CURRENT,
    update_disk::NO_MANAGER,
    update::DISCOVER,
    update_faults::TIMEOUT,
    update::FAILURE_DETAILS,
    update_faults::ADVICE,
    update_faults::NO_ASSET,
    update_faults::CUT,
    update_faults::NO_CHECKSUMS,
    update_faults::NO_BUNDLE,
    update_faults::BUNDLE_FETCH,
    update_faults::SIGNATURE,
    update::DOWNGRADE,
    update::TOKEN,
    update_faults::TOKEN_REDIRECT,
    update::INTERRUPT,
    update_faults::TERMINATE,
    update_faults::LATE_SIGNAL,
    signed::INSTALLS,
    signed::IDENTITY,
    signed::CHECKSUMS,
    signed::ARCHIVE,
    signed::REPLACE,
    signed::SKILL_SYNC,
    signed::MANAGED,
    signed::ATOMIC,
    signed::INTERRUPT,
    notices::NOTICES,
    notice_cache::CLEARED,
    notice_cache::EXPIRED,
    notice_cache::AHEAD,
    notice_cache::CORRUPT,
    notice_cache::OUTRUN,
    notices::SEVERITY,
    secrets::SECRETS,
    redaction::PREVIEW_SECRETS,
    redaction::ADDRESS,
    secrets::AUDIT,
    redaction::AUDIT_ARGUMENTS,
    redaction::AUDIT_FAILURE,
    optional::EXPIRING,
    optional::EXPIRED,
    optional::JOBS,
    optional::HUMAN,
];
