//! Calls of `aos check` in a shell script, and whether the script fails when the call fails.
//!
//! Reads lists of commands, not all of the shell: what decides is the operator after the call and the options in force.

use super::reach::{is_never_reached, is_redefined, unreachable_from};
use super::shell_commands::{CallEnd, ShellCommand, commands};

/// The reaction of a shell to a command that fails.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ShellMode {
    /// The script ends with the failure.
    pub exits: bool,
    /// A pipe fails with any of its commands.
    pub pipefail: bool,
}

impl ShellMode {
    /// A script that is started by its name.
    pub const FILE: Self = Self { exits: false, pipefail: false };
    /// A step of a pipeline without a shell of its own.
    pub const STEP: Self = Self { exits: true, pipefail: false };

    /// From the `shell` of a step.
    pub fn of(shell: &str) -> Self {
        match shell.trim() {
            "bash" => Self { exits: true, pipefail: true },
            "sh" => Self::STEP,
            custom => {
                let mut mode = Self::FILE;
                mode.set(custom.split_whitespace().skip(1));
                mode
            }
        }
    }

    fn set<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        let mut named = None;
        for word in words {
            if let Some(on) = named.take() {
                match word {
                    "errexit" => self.exits = on,
                    "pipefail" => self.pipefail = on,
                    _ => {}
                }
                continue;
            }
            let Some(sign) = word.chars().next().filter(|sign| matches!(sign, '-' | '+')) else {
                continue;
            };
            let flags = &word[1..];
            if flags.starts_with('-') {
                continue;
            }
            if flags.contains('e') {
                self.exits = sign == '-';
            }
            if flags.ends_with('o') {
                named = Some(sign == '-');
            }
        }
    }
}

/// A call of `aos check`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GuardCall {
    /// Lines before it in the script.
    pub line: u32,
    /// Why the script does not fail with it.
    pub ignored: Option<String>,
}

/// Every call in `script`. `started` says of another command whether it calls, and why that has no effect.
pub fn calls_with(
    script: &str,
    mut mode: ShellMode,
    started: &dyn Fn(&[&str]) -> Option<Option<String>>,
) -> Vec<GuardCall> {
    let commands = commands(script);
    if let Some(options) = script.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
        mode.set(options.split_whitespace().skip(1));
    }
    let trapped = commands.iter().any(|command| {
        command.words.first().is_some_and(|word| word == "trap")
            && command
                .words
                .get(1)
                .is_some_and(|code| code.contains("exit 0") || code.contains("true"))
    });
    let left = commands.iter().position(|command| leaves_checkout(&command.words));
    let unreachable = unreachable_from(&commands);
    let is_redefined = is_redefined(&commands);
    let mut found = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        if words.first() == Some(&"set") {
            mode.set(words.iter().skip(1).copied());
        }
        let inner = if is_call(&words) { Some(None) } else { started(&words) };
        let Some(inner) = inner else { continue };
        let ignored = if inner.is_some() {
            inner
        } else if at > unreachable {
            Some("the script ends before it".to_owned())
        } else if left.is_some_and(|left| left < at) {
            Some("the script leaves the checkout before it".to_owned())
        } else if is_never_reached(&commands, at) {
            Some("the condition before it never holds".to_owned())
        } else if is_redefined {
            Some("the script redefines `aos`".to_owned())
        } else if trapped {
            Some("a trap discards its exit code".to_owned())
        } else {
            judged(&commands, at, mode)
        };
        found.push(GuardCall { line: command.line, ignored });
    }
    found
}

/// True if a command goes to a directory in which no CI system puts a checkout.
fn leaves_checkout(words: &[String]) -> bool {
    let [go, place, ..] = words else { return false };
    let place = place.trim_matches(['"', '\'']);
    matches!(go.as_str(), "cd" | "pushd")
        && (["/tmp", "/var/tmp", "$RUNNER_TEMP", "${RUNNER_TEMP}", "~", "$HOME", "$(mktemp"]
            .iter()
            .any(|other| {
                place
                    .strip_prefix(other)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }))
}

