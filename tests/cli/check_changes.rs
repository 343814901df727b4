//! No code of a project changes the values of a generated module unseen: each attack either fails in its language or is
//! found by `check` and `gen --check`. The toolchain of each language says which of the two it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::Sandbox;
use super::toolchain::{go_settings, program};

pub fn project(template: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--template", template, "--no-git"]).data();
    let project = PathBuf::from(data["path"].as_str().unwrap());
    (sandbox, project)
}

pub fn put(project: &Path, path: &str, text: &str) {
    let place = project.join(path);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
}

/// Findings about shadowed and amended modules, as `rule path`.
pub fn found(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let answer = sandbox.aos_in(project, &["check", "--diff"]).json();
    let data = if answer["ok"] == true { &answer["data"] } else { &answer["error"]["details"] };
    let findings = data["projects"][0]["findings"].as_array().unwrap();
    let named = |finding: &serde_json::Value| {
        let (rule, path) = (finding["rule"].as_str()?, finding["path"].as_str()?);
        ["drift/shadowed", "drift/amended"].contains(&rule).then(|| format!("{rule} {path}"))
    };
    findings.iter().filter_map(named).collect()
}

const CONTRACT: &str = "github.com/example/acme/internal/contract";

/// Functions of Go that change a table, with the expression that shows it.
const GO: [(&str, &str); 11] = [
    (
        "func attack() { c := contract.Codes; c[\"E_IO\"] = contract.CodeSpec{} }",
        "len(contract.Codes) > 0 && contract.Codes[\"E_IO\"].Exit == 0",
    ),
    (
        "func attack() { if c := contract.Codes; c != nil { delete(c, \"E_IO\") } }",
        "contract.Codes[\"E_IO\"].Exit == 0",
    ),
    (
        "func attack() {\n\tvar n int\n\tn, keys := 1, contract.MetaRequiredKeys\n\tkeys[0] = \"x\"\n\t_ = n\n}",
        "contract.MetaRequiredKeys[0] == \"x\"",
    ),
    (
        "func attack() {\n\tkeys := contract.MetaRequiredKeys[:]\n\tkeys[0] = \"x\"\n}",
        "contract.MetaRequiredKeys[0] == \"x\"",
    ),
    ("func attack() {\n\tp := &contract.Codes\n\t*p = nil\n}", "contract.Codes == nil"),
    (
        "var table = contract.Codes\n\nfunc attack() { table[\"E_IO\"] = contract.CodeSpec{} }",
        "contract.Codes[\"E_IO\"].Exit == 0",
    ),
    (
        "func change(n int, table map[string]contract.CodeSpec) { clear(table) }\n\nfunc attack() { change(1, contract.Codes) }",
        "len(contract.Codes) == 0",
    ),
    (
        "type box struct{ all map[string]contract.CodeSpec }\n\nfunc attack() {\n\tb := box{all: contract.Codes}\n\tb.all[\"E_IO\"] = contract.CodeSpec{}\n}",
        "contract.Codes[\"E_IO\"].Exit == 0",
    ),
    (
        "func attack() { maps.Copy(contract.Codes, map[string]contract.CodeSpec{\"E_IO\": {}}) }",
        "contract.Codes[\"E_IO\"].Exit == 0",
    ),
    (
        "func attack() { reflect.ValueOf(contract.MetaRequiredKeys).Index(0).SetString(\"x\") }",
        "contract.MetaRequiredKeys[0] == \"x\"",
    ),
    ("func attack() { contract.ExitCodes[0] = \"x\" }", "contract.ExitCodes[0] == \"x\""),
];

fn go_file(code: &str, shown: &str) -> String {
    let more = ["maps", "reflect"].into_iter().filter(|name| code.contains(&format!("{name}.")));
    let more: String = more.map(|name| format!("\t\"{name}\"\n")).collect();
    format!(
        "package main\n\nimport (\n\t\"os\"\n{more}\n\t\"{CONTRACT}\" // the generated package\n)\n\n{code}\n\nfunc main() {{\n\tattack()\n\
         \tif !({shown}) || contract.ExitFor(\"E_IO\") != 1 || contract.ExitFor(\"E_USAGE\") != 2 {{\n\t\tos.Exit(7)\n\t}}\n}}\n"
    )
}

const GO_HARMLESS: &str = r#"
func read() int {
	own := maps.Clone(contract.Codes)
	own["E_IO"] = contract.CodeSpec{}
	delete(own, "E_IO")
	keys := append([]string{}, contract.MetaRequiredKeys...)
	keys[0] = "x"
	for code, spec := range contract.Codes {
		spec.Exit = 7
		_ = code
	}
	c := contract.Codes
	// c["E_IO"] = contract.CodeSpec{}
	text := "contract.Codes = nil; &contract.Codes"
	return len(c) + len(text) + count(contract.Codes) + contract.Codes["E_IO"].Exit
}

func count(table map[string]contract.CodeSpec) int { return len(table) }

