//! JSON of the command line: as it is, from a file, or from stdin.

use std::path::Path;

use serde_json::Value;

use crate::error::{io_code, io_hint};
use crate::report::{ErrorCode, Failure};
use crate::strict_json;
use crate::system::{files, terminal};

/// Largest document: what a message to a package may hold.
const MAX_BYTES: u64 = 1_000_000;

/// A JSON object.
///
/// # Errors
/// Returns an error if it cannot be read or is something else.
pub fn object(given: &str, option: &str) -> Result<Value, Failure> {
    read(given, option, Value::is_object, "an object")
}

/// A JSON list.
///
/// # Errors
/// Returns an error if it cannot be read or is something else.
pub fn list(given: &str, option: &str) -> Result<Value, Failure> {
    read(given, option, Value::is_array, "a list")
}

fn read(
    given: &str,
    option: &str,
    fits: fn(&Value) -> bool,
    wanted: &str,
) -> Result<Value, Failure> {
    let invalid = |why: String| {
        Failure::new(ErrorCode::Validation, format!("`{option}` {why}"))
            .hint(format!("pass {wanted} as JSON, as `@FILE`, or as `-` for stdin"))
    };
    let bytes = match given.strip_prefix('@') {
        Some(path) => {
            let loaded = files::read_named(Path::new(path), MAX_BYTES).map_err(|error| {
                let message = format!("`{path}` of `{option}` cannot be read: {error}");
                match error.kind() {
                    std::io::ErrorKind::NotFound => {
                        Failure::new(ErrorCode::NotFound, message).hint("use an existing file")
                    }
                    _ => Failure::new(io_code(&error), message).hint(io_hint(&error)),
                }
            })?;
            loaded.bytes
        }
        None if given == "-" => terminal::read_stdin(MAX_BYTES).map_err(|error| {
            Failure::new(io_code(&error), format!("stdin of `{option}` cannot be read: {error}"))
                .hint(format!("write at most {MAX_BYTES} bytes to stdin"))
        })?,
        None => given.as_bytes().to_vec(),
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(invalid(format!("is larger than {MAX_BYTES} bytes")));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| invalid("is not UTF-8".to_owned()))?;
    let value =
        strict_json::read(text).map_err(|error| invalid(format!("is not JSON: {error}")))?;
    if fits(&value) { Ok(value) } else { Err(invalid(format!("is not {wanted}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fits_is_taken() {
        assert!(object(r#"{"a": 1}"#, "--args").is_ok());
        assert!(list("[]", "--history").is_ok());
        for text in ["", "[]", "1", "{", r#"{"a":1,"a":2}"#, "@/no/such/file"] {
            assert!(object(text, "--args").is_err(), "{text}");
        }
        let failure = object("@/no/such/file", "--args").unwrap_err();
        assert_eq!(failure.code, ErrorCode::NotFound);
    }
}
