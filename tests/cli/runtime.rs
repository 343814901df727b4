//! Vendored runtimes, with a runtime and a template of the tests: `new` vendors, `check` compares, `sync-spec`
//! replaces, and `aos runtime` moves parts between aos and the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::disk;
use super::sandbox::{Answer, Sandbox, run, tree};

const TEMPLATE: &str = r#"
name = "with-runtime"
version = "1.0.0"
family = "agent-cli"
summary = "A tool with a runtime"

[outputs]
go = "internal/contract/contract_gen.go"

[runtime]
name = "tiny"
path = "internal/runtime"
examples = ["internal/cli/items.go"]

[[questions]]
key = "module"
help = "Go module path"
default = "github.com/example/{= tool =}"
pattern = "go-module"
required = true
"#;

/// A tool with a runtime in version 0.1.0, made by the binary.
struct Scene {
    sandbox: Sandbox,
    project: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("templates/with-runtime/template.toml", TEMPLATE);
        sandbox
            .write("templates/with-runtime/files/go.mod.tera", "module {= module =}\n\ngo 1.25\n");
        sandbox.write("templates/with-runtime/files/README.md", "# Tool\n");
        let scene = Self { project: sandbox.work().join("acme"), sandbox };
        scene.publish("0.1.0", "1");
        let made = scene.aos_at(
            &scene.sandbox.work(),
            &["new", "acme", "--template", "with-runtime", "--no-git"],
        );
        made.data();
        scene
    }

    /// Puts a version of the runtime where the binary looks for it.
    fn publish(&self, version: &str, marker: &str) {
        let info = format!(
            "name = \"tiny\"\nversion = \"{version}\"\nroot = \"internal/runtime\"\nimport = \"aos.invalid/tool\"\n\
             exclude = [\"*_test.go\", \"testdata/\"]\ncontracts = [\"v1.0.0\", \"v1.1.0\", \"v1.2.0\"]\n"
        );
        let gate = format!(
            "package gate\n\nimport \"aos.invalid/tool/internal/runtime/text\"\n\nconst Marker = text.Text + \"{marker}\"\n"
        );
        for (path, text) in [
            ("runtime.toml", info.as_str()),
            ("internal/runtime/gate/gate.go", &gate),
            ("internal/runtime/gate/gate_test.go", "package gate\n"),
            ("internal/runtime/text/text.go", "package text\n\nconst Text = \"t\"\n"),
            (
                "internal/cli/items.go",
                "package cli\n\nimport _ \"aos.invalid/tool/internal/runtime/gate\"\n",
            ),
        ] {
            self.sandbox.write(&format!("runtimes/tiny/{path}"), text);
        }
    }

    /// Freezes the digests of the version that is there now.
    fn release(&self, version: &str) {
        let mut list = format!("[tiny.\"{version}\"]\n");
        for path in ["gate/gate.go", "text/text.go"] {
            let bytes = std::fs::read(
                self.sandbox.work().join("runtimes/tiny/internal/runtime").join(path),
            )
            .unwrap();
            list.push_str(&format!("\"{path}\" = \"{}\"\n", aos::plan::Digest::of(&bytes)));
        }
        self.sandbox.write("runtimes/releases.toml", &list);
    }

    fn command(&self, directory: &Path, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command
            .current_dir(directory)
            .env("AOS_TEST_TEMPLATES", self.sandbox.work().join("templates"))
            .env("AOS_TEST_RUNTIMES", self.sandbox.work().join("runtimes"));
        command
    }

    fn aos_at(&self, directory: &Path, arguments: &[&str]) -> Answer {
        run(&mut self.command(directory, arguments))
    }

    fn aos(&self, arguments: &[&str]) -> Answer {
        self.aos_at(&self.project, arguments)
    }

    fn read(&self, path: &str) -> String {
        disk::read(&self.project.join(path))
    }

    fn write(&self, path: &str, text: &str) {
        let place = self.project.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    /// Rule and path of each finding of a check that fails.
    fn findings(&self) -> Vec<(String, String)> {
        found(&self.aos(&["check"]).error("E_DRIFT", 6)["details"])
    }
}

