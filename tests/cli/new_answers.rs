//! Answers of `aos new`: one validator for flags and files, and no value that breaks what is generated.

use serde_json::Value;

use super::disk;
use super::sandbox::{Sandbox, tree};

/// Sixty characters at most: every mark that ends a literal or begins a template somewhere.
const HOSTILE: &str = "q\" ' \"\"\" \\ {= tool =} {% x %} ${{ y }} # : é\u{2028}`id` $(id)";

#[test]
fn a_set_answer_reaches_the_manifest_and_the_record() {
    let sandbox = Sandbox::new();
    sandbox
        .aos(&["new", "acme", "--no-git", "--set", "label=Acme Corp", "--set", "category=crm"])
        .data();
    let project = sandbox.work().join("aos-acme");
    let manifest: Value =
        serde_json::from_str(&disk::read(&project.join("connector.json"))).unwrap();
    assert_eq!(manifest["connector"]["label"], "Acme Corp");
    assert_eq!(manifest["connector"]["category"], "crm");
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("label = \"Acme Corp\"\n"), "{record}");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_flag_wins_over_the_answers_file_and_both_kinds_of_file_are_read() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", "label = \"From file\"\nauthor = \"Ann\"\n");
    sandbox.write("a.json", "{\"label\": \"From json\", \"license\": \"Apache-2.0\"}");
    let label = |name: &str, arguments: &[&str]| {
        let mut all = vec!["new", name, "--no-git"];
        all.extend(arguments);
        sandbox.aos(&all).data();
        let project = sandbox.work().join(format!("aos-{name}"));
        let manifest: Value =
            serde_json::from_str(&disk::read(&project.join("connector.json"))).unwrap();
        manifest["connector"]["label"].as_str().unwrap().to_owned()
    };
    assert_eq!(label("one", &["--answers", "a.toml"]), "From file");
    assert_eq!(label("two", &["--answers", "a.json"]), "From json");
    assert_eq!(label("three", &["--answers", "a.toml", "--set", "label=Flag"]), "Flag");
    assert!(disk::read(&sandbox.work().join("aos-one/LICENSE")).contains("(c) Ann\n"));
    assert!(disk::read(&sandbox.work().join("aos-two/LICENSE")).contains("Apache License"));
}

#[test]
fn no_license_means_no_license_file() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["new", "acme", "--no-git", "--set", "license=none"]).data();
    assert!(!sandbox.work().join("aos-acme/LICENSE").exists());
    sandbox.aos(&["check", "aos-acme"]).data();
}

#[test]
fn an_unknown_key_is_an_error_that_names_the_nearest_one() {
    let sandbox = Sandbox::new();
    sandbox.write("a.toml", "licence = \"MIT\"\n");
    for arguments in [["--set", "licence=MIT"], ["--answers", "a.toml"]] {
        let error =
            sandbox.aos(&["new", "acme", arguments[0], arguments[1]]).error("E_VALIDATION", 2);
        assert_eq!(error["details"]["fix"], "did you mean `license`?");
        assert!(error["details"]["known_keys"].as_array().unwrap().len() >= 7, "{error}");
    }
    let error =
        sandbox.aos(&["new", "acme", "--set", "nothing-like-it=1"]).error("E_VALIDATION", 2);
    assert!(error["details"]["fix"].as_str().unwrap().contains("aos new --list"), "{error}");
}

#[test]
fn a_value_is_judged_by_one_validator_wherever_it_comes_from() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(61);
    for (key, value, reason) in [
        ("license", "GPL", "MIT, Apache-2.0, none"),
        ("label", long.as_str(), "longer than 60"),
        ("label", "two\nlines", "control character"),
        ("label", "bell\u{7}", "control character"),
        ("author", "esc\u{1b}[31m", "control character"),
        ("category", "Two Words", "single dashes"),
        ("backend", "../x", "single dashes"),
        ("backend", "a--b", "single dashes"),
        ("base_url", "http://api.acme.example", "https"),
        ("base_url", "https://user:pw@api.acme.example", "https"),
        ("base_url", "https://api.acme.example?x=1", "https"),
        ("base_url", "https://api.acme.example#x", "https"),
        ("base_url", "https://api.acme.example\"+x", "https"),
        ("base_url", "https://{= tool =}", "https"),
        ("base_url", "file:///etc/passwd", "https"),
        ("base_url", "https://", "https"),
    ] {
        let pair = format!("{key}={value}");
        let by_flag = sandbox.aos(&["new", "acme", "--set", &pair]).error("E_VALIDATION", 2);
        let message = by_flag["message"].as_str().unwrap();
        assert!(message.contains(reason), "{pair:?}: {message}");
        assert!(!message.chars().any(char::is_control), "{message:?}");
        let file = sandbox.write("a.json", &serde_json::json!({key: value}).to_string());
        let by_file = sandbox.aos(&["new", "acme", "--answers", file.to_str().unwrap()]);
        assert_eq!(by_file.error("E_VALIDATION", 2)["message"], message);
    }
    assert_eq!(disk::names(&sandbox.work()), ["a.json"]);
}

#[test]
fn a_password_in_a_url_is_not_repeated_to_the_terminal_in_full() {
    let sandbox = Sandbox::new();
    let secret = "hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2";
    let pair = format!("base_url=https://user:{secret}@api.acme.example");
    let answer = sandbox.aos(&["new", "acme", "--set", &pair]);
    answer.error("E_VALIDATION", 2);
    assert!(!answer.stdout.contains(secret), "{}", answer.stdout);
}

