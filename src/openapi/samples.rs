//! Values that fit a schema, for the samples of a tool; never the examples of the author.

use serde_json::{Value, json};

use super::document::DocumentTrees;
use super::model::InputKind;
use super::patterns;
use super::schema::FlatSchema;

/// Most members of a made-up reply.
const MAX_REPLY: usize = 60;
/// How far values are made inside each other, and how many lists and objects at most.
const MAX_DEPTH: usize = 4;
const MAX_VALUES: usize = 300;

impl<'a> FlatSchema<'a> {
    /// A value that fits, where a made-up text or number would not.
    #[must_use]
    pub fn sample(&self, trees: &'a DocumentTrees, kind: &InputKind) -> Option<Value> {
        match kind {
            InputKind::Text | InputKind::LongText => self.sample_text().map(Value::from),
            InputKind::Integer => self.sample_integer().map(Value::from),
            InputKind::Decimal => Some(json!(format!("{}.5", self.sample_integer().unwrap_or(7)))),
            InputKind::List { .. } => {
                let items = Self::of(trees, self.items?);
                let inner = items.kind(trees, "");
                let count = self.bound("minItems").filter(|count| *count > 2).unwrap_or(2);
                let count =
                    self.bound("maxItems").map_or(count, |most| count.min(most)).clamp(1, 20);
                let values: Vec<Value> = match &inner {
                    InputKind::Choice(choices) => {
                        choices.iter().take(usize::try_from(count).unwrap_or(2)).cloned().collect()
                    }
                    InputKind::Flag => vec![json!(true), json!(false)],
                    InputKind::Decimal => vec![json!(1.5), json!(2.5)],
                    InputKind::Integer => {
                        let first = items.sample_integer().unwrap_or(1);
                        (0..count).map(|at| json!(first + at)).collect()
                    }
                    _ => match items.sample_text() {
                        Some(text) => vec![json!(text)],
                        None if count == 2 => return None,
                        None => (1..=count).map(|at| json!(format!("entry {at}"))).collect(),
                    },
                };
                Some(Value::Array(values))
            }
            InputKind::Json => Some(Examples::new(trees).of(self, 0)),
            InputKind::Choice(_) | InputKind::Flag | InputKind::File => None,
        }
    }

    /// A reply that fits: all members of the outer object, and what an inner one needs.
    #[must_use]
    pub fn reply_sample(&self, trees: &'a DocumentTrees) -> Value {
        let mut examples = Examples::new(trees);
        if self.members.is_empty() {
            return examples.of(self, 1);
        }
        let members = self.members.iter().take(MAX_REPLY).filter_map(|(name, member)| {
            let member = Self::of(trees, *member);
            (!member.is_write_only).then(|| ((*name).to_owned(), examples.of(&member, 2)))
        });
        Value::Object(members.collect())
    }

    /// The largest number that it may be.
    #[must_use]
    pub fn most(&self) -> Option<i64> {
        self.bound("maximum")
    }

    fn bound(&self, name: &str) -> Option<i64> {
        let value = self.bounds.get(name)?;
        value.as_i64().or_else(|| value.as_f64().map(|number| number.ceil() as i64))
    }

    fn sample_integer(&self) -> Option<i64> {
        let exclusive = |name: &str| self.bounds.get(name).and_then(Value::as_i64);
        let is_exclusive =
            |name: &str| self.bounds.get(name).and_then(Value::as_bool) == Some(true);
        let step = i64::from(is_exclusive("exclusiveMinimum"));
        let low = exclusive("exclusiveMinimum")
            .map(|low| low.saturating_add(1))
            .or_else(|| self.bound("minimum").map(|low| low.saturating_add(step)));
        let high = exclusive("exclusiveMaximum").map(|high| high.saturating_sub(1)).or_else(|| {
            self.bound("maximum")
                .map(|high| high.saturating_sub(i64::from(is_exclusive("exclusiveMaximum"))))
        });
        let step = self.bound("multipleOf").filter(|step| *step > 1);
        let value = match (low, high) {
            (None, None) => return step,
            (Some(low), Some(high)) => low.saturating_add(1).min(high),
            (Some(low), None) => low.saturating_add(7),
            (None, Some(high)) => high.min(7),
        };
        Some(match step {
            Some(step) => value.saturating_add(step - 1) / step * step,
            None => value,
        })
    }

