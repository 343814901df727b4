//! The uses of a module object: only imports and reads of its names are known to change nothing.
//!
//! Everything else counts, because a module that is passed on, stored or renamed can be changed under any name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::imports::{ImportedName, last};
use super::loaded::PythonText;
use super::scope::is_bound;
use super::statements::after_parts;
use super::tokens::{PythonKind, PythonToken, same_name};

/// Members that describe a module.
const DESCRIPTIONS: &[&str] = &["__name__", "__file__", "__doc__", "__all__", "__version__"];
/// Functions that only look at their argument.
const READERS: &[&str] = &["hasattr", "dir", "isinstance", "id", "repr", "print"];
/// Functions that copy what they are given.
const COPIES: &[&str] =
    &["list", "sorted", "set", "tuple", "len", "iter", "dict", "frozenset", "enumerate"];

/// Modules that no code may change.
pub struct Guarded<'a> {
    /// The package that the modules are in, when they are known by it and not by their own names.
    pub package: Option<&'a str>,
    /// Names of the modules; in a package with the names of the packages between, `a.b`.
    pub stems: BTreeSet<String>,
}

/// Names for the modules in one file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ModuleNames {
    pub modules: BTreeSet<String>,
    /// The module of the package that each name refers to; empty for the package itself.
    paths: BTreeMap<String, String>,
    /// The names that were imported from a module of a package.
    pub members: BTreeSet<String>,
    /// Other files of the project, with the names that the modules have there.
    pub through: BTreeMap<String, BTreeSet<String>>,
}

