//! Arguments made from a schema: some that fit it, and some that do not.

use serde_json::{Map, Value, json};

use crate::contract::json_schema;

/// Deepest part of a schema that is followed.
const MAX_DEPTH: usize = 8;
/// Longest text and longest list that is made.
const MAX_LENGTH: u64 = 1_000;
/// Most arguments of one command that do not fit.
const MAX_INVALID: usize = 48;
/// Longest text and longest list that is made because it is too long.
const MAX_EXCESS: u64 = 250_000;

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

/// Arguments that do not fit: a required one missing, one that is not known, and for each keyword of a schema one that
/// only this keyword refuses.
#[must_use]
pub fn invalid(schema: &Value, valid: &Value) -> Vec<Value> {
    let mut found = violations(schema, valid, 0);
    found.retain(|arguments| {
        arguments.is_object()
            && json_schema::faults(schema, arguments).is_ok_and(|faults| !faults.is_empty())
    });
    found.truncate(MAX_INVALID);
    found
}

/// Values that differ from a valid one in a single place and may not fit.
fn violations(schema: &Value, valid: &Value, depth: usize) -> Vec<Value> {
    let mut found = of_value(schema, valid);
    if depth >= MAX_DEPTH {
        return found;
    }
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        let first = valid.get(0).cloned().unwrap_or_else(|| of(items, depth + 1));
        let wrong = violations(items, &first, depth + 1).into_iter();
        found.extend(wrong.map(|item| json!([item])));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if properties.is_none() && !valid.is_object() {
        return found;
    }
    let valid = valid.as_object().cloned().unwrap_or_default();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        let mut without = valid.clone();
        without.remove(name);
        found.push(Value::Object(without));
    }
    for (name, part) in properties.into_iter().flatten() {
        let own = valid.get(name).cloned().unwrap_or_else(|| of(part, depth + 1));
        for value in violations(part, &own, depth + 1) {
            let mut wrong = valid.clone();
            wrong.insert(name.clone(), value);
            found.push(Value::Object(wrong));
        }
    }
    let mut unknown = valid;
    unknown.insert("no_such_argument".to_owned(), json!(1));
    found.push(Value::Object(unknown));
    found
}

/// Values that the keywords of this schema refuse, apart from those about members and items.
fn of_value(schema: &Value, valid: &Value) -> Vec<Value> {
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_i64);
    let size = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let most = |keyword: &str| size(keyword).filter(|most| *most < MAX_EXCESS);
    let fewer = |keyword: &str| size(keyword).and_then(|least| least.checked_sub(1));
    let is_text = schema.get("type").and_then(Value::as_str) == Some("string");
    let mut found = vec![if is_text { json!(7) } else { json!("seven") }, Value::Null];
    let of_length = |length: u64| json!("x".repeat(usize::try_from(length).unwrap_or_default()));
    found.extend(fewer("minLength").filter(|length| *length < MAX_EXCESS).map(of_length));
    found.extend(most("maxLength").map(|length| of_length(length + 1)));
    let item = valid.get(0).cloned().or_else(|| schema.get("items").map(instance));
    let of_items = |count: u64| {
        let item = item.clone().unwrap_or(Value::Null);
        Value::Array(vec![item; usize::try_from(count).unwrap_or_default()])
    };
    found.extend(fewer("minItems").filter(|count| *count < MAX_EXCESS).map(of_items));
    found.extend(most("maxItems").map(|count| of_items(count + 1)));
    let bounds =
        [("minimum", -1), ("exclusiveMinimum", 0), ("maximum", 1), ("exclusiveMaximum", 0)];
    let beyond = |(keyword, step): (&str, i64)| number(keyword)?.checked_add(step);
    found.extend(bounds.into_iter().filter_map(beyond).map(Value::from));
    if schema.get("type").and_then(Value::as_str) == Some("integer") {
        let half = format!("{}.5", number("minimum").unwrap_or_default().max(0));
        found.extend(serde_json::from_str::<Value>(&half).ok());
    }
    if ["enum", "const", "pattern", "format"].iter().any(|keyword| schema.get(*keyword).is_some()) {
        found.push(json!("\u{1} no such value"));
    }
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
        let wrong = [
            json!({}),
            json!({"a": 7}),
            json!({"a": null}),
            json!({"a": "x", "no_such_argument": 1}),
        ];
        assert_eq!(found, wrong);
        assert!(invalid(&json!({"type": "object"}), &json!({})).is_empty());
    }

    #[test]
    fn each_keyword_refuses_its_own_invalid_argument() {
        let text = || json!({"type": "string"});
        let number = || json!({"type": "number"});
        let array = || json!({"type": "array"});
        for (keyword, value, part) in [
            ("minLength", json!(3), text()),
            ("maxLength", json!(9), text()),
            ("pattern", json!("^x+$"), text()),
            ("enum", json!(["x"]), text()),
            ("minimum", json!(0), number()),
            ("maximum", json!(6), number()),
            ("exclusiveMinimum", json!(0), number()),
            ("exclusiveMaximum", json!(6), number()),
            ("type", json!("integer"), number()),
            ("minItems", json!(1), array()),
            ("maxItems", json!(2), array()),
            ("items", json!({"type": "string", "maxLength": 2}), array()),
            (
                "properties",
                json!({"b": {"type": "string", "maxLength": 2}}),
                json!({"type": "object"}),
            ),
            ("additionalProperties", json!(false), json!({"type": "object", "properties": {}})),
        ] {
            let of_part = |part: &Value| json!({"type": "object", "required": ["a"], "properties": {"a": part}});
            let mut narrow = part.clone();
            narrow[keyword] = value;
            let (narrow, wide) = (of_part(&narrow), of_part(&part));
            let found = invalid(&narrow, &instance(&narrow));
            let is_its_own = |arguments: &Value| {
                json_schema::faults(&wide, arguments).is_ok_and(|faults| faults.is_empty())
            };
            assert!(found.iter().any(is_its_own), "{keyword}: {found:?}");
        }
    }
}
