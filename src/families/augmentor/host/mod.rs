//! The host of augmentors: finds a package, runs it in a process of its own, and calls it.
//!
//! Decides what every answer means; the runners only report. Uses `system` for the process and nothing of `commands`.

mod arguments;
pub mod child;
pub mod containment;
pub mod facts;
pub mod installed;
pub mod interpreter;
pub mod message;
pub mod outcome;
pub mod package;
pub mod place;
mod runner;

pub use child::{Child, LostChild};
pub use containment::Containment;
pub use facts::{Item, PackageFacts};
pub use outcome::{CallError, FaultOrigin};
pub use package::HostedPackage;
pub use place::PackagePlace;
