//! Projects without a contract: in a fleet, in hooks, when parts of them are gone, and what hints say.

use super::{project, template};
use crate::disk;
use crate::sandbox::Sandbox;

#[test]
fn a_project_without_a_contract_has_nothing_to_generate_or_to_follow() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    for words in [&["gen"][..], &["gen", "--check"], &["gen", "--dry-run"]] {
        let data = sandbox.aos_in(&project, words).data();
        assert_eq!((&data["status"], &data["tag"]), (&"unchanged".into(), &().into()), "{words:?}");
        assert!(data["notes"][0].as_str().expect("a note").contains("no contract"), "{data}");
    }
    sandbox.aos(&["new", "one", "--no-git", "--preset", "example"]).data();
    let data = sandbox.aos(&["sync-spec", "--recursive", "."]).data();
    assert_eq!((&data["summary"]["unchanged"], &data["summary"]["failed"]), (&2.into(), &0.into()));
    let projects = data["projects"].as_array().expect("projects");
    let shop = projects.iter().find(|row| row["path"] == "./shop").expect("the project");
    assert_eq!(shop["status"], "unchanged");
    assert!(shop["message"].as_str().expect("a reason").contains("no contract"), "{shop}");
}

#[test]
fn a_project_that_lost_its_record_is_an_error_of_the_fleet() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    sandbox.aos(&["new", "one", "--no-git", "--preset", "example"]).data();
    std::fs::remove_file(project.join("aos.toml")).expect("a file");
    let report = sandbox.aos(&["check", "--recursive", "."]).error("E_DRIFT", 6);
    let findings = report["details"]["fleet"]["findings"].as_array().expect("findings").clone();
    assert!(
        findings.iter().any(|found| found["rule"] == "members/lost"
            && found["path"].as_str().is_some_and(|path| path.contains("shop"))),
        "{findings:?}"
    );
}

#[test]
fn an_interrupted_write_without_a_contract_names_a_command_that_completes_it() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    let commands = |project: &std::path::Path| {
        let error = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
        let findings = error["details"]["projects"][0]["findings"].clone();
        let findings = findings.as_array().expect("findings").clone();
        let of = |found: &&serde_json::Value| found["rule"] == "project/interrupted-write";
        findings.iter().find(of).expect("the finding")["fix"].as_str().expect("a fix").to_owned()
    };
    disk::edit(&sandbox.work().join("web/template.toml"), "1.0.0", "1.1.0");
    disk::edit(&sandbox.work().join("web/files/README.md.tera"), "one", "one, theirs");
    let words = ["upgrade", "--template", "../web"];
    sandbox
        .command(&words)
        .current_dir(&project)
        .env("AOS_TEST_KILL_AT", "apply:edited")
        .output()
        .expect("it starts");
    assert!(commands(&project).contains("aos upgrade"));
    sandbox.aos_in(&project, &["upgrade"]).data();
    let text = sandbox.aos_in(&project, &["check", "--format", "text"]).stdout;
    assert!(text.contains(" (template web 1."), "{text}");
}

#[test]
fn questions_of_a_template_are_listed_and_hints_say_how() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    let data = sandbox.aos(&["new", "--list", "--template", "./web"]).data();
    // A trust root is read before anything is believed.
    let run = sandbox.aos(&["new", "--list", "--template", "./web", "--trusted-root", "none.json"]);
    run.error("E_NOT_FOUND", 3);
    let templates = data["templates"].as_array().expect("templates");
    assert_eq!((templates.len(), &templates[0]["name"]), (1, &"web".into()));
    assert_eq!(templates[0]["questions"][1]["key"], "jobs");
    for set in ["jobs=maybe", "zzzzzz=1"] {
        let words = ["new", "shop", "--template", "./web", "--no-git", "--set", set];
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        let hint = error["details"]["fix"].as_str().expect("a hint");
        assert!(hint.contains("aos new --list --template ./web"), "{hint}");
    }
}

#[test]
fn a_password_in_the_address_of_a_template_is_never_shown() {
    let sandbox = Sandbox::new();
    for address in [
        "git+https://user:hunter2@127.0.0.1:1/x",
        "https://user:hunter2@127.0.0.1:1/x",
        "git+ssh://user:hunter2@127.0.0.1:1/x@v1",
        "git+https://user:hun/hunter2@127.0.0.1:1/x",
        "git+https://127.0.0.1:1/x@hunter2:y@h/x",
    ] {
        let words = ["new", "q", "--template", address];
        let output = sandbox.command(&words).output().expect("it starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
