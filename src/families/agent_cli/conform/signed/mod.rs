//! `update` (agent-cli §14) with releases that are signed: a test build of the tool believes them, a publisher of the
//! project makes them. A release build believes neither, and nothing here changes that.
//!
//! `declared` is what the fixture says, `publication` what the publisher made, `scene` an installed test build.

mod archive;
mod atomic;
pub mod declared;
mod installs;
mod interrupt;
mod managed;
mod publication;
mod refused;
mod replace;
pub mod scene;
mod shims;
mod skill;

pub use archive::ARCHIVE;
pub use atomic::ATOMIC;
pub use installs::INSTALLS;
pub use interrupt::INTERRUPT;
pub use managed::MANAGED;
pub use refused::{CHECKSUMS, IDENTITY};
pub use replace::REPLACE;
pub use skill::SKILL_SYNC;
