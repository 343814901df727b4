//! `aos augmentor`: packages of both languages are described and called, in a process of their own.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::sandbox::{Answer, Sandbox, run};
#[cfg(unix)]
use crate::toolchain;

const RUNTIMES: [&str; 2] = ["python", "node"];
const HELLO: &str = r#"{"text":"hello"}"#;

/// The directory of a package that the tests of the runner use.
pub fn fixture(name: &str) -> String {
    format!("{}/tests/augmentor/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The lines of a stream.
fn lines(answer: &Answer) -> Vec<Value> {
    answer.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// A package of one command `go` with this body.
pub fn package(sandbox: &Sandbox, runtime: &str, manifest: &str, body: &str) -> PathBuf {
    let entry = if runtime == "python" { "sample.factory" } else { "index.factory" };
    let head = format!(
        "name = \"sample\"\nversion = \"1.0.0\"\nentry = \"{entry}\"\nruntime = \"{runtime}\"\ncaps = [\"command\"]\n"
    );
    sandbox.write("package/augmentor.toml", &format!("{head}{manifest}"));
    let schema = r#"{"type": "object"}"#;
    let file = match runtime {
        "python" => {
            let text = format!(
                "async def go(args, ctx):\n    {body}\n\n\ndef factory(**_):\n    return {{\"commands\": [{{\"name\": \"go\", \"schema\": {schema}, \"run\": go}}]}}\n"
            );
            sandbox.write("package/sample.py", &text)
        }
        _ => {
            let text = format!(
                "async function go(args, ctx) {{ {body} }}\nexport const factory = () => ({{ commands: [{{ name: 'go', schema: {schema}, run: go }}] }});\n"
            );
            sandbox.write("package/index.mjs", &text)
        }
    };
    file.parent().expect("a directory").to_owned()
}

fn go(sandbox: &Sandbox, package: &Path) -> Answer {
    let package = package.to_str().expect("UTF-8");
    sandbox.aos(&["augmentor", "run", package, "go", "--timeout", "30"])
}

#[test]
fn a_package_is_described_with_its_schemas_and_permissions() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let good = fixture(&format!("{runtime}/good"));
        let data = sandbox.aos(&["augmentor", "describe", &good]).data();
        assert_eq!(data["package"]["runtime"], runtime);
        let names: Vec<_> =
            data["commands"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["echo", "refuse", "count", "context"]);
        assert_eq!(data["commands"][0]["schema"]["required"], json!(["text"]));
        assert_eq!(data["agents"][0]["id"], "helper");
        assert_eq!(
            data["permissions"]["declared"],
            json!({"filesystem": "none", "network": "none"})
        );
        assert_eq!(data["notes"], json!([]));
    }
}

#[test]
fn a_command_gives_its_result_and_the_package_may_print() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let good = fixture(&format!("{runtime}/good"));
        let answer = sandbox.aos(&["augmentor", "run", &good, "echo", "--args", HELLO]);
        assert_eq!(answer.data()["result"], json!({"text": "hello"}));
        // The shutdown of the package prints; that never mixes with the answer.
        assert!(answer.stderr.contains("sample: bye"), "{answer:?}");
        let quiet = sandbox.aos(&["augmentor", "run", &good, "echo", "--args", HELLO, "--quiet"]);
        assert_eq!(quiet.stderr, "");
    }
}

#[test]
fn arguments_come_from_a_file_and_from_stdin() {
    let sandbox = Sandbox::new();
    let good = fixture("node/good");
    sandbox.write("args.json", HELLO);
    let from_file = sandbox.aos(&["augmentor", "run", &good, "echo", "--args", "@args.json"]);
    assert_eq!(from_file.data()["result"]["text"], "hello");
    let mut command = sandbox.command(&["augmentor", "run", &good, "echo", "--args", "-"]);
    let file = std::fs::File::open(sandbox.work().join("args.json")).unwrap();
    assert_eq!(run(command.stdin(file)).data()["result"]["text"], "hello");
    let missing = sandbox.aos(&["augmentor", "run", &good, "echo", "--args", "@nowhere.json"]);
    missing.error("E_NOT_FOUND", 3);
    for text in ["[]", "{", r#"{"a":1,"a":2}"#] {
        sandbox.aos(&["augmentor", "run", &good, "echo", "--args", text]).error("E_VALIDATION", 2);
    }
}

