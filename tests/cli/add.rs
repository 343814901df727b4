//! `aos add`, `aos rename`, `aos remove`: one plan for every place of a command, hand formatting kept, refusals.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::disk;
use super::sandbox::{Sandbox, tree};

fn cli(sandbox: &Sandbox, template: &str) -> PathBuf {
    let arguments = ["new", "acme", "--template", template, "--no-git"];
    PathBuf::from(sandbox.aos(&arguments).data()["path"].as_str().expect("a path"))
}

/// Previews and confirms; gives the answer.
#[track_caller]
fn confirmed(sandbox: &Sandbox, project: &Path, words: &[&str]) -> Value {
    let preview = sandbox.aos_in(project, &[words, &["--dry-run"]].concat()).data();
    let token = preview["confirm_token"].as_str().expect("a token").to_owned();
    sandbox.aos_in(project, &[words, &["--confirm", &token]].concat()).data()
}

fn text(project: &Path, path: &str) -> String {
    disk::read(&project.join(path))
}

/// Every line of a text, without space around it.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Every line that was there is there, in its order.
#[track_caller]
fn keeps_lines(before: &str, after: &str) {
    let after = lines(after);
    let mut rest = after.iter();
    for line in lines(before) {
        let is_kept = |now: &&&str| **now == line || now.trim_end_matches(',') == line;
        assert!(rest.any(|now| is_kept(&now)), "`{line}` is gone");
    }
}

#[test]
fn a_command_is_added_to_a_connector_in_one_plan_that_loses_nothing() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    // Formatting by hand, with another indentation and a list on one line.
    let manifest = text(&project, "connector.json");
    let formatted = manifest
        .replace("\"categories\": [\n      \"general\"\n    ]", "\"categories\": [ \"general\" ]")
        .replace("  \"backend\"", "  \"note\"  :  \"by hand\",\n  \"backend\"");
    std::fs::write(project.join("connector.json"), &formatted).expect("a file");
    let conform = format!("{}\n# a last word\n", text(&project, "conform.toml"));
    std::fs::write(project.join("conform.toml"), &conform).expect("a file");
    sandbox.aos_in(&project, &["gen"]).data();
    let words = ["add", "item publish", "--mode", "write", "--input", "reason?"];
    let data = sandbox.aos_in(&project, &words).data();
    assert_eq!((data["status"].as_str(), data["mode"].as_str()), (Some("added"), Some("write")));
    assert_eq!(data["request"], "POST /v1/items/{id}/publish");
    keeps_lines(&formatted, &text(&project, "connector.json"));
    keeps_lines(&conform, &text(&project, "conform.toml"));
    assert!(text(&project, "connector.json").contains("\"categories\": [ \"general\" ]"));
    let handler = text(&project, "agent-harness/aos_acme/commands/item.py");
    assert!(handler.contains("@command(\"item.publish\")"), "{handler}");
    let permissions = text(&project, "agent-harness/permissions.json");
    assert!(permissions.contains("\"item.publish\": \"write\""), "{permissions}");
    sandbox.aos_in(&project, &["check"]).data();
    sandbox.aos_in(&project, &["gen", "--check"]).data();
    sandbox.aos_in(&project, &words).error("E_CONFLICT", 6);
}

#[test]
fn each_shape_of_a_command_fits_the_rules_of_every_template() {
    for template in ["connector-python", "cli-go", "cli-python"] {
        let sandbox = Sandbox::new();
        let project = cli(&sandbox, template);
        for words in [
            &["widget list"][..],
            &["widget get"],
            &["widget create", "--input", "name", "--input", "size?:number"],
            &["widget rename", "--summary", "Give a widget another name"],
            &["widget delete"],
            &["widget bulk-close"],
            &["widget ping", "--mode", "readonly", "--request", "GET /v1/{zone}/ping"],
        ] {
            let data = sandbox.aos_in(&project, &[&["add"][..], words].concat()).data();
            assert_eq!(data["status"], "added", "{template} {words:?}");
        }
        sandbox.aos_in(&project, &["check"]).data();
    }
}

