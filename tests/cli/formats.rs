//! Output formats: who decides, what each of them is, and what stdout and stderr carry.

use serde_json::Value;

use crate::cases;
use crate::envelope::all;
use crate::sandbox::{Answer, Sandbox, run};

fn with_environment(sandbox: &Sandbox, arguments: &[&str], format: &str) -> Answer {
    run(sandbox.command(arguments).env("AOS_FORMAT", format))
}

#[test]
fn json_is_the_default_and_its_two_spellings_are_one() {
    let sandbox = Sandbox::new();
    let config = |arguments: &[&str]| sandbox.aos(arguments).data()["config"].clone();
    assert_eq!(config(&["context"])["format"], "json");
    assert_eq!(config(&["context"])["format_reason"], "default");
    let flagged = config(&["context", "--json"]);
    assert_eq!(flagged["format_reason"], "flag");
    assert_eq!(flagged, config(&["context", "--format", "json"]));
    assert_eq!(flagged, config(&["context", "--json", "--format", "json"]));
    assert_eq!(flagged, config(&["--json", "context", "--json"]), "a repeated flag is no error");
}

#[test]
fn a_flag_beats_the_environment_and_the_environment_beats_the_default() {
    let sandbox = Sandbox::new();
    let text = with_environment(&sandbox, &["context"], "text");
    assert!(text.stdout.contains("format   text (environment)"), "{text:?}");
    let json = with_environment(&sandbox, &["context"], "json").data();
    assert_eq!(json["config"]["format_reason"], "environment");
    let json = with_environment(&sandbox, &["context", "--json"], "text").data();
    assert_eq!(json["config"]["format_reason"], "flag");
    let text = with_environment(&sandbox, &["context", "--format", "text"], "json");
    assert!(text.stdout.contains("format   text (flag)"), "{text:?}");
    let empty = with_environment(&sandbox, &["context"], "").data();
    assert_eq!(empty["config"]["format_reason"], "default", "an empty variable is not set");
    let faulty = with_environment(&sandbox, &["context", "--json"], "xml").data();
    assert_eq!(faulty["config"]["format_reason"], "flag", "a flag makes the variable irrelevant");
}

// Errors follow the same precedence, including those of the parser.
#[test]
fn a_call_that_cannot_be_parsed_still_answers_in_the_format_it_asks_for() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["nonsense", "--json"]).error("E_USAGE", 2);
    with_environment(&sandbox, &["nonsense", "--format", "json"], "text").error("E_USAGE", 2);
    for arguments in [&["nonsense", "--format", "text"][..], &["--format=text", "nonsense"]] {
        let answer = sandbox.aos(arguments);
        assert!(answer.stderr.starts_with("error[E_USAGE]: "), "{answer:?}");
        assert_eq!((answer.stdout.as_str(), answer.exit), ("", Some(2)));
    }
    let answer = with_environment(&sandbox, &["nonsense"], "text");
    assert!(answer.stderr.starts_with("error[E_USAGE]: "), "{answer:?}");
    let bare = sandbox.aos(&["--format", "text"]);
    assert!(bare.stdout.contains("Commands:\n  new "), "a person gets the help: {bare:?}");
    assert!(bare.stderr.starts_with("error[E_USAGE]: no command was given\n"), "{bare:?}");
}

// If JSON is requested, help and version are JSON too.
#[test]
fn help_and_version_are_text_unless_json_is_asked_for() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.aos(&["--version"]).stdout, format!("aos {}\n", env!("CARGO_PKG_VERSION")));
    let version = sandbox.aos(&["--version", "--json"]).data();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    let help = sandbox.aos(&["check", "--help", "--format", "json"]).data();
    assert!(help["help"].as_str().is_some_and(|text| text.contains("Usage: aos check")));
}

#[test]
fn compact_changes_white_space_and_nothing_else() {
    for case in all() {
        let sandbox = Sandbox::new();
        let answer = cases::finish(case.name, &mut case.command(&sandbox, &["--compact"]));
        let value = answer.json();
        let plain = case.plain().json();
        assert_eq!(answer.stdout, format!("{value}\n"), "{}: white space is left", case.name);
        // The members that a short response omits depend on the amount of white space in it.
        let is_brief = |name: &str| ["omitted", "more"].contains(&name);
        let keys = |value: &Value| {
            let names = value.as_object()?.keys().filter(|name| !is_brief(name));
            Some(names.cloned().collect::<Vec<_>>())
        };
        assert_eq!(keys(&value), keys(&plain), "{}", case.name);
        assert_eq!(keys(&value["data"]), keys(&plain["data"]), "{}", case.name);
    }
    let sandbox = Sandbox::new();
    let [compact, plain] = [&["reference", "--compact"][..], &["reference"]]
        .map(|arguments| sandbox.aos(arguments).data());
    assert_eq!(compact, plain);
}

