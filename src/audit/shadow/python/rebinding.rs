//! Statements that assign the name of the module to another value: every form of a target, the dictionary of the names
//! of the package, and a function that supplies missing names of the package.

use super::super::pattern::regex;
use super::loaded::PythonText;
use super::scope::is_local;
use super::tokens::{PythonKind, same_name};
use crate::audit::shadow::module::GeneratedModule;

/// Returns the position of such a statement in `source`. `text` and `code` have unified line endings; `code` has no
/// comments and strings.
pub fn rebinding(
    module: &GeneratedModule<'_>,
    source: &PythonText<'_>,
    text: &str,
    code: &str,
) -> Option<usize> {
    let stem = module.stem;
    let places = [
        as_target(source, code, stem),
        in_dictionary(text, code, stem),
        for_missing_names(module, source, text, code),
    ];
    places.into_iter().flatten().min()
}

fn as_target(source: &PythonText<'_>, code: &str, stem: &str) -> Option<usize> {
    let tokens = &source.tokens;
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let found = (0..tokens.len()).find(|&at| {
        let token = &tokens[at];
        let before = at.checked_sub(1).map_or("", text);
        if token.kind != PythonKind::Name
            || !same_name(token.text, stem)
            || source.is_import[at]
            || matches!(before, "." | "global" | "nonlocal" | "import" | "del")
        {
            return false;
        }
        let first = source.statements.around(at).start;
        let is_captured = text(first) == "case" && !matches!(text(at + 1), "(" | "." | "=");
        let is_target = text(at + 1) == ":="
            || is_captured
            || !matches!(text(at + 1), "." | "[")
                && source.statements.is_target(tokens, &(at..at + 1));
        is_target && !is_local(code, token.at, stem, true)
    });
    found.map(|at| tokens[at].at)
}

