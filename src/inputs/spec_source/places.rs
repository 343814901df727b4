//! The possible locations of a contract, which are the same below a directory and in an archive.

use crate::contract::{Family, SpecTag};

/// Name of the contract by default.
pub const CONTRACT_FILE: &str = "contract.json";

/// Directories in which the contract of `family` at `tag` is looked for, in this order; the last is the root itself.
#[must_use]
pub fn directories(family: Family, tag: &SpecTag) -> [String; 4] {
    [format!("{family}/{tag}"), format!("contract/{family}/{tag}"), tag.to_string(), String::new()]
}

/// `name` below `directory`, which may be the root.
#[must_use]
pub fn below(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}
