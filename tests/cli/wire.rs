//! `aos wire`: an adapter in a stand-in of the orchestrator, every place that names it, and the way back.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::disk;
use super::sandbox::{Sandbox, tree};
use super::toolchain::{go_settings, program, succeed};

const HARNESSES: &str = "backend/internal/domain/harness.go";
const MIGRATIONS: &str = "backend/internal/storage/sqlite/migrations";

/// A checkout: the kit of the runtime, with the places of the orchestrator around it.
pub fn checkout(sandbox: &Sandbox) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checkout = sandbox.work().join("ao");
    for (from, to) in [
        ("runtime/adapter/internal/runtime/kit", "backend"),
        ("tests/fixtures/agent-adapter/orchestrator", "."),
    ] {
        for (path, (bytes, _)) in tree(&root.join(from)) {
            let place = checkout.join(to).join(path);
            std::fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
            std::fs::write(place, bytes).expect("a file");
        }
    }
    checkout
}

pub fn adapter(sandbox: &Sandbox, name: &str) -> PathBuf {
    let arguments = ["new", name, "--template", "agent-adapter", "--no-git"];
    PathBuf::from(sandbox.aos(&arguments).data()["path"].as_str().expect("a path"))
}

/// Previews and confirms; gives the answer.
#[track_caller]
pub fn wire(sandbox: &Sandbox, adapter: &Path, more: &[&str]) -> Value {
    let ao = sandbox.work().join("ao");
    let words = [&["wire", "--ao", ao.to_str().expect("UTF-8")][..], more].concat();
    let preview = sandbox.aos_in(adapter, &[&words[..], &["--dry-run"]].concat()).data();
    let token = preview["confirm_token"].as_str().expect("a token").to_owned();
    sandbox.aos_in(adapter, &[&words[..], &["--confirm", &token]].concat()).data()
}

/// The text of every file of a checkout, by path.
fn texts(checkout: &Path) -> Vec<(String, String)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    tree(checkout).into_iter().map(|(path, (bytes, _))| (path, text(bytes))).collect()
}

fn text(checkout: &Path, path: &str) -> String {
    disk::read(&checkout.join(path))
}

#[test]
fn a_wired_orchestrator_builds_and_its_tests_pass_and_undo_leaves_nothing() {
    let test = "a_wired_orchestrator_builds_and_its_tests_pass_and_undo_leaves_nothing";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let backend = checkout.join("backend");
    succeed(&go, &["test", "./..."], &backend);
    let before = disk::state(&checkout);
    let adapter = adapter(&sandbox, "acme-2");
    assert_eq!(wire(&sandbox, &adapter, &[])["status"], "wired");
    assert_eq!(succeed(&gofmt, &["-l", "."], &checkout), "");
    succeed(&go, &["vet", "./..."], &backend);
    let said = succeed(&go, &["test", "./..."], &backend);
    for package in ["agent/acme2", "activitydispatch", "sqlite", "daemon"] {
        let passed = |line: &str| line.starts_with("ok") && line.contains(package);
        assert!(said.lines().any(passed), "{package}: {said}");
    }
    assert_eq!(wire(&sandbox, &adapter, &["--undo"])["status"], "unwired");
    assert_eq!(disk::state(&checkout), before);
}

