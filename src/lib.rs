//! aos creates agent-facing tools and keeps them true to a published contract.
//!
//! ARCHITECTURE.md describes the modules and the direction in which they may use each other.

pub mod apply;
pub mod audit;
pub mod cli;
pub mod commands;
pub mod conform;
pub mod contract;
pub mod error;
pub mod families;
pub mod generate;
pub mod inputs;
pub mod mcp;
pub mod merge;
pub mod openapi;
pub mod plan;
pub mod reason;
pub mod release;
pub mod report;
pub mod repository;
pub mod run;
pub mod strict_json;
pub mod system;
pub mod update;
pub mod verify;
pub mod visible;
pub mod workflows;

/// Makes the families known to unit tests, which have no entry point.
#[cfg(test)]
pub(crate) fn installed() {
    families::install();
}
