//! Default answers of commands that write fit an agent: at most 4,096 bytes on stdout, whatever they are about.

use serde_json::Value;

use super::disk;
use super::sandbox::{Answer, Sandbox};

const LIMIT: usize = 4096;
/// Every way to ask for a default answer.
const FORMS: [&[&str]; 3] = [&[], &["--compact"], &["--format", "text"]];

#[track_caller]
fn is_brief(answer: &Answer, call: &[&str]) {
    let size = answer.stdout.len();
    assert!(size <= LIMIT, "{call:?} printed {size} bytes:\n{}", answer.stdout);
}

/// Runs a call in every format; the JSON of the plain form.
#[track_caller]
fn brief(sandbox: &Sandbox, call: &[&str]) -> Value {
    let mut answers = FORMS.iter().map(|form| {
        let call = [call, form].concat();
        let answer = sandbox.aos(&call);
        is_brief(&answer, &call);
        answer
    });
    let first = answers.next().expect("an answer").json();
    answers.for_each(drop);
    first
}

/// How many entries of `field` an answer says it left out.
fn omitted(data: &Value, field: &str) -> u64 {
    let entries = data["omitted"].as_array().expect("what was left out");
    let entry = entries.iter().find(|entry| entry["field"] == field);
    entry.and_then(|entry| entry["count"].as_u64()).unwrap_or_default()
}

fn length(list: &Value) -> usize {
    list.as_array().map(Vec::len).unwrap_or_default()
}

#[test]
fn every_template_and_preset_is_previewed_and_made_within_the_limit() {
    let sandbox = Sandbox::new();
    let mut calls: Vec<Vec<String>> = Vec::new();
    let list = sandbox.aos(&["new", "--list", "--all"]).data();
    for template in list["templates"].as_array().expect("templates") {
        let name = template["name"].as_str().expect("a name");
        let presets = template["presets"].as_array().expect("presets");
        let base = ["new", "acme", "--template", name].map(str::to_owned).to_vec();
        if presets.is_empty() {
            calls.push(base.clone());
        }
        for preset in presets.iter().filter_map(Value::as_str) {
            calls.push([base.clone(), vec!["--preset".to_owned(), preset.to_owned()]].concat());
        }
    }
    assert!(calls.len() >= 12, "{calls:?}");
    for (index, call) in calls.iter().enumerate() {
        let call: Vec<&str> = call.iter().map(String::as_str).collect();
        let preview = brief(&sandbox, &[&call[..], &["--dry-run"]].concat())["data"].clone();
        let total = preview["preview"]["total"].as_u64().expect("a total");
        assert!(total > 20, "{preview}");
        let missing = omitted(&preview, "preview.changes");
        let shown = length(&preview["preview"]["changes"]) as u64;
        assert_eq!(shown + missing, total, "{preview}");
        assert!(shown > 5 && preview["more"].as_str().unwrap().contains("--diff"), "{preview}");
        // A small project is listed whole; another one is counted by directory.
        match preview["preview"]["directories"].as_array() {
            Some(directories) => {
                let counts = directories.iter().filter_map(|directory| directory["count"].as_u64());
                assert_eq!(counts.sum::<u64>(), total);
            }
            None => assert_eq!(shown, total, "{preview}"),
        }
        assert!(preview["expires_at"].as_str().unwrap().ends_with('Z'));
        let token = preview["confirm_token"].as_str().unwrap();
        assert!(preview["next"][0].as_str().unwrap().contains(token), "{preview}");
        if index % 4 == 0 {
            let call = [&call[..], &["--no-git", "--confirm", token]].concat();
            sandbox.aos(&call).error("E_CONFLICT", 6);
            let call: Vec<&str> = call.into_iter().filter(|word| *word != "--no-git").collect();
            let created = sandbox.aos(&call);
            is_brief(&created, &call);
            assert_eq!(created.data()["status"], "created", "the token binds the whole plan");
            for entry in disk::names(&sandbox.work()) {
                std::fs::remove_dir_all(sandbox.work().join(entry)).unwrap();
            }
        }
    }
}

