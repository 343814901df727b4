//! `aos new --openapi` with the templates of CLIs: the tool passes its own tests and the rules, in both languages.

use std::path::{Path, PathBuf};

use super::disk;
use super::sandbox::{Sandbox, tree};
use super::scaffolded_cli_python::python;
use super::toolchain::{program, succeed};

const PARCEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/parcel.yaml");

/// It takes three keys at once.
const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/keys.yaml");

/// Its texts are code somewhere, and it says nothing about credentials.
const HOSTILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/hostile.yaml");

fn made(sandbox: &Sandbox, template: &str, description: &str) -> PathBuf {
    let words = ["new", "parcel", "--template", template, "--no-git", "--openapi", description];
    let data = sandbox.aos(&words).data();
    let advice = data["advice"].as_str().expect("advice");
    assert!(advice.contains("docs/YOUR_API.md") && !advice.contains("example"), "{advice}");
    PathBuf::from(data["path"].as_str().expect("a path"))
}

/// Nothing of the example is left, and nothing of the description became code.
fn is_of_the_api_alone(project: &Path, sources: &[&str]) {
    for (path, (content, _)) in tree(project) {
        let is_vendored =
            ["_runtime/", "internal/runtime/", ".agent/", "contract", "requirements.txt"];
        if is_vendored.iter().any(|part| path.contains(part)) {
            continue;
        }
        let text = String::from_utf8_lossy(&content).into_owned();
        for example in ["item list", "item get", "'item'", "atlas"] {
            assert!(!text.contains(example), "{path} names `{example}`");
        }
        let is_code = path.ends_with(".py") || path.ends_with(".go");
        assert!(!(is_code && text.contains("shipment")), "{path} has a name of the API");
    }
    for source in sources {
        assert!(!project.join(source).exists(), "{source}");
    }
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("[openapi]\ndescription = \"parcel.yaml\""), "{record}");
}

#[test]
fn a_python_cli_of_a_description_passes_its_tests_and_the_check() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "cli-python", PARCEL);
    is_of_the_api_alone(&project, &["parcel/commands/items.py", "tests/test_items.py"]);
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    succeed(python().join("ruff"), &["format", "--check", "--quiet", "."], &project);
    succeed(python().join("ruff"), &["check", "--quiet", "."], &project);
    succeed(python().join("mypy"), &[], &project);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let said = succeed(python().join("python"), &words, &project);
    assert!(said.lines().last().unwrap_or_default().contains(" passed"), "{said}");
}

#[test]
fn a_go_cli_of_a_description_passes_its_tests_and_the_check() {
    let test = "a_go_cli_of_a_description_passes_its_tests_and_the_check";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "cli-go", PARCEL);
    is_of_the_api_alone(&project, &["internal/commands/items.go", "internal/client/jobs.go"]);
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    assert_eq!(succeed(&gofmt, &["-l", "."], &project), "");
    succeed(&go, &["vet", "./internal/client", "./internal/commands", "./internal/mock"], &project);
    succeed(&go, &["test", "./internal/commands"], &project);
}

#[test]
fn the_mode_of_a_command_is_that_of_the_connector() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "cli-python", PARCEL);
    let text = disk::read(&project.join("parcel/operations/shipment.json"));
    let table: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let operation = |command: &str| {
        let all = table.as_array().expect("operations");
        all.iter()
            .find(|one| one["command"] == command)
            .unwrap_or_else(|| panic!("{command}"))
            .clone()
    };
    for (command, writes, dangerous) in [
        ("shipment list", false, false),
        ("shipment create", true, false),
        ("shipment delete", true, true),
        ("shipment cancel", true, true),
    ] {
        let found = operation(command);
        assert_eq!(
            (&found["writes"], &found["dangerous"]),
            (&writes.into(), &dangerous.into()),
            "{command}"
        );
    }
    assert_eq!(operation("shipment delete")["reads"], "shipment get");
}

#[test]
fn parts_of_the_example_are_refused_beside_a_description() {
    let sandbox = Sandbox::new();
    for answer in ["jobs=yes", "credentials=expiring", "human_checkpoint=yes"] {
        let words = ["new", "parcel", "--template", "cli-go", "--openapi", PARCEL, "--set", answer];
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        assert!(error["message"].to_string().contains(answer), "{error}");
    }
    assert!(!sandbox.work().join("parcel").exists());
}

#[test]
fn another_description_changes_a_cli_by_the_same_command_as_a_connector() {
    let sandbox = Sandbox::new();
    let project = made(&sandbox, "cli-python", PARCEL);
    let text = disk::read(Path::new(PARCEL)).replace("  /labels:\n", "  /stickers:\n");
    let newer = sandbox.write("parcel.yaml", &text).display().to_string();
    let words = ["sync-api", "--openapi", &newer, "--dry-run"];
    let data = sandbox.aos_in(&project, &words).data();
    let changes = data["api_changes"].to_string();
    assert!(changes.contains("the API no longer has it") && changes.contains("sticker"), "{data}");
}

