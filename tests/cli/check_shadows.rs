//! Whatever is loaded in place of a generated module, or changes its values, fails `check` and `gen --check`; the
//! toolchain of each language shows that it does.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::disk;
use super::sandbox::Sandbox;

fn project(template: &str) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "acme", "--template", template, "--no-git"]).data();
    let project = PathBuf::from(data["path"].as_str().unwrap());
    sandbox.aos_in(&project, &["check"]).data();
    (sandbox, project)
}

fn put(project: &Path, path: &str, text: &str) {
    let place = project.join(path);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    let old = std::fs::read_to_string(&place).unwrap_or_default();
    std::fs::write(place, format!("{old}{text}")).unwrap();
}

#[track_caller]
fn refused(sandbox: &Sandbox, project: &Path, rule: &str, path: &str) {
    let drift = sandbox.aos_in(project, &["check"]).error("E_DRIFT", 6);
    let findings = drift["details"]["projects"][0]["findings"].as_array().unwrap();
    let found = |finding: &&serde_json::Value| finding["rule"] == rule && finding["path"] == path;
    assert!(findings.iter().any(|finding| found(&finding)), "{rule} {path}: {findings:#?}");
    sandbox.aos_in(project, &["gen", "--check"]).error("E_DRIFT", 6);
}

/// The output of Python for `code` in `directory`, without writing bytecode.
fn python(directory: &Path, code: &str) -> String {
    let output = Command::new("python3")
        .args(["-B", "-c", code])
        .current_dir(directory)
        .output()
        .expect("python3 is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

const HARNESS: &str = "agent-harness/aos_acme";

#[test]
fn a_package_an_extension_or_bytecode_in_place_of_a_python_module_is_found() {
    let show = "from aos_acme.contract_gen import MODES; print(MODES)";
    let (sandbox, project) = project("connector-python");
    let pristine = disk::state(&project);
    put(&project, &format!("{HARNESS}/contract_gen/__init__.py"), "MODES = 'another'\n");
    assert_eq!(python(&project.join("agent-harness"), show), "another", "Python takes the package");
    refused(&sandbox, &project, "drift/shadowed", &format!("{HARNESS}/contract_gen"));
    std::fs::remove_dir_all(project.join(HARNESS).join("contract_gen")).unwrap();

    let compile = "import pathlib, py_compile, sys\n\
        module = pathlib.Path('aos_acme/contract_gen.py')\n\
        good = module.read_bytes()\n\
        module.write_text('MODES = \"compiled\"\\n')\n\
        py_compile.compile(str(module), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n\
        module.write_bytes(good)\n";
    python(&project.join("agent-harness"), compile);
    assert_eq!(
        python(&project.join("agent-harness"), show),
        "compiled",
        "Python takes the bytecode"
    );
    let cache = project.join(HARNESS).join("__pycache__");
    let name = disk::names(&cache).pop().unwrap();
    refused(&sandbox, &project, "drift/shadowed", &format!("{HARNESS}/__pycache__/{name}"));
    std::fs::remove_dir_all(&cache).unwrap();

    for name in [
        "contract_gen.cpython-311-x86_64-linux-gnu.so",
        "contract_gen.abi3.so",
        "contract_gen.so",
        "contract_gen.pyd",
        "contract_gen.pyc",
    ] {
        let path = format!("{HARNESS}/{name}");
        put(&project, &path, "x");
        refused(&sandbox, &project, "drift/shadowed", &path);
        std::fs::remove_file(project.join(&path)).unwrap();
    }
    for path in [
        "agent-harness/sitecustomize.py",
        "usercustomize.py",
        "sitecustomize/__init__.py",
        "usercustomize/__init__.py",
        "sitecustomize.pyc",
        "x.pth",
        "aos_acme/__init__.py",
    ] {
        put(&project, path, "");
        refused(&sandbox, &project, "drift/shadowed", path);
        std::fs::remove_file(project.join(path)).unwrap();
    }
    for directory in ["aos_acme", "sitecustomize", "usercustomize"] {
        let _ = std::fs::remove_dir(project.join(directory));
    }
    assert!(disk::state(&project) == pristine);
    // The caches that Python itself writes are not findings.
    let output = Command::new("python3")
        .args(["-m", "compileall", "-q", "."])
        .current_dir(&project)
        .env_remove("SOURCE_DATE_EPOCH")
        .status();
    assert!(output.unwrap().success());
    assert!(project.join(HARNESS).join("__pycache__").is_dir());
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn python_code_that_changes_the_module_is_found() {
    let initial = "__init__.py";
    let cases: [(&str, &str, &str); 16] = [
        ("drift/amended", initial, "from . import contract_gen\ncontract_gen.COMMANDS = {}\n"),
        (
            "drift/amended",
            initial,
            "from . import contract_gen as c\nc.COMMANDS['item.delete']['required_mode'] = 'readonly'\n",
        ),
        (
            "drift/amended",
            initial,
            "from . import contract_gen\nsetattr(contract_gen, 'COMMANDS', {})\n",
        ),
        (
            "drift/amended",
            initial,
            "from .contract_gen import COMMANDS as X\nfor spec in X.values():\n    spec['required_mode'] = 'readonly'\n",
        ),
        (
            "drift/amended",
            "api.py",
            "from .contract_gen import COMMANDS as X\ns = X['item.delete']\ns.update(required_mode='readonly')\n",
        ),
        ("drift/amended", "api.py", "from .contract_gen import COMMANDS\nCOMMANDS = {}\n"),
        ("drift/amended", "api.py", "from .contract_gen import *\nCOMMANDS.clear()\n"),
        (
            "drift/amended",
            initial,
            "import importlib\nm = importlib.import_module('aos_acme.contract_gen')\nm.COMMANDS.clear()\n",
        ),
        (
            "drift/amended",
            initial,
            "from . import contract_gen\ncontract_gen.__dict__['COMMANDS'] = {}\n",
        ),
        (
            "drift/amended",
            "../tests/conftest.py",
            "def pytest_configure():\n    pytest.MonkeyPatch().setattr('aos_acme.contract_gen.COMMANDS', {})\n",
        ),
        (
            "drift/shadowed",
            initial,
            "import sys, types\nsys.modules[__name__ + '.contract_gen'] = types.ModuleType('x')\n",
        ),
        ("drift/shadowed", initial, "__path__.insert(0, '/tmp/other')\n"),
        ("drift/shadowed", initial, "import sys\nsys.meta_path.insert(0, object())\n"),
        ("drift/shadowed", "api.py", "from . import text as contract_gen\n"),
        ("drift/amended", "_runtime/meta.py", "from ..contract_gen import *\nCOMMANDS.clear()\n"),
        ("drift/shadowed", "_runtime/meta.py", "from . import text as contract_gen\n"),
    ];
    let (sandbox, project) = project("connector-python");
    let show = "import aos_acme; from aos_acme import contract_gen as c; \
        print(c.COMMANDS.get('item.delete', {}).get('required_mode'))";
    assert_eq!(python(&project.join("agent-harness"), show), "admin");
    for (rule, name, code) in cases {
        let path = Path::new(HARNESS).join(name);
        let place = project.join(&path);
        let good = std::fs::read(&place).unwrap();
        let text = String::from_utf8(good.clone()).unwrap();
        std::fs::write(&place, format!("{text}\n{code}")).unwrap();
        if name == initial && rule == "drift/amended" {
            // A value is read-only, so the import of the package fails and the change is not silent.
            let mut python = Command::new("python3");
            python.args(["-B", "-c", show]).current_dir(project.join("agent-harness"));
            let shown = python.output().unwrap().stdout;
            assert_ne!(String::from_utf8_lossy(&shown).trim(), "admin", "Python runs it: {code}");
        }
        let path = path.to_str().unwrap().replace("aos_acme/../", "");
        refused(&sandbox, &project, rule, &path);
        std::fs::write(&place, good).unwrap();
    }
    // Reading, copying and testing change nothing.
    put(
        &project,
        &format!("{HARNESS}/api.py"),
        "\nfrom . import contract_gen\nown = dict(contract_gen.COMMANDS)\nown['x'] = 1\nif contract_gen.MODES == ():\n    pass\n\
         # contract_gen.MODES = ()\ntext = 'contract_gen.MODES = ()'\n",
    );
    put(
        &project,
        "agent-harness/tests/test_own.py",
        "from aos_acme import contract_gen\n\ndef test_x(monkeypatch):\n    monkeypatch.setattr(contract_gen, 'MODES', ())\n",
    );
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn go_code_that_changes_or_hides_the_package_is_found() {
    let (sandbox, project) = project("cli-go");
    let twin = "internal/contract/init_linux.go";
    put(
        &project,
        twin,
        "package contract\n\nfunc init() { Codes[\"E_IO\"] = CodeSpec{Exit: 77} }\n",
    );
    put(
        &project,
        "internal/contract/shown_test.go",
        "package contract\n\nimport \"testing\"\n\n\
         func TestShown(t *testing.T) {\n\tif Codes[\"E_IO\"].Exit != 77 {\n\t\tt.Fatal(\"the generated value\")\n\t}\n}\n",
    );
    if cfg!(target_os = "linux") {
        let go = Command::new("go")
            .args(["test", "-vet=off", "-run", "TestShown", "./internal/contract"])
            .current_dir(&project)
            .envs(super::toolchain::go_settings())
            .status()
            .expect("go is needed for this test");
        assert!(go.success(), "go runs the change");
    }
    std::fs::remove_file(project.join("internal/contract/shown_test.go")).unwrap();
    refused(&sandbox, &project, "drift/amended", twin);
    std::fs::remove_file(project.join(twin)).unwrap();
    for code in [
        "var taken = &Codes\n",
        "var _ = func() int { MetaRequiredKeys = nil; return 0 }()\n",
        "func init() { delete(Codes, \"E_IO\") }\n",
        "func init() { MetaRequiredKeys[0] = \"x\" }\n",
    ] {
        put(&project, twin, &format!("package contract\n\n{code}"));
        refused(&sandbox, &project, "drift/amended", twin);
        std::fs::remove_file(project.join(twin)).unwrap();
    }
    put(
        &project,
        "other.go",
        "package main\n\nimport other \"github.com/example/acme/internal/contract\"\n\nfunc init() { other.Codes[\"E_IO\"] = other.CodeSpec{} }\n",
    );
    refused(&sandbox, &project, "drift/amended", "other.go");
    std::fs::write(
        project.join("other.go"),
        "package main\n\nimport other \"github.com/example/acme/internal/contract\"\n\nvar read = other.Codes[\"E_IO\"].Exit == 1\n",
    )
    .unwrap();
    sandbox.aos_in(&project, &["check"]).data();
    std::fs::remove_file(project.join("other.go")).unwrap();
    for (path, text) in [
        ("internal/contract/go.mod", "module elsewhere\n"),
        ("go.mod", "\nreplace github.com/example/acme/internal/contract => ./other\n"),
        ("overlaid.sh", "go build -overlay=other.json ./...\n"),
    ] {
        let good = std::fs::read(project.join(path)).ok();
        put(&project, path, text);
        refused(&sandbox, &project, "drift/shadowed", path);
        match good {
            Some(bytes) => std::fs::write(project.join(path), bytes).unwrap(),
            None => std::fs::remove_file(project.join(path)).unwrap(),
        }
    }
    sandbox.aos_in(&project, &["check"]).data();
}

/// A tool with one output of `generator` at `path`.
fn with_output(generator: &str, path: &str) -> (Sandbox, PathBuf) {
    let (sandbox, project) = project("cli-go");
    disk::add_output(&project, &format!("{generator} = [\"{path}\"]"));
    std::fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
    sandbox.aos_in(&project, &["gen"]).data();
    sandbox.aos_in(&project, &["check"]).data();
    (sandbox, project)
}

#[test]
fn files_and_code_that_take_the_place_of_a_typescript_module_are_found() {
    let (sandbox, project) = with_output("typescript", "src/contract_gen.ts");
    put(&project, "src/contract_gen.js", "exports.SPEC_TAG = 'another';\n");
    put(&project, "src/main.js", "console.log(require('./contract_gen.js').SPEC_TAG);\n");
    let output = Command::new("node").arg("src/main.js").current_dir(&project).output();
    let shown = output.expect("node is needed for this test").stdout;
    assert_eq!(String::from_utf8_lossy(&shown).trim(), "another", "node takes the .js file");
    std::fs::remove_file(project.join("src/contract_gen.js")).unwrap();
    std::fs::remove_file(project.join("src/main.js")).unwrap();
    for ending in ["js", "mjs", "cjs", "jsx", "tsx", "mts", "json"] {
        let path = format!("src/contract_gen.{ending}");
        put(&project, &path, "\n");
        refused(&sandbox, &project, "drift/shadowed", &path);
        std::fs::remove_file(project.join(path)).unwrap();
    }
    put(&project, "src/contract_gen/index.js", "\n");
    refused(&sandbox, &project, "drift/shadowed", "src/contract_gen");
    std::fs::remove_dir_all(project.join("src/contract_gen")).unwrap();
    put(
        &project,
        "tsconfig.json",
        "{\"compilerOptions\": {\"paths\": {\"./contract_gen\": [\"./other.ts\"]}}}\n",
    );
    refused(&sandbox, &project, "drift/shadowed", "tsconfig.json");
    std::fs::remove_file(project.join("tsconfig.json")).unwrap();
    put(
        &project,
        "src/a.ts",
        "import { CODES as C } from \"./contract_gen.ts\";\n(C as any).E_IO = 1;\n",
    );
    refused(&sandbox, &project, "drift/amended", "src/a.ts");
    std::fs::write(
        project.join("src/a.ts"),
        "import { CODES } from \"./contract_gen.ts\";\nexport const exit = CODES.E_IO.exit === 1;\n",
    )
    .unwrap();
    sandbox.aos_in(&project, &["check"]).data();
}

#[test]
fn declarations_that_give_the_name_of_a_rust_module_to_other_code_are_found() {
    let (sandbox, project) = with_output("rust", "src/contract_gen.rs");
    put(&project, "src/other.rs", "pub const SPEC_TAG: &str = \"another\";\n");
    put(
        &project,
        "src/main.rs",
        "#[path = \"other.rs\"]\nmod contract_gen;\nfn main() { println!(\"{}\", contract_gen::SPEC_TAG); }\n",
    );
    let program = sandbox.work().join("program");
    let mut rustc = Command::new("rustc");
    rustc.args(["src/main.rs", "-o"]).arg(&program).current_dir(&project);
    assert!(rustc.status().expect("rustc is needed for this test").success());
    let shown = Command::new(&program).output().unwrap().stdout;
    assert_eq!(String::from_utf8_lossy(&shown).trim(), "another", "rustc takes the other file");
    refused(&sandbox, &project, "drift/shadowed", "src/main.rs");
    for code in [
        "mod contract_gen { pub const SPEC_TAG: &str = \"x\"; }\nfn main() {}\n",
        "mod other;\nuse other as contract_gen;\nfn main() {}\n",
        "#[cfg_attr(unix, path = \"other.rs\")]\npub mod contract_gen;\nfn main() {}\n",
    ] {
        std::fs::write(project.join("src/main.rs"), code).unwrap();
        refused(&sandbox, &project, "drift/shadowed", "src/main.rs");
    }
    for code in [
        "mod contract_gen;\nfn main() {}\n",
        "#[path = \"contract_gen.rs\"]\nmod contract_gen;\nfn main() {}\n",
        "// mod contract_gen { }\nmod contract_gen;\nfn main() {}\n",
    ] {
        std::fs::write(project.join("src/main.rs"), code).unwrap();
        sandbox.aos_in(&project, &["check"]).data();
    }
}
