//! Go: the module whose program is the tool, and names that its packages declare.

use std::collections::BTreeSet;

use crate::contract::ProjectFiles;
use crate::contract::name::GoPackage;

use crate::inputs::adoption::Findings;

use super::{is_foreign, join, parent, with_file};

/// Directories whose programs serve the developers, not the users.
const HELPERS: &[&str] = &["tools", "tool", "scripts", "hack"];

/// Adds the output for the module with the tool's program.
pub fn detect(repository: &ProjectFiles, found: &mut Findings) {
    let modules = with_file(repository, "go.mod");
    let programs: Vec<_> = modules
        .iter()
        .filter_map(|module| program(repository, &modules, module).map(|main| (module, main)))
        .collect();
    match programs.as_slice() {
        [] if modules.is_empty() => {}
        [] => found.note("no Go module: there is no package main in a Go module".to_owned()),
        [(module, main)] => {
            let contract = join(module, "internal/contract");
            let prefix = format!("{contract}/");
            let taken = repository.below(&prefix, ".go").next().is_some();
            let (directory, why) = if taken {
                let other = join(module, "internal/contractgen");
                (other, format!("; `{contract}` is one of your packages"))
            } else {
                (contract, String::new())
            };
            found.at(
                "go",
                &format!("{directory}/contract_gen.go"),
                format!("contract_gen.go goes to `{directory}`: `{}` declares the module of the program `{main}`{why}", join(module, "go.mod")),
            );
        }
        several => {
            let names: Vec<_> = several.iter().map(|(module, _)| format!("`{module}`")).collect();
            found.note(format!(
                "no Go module: {} all have programs; set `outputs.go` in aos.toml",
                names.join(", ")
            ));
        }
    }
}

/// A file of the program of `module`; nested modules own theirs.
fn program<'a>(repository: &'a ProjectFiles, modules: &[String], module: &str) -> Option<&'a str> {
    let owner = |path: &str| {
        let within = |module: &&String| {
            module.as_str() == "."
                || path.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        modules
            .iter()
            .filter(within)
            .max_by_key(|module| if *module == "." { 0 } else { module.len() })
    };
    let is_helper = |path: &str| path.split('/').any(|component| HELPERS.contains(&component));
    repository
        .files
        .iter()
        .filter(|(path, _)| path.ends_with(".go") && !path.ends_with("_test.go"))
        .filter(|(path, _)| !is_foreign(path) && !is_helper(path))
        .filter(|(path, _)| owner(path).map(String::as_str) == Some(module))
        .find(|(_, file)| {
            let text = String::from_utf8_lossy(&file.bytes);
            package(&text).is_some_and(|name| name.as_str() == "main")
                && !text.contains("//go:build ignore")
        })
        .map(|(path, _)| parent(path))
}

/// The package that a file says it belongs to.
pub fn package(text: &str) -> Option<GoPackage> {
    let line = text.lines().find_map(|line| line.strip_prefix("package "))?;
    GoPackage::parse(line.split_whitespace().next()?)
}

/// Names that both the generated file at `path` and another file of its package declare.
pub fn clashes(repository: &ProjectFiles, path: &str, generated: &str) -> Vec<(String, String)> {
    let directory = parent(path);
    let names = declared(generated);
    let siblings = repository.files.iter().filter(|(other, _)| {
        other.ends_with(".go") && parent(other) == directory && other.as_str() != path
    });
    let mut clashes = Vec::new();
    for (other, file) in siblings {
        let text = String::from_utf8_lossy(&file.bytes);
        if package(&text) == package(generated) {
            let both = declared(&text).into_iter().filter(|name| names.contains(name));
            clashes.extend(both.map(|name| (name.to_owned(), other.clone())));
        }
    }
    clashes
}

/// Names that a file declares at its top level, as far as gofmt lays them out.
fn declared(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut grouped = false;
    for line in text.lines() {
        let declaration = ["func ", "type ", "var ", "const "]
            .iter()
            .find_map(|keyword| line.strip_prefix(keyword));
        match (declaration, line) {
            (Some("("), _) => grouped = true,
            (Some(rest), _) => names.extend(identifier(rest)),
            (None, ")") => grouped = false,
            (None, line) if grouped => {
                let inner = line.strip_prefix('\t').filter(|inner| !inner.starts_with('\t'));
                names.extend(inner.and_then(identifier));
            }
            (None, _) => {}
        }
    }
    names
}

fn identifier(text: &str) -> Option<&str> {
    let end =
        text.find(|symbol: char| !symbol.is_alphanumeric() && symbol != '_').unwrap_or(text.len());
    Some(&text[..end])
        .filter(|name| !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_level_names_are_found_in_single_and_grouped_declarations() {
        let text = "package x\n\nconst A = 1\n\nvar (\n\tB = 2\n\tc int\n)\n\ntype D struct {\n\tE int\n}\n\n\
                    func F() {\n\tg := 1\n}\n\nfunc (d D) H() {}\n";
        assert_eq!(declared(text).into_iter().collect::<Vec<_>>(), ["A", "B", "D", "F", "c"]);
    }

    #[test]
    fn the_package_clause_is_read_after_comments() {
        let name = |text: &str| package(text).map(|name| name.to_string());
        assert_eq!(name("// Package a\npackage a // b\n").as_deref(), Some("a"));
        assert_eq!(name("package func\n"), None);
        assert_eq!(name("no clause\n"), None);
    }
}
