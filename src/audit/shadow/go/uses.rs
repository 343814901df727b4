//! What Go code does with a table of the module: reads are known by their form, and everything else counts.
//!
//! A table may be indexed, ranged over, measured, compared, given to a function that only reads it, and get a local name
//! that is used in the same way.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::Module;
use super::tokens::{Kind, Token, closing, opening, tokens};

/// How far a table is followed from name to name and function to function.
const MAX_STEPS: usize = 8;
/// Packages whose functions change no argument that is a map or a slice.
const READING_PACKAGES: [&str; 6] = ["fmt", "strings", "errors", "log", "slog", "cmp"];
/// Functions of other packages that only read, and one that copies.
const READERS: [(&str, &[&str]); 5] = [
    ("maps", &["Keys", "Values", "All", "Clone", "Equal", "EqualFunc"]),
    (
        "slices",
        &[
            "Contains",
            "ContainsFunc",
            "Index",
            "IndexFunc",
            "Equal",
            "EqualFunc",
            "Compare",
            "CompareFunc",
            "Clone",
            "Values",
            "All",
            "Backward",
            "BinarySearch",
            "BinarySearchFunc",
            "Max",
            "MaxFunc",
            "Min",
            "MinFunc",
            "Concat",
            "IsSorted",
            "IsSortedFunc",
            "Repeat",
        ],
    ),
    ("sort", &["SearchStrings", "SearchInts", "StringsAreSorted", "IsSorted", "SliceIsSorted"]),
    ("reflect", &["DeepEqual", "TypeOf"]),
    ("json", &["Marshal", "MarshalIndent"]),
];
/// Methods of other packages that only read their arguments.
const READING_METHODS: [&str; 12] = [
    "Encode", "Print", "Printf", "Println", "Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf",
    "Info", "Debug",
];
const BUILTINS: [&str; 6] = ["len", "cap", "print", "println", "min", "max"];

/// One Go source.
pub struct Source<'t> {
    pub path: &'t str,
    pub tokens: Vec<Token<'t>>,
    /// Names of imported packages here, with the last part of their paths.
    imports: BTreeMap<&'t str, &'t str>,
    /// How the package of the module is named here; empty for its own files and dot imports.
    qualifiers: BTreeSet<&'t str>,
}

/// Every source of a project, and the tables of the module.
pub struct Tables<'t> {
    pub sources: Vec<Source<'t>>,
    names: BTreeSet<&'t str>,
    /// Parameters that were looked at already: source and position of the function, position of the parameter.
    known: RefCell<BTreeMap<(usize, usize, usize), bool>>,
}

impl<'t> Tables<'t> {
    #[must_use]
    pub fn of(module: &Module<'t>) -> Self {
        let text = module.text();
        let names =
            text.lines().filter_map(|line| line.strip_prefix("var ")?.split_whitespace().next());
        let package = text.lines().find_map(|line| line.strip_prefix("package ")).map(str::trim);
        let sources = module.others(&[".go"]).filter(|(path, _)| !path.ends_with("_test.go"));
        let sources = sources.map(|(path, text)| {
            Source::of(module.directory, package.unwrap_or_default(), path, text)
        });
        Self { sources: sources.collect(), names: names.collect(), known: RefCell::default() }
    }

    /// The first place in each source that does more with a table than to read it.
    #[must_use]
    pub fn changes(&self) -> Vec<(&'t str, usize)> {
        let found = (0..self.sources.len()).filter_map(|number| {
            let source = &self.sources[number];
            let mut places =
                (0..source.tokens.len()).filter_map(|at| source.table(&self.names, at));
            let part = places.find(|part| !self.is_read(number, part.clone(), MAX_STEPS))?;
            Some((source.path, source.tokens[part.start].at))
        });
        found.collect()
    }

