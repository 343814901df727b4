//! `reference`, `context`, `doctor`, `changelog` and the version: shapes, and that they tell the truth.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::cases;
use crate::sandbox::Sandbox;

const CHANGELOG: &str = include_str!("../../CHANGELOG.md");
const MANIFEST: &str = include_str!("../../Cargo.toml");

fn reference() -> Value {
    Sandbox::new().aos(&["reference"]).data()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// The version in Cargo.toml, read and not compiled in.
fn package_version() -> &'static str {
    let line = MANIFEST.lines().find_map(|line| line.strip_prefix("version = "));
    line.expect("a version").trim_matches('"')
}

#[test]
fn reference_has_what_the_contract_requires() {
    let reference = reference();
    for key in [
        "tool",
        "version",
        "risk_tier",
        "release_readiness",
        "commands",
        "schemas",
        "exit_codes",
        "error_codes",
    ] {
        assert!(!reference[key].is_null(), "{key}");
    }
    assert_eq!(reference["tool"], "aos");
    assert!(["T0", "T1", "T2"].contains(&text(&reference["risk_tier"])));
    let exits: BTreeSet<_> = keys(&reference["exit_codes"]);
    assert!(exits.contains("0") && exits.contains("130"));
    assert!(!exits.contains("9"), "no code of aos asks for a person");
}

#[test]
fn every_command_has_a_real_schema_a_kind_and_an_example() {
    let reference = reference();
    let schemas = reference["schemas"].as_object().expect("schemas");
    let mut used = BTreeSet::new();
    for command in list(&reference["commands"]) {
        let path = text(&command["path"]);
        for key in ["path", "type", "description", "params", "output_schema", "examples"] {
            assert!(command.get(key).is_some(), "{path}: {key}");
        }
        assert!(["query", "write"].contains(&text(&command["type"])), "{path}");
        assert_eq!(command["type"] == "write", command.get("confirm").is_some(), "{path}");
        let name = text(&command["output_schema"]);
        used.insert(name);
        let schema = schemas.get(name).unwrap_or_else(|| panic!("{path}: no schema `{name}`"));
        assert!(["object", "array"].contains(&text(&schema["shape"])), "{path}");
        let fields: BTreeSet<_> = list(&schema["fields"]).iter().map(text).collect();
        assert!(!fields.is_empty(), "{path}");
        assert_eq!(fields.len(), list(&schema["fields"]).len(), "{path}: a field stands twice");
        let untrusted: BTreeSet<_> = list(&schema["untrusted_fields"]).iter().map(text).collect();
        assert!(untrusted.is_subset(&fields), "{path}");
        for parameter in list(&command["params"]).iter().chain(list(&reference["global_flags"])) {
            for key in ["name", "type", "required", "multiple"] {
                assert!(parameter.get(key).is_some(), "{path}: {parameter}");
            }
            assert!(!text(&parameter["description"]).is_empty(), "{path}: {parameter}");
        }
    }
    let declared: BTreeSet<_> = schemas.keys().map(String::as_str).collect();
    assert_eq!(declared, used, "a schema that no command uses");
}

#[test]
fn examples_of_a_write_show_the_dry_run_and_the_confirmation() {
    for command in list(&reference()["commands"]) {
        let examples: Vec<_> = list(&command["examples"]).iter().map(text).collect();
        assert!(!examples.is_empty());
        if command["type"] == "write" && command["confirm"] != "exempt" {
            let shows = |flag| examples.iter().position(|example| example.contains(flag));
            let (preview, confirm) = (shows("--dry-run"), shows("--confirm"));
            assert!(preview.is_some() && preview < confirm, "{}", command["path"]);
        }
    }
}

/// Options of `aos conform` that choose probes, or call no tool.
fn is_about_probes(word: &str) -> bool {
    ["--probe", "--list", "--explain", "--family"].contains(&word)
}