#[test]
fn quiet_hides_neither_the_document_nor_the_error() {
    for case in all() {
        let quiet = case.run(&["--quiet"]);
        assert_eq!(quiet.json()["ok"], case.expected == "OK", "{}", case.name);
        let text = case.run(&["--quiet", "--format", "text"]);
        assert_eq!(text.stderr.is_empty(), text.exit == Some(0), "{}: {text:?}", case.name);
    }
}

// An error says what failed, why, and how to fix it, in at most four lines.
#[test]
fn errors_as_text_are_at_most_four_lines_with_the_fix() {
    // A format that is named makes a faulty AOS_FORMAT irrelevant.
    for case in cases::failures().iter().filter(|case| case.name != "unknown AOS_FORMAT") {
        let answer = case.run(&["--format", "text"]);
        let lines: Vec<_> = answer.stderr.lines().collect();
        assert!((2..=4).contains(&lines.len()), "{}: {:?}", case.name, answer.stderr);
        let label = format!("error[{}]: ", case.expected);
        if !case.name.contains("format") {
            assert!(lines[0].starts_with(&label), "{}: {}", case.name, lines[0]);
        }
        assert!(lines[1].starts_with("  fix: ") && lines[1].len() > 10, "{}: {lines:?}", case.name);
        assert!(answer.stderr.len() < 1200, "{}: {}", case.name, answer.stderr);
        assert!(!answer.stderr.contains("backtrace"), "{}: {}", case.name, answer.stderr);
    }
}

#[test]
fn text_is_not_json_and_has_no_envelope() {
    for case in cases::successes() {
        let answer = case.run(&["--format", "text"]);
        assert_eq!(answer.exit, Some(0), "{}: {answer:?}", case.name);
        // The result of a package is JSON without an envelope, and is printed unchanged.
        let shown = serde_json::from_str::<Value>(&answer.stdout);
        let is_result = case.name.starts_with("augmentor ");
        assert!(shown.is_err() || is_result, "{}", case.name);
        let is_envelope = shown.is_ok_and(|shown| shown.get("schema_version").is_some());
        assert!(!is_envelope, "{}", case.name);
        assert!(answer.stdout.ends_with('\n') && !answer.stdout.ends_with("\n\n"), "{}", case.name);
        assert!(answer.stdout.trim().len() > 3, "{}", case.name);
    }
}

// Only a terminal gets colour, whatever the environment requests.
#[test]
fn output_without_a_terminal_has_no_colour() {
    for case in all() {
        for format in ["text", "json"] {
            let sandbox = Sandbox::new();
            let mut command = case.command(&sandbox, &["--format", format]);
            command
                .env("CLICOLOR_FORCE", "1")
                .env("TERM", "xterm-256color")
                .env("FORCE_COLOR", "1");
            let answer = cases::finish(case.name, &mut command);
            assert!(!answer.stdout.contains('\u{1b}'), "{}: {}", case.name, answer.stdout);
            assert!(!answer.stderr.contains('\u{1b}'), "{}: {}", case.name, answer.stderr);
        }
    }
    let help = run(Sandbox::new().command(&["--help"]).env("CLICOLOR_FORCE", "1"));
    assert!(!help.stdout.contains('\u{1b}'));
}

#[test]
fn raw_is_offered_exactly_where_reference_says_so() {
    let reference = Sandbox::new().aos(&["reference"]).data();
    let commands = reference["commands"].as_array().expect("commands");
    for case in cases::successes() {
        let leaf = case.leaf();
        let entry = commands.iter().find(|command| command["path"] == leaf.as_str());
        let entry = entry.unwrap_or_else(|| panic!("{}: no `{leaf}` in reference", case.name));
        let answer = case.run(&["--format", "raw"]);
        if entry.get("raw").is_some() {
            assert_eq!(answer.exit, Some(0), "{}: {answer:?}", case.name);
            assert!(!answer.stdout.starts_with("{\n  \"ok\""), "{}: {answer:?}", case.name);
        } else {
            assert_eq!((answer.stdout.as_str(), answer.exit), ("", Some(2)), "{}", case.name);
            assert!(
                answer.stderr.starts_with("error[E_VALIDATION]: "),
                "{}: {answer:?}",
                case.name
            );
        }
    }
}

