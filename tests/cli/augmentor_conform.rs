//! `aos conform` for augmentors: every broken package of the runner's tests fails exactly the item of its name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::augmentor;
use crate::sandbox::{Answer, Sandbox, run};

/// Longest call of a package under test: a fixture ends at once or never.
const CALL_LIMIT_MS: &str = "8000";
const WORKERS: usize = 4;

/// The fixtures of one language as projects: example calls where projects have them.
fn projects(sandbox: &Sandbox, runtime: &str) -> Vec<PathBuf> {
    let source = PathBuf::from(augmentor::fixture(runtime));
    let target = sandbox.work().join(runtime);
    for entry in walkdir::WalkDir::new(&source).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_dir() || entry.path().iter().any(|part| part == "__pycache__") {
            continue;
        }
        let path = entry.path().strip_prefix(&source).unwrap();
        let path = match path.file_name().is_some_and(|name| name == "calls.json") {
            true => path.parent().unwrap().join("tests/calls.json"),
            false => path.to_owned(),
        };
        std::fs::create_dir_all(target.join(&path).parent().unwrap()).unwrap();
        match std::fs::read_link(entry.path()) {
            Ok(link) => std::os::unix::fs::symlink(link, target.join(path)).unwrap(),
            Err(_) => drop(std::fs::copy(entry.path(), target.join(path)).unwrap()),
        }
    }
    let mut found: Vec<_> = std::fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("augmentor.toml").is_file())
        .collect();
    found.sort();
    found
}

fn conform(sandbox: &Sandbox, project: &Path) -> Answer {
    let mut command = sandbox.command(&["conform", "--quiet", "--all", project.to_str().unwrap()]);
    run(command.env("AOS_TEST_CALL_LIMIT_MS", CALL_LIMIT_MS))
}

/// The item of each probe of a verdict, as `L1`, with the message.
fn of_verdict(answer: &Answer, verdict: &str) -> BTreeMap<String, String> {
    let envelope = answer.json();
    let results = envelope["data"]["results"]
        .as_array()
        .or(envelope["error"]["details"]["results"].as_array());
    let results = results.unwrap_or_else(|| panic!("no results: {answer:?}"));
    let item = |result: &Value| {
        let section = result["section"].as_str().unwrap();
        section[section.find('(').unwrap() + 1..].trim_end_matches(')').to_owned()
    };
    let wanted = results.iter().filter(|result| result["verdict"] == verdict);
    wanted.map(|result| (item(result), result["message"].to_string())).collect()
}

