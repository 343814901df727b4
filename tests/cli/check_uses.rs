//! A generated module and the runtime may be used in known ways only, must be where the tool loads them, and no copy of
//! them is left uncompared: whatever else a project holds is found by `check` and `gen --check`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::Sandbox;

const PACKAGE: &str = "agent-harness/aos_acme";
const MODULE: &str = "agent-harness/aos_acme/contract_gen.py";
const RUNTIME: &str = "agent-harness/aos_acme/_runtime";
const SWAP: &str =
    "{k: {**v, 'required_mode': 'readonly'} for k, v in contract_gen.COMMANDS.items()}";

fn project(template: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--template", template]).data();
    let project = PathBuf::from(data["path"].as_str().unwrap());
    assert_eq!(findings(&sandbox, &project), [""; 0]);
    (sandbox, project)
}

fn put(project: &Path, path: &str, text: &str) {
    let place = project.join(path);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
}

/// Every finding as `rule path`; both commands agree that there are some or none.
fn findings(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let answer = sandbox.aos_in(project, &["check"]).json();
    let data = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    let found = data["projects"][0]["findings"].as_array().unwrap().clone();
    let generated = sandbox.aos_in(project, &["gen", "--check"]);
    assert_eq!(generated.exit == Some(0), answer["ok"] == true, "{found:#?}");
    let text = |found: &serde_json::Value, name: &str| found[name].as_str().unwrap().to_owned();
    let others = found.iter().filter(|found| found["rule"] != "version/day");
    others.map(|found| format!("{} {}", text(found, "rule"), text(found, "path"))).collect()
}

#[track_caller]
fn has(sandbox: &Sandbox, project: &Path, wanted: &str) {
    let found = findings(sandbox, project);
    assert!(found.iter().any(|found| found == wanted), "{wanted}: {found:#?}");
}

#[test]
fn python_code_that_passes_stores_or_renames_the_module_is_found() {
    let (sandbox, project) = project("connector-python");
    let initial = format!("{PACKAGE}/__init__.py");
    let good = disk::read(&project.join(&initial));
    for (rule, code) in [
        ("amended", "from . import contract_gen\ncontract_gen \\\n  .COMMANDS = SWAP\n"),
        ("amended", "import os; from . import contract_gen as c; c.COMMANDS = {}\n"),
        ("amended", "from . import contract_gen\nt = [contract_gen]\nt[0].COMMANDS = SWAP\n"),
        ("amended", "from . import contract_gen as c\ndef f(c=c): c.COMMANDS = {}\nf()\n"),
        (
            "amended",
            "from . import contract_gen\nx = f'{contract_gen.__dict__.update(COMMANDS=1)}'\n",
        ),
        ("amended", "# note\rfrom . import contract_gen\rcontract_gen.COMMANDS = SWAP\n"),
        ("amended", "from ._runtime import cli\ncli.check_permission = lambda run, call: None\n"),
        ("amended", "from ._runtime.client import Client\nClient.send = None\n"),
        ("shadowed", "from sys import modules\nmodules['x'] = 1\n"),
        ("shadowed", "__spec__.submodule_search_locations.insert(0, 'alt')\n"),
        (
            "shadowed",
            "from importlib.machinery import SourceFileLoader\nSourceFileLoader.get_data = 1\n",
        ),
    ] {
        put(&project, &initial, &format!("{good}\n{}", code.replace("SWAP", SWAP)));
        has(&sandbox, &project, &format!("drift/{rule} {initial}"));
    }
    let named = format!("{PACKAGE}/test_values.py");
    put(&project, &named, "from . import contract_gen\ncontract_gen.COMMANDS = {}\n");
    put(&project, &initial, &format!("{good}\n"));
    assert_eq!(findings(&sandbox, &project), [""; 0], "nothing imports the test");
    put(&project, &initial, &format!("{good}\nfrom . import test_values\n"));
    has(&sandbox, &project, &format!("drift/amended {named}"));
    std::fs::remove_file(project.join(named)).unwrap();
    let ordinary = "\nfrom . import contract_gen\nfrom ._runtime import cli\n\nNAMES = sorted(vars(contract_gen))\n\
        TOOL = getattr(contract_gen, 'TOOL')\nRUN = cli.main\ntext = f'{contract_gen.TOOL=}'\n";
    put(&project, &initial, &format!("{good}{ordinary}"));
    put(
        &project,
        "agent-harness/tests/helpers.py",
        "from aos_acme import contract_gen\n\ndef names():\n    return check(contract_gen)\n",
    );
    assert_eq!(findings(&sandbox, &project), [""; 0]);
}

