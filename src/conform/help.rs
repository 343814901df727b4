//! Commands in the help of a program, as the usual parsers print them.

/// Names below a heading `Commands:`, as click, argparse, cobra and clap print them.
#[must_use]
pub fn listed_commands(help: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut margin = None;
    let is_heading = |line: &str| {
        let line = line.trim().to_lowercase();
        line == "commands:" || line == "available commands:" || line == "subcommands:"
    };
    for line in help.lines() {
        if margin.is_none() && !is_heading(line) {
            continue;
        }
        if is_heading(line) {
            margin = Some(None);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let Some(depth) = margin else { continue };
        if line.trim().is_empty() {
            continue;
        }
        match depth {
            None if indent > 0 => margin = Some(Some(indent)),
            Some(depth) if indent == depth => {}
            // The description continues, or the list ends.
            Some(depth) if indent > depth => continue,
            _ => {
                margin = None;
                continue;
            }
        }
        let name = line.split_whitespace().next().unwrap_or_default();
        let is_name =
            name.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "_-.".contains(symbol));
        if is_name && name != "help" && !name.starts_with('-') {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_the_help_of_usual_parsers() {
        let click = "Usage: x\n\nOptions:\n  --json  A\n\nCommands:\n  config  Show\n  issue   Work on\n          issues\n\nMore:\n  x y\n";
        assert_eq!(listed_commands(click), ["config", "issue"]);
        assert_eq!(listed_commands("Usage: x\n  --json\n"), Vec::<String>::new());
    }
}
