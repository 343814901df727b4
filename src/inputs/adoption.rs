//! A record for a project that aos did not create: what it is, read from what is there.

use std::collections::BTreeMap;

use crate::contract::pyproject::Pyproject;
use crate::contract::{Family, Repository};
use crate::generate::lock::Lock;
use crate::generate::output::Output;
use crate::generate::record::{Record, SpecSection, SpecSource};
use crate::plan::RelativePath;

/// Where the table of test cases lies, in a connector that has one.
const TEST_CASES: &str = "agent-harness/tests/contract_cases.py";

/// A record and how each part of it was found.
#[derive(Clone, Debug)]
pub struct Adoption {
    pub record: Record,
    pub reasons: Vec<String>,
}

/// The record that fits the project; a lock without a record still knows where the contract came from.
#[must_use]
pub fn propose(family: Family, repository: &Repository, lock: Option<&Lock>) -> Adoption {
    let mut outputs = BTreeMap::new();
    let mut reasons = Vec::new();
    let mut spec = SpecSection::embedded();
    if let Some(source @ SpecSource::Host(_)) = lock.map(|lock| &lock.source) {
        spec.source = source.clone();
        reasons.push(format!("the contract comes from `{source}`: .agent/spec.lock says so"));
    }
    if family == Family::Harness {
        add(&mut outputs, "permissions", "agent-harness/permissions.json");
        reasons.push("permissions.json is generated from connector.json from now on".to_owned());
        match package_directory(repository) {
            Some(directory) => {
                add(&mut outputs, "python", &format!("{directory}/contract_gen.py"));
                reasons.push(format!("contract_gen.py goes to `{directory}`: the script in pyproject.toml starts there"));
            }
            None => reasons
                .push("no contract_gen.py: pyproject.toml names no package that exists".to_owned()),
        }
        // A project that aos made has it; a test suite that somebody else wrote has no use for it.
        if repository.files.contains_key(TEST_CASES) {
            add(&mut outputs, "test_cases", TEST_CASES);
            reasons.push(format!("`{TEST_CASES}` is generated from connector.json from now on"));
        }
    }
    let record = Record {
        family,
        spec,
        template: None,
        answers: BTreeMap::new(),
        outputs,
        waivers: Vec::new(),
    };
    Adoption { record, reasons }
}

fn add(outputs: &mut BTreeMap<String, Vec<Output>>, generator: &str, path: &str) {
    if let Ok(path) = RelativePath::parse(path) {
        outputs.insert(generator.to_owned(), vec![Output::at(path)]);
    }
}

/// The directory of the package that the connector's script starts.
fn package_directory(repository: &Repository) -> Option<String> {
    let pyproject = Pyproject::read(repository.text("agent-harness/pyproject.toml")?).ok()?;
    let (_, entry) = pyproject.scripts.iter().find(|(name, _)| name.starts_with("aos-"))?;
    let module = entry.value.split(':').next().unwrap_or_default();
    let package = module.rsplit_once('.').map_or(module, |(package, _)| package);
    let directory = format!("agent-harness/{}", package.replace('.', "/"));
    repository.files.contains_key(&format!("{directory}/__init__.py")).then_some(directory)
}