/// True if a command is `aos check` itself, not a word about it.
pub fn is_call(words: &[&str]) -> bool {
    const PREFIXES: &[&str] = &[
        "!", "if", "elif", "while", "until", "then", "else", "do", "{", "(", "sudo", "env", "time",
        "nice", "exec", "command", "timeout", "npx", "uvx", "pipx", "run", "--", "bunx", "doas",
        "stdbuf", "nohup", "xvfb-run", "RUN",
    ];
    let name = |word: &str| {
        let word = word.trim_matches(['"', '\'']);
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word).trim_matches(['"', '\'']);
        matches!(name, "aos" | "aos.exe" | "$AOS" | "${AOS}")
    };
    let Some(at) = words.iter().position(|word| name(word)) else { return false };
    let before = &words[..at];
    let is_prefix = |word: &&str| {
        PREFIXES.contains(word)
            || word.contains('=')
            || word.starts_with('-')
            || word.starts_with(|first: char| first.is_ascii_digit())
    };
    if !before.iter().all(is_prefix) {
        return false;
    }
    let options = &words[at + 1..];
    // Global options and their values may precede the command.
    let takes_value = |word: &str| matches!(word, "--format" | "--fields" | "-C" | "--directory");
    let mut before = "";
    let mut rest = options.iter().filter(|word| {
        let is_value = takes_value(std::mem::replace(&mut before, word));
        !is_value && !word.starts_with('-')
    });
    // With these options, the response has no verdict on the project, or only a partial one.
    let partial = ["--explain", "--rule", "--help", "-h", "--version", "-V"];
    let is_partial = options.iter().any(|word| {
        partial.iter().any(|option| word == option || word.starts_with(&format!("{option}=")))
    });
    let mut baseline = options.iter().skip_while(|word| **word != "--baseline").skip(1);
    let accepts_all = options.contains(&"--baseline=write") || baseline.next() == Some(&"write");
    rest.next().is_some_and(|word| *word == "check") && !is_partial && !accepts_all
}

