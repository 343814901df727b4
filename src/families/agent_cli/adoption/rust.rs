//! Rust: the package with a program.

use toml_edit::DocumentMut;

use crate::contract::ProjectFiles;

use crate::inputs::adoption::Findings;

use super::{join, with_file};

/// Adds the output for the package of the tool.
pub fn detect(repository: &ProjectFiles, found: &mut Findings) {
    let packages = with_file(repository, "Cargo.toml");
    let programs: Vec<_> =
        packages.iter().filter(|package| has_program(repository, package)).collect();
    match programs.as_slice() {
        [] => {}
        [package] => {
            let directory = join(package, "src");
            found.at(
                "rust",
                &format!("{directory}/contract_gen.rs"),
                format!(
                    "contract_gen.rs goes to `{directory}`: `{}` has a program; add `mod contract_gen;` to it",
                    join(package, "Cargo.toml")
                ),
            );
        }
        several => {
            let names: Vec<_> = several.iter().map(|package| format!("`{package}`")).collect();
            found.note(format!(
                "no Rust module: {} all have programs; declare `outputs.rust` in aos.toml",
                names.join(", ")
            ));
        }
    }
}

fn has_program(repository: &ProjectFiles, package: &str) -> bool {
    let text = repository.text(&join(package, "Cargo.toml")).unwrap_or_default();
    let Ok(document) = text.parse::<DocumentMut>() else { return false };
    document.contains_key("package")
        && (document.contains_key("bin")
            || repository.files.contains_key(&join(package, "src/main.rs")))
}
