//! Facts that a family finds out once in a run for all of its probes. The engine stores them without knowing their
//! type.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type KeptValue = Arc<OnceLock<Arc<dyn Any + Send + Sync>>>;

/// The state of a family in one run, one value for each type.
#[derive(Default)]
pub struct FamilyState(Mutex<BTreeMap<TypeId, KeptValue>>);

impl FamilyState {
    /// The value of this type; made once, by the first caller, while others wait. Never `None`: a slot has the type of
    /// its key.
    pub fn of<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<Arc<T>> {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(TypeId::of::<T>()).or_default())
        };
        Arc::clone(slot.get_or_init(|| Arc::new(make()))).downcast().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_for_each_type() {
        let state = FamilyState::default();
        assert_eq!(state.of(|| 1), Some(Arc::new(1)));
        assert_eq!(state.of(|| 2), Some(Arc::new(1)));
        assert_eq!(state.of(|| "other"), Some(Arc::new("other")));
    }
}