#[test]
fn arguments_that_do_not_fit_never_reach_the_package() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        // Its command fails with a raw exception on such arguments.
        let raw = fixture(&format!("{runtime}/r2_raw_exception"));
        let answer = sandbox.aos(&["augmentor", "run", &raw, "echo", "--args", r#"{"text":1}"#]);
        let details = answer.error("E_VALIDATION", 2)["details"].clone();
        assert_eq!(details["error"]["code"], "invalid_input");
        assert_eq!(details["error"]["data"]["errors"][0]["path"], "/text");
        assert_eq!(details["error"]["origin"], "host");
    }
}

#[test]
fn an_error_of_the_package_keeps_its_members_and_a_trace_goes_to_stderr() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let good = fixture(&format!("{runtime}/good"));
        let answer = sandbox.aos(&["augmentor", "run", &good, "refuse", "--args", HELLO]);
        let error = answer.error("E_AUGMENTOR", 1)["details"]["error"].clone();
        let own = json!({"code": "not_allowed", "message": "no hello", "data": {"text": "hello"}, "origin": "package"});
        assert_eq!(error, own);
        let body =
            if runtime == "python" { "raise KeyError('x')" } else { "throw new RangeError('x')" };
        let answer = go(&sandbox, &package(&sandbox, runtime, "", body));
        let error = answer.error("E_AUGMENTOR", 1)["details"]["error"].clone();
        assert_eq!(
            (&error["code"], &error["origin"]),
            (&json!("internal_error"), &json!("exception"))
        );
        assert!(!answer.stdout.contains("Traceback") && !answer.stdout.contains("index.mjs:"));
        assert!(answer.stderr.contains("sample: "), "{answer:?}");
    }
}

#[test]
fn unknown_names_and_packages_are_not_found() {
    let sandbox = Sandbox::new();
    let good = fixture("node/good");
    let answer = sandbox.aos(&["augmentor", "run", &good, "nothing"]);
    let error = answer.error("E_NOT_FOUND", 3);
    assert!(
        error["details"]["error"]["data"]["known"].as_array().unwrap().contains(&json!("echo"))
    );
    sandbox.aos(&["augmentor", "agent", &good, "nobody", "--message", "x"]).error("E_NOT_FOUND", 3);
    let answer = sandbox.aos(&["augmentor", "describe", "no-such-augmentor"]);
    assert!(
        !answer.error("E_NOT_FOUND", 3)["details"]["looked_for"].as_array().unwrap().is_empty()
    );
}

#[test]
fn an_agent_gets_the_history() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let good = fixture(&format!("{runtime}/good"));
        let history = r#"[{"role":"user","content":"x"}]"#;
        let answer = sandbox.aos(&[
            "augmentor",
            "agent",
            &good,
            "helper",
            "--message",
            "hi",
            "--history",
            history,
            "--timeout",
            "30",
        ]);
        assert_eq!(answer.data()["result"], json!({"message": "hi after 1"}));
        let bad = r#"[{"role":"boss","content":"x"}]"#;
        let answer = sandbox.aos(&[
            "augmentor",
            "agent",
            &good,
            "helper",
            "--message",
            "hi",
            "--history",
            bad,
        ]);
        let error = answer.error("E_VALIDATION", 2);
        assert_eq!(error["details"]["error"]["data"]["errors"][0]["path"], "/history/0");
    }
}

#[test]
fn a_stream_is_one_envelope_a_line_and_ends_with_a_summary() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let good = fixture(&format!("{runtime}/good"));
        let answer = sandbox.aos(&[
            "augmentor",
            "run",
            &good,
            "count",
            "--args",
            r#"{"text":"hi"}"#,
            "--stream",
        ]);
        let lines = lines(&answer);
        let types: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["item", "item", "summary"]);
        assert!(lines.iter().all(|line| line["ok"] == true && line["schema_version"].is_string()));
        assert_eq!(lines[0]["data"]["chunk"], json!({"type": "text", "data": "h"}));
        assert_eq!(lines[2]["data"]["result"], json!({"letters": 2}));
        assert_eq!(lines[2]["data"]["chunks"], 2);
        // A failure before the first line is an ordinary envelope.
        let failed =
            sandbox.aos(&["augmentor", "run", &good, "refuse", "--args", HELLO, "--stream"]);
        let line: Value = serde_json::from_str(failed.stdout.trim_end()).unwrap();
        assert_eq!((&line["ok"], &line["type"]), (&json!(false), &Value::Null));
        // An agent that does not stream has a summary alone.
        let agent =
            sandbox.aos(&["augmentor", "agent", &good, "helper", "--message", "hi", "--stream"]);
        assert_eq!(self::lines(&agent).last().unwrap()["type"], "summary");
    }
}

