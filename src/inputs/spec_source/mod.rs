//! Released contracts: from the binary, from a directory, or from releases on a host.
//!
//! Every returned value was validated here. Writes nothing but the cache of verified releases.

mod carried;
mod core;
mod directory;
mod fault;
mod hosted;
mod kept;
mod locked;
mod obtained;
mod places;
mod received;
mod session;

pub use carried::{embedded_release, embedded_release_of, latest};
pub use directory::{directory_release, has_tag};
pub use fault::SpecError;
pub use hosted::{Newest, Terms, WantedRelease, hosted_release, newest};
pub use locked::{LockedError, as_remembered, locked_release};
pub use obtained::{Obtained, Trust};
pub use session::{FaultNumber, SpecSession};
