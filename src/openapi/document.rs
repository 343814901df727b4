//! A description and the local files that it refers to, as trees of values; nothing is ever fetched.
//!
//! Reads JSON and YAML within limits, follows references within limits. What the members mean is read elsewhere.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{swagger, yaml};
use crate::reason::Reason;
use crate::strict_json;
use crate::visible::excerpt;

/// Largest description with its files, in bytes.
pub const MAX_BYTES: u64 = 48 * 1024 * 1024;
/// Most files that a description may be made of, and most references one after the other.
const MAX_FILES: usize = 5_000;
const MAX_HOPS: usize = 32;

/// Why there is no description.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DescriptionError {
    #[error("{file}: it is not UTF-8")]
    Encoding { file: String },
    #[error("{file}: {reason}")]
    Syntax { file: String, reason: String },
    #[error("{file}: it cannot be read: {reason}")]
    File { file: String, reason: String },
    #[error("it references more than {MAX_FILES} files")]
    Files,
    #[error("it has more than {MAX_BYTES} bytes")]
    Size,
    #[error(
        "it is not an API description: it has neither `openapi: 3.x` nor `swagger: \"2.0\"` at the top level"
    )]
    Kind,
    #[error(
        "version `{0}` is not supported; OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are supported"
    )]
    Version(String),
    #[error("it has no operations: `paths` is missing or empty")]
    Empty,
}

impl DescriptionError {
    /// The reason without the name of its file, if that is `main`, the one that the user gave.
    #[must_use]
    pub fn reason(&self, main: &str) -> String {
        let text = self.to_string();
        match text.strip_prefix(main).and_then(|rest| rest.strip_prefix(": ")) {
            Some(reason) => reason.to_owned(),
            None => text,
        }
    }
}

/// Reads a file below the directory of the description; its name is relative, without `..`.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, Reason>;

/// The trees.
#[derive(Debug)]
pub struct DocumentTrees {
    files: Vec<(String, Value)>,
    /// Addresses and files that are referred to and not read, with the reason.
    pub unread: BTreeMap<String, String>,
}

/// A value and the file that it is in.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    file: usize,
    pub value: &'a Value,
}

impl<'a> Node<'a> {
    /// A member, where this is an object that has it.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Self> {
        self.value.get(name).map(|value| Self { value, ..self })
    }

    #[must_use]
    pub fn text(self, name: &str) -> &'a str {
        self.value.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    #[must_use]
    pub fn is_set(self, name: &str) -> bool {
        self.value.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The entries of a list member.
    pub fn entries(self, name: &str) -> impl Iterator<Item = Self> {
        let entries = self.value.get(name).and_then(Value::as_array);
        entries.into_iter().flatten().map(move |value| Self { value, ..self })
    }

    /// The members of an object member.
    pub fn members(self, name: &str) -> impl Iterator<Item = (&'a str, Self)> {
        let members = self.value.get(name).and_then(Value::as_object);
        members
            .into_iter()
            .flatten()
            .map(move |(name, value)| (name.as_str(), Self { value, ..self }))
    }

    /// Returns the identity of the node, which is the same wherever it is reached from.
    #[must_use]
    pub fn identity(self) -> *const Value {
        self.value
    }
}

impl DocumentTrees {
    /// Reads the description called `name` and the files that it refers to.
    ///
    /// # Errors
    /// Says which file is wrong, and where.
    pub fn read(
        name: &str,
        bytes: Vec<u8>,
        read: FileReader<'_>,
    ) -> Result<Self, DescriptionError> {
        let mut left = MAX_BYTES.checked_sub(bytes.len() as u64).ok_or(DescriptionError::Size)?;
        let main = parsed(name, bytes)?;
        let main = version(main)?;
        let mut trees = Self { files: vec![(name.to_owned(), main)], unread: BTreeMap::new() };
        let mut at = 0;
        while at < trees.files.len() {
            let mut targets = Vec::new();
            let (from, tree) = &trees.files[at];
            collect_references(tree, &mut targets);
            let from = if at == 0 { String::new() } else { from.clone() };
            for target in targets {
                let (file, _) = target.split_once('#').unwrap_or((target.as_str(), ""));
                if file.is_empty() || trees.unread.contains_key(file) {
                    continue;
                }
                let wanted = match below(&from, file) {
                    Ok(wanted) => wanted,
                    Err(reason) => {
                        trees.unread.insert(excerpt(file, 120), reason.into());
                        continue;
                    }
                };
                if trees.index(&wanted).is_some() {
                    continue;
                }
                if trees.files.len() == MAX_FILES {
                    return Err(DescriptionError::Files);
                }
                match read(&wanted) {
                    Ok(bytes) => {
                        left =
                            left.checked_sub(bytes.len() as u64).ok_or(DescriptionError::Size)?;
                        trees.files.push((wanted.clone(), parsed(&wanted, bytes)?));
                    }
                    Err(reason) => {
                        trees.unread.insert(excerpt(file, 120), reason.into());
                    }
                }
            }
            at += 1;
        }
        Ok(trees)
    }