#[test]
fn only_declared_secrets_reach_the_package() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let body = match runtime {
            "python" => "import os; return {\"env\": ctx[\"env\"], \"process\": dict(os.environ)}",
            _ => "return { env: ctx.env, process: { ...process.env } };",
        };
        let package = package(
            &sandbox,
            runtime,
            "\n[permissions]\nsecrets = [\"TOKEN_A\", \"TOKEN_B\"]\n",
            body,
        );
        let mut command = sandbox.command(&["augmentor", "run", package.to_str().unwrap(), "go"]);
        let answer = run(command.env("TOKEN_A", "secret-of-a").env("TOKEN_C", "secret-of-c"));
        let data = answer.data();
        assert_eq!(data["result"]["env"]["TOKEN_A"], "secret-of-a");
        assert_eq!(data["secrets"], json!({"given": ["TOKEN_A"], "missing": ["TOKEN_B"]}));
        assert!(!answer.stdout.contains("secret-of-c") && !answer.stdout.contains("HOME"));
        assert!(data["result"]["process"].get("TOKEN_A").is_none());
    }
}

#[test]
fn undeclared_actions_of_a_package_are_reported() {
    let sandbox = Sandbox::new();
    let body = "open('/etc/hostname', 'rb').close(); return {}";
    let answer = go(&sandbox, &package(&sandbox, "python", "", body));
    let permissions = answer.data()["permissions"].clone();
    assert_eq!(permissions["undeclared"], json!([{"kind": "fs.read", "target": "/etc/hostname"}]));
    let names = |list: &str| -> Vec<String> {
        let all = permissions[list].as_array().expect("a list").iter();
        let name = |one: &Value| one.get("permission").unwrap_or(one).as_str().map(str::to_owned);
        all.filter_map(name).collect()
    };
    assert_eq!(names("not_enforced").last().map(String::as_str), Some("programs"), "{permissions}");
    let is_enforced = names("enforced").contains(&"filesystem".to_owned());
    assert_ne!(is_enforced, names("not_enforced").contains(&"filesystem".to_owned()));
}

/// Where the system can keep a program to files, which the answer of each call says.
#[test]
fn python_is_kept_to_the_files_that_it_declares() {
    for (filesystem, reads, writes) in [
        ("none", false, false),
        ("read", true, false),
        ("write", false, true),
        ("read-write", true, true),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("private", "theirs");
        let private = sandbox.work().join("private");
        let fresh = sandbox.work().join("fresh");
        let body = format!(
            r#"found = []
    for verb, path in [("r", {private:?}), ("w", {fresh:?})]:
        try:
            open(path, verb).close()
            found.append(True)
        except OSError:
            found.append(False)
    return {{"found": found}}"#
        );
        let permissions = format!("\n[permissions]\nfilesystem = \"{filesystem}\"\n");
        let data = go(&sandbox, &package(&sandbox, "python", &permissions, &body)).data();
        let left = data["permissions"]["not_enforced"].to_string();
        if left.contains("filesystem") {
            return super::sandbox::skipped("python_is_kept_to_the_files_that_it_declares", &left);
        }
        assert_eq!(data["result"]["found"], json!([reads, writes]), "{filesystem}: {data}");
    }
    let sandbox = Sandbox::new();
    sandbox.write("private", "theirs");
    let private = sandbox.work().join("private");
    let body = format!("open({private:?}).close(); return {{}}");
    let error = go(&sandbox, &package(&sandbox, "python", "", &body)).error("E_FORBIDDEN", 4);
    let wanted = json!({"permission": "FileSystemRead", "resource": private});
    assert_eq!(error["details"]["error"]["code"], "permission_denied");
    assert_eq!(error["details"]["error"]["data"], wanted);
}

#[test]
fn node_refuses_what_was_not_declared() {
    let sandbox = Sandbox::new();
    let body = "(await import('node:fs')).writeFileSync('/tmp/aos-test-never', ''); return {};";
    let answer = go(&sandbox, &package(&sandbox, "node", "", body));
    let error = answer.error("E_FORBIDDEN", 4);
    assert_eq!(error["details"]["error"]["code"], "permission_denied");
    assert!(!Path::new("/tmp/aos-test-never").exists());
}

