//! Arguments made from a schema: some that fit it, and some that do not.

use serde_json::{Map, Value, json};

use crate::contract::json_schema;

/// Deepest part of a schema that is followed.
const MAX_DEPTH: usize = 8;
/// Longest text and longest list that is made.
const MAX_LENGTH: u64 = 1_000;
/// Most arguments of one command that do not fit.
const MAX_INVALID: usize = 24;

/// The smallest value that a simple schema allows; whether it really fits is for the package to say.
#[must_use]
pub fn instance(schema: &Value) -> Value {
    of(schema, 0)
}

fn of(schema: &Value, depth: usize) -> Value {
    for keyword in ["default", "const"] {
        if let Some(value) = schema.get(keyword) {
            return value.clone();
        }
    }
    for keyword in ["examples", "enum"] {
        if let Some(first) =
            schema.get(keyword).and_then(Value::as_array).and_then(|all| all.first())
        {
            return first.clone();
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None if schema.get("properties").is_some() => Some("object"),
        None => None,
    };
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_i64);
    let length = |keyword: &str| {
        schema.get(keyword).and_then(Value::as_u64).unwrap_or_default().min(MAX_LENGTH)
    };
    match kind {
        Some("object") if depth < MAX_DEPTH => object(schema, depth),
        Some("array") if depth < MAX_DEPTH => {
            let item = schema.get("items").map_or(Value::Null, |items| of(items, depth + 1));
            Value::Array((0..length("minItems")).map(|_| item.clone()).collect())
        }
        Some("integer" | "number") => {
            let least = number("minimum")
                .or_else(|| number("exclusiveMinimum").map(|least| least.saturating_add(1)));
            let most = number("maximum").map_or(1, |most| most.min(1));
            json!(least.unwrap_or(most))
        }
        Some("boolean") => json!(false),
        Some("null") => Value::Null,
        Some("object") => json!({}),
        Some("array") => json!([]),
        _ => json!("x".repeat(usize::try_from(length("minLength").max(1)).unwrap_or(1))),
    }
}

fn object(schema: &Value, depth: usize) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut members = Map::new();
    for name in required.filter_map(Value::as_str) {
        let part = properties.and_then(|properties| properties.get(name));
        members.insert(name.to_owned(), of(part.unwrap_or(&Value::Null), depth + 1));
    }
    Value::Object(members)
}

/// Arguments that do not fit: a required one missing, one of a wrong type, one that is not known.
#[must_use]
pub fn invalid(schema: &Value, valid: &Value) -> Vec<Value> {
    let valid = valid.as_object().cloned().unwrap_or_default();
    let mut found = Vec::new();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        let mut without = valid.clone();
        without.remove(name);
        found.push(Value::Object(without));
    }
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, part) in properties {
        let is_text = part.get("type").and_then(Value::as_str) == Some("string");
        let mut wrong = valid.clone();
        wrong.insert(name.clone(), if is_text { json!(7) } else { json!("seven") });
        found.push(Value::Object(wrong));
    }
    let mut unknown = valid;
    unknown.insert("no_such_argument".to_owned(), json!(1));
    found.push(Value::Object(unknown));
    found.retain(|arguments| {
        json_schema::faults(schema, arguments).is_ok_and(|faults| !faults.is_empty())
    });
    found.truncate(MAX_INVALID);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_fits_its_schema() {
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 3}}}),
            json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 5}}}),
            json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "maximum": -5}}}),
            json!({"type": "object", "required": ["e"], "properties": {"e": {"enum": ["x", "y"]}}}),
            json!({"type": "object", "required": ["l"], "properties":
                {"l": {"type": "array", "minItems": 2, "items": {"type": "boolean"}}}}),
        ] {
            let instance = instance(&schema);
            assert_eq!(
                json_schema::faults(&schema, &instance).unwrap(),
                Vec::<Value>::new(),
                "{schema}: {instance}"
            );
        }
    }

    #[test]
    fn invalid_arguments_do_not_fit() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "string"}, "any": {}},
        });
        let found = invalid(&schema, &json!({"a": "x"}));
        assert_eq!(found, [json!({}), json!({"a": 7}), json!({"a": "x", "no_such_argument": 1})]);
        assert!(invalid(&json!({"type": "object"}), &json!({})).is_empty());
    }
}
