//! Code in a string that a source runs, such as `exec("…")`, also if the string is joined from parts or encoded.

use std::collections::{BTreeMap, BTreeSet};

use super::commands::{changes_module, names_and_changes};
use super::loaded::PythonText;
use super::statements::closing;
use super::tokens::{PythonKind, PythonToken};
use super::uses::Guarded;
use crate::audit::shadow::literals::{UNREAD_FORMATS, codes, parts};
use crate::audit::shadow::module::{GeneratedModule, line};
use crate::audit::shadow::pattern::regex;
use crate::audit::shadow::unread;
use crate::contract::Finding;

/// Functions that run a text.
const RUNNERS: &[&str] = &["exec", "eval", "compile", "runsource", "runcode"];
/// Each source that runs a text, under any name, contains at least one of these words.
const WORDS: &[&str] =
    &["exec", "eval", "compile", "runsource", "runcode", "timeit", "pdb", "rofile"];
/// Texts of data in which code can be, for a source that runs it.
const DATA: &[&str] = &[".json", ".toml", ".yaml", ".yml"];
/// Most calls of one source that are read.
const MAX_CALLS: usize = 50;

/// Every source that runs a text which changes the module, and data that holds such a text.
pub fn check(
    module: &GeneratedModule<'_>,
    sources: &[PythonText<'_>],
    texts: &BTreeMap<&str, &str>,
    found: &mut Vec<Finding>,
) {
    let guarded = Guarded { package: None, stems: BTreeSet::from([module.stem.to_owned()]) };
    for source in sources.iter().filter(|source| !module.ours.contains(source.path)) {
        let text = texts[source.path];
        let at = match DATA.iter().any(|ending| source.path.ends_with(ending)) {
            true => literals(source).find(|(_, code)| is_change(&guarded, source.path, code)),
            false if WORDS.iter().any(|word| text.contains(word)) => calls(source)
                .find(|(_, code)| is_change(&guarded, source.path, code))
                .or_else(|| {
                    statements(source)
                        .find(|(_, code)| is_named_change(&guarded, source.path, code))
                }),
            false => None,
        };
        if let Some((at, _)) = at {
            let why = "it executes a string that changes values of";
            found.push(module.amended_by(source.path, text, at, why));
        } else if let Some(at) = hidden(source) {
            let reason = "it runs code that is in a format which was not read";
            let mut finding = unread::unread(source.path, reason);
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
}

fn is_change(guarded: &Guarded<'_>, path: &str, expression: &str) -> bool {
    codes(expression).iter().any(|code| changes_module(guarded, path, code))
}

/// True if a text names the module and changes it; a part of the name can be put in later.
fn is_named_change(guarded: &Guarded<'_>, path: &str, expression: &str) -> bool {
    let Ok(hole) = regex(r"\w*(?:\{\w*\}|%s|@)\w*") else { return false };
    let code = parts(expression).concat();
    let may_name = |stem: &String| code.contains(stem.get(..4).unwrap_or(stem));
    if !guarded.stems.iter().any(may_name) {
        return false;
    }
    let filled = hole.replace_all(&code, |found: &regex::Captures<'_>| {
        let parts: Vec<&str> = found[0].split(['{', '}', '%', '@']).collect();
        let (first, last) = (parts.first().unwrap_or(&""), parts.last().unwrap_or(&""));
        let last = if found[0].contains("%s") { last.trim_start_matches('s') } else { last };
        let is_stem = |stem: &&String| {
            first.len() + last.len() > 3 && stem.starts_with(first) && stem.ends_with(last)
        };
        guarded.stems.iter().find(is_stem).map_or_else(|| found[0].to_owned(), Clone::clone)
    });
    let filled = filled.replace("{{", "{").replace("}}", "}");
    names_and_changes(guarded, path, &code) || names_and_changes(guarded, path, &filled)
}

/// The strings of each statement that calls something.
fn statements<'s>(source: &'s PythonText<'_>) -> impl Iterator<Item = (usize, String)> + 's {
    let parts = source.tokens.split(|token| token.kind == PythonKind::End);
    parts.filter_map(|part| {
        let is_call = part.iter().any(|token| token.is("("));
        let strings = part.iter().filter(|token| token.kind == PythonKind::Text);
        let strings: Vec<&str> = strings.filter(|_| is_call).map(|token| token.text).collect();
        Some((part.first()?.at, strings.join("+"))).filter(|(_, strings)| strings.len() > 8)
    })
}

/// Each string of a text, and where it is.
fn literals<'s>(source: &'s PythonText<'_>) -> impl Iterator<Item = (usize, String)> + 's {
    let strings = source.tokens.iter().filter(|token| token.kind == PythonKind::Text);
    strings.map(|token| (token.at, token.text.to_owned()))
}

/// The first argument of each call that runs a text, with the values of its names.
fn calls<'s>(source: &'s PythonText<'_>) -> impl Iterator<Item = (usize, String)> + 's {
    let tokens = &source.tokens;
    let text = |at: usize| tokens.get(at).map_or("", |token: &PythonToken<'_>| token.text);
    let found = (0..tokens.len()).filter(move |at| {
        let before = at.checked_sub(1).map_or("", text);
        let receiver = at.checked_sub(2).map_or("", text);
        let is_method = before == "." && !matches!(text(*at), "runsource" | "runcode");
        tokens[*at].kind == PythonKind::Name
            && RUNNERS.contains(&tokens[*at].text)
            && text(at + 1) == "("
            && (!is_method || receiver == "builtins")
            && before != "def"
    });
    found.take(MAX_CALLS).map(move |at| {
        let end = closing(tokens, at + 1);
        let inside = tokens.get(at + 2..end).unwrap_or_default();
        let depth = tokens[at].depth + 1;
        let first = inside.split(|token| token.depth == depth && token.is(","));
        let mut expression = String::new();
        for token in first.into_iter().next().unwrap_or_default() {
            match token.kind {
                PythonKind::Name if token.text == "__doc__" => {
                    expression.push_str(&docstrings(source));
                }
                PythonKind::Name => expression.push_str(&assigned(source, token.text)),
                _ => expression.push_str(token.text),
            }
        }
        (tokens[at].at, expression)
    })
}

/// Returns the position at which a source runs code from a format that is not imitated.
fn hidden(source: &PythonText<'_>) -> Option<usize> {
    let tokens = &source.tokens;
    let is_call = |at: usize| {
        tokens[at].kind == PythonKind::Name
            && RUNNERS.contains(&tokens[at].text)
            && tokens.get(at + 1).is_some_and(|next| next.is("("))
            && at.checked_sub(1).is_none_or(|before| !tokens[before].is("."))
    };
    let has_format = |at: &usize| {
        let inside = tokens.get(at + 2..closing(tokens, at + 1)).unwrap_or_default();
        let is_format = |token: &PythonToken<'_>| UNREAD_FORMATS.contains(&token.text);
        inside.iter().any(is_format) && inside.iter().any(|token| token.kind == PythonKind::Text)
    };
    let found = (0..tokens.len()).filter(|at| is_call(*at)).take(MAX_CALLS).find(has_format);
    found.map(|at| tokens[at].at)
}

/// The strings that are statements of their own, such as docstrings.
fn docstrings(source: &PythonText<'_>) -> String {
    let tokens = &source.tokens;
    let is_end = |at: usize| {
        tokens.get(at).is_none_or(|token| token.kind == PythonKind::End || token.is(";"))
    };
    let is_start = |at: usize| at == 0 || is_end(at - 1) || tokens[at - 1].is(":");
    let is_alone =
        |at: &usize| tokens[*at].kind == PythonKind::Text && is_start(*at) && is_end(*at + 1);
    let alone = (0..tokens.len()).filter(is_alone);
    alone.map(|at| tokens[at].text).collect::<Vec<_>>().join("\n")
}

/// The expression of strings that gives a name its value.
fn assigned(source: &PythonText<'_>, name: &str) -> String {
    let tokens = &source.tokens;
    let is_end = |at: usize| tokens.get(at).is_none_or(|token| token.kind == PythonKind::End);
    let mut values = String::new();
    for at in 0..tokens.len() {
        let starts = tokens[at].is(name) && (at == 0 || is_end(at - 1));
        if !starts || !tokens.get(at + 1).is_some_and(|next| next.is("=") || next.is("+=")) {
            continue;
        }
        let value = tokens[at + 2..].iter().take_while(|token| token.kind != PythonKind::End);
        let strings = value.filter(|token| token.kind == PythonKind::Text);
        strings.for_each(|token| values.push_str(token.text));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(code: &str) -> bool {
        let stems = BTreeSet::from(["contract_gen".to_owned()]);
        let guarded = Guarded { package: None, stems };
        let source = PythonText::of("p/a.py", code);
        calls(&source).any(|(_, code)| is_change(&guarded, "p/a.py", &code))
            || statements(&source).any(|(_, code)| is_named_change(&guarded, "p/a.py", &code))
    }

    #[test]
    fn texts_that_are_run_count_when_they_change_the_module() {
        for code in [
            "exec('import p.contract_gen as c; c.CODES = {}')",
            "exec('import p.contract' + '_gen as c; c.CODES = {}')",
            "CODE = 'import p.contract_gen as c\\n'\nCODE += 'c.CODES = {}'\nexec(CODE)",
            "builtins.exec(compile('import p.contract_gen as c\\nc.CODES = {}', 'x', 'exec'))",
            "exec(base64.b64decode('aW1wb3J0IHAuY29udHJhY3RfZ2VuIGFzIGM7IGMuQ09ERVMgPSB7fQ=='))",
            "exec('''\nimport p.contract_gen as c\nc.CODES = {}\n''')",
            "code.InteractiveInterpreter().runsource('import p.contract_gen as c; c.CODES = {}')",
            "exec('import builtins; builtins.frozenset = set')",
            "e = exec\ne('import p.contract_gen as c; c.CODES = {}')",
            "exec('import p.contract_{} as c; c.CODES = {{}}'.format('gen'))",
            "exec('import p.contract_%s as c; c.CODES = {}' % 'gen')",
            "exec(zlib.decompress(base64.b64decode('eJzLzC3ILypRKNBLzs8rKUpMLolPT81TSCxWSLZWSNZz9ndxDVawVaiuBQAr6A2X')))",
            "\"\"\"import p.contract_gen as c; c.CODES = {}\"\"\"\nexec(__doc__)",
            "def f():\n    'import p.contract_gen as c; c.CODES = {}'\nexec(f.__doc__)",
            "exec(\"exec('import p.contract_gen as c; c.CODES = {}')\")",
            "timeit.timeit('import p.contract_gen as c; c.CODES = {}', number=1)",
        ] {
            assert!(is_found(code), "{code}");
        }
        for code in [
            "x = eval('1 + 1')",
            "exec(code, {})",
            "cursor.exec('contract_gen')",
            "exec('import p.contract_gen as c; print(c.CODES)')",
            "'import p.contract_gen as c; c.CODES = {}'\nprint(__doc__)",
            "text = 'import p.contract_gen as c; c.CODES = {}'",
        ] {
            assert!(!is_found(code), "{code}");
        }
        for (code, is_hidden) in [
            ("exec(bz2.decompress(b'x'))", true),
            ("exec(marshal.loads(base64.b64decode('4wAA')))", true),
            ("data = bz2.decompress(b'x')", false),
            ("exec(compile(source, name, 'exec'))", false),
        ] {
            assert_eq!(hidden(&PythonText::of("p/a.py", code)).is_some(), is_hidden, "{code}");
        }
    }
}
