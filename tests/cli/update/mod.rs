//! `aos update` against a host of releases on loopback that injects one fault at a time.
//!
//! Numbers in comments (D3, L5, …) are rows of the table of faults: discover, download, verification, archive, swap,
//! package manager, Skill, interruption.

mod archive;
mod discover;
mod doctor;
mod download;
pub mod host;
mod hostile;
// Elsewhere no variable tells which certificates the system believes.
#[cfg(target_os = "linux")]
mod identity;
mod interrupt;
mod kill;
mod managers;
mod proxy;
mod setup;
mod shared;
mod signature;
mod skill;
mod success;
mod swap;
mod terminal;
#[cfg(target_os = "linux")]
mod tls;
mod token;
mod window;
