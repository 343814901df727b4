//! What a probe has exercised: the calls that it judged, or the subjects that it names in place of calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conform::probe;
use crate::conform::session::Observed;

/// The targets of one probe.
#[derive(Debug, Default)]
pub struct Tally {
    calls: RefCell<Vec<Arc<Observed>>>,
    subjects: RefCell<BTreeSet<String>>,
    unit: Cell<Option<&'static str>>,
}

impl Tally {
    /// A call was judged.
    pub fn call(&self, observed: &Arc<Observed>) {
        let mut calls = self.calls.borrow_mut();
        if !calls.iter().any(|known| Arc::ptr_eq(known, observed)) {
            calls.push(Arc::clone(observed));
        }
    }

    /// From now on only named subjects count.
    pub fn count(&self, unit: &'static str) {
        self.unit.set(Some(unit));
    }

    /// A subject was judged.
    pub fn subject(&self, name: impl Into<String>) {
        self.subjects.borrow_mut().insert(name.into());
    }

    /// How many targets there were, and what they are.
    pub fn total(&self) -> (usize, &'static str) {
        match self.unit.get() {
            Some(unit) => (self.subjects.borrow().len(), unit),
            None => (self.calls.borrow().len(), probe::CALLS),
        }
    }
}
