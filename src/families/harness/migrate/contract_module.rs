//! `contract-module`: a look-up of connector.json or permissions.json becomes a value of contract_gen.py.
//!
//! Only a look-up that returns the parsed document is replaced, and only when the module says the same as the file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use crate::audit::shadow::python::imports::imports;
use crate::audit::shadow::python::statements::{Statements, closing};
use crate::audit::shadow::python::tokens::PythonKind;
use crate::contract::json;
use crate::families::harness::contract::FAMILY;
use crate::families::harness::python_source::{NoteKind, PythonSource};
use crate::families::harness::rules::is_test;
use crate::inputs::adoption;
use crate::reason::Reason;
use crate::workflows::migrate::seam::{RewriteSubject, Rewritten, UntouchedPlace};

use super::code::CodeText;
use super::permission_keys::modes;
use super::places::{HARNESS, MANIFEST, PERMISSIONS};

const MODULE: &str = "contract_gen";
const MANIFEST_VALUE: &str = "contract_gen.plain(contract_gen.MANIFEST)";

/// One of the two files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum LookedUpFile {
    Manifest,
    Permissions,
}

impl LookedUpFile {
    fn of(literal: &str) -> Option<Self> {
        match literal.rsplit('/').next()? {
            "connector.json" => Some(Self::Manifest),
            "permissions.json" => Some(Self::Permissions),
            _ => None,
        }
    }
}

/// Replaces look-ups.
pub fn rewrite(subject: &RewriteSubject<'_>) -> Rewritten {
    let sources = CodeText::all(subject.files, subject.managed);
    let sources: Vec<_> = sources.into_iter().filter(|code| !is_test(code.path)).collect();
    let Some(package) = package(subject) else {
        let places = sources
            .iter()
            .flat_map(|code| left(code, &[], "the script of pyproject.toml starts no package"));
        return Rewritten { untouched: places.collect(), ..Rewritten::default() };
    };
    let permissions = permissions(subject);
    let constants = constants(&sources);
    let shared = shared(subject);
    let mut result = Rewritten::default();
    for mut code in sources {
        let found = look_ups(&code, &constants);
        let mut done = Vec::new();
        for look_up in found {
            let value = match look_up.document {
                LookedUpFile::Manifest => Ok(MANIFEST_VALUE.to_owned()),
                LookedUpFile::Permissions => permissions.clone(),
            };
            let importable = import_line(&code, &package);
            match (value, importable) {
                (Ok(value), Ok(_)) => {
                    if code.replace(look_up.range.clone(), value) {
                        done.push(look_up);
                    }
                }
                (Err(reason), _) | (_, Err(reason)) => result.untouched.push(UntouchedPlace::of(
                    code.path,
                    code.line(look_up.range.start),
                    reason,
                )),
            }
        }
        if done.is_empty() {
            result.untouched.extend(left(
                &code,
                &[],
                "the file is not read as one JSON document here",
            ));
            continue;
        }
        if let Ok((at, line)) = import_line(&code, &package) {
            code.replace(at..at, line);
        }
        let gone = unused(&code, &done, &constants, &shared);
        for range in &gone {
            code.replace(range.clone(), "");
        }
        let covered: Vec<_> =
            done.iter().map(|look_up| look_up.range.clone()).chain(gone).collect();
        result.untouched.extend(left(&code, &covered, "the path is still used"));
        let path = code.path.to_owned();
        if let Some(text) = code.edited() {
            result.files.insert(path, Some(text.into_bytes()));
        }
    }
    result.generates = !result.files.is_empty();
    result.untouched.sort();
    result.untouched.dedup();
    result
}

/// The directory of the package that will hold the module.
fn package(subject: &RewriteSubject<'_>) -> Option<String> {
    let outputs = adoption::propose(FAMILY, subject.files, None).record.outputs;
    let path = outputs.get("python")?.first()?.path.as_str().to_owned();
    path.strip_suffix(&format!("/{MODULE}.py")).map(str::to_owned)
}

/// permissions.json as an expression, when the module knows all of it.
fn permissions(subject: &RewriteSubject<'_>) -> Result<String, Reason> {
    let parsed = |path: &str| subject.files.bytes(path).and_then(|bytes| json::parse(bytes).ok());
    let document = parsed(PERMISSIONS).ok_or("permissions.json cannot be read")?;
    let manifest = parsed(MANIFEST).ok_or("connector.json cannot be read")?;
    let members = document.as_object().ok_or("permissions.json is not an object")?;
    let wanted = Value::Object(modes(&manifest));
    let mut parts = Vec::new();
    for (name, value) in members {
        let part = match name.as_str() {
            "tool" if manifest.get("tool") == Some(value) => "contract_gen.TOOL".to_owned(),
            "backend" if manifest.get("backend") == Some(value) => "contract_gen.BACKEND".to_owned(),
            "permissions" | "commands" if *value == wanted => {
                "{key: command[\"required_mode\"] for key, command in contract_gen.COMMANDS.items()}"
                    .to_owned()
            }
            _ => {
                let name = json::printable(name);
                return Err(format!("`{name}` of permissions.json differs from connector.json").into());
            }
        };
        parts.push(format!("\"{name}\": {part}"));
    }
    Ok(format!("{{{}}}", parts.join(", ")))
}

