//! What a family finds out in one go for all of its probes. The engine keeps it and does not know what it is.

use std::any::Any;
use std::sync::OnceLock;

/// The result of one examination of a run.
#[derive(Default)]
pub struct Examination(OnceLock<Box<dyn Any + Send + Sync>>);

impl Examination {
    /// The result; made once, by the first that asks, while others wait. `None` when it is of another type.
    #[must_use]
    pub fn of<T: Any + Send + Sync>(&self, examine: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(examine())).downcast_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_examination_is_made_once() {
        let examination = Examination::default();
        assert_eq!(examination.of(|| 1), Some(&1));
        assert_eq!(examination.of(|| 2), Some(&1));
        assert_eq!(examination.of(|| "other"), None);
    }
}
