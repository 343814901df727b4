//! Probes of the family `agent-cli`, in files by the chapter of the contract.
//!
//! `lab` is what a probe works in, `upstream` the mock of the project behind a proxy of ours.

pub mod fixture;

mod batch;
mod codes;
mod describe;
mod envelope;
mod gate;
mod host;
mod lab;
mod notices;
mod optional;
mod queries;
mod reference;
mod secrets;
mod signed;
mod token_secret;
mod update;
mod upstream;

pub use signed::Publications;

use super::Probe;
use crate::contract::Family;

/// What all probes of the family have in common.
const PROBE: Probe = Probe {
    id: "",
    family: Family::AgentCli,
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
    codes::INTERRUPT,
    gate::GATE_BARE,
    gate::DRY_RUN,
    gate::DRY_RUN_VALIDATES,
    gate::TOKEN_ONCE,
    gate::TOKEN_PAYLOAD,
    gate::TOKEN_FORGED,
    gate::TOKEN_ACCOUNT,
    gate::TOKEN_VERSION,
    token_secret::TOKEN_SECRET,
    gate::TOKEN_RACE,
    gate::DANGEROUS,
    gate::IDEMPOTENCY_KEY,
    queries::FIELDS,
    queries::PAGING,
    queries::IDS_AND_TIMES,
    queries::UNTRUSTED,
    queries::SCOPES,
    queries::STREAM,
    batch::TARGETS,
    batch::PREVIEW,
    batch::RESULT,
    batch::CONTINUE,
    batch::CHUNKS,
    reference::REFERENCE,
    reference::COMMANDS,
    reference::EXAMPLES,
    reference::READINESS,
    describe::DECLARED_FIELDS,
    describe::CONTEXT,
    describe::CREDENTIAL_STORAGE,
    describe::DOCTOR,
    describe::CHANGELOG,
    describe::VERSION_AND_HELP,
    describe::NO_PHONE_HOME,
    update::SHAPE,
    update::CHECK,
    update::DRY_RUN,
    update::CURRENT,
    update::DISCOVER,
    update::FAILURE_DETAILS,
    update::SIGNATURE,
    update::DOWNGRADE,
    update::TOKEN,
    update::INTERRUPT,
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
    notices::SEVERITY,
    secrets::SECRETS,
    secrets::AUDIT,
    optional::EXPIRING,
    optional::JOBS,
    optional::HUMAN,
];