#[test]
fn a_command_of_a_description_is_added_and_one_in_code_is_not() {
    for template in ["cli-go", "cli-python"] {
        let sandbox = Sandbox::new();
        let words = ["new", "parcel", "--template", template, "--no-git", "--openapi", PARCEL];
        let words = [&words[..], &["--select", "shipments"]].concat();
        let project = PathBuf::from(sandbox.aos(&words).data()["path"].as_str().expect("a path"));
        let operation = "GET /boxes/{boxId}/comments";
        let words = ["add", "--openapi", PARCEL, "--operation", operation];
        sandbox.aos_in(&project, &words).data();
        let table = match template {
            "cli-go" => "internal/client/operations/",
            _ => "parcel/operations/",
        };
        let is_there = tree(&project).iter().any(|(path, (text, _))| {
            path.starts_with(table) && String::from_utf8_lossy(text).contains("comments")
        });
        assert!(is_there, "{template}");
        assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
        for words in [
            &["add", "item publish", "--mode", "write"][..],
            &["rename", "shipments list", "shipments show"],
            &["remove", "shipments list"],
        ] {
            let error = sandbox.aos_in(&project, words).error("E_VALIDATION", 2);
            assert!(error["message"].to_string().contains("operations/"), "{error}");
        }
    }
}

fn made_of_hostile(sandbox: &Sandbox, template: &str, more: &[&str]) -> PathBuf {
    let words = ["new", "evil", "--template", template, "--no-git", "--openapi", HOSTILE];
    let data = sandbox.aos(&[&words[..], more].concat()).data();
    PathBuf::from(data["path"].as_str().expect("a path"))
}

