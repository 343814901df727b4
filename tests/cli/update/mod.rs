//! `aos update` against a host of releases on loopback that injects one fault at a time.

mod archive;
mod discover;
mod doctor;
mod download;
pub mod host;
mod hostile;
// On other systems, no variable selects the certificates that the system trusts.
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