    fn sample_text(&self) -> Option<String> {
        let fixed = match self.format {
            "date" => "2026-01-31",
            "date-time" => "2026-01-31T12:00:00Z",
            "time" => "12:00:00Z",
            "uuid" => "3f2b8c1e-5d4a-4c6b-8e7f-9a0b1c2d3e4f",
            "email" => "someone@example.com",
            "uri" | "url" | "uri-reference" | "iri" => "https://example.com/a",
            "hostname" => "host.example.com",
            "ipv4" | "ip" => "192.0.2.1",
            "ipv6" => "2001:db8::1",
            "byte" => "YWJj",
            "duration" => "P1D",
            _ => "",
        };
        let least = usize::try_from(self.bound("minLength").unwrap_or(0)).unwrap_or(0).min(2_000);
        let most = self.bound("maxLength").and_then(|most| usize::try_from(most).ok());
        let pattern = self.bounds.get("pattern").and_then(Value::as_str).unwrap_or_default();
        if !pattern.is_empty()
            && (fixed.is_empty() || !patterns::fits(pattern, fixed))
            && let Some(made) = patterns::text(pattern, least, most.unwrap_or(usize::MAX))
        {
            return Some(made);
        }
        if !fixed.is_empty() {
            return Some(fixed.to_owned());
        }
        match most {
            Some(most) if most < 40 => Some("sample".repeat(8).chars().take(most.max(1)).collect()),
            _ if least > 8 => Some("a".repeat(least)),
            _ => None,
        }
    }
}

/// Makes small values that fit their schemas: the required members of an object, or all when none is.
struct Examples<'a> {
    trees: &'a DocumentTrees,
    /// How many values may still be made: objects that contain each other have no end.
    left: usize,
}

impl<'a> Examples<'a> {
    fn new(trees: &'a DocumentTrees) -> Self {
        Self { trees, left: MAX_VALUES }
    }

    fn of(&mut self, schema: &FlatSchema<'a>, depth: usize) -> Value {
        if let Some(choice) = schema.choices.first() {
            return (*choice).clone();
        }
        match schema.types.as_slice() {
            ["string"] => return json!(schema.sample_text().unwrap_or_else(|| "text".to_owned())),
            ["integer"] | ["number"] => return json!(schema.sample_integer().unwrap_or(1)),
            ["boolean"] => return json!(true),
            _ => {}
        }
        let ends = depth > MAX_DEPTH || self.left == 0 || schema.lost.is_some();
        self.left = self.left.saturating_sub(1);
        if schema.types == ["array"] {
            let items = schema.items.filter(|_| !ends);
            return items.map_or_else(
                || if schema.items.is_some() { json!([]) } else { json!(["text"]) },
                |items| json!([self.of(&FlatSchema::of(self.trees, items), depth + 1)]),
            );
        }
        if ends {
            return json!({});
        }
        if let Some(first) = schema.shapes.first().copied().filter(|_| schema.members.is_empty()) {
            return self.of(&FlatSchema::of(self.trees, first), depth + 1);
        }
        let is_wanted = |name: &&str| {
            schema.required.is_empty() && depth <= 1 || schema.required.contains(name)
        };
        let members = schema.members.iter().filter(|(name, _)| is_wanted(name)).take(30);
        let members = members.filter_map(|(name, member)| {
            let member = FlatSchema::of(self.trees, *member);
            let is_skipped = member.is_read_only;
            (!is_skipped).then(|| ((*name).to_owned(), self.of(&member, depth + 1)))
        });
        Value::Object(members.collect())
    }
}