    /// The top of the description.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { file: 0, value: &self.files[0].1 }
    }

    /// Returns the node at the end of the references of `at`, or `at` itself.
    ///
    /// # Errors
    /// The reference that leads nowhere, or in a circle.
    pub fn followed<'a>(&'a self, at: Node<'a>) -> Result<Node<'a>, Reason> {
        let mut here = at;
        for _ in 0..MAX_HOPS {
            let Some(target) = here.value.get("$ref").and_then(Value::as_str) else {
                return Ok(here);
            };
            here = self.target(here, target).ok_or_else(|| excerpt(target, 120))?;
        }
        Err(excerpt(at.text("$ref"), 120).into())
    }

    /// A member with its references followed.
    #[must_use]
    pub fn child<'a>(&'a self, of: Node<'a>, name: &str) -> Option<Node<'a>> {
        of.get(name).and_then(|member| self.followed(member).ok())
    }

    /// The members of an object member, which may be a reference as a whole.
    pub fn members<'a>(
        &'a self,
        of: Node<'a>,
        name: &str,
    ) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        self.child(of, name).into_iter().flat_map(|found| {
            let members = found.value.as_object();
            members
                .into_iter()
                .flatten()
                .map(move |(name, value)| (name.as_str(), Node { value, ..found }))
        })
    }

    /// The entries of a list member, which may be a reference as a whole.
    pub fn entries<'a>(&'a self, of: Node<'a>, name: &str) -> impl Iterator<Item = Node<'a>> {
        self.child(of, name).into_iter().flat_map(|found| {
            let entries = found.value.as_array();
            entries.into_iter().flatten().map(move |value| Node { value, ..found })
        })
    }

    /// Returns the target of one reference.
    #[must_use]
    pub fn target<'a>(&'a self, from: Node<'a>, target: &str) -> Option<Node<'a>> {
        let (file, pointer) = target.split_once('#').unwrap_or((target, ""));
        let file = if file.is_empty() {
            from.file
        } else {
            let here = if from.file == 0 { "" } else { self.files[from.file].0.as_str() };
            self.index(&below(here, file).ok()?)?
        };
        let pointer = decoded(pointer);
        let (_, tree) = self.files.get(file)?;
        Some(Node { file, value: tree.pointer(&pointer)? })
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.files.iter().skip(1).position(|(known, _)| known == name).map(|at| at + 1)
    }
}

/// One file as a tree: JSON where it begins like JSON, else YAML.
fn parsed(name: &str, bytes: Vec<u8>) -> Result<Value, DescriptionError> {
    let file = excerpt(name, 120);
    let text =
        String::from_utf8(bytes).map_err(|_| DescriptionError::Encoding { file: file.clone() })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    let result = if looks_like_json && !name.ends_with(".yaml") && !name.ends_with(".yml") {
        strict_json::read(text).map_err(|error| error.to_string())
    } else {
        yaml::read(text).map_err(|error| error.to_string())
    };
    result.map_err(|reason| DescriptionError::Syntax { file, reason: excerpt(&reason, 300) })
}

