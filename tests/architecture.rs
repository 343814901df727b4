//! The walls of ARCHITECTURE.md: which module may use which, and who may touch the outside world.
//!
//! Reads the sources as tokens, so that grouped imports and paths inside expressions count as well.

#![expect(clippy::disallowed_methods, reason = "the test reads the sources from the disk")]
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each module of `src`, and the modules that it may use.
const DIRECTIONS: &[(&str, &[&str])] = &[
    ("visible", &[]),
    ("strict_json", &["visible"]),
    ("repository", &["visible"]),
    ("contract", &["strict_json", "visible"]),
    ("plan", &["visible"]),
    ("merge", &["plan", "visible"]),
    ("system", &["visible"]),
    ("verify", &["strict_json", "visible"]),
    ("generate", &["contract", "plan", "repository", "visible"]),
    ("apply", &["plan", "system", "visible"]),
    ("release", &["repository", "strict_json", "system", "verify", "visible"]),
    (
        "inputs",
        &["contract", "generate", "plan", "release", "repository", "system", "verify", "visible"],
    ),
    ("update", &["inputs", "release", "strict_json", "system", "verify", "visible"]),
    ("audit", &["apply", "contract", "generate", "inputs", "merge", "plan", "system", "visible"]),
    ("conform", &["contract", "generate", "inputs", "strict_json", "system", "visible"]),
    ("report", &["conform", "contract", "plan", "visible"]),
    ("mcp", &["conform", "contract", "inputs", "report", "strict_json", "system", "visible"]),
    ("cli", &["commands", "system"]),
    (
        "error",
        &[
            "apply", "audit", "conform", "contract", "generate", "inputs", "plan", "release",
            "report", "system", "update", "verify", "visible",
        ],
    ),
    (
        "commands",
        &[
            "apply",
            "audit",
            "cli",
            "conform",
            "contract",
            "error",
            "generate",
            "inputs",
            "mcp",
            "merge",
            "plan",
            "release",
            "report",
            "strict_json",
            "system",
            "update",
            "verify",
            "visible",
            "workflows",
        ],
    ),
    (
        "workflows",
        &[
            "apply", "audit", "cli", "commands", "conform", "contract", "error", "generate",
            "inputs", "merge", "plan", "report", "system", "visible",
        ],
    ),
    (
        "families",
        &[
            "audit",
            "commands",
            "conform",
            "contract",
            "error",
            "generate",
            "inputs",
            "mcp",
            "plan",
            "report",
            "system",
            "visible",
            "workflows",
        ],
    ),
    (
        "run",
        &[
            "apply", "audit", "cli", "commands", "contract", "error", "families", "generate",
            "inputs", "plan", "report", "system", "update", "visible",
        ],
    ),
];

/// What unit tests call in place of an entry point; it is no module.
const IN_UNIT_TESTS: &str = "installed";

/// Parts of the standard library that only `system` uses; the entry point passes its arguments on.
const OUTSIDE_WORLD: [&[&str]; 9] = [
    &["std", "fs"],
    &["std", "process"],
    &["std", "env"],
    &["std", "net"],
    &["std", "time", "SystemTime"],
    &["std", "time", "Instant"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "io", "stderr"],
];

/// Functions of `system::files` that change the disk.
const WRITERS: [&str; 10] = [
    "write_new",
    "rename",
    "rename_new",
    "remove_file",
    "remove_tree",
    "remove_empty_directory",
    "create_directory",
    "create_private_directory",
    "set_executable",
    "copy_permissions",
];

/// Who else may write, and what: never a project.
const OTHER_WRITERS: [(&str, &str); 12] = [
    ("families/augmentor/host/runner.rs", "the files of a runner in a private temporary directory"),
    ("commands/conform/report_file.rs", "the report file that a person names"),
    ("conform/agent_cli/tree.rs", "files of a tool, damaged in the sandbox of a probe"),
    ("conform/agent_cli/signed/scene.rs", "the mark of a stage in the sandbox of a probe"),
    ("commands/write_gate.rs", "the used tokens in the state directory of aos"),
    ("update/notice.rs", "what is known about updates in the state directory of aos"),
    ("update/swap.rs", "the lock of an update in the state directory of aos"),
    ("update/skill/backup.rs", "changed files of an installed Skill in the state directory of aos"),
    ("update/skill/journal.rs", "what copies of the Skill were, in the state directory of aos"),
    ("update/skill/put.rs", "installed copies of the Skill that are not the verified one"),
    ("update/skill/sync.rs", "unfinished copies in the state directory of aos"),
    ("inputs/spec_source/kept.rs", "verified releases of contracts in the state directory of aos"),
];