/// `globals()["name"] = …` and its relatives; a name may be put together from strings.
fn in_dictionary(text: &str, code: &str, stem: &str) -> Option<usize> {
    let dictionaries = ["globals", "vars", "locals", "__dict__"];
    if !dictionaries.iter().any(|name| code.contains(name)) {
        return None;
    }
    let names = r"(?:\b(?:globals|vars|locals)\s*\(\s*\)|\bf_globals|\bf_locals|\.__dict__)";
    let set = regex(&format!(r"{names}\s*\[(?P<key>[^\]\n]*)\]\s*(?:[-+|&]?=)(?:[^=]|$)")).ok()?;
    let called =
        regex(&format!(r"{names}\s*\.\s*(?:update|setdefault|__setitem__)\s*\((?P<key>[^)\n]*)"));
    let set_key = |key: &str| {
        let joined: String = key.split(['"', '\'', '+', ' ', '(', ')']).collect();
        joined == stem
    };
    let named = regex(&format!(r#"\b{}\b\s*=|["']{0}["']"#, regex::escape(stem))).ok()?;
    let is_code = |at: usize| code.get(at..at + 3) == text.get(at..at + 3);
    let in_sets = set.captures_iter(text).filter(|captures| set_key(&captures["key"]));
    let called = called.ok()?;
    let in_calls = called.captures_iter(text).filter(|captures| named.is_match(&captures["key"]));
    let places = in_sets.chain(in_calls).filter_map(|captures| Some(captures.get(0)?.start()));
    places.filter(|at| is_code(*at)).min()
}

/// `from . import name` asks `__getattr__` of the package before it imports a module. One that refuses or imports names
/// that it does not know is usual.
fn for_missing_names(
    module: &GeneratedModule<'_>,
    source: &PythonText<'_>,
    text: &str,
    code: &str,
) -> Option<usize> {
    if source.path != module.beside("__init__.py") {
        return None;
    }
    let at = regex(r"(?m)^(?:async[ \t]+)?def[ \t]+__getattr__\b|^__getattr__[ \t]*=").ok()?;
    let at = at.find(code)?.start();
    let rest = code.get(at..)?;
    let end = rest
        .match_indices('\n')
        .map(|(end, _)| end + 1)
        .find(|end| rest[*end..].starts_with(|first: char| !first.is_whitespace() && first != ')'));
    let body = at..at + end.unwrap_or(rest.len());
    let refuses = ["AttributeError", "import_module", "__import__"];
    let refuses = refuses.iter().any(|word| code[body.clone()].contains(word));
    let named = text.get(body)?.contains(module.stem);
    (named || !refuses).then_some(at)
}

/// Returns the position at which an archive becomes a directory for imports: aos does not read archives.
#[must_use]
pub fn archive(text: &str) -> Option<usize> {
    if !["zip", "whl", "egg", "pyz"].iter().any(|ending| text.contains(ending)) {
        return None;
    }
    let pattern = regex(
        r"(?m)^[^#\n]*\b(?:sys\.path\b|addsitedir\b|PYTHONPATH\b)[^\n]*\.(?:zip|whl|egg|pyz)\b",
    );
    pattern.ok()?.find(text).map(|found| found.start())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::super::masked::{Syntax, masked};
    use super::*;
    use crate::contract::ProjectFiles;

    fn is_found(path: &str, text: &str) -> bool {
        let repository = ProjectFiles::default();
        let none = BTreeSet::new();
        let module =
            GeneratedModule::at(Path::new("/nowhere"), &repository, "p/contract_gen.py", &none);
        let code = masked(text, Syntax::Python);
        rebinding(&module, &PythonText::of(path, text), text, &code).is_some()
    }

    #[test]
    fn every_way_to_give_the_name_to_something_else_is_found() {
        for text in [
            "for contract_gen in [1]:\n    pass\n",
            "with f() as contract_gen:\n    pass\n",
            "if (contract_gen := f()):\n    pass\n",
            "match f():\n    case contract_gen:\n        pass\n",
            "match f():\n    case [contract_gen, _]:\n        pass\n",
            "try:\n    f()\nexcept E as contract_gen:\n    pass\n",
            "a, contract_gen = f()\n",
            "def f():\n    global contract_gen\n    contract_gen = 1\n",
            "globals()['contract_gen'] = 1\n",
            "globals()['contract' + '_gen'] = 1\n",
            "globals().update(contract_gen=1)\n",
            "vars()[\"contract_gen\"] = 1\n",
            "locals().setdefault('contract_gen', 1)\n",
            "sys._getframe().f_globals['contract_gen'] = 1\n",
            "sys.modules[__name__].__dict__['contract_gen'] = 1\n",
            "def __getattr__(name):\n    return Fake()\n",
            "def __getattr__(name):\n    if name == 'contract_gen':\n        return 1\n    raise AttributeError\n",
        ] {
            assert!(is_found("p/__init__.py", text), "{text}");
        }
        for text in [
            "from . import contract_gen\nx = contract_gen.CODES\n",
            "from . import contract_gen as contract_gen\n",
            "from . import (\n    contract_gen as contract_gen,\n)\n",
            "def f():\n    for contract_gen in [1]:\n        pass\n",
            "f(contract_gen=1)\n",
            "x = globals()['contract_gen']\n",
            "globals()['other'] = 1\n",
            "# globals()['contract_gen'] = 1\n",
            "match f():\n    case contract_gen.A:\n        pass\n",
            "def __getattr__(name):\n    if name in LAZY:\n        return 1\n    raise AttributeError(name)\n",
            "class A:\n    def __getattr__(self, name):\n        return 1\n",
        ] {
            assert!(!is_found("p/__init__.py", text), "{text}");
        }
        assert!(!is_found("p/other.py", "def __getattr__(name):\n    return 1\n"));
        assert!(archive("sys.path.insert(0, 'x.zip')\n").is_some());
        assert!(archive("export PYTHONPATH=lib/x.whl\n").is_some());
        assert_eq!(archive("# sys.path.insert(0, 'x.zip')\nsys.path.insert(0, 'x')\n"), None);
    }
}
