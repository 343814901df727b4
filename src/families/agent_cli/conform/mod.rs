//! How stand-alone CLIs are found, called and judged by `aos conform`.

mod absence;
mod batch;
mod codes;
mod describe;
mod described;
mod envelope;
pub mod fixture;
mod gate;
mod host;
mod invariants;
mod kind;
mod lab;
mod listing;
mod normal;
mod notice_cache;
mod notices;
mod offline;
mod optional;
mod pages;
pub mod probes;
mod queries;
mod redaction;
mod reference;
mod secrets;
mod shapes;
mod shot;
mod signals;
mod signed;
mod stop;
mod tally;
mod target_change;
mod teller;
mod token_life;
mod token_secret;
mod tools;
mod tree;
mod update;
mod update_disk;
mod update_faults;
mod upstream;
mod values;

use crate::conform::family::ProbeSet;
use crate::conform::monitor::log::Noted;
use crate::conform::monitor::ruling::Ruling;
use crate::conform::probe::Probe;
use crate::conform::secrets::Sentinel;
use crate::conform::session::ToolCaller;

pub use tools::AgentCliTools;

pub struct AgentCliProbes;

impl ProbeSet for AgentCliProbes {
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
