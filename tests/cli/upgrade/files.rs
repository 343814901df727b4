//! Files that follow the template, stay, go and come back.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::SystemTime;

use super::super::sandbox::{is_executable, tree};
use super::{Scene, lines, texts};

#[test]
fn untouched_files_update_edits_stay_and_the_record_moves() {
    let (guide, notes) = (lines("guide", 12), lines("notes", 12));
    let newer = guide.replace("line 10\n", "line 10, and more\n");
    let later = notes.replace("line 2\n", "line 2, and more\n");
    let scene = Scene::new(
        &[("GUIDE.md", &guide), ("NOTES.md", &notes), ("scripts/run", "#!/bin/sh\n")],
        &[
            ("GUIDE.md", &newer),
            ("NOTES.md", &later),
            ("scripts/run", "#!/bin/sh\n"),
            ("NEW.md", "new\n"),
        ],
    );
    scene.edit("GUIDE.md", "line 3\n", "line 3, mine\n");
    let checked = scene.findings();
    assert!(checked.contains(&super::pair("template/behind", "aos.toml")), "{checked:?}");
    let report = scene.aos(&["check", "--rule", "template/behind"]).data();
    assert_eq!(report["projects"][0]["template"], "gadget 1.0.0");
    assert_eq!(report["projects"][0]["template_newest"], "1.1.0");
    let data = scene.upgrade(&[]);
    assert_eq!(data["status"], "upgraded", "{data}");
    assert_eq!((&data["previous_version"], &data["version"]), (&"1.0.0".into(), &"1.1.0".into()));
    assert_eq!(texts(&data["merged"]), ["GUIDE.md"]);
    assert_eq!(texts(&data["differs"]), ["GUIDE.md"]);
    assert_eq!(scene.read("GUIDE.md"), newer.replace("line 3\n", "line 3, mine\n"));
    assert_eq!(scene.read("NOTES.md"), later);
    assert_eq!(scene.read("NEW.md"), "new\n");
    assert!(is_executable(&scene.project.join("scripts/run")) || cfg!(windows));
    assert!(scene.read("aos.toml").contains("version = \"1.1.0\""));
    assert_eq!(scene.findings(), []);
}