    fn is_read(&self, number: usize, mut part: Range<usize>, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        let source = &self.sources[number];
        let tokens = &source.tokens;
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let mut is_sliced = false;
        loop {
            let before = part.start.checked_sub(1);
            let is_wrapped = before.is_some_and(|before| {
                tokens[before].is("(")
                    && text(part.end) == ")"
                    && !before.checked_sub(1).is_some_and(|above| tokens[above].is_value())
            });
            if is_wrapped {
                part = part.start - 1..part.end + 1;
                continue;
            }
            if text(part.end) != "[" {
                break;
            }
            let close = closing(tokens, part.end);
            let inner = tokens.get(part.end + 1..close).unwrap_or_default();
            let depth = tokens[part.end].depth + 1;
            if !inner.iter().any(|token| token.depth == depth && token.is(":")) {
                return self.is_element_read(source, part.start..close + 1);
            }
            is_sliced = true;
            part.end = close + 1;
        }
        let before = part.start.checked_sub(1).map_or("", text);
        let is_address =
            before == "&" && !part.start.checked_sub(2).is_some_and(|at| tokens[at].is_value());
        if is_address || source.is_target(&part) {
            return false;
        }
        let after = text(part.end);
        if before == "range" || matches!(before, "==" | "!=") || matches!(after, "==" | "!=") {
            return true;
        }
        if let Some(names) = source.named(&part) {
            // A name that the function does not declare is one of the package, which others can use.
            let is_local =
                source.function_around(part.start).is_none() || source.declares(names, part.start);
            return names == "_" || is_local && self.is_name_read(number, names, part.end, steps);
        }
        let open = opening(tokens, part.start).filter(|open| tokens[*open].is("("));
        let is_argument = matches!(before, "(" | ",") && matches!(after, "," | ")" | "...");
        match open.filter(|_| is_argument) {
            Some(open) => self.is_argument_read(number, open, &part, is_sliced, steps),
            None => false,
        }
    }

    /// Whether an element, with its members, is only read.
    fn is_element_read(&self, source: &Source<'_>, mut part: Range<usize>) -> bool {
        let tokens = &source.tokens;
        while let Some(token) = tokens.get(part.end) {
            match token.text {
                "." => part.end += 2,
                "[" => part.end = closing(tokens, part.end) + 1,
                _ => break,
            }
        }
        let before = part.start.checked_sub(1);
        let is_address = before.is_some_and(|before| tokens[before].is("&"))
            && !part.start.checked_sub(2).is_some_and(|at| tokens[at].is_value());
        !is_address && !source.is_target(&part)
    }

    /// Whether a local name of a table, from `start` to the end of its function, is only read. A name of the package is
    /// followed in all its files.
    fn is_name_read(&self, number: usize, name: &str, start: usize, steps: usize) -> bool {
        let source = &self.sources[number];
        match source.function_around(start) {
            Some(body) => self.is_read_in(number, name, start..body.end, steps),
            // `changes` follows names of a package.
            None => true,
        }
    }

    fn is_read_in(&self, number: usize, name: &str, range: Range<usize>, steps: usize) -> bool {
        let source = &self.sources[number];
        let tokens = &source.tokens;
        let uses = range.filter(|at| {
            let token = &tokens[*at];
            let before = at.checked_sub(1).map_or("", |before| tokens[before].text);
            let after = tokens.get(at + 1).map_or("", |after| after.text);
            let is_key = after == ":" && matches!(before, "{" | ",");
            token.is(name) && token.kind == Kind::Name && before != "." && !is_key
        });
        let mut uses = uses.filter(|at| !source.is_target(&(*at..at + 1)));
        uses.all(|at| self.is_read(number, at..at + 1, steps))
    }

