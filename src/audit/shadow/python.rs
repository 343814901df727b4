//! Python: packages, extension modules and bytecode that are imported first, and code that changes the module.

use std::collections::BTreeSet;

use regex::Regex;

use crate::contract::Finding;
use crate::system::files::{self, Kind};

use super::masked::{Syntax, masked};
use super::mutation::{Mutation, STEPS};
use super::{Module, join, names};

/// Largest bytecode file whose head is read, in bytes.
const MAX_BYTECODE: u64 = 16 * 1024 * 1024;
/// Modules that Python runs or reads before any module of the tool.
const AT_START: [&str; 2] = ["sitecustomize", "usercustomize"];

/// Files that the import system prefers to the module.
pub fn places(module: &Module<'_>, found: &mut Vec<Finding>) {
    for name in module.siblings() {
        let path = module.beside(&name);
        if name == module.stem && module.kind(&path) != Kind::Absent {
            found.push(module.shadowed(&path, "Python imports this package in place of"));
        }
        let ending = name.strip_prefix(module.stem).and_then(|rest| rest.strip_prefix('.'));
        let Some(ending) = ending.filter(|_| name != module.file_name) else { continue };
        let kind = ending.rsplit('.').next().unwrap_or(ending);
        if matches!(kind, "so" | "pyd" | "dll" | "dylib" | "sl") {
            found.push(module.shadowed(&path, "Python imports this extension in place of"));
        } else if matches!(kind, "pyc" | "pyo" | "pyw") {
            found.push(module.shadowed(&path, "this file may be imported in place of"));
        }
    }
    bytecode(module, found);
    elsewhere(module, found);
}

/// Bytecode that names no time of its source. Python writes such files only when it is told to; one that is in the
/// repository is loaded after a checkout, whatever the source says. Bytecode with a time is a cache that a checkout
/// makes stale, so it is left alone.
fn bytecode(module: &Module<'_>, found: &mut Vec<Finding>) {
    let mut directories: BTreeSet<&str> = BTreeSet::from([module.directory]);
    let sources = module.repository.files.keys().filter(|path| path.ends_with(".py"));
    directories.extend(sources.map(|path| path.rsplit_once('/').map_or("", |(above, _)| above)));
    for directory in directories {
        let cache = join(directory, "__pycache__");
        for name in names(&module.root.join(&cache)).iter().filter(|name| name.ends_with(".pyc")) {
            let path = join(&cache, name);
            let head = files::read(&module.root.join(&path), MAX_BYTECODE).ok();
            let flags = head.as_ref().and_then(|loaded| loaded.bytes.get(4..8));
            if flags.is_some_and(|flags| flags != [0; 4]) {
                found.push(module.shadowed(
                    &path,
                    "Python loads this bytecode without a look at the time of its source, also for",
                ));
            }
        }
    }
}

/// The package under another directory, and files that Python runs at its start.
fn elsewhere(module: &Module<'_>, found: &mut Vec<Finding>) {
    let package = module.directory.rsplit('/').next().unwrap_or_default();
    let repository = module.repository;
    let links = repository.symlinks.iter().map(String::as_str);
    let unreadable = repository.unreadable.iter().map(|(path, _)| path.as_str());
    let files = repository.files.keys().chain(repository.ignored.keys()).map(String::as_str);
    for path in files.chain(links).chain(unreadable) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        let is_code = [".py", ".pyc", ".so", ".pyd"].iter().any(|ending| name.ends_with(ending));
        let start_package = stem == "__init__"
            && AT_START.contains(&directory.rsplit('/').next().unwrap_or_default());
        let at_start =
            AT_START.contains(&stem) && (is_code || name == stem) || is_code && start_package;
        if at_start || name.ends_with(".pth") {
            found
                .push(module.shadowed(path, "Python reads this file at its start and can replace"));
        }
        let is_package = !package.is_empty()
            && directory != module.directory
            && directory.rsplit('/').next() == Some(package)
            && module.repository.files.contains_key(&module.beside("__init__.py"));
        if is_package && is_code && (stem == "__init__" || stem == module.stem) {
            found.push(module.shadowed(path, "this package has the name of the one that holds"));
        }
    }
}

