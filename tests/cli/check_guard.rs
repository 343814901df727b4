//! The guard in CI and in .gitattributes: switched off in any way, `check` says so, in every family.

use std::path::{Path, PathBuf};

use super::sandbox::Sandbox;

const TEMPLATES: &[&str] = &[
    "connector-python",
    "cli-go",
    "cli-python",
    "agent-adapter",
    "augmentor-python",
    "augmentor-node",
];
const WORKFLOW: &str = ".github/workflows/ci.yml";

fn project(template: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--template", template, "--no-git"]).data();
    (sandbox, PathBuf::from(data["path"].as_str().unwrap()))
}

/// The findings of the guard, as `severity rule path`.
#[track_caller]
fn guard(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let run = sandbox.aos_in(project, &["check"]);
    let envelope = run.json();
    let data =
        if envelope["ok"] == true { &envelope["data"] } else { &envelope["error"]["details"] };
    let findings = data["projects"][0]["findings"].as_array().unwrap().iter();
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings
        .filter(|finding| finding["rule"].as_str().unwrap().starts_with("guard/"))
        .map(|finding| ["severity", "rule", "path"].map(|key| text(finding, key)).join(" "))
        .collect()
}

fn edit(project: &Path, path: &str, change: impl Fn(&str) -> String) {
    let place = project.join(path);
    let text = std::fs::read_to_string(&place).unwrap();
    let changed = change(&text);
    assert_ne!(changed, text, "the case changes nothing");
    std::fs::write(place, changed).unwrap();
}

#[test]
fn in_every_template_a_guard_that_is_off_is_found() {
    for template in TEMPLATES {
        let (sandbox, project) = project(template);
        assert_eq!(guard(&sandbox, &project), [""; 0], "{template}");
        let good = std::fs::read_to_string(project.join(WORKFLOW)).unwrap();
        let ignored = format!("error guard/ignored {WORKFLOW}");
        let off = format!("error guard/switched-off {WORKFLOW}");
        let step = "run: aos check\n";
        for (from, to) in [
            (step, "run: aos check || true\n"),
            (step, "run: aos check | tee check.log\n"),
            (step, "run: |\n          set +e\n          aos check\n          echo done\n"),
            (step, "continue-on-error: true\n        run: aos check\n"),
            (step, "if: false\n        run: aos check\n"),
            (step, "working-directory: /tmp\n        run: aos check\n"),
            (step, "run: |\n          exit 0\n          aos check\n"),
            (step, "run: |\n          aos() { true; }\n          aos check\n"),
            (step, "run: |\n          cd /tmp\n          aos check\n"),
            ("  pull_request:\n", "  workflow_dispatch:\n"),
            ("  pull_request:\n", "  pull_request:\n    paths: [docs/**]\n"),
            ("  pull_request:\n", "  pull_request:\n    paths-ignore: [contract/**]\n"),
        ] {
            // A trigger is one of two.
            let text = good.replace("  push:\n    branches: [main]\n", "");
            let text = if from == step { &good } else { &text };
            assert!(text.contains(from), "{template}: {from}");
            std::fs::write(project.join(WORKFLOW), text.replace(from, to)).unwrap();
            let expected = if from == step { &ignored } else { &off };
            assert_eq!(guard(&sandbox, &project), [expected.as_str()], "{template}: {to}");
        }
        // A workflow that runs only for releases does not check changes, so it does not count.
        std::fs::write(project.join(WORKFLOW), good.replace(step, "run: go version\n")).unwrap();
        let release = project.join(".github/workflows/release.yml").exists();
        let at = if release { ".github/workflows/release.yml" } else { "." };
        assert_eq!(
            guard(&sandbox, &project),
            [format!("warning guard/not-in-ci {at}")],
            "{template}"
        );
        std::fs::write(project.join(WORKFLOW), &good).unwrap();

        for line in
            ["* text eol=crlf", "*.json filter=lfs", "contract/** working-tree-encoding=UTF-16"]
        {
            let attributes = std::fs::read_to_string(project.join(".gitattributes")).unwrap();
            edit(&project, ".gitattributes", |text| format!("{text}\n{line}\n"));
            let found = guard(&sandbox, &project);
            assert_eq!(found, ["error guard/rewritten .gitattributes"], "{template}: {line}");
            std::fs::write(project.join(".gitattributes"), attributes).unwrap();
        }
        std::fs::remove_file(project.join(".gitattributes")).unwrap();
        assert_eq!(guard(&sandbox, &project), ["warning guard/line-endings .gitattributes"]);
    }
}