    fn is_argument_read(
        &self,
        number: usize,
        open: usize,
        part: &Range<usize>,
        is_sliced: bool,
        steps: usize,
    ) -> bool {
        let source = &self.sources[number];
        let tokens = &source.tokens;
        let depth = tokens[open].depth + 1;
        let between = tokens[open + 1..part.start].iter();
        let position = between.filter(|token| token.depth == depth && token.is(",")).count();
        let is_spread = tokens.get(part.end).is_some_and(|after| after.is("..."));
        let Some(function) = source.function_before(open) else { return false };
        let Some((receiver, name)) = function else { return false };
        match receiver {
            None if BUILTINS.contains(&name) => return true,
            None if name == "append" => {
                let has_more = !tokens.get(part.end).is_some_and(|after| after.is(")"));
                return if position == 0 { !is_sliced && has_more } else { is_spread };
            }
            None if name == "copy" => return position == 1,
            None if matches!(name, "delete" | "clear") => return false,
            Some(receiver) => {
                let package = source.imports.get(receiver).copied().unwrap_or_default();
                let readers = READERS.iter().find(|(known, _)| *known == package);
                let is_reader = READING_PACKAGES.contains(&package)
                    || readers.is_some_and(|(_, names)| names.contains(&name))
                    || package == "maps" && name == "Copy" && position == 1;
                if is_reader {
                    return true;
                }
                if readers.is_some() {
                    return false;
                }
            }
            None => {}
        }
        let mut is_known = false;
        for (number, source) in self.sources.iter().enumerate() {
            for found in source.functions(name) {
                is_known = true;
                if !self.is_parameter_read(number, found, position, is_spread, steps) {
                    return false;
                }
            }
        }
        is_known || receiver.is_some() && READING_METHODS.contains(&name)
    }

    fn is_parameter_read(
        &self,
        number: usize,
        function: usize,
        position: usize,
        is_spread: bool,
        steps: usize,
    ) -> bool {
        let key = (number, function, position);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        // A function that calls itself reads as long as nothing else in it writes.
        self.known.borrow_mut().insert(key, true);
        let source = &self.sources[number];
        let is_read =
            source.parameter(function, position).is_some_and(|(name, is_variadic, body)| {
                (!is_variadic || is_spread)
                    && (name == "_" || self.is_read_in(number, name, body, steps))
            });
        self.known.borrow_mut().insert(key, is_read);
        is_read
    }
}

impl<'t> Source<'t> {
    fn of(directory: &'t str, package: &'t str, path: &'t str, text: &'t str) -> Self {
        let tokens = tokens(text);
        let last = directory.rsplit('/').next().unwrap_or_default();
        let own = path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut qualifiers = BTreeSet::new();
        if own == directory {
            qualifiers.insert("");
        }
        let mut imports = BTreeMap::new();
        for (alias, import) in imported(&tokens) {
            let name = import.rsplit('/').next().unwrap_or(import);
            let is_module = name == last && !last.is_empty();
            let usual = if is_module { package } else { name };
            match alias {
                Some(".") if is_module => {
                    qualifiers.insert("");
                }
                alias => {
                    let alias = alias.unwrap_or(usual);
                    imports.insert(alias, name);
                    if is_module {
                        qualifiers.insert(alias);
                    }
                }
            }
        }
        Self { path, tokens, imports, qualifiers }
    }

    /// The tokens of a table that starts at `at`.
    fn table(&self, names: &BTreeSet<&str>, at: usize) -> Option<Range<usize>> {
        let token = &self.tokens[at];
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
        if token.kind != Kind::Name || at.checked_sub(1).is_some_and(|before| text(before) == ".") {
            return None;
        }
        if self.qualifiers.contains(token.text)
            && text(at + 1) == "."
            && names.contains(text(at + 2))
        {
            return Some(at..at + 3);
        }
        let is_key = text(at + 1) == ":" && matches!(at.checked_sub(1).map_or("", text), "{" | ",");
        let is_plain = self.qualifiers.contains("") && names.contains(token.text);
        (is_plain && !is_key && !self.declares(token.text, at)).then_some(at..at + 1)
    }