#[test]
fn every_example_names_an_existing_command_and_parses() {
    let mut examples: Vec<String> = Vec::new();
    let sandbox = Sandbox::new();
    for command in list(&reference()["commands"]) {
        let own = list(&command["examples"]).iter().map(|example| text(example).to_owned());
        for example in own {
            let words: Vec<_> = example.split(' ').collect();
            let path: Vec<_> = text(&command["path"]).split(' ').collect();
            assert_eq!(words[0], "aos", "{example}");
            assert_eq!(words[1..=path.len()], path, "{example}");
            examples.push(example);
        }
        // Those of the help as well.
        let path = text(&command["path"]).split(' ');
        let help = sandbox.aos(&path.chain(["--help"]).collect::<Vec<_>>()).stdout;
        let shown = help.lines().skip_while(|line| !line.starts_with("Example")).skip(1);
        examples.extend(shown.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()));
    }
    assert!(examples.len() > 15);
    let mut wrong = Vec::new();
    for example in examples {
        // An example of the help may be followed by what it does, and may stand inside `source <(…)`.
        let example = example.trim_start_matches("source <(").trim_end_matches(')');
        let example = example.split("  ").next().expect("a first part").trim();
        let mut words: Vec<_> = example.split_whitespace().skip(1).collect();
        // Whether the example is understood shows with one probe as with all of them.
        if words[0] == "conform" && !words.iter().any(|word| *word == "--" || is_about_probes(word))
        {
            words.extend(["--probe", "harness.unknown-command"]);
        }
        let sandbox = Sandbox::new();
        let answer = sandbox.aos_in(&sandbox.connector("example"), &words);
        if example.contains("--format raw") {
            assert_eq!(answer.exit, Some(0), "{example}: {answer:?}");
            continue;
        }
        let code = answer.json()["error"]["code"].as_str().unwrap_or("OK").to_owned();
        // Only a made-up token and the directory of another user cannot work here.
        let allowed: &[&str] = match example {
            example if example.starts_with("aos add code") => &["OK", "E_VALIDATION", "E_CONFLICT"],
            // This connector was not made from a description.
            example if example.starts_with("aos sync-api") => &["E_VALIDATION"],
            example if example.starts_with("aos add --openapi") => &["E_VALIDATION"],
            // No description of an API is here.
            example if example.contains("--openapi") => &["E_NOT_FOUND"],
            example if example.contains("ct_TOKEN") => &["E_CONFLICT", "E_NOT_FOUND"],
            example if example.contains('~') => &["E_IO", "E_NOT_FOUND"],
            // Nothing is installed here, and there is no project beside this one.
            example if example.starts_with("aos conform") => {
                &["OK", "E_NONCONFORMANT", "E_NOT_FOUND"]
            }
            // There is no host of releases here; a machine that never had the Skill needs none.
            example if example.contains("aos update") => &["OK", "E_NETWORK", "E_SKILL_SYNC"],
            // A part of the runtime of another template.
            example
                if example.starts_with("aos runtime own")
                    || example.starts_with("aos runtime return") =>
            {
                &["E_NOT_FOUND"]
            }
            // No other connector is here, and a connector declares its codes itself.
            example if example.starts_with("aos compare") || example.starts_with("aos remove") => {
                &["E_NOT_FOUND"]
            }
            example if example.starts_with("aos discover --tool") => &["OK", "E_NOT_FOUND"],
            // No template of one's own is here.
            example if example.contains("--template ./") => &["E_NOT_FOUND"],
            example if example.starts_with("aos template check") => &["E_NOT_FOUND"],
            // No repository and no template of another tool is here.
            example if example.starts_with("aos template from") => &["E_NOT_FOUND"],
            example if example.starts_with("aos template import") => &["E_NOT_FOUND"],
            // No file that declares an API is here.
            example if example.contains("--preset parcel.toml") => &["E_NOT_FOUND"],
            // No checkout is here.
            example if example.starts_with("aos wire") => &["E_NOT_FOUND", "E_VALIDATION"],
            // There is no upgrade with open conflicts.
            example if example.starts_with("aos upgrade --abort") => &["E_NOT_FOUND"],
            // No augmentor is installed here.
            example if example.starts_with("aos augmentor") => &["E_NOT_FOUND"],
            // The connector is the only package here.
            example if example.starts_with("aos mcp") => &["OK", "E_NOT_FOUND"],
            // A file of the release of another project.
            example if example.contains("--bundle") => &["E_NOT_FOUND"],
            _ => &["OK"],
        };
        if !allowed.contains(&code.as_str()) {
            wrong.push(format!("{example}: {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_data_of_every_command_has_only_declared_fields() {
    let reference = reference();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for case in cases::successes() {
        let leaf = case.leaf();
        let command =
            list(&reference["commands"]).iter().find(|command| command["path"] == leaf.as_str());
        let schema = text(&command.expect("a command")["output_schema"]).to_owned();
        let fields: BTreeSet<_> =
            list(&reference["schemas"][&schema]["fields"]).iter().map(text).collect();
        let data = case.plain().data();
        let untrusted: BTreeSet<_> =
            list(&reference["schemas"][&schema]["untrusted_fields"]).iter().map(text).collect();
        for key in keys(&data) {
            if key == "_untrusted" {
                let named: BTreeSet<_> = list(&data[key]).iter().map(text).collect();
                assert!(
                    named.is_subset(&untrusted) && named.is_subset(&keys(&data)),
                    "{}",
                    case.name
                );
            } else {
                assert!(fields.contains(key), "{}: `{key}` is not declared", case.name);
                seen.insert(format!("{schema}.{key}"));
            }
        }
        for field in untrusted {
            let present = data.get(field).is_some_and(|value| !value.is_null());
            let named = list(&data["_untrusted"]).iter().any(|name| name == field);
            assert_eq!(present, named, "{}: {field}", case.name);
        }
    }
    for (schema, description) in reference["schemas"].as_object().expect("schemas") {
        // The tests in `brief_answers` prove which members a short response omits.
        let brief = |field: &&Value| ["omitted", "more"].contains(&text(field));
        for field in list(&description["fields"]).iter().filter(|field| !brief(field)) {
            let field = format!("{schema}.{}", text(field));
            assert!(seen.contains(&field), "{field} is declared, and no call returns it");
        }
    }
}

/// Every object of a schema takes the members that it names and no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.contains_key("properties") && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(close),
        _ => {}
    }
}

/// The published schema of an answer, closed.
fn published(name: &str) -> jsonschema::Validator {
    let root = env!("CARGO_MANIFEST_DIR");
    let path = format!("{root}/contract/schema/answers/{name}.schema.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut schema: Value = serde_json::from_str(&text).expect("JSON");
    close(&mut schema);
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    options.build(&schema).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[track_caller]
fn assert_published(case: &str, schema: &str, validator: &jsonschema::Validator, data: &Value) {
    let faults: Vec<_> = validator
        .iter_errors(data)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{case}: not a `{schema}`: {faults:#?}\n{data}");
}

#[test]
fn the_data_of_every_command_fits_its_published_schema() {
    let reference = reference();
    let mut validators: BTreeMap<String, jsonschema::Validator> = BTreeMap::new();
    let (mut answers, mut leaves) = (0, BTreeSet::new());
    for case in cases::successes() {
        let leaf = case.leaf();
        let commands = list(&reference["commands"]).iter();
        let command = commands.clone().find(|command| command["path"] == leaf.as_str());
        let command = command.expect("a command");
        let schema = text(&command["output_schema"]).to_owned();
        let validator = validators.entry(schema.clone()).or_insert_with(|| published(&schema));
        assert_published(case.name, &schema, validator, &case.plain().data());
        answers += 1;
        leaves.insert(leaf);
        // Members that a shortened response omits.
        let has_diff = list(&command["params"]).iter().any(|param| param["name"] == "diff");
        if has_diff {
            let answer = case.run(&["--diff"]);
            if answer.exit == Some(0) {
                assert_published(case.name, &schema, validator, &answer.data());
                answers += 1;
            }
        }
    }
    let commands = list(&reference["commands"]).len();
    assert_eq!(leaves.len(), commands, "a command without a call that succeeds");
    assert!(answers >= 2 * commands, "only {answers} answers were held against their schema");
    let schemas = reference["schemas"].as_object().expect("schemas");
    assert_eq!(validators.len(), schemas.len(), "a schema without an answer");
}

#[test]
fn a_closed_schema_refuses_what_it_does_not_name() {
    let validator = published("doctor");
    let mut data = serde_json::json!({
        "checks": [{"check": "a", "status": "pass", "fix": null, "message": "b"}]
    });
    assert!(validator.is_valid(&data));
    data["checks"][0]["more"] = true.into();
    assert!(!validator.is_valid(&data));
    data["checks"][0] = serde_json::json!({"check": "a", "status": "pass", "message": "b"});
    assert!(!validator.is_valid(&data), "a member is missing");
}

#[test]
fn reference_and_doctor_agree_on_how_ready_this_release_is() {
    let readiness = reference()["release_readiness"].clone();
    let level = text(&readiness["level"]).to_owned();
    assert!(["stable", "beta", "unpublishable"].contains(&level.as_str()));
    let statuses = ["fcc_status", "mock_upstream_status", "live_smoke_status"];
    for status in statuses {
        let value = text(&readiness[status]);
        assert!(["verified", "missing", "not_applicable", "unknown"].contains(&value), "{status}");
        if level == "stable" {
            assert!(["verified", "not_applicable"].contains(&value), "{status} is {value}");
        }
    }
    assert!(!list(&readiness["required_evidence"]).is_empty());
    let doctor = Sandbox::new().aos(&["doctor"]).data();
    let check = list(&doctor["checks"]).iter().find(|check| check["check"] == "release_readiness");
    let expected = match level.as_str() {
        "stable" => "pass",
        "beta" => "warn",
        _ => "fail",
    };
    let check = check.expect("a check of the readiness");
    assert_eq!(check["status"], expected);
    assert!(text(&check["message"]).contains(&level));
}

#[test]
fn context_shows_the_settings_in_effect_and_no_secret() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["context"]);
    command.env("GITHUB_TOKEN", "ghp_sentinel_0123456789").env("AOS_HOME", sandbox.home());
    let answer = crate::sandbox::run(&mut command);
    assert!(!answer.stdout.contains("sentinel"), "{answer:?}");
    let data = answer.data();
    assert_eq!(data["version"], package_version());
    assert!(data["credentials"]["configured"].is_boolean());
    assert_eq!(data["config"]["state_directory"], sandbox.home().to_str().expect("UTF-8"));
    assert!(data.get("notices").is_none(), "no notice, no key");
    assert!(data["project"].is_null());
    let tags = list(&data["config"]["spec_tags"]);
    let family = tags.iter().find(|entry| entry["family"] == "agent-cli").expect("our family");
    assert!(list(&family["tags"]).contains(&"v1.1.0".into()), "{family}");
}

#[test]
fn context_describes_the_project_of_the_directory() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let found = sandbox.aos_in(&project, &["context"]).data()["project"].clone();
    assert_eq!(found["family"], "harness");
    assert_eq!(found["pin"], "v1.1.0");
    assert_eq!(found["adopted"], true);
    assert_eq!(found["template"]["name"], "connector-python");
    let by_flag = sandbox.aos(&["context", "-C", "aos-acme"]).data()["project"].clone();
    assert_eq!(by_flag["pin"], found["pin"], "-C is as good as being there");
}

#[test]
fn doctor_reports_a_fix_exactly_for_each_problem() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    std::fs::write(project.join(".agent/SPEC_VERSION"), "main\n").expect("a file");
    let empty = sandbox.work().join("no-programs");
    std::fs::create_dir(&empty).expect("a directory");
    let mut command = sandbox.command(&["doctor"]);
    command.current_dir(&project).env("PATH", &empty).env_remove("HOME");
    let answer = crate::sandbox::run(&mut command);
    let data = answer.data();
    let mut names = BTreeSet::new();
    for check in list(&data["checks"]) {
        let status = text(&check["status"]);
        assert!(["pass", "warn", "fail"].contains(&status), "{check}");
        assert_eq!(status == "pass", check["fix"].is_null(), "{check}");
        names.insert(text(&check["check"]));
    }
    assert!(names.contains("min_version") && names.contains("release_readiness"), "{names:?}");
    let status = |name: &str| {
        let found = list(&data["checks"]).iter().find(|check| check["check"] == name);
        text(&found.expect("a check")["status"]).to_owned()
    };
    assert_eq!(status("git"), "warn");
    assert_eq!(status("python3"), "warn");
    assert_eq!(status("state_directory"), "warn");
    assert_eq!(status("spec_pin"), "fail");
}

