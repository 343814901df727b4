//! A record for a project that aos did not create: what it is, read from what is there.
//!
//! Everything is guessed once, shown with its reason, and declared in aos.toml from then on.

mod runtime;

use std::collections::BTreeMap;

use crate::contract::family::FamilyParts;
use crate::contract::{Family, ProjectFiles};
use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::output::Output;
use crate::generate::outputs;
use crate::generate::record::{AGENT_DIRECTORY, PIN_PATH, Record};
use crate::generate::record_spec::{SpecSection, SpecSource};
use crate::plan::{FileSet, RelativePath};

use super::repository;

/// A record and how each part of it was found.
#[derive(Clone, Debug)]
pub struct Adoption {
    pub record: Record,
    pub reasons: Vec<String>,
    /// Remarks that are not about an output.
    pub remarks: Vec<String>,
}

/// The adoption of a project by a family.
pub trait Adopter: Sync {
    /// Finds the outputs of the project, and the location of its contract if that is not the usual one.
    fn outputs(&self, repository: &ProjectFiles, spec: &mut SpecSection, found: &mut Findings);

    /// Adds remarks for the author of the project.
    fn remarks(&self, _repository: &ProjectFiles, _found: &mut Findings) {}

    /// Names that a generated module would declare a second time, each with the file that has it already.
    fn clashes(&self, _repository: &ProjectFiles, _generated: &FileSet) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The adopter of each family.
pub static ADOPTERS: FamilyParts<dyn Adopter> = FamilyParts::new();

/// The facts that were found about a project.
#[derive(Debug, Default)]
pub struct Findings {
    pub outputs: BTreeMap<String, Vec<Output>>,
    reasons: Vec<String>,
    remarks: Vec<String>,
}

impl Findings {
    /// Something to generate, with the reason.
    pub fn output(&mut self, generator: &str, output: Output, reason: String) {
        self.outputs.entry(generator.to_owned()).or_default().push(output);
        self.reasons.push(reason);
    }

    /// An output at `path`; a path that no project can have is left out.
    pub fn at(&mut self, generator: &str, path: &str, reason: String) {
        if let Ok(path) = RelativePath::parse(path) {
            self.output(generator, Output::at(path), reason);
        }
    }

    /// A remark.
    pub fn note(&mut self, reason: String) {
        self.remarks.push(reason.clone());
        self.reasons.push(reason);
    }

    /// True if the generator has an output already.
    #[must_use]
    pub fn has(&self, generator: &str) -> bool {
        self.outputs.contains_key(generator)
    }
}

/// The record that fits the project; a lock without a record still knows where the contract came from.
#[must_use]
pub fn propose(family: Family, repository: &ProjectFiles, lock: Option<&Lock>) -> Adoption {
    let mut found = Findings::default();
    let mut spec = SpecSection::embedded();
    if let Some(source @ SpecSource::Host(_)) = lock.map(|lock| &lock.source) {
        spec.source = source.clone();
        found.note(format!("the contract comes from `{source}`, according to .agent/spec.lock"));
    }
    let adopter = ADOPTERS.of(family);
    if let Some(adopter) = adopter {
        adopter.outputs(repository, &mut spec, &mut found);
    }
    spec.keep = keep(family, repository, &spec.directory, &mut found);
    if let Some(adopter) = adopter {
        adopter.remarks(repository, &mut found);
    }
    let runtime = runtime::section(repository, lock, &mut found);
    let record = Record {
        family,
        spec,
        template: None,
        upgrade: None,
        openapi: None,
        answers: BTreeMap::new(),
        outputs: found.outputs,
        runtime,
        waivers: Vec::new(),
        conform: crate::generate::record_conform::ConformSection::default(),
        added: BTreeMap::new(),
    };
    Adoption { record, reasons: found.reasons, remarks: found.remarks }
}

/// Files in the directories of the contract that are not part of it: they stay, and they belong to the project.
fn keep(
    family: Family,
    repository: &ProjectFiles,
    directory: &RelativePath,
    found: &mut Findings,
) -> Vec<RelativePath> {
    let managed = [
        PIN_PATH.to_owned(),
        LOCK_PATH.to_owned(),
        format!("{AGENT_DIRECTORY}/{}", family.spec_file()),
        format!("{directory}/contract.json"),
    ];
    let generated =
        |path: &str| found.outputs.values().flatten().any(|output| output.path.as_str() == path);
    let own_files = outputs::own_files(directory);
    let mut directories = vec![AGENT_DIRECTORY];
    if directory.as_str() != AGENT_DIRECTORY {
        directories.push(directory.as_str());
    }
    let mut keep = Vec::new();
    let mut reasons = Vec::new();
    for place in directories {
        let mut own: Vec<_> = repository::below(repository, place)
            .filter(|path| !managed.iter().any(|known| known == path) && !generated(path))
            .filter(|path| !own_files.iter().any(|known| known == path))
            .filter_map(|path| RelativePath::parse(path).ok())
            .collect();
        own.sort();
        if let [first, rest @ ..] = own.as_slice() {
            let more =
                if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            reasons.push(format!(
                "`{first}`{more} in `{place}` stay unchanged: `spec.keep` in aos.toml lists them as yours"
            ));
        }
        keep.extend(own);
    }
    reasons.into_iter().for_each(|reason| found.note(reason));
    keep
}

/// Names that a generated module would declare a second time, each with the file that has it already.
#[must_use]
pub fn clashes(
    family: Family,
    repository: &ProjectFiles,
    generated: &FileSet,
) -> Vec<(String, String)> {
    ADOPTERS.of(family).map(|adopter| adopter.clashes(repository, generated)).unwrap_or_default()
}
