//! A running tool held against its contract: probes, the sandbox they run in, the mock they talk to, verdicts.
//!
//! The tool is a black box here; static rules live in `contract`. Uses `contract`, `generate` for the record of a
//! project, `inputs`, `strict_json` and `system`; writes nothing but the sandbox.

pub mod agent_adapter;
pub mod agent_cli;
pub mod call;
pub mod evidence;
pub mod examination;
pub mod family;
pub mod fixture;
pub mod harness;
mod help;
mod memory;
pub mod mock;
pub mod monitor;
pub mod observed;
pub mod probe;
pub mod pulse;
pub mod runner;
pub mod sandbox;
pub mod secrets;
pub mod session;
pub mod start;
mod surroundings;
pub mod target;
pub mod waivers;

pub use probe::{Evidence, Finding, Need, Probe, Verdict};
pub use session::{Call, Session};