/// No text of the description is code, nothing was run, and no variable is named for a token that no request has.
fn is_harmless_and_asks_for_no_token(sandbox: &Sandbox, project: &Path) {
    for (path, (content, _)) in tree(project) {
        let text = String::from_utf8_lossy(&content).into_owned();
        let is_code = path.ends_with(".py") || path.ends_with(".go");
        let has_text = text.contains("pwned-by-text") || text.contains("panic(1)");
        assert!(!(is_code && has_text), "{path} has a text of the description");
        assert!(!path.ends_with("pwned-by-text"), "a text was executed");
        assert!(!text.contains("EVIL_TOKEN") && !text.contains("EVIL_KEYRING"), "{path}");
        let is_ours = !path.contains("runtime/") && !path.starts_with(".agent/");
        assert!(!(is_ours && text.contains("auth login")), "{path}");
    }
    let verdict = sandbox.aos_in(project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
}

#[test]
fn a_python_cli_of_a_hostile_api_without_credentials_is_harmless_and_asks_for_none() {
    let sandbox = Sandbox::new();
    let project = made_of_hostile(&sandbox, "cli-python", &[]);
    is_harmless_and_asks_for_no_token(&sandbox, &project);
    succeed(python().join("ruff"), &["format", "--check", "--quiet", "."], &project);
    succeed(python().join("mypy"), &[], &project);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let said = succeed(python().join("python"), &words, &project);
    assert!(said.lines().last().unwrap_or_default().contains(" passed"), "{said}");
    let reference = succeed(python().join("python"), &["-m", "evil", "reference"], &project);
    assert!(!reference.contains("EVIL_TOKEN") && !reference.contains("auth login"), "{reference}");
    // A call reads the table of its own group alone.
    disk::append(&project.join("evil/operations/form.json"), "no JSON");
    succeed(python().join("python"), &["-m", "evil", "it-s", "create", "--help"], &project);
    let words = ["-m", "evil", "form", "update", "--help"];
    let output = super::toolchain::run(python().join("python"), &words, &project);
    assert!(!output.status.success());
}

#[test]
fn a_go_cli_of_a_hostile_api_without_credentials_is_harmless_and_asks_for_none() {
    let test = "a_go_cli_of_a_hostile_api_without_credentials_is_harmless_and_asks_for_none";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made_of_hostile(&sandbox, "cli-go", &[]);
    is_harmless_and_asks_for_no_token(&sandbox, &project);
    assert_eq!(succeed(&gofmt, &["-l", "."], &project), "");
    succeed(&go, &["vet", "./internal/client", "./internal/commands", "./internal/mock"], &project);
    succeed(&go, &["test", "./internal/commands"], &project);
    let reference = succeed(&go, &["run", "./cmd/evil", "reference"], &project);
    assert!(!reference.contains("EVIL_TOKEN") && !reference.contains("auth login"), "{reference}");
}

#[test]
fn an_answer_says_how_to_send_a_credential_that_the_description_lacks() {
    let sandbox = Sandbox::new();
    let words = ["--set", "auth=header", "--set", "auth_header=X-Key"];
    let project = made_of_hostile(&sandbox, "cli-python", &words);
    let api: serde_json::Value =
        serde_json::from_str(&disk::read(&project.join("evil/api.json"))).expect("JSON");
    assert_eq!(api["auth"], serde_json::json!({"form": "header", "name": "X-Key"}));
    assert!(disk::read(&project.join("README.md")).contains("EVIL_TOKEN"));
    assert!(disk::read(&project.join("evil/operations/form.json")).contains("\"public\": false"));
    assert_eq!(sandbox.aos_in(&project, &["check"]).data()["summary"]["errors"], 0);
    for (description, answers) in [
        (HOSTILE, &["auth=header"][..]),
        (HOSTILE, &["auth=bearer", "auth_header=X-Key"]),
        (PARCEL, &["auth=bearer"]),
    ] {
        let mut words = vec!["new", "other", "--template", "cli-go", "--openapi", description];
        words.extend(answers.iter().flat_map(|answer| ["--set", answer]));
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        assert!(error["message"].to_string().contains("auth"), "{error}");
    }
    let words = ["new", "other", "--template", "cli-go", "--set", "auth=bearer"];
    let error = sandbox.aos(&words).error("E_VALIDATION", 2);
    assert!(error["message"].to_string().contains("--openapi"), "{error}");
}

/// The keys have names of their own everywhere, and none of them is `TOKEN`.
fn names_each_key(sandbox: &Sandbox, project: &Path, api: &str) {
    let table: serde_json::Value =
        serde_json::from_str(&disk::read(&project.join(api))).expect("JSON");
    let keys: Vec<_> = table["auth"]["keys"].as_array().expect("keys").iter().collect();
    let variables: Vec<_> = keys.iter().map(|key| key["variable"].as_str()).collect();
    // The state directory has the variable of the last one.
    assert_eq!(variables, [Some("APP_ID"), Some("SECRET"), Some("HOME_KEY")]);
    for file in ["README.md", "conform.toml"] {
        let text = disk::read(&project.join(file));
        assert!(!text.contains("NOTERY_TOKEN"), "{text}");
        for variable in variables.iter().flatten() {
            assert!(text.contains(&format!("NOTERY_{variable}")), "{file} lacks {variable}");
        }
    }
    assert!(disk::read(&project.join("docs/YOUR_API.md")).contains("`NAME=KEY`"));
    let pictures = disk::read(&project.join(api.replace("api.json", "operations/picture.json")));
    for style in ["files=image/png", "type=image/svg+xml"] {
        assert!(pictures.contains(&format!("\"style\": \"{style}\"")), "{pictures}");
    }
    // A POST at the path of a note is its update, and pages can be in a body.
    let facts: serde_json::Value =
        toml_edit::de::from_str(&disk::read(&project.join("conform.toml"))).expect("TOML");
    let samples = facts["agent_cli"]["command"].as_array().expect("samples");
    let of = |role: &str| samples.iter().find(|one| one["role"] == role);
    let path = |role: &str| of(role).and_then(|one| one["path"].as_str());
    assert_eq!(path("create"), Some("note create"));
    assert_eq!(path("update"), Some("note update"));
    assert!(of("update").is_some_and(|one| one["changed"].is_array()), "{samples:?}");
    let notes: serde_json::Value = serde_json::from_str(&disk::read(
        &project.join(api.replace("api.json", "operations/note.json")),
    ))
    .expect("JSON");
    let search =
        notes.as_array().expect("operations").iter().find(|one| one["command"] == "note search");
    let list = &search.expect("a search")["list"];
    assert_eq!([&list["place"], &list["position"]], ["body", "start_cursor"], "{list}");
    assert_eq!(sandbox.aos_in(project, &["check"]).data()["summary"]["errors"], 0);
}

fn made_of_keys(sandbox: &Sandbox, template: &str) -> PathBuf {
    let mut words = vec!["new", "notery", "--template", template, "--no-git", "--openapi", KEYS];
    words.extend(["--mode", "note.search=readonly"]);
    let data = sandbox.aos(&words).data();
    PathBuf::from(data["path"].as_str().expect("a path"))
}

#[test]
fn a_python_cli_sends_all_keys_of_an_api() {
    let sandbox = Sandbox::new();
    let project = made_of_keys(&sandbox, "cli-python");
    names_each_key(&sandbox, &project, "notery/api.json");
    succeed(python().join("ruff"), &["format", "--check", "--quiet", "."], &project);
    succeed(python().join("ruff"), &["check", "--quiet", "."], &project);
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_operations.py"];
    let said = succeed(python().join("python"), &words, &project);
    assert!(said.lines().last().unwrap_or_default().contains(" passed"), "{said}");
    let reference = succeed(python().join("python"), &["-m", "notery", "reference"], &project);
    assert!(reference.contains("NOTERY_SECRET") && !reference.contains("NOTERY_TOKEN"));
}

#[test]
fn a_go_cli_sends_all_keys_of_an_api() {
    let test = "a_go_cli_sends_all_keys_of_an_api";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let project = made_of_keys(&sandbox, "cli-go");
    names_each_key(&sandbox, &project, "internal/client/api.json");
    assert_eq!(succeed(&gofmt, &["-l", "."], &project), "");
    succeed(&go, &["test", "./internal/commands"], &project);
    let reference = succeed(&go, &["run", "./cmd/notery", "reference"], &project);
    assert!(reference.contains("NOTERY_SECRET") && !reference.contains("NOTERY_TOKEN"));
}
