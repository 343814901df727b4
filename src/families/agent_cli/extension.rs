//! `contract-ext.json`: a tool's own error codes, which extend the core and never redefine it (agent-cli §3.1).

use indexmap::IndexMap;
use serde_json::Value;

use crate::visible::excerpt;

use super::contract::{AgentCliContract, CodeSpec, MAX_CODE};
use crate::contract::json;
use crate::contract::json::JsonError;
use crate::contract::name::Constant;

/// Most codes one tool may add.
const MAX_CODES: usize = 500;

/// A validated set of extension codes, in document order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Extension {
    pub codes: IndexMap<Constant, CodeSpec>,
}

/// Why an extension is refused.
#[derive(Debug, thiserror::Error)]
pub enum ExtensionError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("`{member}`: {reason}")]
    Refused { member: String, reason: String },
}

impl Extension {
    /// Parses and validates the document against the core of the pinned contract.
    ///
    /// # Errors
    /// Names the first member that breaks a rule.
    pub fn parse(bytes: &[u8], core: &AgentCliContract) -> Result<Self, ExtensionError> {
        let document = json::parse(bytes)?;
        let Value::Object(members) = document else {
            return refuse("(document)", "it must be an object with the member `error_codes`");
        };
        for name in members.keys() {
            if !matches!(name.as_str(), "error_codes" | "note" | "comment") {
                return refuse(
                    name,
                    "unknown member; allowed are `error_codes`, `note`, `comment`",
                );
            }
        }
        let Some(Value::Object(codes)) = members.get("error_codes") else {
            return refuse("error_codes", "it must be an object of codes");
        };
        if codes.len() > MAX_CODES {
            return refuse("error_codes", "it has more than 500 codes");
        }
        let mut extension = Self::default();
        for (name, value) in codes {
            let (code, spec) = entry(name, value, core)?;
            extension.codes.insert(code, spec);
        }
        Ok(extension)
    }
}

fn refuse<T>(member: &str, reason: &str) -> Result<T, ExtensionError> {
    let member: String = member.chars().take(80).collect();
    Err(ExtensionError::Refused { member: excerpt(&member, 200), reason: reason.to_owned() })
}

fn entry(
    name: &str,
    value: &Value,
    core: &AgentCliContract,
) -> Result<(Constant, CodeSpec), ExtensionError> {
    let Some(code) =
        Constant::parse(name).filter(|code| code.as_str().starts_with("E_") && name.len() > 2)
    else {
        return refuse(name, "a code has the form E_[A-Z0-9_]+");
    };
    if name.len() > MAX_CODE {
        return refuse(name, "a code has at most 38 characters");
    }
    if core.error_codes.core.contains_key(&code) {
        return refuse(name, "it redefines a core code; core codes are frozen");
    }
    if let Some(near) = near_miss(name, core) {
        return refuse(
            name,
            &format!(
                "it is similar to the core code `{near}`; use that code, or a clearly different name"
            ),
        );
    }
    let Value::Object(members) = value else {
        return refuse(name, "it must be an object {\"exit\": …, \"retryable\": …}");
    };
    if let Some(other) = members
        .keys()
        .find(|key| !matches!(key.as_str(), "exit" | "retryable" | "note" | "comment"))
    {
        return refuse(
            &format!("{name}.{other}"),
            "unknown member; allowed are `exit`, `retryable`, `note`, `comment`",
        );
    }
    let Some(Value::Bool(retryable)) = members.get("retryable") else {
        return refuse(&format!("{name}.retryable"), "it must be true or false");
    };
    let exit = members.get("exit").and_then(Value::as_u64).and_then(|exit| u8::try_from(exit).ok());
    let written_plainly = members
        .get("exit")
        .is_some_and(|exit| exit.to_string().bytes().all(|digit| digit.is_ascii_digit()));
    let Some(exit) = exit.filter(|exit| written_plainly && matches!(exit, 1..=9 | 130)) else {
        return refuse(&format!("{name}.exit"), "it must be an integer from 1 to 9, or 130");
    };
    if let Some(reason) = exit_fault(name, exit, *retryable, core) {
        return refuse(name, reason);
    }
    Ok((code, CodeSpec { exit, retryable: *retryable }))
}

/// The meaning of each exit code is part of the contract; a new code must not bend it.
fn exit_fault(
    name: &str,
    exit: u8,
    retryable: bool,
    core: &AgentCliContract,
) -> Option<&'static str> {
    let human_exit = core.extension.human_action_exit;
    let human = core.extension.human_action_codes.iter().any(|code| code.as_str() == name);
    match exit {
        5 => Some(
            "exit 5 means that a confirm token is missing, and is reserved for E_CONFIRMATION_REQUIRED",
        ),
        130 => {
            Some("exit 130 means that a signal ended the run, and is reserved for E_INTERRUPTED")
        }
        _ if human && exit != human_exit => Some("a human-action code must have exit 9"),
        _ if exit == human_exit && !human => Some("exit 9 is reserved for human-action codes"),
        7 | 8 if !retryable => {
            Some("exit 7 and 8 mean that a retry may help, so `retryable` must be true")
        }
        1..=4 | 6 | 9 if retryable => {
            Some("this exit code tells agents not to retry, so `retryable` must be false")
        }
        _ => None,
    }
}

fn near_miss<'a>(name: &str, core: &'a AgentCliContract) -> Option<&'a str> {
    core.error_codes
        .core
        .keys()
        .map(Constant::as_str)
        .find(|known| strsim::damerau_levenshtein(known, name) <= 2 && known.len() > 6)
}
