//! Entries of a list that have several shapes: what all of them have, and what any of them has.
//!
//! Only for replies. An input with several shapes is one JSON option, because nothing may be chosen for the caller.

use indexmap::IndexMap;

use super::document::{DocumentTrees, Node};
use super::schema::FlatSchema;

/// Most shapes that are compared, and how far shapes have shapes of their own.
const MAX_SHAPES: usize = 60;
const MAX_DEPTH: usize = 3;

/// An entry: the members by which it is named and shown, and all that are described.
#[derive(Clone, Debug)]
pub struct ListEntry<'a> {
    /// Of several shapes the members that each of them has.
    pub known: FlatSchema<'a>,
    /// The members that any shape has.
    pub whole: FlatSchema<'a>,
}

impl<'a> ListEntry<'a> {
    #[must_use]
    pub fn of(trees: &'a DocumentTrees, node: Node<'a>) -> Self {
        let flat = FlatSchema::of(trees, node);
        let shapes = shapes(trees, &flat, 0);
        if shapes.is_empty() || shapes.iter().any(|shape| shape.members.is_empty()) {
            return Self { known: flat.clone(), whole: flat };
        }
        let mut every: IndexMap<&'a str, Node<'a>> = flat.members.clone();
        let mut common = flat.members.clone();
        for (name, member) in shapes.iter().flat_map(|shape| &shape.members) {
            every.entry(name).or_insert(*member);
            if shapes.iter().all(|shape| shape.members.contains_key(name)) {
                common.entry(name).or_insert(*member);
            }
        }
        let with = |members| FlatSchema { types: vec!["object"], members, ..FlatSchema::default() };
        Self { known: with(common), whole: with(every) }
    }
}

/// The shapes of a schema without those that only stand for others; none for a schema with one shape.
fn shapes<'a>(
    trees: &'a DocumentTrees,
    flat: &FlatSchema<'a>,
    depth: usize,
) -> Vec<FlatSchema<'a>> {
    let mut found = Vec::new();
    for shape in flat.shapes.iter().take(MAX_SHAPES) {
        let shape = FlatSchema::of(trees, *shape);
        let inner = if depth < MAX_DEPTH { shapes(trees, &shape, depth + 1) } else { Vec::new() };
        if inner.is_empty() {
            found.push(shape);
        } else {
            found.extend(inner.into_iter().map(|mut one| {
                for (name, member) in &shape.members {
                    one.members.entry(name).or_insert(*member);
                }
                one
            }));
        }
        if found.len() > MAX_SHAPES {
            break;
        }
    }
    found
}