#[test]
fn a_call_without_an_end_is_killed() {
    for (runtime, body) in [("python", "while True: pass"), ("node", "for (;;) {}")] {
        let sandbox = Sandbox::new();
        let package = package(&sandbox, runtime, "", body);
        let answer =
            sandbox.aos(&["augmentor", "run", package.to_str().unwrap(), "go", "--timeout", "1"]);
        let error = answer.error("E_TIMEOUT", 8);
        assert_eq!(error["details"]["error"]["code"], "timeout");
        assert_eq!(error["retryable"], true);
    }
    let sandbox = Sandbox::new();
    sandbox.aos(&["augmentor", "run", ".", "go", "--timeout", "0"]).error("E_VALIDATION", 2);
}

#[test]
fn a_manifest_that_breaks_a_rule_is_refused_before_anything_runs() {
    let sandbox = Sandbox::new();
    let package = package(&sandbox, "node", "\n[permissions]\nnetwrok = \"all\"\n", "return {};");
    let error = go(&sandbox, &package).error("E_VALIDATION", 2);
    assert_eq!(error["details"]["findings"][0]["rule"], "augmentor/unknown-member");
    let answer =
        sandbox.aos(&["augmentor", "describe", &fixture("node/good"), "--runtime", "python"]);
    answer.error("E_VALIDATION", 2);
    let answer = sandbox.aos(&[
        "augmentor",
        "agent",
        &fixture("node/good"),
        "helper",
        "--message",
        "x",
        "--runtime",
        "ruby",
    ]);
    answer.error("E_VALIDATION", 2);
}

#[test]
fn a_package_that_cannot_be_loaded_says_why() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        for (name, reason) in [
            ("l1_import_fails", "import_failed"),
            ("l1_no_export", "not_callable"),
            ("l2_async_factory", "factory_async"),
            ("l4_twice", "not_usable"),
            ("l5_unknown_type", "not_usable"),
        ] {
            let package = fixture(&format!("{runtime}/{name}"));
            let answer = sandbox.aos(&[
                "augmentor",
                "run",
                &package,
                "echo",
                "--args",
                HELLO,
                "--runtime",
                runtime,
            ]);
            let error = answer.error("E_AUGMENTOR", 1)["details"]["error"].clone();
            assert_eq!(error["data"]["reason"], reason, "{runtime} {name}: {error}");
        }
    }
}

#[test]
fn an_installed_npm_package_is_found_by_name() {
    let sandbox = Sandbox::new();
    let source = package(&sandbox, "node", "", "return { found: true };");
    for name in ["sample", "@scope/sample"] {
        let target = sandbox.work().join("node_modules").join(name);
        std::fs::create_dir_all(&target).unwrap();
        for file in ["augmentor.toml", "index.mjs"] {
            std::fs::copy(source.join(file), target.join(file)).unwrap();
        }
        let inner = sandbox.work().join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        let data = sandbox.aos_in(&inner, &["augmentor", "run", name, "go"]).data();
        assert_eq!(data["result"], json!({"found": true}));
        assert!(data["package"]["found"].as_str().unwrap().starts_with("npm package"));
    }
}

/// A virtual environment without pip, which is quick to make.
#[cfg(unix)]
fn environment(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let venv = sandbox.work().join("venv");
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(&venv)
        .status()
        .unwrap();
    assert!(made.success());
    let library = std::fs::read_dir(venv.join("lib")).unwrap().next().unwrap().unwrap().path();
    (venv, library.join("site-packages"))
}