    /// Whether the function around `at` has a variable or parameter called `name`.
    fn declares(&self, name: &str, at: usize) -> bool {
        let Some(body) = self.function_around(at) else { return false };
        (body.start..=at).any(|place| {
            let token = &self.tokens[place];
            if !token.is(name) {
                return false;
            }
            let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text);
            let before = place.checked_sub(1).map_or("", text);
            let statement = self.statement(place);
            let is_new = self.tokens[place..statement.end]
                .iter()
                .find(|token| !matches!(token.kind, Kind::Name) && !token.is(","))
                .is_some_and(|token| token.is(":="));
            let next = self.tokens.get(place + 1);
            let is_parameter = matches!(before, "(" | ",")
                && next.is_some_and(|next| {
                    next.kind == Kind::Name || matches!(next.text, "[" | "*" | "...")
                })
                && self.tokens[place].depth == self.tokens[body.start].depth + 1;
            before == "var" || is_new || is_parameter
        })
    }

    /// The statement around a token, at the depth of that token.
    fn statement(&self, at: usize) -> Range<usize> {
        let depth = self.tokens[at].depth;
        let ends = |token: &Token<'_>| {
            token.depth < depth
                || token.depth == depth
                    && (token.kind == Kind::End || token.is("{") || token.is("}"))
        };
        let start = (0..at).rev().find(|at| ends(&self.tokens[*at])).map_or(0, |start| start + 1);
        let end = (at..self.tokens.len()).find(|at| ends(&self.tokens[*at]));
        start..end.unwrap_or(self.tokens.len())
    }

    /// Whether `part` gets a value.
    fn is_target(&self, part: &Range<usize>) -> bool {
        let statement = self.statement(part.start);
        let depth = self.tokens[part.start].depth;
        // In brackets, a part is an index or an argument.
        let rest = self.tokens.get(part.end..statement.end).unwrap_or_default();
        let before = &self.tokens[statement.start..part.start];
        let is_left = !before
            .iter()
            .any(|token| token.depth == depth && (token.is_assignment() || token.is("return")));
        let assigned = rest.iter().find(|token| token.depth == depth && !token.is(","));
        let is_list =
            rest.iter().take_while(|token| !(token.depth == depth && token.is_assignment()));
        let is_list = is_list.clone().count() < rest.len()
            && is_list.filter(|token| token.depth == depth && token.is(",")).count() > 0;
        let opens = statement.start.checked_sub(1).map_or("", |open| self.tokens[open].text);
        let in_brackets = matches!(opens, "(" | "[") && !self.is_block(statement.start - 1);
        is_left
            && !in_brackets
            && (assigned.is_some_and(Token::is_assignment)
                && !rest.first().is_some_and(|next| next.is(","))
                || is_list && rest.first().is_some_and(|next| next.is(",")))
    }

    /// Whether the bracket at `open` holds declarations: `var (`.
    fn is_block(&self, open: usize) -> bool {
        open.checked_sub(1).is_some_and(|before| {
            matches!(self.tokens[before].text, "var" | "const") && self.tokens[open].is("(")
        })
    }

    /// The name that gets `part` and nothing else.
    fn named(&self, part: &Range<usize>) -> Option<&'t str> {
        let statement = self.statement(part.start);
        let depth = self.tokens[part.start].depth;
        let opens = statement.start.checked_sub(1).map_or("", |open| self.tokens[open].text);
        if matches!(opens, "(" | "[") && !self.is_block(statement.start - 1) {
            return None;
        }
        if opens == "{" && self.is_literal(statement.start - 1) {
            return None;
        }
        let own = |token: &Token<'_>| token.depth == depth;
        let tokens = &self.tokens[statement.clone()];
        let equals =
            tokens.iter().position(|token| own(token) && matches!(token.text, "=" | ":="))?;
        let equals = statement.start + equals;
        let before = &self.tokens[part.start - 1];
        let after = self.tokens.get(part.end);
        let is_whole = after.is_none_or(|after| {
            after.kind == Kind::End
                || after.is(",")
                || after.is("{")
                || after.is("}")
                || after.is(")")
        });
        if part.start <= equals || !is_whole || !(before.is(",") || part.start - 1 == equals) {
            return None;
        }
        let count = |tokens: &[Token<'_>]| {
            tokens.iter().filter(|token| own(token) && token.is(",")).count()
        };
        let position = count(&self.tokens[equals..part.start]);
        let left = &self.tokens[statement.start..equals];
        let skipped =
            left.iter().position(|token| !matches!(token.text, "var" | "if" | "for" | "switch"));
        let left = left.get(skipped?..)?;
        let target = left.split(|token| own(token) && token.is(",")).nth(position)?;
        // After the name of a variable comes its type.
        let is_variable = skipped != Some(0) || opens == "(";
        match target {
            [name] if name.kind == Kind::Name => Some(name.text),
            [name, ..] if is_variable && name.kind == Kind::Name && !target[1].is(".") => {
                Some(name.text)
            }
            _ => None,
        }
    }

    /// Whether the brace at `open` starts the values of a composite literal and not a block.
    fn is_literal(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1).map(|before| &self.tokens[before]) else {
            return false;
        };
        let statement = self.statement(open);
        let first = self.tokens.get(statement.start).map_or("", |token| token.text);
        let is_block = matches!(
            first,
            "if" | "for"
                | "switch"
                | "select"
                | "func"
                | "else"
                | "case"
                | "default"
                | "go"
                | "defer"
        ) || matches!(before.text, "else" | "{" | ":");
        let holds_function =
            self.tokens[statement.start..open].iter().any(|token| token.is("func"));
        before.is_value() && !is_block && !holds_function && before.kind != Kind::End
    }

    /// The body of the function around a token, with its header.
    fn function_around(&self, at: usize) -> Option<Range<usize>> {
        let start = (0..=at).rev().find(|start| {
            let token = &self.tokens[*start];
            token.depth == 0 && token.is("func")
        })?;
        let body = (start..self.tokens.len()).find(|open| {
            self.tokens[*open].depth == 0 && self.tokens[*open].is("{") && !self.is_type(*open)
        })?;
        let end = closing(&self.tokens, body);
        (at <= end).then_some(start..end)
    }

    fn is_type(&self, open: usize) -> bool {
        open.checked_sub(1)
            .is_some_and(|before| matches!(self.tokens[before].text, "interface" | "struct"))
    }

    /// What is called by the bracket at `open`: receiver or package, and name. The inner option is `None` for what has
    /// no name.
    fn function_before(&self, open: usize) -> Option<Option<(Option<&'t str>, &'t str)>> {
        let mut at = open.checked_sub(1)?;
        if self.tokens[at].is("]") {
            at = opening(&self.tokens, at.checked_sub(1)?)?.checked_sub(1)?;
        }
        let name = &self.tokens[at];
        if name.kind != Kind::Name {
            return Some(None);
        }
        let receiver = at.checked_sub(1).filter(|dot| self.tokens[*dot].is("."));
        let receiver = receiver.map(|dot| dot.checked_sub(1).map_or("", |at| self.tokens[at].text));
        Some(Some((receiver, name.text)))
    }

    /// Positions of the names of functions and methods called `name`.
    fn functions(&self, name: &str) -> Vec<usize> {
        let declared = (1..self.tokens.len()).filter(|at| {
            let token = &self.tokens[*at];
            let before = &self.tokens[at - 1];
            let next = self.tokens.get(at + 1).map_or("", |next| next.text);
            let is_header = token.depth == 0 && token.is(name) && matches!(next, "(" | "[");
            is_header
                && (before.is("func")
                    || before.is(")")
                        && opening(&self.tokens, at - 2).is_some_and(|open| {
                            open.checked_sub(1).is_some_and(|before| self.tokens[before].is("func"))
                        }))
        });
        declared.collect()
    }

    /// The parameter at `position` of the function whose name is at `at`: its name, whether it takes any number of
    /// values, and the body.
    fn parameter(&self, at: usize, position: usize) -> Option<(&'t str, bool, Range<usize>)> {
        let mut open = at + 1;
        if self.tokens.get(open)?.is("[") {
            open = closing(&self.tokens, open) + 1;
        }
        let close = closing(&self.tokens, open);
        let depth = self.tokens.get(open)?.depth + 1;
        let list = self.tokens.get(open + 1..close)?;
        let parts: Vec<_> = list.split(|token| token.depth == depth && token.is(",")).collect();
        let part = parts
            .get(position)
            .or_else(|| parts.iter().rev().find(|part| part.iter().any(|token| token.is("..."))))?;
        let name = part.first().filter(|name| name.kind == Kind::Name)?;
        let is_variadic = part.iter().any(|token| token.depth == depth && token.is("..."));
        let body = (close..self.tokens.len()).find(|open| {
            self.tokens[*open].depth == 0 && self.tokens[*open].is("{") && !self.is_type(*open)
        })?;
        Some((name.text, is_variadic, body..closing(&self.tokens, body)))
    }
}