fn found(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["projects"][0]["findings"].as_array().expect("findings");
    let pairs = findings.iter().map(|finding| (text(&finding["rule"]), text(&finding["path"])));
    // The tool of these tests has no documents, Skill or workflow, which is another subject.
    let others = ["codes/", "documents/", "guard/", "skill/", "workflow/"];
    pairs.filter(|(rule, _)| !others.iter().any(|other| rule.starts_with(other))).collect()
}

fn pair(rule: &str, path: &str) -> (String, String) {
    (rule.to_owned(), path.to_owned())
}

const GATE: &str = "internal/runtime/gate/gate.go";
const TEXT: &str = "internal/runtime/text/text.go";

#[test]
fn a_new_project_has_the_runtime_with_its_own_import_path_and_knows_its_version() {
    let scene = Scene::new();
    let gate = scene.read(GATE);
    assert!(gate.contains("\"github.com/example/acme/internal/runtime/text\""), "{gate}");
    let example = scene.read("internal/cli/items.go");
    assert!(example.contains("\"github.com/example/acme/internal/runtime/gate\""), "{example}");
    assert!(!scene.project.join("internal/runtime/gate/gate_test.go").exists());
    let record = scene.read("aos.toml");
    assert!(
        record.contains("[runtime]\nname = \"tiny\"\npath = \"internal/runtime\"\n"),
        "{record}"
    );
    let report = scene.aos(&["check"]).data();
    assert_eq!(report["projects"][0]["runtime"]["version"], "0.1.0");
    let context = scene.aos(&["context"]).data();
    assert_eq!(context["project"]["runtime"]["version"], "0.1.0");
    let shown = scene.aos(&["runtime"]).data();
    assert_eq!(shown["runtime"]["name"], "tiny");
    assert_eq!(shown["parts"][0]["path"], "internal/runtime/gate");
    assert_eq!(shown["contracts"][1], "v1.1.0");
}

#[test]
fn an_edit_a_loss_and_a_stray_file_of_the_runtime_are_found_and_put_right() {
    let scene = Scene::new();
    let clean = tree(&scene.project);
    scene.write(GATE, &format!("{}\n", scene.read(GATE)));
    std::fs::remove_file(scene.project.join(TEXT)).unwrap();
    scene.write("internal/runtime/gate/init.go", "package gate\n\nfunc init() {}\n");
    let expected = [
        pair("drift/extra", "internal/runtime/gate/init.go"),
        pair("drift/runtime", GATE),
        pair("drift/runtime", TEXT),
    ];
    let found = scene.findings();
    assert!(expected.iter().all(|finding| found.contains(finding)), "{found:?}");
    scene.aos(&["gen", "--check"]).error("E_DRIFT", 6);
    std::fs::remove_file(scene.project.join("internal/runtime/gate/init.go")).unwrap();
    let refused = scene.aos(&["sync-spec"]).error("E_CONFIRMATION_REQUIRED", 5);
    let token = refused["details"]["confirm_token"].as_str().unwrap();
    scene.aos(&["sync-spec", "--confirm", token]).data();
    assert_eq!(tree(&scene.project), clean);
    scene.aos(&["check"]).data();
}

#[test]
fn the_runtime_follows_the_module_path() {
    let scene = Scene::new();
    scene.write("go.mod", "module example.com/other // moved\n\ngo 1.25\n");
    assert!(scene.findings().contains(&pair("drift/runtime", GATE)));
    scene.aos(&["gen"]).data();
    assert!(scene.read(GATE).contains("\"example.com/other/internal/runtime/text\""));
    scene.aos(&["check"]).data();
    scene.write("go.mod", "module a\"; import \"os\n");
    let error = scene.aos(&["gen"]).error("E_VALIDATION", 2);
    assert!(error["message"].as_str().unwrap().contains("go.mod"), "{error}");
    assert!(scene.findings().contains(&pair("runtime/unknown", "go.mod")));
    std::fs::remove_file(scene.project.join("go.mod")).unwrap();
    assert!(scene.findings().contains(&pair("runtime/unknown", "go.mod")));
}

