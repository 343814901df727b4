//! The effects of a script before a call: it may end, or redefine the name of the command.

use super::shell_commands::{CallEnd, ShellCommand};

/// The command that always ends the script; commands after it never run.
pub fn unreachable_from(commands: &[ShellCommand]) -> usize {
    let mut depth = 0_usize;
    let mut before = CallEnd::Line;
    for (at, command) in commands.iter().enumerate() {
        let is_free = depth == 0 && before == CallEnd::Line && !command.is_substituted;
        if is_free && command.end == CallEnd::Line && ends_script(&command.words) {
            return at;
        }
        for word in &command.words {
            match word.as_str() {
                "if" | "for" | "while" | "until" | "case" | "select" | "{" | "(" => depth += 1,
                "fi" | "done" | "esac" | "}" | ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        before = command.end;
    }
    commands.len()
}

fn ends_script(words: &[String]) -> bool {
    match words.first().map(String::as_str) {
        Some("exit" | "return") => true,
        // After `exec` with only a redirection, the script continues.
        Some("exec") => words.get(1).is_some_and(|word| !word.contains(['>', '<'])),
        _ => false,
    }
}

/// True if the script defines `aos` as a function or an alias.
pub fn is_redefined(commands: &[ShellCommand]) -> bool {
    commands.iter().any(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["alias", rest @ ..] => rest.iter().any(|word| word.starts_with("aos=")),
            ["function", name, ..] => matches!(*name, "aos" | "aos()"),
            ["aos()", ..] | ["aos", "(", ..] | ["aos", "()", ..] => true,
            _ => false,
        }
    })
}

/// Whether the command at `at` is behind a condition that never holds where a pipeline runs.
pub fn is_never_reached(commands: &[ShellCommand], at: usize) -> bool {
    let mut blocks: Vec<bool> = Vec::new();
    for command in commands.iter().take(at + 1) {
        let words = bare(command);
        let Some((first, rest)) = words.split_first() else { continue };
        match *first {
            "if" | "while" => blocks.push(is_false(rest)),
            "until" => blocks.push(matches!(rest, ["true" | ":"])),
            "elif" => {
                blocks.pop();
                blocks.push(is_false(rest));
            }
            "else" => {
                blocks.pop();
                blocks.push(false);
            }
            "fi" | "done" => drop(blocks.pop()),
            _ => {}
        }
    }
    let before = at.checked_sub(1).and_then(|before| commands.get(before));
    let is_behind =
        before.is_some_and(|before| before.end == CallEnd::And && is_false(&bare(before)));
    is_behind || blocks.contains(&true)
}

/// The words of a command without those that open a block.
fn bare(command: &ShellCommand) -> Vec<&str> {
    let words = command.words.iter().map(String::as_str);
    words.skip_while(|word| matches!(*word, "then" | "do" | "{" | "(")).collect()
}

/// True for a condition that is false wherever a pipeline runs.
fn is_false(words: &[&str]) -> bool {
    let words = words.iter().map(|word| word.trim_matches(['"', '\'']));
    let words: Vec<&str> = words.filter(|word| *word != "]" && *word != "]]").collect();
    let is_set = |word: &str| {
        let name = word.trim_matches(['$', '{', '}']);
        let name = name.split([':', '-']).next().unwrap_or(name);
        matches!(name, "CI" | "GITHUB_ACTIONS" | "GITHUB_WORKFLOW" | "GITLAB_CI")
    };
    match words.as_slice() {
        ["false"] => true,
        ["!", word] => matches!(*word, "true" | ":"),
        ["[" | "[[" | "test", "-z", word] => is_set(word),
        ["[" | "[[" | "test", "-n", ""] => true,
        ["[" | "[[" | "test", left, "=" | "==" | "-eq", right] => {
            let is_plain = |word: &str| !word.is_empty() && word.chars().all(char::is_alphanumeric);
            is_plain(left) && is_plain(right) && left != right
        }
        _ => false,
    }
}