// Raw is the payload, byte for byte.
#[test]
fn raw_is_the_payload_alone() {
    let sandbox = Sandbox::new();
    let raw = sandbox.aos(&["completions", "bash", "--format", "raw"]).stdout;
    let data = sandbox.aos(&["completions", "bash"]).data();
    assert_eq!(data["script"], raw.as_str());
    let changelog = include_str!("../../CHANGELOG.md");
    assert_eq!(sandbox.aos(&["changelog", "--format", "raw"]).stdout, changelog);
    let diff = sandbox.aos(&["new", "acme", "--dry-run", "--format", "raw"]).stdout;
    assert!(diff.contains("+++ b/connector.json"), "{diff}");
}

#[test]
fn fields_keep_only_what_is_named() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["context", "--fields", "version,config.format"]).data();
    assert_eq!(
        data,
        serde_json::json!({"version": env!("CARGO_PKG_VERSION"), "config": {"format": "json"}})
    );
    let repeated = sandbox.aos(&["context", "--fields", "version", "--fields", "config.format"]);
    assert_eq!(repeated.data(), data, "a comma and a repeated flag are the same");
    let paths = sandbox.aos(&["reference", "--fields", "commands.path"]).data();
    assert!(paths["commands"].as_array().is_some_and(|commands| commands.len() > 5));
    assert_eq!(paths["commands"][0], serde_json::json!({"path": "new"}));
}

#[test]
fn an_unknown_field_is_refused_and_the_known_ones_are_named() {
    let sandbox = Sandbox::new();
    for (leaf, field) in
        [("context", "versoin"), ("doctor", "check"), ("reference", "commands.pth")]
    {
        let error = sandbox.aos(&[leaf, "--fields", field]).error("E_VALIDATION", 2);
        let known = error["details"]["known_fields"].as_array().expect("known fields");
        assert!(!known.is_empty(), "{error}");
        let message = error["message"].as_str().expect("text");
        assert!(message.contains(field) && message.contains(known[0].as_str().expect("text")));
    }
    let error = sandbox.aos(&["context", "--fields", "version.x"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().expect("text").contains("plain value"), "{error}");
}

// The list of untrusted members follows the selection.
#[test]
fn fields_keep_the_names_of_untrusted_fields_that_survive() {
    let sandbox = Sandbox::new();
    sandbox.connector("acme");
    let ask = |fields: &str| sandbox.aos(&["check", "aos-acme", "--fields", fields]).data();
    assert_eq!(ask("summary").get("_untrusted"), None);
    assert_eq!(ask("summary,projects.path")["_untrusted"], serde_json::json!(["projects"]));
    std::fs::remove_file(sandbox.work().join("aos-acme/.agent/SPEC_VERSION")).expect("a pin");
    let error = sandbox.aos(&["check", "aos-acme"]).error("E_DRIFT", 6);
    assert_eq!(error["details"]["_untrusted"], serde_json::json!(["projects"]));
}

// If the reader closes stdout early, aos prints no error.
#[cfg(unix)]
#[test]
fn a_pipe_that_is_closed_early_ends_the_run_without_a_word() {
    for arguments in [&["reference"][..], &["completions", "bash"], &["nonsense"], &["--help"]] {
        let sandbox = Sandbox::new();
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = sandbox.command(arguments);
        let child = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn();
        drop(command);
        let output = child.expect("a process").wait_with_output().expect("its output");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert!(output.status.code().is_some_and(|exit| exit != 0 && exit != 101), "{output:?}");
    }
}

// If the response is lost for another reason, aos reports it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_reported_on_stderr() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = sandbox.command(&["context"]).stdout(full).output().expect("a process");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error[E_IO]: stdout cannot be written"), "{stderr}");
}

// GitHub Actions reads workflow commands from stderr; stdout stays the document.
#[test]
fn check_annotates_findings_inside_github_actions_only() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join("agent-harness/permissions.json"), "{}\n").expect("a file");
    let answer = run(sandbox.command(&["check", "aos-acme"]).env("GITHUB_ACTIONS", "true"));
    let error = answer.error("E_DRIFT", 6);
    let findings = error["details"]["projects"][0]["findings"].as_array().expect("findings");
    // One for each rule in each file.
    let groups: std::collections::BTreeSet<_> = findings
        .iter()
        .map(|finding| (finding["path"].to_string(), finding["rule"].to_string()))
        .collect();
    assert_eq!(answer.stderr.lines().count(), groups.len(), "{answer:?}");
    for line in answer.stderr.lines() {
        assert!(line.starts_with("::error file=aos-acme/") && line.contains("fix: "), "{line}");
    }
    assert_eq!(sandbox.aos(&["check", "aos-acme"]).stderr, "");
}