#[test]
fn a_call_through_a_script_or_another_ci_counts() {
    let (sandbox, project) = project("augmentor-node");
    let good = std::fs::read_to_string(project.join(WORKFLOW)).unwrap();
    let put = |path: &str, text: &str| {
        let place = project.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    };
    let with =
        |run: &str| put(WORKFLOW, &good.replace("run: aos check\n", &format!("run: {run}\n")));
    put("scripts/ci.sh", "#!/bin/sh\nset -e\naos check\necho done\n");
    put("Makefile", "all: lint guard\nlint:\n\techo\nguard:\n\t@aos check\n");
    for run in ["./scripts/ci.sh", "sh scripts/ci.sh", "make", "make guard", "make lint all"] {
        with(run);
        assert_eq!(guard(&sandbox, &project), [""; 0], "{run}");
    }
    for run in ["make lint", "echo aos check"] {
        with(run);
        assert_eq!(guard(&sandbox, &project), ["warning guard/not-in-ci ."], "{run}");
    }
    let ignored = format!("error guard/ignored {WORKFLOW}");
    with("make guard || true");
    assert_eq!(guard(&sandbox, &project), [ignored.as_str()]);
    put("Makefile", "guard:\n\t-aos check\n");
    with("make guard");
    assert_eq!(guard(&sandbox, &project), [ignored.as_str()]);
    // One call that counts is enough, in any CI.
    put(".gitlab-ci.yml", "check:\n  script:\n    - aos check\n");
    assert_eq!(guard(&sandbox, &project), [""; 0]);
    std::fs::remove_file(project.join(WORKFLOW)).unwrap();
    put(".gitlab-ci.yml", "check:\n  allow_failure: true\n  script:\n    - aos check\n");
    assert_eq!(guard(&sandbox, &project), ["error guard/ignored .gitlab-ci.yml"]);
}