impl Guarded<'_> {
    fn is_stem(&self, name: &str) -> bool {
        let is_alike = || self.stems.iter().any(|stem| same_name(name, stem));
        self.stems.contains(name) || !name.is_ascii() && is_alike()
    }

    /// Returns the module that an import names, if it names one.
    fn module(&self, import: &ImportedName<'_>) -> Option<String> {
        let Some(package) = self.package else {
            return self.is_stem(last(&import.name)).then(String::new);
        };
        let path = format!("{}.{}", import.origin, import.name);
        let mut parts = path.split('.').skip_while(|part| *part != package);
        parts.next()?;
        let inner = parts.collect::<Vec<_>>().join(".");
        (inner.is_empty() || self.is_stem(&inner)).then_some(inner)
    }

    /// Returns the names that one file imports itself.
    #[must_use]
    pub fn names(&self, source: &PythonText<'_>) -> ModuleNames {
        let mut names = ModuleNames::default();
        for import in &source.imports {
            let is_plain = import.origin.is_empty() && import.alias != import.name;
            let first = import.name.split('.').next().unwrap_or_default();
            if let Some(path) = self.module(import) {
                // `import a.b` gives `a` and not `b`.
                if !(is_plain && import.alias == first) {
                    names.modules.insert(import.alias.to_owned());
                    names.paths.insert(import.alias.to_owned(), path);
                }
            } else if self
                .package
                .is_some_and(|package| import.origin.split('.').any(|part| part == package))
            {
                names.members.insert(import.alias.to_owned());
            }
        }
        names
    }

    /// Adds the names that a file gets by way of others; says whether there were new ones.
    pub fn spread(
        &self,
        source: &PythonText<'_>,
        all: &BTreeMap<String, ModuleNames>,
        own: &mut ModuleNames,
    ) -> bool {
        let before = own.clone();
        for import in &source.imports {
            let origin = source.origin(&import.origin);
            let given = all.get(&origin).map(|names| &names.modules);
            if let Some(given) = given.filter(|_| !import.origin.is_empty()) {
                match import.name.as_str() {
                    "*" => own.modules.extend(given.iter().cloned()),
                    name if given.contains(name) => {
                        own.modules.insert(import.alias.to_owned());
                    }
                    _ => {}
                }
            }
            if let Some(given) = all.get(last(&import.name)).map(|names| &names.modules)
                && !given.is_empty()
                && self.module(import).is_none()
            {
                own.through.insert(last(import.alias).to_owned(), given.clone());
            }
        }
        *own != before
    }

    /// Returns the positions at which `source` does more than read a name of a module.
    #[must_use]
    pub fn changes(&self, source: &PythonText<'_>, names: &ModuleNames) -> Vec<usize> {
        let tokens = &source.tokens;
        let starts = (0..tokens.len()).filter(|at| !source.is_import[*at]);
        let found = starts.filter(|at| {
            self.module_at(source, names, *at).is_some_and(|part| !self.is_read(source, &part))
                || self.is_patched(source, names, *at)
        });
        let inside =
            (!names.modules.is_empty() || !names.members.is_empty()) && self.package.is_none();
        found.chain(self.by_text(source, inside)).map(|at| tokens[at].at).collect()
    }

    /// The tokens of an expression that starts or ends at `at` and evaluates to a module.
    fn module_at(
        &self,
        source: &PythonText<'_>,
        names: &ModuleNames,
        at: usize,
    ) -> Option<Range<usize>> {
        let tokens = &source.tokens;
        let token = &tokens[at];
        if token.kind != PythonKind::Name {
            return None;
        }
        let before = |steps: usize| at.checked_sub(steps).map(|before| &tokens[before]);
        let after_dot = before(1).is_some_and(|before| before.is("."));
        let receiver = before(2).filter(|_| after_dot);
        let is_own = receiver.is_some_and(|receiver| receiver.is("self") || receiver.is("cls"));
        let is_module = match (after_dot, self.package) {
            (false, _) => names.modules.iter().any(|name| same_name(token.text, name)),
            (true, _) if is_own => false,
            (true, None) if self.is_stem(token.text) => true,
            (true, Some(package)) if token.text == package => true,
            (true, _) => {
                let given = receiver.and_then(|receiver| names.through.get(receiver.text));
                given.is_some_and(|given| given.contains(token.text))
            }
        };
        if !is_module || !after_dot && self.is_other(source, at) {
            return None;
        }
        let mut start = at;
        while start >= 2 && tokens[start - 1].is(".") && tokens[start - 2].kind == PythonKind::Name
        {
            start -= 2;
        }
        let mut end = at + 1;
        // A module in a package of the runtime.
        let mut path = names.paths.get(token.text).cloned().unwrap_or_default();
        while self.package.is_some() && tokens.get(end).is_some_and(|token| token.is(".")) {
            let next = tokens.get(end + 1).map_or("", |token| token.text);
            path = if path.is_empty() { next.to_owned() } else { format!("{path}.{next}") };
            if !self.is_stem(&path) {
                break;
            }
            end += 2;
        }
        Some(start..end)
    }

    /// True if the name at `at` is not the module: a parameter, a keyword of a call, a variable of the function.
    fn is_other(&self, source: &PythonText<'_>, at: usize) -> bool {
        let tokens = &source.tokens;
        let before = at.checked_sub(1).map_or("", |before| tokens[before].text);
        let after = tokens.get(at + 1).map_or("", |after| after.text);
        let is_keyword = tokens[at].depth > 0 && after == "=" && matches!(before, "(" | ",");
        is_keyword
            || before == "lambda"
            || source.statements.is_parameter(tokens, at)
            || !source.statements.in_header(at) && {
                let stems: Vec<_> = self.stems.iter().map(|stem| last(stem)).collect();
                is_bound(&source.code, tokens[at].at, tokens[at].text, &stems)
            }
    }

    /// True if the module `part` is only read.
    fn is_read(&self, source: &PythonText<'_>, part: &Range<usize>) -> bool {
        let tokens = &source.tokens;
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let mut closed = part.end;
        while matches!(text(closed), ")" | "]") {
            closed += 1;
        }
        let is_whole = matches!(text(part.end), "," | ")" | "]" | "=" | ":" | "in" | "\n" | "")
            && !matches!(text(closed), "." | "[" | "(");
        if is_whole && source.statements.is_target(tokens, part) {
            // The name gets another value, or goes; `stand_in` looks at the name of the module itself.
            return part.len() == 1;
        }
        if text(part.end) == "." {
            let member = text(part.end + 1);
            let whole = part.start..after_parts(tokens, part.end);
            let is_plain = !member.starts_with("__") || DESCRIPTIONS.contains(&member);
            return is_plain && !source.statements.is_target(tokens, &whole);
        }
        if matches!(text(part.end), "is" | "==" | "!=") {
            return true;
        }
        let opens = part.start.checked_sub(1).filter(|open| tokens[*open].is("("));
        let Some(function) = opens.and_then(|open| open.checked_sub(1)) else { return false };
        let is_first = matches!(text(part.end), ")" | ",");
        match text(function) {
            name if READERS.contains(&name) => is_first,
            "getattr" => {
                let name = tokens.get(part.end + 1).filter(|_| text(part.end) == ",");
                let name = name
                    .filter(|token| token.kind == PythonKind::Text && text(part.end + 2) != "+");
                name.is_some_and(|name| !name.literal().starts_with("__"))
            }
            "vars" => self.is_copied(source, function, part.end),
            _ => false,
        }
    }

    /// True if the names of a module, `vars(…)` that starts at `start`, are copied or looked up.
    fn is_copied(&self, source: &PythonText<'_>, start: usize, end: usize) -> bool {
        let tokens = &source.tokens;
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        if text(end) != ")" {
            return false;
        }
        let whole = start..after_parts(tokens, end + 1);
        let before = start.checked_sub(1).map_or("", text);
        let called = start.checked_sub(2).map_or("", text);
        let is_argument = before == "(" && COPIES.contains(&called) && text(end + 1) == ")";
        let is_looked_up = text(end + 1) == "."
            && matches!(text(end + 2), "items" | "keys" | "values" | "get" | "copy")
            || text(end + 1) == "[" && !source.statements.is_target(tokens, &whole);
        is_argument || is_looked_up || before == "in" || before == "**"
    }

    /// True if a member of something that was imported from a module is assigned.
    fn is_patched(&self, source: &PythonText<'_>, names: &ModuleNames, at: usize) -> bool {
        let tokens = &source.tokens;
        let token = &tokens[at];
        let is_member = at.checked_sub(1).is_some_and(|before| tokens[before].is("."));
        if token.kind != PythonKind::Name || is_member || !names.members.contains(token.text) {
            return false;
        }
        let whole = at..after_parts(tokens, at + 1);
        whole.len() > 1
            && tokens[at + 1].is(".")
            && source.statements.is_target(tokens, &whole)
            && !self.is_other(source, at)
    }

    /// Code in a string that names the module, and the names of a function's module.
    fn by_text(&self, source: &PythonText<'_>, inside: bool) -> Vec<usize> {
        let tokens = &source.tokens;
        let names_it = |token: &PythonToken<'_>| {
            token.kind == PythonKind::Text
                && token
                    .text
                    .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                    .any(|word| self.is_stem(word))
        };
        let is_found = |at: &usize| {
            let token = &tokens[*at];
            if token.kind != PythonKind::Name {
                return false;
            }
            let runs = matches!(token.text, "exec" | "eval" | "compile")
                && tokens.get(at + 1).is_some_and(|next| next.is("("));
            runs && self.package.is_none() && tokens.get(at + 2).is_some_and(names_it)
                || inside && matches!(token.text, "__globals__" | "f_globals" | "get_referents")
        };
        (0..tokens.len()).filter(is_found).collect()
    }
}
