//! Rules about `auth`: what the host injects is what the connector reads.

use std::collections::BTreeSet;

use super::super::manifest::{ConnectorManifest, ManifestAuth, collect_texts};
use super::subject::{ConnectorSubject, HARNESS};
use crate::contract::rules::collector::{Collector, SourceText, shown, shown_list};
use crate::contract::rules::names;
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const KIND: Rule = Rule {
    id: "auth/kind",
    summary: "`auth.kind` is one of the contract's kinds",
    why: "Canvas and setup forms offer the sign-in for the kind, and treat an unknown kind as service-key",
    fix: "use service-key, oauth2, oauth-service-key or oauth-local",
    source: "contract.json, manifest.auth_kinds",
    ..Rule::error(&[FAMILY])
};
pub(super) const HOST_KIND: Rule = Rule {
    id: "auth/host-kind",
    summary: "The canvas knows the `auth.kind`",
    why: "The canvas silently treats an unknown kind as service-key; three fleet connectors have one",
    fix: "use service-key, oauth2, oauth-service-key or oauth-local",
    source: "host readers: canvas-node-parser",
    ..Rule::warning(&[FAMILY])
};
pub(super) const KEY_NAME: Rule = Rule {
    id: "auth/key-name",
    summary: "Service keys are names of environment variables: A-Z, 0-9 and `_`",
    why: "The host sets each key under exactly this name",
    fix: "write the name as `GITHUB_TOKEN`",
    source: "host calls: agent tools",
    ..Rule::error(&[FAMILY])
};
pub(super) const DUPLICATE_KEY: Rule = Rule {
    id: "auth/duplicate-key",
    summary: "No service key is listed twice",
    why: "Otherwise the setup asks for the same key twice",
    fix: "remove one of the two",
    source: "contract.json, manifest.auth_keys",
    ..Rule::error(&[FAMILY])
};
pub(super) const REQUIRED_WITHOUT_KEYS: Rule = Rule {
    id: "auth/required-without-keys",
    summary: "If service-key auth is required, at least one key is listed",
    why: "Otherwise the host sets no key, and the connector can never be ready",
    fix: "list the keys in `auth.service_keys`, or set `auth.required` to false",
    source: "fleet survey: auth",
    ..Rule::error(&[FAMILY])
};
pub(super) const SETUP_MISSING: Rule = Rule {
    id: "auth/setup-missing",
    summary: "If auth is required, `interactive_setup` explains how to get the keys",
    why: "The dashboard shows these lines if the connector needs setup",
    fix: "add one line per step to `auth.interactive_setup`",
    source: "CONNECTOR-SPEC §7",
    ..Rule::warning(&[FAMILY])
};
pub(super) const NOT_INJECTED: Rule = Rule {
    id: "auth/not-injected",
    summary: "Keys are in `service_keys`, the only list that the host reads",
    why: "The host ignores `optional_service_keys` and `required_one_of`, so these values never reach the connector",
    fix: "move keys that the connector needs to `service_keys`; use command options for optional defaults",
    source: "host discovery: connector.json keys used",
    ..Rule::warning(&[FAMILY])
};
pub(super) const ONE_OF: Rule = Rule {
    id: "auth/one-of",
    summary: "No two service keys are alternatives",
    why: "The host requires every listed key, so a user with one of the two cannot use the connector",
    fix: "keep one of the keys in `service_keys`",
    source: "failure map, failure 13",
    ..Rule::warning(&[FAMILY])
};
pub(super) const OPTIONAL_AS_REQUIRED: Rule = Rule {
    id: "auth/optional-as-required",
    summary: "Optional defaults are not declared as service keys",
    why: "The host requires every key in `service_keys`, so an optional default blocks the setup",
    fix: "remove the key from `service_keys`, and make the value an option of the command",
    source: "failure map, failure 13",
    ..Rule::warning(&[FAMILY])
};
pub(super) const UNDECLARED_SECRET: Rule = Rule {
    id: "auth/undeclared-secret",
    summary: "Every secret that the sources read from the environment is declared in `auth.service_keys`",
    why: "The host sets only declared keys; aliases such as AOS_* bypass its scoped secrets",
    fix: "declare the key in `auth.service_keys`, or stop reading it",
    source: "failure map, failures 12 and 30",
    ..Rule::error(&[FAMILY])
};