/// Every import with its own name.
fn imported<'t>(tokens: &[Token<'t>]) -> Vec<(Option<&'t str>, &'t str)> {
    let mut imports = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !(tokens[at].depth == 0 && tokens[at].is("import")) {
            at += 1;
            continue;
        }
        let end = match tokens.get(at + 1) {
            Some(open) if open.is("(") => closing(tokens, at + 1),
            _ => (at..tokens.len())
                .find(|end| tokens[*end].kind == Kind::End)
                .unwrap_or(tokens.len()),
        };
        for place in at + 1..end.min(tokens.len()) {
            let token = &tokens[place];
            if token.kind != Kind::Value {
                continue;
            }
            let before = &tokens[place - 1];
            let is_alias = before.kind == Kind::Name && !before.is("import") || before.is(".");
            imports.push((is_alias.then_some(before.text), token.text.trim_matches(['"', '`'])));
        }
        at = end.max(at + 1);
    }
    imports
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &[(&str, &str)]) -> Vec<String> {
        let names = BTreeSet::from(["Codes", "Keys"]);
        let sources = files
            .iter()
            .map(|(path, text)| Source::of("internal/contract", "contract", path, text));
        let tables = Tables { sources: sources.collect(), names, known: RefCell::default() };
        tables.changes().into_iter().map(|(path, _)| path.to_owned()).collect()
    }

    fn file(body: &str) -> String {
        format!(
            "package x\n\nimport (\n\tm \"maps\"\n\tr \"reflect\"\n\t\"slices\"\n\t\"encoding/json\"\n\t\"example.com/t/internal/contract\"\n)\n\n{body}\n"
        )
    }

    #[test]
    fn everything_but_reads_of_a_table_is_found() {
        for body in [
            "func init() { for _, t := range []map[string]int{contract.Codes} { t[\"a\"] = 1 } }",
            "func init() {\n\tb := box{contract.Codes}\n\tb.m[\"a\"] = 1\n}",
            "func init() {\n\tb := box{\n\t\tall: contract.Codes,\n\t}\n\tb.all[\"a\"] = 1\n}",
            "func table() map[string]int { return contract.Codes }",
            "func init() {\n\tc := codes(contract.Codes)\n\tc[\"a\"] = 1\n}",
            "func init() { codes(contract.Codes).set() }",
            "func init() {\n\tfunc(t map[string]int) { t[\"a\"] = 1 }(contract.Codes)\n}",
            "func put[M ~map[K]V, K comparable, V any](t M, k K, v V) { t[k] = v }\n\nfunc init() { put(contract.Codes, \"a\", 1) }",
            "func put[M any](t M) { x = t }\n\nfunc init() { put[int](contract.Codes) }",
            "func put(\n\tt map[string]int,\n\tk string,\n) {\n\tt[k] = 1\n}\n\nfunc init() {\n\tput(\n\t\tcontract.Codes,\n\t\t\"a\",\n\t)\n}",
            "func set(ts ...map[string]int) { ts[0][\"a\"] = 1 }\n\nfunc init() { set(contract.Codes) }",
            "func init() { _ = slices.Delete(contract.Keys, 0, 1) }",
            "func init() { slices.Sort(contract.Keys) }",
            "func init() { _ = append(contract.Keys[:0], \"a\") }",
            "func init() { m.Copy(contract.Codes, x) }",
            "func init() { r.ValueOf(contract.Codes).SetMapIndex(a, b) }",
            "func init() {\n\tp := contract.Codes\n\t_ = json.Unmarshal(data, &p)\n}",
            "func init() { clear(contract.Codes) }",
            "func init() { contract.Codes[\"a\"] = 1 }",
            "func init() { contract.Codes[\"a\"]++ }",
            "func init() { a, contract.Keys[0] = 1, \"x\" }",
            "func init() { for contract.Keys[0] = range x {\n\t}\n}",
            "func init() { contract.Codes = nil }",
            "func init() { p := &contract.Codes\n\t*p = nil }",
            "func init() { p := &contract.Keys[0]\n\t*p = \"x\" }",
            "func init() {\n\tk := contract.Keys[:]\n\tk[0] = \"x\"\n}",
            "var (\n\ttables = []map[string]int{contract.Codes}\n)",
            "func init() { go func() { ch <- contract.Codes }() }",
            "func init() { s.all = contract.Codes }",
            "func f(t map[string]int) { g(t) }\n\nfunc g(t map[string]int) { delete(t, \"a\") }\n\nfunc init() { f(contract.Codes) }",
            "func init() { x := `\\`; contract.Codes = nil; y := `\\` }",
            "func init() {\n\tcopy(contract.Keys, x)\n}",
            "func init() { sort(contract.Keys) }",
            "func init() { (contract.Codes)[\"a\"] = 1 }",
        ] {
            assert_eq!(changed(&[("x/a.go", &file(body))]), ["x/a.go"], "{body}");
        }
        let inside = "package contract\n\nfunc init() {\n\tfor _, t := range []map[string]int{Codes} {\n\t\tt[\"a\"] = 1\n\t}\n}\n";
        assert_eq!(changed(&[("internal/contract/zz.go", inside)]), ["internal/contract/zz.go"]);
    }

    #[test]
    fn reads_of_a_table_are_no_change() {
        for body in [
            "func f() int { return contract.Codes[\"a\"] }",
            "func f() { if spec, known := contract.Codes[\"a\"]; known { use(spec) } }",
            "func f() { for code, spec := range contract.Codes { use(code, spec) } }",
            "func f() { for i := range contract.Keys {\n\t\tuse(contract.Keys[i])\n\t}\n}",
            "func f() []string { return slices.Sorted(m.Keys(contract.Codes)) }",
            "func f() bool { return slices.Contains(contract.Keys, \"a\") && len(contract.Keys) > 0 }",
            "func f() { own := m.Clone(contract.Codes)\n\town[\"a\"] = 1 }",
            "func f() { keys := append([]string{}, contract.Keys...)\n\tkeys[0] = \"x\" }",
            "func f() []string { return append(contract.Keys, \"x\") }",
            "func f() bool { return contract.Codes == nil }",
            "func f() { c := contract.Codes\n\tuse(c[\"a\"], len(c)) }",
            "func f() { if c := contract.Codes; c != nil {\n\t\tuse(c[\"a\"])\n\t}\n}",
            "var table = contract.Codes",
            "var _ = contract.Codes",
            "func count(t map[string]int) int { return len(t) }\n\nfunc f() int { return count(contract.Codes) }",
            "func count(t []string) int {\n\tif len(t) == 0 {\n\t\treturn 0\n\t}\n\treturn 1 + count(t[1:])\n}\n\nfunc f() int { return count(contract.Keys) }",
            "func all(ts ...string) { use(ts[0]) }\n\nfunc f() { all(contract.Keys...) }",
            "func f() { x := map[string]int{\"a\": contract.Codes[\"a\"]}\n\tx[\"a\"] = 1 }",
            "func f() { x[contract.Keys[0]] = 1 }",
            "// contract.Codes = nil\nvar text = \"contract.Codes = nil\"",
            "func f() { data, err := json.Marshal(contract.Codes)\n\tuse(data, err) }",
            "func f() {\n\tif contract.Codes[\"a\"] == 1 && contract.Codes[\"b\"] == 2 {\n\t\tx[\"y\"]++\n\t}\n}",
            "func f() {\n\tswitch contract.Keys[0] {\n\tcase \"a\":\n\t\tx = 1\n\t}\n}",
            "type t struct{ Codes int }\n\nvar v = t{Codes: 1}",
        ] {
            assert_eq!(changed(&[("x/a.go", &file(body))]), [""; 0], "{body}");
        }
        let inside = "package contract\n\nfunc f(Codes map[string]int) { Codes[\"a\"] = 1 }\n\nfunc g() {\n\tKeys := []string{}\n\tKeys[0] = \"x\"\n}\n";
        assert_eq!(changed(&[("internal/contract/zz.go", inside)]), [""; 0]);
    }
}
