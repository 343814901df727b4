//! The walls of ARCHITECTURE.md: which module may use which, and who may touch the outside world.
//!
//! Reads the sources as tokens, so that grouped imports and paths inside expressions count as well.

#![expect(clippy::disallowed_methods, reason = "the test reads the sources from the disk")]
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::LazyLock;

/// Each module of `src`, and the modules that it may use.
const DIRECTIONS: &[(&str, &[&str])] = &[
    ("visible", &[]),
    ("reason", &[]),
    ("strict_json", &["visible"]),
    ("repository", &["visible"]),
    ("contract", &["strict_json", "visible"]),
    ("plan", &["visible"]),
    ("openapi", &["contract", "reason", "strict_json", "visible"]),
    ("merge", &["plan", "visible"]),
    ("system", &["visible"]),
    ("verify", &["strict_json", "visible"]),
    ("generate", &["contract", "plan", "repository", "visible"]),
    ("apply", &["plan", "system", "visible"]),
    ("release", &["repository", "strict_json", "system", "verify", "visible"]),
    (
        "inputs",
        &[
            "contract",
            "generate",
            "plan",
            "reason",
            "release",
            "repository",
            "system",
            "verify",
            "visible",
        ],
    ),
    ("update", &["inputs", "release", "strict_json", "system", "verify", "visible"]),
    (
        "audit",
        &[
            "apply", "contract", "generate", "inputs", "merge", "plan", "reason", "system",
            "visible",
        ],
    ),
    ("conform", &["contract", "generate", "inputs", "reason", "strict_json", "system", "visible"]),
    ("report", &["conform", "contract", "plan", "update", "visible"]),
    (
        "mcp",
        &["conform", "contract", "inputs", "reason", "report", "strict_json", "system", "visible"],
    ),
    ("cli", &["commands", "system", "workflows"]),
    (
        "error",
        &[
            "apply", "audit", "conform", "contract", "generate", "inputs", "plan", "release",
            "report", "system", "update", "verify", "visible",
        ],
    ),
    (
        "workflows",
        &[
            "apply",
            "audit",
            "conform",
            "contract",
            "error",
            "generate",
            "inputs",
            "mcp",
            "merge",
            "openapi",
            "plan",
            "reason",
            "release",
            "report",
            "strict_json",
            "system",
            "update",
            "verify",
            "visible",
        ],
    ),
    (
        "commands",
        &[
            "audit",
            "cli",
            "conform",
            "contract",
            "error",
            "generate",
            "inputs",
            "mcp",
            "merge",
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
            "openapi",
            "plan",
            "reason",
            "report",
            "strict_json",
            "system",
            "visible",
            "workflows",
        ],
    ),
    (
        "run",
        &[
            "apply",
            "audit",
            "cli",
            "commands",
            "contract",
            "error",
            "families",
            "generate",
            "inputs",
            "plan",
            "report",
            "system",
            "update",
            "visible",
            "workflows",
        ],
    ),
];

/// Files of `src/commands` that are not commands.
const NO_COMMANDS: [&str; 2] = ["mod", "registry"];

/// The function that unit tests call in place of an entry point; it is not a module.
const IN_UNIT_TESTS: &str = "installed";

