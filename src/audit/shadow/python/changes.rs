//! Python code that imports something else under the name of the module, or changes what the module holds.
//!
//! The values of a generated module are read-only, so a change is above all a new value for a name of the module.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use crate::contract::Finding;

use super::super::mutation::{Mutation, STEPS};
use super::super::pattern::regex;
use super::computed;
use super::known::{self, ChangedPlaces};
use super::loaded::{self, PythonText};
use super::rebinding;
use super::scope::is_local;
use super::targets::targets;
use crate::audit::shadow::module::{GeneratedModule, line};

/// The name that replaces an expression whose value is the module, before the text is searched.
const MODULE: &str = "_aosm";

/// Sources that import something else under the name of the module, or change what it holds.
pub fn sources(
    module: &GeneratedModule<'_>,
    texts: &BTreeMap<&str, &str>,
    used: &BTreeSet<&str>,
    found: &mut Vec<Finding>,
) {
    let Some(patterns) = ChangePatterns::of(module) else { return };
    let constants: Vec<_> = constants(module.text()).collect();
    let exports = patterns.exports(module, texts, &constants);
    let terms = format!("{} {constants:?} {exports:?}", module.stem);
    for (path, text) in texts.iter().filter(|(path, _)| !module.ours.contains(*path)) {
        let name = path.rsplit('/').next().unwrap_or(path);
        // A test may replace a value for its own time; conftest.py acts on every test.
        if (name.starts_with("test_") || name.ends_with("_test.py")) && !used.contains(path) {
            continue;
        }
        let is_initial = *path == module.beside("__init__.py");
        let judge = || patterns.judge(module, &exports, path, text);
        let places = known::places(text, &format!("{is_initial} {terms}"), judge);
        let text = &loaded::line_ends(text);
        let mut shadowed = |at: Option<usize>, why: &str| {
            let Some(at) = at else { return };
            let mut finding = module.shadowed(path, why);
            finding.line = Some(line(text, at));
            found.push(finding);
        };
        shadowed(places.hook, "it changes how modules are found, which can replace");
        shadowed(places.stand_in, "it assigns another value to the name of");
        shadowed(places.archive, "it imports from an archive, whose modules can replace");
        if let Some(at) = places.change {
            found.push(module.amended(path, text, at));
        } else if let Some(at) = places.computed {
            let why = "it changes a module whose name it computes, and that may be";
            found.push(module.amended_by(path, text, at, why));
        }
    }
}

struct ChangePatterns {
    stem: String,
    /// A call that names the module in a string.
    by_name: Arc<Regex>,
    /// Names that hold a result of `importlib` or `sys.modules`.
    looked_up: Arc<Regex>,
    rebound: Arc<Regex>,
    hooks: Arc<Regex>,
}