/// The tree in the form of version 3.
fn version(tree: Value) -> Result<Value, DescriptionError> {
    let said = |name: &str| match tree.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    match (said("openapi"), said("swagger")) {
        (Some(version), _) if version == "3" || version.starts_with("3.") => Ok(tree),
        (None, Some(version)) if version == "2.0" || version == "2" => Ok(swagger::converted(tree)),
        (Some(version), _) | (None, Some(version)) => {
            Err(DescriptionError::Version(excerpt(&version, 20)))
        }
        (None, None) => Err(DescriptionError::Kind),
    }
}

/// Every reference that is not a pointer into its own file.
fn collect_references(value: &Value, targets: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, targets)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(target) if name == "$ref" && !target.starts_with('#') => {
                        targets.push(target.clone());
                    }
                    _ if name == "example" || name == "examples" => {}
                    other => collect_references(other, targets),
                }
            }
        }
        _ => {}
    }
}

/// The file that `target` names in the file `from`, relative to the directory of the description.
fn below(from: &str, target: &str) -> Result<String, Reason> {
    let target = decoded(target);
    if target.contains("://") || target.starts_with("//") {
        return Err("an address is never fetched".into());
    }
    if target.starts_with('/') || target.contains(['\\', ':', '\0']) {
        return Err("only files below the directory of the description are read".into());
    }
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("only files below the directory of the description are read".into());
                }
            }
            other => parts.push(other),
        }
    }
    Ok(parts.join("/"))
}

/// Text without percent-encoding; what is not UTF-8 then stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            digits.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str) -> Result<Vec<u8>, Reason> {
        Err("there is no such file".into())
    }

    fn trees(text: &str) -> DocumentTrees {
        DocumentTrees::read("api.yaml", text.as_bytes().to_vec(), &nothing).unwrap()
    }

    #[test]
    fn references_are_followed_through_escapes_and_chains() {
        let trees = trees(
            "openapi: 3.1.0\npaths: {'/pets/{id}': {get: {x: 1}}}\n\
             a: {$ref: '#/b'}\nb: {$ref: '#/paths/~1pets~1%7Bid%7D/get'}\n\
             loop: {$ref: '#/loop'}\nlost: {$ref: '#/nowhere'}\n",
        );
        let root = trees.root();
        let found = trees.followed(root.get("a").unwrap()).unwrap();
        assert_eq!(found.value["x"], 1);
        assert!(trees.followed(root.get("loop").unwrap()).is_err());
        assert_eq!(trees.followed(root.get("lost").unwrap()).unwrap_err(), "#/nowhere".into());
    }

    #[test]
    fn only_files_below_the_description_are_read() {
        let text = "openapi: 3.0.0\npaths: {}\na: {$ref: 'parts/pet.yaml#/Pet'}\n\
                    b: {$ref: '../secret.yaml'}\nc: {$ref: 'https://x.example/a.yaml'}\n\
                    d: {$ref: '/etc/passwd'}\n";
        let read = |name: &str| match name {
            "parts/pet.yaml" => Ok(b"Pet: {$ref: 'name.yaml'}".to_vec()),
            "parts/name.yaml" => Ok(b"type: string".to_vec()),
            other => Err(format!("no {other}").into()),
        };
        let trees = DocumentTrees::read("api.yaml", text.as_bytes().to_vec(), &read).unwrap();
        let found = trees.followed(trees.root().get("a").unwrap()).unwrap();
        assert_eq!(found.text("type"), "string");
        let unread: Vec<_> = trees.unread.keys().map(String::as_str).collect();
        assert_eq!(unread, ["../secret.yaml", "/etc/passwd", "https://x.example/a.yaml"]);
    }

    #[test]
    fn a_document_that_is_not_a_description_is_refused() {
        for (text, wanted) in [
            ("a: 1", "neither `openapi: 3.x` nor"),
            ("openapi: 4.0.0", "version `4.0.0` is not supported"),
            ("swagger: '1.2'", "version `1.2` is not supported"),
            ("{\"openapi\": \"3.0.0\", \"openapi\": 1}", "duplicate"),
        ] {
            let error = DocumentTrees::read("api.yaml", text.as_bytes().to_vec(), &nothing);
            let said = error.unwrap_err().to_string();
            assert!(said.contains(wanted), "{said}");
        }
    }
}
