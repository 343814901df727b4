//! Answers that change, questions that are new, and what follows from both.

use super::{Scene, lines};

const FILES: [(&str, &str); 2] =
    [("README.md.tera", "# {= label =}\n"), ("jobs.txt", "one\ntwo\nthree\n")];

#[test]
fn an_answer_is_changed_later_with_everything_that_follows_from_it() {
    let scene = Scene::made(&FILES, &[]);
    assert!(!scene.has("jobs.txt"));
    let data = scene.upgrade(&["--set", "jobs=yes", "--set", "label=Big Gadget"]);
    assert_eq!(data["status"], "renewed");
    assert_eq!(data["changed_answers"][0]["key"], "jobs");
    assert_eq!(data["changed_answers"][1]["after"], "Big Gadget");
    assert_eq!(scene.read("README.md"), "# Big Gadget\n");
    assert!(scene.has("jobs.txt"));
    assert!(scene.read("aos.toml").contains("label = \"Big Gadget\""));
    assert_eq!(scene.upgrade(&["--set", "jobs=yes"])["status"], "unchanged");
    // A file that is no longer needed is removed, unless the user changed it.
    scene.upgrade(&["--set", "jobs=no"]);
    assert!(!scene.has("jobs.txt"));
    scene.upgrade(&["--set", "jobs=yes"]);
    scene.edit("jobs.txt", "two", "mine");
    let data = scene.upgrade(&["--set", "jobs=no"]);
    assert_eq!(data["status"], "renewed");
    assert!(
        data["notes"][0].as_str().unwrap().contains("`jobs.txt` is no longer needed"),
        "{data}"
    );
    assert_eq!(scene.read("jobs.txt"), "one\nmine\nthree\n");
}

#[test]
fn an_empty_answer_is_shown_as_such_on_both_sides() {
    let scene = Scene::made(&FILES, &["--set", "label="]);
    let shown = |arguments: &[&str]| {
        let first = scene.aos(&[&["upgrade", "--format", "text"], arguments].concat());
        format!("{}{}", first.stdout, first.stderr)
    };
    let preview = shown(&["--set", "label=Big", "--dry-run"]);
    assert!(preview.contains("answer label: (empty) -> Big\n"), "{preview}");
    let done = shown(&["--set", "label=Big"]);
    assert!(done.contains("answer label: (empty) -> Big\n"), "{done}");
    let back = shown(&["--set", "label=", "--dry-run"]);
    assert!(back.contains("answer label: Big -> (empty)\n"), "{back}");
}

#[test]
fn wrong_answers_are_refused_as_in_a_new_project() {
    let scene = Scene::made(&FILES, &[]);
    let error = scene.aos(&["upgrade", "--set", "job=yes"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "did you mean `jobs`?");
    scene.aos(&["upgrade", "--set", "jobs=maybe"]).error("E_VALIDATION", 2);
    scene.aos(&["upgrade", "--set", "jobs"]).error("E_USAGE", 2);
}

#[test]
fn questions_of_the_newer_template_get_their_default_or_are_all_asked_for() {
    let scene = Scene::new(&[("A.md", "one\n")], &[("A.md.tera", "two {= color =}\n")]);
    let more = "\n[[questions]]\nkey = \"color\"\nhelp = \"Its color\"\ndefault = \"DEFAULT\"\nrequired = true\n\
                \n[[questions]]\nkey = \"size\"\nhelp = \"Its size\"\ndefault = \"DEFAULT\"\nrequired = true\n";
    let files = [("A.md.tera", "two {= color =}\n")];
    scene.publish("1.1.0", &more.replace("DEFAULT", ""), &files);
    let error = scene.aos(&["upgrade"]).error("E_VALIDATION", 2);
    let hint = error["details"]["fix"].as_str().unwrap();
    assert!(hint.contains("--set color=") && hint.contains("--set size="), "{hint}");
    let context = scene.aos(&["context"]).data();
    assert_eq!(context["project"]["template"]["answers_fit"], false);
    scene.publish("1.1.0", &more.replace("DEFAULT", "red"), &files);
    let data = scene.upgrade(&["--set", "size=big"]);
    assert_eq!(data["new_answers"][0]["key"], "color");
    assert_eq!(data["new_answers"][1]["value"], "big");
    assert_eq!(scene.read("A.md"), "two red\n");
}

#[test]
fn a_directory_that_the_template_renamed_moves_with_the_edits_in_it() {
    let text = lines("module", 8);
    let scene = Scene::made(&[("A.md", "a\n"), ("src/one.txt", &text)], &[]);
    scene.release("1.0.0");
    scene.edit("src/one.txt", "line 8\n", "line eight\n");
    scene.publish("1.1.0", "", &[("A.md", "a\n"), ("lib/one.txt", &text)]);
    scene.upgrade(&[]);
    assert_eq!(scene.read("lib/one.txt"), text.replace("line 8\n", "line eight\n"));
    assert!(!scene.has("src/one.txt"));
}

#[test]
fn the_contract_moves_only_on_request() {
    let scene = Scene::made(&[("A.md.tera", "contract {= spec_tag =}\n")], &["--spec", "v1.0.0"]);
    assert_eq!(scene.read("A.md"), "contract v1.0.0\n");
    assert_eq!(scene.upgrade(&[])["status"], "unchanged");
    let data = scene.upgrade(&["--spec", "latest"]);
    assert_eq!(data["spec_tag"], "v1.2.0");
    assert_eq!(scene.read(".agent/SPEC_VERSION").trim(), "v1.2.0");
    assert_eq!(scene.read("A.md"), "contract v1.2.0\n");
}
