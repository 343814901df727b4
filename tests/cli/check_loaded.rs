//! `check` reads everything that a tool loads: a file that was not read, has another name, or is written by a build
//! cannot replace a generated module unnoticed. Files of editors do not count.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::Sandbox;

const PACKAGE: &str = "agent-harness/aos_acme";
const CHANGE: &str = "from . import contract_gen\ncontract_gen.COMMANDS = {}\n";

fn project(template: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--template", template]).data();
    let project = PathBuf::from(data["path"].as_str().unwrap());
    assert_eq!(findings(&sandbox, &project), [""; 0], "{template}");
    (sandbox, project)
}

/// Errors as `rule path`.
fn findings(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let answer = sandbox.aos_in(project, &["check"]).json();
    let data = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    let found = data["projects"][0]["findings"].as_array().unwrap().iter();
    let errors = found.filter(|finding| finding["severity"] == "error");
    let text = |found: &serde_json::Value, name: &str| found[name].as_str().unwrap().to_owned();
    errors.map(|found| format!("{} {}", text(found, "rule"), text(found, "path"))).collect()
}

fn put(project: &Path, path: &str, text: impl AsRef<[u8]>) {
    let place = project.join(path);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
}

/// Puts a file, expects the finding, and takes the file away again.
#[track_caller]
fn refused(sandbox: &Sandbox, project: &Path, rule: &str, path: &str, text: impl AsRef<[u8]>) {
    let place = project.join(path);
    let good = std::fs::read(&place).ok();
    put(project, path, text);
    let found = findings(sandbox, project);
    assert!(found.contains(&format!("{rule} {path}")), "{rule} {path}: {found:#?}");
    match good {
        Some(bytes) => std::fs::write(place, bytes).unwrap(),
        None => std::fs::remove_file(place).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn a_source_that_was_not_read_is_an_error_in_every_language() {
    use std::os::unix::fs::symlink;
    let large = format!("{CHANGE}#{}", "x".repeat(2 * 1024 * 1024));
    for (template, source) in [
        ("connector-python", format!("{PACKAGE}/values.py")),
        ("cli-python", "acme/values.py".to_owned()),
        ("cli-go", "internal/contract/values.go".to_owned()),
        ("augmentor-node", "src/values.js".to_owned()),
    ] {
        let (sandbox, project) = project(template);
        let waiver = format!(
            "\n[[waivers]]\nrule = \"layout/unreadable\"\npath = \"{source}\"\nreason = \"large\"\n"
        );
        disk::append(&project.join("aos.toml"), &waiver);
        refused(&sandbox, &project, "project/not-read", &source, &large);
        put(&project, "values.txt", "");
        symlink(project.join("values.txt"), project.join(&source)).unwrap();
        let found = findings(&sandbox, &project);
        assert!(found.contains(&format!("project/not-read {source}")), "{found:#?}");
        std::fs::remove_file(project.join(&source)).unwrap();
        if template != "cli-go" {
            refused(&sandbox, &project, "project/not-read", &source, b"# \xe9\n");
        }
    }
    // Python decodes what a source declares, and runs what it then reads.
    let (sandbox, project) = project("connector-python");
    let hidden = CHANGE.replace('_', "+AF8-").replace('=', "+AD0-");
    let source = format!("{PACKAGE}/values.py");
    let text = format!("# coding: utf-7\n{hidden}");
    refused(&sandbox, &project, "project/not-read", &source, text);
    put(&project, &source, "# -*- coding: utf-8 -*-\nX = 1\n");
    symlink("values.py", project.join(PACKAGE).join("same.py")).unwrap();
    put(&project, "agent-harness/tests/data.py", b"# \xe9\n");
    assert!(!findings(&sandbox, &project).iter().any(|found| found.starts_with("project/")));
}

#[test]
fn a_name_that_python_finds_before_the_module_is_an_error() {
    let (sandbox, project) = project("connector-python");
    let initial = format!("{PACKAGE}/__init__.py");
    let good = disk::read(&project.join(&initial));
    let shown = |code: &str| {
        put(&project, &initial, format!("{good}\n{code}"));
        let mut python = Command::new("python3");
        let show = "from aos_acme import contract_gen as c; print(type(c).__name__)";
        python.args(["-B", "-c", show]).current_dir(project.join("agent-harness"));
        String::from_utf8(python.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    assert_eq!(shown(""), "module");
    for code in [
        "for contract_gen in [1]:\n    pass\n",
        "globals()['contract' + '_gen'] = 1\n",
        "def __getattr__(name):\n    return 1\n",
    ] {
        assert_eq!(shown(code), "int", "Python takes it: {code}");
        refused(&sandbox, &project, "drift/shadowed", &initial, format!("{good}\n{code}"));
    }
    put(
        &project,
        &initial,
        format!("{good}\ndef __getattr__(name):\n    raise AttributeError(name)\n"),
    );
    assert_eq!(findings(&sandbox, &project), [""; 0]);
    put(&project, &initial, &good);
    for path in [&format!("{PACKAGE}/__init__.abi3.so"), "aos_acme.py", "src/aos_acme.py"] {
        refused(&sandbox, &project, "drift/shadowed", path, "");
    }
    let script = "#!/usr/bin/env python3\nimport aos_acme.contract_gen as c\nc.COMMANDS = {}\n";
    refused(&sandbox, &project, "drift/amended", "agent-harness/bin/acme", script);
    let archive = format!("{good}\nimport sys\nsys.path.insert(0, 'alt.zip')\n");
    refused(&sandbox, &project, "drift/shadowed", &initial, archive);
    for path in ["AOS.toml", ".AOS-Transaction/journal.json", "Connector.json"] {
        let place = path.split('/').next().unwrap();
        put(&project, path, "");
        let found = findings(&sandbox, &project);
        assert!(found.contains(&format!("drift/case {place}")), "{path}: {found:#?}");
        std::fs::remove_file(project.join(path)).unwrap();
        let _ = std::fs::remove_dir(project.join(place));
    }
    // Files of editors and systems are left beside any file.
    for name in ["._cli.py", ".cli.py.swp", "cli.py~", ".DS_Store"] {
        put(&project, &format!("{PACKAGE}/_runtime/{name}"), "");
    }
    assert_eq!(findings(&sandbox, &project), [""; 0]);
}

#[test]
fn a_build_or_a_package_that_changes_what_the_module_says_is_an_error() {
    let (sandbox, go) = project("cli-go");
    let module = "internal/contract/contract_gen.go";
    for (rule, path, text) in [
        (
            "drift/amended",
            "internal/contract/words.go",
            "package contract\n\nconst true = false\n".to_owned(),
        ),
        ("drift/shadowed", "build.mk", format!("all:\n\tcp alt.txt {module}\n")),
        ("drift/shadowed", "build.sh", "sed -i s/a/b/ internal/contract/*.go\n".to_owned()),
        ("drift/shadowed", "tools.go", format!("package tools\n\n//go:generate cp alt {module}\n")),
    ] {
        refused(&sandbox, &go, rule, path, text);
    }
    put(&go, "build.mk", format!("all:\n\tgofmt -l {module}\n\tcp {module} /tmp\n"));
    put(
        &go,
        "internal/contract/own.go",
        "package contract\n\nfunc is(true bool) bool { return true }\n",
    );
    assert_eq!(findings(&sandbox, &go), [""; 0]);

    let (sandbox, node) = project("augmentor-node");
    for (rule, path, text) in [
        (
            "drift/shadowed",
            "patch.mjs",
            "import fs from 'node:fs';\nfs.writeFileSync('src/contract_gen.js', '');\n",
        ),
        ("drift/shadowed", "Makefile", "all:\n\tcp alt.js src/contract_gen.js\n"),
        ("drift/amended", "src/early.js", "const o = Object;\no.freeze = (value) => value;\n"),
    ] {
        refused(&sandbox, &node, rule, path, text);
    }
    put(&node, "start.sh", "node --loader ./hooks.mjs src/index.js\n");
    let hooks = "export async function resolve(name, context, next) { return next('./other.js', context); }\n";
    refused(&sandbox, &node, "drift/shadowed", "hooks.mjs", hooks);
    put(&node, "start.sh", "node src/index.js\n");
    put(&node, "hooks.mjs", hooks);
    assert_eq!(findings(&sandbox, &node), [""; 0]);
}