#[test]
fn an_older_runtime_is_compared_with_its_release_and_replaced_by_sync_spec() {
    let scene = Scene::new();
    scene.release("0.1.0");
    scene.publish("0.2.0", "2");
    let report = scene.aos(&["check"]).data();
    assert_eq!(found(&report), [pair("runtime/behind", ".agent/spec.lock")]);
    let compared = report["projects"][0]["compared"].as_u64().unwrap();
    scene.aos(&["gen"]).data();
    assert!(scene.read(GATE).contains("\"1\""), "gen leaves the older runtime");

    let lock = scene.read(".agent/spec.lock");
    scene.write(GATE, "package gate\n");
    assert!(scene.findings().contains(&pair("drift/runtime", GATE)));
    // A lock that vouches for the edit changes nothing: the release is what counts.
    let before = aos::plan::Digest::of(scene_gate("1").as_bytes()).to_string();
    let forged = lock.replace(&before, &aos::plan::Digest::of(b"package gate\n").to_string());
    assert_ne!(forged, lock);
    scene.write(".agent/spec.lock", &forged);
    assert!(scene.findings().contains(&pair("drift/runtime", GATE)));
    let line = lock.lines().find(|line| line.contains(GATE)).unwrap();
    scene.write(".agent/spec.lock", &lock.replace(&format!("{line}\n"), ""));
    assert!(scene.findings().contains(&pair("runtime/unknown", ".agent/spec.lock")));
    scene.write(".agent/spec.lock", &lock);
    scene.write(GATE, &scene_gate("1"));

    let moved = scene.aos(&["sync-spec"]).data();
    assert_eq!(moved["status"], "renewed");
    assert!(scene.read(GATE).contains("\"2\""));
    let report = scene.aos(&["check"]).data();
    assert_eq!(report["projects"][0]["runtime"]["version"], "0.2.0");
    assert_eq!(report["projects"][0]["compared"].as_u64().unwrap(), compared);

    // A version that only a newer aos knows is never reported as in order.
    scene.publish("0.1.5", "1.5");
    assert!(scene.findings().contains(&pair("runtime/unknown", "aos.toml")));
    scene.aos(&["sync-spec"]).error("E_CONFLICT", 6);
}

/// The gate as the project has it.
fn scene_gate(marker: &str) -> String {
    format!(
        "package gate\n\nimport \"github.com/example/acme/internal/runtime/text\"\n\nconst Marker = text.Text + \"{marker}\"\n"
    )
}

#[test]
fn an_older_version_that_was_never_released_is_refused() {
    let scene = Scene::new();
    scene.publish("0.2.0", "2");
    assert!(scene.findings().contains(&pair("runtime/unknown", ".agent/spec.lock")));
    scene.aos(&["sync-spec"]).data();
    scene.aos(&["check"]).data();
}

#[test]
fn a_part_changes_hands_and_comes_back_with_a_preview_of_what_is_lost() {
    let scene = Scene::new();
    let clean = tree(&scene.project);
    let preview = scene.aos(&["runtime", "own", "gate", "--dry-run"]).data();
    assert_eq!(preview["would_lose"], serde_json::json!([]));
    assert_eq!(tree(&scene.project), clean);
    let whole = scene.aos(&["runtime", "own", "gate", "--dry-run", "--diff"]).data();
    assert!(whole["preview"]["changes"][0]["diff"].is_string(), "{whole}");
    let token = whole["confirm_token"].as_str().unwrap();
    let owned = scene.aos(&["runtime", "own", "gate", "--confirm", token]).data();
    assert_eq!(
        (&owned["status"], &owned["part"]),
        (&"owned".into(), &"internal/runtime/gate".into())
    );
    assert!(
        scene
            .read("aos.toml")
            .contains("{ path = \"internal/runtime/gate\", version = \"0.1.0\" }"),
        "{}",
        scene.read("aos.toml")
    );
    scene.write(GATE, "package gate\n\nconst Mine = 1\n");
    scene.write("internal/runtime/gate/more.go", "package gate\n");
    let report = scene.aos(&["check"]).data();
    assert_eq!(report["projects"][0]["runtime"]["owned"][0]["version"], "0.1.0");
    for arguments in [&["sync-spec"][..], &["gen"], &["gen", "--check"]] {
        scene.aos(arguments).data();
    }
    assert!(scene.read(GATE).contains("Mine"));
    assert_eq!(scene.aos(&["runtime", "own", GATE]).data()["status"], "unchanged");

    // A repair of the runtime does not reach the part, and `check` says so.
    scene.release("0.1.0");
    scene.publish("0.2.0", "2");
    scene.aos(&["sync-spec"]).data();
    assert!(scene.read(GATE).contains("Mine"));
    let report = scene.aos(&["check", "--diff"]).data();
    assert_eq!(found(&report), [pair("runtime/owned-behind", "aos.toml")], "{report}");

    let whole = scene.aos(&["runtime", "return", "gate", "--dry-run", "--diff"]).data();
    assert_eq!(whole["would_lose"].as_array().unwrap().len(), 2, "{whole}");
    let refused = scene.aos(&["runtime", "return", "gate"]).error("E_CONFIRMATION_REQUIRED", 5);
    let lost = refused["details"]["would_lose"].as_array().unwrap();
    assert_eq!(lost.len(), 2, "{refused}");
    let token = refused["details"]["confirm_token"].as_str().unwrap();
    let returned = scene.aos(&["runtime", "return", "gate", "--confirm", token]).data();
    assert_eq!(returned["runtime"]["owned"], serde_json::json!([]));
    assert!(scene.read(GATE).contains("\"2\""));
    assert!(!scene.project.join("internal/runtime/gate/more.go").exists());
    scene.aos(&["check"]).data();
}

