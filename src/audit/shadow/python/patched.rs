//! Code that gives a name of the standard library another value where that changes the generated modules or what the
//! runtime compares: `io.open_code = …`, `hmac.compare_digest = …`.
//!
//! `altered` judges plain statements about `builtins`; here are other ways to that module, and other modules.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::altered::{BUILT_IN, CHANGES, PROTECTED};
use super::hooks::is_read;
use super::loaded::PythonText;
use super::scope::is_bound;
use super::statements::{after_parts, closing};
use super::tokens::{PythonKind, PythonToken};

/// Other guarded modules: those that read and run code, those that generated modules use, and those of digests, with
/// which a tool compares tokens. A program has no reason to change them.
const MORE: &[&str] = &[
    "_codecs",
    "_io",
    "_operator",
    "codecs",
    "encodings",
    "hashlib",
    "hmac",
    "io",
    "nt",
    "operator",
    "pkgutil",
    "posix",
    "runpy",
    "typing",
    "zipimport",
];
/// Functions that give a name of their first argument another value.
const SETTERS: &[&str] = &["setattr", "delattr", "__setattr__", "__delattr__"];

/// How long a name has its other value.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Span {
    /// Until the program ends.
    Lasting,
    /// While one test runs, or inside `with`: what `monkeypatch` and `mock.patch` set.
    Passing,
}

/// Returns the position of a change that lasts until the program ends.
#[must_use]
pub fn patched(source: &PythonText<'_>) -> Option<usize> {
    first(source, Span::Lasting)
}

/// Returns the position of a change that is undone later. Tests may make such changes.
#[must_use]
pub fn patched_for_a_while(source: &PythonText<'_>) -> Option<usize> {
    first(source, Span::Passing)
}

fn first(source: &PythonText<'_>, span: Span) -> Option<usize> {
    let names = names(source);
    let tokens = &source.tokens;
    let is_found = |at: &usize| {
        let token = &tokens[*at];
        if source.is_import[*at] || token.kind != PythonKind::Name {
            return false;
        }
        if let Some(found) = by_patch(source, *at) {
            return found == span;
        }
        let is_member = at.checked_sub(1).is_some_and(|before| tokens[before].is("."));
        let is_named = !is_member
            && names.contains_key(token.text)
            && !is_bound(&source.code, token.at, token.text, &[]);
        let found = match is_named {
            true => set(source, *at..*at + 1, names[token.text], false),
            false => by_name(source, *at)
                .and_then(|(end, is_builtins)| set(source, *at..end, true, is_builtins)),
        };
        found == Some(span)
    };
    (0..tokens.len()).find(is_found).map(|at| tokens[at].at)
}

/// Names that a file has for modules of the library, and for what it imports from them; whether it is a module.
fn names<'t>(source: &PythonText<'t>) -> BTreeMap<&'t str, bool> {
    let mut names = BTreeMap::new();
    for import in &source.imports {
        let whole = if import.origin.is_empty() { &import.name } else { &import.origin };
        let first = whole.split('.').next().unwrap_or_default();
        if is_guarded(first) && first != "builtins" && import.alias != "*" {
            names.insert(import.alias, import.origin.is_empty());
        }
    }
    // Another name for the same module.
    let tokens = &source.tokens;
    let mut others = BTreeSet::new();
    for at in 1..tokens.len() {
        let text = |at: usize| tokens.get(at).map_or("", |token: &PythonToken<'_>| token.text);
        let is_name = tokens[at - 1].kind == PythonKind::Name
            && (at == 1 || tokens[at - 2].kind == PythonKind::End || tokens[at - 2].is(";"));
        if !is_name || !tokens[at].is("=") {
            continue;
        }
        let is_module = names.get(text(at + 1)) == Some(&true)
            && tokens.get(at + 2).is_none_or(|end| end.kind == PythonKind::End || end.is(";"));
        let end = by_name(source, at + 1);
        let is_looked_up = end.is_some_and(|(end, is_builtins)| {
            !is_builtins && {
                tokens.get(end).is_none_or(|end| end.kind == PythonKind::End || end.is(";"))
            }
        });
        if is_module || is_looked_up {
            others.insert(tokens[at - 1].text);
        }
    }
    names.extend(others.into_iter().map(|name| (name, true)));
    names
}

fn is_guarded(module: &str) -> bool {
    PROTECTED.contains(&module) || MORE.contains(&module)
}

/// True if libraries set this name of `builtins` for translations and debuggers.
fn is_free(is_builtins: bool, name: &str) -> bool {
    is_builtins && !BUILT_IN.contains(&name)
}

