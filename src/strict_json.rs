//! The one reader of JSON from outside: a value in member order, without duplicate members.
//!
//! Knows no document and no limit of size; uses no other module of ours.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::visible::excerpt;

/// Most objects and lists inside each other.
const MAX_DEPTH: usize = 64;

/// Reads exactly one value.
///
/// # Errors
/// On a syntax error, a duplicate member, more than 64 levels, or a number that would come out as another one; with
/// line and column.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    read_with(text, false)
}

/// The same, and names that differ by case alone are one name: other readers take either.
///
/// # Errors
/// As those of `read`.
pub fn read_folded(text: &str) -> Result<Value, serde_json::Error> {
    read_with(text, true)
}

fn read_with(text: &str, folded: bool) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict { depth: 0, folded }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads a value inside `depth` others and refuses a member that is there twice.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
    /// Whether names that differ only in case are equal.
    folded: bool,
}

impl Strict {
    /// Reads what is inside.
    fn inner<E: serde::de::Error>(&self) -> Result<Self, E> {
        if self.depth == MAX_DEPTH {
            return Err(E::custom("it is nested too deeply"));
        }
        Ok(Self { depth: self.depth + 1, ..*self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        // An integer beyond 64 bits would come out as another number.
        if value.abs() >= 9_007_199_254_740_992.0 {
            return Err(E::custom("a number is too large to be kept exactly"));
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let inner = self.inner::<A::Error>()?;
        while let Some(value) = sequence.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        let mut folded = BTreeSet::new();
        let inner = self.inner::<A::Error>()?;
        while let Some(key) = members.next_key::<String>()? {
            let is_new = if self.folded {
                folded.insert(key.to_lowercase())
            } else {
                !map.contains_key(&key)
            };
            if !is_new {
                let key: String = key.chars().take(80).collect();
                return Err(A::Error::custom(format_args!(
                    "duplicate member `{}`",
                    excerpt(&key, 200)
                )));
            }
            map.insert(key, members.next_value_seed(inner)?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(row: &Value, member: &str) -> String {
        row[member].as_str().unwrap_or_default().to_owned()
    }

    /// The document of a case; `None` when it does not occur in Rust.
    fn document(row: &Value) -> Option<String> {
        if row["not_in"].as_array().is_some_and(|names| names.contains(&"rust".into())) {
            return None;
        }
        let times = usize::try_from(row["times"].as_u64().unwrap_or_default()).unwrap();
        let repeated = |member| text(row, member).repeat(times);
        Some(text(row, "text") + &repeated("open") + &text(row, "inner") + &repeated("close"))
    }

    #[test]
    fn documents_are_read_as_in_every_language() {
        let shared = read(include_str!("../runtime/fixtures/strict_json.json")).unwrap();
        let mut read_or_refused = [0, 0];
        for row in shared["cases"].as_array().unwrap() {
            let Some(document) = document(row) else { continue };
            let found = read(&document);
            let is_refused = row.get("refused").is_some();
            assert_eq!(found.is_err(), is_refused, "{}: {found:?}", row["case"]);
            let is_folded = is_refused || row.get("folded").is_some();
            assert_eq!(read_folded(&document).is_err(), is_folded, "{}, folded", row["case"]);
            read_or_refused[usize::from(is_refused)] += 1;
            if let (Some(answer), Ok(value)) = (row.get("answer"), found) {
                assert_eq!(value, *answer, "{}", row["case"]);
            }
        }
        assert!(read_or_refused[0] > 8 && read_or_refused[1] > 25, "{read_or_refused:?}");
    }
}
