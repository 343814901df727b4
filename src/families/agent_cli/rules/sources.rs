//! The tool's own code: program and tests apart, and the string literals in it.

use super::facts::ToolFacts;
use crate::contract::repository::{ProjectFiles, is_below};
use crate::contract::rules::collector::SourceText;

/// Directories whose files are not this tool's program: carried along, made by tools, or material for other projects.
const FOREIGN: &[&str] = &[
    ".git",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    "build",
    "dist",
    ".tox",
    "vendor",
    "third_party",
    "testdata",
    "fixtures",
    "examples",
    "templates",
];
const LANGUAGES: &[&str] = &["go", "py", "rs", "ts", "mts", "js"];

/// One file of code.
#[derive(Debug)]
pub struct SourceCode<'a> {
    pub source: SourceText<'a>,
    pub text: &'a str,
    pub language: &'a str,
}

/// Code by what it is for.
#[derive(Debug, Default)]
pub struct ToolSources<'a> {
    pub program: Vec<SourceCode<'a>>,
    pub tests: Vec<SourceCode<'a>>,
}

impl<'a> ToolSources<'a> {
    pub fn of(repository: &'a ProjectFiles, facts: &ToolFacts) -> Self {
        let mut sources = Self::default();
        let nested = repository.nested(facts.generated.iter().map(String::as_str));
        for (path, file) in &repository.files {
            let Some(language) = path.rsplit_once('.').map(|(_, ending)| ending) else { continue };
            let generated = facts.generated.contains(path) || path.contains("contract_gen.");
            let is_nested = nested.iter().any(|directory| is_below(path, directory));
            if !LANGUAGES.contains(&language) || is_foreign(path) || is_nested || generated {
                continue;
            }
            let Some(text) = file.bytes.text() else { continue };
            let source = SourceText::new(path, &file.bytes);
            if is_test(path) {
                sources.tests.push(SourceCode { source, text, language });
            } else if language != "js" {
                // Unit tests of Rust are at the end of the file that they test.
                let end = if language == "rs" { text.find("#[cfg(test)]") } else { None };
                let text = &text[..end.unwrap_or(text.len())];
                sources.program.push(SourceCode { source, text, language });
            }
        }
        sources
    }
}

pub fn is_foreign(path: &str) -> bool {
    path.split('/')
        .any(|component| FOREIGN.contains(&component) || component.ends_with(".egg-info"))
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    path.split('/').any(|component| matches!(component, "test" | "tests" | "e2e" | "__tests__"))
        || stem.ends_with("_test")
        || stem.starts_with("test_")
        || name == "conftest.py"
        || name.contains(".test.")
        || name.contains(".spec.")
}

/// String literals in quotes of any kind that end on their line: where each begins and what it holds, escapes as they
/// are written.
pub fn literals(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(quote) = bytes.get(at) {
            at += 1;
            if !matches!(quote, b'"' | b'\'' | b'`') {
                continue;
            }
            let start = at;
            loop {
                match bytes.get(at) {
                    None => return None,
                    Some(b'\n') => break,
                    Some(b'\\') if *quote != b'`' => at += 2,
                    Some(byte) if byte == quote => {
                        at += 1;
                        return Some((start, &text[start..at - 1]));
                    }
                    Some(_) => at += 1,
                }
            }
        }
        None
    })
}

/// The text after each place where `name` is given a value: `name: …`, `"name": …`, `name = …`.
pub fn assigned<'a>(text: &'a str, name: &str) -> Vec<(usize, &'a str)> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        let whole = !text[..at].ends_with(|symbol: char| symbol.is_alphanumeric() || symbol == '_');
        let rest = text[from..].trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
        let value = rest.strip_prefix(':').or_else(|| rest.strip_prefix('='));
        if let Some(value) = value.filter(|_| whole) {
            places.push((at, value.trim_start_matches(['=', ' ', '\t'])));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_one_line_are_found_and_an_open_quote_hides_nothing_after_its_line() {
        let text = "a = \"x\"\nb = 'it's\nc = `y` // don't\nd = \"z\\n\" \"w\"\n";
        let found: Vec<_> = literals(text).map(|(_, literal)| literal).collect();
        assert!(found.contains(&"x") && found.contains(&"y") && found.contains(&"w"), "{found:?}");
    }

    #[test]
    fn values_are_found_for_whole_names_only() {
        let text =
            "Level: \"a\"\nReleaseLevel: \"b\"\n\"Level\": \"c\"\nLevel = \"d\"\n// Level of it\n";
        let found: Vec<_> =
            assigned(text, "Level").into_iter().map(|(_, rest)| &rest[..3]).collect();
        assert_eq!(found, ["\"a\"", "\"c\"", "\"d\""]);
    }

    #[test]
    fn tests_are_known_by_their_place_or_their_name() {
        for path in
            ["cmd/x_test.go", "tests/x.py", "a/test/x.go", "test_x.py", "x.test.ts", "a/test_y.py"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in ["cmd/x.go", "contest/x.py", "latest.py", "testing.go"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
