//! Tests of the locations of modules: each tree is a list of files.

use crate::contract::ProjectFiles;
use crate::contract::repository::SourceFile;
use crate::inputs::adoption::propose;

const MODULE: &str = "package contract\n\nconst SchemaVersion = \"1.0\"\n";
const MAIN: &str = "// Command x.\npackage main\n";

fn adopted(files: &[(&str, &str)]) -> (Vec<String>, String) {
    let mut repository = ProjectFiles::default();
    for (path, text) in files {
        let file = SourceFile { bytes: (*text).into(), executable: false };
        repository.files.insert((*path).to_owned(), file);
    }
    let adoption = propose(crate::families::agent_cli::contract::FAMILY, &repository, None);
    let outputs = adoption.record.outputs.iter().flat_map(|(generator, outputs)| {
        outputs.iter().map(move |output| {
            let package = output.package.as_ref().map(|name| format!(" ({name})"));
            format!("{generator} {}{}", output.path, package.unwrap_or_default())
        })
    });
    (outputs.collect(), adoption.reasons.join("\n"))
}

#[track_caller]
fn expect(files: &[(&str, &str)], outputs: &[&str], reason: &str) {
    let (found, reasons) = adopted(files);
    assert_eq!(found, outputs, "{reasons}");
    assert!(reasons.contains(reason), "{reasons}");
}

#[test]
fn a_module_that_exists_decides_before_anything_else() {
    let files = [("go.mod", ""), ("cmd/x/main.go", MAIN), ("odd/place/contract_gen.go", MODULE)];
    expect(&files, &["go odd/place/contract_gen.go (contract)"], "because the module exists");
    let files = [("go.mod", ""), ("main.go", MAIN), ("internal/contract/contract_gen.go", MODULE)];
    expect(&files, &["go internal/contract/contract_gen.go"], "because the module exists");
    let files = [
        ("go.mod", ""),
        ("main.go", MAIN),
        ("contract_gen.go", &MODULE.replace("contract", "main")),
    ];
    expect(&files, &["go contract_gen.go (main)"], "because the module exists");
}

#[test]
fn files_that_only_have_the_name_of_a_module_are_left_alone() {
    let files = [("x/contract_gen.py", "print('hello')\n"), ("vendor/y/contract_gen.go", MODULE)];
    expect(&files, &[], "`x/contract_gen.py` was not changed");
}

#[test]
fn every_language_of_a_project_gets_its_module() {
    let files = [
        ("go.mod", ""),
        ("cmd/x/main.go", MAIN),
        ("pyproject.toml", "[project]\nname = \"x\"\n[project.scripts]\nx = \"x_py.cli:main\"\n"),
        ("x_py/__init__.py", ""),
    ];
    let outputs = ["go internal/contract/contract_gen.go", "python x_py/contract_gen.py"];
    expect(&files, &outputs, "the script `x` in `pyproject.toml` starts there");
}

#[test]
fn a_go_module_in_a_subdirectory_is_found_and_its_helpers_are_not_programs() {
    let files = [
        ("cli/go.mod", ""),
        ("cli/cmd/x/main.go", MAIN),
        ("cli/tools/gen/main.go", MAIN),
        ("tools/go.mod", ""),
        ("tools/main.go", MAIN),
    ];
    expect(
        &files,
        &["go cli/internal/contract/contract_gen.go"],
        "`cli/go.mod` declares the module",
    );
}

#[test]
fn several_programs_in_go_modules_are_listed_and_none_is_chosen() {
    let files = [("a/go.mod", ""), ("a/main.go", MAIN), ("b/go.mod", ""), ("b/main.go", MAIN)];
    expect(&files, &[], "`a`, `b` all have programs");
}

#[test]
fn a_nested_module_owns_its_program() {
    let files =
        [("go.mod", ""), ("lib.go", "package lib\n"), ("cli/go.mod", ""), ("cli/main.go", MAIN)];
    expect(&files, &["go cli/internal/contract/contract_gen.go"], "the program `cli`");
    let files = [("go.mod", ""), ("lib.go", "package lib\n")];
    expect(&files, &[], "no package main");
}

