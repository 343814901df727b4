//! The engine of `aos conform`: calls, the sandbox they run in, the mock they talk to, the runner, verdicts.
//!
//! The tool is a black box here, and no probe is: each family has its own in `families`. Uses `contract`, `generate` for the record of a
//! project, `inputs`, `strict_json` and `system`; writes nothing but the sandbox.

mod bytecode;
pub mod call;
pub mod containment;
pub mod evidence;
pub mod family;
pub mod family_state;
pub mod fixture;
pub mod help;
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
pub mod tools;
pub mod waivers;

pub use probe::{CallEvidence, Conclusion, Need, Probe, ProbeVerdict};
pub use session::{ToolCall, ToolCaller};