/// Parts of the standard library that only `system` uses; the entry point passes its arguments on.
const OUTSIDE_WORLD: &[&[&str]] = &[
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
const WRITERS: &[&str] = &[
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

/// Other files that may write, and what they write; never a project.
const OTHER_WRITERS: &[(&str, &str)] = &[
    ("families/augmentor/host/runner.rs", "the files of a runner in a private temporary directory"),
    ("workflows/migrate/copies.rs", "copies of a project in a private temporary directory"),
    ("workflows/migrate/proof.rs", "results of `aos conform` in the state directory of aos"),
    ("workflows/report_file.rs", "the report file that a person names"),
    ("families/agent_cli/conform/tree.rs", "files of a tool, damaged in the sandbox of a probe"),
    ("families/agent_cli/conform/signed/scene.rs", "the mark of a stage in the sandbox of a probe"),
    ("workflows/write_gate.rs", "the used tokens in the state directory of aos"),
    ("run/audit_log.rs", "the log of its writes in the state directory of aos"),
    ("update/notice.rs", "what is known about updates in the state directory of aos"),
    ("update/swap.rs", "the lock of an update in the state directory of aos"),
    ("update/skill/backup.rs", "changed files of an installed Skill in the state directory of aos"),
    ("update/skill/journal.rs", "what copies of the Skill were, in the state directory of aos"),
    ("update/skill/put.rs", "installed copies of the Skill that are not the verified one"),
    ("update/skill/sync.rs", "unfinished copies in the state directory of aos"),
    ("inputs/spec_source/kept.rs", "verified releases of contracts in the state directory of aos"),
];

/// Files that inspect control characters to refuse a text or to write code, not to show it.
const REFUSES_CONTROLS: &[&str] = &[
    "commands/add.rs",
    "families/harness/conform/facts/check.rs",
    "families/harness/declared.rs",
    "generate/record_text.rs",
    "generate/render.rs",
    "inputs/answers.rs",
    "inputs/own_template/judge.rs",
    "plan/relative_path.rs",
    "release/archive.rs",
    "verify/checksums.rs",
    "workflows/add/blueprint.rs",
];

/// Most files that import each other in a circle.
const MAX_CIRCLE: usize = 5;

/// Circles that are larger today, by one of their files, and how large at most: this list may only shrink.
const LARGER_CIRCLES: &[(&str, usize)] = &[];

/// The line that names each family, and who may call it.
const NAMES_FAMILIES: &[&str] = &["lib.rs", "run.rs"];

/// Modules whose public types are in the glossary of ARCHITECTURE.md.
const IN_GLOSSARY: &[&str] = &["audit", "conform", "contract"];

/// Macros that write past the one document, or that leave work for later.
const BANNED_MACROS: &[&str] =
    &["println", "eprintln", "print", "eprint", "dbg", "todo", "unimplemented"];

/// Most lines of a file, its unit tests left out.
const MAX_LINES: usize = 450;

/// Files that are longer today, and by how much at most: this list may only shrink.
const LONGER_TODAY: &[(&str, usize)] = &[];

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

/// Every source, read once.
fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(read_sources);
    &SOURCES
}

fn read_sources() -> Vec<Source> {
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
        for Used { segments, .. } in used(source) {
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
fn the_document_shows_the_directions() {
    let document = include_str!("../ARCHITECTURE.md");
    for (module, uses) in DIRECTIONS {
        let row = document.lines().find(|line| {
            let name = line.strip_prefix("| ").and_then(|line| line.split(" | ").next());
            name.is_some_and(|name| name.split(", ").any(|name| name == format!("`{module}`")))
        });
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{module}`"));
        let shown = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        if shown == "everything" {
            continue;
        }
        // Whatever is shown to a reader goes through `visible`.
        let uses: Vec<_> = uses.iter().filter(|module| **module != "visible").collect();
        let expected: Vec<_> = uses.iter().map(|module| format!("`{module}`")).collect();
        let expected =
            if expected.is_empty() { "no other module".to_owned() } else { expected.join(", ") };
        assert_eq!(shown, expected, "the row of `{module}`");
    }
}

/// The command that a path leads to, seen from `source`; `super` is resolved.
fn command_of(source: &Source, segments: &[String]) -> Option<String> {
    let mut place: Vec<&str> = source.path.trim_end_matches(".rs").split('/').collect();
    if place.last() == Some(&"mod") {
        place.pop();
    }
    let whole: Vec<&str> = match segments.first().map(String::as_str)? {
        "crate" => segments.iter().skip(1).map(String::as_str).collect(),
        "super" => {
            let supers = segments.iter().take_while(|segment| *segment == "super").count();
            let kept = place.len().checked_sub(supers)?;
            let rest = segments.iter().skip(supers).map(String::as_str);
            place[..kept].iter().copied().chain(rest).collect()
        }
        _ => return None,
    };
    match whole.as_slice() {
        ["commands", command, _, ..] => Some((*command).to_owned()),
        _ => None,
    }
}

#[test]
fn no_command_uses_another_and_no_answer_is_written_by_hand() {
    let mut faults = Vec::new();
    let mut commands = BTreeSet::new();
    for source in sources() {
        let answers = ["commands", "workflows"].contains(&source.module());
        let is_json = |pair: &[Token]| matches!(pair, [Token::Word(name), Token::Other('!')] if name == "json");
        if answers && source.tokens.windows(2).any(is_json) {
            faults.push(format!("{}: an answer is a type of `report::answers`", source.path));
        }
        let Some(own) = source.path.strip_prefix("commands/") else { continue };
        let own = own.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        commands.insert(own.to_owned());
        for Used { segments, in_tests } in used(source) {
            let Some(other) = command_of(source, &segments).filter(|_| !in_tests) else {
                continue;
            };
            if other != own && !NO_COMMANDS.contains(&other.as_str()) {
                faults.push(format!("{}: `{own}` uses the command `{other}`", source.path));
            }
        }
    }
    assert!(commands.len() > 15, "only {} commands were seen", commands.len());
    assert!(faults.is_empty(), "move what both need to `workflows`: {faults:#?}");
}

#[test]
fn the_guard_sees_a_command_that_uses_another() {
    let of = |path: &str, text: &str| {
        let source = Source { path: path.to_owned(), text: String::new(), tokens: tokens(text) };
        let found = used(&source).into_iter();
        found.filter_map(|used| command_of(&source, &used.segments)).collect::<Vec<_>>()
    };
    assert_eq!(of("commands/doctor.rs", "use super::reference::LEVEL;"), ["reference"]);
    assert_eq!(of("commands/mcp/serve.rs", "use super::super::check::run;"), ["check"]);
    assert_eq!(of("commands/new.rs", "use crate::commands::sync_spec::open;"), ["sync_spec"]);
    assert!(of("commands/new.rs", "use super::Run; use crate::workflows::new::list;").is_empty());
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
        for Used { segments, in_tests } in used(source) {
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
        for Used { segments, in_tests } in used(source) {
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
fn only_the_terminal_progress_and_prompts_write_to_a_stream_and_only_visible_text() {
    let writers = ["system/terminal.rs", "system/progress.rs", "system/prompt.rs"];
    let mut faults = Vec::new();
    for source in sources() {
        for pair in source.tokens.windows(2) {
            let [Token::Word(module), Token::Path] = pair else { continue };
            if ["indicatif", "ProgressBar", "console", "dialoguer"].contains(&module.as_str())
                && !writers.contains(&source.path.as_str())
            {
                faults.push(format!("{}: {module}", source.path));
            }
        }
        for Used { segments, .. } in used(source) {
            let writes = matches!(segments.last().map(String::as_str), Some("stdout" | "stderr"))
                && segments.first().is_some_and(|first| first == "std");
            if writes && !writers.contains(&source.path.as_str()) {
                faults.push(format!("{}: {}", source.path, segments.join("::")));
            }
            // Only the macro may call this function, because it accepts any text.
            if segments.last().is_some_and(|last| last == "of_cleaned")
                && source.path != "visible/mod.rs"
            {
                faults.push(format!("{}: of_cleaned", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    let terminal = sources().iter().find(|source| source.path == writers[0]).expect("it");
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
        .iter()
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
fn no_source_uses_a_banned_macro() {
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
        .iter()
        .filter(|source| !source.is_generated())
        .filter(|source| {
            source.tokens.windows(3).any(|window| {
                matches!(window, [Token::Other('['), Token::Word(name), Token::Other('(')] if name == "allow")
            })
        })
        .map(|source| source.path.clone())
        .collect();
    assert!(faults.is_empty(), "use #[expect(lint, reason = \"...\")]: {faults:#?}");
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path.clone())
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
        let source = sources.iter().find(|source| source.path == *path);
        assert!(
            source.is_some_and(|source| lines(source) > MAX_LINES),
            "{path} is short enough now: take it off the list"
        );
    }
}

/// How often a `Result` of the tokens has a text as its error: `String`, or a `str` that is borrowed.
fn text_errors(tokens: &[Token]) -> usize {
    let is_result = |at: usize| {
        tokens[at] == Token::Word("Result".to_owned())
            && tokens.get(at + 1) == Some(&Token::Other('<'))
    };
    (0..tokens.len()).filter(|at| is_result(*at) && is_text(error_of(tokens, at + 2))).count()
}

/// The last argument of a generic type whose arguments begin at `start`; empty when there is one argument.
fn error_of(tokens: &[Token], start: usize) -> &[Token] {
    let (mut open, mut last) = (1, None);
    for at in start..tokens.len() {
        match tokens[at] {
            Token::Other('<' | '(' | '[') => open += 1,
            // The arrow of a function type closes nothing.
            Token::Other('>') if tokens[at - 1] == Token::Other('-') => {}
            Token::Other('>' | ')' | ']') => open -= 1,
            // Not the comma that may follow the last argument.
            Token::Other(',') if open == 1 && tokens.get(at + 1) != Some(&Token::Other('>')) => {
                last = Some(at + 1);
            }
            _ => {}
        }
        if open == 0 {
            return last.map_or(&[], |last| &tokens[last..at]);
        }
    }
    &[]
}

fn is_text(error: &[Token]) -> bool {
    let error: Vec<_> = error.iter().filter(|token| **token != Token::Other(',')).collect();
    match error.as_slice() {
        [Token::Word(word)] => word == "String",
        [Token::Other('&'), .., Token::Word(word)] => word == "str",
        _ => false,
    }
}

#[test]
fn an_error_is_a_type_and_not_a_text() {
    let faults: Vec<_> = sources()
        .iter()
        .filter(|source| !is_of_tests(&source.path))
        .filter_map(|source| {
            let code = source.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let count = text_errors(&tokens(code));
            (count > 0).then(|| format!("{}: {count}", source.path))
        })
        .collect();
    assert!(faults.is_empty(), "use an enum, or `reason::Reason`: {faults:#?}");
}

#[test]
fn the_guard_sees_a_text_as_an_error_at_any_depth() {
    let count = |text: &str| text_errors(&tokens(text));
    assert_eq!(count("fn f() -> Result<(), String>"), 1);
    assert_eq!(count("fn f() -> Result<BTreeMap<String, String>, &'static str,>"), 1);
    assert_eq!(count("a: Option<Result<fn(&str) -> String, String>>"), 1);
    assert_eq!(count("Result<Result<u8, String>, Failure>"), 1);
    for text in
        ["Result<BTreeMap<String, String>, Failure>", "io::Result<String>", "Map<A, String>"]
    {
        assert_eq!(count(text), 0, "{text}");
    }
}

/// The module of a file: `plan::edit` for `plan/edit.rs`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// A path of a file as one from the root of the crate; `None` for what is outside.
fn from_root(
    module: &[String],
    segments: &[String],
    is_module: &dyn Fn(&[String]) -> bool,
) -> Option<Vec<String>> {
    let supers = segments.iter().take_while(|segment| *segment == "super").count();
    let joined = |start: &[String], rest: &[String]| [start, rest].concat();
    match segments.first()?.as_str() {
        "crate" => Some(segments[1..].to_vec()),
        "self" => Some(joined(module, &segments[1..])),
        "super" => {
            Some(joined(module.get(..module.len().checked_sub(supers)?)?, &segments[supers..]))
        }
        _ => {
            let child = joined(module, &segments[..1]);
            is_module(&child).then(|| joined(module, segments))
        }
    }
}

/// The files that each file uses, outside of unit tests; a name belongs to the deepest module of its path.
fn imports(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let files: BTreeMap<Vec<String>, &str> =
        sources.iter().map(|source| (module_of(&source.path), source.path.as_str())).collect();
    let mut imports = BTreeMap::new();
    for source in
        sources.iter().filter(|source| !["lib.rs", "main.rs"].contains(&source.path.as_str()))
    {
        let module = module_of(&source.path);
        let mut used_files = BTreeSet::new();
        for Used { segments, in_tests } in used(source) {
            let path = from_root(&module, &segments, &|child| files.contains_key(child));
            let Some(path) = path.filter(|_| !in_tests) else { continue };
            let file = (1..=path.len()).rev().find_map(|length| files.get(&path[..length]));
            used_files
                .extend(file.filter(|file| **file != source.path).map(|file| (*file).to_owned()));
        }
        imports.insert(source.path.clone(), used_files);
    }
    imports
}

/// Groups of files that reach each other, each in order.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|start| {
            let (mut seen, mut open) = (BTreeSet::new(), VecDeque::from([start.as_str()]));
            while let Some(file) = open.pop_front() {
                for next in imports.get(file).into_iter().flatten() {
                    if seen.insert(next.as_str()) {
                        open.push_back(next);
                    }
                }
            }
            (start.as_str(), seen)
        })
        .collect();
    let together = |one: &str, other: &str| {
        reached[one].contains(other) && reached.get(other).is_some_and(|back| back.contains(one))
    };
    reached
        .iter()
        .filter(|(file, seen)| seen.contains(*file))
        .map(|(file, seen)| {
            seen.iter()
                .filter(|other| together(file, other))
                .map(|other| (*other).to_owned())
                .collect()
        })
        .collect()
}

#[test]
fn no_circle_of_imports_joins_more_than_a_handful_of_files() {
    let imports = imports(sources());
    let uses: usize = imports.values().map(BTreeSet::len).sum();
    assert!(uses > 1_000, "only {uses} uses were seen, so nothing is proved");
    let circles = circles(&imports);
    let most = |circle: &Vec<String>| {
        let known = LARGER_CIRCLES.iter().find(|(file, _)| circle.iter().any(|path| path == file));
        known.map_or(MAX_CIRCLE, |(_, files)| *files)
    };
    let large: Vec<_> = circles.iter().filter(|circle| circle.len() > most(circle)).collect();
    assert!(large.is_empty(), "move what both sides need to a file of its own: {large:#?}");
    for (file, _) in LARGER_CIRCLES {
        let is_large = |circle: &Vec<String>| {
            circle.len() > MAX_CIRCLE && circle.iter().any(|path| path == file)
        };
        assert!(
            circles.iter().any(is_large),
            "{file} is in no such circle now: take it off the list"
        );
    }
}

fn sources_of(files: &[(&str, &str)]) -> Vec<Source> {
    let source = |(path, text): &(&str, &str)| Source {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
        tokens: tokens(text),
    };
    files.iter().map(source).collect()
}

#[test]
fn a_circle_is_seen_through_supers_children_and_groups_and_not_through_tests() {
    let ring = sources_of(&[
        ("a/mod.rs", "mod b; use b::Thing;"),
        ("a/b.rs", "use super::{c::C, super::d::D};"),
        ("a/c.rs", "fn f() { crate::d::g() }"),
        ("d.rs", "use crate::a::Thing;"),
        ("e.rs", "use crate::a::Thing; mod tests { use crate::f::F; }"),
        ("f.rs", "use crate::e::E;"),
    ]);
    let found = circles(&imports(&ring));
    assert_eq!(
        found,
        BTreeSet::from([["a/b.rs", "a/c.rs", "a/mod.rs", "d.rs"].map(str::to_owned).to_vec()])
    );
}

#[test]
fn no_layer_names_a_family() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.module() != "families") {
        let may_name = NAMES_FAMILIES.contains(&source.path.as_str());
        for Used { segments, .. } in used(source) {
            let path: Vec<_> = segments.iter().map(String::as_str).collect();
            let at = path.iter().position(|segment| *segment == "families");
            let Some(at) = at.filter(|at| *at <= 1) else { continue };
            if !may_name || path.get(at + 1) != Some(&"install") {
                faults.push(format!("{}: {}", source.path, path.join("::")));
            }
        }
    }
    assert!(faults.is_empty(), "ask a family through a trait of your layer: {faults:#?}");
}

#[test]
fn no_family_uses_another_one() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.path.matches('/').count() > 1) {
        let module = module_of(&source.path);
        for Used { segments, .. } in used(source) {
            let Some(path) = from_root(&module, &segments, &|_| false) else { continue };
            if let ([families, own, ..], [other_families, other, ..]) =
                (module.as_slice(), path.as_slice())
                && families == "families"
                && other_families == "families"
                && own != other
            {
                faults.push(format!("{}: {}", source.path, path.join("::")));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn each_folder_of_families_has_its_line_in_the_list() {
    let sources = sources();
    let list = sources.iter().find(|source| source.path == "families/mod.rs").expect("the list");
    let folders: BTreeSet<&str> = sources
        .iter()
        .filter_map(|source| source.path.strip_prefix("families/")?.split_once('/'))
        .map(|(folder, _)| folder)
        .collect();
    assert!(folders.len() > 3, "{folders:?}");
    for folder in folders {
        assert!(
            list.text.contains(&format!("{folder}::install")),
            "families/mod.rs lacks {folder}"
        );
    }
}

/// Each type that is declared outside of unit tests, whether it is public, and its file.
fn types(sources: &[Source]) -> Vec<(String, bool, String)> {
    let mut types = Vec::new();
    for source in
        sources.iter().filter(|source| !source.is_generated() && !is_of_tests(&source.path))
    {
        let (mut at, mut open, mut in_tests) = (0, 0_usize, None);
        while let Some(token) = source.tokens.get(at) {
            let next = source.tokens.get(at + 1);
            match (token, next) {
                (Token::Word(word), Some(Token::Word(name)))
                    if word == "mod" && name == "tests" =>
                {
                    in_tests = in_tests.or(Some(open));
                }
                (Token::Word(word), Some(Token::Word(name)))
                    if in_tests.is_none()
                        && ["struct", "enum", "trait", "union"].contains(&word.as_str()) =>
                {
                    let before = at.checked_sub(1).map(|before| &source.tokens[before]);
                    let is_public = before == Some(&Token::Word("pub".to_owned()));
                    types.push((name.clone(), is_public, source.path.clone()));
                }
                (Token::Other('{'), _) => open += 1,
                (Token::Other('}'), _) => {
                    open = open.saturating_sub(1);
                    in_tests = in_tests.filter(|start| open > *start);
                }
                _ => {}
            }
            at += 1;
        }
    }
    types
}

/// Files that hold unit tests alone.
fn is_of_tests(path: &str) -> bool {
    ["tests", "sample", "fleet"].iter().any(|name| module_of(path).iter().any(|part| part == name))
        && path.contains("rules/")
        || path.ends_with("/tests.rs")
}

#[test]
fn a_name_of_a_type_has_one_meaning() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, _, path) in types(sources()) {
        files.entry(name).or_default().push(path);
    }
    assert!(files.len() > 500, "only {} types were seen, so nothing is proved", files.len());
    files.retain(|_, paths| paths.len() > 1);
    assert!(files.is_empty(), "give one of them a name of its own: {files:#?}");
}

#[test]
fn the_glossary_lists_each_domain_type() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md"))
        .expect("ARCHITECTURE.md");
    let (_, glossary) = text.split_once("\n## Types\n").expect("the section Types");
    let glossary = glossary.split("\n## ").next().unwrap_or_default();
    let listed: BTreeSet<(String, String)> = glossary
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
            Some((cells.nth(1)?, cells.next()?))
        })
        .filter(|(name, module)| {
            name.starts_with(char::is_uppercase) && module.contains(char::is_lowercase)
        })
        .collect();
    let declared: BTreeSet<(String, String)> = types(sources())
        .into_iter()
        .filter(|(_, is_public, path)| {
            *is_public && IN_GLOSSARY.iter().any(|module| path.starts_with(&format!("{module}/")))
        })
        .map(|(name, _, path)| (name, module_of(&path).join("::")))
        .collect();
    assert!(declared.len() > 50, "only {} types were seen", declared.len());
    let missing: Vec<_> = declared.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&declared).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "missing: {missing:#?}; not declared: {stale:#?}"
    );
}

#[test]
fn declarations_are_seen_outside_of_unit_tests_and_literals() {
    let files = sources_of(&[(
        "a.rs",
        "pub struct One; enum Two { A } const T: &str = \"struct Three;\"; mod tests { struct Four; } pub trait Five {}",
    )]);
    let seen: Vec<_> =
        types(&files).into_iter().map(|(name, is_public, _)| (name, is_public)).collect();
    assert_eq!(
        seen,
        [("One", true), ("Two", false), ("Five", true)].map(|(name, is)| (name.to_owned(), is))
    );
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
