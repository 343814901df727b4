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
        // `exec` with a redirection alone goes on.
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
