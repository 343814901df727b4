//! Projects of a local template: created, checked, upgraded; hostile templates.

use super::{project, template};
use crate::disk;
use crate::sandbox::{Sandbox, is_executable, tree};

#[test]
fn a_project_needs_no_contract_and_is_checked_and_created_once() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    assert_eq!(disk::read(&project.join("README.md")).lines().next(), Some("# Shop"));
    assert!(is_executable(&project.join("bin/shop")) && !project.join("jobs").exists());
    let record = disk::read(&project.join("aos.toml"));
    assert!(record.contains("source = \"directory\"\ndigest = \"sha256:"), "{record}");
    assert!(!record.contains("family") && !record.contains("/web"), "{record}");
    let report = sandbox.aos_in(&project, &["check"]).data();
    assert_eq!(report["projects"][0]["family"], "none");
    assert_eq!(
        (&report["summary"]["compared"], &report["summary"]["errors"]),
        (&1.into(), &0.into())
    );
    let again = sandbox.aos(&["new", "shop", "--template", "./web", "--no-git"]).data();
    assert_eq!((&again["status"], &again["spec_tag"]), (&"unchanged".into(), &().into()));
    let error = sandbox.aos_in(&project, &["sync-spec"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().expect("a text").contains("no contract"), "{error}");
    let context = sandbox.aos_in(&project, &["context"]).data();
    assert_eq!(context["project"]["template"]["files"]["same"], 3);
}

#[test]
fn an_upgrade_merges_the_next_version_and_keeps_the_edits_of_the_user() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    disk::edit(&project.join("README.md"), "three", "three, ours");
    assert_eq!(sandbox.aos_in(&project, &["upgrade"]).data()["status"], "unchanged");
    disk::edit(&sandbox.work().join("web/template.toml"), "1.0.0", "1.1.0");
    disk::edit(&sandbox.work().join("web/files/README.md.tera"), "one", "one, theirs");
    let words = ["upgrade", "--template", "../web", "--set", "jobs=yes"];
    // README.md has work of the user.
    let error = sandbox.aos_in(&project, &words).error("E_CONFIRMATION_REQUIRED", 5);
    let token = error["details"]["confirm_token"].as_str().expect("a token");
    let confirmed = [&words[..], &["--confirm", token]].concat();
    let data = sandbox.aos_in(&project, &confirmed).data();
    assert_eq!((&data["status"], &data["version"]), (&"upgraded".into(), &"1.1.0".into()));
    let readme = disk::read(&project.join("README.md"));
    assert!(readme.contains("one, theirs") && readme.contains("three, ours"), "{readme}");
    assert!(project.join("jobs/run.txt").is_file());
    sandbox.aos_in(&project, &["check"]).data();
    let before = tree(&project);
    assert_eq!(sandbox.aos_in(&project, &words).data()["status"], "unchanged");
    assert_eq!(tree(&project), before);
}

#[test]
fn a_recorded_answer_that_is_no_longer_a_choice_asks_for_another() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    let manifest = sandbox.work().join("web/template.toml");
    disk::edit(&manifest, "choices = [\"no\", \"yes\"]", "choices = [\"never\", \"yes\"]");
    disk::edit(&manifest, "default = \"no\"", "default = \"never\"");
    disk::edit(&manifest, "1.0.0", "2.0.0");
    let before = tree(&project);
    let error =
        sandbox.aos_in(&project, &["upgrade", "--template", "../web"]).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["fix"], "choose another answer with `--set jobs=…`", "{error}");
    assert!(error["message"].as_str().expect("a text").contains("never, yes"), "{error}");
    assert_eq!(tree(&project), before);
    let words = ["upgrade", "--template", "../web", "--set", "jobs=yes"];
    let changed = &sandbox.aos_in(&project, &words).data()["changed_answers"];
    assert_eq!((&changed[0]["before"], &changed[0]["after"]), (&"no".into(), &"yes".into()));
}