#[cfg(unix)]
#[test]
fn an_installed_pip_package_is_found_by_name() {
    let sandbox = Sandbox::new();
    let (venv, site) = environment(&sandbox);
    let source = package(&sandbox, "python", "", "return {\"found\": True}");
    let installed = site.join("sample");
    std::fs::create_dir(&installed).unwrap();
    std::fs::copy(source.join("augmentor.toml"), installed.join("augmentor.toml")).unwrap();
    std::fs::copy(source.join("sample.py"), installed.join("__init__.py")).unwrap();
    let metadata = site.join("Sample-1.0.0.dist-info");
    std::fs::create_dir(&metadata).unwrap();
    std::fs::write(metadata.join("RECORD"), "sample/__init__.py,,\nsample/augmentor.toml,,\n")
        .unwrap();
    let mut command = sandbox.command(&["augmentor", "run", "sample", "go"]);
    let data = run(command.env("VIRTUAL_ENV", &venv)).data();
    assert_eq!(data["result"], json!({"found": true}));
    assert!(data["package"]["found"].as_str().unwrap().starts_with("pip package"));
    let python = venv.to_str().unwrap();
    for arguments in [
        &["augmentor", "run", "sample", "go", "--python", python][..],
        &["augmentor", "describe", "sample", "--python", python],
        &["augmentor", "agent", "sample", "x", "--message", "x", "--python", python],
    ] {
        let answer = sandbox.aos(arguments);
        assert!(answer.stdout.contains("pip package"), "{answer:?}");
    }
    // An editable installation points to the source tree.
    std::fs::remove_dir_all(&installed).unwrap();
    std::fs::write(metadata.join("RECORD"), "sample.pth,,\n").unwrap();
    let url =
        json!({"url": format!("file://{}", source.display()), "dir_info": {"editable": true}});
    std::fs::write(metadata.join("direct_url.json"), url.to_string()).unwrap();
    let data = sandbox.aos(&["augmentor", "run", "sample", "go", "--python", python]).data();
    assert!(data["package"]["found"].as_str().unwrap().starts_with("editable pip package"));
}

/// A build system may copy the manifest into the environment, and the code stays in the source tree.
#[cfg(unix)]
#[test]
fn an_editable_installation_is_loaded_from_its_source_tree() {
    let sandbox = Sandbox::new();
    let (venv, site) = environment(&sandbox);
    let source = package(&sandbox, "python", "", "return {\"found\": True}");
    let inside = source.join("src/sample");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::rename(source.join("sample.py"), inside.join("__init__.py")).unwrap();
    std::fs::write(source.join("pyproject.toml"), "[project]\nname = \"sample\"\n").unwrap();
    let copied = site.join("sample");
    std::fs::create_dir(&copied).unwrap();
    std::fs::copy(source.join("augmentor.toml"), copied.join("augmentor.toml")).unwrap();
    std::fs::write(site.join("sample.pth"), format!("{}\n", source.join("src").display())).unwrap();
    let metadata = site.join("sample-1.0.0.dist-info");
    std::fs::create_dir(&metadata).unwrap();
    std::fs::write(metadata.join("RECORD"), "sample.pth,,\nsample/augmentor.toml,,\n").unwrap();
    let linked = sandbox.work().join("a link");
    std::os::unix::fs::symlink(&source, &linked).unwrap();
    for path in [&source, &linked] {
        let path = path.display().to_string().replace(' ', "%20");
        let url = json!({"url": format!("file://{path}"), "dir_info": {"editable": true}});
        std::fs::write(metadata.join("direct_url.json"), url.to_string()).unwrap();
        let python = venv.to_str().unwrap();
        let answer = sandbox.aos(&["augmentor", "run", "sample", "go", "--python", python]);
        assert_eq!(answer.data()["result"], json!({"found": true}));
        let root = source.canonicalize().unwrap();
        assert_eq!(answer.data()["package"]["root"], root.to_str().unwrap());
    }
    // The manifest may also be in the import package of the source tree.
    std::fs::rename(source.join("augmentor.toml"), inside.join("augmentor.toml")).unwrap();
    let python = venv.to_str().unwrap();
    let answer = sandbox.aos(&["augmentor", "run", "sample", "go", "--python", python]);
    assert_eq!(answer.data()["result"], json!({"found": true}));
    // When the source tree is gone, the package is not found, although the copy of its manifest remains.
    std::fs::remove_dir_all(&source).unwrap();
    let answer = sandbox.aos(&["augmentor", "run", "sample", "go", "--python", python]);
    answer.error("E_NOT_FOUND", 3);
}

