//! Code that changes parts of Python that generated modules use: built-in types and functions, the modules that
//! load modules, names of other frames, and objects by their address. Reads of the same names are usual.

use super::hooks::{chain, is_read};
use super::loaded::PythonText;
use super::statements::{after_parts, closing};
use super::tokens::{PythonKind, PythonToken};

/// Modules with which Python makes and loads modules.
pub(super) const PROTECTED: &[&str] = &[
    "builtins",
    "types",
    "importlib",
    "importlib.util",
    "importlib.machinery",
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "_imp",
    "marshal",
];
/// Names of `builtins` through which values go. Others are added by libraries for translations and debuggers.
pub(super) const BUILT_IN: &[&str] = &[
    "__build_class__",
    "__import__",
    "all",
    "any",
    "bool",
    "bytes",
    "callable",
    "classmethod",
    "compile",
    "delattr",
    "dict",
    "enumerate",
    "eval",
    "exec",
    "filter",
    "float",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "open",
    "property",
    "range",
    "set",
    "setattr",
    "sorted",
    "staticmethod",
    "str",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];
/// Methods that change a dictionary.
pub(super) const CHANGES: &[&str] =
    &["update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__ior__"];
/// Functions of the interpreter's C interface that change objects.
const INTERNAL: &[&str] =
    &["PyObject_Set", "PyObject_Del", "PyDict_", "PyModule_", "PyMapping_", "PyCell_Set"];

/// Returns the position at which `source` changes one of them.
#[must_use]
pub fn altered(source: &PythonText<'_>) -> Option<usize> {
    let tokens = &source.tokens;
    let protected = protected(source);
    let found = (0..tokens.len()).find(|at| {
        !source.is_import[*at]
            && tokens[*at].kind == PythonKind::Name
            && (is_altered_module(source, &protected, *at)
                || is_altered_frame(source, *at)
                || is_by_address(source, *at))
    });
    found.map(|at| tokens[at].at)
}

/// A name for a protected module, and whether that is `builtins`.
fn protected<'t>(source: &PythonText<'t>) -> Vec<(&'t str, bool)> {
    let mut names = vec![("__builtins__", true)];
    for import in &source.imports {
        let whole = match import.origin.is_empty() {
            true => import.name.clone(),
            false => format!("{}.{}", import.origin, import.name),
        };
        if PROTECTED.contains(&whole.as_str()) {
            names.push((import.alias, whole == "builtins"));
        }
    }
    names
}

fn text<'t>(tokens: &[PythonToken<'t>], at: usize) -> &'t str {
    tokens.get(at).map_or("", |token| token.text)
}

/// A member of a protected module that gets a value.
fn is_altered_module(source: &PythonText<'_>, protected: &[(&str, bool)], at: usize) -> bool {
    let tokens = &source.tokens;
    let text = |at: usize| text(tokens, at);
    let before = |steps: usize| at.checked_sub(steps).map_or("", text);
    let Some((_, is_builtins)) = protected.iter().find(|(name, _)| *name == text(at)) else {
        return false;
    };
    if before(1) == "." {
        return false;
    }
    let counts = |name: &str| !*is_builtins || BUILT_IN.contains(&name);
    let named = |at: usize| match tokens.get(at) {
        Some(token) if token.kind == PythonKind::Text => counts(token.literal()),
        _ => true,
    };
    let is_target = |start: usize, end: usize| {
        let whole = start..after_parts(tokens, end);
        whole.len() > end - start && source.statements.is_target(tokens, &whole)
    };
    match text(at + 1) {
        "." if text(at + 2) == "__dict__" => {
            let key = if text(at + 3) == "[" { named(at + 4) } else { true };
            key && !is_read(source, at + 2)
        }
        "." => {
            // `importlib.util` of `import importlib.util` is a module, too.
            let member = if text(at + 3) == "." { text(at + 4) } else { text(at + 2) };
            counts(member) && is_target(at, at + 1)
        }
        "[" => named(at + 2) && is_target(at, at + 1),
        ")" if before(1) == "(" && before(2) == "vars" => {
            is_target(at - 2, at + 2) || text(at + 2) == "." && CHANGES.contains(&text(at + 3))
        }
        "," if before(1) == "(" && matches!(before(2), "setattr" | "delattr") => named(at + 2),
        _ => false,
    }
}