func other() {
	c := map[string]int{}
	c["x"] = 1
	Codes := []string{"x"}
	Codes[0] = "y"
	if contract.Codes["x"].Exit == 1 && contract.Codes["y"].Core {
		c["y"]++
	}
}
"#;

#[test]
fn go_tables_are_followed_under_every_name_and_lookups_cannot_be_changed() {
    let test = "go_tables_are_followed_under_every_name_and_lookups_cannot_be_changed";
    let Some(go) = program(test, "go") else { return };
    let (sandbox, project) = project("cli-go");
    for (number, (code, shown)) in GO.iter().enumerate() {
        put(&project, &format!("cmd/attack{number}/main.go"), &go_file(code, shown));
    }
    put(
        &project,
        "cmd/harmless/main.go",
        &format!(
            "package main\n\nimport (\n\t\"maps\"\n\n\t\"{CONTRACT}\"\n)\n{GO_HARMLESS}\nfunc main() {{ read(); other() }}\n"
        ),
    );
    let bin = sandbox.work().join("bin/");
    std::fs::create_dir_all(&bin).unwrap();
    let mut build = Command::new(&go);
    build.args(["build", "-o"]).arg(&bin).current_dir(&project).envs(go_settings());
    build.args((0..GO.len()).map(|number| format!("./cmd/attack{number}"))).arg("./cmd/harmless");
    assert!(build.status().unwrap().success());
    let found = found(&sandbox, &project);
    for (number, (code, _)) in GO.iter().enumerate() {
        let ran = Command::new(bin.join(format!("attack{number}"))).status().unwrap();
        assert!(ran.success(), "go runs the change, the lookups stay: {code}");
        let wanted = format!("drift/amended cmd/attack{number}/main.go");
        assert!(found.contains(&wanted), "{code}: {found:#?}");
    }
    assert_eq!(found.len(), GO.len(), "{found:#?}");
}

#[test]
fn go_imports_of_every_form_vendored_copies_and_machine_code_are_found() {
    let test = "go_imports_of_every_form_vendored_copies_and_machine_code_are_found";
    let Some(go) = program(test, "go") else { return };
    let (sandbox, project) = project("cli-go");
    for import in [
        format!("import . \"{CONTRACT}\" // dot"),
        format!("import (\n\t_ \"os\"; . `{CONTRACT}`\n)"),
        format!("import (\n\tone \"{CONTRACT}\"\n\t. \"{CONTRACT}\"\n)\n\nvar _ = one.SpecTag"),
    ] {
        put(
            &project,
            "cmd/dot/main.go",
            &format!(
                "package main\n\n{import}\n\nfunc main() {{ Codes[\"E_IO\"] = CodeSpec{{}} }}\n"
            ),
        );
        assert!(
            Command::new(&go)
                .args(["vet", "./cmd/dot"])
                .current_dir(&project)
                .envs(go_settings())
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(found(&sandbox, &project), ["drift/amended cmd/dot/main.go"], "{import}");
    }
    std::fs::remove_dir_all(project.join("cmd/dot")).unwrap();
    put(
        &project,
        "internal/shared/shared.go",
        &format!("package shared\n\nimport \"{CONTRACT}\"\n\nvar Table = contract.Codes\n"),
    );
    put(
        &project,
        "cmd/shared/main.go",
        "package main\n\nimport \"github.com/example/acme/internal/shared\"\n\nfunc main() { delete(shared.Table, \"E_IO\") }\n",
    );
    assert_eq!(found(&sandbox, &project), ["drift/amended cmd/shared/main.go"]);
    std::fs::remove_dir_all(project.join("cmd/shared")).unwrap();
    std::fs::remove_dir_all(project.join("internal/shared")).unwrap();

    // Without modules, go prefers the copy of a package that is not internal.
    let path = sandbox.work().join("gopath");
    let root = path.join("src/github.com/example/acme");
    let package = "github.com/example/acme/contract";
    let other = "package contract\n\nconst SpecTag = \"another\"\n";
    let module = disk::read(&project.join("internal/contract/contract_gen.go"));
    put(&root, "contract/contract_gen.go", &module);
    put(
        &root,
        "main.go",
        &format!(
            "package main\n\nimport \"{package}\"\n\nfunc main() {{ println(contract.SpecTag) }}\n"
        ),
    );
    put(&root, &format!("vendor/{package}/contract.go"), other);
    let mut run = Command::new(&go);
    run.args(["run", "main.go"]).current_dir(&root).envs(go_settings());
    run.env("GO111MODULE", "off").env("GOPATH", &path).env("GOFLAGS", "-trimpath");
    let output = run.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "another", "go takes the copy");
    put(&project, &format!("vendor/{CONTRACT}/contract.go"), other);
    assert_eq!(found(&sandbox, &project), [format!("drift/shadowed vendor/{CONTRACT}")]);
    std::fs::remove_dir_all(project.join("vendor")).unwrap();
    put(
        &project,
        "vendor/modules.txt",
        &format!("# github.com/example/acme v1.0.0\n## explicit\n{CONTRACT}\n"),
    );
    assert_eq!(found(&sandbox, &project), ["drift/shadowed vendor/modules.txt"]);
    put(
        &project,
        "vendor/modules.txt",
        "# example.com/other v1.0.0\nexample.com/other/internal/contract\n",
    );
    assert_eq!(found(&sandbox, &project), [""; 0]);
    std::fs::remove_dir_all(project.join("vendor")).unwrap();

    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        put(&project, "internal/contract/poke.go", "package contract\n\nfunc Poke()\n");
        put(
            &project,
            "internal/contract/poke_amd64.s",
            "TEXT \u{b7}Poke(SB), 4, $0\n\tMOVQ $0, \u{b7}MetaRequiredKeys+8(SB)\n\tRET\n",
        );
        put(
            &project,
            "cmd/poke/main.go",
            &format!(
                "package main\n\nimport \"{CONTRACT}\"\n\nfunc main() {{ contract.Poke(); println(len(contract.MetaRequiredKeys)) }}\n"
            ),
        );
        let mut run = Command::new(&go);
        run.args(["run", "./cmd/poke"]).current_dir(&project).envs(go_settings());
        let output = run.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "0", "the assembly changes it");
        assert_eq!(found(&sandbox, &project), ["drift/amended internal/contract/poke_amd64.s"]);
        std::fs::remove_file(project.join("internal/contract/poke_amd64.s")).unwrap();
        std::fs::remove_dir_all(project.join("cmd/poke")).unwrap();
    }
    put(&project, "internal/contract/poke.go", "package contract\n\nimport \"C\"\n");
    assert_eq!(found(&sandbox, &project), ["drift/amended internal/contract/poke.go"]);
}

