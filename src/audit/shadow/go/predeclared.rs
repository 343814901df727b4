//! Declarations of the package that redefine predeclared words of Go that the module uses.

use std::collections::BTreeSet;

use crate::contract::Finding;

use super::tokens::{GoKind, GoToken, tokens};
use crate::audit::shadow::module::GeneratedModule;

/// Words that Go declares for every package, and that a package can declare again.
const PREDECLARED: &[&str] = &[
    "any",
    "append",
    "bool",
    "byte",
    "cap",
    "clear",
    "close",
    "comparable",
    "complex",
    "complex128",
    "complex64",
    "copy",
    "delete",
    "error",
    "false",
    "float32",
    "float64",
    "imag",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "iota",
    "len",
    "make",
    "max",
    "min",
    "new",
    "nil",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "rune",
    "string",
    "true",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let text = module.text();
    let used: BTreeSet<&str> = tokens(text)
        .iter()
        .filter(|token| token.kind == GoKind::Name && PREDECLARED.contains(&token.text))
        .map(|token| token.text)
        .collect();
    for (path, text) in module.others(&[".go"]).filter(|(path, _)| !path.ends_with("_test.go")) {
        let inside = path.rsplit_once('/').map_or("", |(above, _)| above) == module.directory;
        if inside && let Some(at) = declared(&tokens(text), &used) {
            let why = "it redefines a predeclared name of Go that is used in";
            found.push(module.amended_by(path, text, at, why));
        }
    }
}

/// The first declaration of the package, outside functions, of one of `names`.
fn declared(tokens: &[GoToken<'_>], names: &BTreeSet<&str>) -> Option<usize> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut group = false;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", text);
        if token.depth == 0 {
            let is_head = matches!(token.text, "const" | "var" | "type" | "func" | "import");
            if is_head && token.kind == GoKind::Name {
                group = text(at + 1) == "(" && !matches!(token.text, "func" | "import");
            }
        }
        if token.kind != GoKind::Name || !names.contains(token.text) {
            continue;
        }
        let is_single = token.depth == 0 && matches!(before, "const" | "var" | "type" | "func");
        let starts = |before: &str| matches!(before, "(" | "\n" | ";");
        let is_grouped = group && token.depth == 1 && starts(before);
        // `var a, true = …`
        let is_listed = token.depth == usize::from(group) && before == "," && {
            let start = tokens[..at].iter().rposition(|token| token.kind == GoKind::End);
            let between = &tokens[start.map_or(0, |start| start + 1)..at];
            !between.iter().any(|token| token.is("=") || token.is("func") || token.is("return"))
                && (group
                    || between.first().is_some_and(|first| matches!(first.text, "const" | "var")))
        };
        if is_single || is_grouped || is_listed {
            return Some(token.at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_meanings_for_words_of_the_language_are_found() {
        let names = BTreeSet::from(["true", "false", "string", "len"]);
        for code in [
            "package contract\n\nconst true = false\n",
            "package contract\n\nconst (\n\ta = 1\n\tfalse = 1 == 1\n)\n",
            "package contract\n\nvar a, true = 1, 2\n",
            "package contract\n\ntype string = []byte\n",
            "package contract\n\nfunc len(x any) int { return 0 }\n",
        ] {
            assert!(declared(&tokens(code), &names).is_some(), "{code}");
        }
        for code in [
            "package contract\n\nfunc f() {\n\ttrue := 1\n\t_ = true\n}\n",
            "package contract\n\nfunc f(len int, b string) bool { return true }\n",
            "package contract\n\nvar a = true\nvar b = f(1, true)\n",
            "package contract\n\nvar (\n\ta string\n\tb = []string{\"x\", \"y\"}\n)\n",
            "package contract\n\ntype T struct {\n\tlen int\n}\n\nfunc (t T) string() string { return \"\" }\n",
            "package contract\n\nfunc max(a, b int) int { return a }\n",
        ] {
            assert_eq!(declared(&tokens(code), &names), None, "{code}");
        }
    }
}
