//! Imports of a Python source, in every form and place.

use super::tokens::{PythonKind, PythonToken};

/// One imported name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportedName<'t> {
    /// The module that a `from` names, with its dots; empty without a `from`.
    pub origin: String,
    /// The name; without a `from`, it can have dots.
    pub name: String,
    /// The name that it gets here; the first part of a dotted one.
    pub alias: &'t str,
}

/// Every import, and which tokens belong to them.
#[must_use]
pub fn imports<'t>(tokens: &[PythonToken<'t>]) -> (Vec<ImportedName<'t>>, Vec<bool>) {
    let mut imports = Vec::new();
    let mut is_import = vec![false; tokens.len()];
    let mut at = 0;
    while at < tokens.len() {
        let is_member = at.checked_sub(1).is_some_and(|before| tokens[before].is("."));
        let start = at;
        let origin = match tokens[at].text {
            _ if is_member || tokens[at].kind != PythonKind::Name => None,
            "import" => Some(String::new()),
            "from" => {
                let end = (at + 1..tokens.len()).find(|end| {
                    let token = &tokens[*end];
                    token.is("import") || token.kind == PythonKind::End || token.is(";")
                });
                end.filter(|end| tokens[*end].is("import")).map(|end| {
                    at = end;
                    tokens[start + 1..end].iter().map(|token| token.text).collect()
                })
            }
            _ => None,
        };
        at += 1;
        let Some(origin) = origin else { continue };
        let base = tokens[start].depth;
        let ends = |token: &PythonToken<'_>| {
            token.kind == PythonKind::End || token.depth == base && token.is(";")
        };
        while at < tokens.len() && !ends(&tokens[at]) {
            match tokens[at].text {
                "(" | ")" | "," => at += 1,
                _ => at = item(tokens, at, &origin, &mut imports),
            }
        }
        is_import[start..at].fill(true);
    }
    (imports, is_import)
}

/// One name of a list; returns the position after it.
fn item<'t>(
    tokens: &[PythonToken<'t>],
    start: usize,
    origin: &str,
    imports: &mut Vec<ImportedName<'t>>,
) -> usize {
    let mut at = start;
    let mut name = String::new();
    while let Some(token) = tokens.get(at) {
        let is_part =
            token.is(".") || token.is("*") || token.kind == PythonKind::Name && !token.is("as");
        if !is_part {
            break;
        }
        name.push_str(token.text);
        at += 1;
    }
    let mut alias = tokens[start].text;
    if tokens.get(at).is_some_and(|token| token.is("as")) {
        alias = tokens.get(at + 1).map_or(alias, |token| token.text);
        at += 2;
    }
    imports.push(ImportedName { origin: origin.to_owned(), name, alias });
    at.max(start + 1).min(tokens.len())
}

/// The last part of a dotted name.
#[must_use]
pub fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn imports_of_every_form_are_found() {
        for (code, expected) in [
            ("import a", "|a|a"),
            ("import os; import a.b as c", "|os|os |a.b|c"),
            ("if x: from . import c as d", ".|c|d"),
            ("from .a import (  # why\n  b as c,\n  d,\n)", ".a|b|c .a|d|d"),
            ("from . \\\n import b", ".|b|b"),
            ("from ...a.b import *", "...a.b|*|*"),
            ("# x\rfrom . import c\r", ".|c|c"),
            ("yield from a\nraise b from c", ""),
            ("x.imports = 'import a'", ""),
        ] {
            let tokens = tokens(code);
            let found = imports(&tokens).0;
            let shown = found.iter().map(|i| format!("{}|{}|{}", i.origin, i.name, i.alias));
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{code}");
        }
        for hostile in
            ["import", "from", "import as", "from . import (", "import a as", "import ,;,"]
        {
            let _ = imports(&tokens(hostile));
        }
    }
}
