//! Example calls of a package: `tests/calls.json`, or calls made from the schemas.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::contract::json;
use crate::families::augmentor::host::facts::PackageFacts;
use crate::system::files;
use crate::workflows::augmentor::seam::Callee;

use super::synthesis;

/// The file of a package's example calls.
pub const FILE: &str = "tests/calls.json";
const MAX_BYTES: u64 = 1024 * 1024;
/// Most example calls that are made.
const MAX_CALLS: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleDocument {
    calls: Vec<ExampleCall>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleCall {
    command: Option<String>,
    args: Option<Value>,
    agent: Option<String>,
    message: Option<String>,
    history: Option<Value>,
    result: Option<Value>,
    error: Option<String>,
    chunks: Option<Vec<Value>>,
}

/// One call, and what must come of it.
#[derive(Clone, Debug)]
pub struct Example {
    pub what: ExampleTarget,
    pub expected: ExpectedAnswer,
    pub chunks: Option<Vec<Value>>,
}

#[derive(Clone, Debug)]
pub enum ExampleTarget {
    Command { name: String, args: Value },
    Agent { id: String, message: String, history: Option<Value> },
}

#[derive(Clone, Debug)]
pub enum ExpectedAnswer {
    Result(Value),
    Error(String),
    /// Made from the schema: any object, or an error that the package chose.
    Anything,
}

/// Why a package has no usable example calls.
#[derive(Debug, thiserror::Error)]
pub enum ExamplesError {
    #[error("`{FILE}` cannot be read: {0}")]
    Unreadable(std::io::Error),
    #[error("`{FILE}` is not valid: {0}")]
    Invalid(#[from] json::JsonError),
    #[error("call {0} of `{FILE}` needs either `result` or `error`")]
    Outcome(usize),
    #[error("call {0} of `{FILE}` needs either `command` and `args`, or `agent` and `message`")]
    Callee(usize),
}

impl Example {
    #[must_use]
    pub fn callee(&self) -> Callee<'_> {
        match &self.what {
            ExampleTarget::Command { name, args } => Callee::Command { name, args },
            ExampleTarget::Agent { id, message, history } => {
                Callee::Agent { id, message, history: history.as_ref() }
            }
        }
    }

    /// The call as words, for a report.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        match &self.what {
            ExampleTarget::Command { name, args } => vec![name.clone(), args.to_string()],
            ExampleTarget::Agent { id, message, .. } => vec![id.clone(), message.clone()],
        }
    }

    fn is_of(&self, name: &str) -> bool {
        match &self.what {
            ExampleTarget::Command { name: own, .. } | ExampleTarget::Agent { id: own, .. } => {
                own == name
            }
        }
    }
}

/// The examples of a package; commands and agents without one get a call from their schema.
///
/// # Errors
/// Returns an error if the file cannot be read, or is not a list of calls.
pub fn of(root: &Path, facts: &PackageFacts) -> Result<Vec<Example>, ExamplesError> {
    let mut examples = match files::read(&root.join(FILE), MAX_BYTES) {
        Ok(loaded) => read(&loaded.bytes)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(ExamplesError::Unreadable(error)),
    };
    for command in &facts.commands {
        let Some(name) = command.name.as_str() else { continue };
        if !examples.iter().any(|example| example.is_of(name)) {
            let args = synthesis::instance(&command.schema);
            let what = ExampleTarget::Command { name: name.to_owned(), args };
            examples.push(Example { what, expected: ExpectedAnswer::Anything, chunks: None });
        }
    }
    for agent in &facts.agents {
        let Some(id) = agent.id.as_str() else { continue };
        if !examples.iter().any(|example| example.is_of(id)) {
            let (id, message) = (id.to_owned(), "Hello".to_owned());
            let what = ExampleTarget::Agent { id, message, history: None };
            examples.push(Example { what, expected: ExpectedAnswer::Anything, chunks: None });
        }
    }
    examples.truncate(MAX_CALLS);
    Ok(examples)
}

fn read(bytes: &[u8]) -> Result<Vec<Example>, ExamplesError> {
    let document: ExampleDocument = json::parse_as(bytes)?;
    let examples = document.calls.into_iter().enumerate();
    examples.map(|(index, call)| example(index, call)).collect()
}

fn example(index: usize, call: ExampleCall) -> Result<Example, ExamplesError> {
    let expected = match (call.result, call.error) {
        (Some(result), None) => ExpectedAnswer::Result(result),
        (None, Some(code)) => ExpectedAnswer::Error(code),
        _ => return Err(ExamplesError::Outcome(index)),
    };
    let what = match (call.command, call.agent, call.args, call.message) {
        (Some(name), None, Some(args), None) => ExampleTarget::Command { name, args },
        (None, Some(id), None, Some(message)) => {
            ExampleTarget::Agent { id, message, history: call.history }
        }
        _ => return Err(ExamplesError::Callee(index)),
    };
    Ok(Example { what, expected, chunks: call.chunks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_one_callee_and_one_outcome() {
        let good = br#"{"calls":[{"command":"a","args":{},"result":{}},{"agent":"b","message":"m","error":"x"}]}"#;
        assert_eq!(read(good).unwrap().len(), 2);
        for bad in [
            r#"{"calls":[{"command":"a","args":{}}]}"#,
            r#"{"calls":[{"command":"a","args":{},"result":{},"error":"x"}]}"#,
            r#"{"calls":[{"command":"a","message":"m","result":{}}]}"#,
            r#"{"calls":[{"command":"a","args":{},"result":{},"chunk":[]}]}"#,
            "[]",
        ] {
            assert!(read(bad.as_bytes()).unwrap_err().to_string().contains(FILE), "{bad}");
        }
    }
}
