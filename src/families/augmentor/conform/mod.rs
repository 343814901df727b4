//! `aos conform` for augmentors: one examination of the package, and a probe for each item that it can fail.

mod calls;
mod enforcement;
mod examination;
mod examples;
mod findings;
mod probes;
mod projection;
mod synthesis;
mod tools;

use crate::conform::family::ProbeSet;
use crate::conform::probe::Probe;

pub use tools::AugmentorTools;

pub struct AugmentorProbes;

impl ProbeSet for AugmentorProbes {
    fn probes(&self) -> &'static [Probe] {
        probes::PROBES
    }
}
