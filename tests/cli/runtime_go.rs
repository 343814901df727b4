//! The Go runtime where it is made: formatted, vetted for every system, and tested by the real Go, once.

use std::path::{Path, PathBuf};

use super::sandbox::{Sandbox, tree};
use super::toolchain::{SYSTEMS, build_and_vet, program, succeed};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/go")
}

#[test]
fn the_go_runtime_is_formatted_vetted_and_built_for_other_systems() {
    let test = "the_go_runtime_is_formatted_vetted_and_built_for_other_systems";
    let (Some(go), Some(gofmt)) = (program(test, "go"), program(test, "gofmt")) else { return };
    assert_eq!(succeed(gofmt, &["-l", "."], &source()), "");
    for system in SYSTEMS {
        for tags in ["", "testhooks"] {
            build_and_vet(&go, &source(), system, tags);
        }
    }
}

#[test]
fn the_go_runtime_passes_its_own_tests() {
    let test = "the_go_runtime_passes_its_own_tests";
    let Some(go) = program(test, "go") else { return };
    let said = succeed(go, &["test", "./..."], &source());
    let passed = said.lines().filter(|line| line.starts_with("ok")).count();
    assert!(passed >= 10, "{said}");
}

/// A project and the example tool of the runtime share one source: templates that render a file of the example,
/// generated modules and the vendored runtime.
#[test]
fn the_example_tool_is_what_the_template_makes() {
    let sandbox = Sandbox::new();
    let answers = [
        "credentials=expiring",
        "jobs=yes",
        "human_checkpoint=yes",
        "module=aos.invalid/tool",
        "owner=example",
    ];
    let mut arguments = vec!["new", "acme", "--template", "cli-go", "--no-git"];
    arguments.extend(answers.iter().flat_map(|answer| ["--set", answer]));
    let data = sandbox.aos(&arguments).data();
    let project = tree(Path::new(data["path"].as_str().expect("a path")));
    let mut alone = Vec::new();
    let mut same = 0;
    for (path, (bytes, _)) in tree(&source()) {
        match project.get(&path) {
            Some((made, _)) => {
                assert!(*made == bytes, "{path} differs from what the template makes");
                same += 1;
            }
            None if path.ends_with("_test.go") && !path.starts_with("internal/commands/") => {}
            None => alone.push(path),
        }
    }
    // One describes the runtime, and only its tests use the other.
    assert_eq!(alone, ["internal/fixtures/fixtures.go", "runtime.toml"]);
    assert!(same > 100, "{same}");
}