#[test]
fn everything_is_there_on_request() {
    let sandbox = Sandbox::new();
    let dry = ["new", "tool", "--template", "cli-go", "--dry-run"];
    let whole = sandbox.aos(&[&dry[..], &["--diff"]].concat()).data();
    let changes = whole["preview"]["changes"].as_array().unwrap();
    assert_eq!(whole["preview"]["total"], changes.len());
    assert!(changes.len() > 100);
    for change in changes {
        assert!(change["diff"].as_str().unwrap().contains("/tool") || change["diff"] != "");
        assert!(change["after"].as_str().unwrap().starts_with("sha256:"), "{change}");
    }
    assert_eq!((&whole["omitted"], &whole["more"]), (&Value::Null, &Value::Null));
    let ids = sandbox.aos(&[&dry[..], &["--fields", "preview.changes.id"]].concat()).data();
    assert_eq!(length(&ids["preview"]["changes"]), changes.len());
    let text = sandbox.aos(&[&dry[..], &["--diff", "--format", "text"]].concat()).stdout;
    assert!(changes.iter().all(|change| text.contains(change["id"].as_str().unwrap())));
    assert!(text.matches("+++ b/").count() >= changes.len() - 5, "the diffs for a person");
    let brief = sandbox.aos(&[&dry[..], &["--format", "text"]].concat()).stdout;
    assert!(brief.lines().count() <= 40 && brief.contains("more lines: `--diff`"), "{brief}");
    assert!(brief.contains("--confirm ct_"), "{brief}");
    let made = sandbox.aos(&["new", "tool", "--template", "cli-go", "--fields", "files"]).data();
    assert_eq!(length(&made["files"]), changes.len());
    let again = sandbox.aos(&["new", "tool", "--template", "cli-go", "--diff"]).data();
    assert_eq!(length(&again["files"]), changes.len());
}

#[test]
fn renewals_their_refusals_and_their_drift_are_brief() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("github");
    let at = |call: &[&'static str]| [&["-C", "aos-github"], call].concat();
    for call in [
        &["sync-spec", "--to", "v1.0.0", "--dry-run"][..],
        &["gen", "--dry-run"],
        &["sync-spec", "--to", "v9.0.0"],
        &["gen"],
        &["sync-spec"],
    ] {
        brief(&sandbox, &at(call));
    }
    let call = at(&["sync-spec", "--to", "v1.0.0", "--dry-run", "--diff"]);
    let whole = sandbox.aos(&call);
    assert!(whole.stdout.len() > 20_000, "the preview is a large one: {}", whole.stdout.len());
    for file in ["agent-harness/permissions.json", "agent-harness/aos_github/contract_gen.py"] {
        disk::append(&project.join(file), &"# mine\n".repeat(3000));
    }
    disk::append(&project.join("contract/contract.json"), &"my words ".repeat(9000));
    let refused = brief(&sandbox, &at(&["gen"]));
    assert_eq!(refused["error"]["code"], "E_CONFIRMATION_REQUIRED");
    assert_eq!(length(&refused["error"]["details"]["would_lose"]), 2, "{refused}");
    assert!(refused["error"]["details"]["confirm_token"].is_string());
    let refused = brief(&sandbox, &at(&["sync-spec", "--to", "v1.0.0"]));
    assert_eq!(length(&refused["error"]["details"]["would_lose"]), 3, "{refused}");
    let drift = brief(&sandbox, &at(&["gen", "--check"]));
    assert_eq!(drift["error"]["code"], "E_DRIFT");
    assert_eq!(length(&drift["error"]["details"]["findings"]), 3, "{drift}");
    assert_eq!(omitted(&drift["error"]["details"], "findings.diff"), 3);
    let whole = sandbox.aos(&at(&["gen", "--check", "--diff"])).error("E_DRIFT", 6);
    assert!(whole["details"]["findings"][0]["diff"].as_str().unwrap().contains("-# mine"));
    let token = refused["error"]["details"]["confirm_token"].as_str().unwrap();
    for (index, form) in FORMS.iter().enumerate() {
        let call = ["-C", "aos-github", "sync-spec", "--to", "v1.0.0", "--confirm", token];
        let done = sandbox.aos(&[&call[..], form].concat());
        is_brief(&done, form);
        assert_eq!(done.exit, Some(if index == 0 { 0 } else { 6 }), "{done:?}");
    }
}