#[test]
fn every_place_names_the_adapter_once_wired() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let adapter = adapter(&sandbox, "acme");
    let answer = wire(&sandbox, &adapter, &[]);
    assert_eq!(answer["harness"], "acme");
    for (path, line) in [
        ("internal/adapters/agent/registry/registry.go", "\t\tacme.New(),\n\t}\n"),
        (
            "internal/adapters/agent/registry/registry.go",
            "internal/adapters\"\n\t\"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/acme\"\n",
        ),
        ("internal/domain/harness.go", "\tHarnessAcme AgentHarness = \"acme\"\n)\n"),
        ("internal/domain/harness.go", "HarnessAutohand,\n\tHarnessAcme,\n}\n"),
        (
            "internal/adapters/agent/activitydispatch/dispatch.go",
            "\t\"acme\": activitystate.StandardDeriveActivityState,\n}\n",
        ),
        ("internal/httpd/controllers/dto.go", "autohand,acme\"`\n\tReview"),
        ("internal/httpd/controllers/dto.go", "autohand,acme,fake\"`\n"),
        (
            "internal/httpd/apispec/openapi.yaml",
            "- autohand\n          - acme\n          - fake\n          type",
        ),
        (
            "internal/httpd/apispec/openapi.yaml",
            "- autohand\n          - acme\n          type: string\n        reviewerHarness",
        ),
        ("internal/cli/spawn.go", "autohand, acme (default"),
        ("internal/skillassets/using-ao/commands/spawn.md", "`autohand`, `acme`.\n"),
        ("internal/storage/sqlite/migrate_test.go", "\t\tdomain.HarnessAcme,\n\t}\n"),
        (
            "internal/storage/sqlite/migrate_burned_versions_test.go",
            "\t5: \"0005_allow_acme_harness.sql\",\n}\n",
        ),
        ("internal/daemon/wiring_test.go", "\t\t{domain.HarnessAcme, \"acme\"},\n\t} {\n"),
    ] {
        let text = text(&checkout, &format!("backend/{path}"));
        assert_eq!(text.matches(line).count(), 1, "{path}: {line}\n{text}");
    }
    let schema = text(&checkout, "frontend/src/api/schema.ts");
    assert!(schema.contains("\"autohand\" | \"acme\" | \"fake\";"), "{schema}");
    assert_eq!(schema.matches("acme").count(), 2, "a reviewer is not a harness: {schema}");
    let dto = text(&checkout, "backend/internal/httpd/controllers/dto.go");
    assert_eq!(dto.matches("acme").count(), 2, "{dto}");
    let migration = text(&checkout, &format!("{MIGRATIONS}/0005_allow_acme_harness.sql"));
    assert!(migration.contains("', ''acme'', ''fake''))'"), "{migration}");
    let package = checkout.join("backend/internal/adapters/agent/acme");
    assert!(package.join("adapter.go").is_file());
    assert!(package.join("internal/runtime/jsonhooks/merge.go").is_file());
    for absent in ["go.mod", "aos.toml", "internal/runtime/kit"] {
        assert!(!package.join(absent).exists(), "{absent}");
    }
    // An edit without an anchor is listed in the instructions.
    let by_hand = answer["instructions"].as_array().expect("instructions");
    assert!(by_hand.iter().any(|one| one["path"] == "frontend"), "{by_hand:?}");
}

#[test]
fn a_second_run_changes_nothing_in_either_direction() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let ao = checkout.to_str().expect("UTF-8");
    let adapter = adapter(&sandbox, "acme");
    for more in [&[][..], &["--undo"]] {
        wire(&sandbox, &adapter, more);
        let before = disk::identities(&checkout);
        let words = [&["wire", "--ao", ao][..], more].concat();
        let answer = sandbox.aos_in(&adapter, &words).data();
        assert_eq!(answer["status"], "unchanged", "{answer}");
        assert_eq!(answer["notes"], serde_json::json!([]), "{answer}");
        assert_eq!(disk::identities(&checkout), before);
    }
}

#[test]
fn without_a_token_nothing_is_written_and_the_preview_shows_every_change() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let adapter = adapter(&sandbox, "acme");
    let before = disk::identities(&checkout);
    let words = ["wire", adapter.to_str().expect("UTF-8"), "--ao", "ao"];
    let error =
        sandbox.aos(&[&words[..], &["--diff"]].concat()).error("E_CONFIRMATION_REQUIRED", 5);
    let changes = error["details"]["preview"]["changes"].as_array().expect("changes");
    let of = |path: &str| changes.iter().find(|change| change["id"] == path).expect("a change");
    assert!(of(HARNESSES)["diff"].as_str().expect("a diff").contains("+\tHarnessAcme,"));
    assert!(error["details"]["instructions"].as_array().is_some_and(|all| !all.is_empty()));
    assert_eq!(disk::identities(&checkout), before);
}

#[test]
fn one_of_two_adapters_is_taken_out_and_the_other_stays() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let (first, second) = (adapter(&sandbox, "acme"), adapter(&sandbox, "acme-2"));
    let untouched = texts(&checkout);
    wire(&sandbox, &first, &[]);
    wire(&sandbox, &second, &[]);
    wire(&sandbox, &first, &["--undo"]);
    let all = texts(&checkout);
    let strays = all.iter().filter(|(path, _)| !path.contains("agent/acme2/"));
    for (path, text) in strays {
        let is_first =
            |line: &str| line.replace("acme-2", "").replace("acme2", "").contains("acme");
        assert!(!path.ends_with("_allow_acme_harness.sql"), "{path}");
        assert!(!text.replace("acme_2", "").lines().any(is_first), "{path}: {text}");
    }
    wire(&sandbox, &second, &["--undo"]);
    assert_eq!(texts(&checkout), untouched);
}

#[test]
fn an_adapter_without_hooks_is_not_dispatched() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let arguments = ["new", "acme", "--template", "agent-adapter", "--preset", "aider", "--no-git"];
    let made = sandbox.aos(&arguments).data();
    wire(&sandbox, Path::new(made["path"].as_str().expect("a path")), &[]);
    let dispatch = text(&checkout, "backend/internal/adapters/agent/activitydispatch/dispatch.go");
    assert!(!dispatch.contains("acme"), "{dispatch}");
}

