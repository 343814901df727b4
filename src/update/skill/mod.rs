//! The Agent Skill that belongs to this program: what it must be, where it is installed, how it gets there.
//!
//! What `npx skills` says about itself is not believed, and neither is its exit code: only the bytes of the installed
//! directories count. Never writes a file of a Skill; of ours uses `system`, `release`, `verify` and the embedded data.

mod agents;
mod backup;
mod examination;
mod installed;
mod installer;
mod manifest;
mod places;
mod report;
mod sync;
mod tools;

pub use agents::{Agent, Pin};
pub use examination::{Examination, Examined, State, examine};
pub use manifest::{Difference, DifferenceCause, Manifest};
pub use places::Place;
pub use report::{Cause, Kept, SkillReport, Status};
pub use sync::{SkillRequest, command, sync};
