//! Go code that changes the tables of the module: by their names, by other names they get, by address, in functions that
//! get them as an argument.

use std::collections::BTreeSet;

use crate::contract::Finding;

use super::super::masked::{Syntax, masked};
use super::super::mutation::Mutation;
use super::super::pattern::regex;
use crate::audit::shadow::module::GeneratedModule;

/// A part of a slice or map that is still the same memory.
const SLICED: &str = r"(?:\[[^\[\]\n]*:[^\[\]\n]*\])?";

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let names: Vec<String> = module
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("var ")?.split_whitespace().next())
        .map(regex::escape)
        .collect();
    if names.is_empty() {
        return;
    }
    let sources: Vec<ScannedSource<'_>> = module
        .others(&[".go"])
        .filter(|(path, _)| !path.ends_with("_test.go"))
        .map(|(path, text)| ScannedSource::of(module, path, text, &names))
        .collect();
    // Names that packages of the project give to a table: others may change it through them.
    let mut given: BTreeSet<(String, String)> = BTreeSet::new();
    for source in &sources {
        given.extend(
            source.package_names().into_iter().map(|name| (source.directory.to_owned(), name)),
        );
    }
    for source in &sources {
        let mut others = Vec::new();
        for (directory, name) in &given {
            if *directory == source.directory {
                others.push(name.clone());
            } else if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                let package = directory.rsplit('/').next().unwrap_or_default();
                others.push(format!(r"{}\.{name}", regex::escape(package)));
            }
        }
        if let Some(at) = source.change(&others, &sources, &names) {
            found.push(module.amended(source.path, source.text, at));
        }
    }
}

struct ScannedSource<'a> {
    path: &'a str,
    directory: &'a str,
    text: &'a str,
    code: String,
    /// Expressions for regular expressions that give the tables in this file.
    tables: Vec<String>,
    /// Whether a compiler directive reaches a table.
    linked: bool,
}

