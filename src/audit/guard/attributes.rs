//! `.gitattributes`, as git reads them: what a checkout does to the bytes of managed files.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Finding, ProjectFiles};
use crate::plan::RelativePath;

use super::{REWRITTEN, UNPROTECTED};

/// Largest file of attributes, in bytes.
const MAX_FILE: usize = 64 * 1024;
/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 512;

/// The value of one attribute.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Setting {
    Set,
    Unset,
    Value(String),
}

/// One line: a pattern and its attributes.
struct AttributeLine<'a> {
    pattern: &'a str,
    attributes: Vec<(&'a str, Option<Setting>)>,
}

/// One file: its directory relative to the top of the repository, how messages name it, its lines.
struct AttributeFile<'a> {
    directory: String,
    shown: String,
    lines: Vec<AttributeLine<'a>>,
}

/// An attribute that a path got, with the file that gives it.
type Given<'a> = BTreeMap<&'a str, (Setting, &'a str)>;

/// Findings about managed files: each cause once.
pub fn findings(repository: &ProjectFiles, managed: &BTreeSet<RelativePath>) -> Vec<Finding> {
    let files = files(repository);
    let prefix = &repository.around.prefix;
    let mut rewritten: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    let mut unprotected = Vec::new();
    for path in managed.iter().map(RelativePath::as_str) {
        let whole = match prefix.is_empty() {
            true => path.to_owned(),
            false => format!("{prefix}/{path}"),
        };
        let given = given(&files, &whole);
        if let Some((cause, file)) = rewrites(&given) {
            rewritten.entry((file.to_owned(), cause)).or_default().push(path);
        } else if !keeps(&given) {
            unprotected.push(path);
        }
    }
    let mut found: Vec<_> = rewritten
        .into_iter()
        .map(|((file, cause), paths)| {
            let message = format!("{cause} rewrites {} in every checkout", named(&paths));
            REWRITTEN.finding(&file, message)
        })
        .collect();
    if !unprotected.is_empty() {
        let message = format!("no attribute keeps the line endings of {}", named(&unprotected));
        found.push(UNPROTECTED.finding(".gitattributes", message));
    }
    found
}

fn named(paths: &[&str]) -> String {
    match paths {
        [only] => format!("`{only}`"),
        [first, rest @ ..] => format!("`{first}` and {} more managed files", rest.len()),
        [] => String::new(),
    }
}

/// All files of attributes, from the top of the repository to the deepest directory.
fn files(repository: &ProjectFiles) -> Vec<AttributeFile<'_>> {
    let up = "../".repeat(repository.around.depth());
    let is_attributes = |path: &str| path == ".gitattributes" || path.ends_with("/.gitattributes");
    let directory = |path: &str| path.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
    let above = repository.around.files.iter().filter(|(path, _)| is_attributes(path));
    let above =
        above.map(|(path, bytes)| (directory(path), format!("{up}{path}"), bytes.as_slice()));
    let own = repository.files.iter().filter(|(path, _)| is_attributes(path));
    let own = own.map(|(path, file)| {
        let prefix = &repository.around.prefix;
        let inner = directory(path);
        let parts: Vec<&str> =
            [prefix.as_str(), inner.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        (parts.join("/"), path.clone(), file.bytes.as_slice())
    });
    let mut files: Vec<_> = above
        .chain(own)
        .filter(|(_, _, bytes)| bytes.len() <= MAX_FILE)
        .filter_map(|(directory, shown, bytes)| {
            let text = std::str::from_utf8(bytes).ok()?;
            Some(AttributeFile { directory, shown, lines: lines(text) })
        })
        .collect();
    files.sort_by_key(|file| {
        if file.directory.is_empty() { 0 } else { file.directory.split('/').count() }
    });
    files
}

fn lines(text: &str) -> Vec<AttributeLine<'_>> {
    let mut macros: BTreeMap<&str, Vec<(&str, Option<Setting>)>> = BTreeMap::new();
    let unset = |names: &[&'static str]| {
        names.iter().map(|name| (*name, Some(Setting::Unset))).collect::<Vec<_>>()
    };
    macros.insert("binary", unset(&["text", "diff", "merge"]));
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.len() > 4 * MAX_PATTERN {
            continue;
        }
        let (pattern, rest) = match line.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some(quoted) => quoted,
            None => line.split_once([' ', '\t']).unwrap_or((line, "")),
        };
        let mut attributes = Vec::new();
        for word in rest.split_whitespace() {
            let (name, setting) = attribute(word);
            attributes.push((name, setting.clone()));
            if setting == Some(Setting::Set) {
                attributes.extend(macros.get(name).into_iter().flatten().cloned());
            }
        }
        match pattern.strip_prefix("[attr]") {
            Some(name) => drop(macros.insert(name, attributes)),
            None if pattern.len() <= MAX_PATTERN => {
                lines.push(AttributeLine { pattern, attributes })
            }
            None => {}
        }
    }
    lines
}