fn judged(commands: &[ShellCommand], at: usize, mode: ShellMode) -> Option<String> {
    let call = &commands[at];
    let first = call.words.first().map(String::as_str).unwrap_or_default();
    let fails_later = || commands[at + 1..].iter().any(ShellCommand::fails);
    if matches!(first, "!" | "if" | "elif" | "while" | "until") {
        return (!fails_later()).then(|| format!("`{first}` discards its exit code"));
    }
    if call.is_substituted {
        return Some("its output is used as text, and its exit code is discarded".to_owned());
    }
    // The commands that follow in the same list.
    let mut reached = at;
    while let Some(command) = commands.get(reached) {
        match command.end {
            CallEnd::Pipe if reached == at && !mode.pipefail => {
                return Some("a pipe discards its exit code".to_owned());
            }
            CallEnd::Or => {
                let next = commands.get(reached + 1);
                let group = next.filter(|next| {
                    next.words.first().is_some_and(|word| word == "{" || word == "(")
                });
                let is_failing = match group {
                    Some(_) => fails_later(),
                    None => next.is_some_and(ShellCommand::fails),
                };
                let shown = next.map(|next| next.words.join(" ")).unwrap_or_default();
                let shown: String = shown.chars().take(40).collect();
                return (!is_failing).then(|| format!("`|| {shown}` discards its exit code"));
            }
            CallEnd::Background => return Some("it runs in the background".to_owned()),
            CallEnd::Line => break,
            CallEnd::And | CallEnd::Pipe => {}
        }
        reached += 1;
    }
    let rest = commands.get(reached + 1..).unwrap_or_default();
    let is_last = rest.iter().all(ShellCommand::is_closing);
    let asks =
        || rest.first().is_some_and(|next| next.words.iter().any(|word| word.contains("$?")));
    // The shell leaves only for the last command of a list of `&&`.
    let is_left = mode.exits && reached == at;
    let is_piped = call.end == CallEnd::Pipe && mode.exits;
    if is_last || is_left || is_piped || asks() && rest.iter().any(ShellCommand::fails) {
        return None;
    }
    Some("the script continues when it fails".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(script: &str, mode: ShellMode) -> Vec<bool> {
        calls_with(script, mode, &|_| None).iter().map(|call| call.ignored.is_some()).collect()
    }

    #[test]
    fn a_call_counts_when_the_step_fails_with_it() {
        for script in [
            "aos check",
            "aos check --format text\n",
            "./bin/aos --format text check\necho done",
            "\"${CARGO_TARGET_DIR:-target}/debug/aos\" check",
            "cd x && aos check",
            "sudo env A=1 timeout 60 aos check .",
            "aos check || exit 1",
            "aos check || { echo bad; exit 1; }",
            "if ! aos check; then\n  exit 1\nfi",
            "aos check \\\n  --diff",
            "set +e\naos check\nexit $?",
            "set +e\naos check\nrc=$?\necho x\nexit $rc",
            "aos check > out.txt 2>&1",
            "aos check # || true",
            "report=$(aos check)",
            "set -o pipefail\naos check | tee log",
            "aos check; exit 0",
            "test -f x || exit 0\naos check",
            "if test -f x; then exit 0; fi\naos check",
            "if test -f x\nthen\n  exit 0\nfi\naos check",
            "stop() { exit 0; }\naos check",
            "exec 2>&1\naos check",
            "for x in a; do\n  exit 0\ndone\naos check",
        ] {
            assert_eq!(ignored(script, ShellMode::STEP), [false], "{script}");
        }
    }

    #[test]
    fn a_call_is_ignored_when_the_step_passes_without_it() {
        for script in [
            "aos check || true",
            "aos check||:",
            "aos check || echo failed",
            "aos check || \\\n  true",
            "aos check ||\n  true",
            "! aos check",
            "if aos check; then echo ok; fi",
            "aos check | tee log",
            "aos check &",
            "aos check && echo ok || true",
            "aos check && echo ok\necho more",
            "echo \"$(aos check)\"",
            "echo `aos check`",
            "set +e\naos check\necho done",
            "trap 'exit 0' EXIT\naos check",
            "exit 0\naos check",
            "echo; exit\naos check",
            "exec true\naos check",
            "aos() { true; }\naos check",
            "aos() {\n  true\n}\naos check",
            "function aos { true; }\naos check",
            "alias aos=true\naos check",
            "cd /tmp && aos new x && aos check",
            "cd \"$RUNNER_TEMP/x\"\naos check",
        ] {
            assert_eq!(ignored(script, ShellMode::STEP), [true], "{script}");
        }
        assert_eq!(ignored("aos check\necho done\n", ShellMode::FILE), [true]);
        assert_eq!(ignored("#!/bin/sh -e\naos check\necho done\n", ShellMode::FILE), [false]);
        assert_eq!(ignored("set -euo pipefail\naos check | tee x\n", ShellMode::FILE), [false]);
        assert_eq!(ignored("aos check; echo\n", ShellMode::of("bash +e {0}")), [true]);
        assert_eq!(ignored("aos check; echo\n", ShellMode::of("bash -eo pipefail {0}")), [false]);
    }

    #[test]
    fn words_about_the_command_are_not_a_call() {
        for script in [
            "echo aos check",
            "true aos check",
            ": aos check",
            "# aos check",
            "cat <<EOF\naos check\nEOF",
            "aos check --explain all",
            "aos check --rule secrets/committed",
            "aos check --version",
            "aos check --recursive . --baseline write",
            "aos conform check",
            "grep 'aos check' README.md",
        ] {
            assert_eq!(ignored(script, ShellMode::STEP), [false; 0], "{script}");
        }
    }

    #[test]
    fn a_call_behind_a_condition_that_never_holds_does_not_count() {
        for script in [
            "if false; then aos check; fi\n",
            "if [ 1 = 2 ]\nthen\n  aos check\nfi\n",
            "while false; do aos check; done\n",
            "until true; do\n  aos check\ndone\n",
            "[ -z \"$CI\" ] && aos check\n",
            "false && aos check\n",
            "if ! true; then\n  if x; then\n    aos check\n  fi\nfi\n",
        ] {
            assert_eq!(ignored(script, ShellMode::STEP), [true], "{script}");
        }
        for script in [
            "if [ -f aos.toml ]; then\n  aos check\nfi\n",
            "if false; then x; fi\naos check\n",
            "if false; then\n  x\nelse\n  aos check\nfi\n",
            "[ -n \"$CI\" ] && aos check\n",
        ] {
            assert_eq!(ignored(script, ShellMode::STEP), [false], "{script}");
        }
    }
}
