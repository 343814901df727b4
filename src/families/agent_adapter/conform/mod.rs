//! `aos conform` for adapters: the driver of the adapter is built with Go, and answers one probe at a time.

mod driver;
pub mod facts;
mod probes;
mod sources;
mod tools;

use crate::conform::family::ProbeSet;
use crate::conform::probe::Probe;

pub use tools::AdapterTools;

pub struct AdapterProbes;

impl ProbeSet for AdapterProbes {
    fn probes(&self) -> &'static [Probe] {
        probes::PROBES
    }
}
