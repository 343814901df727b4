//! Sources on hosts during one run: each release is fetched once, for any number of projects.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::verify::TrustRoot;
use crate::verify::trust_root::TrustRootError;

use super::fault::SpecError;
use super::hosted::{Terms, WantedRelease, hosted_release};
use super::obtained::Obtained;
use crate::release::{Fault, Stage};

/// The number of a fault of the run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FaultNumber(usize);

impl FaultNumber {
    /// Its place in what [`Session::faults`] gives.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

type Answer = Arc<OnceLock<Result<Obtained, FaultNumber>>>;

/// The trust root of one run, and the contracts that it has obtained.
#[derive(Default)]
pub struct SpecSession {
    given: Option<TrustRoot>,
    embedded: OnceLock<Result<TrustRoot, TrustRootError>>,
    answers: Mutex<Vec<(WantedRelease, Answer)>>,
    faults: Mutex<Vec<SpecError>>,
}

impl SpecSession {
    /// A run that believes exactly the given root, or exactly the embedded one.
    #[must_use]
    pub fn new(given: Option<TrustRoot>) -> Self {
        Self { given, ..Self::default() }
    }

    /// A signed release; who asks second waits for what the first one gets.
    ///
    /// # Errors
    /// The number of the fault that everybody gets who wants this release.
    pub fn obtain(&self, wanted: &WantedRelease) -> Result<Obtained, FaultNumber> {
        let answer = {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            match answers.iter().find(|(known, _)| known == wanted) {
                Some((_, answer)) => Arc::clone(answer),
                None => {
                    let answer = Answer::default();
                    answers.push((wanted.clone(), Arc::clone(&answer)));
                    answer
                }
            }
        };
        answer.get_or_init(|| self.fresh(wanted).map_err(|error| self.number(error))).clone()
    }

    fn fresh(&self, wanted: &WantedRelease) -> Result<Obtained, SpecError> {
        let roots = self.roots().map_err(|error| wanted.unavailable(error))?;
        hosted_release(wanted, Terms { roots, unsigned: false }, None)
    }

    fn roots(&self) -> Result<&TrustRoot, crate::release::ReleaseError> {
        if let Some(given) = &self.given {
            return Ok(given);
        }
        self.embedded
            .get_or_init(TrustRoot::embedded)
            .as_ref()
            .map_err(|error| Fault::from(error.clone()).at(Stage::VerifySignature))
    }

    fn number(&self, error: SpecError) -> FaultNumber {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.push(error);
        FaultNumber(faults.len() - 1)
    }

    /// Every fault of the run, by number.
    #[must_use]
    pub fn faults(self) -> Vec<SpecError> {
        self.faults.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