/// Sources that import something else under the name of the module, or change what it holds.
pub fn sources(module: &Module<'_>, found: &mut Vec<Finding>) {
    let Some(patterns) = Patterns::of(module) else { return };
    for (path, text) in module.others(&[".py", ".pyw"]) {
        let name = path.rsplit('/').next().unwrap_or(path);
        // A test may replace a value for its own time; conftest.py acts on every test.
        if name.starts_with("test_") || name.ends_with("_test.py") {
            continue;
        }
        let code = masked(text, Syntax::Python);
        if let Some(at) = patterns.hooks.find(&code).map(|hook| hook.start()) {
            let mut finding =
                module.shadowed(path, "it changes how modules are found, which can replace");
            finding.line = Some(super::line(text, at));
            found.push(finding);
        }
        if let Some(at) = patterns.stand_in(&code) {
            let mut finding = module.shadowed(path, "it imports something else under the name of");
            finding.line = Some(super::line(text, at));
            found.push(finding);
        }
        if let Some(at) = patterns.change(module, text, &code) {
            found.push(module.amended(path, text, at));
        }
    }
}

struct Patterns {
    stem: String,
    /// `from … import …`.
    from: Regex,
    /// `import …`.
    import: Regex,
    /// A call that names the module in a string.
    by_name: Regex,
    /// What `importlib` and `sys.modules` return, under a name.
    looked_up: Regex,
    rebound: Regex,
    hooks: Regex,
}

impl Patterns {
    fn of(module: &Module<'_>) -> Option<Self> {
        let stem = regex::escape(module.stem);
        let regex = |pattern: String| Regex::new(&pattern).ok();
        Some(Self {
            stem: module.stem.to_owned(),
            from: regex(r"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n;]*))".to_owned())?,
            import: regex(r"(?m)^[ \t]*import[ \t]+([^\n;]+)".to_owned())?,
            by_name: regex(format!(
                r#"(?:setattr|delattr|setitem|patch(?:\.\w+)?)\(\s*[bfru]*["'][^"'\n]*\b{stem}\b"#
            ))?,
            looked_up: regex(format!(
                r#"(?m)^[ \t]*(\w+)[^=\n]*=[^=\n]*(?:import_module|__import__|sys\.modules)[^\n]*\b{stem}\b"#
            ))?,
            rebound: regex(format!(r"(?m)^[ \t]*(?:global[ \t]+\w+;[ \t]*)?{stem}[ \t]*(?::[^=\n]*)?=[^=]|^[ \t]*(?:class|def)[ \t]+{stem}\b"))?,
            hooks: regex(
                r"\bsys\.modules(?:\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\s*=[^=]|\.(?:update|setdefault|pop|clear|__setitem__)\()|\bdel\s+sys\.modules\b|\bsys\.(?:meta_path|path_hooks)(?:\s*\+?=[^=]|\[[^\]\n]*\]\s*=[^=]|\.(?:insert|append|extend|clear)\()|\b__path__(?:\s*\+?=[^=]|\[[^\]\n]*\]\s*=[^=]|\.(?:insert|append|extend|clear)\()"
                    .to_owned(),
            )?,
        })
    }

