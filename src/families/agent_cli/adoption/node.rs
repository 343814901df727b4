//! TypeScript: the package that has a compiler configuration and a program. A package.json without tsconfig.json only
//! wraps a program in another language.

use crate::contract::{ProjectFiles, json};

use crate::inputs::adoption::Findings;

use super::{is_foreign, join, parent, with_file};

/// Adds the output for the package of the tool.
pub fn detect(repository: &ProjectFiles, found: &mut Findings) {
    let packages = with_file(repository, "package.json");
    let compiled: Vec<_> = packages
        .iter()
        .filter(|package| repository.files.contains_key(&join(package, "tsconfig.json")))
        .filter_map(|package| sources(repository, package).map(|sources| (package, sources)))
        .collect();
    let programs: Vec<_> =
        compiled.iter().filter(|(package, _)| has_program(repository, package)).collect();
    let chosen = match (programs.as_slice(), compiled.as_slice()) {
        ([program], _) => Some((*program, "declares a program")),
        ([], [only]) => Some((only, "is the only package with a tsconfig.json")),
        _ => None,
    };
    match chosen {
        Some(((package, sources), why)) => found.at(
            "typescript",
            &join(sources, "contract_gen.ts"),
            format!(
                "contract_gen.ts goes to `{sources}`: `{}` {why}",
                join(package, "package.json")
            ),
        ),
        None if compiled.is_empty() => {}
        None => {
            let names: Vec<_> =
                compiled.iter().map(|(package, _)| format!("`{package}`")).collect();
            found.note(format!(
                "no TypeScript module: it could go to {}; declare `outputs.typescript` in aos.toml",
                names.join(", ")
            ));
        }
    }
}

/// The directory of a package's sources.
fn sources(repository: &ProjectFiles, package: &str) -> Option<String> {
    let places =
        ["src", "lib"].map(|name| join(package, name)).into_iter().chain([package.to_owned()]);
    places.into_iter().find(|place| {
        repository.files.keys().any(|path| {
            path.ends_with(".ts")
                && !path.ends_with(".d.ts")
                && parent(path) == place
                && !is_foreign(path)
        })
    })
}

fn has_program(repository: &ProjectFiles, package: &str) -> bool {
    let document = repository.bytes(&join(package, "package.json"));
    document
        .and_then(|bytes| json::parse(bytes).ok())
        .is_some_and(|document| !document["bin"].is_null())
}