#[test]
fn files_that_are_loaded_for_the_module_or_the_runtime_are_found() {
    let (sandbox, project) = project("connector-python");
    disk::append(&project.join(".gitignore"), "\ncli/\n*.so\n*.pyc\n");
    let alone = format!("{PACKAGE}/hooks.pyc");
    for (path, wanted) in [
        (alone.as_str(), format!("drift/shadowed {alone}")),
        (&format!("{RUNTIME}/cli/__init__.py"), format!("drift/shadowed {RUNTIME}/cli")),
        (&format!("{RUNTIME}/cli.abi3.so"), format!("drift/shadowed {RUNTIME}/cli.abi3.so")),
        (
            &format!("{PACKAGE}/alt/contract_gen.py"),
            format!("drift/stray-module {PACKAGE}/alt/contract_gen.py"),
        ),
        ("agent-harness/setup.py", "drift/shadowed agent-harness/setup.py".to_owned()),
    ] {
        put(
            &project,
            path,
            "from setuptools import setup\nsetup(package_dir={'aos_acme': 'other'})\n",
        );
        has(&sandbox, &project, &wanted);
        std::fs::remove_file(project.join(path)).unwrap();
        let _ = std::fs::remove_dir(project.join(path).parent().unwrap());
    }
    assert_eq!(findings(&sandbox, &project), [""; 0]);
    let settings = project.join("agent-harness/pyproject.toml");
    disk::append(&settings, "\n[tool.setuptools.package-dir]\naos_acme = \"other\"\n");
    has(&sandbox, &project, "drift/shadowed agent-harness/pyproject.toml");
}

#[test]
fn the_tool_must_load_the_module_that_the_record_names() {
    for generator in ["python", "permissions"] {
        let (sandbox, project) = project("connector-python");
        let path = if generator == "python" { MODULE } else { "agent-harness/permissions.json" };
        disk::edit(&project.join("aos.toml"), &format!("{generator} = [\"{path}\"]\n"), "");
        let lock = project.join(".agent/spec.lock");
        let text = disk::read(&lock);
        let kept = text.lines().filter(|line| !line.starts_with(&format!("\"{path}\"")));
        std::fs::write(&lock, kept.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        if generator == "python" {
            put(&project, MODULE, "COMMANDS = {}\n");
        }
        has(&sandbox, &project, &format!("drift/stray-module {path}"));
    }
    let (sandbox, moved) = project("connector-python");
    disk::edit(&moved.join("aos.toml"), MODULE, "docs/contract_gen.py");
    sandbox.aos_in(&moved, &["gen"]);
    has(&sandbox, &moved, &format!("drift/stray-module {MODULE}"));

    let (sandbox, project) = project("connector-python");
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(project.join(RUNTIME)).arg(project.join("docs/_runtime"));
    assert!(copy.status().unwrap().success());
    for path in ["aos.toml", ".agent/spec.lock"] {
        let text = disk::read(&project.join(path)).replace(RUNTIME, "docs/_runtime");
        std::fs::write(project.join(path), text).unwrap();
    }
    let found = findings(&sandbox, &project);
    for path in [RUNTIME, "docs/_runtime"] {
        assert!(found.contains(&format!("drift/stray-module {path}")), "{path}: {found:#?}");
    }
}

#[cfg(unix)]
#[test]
fn special_bits_and_writes_below_the_root_are_found() {
    let (sandbox, project) = project("connector-python");
    for mode in [0o4644, 0o2644, 0o1644] {
        disk::set_mode(&project.join(MODULE), mode);
        has(&sandbox, &project, &format!("drift/mode {MODULE}"));
    }
    disk::set_mode(&project.join(MODULE), 0o644);
    for name in [".aos-transaction", ".aos-draft-0123456789abcdef"] {
        put(&project, &format!("agent-harness/{name}/journal.json"), "{}");
        let answer = sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6).to_string();
        assert!(answer.contains(&format!("agent-harness/{name}")), "{answer}");
        std::fs::remove_dir_all(project.join("agent-harness").join(name)).unwrap();
    }
    assert_eq!(findings(&sandbox, &project), [""; 0]);
}

#[test]
fn go_code_and_flags_that_change_or_replace_the_tables_are_found() {
    let (sandbox, project) = project("cli-go");
    let source = "internal/commands/zz.go";
    for code in [
        "func init() {\n\tfor _, m := range []map[string]contract.CodeSpec{contract.Codes} {\n\t\tm[\"E_IO\"] = contract.CodeSpec{}\n\t}\n}",
        "func table() map[string]contract.CodeSpec { return contract.Codes }",
        "func init() {\n\tfunc(m map[string]contract.CodeSpec) { clear(m) }(contract.Codes)\n}",
    ] {
        let text = format!(
            "package commands\n\nimport \"github.com/example/acme/internal/contract\"\n\n{code}\n"
        );
        put(&project, source, &text);
        has(&sandbox, &project, &format!("drift/amended {source}"));
    }
    std::fs::remove_file(project.join(source)).unwrap();
    for (path, text) in [
        ("Makefile", "\nbuild:\n\tgo build \\\n\t\t-overlay o.json ./...\n"),
        ("build.mk", "FLAGS := -toolexec=./swap.sh\n"),
        ("alt/go.mod", "module github.com/example/acme\n"),
    ] {
        let good = std::fs::read(project.join(path)).ok();
        put(&project, path, text);
        has(&sandbox, &project, &format!("drift/shadowed {path}"));
        match good {
            Some(bytes) => std::fs::write(project.join(path), bytes).unwrap(),
            None => std::fs::remove_file(project.join(path)).unwrap(),
        }
    }
    assert_eq!(findings(&sandbox, &project), [""; 0]);
}