#[test]
fn a_file_that_only_the_template_changed_needs_no_token_and_an_edited_one_does() {
    let scene = Scene::new(
        &[("A.md", "one\n"), ("B.md", &lines("b", 9))],
        &[("A.md", "two\n"), ("B.md", &lines("b", 9).replace("line 1\n", "line one\n"))],
    );
    scene.edit("B.md", "line 9\n", "line 9, mine\n");
    let error = scene.aos(&["upgrade"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert_eq!(texts(&error["details"]["would_lose"]), ["B.md"]);
    assert_eq!(texts(&error["details"]["merged"]), ["B.md"]);
    assert_eq!(scene.read("A.md"), "one\n");
    scene.write("B.md", &lines("b", 9));
    scene.aos(&["upgrade"]).data();
    assert_eq!(scene.read("A.md"), "two\n");
}

fn stamps(scene: &Scene) -> BTreeMap<String, SystemTime> {
    let files = tree(&scene.project);
    let time = |path: &String| {
        let place = scene.project.join(path);
        (path.clone(), std::fs::metadata(place).unwrap().modified().unwrap())
    };
    files.keys().map(time).collect()
}

#[test]
fn a_second_upgrade_changes_nothing_not_even_a_time() {
    let scene = Scene::new(&[("A.md", "one\n")], &[("A.md", "two\n")]);
    scene.aos(&["upgrade"]).data();
    let before = stamps(&scene);
    let data = scene.aos(&["upgrade"]).data();
    assert_eq!(data["status"], "unchanged");
    assert_eq!(data["changes"].as_array().unwrap().len(), 0);
    let text = scene.aos(&["upgrade", "--format", "text"]);
    assert!(text.stdout.contains("already at gadget 1.1.0"), "{}", text.stdout);
    assert_eq!(stamps(&scene), before);
}

#[test]
fn a_deleted_file_stays_deleted_until_it_is_restored() {
    let scene = Scene::new(
        &[("A.md", &lines("a", 5)), ("B.md", "b\n")],
        &[("A.md", &lines("a", 6)), ("B.md", "b\n")],
    );
    scene.remove("A.md");
    scene.remove("B.md");
    let data = scene.upgrade(&[]);
    assert_eq!(texts(&data["deleted"]), ["A.md", "B.md"]);
    assert!(!scene.has("A.md") && !scene.has("B.md"));
    assert!(!scene.aos(&["upgrade"]).data()["deleted"].as_array().unwrap().is_empty());
    let data = scene.upgrade(&["--restore", "A.md"]);
    assert_eq!(texts(&data["restored"]), ["A.md"]);
    assert_eq!(scene.read("A.md"), lines("a", 6));
    assert!(!scene.has("B.md"));
    scene.aos(&["upgrade", "--restore", "A.md"]).error("E_VALIDATION", 2);
    let error = scene.aos(&["upgrade", "--restore", "A.mb"]).error("E_NOT_FOUND", 3);
    assert_eq!(error["details"]["fix"], "did you mean `A.md`?");
}

#[test]
fn a_file_that_diverged_in_the_past_is_named_and_healed_on_request() {
    let scene = Scene::new(
        &[("A.md", &lines("a", 5)), ("B.md", "b\n")],
        &[("A.md", &lines("a", 5)), ("B.md", "c\n")],
    );
    scene.write("A.md", "something else\n");
    scene.upgrade(&[]);
    let data = scene.aos(&["upgrade"]).data();
    assert_eq!(
        (data["status"].as_str(), texts(&data["differs"])),
        (Some("unchanged"), vec!["A.md"])
    );
    let context = scene.aos(&["context"]).data();
    assert_eq!(texts(&context["project"]["template"]["files"]["differs"]), ["A.md"]);
    assert_eq!(context["project"]["template"]["files"]["same"], 1);
    let error = scene.aos(&["upgrade", "--heal", "A.md"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert_eq!(texts(&error["details"]["would_lose"]), ["A.md"]);
    let data = scene.upgrade(&["--heal", "A.md"]);
    assert_eq!(texts(&data["healed"]), ["A.md"]);
    assert_eq!(scene.read("A.md"), lines("a", 5));
    assert_eq!(scene.upgrade(&["--heal", "A.md"])["status"], "unchanged");
    scene.aos(&["upgrade", "--heal", "nothing.md"]).error("E_NOT_FOUND", 3);
}

#[test]
fn a_file_that_the_template_removed_goes_only_when_nobody_changed_it() {
    let scene =
        Scene::new(&[("A.md", &lines("a", 5)), ("B.md", &lines("b", 5))], &[("C.md", "c\n")]);
    scene.edit("B.md", "line 5\n", "line five\n");
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(super::conflicts(&error), [super::pair("B.md", "modify_delete")]);
    assert!(!scene.has("A.md") && scene.has("B.md") && scene.has("B.md.rej"));
    assert!(scene.read("B.md").contains("line five"));
}

#[test]
fn a_killed_upgrade_leaves_the_old_tree_or_the_new_one() {
    let old = [("A.md", "one\n"), ("B.md", "one\n"), ("C.md", "one\n")];
    let new = [("A.md", "two\n"), ("B.md", "two\n"), ("D.md", "two\n")];
    let scene = Scene::new(&old, &new);
    let before = tree(&scene.project);
    for stop in
        ["apply:entered", "apply:sealed", "apply:staged", "apply:before-edit-1", "apply:edited"]
    {
        let killed =
            scene.command(&scene.project, &["upgrade"]).env("AOS_TEST_KILL_AT", stop).output();
        assert!(!killed.expect("the binary runs").status.success(), "{stop}");
        // The next run puts the old state back first; a dry run says so.
        let _ = scene.aos(&["sync-spec"]);
        assert_eq!(tree(&scene.project), before, "{stop}");
    }
    scene.aos(&["upgrade"]).data();
    assert_eq!(scene.read("D.md"), "two\n");
    assert!(!scene.has("C.md"));
}

#[test]
fn a_project_below_a_repository_is_upgraded_and_its_neighbours_are_left_alone() {
    let scene = Scene::new(&[("A.md", "one\n")], &[("A.md", "two\n")]);
    let work = scene.sandbox.work();
    std::fs::create_dir_all(work.join(".git")).unwrap();
    std::fs::write(work.join("A.md"), "not yours\n").unwrap();
    let data = scene.aos_at(&work, &["upgrade", "acme"]).data();
    assert_eq!(data["status"], "upgraded");
    assert_eq!(scene.read("A.md"), "two\n");
    assert_eq!(std::fs::read_to_string(work.join("A.md")).unwrap(), "not yours\n");
}

#[test]
fn a_file_that_git_ignores_is_upgraded_like_any_other() {
    let ignore = ".env.example\n";
    let old = [("dot_gitignore", ignore), ("dot_env.example", "A=1\n"), ("B.md", "b\n")];
    let new = [("dot_gitignore", ignore), ("dot_env.example", "A=2\n"), ("B.md", "b\n")];
    let scene = Scene::new(&old, &new);
    let git = Command::new("git").args(["init", "--quiet"]).current_dir(&scene.project).status();
    assert!(git.expect("git").success());
    assert_eq!(scene.upgrade(&[])["status"], "upgraded");
    assert_eq!(scene.read(".env.example"), "A=2\n");
}
