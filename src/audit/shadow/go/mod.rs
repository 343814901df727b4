//! Go: code that changes the variables of the module, and modules that hide the package.

mod changes;
pub mod flags;
mod predeclared;
mod source;
mod tokens;
mod uses;

use crate::contract::Finding;
use crate::contract::repository::is_below;
use crate::system::files::Kind;

use super::module::GeneratedModule;
use super::pattern::regex;
use super::scripts::is_script;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    hidden(module, found);
    vendored(module, found);
    foreign_code(module, found);
    flags::check(module, found);
    linked(module, found);
    changes::check(module, found);
    predeclared::check(module, found);
    for (path, at) in uses::Tables::of(module).changes() {
        let text = module.repository.text(path).unwrap_or_default();
        found.push(module.amended(path, text, at));
    }
}

/// Directories that the module is in, from the inside out, that hold a `go.mod`, with the path of that file.
fn roots<'a>(module: &GeneratedModule<'a>) -> Vec<(&'a str, String)> {
    let mut above = Some(module.directory);
    let mut roots = Vec::new();
    while let Some(directory) = above {
        let path = super::module::join(directory, "go.mod");
        if module.repository.holds(&path) {
            roots.push((directory, path));
        }
        above = match directory.rsplit_once('/') {
            Some((parent, _)) => Some(parent),
            None if directory.is_empty() => None,
            None => Some(""),
        };
    }
    roots
}

/// A copy of the package in a `vendor` directory, under the path that it is imported by.
fn vendored(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for (root, file) in roots(module) {
        let name = module_name(module.repository.text(&file).unwrap_or_default());
        let inner = module.directory.strip_prefix(root).unwrap_or_default().trim_matches('/');
        let import = super::module::join(name, inner);
        let import = import.trim_end_matches('/');
        if import.is_empty() {
            continue;
        }
        let place = super::module::join(root, &format!("vendor/{import}"));
        // The second is where `GOPATH` has its packages.
        let below = ["vendor", "src"].map(|directory| format!("{directory}/{import}/"));
        let copies = module.repository.files.keys().chain(module.repository.ignored.keys());
        let copy = copies.map(String::as_str).find(|path| {
            path.strip_suffix(".go").is_some_and(|path| {
                below.iter().any(|below| {
                    path.starts_with(below.as_str()) || path.contains(&format!("/{below}"))
                })
            })
        });
        let listed = module.others(&["modules.txt"]).find(|(path, text)| {
            path.ends_with("vendor/modules.txt") && text.lines().any(|line| line.trim() == import)
        });
        let copy = copy.or_else(|| listed.map(|(path, _)| path));
        if module.kind(&place) != Kind::Absent {
            found.push(module.shadowed(&place, "Go may build this copy instead of"));
        } else if let Some(copy) = copy {
            found.push(module.shadowed(copy, "Go may build this copy instead of"));
        }
    }
}

/// A flag of the linker that gives a variable of the package another value.
fn linked(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let imports = roots(module).into_iter().map(|(root, file)| {
        let name = module_name(module.repository.text(&file).unwrap_or_default());
        let inner = module.directory.strip_prefix(root).unwrap_or_default().trim_matches('/');
        regex::escape(super::module::join(name, inner).trim_end_matches('/'))
    });
    let imports: Vec<_> = imports.filter(|import| !import.is_empty()).collect();
    if imports.is_empty() {
        return;
    }
    let Ok(flag) = regex(&format!(r#"-X[=\s]*["'\\]*(?:{})\.\w+="#, imports.join("|"))) else {
        return;
    };
    for (path, text) in module.others(&[""]).filter(|(_, text)| text.contains("-X")) {
        if let Some(at) = flag.find(text).filter(|_| is_script(module, path)) {
            let mut finding = module.shadowed(path, "the linker gets other values than those of");
            finding.line = Some(super::module::line(text, at.start()));
            found.push(finding);
        }
    }
}

/// Assembly, C and objects in the package: they can write to its variables, and nothing here reads them.
fn foreign_code(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    const ENDINGS: &[&str] = &[
        ".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".f",
        ".F", ".f90", ".swig", ".swigcxx", ".syso",
    ];
    for name in module.siblings() {
        let path = module.beside(&name);
        if ENDINGS.iter().any(|ending| name.ends_with(ending))
            && module.kind(&path) != Kind::Directory
        {
            found.push(module.amended(&path, "", 0));
        }
    }
    for (path, text) in module.others(&[".go"]) {
        let inside = path.rsplit_once('/').map_or("", |(above, _)| above) == module.directory;
        let Ok(cgo) = regex(r#"(?m)^\s*(?:import\s+)?[\w.]*\s*["`]C["`]"#) else { return };
        if inside && let Some(cgo) = cgo.find(text) {
            found.push(module.amended(path, text, cgo.start()));
        }
    }
}

/// A `go.mod` below the module's own, a `replace` of the package, a second module of the same path: each makes go build
/// other files.
fn hidden(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let roots = roots(module);
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
                "this file removes the package from its module, so that Go builds another one instead of",
            ));
        }
    }
    let name = roots.last().and_then(|(_, path)| module.repository.text(path)).map(module_name);
    for (path, text) in module.others(&["go.mod", "go.work"]) {
        let replaced = text.lines().any(|line| {
            let line = line.trim().trim_start_matches("replace").trim();
            let target = line.split_once("=>").map(|(left, _)| left.split_whitespace().next());
            let target = target.flatten().unwrap_or_default().trim_matches('"');
            name.is_some_and(|name| target == name || target.starts_with(&format!("{name}/")))
        });
        if replaced {
            found.push(module.shadowed(path, "it replaces a part of this module, which can hide"));
        }
    }
    let own = roots.first().map(|(_, path)| path.as_str());
    let beside = module.projects_beside();
    for (path, text) in module.others(&["go.mod"]) {
        let is_same = name.is_some_and(|name| !name.is_empty() && module_name(text) == name);
        if is_same && Some(path) != own && !beside.iter().any(|project| is_below(path, project)) {
            found.push(module.shadowed(
                path,
                "Go can build this module with the same path instead of the one with",
            ));
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
