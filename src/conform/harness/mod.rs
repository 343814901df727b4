//! Probes of the family `harness`: what a connector promises to the host, to workflows and to agents.

mod call;
mod envelope;
pub mod facts;
mod flags;
mod gate;
mod health;
mod install;
pub mod invariants;
mod judge;
mod leaks;
mod partials;
mod process;
mod refusals;
mod requests;
mod results;
mod shapes;
mod surface;
pub mod upstream;
mod workflow;

use crate::contract::harness::FAMILY;

use super::probe::{Finding, Need, Probe};
use super::session::Session;

/// Every probe of the family, in the order of the report.
pub const PROBES: &[Probe] = &[
    flags::BEFORE,
    flags::AFTER,
    flags::BETWEEN,
    flags::VERSION,
    flags::VERBOSE,
    envelope::ONE_DOCUMENT,
    envelope::SUCCESS_KEYS,
    envelope::ERROR_KEYS,
    envelope::META,
    envelope::META_MODE,
    envelope::COMMAND_ID,
    envelope::OK_IS_EXIT_ZERO,
    envelope::UNKNOWN_COMMAND,
    envelope::UNKNOWN_OPTION,
    envelope::BAD_MODE,
    envelope::BAD_MODE_VARIABLE,
    surface::CAPABILITIES_KEYS,
    surface::CAPABILITIES_COMMANDS,
    surface::CAPABILITIES_QUIET,
    surface::TOOL_NAME,
    surface::PERMISSIONS,
    surface::COMMANDS_EXIST,
    surface::COMMANDS_LISTED,
    gate::REFUSES,
    gate::FIRST,
    gate::DEFAULT,
    gate::ADMITS,
    gate::VARIABLE,
    health::VOCABULARY,
    health::READINESS,
    health::NEEDS_SETUP,
    health::QUIET,
    health::GOOD,
    health::UNREACHABLE,
    health::SLOW,
    health::STATUS_401,
    health::STATUS_403,
    health::STATUS_404,
    health::STATUS_429,
    health::STATUS_500,
    health::HTML,
    health::MALFORMED,
    leaks::CONFIG,
    leaks::HEALTH,
    leaks::ERRORS,
    leaks::COMMANDS,
    leaks::URL,
    process::BACKEND_DOWN,
    process::EXIT_CODES,
    process::START,
    process::SIZE,
    process::INTERRUPT,
    process::CLOSED_STDOUT,
    results::WORK,
    results::DATA,
    results::LISTS,
    requests::REQUESTS,
    requests::PAGES,
    requests::CREDENTIALS,
    requests::HEALTH,
    requests::BASE_URL,
    refusals::REFUSALS,
    partials::PARTIALS,
    workflow::BOOLEAN,
    workflow::EMPTY,
    install::WHEEL,
    install::TWO,
];

/// What a probe says about itself: what must hold, why it matters, how to fix it.
type Words = (&'static str, &'static str, &'static str);

/// A probe of this family.
const fn harness(
    id: &'static str,
    section: &'static str,
    (title, why, fix): Words,
    needs: &'static [Need],
    run: fn(&Session) -> Finding,
) -> Probe {
    Probe { id, family: FAMILY, section, title, why, fix, needs, run }
}
