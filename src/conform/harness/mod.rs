//! Probes of the family `harness`: what a connector promises to the host, to workflows and to agents.

mod call;
mod envelope;

use super::Probe;

/// Every probe of the family, in the order of the report.
pub const PROBES: &[Probe] = &[envelope::ONE_DOCUMENT];
