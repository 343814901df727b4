//! Names and presets of `aos new`.

use super::disk;
use super::sandbox::{Sandbox, connector, tree};

#[test]
fn a_leading_aos_is_accepted_once() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.aos(&["new", "aos-acme", "--no-git"]).data()["tool"], "aos-acme");
    assert_eq!(sandbox.aos(&["new", "acme", "--no-git"]).data()["status"], "unchanged");
}

#[test]
fn a_bad_name_is_refused_with_a_name_that_would_do() {
    let sandbox = Sandbox::new();
    for (name, hint) in [
        ("Acme", "`aos new acme`"),
        ("MyCRM", "`aos new mycrm`"),
        ("my_crm", "`aos new my-crm`"),
        ("my crm", "`aos new my-crm`"),
        ("a--b", "`aos new a-b`"),
        ("-acme", "`aos new acme`"),
        ("acme-", "`aos new acme`"),
        ("../acme", "`aos new acme`"),
        ("/etc/acme", "`aos new etc-acme`"),
        ("acme\n", "`aos new acme`"),
        ("acme/../../x", "`aos new acme-x`"),
        ("acmé", "`aos new acm`"),
        ("", "choose a name such as `acme` or `my-crm`"),
        ("..", "choose a name such as `acme` or `my-crm`"),
        ("aos-", "choose a name such as `acme` or `my-crm`"),
        ("日本", "choose a name such as `acme` or `my-crm`"),
    ] {
        let error = sandbox.aos(&["new", "--no-git", "--", name]).error("E_VALIDATION", 2);
        assert_eq!(error["details"]["fix"], hint, "{name:?}");
    }
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
}

#[test]
fn a_name_that_looks_like_an_option_is_a_usage_error() {
    let sandbox = Sandbox::new();
    for name in ["-x", "--acme"] {
        sandbox.aos(&["new", name]).error("E_USAGE", 2);
    }
}

#[test]
fn no_shown_name_is_long_or_holds_a_control_character() {
    let sandbox = Sandbox::new();
    for name in ["\u{1b}[31mred".to_owned(), "x".repeat(10_000), "a\u{202e}b\u{7}".to_owned()] {
        let error = sandbox.aos(&["new", &name]).error("E_VALIDATION", 2);
        let message = error["message"].as_str().unwrap();
        assert!(message.chars().count() < 250, "{message}");
        assert!(!message.chars().any(char::is_control), "{message:?}");
    }
}

#[test]
fn the_longest_name_whose_archive_paths_fit_is_accepted_and_one_more_is_not() {
    let sandbox = Sandbox::new();
    let error = sandbox.aos(&["new", &"x".repeat(40), "--no-git"]).error("E_VALIDATION", 2);
    let hint = error["details"]["fix"].as_str().unwrap().to_owned();
    let room: usize = hint.split(' ').find_map(|word| word.parse().ok()).expect("a number");
    sandbox.aos(&["new", &"x".repeat(room + 1), "--no-git"]).error("E_VALIDATION", 2);
    let project = sandbox.connector(&"x".repeat(room));
    let name = project.file_name().unwrap().len();
    let longest = tree(&project).keys().map(|path| name + 1 + path.len()).max().unwrap();
    assert!((98..=100).contains(&longest), "{longest}");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn every_preset_makes_a_project_that_passes_check_with_the_operations_it_promises() {
    let sandbox = Sandbox::new();
    let list = sandbox.aos(&["new", "--list", "--all"]).data();
    let presets: Vec<String> = serde_json::from_value(connector(&list)["presets"].clone()).unwrap();
    for promised in ["github", "gitlab", "slack", "jira", "notion", "airtable", "example"] {
        assert!(
            presets.iter().any(|preset| preset == promised),
            "{promised} is not in {presets:?}"
        );
    }
    for preset in &presets {
        let data = sandbox.aos(&["new", preset, "--preset", preset, "--no-git"]).data();
        let project = sandbox.work().join(format!("aos-{preset}"));
        let manifest: serde_json::Value =
            serde_json::from_str(&disk::read(&project.join("connector.json"))).unwrap();
        let commands = manifest["commands"].as_array().unwrap();
        let operations = commands
            .iter()
            .filter(|command| {
                let id = command["id"].as_str().unwrap();
                id.contains('.') && !id.starts_with("config.")
            })
            .count();
        assert_eq!(data["commands"], operations + 4, "{preset}");
        let least = match preset.as_str() {
            "github" => 25,
            "example" => 5,
            _ => 8,
        };
        assert!(operations >= least, "{preset} has {operations}");
        let verdict = sandbox.aos_in(&project, &["check"]).data();
        assert_eq!(verdict["projects"][0]["findings"], serde_json::json!([]), "{preset}");
    }
}

#[test]
fn every_preset_passes_check_with_the_oldest_contract_too() {
    let sandbox = Sandbox::new();
    let list = sandbox.aos(&["new", "--list", "--all"]).data();
    for preset in connector(&list)["presets"].as_array().unwrap() {
        let preset = preset.as_str().unwrap();
        sandbox.aos(&["new", preset, "--preset", preset, "--no-git", "--spec", "v1.0.0"]).data();
        sandbox.aos_in(&sandbox.work().join(format!("aos-{preset}")), &["check"]).data();
    }
}

#[test]
fn a_name_that_is_almost_a_preset_is_refused_before_anything_is_written() {
    let sandbox = Sandbox::new();
    for (name, template) in [("githbu", "connector-python"), ("opencoed", "agent-adapter")] {
        let error = sandbox
            .aos(&["new", name, "--template", template, "--no-git"])
            .error("E_VALIDATION", 2);
        let hint = error["details"]["fix"].as_str().unwrap();
        assert!(hint.contains("--preset example"), "{hint}");
        assert!(hint.contains(error["details"]["nearest_preset"].as_str().unwrap()), "{hint}");
    }
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
    let data = sandbox.aos(&["new", "githbu", "--preset", "example", "--no-git"]).data();
    assert_eq!(data["preset"], "example");
    assert_eq!(sandbox.aos(&["new", "acme", "--no-git"]).data()["notes"], serde_json::json!([]));
}

#[test]
fn a_misspelt_preset_is_an_error_with_the_nearest_one() {
    let sandbox = Sandbox::new();
    let error = sandbox.aos(&["new", "acme", "--preset", "gitlba"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "did you mean `gitlab`?");
    for hostile in ["../example", "/etc/passwd", "nothing-like-it"] {
        let error = sandbox.aos(&["new", "acme", "--preset", hostile]).error("E_VALIDATION", 2);
        assert!(error["details"]["known_presets"].as_array().unwrap().len() >= 6, "{error}");
    }
    // A preset that ends in .toml is a file that declares an API.
    sandbox.aos(&["new", "acme", "--preset", "github.toml"]).error("E_NOT_FOUND", 3);
    assert_eq!(disk::names(&sandbox.work()), Vec::<String>::new());
}

#[test]
fn a_preset_can_be_used_under_another_name() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "work-github", "--preset", "github", "--no-git"]).data();
    assert_eq!(data["preset"], "github");
    let project = sandbox.work().join("aos-work-github");
    sandbox.aos_in(&project, &["check"]).data();
}