#[test]
fn a_conflict_leaves_the_version_and_an_abort_restores_every_byte() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    disk::edit(&project.join("README.md"), "two", "two, ours");
    let before = tree(&project);
    disk::edit(&sandbox.work().join("web/template.toml"), "1.0.0", "1.1.0");
    disk::edit(&sandbox.work().join("web/files/README.md.tera"), "two", "two, theirs");
    let preview =
        sandbox.aos_in(&project, &["upgrade", "--template", "../web", "--dry-run"]).data();
    let token = preview["confirm_token"].as_str().expect("a token");
    let words = ["upgrade", "--template", "../web", "--confirm", token];
    sandbox.aos_in(&project, &words).error("E_MERGE_CONFLICT", 6);
    let record = disk::read(&project.join("aos.toml"));
    assert!(
        record.contains("version = \"1.0.0\"") && record.contains("[upgrade.origin]"),
        "{record}"
    );
    let report = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    assert!(
        report.to_string().contains("template/conflict")
            && !report.to_string().contains("template/archive"),
        "{report}"
    );
    sandbox.aos_in(&project, &["upgrade", "--abort"]).data();
    assert_eq!(tree(&project), before);
    // The same again, resolved.
    let preview =
        sandbox.aos_in(&project, &["upgrade", "--template", "../web", "--dry-run"]).data();
    let token = preview["confirm_token"].as_str().expect("a token");
    sandbox.aos_in(&project, &["upgrade", "--template", "../web", "--confirm", token]);
    std::fs::write(project.join("README.md"), "# Shop, resolved\n").expect("a file");
    assert_eq!(sandbox.aos_in(&project, &["upgrade"]).data()["status"], "finished");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn an_archive_that_is_not_the_recorded_template_fails_the_check_and_every_upgrade() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    let archive = project.join(".agent/template.tar.gz");
    let good = std::fs::read(&archive).expect("an archive");
    for bytes in [None, Some(&b"x"[..])] {
        match bytes {
            Some(bytes) => std::fs::write(&archive, bytes).expect("a file"),
            None => std::fs::remove_file(&archive).expect("a file"),
        }
        let report = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
        assert!(report.to_string().contains("template/archive"), "{report}");
        sandbox.aos_in(&project, &["upgrade"]).error("E_INTEGRITY", 1);
    }
    std::fs::write(&archive, good).expect("a file");
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn a_template_that_would_leave_the_project_is_refused_before_anything_is_written() {
    for (path, text) in [
        ("files/dot_git/hooks/post-commit", "x"),
        ("files/git~1/x", "x"),
        ("files/dot_agent/SPEC_VERSION", "v1.0.0"),
        ("files/aos.toml", "x"),
        ("files/nul.txt", "x"),
        ("files/a./x", "x"),
        ("files/x.tera", "{= nope =}"),
        ("files/readme.md", "the same as README.md on some systems"),
    ] {
        let sandbox = Sandbox::new();
        template(&sandbox);
        sandbox.write(&format!("web/{path}"), text);
        sandbox.aos(&["new", "shop", "--template", "./web"]).error("E_VALIDATION", 2);
        assert!(!sandbox.work().join("shop").exists(), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_a_template_is_refused() {
    let sandbox = Sandbox::new();
    let web = template(&sandbox);
    std::os::unix::fs::symlink("/etc/passwd", web.join("files/secret")).expect("a link");
    let error = sandbox.aos(&["new", "shop", "--template", "./web"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().expect("a text").contains("symbolic link"), "{error}");
}

#[test]
fn a_template_that_cannot_be_meant_is_refused_with_what_can() {
    let sandbox = Sandbox::new();
    let project = project(&sandbox);
    sandbox.write("other/template.toml", "name = \"other\"\nversion = \"1.0.0\"\n");
    sandbox.write("other/files/x", "x\n");
    sandbox.aos(&["new", "x", "--template", "./nothing"]).error("E_NOT_FOUND", 3);
    sandbox.aos(&["new", "x", "--template", "https://host.example/x"]).error("E_VALIDATION", 2);
    sandbox.aos(&["new", "../x", "--template", "./web"]).error("E_VALIDATION", 2);
    sandbox.aos(&["new", "x", "--template", "./web", "--spec", "v1.0.0"]).error("E_VALIDATION", 2);
    let words = ["upgrade", "--template", "../other"];
    sandbox.aos_in(&project, &words).error("E_VALIDATION", 2);
    disk::edit(&sandbox.work().join("web/template.toml"), "1.0.0", "0.9.0");
    sandbox.aos_in(&project, &["upgrade", "--template", "../web"]).error("E_VALIDATION", 2);
    let connector = sandbox.connector("acme");
    sandbox.aos_in(&connector, &["upgrade", "--template", "../web"]).error("E_VALIDATION", 2);
}

#[test]
fn a_template_with_a_contract_gives_a_project_with_one() {
    let sandbox = Sandbox::new();
    let info = "name = \"ours\"\nversion = \"1.0.0\"\nfamily = \"agent-cli\"\n[outputs]\ngo = \"internal/contract/contract_gen.go\"\n";
    sandbox.write("ours/template.toml", info);
    sandbox.write("ours/files/README.md.tera", "# {= title =} {= spec_tag =}\n");
    let data = sandbox.aos(&["new", "crm", "--template", "./ours", "--no-git"]).data();
    assert!(data["spec_tag"].as_str().expect("a tag").starts_with('v'), "{data}");
    let project = sandbox.work().join("crm");
    assert!(project.join("internal/contract/contract_gen.go").is_file());
    assert!(project.join(".agent/template.tar.gz").is_file());
    disk::edit(&sandbox.work().join("ours/template.toml"), "1.0.0", "1.1.0");
    sandbox.write("ours/files/NEW.md", "new\n");
    let data = sandbox.aos_in(&project, &["upgrade", "--template", "../ours"]).data();
    assert_eq!(data["status"], "upgraded");
    assert!(project.join("NEW.md").is_file());
    assert_eq!(
        sandbox.aos_in(&project, &["upgrade", "--template", "../ours"]).data()["status"],
        "unchanged"
    );
}
