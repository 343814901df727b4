//! JSON Schemas of commands and agents: whether one is valid, and whether arguments fit it.
//!
//! A schema reaches no file and no network: references outside of it are faults.

use serde_json::{Value, json};

use crate::visible::excerpt;

/// Most faults that an answer lists.
const MAX_FAULTS: usize = 20;
/// Longest message of one fault, in characters.
const MAX_MESSAGE: usize = 300;

/// A schema that cannot be compiled, with the message of the compiler.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSchema(String);

/// Returns the fault of a schema; `None` if a host can use it.
#[must_use]
pub fn fault(schema: &Value, most_bytes: u64) -> Option<String> {
    if !schema.is_object() {
        return Some("it is not an object".to_owned());
    }
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Some("its root does not have `\"type\": \"object\"`".to_owned());
    }
    if schema.to_string().len() as u64 > most_bytes {
        return Some(format!("it is larger than {most_bytes} bytes"));
    }
    compiled(schema).err().map(|error| error.to_string())
}

fn compiled(schema: &Value) -> Result<jsonschema::Validator, InvalidSchema> {
    let options = match schema.get("$schema") {
        Some(_) => jsonschema::options(),
        None => jsonschema::options().with_draft(jsonschema::Draft::Draft202012),
    };
    options
        .should_validate_formats(false)
        .build(schema)
        .map_err(|error| InvalidSchema(excerpt(&error.to_string(), MAX_MESSAGE)))
}

/// Every fault of arguments as `{path, message}`, at most twenty; none when they fit.
///
/// # Errors
/// Returns an error if the schema itself is not valid.
pub fn faults(schema: &Value, arguments: &Value) -> Result<Vec<Value>, InvalidSchema> {
    let validator = compiled(schema)?;
    let faults = validator.iter_errors(arguments).take(MAX_FAULTS).map(|error| {
        let path = error.instance_path().as_str().to_owned();
        let message = excerpt(&error.to_string(), MAX_MESSAGE);
        json!({"path": path, "message": message})
    });
    Ok(faults.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_a_host_cannot_use_has_a_fault() {
        let object = json!({"type": "object"});
        assert_eq!(fault(&object, 100), None);
        for (schema, wanted) in [
            (json!([]), "not an object"),
            (json!({}), "root"),
            (json!({"type": "array"}), "root"),
            (json!({"type": "object", "properties": {"a": {"type": "text"}}}), "text"),
            (json!({"type": "object", "title": "x".repeat(100)}), "larger"),
            (json!({"type": "object", "$ref": "https://192.0.2.1/schema.json"}), "192.0.2.1"),
            (json!({"type": "object", "$ref": "file:///etc/passwd"}), "passwd"),
        ] {
            let fault = fault(&schema, 100).unwrap_or_default();
            assert!(fault.contains(wanted), "{schema}: {fault}");
        }
    }

    #[test]
    fn every_fault_has_a_path_and_a_message() {
        let schema = json!({
            "type": "object",
            "properties": {"n": {"type": "integer"}, "s": {"type": "string", "format": "email"}},
            "required": ["n"],
            "additionalProperties": false,
        });
        assert_eq!(
            faults(&schema, &json!({"n": 1, "s": "no address"})).unwrap(),
            Vec::<Value>::new()
        );
        let found = faults(&schema, &json!({"n": "1"})).unwrap();
        assert_eq!(found[0]["path"], "/n");
        assert!(found[0]["message"].as_str().unwrap().contains("integer"));
        assert_eq!(faults(&schema, &json!({"x": 1})).unwrap().len(), 2);
        let many: Value =
            (0..50).map(|n| (format!("m{n}"), json!(n))).collect::<serde_json::Map<_, _>>().into();
        let wide = json!({"type": "object", "additionalProperties": {"type": "string"}});
        assert_eq!(faults(&wide, &many).unwrap().len(), MAX_FAULTS);
    }
}
