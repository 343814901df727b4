//! The outputs of an agent-cli tool that aos did not create: contract modules that exist come first, then the programs
//! that its manifests declare. If there are several candidates, none is chosen.

mod go;
mod node;
mod python;
mod rust;
#[cfg(test)]
mod tests;

use crate::contract::{ProjectFiles, json};
use crate::generate::output::Output;
use crate::generate::record_spec::{CONTRACT_DIRECTORY, SpecSection};
use crate::inputs::adoption::{Adopter, Findings};
use crate::plan::{FileSet, RelativePath};

/// Directories whose files are not the tool's own program.
const FOREIGN: &[&str] = &[
    "vendor",
    "third_party",
    "node_modules",
    "testdata",
    "fixtures",
    "examples",
    "example",
    "site-packages",
];
/// Names of generated modules, with the generator that writes them now.
const MODULES: &[(&str, &str)] = &[
    ("contract_gen.go", "go"),
    ("contract_gen.py", "python"),
    ("contract_gen.rs", "rust"),
    ("contract_gen.ts", "typescript"),
    ("contract_gen.mts", "typescript"),
];
/// Constants that every contract module of this family has.
const MARKS: &[&str] = &["SchemaVersion", "SCHEMA_VERSION"];
/// Scripts that tools of this family vendored before aos, to keep the contract themselves.
const OTHER_GUARDS: [&str; 4] = [
    "scripts/check-spec.js",
    "scripts/sync-spec.js",
    "scripts/gen-contract.js",
    "scripts/spec-files.js",
];

pub struct AgentCliAdopter;

impl Adopter for AgentCliAdopter {
    fn outputs(&self, repository: &ProjectFiles, spec: &mut SpecSection, found: &mut Findings) {
        if let Some(directory) = contract_directory(repository, found) {
            spec.directory = directory;
        }
        outputs(repository, found);
    }

    fn remarks(&self, repository: &ProjectFiles, found: &mut Findings) {
        other_guards(repository, found);
    }

    fn clashes(&self, repository: &ProjectFiles, generated: &FileSet) -> Vec<(String, String)> {
        let modules = generated.iter().filter(|(path, _)| path.as_str().ends_with(".go"));
        let clashes = modules.map(|(path, content)| {
            let text = String::from_utf8_lossy(&content.bytes);
            go::clashes(repository, path.as_str(), &text)
        });
        clashes.flatten().collect()
    }
}

/// True if `path` is part of a dependency that the repository contains.
pub fn is_foreign(path: &str) -> bool {
    path.split('/').any(|component| FOREIGN.contains(&component))
}

/// The directory of a file; `.` for the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(directory, _)| directory)
}

/// `name` in `directory`.
pub fn join(directory: &str, name: &str) -> String {
    if directory == "." { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Directories, the root first, that hold a file called `name`.
pub fn with_file(repository: &ProjectFiles, name: &str) -> Vec<String> {
    let own = |path: &&String| {
        path.rsplit('/').next() == Some(name) && !is_foreign(path) && !path.starts_with('.')
    };
    repository.files.keys().filter(own).map(|path| parent(path).to_owned()).collect()
}

/// Returns the directory of the vendored contract, if it is not the usual one.
fn contract_directory(repository: &ProjectFiles, found: &mut Findings) -> Option<RelativePath> {
    if repository.files.contains_key(&format!("{CONTRACT_DIRECTORY}/contract.json")) {
        return None;
    }
    let is_contract = |path: &&String| {
        let document = repository.bytes(path).and_then(|bytes| json::parse(bytes).ok());
        document.is_some_and(|document| document["error_codes"]["core"].is_object())
    };
    let places: Vec<_> = repository
        .files
        .keys()
        .filter(|path| path.ends_with("/contract.json") && !is_foreign(path))
        .filter(is_contract)
        .collect();
    let [only] = places.as_slice() else { return None };
    let directory = RelativePath::parse(parent(only)).ok()?;
    found.note(format!("the contract stays in `{directory}`, because `{only}` exists"));
    Some(directory)
}

/// Every module of the tool.
fn outputs(repository: &ProjectFiles, found: &mut Findings) {
    existing(repository, found);
    if !found.has("go") {
        go::detect(repository, found);
    }
    if !found.has("python") {
        python::detect(repository, found);
    }
    if !found.has("typescript") {
        node::detect(repository, found);
    }
    if !found.has("rust") {
        rust::detect(repository, found);
    }
    if found.outputs.is_empty() {
        found.note(
            "aos generates no contract module; to change that, declare the files under [outputs] in aos.toml, then run `aos gen`"
                .to_owned(),
        );
    }
}

/// Modules that the code imports already.
fn existing(repository: &ProjectFiles, found: &mut Findings) {
    for (path, file) in &repository.files {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, generator)) = MODULES.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        if is_foreign(path) {
            continue;
        }
        let text = String::from_utf8_lossy(&file.bytes);
        if !MARKS.iter().any(|mark| text.contains(mark)) {
            found.note(format!(
                "`{path}` was not changed: it declares no schema version, so it is not a contract module"
            ));
            continue;
        }
        let Ok(relative) = RelativePath::parse(path) else { continue };
        let mut output = Output::at(relative);
        if *generator == "go" {
            let package = go::package(&text);
            if package != output.go_package() {
                output.package = package;
            }
        }
        found.output(
            generator,
            output,
            format!("aos generates `{path}` from now on, because the module exists"),
        );
    }
}

/// Scripts that keep the contract true to another source, and the CI steps that run them.
fn other_guards(repository: &ProjectFiles, found: &mut Findings) {
    let scripts: Vec<_> =
        OTHER_GUARDS.into_iter().filter(|script| repository.files.contains_key(*script)).collect();
    if scripts.is_empty() {
        return;
    }
    let names: Vec<_> = scripts.iter().map(|script| parent_less(script)).collect();
    let callers = repository.files.keys().filter(|path| {
        path.starts_with(".github/workflows/")
            || matches!(path.as_str(), "package.json" | "Makefile")
    });
    let callers: Vec<_> = callers
        .filter(|path| {
            let text = repository.text(path).unwrap_or_default();
            names.iter().any(|name| text.contains(name))
        })
        .map(|path| format!("`{path}`"))
        .collect();
    let called = if callers.is_empty() {
        String::new()
    } else {
        format!(", and call `aos check` where {} call them", callers.join(" and "))
    };
    found.note(format!(
        "`{}` compare the contract with another source and would report drift: delete them{called}",
        scripts.join("`, `")
    ));
}

fn parent_less(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