#[test]
fn a_contract_package_of_the_author_is_not_written_into() {
    let files =
        [("go.mod", ""), ("main.go", MAIN), ("internal/contract/own.go", "package contract\n")];
    let outputs = ["go internal/contractgen/contract_gen.go"];
    expect(&files, &outputs, "`internal/contract` is one of your packages");
}

#[test]
fn the_package_of_a_python_script_is_found_in_every_layout() {
    let scripts = "[project]\nname = \"x\"\n[project.scripts]\nx = \"x.cli.main:run\"\n";
    for (package, outputs) in [
        ("x", "python x/contract_gen.py"),
        ("src/x", "python src/x/contract_gen.py"),
        ("lib/x", "python lib/x/contract_gen.py"),
    ] {
        let init = format!("{package}/__init__.py");
        let files = [
            ("pyproject.toml", scripts),
            (init.as_str(), ""),
            ("tests/__init__.py", ""),
            ("a/__init__.py", ""),
        ];
        expect(&files, &[outputs], "the script `x`");
    }
    let odd = format!("{scripts}[tool.setuptools.package-dir]\n\"\" = \"code\"\n");
    let files = [("pyproject.toml", odd.as_str()), ("code/x/__init__.py", "")];
    expect(&files, &["python code/x/contract_gen.py"], "the script `x`");
    let files = [("py/pyproject.toml", scripts), ("py/src/x/__init__.py", "")];
    expect(&files, &["python py/src/x/contract_gen.py"], "`py/pyproject.toml`");
    let poetry = "[tool.poetry]\nname = \"x\"\n[tool.poetry.scripts]\nx = \"x.cli:run\"\n";
    let files = [("pyproject.toml", poetry), ("x/__init__.py", "")];
    expect(&files, &["python x/contract_gen.py"], "the script `x`");
}

#[test]
fn a_namespace_package_gets_the_module_where_code_begins() {
    let scripts = "[project]\nname = \"x\"\n[project.scripts]\nx = \"acme.x.cli:run\"\n";
    let files =
        [("pyproject.toml", scripts), ("src/acme/x/__init__.py", ""), ("src/acme/x/cli.py", "")];
    expect(&files, &["python src/acme/x/contract_gen.py"], "starts there");
}

#[test]
fn scripts_that_lead_to_several_packages_decide_only_when_one_is_called_like_the_project() {
    let two = |name: &str| {
        format!("[project]\nname = \"{name}\"\n[project.scripts]\na = \"pa:run\"\nb = \"pb:run\"\n")
    };
    let (open, named) = (two("other"), two("b"));
    let files = |text| [("pyproject.toml", text), ("pa/__init__.py", ""), ("pb/__init__.py", "")];
    expect(&files(&open), &[], "it could go to `pa`, `pb`");
    expect(&files(&named), &["python pb/contract_gen.py"], "the script `b`");
}

#[test]
fn without_scripts_the_name_and_then_the_only_package_decide() {
    let project = "[project]\nname = \"My-Tool\"\n";
    let files =
        [("pyproject.toml", project), ("src/my_tool/__init__.py", ""), ("src/b/__init__.py", "")];
    expect(&files, &["python src/my_tool/contract_gen.py"], "has that name");
    let files = [("setup.py", ""), ("only/__init__.py", ""), ("tests/__init__.py", "")];
    expect(&files, &["python only/contract_gen.py"], "the only package");
    let files = [("setup.py", ""), ("a/__init__.py", ""), ("b/__init__.py", "")];
    expect(&files, &[], "it could go to `a`, `b`");
    let files = [("pyproject.toml", project), ("x.py", "")];
    expect(&files, &[], "no script or name");
}

