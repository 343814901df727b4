//! Schemas: which input a value is, what fits it, which members an object has.
//!
//! `allOf` is merged; alternatives are never resolved to their first: they are one JSON input. Recursion is bounded.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::document::{DocumentTrees, Node};
use super::model::InputKind;
use super::text;

/// How far schemas are followed inside each other.
const MAX_DEPTH: usize = 12;
/// Most choices of one value.
const MAX_CHOICES: usize = 100;
/// Names of members that hold long texts.
const LONG: [&str; 10] = [
    "body",
    "content",
    "description",
    "text",
    "message",
    "comment",
    "notes",
    "note",
    "html",
    "markdown",
];

/// A schema with its references, `allOf` and `null` resolved at its top.
#[derive(Clone, Debug, Default)]
pub struct FlatSchema<'a> {
    pub types: Vec<&'a str>,
    pub members: IndexMap<&'a str, Node<'a>>,
    pub required: Vec<&'a str>,
    /// `oneOf` and `anyOf` with more than one shape, by their names.
    pub alternatives: Vec<String>,
    /// The alternatives themselves.
    pub shapes: Vec<Node<'a>>,
    /// All of them are texts, numbers or truths, which are alike in an address.
    pub is_plain_choice: bool,
    pub items: Option<Node<'a>>,
    pub choices: Vec<&'a Value>,
    pub format: &'a str,
    pub description: &'a str,
    pub default: Option<&'a Value>,
    pub is_nullable: bool,
    /// It says that an object may have further members.
    pub is_open: bool,
    pub is_read_only: bool,
    pub is_write_only: bool,
    /// Bounds and lengths, by their names.
    pub bounds: Map<String, Value>,
    /// A reference that leads nowhere or in a circle.
    pub lost: Option<String>,
}

/// The parts of a schema that are being merged, and all that were.
#[derive(Default)]
struct MergedParts {
    open: Vec<*const Value>,
    all: HashSet<*const Value>,
}

impl<'a> FlatSchema<'a> {
    #[must_use]
    pub fn of(trees: &'a DocumentTrees, node: Node<'a>) -> Self {
        let mut flat = Self::default();
        flat.add(trees, node, &mut MergedParts::default(), 0);
        flat.choices.dedup();
        flat
    }

    /// Returns the members of one alternative itself, with its references followed.
    fn shallow(trees: &'a DocumentTrees, node: Node<'a>, depth: usize) -> Self {
        let mut flat = Self::default();
        if depth <= MAX_DEPTH
            && let Ok(found) = trees.followed(node)
        {
            flat.add_own(trees, found);
        }
        flat
    }

    fn add(
        &mut self,
        trees: &'a DocumentTrees,
        node: Node<'a>,
        seen: &mut MergedParts,
        depth: usize,
    ) {
        if depth > MAX_DEPTH || seen.open.contains(&node.identity()) {
            self.lost.get_or_insert_with(|| "a schema that contains itself".to_owned());
            return;
        }
        // A part that is merged already has nothing to add.
        if !seen.all.insert(node.identity()) {
            return;
        }
        seen.open.push(node.identity());
        if let Some(target) = node.value.get("$ref").and_then(Value::as_str) {
            match trees.followed(node) {
                Ok(found) => self.add(trees, found, seen, depth + 1),
                Err(_) => self.lost = Some(target.to_owned()),
            }
        }
        self.add_own(trees, node);
        for part in node.entries("allOf") {
            self.add(trees, part, seen, depth + 1);
        }
        for word in ["oneOf", "anyOf"] {
            self.add_alternatives(trees, node, word, seen, depth);
        }
        seen.open.pop();
    }

    /// Adds the members of the schema itself: a later one overrides an earlier one.
    fn add_own(&mut self, trees: &'a DocumentTrees, node: Node<'a>) {
        let types = match node.value.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        self.is_nullable |= node.is_set("nullable") || types.contains(&"null");
        let types: Vec<_> = types.into_iter().filter(|kind| *kind != "null").collect();
        if !types.is_empty() {
            self.types = types;
        }
        for (name, member) in trees.members(node, "properties") {
            self.members.insert(name, member);
        }
        for required in node.entries("required") {
            if let Some(name) = required.value.as_str() {
                self.required.push(name);
            }
        }
        if let Some(items) = node.get("items") {
            self.items = Some(items);
        }
        let choices: Vec<&Value> = match (node.value.get("enum"), node.value.get("const")) {
            (Some(Value::Array(choices)), _) => choices.iter().collect(),
            (_, Some(only)) => vec![only],
            _ => Vec::new(),
        };
        self.is_nullable |= choices.iter().any(|choice| choice.is_null());
        let choices: Vec<_> = choices.into_iter().filter(|choice| !choice.is_null()).collect();
        if !choices.is_empty() {
            self.choices = choices;
        }
        for (place, name) in [(&mut self.format, "format"), (&mut self.description, "description")]
        {
            if !node.text(name).is_empty() {
                *place = node.text(name);
            }
        }
        self.default = node.value.get("default").or(self.default);
        let further = node.value.get("additionalProperties");
        self.is_open |= further.is_some_and(|further| *further != Value::Bool(false));
        self.is_read_only |= node.is_set("readOnly");
        self.is_write_only |= node.is_set("writeOnly");
        for name in [
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "pattern",
            "contentEncoding",
            "contentMediaType",
            "multipleOf",
        ] {
            if let Some(value) = node.value.get(name) {
                self.bounds.insert(name.to_owned(), value.clone());
            }
        }
    }