/// A place that the orchestrator needs, a damage to its anchor, and what the answer says was looked for.
const LOST: [(&str, &str, &str, &str); 9] = [
    ("adapters/agent/registry/registry.go", "func Constructors()", "func All()", "Constructors"),
    ("adapters/agent/registry/registry.go", "import (", "import(", "import ("),
    ("domain/harness.go", "var AllHarnesses = ", "var Every = ", "var AllHarnesses = "),
    ("adapters/agent/activitydispatch/dispatch.go", "var Derivers", "var Others", "var Derivers"),
    ("httpd/controllers/dto.go", "droid,amp", "droid;amp", "2 lists of harnesses"),
    (
        "httpd/apispec/openapi.yaml",
        "        harness:\n",
        "        other:\n",
        "2 lists of harnesses",
    ),
    ("cli/spawn.go", "Agent harness / --agent: ", "Agent: ", "1 list of harnesses"),
    ("storage/sqlite/migrate_burned_versions_test.go", "shippedMigrations = ", "all = ", "shipped"),
    (
        "storage/sqlite/migrations/0003_allow_prime_agent_harness.sql",
        "CHECK (harness IN (",
        "CHECK (agent IN (",
        "CHECK (harness IN (",
    ),
];

#[test]
fn a_lost_anchor_is_refused_with_what_was_looked_for() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let adapter = adapter(&sandbox, "acme");
    for (path, from, to, looked_for) in LOST {
        let place = checkout.join("backend/internal").join(path);
        let whole = disk::read(&place);
        std::fs::write(&place, whole.replace(from, to)).unwrap();
        let before = disk::identities(&checkout);
        let words = ["wire", adapter.to_str().expect("UTF-8"), "--ao", "ao", "--dry-run"];
        let error = sandbox.aos(&words).error("E_CONFLICT", 6);
        let lost = &error["details"]["lost"][0];
        assert!(
            lost["looked_for"].as_str().expect("a text").contains(looked_for),
            "{path}: {error}"
        );
        let named = lost["path"].as_str().expect("a path");
        assert!(format!("backend/internal/{path}").starts_with(named), "{path}: {error}");
        assert!(error["message"].as_str().expect("a text").contains(named), "{error}");
        assert_eq!(disk::identities(&checkout), before);
        std::fs::write(&place, whole).unwrap();
    }
}

#[test]
fn a_place_that_is_only_useful_becomes_an_instruction() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let adapter = adapter(&sandbox, "acme");
    let path = "backend/internal/daemon/wiring_test.go";
    disk::edit(&checkout.join(path), "\t} {\n", "\t}  {\n");
    std::fs::remove_file(checkout.join("frontend/src/api/schema.ts")).unwrap();
    let answer = wire(&sandbox, &adapter, &[]);
    let by_hand = answer["instructions"].as_array().expect("instructions");
    let one = by_hand.iter().find(|one| one["path"] == path).expect("an instruction");
    assert!(
        one["what"].as_str().is_some_and(|what| what.contains("{domain.HarnessAcme, \"acme\"}"))
    );
    wire(&sandbox, &adapter, &["--undo"]);
}

#[test]
fn an_id_that_the_orchestrator_has_is_refused() {
    let sandbox = Sandbox::new();
    checkout(&sandbox);
    let adapter = adapter(&sandbox, "codex");
    let words = ["wire", adapter.to_str().expect("UTF-8"), "--ao", "ao"];
    let error = sandbox.aos(&words).error("E_CONFLICT", 6);
    assert!(
        error["message"].as_str().expect("a text").contains("already has a harness `codex`"),
        "{error}"
    );
    // The orchestrator's own lines are like those of an adapter, and stay.
    sandbox.aos(&[&words[..], &["--undo"]].concat()).error("E_CONFLICT", 6);
}

#[test]
fn lines_that_end_with_crlf_stay_so() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let place = checkout.join(HARNESSES);
    std::fs::write(&place, disk::read(&place).replace('\n', "\r\n")).unwrap();
    let before = disk::state(&checkout);
    let adapter = adapter(&sandbox, "acme");
    wire(&sandbox, &adapter, &[]);
    let text = disk::read(&place);
    assert!(text.contains("\tHarnessAcme,\r\n"), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    wire(&sandbox, &adapter, &["--undo"]);
    assert_eq!(disk::state(&checkout), before);
}

