//! The self-update: how aos was installed, the swap of the program, the Agent Skill after it (agent-cli §14).
//!
//! Writes the installed program and what belongs to it, never a project.

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
