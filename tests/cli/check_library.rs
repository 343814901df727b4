//! Files and code that replace or change parts of Python: a module of the standard library in a directory that
//! comes first, an import path with code that git ignores, and names of the library that get another value.

use std::path::Path;
use std::process::Command;

use super::check_changes::{found, project, put};
use super::sandbox::Sandbox;
use super::toolchain::program;

const HARNESS: &str = "agent-harness";
/// Prints the mode of a destructive command as the gate reads it, in a new process.
const SHOW: &str = "
try:
    from aos_acme import contract_gen as c
    c.COMMANDS['item.delete']['required_mode'] = 'readonly'
    print('changed')
except TypeError:
    print('same')
except Exception:
    print('other')
";

fn remove(project: &Path, path: &str) {
    std::fs::remove_file(project.join(path)).unwrap();
    // Directories that only held this file.
    for above in Path::new(path).ancestors().skip(1) {
        if std::fs::remove_dir(project.join(above)).is_err() {
            break;
        }
    }
}

/// Each place once: `types.py` is found for more than one reason.
fn places(sandbox: &Sandbox, project: &Path) -> Vec<String> {
    let mut places = found(sandbox, project);
    places.dedup();
    places
}

#[test]
fn a_module_in_place_of_the_standard_library_is_found_where_python_takes_it() {
    let test = "a_module_in_place_of_the_standard_library_is_found_where_python_takes_it";
    let Some(python) = program(test, "python3") else { return };
    let (sandbox, project) = project("connector-python");
    // Without `site`, whose files can import `types` before the tool does.
    let show = |directory: &str, script: Option<&str>| {
        let mut command = Command::new(&python);
        match script {
            Some(script) => command.args(["-S", "-B", script]),
            None => command.args(["-S", "-B", "-c", SHOW]),
        };
        let output = command.current_dir(project.join(directory)).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(show(HARNESS, None), "same");
    let types = "import sys\nMappingProxyType = dict\nSimpleNamespace = type(sys.implementation)\n";
    for path in ["agent-harness/types.py", "agent-harness/types/__init__.py"] {
        put(&project, path, types);
        assert_ne!(show(HARNESS, None), "same", "Python takes {path}");
        assert_eq!(places(&sandbox, &project), [format!("drift/shadowed {path}")]);
        sandbox.aos_in(&project, &["gen", "--check"]).error("E_DRIFT", 6);
        remove(&project, path);
    }
    // A script has its own directory first.
    let run = format!("import sys\nsys.path.append('../agent-harness')\n{SHOW}");
    put(&project, "tools/run.py", &run);
    put(&project, "tools/types.py", types);
    assert_ne!(show("tools", Some("run.py")), "same");
    // The script itself changes a table, to see whether it can.
    let both = ["drift/amended tools/run.py", "drift/shadowed tools/types.py"];
    assert_eq!(places(&sandbox, &project), both);
    remove(&project, "tools/types.py");
    remove(&project, "tools/run.py");
    for path in [
        "json.py",
        "agent-harness/enum.py",
        "agent-harness/dataclasses.py",
        "agent-harness/hmac.pyc",
        "agent-harness/click.py",
        "agent-harness/tests/secrets.py",
    ] {
        put(&project, path, "x = 1\n");
        let found = found(&sandbox, &project);
        assert!(found.contains(&format!("drift/shadowed {path}")), "{path}: {found:?}");
        remove(&project, path);
    }
    // Inside a package, a module has the name of the package.
    put(&project, "agent-harness/aos_acme/types.py", "Item = dict\n");
    put(&project, "agent-harness/aos_acme/json/__init__.py", "");
    put(&project, "docs/calendar.py", "x = 1\n");
    assert_eq!(found(&sandbox, &project), [""; 0]);
}

#[test]
fn ignored_code_on_the_import_path_is_read_and_judged() {
    let (sandbox, project) = project("connector-python");
    let ignore = project.join(".gitignore");
    let text = std::fs::read_to_string(&ignore).unwrap();
    std::fs::write(&ignore, format!("{text}\n/alt/\n")).unwrap();
    let change = "import aos_acme.contract_gen as c\nc.COMMANDS = {}\n";
    put(&project, "alt/plugin.py", change);
    put(&project, "alt/aos_acme/__init__.py", "");
    put(&project, "alt/aos_acme/contract_gen.py", "MODES = ()\n");
    put(&project, "alt/types.py", "x = 1\n");
    assert_eq!(found(&sandbox, &project), [""; 0], "nothing imports from there");
    let all = [
        "drift/amended alt/plugin.py",
        "drift/shadowed alt/aos_acme/__init__.py",
        "drift/shadowed alt/aos_acme/contract_gen.py",
        "drift/shadowed alt/types.py",
    ];
    for (path, text) in [
        (".env", "PYTHONPATH=alt\n"),
        ("run.sh", "PYTHONPATH=\"$PWD/alt\" exec python3 -m aos_acme \"$@\"\n"),
        ("Dockerfile", "FROM python\nENV PYTHONPATH=/app/alt\n"),
        ("agent-harness/pytest.ini", "[pytest]\npythonpath = ../alt\n"),
        (
            "agent-harness/start.py",
            "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent.parent / 'alt'))\n",
        ),
    ] {
        put(&project, path, text);
        let mut found = found(&sandbox, &project);
        found.retain(|found| all.contains(&found.as_str()));
        found.dedup();
        assert_eq!(found.len(), all.len(), "{path}: {found:#?}");
        remove(&project, path);
    }
    // A path file of a virtual environment, which git ignores too.
    put(&project, ".venv/pyvenv.cfg", "home = /usr/bin\n");
    let site = ".venv/lib/python3.11/site-packages";
    let lines = format!("{}\n", project.join("alt").display());
    put(&project, &format!("{site}/more.pth"), &lines);
    let paths = found(&sandbox, &project);
    assert!(all.iter().all(|one| paths.contains(&(*one).to_owned())), "{paths:#?}");
    // Files that a package manager installed there are not reported.
    put(&project, "alt/x.dist-info/RECORD", "plugin.py,sha256=x,1\ntypes.py,,\n");
    let installed = found(&sandbox, &project);
    assert!(!installed.contains(&all[0].to_owned()), "{installed:#?}");
}

#[test]
fn names_of_the_standard_library_that_get_another_value_are_found() {
    let (sandbox, project) = project("connector-python");
    let more = "agent-harness/aos_acme/more.py";
    for code in [
        "import io\nio.open_code = io.open\n",
        "import io as i\nsetattr(i, 'open', print)\n",
        "import hmac\nhmac.compare_digest = lambda a, b: True\n",
        "from types import MappingProxyType as M\nM.__setitem__ = print\n",
        "__import__('builtins').open = float\n",
    ] {
        put(&project, more, code);
        assert_eq!(found(&sandbox, &project), [format!("drift/amended {more}")], "{code}");
    }
    let harmless = "import io, os, json, ssl, tempfile, threading, time, warnings\njson.JSONEncoder.default = str\n\
        ssl._create_default_https_context = ssl._create_unverified_context\ntime.sleep = print\nos.environ['A'] = 'b'\n\
        tempfile.tempdir = 'x'\nthreading.excepthook = print\nwarnings.showwarning = print\n\
        import builtins, gettext\nbuiltins._ = gettext.gettext\nout = io.StringIO()\nout.name = 'x'\nread = json.loads\n";
    put(&project, more, harmless);
    put(
        &project,
        "agent-harness/tests/test_more.py",
        "import io\nimport time\nfrom unittest.mock import mock_open, patch\n\n\ndef test_x(monkeypatch):\n    \
         time.time = float\n    monkeypatch.setattr(io, 'open', print)\n    with patch('builtins.open', mock_open()):\n        pass\n",
    );
    assert_eq!(found(&sandbox, &project), [""; 0]);
}

#[test]
fn ignored_code_that_a_source_imports_is_read_in_every_language() {
    for (template, output, ignored, source, rule) in [
        (
            "connector-python",
            None,
            (
                "agent-harness/extra/x.py",
                "from aos_acme import contract_gen as c\nc.COMMANDS = {}\n",
            ),
            ("agent-harness/aos_acme/more.py", "from extra import x\n"),
            "drift/amended",
        ),
        (
            "cli-go",
            None,
            (
                "internal/extra/x.go",
                "package extra\n\nimport \"github.com/example/acme/internal/contract\"\n\nfunc init() { contract.Codes = nil }\n",
            ),
            (
                "cmd/more/main.go",
                "package main\n\nimport _ \"github.com/example/acme/internal/extra\"\n\nfunc main() {}\n",
            ),
            "drift/amended",
        ),
        (
            "cli-go",
            Some("typescript = [\"web/src/contract_gen.ts\"]"),
            ("web/extra/pre.ts", "Array.prototype.includes = () => true;\n"),
            ("web/src/main.ts", "import \"../extra/pre.ts\";\n"),
            "drift/amended",
        ),
    ] {
        let (sandbox, project) = project(template);
        if let Some(output) = output {
            super::disk::add_output(&project, output);
            sandbox.aos_in(&project, &["gen"]).data();
        }
        let ignore = project.join(".gitignore");
        let text = std::fs::read_to_string(&ignore).unwrap();
        std::fs::write(&ignore, format!("{text}\nextra/\n")).unwrap();
        put(&project, ignored.0, ignored.1);
        assert_eq!(found(&sandbox, &project), [""; 0], "nothing imports {}", ignored.0);
        put(&project, source.0, source.1);
        assert_eq!(found(&sandbox, &project), [format!("{rule} {}", ignored.0)]);
    }
}
