//! Refuses a move after which tools would deny calls that they allow today; what allows a call is a fact of its family.

use crate::contract::family::FamilyParts;
use crate::generate::record::Record;
use crate::inputs::desired::Desired;
use crate::inputs::project::Project;
use crate::report::Failure;

/// The judgement of a family about a move to other files.
pub trait MoveGuard: Sync {
    /// Refuses a move that takes something away.
    ///
    /// # Errors
    /// Returns an error if a call that the tool allows today would be denied.
    fn refuse(&self, project: &Project, record: &Record, desired: &Desired) -> Result<(), Failure>;
}

/// The guard of each family that has one.
pub static GUARDS: FamilyParts<dyn MoveGuard> = FamilyParts::new();

/// Refuses a move that takes something away.
///
/// # Errors
/// Returns an error if a call that the tool allows today would be denied.
pub fn refuse(project: &Project, record: &Record, desired: &Desired) -> Result<(), Failure> {
    GUARDS.of(record.family).map_or(Ok(()), |guard| guard.refuse(project, record, desired))
}
