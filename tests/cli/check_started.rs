//! Code that is run although no source has it: texts that a launcher or a source gives to an interpreter, strings that are
//! executed, files that a virtual environment or a cache brings. Each is found, and ordinary uses beside them are not.

use std::path::Path;
use std::process::Command;

use super::check_changes::{found, project, put};
use super::sandbox::Sandbox;
use super::toolchain::program;

const API: &str = "agent-harness/aos_acme/api.py";
const PATCH: &str = "import aos_acme.contract_gen as c\nc.COMMANDS = {}\n";

/// Adds texts to files of the project, sees which findings they make, and puts everything back.
#[track_caller]
fn finds(sandbox: &Sandbox, project: &Path, files: &[(&str, &str)], expected: &[&str]) {
    let mut before = Vec::new();
    for (path, text) in files {
        let old = std::fs::read_to_string(project.join(path)).ok();
        put(project, path, &format!("{}{text}", old.as_deref().unwrap_or_default()));
        before.push((project.join(path), old));
    }
    let mut places = found(sandbox, project);
    places.dedup();
    assert_eq!(places, expected, "{files:?}");
    for (place, old) in before {
        match old {
            Some(old) => std::fs::write(place, old).unwrap(),
            None => std::fs::remove_file(place).unwrap(),
        }
    }
}

#[test]
fn texts_that_python_runs_are_read_as_its_sources() {
    let (sandbox, project) = project("connector-python");
    let text = "agent-harness/patch.txt";
    for (path, code) in [
        (API, "\nexec(open('patch.txt').read())\n"),
        (API, "\nimport runpy\nrunpy.run_path('patch.txt')\n"),
        (API, "\nexec(Path(__file__).with_name('patch').with_suffix('.txt').read_text())\n"),
        ("Makefile", "run:\n\tpython3 agent-harness/patch.txt\n"),
        ("Makefile", "run:\n\tPYTHONSTARTUP=agent-harness/patch.txt python3 -i\n"),
        ("run.sh", "cat agent-harness/patch.txt | python3\n"),
    ] {
        let files = [(path, code), (text, PATCH)];
        finds(&sandbox, &project, &files, &[&format!("drift/amended {text}")]);
    }
    let code = "\nexec('import aos_acme.contract' + '_gen as c; c.COMMANDS = {}')\n";
    finds(&sandbox, &project, &[(API, code)], &[&format!("drift/amended {API}")]);
    let data = "{\"code\": \"import aos_acme.contract_gen as c\\nc.COMMANDS = {}\"}";
    let runs = "\nimport json\nexec(json.load(open('x.json'))['code'])\n";
    let files = [(API, runs), ("agent-harness/x.json", data)];
    finds(&sandbox, &project, &files, &["drift/amended agent-harness/x.json"]);
    // Reading a file, and running code that changes nothing, is allowed.
    for files in [
        [(API, "\nTEXT = open('patch.txt').read()\n"), (text, PATCH)],
        [(API, "\nx = eval('1 + 1')\nexec(open('patch.txt').read())\n"), (text, "print(1)\n")],
        [("Makefile", "run:\n\tpython3 -m build agent-harness/patch.txt\n"), (text, PATCH)],
        [("docs/more.md", "    python3 agent-harness/patch.txt\n"), (text, PATCH)],
    ] {
        finds(&sandbox, &project, &files, &[]);
    }
}

#[test]
fn code_that_an_environment_or_a_cache_runs_is_found_and_its_usual_files_are_not() {
    let test = "code_that_an_environment_or_a_cache_runs_is_found_and_its_usual_files_are_not";
    let (sandbox, project) = project("connector-python");
    let packages = ".venv/lib/python3.11/site-packages";
    let place = |name: &str| format!("{packages}/{name}");
    let usual = [
        (place("_virtualenv.pth"), "import _virtualenv\n"),
        (place("_virtualenv.py"), "import sys\nsys.meta_path.insert(0, object())\n"),
        (
            place("distutils-precedence.pth"),
            "import os; os.environ.get('X') and __import__('_d').go()\n",
        ),
        (place("sitecustomize.py"), "import coverage\ncoverage.process_startup()\n"),
    ];
    let usual: Vec<_> = usual.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    finds(&sandbox, &project, &usual, &[]);
    let line = "import sys; exec('1'); import aos_acme.contract_gen as c; c.COMMANDS = {}\n";
    let module = place("zz.py");
    for (path, text, expected) in [
        (place("zz.pth"), line, place("zz.pth")),
        (place("sitecustomize.py"), PATCH, place("sitecustomize.py")),
        (place("zz.pth"), "import zz\n", module.clone()),
    ] {
        let files = [(path.as_str(), text), (module.as_str(), PATCH)];
        let files = if expected == module { &files[..] } else { &files[..1] };
        finds(&sandbox, &project, files, &[&format!("drift/shadowed {expected}")]);
    }
    let archive = [("Makefile", "run:\n\tPYTHONPATH=alt.zip python3 -m aos_acme\n")];
    finds(&sandbox, &project, &archive, &["drift/shadowed Makefile"]);
    let usual = [("Makefile", "test:\n\tPYTHONPATH=agent-harness python3 -m pytest\n")];
    finds(&sandbox, &project, &usual, &[]);
    let prefix = "cache/site/contract_gen.cpython-311.pyc";
    finds(&sandbox, &project, &[(prefix, "")], &[&format!("drift/shadowed {prefix}")]);

    // A cache that Python wrote is free until git has it.
    let Some(git) = program(test, "git") else { return };
    let run = |program: &Path, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(&project).output().unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    };
    let cache = "agent-harness/aos_acme/__pycache__/api.cpython-311.pyc";
    put(&project, cache, "\0\0\0\0\0\0\0\0");
    run(&git, &["init", "--quiet"]);
    assert_eq!(found(&sandbox, &project), [""; 0]);
    run(&git, &["add", "--force", cache]);
    // One for each generated module.
    let mut places = found(&sandbox, &project);
    places.dedup();
    assert_eq!(places, [format!("drift/shadowed {cache}")]);
}

