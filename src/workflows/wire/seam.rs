//! The interface of `aos wire` to the family whose projects become part of another program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::contract::family::FamilyParts;
use crate::inputs::project::Project;
use crate::plan::{Digest, FileSet, RelativePath};
use crate::report::Failure;

/// A project and the checkout that it goes into.
#[derive(Clone, Copy, Debug)]
pub struct WiringRequest<'a> {
    pub project: &'a Project,
    /// Canonical directory of the checkout.
    pub checkout: &'a Path,
    pub undo: bool,
}

/// The changes to the checkout.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// The id of the harness.
    pub harness: String,
    pub package: String,
    /// The project's own directory in the checkout.
    pub directory: String,
    pub wanted: FileSet,
    pub unwanted: BTreeSet<RelativePath>,
    /// Digests of files that are copies, so replacing them loses nothing.
    pub written: BTreeMap<RelativePath, Digest>,
    pub instructions: Vec<Instruction>,
    pub notes: Vec<String>,
}

/// A place that a person must edit.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub path: String,
    pub what: String,
}

impl Instruction {
    #[must_use]
    pub fn of(path: &str, what: String) -> Self {
        Self { path: path.to_owned(), what }
    }
}

/// Plans what one project changes in a checkout.
pub trait Wirer: Sync {
    /// The change, forward or back.
    ///
    /// # Errors
    /// Returns an error if the checkout is none, a place in it is not found, or the project is not whole.
    fn wiring(&self, request: &WiringRequest<'_>) -> Result<Wiring, Failure>;
}

/// The families whose projects are wired.
pub static WIRERS: FamilyParts<dyn Wirer> = FamilyParts::new();