#[test]
fn lines_that_were_edited_since_are_shown_or_kept() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let adapter = adapter(&sandbox, "acme");
    wire(&sandbox, &adapter, &[]);
    let package = "backend/internal/adapters/agent/acme";
    disk::append(&checkout.join(format!("{package}/hooks.go")), "\n// Mine.\n");
    std::fs::write(checkout.join(format!("{package}/more.go")), "package acme\n").unwrap();
    let migration = format!("{MIGRATIONS}/0005_allow_acme_harness.sql");
    disk::append(&checkout.join(&migration), "-- Mine.\n");
    let words = ["wire", adapter.to_str().expect("UTF-8"), "--ao", "ao", "--undo", "--dry-run"];
    let preview = sandbox.aos(&words).data();
    let lost: Vec<_> = preview["would_lose"].as_array().expect("paths").iter().collect();
    assert!(lost.iter().any(|path| *path == &format!("{package}/hooks.go")), "{lost:?}");
    assert!(!lost.iter().any(|path| *path == &format!("{package}/adapter.go")), "{lost:?}");
    let notes = preview["notes"].to_string();
    assert!(notes.contains("more.go` is not a file of the adapter and was kept"), "{notes}");
    assert!(
        notes.contains(&format!("`{migration}` differs from what `aos wire` writes")),
        "{notes}"
    );
    wire(&sandbox, &adapter, &["--undo"]);
    assert!(checkout.join(&migration).is_file());
    assert_eq!(disk::names(&checkout.join(package)), ["more.go"]);
}

#[test]
fn only_an_adapter_is_wired_and_only_into_a_checkout() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let connector = sandbox.connector("bolt");
    let adapter = adapter(&sandbox, "acme");
    let (connector, path) = (connector.to_str().expect("UTF-8"), adapter.to_str().expect("UTF-8"));
    sandbox.aos(&["wire", connector, "--ao", "ao"]).error("E_VALIDATION", 2);
    sandbox.aos(&["wire", path, "--ao", "nowhere"]).error("E_NOT_FOUND", 3);
    let error = sandbox.aos(&["wire", path, "--ao", connector]).error("E_VALIDATION", 2);
    let hint = error["details"]["fix"].as_str().expect("a hint");
    assert!(hint.contains("backend/go.mod"), "{error}");
    sandbox.aos(&["wire", path]).error("E_USAGE", 2);
    // A link out of the checkout is not followed.
    let place = checkout.join(HARNESSES);
    let elsewhere = sandbox.work().join("elsewhere.go");
    std::fs::rename(&place, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &place).unwrap();
    let error = sandbox.aos(&["wire", path, "--ao", "ao"]).error("E_CONFLICT", 6);
    assert!(error["message"].as_str().expect("a text").contains("symbolic link"), "{error}");
    std::fs::remove_file(&place).unwrap();
    std::fs::rename(&elsewhere, &place).unwrap();
    for (file, from, to, reason) in [
        ("go.mod", "/internal/adapters/agent/", "/internal/agents/", "its module is"),
        ("adapter.go", "const ID = ", "const Id = ", "0 constants `ID`"),
        ("adapter.go", "\nfunc New(", "\nfunc Make(", "no function `New`"),
    ] {
        let whole = disk::read(&adapter.join(file));
        disk::edit(&adapter.join(file), from, to);
        let error = sandbox.aos(&["wire", path, "--ao", "ao"]).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().expect("a text").contains(reason), "{error}");
        std::fs::write(adapter.join(file), whole).unwrap();
    }
}

#[test]
fn a_new_adapter_builds_against_a_checkout_on_this_machine() {
    let sandbox = Sandbox::new();
    let checkout = checkout(&sandbox);
    let words = ["new", "acme", "--template", "agent-adapter", "--no-git", "--ao"];
    let with = |ao: &str| sandbox.aos(&[&words[..], &[ao]].concat());
    with("nowhere").error("E_NOT_FOUND", 3);
    with(".").error("E_VALIDATION", 2);
    let error = sandbox.aos(&["new", "bolt", "--ao", "ao"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().expect("a text").contains("for adapters"), "{error}");
    let adapter = PathBuf::from(with("ao").data()["path"].as_str().expect("a path"));
    let backend = checkout.canonicalize().unwrap().join("backend");
    let replaced = format!("backend => {}\n", backend.display());
    assert!(disk::read(&adapter.join("go.work")).contains(&replaced));
    assert!(disk::read(&adapter.join(".gitignore")).contains("\ngo.work\n"));
    sandbox.aos_in(&adapter, &["check"]).data();
    if let Some(go) = program("a_new_adapter_builds_against_a_checkout_on_this_machine", "go") {
        let run = |arguments: &[&str]| {
            let mut command = std::process::Command::new(&go);
            command.args(arguments).current_dir(&adapter).envs(go_settings()).env("GOPROXY", "off");
            let output = command.env_remove("GOWORK").env("GOFLAGS", "-trimpath").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
            said
        };
        let module = "github.com/aoagents/agent-orchestrator/backend";
        let used = run(&["list", "-m", "-f", "{{.Dir}}", module]);
        assert_eq!(used.trim(), backend.to_str().expect("UTF-8"));
        assert!(run(&["test", "."]).starts_with("ok"));
    }
    let notes = wire(&sandbox, &adapter, &[])["notes"].to_string();
    assert!(notes.contains("remove go.work"), "{notes}");
}
