//! Calls that were made: equal ones are made once, and workers that want the same calls share them out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::call::ToolCall;

/// One call: whether a worker has begun it, and its result.
struct MemorySlot<T> {
    begun: AtomicBool,
    shown: OnceLock<Arc<T>>,
}

/// The calls of one run.
pub struct Memory<T> {
    slots: Mutex<BTreeMap<ToolCall, Arc<MemorySlot<T>>>>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self { slots: Mutex::default() }
    }
}

impl<T> Memory<T> {
    fn slot(&self, call: &ToolCall) -> Arc<MemorySlot<T>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(MemorySlot { begun: AtomicBool::new(false), shown: OnceLock::new() });
        Arc::clone(slots.entry(call.clone()).or_insert_with(new))
    }

    /// Returns the result of a call, and makes it with `perform` if nobody has made it yet.
    pub fn get(&self, call: &ToolCall, perform: impl FnOnce(&ToolCall) -> T) -> Arc<T> {
        let slot = self.slot(call);
        slot.begun.store(true, Ordering::Relaxed);
        Arc::clone(slot.shown.get_or_init(|| Arc::new(perform(call))))
    }

    /// Returns the results of many calls in their order. Calls that another worker has begun come last, so that two
    /// workers with the same list make half of it each.
    pub fn get_all(&self, calls: &[ToolCall], perform: impl Fn(&ToolCall) -> T) -> Vec<Arc<T>> {
        for call in calls {
            let slot = self.slot(call);
            if !slot.begun.swap(true, Ordering::Relaxed) {
                slot.shown.get_or_init(|| Arc::new(perform(call)));
            }
        }
        calls.iter().map(|call| self.get(call, &perform)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn shown(call: &ToolCall) -> String {
        call.arguments.join(" ")
    }

    #[test]
    fn two_workers_with_one_list_make_each_call_once_and_get_all_in_order() {
        let calls: Vec<_> = (0..40).map(|index| ToolCall::new([index.to_string()])).collect();
        let (memory, made, start) = (Memory::default(), AtomicUsize::new(0), Barrier::new(2));
        let all = || {
            start.wait();
            memory.get_all(&calls, |call| {
                made.fetch_add(1, Ordering::Relaxed);
                shown(call)
            })
        };
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(all);
            (all(), other.join().unwrap())
        });
        assert_eq!(made.load(Ordering::Relaxed), 40);
        for (index, (one, other)) in first.iter().zip(&second).enumerate() {
            assert_eq!(**one, index.to_string());
            assert!(Arc::ptr_eq(one, other));
        }
    }

    #[test]
    fn while_a_call_is_under_way_the_others_are_made() {
        let calls = [ToolCall::new(["slow"]), ToolCall::new(["quick"])];
        let (memory, begun) = (Memory::default(), Barrier::new(2));
        let quick_is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                memory.get(&calls[0], |call| {
                    begun.wait();
                    while !quick_is_done.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                    shown(call)
                })
            });
            begun.wait();
            let all = memory.get_all(&calls, |call| {
                quick_is_done.store(true, Ordering::Relaxed);
                shown(call)
            });
            assert_eq!(all.len(), 2);
        });
    }
}