#[test]
fn long_names_do_not_make_an_answer_long() {
    let sandbox = Sandbox::new();
    let deep: Vec<String> =
        ('a'..='n').map(|letter| format!("{}é", letter.to_string().repeat(200))).collect();
    let dir = deep.join("/");
    std::fs::create_dir_all(sandbox.work().join(&dir)).expect("a deep directory");
    let dry = brief(&sandbox, &["new", "github", "--dir", &dir, "--dry-run"]);
    let token = dry["data"]["confirm_token"].as_str().expect("a whole token");
    assert!(dry["data"]["preview"]["root"].as_str().unwrap().contains('…'), "{dry}");
    let call = ["new", "github", "--dir", &dir, "--confirm", token];
    let done = sandbox.aos(&call);
    is_brief(&done, &call);
    assert_eq!(done.data()["status"], "created");
    let path = sandbox.work().join(&dir).join("aos-github");
    for place in ["README.md", "connector.json", "aos.toml"] {
        disk::append(&path.join(place), "\nmine = \"x\"\n");
    }
    brief(&sandbox, &["new", "github", "--dir", &dir]);
    brief(&sandbox, &["new", "github", "--dir", &format!("{dir}/{dir}/{dir}")]);
    brief(&sandbox, &["new", &"x".repeat(9000)]);
    brief(&sandbox, &["new", "acme", "--template", &"y".repeat(9000)]);
    brief(&sandbox, &["new", "acme", "--set", &format!("{}=1", "z".repeat(9000))]);
}

#[test]
fn verdicts_are_brief_failures_first_and_every_count_is_complete() {
    let sandbox = Sandbox::new();
    for index in 0..30 {
        sandbox.connector(&format!("name{index:02}"));
    }
    let healthy = brief(&sandbox, &["check", "--recursive", "."])["data"].clone();
    assert_eq!(healthy["summary"]["ok"], 30);
    assert_eq!(length(&healthy["projects"]) as u64 + omitted(&healthy, "projects"), 30);
    for (name, count) in [("aos-name17", 40), ("aos-name29", 3)] {
        let project = sandbox.work().join(name);
        for index in 0..count {
            std::fs::write(project.join(format!(".agent/extra{index:02}")), "x").expect("a file");
        }
        disk::append(&project.join("contract/contract.json"), &"my words ".repeat(2000));
    }
    let call = ["check", "--recursive", "."];
    let drift = brief(&sandbox, &call)["error"]["details"].clone();
    let summary = &drift["summary"];
    assert_eq!((&summary["failed"], &summary["ok"]), (&2.into(), &28.into()), "{summary}");
    assert_eq!(summary["errors"], 45, "{summary}");
    for (index, (path, errors)) in [("aos-name17", 41), ("aos-name29", 4)].iter().enumerate() {
        let project = &drift["projects"][index];
        assert!(project["path"].as_str().unwrap().ends_with(path), "{drift}");
        assert_eq!((&project["status"], &project["errors"]), (&"failed".into(), &(*errors).into()));
        assert!(length(&project["findings"]) > 0, "{drift}");
    }
    let shown = drift["projects"].as_array().unwrap().iter();
    let shown: usize = shown.map(|project| length(&project["findings"])).sum();
    assert_eq!(shown as u64 + omitted(&drift, "projects.findings"), 45, "{drift}");
    assert!(drift["more"].as_str().unwrap().contains("--diff"), "{drift}");
    let whole = sandbox.aos(&[&call[..], &["--diff"]].concat()).error("E_DRIFT", 6);
    let projects = whole["details"]["projects"].as_array().unwrap();
    let all: usize = projects.iter().map(|project| length(&project["findings"])).sum();
    assert_eq!((projects.len(), all), (30, 45));
    assert_eq!(whole["details"]["omitted"], Value::Null);
    let chosen = sandbox.aos(&[&call[..], &["--fields", "projects.path"]].concat());
    assert_eq!(length(&chosen.error("E_DRIFT", 6)["details"]["projects"]), 30);
    let text = sandbox.aos(&[&call[..], &["--format", "text"]].concat()).stdout;
    let last = text.trim_end().lines().last().unwrap_or_default();
    assert!(text.starts_with("OK 28 projects") && last.contains("30 projects"), "{text}");
    let text = sandbox.aos(&[&call[..], &["--format", "text", "--diff"]].concat()).stdout;
    assert!((0..40).all(|index| text.contains(&format!("extra{index:02}"))), "{text}");
    let one = brief(&sandbox, &["check", "aos-name17"])["error"]["details"].clone();
    let shown = length(&one["projects"][0]["findings"]);
    assert!(shown > 4, "{one}");
    assert_eq!(shown as u64 + omitted(&one, "projects.findings"), 41, "{one}");
    assert_eq!(one["projects"][0]["family"], "harness");
}

