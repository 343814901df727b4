//! Go: code that changes the variables of the module, and modules that hide the package.

use regex::Regex;

use crate::contract::Finding;

use super::Module;
use super::masked::{Syntax, masked};
use super::mutation::Mutation;

pub fn check(module: &Module<'_>, found: &mut Vec<Finding>) {
    hidden(module, found);
    let names: Vec<String> = module
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("var ")?.split_whitespace().next())
        .map(regex::escape)
        .collect();
    let package = module.text().lines().find_map(|line| line.strip_prefix("package "));
    let directory = regex::escape(module.directory.rsplit('/').next().unwrap_or_default());
    let import =
        format!(r#"(?m)^\s*(?:import\s+)?(?P<alias>[\w.]+\s+)?"(?:[^"\n]*/)?{directory}"\s*$"#);
    let Ok(import) = Regex::new(&import) else { return };
    for (path, text) in module.others(&[".go"]) {
        if path.ends_with("_test.go") {
            continue;
        }
        let inside = path.rsplit_once('/').map_or("", |(above, _)| above) == module.directory;
        let qualifier = match import.captures(text) {
            _ if inside => Some(String::new()),
            None => None,
            Some(captures) => {
                let alias = captures.name("alias").map(|alias| alias.as_str().trim());
                match alias.or(package.map(str::trim)).unwrap_or_default() {
                    "." => Some(String::new()),
                    name => Some(format!(r"{}\.", regex::escape(name))),
                }
            }
        };
        let linked = text.lines().any(|line| {
            line.starts_with("//go:linkname ")
                && (inside || line.contains(module.directory))
                && names.iter().any(|name| line.split([' ', '.']).any(|word| word == name))
        });
        let at = qualifier.and_then(|qualifier| {
            let names: Vec<_> = names.iter().map(|name| format!(r"{qualifier}{name}\b")).collect();
            let code = masked(text, Syntax::Braces);
            let taken =
                names.iter().filter_map(|name| Regex::new(&format!("&{name}")).ok()?.find(&code));
            let taken = taken.map(|taken| taken.start()).min();
            Mutation::of(&names, true).first(&code).or(taken)
        });
        if let Some(at) = at.or_else(|| linked.then_some(0)) {
            found.push(module.amended(path, text, at));
        }
    }
}

/// A `go.mod` below the module's own, a `replace` of the package, an overlay: each makes go build other files.
fn hidden(module: &Module<'_>, found: &mut Vec<Finding>) {
    let mut above = Some(module.directory);
    let mut roots = Vec::new();
    while let Some(directory) = above {
        let path = super::join(directory, "go.mod");
        if module.repository.holds(&path) {
            roots.push((directory, path));
        }
        above = match directory.rsplit_once('/') {
            Some((parent, _)) => Some(parent),
            None if directory.is_empty() => None,
            None => Some(""),
        };
    }
    for (nested, outer) in roots.iter().zip(roots.iter().skip(1)) {
        let outer_name = module_name(module.repository.text(&outer.1).unwrap_or_default());
        let inner = nested.0.strip_prefix(outer.0).unwrap_or_default().trim_start_matches('/');
        let import = format!("\"{outer_name}/{inner}");
        let used = module.others(&[".go"]).any(|(path, text)| {
            !path.starts_with(&format!("{}/", nested.0)) && text.contains(&import)
        });
        if used {
            found.push(module.shadowed(
                &nested.1,
                "this file takes the package out of its module, so that go builds another in place of",
            ));
        }
    }
    let name = roots.last().and_then(|(_, path)| module.repository.text(path)).map(module_name);
    for (path, text) in module.others(&["go.mod", "go.work"]) {
        let replaced = text.lines().any(|line| {
            let line = line.trim().trim_start_matches("replace").trim();
            let target = line.split_once("=>").map(|(left, _)| left.split_whitespace().next());
            let target = target.flatten().unwrap_or_default().trim_matches('"');
            name.is_some_and(|name| target.starts_with(&format!("{name}/")))
        });
        if replaced {
            found.push(module.shadowed(path, "it replaces a part of this module, which can hide"));
        }
    }
    for (path, text) in module.others(&[
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        ".mk",
        ".sh",
        ".yml",
        ".yaml",
        ".envrc",
        ".env",
        "Dockerfile",
        "package.json",
        ".js",
        "Taskfile",
        "go.env",
        ".ci/run",
    ]) {
        let overlaid = |line: &str| {
            line.contains("-overlay") && (line.contains("GOFLAGS") || line.contains("go "))
        };
        if let Some(at) = text.lines().position(overlaid) {
            let mut finding = module.shadowed(path, "go builds with an overlay, which can replace");
            finding.line = u32::try_from(at + 1).ok();
            found.push(finding);
        }
    }
}

fn module_name(text: &str) -> &str {
    text.lines()
        .find_map(|line| line.trim().strip_prefix("module "))
        .unwrap_or_default()
        .trim()
        .trim_matches('"')
}
