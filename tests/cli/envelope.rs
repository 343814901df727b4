//! One JSON document with exactly the keys of the contract, for every success and every kind of failure.

use serde_json::Value;

use crate::cases::{self, Case};
use crate::sandbox::Answer;

/// Exit and retryable of each code, written down here again on purpose: a table that is generated from the
/// contract could only agree with itself.
pub const CODES: &[(&str, i32, bool)] = &[
    ("E_INTEGRITY", 1, false),
    ("E_IO", 1, false),
    ("E_UNKNOWN", 1, false),
    ("E_AUGMENTOR", 1, false),
    ("E_USAGE", 2, false),
    ("E_VALIDATION", 2, false),
    ("E_NOT_FOUND", 3, false),
    ("E_AUTH", 4, false),
    ("E_CONFIG", 4, false),
    ("E_FORBIDDEN", 4, false),
    ("E_CONFIRMATION_REQUIRED", 5, false),
    ("E_CONFLICT", 6, false),
    ("E_DRIFT", 6, false),
    ("E_MERGE_CONFLICT", 6, false),
    ("E_NONCONFORMANT", 6, false),
    ("E_NETWORK", 7, true),
    ("E_RATE_LIMITED", 7, true),
    ("E_SERVER", 7, true),
    ("E_CRASHED", 7, true),
    ("E_SKILL_SYNC", 7, true),
    ("E_TIMEOUT", 8, true),
    ("E_INTERRUPTED", 130, true),
];

/// Objects whose keys are data (codes, exits, rule ids, sections of a specification) and not names of members.
const KEYED_BY_DATA: &[&str] =
    &["error_codes", "exit_codes", "by_rule", "schema", "sections", "input_schema", "types"];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// Everything that holds for any answer in JSON.
#[track_caller]
pub fn assert_citizen(name: &str, answer: &Answer) -> Value {
    let stdout = &answer.stdout;
    assert!(stdout.starts_with('{') && stdout.ends_with("}\n"), "{name}: {stdout}");
    assert!(!stdout.contains('\r') && !stdout.contains('\u{1b}'), "{name}: {stdout}");
    assert_eq!(answer.stderr, "", "{name}: JSON answers leave stderr alone");
    let envelope = answer.json();
    let succeeded = envelope["ok"] == true;
    assert_eq!(succeeded, answer.exit == Some(0), "{name}: ok and exit disagree: {answer:?}");
    let expected = if succeeded {
        ["ok", "schema_version", "data", "meta"]
    } else {
        ["ok", "schema_version", "error", "meta"]
    };
    assert_eq!(keys(&envelope), expected, "{name}");
    assert_eq!(envelope["schema_version"], "1.0", "{name}");
    match keys(&envelope["meta"]).as_slice() {
        ["duration_ms"] => {}
        ["duration_ms", "notices"] => {
            assert!(envelope["meta"]["notices"].as_array().is_some_and(|all| !all.is_empty()));
        }
        other => panic!("{name}: {other:?}"),
    }
    assert!(envelope["meta"]["duration_ms"].is_u64(), "{name}");
    if !succeeded {
        assert_error(name, &envelope["error"], answer.exit);
    }
    assert_snake_case(name, &envelope);
    envelope
}

#[track_caller]
fn assert_error(name: &str, error: &Value, exit: Option<i32>) {
    assert_eq!(keys(error), ["code", "message", "details", "retryable"], "{name}");
    let code = error["code"].as_str().expect("a code");
    let (_, expected_exit, retryable) =
        CODES.iter().find(|(known, ..)| *known == code).unwrap_or_else(|| panic!("{name}: {code}"));
    assert_eq!(exit, Some(*expected_exit), "{name}: {code}");
    assert_eq!(error["retryable"], *retryable, "{name}: {code}");
    let message = error["message"].as_str().expect("a message");
    assert!(!message.is_empty() && !message.ends_with('.'), "{name}: `{message}`");
    assert!(!message.contains("panicked") && !message.contains(".rs:"), "{name}: `{message}`");
    let hint = error["details"]["fix"].as_str().unwrap_or_default();
    assert!(!hint.is_empty(), "{name}: an error says how to mend it: {error}");
}

#[track_caller]
fn assert_snake_case(name: &str, value: &Value) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let plain = key.chars().all(|symbol| {
                    symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == '_'
                });
                assert!(plain, "{name}: `{key}` is not snake_case");
                if !KEYED_BY_DATA.contains(&key.as_str()) {
                    assert_snake_case(name, member);
                }
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| assert_snake_case(name, entry)),
        _ => {}
    }
}

#[test]
fn every_success_is_one_envelope_with_the_keys_of_the_contract() {
    for case in cases::successes() {
        let answer = case.plain();
        let envelope = assert_citizen(case.name, &answer);
        assert_eq!(envelope["ok"], true, "{}: {}", case.name, answer.stdout);
    }
}

#[test]
fn every_failure_is_one_envelope_with_the_code_exit_and_retryable_of_the_table() {
    for case in cases::failures() {
        let envelope = assert_citizen(case.name, &case.plain());
        assert_eq!(envelope["error"]["code"], case.expected, "{}: {envelope}", case.name);
    }
}