/// Who looks at control characters to refuse a text or to write code, not to show it.
const REFUSES_CONTROLS: [&str; 7] = [
    "conform/harness/facts.rs",
    "generate/record_text.rs",
    "generate/render.rs",
    "inputs/answers.rs",
    "plan/relative_path.rs",
    "release/archive.rs",
    "verify/checksums.rs",
];

/// Macros that write past the one document, or that leave work for later.
const BANNED_MACROS: [&str; 7] =
    ["println", "eprintln", "print", "eprint", "dbg", "todo", "unimplemented"];

/// Most lines of a file, its unit tests left out.
const MAX_LINES: usize = 450;

/// Files that are longer today, and by how much at most: this list may only shrink.
const LONGER_TODAY: [(&str, usize); 0] = [];

struct Source {
    /// Relative to `src`.
    path: String,
    text: String,
    /// Without comments and with empty literals.
    tokens: Vec<Token>,
}

impl Source {
    /// Whether aos wrote the file: its layout and its marks are those that any tool gets.
    fn is_generated(&self) -> bool {
        self.text.lines().next().is_some_and(|line| line.contains("generated by aos from"))
    }

    /// The top-level module that the file belongs to.
    fn module(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    /// How many modules deep the file is: `src/plan/mod.rs` is one deep, `src/plan/edit.rs` two.
    fn depth(&self) -> usize {
        let parts = self.path.split('/').count();
        if self.path.ends_with("/mod.rs") { parts - 1 } else { parts }
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Token {
    Word(String),
    /// `::`
    Path,
    Other(char),
}

/// A path as written, its groups spelled out, with `super` resolved where it reaches the crate.
#[derive(Debug, Eq, PartialEq)]
struct Used {
    segments: Vec<String>,
    in_tests: bool,
}

fn sources() -> Vec<Source> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut found: Vec<_> = walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.expect("a readable tree"))
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let path = entry.path().strip_prefix(root).expect("below src");
            let text = std::fs::read_to_string(entry.path()).expect("a source");
            let tokens = tokens(&text);
            Source { path: path.to_string_lossy().into_owned(), text, tokens }
        })
        .collect();
    found.sort_by(|left, right| left.path.cmp(&right.path));
    assert!(found.len() > 50, "the sources were not found");
    found
}

/// Words, `::` and single symbols; comments, strings and characters are skipped.
fn tokens(text: &str) -> Vec<Token> {
    let symbols: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&symbol) = symbols.get(at) {
        let next = symbols.get(at + 1).copied().unwrap_or(' ');
        if symbol == '/' && next == '/' {
            at += symbols[at..].iter().take_while(|symbol| **symbol != '\n').count();
        } else if symbol == '/' && next == '*' {
            at = end_of_comment(&symbols, at);
        } else if let Some(end) = end_of_raw_string(&symbols, at) {
            at = end;
        } else if symbol == '"' {
            at = end_of_string(&symbols, at);
        } else if symbol == '\'' {
            at = end_of_character(&symbols, at);
        } else if symbol.is_alphanumeric() || symbol == '_' {
            let word: String = symbols[at..]
                .iter()
                .take_while(|symbol| symbol.is_alphanumeric() || **symbol == '_')
                .collect();
            at += word.chars().count();
            tokens.push(Token::Word(word));
        } else if symbol == ':' && next == ':' {
            tokens.push(Token::Path);
            at += 2;
        } else {
            if !symbol.is_whitespace() {
                tokens.push(Token::Other(symbol));
            }
            at += 1;
        }
    }
    tokens
}

fn end_of_comment(symbols: &[char], start: usize) -> usize {
    let end = symbols[start + 2..].windows(2).position(|pair| pair == ['*', '/']);
    end.map_or(symbols.len(), |length| start + length + 4)
}