#[test]
fn a_path_that_is_not_a_part_is_refused_with_a_fix() {
    let scene = Scene::new();
    for (arguments, code, exit) in [
        (&["runtime", "own", "nothing"][..], "E_NOT_FOUND", 3),
        (&["runtime", "own", "internal/runtime"], "E_VALIDATION", 2),
        (&["runtime", "own", "../other"], "E_VALIDATION", 2),
        (&["runtime", "own", "/etc"], "E_VALIDATION", 2),
        (&["runtime", "return", "gate"], "E_NOT_FOUND", 3),
        (&["runtime", "own"], "E_USAGE", 2),
        (&["runtime", "nope"], "E_USAGE", 2),
    ] {
        let error = scene.aos(arguments).error(code, exit);
        assert!(
            error["hint"].is_string() || error["details"]["fix"].is_string(),
            "{arguments:?} {error}"
        );
    }
    let other = scene.sandbox.connector("plain");
    std::fs::write(other.join("x"), "").unwrap();
    let project = scene.aos_at(&other, &["runtime"]).data();
    let without = project["runtime"].is_null();
    let named = project["runtime"]["name"] == "connector";
    assert!(without || named, "{project}");
}

#[test]
fn false_records_about_the_runtime_are_refused() {
    let scene = Scene::new();
    let record = scene.read("aos.toml");
    let lock = scene.read(".agent/spec.lock");
    scene.write("aos.toml", &record.replace("name = \"tiny\"", "name = \"tin\""));
    assert!(scene.findings().contains(&pair("runtime/unknown", "aos.toml")));
    // Without the section, no record would own the files of the runtime.
    let start = record.find("[runtime]").unwrap();
    let section =
        &record[start..start + "[runtime]\nname = \"tiny\"\npath = \"internal/runtime\"\n".len()];
    scene.write("aos.toml", &record.replace(section, ""));
    assert!(scene.findings().contains(&pair("drift/extra", GATE)));
    // Owning a part by hand leaves a lock that says otherwise.
    let owning =
        format!("{section}own = [{{ path = \"internal/runtime/gate\", version = \"0.1.0\" }}]\n");
    scene.write("aos.toml", &record.replace(section, &owning));
    assert!(!scene.findings().is_empty());
    scene.write("aos.toml", &record);
    scene.write(".agent/spec.lock", &lock.replace("version = \"0.1.0\"", "version = \"0.1\""));
    assert!(!scene.findings().is_empty());
    scene.write(".agent/spec.lock", &lock);
    scene.aos(&["check"]).data();
}

/// The Go and the Python runtime publish to npm in the same way; only the archives that they pack differ.
#[test]
fn the_npm_scripts_of_both_runtimes_are_the_same() {
    let runtimes = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    for script in ["publish.js", "run.js"] {
        let read = |directory: &str| {
            std::fs::read_to_string(runtimes.join(directory).join(script)).expect("a script")
        };
        let go = read("go/internal/runtime/npm");
        assert!(!go.is_empty());
        assert_eq!(go, read("python/acme_tool/_runtime/npm"), "{script}");
    }
}
