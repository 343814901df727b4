//! Output of another program, prepared for display: its last lines, without colours, control characters and secrets.

use std::sync::LazyLock;

use regex::Regex;

use crate::visible::Visible;

/// Longest text, in bytes.
const MAX_TEXT: usize = 4096;
/// Shorter values could be ordinary words.
const MIN_SECRET: usize = 5;
/// The replacement for a secret.
const HIDDEN: &str = "[hidden]";
/// Parts of the names of variables whose values are secret.
const SECRET_NAMES: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "AUTH",
    "COOKIE",
    "BEARER",
    "JWT",
    "SESSION",
    "WEBHOOK",
    "NETRC",
    "DSN",
];
/// Last words of the names of variables whose values are secret.
const SECRET_ENDS: &[&str] = &["KEY", "PASS", "PWD", "PIN", "SK", "PAT", "PW"];
/// The search path for programs, which is not a secret.
const PLACES: &[&str] = &["PWD", "OLDPWD"];

/// Escape sequences of terminals: commands with parameters, texts for the terminal, single symbols.
static ESCAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\x1b\[[0-?]*[ -/]*[@-~]|\x{9b}[0-?]*[ -/]*[@-~]",
        r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]",
    ))
    .ok()
});
/// Secrets with a recognizable form: credentials in URLs and headers, secret parameters, tokens of GitHub and npm.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?P<before>[a-z][a-z0-9+.-]*://)[^/?#\s@]+@",
        r"|(?P<header>\bauthorization\s*[:=]\s*(?:(?:basic|bearer|token)\s+)?)[^\s,;]+",
        r"|(?P<name>(?:[a-z0-9_-]*(?:token|secret|passw(?:or)?d|api_?key|signature)|_auth)\s*=\s*)[^&\s]+",
        r"|\bgh[pousr]_[a-z0-9]{16,}|\bgithub_pat_[a-z0-9_]{16,}|\bnpm_[a-z0-9]{30,}",
    ))
    .ok()
});

/// The values among `variables` that must never be shown, longest first.
#[must_use]
pub fn secrets(variables: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in variables {
        let name = name.to_uppercase();
        let last = name.rsplit('_').next().unwrap_or_default();
        let ends = SECRET_ENDS.contains(&last) && !PLACES.contains(&name.as_str());
        if ends || SECRET_NAMES.iter().any(|part| name.contains(part)) {
            // A multi-line key may be printed line by line.
            found.extend(value.lines().map(|line| line.trim().to_owned()));
        }
        // `https://user:password@host`, also as the value of a proxy variable.
        let credentials = value.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
        if let Some((credentials, _)) = credentials {
            let password =
                credentials.split_once(':').map_or(credentials, |(_, password)| password);
            found.push(password.to_owned());
        }
    }
    found.retain(|secret| {
        secret.len() >= MIN_SECRET && !["false", "never"].contains(&secret.as_str())
    });
    found.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    found.dedup();
    found
}

/// The end of `tail` as text. With `is_cut`, its first line is incomplete and is dropped.
#[must_use]
pub fn shown(tail: &[u8], is_cut: bool, secrets: &[String]) -> String {
    let text = String::from_utf8_lossy(tail);
    let text = match (is_cut, text.split_once('\n')) {
        (false, _) => &text,
        (true, Some((_, rest))) => rest,
        // A single unfinished line may begin with the second half of a secret.
        (true, None) => "",
    };
    // Without the pattern, secrets cannot be recognized, so nothing is shown.
    let (Some(escapes), Some(shapes)) = (&*ESCAPES, &*SHAPES) else { return String::new() };
    let mut text = escapes.replace_all(text, "").replace("\r\n", "\n").replace('\r', "\n");
    for secret in secrets {
        text = text.replace(secret.as_str(), HIDDEN);
    }
    let text = shapes.replace_all(&text, format!("${{before}}${{header}}${{name}}{HIDDEN}"));
    let lines: Vec<_> =
        text.lines().map(|line| Visible::content(line.trim_end()).into_string()).collect();
    last(lines.join("\n").trim_matches('\n'))
}

/// The last `MAX_TEXT` bytes, if possible from the start of a line.
fn last(text: &str) -> String {
    let Some(surplus) = text.len().checked_sub(MAX_TEXT) else { return text.to_owned() };
    let start = (surplus..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let end = &text[start..];
    end.split_once('\n').map_or(end, |(_, rest)| rest).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        shown(text.as_bytes(), false, &[])
    }

    #[test]
    fn colours_and_cursor_movements_disappear() {
        let text = "\x1b[?25l\x1b[38;5;250mred\x1b[0m\r\n\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1bMc\u{9b}2Jd\n";
        assert_eq!(plain(text), "red\nabcd");
    }

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(plain("a\u{8}b\u{0}\tc\u{202e}d\u{7f}"), "a\\u{8}b\\u{0}\tc\\u{202e}d\\u{7f}");
        assert_eq!(shown(b"\xff\xfe ok", false, &[]), "\u{fffd}\u{fffd} ok");
        assert_eq!(plain("10%\r20%"), "10%\n20%");
    }

    #[test]
    fn values_of_secret_variables_do_not_survive() {
        let variables = [
            ("MY_TOKEN", "s3cr3t-value"),
            ("NPM_CONFIG__AUTHTOKEN", "abcdefgh"),
            ("SIGNING_KEY", "line-one-of-it\nline-two-of-it"),
            ("https_proxy", "http://someone:hunter22@proxy:3128"),
            ("USE_TOKEN", "true"),
            ("HOME", "/home/me"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let secrets = secrets(&variables);
        let text = "a s3cr3t-value b\x1b[1mabcd\x1b[0mefgh\nline-one-of-it\n line-two-of-it\nhunter22 true /home/me";
        let said = shown(text.as_bytes(), false, &secrets);
        assert_eq!(said, "a [hidden] b[hidden]\n[hidden]\n [hidden]\n[hidden] true /home/me");
    }

    #[test]
    fn secrets_that_show_by_their_form_do_not_survive() {
        for text in [
            "fatal: https://me:pa55@host/x.git not found",
            "https://pa55@host/x",
            "Authorization: Basic pa55",
            "authorization=pa55",
            "GET /x?access_token=pa55&y=1",
            "//registry.example/:_authToken=pa55",
            "//registry.example/:_auth=pa55",
            "ghp_pa55pa55pa55pa55pa55",
            "github_pat_pa55pa55pa55pa55pa55",
            "npm_pa55pa55pa55pa55pa55pa55pa55pa55pa55",
        ] {
            let said = plain(text);
            assert!(!said.contains("pa55") && said.contains(HIDDEN), "{text} -> {said}");
        }
        let harmless =
            "Failed to clone https://github.com/o/r.git as git@github.com:o/r npm_config_yes=true";
        assert_eq!(plain(harmless), harmless);
    }

    #[test]
    fn the_half_of_a_line_is_not_shown() {
        assert_eq!(shown(b"half-of-a-secret\nlast line", true, &[]), "last line");
        assert_eq!(shown(b"half-of-a-secret", true, &[]), "");
        let long: String = (0..2000).map(|number| format!("line {number}\n")).collect();
        let said = plain(&long);
        assert!(said.len() <= MAX_TEXT && said.starts_with("line ") && said.ends_with("line 1999"));
        assert!(plain(&"é".repeat(5000)).len() <= MAX_TEXT);
    }
}