impl<'a> ScannedSource<'a> {
    fn of(module: &GeneratedModule<'_>, path: &'a str, text: &'a str, names: &[String]) -> Self {
        let code = masked(text, Syntax::Braces);
        let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
        let inside = directory == module.directory;
        let mut qualifiers = BTreeSet::new();
        if inside {
            qualifiers.insert(String::new());
        }
        let package = module.text().lines().find_map(|line| line.strip_prefix("package "));
        let last = regex::escape(module.directory.rsplit('/').next().unwrap_or_default());
        let import = format!(r#"(?:^|[(;\s])(?P<alias>[\w.]+\s+)?["`](?:[^"`\n]*/)?{last}["`]"#);
        for captures in regex(&import).iter().flat_map(|import| import.captures_iter(text)) {
            let Some(whole) = captures.get(0) else { continue };
            // Of an import in a comment no quote is left.
            if !code.get(whole.range()).is_some_and(|code| code.contains(['"', '`'])) {
                continue;
            }
            let alias = captures.name("alias").map(|alias| alias.as_str().trim());
            qualifiers.insert(
                match alias.filter(|alias| *alias != "import").or(package.map(str::trim)) {
                    Some(".") => String::new(),
                    name => format!(r"{}\.", regex::escape(name.unwrap_or_default())),
                },
            );
        }
        let tables = qualifiers
            .iter()
            .flat_map(|qualifier| names.iter().map(move |name| format!(r"{qualifier}{name}\b")))
            .collect();
        let linked = text.lines().any(|line| {
            line.starts_with("//go:linkname ")
                && (inside || line.contains(module.directory))
                && names.iter().any(|name| line.split([' ', '.']).any(|word| word == name))
        });
        Self { path, directory, text, code, tables, linked }
    }

    /// Variables of the package that are another name of a table.
    fn package_names(&self) -> Vec<String> {
        if self.tables.is_empty() {
            return Vec::new();
        }
        let tables = self.tables.join("|");
        let pattern = format!(
            r"(?m)^(?:var[ \t]+|\t)(?P<name>\w+)(?:[ \t]+[^=\n]+?)?[ \t]*=[ \t]*&?(?:{tables}){SLICED}[ \t]*$"
        );
        let Ok(pattern) = regex(&pattern) else { return Vec::new() };
        let named = pattern.captures_iter(&self.code).filter(|captures| {
            let at = captures.get(0).map_or(0, |whole| whole.start());
            !self.in_function(at)
        });
        named.filter_map(|captures| Some(regex::escape(captures.name("name")?.as_str()))).collect()
    }

    /// True if a position is in the body of a function: gofmt ends one with a brace at the margin.
    fn in_function(&self, at: usize) -> bool {
        let before = self.code.get(..at).unwrap_or_default();
        let open = before.rfind("\nfunc ").map_or(0, |at| at + 1);
        before.get(open..).is_some_and(|text| text.starts_with("func ") && !text.contains("\n}"))
    }

    /// `others` are names that packages of the project give to a table; another value for such a name changes no table.
    fn change(
        &self,
        others: &[String],
        all: &[ScannedSource<'_>],
        names: &[String],
    ) -> Option<usize> {
        if self.linked {
            return Some(0);
        }
        let tables: Vec<_> = self.tables.iter().chain(others).cloned().collect();
        if tables.is_empty() {
            return None;
        }
        let code = &self.code;
        let whole = format!("(?:{})", tables.join("|"));
        let taken = regex(&format!(r"(?:^|[^&])&({whole})")).ok();
        let taken = taken.and_then(|taken| Some(taken.captures(code)?.get(1)?.start()));
        // Inside the package and with a dot import, a function may use the same name for something of its own.
        let own = |at: &usize| {
            let name: String =
                code[*at..].chars().take_while(|symbol| symbol.is_alphanumeric()).collect();
            !names.contains(&name) || !self.declares(*at, &name)
        };
        let changed = Mutation::of(&self.tables, true).every(code).into_iter().filter(own);
        let changed = changed.chain(Mutation::of(others, false).every(code)).min();
        let found = [changed, taken, self.through_a_name(&whole), self.by_a_function(&whole, all)];
        found.into_iter().flatten().min()
    }

    /// True if the function around `at` declares `name` before it.
    fn declares(&self, at: usize, name: &str) -> bool {
        let before = self.code.get(..at).unwrap_or_default();
        let open = before.rfind("\nfunc ").unwrap_or(0);
        let text = before.get(open..).unwrap_or_default();
        let pattern =
            format!(r"\bvar[ \t]+{name}\b|\b{name}\b[\w, ]*:=|[(,][ \t]*{name}[ \t]+[\[\]*\w]");
        self.in_function(at) && regex(&pattern).is_ok_and(|pattern| pattern.is_match(text))
            || regex(&format!(r"^{name}[\w, ]*:=")).is_ok_and(|own| own.is_match(&self.code[at..]))
    }

    /// A change by way of another name, from where the name is given to the end of the function.
    fn through_a_name(&self, whole: &str) -> Option<usize> {
        let code = &self.code;
        let given = regex(
            r"(?m)(?:^|[;{])[ \t]*(?:(?:var|if|for|switch)[ \t]+)?(?P<names>[\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)(?:[ \t]+[\w.*\[\]]+)?[ \t]*:?=[ \t]*(?P<values>[^\n;]+)",
        )
        .ok()?;
        let member =
            regex(&format!(r"\b(?P<name>\w+):[ \t]*&?{whole}{SLICED}[ \t]*[,}}\n]")).ok()?;
        let table = regex(&format!(r"^&?\(?{whole}{SLICED}\)?[ \t]*\{{?$")).ok()?;
        let mut found = Vec::new();
        for captures in given.captures_iter(code) {
            let (names, values) = (&captures["names"], &captures["values"]);
            let end = captures.get(0)?.end();
            let pairs = names.split(',').zip(values.split(','));
            let names = pairs.filter(|(_, value)| table.is_match(value.trim()));
            let names: Vec<_> = names.map(|(name, _)| regex::escape(name.trim())).collect();
            found.extend(self.changed_after(end, &names, false));
        }
        for captures in member.captures_iter(code) {
            let name = format!(r"\w+\.{}", regex::escape(&captures["name"]));
            found.extend(Mutation::of(&[name], false).every(code));
        }
        found.into_iter().min()
    }

    /// Returns the position at which one of `names` changes between `start` and the end of the function around it.
    fn changed_after(&self, start: usize, names: &[String], whole: bool) -> Option<usize> {
        let rest = self.code.get(start..)?;
        let scope = if self.in_function(start) {
            rest.get(..rest.find("\n}").unwrap_or(rest.len()))?
        } else {
            rest
        };
        Some(start + Mutation::of(names, whole).first(scope)?)
    }

    /// A call that hands a table to a function of the project which changes what it is given.
    fn by_a_function(&self, whole: &str, all: &[ScannedSource<'_>]) -> Option<usize> {
        let call = regex(&format!(
            r"\b(?P<function>\w+)\((?P<before>(?:[^(),\n]*,)*)[ \t]*(?P<table>{whole}){SLICED}[ \t]*(?:\.\.\.)?[,)]"
        ))
        .ok()?;
        call.captures_iter(&self.code).find_map(|captures| {
            let position = captures["before"].matches(',').count();
            let function = regex::escape(&captures["function"]);
            let header = regex(&format!(
                r"(?m)^func[ \t]+(?:\([^)\n]*\)[ \t]*)?{function}(?:\[[^\]\n]*\])?\((?P<parameters>[^)\n]*)\)"
            ))
            .ok()?;
            let changes = all.iter().any(|source| {
                header.captures_iter(&source.code).any(|found| {
                    let parameter = found["parameters"].split(',').nth(position);
                    let name = parameter.and_then(|parameter| parameter.split_whitespace().next());
                    let end = found.get(0).map_or(0, |whole| whole.end());
                    let name = name.map(|name| [regex::escape(name)]);
                    name.is_some_and(|name| source.changed_after(end, &name, false).is_some())
                })
            });
            changes.then(|| captures.name("table").map(|table| table.start())).flatten()
        })
    }
}