/// The end of `import_module("io")`, `__import__("io")` or `sys.modules["io"]` that starts at `at`, and whether the
/// module is `builtins`.
fn by_name(source: &PythonText<'_>, at: usize) -> Option<(usize, bool)> {
    let tokens = &source.tokens;
    let mut function = at;
    while tokens.get(function + 1)?.is(".") {
        function += 2;
    }
    let name = tokens.get(function)?;
    let open = tokens.get(function + 1)?;
    let is_import = (name.is("import_module") || name.is("__import__")) && open.is("(");
    let is_table = name.is("modules") && open.is("[");
    let argument = tokens.get(function + 2).filter(|_| is_import || is_table)?;
    let first = argument.literal().split('.').next().unwrap_or_default();
    let is_module = argument.kind == PythonKind::Text && is_guarded(first);
    is_module.then(|| (closing(tokens, function + 1) + 1, first == "builtins"))
}

/// The span of `patch("io.open", …)` that starts at `at`.
fn by_patch(source: &PythonText<'_>, at: usize) -> Option<Span> {
    let tokens = &source.tokens;
    let is_call = tokens[at].is("patch") && tokens.get(at + 1).is_some_and(|open| open.is("("));
    let target = tokens.get(at + 2).filter(|token| is_call && token.kind == PythonKind::Text)?;
    let (module, name) = target.literal().split_once('.').unwrap_or_default();
    let is_set = is_guarded(module) && !is_free(module == "builtins", name);
    is_set.then(|| span_of_call(tokens, at + 1))
}

/// The span of a test double made by the call that opens at `open`; one that is started stays.
fn span_of_call(tokens: &[PythonToken<'_>], open: usize) -> Span {
    let end = closing(tokens, open) + 1;
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.is(text));
    if is(end, ".") && is(end + 1, "start") { Span::Lasting } else { Span::Passing }
}

