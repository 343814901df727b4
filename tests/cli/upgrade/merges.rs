//! Line endings, binary files, modes, and files that were moved by one side.

use super::{Scene, conflicts, lines, pair, texts};

#[test]
fn a_checkout_with_crlf_is_merged_in_its_own_line_ending() {
    let scene = Scene::new(
        &[("A.md", &lines("a", 9)), ("B.md", &lines("b", 3))],
        &[("A.md", &lines("a", 10)), ("B.md", &lines("b", 4))],
    );
    let windows = |text: String| text.replace('\n', "\r\n");
    scene.write("A.md", &windows(lines("a", 9).replace("line 1\n", "line one\n")));
    scene.write("B.md", &windows(lines("b", 3)));
    let data = scene.upgrade(&[]);
    assert_eq!(data["status"], "upgraded");
    assert_eq!(scene.read("A.md"), windows(lines("a", 10).replace("line 1\n", "line one\n")));
    assert_eq!(scene.read("B.md"), windows(lines("b", 4)));
    assert_eq!(scene.aos(&["upgrade"]).data()["status"], "unchanged");
}

#[test]
fn a_file_without_a_final_newline_is_merged() {
    let old = lines("a", 6);
    let old = old.trim_end();
    let scene = Scene::new(&[("A.md", old)], &[("A.md", &old.replace("line 6", "line six"))]);
    scene.edit("A.md", "line 1\n", "line one\n");
    scene.upgrade(&[]);
    let expected = old.replace("line 1\n", "line one\n").replace("line 6", "line six");
    assert_eq!(scene.read("A.md"), expected);
}

#[test]
fn a_binary_file_that_both_sides_changed_is_a_conflict_and_stays() {
    let scene = Scene::new(&[("a.bin", "a\0one")], &[("a.bin", "a\0two")]);
    scene.write("a.bin", "a\0mine");
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(conflicts(&error), [pair("a.bin", "content")]);
    assert_eq!(scene.read("a.bin"), "a\0mine");
    assert_eq!(scene.read("a.bin.rej"), "a\0two");
}

#[cfg(unix)]
#[test]
fn the_execute_bit_follows_the_template_unless_the_user_changed_it() {
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::sandbox::is_executable;

    let files = [("scripts/run", "#!/bin/sh\n"), ("scripts/other", "#!/bin/sh\n")];
    let scene = Scene::new(&files, &files);
    let info = std::fs::read_to_string(scene.templates().join("gadget/template.toml")).unwrap();
    let both = info.replace("[\"scripts/run\"]", "[\"scripts/run\", \"scripts/other\"]");
    std::fs::write(scene.templates().join("gadget/template.toml"), both).unwrap();
    let run = scene.project.join("scripts/run");
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o644)).unwrap();
    scene.upgrade(&[]);
    assert!(is_executable(&scene.project.join("scripts/other")));
    assert!(!is_executable(&run));
}

#[test]
fn a_file_that_the_template_moved_takes_the_edits_along() {
    let scene = Scene::new(
        &[("docs/OLD.md", &lines("guide", 12))],
        &[("guide/NEW.md", &lines("guide", 13))],
    );
    scene.edit("docs/OLD.md", "line 2\n", "line 2, mine\n");
    scene.upgrade(&[]);
    assert!(!scene.has("docs/OLD.md"));
    let expected = lines("guide", 13).replace("line 2\n", "line 2, mine\n");
    assert_eq!(scene.read("guide/NEW.md"), expected);
}

#[test]
fn a_file_that_the_user_moved_gets_the_changes_where_it_is() {
    let scene = Scene::new(
        &[("docs/OLD.md", &lines("guide", 12))],
        &[("docs/OLD.md", &lines("guide", 13))],
    );
    scene.write("handbook.md", &lines("guide", 12).replace("line 2\n", "line 2, mine\n"));
    scene.remove("docs/OLD.md");
    let data = scene.upgrade(&[]);
    assert_eq!(texts(&data["merged"]), ["handbook.md"]);
    assert!(!scene.has("docs/OLD.md"));
    let expected = lines("guide", 13).replace("line 2\n", "line 2, mine\n");
    assert_eq!(scene.read("handbook.md"), expected);
}

#[test]
fn a_file_that_both_sides_moved_to_different_places_is_a_conflict() {
    let scene = Scene::new(
        &[("docs/OLD.md", &lines("guide", 12))],
        &[("guide/NEW.md", &lines("guide", 13))],
    );
    scene.write("handbook.md", &lines("guide", 12));
    scene.remove("docs/OLD.md");
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(conflicts(&error), [pair("handbook.md", "rename_rename")]);
    assert_eq!(scene.read("handbook.md"), lines("guide", 13));
    assert!(scene.has("guide/NEW.md.rej") && !scene.has("guide/NEW.md"));
}

#[test]
fn a_file_that_both_sides_added_is_a_conflict_unless_it_is_the_same() {
    let scene = Scene::new(
        &[("A.md", "a\n")],
        &[("A.md", "a\n"), ("B.md", &lines("b", 3)), ("C.md", "c\n")],
    );
    scene.write("B.md", &lines("b", 3).replace("line 2\n", "line two\n"));
    scene.write("C.md", "c\n");
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(conflicts(&error), [pair("B.md", "add_add")]);
    let text = scene.read("B.md");
    assert!(text.starts_with("b: this is line 1\n<<<<<<< yours\nb: this is line two\n"), "{text}");
    assert_eq!(scene.read("C.md"), "c\n");
}

#[cfg(unix)]
#[test]
fn no_file_is_written_through_a_link() {
    let scene = Scene::new(&[("A.md", "one\n")], &[("A.md", "two\n")]);
    let outside = scene.sandbox.write("outside.md", "mine\n");
    scene.remove("A.md");
    std::os::unix::fs::symlink(&outside, scene.project.join("A.md")).unwrap();
    let error = scene.confirmed(&[]).error("E_MERGE_CONFLICT", 6);
    assert_eq!(conflicts(&error), [pair("A.md", "not_a_file")]);
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "mine\n");
    assert_eq!(scene.read("A.md.rej"), "two\n");
}