#[test]
fn a_pair_without_equals_sign_is_a_usage_error_and_an_empty_value_is_the_default() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["new", "acme", "--set", "label"]).error("E_USAGE", 2);
    sandbox.aos(&["new", "acme", "--no-git", "--set", "label="]).data();
    let record = disk::read(&sandbox.work().join("aos-acme/aos.toml"));
    assert!(!record.contains("label"), "{record}");
}

#[test]
fn an_answers_file_that_is_not_a_flat_table_is_refused() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("nested.toml", "[label]\nx = 1\n"),
        ("list.toml", "label = [\"x\"]\n"),
        ("twice.toml", "label = \"a\"\nlabel = \"b\"\n"),
        ("twice.json", "{\"label\": \"a\", \"label\": \"b\"}"),
        ("list.json", "[1]"),
        ("null.json", "{\"label\": null}"),
        ("bom.json", "\u{feff}{}"),
        ("cut.json", "{\"label\": "),
        ("large.toml", &format!("label = \"x\"\n#{}\n", "x".repeat(70_000))),
    ] {
        sandbox.write(name, text);
        let error = sandbox.aos(&["new", "acme", "--answers", name]).error("E_VALIDATION", 2);
        assert!(error["message"].as_str().unwrap().contains(name), "{error}");
    }
    sandbox.aos(&["new", "acme", "--answers", "absent.toml"]).error("E_VALIDATION", 2);
    sandbox.aos(&["new", "acme", "--answers", "."]).error("E_VALIDATION", 2);
    assert!(!sandbox.work().join("aos-acme").exists());
}

#[test]
fn no_text_of_an_answer_becomes_code_or_breaks_a_file() {
    let sandbox = Sandbox::new();
    let pairs = ["label", "summary", "author"].map(|key| format!("{key}={HOSTILE}"));
    sandbox
        .aos(&[
            "new", "acme", "--no-git", "--set", &pairs[0], "--set", &pairs[1], "--set", &pairs[2],
        ])
        .data();
    let project = sandbox.work().join("aos-acme");
    let verdict = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(verdict["summary"]["errors"], 0, "{verdict}");
    let manifest: Value =
        serde_json::from_str(&disk::read(&project.join("connector.json"))).unwrap();
    assert_eq!(manifest["connector"]["label"], HOSTILE);
    let record: toml_edit::DocumentMut = disk::read(&project.join("aos.toml")).parse().unwrap();
    for key in ["label", "summary", "author"] {
        assert_eq!(record["answers"][key].as_str(), Some(HOSTILE));
    }
    let pyproject = disk::read(&project.join("agent-harness/pyproject.toml"));
    pyproject.parse::<toml_edit::DocumentMut>().expect("pyproject.toml is TOML");
    assert!(disk::read(&project.join("LICENSE")).contains(HOSTILE));
    assert!(disk::read(&project.join("README.md")).contains(HOSTILE));
    for (path, (bytes, _)) in tree(&project) {
        if path.ends_with(".json") {
            serde_json::from_slice::<Value>(&bytes)
                .unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
    every_python_file_parses(&project);
}

#[test]
fn the_url_of_an_api_with_a_host_per_customer_cannot_be_set() {
    let sandbox = Sandbox::new();
    let error = sandbox
        .aos(&["new", "jira", "--no-git", "--set", "base_url=https://acme.atlassian.net"])
        .error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("JIRA"), "{error}");
}

fn every_python_file_parses(project: &std::path::Path) {
    let script = "import ast, pathlib, sys\n\
        files = sorted(pathlib.Path(sys.argv[1]).rglob('*.py'))\n\
        [ast.parse(f.read_bytes(), str(f)) for f in files]\n\
        print(len(files))";
    let output = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(project)
        .output()
        .expect("python3 is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let count: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    assert!(count >= 20, "{count} files were parsed");
}

/// A user who has not chosen a name cannot know the meaning of a placeholder of a template.
#[test]
fn lists_helps_and_hints_show_no_marks_of_templates() {
    let sandbox = Sandbox::new();
    let info = "name = \"web\"\nversion = \"1.0.0\"\nsummary = \"A site for {= title =}\"\n\n\
                [[questions]]\nkey = \"host\"\nhelp = \"Host of {= title =}\"\ndefault = \"{= tool | upper =}.org\"\n\n\
                [[questions]]\nkey = \"owner\"\nhelp = \"Who owns {= tool =}\"\nrequired = true\n";
    sandbox.write("web/template.toml", info);
    sandbox.write("web/files/README.md", "web\n");
    for words in [
        &["new", "--list", "--all"][..],
        &["new", "--list", "--template", "cli-go"],
        &["new", "--list", "--template", "./web"],
        &["new", "x", "--template", "./web"],
        &["template", "check", "./web"],
        &["new", "--help"],
        &["reference"],
    ] {
        for format in ["json", "text"] {
            let words = [words, &["--format", format]].concat();
            let answer = sandbox.aos(&words);
            let said = format!("{}{}", answer.stdout, answer.stderr);
            for mark in ["{=", "{%", "=}", "@tool@", "@package@"] {
                assert!(!said.contains(mark), "{words:?} shows {mark}: {said}");
            }
        }
    }
    let listed = sandbox.aos(&["new", "--list", "--template", "./web"]).data();
    let template = &listed["templates"][0];
    assert_eq!(template["summary"], "A site for <title>");
    assert_eq!(template["questions"][0]["default"], "<tool>.org");
    let error = sandbox.aos(&["new", "x", "--template", "./web"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "add `--set owner=…` (Who owns <tool>)");
}
