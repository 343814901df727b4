//! A connector is the same in a checkout of any name: its name comes from its manifest, not from the directory.

use super::disk;
use super::sandbox::{Sandbox, kept};

#[test]
fn a_checkout_of_any_name_is_as_ok_as_the_usual_one() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let usual = disk::state(&project);
    for name in [
        "project",
        "workspace",
        "app",
        "feature-1",
        "build",
        "dist",
        "target",
        "with space",
        "über",
        "aos-acme-fork",
        ".worktree",
        "source's \"copy\"",
    ] {
        let place = sandbox.work().join(name);
        std::fs::rename(sandbox.work().join("aos-acme"), &place).unwrap();
        let report = sandbox.aos_in(&place, &["check"]).data();
        assert_eq!(report["summary"]["errors"], 0, "{name}: {report}");
        assert_eq!(report["summary"]["compared"], kept(&place), "{name}: {report}");
        let findings = report["projects"][0]["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 1, "{name}: the host would not find it there: {report}");
        let rule =
            if name.starts_with("aos-") { "layout/tool-name" } else { "layout/directory-name" };
        assert_eq!(findings[0]["rule"], rule, "{name}");
        assert_eq!(findings[0]["severity"], "warning", "{name}");
        for arguments in [&["gen", "--check"][..], &["gen"], &["sync-spec"]] {
            let data = sandbox.aos_in(&place, arguments).data();
            assert_eq!(data["status"], "unchanged", "{name} {arguments:?}: {data}");
        }
        sandbox.aos(&["check", name]).data();
        assert!(disk::state(&place) == usual, "{name}");
        std::fs::rename(&place, sandbox.work().join("aos-acme")).unwrap();
    }
}

#[test]
fn a_worktree_and_a_clone_of_another_name_are_ok() {
    let sandbox = Sandbox::new();
    let answer = sandbox.aos(&["new", "acme"]).data();
    let project = answer["path"].as_str().unwrap();
    let add = ["add", "-A"];
    let mut staged = std::process::Command::new("git");
    staged.args(add).current_dir(project);
    assert!(staged.status().unwrap().success());
    let mut commit = std::process::Command::new("git");
    commit
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
        .args(["commit", "-q", "--allow-empty", "-m", "more"])
        .current_dir(project)
        .env("HOME", sandbox.home());
    assert!(commit.status().expect("git is needed for this test").success());
    for (arguments, name) in [
        (&["worktree", "add", "-q", "../feature-1"][..], "feature-1"),
        (&["clone", "-q", ".", "../app"], "app"),
        (&["worktree", "add", "-q", "-b", "inner", ".worktrees/inner"], "aos-acme"),
    ] {
        let mut git = std::process::Command::new("git");
        git.args(arguments).current_dir(project).env("HOME", sandbox.home());
        assert!(git.status().expect("git is needed for this test").success());
        let report = sandbox.aos(&["check", name]).data();
        assert_eq!(report["summary"]["errors"], 0, "{report}");
    }
}

#[test]
fn a_record_alone_makes_a_second_package_no_other_project() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let planted = project.join("agent-harness/src/aos_acme");
    std::fs::create_dir_all(&planted).unwrap();
    std::fs::write(planted.join("__init__.py"), "").unwrap();
    let record = std::fs::read(project.join("aos.toml")).unwrap();
    std::fs::write(project.join("agent-harness/src/aos.toml"), record).unwrap();
    let answer = sandbox.aos_in(&project, &["check"]);
    assert_eq!(answer.exit, Some(6), "{answer:?}");
    assert!(answer.stdout.contains("drift/shadowed"), "{answer:?}");
}

#[test]
fn names_that_contradict_each_other_inside_the_project_are_errors_in_any_checkout() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let place = sandbox.work().join("workspace");
    std::fs::rename(project, &place).unwrap();
    let pyproject = place.join("agent-harness/pyproject.toml");
    disk::edit(&pyproject, "name = \"aos-acme\"", "name = \"aos-other\"");
    let drift = sandbox.aos_in(&place, &["check"]).error("E_DRIFT", 6);
    assert!(drift.to_string().contains("pyproject/name"), "{drift}");
}
