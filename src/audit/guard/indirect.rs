//! Scripts that a pipeline starts: files of the repository, targets of make and just, scripts of npm.

use std::cell::RefCell;

use crate::contract::ProjectFiles;

use super::pipeline::npm_script;
use super::programs;
use super::shell::{GuardCall, ShellMode, calls_with};

/// How many scripts may start each other.
const MAX_DEPTH: usize = 4;
/// Largest script that is read, in bytes.
const MAX_SCRIPT: usize = 256 * 1024;
/// Most scripts that one pipeline is followed into.
const MAX_FOLLOWED: usize = 200;

/// The scripts of a repository.
pub struct Scripts<'a> {
    repository: &'a ProjectFiles,
    followed: RefCell<(usize, usize)>,
}

/// Whether a script has an effective call, and why not.
type Inner = Option<Option<String>>;

impl<'a> Scripts<'a> {
    pub fn new(repository: &'a ProjectFiles) -> Self {
        Self { repository, followed: RefCell::new((0, 0)) }
    }

    pub fn text(&self, path: &str) -> Option<&'a str> {
        let bytes = self.repository.bytes(path)?;
        (bytes.len() <= MAX_SCRIPT).then(|| std::str::from_utf8(bytes).ok()).flatten()
    }

    /// Every call in `script`, also through scripts that it starts.
    pub fn calls(&self, script: &str, mode: ShellMode) -> Vec<GuardCall> {
        calls_with(script, mode, &|words| self.started(words))
    }

    /// A file of the repository that runs in place of aos and does not pass its arguments on. `sets_path` says that it may
    /// be found by its name alone.
    pub fn stand_in(&self, script: &str, sets_path: bool) -> Option<String> {
        let is_named = |path: &&String| path.rsplit('/').next() == Some("aos");
        let links = self.repository.symlinks.iter();
        let mut taken = self.repository.files.keys().chain(links).filter(is_named).filter(|path| {
            let is_called = script
                .split(|symbol: char| symbol.is_whitespace() || "\"'();&|".contains(symbol))
                .any(|word| word.trim_start_matches("./") == path.as_str() && word.contains('/'));
            (is_called || sets_path)
                && match self.text(path) {
                    Some(text) => text.starts_with("#!") && !passes_on(text),
                    None => self.repository.symlinks.iter().any(|link| link == *path),
                }
        });
        taken.next().map(|path| format!("`{path}` of the repository runs instead of aos"))
    }

    /// True if a file with settings of the shell or of a build changes where programs are looked for.
    pub fn moves_path(&self) -> bool {
        const FILES: &[&str] = &["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile"];
        let moves =
            |text: &str| ["PATH=", "PATH :=", "PATH:="].iter().any(|word| text.contains(word));
        FILES.iter().any(|path| self.text(path).is_some_and(moves))
    }

    fn started(&self, words: &[&str]) -> Inner {
        {
            let mut followed = self.followed.borrow_mut();
            if followed.0 >= MAX_DEPTH || followed.1 >= MAX_FOLLOWED {
                return None;
            }
            followed.0 += 1;
            followed.1 += 1;
        }
        let inner = self.inner(words);
        self.followed.borrow_mut().0 -= 1;
        inner
    }

    fn inner(&self, words: &[&str]) -> Inner {
        let at = words.iter().position(|word| {
            matches!(
                *word,
                "make"
                    | "just"
                    | "npm"
                    | "pnpm"
                    | "yarn"
                    | "bun"
                    | "tox"
                    | "nox"
                    | "pre-commit"
                    | "task"
            )
        });
        let Some(at) = at else { return self.files(words) };
        let rest: Vec<&str> = words[at + 1..]
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-') && !word.contains('='))
            .collect();
        match words[at] {
            "make" => {
                let text = ["Makefile", "makefile", "GNUmakefile"]
                    .iter()
                    .find_map(|name| self.text(name))?;
                self.targets(text, &rest, 0)
            }
            "just" => {
                let text = ["justfile", "Justfile", ".justfile"]
                    .iter()
                    .find_map(|name| self.text(name))?;
                self.targets(text, &rest, 0)
            }
            "tox" => self.named("tox.ini"),
            "nox" => self.named("noxfile.py"),
            "pre-commit" => self.named(".pre-commit-config.yaml"),
            "task" => self.named("Taskfile.yml"),
            _ => {
                let name = rest.iter().find(|word| !matches!(**word, "run" | "run-script"))?;
                let name = if *name == "t" { "test" } else { name };
                let script = npm_script(self.text("package.json")?, name)?;
                self.first(self.calls(&script, ShellMode::FILE))
            }
        }
    }

    /// A script of the repository, or a program that an interpreter runs.
    fn files(&self, words: &[&str]) -> Inner {
        let program = words.iter().enumerate().find(|(at, word)| {
            programs::is_program(word)
                && words[..*at].iter().all(|before| !programs::is_program(before))
        });
        let run = program.filter(|(at, _)| {
            *at == 0 || words[..*at].iter().any(|word| programs::is_interpreter(word))
        });
        let of_program = run.and_then(|(_, word)| {
            let text = self.text(word.trim_matches(['"', '\'']).trim_start_matches("./"))?;
            self.first(programs::calls(text))
        });
        of_program.or_else(|| words.iter().find_map(|word| self.file(word)))
    }

    /// A shell script of the repository.
    fn file(&self, word: &str) -> Inner {
        let path = word.trim_matches(['"', '\'']).trim_start_matches("./");
        let text = self.text(path)?;
        let is_shell = text.starts_with("#!")
            && text.lines().next().is_some_and(|line| line.contains("sh"))
            || [".sh", ".bash"].iter().any(|ending| path.ends_with(ending));
        if !is_shell {
            return None;
        }
        self.first(self.calls(text, ShellMode::FILE))
    }

    /// A file of settings that names the command.
    fn named(&self, path: &str) -> Inner {
        let text = self.text(path)?;
        let line = text
            .lines()
            .find(|line| line.contains("aos check") || line.contains("\"aos\", \"check\""))?;
        let is_entry = line.trim_start().starts_with('-');
        let is_ignored = !is_entry && line.contains("|| true");
        Some(is_ignored.then(|| format!("`|| true` in {path} discards its exit code")))
    }

    fn first(&self, calls: Vec<GuardCall>) -> Inner {
        let effective = calls.iter().any(|call| call.ignored.is_none());
        let first = calls.into_iter().next()?;
        Some(if effective { None } else { first.ignored })
    }

    /// The recipes of targets and of what they need.
    fn targets(&self, text: &str, wanted: &[&str], depth: usize) -> Inner {
        let lines: Vec<&str> = text.lines().collect();
        let heads: Vec<(usize, Vec<&str>, Vec<&str>)> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| head(line).map(|(names, needs)| (at, names, needs)))
            .collect();
        let default = heads
            .iter()
            .find(|(_, names, _)| !names[0].starts_with('.'))
            .map(|(_, names, _)| names[0]);
        let wanted: Vec<&str> =
            if wanted.is_empty() { default.into_iter().collect() } else { wanted.to_vec() };
        let mut ignored = None;
        for (at, _, needs) in
            heads.iter().filter(|(_, names, _)| names.iter().any(|name| wanted.contains(name)))
        {
            let recipe = lines[at + 1..]
                .iter()
                .take_while(|line| line.is_empty() || line.starts_with([' ', '\t']));
            let recipe: Vec<&str> = recipe.copied().collect();
            // A line of a recipe is a shell of its own.
            for line in recipe.join("\n").replace("\\\n", " ").lines() {
                let line = line.trim();
                let is_lenient = line.starts_with('-') || line.starts_with("@-");
                let command = line.trim_start_matches(['-', '@', '+']);
                match self.first(self.calls(command, ShellMode::FILE)) {
                    Some(None) if !is_lenient => return Some(None),
                    Some(reason) => {
                        let lenient = || "`-` before the command discards its exit code".to_owned();
                        ignored = ignored.or(Some(reason.unwrap_or_else(lenient)));
                    }
                    None => {}
                }
            }
            if depth < MAX_DEPTH && !needs.is_empty() {
                match self.targets(text, needs, depth + 1) {
                    Some(None) => return Some(None),
                    Some(reason) => ignored = ignored.or(reason),
                    None => {}
                }
            }
        }
        ignored.map(Some)
    }
}

/// True if a wrapper runs another program with its arguments.
fn passes_on(text: &str) -> bool {
    const IDLE: &[&str] = &["true", ":", "echo", "printf", "cat", "test", "[", "false"];
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let mut passing =
        lines.filter(|line| ["$@", "$*", "argv"].iter().any(|word| line.contains(word)));
    passing.any(|line| {
        let mut words =
            line.split_whitespace().filter(|word| *word != "exec" && !word.contains('='));
        words.next().is_none_or(|first| !IDLE.contains(&first.rsplit('/').next().unwrap_or(first)))
    })
}

/// The targets of a line that begins a recipe, and what they need.
fn head(line: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    if line.starts_with([' ', '\t', '#', '@']) {
        return None;
    }
    let (names, needs) = line.split_once(':')?;
    if needs.starts_with(['=', ':']) || names.contains('=') {
        return None;
    }
    let names: Vec<&str> = names.split_whitespace().collect();
    let needs = needs.split(['#', ';']).next().unwrap_or_default().split_whitespace().collect();
    (!names.is_empty()).then_some((names, needs))
}