/// Names of paths that lead to one of the files: given a value once in the whole package, at module level.
fn constants(sources: &[CodeText<'_>]) -> BTreeMap<String, LookedUpFile> {
    let mut found: BTreeMap<String, Option<LookedUpFile>> = BTreeMap::new();
    for code in sources {
        let (_, is_import) = imports(&code.tokens);
        let statements = Statements::of(&code.tokens, &is_import);
        for (index, token) in code.tokens.iter().enumerate() {
            let is_target = token.kind == PythonKind::Name
                && code.after(index).is_some_and(|next| next.is("=") || next.is(":"))
                && token.depth == 0
                && statements.around(index).start == index;
            if !is_target || is_import[index] {
                continue;
            }
            let statement = statements.around(index);
            let document = path_of(code, statement.start + 2..statement.end)
                .filter(|_| is_at_margin(code, index));
            found
                .entry(token.text.to_owned())
                .and_modify(|known| *known = None)
                .or_insert(document);
        }
    }
    found.into_iter().filter_map(|(name, document)| Some((name, document?))).collect()
}

fn is_at_margin(code: &CodeText<'_>, index: usize) -> bool {
    let at = code.tokens[index].at;
    at == 0 || code.text.as_bytes().get(at - 1) == Some(&b'\n')
}

/// The file that an expression is the path of: its last text is the name of the file, and nothing follows it.
fn path_of(code: &CodeText<'_>, tokens: Range<usize>) -> Option<LookedUpFile> {
    let range = code.tokens.get(tokens.clone())?;
    let last = range.iter().rposition(|token| token.kind == PythonKind::Text)?;
    let document = LookedUpFile::of(range[last].literal())?;
    let only_closes = range[last + 1..].iter().all(|token| matches!(token.text, ")" | ","));
    let before = last.checked_sub(1).map(|before| range[before].text);
    let is_path = match before {
        Some("/") => true,
        Some("(" | ",") => {
            range.iter().any(|token| token.is("join") || token.is("joinpath") || token.is("Path"))
        }
        _ => false,
    };
    (only_closes && is_path).then_some(document)
}

/// One look-up.
#[derive(Clone, Debug)]
struct FileLookUp {
    /// Bytes of the expression.
    range: Range<usize>,
    document: LookedUpFile,
}

fn look_ups(code: &CodeText<'_>, constants: &BTreeMap<String, LookedUpFile>) -> Vec<FileLookUp> {
    let tokens = &code.tokens;
    let mut found = Vec::new();
    for index in 0..tokens.len() {
        let is_call = tokens[index].is("json")
            && code.before(index).is_none_or(|before| !before.is("."))
            && tokens.get(index + 1).is_some_and(|token| token.is("."))
            && tokens.get(index + 2).is_some_and(|token| token.is("loads"))
            && tokens.get(index + 3).is_some_and(|token| token.is("("));
        if !is_call {
            continue;
        }
        let end = closing(tokens, index + 3);
        let inner = index + 4..end;
        let Some((path, document)) = read_path(code, inner, constants) else { continue };
        if code.has_comment(index..end + 1) || path.is_empty() {
            continue;
        }
        found.push(FileLookUp { range: tokens[index].at..code.end(end), document });
    }
    found
}

/// `PATH.read_text(…)` with a constant or an expression for the path.
fn read_path(
    code: &CodeText<'_>,
    inner: Range<usize>,
    constants: &BTreeMap<String, LookedUpFile>,
) -> Option<(Range<usize>, LookedUpFile)> {
    let tokens = code.tokens.get(inner.clone())?;
    let depth = tokens.first()?.depth;
    let read = tokens.iter().rposition(|token| {
        (token.is("read_text") || token.is("read_bytes")) && token.depth == depth
    })?;
    let dot = read.checked_sub(1).filter(|dot| tokens[*dot].is("."))?;
    let open = tokens.get(read + 1).filter(|token| token.is("("))?;
    // Only an encoding may be an argument, and nothing may follow.
    let close = closing(&code.tokens, inner.start + read + 1);
    if close + 1 != inner.end || open.depth != depth {
        return None;
    }
    let arguments = &tokens[read + 2..close - inner.start];
    let is_encoding = arguments.is_empty()
        || arguments.len() == 3 && arguments[0].is("encoding")
        || arguments.len() == 1 && arguments[0].kind == PythonKind::Text;
    if !is_encoding {
        return None;
    }
    let path = inner.start..inner.start + dot;
    if path.len() == 1 && code.tokens[path.start].kind == PythonKind::Name {
        let document = *constants.get(code.tokens[path.start].text)?;
        return Some((path, document));
    }
    let document = path_of(code, path.clone())?;
    Some((path, document))
}

/// Returns the position and the text of the import of the module.
fn import_line(code: &CodeText<'_>, package: &str) -> Result<(usize, String), Reason> {
    let (names, is_import) = imports(&code.tokens);
    if names.iter().any(|name| name.alias == MODULE && name.origin != ".") {
        return Err("the file uses the name `contract_gen` for something else".into());
    }
    if names.iter().any(|name| name.alias == MODULE) {
        return Ok((0, String::new()));
    }
    let directory = code.path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let relative = names.iter().any(|name| name.origin.starts_with('.'));
    let line = if relative && directory == package {
        format!("from . import {MODULE}\n")
    } else {
        let inner = package.strip_prefix(HARNESS).unwrap_or(package);
        let inner = inner.strip_prefix("src/").unwrap_or(inner);
        format!("from {} import {MODULE}\n", inner.replace('/', "."))
    };
    // After the last import at the margin: what comes before it may have to.
    let last = (0..code.tokens.len()).rev().find(|index| {
        is_import[*index]
            && matches!(code.tokens[*index].text, "import" | "from")
            && is_at_margin(code, *index)
    });
    let last = last.ok_or("the file has no import at its margin")?;
    let end = (last..code.tokens.len()).find(|index| code.tokens[*index].kind == PythonKind::End);
    let at = end.map_or(code.text.len(), |end| code.tokens[end].at);
    let after = code.text[at..].find('\n').map_or(code.text.len(), |line| at + line + 1);
    Ok((after, line))
}

/// Names that more than one file uses, tests included.
fn shared(subject: &RewriteSubject<'_>) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for code in CodeText::all(subject.files, subject.managed) {
        let names = code.tokens.iter().filter(|token| token.kind == PythonKind::Name);
        let names: BTreeSet<_> = names.map(|token| token.text.to_owned()).collect();
        for name in names {
            *seen.entry(name).or_default() += 1;
        }
    }
    seen.into_iter().filter(|(_, files)| *files > 1).map(|(name, _)| name).collect()
}