impl ChangePatterns {
    fn of(module: &GeneratedModule<'_>) -> Option<Self> {
        let stem = regex::escape(module.stem);
        let regex = |pattern: String| regex(&pattern).ok();
        Some(Self {
            stem: module.stem.to_owned(),
            by_name: regex(format!(
                r#"(?:setattr|delattr|setitem|patch(?:\.\w+)?)\(\s*(?:[bfru]*["'][^"'\n]*\b{stem}\b|[^,"'\n]+,\s*["']{stem}["'])"#
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

    /// Finds the places at which a source changes the module.
    fn judge(
        &self,
        module: &GeneratedModule<'_>,
        exports: &BTreeMap<String, BTreeSet<String>>,
        path: &str,
        text: &str,
    ) -> ChangedPlaces {
        // A text that already has LF is used unchanged, so that a text that files share is parsed once.
        let unified = text.contains('\r').then(|| loaded::line_ends(text));
        let text = unified.as_deref().unwrap_or(text);
        let source = PythonText::of(path, text);
        let code = source.code.as_str();
        let may_hook = text.contains("sys") || text.contains("__path__");
        let hook = may_hook.then(|| self.hooks.find(code)).flatten();
        let rebound = || rebinding::rebinding(module, &source, text, code);
        let change = self.change(module, exports, text, &source);
        ChangedPlaces {
            hook: hook.map(|hook| hook.start()),
            stand_in: self.stand_in(&source).or_else(rebound),
            archive: rebinding::archive(text),
            change,
            computed: if change.is_none() { computed::change(code) } else { None },
        }
    }

    /// Each imported name with the name it gets, and whether it is imported from the module.
    fn imports<'t>(&self, source: &'t PythonText<'_>) -> impl Iterator<Item = ChangedImport<'t>> {
        let code = source.code.as_str();
        source.listed().iter().map(move |import| {
            let text = |place: &Range<usize>| code.get(place.clone()).unwrap_or_default();
            let origin = text(&import.origin);
            ChangedImport {
                at: import.at,
                origin,
                name: text(&import.name),
                alias: text(&import.alias),
                from_module: !origin.is_empty() && last(origin) == self.stem,
            }
        })
    }

    fn stand_in(&self, source: &PythonText<'_>) -> Option<usize> {
        let code = source.code.as_str();
        if !code.contains(&self.stem) {
            return None;
        }
        let imported = self.imports(source).find(|import| {
            import.alias == self.stem && (import.from_module || last(import.name) != self.stem)
        });
        imported
            .map(|import| import.at)
            .or_else(|| self.rebound.find(code).map(|found| found.start()))
    }

    /// Other modules of the project that import names of the module, by their own name, with those names.
    fn exports(
        &self,
        module: &GeneratedModule<'_>,
        texts: &BTreeMap<&str, &str>,
        constants: &[String],
    ) -> BTreeMap<String, BTreeSet<String>> {
        let mut exports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let modules = texts.iter().filter(|(path, _)| path.ends_with(".py"));
        let others = modules.filter(|(path, _)| **path != module.path);
        for (path, text) in others.filter(|(_, text)| text.contains(&self.stem)) {
            let stem = path.strip_suffix(".py").unwrap_or(path);
            let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
            let names = exports.entry(stem.rsplit('/').next().unwrap_or(stem).to_owned());
            let names = names.or_default();
            for import in self.imports(&PythonText::of(path, text)) {
                if import.from_module && import.name == "*" {
                    names.extend(constants.iter().cloned());
                } else if import.from_module {
                    names.insert(import.alias.to_owned());
                }
            }
        }
        exports.retain(|_, names| !names.is_empty());
        exports
    }

    fn change(
        &self,
        module: &GeneratedModule<'_>,
        exports: &BTreeMap<String, BTreeSet<String>>,
        text: &str,
        source: &PythonText<'_>,
    ) -> Option<usize> {
        let code = source.code.as_str();
        let is_named = text.contains(&self.stem);
        if let Some(found) = self.by_name.find(text).filter(|_| is_named) {
            return Some(found.start());
        }
        let mut modules = BTreeSet::from([
            MODULE.to_owned(),
            format!(r"(?:\w+\.)+{}", regex::escape(&self.stem)),
        ]);
        let mut members = BTreeSet::new();
        let mut exported = BTreeSet::new();
        for import in self.imports(source) {
            let origin = last(import.origin);
            let of = |name: &str| exports.get(name).filter(|_| name != self.stem);
            if import.from_module && import.name == "*" {
                members.extend(constants(module.text()));
            } else if import.from_module {
                members.insert(regex::escape(import.alias));
            } else if last(import.name) == self.stem {
                modules.insert(regex::escape(import.alias));
            } else if let Some(names) = of(last(import.name)) {
                let alias = regex::escape(import.alias);
                exported.extend(names.iter().map(|name| format!(r"{alias}\.{name}\b")));
            } else if let Some(names) = of(origin)
                && import.name == "*"
            {
                members.extend(names.iter().cloned());
            } else if of(origin).is_some_and(|names| names.contains(import.name)) {
                members.insert(regex::escape(import.alias));
            }
        }
        for captures in self.looked_up.captures_iter(text).filter(|_| is_named) {
            modules.extend(captures.get(1).map(|name| regex::escape(name.as_str())));
        }
        if !is_named && members.is_empty() && exported.is_empty() {
            return None;
        }
        let code = &self.resolved(text, code, &mut modules);
        let all = format!("(?:{})", modules.iter().cloned().collect::<Vec<_>>().join("|"));
        let values: Vec<_> = modules
            .iter()
            .map(|name| format!(r"{name}\.\w+"))
            .chain(members.iter().cloned())
            .collect();
        let places: Vec<_> = modules.iter().chain(&members).cloned().collect();
        let changed = Mutation::of(&places, false).every(code);
        // A name of the module gets a value as a target, one that was imported where it is not a name of a function.
        let set = targets(code, &format!(r"{all}\.\w+"));
        let replaced = targets(code, &format!(r"(?:\w+\.)+{}\b", regex::escape(&self.stem)));
        let replaced = replaced
            .into_iter()
            .filter(|at| !["self.", "cls."].iter().any(|own| code[*at..].starts_with(own)));
        let exported: Vec<_> = exported.into_iter().collect();
        let set_there =
            if exported.is_empty() { Vec::new() } else { targets(code, &exported.join("|")) };
        let imported: Vec<_> = members.iter().cloned().collect();
        let rebound = match imported.is_empty() {
            true => Vec::new(),
            false => targets(code, &format!(r"(?:{})\b", imported.join("|"))),
        };
        let rebound = rebound.into_iter().filter(|at| {
            let name = word(code, *at);
            !is_local(code, *at, name, is_whole(code, *at, name))
        });
        let executed = regex(&format!(r"\bexec\s*\([^\n]*\b({all})\b")).ok();
        let executed = executed.and_then(|pattern| Some(pattern.captures(code)?.get(1)?.start()));
        let by_globals = self.by_globals(text, code, &members);
        let visible = |at: &usize| !is_local(code, *at, word(code, *at), false);
        let found = changed.into_iter().chain(set).filter(visible).chain(set_there).chain(rebound);
        found
            .chain(replaced)
            .chain(executed)
            .chain(by_globals)
            .chain(through_a_name(&values, code))
            .min()
    }

    /// The code with one name in place of every expression that evaluates to the module or its names; further names of
    /// it are added to `modules`.
    fn resolved(&self, text: &str, code: &str, modules: &mut BTreeSet<String>) -> String {
        let stem = regex::escape(&self.stem);
        let mut bytes = code.as_bytes().to_vec();
        let put = |bytes: &mut Vec<u8>, range: std::ops::Range<usize>| {
            let name = range.end.saturating_sub(MODULE.len());
            if name >= range.start {
                bytes[range.start..name].fill(b' ');
                bytes[name..range.end].copy_from_slice(MODULE.as_bytes());
            }
        };
        let called = regex(&format!(
            r#"(?:\b[\w.]*(?:import_module|__import__)\s*\([^()\n]*\b{stem}\b[^()\n]*\)|\bsys\.modules\s*(?:\[|\.get\()[^\]()\n]*\b{stem}\b[^\]()\n]*[\])]|\bgetattr\(\s*[\w.]+\s*,\s*["']{stem}["'][^()\n]*\))"#
        ));
        for found in called.iter().flat_map(|pattern| pattern.find_iter(text)) {
            // In a comment or a string nothing is left of it.
            if code.get(found.start()..found.start() + 3)
                == text.get(found.start()..found.start() + 3)
            {
                put(&mut bytes, found.range());
            }
        }
        for _ in 0..3 {
            let before = (bytes.clone(), modules.len());
            let now = String::from_utf8_lossy(&bytes).into_owned();
            let all = format!("(?:{})", modules.iter().cloned().collect::<Vec<_>>().join("|"));
            let patterns = [
                format!(r"\b(?:vars|getattr)\(\s*{all}\s*(?:,[^()\n]*)?\)"),
                format!(r"\({all}\)"),
            ];
            for pattern in patterns.iter().filter_map(|pattern| regex(pattern).ok()) {
                for found in pattern.find_iter(&now) {
                    put(&mut bytes, found.range());
                }
            }
            let named =
                format!(r"(?m)^[ \t]*(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*{all}(?:\.__dict__)?[ \t]*$");
            for captures in regex(&named).iter().flat_map(|pattern| pattern.captures_iter(&now)) {
                modules.extend(captures.get(1).map(|name| regex::escape(name.as_str())));
            }
            if before == (bytes.clone(), modules.len()) {
                break;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A value for an imported name by way of `globals()`.
    fn by_globals(&self, text: &str, code: &str, members: &BTreeSet<String>) -> Option<usize> {
        let pattern =
            regex(r#"\b(?:globals|vars|locals)\(\)\s*\[\s*["'](\w+)["']\s*\]\s*[^=\n]?=[^=]"#)
                .ok()?;
        let mut found = pattern.captures_iter(text).filter_map(|captures| {
            let (at, name) = (captures.get(0)?.start(), captures.get(1)?.as_str());
            let real = code.get(at..at + 4) == text.get(at..at + 4);
            (real && members.contains(name)).then_some(at)
        });
        found.next()
    }
}

/// The name that begins at `at`.
fn word(code: &str, at: usize) -> &str {
    let rest = code.get(at..).unwrap_or_default();
    let end = rest.find(|symbol: char| !symbol.is_alphanumeric() && symbol != '_');
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}

/// True if the target at `at` is the name alone and not a part of its value.
fn is_whole(code: &str, at: usize, name: &str) -> bool {
    let rest = code.get(at + name.len()..).unwrap_or_default();
    !rest.trim_start_matches([' ', ')']).starts_with(['.', '['])
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
    let named = regex(&pattern).ok()?;
    let end = regex(r"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]").ok()?;
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

struct ChangedImport<'t> {
    at: usize,
    /// The module that a `from` names; empty without a `from`.
    origin: &'t str,
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