/// The kinds that the canvas knows, regardless of the contract.
const HOST_KINDS: &[&str] = &["service-key", "oauth2", "oauth-service-key", "oauth-local"];

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    let keys: BTreeSet<&str> = manifest.auth.service_keys.iter().map(|key| key.text).collect();
    kind(subject, &manifest.auth, source, found);
    service_keys(&manifest.auth, source, found);
    lost_keys(&manifest.auth, &keys, source, found);
    setup(subject, manifest, source, found);
    undeclared(subject, &manifest.auth, keys, found);
}

fn kind(
    subject: &ConnectorSubject<'_>,
    auth: &ManifestAuth<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let Some(kind) = auth.kind else { return };
    let known = &subject.facts.auth_kinds;
    if !known.is_empty() && !known.iter().any(|known| known == kind.text) {
        let known = shown_list(known.iter().map(String::as_str));
        let message = format!("`auth.kind` is {}; the contract allows {known}", shown(kind.text));
        found.at(&KIND, source, kind.at, message);
    } else if known.is_empty() && !HOST_KINDS.contains(&kind.text) {
        let message = format!("the canvas does not know the kind {}", shown(kind.text));
        found.at(&HOST_KIND, source, kind.at, message);
    }
}

fn service_keys(auth: &ManifestAuth<'_>, source: &SourceText<'_>, found: &mut Collector) {
    let mut seen = BTreeSet::new();
    for key in &auth.service_keys {
        if !names::is_environment_name(key.text) {
            let message = format!(
                "the key {} is not a valid name of an environment variable",
                shown(key.text)
            );
            found.at(&KEY_NAME, source, key.at, message);
        }
        if !seen.insert(key.text) {
            found.at(
                &DUPLICATE_KEY,
                source,
                key.at,
                format!("the key {} is listed twice", shown(key.text)),
            );
        }
    }
    let by_key =
        auth.kind.is_some_and(|kind| matches!(kind.text, "service-key" | "oauth-service-key"));
    if auth.required == Some(true) && by_key && auth.service_keys.is_empty() {
        found.at(
            &REQUIRED_WITHOUT_KEYS,
            source,
            auth.at,
            "auth is required, but it lists no key".to_owned(),
        );
    }
    if auth.required == Some(true) && auth.interactive_setup.is_empty() {
        found.at(
            &SETUP_MISSING,
            source,
            auth.at,
            "`auth.interactive_setup` has no line".to_owned(),
        );
    }
}

/// Keys in members that the host does not read.
fn lost_keys(
    auth: &ManifestAuth<'_>,
    keys: &BTreeSet<&str>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    for (member, listed) in &auth.other_keys {
        let lost: Vec<&str> = listed
            .iter()
            .copied()
            .filter(|name| names::is_environment_name(name) && !keys.contains(name))
            .collect();
        if !lost.is_empty() {
            let message =
                format!("the host does not set {} from {}", shown_list(lost), shown(member.text));
            found.at(&NOT_INJECTED, source, member.at, message);
        }
        if member.text.contains("one_of") {
            let message =
                format!("the host ignores {} and requires every service key", shown(member.text));
            found.at(&ONE_OF, source, member.at, message);
        }
    }
}

