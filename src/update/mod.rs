//! The self-update: detection of the installation, replacement of the program, and the Agent Skill (agent-cli §14).
//!
//! Writes only the installed program, the Skill and the state directory, never a project.

pub mod executable;
pub mod fault;
pub mod find;
pub mod install;
pub mod install_method;
pub mod notice;
mod output;
pub mod severity;
pub mod skill;
pub mod swap;
