//! Rules about secrets: in URLs, in options, in masked output. No message repeats any part of a value.

use crate::contract::rules::collector::{Collector, shown};
use crate::contract::rules::rule::Rule;
use crate::contract::rules::secrets::scan;
use crate::families::harness::contract::FAMILY;

use super::super::python_source::{Note, NoteKind};
use super::subject::{ConnectorSubject, PythonFile};
use crate::contract::rules::names;

pub(super) const PARTIAL_MASK: Rule = Rule {
    id: "secrets/partial-mask",
    summary: "No part of a secret is printed, not even its first or last characters",
    why: "33 fleet connectors print parts of secrets in `config show`, which reveals most of a short secret",
    fix: "report only whether the secret is set",
    source: "CONNECTOR-SPEC §9; CONNECTOR-SPEC §11",
    ..Rule::error(&[FAMILY])
};
pub(super) const IN_URL: Rule = Rule {
    id: "secrets/in-url",
    summary: "No secret is in a URL: not in the path, the query or before the host",
    why: "URLs appear in errors and logs; aos-trello and aos-pipedrive print their tokens in this way",
    fix: "send the secret in a header",
    source: "CONNECTOR-SPEC §9; failure map, failure 25",
    ..Rule::error(&[FAMILY])
};
pub(super) const OPTION: Rule = Rule {
    id: "secrets/option",
    summary: "No command accepts a secret as an option",
    why: "The host prints the command line in errors, and other processes can read it",
    fix: "declare the secret in `auth.service_keys` and read it from the environment",
    source: "CONNECTOR-SPEC §9",
    ..Rule::error(&[FAMILY])
};

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    for (path, file) in &subject.repository.files {
        scan(path, &file.bytes, found);
    }
    for file in subject.python.iter().chain(&subject.scripts) {
        for note in &file.content.notes {
            source_note(file, note, found);
        }
    }
    for file in &subject.python {
        options(file, found);
    }
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    for id in manifest.fields().filter_map(|field| field.id) {
        if names::is_secret_option(id.text) {
            let message = format!("the field {} asks for a secret", shown(id.text));
            found.at(&OPTION, source, id.at, message);
        }
    }
}

/// True if the function masks secrets, by its name.
#[must_use]
pub(crate) fn is_mask_function(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["mask", "redact", "obscure", "obfuscate", "censor"].iter().any(|word| name.contains(word))
}

/// True if a part of a secret is shown here.
#[must_use]
pub(crate) fn is_partial_mask(note: &Note<'_>) -> bool {
    let NoteKind::Slice { base, length } = note.what else { return false };
    // A computed length of a `key` is that of an entry in a map.
    let is_secret =
        names::is_secret_identifier(base) && (length.is_empty() || names::last(base) != "key");
    names::is_shown_length(length) && (is_secret || is_mask_function(note.function))
}

fn source_note(file: &PythonFile<'_>, note: &Note<'_>, found: &mut Collector) {
    match note.what {
        NoteKind::Slice { base, .. } if is_partial_mask(note) => {
            let message = format!("a part of {} is kept", shown(base));
            found.at(&PARTIAL_MASK, &file.source, note.at, message);
        }
        NoteKind::Query { name, value } => {
            let carries = names::is_secret_query(name)
                && (value.is_empty() || names::is_secret_identifier(value));
            // `key` alone is a common name, so only the value decides.
            let is_key = matches!(name, "key" | "auth") && names::is_secret_identifier(value);
            if carries || is_key {
                let message = format!("the query parameter {} carries a secret", shown(name));
                found.at(&IN_URL, &file.source, note.at, message);
            }
        }
        NoteKind::InUrl(value) if names::is_secret_value(value) => {
            let message = format!("the URL contains the secret {}", shown(value));
            found.at(&IN_URL, &file.source, note.at, message);
        }
        _ => {}
    }
}

