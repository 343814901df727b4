//! Probes of the family `agent-cli`.

pub mod fixture;

use super::Probe;

/// Every probe of the family, in the order of the report.
pub const PROBES: &[Probe] = &[];
