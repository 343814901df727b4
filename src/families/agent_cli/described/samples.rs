//! The values that samples of a CLI pass: each must be encoded to travel, and no two of a call are equal.

use serde_json::{Value, json};

use super::calls;
use super::table::{DescribedInput, DescribedOperation};
use crate::openapi::written;

/// The object of the mock that a call is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SampleTarget {
    First,
    Second,
    Missing,
}

/// The value that the API gets for an input.
#[must_use]
pub fn value(input: &DescribedInput, at: usize) -> Value {
    if let Some(sample) = &input.sample {
        return sample.clone();
    }
    match input.kind.as_str() {
        // Commands on one object can have the input in different positions.
        "integer" if input.place == "path" => json!(of_name(&input.name)),
        "integer" => json!(at + 7),
        "number" => json!(format!("{}.5", at + 7)),
        "boolean" => json!(true),
        "choice" => json!(input.values.last().cloned().unwrap_or_default()),
        "list" => json!([format!("{} 1", input.option), format!("{} 2", input.option)]),
        "json" => json!({ input.option.as_str(): [at, "text"] }),
        _ => json!(format!("{} /1", input.option.replace('_', "-"))),
    }
}

/// A number that each command gives to a path input of this name.
fn of_name(name: &str) -> u32 {
    let next = |sum: u32, byte: u8| sum.wrapping_mul(31).wrapping_add(u32::from(byte));
    10 + name.bytes().fold(7, next) % 80
}

/// The value in a path for another object; `None` if there is no other one.
#[must_use]
pub fn other(input: &DescribedInput, at: usize, target: SampleTarget) -> Option<Value> {
    let first = value(input, at);
    let step = match target {
        SampleTarget::First => return Some(first),
        SampleTarget::Second => 1,
        SampleTarget::Missing => 2,
    };
    match (input.kind.as_str(), &first) {
        ("integer", Value::Number(number)) => number.as_i64().map(|number| json!(number + step)),
        ("text" | "long", Value::String(text)) => turned(text, step).map(Value::from),
        _ => None,
    }
}

/// A text of the same form whose last letter or digit is another one.
fn turned(text: &str, step: i64) -> Option<String> {
    let at = text.rfind(|symbol: char| symbol.is_ascii_alphanumeric())?;
    let last = text[at..].chars().next()?;
    let step = u8::try_from(step).ok()?;
    let turn = |from: u8, count: u8| char::from(from + (last as u8 - from + step) % count);
    let next = match last {
        '0'..='9' => turn(b'0', 10),
        'a'..='f' => turn(b'a', 6),
        'g'..='z' => turn(b'g', 20),
        _ => turn(b'A', 26),
    };
    Some(format!("{}{next}{}", &text[..at], &text[at + 1..]))
}

/// Returns the arguments of a call that uses every option, for this target; `None` if the API has no such target.
#[must_use]
pub fn arguments(operation: &DescribedOperation, target: SampleTarget) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut has_other = target == SampleTarget::First;
    for (at, (input, flag)) in operation.inputs.iter().zip(calls::flags(operation)).enumerate() {
        let value = match (input.place.as_str(), other(input, at, target)) {
            ("path", Some(value)) => {
                has_other = true;
                value
            }
            _ => value(input, at),
        };
        words.extend([format!("--{flag}"), argument(input, &value)]);
    }
    has_other.then_some(words)
}

/// The words of a call whose payload differs.
#[must_use]
pub fn changed(operation: &DescribedOperation) -> Option<Vec<String>> {
    let at = operation.inputs.iter().position(|input| {
        input.place == "body" && matches!(input.kind.as_str(), "text" | "long")
    })?;
    let input = operation.inputs.get(at)?;
    let other = turned(value(input, at).as_str()?, 1)?;
    let mut words = arguments(operation, SampleTarget::First)?;
    *words.get_mut(at * 2 + 1)? = argument(input, &Value::from(other));
    Some(words)
}

/// The words of a call with every option, a plain text as the last one: any text can take its place.
#[must_use]
pub fn text_last(operation: &DescribedOperation) -> Vec<String> {
    let words = arguments(operation, SampleTarget::First).unwrap_or_default();
    let is_text = |input: &DescribedInput| {
        input.place == "body" && matches!(input.kind.as_str(), "text" | "long")
    };
    let at = operation.inputs.iter().position(is_text).unwrap_or_default() * 2;
    let pair: Vec<String> = words.iter().skip(at).take(2).cloned().collect();
    let rest = words.iter().enumerate().filter(|(index, _)| *index != at && *index != at + 1);
    rest.map(|(_, word)| word.clone()).chain(pair).collect()
}

/// A value as a word of the command line.
fn argument(input: &DescribedInput, value: &Value) -> String {
    match input.kind.as_str() {
        "json" => value.to_string(),
        "list" => written::argument(value),
        _ => written::wire(value),
    }
}
