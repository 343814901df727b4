//! Text files that an interpreter runs although their names do not end like sources: a launcher, a setting or a source
//! names them. Files that end like sources are always read.

use std::collections::BTreeSet;

use super::module::GeneratedModule;
use super::pattern::regex;
use super::scripts::is_script;
use super::unread::is_test_only;

/// How files reach an interpreter.
pub(super) struct CodeRunner {
    /// Endings of files that are read as its sources.
    pub(super) endings: &'static [&'static str],
    /// Each launcher contains at least one of these words.
    words: &'static [&'static str],
    /// Expressions for launchers and settings; the first group is the path of the file.
    launchers: &'static [&'static str],
    /// Calls in a source that run a text.
    functions: &'static [&'static str],
}

pub(super) const PYTHON: CodeRunner = CodeRunner {
    endings: &[".py", ".pyw", ".pyi", ".ipynb"],
    words: &["python", "pypy", "uv run", "pipx run", "PYTHONSTARTUP", "sys.executable"],
    launchers: &[
        r#"\b(?:(?:(?:uv|poetry|pdm|hatch|pipenv|rye)[ \t]+run[ \t]+)?(?:python|pypy)[\d.]*|(?:uv|pipx)[ \t]+run)(?:[ \t]+-(?:[WX][ \t]+)?[^\s"';&|<>]+)*[ \t]+["'\\]*([^\s"'\\;&|<>-][^\s"'\\;&|<>]*)"#,
        r#"(?:["'](?:python|pypy)[\d.]*["']|\bsys\.executable)\s*,\s*(?:["']-[^"'\n]*["']\s*,\s*)*["']([^"'\n]+)["']"#,
        r#"\b(?:python|pypy)[^\n;&|<]*<[ \t]*["']?([^\s"'<;&|]+)"#,
        r#"\bcat[ \t]+["']?([^\s"';&|]+)["']?[ \t]*\|[^\n;&]*\b(?:python|pypy)"#,
        r#"\bPYTHONSTARTUP["'\]]*[ \t]*(?:[:?+]?=|:|,|[ \t])[ \t]*["']*([^\s"';&|]+)"#,
        r#"\b(?:python|pypy)[^\n]*\bopen\(\s*["']([^"'\n]+)["']"#,
    ],
    functions: &[
        "exec(",
        "eval(",
        "compile(",
        "run_path(",
        "runcode(",
        "runsource(",
        "load_source(",
        "SourceFileLoader(",
        "spec_from_file_location(",
    ],
};

pub(super) const NODE: CodeRunner = CodeRunner {
    endings: &[".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"],
    words: &["node", "NODE_OPTIONS", "bun", "deno", "tsx", "preload", "\"bin\""],
    launchers: &[
        r#"\b(?:node|nodejs|bun|deno|tsx|ts-node)(?:[ \t]+run)?(?:[ \t]+-[^\s"';&|<>]+)*[ \t]+["'\\]*([^\s"'\\;&|<>-][^\s"'\\;&|<>]*)"#,
        r#"(?:["'](?:node|bun|deno)["']|\bprocess\.execPath)\s*,\s*\[?\s*(?:["']-[^"'\n]*["']\s*,\s*)*["']([^"'\n]+)["']"#,
        r#"(?:--require|[\s"'=]-r|--import|--loader|--experimental-loader|--preload)(?:=|[ \t]+)["'\\]*([^\s"'\\;&|]+)"#,
        r#"\b(?:node|bun|deno)\b[^\n;&|<]*<[ \t]*["']?([^\s"'<;&|]+)"#,
        r#"\bcat[ \t]+["']?([^\s"';&|]+)["']?[ \t]*\|[^\n;&]*\b(?:node|bun|deno)\b"#,
        r#""bin"\s*:\s*(?:\{\s*"[^"\n]*"\s*:\s*)?"([^"\n]+)""#,
        r#"\bpreload\s*=\s*\[?\s*["']([^"'\n]+)["']"#,
    ],
    functions: &[
        "eval(",
        "eval)(",
        "Function(",
        "runInThisContext(",
        "runInContext(",
        "Script(",
        "compileFunction(",
        "createRequire(",
        "require(",
    ],
};

/// The texts that `interpreter` runs and that have no ending of its sources.
pub(super) fn texts<'a>(
    module: &GeneratedModule<'a>,
    interpreter: &CodeRunner,
) -> Vec<(&'a str, &'a str)> {
    let mut named = NamedFiles::default();
    for (path, text) in module.others(&[""]) {
        if module.ours.contains(path) || is_test_only(path) {
            continue;
        }
        let is_source = interpreter.endings.iter().any(|ending| path.ends_with(ending));
        if is_source && interpreter.functions.iter().any(|call| text.contains(call)) {
            named.add_words(text);
        }
        let may_start = interpreter.words.iter().any(|word| text.contains(word));
        if may_start && (is_source || is_script(module, path)) {
            named.add_launched(interpreter, text);
        }
    }
    if named.is_empty() {
        return Vec::new();
    }
    let others = module.others(&[""]);
    let started = others.filter(|(path, _)| {
        let is_source = interpreter.endings.iter().any(|ending| path.ends_with(ending));
        !is_source && !module.ours.contains(path) && !is_test_only(path) && named.has(path)
    });
    started.collect()
}