fn attribute(word: &str) -> (&str, Option<Setting>) {
    if let Some(name) = word.strip_prefix('-') {
        return (name, Some(Setting::Unset));
    }
    if let Some(name) = word.strip_prefix('!') {
        return (name, None);
    }
    match word.split_once('=') {
        Some((name, value)) => (name, Some(Setting::Value(value.to_owned()))),
        None => (word, Some(Setting::Set)),
    }
}

fn given<'a>(files: &'a [AttributeFile<'a>], path: &str) -> Given<'a> {
    let mut given = Given::new();
    for file in files {
        let inner = match file.directory.is_empty() {
            true => Some(path),
            false => {
                path.strip_prefix(file.directory.as_str()).and_then(|rest| rest.strip_prefix('/'))
            }
        };
        let Some(inner) = inner else { continue };
        for line in file.lines.iter().filter(|line| applies(line.pattern, inner)) {
            for (name, setting) in &line.attributes {
                match setting {
                    Some(setting) => drop(given.insert(name, (setting.clone(), &file.shown))),
                    None => drop(given.remove(name)),
                }
            }
        }
    }
    given
}

/// Returns the attribute that changes the bytes, and the file that sets it.
fn rewrites<'a>(given: &Given<'a>) -> Option<(String, &'a str)> {
    let get = |name: &str| given.get(name);
    if let Some((Setting::Value(filter), file)) = get("filter") {
        return Some((format!("`filter={filter}`"), file));
    }
    if let Some((Setting::Set, file)) = get("ident") {
        return Some(("`ident`".to_owned(), file));
    }
    if let Some((Setting::Value(encoding), file)) = get("working-tree-encoding")
        && !encoding.eq_ignore_ascii_case("utf-8")
    {
        return Some((format!("`working-tree-encoding={encoding}`"), file));
    }
    let is_binary = matches!(get("text"), Some((Setting::Unset, _)));
    match get("eol") {
        Some((Setting::Value(eol), file)) if eol.eq_ignore_ascii_case("crlf") && !is_binary => {
            Some(("`eol=crlf`".to_owned(), file))
        }
        _ => None,
    }
}

/// True if no setting of a machine changes the line endings.
fn keeps(given: &Given<'_>) -> bool {
    let is_lf = matches!(given.get("eol"), Some((Setting::Value(eol), _)) if eol.eq_ignore_ascii_case("lf"));
    let is_binary = matches!(given.get("text"), Some((Setting::Unset, _)));
    // The old name of `text`.
    let old = match given.get("crlf") {
        Some((Setting::Unset, _)) => true,
        Some((Setting::Value(value), _)) => value == "input",
        _ => false,
    };
    is_lf || is_binary || old
}

/// True if a pattern applies to a path below the directory of its file.
fn applies(pattern: &str, path: &str) -> bool {
    if pattern.ends_with('/') {
        return false;
    }
    let anchored = pattern.strip_prefix('/');
    let pattern = anchored.unwrap_or(pattern);
    if anchored.is_none() && !pattern.contains('/') {
        return matches(pattern.as_bytes(), path.rsplit('/').next().unwrap_or(path).as_bytes());
    }
    matches(pattern.as_bytes(), path.as_bytes())
}

