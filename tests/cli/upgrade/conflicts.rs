//! Conflicts: shown first, then written with the base, resolved or undone.

use super::super::sandbox::tree;
use super::{Scene, conflicts, lines, pair, texts};

/// Both sides changed line 5.
fn clash() -> Scene {
    let text = lines("a", 9);
    let scene = Scene::new(
        &[("A.md", &text), ("B.md", "one\n")],
        &[
            ("A.md", &text.replace("line 5\n", "line 5 of the template\n")),
            ("B.md", "two\n"),
            ("docs/NEW.md", "new\n"),
        ],
    );
    scene.edit("A.md", "line 5\n", "line 5 of mine\n");
    scene
}

#[test]
fn a_conflict_is_shown_before_anything_is_written() {
    let scene = clash();
    let before = tree(&scene.project);
    let error = scene.aos(&["upgrade"]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(conflicts(&error), [pair("A.md", "content")]);
    assert!(error["details"]["preview"]["total"].as_u64().unwrap() >= 3, "{error}");
    let preview = scene.aos(&["upgrade", "--dry-run"]).data();
    assert_eq!(preview["conflicts"][0]["file"], "A.md");
    assert!(preview["conflicts"][0]["base"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(tree(&scene.project), before);
}

#[test]
fn a_confirmed_conflict_is_in_the_file_with_its_base_and_the_record_does_not_move() {
    let scene = clash();
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(error["details"]["status"], "conflicted");
    let text = scene.read("A.md");
    let expected = "<<<<<<< yours\na: this is line 5 of mine\n||||||| template 1.0.0\na: this is line 5\n=======\n\
                    a: this is line 5 of the template\n>>>>>>> template 1.1.0\n";
    assert!(text.contains(expected), "{text}");
    assert_eq!(scene.read("B.md"), "two\n");
    let record = scene.read("aos.toml");
    assert!(record.contains("[template]\nname = \"gadget\"\nversion = \"1.0.0\"\n"), "{record}");
    assert_eq!(scene.findings(), [pair("template/conflict", "A.md")]);
    let context = scene.aos(&["context"]).data();
    assert_eq!(context["project"]["template"]["waiting"], "1.1.0");
    // While it is open, nothing else begins.
    let error = scene.aos(&["upgrade"]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(error["details"]["conflicts"][0]["line"], 5);
    scene.aos(&["upgrade", "--set", "label=x"]).error("E_CONFLICT", 6);
    scene.write("A.md", &lines("a", 9).replace("line 5\n", "line 5 of both\n"));
    assert_eq!(scene.findings(), [pair("template/unfinished", "aos.toml")]);
    let data = scene.aos(&["upgrade"]).data();
    assert_eq!(
        (data["status"].as_str(), data["version"].as_str()),
        (Some("finished"), Some("1.1.0"))
    );
    let record = scene.read("aos.toml");
    assert!(record.contains("version = \"1.1.0\"") && !record.contains("[upgrade"), "{record}");
    assert_eq!(scene.findings(), []);
    assert_eq!(scene.aos(&["upgrade"]).data()["status"], "unchanged");
    scene.aos(&["upgrade", "--abort"]).error("E_NOT_FOUND", 3);
}

#[test]
fn a_rejected_change_is_beside_the_file_that_keeps_the_users_lines() {
    let scene = clash();
    let mine = scene.read("A.md");
    scene.confirmed(&["--conflicts", "reject"]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(scene.read("A.md"), mine);
    let rejected = scene.read("A.md.rej");
    let expected = "@@ line 5 @@\n-a: this is line 5\n+a: this is line 5 of the template\n";
    assert!(rejected.ends_with(expected), "{rejected}");
    assert_eq!(scene.findings(), [pair("template/conflict", "A.md.rej")]);
    scene.remove("A.md.rej");
    assert_eq!(scene.aos(&["upgrade"]).data()["status"], "finished");
}

#[test]
fn an_abort_brings_every_byte_back() {
    for style in ["inline", "reject"] {
        let scene = clash();
        let before = tree(&scene.project);
        scene.confirmed(&["--conflicts", style]).error("E_MERGE_CONFLICT", 6);
        assert_ne!(tree(&scene.project), before);
        let data = scene.aos(&["upgrade", "--abort"]).data();
        assert_eq!(data["status"], "aborted");
        assert_eq!(tree(&scene.project), before);
        assert!(!scene.has("docs"));
    }
}

#[test]
fn an_abort_shows_work_that_it_would_lose() {
    let scene = clash();
    let before = tree(&scene.project);
    scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    scene.write("A.md", "resolved with care\n");
    let error = scene.aos(&["upgrade", "--abort"]).error("E_CONFIRMATION_REQUIRED", 5);
    assert_eq!(texts(&error["details"]["would_lose"]), ["A.md"]);
    assert_eq!(scene.read("A.md"), "resolved with care\n");
    scene.confirmed(&["--abort"]).data();
    assert_eq!(tree(&scene.project), before);
}

#[test]
fn an_upgrade_that_another_machine_made_is_not_undone_here() {
    let scene = clash();
    scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    let elsewhere = scene.sandbox.work().join("elsewhere");
    let moved =
        std::process::Command::new("cp").arg("-r").args([&scene.project, &elsewhere]).status();
    assert!(moved.expect("cp").success());
    scene.aos_at(&elsewhere, &["upgrade", "--abort"]).error("E_NOT_FOUND", 3);
    // Its record is all that another machine needs to finish it.
    std::fs::write(elsewhere.join("A.md"), "resolved\n").unwrap();
    assert_eq!(scene.aos_at(&elsewhere, &["upgrade"]).data()["status"], "finished");
}

#[test]
fn healing_a_file_takes_it_out_of_the_conflict() {
    let scene = clash();
    let data = scene.upgrade(&["--heal", "A.md"]);
    assert_eq!(data["status"], "upgraded");
    assert!(scene.read("A.md").contains("line 5 of the template"));
}

#[test]
fn a_file_that_programs_read_never_gets_markers() {
    let codes = |exit: u8| {
        format!(
            "{{\n  \"error_codes\": {{\n    \"E_GADGET\": {{ \"exit\": {exit}, \"retryable\": false }}\n  }}\n}}\n"
        )
    };
    let place = "contract/contract-ext.json";
    let scene = Scene::new(&[(place, &codes(1))], &[(place, &codes(2))]);
    scene.write(place, &codes(3));
    scene.aos(&["gen"]).data();
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(error["details"]["conflicts"][0]["file"], format!("{place}.rej"));
    assert_eq!(scene.read(place), codes(3));
    assert!(scene.findings().contains(&pair("template/conflict", &format!("{place}.rej"))));
    scene.remove(&format!("{place}.rej"));
    scene.write(place, &codes(4));
    let data = scene.aos(&["upgrade"]).data();
    assert_eq!(data["status"], "finished");
    assert_eq!(scene.findings(), []);
}

#[test]
fn a_conflict_stays_one_until_its_last_marker_is_gone() {
    let scene = clash();
    scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    let markers = ["<<<<<<< yours", "||||||| template", ">>>>>>> template"];
    let text = scene.read("A.md");
    for kept in markers {
        let is_left = |line: &&str| {
            line.starts_with(kept) || !markers.iter().any(|mark| line.starts_with(mark))
        };
        scene.write(
            "A.md",
            &text.lines().filter(is_left).map(|line| format!("{line}\n")).collect::<String>(),
        );
        scene.aos(&["upgrade"]).error("E_MERGE_CONFLICT", 6);
    }
}
