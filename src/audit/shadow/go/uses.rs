//! The uses of a table of the module in Go code: reads are recognized by their form, and everything else counts as a
//! change.
//!
//! A table may be indexed, ranged over, measured, compared, given to a function that only reads it, and get a local name
//! that is used in the same way.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::source::GoSource;
use super::tokens::{GoKind, closing, opening};
use crate::audit::shadow::module::GeneratedModule;

/// How far a table is followed from name to name and function to function.
const MAX_STEPS: usize = 8;
/// Packages whose functions change no argument that is a map or a slice.
const READING_PACKAGES: &[&str] = &["fmt", "strings", "errors", "log", "slog", "cmp"];
/// Functions of other packages that only read, and one that copies.
const READERS: &[(&str, &[&str])] = &[
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
const READING_METHODS: &[&str] = &[
    "Encode", "Print", "Printf", "Println", "Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf",
    "Info", "Debug",
];
const BUILTINS: &[&str] = &["len", "cap", "print", "println", "min", "max"];

/// Every source of a project, and the tables of the module.
pub struct Tables<'t> {
    pub sources: Vec<GoSource<'t>>,
    names: BTreeSet<&'t str>,
    /// Parameters that were looked at already: source and position of the function, position of the parameter.
    known: RefCell<BTreeMap<(usize, usize, usize), bool>>,
}

impl<'t> Tables<'t> {
    #[must_use]
    pub fn of(module: &GeneratedModule<'t>) -> Self {
        let text = module.text();
        let names =
            text.lines().filter_map(|line| line.strip_prefix("var ")?.split_whitespace().next());
        let package = text.lines().find_map(|line| line.strip_prefix("package ")).map(str::trim);
        let sources = module.others(&[".go"]).filter(|(path, _)| !path.ends_with("_test.go"));
        let sources = sources.map(|(path, text)| {
            GoSource::of(module.directory, package.unwrap_or_default(), path, text)
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

    /// True if an element, with its members, is only read.
    fn is_element_read(&self, source: &GoSource<'_>, mut part: Range<usize>) -> bool {
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

    /// True if a local name of a table, from `start` to the end of its function, is only read. A name of the package is
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
            token.is(name) && token.kind == GoKind::Name && before != "." && !is_key
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
        if receiver.is_none() && source.has_local(name, open) {
            return false;
        }
        let called = self.called(source, receiver, name);
        let mut functions = called.iter();
        let is_read = functions.all(|(number, function)| {
            self.is_parameter_read(*number, *function, position, is_spread, steps)
        });
        if !is_read {
            return false;
        }
        !called.is_empty() || receiver.is_some() && READING_METHODS.contains(&name)
    }

    /// The functions that a call of `name` in `source` can mean, by the number of their file: without a receiver those
    /// of its own package, else methods, and functions of the package that the receiver names.
    fn called(
        &self,
        source: &GoSource<'_>,
        receiver: Option<&str>,
        name: &str,
    ) -> Vec<(usize, usize)> {
        let all = || {
            let sources = self.sources.iter().enumerate();
            sources.flat_map(|(number, source)| {
                source.functions(name).into_iter().map(move |function| (number, function))
            })
        };
        let is_method = |(number, function): &(usize, usize)| {
            !self.sources[*number].tokens[function - 1].is("func")
        };
        let Some(receiver) = receiver else {
            let own = |(number, _): &(usize, usize)| {
                self.sources[*number].directory() == source.directory()
            };
            let functions: Vec<_> = all().filter(|found| !is_method(found)).collect();
            if source.has_dot_import {
                return functions;
            }
            return functions.into_iter().filter(own).collect();
        };
        let package = source.imports.get(receiver).copied();
        let is_of_package = |(number, _): &(usize, usize)| {
            let directory = self.sources[*number].directory();
            package.is_some_and(|package| directory.rsplit('/').next() == Some(package))
        };
        all().filter(|found| is_method(found) || is_of_package(found)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &[(&str, &str)]) -> Vec<String> {
        let names = BTreeSet::from(["Codes", "Keys"]);
        let sources = files
            .iter()
            .map(|(path, text)| GoSource::of("internal/contract", "contract", path, text));
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
    fn a_call_means_the_functions_of_its_package_and_methods() {
        let reads = "func put(t map[string]int) int { return len(t) }\n\n";
        let writes = "package y\n\nfunc (s *S) put(t map[string]int) { t[\"a\"] = 1 }\n\nfunc put(t map[string]int) { t[\"a\"] = 1 }\n";
        let caller = |call: &str| {
            file(&format!("{reads}func f() {{ {call}(contract.Codes) }}"))
                .replace("import (", "import (\n\t\"example.com/t/y\"")
        };
        let judged = |call: &str| changed(&[("x/a.go", &caller(call)), ("y/b.go", writes)]);
        assert_eq!(judged("put"), [""; 0]);
        assert_eq!(judged("y.put"), ["x/a.go"]);
        assert_eq!(judged("store.put"), ["x/a.go"]);
        // A variable hides the function, and so does a parameter.
        for function in [
            "func f() {\n\tput := func(t map[string]int) { t[\"a\"] = 1 }\n\tput(contract.Codes)\n}",
            "func f(put func(map[string]int)) { put(contract.Codes) }",
        ] {
            let text = file(&format!("{reads}{function}"));
            assert_eq!(changed(&[("x/a.go", &text)]), ["x/a.go"], "{function}");
        }
        // A package that is imported with a dot can have the function, too.
        let text = caller("put").replace("\"example.com/t/y\"", ". \"example.com/t/y\"");
        assert_eq!(changed(&[("x/a.go", &text), ("y/b.go", writes)]), ["x/a.go"]);
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