// The table here, the vendored contract and `reference` agree.
#[test]
fn reference_lists_exactly_the_codes_of_the_contract_and_of_the_extension() {
    let sandbox = crate::sandbox::Sandbox::new();
    let reference = sandbox.aos(&["reference"]).data();
    let listed = reference["error_codes"].as_object().expect("codes");
    assert_eq!(listed.len(), CODES.len());
    for (code, exit, retryable) in CODES.iter().copied() {
        assert_eq!(listed[code]["exit"], exit, "{code}");
        assert_eq!(listed[code]["retryable"], retryable, "{code}");
        assert!(reference["exit_codes"][exit.to_string()].is_string(), "{exit}");
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |path: &str| -> Value {
        let text = std::fs::read_to_string(format!("{root}/{path}")).expect("a contract");
        serde_json::from_str(&text).expect("JSON")
    };
    let core = read(".agent/contract.json")["error_codes"]["core"].clone();
    let own = read(".agent/contract-ext.json")["error_codes"].clone();
    let declared: usize = [&core, &own].iter().map(|codes| keys(codes).len()).sum();
    assert_eq!(declared, CODES.len());
    for (code, exit, retryable) in CODES.iter().copied() {
        let declaration = core.get(code).or_else(|| own.get(code)).expect("a declaration");
        assert_eq!(declaration["exit"], exit, "{code}");
        assert_eq!(declaration["retryable"], retryable, "{code}");
    }
}

// The sources contain no error code that the contract lacks.
#[test]
fn no_source_mentions_a_code_outside_the_table() {
    let pattern = |text: &str| -> Vec<String> {
        text.split(|symbol: char| !symbol.is_ascii_uppercase() && symbol != '_')
            .filter(|word| word.starts_with("E_") && word.len() > 3 && !word.ends_with('_'))
            .map(str::to_owned)
            .collect()
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut seen = 0;
    for folder in ["commands", "workflows", "report", "run", "system", "apply"] {
        for (path, (bytes, _)) in
            crate::sandbox::tree(std::path::Path::new(&format!("{root}/{folder}")))
        {
            // The generated module also lists the codes that a tool may add, and examples show one of another tool.
            let own = |code: &String| {
                code != "E_QUOTA" && (path != "contract_gen.rs" || code != "E_HUMAN_REQUIRED")
            };
            for code in pattern(&String::from_utf8_lossy(&bytes)).into_iter().filter(own) {
                seen += 1;
                assert!(CODES.iter().any(|(known, ..)| *known == code), "{folder}/{path}: {code}");
            }
        }
    }
    assert!(seen > CODES.len(), "the scan found {seen} codes, so it looked at nothing");
}

#[test]
fn unknown_names_are_answered_with_the_nearest_known_one() {
    let nearest = [
        ("unknown command", "did you mean `check`?"),
        ("bad enum", "did you mean `fish`?"),
        ("unknown template", "did you mean `connector-python`?"),
        ("unknown preset", "did you mean `github`?"),
        ("unknown answer", "did you mean `license`?"),
        ("unknown rule", "did you mean `drift/modified`?"),
    ];
    let failures = cases::failures();
    for (name, hint) in nearest {
        let case = failures.iter().find(|case| case.name == name).expect("a case");
        assert_eq!(case.run(&[]).json()["error"]["details"]["fix"], hint, "{name}");
    }
}

#[test]
fn missing_and_invalid_arguments_are_named() {
    let sandbox = crate::sandbox::Sandbox::new();
    let message = |arguments: &[&str]| {
        let error = sandbox.aos(arguments).error("E_USAGE", 2);
        format!("{} / {}", error["message"].as_str().expect("text"), error["details"]["fix"])
    };
    let bare = sandbox.aos(&[]).error("E_USAGE", 2);
    assert_eq!(bare["details"]["known_commands"][1], "sync-spec", "the commands are listed");
    assert!(message(&["new"]).contains("`<NAME>` is missing"));
    assert!(message(&["context", "--format", "xml"]).contains("json, text, raw"));
    assert!(message(&["check", "--recursve", "."]).contains("--recursive"));
    assert!(message(&["gen", "--check", "--dry-run"]).contains("--dry-run"));
    assert!(message(&["check", "--diff", "--diff"]).contains("`--diff` is given more than once"));
}

#[test]
fn the_same_call_twice_has_the_same_structure() {
    for case in cases::successes().into_iter().chain(cases::failures()) {
        let [first, second] = [case.plain(), case.run(&[])].map(|answer| shape(&answer.json()));
        assert_eq!(first, second, "{}", case.name);
    }
}

// If only the duration varies, all other bytes are equal.
#[test]
fn a_query_twice_in_one_place_gives_the_same_bytes() {
    let sandbox = crate::sandbox::Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join("connector.json"), "{}").expect("a file");
    for arguments in
        [&["reference"][..], &["context"], &["changelog"], &["check"], &["completions", "zsh"]]
    {
        let [first, second] = [(), ()].map(|()| {
            let mut envelope = sandbox.aos_in(&project, arguments).json();
            envelope["meta"]["duration_ms"] = 0.into();
            envelope.to_string()
        });
        assert_eq!(first, second, "{arguments:?}");
    }
}

/// Keys in their order and kinds of values.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, member)| format!("{key}:{}", shape(member))).collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(entries) => {
            // How many entries of equal shape fit into a brief answer depends on the digits of a duration.
            let mut shapes: Vec<_> = entries.iter().map(shape).collect();
            shapes.dedup();
            format!("[{}]", shapes.join(","))
        }
        Value::String(_) => "text".to_owned(),
        Value::Number(_) => "number".to_owned(),
        other => other.to_string(),
    }
}

/// For other modules: all cases of both kinds.
pub fn all() -> impl Iterator<Item = Case> {
    cases::successes().into_iter().chain(cases::failures())
}
