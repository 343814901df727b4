//! The Python sources of a project, read once, and which of them only tests use.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::super::masked::{Syntax, masked};
use super::super::started;
use super::imports::{ImportedName, imports, last};
use super::listed::ListedImport;
use super::statements::{Statements, closing};
use super::tokens::{PythonKind, PythonToken, tokens};
use crate::audit::shadow::module::GeneratedModule;
use crate::contract::remembered::Remembered;

/// A source with its tokens.
pub struct PythonText<'t> {
    pub path: &'t str,
    read: Arc<ReadPython<'t>>,
}

/// Facts that follow from the text of a source alone, regardless of its location.
pub struct ReadPython<'t> {
    /// The text without its comments and strings.
    pub code: String,
    pub tokens: Vec<PythonToken<'t>>,
    pub imports: Vec<ImportedName<'t>>,
    pub is_import: Vec<bool>,
    pub statements: Statements,
    /// Imports by their lines; only some of the rules ask for them.
    listed: OnceLock<Vec<ListedImport>>,
}

impl<'t> ReadPython<'t> {
    fn of(text: &'t str) -> Self {
        let tokens = tokens(text);
        let (imports, is_import) = imports(&tokens);
        let statements = Statements::of(&tokens, &is_import);
        let code = masked(&line_ends(text), Syntax::Python);
        Self { code, tokens, imports, is_import, statements, listed: OnceLock::new() }
    }

    /// Imports by the lines of the code.
    pub fn listed(&self) -> &[ListedImport] {
        self.listed.get_or_init(|| ListedImport::all(&self.code))
    }
}

impl<'t> Deref for PythonText<'t> {
    type Target = ReadPython<'t>;

    fn deref(&self) -> &ReadPython<'t> {
        &self.read
    }
}

impl<'t> PythonText<'t> {
    /// Reads a source; one with the text of an earlier source is not read again.
    #[must_use]
    pub fn of(path: &'t str, text: &'t str) -> Self {
        static READ: Remembered<Arc<ReadPython<'static>>> = Remembered::new();
        let known: Option<Arc<ReadPython<'t>>> =
            READ.of(text, |text| Arc::new(ReadPython::of(text)));
        let read = known.unwrap_or_else(|| Arc::new(ReadPython::of(text)));
        Self { path, read }
    }

    /// The name that other files import this one by.
    #[must_use]
    pub fn module(&self) -> &'t str {
        module_of(self.path)
    }

    /// The last name of an origin; one of dots alone is a directory above this file.
    #[must_use]
    pub fn origin(&self, origin: &str) -> String {
        let name = last(origin.trim_start_matches('.'));
        if !name.is_empty() {
            return name.to_owned();
        }
        let above = self.path.rsplit('/').nth(origin.len());
        above.unwrap_or_default().to_owned()
    }
}

fn module_of(path: &str) -> &str {
    let stem = path.trim_end_matches(".pyw").trim_end_matches(".py");
    last_part(stem.strip_suffix("/__init__").unwrap_or(stem))
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The same text with one line feed for each end of a line that Python knows, and every byte where it was.
#[must_use]
pub fn line_ends(text: &str) -> String {
    text.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace('\r', "\n")
}

/// True if the path of a file says that only tests use it.
#[must_use]
pub fn is_test(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    is_test_name(name) || name == "conftest.py" || directory.split('/').any(is_test_directory)
}

fn is_test_name(name: &str) -> bool {
    name.starts_with("test_") || name.ends_with("_test.py")
}

fn is_test_directory(name: &str) -> bool {
    matches!(name, "test" | "tests")
}

/// Every Python source of the project, with its text; also scripts that name Python in their first line, and texts that
/// something gives to Python.
#[must_use]
pub fn texts<'a>(module: &GeneratedModule<'a>) -> BTreeMap<&'a str, &'a str> {
    let scripts = module.others(&[""]).filter(|(path, text)| {
        let first = text.lines().next().unwrap_or_default();
        let is_python = ["python", "uv run", "pipx run"].iter().any(|word| first.contains(word));
        !path.ends_with(".md") && first.starts_with("#!") && is_python
    });
    let started = started::texts(module, &started::PYTHON);
    module.others(&[".py", ".pyw"]).chain(scripts).chain(started).collect()
}

