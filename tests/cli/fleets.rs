//! `--recursive` of commands that write, the page for people, and what organisations install.

use std::path::Path;
use std::process::Command;

use crate::disk;
use crate::sandbox::{Sandbox, tree};

/// Two connectors and a project of a template, one of them with a file of the user in the way.
fn fleet(sandbox: &Sandbox) {
    for name in ["one", "two"] {
        let words = ["new", name, "--no-git", "--dir", "fleet", "--preset", "example"];
        sandbox.aos(&words).data();
    }
}

#[test]
fn a_fleet_is_moved_and_a_project_that_fails_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    fleet(&sandbox);
    let work = sandbox.work();
    disk::append(&work.join("fleet/aos-one/aos.toml"), "\n[nonsense]\n");
    let before = tree(&work.join("fleet"));
    let words = ["sync-spec", "--recursive", "fleet", "--to", "v1.0.0", "--dry-run"];
    let error = sandbox.aos(&words).error("E_CONFIG", 4);
    assert_eq!(
        (&error["details"]["summary"]["failed"], &error["details"]["summary"]["changed"]),
        (&1.into(), &1.into())
    );
    assert_eq!(tree(&work.join("fleet")), before);
    let error =
        sandbox.aos(&["sync-spec", "--recursive", "fleet", "--to", "v1.0.0"]).error("E_CONFIG", 4);
    let projects = error["details"]["projects"].as_array().expect("projects").clone();
    assert_eq!(
        (&projects[0]["status"], &projects[0]["code"]),
        (&"failed".into(), &"E_CONFIG".into())
    );
    assert_eq!(projects[1]["status"], "moved");
    assert!(disk::read(&work.join("fleet/aos-two/.agent/SPEC_VERSION")).contains("v1.0.0"));
    // The same call completes what was left, and touches nothing else.
    disk::edit(&work.join("fleet/aos-one/aos.toml"), "\n[nonsense]\n", "");
    let data = sandbox.aos(&["sync-spec", "--recursive", "fleet", "--to", "v1.0.0"]).data();
    assert_eq!(
        (&data["summary"]["changed"], &data["summary"]["unchanged"]),
        (&1.into(), &1.into())
    );
    let data = sandbox.aos(&["upgrade", "--recursive", "fleet"]).data();
    assert_eq!(data["summary"]["status"], "ok");
    sandbox.aos(&["upgrade", "--recursive", "nothing"]).error("E_NOT_FOUND", 3);
}

#[test]
fn a_lost_project_fails_and_a_link_is_never_written_through() {
    let sandbox = Sandbox::new();
    fleet(&sandbox);
    let work = sandbox.work();
    sandbox.write("fleet/aos-gone/agent-harness/aos_gone/__init__.py", "");
    let words = ["sync-spec", "--recursive", "fleet", "--dry-run"];
    let error = sandbox.aos(&words).error("E_IO", 1);
    let lost = error["details"]["summary"]["unsearched"].as_array().expect("a list").clone();
    assert!(lost.iter().any(|lost| lost["path"] == "fleet/aos-gone"), "{lost:?}");
    #[cfg(unix)]
    {
        std::fs::remove_dir_all(work.join("fleet/aos-gone")).expect("a directory");
        std::fs::rename(work.join("fleet/aos-two"), work.join("aos-two")).expect("a rename");
        std::os::unix::fs::symlink("../aos-two", work.join("fleet/aos-two")).expect("a link");
        let before = tree(&work.join("aos-two"));
        let words = ["sync-spec", "--recursive", "fleet", "--to", "v1.0.0"];
        let error = sandbox.aos(&words).error("E_VALIDATION", 2);
        let projects = &error["details"]["projects"];
        assert_eq!(
            (&projects[0]["status"], &projects[1]["status"]),
            (&"moved".into(), &"failed".into()),
            "{error}"
        );
        assert_eq!(tree(&work.join("aos-two")), before);
    }
}

#[test]
fn the_page_has_every_project_and_escapes_what_they_say() {
    let sandbox = Sandbox::new();
    fleet(&sandbox);
    let hostile = sandbox.work().join("fleet/aos-two/.agent/SPEC_VERSION");
    std::fs::write(hostile, "<script>alert(1)</script>\n").expect("a file");
    let words = ["check", "--recursive", "fleet", "--report", "html=fleet.html"];
    sandbox.aos(&words).error("E_DRIFT", 6);
    let page = disk::read(&sandbox.work().join("fleet.html"));
    assert_eq!(page.matches("<tr data-status=").count(), 2);
    assert!(
        !page.contains("<script>alert") && !page.contains("http://") && !page.contains("@ROWS@")
    );
    assert!(page.contains("data-status=\"failed\"") && page.contains("data-status=\"ok\""));
    // Paper has no buttons: what is folded is printed, in browsers with and without `::details-content`.
    assert!(page.contains("details::details-content { content-visibility: visible"), "{page}");
    sandbox.aos(&["check", "--report", "pdf=x"]).error("E_VALIDATION", 2);
}

