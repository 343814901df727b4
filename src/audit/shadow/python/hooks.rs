//! Code that changes how Python finds, reads or makes modules. Reads of the same names are usual and do not count.

use super::loaded::PythonText;
use super::statements::{after_parts, closing};
use super::tokens::{PythonKind, PythonToken};

/// Lists that say how modules are found.
const LISTS: &[&str] = &["modules", "meta_path", "path_hooks", "path_importer_cache"];
/// Classes that find and read modules.
const LOADERS: &[&str] = &[
    "SourceFileLoader",
    "SourcelessFileLoader",
    "ExtensionFileLoader",
    "FileLoader",
    "SourceLoader",
    "FileFinder",
    "PathFinder",
    "BuiltinImporter",
    "FrozenImporter",
    "ModuleSpec",
];
/// Functions that only read what they are given.
const READERS: &[&str] = &[
    "len",
    "list",
    "set",
    "tuple",
    "dict",
    "sorted",
    "iter",
    "frozenset",
    "any",
    "all",
    "print",
    "str",
    "Path",
    "iter_modules",
    "walk_packages",
    "next",
];
/// Methods that only read.
const LOOKUPS: &[&str] = &["get", "keys", "values", "items", "copy", "index"];

/// Returns the position at which the code of `source` changes how modules are found.
#[must_use]
pub fn hook(source: &PythonText<'_>) -> Option<usize> {
    let tokens = &source.tokens;
    let mut systems = vec!["sys"];
    for import in &source.imports {
        if import.origin.is_empty() && import.name == "sys" {
            systems.push(import.alias);
        }
        if import.origin == "sys" && (LISTS.contains(&import.name.as_str()) || import.name == "*") {
            let at = tokens.iter().position(|token| token.is(&import.name));
            return Some(at.map_or(0, |at| tokens[at].at));
        }
    }
    let found = (0..tokens.len()).find(|at| {
        !source.is_import[*at]
            && tokens[*at].kind == PythonKind::Name
            && is_hook(source, &systems, *at)
    });
    found.map(|at| tokens[at].at)
}