#[test]
fn changelog_agrees_with_the_file() {
    let data = Sandbox::new().aos(&["changelog"]).data();
    assert_eq!(data["current_version"], package_version());
    let headings: Vec<_> = CHANGELOG
        .lines()
        .filter_map(|line| line.strip_prefix("## ["))
        .filter(|line| !line.starts_with("Unreleased"))
        .map(|line| line.replace("] - ", " "))
        .collect();
    let entries: Vec<_> = list(&data["entries"])
        .iter()
        .map(|entry| format!("{} {}", text(&entry["version"]), text(&entry["date"])))
        .collect();
    assert_eq!(entries, headings);
    let mut from_entries = 0;
    for entry in list(&data["entries"]) {
        let categories = ["added", "changed", "fixed", "deprecated", "removed", "security"];
        assert_eq!(keys(&entry["changes"]), BTreeSet::from(categories));
        let words = CHANGELOG.split_whitespace().collect::<Vec<_>>().join(" ");
        for change in categories.iter().flat_map(|category| list(&entry["changes"][category])) {
            assert!(words.contains(text(change)), "{change}");
            from_entries += 1;
        }
    }
    let unreleased = CHANGELOG.split("## [").find(|part| part.starts_with("Unreleased"));
    let bullets = |part: &str| part.lines().filter(|line| line.starts_with("- ")).count();
    assert_eq!(from_entries, bullets(CHANGELOG) - unreleased.map_or(0, bullets));
}