    fn add_alternatives(
        &mut self,
        trees: &'a DocumentTrees,
        node: Node<'a>,
        word: &str,
        seen: &mut MergedParts,
        depth: usize,
    ) {
        let is_null = |part: &Node<'_>| {
            part.text("type") == "null" || part.value.get("const").is_some_and(Value::is_null)
        };
        let all: Vec<_> = node.entries(word).collect();
        self.is_nullable |= all.iter().any(is_null);
        // `anyOf: [{required: [a]}, {required: [b]}]` says which members go together, and no other shape.
        let has_shape = |part: &Node<'_>| {
            let members = part.value.as_object();
            members.is_some_and(|members| members.keys().any(|name| name != "required"))
        };
        let shapes: Vec<_> =
            all.into_iter().filter(|part| !is_null(part) && has_shape(part)).collect();
        match shapes.as_slice() {
            [] => {}
            [only] => self.add(trees, *only, seen, depth + 1),
            several if self.add_values(trees, several, depth) => {}
            several => {
                let names = several.iter().map(|part| alternative_name(trees, *part));
                self.is_plain_choice = several.iter().all(|part| {
                    let flat = Self::shallow(trees, *part, depth);
                    let is_scalar = |kind: &&str| !matches!(*kind, "object" | "array");
                    !flat.types.is_empty() && flat.types.iter().all(is_scalar)
                });
                self.alternatives.extend(names);
                self.shapes.extend(several);
            }
        }
    }

    /// Adds alternatives that are only values: constants, which are the choices, or texts of several forms, which are one
    /// text. False if they are anything else.
    fn add_values(&mut self, trees: &'a DocumentTrees, several: &[Node<'a>], depth: usize) -> bool {
        let shapes: Vec<Self> =
            several.iter().map(|part| Self::shallow(trees, *part, depth)).collect();
        let has_parts = |part: &Node<'a>| {
            trees.followed(*part).is_ok_and(|part| {
                ["oneOf", "anyOf", "allOf", "not"].iter().any(|word| part.get(word).is_some())
            })
        };
        let is_plain = |shape: &Self| shape.members.is_empty() && shape.items.is_none();
        if several.iter().any(has_parts) || !shapes.iter().all(is_plain) {
            return false;
        }
        let is_constant = |shape: &Self| {
            !shape.choices.is_empty() && shape.choices.iter().all(|one| is_plain_choice(one))
        };
        if shapes.iter().all(is_constant) {
            self.choices.extend(shapes.iter().flat_map(|shape| shape.choices.iter().copied()));
            if self.types.is_empty() {
                self.types = shapes[0].types.clone();
            }
            return true;
        }
        if !shapes.iter().all(|shape| shape.types == ["string"] && !shape.is_binary()) {
            return false;
        }
        self.types = vec!["string"];
        if self.format.is_empty() {
            self.format = shapes[0].format;
        }
        true
    }

    /// True if it is an object that has no members, and may have no others.
    #[must_use]
    pub fn is_empty_object(&self) -> bool {
        self.types == ["object"]
            && self.members.is_empty()
            && self.alternatives.is_empty()
            && self.lost.is_none()
            && !self.is_open
    }

    /// True if it is an object whose members are known, at most `most` of them.
    #[must_use]
    pub fn is_flat_object(&self, most: usize) -> bool {
        let is_object = self.types.is_empty() || self.types == ["object"];
        is_object
            && self.alternatives.is_empty()
            && self.lost.is_none()
            && !self.members.is_empty()
            && self.members.len() <= most
    }

    /// The input that a value of this schema is; `name` says whether a text is a long one.
    #[must_use]
    pub fn kind(&self, trees: &'a DocumentTrees, name: &str) -> InputKind {
        if !self.alternatives.is_empty() || self.lost.is_some() {
            return InputKind::Json;
        }
        let is_short = self.choices.len() <= MAX_CHOICES
            && self.choices.iter().all(|choice| is_plain_choice(choice));
        if !self.choices.is_empty() && self.types != ["array"] && self.types != ["boolean"] {
            let choices = self.choices.iter().map(|choice| (*choice).clone()).collect();
            return if is_short { InputKind::Choice(choices) } else { InputKind::Text };
        }
        match self.types.as_slice() {
            ["string"] if self.is_binary() => InputKind::File,
            ["string"] if LONG.contains(&name) => InputKind::LongText,
            ["string"] => InputKind::Text,
            ["integer"] => InputKind::Integer,
            ["number"] => InputKind::Decimal,
            ["boolean"] => InputKind::Flag,
            ["array"] => self.list_kind(trees),
            [] if !self.members.is_empty() => InputKind::Json,
            [] if self.items.is_some() => self.list_kind(trees),
            _ => InputKind::Json,
        }
    }

    /// True if it is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.types == ["array"] || self.types.is_empty() && self.items.is_some()
    }

    /// The media type of a text that is a file, or of the files of a list; empty if it is not said.
    #[must_use]
    pub fn media_type(&self, trees: &'a DocumentTrees) -> String {
        match (self.bounds.get("contentMediaType"), self.items) {
            (Some(kind), _) => kind.as_str().unwrap_or_default().to_owned(),
            (None, Some(items)) => Self::of(trees, items).media_type(trees),
            (None, None) => String::new(),
        }
    }

    /// True if it is a list of files.
    #[must_use]
    pub fn is_of_files(&self, trees: &'a DocumentTrees) -> bool {
        let items = self.items.map(|items| Self::of(trees, items));
        items.is_some_and(|items| items.types == ["string"] && items.is_binary())
    }

    fn is_binary(&self) -> bool {
        self.format == "binary"
            || self.bounds.contains_key("contentMediaType")
                && !self.bounds.contains_key("contentEncoding")
    }

    /// A list of plain values is a list; one of anything else is JSON.
    fn list_kind(&self, trees: &'a DocumentTrees) -> InputKind {
        let Some(items) = self.items else { return InputKind::Json };
        let items = Self::of(trees, items);
        // A list of lists, which may be one that contains itself.
        if items.is_list() {
            return InputKind::Json;
        }
        match items.kind(trees, "") {
            InputKind::Text | InputKind::LongText | InputKind::File => {
                InputKind::List { is_typed: false }
            }
            InputKind::Choice(choices) => {
                InputKind::List { is_typed: !choices.iter().all(Value::is_string) }
            }
            InputKind::Integer | InputKind::Decimal | InputKind::Flag => {
                InputKind::List { is_typed: true }
            }
            _ => InputKind::Json,
        }
    }

    /// The help of an input: what the author says, and what it must be.
    #[must_use]
    pub fn help(&self, outer: &str, kind: &InputKind, trees: &'a DocumentTrees) -> String {
        let said = if outer.is_empty() { self.description } else { outer };
        let said = text::sentence(said, text::MAX_HELP);
        let form = match kind {
            InputKind::Json if !self.alternatives.is_empty() => {
                let names: Vec<_> = self.alternatives.iter().take(6).cloned().collect();
                format!("JSON: {}", names.join(" or "))
            }
            InputKind::Json => "JSON".to_owned(),
            InputKind::Decimal => "A number".to_owned(),
            InputKind::File => "The content, or @FILE".to_owned(),
            InputKind::List { .. } => {
                let items = self.items.map(|items| Self::of(trees, items));
                let choices = items.map(|items| items.choices).unwrap_or_default();
                let shown: Vec<_> = choices.iter().take(12).map(|choice| shown(choice)).collect();
                if shown.is_empty() {
                    String::new()
                } else {
                    format!("Any of {}", shown.join(", "))
                }
            }
            _ => match self.format {
                "date" => "A date as 2026-01-31".to_owned(),
                "date-time" => "A time as 2026-01-31T12:00:00Z".to_owned(),
                _ => String::new(),
            },
        };
        let form = text::sentence(&form, text::MAX_HELP);
        match (said.is_empty(), form.is_empty()) {
            (true, _) => form,
            (false, true) => said,
            (false, false) => format!("{said} ({form})"),
        }
    }
}

fn is_plain_choice(choice: &Value) -> bool {
    match choice {
        Value::String(text) => {
            !text.is_empty() && text.len() <= 80 && !text.chars().any(crate::visible::is_invisible)
        }
        Value::Number(_) | Value::Bool(_) => true,
        _ => false,
    }
}

/// A choice as text.
#[must_use]
pub fn shown(choice: &Value) -> String {
    match choice {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The name of one alternative: its title, the end of its reference, or its type.
fn alternative_name(trees: &DocumentTrees, part: Node<'_>) -> String {
    let target = part.text("$ref");
    let name = match target.rsplit_once('/') {
        Some((_, name)) => name,
        None => part.text("title"),
    };
    if !name.is_empty() {
        return text::sentence(name, 40);
    }
    let flat = FlatSchema::of(trees, part);
    match flat.types.first() {
        Some(kind) => text::sentence(kind, 40),
        None => "object".to_owned(),
    }
}