fn is_hook(source: &PythonText<'_>, systems: &[&str], at: usize) -> bool {
    let tokens = &source.tokens;
    let text = |at: usize| tokens.get(at).map_or("", |token: &PythonToken<'_>| token.text);
    let of_system = at >= 2
        && text(at - 1) == "."
        && systems.contains(&text(at - 2))
        && at.checked_sub(3).is_none_or(|before| text(before) != ".");
    let is_changed = |start: usize| {
        let whole = start..after_parts(tokens, at + 1);
        source.statements.is_target(tokens, &whole)
    };
    match tokens[at].text {
        name if LISTS.contains(&name) => of_system && !is_read(source, at),
        "__path__" => !is_read(source, at),
        // As an argument it describes a module that is still to be made.
        "submodule_search_locations" => {
            !(is_read(source, at) || tokens[at].depth > 0 && text(at + 1) == "=")
        }
        "__import__" => text(at + 1) != "(" && is_changed(chain(tokens, at)),
        "MappingProxyType" => text(at + 1) != "(" && is_changed(chain(tokens, at)),
        name if LOADERS.contains(&name) => is_changed(chain(tokens, at)) && text(at + 1) == ".",
        "setattr" | "delattr" if text(at + 1) == "(" => {
            let end = closing(tokens, at + 1);
            let inside = tokens.get(at + 2..end).unwrap_or_default();
            let first = inside.split(|token| token.depth == tokens[at].depth + 1 && token.is(","));
            let first = first.into_iter().next().unwrap_or_default();
            let is_loader = first.last().is_some_and(|token| LOADERS.contains(&token.text));
            let name = inside
                .iter()
                .find(|token| token.kind == PythonKind::Text)
                .map(|token| token.literal());
            let of_python =
                ["__import__", "MappingProxyType", "__path__", "meta_path", "path_hooks"];
            is_loader
                || name.is_some_and(|name| {
                    of_python.contains(&name)
                        || name == "modules"
                            && first.last().is_some_and(|token| systems.contains(&token.text))
                })
        }
        _ => false,
    }
}

/// The first token of `a.b.name` that ends at `at`.
pub fn chain(tokens: &[PythonToken<'_>], mut at: usize) -> usize {
    while at >= 2 && tokens[at - 1].is(".") && tokens[at - 2].kind == PythonKind::Name {
        at -= 2;
    }
    at
}

/// True if the list that is named at `at` is only read.
pub fn is_read(source: &PythonText<'_>, at: usize) -> bool {
    let tokens = &source.tokens;
    let text = |at: usize| tokens.get(at).map_or("", |token: &PythonToken<'_>| token.text);
    let start = chain(tokens, at);
    let end = after_parts(tokens, at + 1);
    if source.statements.is_target(tokens, &(start..end)) {
        return false;
    }
    match text(at + 1) {
        "[" => return true,
        "." => return LOOKUPS.contains(&text(at + 2)),
        "in" | "==" | "!=" | "is" => return true,
        _ => {}
    }
    let before = start.checked_sub(1).map_or("", text);
    let function = start.checked_sub(2).map_or("", text);
    before == "in" || before == "(" && READERS.contains(&function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_how_modules_are_found_are_told_from_reads() {
        for code in [
            "from sys import modules",
            "import sys\nsys.modules['a'] = b",
            "import sys as s\ns.modules['a'] = b",
            "import sys\nsys.modules |= {'a': b}",
            "import sys\nsys.modules.update(a=b)",
            "import sys\nm = sys.modules",
            "import sys\ndel sys.modules['a']",
            "import sys\nsys.modules[__name__].__class__ = X",
            "import sys\nf(sys.modules)",
            "from sys import meta_path",
            "import sys\nsys.meta_path.insert(0, F)",
            "import sys\nsys.path_hooks[:] = []",
            "__path__ = []",
            "__path__: list = []",
            "__path__, x = [], 1",
            "p = __path__",
            "__path__.insert(0, 'x')",
            "__path__ += ['x']",
            "__spec__.submodule_search_locations.insert(0, 'x')",
            "__spec__.submodule_search_locations = ['x']",
            "SourceFileLoader.get_data = f",
            "importlib.machinery.SourceFileLoader.get_data = f",
            "setattr(SourceFileLoader, 'get_data', f)",
            "builtins.__import__ = f",
            "setattr(builtins, '__import__', f)",
            "types.MappingProxyType = dict",
        ] {
            assert!(hook(&PythonText::of("a/b.py", code)).is_some(), "{code}");
        }
        for code in [
            "import sys\nif 'a' in sys.modules: pass",
            "import sys\nm = sys.modules['a']",
            "import sys\nm = sys.modules.get('a')",
            "import sys\nfor m in list(sys.modules.values()): pass",
            "import sys\nold = set(sys.modules)",
            "x.modules['a'] = b",
            "modules = []\nmodules.append(1)",
            "for m in pkgutil.iter_modules(__path__, __name__ + '.'): pass",
            "for m in pkgutil.iter_modules(commands.__path__): pass",
            "for p in __path__: pass",
            "p = Path(__path__[0])",
            "l = SourceFileLoader('a', 'b').load_module()",
            "class L(SourceFileLoader): pass",
            "s = spec_from_file_location('a', 'b', submodule_search_locations=['c'])",
            "m = __import__('a')",
            "m = MappingProxyType({})",
            "setattr(self, 'modules', 1)",
            "sys.path.insert(0, 'x')",
            "# sys.modules['a'] = b\nx = 'sys.meta_path.insert(0)'",
        ] {
            assert_eq!(hook(&PythonText::of("a/b.py", code)), None, "{code}");
        }
    }
}