fn end_of_raw_string(symbols: &[char], start: usize) -> Option<usize> {
    let prefix = usize::from(symbols[start] == 'b');
    if symbols.get(start + prefix) != Some(&'r') {
        return None;
    }
    if start > 0 && (symbols[start - 1].is_alphanumeric() || symbols[start - 1] == '_') {
        return None;
    }
    let open = start + prefix + 1;
    let marks = symbols[open..].iter().take_while(|symbol| **symbol == '#').count();
    if symbols.get(open + marks) != Some(&'"') {
        return None;
    }
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', marks)).collect();
    let body = open + marks + 1;
    let length = symbols[body..].windows(marks + 1).position(|window| window == closing)?;
    Some(body + length + marks + 1)
}

fn end_of_string(symbols: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < symbols.len() && symbols[at] != '"' {
        at += if symbols[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Past a character literal; a lifetime is only its mark.
fn end_of_character(symbols: &[char], start: usize) -> usize {
    match (symbols.get(start + 1), symbols.get(start + 2)) {
        (Some('\\'), _) => {
            let rest = symbols[start + 3..].iter().take_while(|symbol| **symbol != '\'').count();
            start + 3 + rest + 1
        }
        (Some(_), Some('\'')) => start + 3,
        _ => start + 1,
    }
}

/// Every path of the file, outside and inside its unit tests.
fn used(source: &Source) -> Vec<Used> {
    let mut found = Vec::new();
    // Braces that are open, with the name of the inline module that opened each.
    let mut open: Vec<Option<String>> = Vec::new();
    let mut at = 0;
    let tokens = &source.tokens;
    while at < tokens.len() {
        match (&tokens[at], tokens.get(at + 1), tokens.get(at + 2)) {
            (Token::Word(keyword), Some(Token::Word(name)), Some(Token::Other('{')))
                if keyword == "mod" =>
            {
                open.push(Some(name.clone()));
                at += 3;
            }
            (Token::Other('{'), ..) => {
                open.push(None);
                at += 1;
            }
            (Token::Other('}'), ..) => {
                open.pop();
                at += 1;
            }
            (Token::Word(_), Some(Token::Path), _) => {
                let mut paths = Vec::new();
                at = path(tokens, at, &mut Vec::new(), &mut paths);
                let inline: Vec<_> = open.iter().flatten().collect();
                let in_tests = inline.iter().any(|name| *name == "tests");
                let depth = source.depth() + inline.len();
                found.extend(
                    paths
                        .into_iter()
                        .map(|segments| Used { segments: resolved(segments, depth), in_tests }),
                );
            }
            _ => at += 1,
        }
    }
    found
}

/// Reads one path at `at`, spelling its groups out; gives the place behind it.
fn path(
    tokens: &[Token],
    mut at: usize,
    prefix: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    let length = prefix.len();
    loop {
        match tokens.get(at) {
            Some(Token::Word(word)) => {
                prefix.push(word.clone());
                at += 1;
            }
            Some(Token::Other('{')) => {
                at += 1;
                while !matches!(tokens.get(at), Some(Token::Other('}')) | None) {
                    at = path(tokens, at, prefix, found);
                    // `as name` and the comma.
                    while !matches!(tokens.get(at), Some(Token::Other('}' | ',')) | None) {
                        at += 1;
                    }
                    if matches!(tokens.get(at), Some(Token::Other(','))) {
                        at += 1;
                    }
                }
                prefix.truncate(length);
                return at + 1;
            }
            _ => break,
        }
        if tokens.get(at) == Some(&Token::Path) {
            at += 1;
        } else {
            break;
        }
    }
    if prefix.len() > length {
        found.push(prefix.clone());
    }
    prefix.truncate(length);
    // A glob or a symbol that starts no path must not stop the reader.
    if matches!(tokens.get(at), Some(Token::Other('*'))) { at + 1 } else { at }
}

/// `super::super::plan` as `crate::plan` where the supers reach the root.
fn resolved(segments: Vec<String>, depth: usize) -> Vec<String> {
    let supers = segments.iter().take_while(|segment| *segment == "super").count();
    if supers == 0 || supers < depth {
        return segments;
    }
    std::iter::once("crate".to_owned()).chain(segments.into_iter().skip(supers)).collect()
}

#[test]
fn modules_use_each_other_only_in_the_directions_of_the_table() {
    let table: BTreeMap<&str, &[&str]> = DIRECTIONS.iter().copied().collect();
    let mut faults = Vec::new();
    let mut edges = BTreeSet::new();
    for source in sources() {
        let module = source.module().to_owned();
        if ["main", "lib"].contains(&module.as_str()) {
            continue;
        }
        let Some(allowed) = table.get(module.as_str()) else {
            faults.push(format!("{}: the module `{module}` has no line in the table", source.path));
            continue;
        };
        for Used { segments, .. } in used(&source) {
            let [first, other, ..] = segments.as_slice() else { continue };
            if first != "crate" || *other == module || other == IN_UNIT_TESTS {
                continue;
            }
            edges.insert((module.clone(), other.clone()));
            if !allowed.contains(&other.as_str()) {
                faults.push(format!("{}: `{module}` may not use `{other}`", source.path));
            }
        }
    }
    assert!(edges.len() > 20, "only {} uses were seen, so nothing is proved", edges.len());
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_line_of_the_table_is_a_module() {
    let modules: BTreeSet<_> = sources().iter().map(|source| source.module().to_owned()).collect();
    for (module, allowed) in DIRECTIONS.iter().copied() {
        assert!(modules.contains(module), "{module}");
        assert!(allowed.iter().all(|other| modules.contains(*other)), "{module}: {allowed:?}");
    }
}

#[test]
fn only_system_meets_the_outside_world() {
    let mut faults = Vec::new();
    for source in sources() {
        if source.module() == "system" || source.path == "main.rs" {
            continue;
        }
        for Used { segments, in_tests } in used(&source) {
            let segments: Vec<_> = segments.iter().map(String::as_str).collect();
            if !in_tests && OUTSIDE_WORLD.iter().any(|wall| segments.starts_with(wall)) {
                faults.push(format!("{}: {}", source.path, segments.join("::")));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn only_apply_and_system_write_files() {
    let mut faults = Vec::new();
    let mut excused = BTreeSet::new();
    for source in sources() {
        if ["apply", "system"].contains(&source.module()) {
            continue;
        }
        for Used { segments, in_tests } in used(&source) {
            let [.., module, function] = segments.as_slice() else { continue };
            if in_tests || module != "files" || !WRITERS.contains(&function.as_str()) {
                continue;
            }
            if OTHER_WRITERS.iter().any(|(path, _)| *path == source.path) {
                excused.insert(source.path.clone());
            } else {
                faults.push(format!("{}: {function}", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(excused.len(), OTHER_WRITERS.len(), "an exception that nobody needs");
}

#[test]
fn the_writers_of_the_table_exist() {
    let sources = sources();
    let files = sources.iter().find(|source| source.path == "system/files.rs").expect("files.rs");
    for writer in WRITERS {
        assert!(files.text.contains(&format!("pub fn {writer}(")), "{writer}");
    }
}

#[test]
fn only_the_terminal_and_progress_write_to_a_stream_and_only_visible_text() {
    let writers = ["system/terminal.rs", "system/progress.rs"];
    let mut faults = Vec::new();
    for source in sources() {
        for pair in source.tokens.windows(2) {
            let [Token::Word(module), Token::Path] = pair else { continue };
            if ["indicatif", "ProgressBar", "console"].contains(&module.as_str())
                && !writers.contains(&source.path.as_str())
            {
                faults.push(format!("{}: {module}", source.path));
            }
        }
        for Used { segments, .. } in used(&source) {
            let writes = matches!(segments.last().map(String::as_str), Some("stdout" | "stderr"))
                && segments.first().is_some_and(|first| first == "std");
            if writes && !writers.contains(&source.path.as_str()) {
                faults.push(format!("{}: {}", source.path, segments.join("::")));
            }
            // What the macro alone may call would let any text through.
            if segments.last().is_some_and(|last| last == "of_cleaned")
                && source.path != "visible/mod.rs"
            {
                faults.push(format!("{}: of_cleaned", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    let terminal = sources().into_iter().find(|source| source.path == writers[0]).expect("it");
    for signature in ["pub fn write_stdout(text: &Visible)", "pub fn write_stderr(text: &Visible)"]
    {
        assert!(terminal.text.contains(signature), "{signature}");
    }
    assert_eq!(terminal.text.matches("write_all").count(), 2, "another writer");
}

#[test]
fn outside_text_is_cleaned_in_one_place() {
    let own =
        ["is_control", "is_ascii_control", "escape_debug", "escape_default", "escape_unicode"];
    let faults: Vec<_> = sources()
        .into_iter()
        .filter(|source| !source.path.starts_with("visible/"))
        .flat_map(|source| {
            let words = source.tokens.iter().filter_map(|token| match token {
                Token::Word(word) if own.contains(&word.as_str()) => Some(word.clone()),
                _ => None,
            });
            let path = source.path.clone();
            let excused = REFUSES_CONTROLS.contains(&path.as_str());
            words.filter(|_| !excused).map(|word| format!("{path}: {word}")).collect::<Vec<_>>()
        })
        .collect();
    assert!(faults.is_empty(), "use `visible`: {faults:#?}");
}

#[test]
fn nothing_prints_and_nothing_is_left_for_later() {
    let mut faults = Vec::new();
    for source in sources() {
        for pair in source.tokens.windows(2) {
            if let [Token::Word(name), Token::Other('!')] = pair
                && BANNED_MACROS.contains(&name.as_str())
            {
                faults.push(format!("{}: {name}!", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_lint_is_allowed_away() {
    let faults: Vec<_> = sources()
        .into_iter()
        .filter(|source| !source.is_generated())
        .filter(|source| {
            source.tokens.windows(3).any(|window| {
                matches!(window, [Token::Other('['), Token::Word(name), Token::Other('(')] if name == "allow")
            })
        })
        .map(|source| source.path)
        .collect();
    assert!(faults.is_empty(), "use #[expect(lint, reason = \"...\")]: {faults:#?}");
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    let faults: Vec<_> = sources()
        .into_iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path)
        .collect();
    assert!(faults.is_empty(), "no `//!` at the top: {faults:#?}");
}

#[test]
fn no_file_is_too_long_to_read() {
    let lines = |source: &Source| {
        let code = source.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        code.lines().count()
    };
    let most = |source: &Source| {
        let known = LONGER_TODAY.iter().find(|(path, _)| *path == source.path);
        known.map_or(MAX_LINES, |(_, lines)| *lines)
    };
    let sources = sources();
    let long: Vec<_> = sources
        .iter()
        .filter(|source| !source.is_generated() && lines(source) > most(source))
        .map(|source| format!("{}: {} lines", source.path, lines(source)))
        .collect();
    assert!(long.is_empty(), "split by idea: {long:#?}");
    for (path, _) in LONGER_TODAY {
        let source = sources.iter().find(|source| source.path == path);
        assert!(
            source.is_some_and(|source| lines(source) > MAX_LINES),
            "{path} is short enough now: take it off the list"
        );
    }
}

fn sample(path: &str, text: &str) -> Vec<String> {
    let source = Source { path: path.to_owned(), text: String::new(), tokens: tokens(text) };
    used(&source).into_iter().map(|used| used.segments.join("::")).collect()
}

#[test]
fn the_reader_sees_groups_expressions_and_supers() {
    let text = "use crate::{plan::{Edit, Plan as P}, system}; fn f() { crate::report::go(); }";
    let seen = sample("apply/mod.rs", text);
    assert_eq!(
        seen,
        ["crate::plan::Edit", "crate::plan::Plan", "crate::system", "crate::report::go"]
    );
    assert_eq!(sample("plan/edit.rs", "use super::super::system::x;"), ["crate::system::x"]);
    assert_eq!(sample("plan/edit.rs", "use super::digest;"), ["super::digest"]);
    assert_eq!(sample("plan/mod.rs", "use super::system;"), ["crate::system"]);
    let tests = "mod tests { use super::inner; use super::super::system; }";
    assert_eq!(sample("plan/mod.rs", tests), ["super::inner", "crate::system"]);
}

#[test]
fn the_reader_skips_comments_and_literals() {
    let text = "// std::fs\n/* std::env */ let a = \"std::net\"; let b = r#\"std::io \"x\" \"#; let c = '\"'; let d: &'a str = '\\''; std::fmt::x";
    assert_eq!(sample("plan/mod.rs", text), ["std::fmt::x"]);
}
