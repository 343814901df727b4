//! Finds, calls and judges connectors for `aos conform`.

mod call;
mod envelope;
pub mod facts;
mod flags;
mod gate;
mod health;
mod install;
mod invariants;
mod judge;
mod leaks;
mod media;
mod partials;
pub mod probes;
mod process;
mod refusals;
mod requests;
mod results;
mod shapes;
mod surface;
mod tools;
pub mod upstream;
mod workflow;

use crate::conform::family::ProbeSet;
use crate::conform::monitor::log::Noted;
use crate::conform::monitor::ruling::Ruling;
use crate::conform::probe::Probe;
use crate::conform::secrets::Sentinel;
use crate::conform::session::ToolCaller;

pub use tools::HarnessTools;

pub struct HarnessProbes;

impl ProbeSet for HarnessProbes {
    fn probes(&self) -> &'static [Probe] {
        probes::PROBES
    }

    fn sentinels(&self, session: &ToolCaller) -> Vec<Sentinel> {
        invariants::sentinels(session)
    }

    fn judge(&self, session: &ToolCaller, calls: &[Noted]) -> Vec<Ruling> {
        invariants::judge(session, calls)
    }
}
