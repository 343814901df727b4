//! The connector runtime, held by its own tools where it lives, and the example connector that proves it.

use std::path::{Path, PathBuf};

use super::disk;
use super::sandbox::{Sandbox, WITH_FULL, is_full_run, skipped, tree};
use super::scaffolded_python::Installation;
use super::toolchain::{run, succeed};

const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/connector");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/fixtures");
/// Set to write the example connector anew from the template.
const UPDATE: &str = "AOS_UPDATE_EXAMPLES";
/// Where the proofs of the runtime are, in the example connector and in any other that they are copied to.
const PROOFS: &str = "agent-harness/tests/runtime";

/// A copy: a run leaves caches behind, and the runtime here is part of the program.
fn copied(sandbox: &Sandbox) -> PathBuf {
    let target = sandbox.work().join("connector");
    copy(RUNTIME, &target);
    // The proofs look for the shared fixtures above themselves.
    copy(FIXTURES, &sandbox.work().join("fixtures"));
    target
}

fn copy(from: impl AsRef<Path>, to: &Path) {
    let words = [from.as_ref(), to].map(|path| path.to_str().expect("a path"));
    succeed("cp", &["-R", words[0], words[1]], Path::new(RUNTIME));
}

fn ruff(words: &[&str], directory: &Path) {
    succeed(Installation::shared().python().with_file_name("ruff"), words, directory);
}

fn pytest(words: &[&str], directory: &Path, place: &Path) -> String {
    let place = format!("--basetemp={}", place.display());
    let fixed = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &place];
    let said = succeed(Installation::shared().python(), &[&fixed, words].concat(), directory);
    let verdict = said.lines().last().unwrap_or_default();
    assert!(verdict.contains(" passed") && !verdict.contains("skipped"), "{said}");
    println!("{verdict}");
    said
}

#[test]
fn the_runtime_is_formatted_linted_and_typed() {
    let sandbox = Sandbox::new();
    let runtime = copied(&sandbox);
    ruff(&["format", "--check", "--quiet", "."], &runtime);
    ruff(&["check", "--quiet", "."], &runtime);
    succeed(Installation::shared().python(), &["-m", "mypy"], &runtime);
}

#[test]
fn the_runtime_passes_its_own_tests() {
    let sandbox = Sandbox::new();
    let runtime = copied(&sandbox);
    pytest(&[], &runtime, &sandbox.work().join("temporary"));
}

/// The first tag names fewer keys and codes; the runtime follows the generated tables.
#[test]
fn the_runtime_passes_its_own_tests_at_the_oldest_contract() {
    passes_within(&["older", "--spec", "v1.0.0"]);
}

/// Lists by link, rules for failures, and many commands with every type of field; the tests of its own that every preset
/// has say the same of fewer cases, so a usual run leaves it out.
#[test]
fn the_runtime_passes_its_own_tests_within_the_github_connector() {
    if !is_full_run() {
        return skipped("the_runtime_passes_its_own_tests_within_the_github_connector", WITH_FULL);
    }
    passes_within(&["github"]);
}

fn passes_within(name: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.aos(&[&["new"], name, &["--no-git"]].concat()).data();
    let project = sandbox.work().join(format!("aos-{}", name[0]));
    copy(Path::new(RUNTIME).join(PROOFS), &project.join(PROOFS));
    copy(FIXTURES, &sandbox.work().join("fixtures"));
    pytest(&[PROOFS], &project, &sandbox.work().join("temporary"));
}

/// The example connector is what `aos new acme` makes, so that its proofs are about what users get.
#[test]
fn a_new_connector_is_the_example_connector() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let example = tree(Path::new(RUNTIME));
    let is_code = |path: &str| {
        let is_kept = matches!(path, "connector.json" | "conform.toml");
        let is_left = ["__pycache__", ".pytest_cache", ".ruff_cache", ".egg-info"];
        (is_kept || path.starts_with("agent-harness/"))
            && !path.starts_with(PROOFS)
            && !is_left.iter().any(|part| path.contains(part))
    };
    let mut compared = 0;
    for (path, (bytes, _)) in tree(&project).into_iter().filter(|(path, _)| is_code(path)) {
        if std::env::var_os(UPDATE).is_some() {
            let target = Path::new(RUNTIME).join(&path);
            std::fs::create_dir_all(target.parent().expect("a directory")).expect("a directory");
            std::fs::write(target, &bytes).expect("a file of the example");
            continue;
        }
        let (wanted, _) =
            example.get(&path).unwrap_or_else(|| panic!("{path} is missing; set {UPDATE}=1"));
        let (wanted, bytes) = (String::from_utf8_lossy(wanted), String::from_utf8_lossy(&bytes));
        assert_eq!(wanted, bytes, "{path}; set {UPDATE}=1");
        compared += 1;
    }
    let kept = example.keys().filter(|path| is_code(path)).count();
    assert!(compared > 40 || std::env::var_os(UPDATE).is_some(), "{compared}");
    assert!(
        compared == kept || compared == 0,
        "the example has {kept} files, a connector {compared}"
    );
}

#[test]
fn a_changed_runtime_fails_the_tests_of_its_connector() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let path = "agent-harness/aos_acme/_runtime/client.py";
    disk::edit(&project.join(path), "CHUNK = 65536", "CHUNK = 65535");
    let words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "recorded"];
    let output = run(Installation::shared().python(), &words, &project);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && said.contains(path), "{said}");
    sandbox.aos_in(&project, &["check"]).error("E_DRIFT", 6);
    let token = sandbox.aos_in(&project, &["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
    let token = token["details"]["confirm_token"].as_str().expect("a token");
    sandbox.aos_in(&project, &["sync-spec", "--confirm", token]).data();
    sandbox.aos_in(&project, &["check"]).data();
}

/// The runtime is a part of the wheel, and its test kit is not.
#[test]
fn a_user_owns_few_files_and_installs_the_runtime_without_its_test_kit() {
    let sandbox = Sandbox::new();
    let made = sandbox.aos(&["new", "acme", "--no-git", "--diff"]).data();
    let files = made["files"].as_array().expect("files");
    let yours = files.iter().filter(|file| file["role"] == "yours").count();
    assert!((15..=25).contains(&yours), "{yours}");
    let harness = sandbox.work().join("aos-acme/agent-harness");
    let wheels = sandbox.work().join("wheels");
    let target = wheels.to_str().expect("a path");
    let build =
        ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", target];
    succeed(Installation::shared().python(), &[&build[..], &["."]].concat(), &harness);
    let wheel = disk::names(&wheels).pop().expect("a wheel");
    let list = ["-m", "zipfile", "-l", &wheel];
    let listed = succeed(Installation::shared().python(), &list, &wheels);
    assert!(listed.contains("aos_acme/_runtime/cli.py"), "{listed}");
    assert!(!listed.contains("testkit") && !listed.contains("tests"), "{listed}");
}