#[test]
fn a_taken_or_reserved_name_and_a_mode_against_the_verb_are_refused_without_a_change() {
    for (template, reserved) in [
        ("connector-python", "health.deep"),
        ("cli-go", "auth show"),
        ("cli-python", "update check"),
    ] {
        let sandbox = Sandbox::new();
        let project = cli(&sandbox, template);
        let before = tree(&project);
        for (words, code, exit) in [
            (&["add", "item get"][..], "E_CONFLICT", 6),
            (&["add", reserved, "--mode", "readonly"], "E_VALIDATION", 2),
            (&["add", "item delete", "--mode", "write"], "E_VALIDATION", 2),
            (&["add", "item list_all", "--mode", "admin"], "E_VALIDATION", 2),
            (&["add", "item frobnicate"], "E_VALIDATION", 2),
            (&["add", "item"], "E_VALIDATION", 2),
            (&["add", "item tag", "--mode", "write", "--request", "POST /../x"], "E_VALIDATION", 2),
            (&["rename", "item none", "item other"], "E_NOT_FOUND", 3),
            (&["rename", "item get", "item list"], "E_CONFLICT", 6),
            (&["remove", "item none"], "E_NOT_FOUND", 3),
            (&["remove", "item get"], "E_CONFIRMATION_REQUIRED", 5),
        ] {
            sandbox.aos_in(&project, words).error(code, exit);
        }
        assert_eq!(tree(&project), before, "{template}");
    }
}

#[test]
fn a_renamed_command_keeps_its_old_name() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let data = sandbox.aos_in(&project, &["rename", "item.get", "item.show"]).data();
    assert_eq!(data["alias"], "item get");
    let handler = text(&project, "agent-harness/aos_acme/commands/item.py");
    assert!(handler.contains("@command(\"item.show\")\n@command(\"item.get\")\n"), "{handler}");
    let manifest = text(&project, "connector.json");
    assert!(manifest.contains("Former name of `item.show`"), "{manifest}");
    sandbox.aos_in(&project, &["rename", "item.show", "thing.show"]).data();
    let moved = text(&project, "agent-harness/aos_acme/commands/thing.py");
    assert!(moved.contains("@command(\"thing.show\")\ndef show_thing("), "{moved}");
    sandbox.aos_in(&project, &["check"]).data();
    let other = Sandbox::new();
    for (template, path, wanted) in [
        ("cli-go", "internal/commands/items.go", "Aliases:  []string{\"item get\"},"),
        ("cli-python", "acme/commands/items.py", "aliases=(\"item get\",),"),
    ] {
        let project = cli(&other, template);
        other.aos_in(&project, &["rename", "item get", "item show"]).data();
        let source = text(&project, path);
        assert!(source.contains(wanted), "{source}");
        assert!(text(&project, "README.md").contains("item list"), "{template}");
        assert!(text(&project, "conform.toml").contains("path = \"item show\""), "{template}");
        let skill = text(&project, "skills/acme/SKILL.md");
        assert!(skill.contains("acme item show --id 7"), "{skill}");
        other.aos_in(&project, &["check"]).data();
        std::fs::remove_dir_all(&project).expect("the project goes");
    }
}

#[test]
fn an_added_command_that_is_removed_leaves_the_project_as_it_was() {
    for template in ["connector-python", "cli-go", "cli-python"] {
        let sandbox = Sandbox::new();
        let project = cli(&sandbox, template);
        let before = tree(&project);
        sandbox.aos_in(&project, &["add", "item publish", "--mode", "write"]).data();
        assert_ne!(tree(&project), before);
        let preview = sandbox.aos_in(&project, &["remove", "item.publish", "--dry-run"]).data();
        let lost = preview["lost"].to_string();
        assert!(lost.contains("publish"), "{lost}");
        let data = confirmed(&sandbox, &project, &["remove", "item.publish"]);
        assert_eq!(data["status"], "removed");
        let after = tree(&project);
        for (path, content) in &before {
            assert_eq!(
                after.get(path).map(|it| String::from_utf8_lossy(&it.0)),
                Some(String::from_utf8_lossy(&content.0)),
                "{template} {path}"
            );
        }
        assert_eq!(after.len(), before.len(), "{template}");
        sandbox.aos_in(&project, &["check"]).data();
    }
}

#[test]
fn a_code_of_a_tool_is_added_to_contract_client_test_and_skill() {
    for (template, client) in
        [("cli-go", "internal/client/client.go"), ("cli-python", "acme/client.py")]
    {
        let sandbox = Sandbox::new();
        let project = cli(&sandbox, template);
        let add =
            ["add", "code", "E_QUOTA", "--exit", "7", "--retryable", "--upstream", "quota_spent"];
        let words = [&add[..], &["--advice", "wait until tomorrow"]].concat();
        sandbox.aos_in(&project, &words).data();
        assert!(text(&project, client).contains("\"quota_spent\": \"E_QUOTA\""));
        let extension = text(&project, "contract/contract-ext.json");
        assert!(extension.contains("\"E_QUOTA\""), "{extension}");
        let skill = text(&project, "skills/acme/SKILL.md");
        assert!(skill.contains("| 7 | `E_QUOTA` | wait until tomorrow |"), "{skill}");
        sandbox.aos_in(&project, &["check"]).data();
        sandbox.aos_in(&project, &words).error("E_CONFLICT", 6);
        let core = ["add", "code", "E_AUTH", "--exit", "4"];
        sandbox.aos_in(&project, &core).error("E_VALIDATION", 2);
    }
    let sandbox = Sandbox::new();
    let connector = sandbox.connector("acme");
    let words = ["add", "code", "E_QUOTA", "--exit", "7"];
    sandbox.aos_in(&connector, &words).error("E_VALIDATION", 2);
}

