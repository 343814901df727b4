//! What commands do: planners and state machines, one folder per workflow.
//!
//! Values in, values out. Nothing here parses arguments or prints, and nothing knows a family: each workflow asks for
//! its part of one through a trait of its own.

pub mod add;
pub mod discover;