/// `pip install --target` and `--user` write import packages into directories that no environment has.
#[cfg(unix)]
#[test]
fn an_import_package_is_loaded_from_its_directory_and_from_the_directory_of_the_user() {
    let sandbox = Sandbox::new();
    let source = package(&sandbox, "python", "", "import beside; return {\"found\": beside.HERE}");
    // A virtual environment does not search the directory of the user.
    let places =
        "import site, sys; print(sys._base_executable, site.getusersitepackages(), sep='\\n')";
    let base = sandbox.work().join("base");
    let mut asked = std::process::Command::new("python3");
    let said = asked.env("PYTHONUSERBASE", &base).args(["-c", places]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let (python, site) = said.trim().split_once('\n').expect("two lines");
    let site = PathBuf::from(site);
    assert!(site.starts_with(&base), "{}", site.display());
    let installed = site.join("sample");
    std::fs::create_dir_all(&installed).unwrap();
    std::fs::copy(source.join("augmentor.toml"), installed.join("augmentor.toml")).unwrap();
    std::fs::copy(source.join("sample.py"), installed.join("__init__.py")).unwrap();
    std::fs::write(site.join("beside.py"), "HERE = True\n").unwrap();
    let metadata = site.join("sample-1.0.0.dist-info");
    std::fs::create_dir(&metadata).unwrap();
    std::fs::write(metadata.join("RECORD"), "sample/augmentor.toml,,\n").unwrap();
    for name in ["sample", installed.to_str().unwrap()] {
        let mut command = sandbox.command(&["augmentor", "run", name, "go", "--python", python]);
        let answer = run(command.env("PYTHONUSERBASE", &base));
        assert_eq!(answer.data()["result"], json!({"found": true}), "{name}");
    }
    // The directory of `--target` has any name; what pip installed there may be imported.
    let target = sandbox.work().join("target");
    std::fs::rename(&site, &target).unwrap();
    let moved = target.join("sample");
    let words = ["augmentor", "run", moved.to_str().unwrap(), "go"];
    assert_eq!(sandbox.aos(&words).data()["result"], json!({"found": true}));
    // Any other directory may hold private files of the user, which the package does not declare to read.
    std::fs::remove_dir_all(target.join("sample-1.0.0.dist-info")).unwrap();
    sandbox.aos(&words).error("E_VALIDATION", 2);
}

/// The module of the interface is held to be the code that runs, in JavaScript as in the other languages.
#[test]
fn a_replaced_or_changed_interface_module_fails_check() {
    let sandbox = Sandbox::new();
    let data = sandbox.aos(&["new", "notes", "--template", "augmentor-node", "--no-git"]).data();
    let project = std::path::PathBuf::from(data["path"].as_str().unwrap());
    sandbox.aos_in(&project, &["check"]).data();
    for (path, text, rule) in [
        ("src/contract_gen.mjs", "export const ABI = \"9\";\n", "drift/shadowed"),
        ("lib/contract_gen.js", "export const ABI = \"9\";\n", "drift/stray-module"),
        ("src/odd.js", "Object.freeze = (x) => x;\n", "drift/amended"),
    ] {
        let file = project.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        let answer = sandbox.aos_in(&project, &["check"]);
        assert!(answer.exit != Some(0) && answer.stdout.contains(rule), "{path}: {answer:?}");
        std::fs::remove_file(&file).unwrap();
    }
}

/// With what its package.json installs, a new package has no fault of types, in either language.
#[cfg(unix)]
#[test]
fn a_new_package_for_node_passes_its_check_of_types() {
    let test = "augmentor::a_new_package_for_node_passes_its_check_of_types";
    let Some(tools) = toolchain::node_tools(test) else { return };
    let modules = tools.parent().expect("node_modules");
    for (typescript, runtimes) in [("no", "one"), ("yes", "both")] {
        let sandbox = Sandbox::new();
        let (typescript, runtimes) =
            (format!("typescript={typescript}"), format!("runtimes={runtimes}"));
        let words = ["--set", &typescript, "--set", &runtimes];
        let made = ["new", "notes", "--template", "augmentor-node", "--no-git"];
        sandbox.aos(&[&made[..], &words].concat()).data();
        let root = sandbox.work().join("notes");
        let package = std::fs::read_to_string(root.join("package.json")).expect("a package");
        let package: Value = serde_json::from_str(&package).expect("JSON");
        let installed: Vec<_> =
            package["devDependencies"].as_object().expect("packages").keys().collect();
        assert_eq!(installed, ["@types/node", "prettier", "typescript"]);
        assert_eq!(package.get("dependencies"), None);
        std::os::unix::fs::symlink(modules, root.join("node_modules")).expect("a link");
        toolchain::succeed(tools.join("tsc"), &["--noEmit"], &root);
    }
}
