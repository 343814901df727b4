//! Versions that this aos has, lacks, or no longer trusts.

use super::super::sandbox::Sandbox;
use super::Scene;

#[test]
fn an_archive_that_is_not_the_released_one_is_refused() {
    let scene = Scene::new(&[("A.md", "one\n")], &[("A.md", "two\n")]);
    let place = scene.templates().join("gadget/released/1.0.0.tar.gz");
    let mut bytes = std::fs::read(&place).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&place, bytes).unwrap();
    let error = scene.aos(&["upgrade"]).error("E_UNKNOWN", 1);
    assert!(error["message"].as_str().unwrap().contains("was released"), "{error}");
}

#[test]
fn a_version_that_this_aos_lacks_is_named_with_those_it_has() {
    let scene = Scene::new(&[("A.md", "one\n")], &[("A.md", "two\n")]);
    scene.edit("aos.toml", "version = \"1.0.0\"", "version = \"0.9.0\"");
    let error = scene.aos(&["upgrade"]).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["known_versions"], serde_json::json!(["1.0.0", "1.1.0"]));
    scene.edit("aos.toml", "version = \"0.9.0\"", "version = \"../1.0.0\"");
    scene.aos(&["upgrade"]).error("E_NOT_FOUND", 3);
    scene.edit("aos.toml", "version = \"../1.0.0\"", "version = \"2.0.0\"");
    let error = scene.aos(&["upgrade"]).error("E_CONFLICT", 6);
    assert_eq!(error["details"]["fix"], "run `aos update`");
}

#[test]
fn a_project_without_a_template_is_told_what_to_run_instead() {
    let scene = Scene::made(&[("A.md", "one\n")], &[]);
    let record = scene.read("aos.toml");
    let start = record.find("[template]").unwrap();
    let end = start + record[start..].find("\n[answers]").unwrap();
    scene.write("aos.toml", &format!("{}{}", &record[..start], &record[end..]));
    let error = scene.aos(&["upgrade"]).error("E_VALIDATION", 2);
    assert!(error["details"]["fix"].as_str().unwrap().contains("aos sync-spec"), "{error}");
    scene.edit(
        "aos.toml",
        "[answers]",
        "[template]\nname = \"nothing\"\nversion = \"1.0.0\"\n\n[answers]",
    );
    scene.aos(&["upgrade"]).error("E_VALIDATION", 2);
}

#[test]
fn every_template_of_the_binary_upgrades_to_itself_without_a_change() {
    let sandbox = Sandbox::new();
    for (name, template) in [
        ("one", "cli-go"),
        ("two", "cli-python"),
        ("three", "connector-python"),
        ("four", "agent-adapter"),
        ("five", "augmentor-python"),
        ("six", "augmentor-node"),
    ] {
        let made = sandbox.aos(&["new", name, "--template", template, "--no-git"]).data();
        let path = made["path"].as_str().unwrap().to_owned();
        let data = sandbox.aos(&["upgrade", &path]).data();
        assert_eq!(data["status"], "unchanged", "{template}: {data}");
        assert_eq!(data["differs"], serde_json::json!([]), "{template}");
        assert!(data["same"].as_u64().unwrap() > 10, "{template}: {data}");
    }
}

#[test]
fn an_answer_of_a_real_template_is_changed_later() {
    let sandbox = Sandbox::new();
    sandbox.aos(&["new", "acme", "--template", "cli-go", "--no-git"]).data();
    let data = sandbox.aos(&["upgrade", "acme", "--set", "jobs=yes"]).data();
    assert_eq!(data["status"], "renewed", "{data}");
    let other = sandbox
        .aos(&[
            "new",
            "acme",
            "--template",
            "cli-go",
            "--no-git",
            "--dir",
            "b",
            "--set",
            "jobs=yes",
        ])
        .data();
    let (left, right) = (sandbox.work().join("acme"), other["path"].as_str().unwrap().into());
    let right: std::path::PathBuf = right;
    assert_eq!(super::super::sandbox::tree(&left), super::super::sandbox::tree(&right));
}