/// Returns the span for which the expression in `range`, a module or what was imported from one, gets another value in
/// one of its names.
fn set(
    source: &PythonText<'_>,
    range: Range<usize>,
    is_module: bool,
    is_builtins: bool,
) -> Option<Span> {
    let tokens = &source.tokens;
    let text = |at: usize| tokens.get(at).map_or("", |token: &PythonToken<'_>| token.text);
    let (mut open, mut close) = (range.start, range.end);
    while text(close) == ")" && open.checked_sub(1).is_some_and(|before| is_group(tokens, before)) {
        open -= 1;
        close += 1;
    }
    let before = |steps: usize| open.checked_sub(steps).map_or("", text);
    let is_free_text = |at: usize| {
        let name = tokens.get(at).filter(|token| token.kind == PythonKind::Text);
        name.is_some_and(|name| is_free(is_builtins, name.literal()))
    };
    let lasting = |is_set: bool| is_set.then_some(Span::Lasting);
    if text(close) == "," && before(1) == "(" {
        let is_method = before(3) == "." && !matches!(before(4), "builtins" | "object");
        return match before(2) {
            _ if is_free_text(close + 1) => None,
            "object" if before(3) == "." && before(4) == "patch" => {
                Some(span_of_call(tokens, open - 1))
            }
            "setattr" | "delattr" if is_method => Some(Span::Passing),
            name => lasting(SETTERS.contains(&name)),
        };
    }
    if is_module && text(close) == ")" && before(1) == "(" && before(2) == "vars" {
        let is_free = text(close + 1) == "[" && is_free_text(close + 2);
        return lasting(!is_free && is_changed(source, open - 2, close + 1));
    }
    let mut at = close;
    let mut last = "";
    while text(at) == "." && tokens.get(at + 1).is_some_and(|name| name.kind == PythonKind::Name) {
        last = text(at + 1);
        at += 2;
        if last == "__dict__" {
            let is_free = text(at) == "[" && is_free_text(at + 1);
            return lasting(!is_free && !is_read(source, at - 1));
        }
    }
    if matches!(last, "__setattr__" | "__delattr__") && text(at) == "(" {
        return lasting(!is_free_text(at + 1));
    }
    let whole: Range<usize> = open..at;
    let is_set = at > close
        && after_parts(tokens, close) == at
        && !is_free(is_builtins, last)
        && source.statements.is_target(tokens, &whole);
    lasting(is_set)
}

/// Whether a bracket opens a group and not a call.
fn is_group(tokens: &[PythonToken<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    tokens[at].is("(")
        && before.is_none_or(|before| {
            before.kind == PythonKind::End || before.is(";") || before.is("=") || before.is(",")
        })
}

/// Whether the dictionary from `start` to `end` is changed.
fn is_changed(source: &PythonText<'_>, start: usize, end: usize) -> bool {
    let tokens = &source.tokens;
    let text = |at: usize| tokens.get(at).map_or("", |token: &PythonToken<'_>| token.text);
    let whole = start..after_parts(tokens, end);
    text(end) == "[" && source.statements.is_target(tokens, &whole)
        || text(end) == "." && CHANGES.contains(&text(end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_the_standard_library_are_told_from_settings_and_reads() {
        for code in [
            "import io\nio.open_code = f",
            "import io as i\ni.open = f",
            "import io\n(io).open = f",
            "import io\ni = io\ni.open = f",
            "import io\nsetattr(io, 'open', f)",
            "import io\nsetattr(io, name, f)",
            "import io\nio.__dict__['open'] = f",
            "import io\nio.__dict__.update(open=f)",
            "import io\nvars(io)['open'] = f",
            "import io\nvars(io).update(open=f)",
            "import io\nio.__setattr__('open', f)",
            "import io, types\ntypes.ModuleType.__setattr__(io, 'open', f)",
            "import io\nfor io.open in [f]: pass",
            "import io\nio.open, x = f, 1",
            "import io\nio.open: object = f",
            "import io\ndel io.open",
            "import hmac\nhmac.compare_digest = lambda a, b: True",
            "import codecs.x\ncodecs.x.f = None",
            "from types import ModuleType\nModuleType.f = f",
            "from importlib import util as e\ne.find_spec = None",
            "if x:\n    import hmac\n    hmac.new = f",
            "def f():\n    import hmac\n    hmac.new = f",
            "__import__('io').open = f",
            "__import__('builtins').open = f",
            "import sys\nsetattr(sys.modules['builtins'], 'dict', f)",
            "import importlib\nimportlib.import_module('io').open = f",
            "import importlib\nm = importlib.import_module('io')\nm.open = f",
            "import sys\nsetattr(sys.modules['io'], 'open', f)",
            "from unittest import mock\nmock.patch('io.open_code', f).start()",
            "import io\nfrom unittest.mock import patch\npatch.object(io, 'open', f).start()",
        ] {
            assert!(patched(&PythonText::of("a/b.py", code)).is_some(), "{code}");
        }
        for code in [
            "import io\nmonkeypatch.setattr(io, 'open', f)",
            "from unittest.mock import patch\nwith patch('builtins.open', f): pass",
            "from unittest import mock\n@mock.patch('io.open')\ndef f(m): pass",
            "import io\nfrom unittest.mock import patch\nwith patch.object(io, 'open'): pass",
        ] {
            let source = PythonText::of("a/b.py", code);
            assert_eq!(
                (patched(&source), patched_for_a_while(&source).is_some()),
                (None, true),
                "{code}"
            );
        }
        for code in [
            "import io\nx = io.open('a')\nx.y = io.StringIO()",
            "import os\nos.environ['A'] = 'b'\nos.environ.update(a='b')",
            "import socket\nmonkeypatch.setattr(socket, 'getaddrinfo', f)",
            "import builtins\nbuiltins._ = gettext\nsetattr(builtins, '_', f)",
            "__import__('builtins').__dict__['_'] = f",
            "import sys\nsys.modules['builtins']._ = f\nvars(sys.modules['builtins'])['_'] = f",
            "from unittest.mock import patch\nwith patch('builtins.input', f): pass",
            "import json\njson.JSONEncoder.default = f",
            "import json.encoder\njson.encoder.c_make_encoder = None",
            "from json import JSONEncoder\nJSONEncoder.default = f",
            "from json import encoder as e\ne.c_make_encoder = None",
            "import ssl\nssl._create_default_https_context = ssl._create_unverified_context",
            "if x:\n    import time\n    time.time = f",
            "def f():\n    import time\n    time.time = f",
            "import tempfile\ntempfile.tempdir = 'x'",
            "import threading\nthreading.excepthook = f\nt = threading.Thread()\nt.daemon = True",
            "import logging\nlogging.raiseExceptions = False",
            "import sys\nsys.stdout = f\nsys.excepthook = f",
            "import warnings\nwarnings.showwarning = f",
            "import json\ndef f(json):\n    json.x = 1",
            "import json\nself.json.dumps = 1\nx = {json.x: 1}",
            "import collections\ncollections.Mapping = collections.abc.Mapping",
            "import ctypes\nctypes.windll.kernel32.X.restype = 1",
            "from types import SimpleNamespace\nx = SimpleNamespace()\nx.a = 1",
            "import decimal\ndecimal.getcontext().prec = 5",
            "import mimetypes\nmimetypes.types_map['.x'] = 'a/b'",
            "from . import json\njson.x = 1",
            "from .types import Item\nItem.x = 1",
            "import acme\nacme.x = 1",
            "import json\nif json.x == 1: pass\nf(json, 'x')",
            "import json\nx = vars(json)['dumps']\ny = json.__dict__['dumps']",
            "from email.message import EmailMessage\nm = EmailMessage()\nm.x = 1\nm['To'] = 'a'",
            "# io.open = f\nx = 'io.open = f'",
        ] {
            let source = PythonText::of("a/b.py", code);
            assert_eq!((patched(&source), patched_for_a_while(&source)), (None, None), "{code}");
        }
    }
}