#[test]
fn typescript_needs_a_compiler_configuration_and_an_npm_wrapper_has_none() {
    let wrapper = "{\"name\": \"x\", \"bin\": {\"x\": \"run.js\"}}";
    let files =
        [("go.mod", ""), ("main.go", MAIN), ("package.json", wrapper), ("scripts/run.js", "")];
    expect(&files, &["go internal/contract/contract_gen.go"], "contract_gen.go goes to");
    let files =
        [("package.json", wrapper), ("tsconfig.json", "{ // comment\n}"), ("src/index.ts", "")];
    expect(&files, &["typescript src/contract_gen.ts"], "declares a program");
    let files = [("package.json", "{}"), ("tsconfig.json", ""), ("index.ts", "")];
    expect(&files, &["typescript contract_gen.ts"], "the only package with a tsconfig.json");
}

#[test]
fn the_workspace_member_with_a_program_gets_the_typescript_module() {
    let wrapper = "{\"name\": \"x\", \"bin\": \"out/x.js\"}";
    let files = [
        ("package.json", "{\"workspaces\": [\"packages/*\"]}"),
        ("tsconfig.json", ""),
        ("packages/cli/package.json", wrapper),
        ("packages/cli/tsconfig.json", ""),
        ("packages/cli/src/main.ts", ""),
        ("packages/core/package.json", "{}"),
        ("packages/core/tsconfig.json", ""),
        ("packages/core/src/core.ts", ""),
    ];
    expect(&files, &["typescript packages/cli/src/contract_gen.ts"], "declares a program");
    let files = [
        ("a/package.json", "{}"),
        ("a/tsconfig.json", ""),
        ("a/x.ts", ""),
        ("b/package.json", "{}"),
        ("b/tsconfig.json", ""),
        ("b/x.ts", ""),
    ];
    expect(&files, &[], "it could go to `a`, `b`");
}

#[test]
fn the_cargo_package_with_a_program_gets_the_rust_module() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/cli/Cargo.toml", "[package]\nname = \"cli\"\n"),
        ("crates/cli/src/main.rs", ""),
        ("crates/core/Cargo.toml", "[package]\nname = \"core\"\n"),
        ("crates/core/src/lib.rs", ""),
    ];
    expect(&files, &["rust crates/cli/src/contract_gen.rs"], "mod contract_gen;");
    let files =
        [("Cargo.toml", "[package]\nname = \"x\"\n[[bin]]\nname = \"x\"\n"), ("src/x.rs", "")];
    expect(&files, &["rust src/contract_gen.rs"], "has a program");
}

#[test]
fn files_of_the_project_in_the_directories_of_the_contract_are_kept_by_name() {
    let mut repository = ProjectFiles::default();
    for path in [
        ".agent/SPEC_VERSION",
        ".agent/CLI-SPEC.md",
        ".agent/AGENT.md",
        ".agent/more/x.md",
        "contract/contract.json",
        "contract/contract-ext.json",
        "contract/bootstrap.json",
    ] {
        let file = SourceFile { bytes: "{}".into(), executable: false };
        repository.files.insert(path.to_owned(), file);
    }
    let adoption = propose(crate::families::agent_cli::contract::FAMILY, &repository, None);
    let keep: Vec<_> = adoption.record.spec.keep.iter().map(|path| path.as_str()).collect();
    assert_eq!(keep, [".agent/AGENT.md", ".agent/more/x.md", "contract/bootstrap.json"]);
    let reasons = adoption.reasons.join("\n");
    assert!(reasons.contains("`.agent/AGENT.md` and 1 more in `.agent` stay"), "{reasons}");
}

#[test]
fn a_contract_in_another_directory_stays_there() {
    let contract = "{\"error_codes\": {\"core\": {}}}";
    let mut repository = ProjectFiles::default();
    for (path, text) in [("spec/contract.json", contract), ("web/contract.json", "{}")] {
        let file = SourceFile { bytes: text.into(), executable: false };
        repository.files.insert(path.to_owned(), file);
    }
    let adoption = propose(crate::families::agent_cli::contract::FAMILY, &repository, None);
    assert_eq!(adoption.record.spec.directory.as_str(), "spec");
    assert!(adoption.reasons[0].contains("`spec/contract.json` exists"), "{:?}", adoption.reasons);
}