/// `*`, `?` and `[…]` within one name, `**` across names. Linear: one place to return to for each kind of star.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut stars: Option<(usize, usize)> = None;
    loop {
        let rest = &pattern[at..];
        if rest.starts_with(b"**") {
            let after = at + rest.iter().take_while(|byte| **byte == b'*').count();
            // `a/**/b` is `a/b`, too.
            let after = if pattern.get(after) == Some(&b'/') { after + 1 } else { after };
            stars = Some((after, position));
            star = None;
            at = after;
            continue;
        }
        if rest.first() == Some(&b'*') {
            star = Some((at + 1, position));
            at += 1;
            continue;
        }
        match (single(rest), text.get(position)) {
            (Some((length, is)), Some(&byte)) if is(byte) => {
                at += length;
                position += 1;
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        if let Some((back, from)) = star
            && text.get(from).is_some_and(|byte| *byte != b'/')
        {
            star = Some((back, from + 1));
            (at, position) = (back, from + 1);
        } else if let Some((back, from)) = stars
            && from < text.len()
        {
            stars = Some((back, from + 1));
            star = None;
            (at, position) = (back, from + 1);
        } else {
            return false;
        }
    }
}

/// Whether a part of a pattern takes a byte.
type Takes<'a> = Box<dyn Fn(u8) -> bool + 'a>;

/// The next part of a pattern that takes one byte: its length and what it takes.
fn single(pattern: &[u8]) -> Option<(usize, Takes<'_>)> {
    let first = *pattern.first()?;
    match first {
        b'?' => Some((1, Box::new(|byte| byte != b'/'))),
        b'\\' if pattern.len() > 1 => Some((2, Box::new(|byte| byte == pattern[1]))),
        b'[' => {
            let end = pattern.iter().skip(2).position(|byte| *byte == b']').map(|at| at + 2);
            let Some(end) = end else { return Some((1, Box::new(|byte| byte == b'['))) };
            let set = &pattern[1..end];
            let negated = matches!(set.first(), Some(b'!' | b'^'));
            let set = if negated { &set[1..] } else { set };
            Some((end + 1, Box::new(move |byte| byte != b'/' && in_set(set, byte) != negated)))
        }
        _ => Some((1, Box::new(move |byte| byte == first))),
    }
}

fn in_set(set: &[u8], byte: u8) -> bool {
    let ranges = set.windows(3).any(|part| part[1] == b'-' && (part[0]..=part[2]).contains(&byte));
    ranges || set.contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_apply_as_git_applies_them() {
        for (pattern, path, expected) in [
            ("*", "a/b.md", true),
            ("*.md", "a/b.md", true),
            ("/*.md", "a/b.md", false),
            ("a/*.md", "a/b.md", true),
            ("a/*.md", "a/c/b.md", false),
            ("a/**", "a/c/b.md", true),
            ("a/**/b.md", "a/b.md", true),
            ("a/**/b.md", "a/x/y/b.md", true),
            ("**/b.md", "b.md", true),
            ("a/", "a/b.md", false),
            ("a", "a/b.md", false),
            ("b.?d", "a/b.md", true),
            ("[a-c].md", "b.md", true),
            ("[!a-c].md", "b.md", false),
            ("*.md*x", "b.md", false),
        ] {
            assert_eq!(applies(pattern, path), expected, "{pattern} {path}");
        }
        let hostile = "*a".repeat(200);
        assert!(!applies(&hostile, &"a".repeat(150)));
    }

    fn judged(text: &str) -> (bool, bool) {
        let file = AttributeFile {
            directory: String::new(),
            shown: ".gitattributes".into(),
            lines: lines(text),
        };
        let files = [file];
        let given = given(&files, "contract/contract.json");
        (rewrites(&given).is_some(), keeps(&given))
    }

    #[test]
    fn the_effect_of_a_checkout_on_a_file_is_known() {
        for text in [
            "* text=auto eol=lf",
            "* -text",
            "*.json binary",
            "* eol=lf",
            "* crlf=input",
            "[attr]raw -text\n* raw",
        ] {
            assert_eq!(judged(text), (false, true), "{text}");
        }
        for text in ["", "* text=auto", "*.md eol=lf", "* eol=lf\n*.json !eol"] {
            assert_eq!(judged(text), (false, false), "{text}");
        }
        for text in [
            "* text eol=crlf",
            "* eol=lf\n*.json eol=crlf",
            "contract/** filter=lfs diff=lfs merge=lfs -text",
            "*.json ident",
            "* working-tree-encoding=UTF-16",
        ] {
            assert!(judged(text).0, "{text}");
        }
        assert_eq!(judged("* eol=crlf\n*.json -text"), (false, true));
    }
}
