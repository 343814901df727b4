//! A record for a project that aos did not create: what it is, read from what is there.
//!
//! Everything is guessed once, shown with its reason, and declared in aos.toml from then on.

mod connector;
mod go;
mod node;
mod python;
mod runtime;
mod rust;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::BTreeMap;

use crate::contract::{Family, Repository};
use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::output::Output;
use crate::generate::record::{AGENT_DIRECTORY, PIN_PATH, Record, SpecSection, SpecSource};
use crate::plan::{FileSet, RelativePath};

use super::repository;

/// A record and how each part of it was found.
#[derive(Clone, Debug)]
pub struct Adoption {
    pub record: Record,
    pub reasons: Vec<String>,
}

/// What was found out about a project.
#[derive(Debug, Default)]
struct Findings {
    outputs: BTreeMap<String, Vec<Output>>,
    reasons: Vec<String>,
}

impl Findings {
    fn output(&mut self, generator: &str, output: Output, reason: String) {
        self.outputs.entry(generator.to_owned()).or_default().push(output);
        self.reasons.push(reason);
    }

    /// An output at `path`; a path that no project can have is left out.
    fn at(&mut self, generator: &str, path: &str, reason: String) {
        if let Ok(path) = RelativePath::parse(path) {
            self.output(generator, Output::at(path), reason);
        }
    }

    fn note(&mut self, reason: String) {
        self.reasons.push(reason);
    }

    fn has(&self, generator: &str) -> bool {
        self.outputs.contains_key(generator)
    }
}

/// The record that fits the project; a lock without a record still knows where the contract came from.
#[must_use]
pub fn propose(family: Family, repository: &Repository, lock: Option<&Lock>) -> Adoption {
    let mut found = Findings::default();
    let mut spec = SpecSection::embedded();
    if let Some(source @ SpecSource::Host(_)) = lock.map(|lock| &lock.source) {
        spec.source = source.clone();
        found.note(format!("the contract comes from `{source}`: .agent/spec.lock says so"));
    }
    match family {
        Family::Harness => connector::outputs(repository, &mut found),
        Family::AgentCli => {
            if let Some(directory) = tool::contract_directory(repository, &mut found) {
                spec.directory = directory;
            }
            tool::outputs(repository, &mut found);
        }
    }
    spec.keep = keep(family, repository, &spec.directory, &mut found);
    if family == Family::AgentCli {
        tool::other_guards(repository, &mut found);
    }
    let runtime = runtime::section(repository, lock, &mut found);
    let record = Record {
        family,
        spec,
        template: None,
        answers: BTreeMap::new(),
        outputs: found.outputs,
        runtime,
        waivers: Vec::new(),
        conform: crate::generate::record_conform::ConformSection::default(),
    };
    Adoption { record, reasons: found.reasons }
}

/// What lies in the directories of the contract and is not the contract: it stays, and it stays the project's.
fn keep(
    family: Family,
    repository: &Repository,
    directory: &RelativePath,
    found: &mut Findings,
) -> Vec<RelativePath> {
    let managed = [
        PIN_PATH.to_owned(),
        LOCK_PATH.to_owned(),
        format!("{AGENT_DIRECTORY}/{}", family.spec_file()),
        format!("{directory}/contract.json"),
        format!("{directory}/contract-ext.json"),
    ];
    let generated =
        |path: &str| found.outputs.values().flatten().any(|output| output.path.as_str() == path);
    let mut directories = vec![AGENT_DIRECTORY];
    if directory.as_str() != AGENT_DIRECTORY {
        directories.push(directory.as_str());
    }
    let mut keep = Vec::new();
    let mut reasons = Vec::new();
    for place in directories {
        let mut own: Vec<_> = repository::below(repository, place)
            .filter(|path| !managed.iter().any(|known| known == path) && !generated(path))
            .filter_map(|path| RelativePath::parse(path).ok())
            .collect();
        own.sort();
        if let [first, rest @ ..] = own.as_slice() {
            let more =
                if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            reasons.push(format!(
                "`{first}`{more} in `{place}` stay as they are: `spec.keep` in aos.toml says that they are yours"
            ));
        }
        keep.extend(own);
    }
    found.reasons.extend(reasons);
    keep
}

/// Names that a generated module would declare a second time, each with the file that has it already.
#[must_use]
pub fn clashes(repository: &Repository, generated: &FileSet) -> Vec<(String, String)> {
    let mut clashes = Vec::new();
    for (path, content) in generated {
        if path.as_str().ends_with(".go") {
            let text = String::from_utf8_lossy(&content.bytes);
            clashes.extend(go::clashes(repository, path.as_str(), &text));
        }
    }
    clashes
}
