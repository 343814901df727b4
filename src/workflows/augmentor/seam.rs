//! The interface of `aos augmentor` to the family that can run packages.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::contract::family::FamilyParts;
use crate::reason::Reason;
use crate::report::{Failure, Outcome};

/// The package that the command line names.
#[derive(Clone, Copy, Debug)]
pub struct NamedAugmentor<'a> {
    /// A directory, or the name of an installed package.
    pub package: &'a str,
    pub runtime: Option<&'a str>,
    pub python: Option<&'a Path>,
}

/// The command or agent to call.
#[derive(Clone, Copy, Debug)]
pub enum Callee<'a> {
    Command { name: &'a str, args: &'a Value },
    Agent { id: &'a str, message: &'a str, history: Option<&'a Value> },
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct AugmentorRequest<'a> {
    pub callee: Callee<'a>,
    pub is_streamed: bool,
    pub limit: Option<Duration>,
    /// Traces and output of the package are left out.
    pub is_quiet: bool,
}

/// Whether the network of this process was cut off, or why not.
pub type Network = Result<(), Reason>;

/// Finds, loads and calls packages.
pub trait AugmentorRunner: Sync {
    /// Whether the package declares that it uses the network. Runs nothing of it.
    ///
    /// # Errors
    /// Returns an error if there is no such package, or its manifest is not valid.
    fn needs_network(&self, named: &NamedAugmentor<'_>) -> Result<bool, Failure>;

    /// The package as data.
    ///
    /// # Errors
    /// Returns an error if it cannot be loaded.
    fn describe(&self, named: &NamedAugmentor<'_>, network: &Network) -> Result<Outcome, Failure>;

    /// Calls a command or an agent; `sink` gets the chunks and returns false when no more are wanted.
    ///
    /// # Errors
    /// Returns the error that the package raised, or the reason why there is no result.
    fn call(
        &self,
        named: &NamedAugmentor<'_>,
        network: &Network,
        request: &AugmentorRequest<'_>,
        sink: &mut dyn FnMut(&Value) -> bool,
    ) -> Result<Outcome, Failure>;
}

/// The family that runs packages.
pub static HOSTS: FamilyParts<dyn AugmentorRunner> = FamilyParts::new();
