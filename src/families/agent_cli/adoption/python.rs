//! Python: the package that the tool's script starts.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, Item};

use crate::contract::ProjectFiles;

use crate::inputs::adoption::Findings;

use super::{is_foreign, join, parent, with_file};

/// Directories of packages below a project file.
const LAYOUTS: [&str; 4] = ["", "src", "lib", "python"];
/// Packages that are never the tool.
const HELPERS: &[&str] = &["tests", "test", "docs", "scripts", "tools", "benchmarks"];

/// Adds the output for the package of the tool.
pub fn detect(repository: &ProjectFiles, found: &mut Findings) {
    let projects: Vec<_> = ["pyproject.toml", "setup.cfg", "setup.py"]
        .into_iter()
        .flat_map(|name| with_file(repository, name))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|project| !project.split('/').any(|component| HELPERS.contains(&component)))
        .collect();
    let mut candidates: Vec<(String, String)> = Vec::new();
    for project in &projects {
        candidates.extend(package(repository, project));
    }
    candidates.dedup_by(|left, right| left.0 == right.0);
    match candidates.as_slice() {
        [] if projects.is_empty() => {}
        [] => found.note(format!(
            "no Python module: no script or name in `{}` refers to an existing package",
            projects.join("`, `")
        )),
        [(directory, why)] => found.at(
            "python",
            &format!("{directory}/contract_gen.py"),
            format!("contract_gen.py goes to `{directory}`: {why}"),
        ),
        several => {
            let names: Vec<_> =
                several.iter().map(|(directory, _)| format!("`{directory}`")).collect();
            found.note(format!(
                "no Python module: it could go to {}; declare `outputs.python` in aos.toml",
                names.join(", ")
            ));
        }
    }
}

/// Returns the packages that a project file names, each with the reason; with more than one, the file does not decide.
fn package(repository: &ProjectFiles, project: &str) -> Vec<(String, String)> {
    let path = join(project, "pyproject.toml");
    let document = repository.text(&path).and_then(|text| text.parse::<DocumentMut>().ok());
    let document = document.unwrap_or_default();
    let name = at(&document, &["project", "name"])
        .or_else(|| at(&document, &["tool", "poetry", "name"]))
        .and_then(Item::as_str)
        .unwrap_or_default();
    let scripts = scripts(&document);
    let start = |(script, module): &(String, String)| {
        let directory = directory_of(repository, project, &document, module)?;
        Some((directory, format!("the script `{script}` in `{path}` starts there")))
    };
    // A script that is called like the project is the tool; the others are its helpers.
    if let Some(own) = scripts.iter().find(|(script, _)| script == name).and_then(start) {
        return vec![own];
    }
    let mut started: Vec<_> = scripts.iter().filter_map(start).collect();
    started.dedup_by(|left, right| left.0 == right.0);
    if !started.is_empty() {
        return started;
    }
    let module = name.to_lowercase().replace(['-', '.'], "_");
    if let Some(directory) = directory_of(repository, project, &document, &module) {
        return vec![(directory, format!("the project `{name}` in `{path}` has that name"))];
    }
    only_package(repository, project)
}

fn at<'a>(document: &'a DocumentMut, keys: &[&str]) -> Option<&'a Item> {
    keys.iter().try_fold(document.as_item(), |item, key| item.get(key))
}

/// Names of scripts with the module that each starts.
fn scripts(document: &DocumentMut) -> Vec<(String, String)> {
    let tables =
        [at(document, &["project", "scripts"]), at(document, &["tool", "poetry", "scripts"])];
    tables
        .into_iter()
        .flatten()
        .filter_map(Item::as_table_like)
        .flat_map(|table| table.iter())
        .filter_map(|(name, item)| {
            let module = item.as_str()?.split(':').next()?;
            Some((name.to_owned(), module.trim().to_owned()))
        })
        .collect()
}

/// The top-most directory with an `__init__.py` on the way to `module`, in any layout.
fn directory_of(
    repository: &ProjectFiles,
    project: &str,
    document: &DocumentMut,
    module: &str,
) -> Option<String> {
    if module.is_empty() {
        return None;
    }
    let declared = at(document, &["tool", "setuptools", "package-dir"])
        .and_then(|table| table.get(""))
        .and_then(Item::as_str);
    let layouts = declared.into_iter().chain(LAYOUTS);
    layouts.into_iter().find_map(|layout| {
        let base = if layout.is_empty() { project.to_owned() } else { join(project, layout) };
        let mut directory = base;
        module.split('.').find_map(|part| {
            directory = join(&directory, part);
            repository
                .files
                .contains_key(&format!("{directory}/__init__.py"))
                .then(|| directory.clone())
        })
    })
}

/// Packages at the top of a project without scripts.
fn only_package(repository: &ProjectFiles, project: &str) -> Vec<(String, String)> {
    let bases = LAYOUTS
        .map(|layout| if layout.is_empty() { project.to_owned() } else { join(project, layout) });
    let packages = repository
        .files
        .keys()
        .filter(|path| path.ends_with("/__init__.py") && !is_foreign(path))
        .map(|path| parent(path))
        .filter(|directory| bases.iter().any(|base| base == parent(directory)))
        .filter(|directory| !HELPERS.contains(&directory.rsplit('/').next().unwrap_or(directory)));
    packages.map(|directory| (directory.to_owned(), "it is the only package".to_owned())).collect()
}