/// A name of another frame or function that gets a value.
fn is_altered_frame(source: &PythonText<'_>, at: usize) -> bool {
    let tokens = &source.tokens;
    let text = |at: usize| text(tokens, at);
    let is_names = matches!(text(at), "f_globals" | "f_builtins");
    if !is_names || at.checked_sub(1).is_none_or(|before| text(before) != ".") {
        return false;
    }
    let whole = chain(tokens, at)..after_parts(tokens, at + 1);
    text(at + 1) == "[" && source.statements.is_target(tokens, &whole)
        || text(at + 1) == "." && CHANGES.contains(&text(at + 2))
}

/// An object that is changed where it is in memory.
fn is_by_address(source: &PythonText<'_>, at: usize) -> bool {
    let tokens = &source.tokens;
    let text = |at: usize| text(tokens, at);
    match text(at) {
        "from_address" | "memmove" | "memset" if text(at + 1) == "(" => {
            let end = closing(tokens, at + 1);
            (at + 2..end).any(|inner| text(inner) == "id" && text(inner + 1) == "(")
        }
        "pythonapi" if text(at + 1) == "." => {
            INTERNAL.iter().any(|start| text(at + 2).starts_with(start))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_python_itself_are_told_from_reads() {
        for code in [
            "import builtins\nbuiltins.frozenset = set",
            "import builtins as b\nb.dict = list",
            "import builtins\nsetattr(builtins, 'dict', list)",
            "import builtins\nsetattr(builtins, name, list)",
            "import builtins\nbuiltins.__dict__['tuple'] = list",
            "import builtins\nbuiltins.__dict__.update(tuple=list)",
            "import builtins\nvars(builtins)['tuple'] = list",
            "import builtins\nvars(builtins).update(tuple=list)",
            "__builtins__['dict'] = list",
            "__builtins__.dict = list",
            "import types as t\nt.__dict__['MappingProxyType'] = dict",
            "import types\nsetattr(types, 'Mapping' + 'ProxyType', dict)",
            "import importlib.util as u\nu.decode_source = f",
            "import importlib.util\nimportlib.util.decode_source = f",
            "from importlib import machinery\nmachinery.PathFinder = F",
            "def t(f, e, a):\n    f.f_globals['COMMANDS'] = {}",
            "frame.f_globals.update(A=1)",
            "import ctypes\nctypes.py_object.from_address(id(X) + 16).value.clear()",
            "import ctypes\nctypes.pythonapi.PyDict_SetItemString(a, b, c)",
        ] {
            assert!(altered(&PythonText::of("a/b.py", code)).is_some(), "{code}");
        }
        for code in [
            "import builtins\nbuiltins._ = gettext",
            "import builtins\nbuiltins.print = rich",
            "import builtins\nsetattr(builtins, '_', f)",
            "import builtins\nbuiltins.__dict__['_'] = f",
            "import builtins\nx = builtins.open\nif name in vars(builtins): pass",
            "import builtins\nnames = dir(builtins)\nx = builtins.__dict__['dict']",
            "import types\nx = types.MappingProxyType({})\ny = types.SimpleNamespace()\ny.a = 1",
            "import importlib.util\nspec = importlib.util.find_spec('a')\nspec.x = 1",
            "import importlib\nm = importlib.import_module('a')",
            "x = frame.f_globals['__name__']\nexec(code, frame.f_globals)",
            "import ctypes\nctypes.c_int.from_address(at)\nctypes.pythonapi.PyErr_CheckSignals()",
            "self.types.x = 1\ntypes = {}\ntypes['a'] = 1",
        ] {
            assert_eq!(altered(&PythonText::of("a/b.py", code)), None, "{code}");
        }
    }
}