fn options(file: &PythonFile<'_>, found: &mut Collector) {
    for decorated in &file.content.decorated {
        let options = decorated.decorators.iter().filter(|decorator| decorator.method == "option");
        for option in options {
            let name = option.strings.iter().find(|name| name.starts_with("--"));
            if let Some(name) = name.filter(|name| names::is_secret_option(name)) {
                let message = format!("the option {} asks for a secret", shown(name));
                found.at(&OPTION, &file.source, option.at, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, findings, only};

    /// Letters that look like a token, made here so that our own tree contains no token.
    fn random(length: usize) -> String {
        (0..length).map(|at| char::from(b"a7Qk2Zr9Bx4Lm6Tw"[at % 16])).collect()
    }

    #[test]
    fn well_known_secrets_are_found_in_any_file_and_never_repeated() {
        for (start, length) in [
            ("ghp_", 36),
            ("github_pat_", 60),
            ("xoxb-", 40),
            ("sk_live_", 24),
            ("AKIA", 16),
            ("glpat-", 20),
        ] {
            let secret = format!("{start}{}", random(length));
            let sample = Sample::good().file("docs/notes.md", &format!("a\nkey: {secret}\n"));
            let findings = findings(&sample);
            assert_eq!(findings.len(), 1, "{start}");
            assert_eq!((findings[0].rule, findings[0].line), ("secrets/committed", Some(2)));
            assert!(!format!("{findings:?}").contains(&secret[start.len()..start.len() + 4]));
        }
        let key = format!("-----BEGIN {}PRIVATE KEY-----\n{}\n", "RSA ", random(64));
        assert_eq!(only(&Sample::good().file("key.pem", &key)), ["secrets/committed"]);
    }

    #[test]
    fn examples_and_code_that_looks_for_secrets_are_left_alone() {
        let text = format!(
            "ghp_{} AKIAIOSFODNN7EXAMPLE ghp_short `-----BEGIN PRIVATE KEY-----` ghp_sentinel{} xoxb-test-{}",
            "x".repeat(36),
            random(30),
            random(30)
        );
        assert!(only(&Sample::good().file("docs/notes.md", &text)).is_empty());
    }

    #[test]
    fn a_merge_conflict_is_found_at_the_start_of_a_line() {
        let marker = "<".repeat(7);
        let conflict = format!("a\n{marker} HEAD\nb\n");
        assert_eq!(only(&Sample::good().file("notes.txt", &conflict)), ["layout/merge-marker"]);
        assert!(
            only(&Sample::good().file("notes.txt", &format!("see {marker} HEAD\n"))).is_empty()
        );
    }

    #[test]
    fn masks_urls_and_options_that_show_secrets_are_reported() {
        for (code, rules) in [
            ("def _mask(v):\n    return f\"{v[:4]}***\"\n", &["secrets/partial-mask"][..]),
            ("x = token[-4:]\n", &["secrets/partial-mask"]),
            ("x = keys[:5] + names[:3] + page_token[:4]\n", &[]),
            ("u = f\"{base}?api_token={token}\"\n", &["secrets/in-url"]),
            ("u = base + \"&access_token=\" + token\n", &["secrets/in-url"]),
            ("all_params = {\"api_token\": self._api_token}\n", &["secrets/in-url"]),
            ("query_params = [(\"key\", self._api_key)]\n", &["secrets/in-url"]),
            ("u = f\"{base}?page_token={token}&key={issue}\"\n", &[]),
            ("body = {\"token\": token}\n", &[]),
            ("send(params=params, json={\"token\": token})\n", &[]),
            ("@click.option(\"--api-key\")\ndef f(): pass\n", &["secrets/option"]),
            ("@click.option(\"--key\")\ndef f(): pass\n", &[]),
        ] {
            assert_eq!(only(&Sample::good().code(code)), rules, "{code}");
        }
        let field = Sample::good()
            .manifest("\"id\": \"title\"", "\"id\": \"password\"")
            .manifest(", \"title\"]", "]");
        assert_eq!(only(&field), ["secrets/option"]);
    }
}