/// Names of files that launchers and sources name.
#[derive(Default)]
struct NamedFiles<'t> {
    /// Last parts of paths.
    names: BTreeSet<&'t str>,
    /// Words of texts in one source that runs texts: a name can be put together from them.
    words: Vec<BTreeSet<&'t str>>,
}

impl<'t> NamedFiles<'t> {
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.words.is_empty()
    }

    fn add_words(&mut self, text: &'t str) {
        let Ok(string) = regex(r#""([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`"#) else { return };
        let mut words = BTreeSet::new();
        for captures in string.captures_iter(text) {
            let inner = (1..=3).find_map(|group| captures.get(group));
            let inner = inner.map_or("", |inner| inner.as_str());
            self.names.insert(inner.rsplit(['/', '\\']).next().unwrap_or(inner));
            words.extend(
                inner.split(|letter: char| !letter.is_alphanumeric() && !"-_".contains(letter)),
            );
        }
        words.remove("");
        self.words.push(words);
    }

    fn add_launched(&mut self, interpreter: &CodeRunner, text: &'t str) {
        for pattern in interpreter.launchers.iter().filter_map(|pattern| regex(pattern).ok()) {
            let named = pattern.captures_iter(text).filter_map(|captures| captures.get(1));
            self.names.extend(named.map(|path| {
                let path = path.as_str().trim_end_matches([')', ']', ',', '`']);
                path.rsplit(['/', '\\']).next().unwrap_or(path)
            }));
        }
    }

    /// True if the file is named whole, or its ending together with its name or its directory.
    fn has(&self, path: &str) -> bool {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.names.contains(name) {
            return true;
        }
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let above = directory.rsplit('/').next().unwrap_or_default();
        self.words
            .iter()
            .any(|words| words.contains(ending) && (words.contains(stem) || words.contains(above)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    fn started(interpreter: &CodeRunner, files: &[(&str, &str)]) -> Vec<String> {
        let repository = project(files.iter().copied());
        let none = BTreeSet::new();
        let module = GeneratedModule::at(Path::new("/nowhere"), &repository, "p/m_gen.py", &none);
        texts(&module, interpreter).into_iter().map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn texts_that_python_runs_are_told_from_those_that_are_read() {
        for (path, text) in [
            ("p/a.py", "exec(open('x/code.txt').read())"),
            ("p/a.py", "exec(Path(__file__).with_name('code').with_suffix('.txt').read_text())"),
            ("p/a.py", "for f in Path('x').glob('*.txt'):\n    exec(f.read_text())"),
            ("p/a.py", "runpy.run_path('x/code.txt')"),
            ("p/a.py", "subprocess.run([sys.executable, '-B', 'x/code.txt'])"),
            ("Makefile", "run:\n\tpython3 -W ignore -B x/code.txt arg\n"),
            ("Makefile", "run:\n\tuv run python x/code.txt\n"),
            ("run.sh", "python3 - < x/code.txt\n"),
            ("run.sh", "cat x/code.txt | python3\n"),
            ("run.sh", "python3 -c \"exec(open('x/code.txt').read())\"\n"),
            ("ci.yml", "env:\n  PYTHONSTARTUP: x/code.txt\n"),
            ("Dockerfile", "CMD [\"python\", \"x/code.txt\"]\n"),
            ("pyproject.toml", "[tool.poe.tasks]\nrun = \"python x/code.txt\"\n"),
        ] {
            let found = started(&PYTHON, &[(path, text), ("x/code.txt", ""), ("x/other.txt2", "")]);
            assert_eq!(found, ["x/code.txt"], "{text}");
        }
        for (path, text) in [
            ("p/a.py", "print(open('x/code.txt').read())"),
            ("Makefile", "run:\n\tpython3 -m build x/code.txt\n"),
            ("Makefile", "run:\n\tpython3 tools/main.py x/code.txt\n"),
            ("README.md", "python3 x/code.txt\n"),
            ("p/test_a.py", "exec(open('x/code.txt').read())"),
        ] {
            assert_eq!(started(&PYTHON, &[(path, text), ("x/code.txt", "")]), [""; 0], "{text}");
        }
    }

    #[test]
    fn texts_that_node_runs_are_told_from_those_that_are_read() {
        for (path, text) in [
            ("a.js", "eval(fs.readFileSync(new URL('./code.txt', import.meta.url), 'utf8'))"),
            ("a.js", "createRequire(import.meta.url)('./code.txt')"),
            ("package.json", "{\"scripts\": {\"start\": \"node -r ./code.txt main.js\"}}"),
            (
                "package.json",
                "{\"scripts\": {\"start\": \"NODE_OPTIONS='--require ./code.txt' node main.js\"}}",
            ),
            (".npmrc", "node-options=--require=./code.txt\n"),
            ("bunfig.toml", "preload = [\"./code.txt\"]\n"),
            ("Makefile", "run:\n\tnode x/code.txt\n"),
        ] {
            assert_eq!(
                started(&NODE, &[(path, text), ("x/code.txt", "")]),
                ["x/code.txt"],
                "{text}"
            );
        }
        for (path, text) in [
            ("a.js", "console.log(fs.readFileSync('./code.txt', 'utf8'))"),
            ("package.json", "{\"files\": [\"code.txt\"], \"engines\": {\"node\": \">=20\"}}"),
            ("Makefile", "run:\n\tnode main.js code.txt\n"),
        ] {
            assert_eq!(started(&NODE, &[(path, text), ("x/code.txt", "")]), [""; 0], "{text}");
        }
    }
}
