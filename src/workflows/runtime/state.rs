//! A runtime as part of an answer.

use crate::audit::runtime::RuntimeState;
use crate::report::answers::runtime::{OwnedRuntimePart, RuntimeSummary};

/// The runtime of a project as part of an answer: name, path, version, newest version and owned parts.
#[must_use]
pub fn state(state: &RuntimeState) -> RuntimeSummary {
    let owned = state.owned.iter().map(|part| OwnedRuntimePart {
        path: part.path.to_string(),
        version: part.version.to_string(),
    });
    RuntimeSummary {
        name: state.name.clone(),
        path: state.path.clone(),
        version: state.version.map(|version| version.to_string()),
        newest: state.newest.map(|newest| newest.to_string()),
        owned: owned.collect(),
    }
}
