//! The ends of a call that has no result.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::message::ErrorMembers;

/// The origin of an error.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultOrigin {
    /// An `AugmentorError` of the package.
    Package,
    /// Anything else that the package raised.
    Exception,
    /// The host or the runner refused something.
    Host,
}

impl FaultOrigin {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Exception => "exception",
            Self::Host => "host",
        }
    }
}

/// The error of a call.
#[derive(Clone, Debug)]
pub struct CallError {
    pub error: ErrorMembers,
    pub origin: FaultOrigin,
    /// For the log, never for the caller.
    pub trace: Option<String>,
}

impl CallError {
    /// An error of the host.
    #[must_use]
    pub fn host(code: &str, message: impl Into<String>, data: Value) -> Self {
        let error = ErrorMembers { code: code.to_owned(), message: message.into(), data };
        Self { error, origin: FaultOrigin::Host, trace: None }
    }

    /// The package cannot be loaded.
    #[must_use]
    pub fn load_failed(reason: &str, message: impl Into<String>) -> Self {
        Self::host("load_failed", message, json!({"reason": reason}))
    }
}