#[test]
fn a_brief_answer_of_new_names_the_files_of_the_user_first() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--no-git"]).data();
    let files = data["files"].as_array().expect("files");
    assert!(data["omitted"].to_string().contains("files"), "{data}");
    let roles: Vec<_> = files.iter().map(|file| file["role"].as_str().expect("a role")).collect();
    let yours = roles.iter().take_while(|role| **role == "yours").count();
    assert!(yours >= 15 && !roles[yours..].contains(&"yours"), "{roles:?}");
}

/// A server of a large connector is listed in brief; every tool is whole on request, and a person sees them all.
#[test]
fn the_tools_of_a_server_fit_an_agent_and_none_is_out_of_reach() {
    let sandbox = Sandbox::new();
    sandbox.connector("github");
    let call = ["mcp", "serve", "aos-github", "--list", "--allow-mode", "admin"];
    let answer = sandbox.aos(&call);
    is_brief(&answer, &call);
    let data = answer.data();
    let shown = data["tools"].as_array().expect("tools");
    assert!(shown.iter().all(|tool| tool["name"].is_string() && tool["mode"].is_string()));
    let whole = sandbox.aos(&[&call[..], &["--fields", "tools"]].concat()).data();
    let tools = whole["tools"].as_array().expect("tools");
    assert_eq!(omitted(&data, "tools"), (tools.len() - shown.len()) as u64);
    assert!(tools.len() > shown.len() && tools.iter().all(|tool| tool["id"].is_string()));
    let text = sandbox.aos(&[&call[..], &["--format", "text"]].concat()).stdout;
    for tool in tools {
        assert!(text.contains(tool["name"].as_str().expect("a name")), "{text}");
    }
}

#[test]
fn lists_of_probes_fit_an_agent_and_nothing_is_out_of_reach() {
    let sandbox = Sandbox::new();
    let families = brief(&sandbox, &["conform", "--list"])["data"].clone();
    let families = families["families"].as_array().expect("families").clone();
    let count = |family: &Value| family["probes"].as_u64().expect("a count");
    let every = sandbox.aos(&["conform", "--list", "--all"]).data();
    assert_eq!(length(&every["probes"]) as u64, families.iter().map(count).sum::<u64>());
    assert!(every["probes"].as_array().unwrap().iter().all(|probe| probe["title"].is_string()));
    for family in &families {
        let name = family["family"].as_str().expect("a name");
        for form in FORMS {
            let call = [&["conform", "--list", "--family", name], form].concat();
            let answer = sandbox.aos(&call);
            assert!(answer.stdout.len() <= 10_000, "{call:?}: {}", answer.stdout.len());
        }
        let listed = sandbox.aos(&["conform", "--list", "--family", name]).data();
        assert_eq!(length(&listed["probes"]) as u64, count(family), "{name}");
        let untitled = listed["probes"][0]["title"].is_null();
        assert_eq!(untitled, listed["more"].is_string(), "{listed}");
    }
    let listed = sandbox.aos(&["conform", "--list", "--probe", "cli.token"]).data();
    let listed = listed["probes"].as_array().expect("probes").clone();
    assert!(listed.len() > 5, "{listed:?}");
    for probe in &listed {
        assert!(probe["probe"].as_str().unwrap().starts_with("cli.token"), "{probe}");
        assert!(probe["title"].is_string(), "{probe}");
    }
    sandbox.aos(&["conform", "--list", "--probe", "cli.tokken"]).error("E_VALIDATION", 2);
}
