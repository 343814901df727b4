//! `aos doctor`: problems that may prevent aos from working here, each with a fix.

use clap::Args;

use crate::report::{Failure, Outcome};
use crate::workflows::doctor;

use super::Run;
use super::registry::READINESS_LEVEL;

/// Check the environment, and show a fix for each problem
#[derive(Args, Debug)]
pub struct DoctorArgs {}

/// Runs the command.
///
/// # Errors
/// Never: a problem is a line of the report.
pub fn run(_args: &DoctorArgs, run: &Run) -> Result<Outcome, Failure> {
    doctor::examine(READINESS_LEVEL, run)
}