#[test]
fn typescript_values_are_frozen_and_new_values_are_found() {
    let test = "typescript_values_are_frozen_and_new_values_are_found";
    let Some(node) = program(test, "node") else { return };
    let (sandbox, project) = project("cli-go");
    disk::add_output(&project, "typescript = [\"src/contract_gen.ts\"]");
    sandbox.aos_in(&project, &["gen"]).data();
    // The values alone, as a compiler leaves them.
    let text = disk::read(&project.join("src/contract_gen.ts"));
    let values = text.lines().skip_while(|line| !line.starts_with("export const CODES"));
    let values: Vec<_> = values.take_while(|line| !line.starts_with("/** Whether")).collect();
    let (_, codes) =
        values.join("\n").split_once(" = ").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let keys = text.lines().find(|line| line.starts_with("export const META_REQUIRED_KEYS"));
    let keys = keys.and_then(|line| line.split_once(" = ")).map(|(_, value)| value);
    let keys = keys.unwrap().replace(" as const", "");
    let script = format!(
        "'use strict';\nconst CODES = {codes}\nconst KEYS = {keys}\nlet refused = 0;\n\
         for (const change of [() => {{ CODES.E_IO.exit = 7; }}, () => {{ CODES.E_IO = 1; }}, () => {{ delete CODES.E_IO; }},\n\
         () => KEYS.push('x'), () => {{ KEYS[0] = 'x'; }}, () => Object.assign(CODES, {{E_IO: 1}}), () => Object.setPrototypeOf(CODES, {{}})]) {{\n\
         \ttry {{ change(); }} catch (error) {{ if (error instanceof TypeError) refused += 1; }}\n}}\n\
         console.log(refused, CODES.E_IO.exit, KEYS.length);\n"
    );
    let output = Command::new(node).args(["-e", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "7 1 1", "{script}{output:?}");
    for code in [
        "import * as g from \"./contract_gen\";\n(g as any).CODES = {};\n",
        "(require(\"./contract_gen\") as any).CODES = {};\n",
        "import { CODES } from \"./contract_gen.ts\";\nconst c = CODES as any;\nc.E_IO = 1;\n",
        "import { CODES } from \"./contract_gen.ts\";\nconst c: any = CODES.E_IO;\nc.exit = 7;\n",
        "export * from \"./contract_gen.ts\";\nexport const CODES = {};\n",
        "export * from \"./contract_gen.ts\";\nconst own = {};\nexport { own as CODES };\n",
    ] {
        put(&project, "src/a.ts", code);
        assert_eq!(found(&sandbox, &project), ["drift/amended src/a.ts"], "{code}");
    }
    put(
        &project,
        "src/a.ts",
        "import { CODES } from \"./contract_gen.ts\";\nconst own: any = { ...CODES };\nown.E_IO = 1;\nconst exit = CODES.E_IO.exit;\n\
         export * from \"./contract_gen.ts\";\nexport const other = 1;\n\
         // require(\"./contract_gen\").CODES = {}\nexport const text = 'require(\"./contract_gen\").CODES = {}' + exit;\n",
    );
    assert_eq!(found(&sandbox, &project), [""; 0]);
    for ending in ["d.ts", "web.ts", "native.js"] {
        let path = format!("src/contract_gen.{ending}");
        put(&project, &path, "\n");
        assert_eq!(found(&sandbox, &project), [format!("drift/shadowed {path}")]);
        std::fs::remove_file(project.join(path)).unwrap();
    }
    put(&project, "src/contract_gen.test.ts", "\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
}
