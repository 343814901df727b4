//! Calls of `aos check` in programs of other languages than the shell, and whether the program fails with the call.

use crate::audit::shadow::pattern::regex;

use super::shell::GuardCall;

/// Interpreters of such programs.
const INTERPRETERS: &[&str] = &["python", "node", "ruby", "perl", "deno", "bun", "tsx", "py"];
/// Endings of their files.
const ENDINGS: &[&str] = &[".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl"];
/// The words of a call, in one text or in a list.
const CALL: &str = r#"["'`]aos["'`]\s*,\s*\[?\s*["'`]check["'`]|["'`\n](?:[^"'`\n]*[\s/])?aos\s+(?:[^"'`\n;&|]*\s)?check\b"#;
/// Options with which a call gives no verdict on the project.
const PARTIAL: &str = r#"--(?:explain|rule|help|version|baseline["'`,=\s]+write)\b"#;
/// Functions that fail when the program that they start fails, and ways to pass on its exit code.
const FAILS: &str = r"check_call|check_output|check\s*=\s*True|check_returncode|exec(?:File)?Sync|session\.run|raise\b|assert\b|\bdie\b|\babort\b|\bexit(?:Code)?\s*[=(]\s*[^0)\s]";
/// A failure that is caught and dropped.
const DROPPED: &str = r"except[^\n]*:\s*(?:pass|print|return|logging)\b|catch\s*(?:\([^)]*\))?\s*\{\s*\}|\brescue\s*(?:\n\s*)?end\b";

/// True if the `shell` of a step is an interpreter of another language.
pub fn is_interpreter(shell: &str) -> bool {
    let name = shell.split_whitespace().next().unwrap_or_default();
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = name.trim_end_matches(|symbol: char| symbol.is_ascii_digit() || symbol == '.');
    INTERPRETERS.contains(&stem)
}

/// True if a file is a program of another language.
pub fn is_program(path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// Every call in a program.
pub fn calls(program: &str) -> Vec<GuardCall> {
    let has = |pattern: &str, text: &str| regex(pattern).is_ok_and(|found| found.is_match(text));
    let Ok(call) = regex(CALL) else { return Vec::new() };
    let is_comment = |at: usize| {
        let line = program[..at].rfind('\n').map_or(0, |end| end + 1);
        program[line..].trim_start().starts_with(['#', '*'])
            || program[line..].trim_start().starts_with("//")
    };
    let fails = has(FAILS, program) && !has(DROPPED, program);
    let found = call.find_iter(program).filter(|found| {
        let rest = program[found.end()..].lines().next().unwrap_or_default();
        !is_comment(found.start() + 1) && !has(PARTIAL, rest)
    });
    let calls = found.map(|found| GuardCall {
        line: u32::try_from(program[..found.start()].matches('\n').count()).unwrap_or(u32::MAX),
        ignored: (!fails).then(|| "the program continues when it fails".to_owned()),
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(program: &str) -> Vec<bool> {
        calls(program).iter().map(|call| call.ignored.is_some()).collect()
    }

    #[test]
    fn a_program_that_fails_with_the_call_is_told_from_one_that_continues() {
        for program in [
            "import subprocess\nsubprocess.run(['aos', 'check'], check=True)",
            "import subprocess\nsubprocess.check_call(['aos', 'check'])",
            "import os, sys\nsys.exit(os.system('aos check') >> 8)",
            "code = subprocess.call('aos --format text check', shell=True)\nif code:\n    raise SystemExit(code)",
            "execSync('aos check', { stdio: 'inherit' });",
            "execFileSync('aos', ['check'], { stdio: 'inherit' });",
            "process.exitCode = spawnSync('aos', ['check']).status;",
            "session.run(\"aos\", \"check\", external=True)",
        ] {
            assert_eq!(ignored(program), [false], "{program}");
        }
        for program in [
            "import os\nos.system('aos check')",
            "import subprocess\nsubprocess.run(['aos', 'check'])",
            "os.system(\"\"\"\naos check\n\"\"\")\nsys.exit(0)",
            "try:\n    subprocess.check_call(['aos', 'check'])\nexcept Exception:\n    pass",
            "try { execSync('aos check') } catch (error) {}",
        ] {
            assert_eq!(ignored(program), [true], "{program}");
        }
        for program in
            ["# 'aos check'", "run('aos check --explain all')", "print('aos')", "'laos check'"]
        {
            assert_eq!(ignored(program), [false; 0], "{program}");
        }
    }

    #[test]
    fn interpreters_are_told_from_shells() {
        for shell in ["python", "python3.12 {0}", "/usr/bin/node {0}", "ruby {0}"] {
            assert!(is_interpreter(shell), "{shell}");
        }
        for shell in ["bash", "sh -e {0}", "pwsh", "cmd"] {
            assert!(!is_interpreter(shell), "{shell}");
        }
    }
}