#[test]
fn the_repository_above_a_project_counts() {
    let (sandbox, project) = project("augmentor-node");
    let top = project.parent().unwrap();
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(top).status();
    assert!(git.unwrap().success());
    std::fs::rename(project.join(".github"), top.join(".github")).unwrap();
    std::fs::rename(project.join(".gitattributes"), top.join(".gitattributes")).unwrap();
    assert_eq!(guard(&sandbox, &project), [""; 0]);
    edit(top, WORKFLOW, |text| text.replace("run: aos check\n", "run: aos check; true &\n"));
    edit(top, WORKFLOW, |text| text.replace("run: aos check;", "run: aos check &"));
    edit(top, ".gitattributes", |text| format!("{text}*.json eol=crlf\n"));
    let mut found = guard(&sandbox, &project);
    found.sort();
    let expected = [
        "error guard/ignored ../.github/workflows/ci.yml",
        "error guard/rewritten ../.gitattributes",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_guard_that_other_parts_of_the_workflow_keep_from_running_is_found() {
    let (sandbox, project) = project("augmentor-node");
    let good = std::fs::read_to_string(project.join(WORKFLOW)).unwrap();
    let put = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        std::fs::write(project.join(WORKFLOW), good.replace(from, to)).unwrap();
    };
    let ignored = format!("error guard/ignored {WORKFLOW}");
    let elsewhen = format!("warning guard/not-in-ci {WORKFLOW}");
    let step = "run: aos check\n";
    for condition in
        ["github.event_name == 'schedule'", "${{ github.actor == 0 }}", "vars.A == 'b'"]
    {
        put(step, &format!("if: {condition}\n        run: aos check\n"));
        assert_eq!(guard(&sandbox, &project), [elsewhen.as_str()], "{condition}");
    }
    for condition in ["github.event_name == 'push'", "always()", "github.actor != 'a[bot]'"] {
        put(step, &format!("if: {condition}\n        run: aos check\n"));
        assert_eq!(guard(&sandbox, &project), [""; 0], "{condition}");
    }
    let gate =
        "jobs:\n  gate:\n    if: false\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo\n";
    let needs = good.replace("    runs-on:", "    needs: gate\n    runs-on:");
    std::fs::write(project.join(WORKFLOW), needs.replace("jobs:\n", gate)).unwrap();
    assert_eq!(guard(&sandbox, &project), [ignored.as_str()]);
    std::fs::write(
        project.join(WORKFLOW),
        needs.replace("jobs:\n", &gate.replace("if: false", "timeout-minutes: 5")),
    )
    .unwrap();
    assert_eq!(guard(&sandbox, &project), [""; 0]);
    // If it is unknown whether the needed job runs, it is also unknown whether this one runs.
    let unknown = gate.replace("if: false", "if: vars.A == 'b'");
    std::fs::write(project.join(WORKFLOW), needs.replace("jobs:\n", &unknown)).unwrap();
    assert_eq!(guard(&sandbox, &project), [elsewhen.as_str()]);
    // Conditions of other systems are not expressions of GitHub.
    std::fs::remove_file(project.join(WORKFLOW)).unwrap();
    let travis = project.join(".travis.yml");
    std::fs::write(
        &travis,
        "jobs:\n  include:\n    - if: branch = main\n      script: aos check\n",
    )
    .unwrap();
    assert_eq!(guard(&sandbox, &project), [""; 0]);
    std::fs::remove_file(travis).unwrap();
    let push = "  push:\n    branches: [main]\n";
    assert!(good.contains(push));
    let only =
        good.replace("  pull_request:\n", "").replace(push, "  push:\n    branches: [never]\n");
    std::fs::write(project.join(WORKFLOW), only).unwrap();
    assert_eq!(guard(&sandbox, &project), [elsewhen.as_str()]);
}

#[test]
fn a_workflow_that_was_deleted_is_an_error_where_that_is_certain() {
    let sandbox = Sandbox::new();
    let git = |project: &Path, arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(arguments).current_dir(project).env("HOME", sandbox.work());
        assert!(git.status().unwrap().success(), "{arguments:?}");
    };
    for template in TEMPLATES {
        let name = format!("acme{}", template.replace('-', ""));
        let data = sandbox.aos(&["new", &name, "--template", template]).data();
        let project = PathBuf::from(data["path"].as_str().unwrap());
        git(&project, &["add", "-A"]);
        // A sparse checkout has not every file.
        std::fs::rename(project.join(".github"), project.join("aside")).unwrap();
        assert_eq!(guard(&sandbox, &project), ["warning guard/not-in-ci ."], "{template}");
        std::fs::rename(project.join("aside"), project.join(".github")).unwrap();
        git(&project, &["rm", "-q", "-f", WORKFLOW]);
        assert_eq!(guard(&sandbox, &project), ["error guard/switched-off ."], "{template}");
        if template != &"cli-go" {
            continue;
        }
        let put = |path: &str, text: &str| {
            let place = project.join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        };
        // Others may run it where nothing here can see it.
        put(".gitlab-ci.yml", "include:\n  - project: example/ci\n    file: check.yml\n");
        assert!(!guard(&sandbox, &project)[0].starts_with("error"), "{template}");
        std::fs::remove_file(project.join(".gitlab-ci.yml")).unwrap();
        let workflow =
            "on: [push]\njobs:\n  check:\n    runs-on: ubuntu-24.04\n    steps:\n      - STEP\n";
        put(
            WORKFLOW,
            &workflow.replace("STEP", &format!("uses: ArgentAIOS/aos@{}", "1".repeat(40))),
        );
        assert_eq!(guard(&sandbox, &project), [""; 0]);
        put("tools/aos", "#!/bin/sh\nexit 0\n");
        for step in ["run: ./tools/aos check", "run: PATH=$PWD/tools:$PATH aos check"] {
            put(WORKFLOW, &workflow.replace("STEP", step));
            assert_eq!(guard(&sandbox, &project), [format!("error guard/ignored {WORKFLOW}")]);
        }
        put("tools/aos", "#!/bin/sh\nexec tools/aos-1 \"$@\"\n");
        assert_eq!(guard(&sandbox, &project), [""; 0]);
        std::fs::remove_file(project.join(WORKFLOW)).unwrap();
        let waiver = "\n[[waivers]]\nrule = \"guard/switched-off\"\npath = \".\"\nreason = \"the CI of the organisation\"\n";
        super::disk::append(&project.join("aos.toml"), waiver);
        assert_eq!(guard(&sandbox, &project), [""; 0]);
    }
}
