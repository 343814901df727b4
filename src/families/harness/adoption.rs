//! The outputs of a connector that aos did not create.

use crate::contract::ProjectFiles;
use crate::contract::pyproject::Pyproject;
use crate::generate::record_spec::SpecSection;
use crate::inputs::adoption::{Adopter, Findings};

/// The path of the table of test cases, in a connector that has one.
const TEST_CASES: &str = "agent-harness/tests/contract_cases.py";

pub struct HarnessAdopter;

impl Adopter for HarnessAdopter {
    fn outputs(&self, repository: &ProjectFiles, _spec: &mut SpecSection, found: &mut Findings) {
        outputs(repository, found);
    }
}

fn outputs(repository: &ProjectFiles, found: &mut Findings) {
    found.at(
        "permissions",
        "agent-harness/permissions.json",
        "aos generates permissions.json from connector.json from now on".to_owned(),
    );
    match package_directory(repository) {
        Some(directory) => found.at(
            "python",
            &format!("{directory}/contract_gen.py"),
            format!(
                "contract_gen.py goes to `{directory}`: the script in pyproject.toml starts there"
            ),
        ),
        None => {
            found.note("no contract_gen.py: pyproject.toml names no existing package".to_owned());
        }
    }
    // Only a project that aos made has it; another test suite has no use for it.
    if repository.files.contains_key(TEST_CASES) {
        let reason = format!("aos generates `{TEST_CASES}` from connector.json from now on");
        found.at("test_cases", TEST_CASES, reason);
    }
}

/// The directory of the package that the connector's script starts.
fn package_directory(repository: &ProjectFiles) -> Option<String> {
    let pyproject = Pyproject::read(repository.text("agent-harness/pyproject.toml")?).ok()?;
    let (_, entry) = pyproject.scripts.iter().find(|(name, _)| name.starts_with("aos-"))?;
    let module = entry.value.split(':').next().unwrap_or_default();
    let package = module.rsplit_once('.').map_or(module, |(package, _)| package);
    let directory = format!("agent-harness/{}", package.replace('.', "/"));
    repository.files.contains_key(&format!("{directory}/__init__.py")).then_some(directory)
}