/// Sources that the tool loads: all but the tests, and those of the tests that a loaded one names.
#[must_use]
pub fn loaded<'a>(
    module: &GeneratedModule<'a>,
    texts: &BTreeMap<&'a str, &'a str>,
) -> BTreeSet<&'a str> {
    let (tests, mut loaded): (BTreeSet<&str>, BTreeSet<&str>) =
        texts.keys().copied().partition(|path| is_test(path));
    let settings = module.others(&["pyproject.toml", "setup.cfg", "setup.py"]);
    let mut words: BTreeSet<String> = BTreeSet::new();
    for (_, text) in settings {
        // Only what is started: a setting may name the directory of the tests for many reasons.
        let quoted = text.split(['"', '\'', '\n', '=', ' ']);
        words.extend(quoted.filter(|word| word.contains(':')).flat_map(entry_points));
    }
    // Files of aos name no test of the project.
    for path in loaded.iter().filter(|path| !module.ours.contains(*path)) {
        words.extend(imported(texts[path]).iter().cloned());
    }
    let mut left = tests;
    // A test that is loaded can name another.
    for _ in 0..8 {
        let named: Vec<_> = left.iter().copied().filter(|path| is_named(path, &words)).collect();
        if named.is_empty() {
            break;
        }
        for path in named {
            left.remove(path);
            loaded.insert(path);
            words.extend(imported(texts[path]).iter().cloned());
        }
    }
    loaded
}

/// True if a test is imported: by its own name, or through the directory of the tests.
fn is_named(path: &str, words: &BTreeSet<String>) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_tests = directory.split('/').find(|name| is_test_directory(name));
    match in_tests {
        // A word such as `api` says nothing: the directory must be named, too.
        Some(tests) if !is_test_name(name) => words.contains(tests),
        Some(tests) => words.contains(tests) && words.contains(module_of(path)),
        None => words.contains(module_of(path)),
    }
}

/// Parts of the names that a source imports, also in strings of calls that import.
fn imported(text: &str) -> Arc<BTreeSet<String>> {
    static KNOWN: Remembered<Arc<BTreeSet<String>>> = Remembered::new();
    let known = KNOWN.of(text, |text| Arc::new(imported_words(text)));
    known.unwrap_or_else(|| Arc::new(imported_words(text)))
}

fn imported_words(text: &str) -> BTreeSet<String> {
    let source = PythonText::of("", text);
    let (tokens, imports) = (&source.tokens, &source.imports);
    let paths = imports.iter().flat_map(|import| [import.origin.as_str(), import.name.as_str()]);
    let mut words: BTreeSet<String> =
        paths.flat_map(|path| path.split('.')).map(str::to_owned).collect();
    let by_name =
        ["import_module", "__import__", "spec_from_file_location", "run_module", "run_path"];
    for (at, token) in tokens.iter().enumerate() {
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is("("));
        if is_call && by_name.contains(&token.text) {
            let given = tokens.get(at + 1..closing(tokens, at + 1)).unwrap_or_default();
            let strings = given.iter().filter(|token| token.kind == PythonKind::Text);
            words.extend(strings.flat_map(|token| entry_points(token.text)));
        }
    }
    words
}

/// Words of a text that could be parts of a module's name.
fn entry_points(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_keep_every_byte_in_place() {
        for (text, expected) in [("a\rb", "a\nb"), ("a\r\nb", "a \nb"), ("a\\\r\nb", "a \\\nb")] {
            assert_eq!(line_ends(text), expected);
            assert_eq!(text.len(), expected.len());
        }
    }

    #[test]
    fn tests_are_known_by_their_place_and_named_by_imports() {
        for path in ["a/test_x.py", "x_test.py", "tests/helper.py", "a/tests/b/c.py", "conftest.py"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in ["a/x.py", "testing.py", "a/contest.py"] {
            assert!(!is_test(path), "{path}");
        }
        let words = imported("from . import test_values\nimport a.b\n");
        assert!(is_named("pkg/test_values.py", &words));
        assert!(!is_named("tests/test_values.py", &words));
        assert!(is_named("tests/x.py", &imported("from ..tests import x\n")));
        assert!(is_named("pkg/test_x.py", &imported("import_module('pkg.test_x')\n")));
        assert!(!is_named("pkg/test_x.py", &imported("print('pkg.test_x')\n")));
    }
}