    /// Each imported name with the name it gets, and whether it is imported from the module.
    fn imports<'t>(&self, code: &'t str) -> Vec<Import<'t>> {
        let mut imports = Vec::new();
        for captures in self.from.captures_iter(code) {
            let origin = captures.get(1).map_or("", |found| found.as_str());
            let list = captures.get(2).or_else(|| captures.get(3));
            let from_module = last(origin) == self.stem;
            let Some(list) = list else { continue };
            for item in list.as_str().split(',') {
                let mut words = item.split_whitespace();
                let Some(name) = words.next() else { continue };
                let alias = words.nth(1).unwrap_or(name);
                imports.push(Import { at: list.start(), name, alias, from_module });
            }
        }
        for captures in self.import.captures_iter(code) {
            let Some(list) = captures.get(1) else { continue };
            for item in list.as_str().split(',') {
                let mut words = item.split_whitespace();
                let Some(name) = words.next() else { continue };
                let alias = words.nth(1).unwrap_or(name);
                imports.push(Import { at: list.start(), name, alias, from_module: false });
            }
        }
        imports
    }

    fn stand_in(&self, code: &str) -> Option<usize> {
        let imported = self.imports(code).into_iter().find(|import| {
            import.alias == self.stem && (import.from_module || last(import.name) != self.stem)
        });
        imported
            .map(|import| import.at)
            .or_else(|| self.rebound.find(code).map(|found| found.start()))
    }

    fn change(&self, module: &Module<'_>, text: &str, code: &str) -> Option<usize> {
        if let Some(found) = self.by_name.find(text) {
            return Some(found.start());
        }
        let mut modules = BTreeSet::new();
        let mut members = BTreeSet::new();
        for import in self.imports(code) {
            if import.from_module && import.name == "*" {
                members.extend(constants(module.text()));
            } else if import.from_module {
                members.insert(regex::escape(import.alias));
            } else if last(import.name) == self.stem {
                modules.insert(regex::escape(import.alias));
            }
        }
        for captures in self.looked_up.captures_iter(text) {
            modules.extend(captures.get(1).map(|name| regex::escape(name.as_str())));
        }
        let values: Vec<_> = modules
            .iter()
            .map(|name| format!(r"{name}\.\w+"))
            .chain(members.iter().cloned())
            .collect();
        let all: Vec<_> = modules.iter().chain(&members).cloned().collect();
        let rebound =
            members.iter().map(|name| format!(r"(?m)^[ \t]*{name}[ \t]*(?::[^=\n]*)?=[^=]"));
        let rebound =
            rebound.filter_map(|pattern| Some(Regex::new(&pattern).ok()?.find(code)?.start()));
        let first = Mutation::of(&all, false).first(code);
        first.into_iter().chain(rebound).chain(through_a_name(&values, code)).min()
    }
}

/// A change of a part of a value that a function gave a name of its own.
fn through_a_name(values: &[String], code: &str) -> Option<usize> {
    if values.is_empty() {
        return None;
    }
    let values = values.join("|");
    let pattern = format!(
        r"(?m)^[ \t]*(?:(?P<name>\w+)[ \t]*(?::[^=\n]*)?=|for[ \t]+(?P<each>[\w, ()]+?)[ \t]+in)[ \t]*(?:{values}){STEPS}*[ \t]*:?[ \t]*$"
    );
    let named = Regex::new(&pattern).ok()?;
    let end = Regex::new(r"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]").ok()?;
    named.captures_iter(code).find_map(|captures| {
        let whole = captures.get(0)?;
        let names = captures.name("name").or_else(|| captures.name("each"))?.as_str();
        let names: Vec<_> = names
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|name| !name.is_empty())
            .map(regex::escape)
            .collect();
        // The name is one of this function: the next one may use it for something else.
        let rest = code.get(whole.end()..)?;
        let scope = rest.get(..end.find(rest).map_or(rest.len(), |next| next.start()))?;
        Some(whole.end() + Mutation::of(&names, false).first(scope)?)
    })
}

struct Import<'t> {
    at: usize,
    name: &'t str,
    alias: &'t str,
    from_module: bool,
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Names that the module defines at its top.
fn constants(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let end = line.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        let is_name = line.starts_with(|letter: char| letter.is_alphabetic());
        let rest = line.get(end..)?;
        (is_name && (rest.starts_with(" = ") || rest.starts_with(": ")))
            .then(|| line.get(..end).map(str::to_owned))?
    })
}