/// Reports contradictions between setup lines, command defaults and sources, and keys that are declared as required.
fn setup(
    subject: &ConnectorSubject<'_>,
    manifest: &ConnectorManifest<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let auth = &manifest.auth;
    let told = Told::by(subject, manifest);
    for line in &auth.interactive_setup {
        if let Some((left, right)) = alternatives(line.text)
            && told.keys.contains(left)
            && told.keys.contains(right)
        {
            let message = format!(
                "the setup asks for {} or {}, but both are required",
                shown(left),
                shown(right)
            );
            found.at(&ONE_OF, source, line.at, message);
        }
    }
    for key in &auth.service_keys {
        if let Some(reason) = told.why_optional(key.text) {
            let message = format!("{} is a required key, but {reason}", shown(key.text));
            found.at(&OPTIONAL_AS_REQUIRED, source, key.at, message);
        }
    }
}

/// Statements about the service keys, apart from their declaration.
struct Told<'a> {
    keys: BTreeSet<&'a str>,
    /// Named in a setup line.
    asked: BTreeSet<&'a str>,
    /// Called optional in a setup line.
    optional: BTreeSet<&'a str>,
    /// Named in a setup line that speaks of a default.
    with_default: BTreeSet<&'a str>,
    command_defaults: BTreeSet<&'a str>,
    /// Replaced by an address in the sources.
    defaulted: BTreeSet<&'a str>,
}

impl<'a> Told<'a> {
    fn by(subject: &'a ConnectorSubject<'_>, manifest: &'a ConnectorManifest<'_>) -> Self {
        let auth = &manifest.auth;
        let keys: BTreeSet<&str> = auth.service_keys.iter().map(|key| key.text).collect();
        let mut command_defaults = Vec::new();
        for (_, node) in &manifest.scope.command_defaults {
            collect_texts(node, &mut command_defaults);
        }
        let mut told = Self {
            asked: BTreeSet::new(),
            optional: BTreeSet::new(),
            with_default: BTreeSet::new(),
            command_defaults: command_defaults.into_iter().collect(),
            defaulted: subject
                .python
                .iter()
                .flat_map(|file| file.content.defaulted.iter().copied())
                .collect(),
            keys,
        };
        for line in &auth.interactive_setup {
            let named = |text: &'a str| words(text).filter(|word| told.keys.contains(word));
            told.asked.extend(named(line.text));
            // The text before the word is not optional: "add A_TOKEN, and optionally set A_OWNER".
            let at = line.text.find("ptional");
            let rest = at.and_then(|at| line.text.get(at..)).unwrap_or_default();
            told.optional.extend(named(rest));
            if line.text.contains("default") {
                told.with_default.extend(named(line.text));
            }
        }
        told
    }

    fn why_optional(&self, key: &str) -> Option<&'static str> {
        if self.optional.contains(key) {
            return Some("the setup lines call it optional");
        }
        // A secret may well be a default; only identifiers and settings are judged by that.
        if self.command_defaults.contains(key) && !names::is_secret_variable(key) {
            return Some("it is a default in `scope.commandDefaults`");
        }
        if !names::is_service_address(key) {
            return None;
        }
        if self.defaulted.contains(key) {
            return Some("the sources have a default address for it");
        }
        if self.with_default.contains(key) {
            return Some("the setup lines name its default");
        }
        // Where every customer has an address of his own, the setup asks for it.
        (!self.asked.is_empty() && !self.asked.contains(key))
            .then_some("the setup lines ask for other keys, but not for it")
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
}

/// `A_KEY or B_KEY`, `A_KEY and/or B_KEY` in a line of the setup.
fn alternatives(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = words(line).take(200).collect();
    (0..words.len()).find_map(|at| match words.get(at..).unwrap_or_default() {
        [left, "or", right, ..] | [left, "and", "or", right, ..]
            if names::is_environment_name(left) && names::is_environment_name(right) =>
        {
            Some((*left, *right))
        }
        _ => None,
    })
}