#[test]
fn texts_that_javascript_runs_and_builds_that_replace_the_module_are_found() {
    let (sandbox, project) = project("augmentor-node");
    let source = "src/index.js";
    for code in [
        "\neval(\"Object.freeze = (x) => x\");\n",
        "\nnew Function('Array.prototype.includes = () => true')();\n",
        "\nawait import('data:text/javascript,Object.freeze%3D(x)=>x');\n",
        "\nconst g = Function('return this')();\ng.Object = {};\n",
    ] {
        finds(&sandbox, &project, &[(source, code)], &["drift/amended src/index.js"]);
    }
    let change = "Object.freeze = (x) => x;\n";
    for (path, text) in [
        ("Makefile", "run:\n\tnode -r ./pre.txt src/index.js\n"),
        (".npmrc", "node-options=--require ./pre.txt\n"),
        ("bunfig.toml", "preload = [\"./pre.txt\"]\n"),
        ("src/run.js", "eval(readFileSync('pre.txt', 'utf8'));\n"),
    ] {
        let files = [(path, text), ("pre.txt", change)];
        finds(&sandbox, &project, &files, &["drift/amended pre.txt"]);
    }
    let launcher = "run:\n\tnode -e 'Object.freeze = (x) => x; import(\"./src/index.js\")'\n";
    finds(&sandbox, &project, &[("Makefile", launcher)], &["drift/amended Makefile"]);
    for (path, text) in [
        ("vite.config.js", "export default { define: { CAPS: '[]' } };\n"),
        (
            "vite.config.js",
            "export const p = { load(id) { if (id.includes('contract' + '_gen')) return ''; } };\n",
        ),
        ("Makefile", "run:\n\tesbuild src/index.js --alias:./contract_gen.js=./alt.js\n"),
    ] {
        finds(&sandbox, &project, &[(path, text)], &[&format!("drift/shadowed {path}")]);
    }
    for code in [
        "\nString.prototype.replaceAll ??= function () { return ''; };\n",
        "\nif (!Array.prototype.at) {\n  Array.prototype.at = function (n) { return this[n]; };\n}\n",
        "\nArray.prototype.last = function () { return this[this.length - 1]; };\n",
        "\nexport const compile = (body) => new Function('x', body);\n",
        "\nconst root = typeof self === 'object' ? self : Function('return this')();\n",
    ] {
        finds(&sandbox, &project, &[(source, code)], &[]);
    }
    let usual = "run:\n\tNODE_OPTIONS=--max-old-space-size=4096 node --import tsx src/index.js\n";
    finds(&sandbox, &project, &[("Makefile", usual)], &[]);
}

#[test]
fn writes_by_a_pattern_or_a_patch_and_flags_of_linkers_are_found() {
    let (sandbox, project) = project("cli-go");
    let module = "internal/contract/contract_gen.go";
    let patch = format!("--- a/{module}\n+++ b/{module}\n@@ -1 +1 @@\n-a\n+b\n");
    let files = [("fix.sh", "git apply fixes/one.patch\n"), ("fixes/one.patch", patch.as_str())];
    finds(&sandbox, &project, &files, &["drift/shadowed fix.sh"]);
    for (path, text) in [
        ("fix.sh", "cd internal/contract && sed -i s/6/0/ *.go\n"),
        ("fix.sh", "git checkout other -- internal/contract\n"),
        ("fix.sh", "gofmt -w -r '6 -> 0' internal/contract\n"),
        ("Dockerfile", "COPY alt/contract_gen.go internal/contract/\n"),
        ("fix.sh", "go build -ldflags '-X github.com/example/acme/internal/contract.X=1'\n"),
        (".env.local", "GOFLAGS=-toolexec=./swap\n"),
    ] {
        finds(&sandbox, &project, &[(path, text)], &[&format!("drift/shadowed {path}")]);
    }
    let copy = "gopath/src/github.com/example/acme/internal/contract/x.go";
    finds(
        &sandbox,
        &project,
        &[(copy, "package contract\n")],
        &[&format!("drift/shadowed {copy}")],
    );
    for (path, text) in [
        ("fix.sh", "git checkout -- internal/contract\ngofmt -w internal/contract\n"),
        ("Dockerfile", "COPY . .\nCOPY internal/contract internal/contract\n"),
        ("fix.sh", "go build -ldflags '-X github.com/example/acme/internal/about.Version=1'\n"),
    ] {
        finds(&sandbox, &project, &[(path, text)], &[]);
    }
}
