//! The output for people and agents: the envelope, outcome types, text.
//!
//! Turns values into text and JSON; decides nothing and prints nothing.

pub mod annotations;
pub mod answers;
pub mod brief;
pub mod changes;
pub mod checked;
pub mod command_change;
pub mod comparison;
pub mod conformance;
pub mod contract_gen;
pub mod discovery;
pub mod envelope;
pub mod findings;
pub mod migration;
pub mod style;
pub mod tree;

pub use crate::visible::Visible;
pub use contract_gen::ErrorCode;
pub use envelope::{Failure, Outcome};
pub use style::Style;
