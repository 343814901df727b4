//! `aos template check`: faults with line and column, and what was rendered.

use super::template;
use crate::sandbox::Sandbox;

#[test]
fn a_good_template_is_rendered_for_every_combination() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    let data = sandbox.aos(&["template", "check", "./web"]).data();
    let coverage = &data["coverage"];
    assert_eq!((&coverage["possible"], &coverage["complete"]), (&4.into(), &true.into()));
    assert_eq!(coverage["statement"], "all 4 combinations of answers were rendered");
    assert_eq!(data["notes"], serde_json::json!([]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for path in ["web/files/jobs/run.txt", "web/files/bin/@tool@.tera"] {
            let program = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(sandbox.work().join(path), program).expect("a file");
        }
        let data = sandbox.aos(&["template", "check", "./web"]).data();
        let notes = data["notes"].as_array().expect("notes");
        assert!(notes.len() == 1 && notes[0].as_str().is_some_and(|note| note.contains("run.txt")));
    }
}

#[test]
fn every_fault_has_its_place() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    let toml = "name = \"Web\"\nversion = \"1\"\nexecutables = [\"bin/other\"]\n\n[[questions]]\nkey = \"tool\"\nhelp = \"\"\n\n[[only]]\npath = \"jobs\"\nwhen = [\"jobs=maybe\"]\n";
    sandbox.write("web/template.toml", toml);
    sandbox.write("web/files/x.txt.tera", "ok\n{% if %}\n");
    let error = sandbox.aos(&["template", "check", "./web"]).error("E_VALIDATION", 2);
    let faults = error["details"]["faults"].as_array().expect("faults");
    let places: Vec<_> = faults
        .iter()
        .map(|fault| format!("{}:{}", fault["path"].as_str().expect("a path"), fault["line"]))
        .collect();
    for place in [
        "template.toml:1",
        "template.toml:2",
        "template.toml:3",
        "template.toml:6",
        "template.toml:11",
        "files/x.txt.tera:2",
    ] {
        assert!(places.iter().any(|found| found == place), "{place}: {faults:#?}");
    }
    assert!(faults.iter().all(|fault| fault["column"].is_number()), "{faults:#?}");
    sandbox.write("web/template.toml", "name = \"web\"\nversion = \"1.0.0\"\nnmae = 1\n");
    let error = sandbox.aos(&["template", "check", "./web"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["faults"][0]["line"], 3);
    sandbox.aos(&["template", "check", "."]).error("E_NOT_FOUND", 3);
}

#[test]
fn a_fault_of_one_combination_names_the_answers() {
    let sandbox = Sandbox::new();
    template(&sandbox);
    sandbox
        .write("web/files/x.txt.tera", "{% if jobs == \"yes\" %}\n  {= nope =}\n{% endif %}ok\n");
    let error = sandbox.aos(&["template", "check", "./web"]).error("E_VALIDATION", 2);
    let fault = &error["details"]["faults"][0];
    assert_eq!(
        (&fault["path"], &fault["line"], &fault["column"]),
        (&"files/x.txt.tera".into(), &2.into(), &6.into())
    );
    assert!(fault["message"].as_str().expect("a text").contains("jobs=yes"), "{fault}");
}
