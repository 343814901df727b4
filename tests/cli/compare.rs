//! `aos compare`: what is lost and gained between two connectors, with the real binary.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn manifest(project: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(project.join("connector.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

/// A manifest like that of a new connector, changed.
pub fn changed(sandbox: &Sandbox, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let project = sandbox.work().join("aos-acme");
    let project = if project.exists() { project } else { sandbox.connector("acme") };
    let mut document = manifest(&project);
    change(&mut document);
    let path = sandbox.work().join(name);
    std::fs::write(&path, document.to_string()).expect("a file");
    path
}

fn listed(answer: &Value) -> Vec<String> {
    let place = if answer["ok"] == true { "/data" } else { "/error/details" };
    let differences = answer.pointer(&format!("{place}/differences")).expect("differences");
    let text = |one: &Value, name: &str| one[name].as_str().expect("a text").to_owned();
    let entries = differences.as_array().expect("a list").iter();
    entries
        .map(|one| format!("{} {} {}", text(one, "effect"), text(one, "kind"), text(one, "name")))
        .collect()
}

#[test]
fn a_connector_loses_nothing_to_itself() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let file = project.join("connector.json");
    let answer = sandbox.aos(&["compare", project.to_str().unwrap(), file.to_str().unwrap()]);
    assert_eq!(answer.data()["differences"], json!([]));
}

#[test]
fn a_loss_is_listed_first_and_exits_with_6() {
    let sandbox = Sandbox::new();
    let old = changed(&sandbox, "old.json", |document| {
        document["auth"]["service_keys"] = json!(["ACME_API_KEY", "ACME_TENANT"]);
        document["events"] = json!([{"id": "item.made", "configFields": [{"id": "kind"}]}]);
    });
    let new = changed(&sandbox, "new.json", |document| {
        let commands = document["commands"].as_array_mut().expect("commands");
        commands.retain(|command| command["id"] != "item.get");
        let update = commands.iter_mut().find(|command| command["id"] == "item.update");
        update.expect("item.update")["required_mode"] = json!("admin");
        let fields = document["scope"]["fields"].as_array_mut().expect("fields");
        fields.retain(|field| field["id"] != "priority");
        for field in fields.iter_mut() {
            if field["id"] == "title" {
                field["id"] = json!("heading");
                field["aliases"] = json!(["title"]);
            }
            if field["id"] == "state" {
                field["default"] = json!("all");
            }
        }
    });
    let answer = sandbox.aos(&["compare", old.to_str().unwrap(), new.to_str().unwrap()]);
    answer.error("E_DRIFT", 6);
    let found = listed(&answer.json());
    let lost: Vec<&str> =
        found.iter().map(String::as_str).take_while(|one| one.starts_with("lost")).collect();
    assert_eq!(
        lost,
        [
            "lost command item.get",
            "lost default state",
            "lost event item.made",
            "lost field priority",
            "lost key ACME_TENANT",
            "lost mode item.update",
        ]
    );
    assert!(found.contains(&"changed field title".to_owned()), "{found:?}");
    let table =
        sandbox.aos(&["compare", old.to_str().unwrap(), new.to_str().unwrap(), "--format", "text"]);
    assert!(table.stdout.contains("lost    command  item.get"), "{}", table.stdout);
}

#[test]
fn many_differences_are_brief_until_all_are_wanted() {
    let sandbox = Sandbox::new();
    sandbox.connector("acme");
    sandbox.connector("github");
    let brief = sandbox.aos(&["compare", "aos-acme", "aos-github"]);
    assert!(brief.stdout.len() + brief.stderr.len() < 5_000, "{}", brief.stderr.len());
    let whole = sandbox.aos(&["compare", "aos-acme", "aos-github", "--all"]);
    let [brief, whole] = [brief, whole].map(|answer| answer.json()["error"]["details"].clone());
    for count in ["lost", "changed", "gained"] {
        assert_eq!(brief[count], whole[count]);
    }
    let number = |details: &Value| details["differences"].as_array().expect("a list").len();
    assert_eq!(whole["omitted"], 0);
    assert_eq!(brief["omitted"], number(&whole) - number(&brief));
    assert!(number(&whole) > 100);
    let lost = usize::try_from(brief["lost"].as_u64().expect("a number")).expect("a number");
    let first: Vec<_> =
        brief["differences"].as_array().expect("a list").iter().take(lost).collect();
    assert!(first.iter().all(|one| one["effect"] == "lost"), "{first:#?}");
}

#[test]
fn hostile_manifests_are_clear_errors() {
    let sandbox = Sandbox::new();
    let good = changed(&sandbox, "good.json", |_| {});
    let place = |name: &str, bytes: &[u8]| {
        let path = sandbox.work().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    };
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let many = format!("{{\"commands\": [{}]}}", vec!["null"; 50_000].join(","));
    let entries: Vec<_> = (0..2_000).map(|at| format!("{{\"id\": \"a.b{at}\"}}")).collect();
    let crowd = format!("{{\"commands\": [{}]}}", entries.join(","));
    for (path, code, exit) in [
        (place("empty.json", b""), "E_VALIDATION", 2),
        (place("list.json", b"[]"), "E_VALIDATION", 2),
        (place("no-commands.json", b"{}"), "E_VALIDATION", 2),
        (place("binary.json", b"\xff\xfe{"), "E_VALIDATION", 2),
        (place("deep.json", &deep), "E_VALIDATION", 2),
        (place("many.json", many.as_bytes()), "E_VALIDATION", 2),
        (place("crowd.json", crowd.as_bytes()), "E_VALIDATION", 2),
        (place("huge.json", &vec![b' '; 5 * 1024 * 1024]), "E_VALIDATION", 2),
        (sandbox.work().join("absent.json"), "E_NOT_FOUND", 3),
    ] {
        for order in [[&path, &good], [&good, &path]] {
            let words = order.map(|path| path.to_str().expect("UTF-8"));
            let answer = sandbox.aos(&["compare", words[0], words[1]]);
            println!("{}", path.display());
            answer.error(code, exit);
        }
    }
}