#[cfg(debug_assertions)]
#[test]
fn every_broken_package_fails_exactly_its_item() {
    let sandbox = Sandbox::new();
    let projects: Vec<_> =
        ["python", "node"].iter().flat_map(|runtime| projects(&sandbox, runtime)).collect();
    assert!(projects.len() > 80, "the fixtures were not found");
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(project) = projects.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = project.file_name().unwrap().to_string_lossy().into_owned();
            let answer = conform(&sandbox, project);
            let failed = of_verdict(&answer, "fail");
            let expected: Vec<String> = match name.starts_with("good") {
                true => Vec::new(),
                false => vec![name.split('_').next().unwrap().to_uppercase()],
            };
            let is_right = failed.keys().cloned().collect::<Vec<_>>() == expected
                && (!expected.is_empty() || of_verdict(&answer, "blocked").is_empty());
            if !is_right {
                let blocked = of_verdict(&answer, "blocked");
                wrong
                    .lock()
                    .unwrap()
                    .push(format!("{}: failed {failed:?}, blocked {blocked:?}", project.display()));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// It declares everything, so nothing but the containment keeps it from the files beside its project.
#[test]
fn a_package_under_test_reaches_no_file_outside_of_its_project() {
    for (runtime, body) in [
        (
            "python",
            "import pathlib, tempfile\n    \
             root = pathlib.Path(ctx[\"cwd\"])\n    \
             (root / \"own.txt\").write_text(\"own\")\n    \
             tempfile.TemporaryFile().close()\n    \
             reached = []\n    \
             for act in (lambda: (root.parent / \"secret.txt\").read_text(), lambda: (root.parent / \"escaped.txt\").write_text(\"x\")):\n        \
             try:\n            \
             reached.append(str(act()))\n        \
             except OSError:\n            \
             pass\n    \
             return {\"reached\": len(reached)}",
        ),
        (
            "node",
            "const fs = await import('node:fs'); const os = await import('node:os'); \
             fs.writeFileSync(ctx.cwd + '/own.txt', 'own'); \
             fs.mkdtempSync(os.tmpdir() + '/own-'); \
             let reached = 0; \
             for (const act of [() => fs.readFileSync(ctx.cwd + '/../secret.txt'), () => fs.writeFileSync(ctx.cwd + '/../escaped.txt', 'x')]) { \
             try { act(); reached += 1; } catch {} } \
             return { reached };",
        ),
    ] {
        let sandbox = Sandbox::new();
        let permissions = "[permissions]\nfilesystem = \"read-write\"\nnetwork = \"all\"\n";
        let package = augmentor::package(&sandbox, runtime, permissions, body);
        sandbox.write("secret.txt", "secret");
        let reached = |count: u8| {
            format!(
                r#"{{"calls":[{{"command":"go","args":{{}},"result":{{"reached":{count}}}}}]}}"#
            )
        };
        sandbox.write("package/tests/calls.json", &reached(0));
        let answer = conform(&sandbox, &package);
        let envelope = answer.json();
        let data = envelope.get("data").unwrap_or(&envelope["error"]["details"]);
        let parts = data["containment"].as_array().expect("the parts");
        let is_contained =
            parts.iter().any(|part| part["part"] == "files" && part["contained"] == true);
        assert_eq!(envelope["ok"], is_contained, "{runtime}: {envelope}");
        assert_eq!(sandbox.work().join("escaped.txt").exists(), !is_contained, "{runtime}");
        assert!(package.join("own.txt").exists(), "{runtime}: {envelope}");
    }
}

#[test]
fn a_package_that_breaks_under_its_own_declaration_fails_p2() {
    let sandbox = Sandbox::new();
    // The package declares the worker, but the permission model of Node refuses it nevertheless.
    let body = "const { Worker } = await import('node:worker_threads'); \
                await new Promise((resolve, reject) => { try { new Worker('1', { eval: true }).once('exit', resolve); } catch (error) { reject(error); } }); return {};";
    let package = augmentor::package(&sandbox, "node", "", body);
    let calls = r#"{"calls":[{"command":"go","args":{},"result":{}}]}"#;
    sandbox.write("package/tests/calls.json", calls);
    let answer = conform(&sandbox, &package);
    let failed = of_verdict(&answer, "fail");
    assert_eq!(failed.keys().collect::<Vec<_>>(), ["P2"], "{failed:?}");
}

#[test]
fn without_example_calls_the_schemas_give_them() {
    let sandbox = Sandbox::new();
    let package = augmentor::package(&sandbox, "node", "", "return {};");
    let answer = conform(&sandbox, &package);
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    assert!(of_verdict(&answer, "pass").contains_key("R1"));
    sandbox.write("package/tests/calls.json", "{\"calls\": [{}]}");
    let answer = conform(&sandbox, &package);
    answer.error("E_NONCONFORMANT", 6);
    assert!(of_verdict(&answer, "blocked")["R1"].contains("tests/calls.json"));
    let text = run(sandbox.command(&["conform", "--format", "text"]).current_dir(&package));
    assert!(text.stdout.contains("calls were made, each judged by the probe"), "{text:?}");
}

#[test]
fn a_manifest_that_breaks_a_rule_blocks_every_probe() {
    let sandbox = Sandbox::new();
    let package =
        augmentor::package(&sandbox, "node", "\n[permissions]\nnetwrok = \"all\"\n", "return {};");
    let answer = conform(&sandbox, &package);
    answer.error("E_NONCONFORMANT", 6);
    assert_eq!(of_verdict(&answer, "blocked").len(), 21);
    let text = run(sandbox.command(&["conform", "--format", "text"]).current_dir(&package));
    assert!(text.stdout.contains("\nno calls were made\n"), "{text:?}");
}
