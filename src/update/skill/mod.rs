//! The Agent Skill that belongs to this program: what it must be, where it is installed, how it gets there.
//!
//! The output and exit code of `npx skills` are not reliable; only the bytes of the installed
//! directories count. A copy that is wrong is replaced by the verified files, with or without an installer. Never
//! writes elsewhere; of ours uses `system`, `release`, `verify` and the embedded data.

mod agent_table;
mod agents;
mod backup;
mod examination;
mod installed;
mod installer;
mod journal;
mod judgement;
mod manifest;
mod places;
mod put;
mod report;
mod sync;
mod tools;
mod verified;

pub use agents::{Agent, Pin};
pub use examination::{CopyState, Examined, SkillExamination, examine};
pub use manifest::{DifferenceCause, ManifestDifference, SkillManifest};
pub use places::SkillDirectory;
pub use report::{Cause, KeptCopy, Live, Repair, SkillReport, Status};
pub use sync::{SkillRequest, command, is_unfinished, sync};
pub use verified::Verified;
