//! A count of the targets that a probe has exercised: the calls that it judged, or the subjects that it names in place
//! of calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conform::probe;
use crate::conform::session::Observed;

/// Most commands that one probe calls.
const MAX_CHOSEN: usize = 150;

/// The targets of one probe.
#[derive(Debug, Default)]
pub struct Tally {
    calls: RefCell<Vec<Arc<Observed>>>,
    subjects: RefCell<BTreeSet<String>>,
    unit: Cell<Option<&'static str>>,
    /// How many commands were chosen, and from how many.
    choice: Cell<Option<(usize, usize)>>,
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

    /// The commands that a probe calls: all of them, or an even choice of a large number, which the result names.
    pub fn chosen<T: Copy>(&self, all: &[T]) -> Vec<T> {
        if all.len() <= MAX_CHOSEN {
            return all.to_vec();
        }
        self.choice.set(Some((MAX_CHOSEN, all.len())));
        (0..MAX_CHOSEN)
            .filter_map(|index| all.get(index * all.len() / MAX_CHOSEN).copied())
            .collect()
    }

    /// Says that only some commands were called.
    pub fn choice(&self) -> Option<String> {
        let (chosen, all) = self.choice.get()?;
        Some(format!("{chosen} of {all} commands were called, evenly chosen"))
    }

    /// Returns the number of targets and their unit.
    pub fn total(&self) -> (usize, &'static str) {
        match self.unit.get() {
            Some(unit) => (self.subjects.borrow().len(), unit),
            None => (self.calls.borrow().len(), probe::CALLS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_commands_an_even_sample_is_used_and_reported() {
        let tally = Tally::default();
        let few: Vec<usize> = (0..MAX_CHOSEN).collect();
        assert_eq!(tally.chosen(&few), few);
        assert_eq!(tally.choice(), None);
        let chosen = tally.chosen(&(0..1_179).collect::<Vec<usize>>());
        assert_eq!((chosen.len(), chosen[0], chosen[1]), (MAX_CHOSEN, 0, 7));
        assert!(chosen.is_sorted() && chosen[MAX_CHOSEN - 1] > 1_160);
        assert!(tally.choice().unwrap().starts_with("150 of 1179 commands"));
    }
}
