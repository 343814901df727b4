//! One call of a probe, and the requirements that probes have for it.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use crate::conform::session::Observed;
use crate::reason::Reason;

use super::stop::{ProbeStep, Unfinished};
use super::tally::Tally;

/// One call and its result.
#[derive(Debug)]
pub struct Answered {
    pub observed: Arc<Observed>,
    pub document: Result<Value, Reason>,
    tally: Rc<Tally>,
}

impl Answered {
    #[must_use]
    pub fn new(observed: Arc<Observed>, tally: Rc<Tally>) -> Self {
        let document = observed.json();
        Self { observed, document, tally }
    }

    /// Counts the call as a target: the probe looked at something in it that could have been wrong.
    pub fn judged(&self) {
        self.tally.call(&self.observed);
    }

    /// A member of the document by JSON pointer; null when there is none.
    #[must_use]
    pub fn at(&self, pointer: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.document.as_ref().ok().and_then(|document| document.pointer(pointer)).unwrap_or(&NULL)
    }

    #[must_use]
    pub fn data(&self) -> &Value {
        self.at("/data")
    }

    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.at("/ok") == true && self.exit() == Some(0)
    }

    #[must_use]
    pub fn code(&self) -> &str {
        self.at("/error/code").as_str().unwrap_or_default()
    }

    #[must_use]
    pub fn exit(&self) -> Option<i32> {
        self.observed.exit()
    }

    /// The probe fails because of this call.
    pub fn fail(&self, message: impl Into<String>) -> Unfinished {
        let message = message.into();
        Unfinished::Fail(message.clone(), Some(Box::new(self.observed.evidence(message))))
    }

    /// Fails unless the condition holds.
    ///
    /// # Errors
    /// Returns an error if it does not.
    pub fn expect(&self, condition: bool, message: impl Into<String>) -> ProbeStep {
        self.judged();
        if condition { Ok(()) } else { Err(self.fail(message)) }
    }

    /// Fails when something is wrong with the call.
    ///
    /// # Errors
    /// Returns an error if there is a fault.
    pub fn without(&self, fault: Option<String>) -> ProbeStep {
        self.judged();
        fault.map_or(Ok(()), |fault| Err(self.fail(fault)))
    }

    /// Fails unless the call is refused with one of these codes.
    ///
    /// # Errors
    /// Returns an error if it is not.
    pub fn expect_code(&self, codes: &[&str], when: &str) -> ProbeStep {
        let got = if self.is_ok() { "success" } else { self.code() };
        let got = if got.is_empty() { "no envelope" } else { got };
        let wanted = codes.join(" or ");
        self.expect(codes.contains(&self.code()), format!("{when} returns {got}, not {wanted}"))
    }
}
