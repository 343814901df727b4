//! Launchers, settings and code that put something else in place of a generated module without naming its file: each is
//! found, and the usual settings beside them are not.

use std::path::Path;

use super::check_changes::{found, project, put};
use super::disk;

/// Puts a file into the project, sees which finding it makes, and takes it away again.
#[track_caller]
fn finds(sandbox: &super::sandbox::Sandbox, project: &Path, rule: &str, path: &str, text: &str) {
    let place = project.join(path);
    let before = std::fs::read(&place).ok();
    let old = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
    put(project, path, &format!("{old}{text}"));
    // One for each generated module that the file can replace.
    let mut found = found(sandbox, project);
    found.dedup();
    assert_eq!(found, [format!("{rule} {path}")], "{path}: {text}");
    match before {
        Some(bytes) => std::fs::write(&place, bytes).unwrap(),
        None => std::fs::remove_file(&place).unwrap(),
    }
}

#[test]
fn code_that_changes_python_itself_is_found() {
    let (sandbox, project) = project("connector-python");
    let api = "agent-harness/aos_acme/api.py";
    for code in [
        "\nimport builtins\nbuiltins.frozenset = set\n",
        "\n__builtins__['dict'] = list\n",
        "\nimport types as t\nt.__dict__['MappingProxyType'] = dict\n",
        "\nimport importlib.util as u\nu.decode_source = lambda b: ''\n",
        "\nimport ctypes\nctypes.py_object.from_address(id(print) + 16).value.clear()\n",
    ] {
        finds(&sandbox, &project, "drift/amended", api, code);
    }
    let launcher = "agent-harness/run.sh";
    let code = "exec python3 -c 'import aos_acme.contract_gen as c; c.COMMANDS = {}'\n";
    finds(&sandbox, &project, "drift/amended", launcher, code);
    finds(&sandbox, &project, "drift/shadowed", "agent-harness/python311._pth", ".\nalt\n");
    put(
        &project,
        launcher,
        "exec python3 -c 'import aos_acme.contract_gen as c; print(c.MODES)'\n",
    );
    put(&project, "agent-harness/aos_acme/more.py", "import builtins\nbuiltins._ = str\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
}

#[test]
fn patched_packages_toolchains_and_settings_of_every_language_are_found() {
    let (sandbox, project) = project("cli-go");
    for output in ["rust = [\"rs/src/contract_gen.rs\"]", "typescript = [\"web/contract_gen.ts\"]"]
    {
        disk::add_output(&project, output);
    }
    sandbox.aos_in(&project, &["gen"]).data();
    put(&project, "rs/Cargo.toml", "[package]\nname = \"acme-rs\"\nversion = \"0.1.0\"\n");
    put(&project, "web/main.ts", "import { CODES } from \"@c/contract_gen\";\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
    for (path, text) in [
        ("Cargo.toml", "[patch.crates-io]\nacme-rs = { path = \"alt\" }\n"),
        ("Cargo.toml", "[replace]\n\"acme-rs:0.1.0\" = { path = \"alt\" }\n"),
        (".cargo/config.toml", "paths = [\"alt\"]\n"),
        ("build.sh", "GOROOT=./alt go build ./...\n"),
        (
            "web/tsconfig.app.json",
            "{\n// here\n\"compilerOptions\": {\"paths\": {\"@c/*\": [\"./alt/*\"],}}}\n",
        ),
        ("web/pre.cjs", "const M = require('node:module');\nM.wrap = (code) => code;\n"),
    ] {
        finds(&sandbox, &project, "drift/shadowed", path, text);
    }
    put(&project, "Cargo.toml", "[patch.crates-io]\nserde = { path = \"vendor/serde\" }\n");
    put(&project, "build.sh", "GOROOT=$(go env GOROOT) GOWORK=off go build ./...\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
}

#[test]
fn aliases_and_changed_prototypes_of_javascript_are_found() {
    let (sandbox, project) = project("cli-go");
    disk::add_output(&project, "typescript = [\"web/src/contract_gen.ts\"]");
    sandbox.aos_in(&project, &["gen"]).data();
    put(&project, "web/src/alt.ts", "export const CODES = {};\n");
    put(&project, "web/src/main.ts", "import { CODES } from \"#codes\";\nconsole.log(CODES);\n");
    put(&project, "web/alt/contract_gen.ts", "export const CODES = {};\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
    for (path, text) in [
        ("web/package.json", "{\"imports\": {\"#codes\": \"./src/alt.ts\"}}"),
        ("web/package.json", "{\"exports\": {\"./*\": \"./alt/*.ts\"}}"),
        (
            "web/tsconfig.json",
            "{\"compilerOptions\": {\"paths\": {\"#codes\": [\"./src/alt.ts\"],},}}",
        ),
    ] {
        finds(&sandbox, &project, "drift/shadowed", path, text);
    }
    for code in [
        "Array.prototype.includes = () => true;\n",
        "(Set.prototype as any).has = () => true;\n",
        "Object.defineProperty(Map.prototype, 'get', { value: () => 1 });\n",
        "(Object as any)['fre' + 'eze'] = (x: unknown) => x;\n",
        "(globalThis as any)['Ob' + 'ject'] = {};\n",
    ] {
        finds(&sandbox, &project, "drift/amended", "web/src/pre.ts", code);
    }
    put(&project, "web/package.json", "{\"imports\": {\"#codes\": \"./src/contract_gen.ts\"}}");
    put(&project, "web/src/own.ts", "export const keys = Object.keys({}).sort();\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
}

#[test]
fn compilers_includes_and_build_scripts_of_rust_are_found() {
    let (sandbox, project) = project("cli-go");
    disk::add_output(&project, "rust = [\"rs/src/contract_gen.rs\"]");
    sandbox.aos_in(&project, &["gen"]).data();
    put(&project, "rs/Cargo.toml", "[package]\nname = \"acme-rs\"\nbuild = \"tools/make.rs\"\n");
    put(&project, "rs/src/lib.rs", "pub mod contract_gen;\n");
    put(&project, "rs/src/x.inc", "pub mod contract_gen { }\n");
    let ignore = project.join(".gitignore");
    let text = disk::read(&ignore);
    std::fs::write(&ignore, format!("{text}\n/rs/.cargo/\n")).unwrap();
    assert_eq!(found(&sandbox, &project), [""; 0]);
    let wrapper = "[build]\nrustc-wrapper = \"tools/wrap.sh\"\n";
    for (path, text) in [
        (".cargo/config.toml", wrapper),
        ("rs/.cargo/config.toml", wrapper),
        ("rs/.cargo/config", "build = { rustc = \"./rustc\" }\n"),
        ("build.sh", "RUSTC_WORKSPACE_WRAPPER=./wrap.sh cargo build\n"),
        ("rust-toolchain.toml", "[toolchain]\npath = \"./toolchain\"\n"),
        ("rs/src/more.rs", "include!(\"x.inc\");\n"),
        ("rs/src/more.rs", "#[path = \"other.rs\"]\nmod contract_gen;\n"),
        (
            "rs/tools/make.rs",
            "fn main() { std::fs::write(format!(\"src/{}\", name()), \"\").unwrap(); }\n",
        ),
    ] {
        finds(&sandbox, &project, "drift/shadowed", path, text);
    }
    put(&project, "build.sh", "RUSTC_WRAPPER=sccache cargo build\n");
    put(&project, "rs/src/more.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/bindings.rs\"));\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
}

#[test]
fn equal_files_of_a_fleet_are_judged_by_the_project_that_they_are_in() {
    let sandbox = super::sandbox::Sandbox::new();
    for name in ["one", "two", "three", "four"] {
        sandbox.aos(&["new", name, "--no-git"]).data();
    }
    let fleet = sandbox.work();
    let of = |name: &str| fleet.join(format!("aos-{name}"));
    // The same file in all of them: in one it changes what another file of the project imports.
    let code = "from . import given\ngiven.COMMANDS = {}\n";
    let harness = |name: &str| format!("agent-harness/aos_{name}");
    for name in ["one", "two", "three", "four"] {
        put(&of(name), &format!("{}/uses.py", harness(name)), code);
        let given =
            if name == "three" { "from .contract_gen import COMMANDS\n" } else { "COMMANDS = 1\n" };
        put(&of(name), &format!("{}/given.py", harness(name)), given);
    }
    let runtime = format!("{}/_runtime/text.py", harness("four"));
    let text = disk::read(&of("four").join(&runtime));
    put(&of("four"), &runtime, &format!("{text}# changed\n"));
    let answer =
        sandbox.aos_in(&fleet, &["check", "--recursive", ".", "--diff"]).error("E_DRIFT", 6);
    let projects = answer["details"]["projects"].as_array().unwrap();
    let errors = |project: &serde_json::Value| {
        let findings = project["findings"].as_array().unwrap().iter();
        let errors = findings.filter(|finding| finding["severity"] == "error");
        errors.map(|found| format!("{} {}", found["rule"], found["path"])).collect::<Vec<_>>()
    };
    let found: Vec<_> = projects.iter().flat_map(errors).collect();
    let expected = [
        format!("\"drift/runtime\" \"{runtime}\""),
        format!("\"drift/amended\" \"{}/uses.py\"", harness("three")),
    ];
    assert_eq!(found, expected, "{projects:#?}");
}