#[test]
fn a_removal_names_the_parts_that_were_edited_since_they_were_added() {
    for (template, handler) in [
        ("connector-python", "agent-harness/aos_acme/commands/item.py"),
        ("cli-go", "internal/commands/item_publish.go"),
        ("cli-python", "acme/commands/item_publish.py"),
    ] {
        let sandbox = Sandbox::new();
        let project = cli(&sandbox, template);
        let add = |name: &str| sandbox.aos_in(&project, &["add", name, "--mode", "write"]).data();
        let remove = ["remove", "item.publish", "--dry-run"];
        let edited = |words: &[&str]| sandbox.aos_in(&project, words).data()["edited"].clone();
        add("item alert");
        add("item publish");
        // Neighbours on both sides, and a rename, are not edits.
        add("item zoom");
        assert_eq!(edited(&remove), serde_json::json!([]), "{template}");
        let first = text(&project, handler);
        let own = first.rfind("publish").expect("the handler");
        let line = first[..own].matches('\n').count() + 1;
        let end = own + first[own..].find('\n').expect("a line");
        let comment = if template == "cli-go" { " // mine" } else { "  # mine" };
        disk::replace(
            &project.join(handler),
            &format!("{}{comment}{}", &first[..end], &first[end..]),
        );
        let parts = edited(&remove);
        let parts = parts.as_array().expect("a list");
        assert_eq!(parts.len(), 1, "{template}: {parts:?}");
        assert_eq!(parts[0]["path"], handler, "{template}");
        assert!(parts[0]["line"].as_u64().is_some_and(|at| at as usize <= line), "{parts:?}");
        let shown = sandbox.aos_in(&project, &[&remove[..], &["--format", "text"]].concat());
        assert!(shown.stdout.contains(&format!("edited: {handler}:")), "{}", shown.stdout);
        sandbox.aos_in(&project, &["rename", "item publish", "item announce"]).data();
        let renamed = edited(&["remove", "item.announce", "--dry-run"]).to_string();
        assert!(renamed.contains(handler), "{template}: {renamed}");
        assert!(!renamed.contains("README"), "{template}: {renamed}");
        // A record that says nothing, or something else, hides no edit.
        let record = text(&project, "aos.toml");
        let start = record.find("[added.\"item announce\"]").expect("a record");
        disk::replace(&project.join("aos.toml"), &record[..start]);
        let data = sandbox.aos_in(&project, &["remove", "item.announce", "--dry-run"]).data();
        assert!(data["notes"].to_string().contains("does not record"), "{data}");
        sandbox.aos_in(&project, &["check"]).data();
    }
}

#[test]
fn an_added_list_continues_as_the_other_lists_of_the_connector() {
    for (preset, wanted) in [
        ("github", "\"Link\" = \"<{base_url}"),
        ("gitlab", "per_page"),
        ("jira", "\"startAt\" = \"2\""),
        ("slack", "\"ok\":true"),
    ] {
        let sandbox = Sandbox::new();
        let made = sandbox.aos(&["new", preset, "--no-git"]).data();
        let project = PathBuf::from(made["path"].as_str().expect("a path"));
        let before = text(&project, "conform.toml");
        let data = sandbox.aos_in(&project, &["add", "widget list"]).data();
        assert!(data["notes"].to_string().contains("`PAGING` in api.py"), "{preset}: {data}");
        let added = text(&project, "conform.toml").replace(&before, "");
        assert!(added.contains(wanted), "{preset}: {added}");
        let package = format!("agent-harness/aos_{preset}/commands/widget.py");
        let handler = text(&project, &package);
        assert!(
            !handler.contains("paging=") && handler.contains("result=\"widgets\""),
            "{handler}"
        );
        sandbox.aos_in(&project, &["check"]).data();
    }
    // A dictionary that is computed is not guessed.
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let api = "agent-harness/aos_acme/api.py";
    let computed =
        text(&project, api).replace("    \"max_limit\": 100,", "    \"max_limit\": int(\"100\"),");
    disk::replace(&project.join(api), &computed);
    let data = sandbox.aos_in(&project, &["add", "widget list"]).data();
    assert!(data["notes"].to_string().contains("`cursor` and `next_cursor`"), "{data}");
    assert!(text(&project, "agent-harness/aos_acme/commands/widget.py").contains("paging={"));
}
