//! Tools of any family as a server of the Model Context Protocol: what is offered, how calls are bounded, what is answered.
//!
//! Knows no family: each one opens its packages through [`provider::OPENERS`]. Uses the SDK for the protocol and `system`
//! for streams and processes; writes nothing itself.

pub mod answer;
pub mod catalogue;
pub mod config;
pub mod envelope;
pub mod filter;
pub mod finder;
mod message;
pub mod mode;
pub mod program;
pub mod provider;
mod server;
pub mod session;
pub mod tool;
mod transport;
mod watch;