#[test]
fn a_report_of_each_format_is_replaced_by_the_next_one_and_other_files_are_not() {
    let sandbox = Sandbox::new();
    fleet(&sandbox);
    for format in ["sarif", "junit", "json", "html"] {
        let report = format!("{format}=out.{format}");
        let words = ["check", "--recursive", "fleet", "--report", &report];
        sandbox.aos(&words).data();
        sandbox.aos(&words).data();
        sandbox.write(&format!("out.{format}"), "<!doctype html><title>mine</title>\n");
        sandbox.aos(&words).error("E_CONFLICT", 6);
    }
}

/// The script of a named step of `action.yml`.
fn step(name: &str) -> String {
    let text = disk::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml"));
    let step = text
        .split("- name: ")
        .find(|step| step.starts_with(&format!("{name}\n")))
        .expect("the step");
    let script = step.split("run: |\n").nth(1).expect("a script");
    script
        .lines()
        .take_while(|line| line.starts_with("        "))
        .map(|line| format!("{}\n", &line[8..]))
        .collect()
}

#[cfg(unix)]
#[test]
fn the_step_of_the_action_checks_every_project_and_fails_with_the_check() {
    let sandbox = Sandbox::new();
    fleet(&sandbox);
    let run = |root: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_aos")).parent().expect("a directory");
        let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a PATH"));
        let mut command = Command::new("sh");
        command
            .args(["-e", "-c", &step("Check")])
            .current_dir(sandbox.work())
            .env_clear()
            .env("HOME", sandbox.home())
            .env("PATH", path)
            .env("ROOT", root)
            .env("GITHUB_ACTIONS", "true")
            .env("REPORT", sandbox.work().join("report.json"))
            .env("FINDINGS", sandbox.work().join("report.sarif"))
            .env("GITHUB_OUTPUT", sandbox.work().join("output"));
        command.output().expect("a shell")
    };
    assert!(run("fleet").status.success());
    let report: serde_json::Value =
        serde_json::from_str(&disk::read(&sandbox.work().join("report.json"))).expect("JSON");
    assert_eq!(report["summary"]["status"], "ok");
    assert!(disk::read(&sandbox.work().join("output")).starts_with("report=/"));
    std::fs::write(sandbox.work().join("fleet/aos-one/.agent/SPEC_VERSION"), "v9.9.9\n")
        .expect("a file");
    let output = run("fleet");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("::error file="), "{output:?}");
    let sarif: serde_json::Value =
        serde_json::from_str(&disk::read(&sandbox.work().join("report.sarif"))).expect("JSON");
    assert!(!sarif["runs"][0]["results"].as_array().expect("results").is_empty());
}

#[test]
fn every_action_is_pinned_to_a_commit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in ["action.yml", ".github/workflows/check.yml"] {
        let text = disk::read(&root.join(path));
        let uses: Vec<_> = text.lines().filter_map(|line| line.split_once("uses: ")).collect();
        assert!(uses.len() > 1, "{path}");
        for (_, uses) in uses {
            let (_, pin) = uses.split_once('@').expect("a pin");
            let commit = pin.split(' ').next().unwrap_or_default();
            let is_commit =
                commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit, "{path}: {uses}");
        }
    }
}

/// Nothing but the way to the installer differs, and the installer is the one of this repository.
#[test]
fn the_reusable_workflow_has_the_steps_and_the_inputs_of_the_action() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = disk::read(&root.join("action.yml"));
    let workflow = disk::read(&root.join(".github/workflows/check.yml"));
    let after = |text: &str| {
        let (_, steps) = text.split_once("- name: Check\n").expect("the step");
        steps.lines().map(|line| line.trim_start().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(after(&workflow), after(&action));
    let inputs = |text: &str| {
        let (_, inputs) = text.split_once("inputs:\n").expect("inputs");
        let depth = inputs.len() - inputs.trim_start().len();
        let of_inputs = inputs.lines().take_while(|line| line.starts_with(&" ".repeat(depth)));
        let is_name = |line: &&str| !line[depth..].starts_with(' ');
        of_inputs.filter(is_name).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(inputs(&workflow), inputs(&action));
    assert!(inputs(&action).len() > 3);
    let installer = disk::read(&root.join("scripts/install.sh"));
    let digest = aos::verify::Sha256::of(installer.as_bytes()).to_string();
    assert!(workflow.contains(&format!("INSTALLER_SHA256: {digest}\n")), "{digest}");
    let address = format!("/releases/download/v{}/install.sh\n", env!("CARGO_PKG_VERSION"));
    assert!(workflow.contains(&address), "{address}");
}