/// Statements of constants that nothing uses any more, whole lines.
fn unused(
    code: &CodeText<'_>,
    done: &[FileLookUp],
    constants: &BTreeMap<String, LookedUpFile>,
    shared: &BTreeSet<String>,
) -> Vec<Range<usize>> {
    let (_, is_import) = imports(&code.tokens);
    let statements = Statements::of(&code.tokens, &is_import);
    let mut gone: Vec<Range<usize>> = done.iter().map(|look_up| look_up.range.clone()).collect();
    let replaced = gone.len();
    let is_own = |name: &str| !shared.contains(name);
    // A path may be the beginning of another one, so the last ones go first.
    for index in (0..code.tokens.len()).rev() {
        let token = code.tokens[index];
        let statement = statements.around(index);
        let is_constant = token.kind == PythonKind::Name
            && token.depth == 0
            && statement.start == index
            && is_at_margin(code, index)
            && is_own(token.text)
            && code.after(index).is_some_and(|next| next.is("=") || next.is(":"));
        if !is_constant {
            continue;
        }
        let value = &code.tokens[statement.clone()];
        let is_path =
            constants.contains_key(token.text) || value.iter().any(|inner| inner.is("__file__"));
        let mut others =
            code.tokens.iter().filter(|other| other.is(token.text) && other.at != token.at);
        let is_free = others.clone().next().is_some()
            && others.all(|other| gone.iter().any(|range| range.contains(&other.at)));
        let end = code.end(statement.end.saturating_sub(1));
        let line = code.text[end..].find('\n').map_or(code.text.len(), |line| end + line + 1);
        if is_path && is_free && code.text[end..line].trim().is_empty() {
            gone.push(token.at..line);
        }
    }
    gone.split_off(replaced)
}

/// Places that still name one of the files.
fn left(code: &CodeText<'_>, covered: &[Range<usize>], reason: &str) -> Vec<UntouchedPlace> {
    let source = PythonSource::read(code.text.as_bytes());
    let named = source.notes.iter().filter(|note| matches!(note.what, NoteKind::NamesFile(_)));
    named
        .filter(|note| !covered.iter().any(|range| range.contains(&note.at)))
        .map(|note| UntouchedPlace::of(code.path, code.line(note.at), reason))
        .collect()
}
