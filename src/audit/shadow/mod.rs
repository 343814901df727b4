//! Files that are loaded in place of a generated module, or that change its values while the tool runs.
//!
//! The module on disk may be right to the byte and still not be the code that runs. Python, Go, TypeScript and Rust each
//! have their own ways; a file per language. Sources are read as text: code that hides such a change behind computed
//! names is not found.

mod go;
mod literals;
mod masked;
mod module;
mod mutation;
pub mod pattern;
pub mod python;
mod rust;
mod scripts;
mod started;
mod typescript;
mod unread;
mod written;

use std::collections::BTreeSet;
use std::path::Path;

use crate::contract::{Finding, ProjectFiles};
use crate::generate::outputs;
use crate::generate::record::Record;

use module::GeneratedModule;

/// Returns every file that replaces or amends an output of `record`, in a stable order. Files in `ours` have exactly
/// the bytes that aos writes, so they are not examined.
#[must_use]
pub fn findings(
    root: &Path,
    repository: &ProjectFiles,
    record: &Record,
    ours: &BTreeSet<&str>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for (generator, outputs) in &record.outputs {
        for output in outputs {
            let module = GeneratedModule::at(root, repository, output.path.as_str(), ours);
            unread::check(&module, generator, &mut found);
            written::check(&module, record, &mut found);
            match generator.as_str() {
                "go" => go::check(&module, &mut found),
                "python" => python::check(&module, record, &mut found),
                "rust" => rust::check(&module, &mut found),
                other if outputs::is_for_tests(record.family, other) => {
                    python::places(&module, &mut found);
                }
                "javascript" | "typescript" => typescript::check(&module, &mut found),
                _ => {}
            }
        }
    }
    found.sort();
    // One finding for each file and cause: the first line is the place to look.
    let cause = |finding: &Finding| (finding.rule, finding.path.clone(), finding.message.clone());
    let mut known = BTreeSet::new();
    found.retain(|finding| known.insert(cause(finding)));
    found
}