fn undeclared<'a>(
    subject: &ConnectorSubject<'a>,
    auth: &ManifestAuth<'a>,
    mut declared: BTreeSet<&'a str>,
    found: &mut Collector,
) {
    declared.extend(auth.other_keys.iter().flat_map(|(_, names)| names.iter().copied()));
    for file in subject.python.iter().chain(&subject.scripts) {
        let mut seen = BTreeSet::new();
        // Scripts of developers have keys of their own; an alias of the connector's keys is none.
        let path = file.source.path;
        let is_injected = path.starts_with(HARNESS) || path.starts_with("installer/");
        for (at, name) in &file.content.environment {
            // Once per file is enough.
            if (is_injected || name.starts_with("AOS_"))
                && names::is_secret_variable(name)
                && !declared.contains(name)
                && seen.insert(*name)
            {
                let message =
                    format!("{} is read from the environment, but not declared", shown(name));
                found.at(&UNDECLARED_SECRET, &file.source, *at, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only, only_v1_0};

    #[test]
    fn each_fault_of_auth_is_named_by_its_rule() {
        for (from, to, rules) in [
            ("\"kind\": \"service-key\"", "\"kind\": \"local-cli\"", &["auth/kind"][..]),
            ("[\"DEMO_TOKEN\"]", "[\"demo token\"]", &["auth/key-name"]),
            ("[\"DEMO_TOKEN\"]", "[\"DEMO_TOKEN\", \"DEMO_TOKEN\"]", &["auth/duplicate-key"]),
            ("[\"DEMO_TOKEN\"]", "[]", &["auth/required-without-keys"]),
            ("[\"Create a token\", \"Add DEMO_TOKEN in API Keys\"]", "[]", &["auth/setup-missing"]),
            (
                "[\"DEMO_TOKEN\"]",
                "[\"DEMO_TOKEN\"],\n    \"optional_service_keys\": [\"DEMO_OWNER\"]",
                &["auth/not-injected"],
            ),
            (
                "[\"DEMO_TOKEN\"]",
                "[\"DEMO_TOKEN\"],\n    \"required_one_of\": [[\"DEMO_TOKEN\"]]",
                &["auth/one-of"],
            ),
        ] {
            assert_eq!(only(&Sample::good().manifest(from, to)), rules, "{to}");
        }
        let local = Sample::good().manifest("\"kind\": \"service-key\"", "\"kind\": \"local-cli\"");
        assert_eq!(only_v1_0(&local), ["auth/host-kind"]);
    }

    #[test]
    fn alternatives_and_optional_keys_are_found_in_the_setup_lines() {
        let sample = Sample::good()
            .manifest("[\"DEMO_TOKEN\"]", "[\"DEMO_TOKEN\", \"DEMO_KEY\"]")
            .manifest("Add DEMO_TOKEN in API Keys", "Add DEMO_TOKEN or DEMO_KEY in API Keys");
        assert_eq!(only(&sample), ["auth/one-of"]);
        let sample = Sample::good()
            .manifest("[\"DEMO_TOKEN\"]", "[\"DEMO_TOKEN\", \"DEMO_OWNER\"]")
            .manifest("Add DEMO_TOKEN in API Keys", "Add DEMO_TOKEN and optionally DEMO_OWNER.");
        assert_eq!(only(&sample), ["auth/optional-as-required"]);
    }

    #[test]
    fn a_secret_read_from_the_environment_must_be_declared() {
        for (code, rules) in [
            ("x = os.environ[\"AOS_DEMO_TOKEN\"]\n", &["auth/undeclared-secret"][..]),
            ("x = os.getenv('OPENAI_API_KEY')\n", &["auth/undeclared-secret"]),
            ("x = os.environ.get(\"DEMO_TOKEN\")\n", &[]),
            ("x = os.environ.get(\"DEMO_ISSUE_KEY\", \"AOS_MODE\")\n", &[]),
        ] {
            let sample = Sample::good().file("agent-harness/aos_demo/more.py", code);
            assert_eq!(only(&sample), rules, "{code}");
        }
    }
}
