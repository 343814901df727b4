//! Everything that users get besides the program: `scripts/install.sh` against a release server on this machine, the
//! scripts and packages of a release, and the Agent Skill.
//!
//! The script runs with a cleared environment and a PATH of its own, so that no program of the machine helps it
//! unseen.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests look at the disk and start programs")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod archives;
mod downloads;
mod installs;
mod places;
mod platforms;
mod publishing;
mod release;
mod scene;
mod server;
mod signatures;
#[expect(dead_code, reason = "only good signatures and those of somebody else are needed here")]
#[path = "../sigstore/mod.rs"]
mod sigstore;
mod skill;