#[test]
fn since_is_strictly_newer_by_semantic_version() {
    let sandbox = Sandbox::new();
    let since = |version: &str| -> Vec<String> {
        let data = sandbox.aos(&["changelog", "--since", version]).data();
        assert_eq!(data["since"], version);
        list(&data["entries"]).iter().map(|entry| text(&entry["version"]).to_owned()).collect()
    };
    let current = package_version();
    let all: Vec<_> = since("0.0.0");
    assert_eq!(all.first().map(String::as_str), Some(current), "newest first");
    assert!(since(current).is_empty(), "the version itself is not newer than itself");
    assert!(since(&format!("v{current}")).is_empty());
    assert!(since("999.0.0").is_empty());
    assert_eq!(since(&format!("{current}-rc.1")), [current], "a pre-release is older");
    assert!(since(&format!("{current}+build")).is_empty(), "build metadata has no precedence");
}

#[test]
fn changelog_works_from_any_directory() {
    let sandbox = Sandbox::new();
    let here = sandbox.aos(&["changelog"]).data();
    assert_eq!(sandbox.aos_in(std::path::Path::new("/"), &["changelog"]).data(), here);
}

#[test]
fn the_version_is_the_same_everywhere() {
    let sandbox = Sandbox::new();
    let version = package_version();
    assert_eq!(sandbox.aos(&["--version"]).stdout, format!("aos {version}\n"));
    assert_eq!(sandbox.aos(&["-V"]).stdout, format!("aos {version}\n"));
    assert_eq!(sandbox.aos(&["context"]).data()["version"], version);
    assert_eq!(reference()["version"], version);
}

// Every code has a command that can return it, so none is reserved.
#[test]
fn no_error_code_is_reserved() {
    let codes = reference()["error_codes"].clone();
    for (code, description) in codes.as_object().expect("codes") {
        assert_eq!(description["reserved"], false, "{code}");
    }
    assert_eq!(codes["E_DRIFT"]["core"], false);
    assert_eq!(codes["E_SKILL_SYNC"]["core"], false);
}

// aos streams nothing: the response of every command is one envelope.
#[test]
fn no_command_is_declared_to_stream() {
    for command in list(&reference()["commands"]) {
        assert!(command.get("streaming").is_none(), "{command}");
    }
}
