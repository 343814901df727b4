//! Generated connectors, installed side by side in one virtual environment, run their own tests with the real Python.
//!
//! Nothing here is skipped: without `python3` or without its packages these tests fail.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::sandbox::{Sandbox, connector};
use super::toolchain::succeed;

const HOSTILE: &str = "q\" ' \"\"\" \\ {= tool =} {% x %} # : é\u{2028}`id` $(id)";

/// Connectors and their environment, made once for all tests of this run.
pub struct Installation {
    directory: PathBuf,
}

impl Installation {
    pub fn shared() -> &'static Self {
        static INSTALLATION: OnceLock<Installation> = OnceLock::new();
        INSTALLATION.get_or_init(Self::make)
    }

    fn make() -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaffolded-python");
        if directory.exists() {
            std::fs::remove_dir_all(&directory).expect("the last run's directory goes");
        }
        std::fs::create_dir_all(&directory).expect("a directory");
        let sandbox = Sandbox::new();
        let texts = ["label", "summary", "author"].map(|key| format!("{key}={HOSTILE}"));
        let connectors: [(&str, Vec<&str>); 4] = [
            ("github", vec![]),
            ("acme", vec![]),
            ("older", vec!["--spec", "v1.0.0"]),
            ("texts", texts.iter().flat_map(|text| ["--set", text]).collect()),
        ];
        let mut install = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let mut projects = Vec::new();
        for (name, answers) in connectors {
            let place = directory.to_str().expect("a path");
            sandbox
                .aos(&[&["new", name, "--no-git", "--dir", place][..], &answers].concat())
                .data();
            projects.push(format!("{place}/aos-{name}/agent-harness[dev]"));
        }
        succeed("python3", &["-m", "venv", "venv"], &directory);
        install.extend(["mypy>=1.13", "ruff>=0.8"]);
        install.extend(projects.iter().flat_map(|project| ["--editable", project.as_str()]));
        succeed(directory.join("venv/bin/python"), &install, &directory);
        Self { directory }
    }

    /// The Python that has what connectors need.
    pub fn python(&self) -> PathBuf {
        self.directory.join("venv/bin/python")
    }

    /// Runs the connector's tests as its README says, from the root of its repository.
    fn test(&self, tool: &str) {
        let project = self.directory.join(tool);
        // Runs side by side clean up the place that pytest shares, and each sees the other do it.
        let place = self.directory.join(format!("temporary-{tool}"));
        let place = format!("--basetemp={}", place.display());
        let arguments = ["-q", "-p", "no:cacheprovider", &place];
        let said = succeed(self.directory.join("venv/bin/pytest"), &arguments, &project);
        let verdict = said.lines().last().unwrap_or_default();
        assert!(verdict.contains(" passed in "), "{said}");
        assert!(!verdict.contains("skipped"), "{said}");
        println!("{tool}: {verdict}");
        Sandbox::new().aos_in(&project, &["check"]).data();
    }
}

#[test]
fn an_installed_connector_passes_its_own_tests() {
    for tool in ["aos-github", "aos-acme", "aos-older", "aos-texts"] {
        Installation::shared().test(tool);
    }
}

#[test]
fn each_connector_answers_for_itself_beside_the_others() {
    let installation = Installation::shared();
    for tool in ["aos-github", "aos-acme", "aos-older", "aos-texts"] {
        let program = installation.directory.join("venv/bin").join(tool);
        let said = succeed(&program, &["--json", "capabilities"], &installation.directory);
        let envelope: serde_json::Value = serde_json::from_str(&said).expect(tool);
        assert_eq!(
            (&envelope["ok"], &envelope["tool"]),
            (&true.into(), &tool.into()),
            "{envelope}"
        );
        let said = succeed(&program, &["health", "--json"], &installation.directory);
        let envelope: serde_json::Value = serde_json::from_str(&said).expect(tool);
        assert_eq!(envelope["command"], "health", "{envelope}");
    }
}

#[test]
fn every_preset_passes_the_standard_linter_and_formatter() {
    let installation = Installation::shared();
    let ruff = installation.directory.join("venv/bin/ruff");
    let sandbox = Sandbox::new();
    let listed = sandbox.aos(&["new", "--list", "--all"]).data();
    let presets = connector(&listed)["presets"].as_array().expect("presets").clone();
    assert!(presets.len() >= 7, "{presets:?}");
    for preset in &presets {
        sandbox.connector(preset.as_str().expect("a name"));
    }
    for arguments in [["check", "--isolated", "--no-cache"], ["format", "--check", "--isolated"]] {
        succeed(&ruff, &[&arguments[..], &["."]].concat(), &sandbox.work());
    }
}

/// Without an installation: each preset makes the requests of its conform.toml, and every field of every command can be
/// filled in in a workflow.
#[test]
fn every_preset_passes_its_own_tests() {
    let pytest = Installation::shared().directory.join("venv/bin/pytest");
    let sandbox = Sandbox::new();
    let listed = sandbox.aos(&["new", "--list", "--all"]).data();
    let presets = connector(&listed)["presets"].as_array().expect("presets").clone();
    assert!(presets.len() >= 10, "{presets:?}");
    for preset in presets.iter().map(|preset| preset.as_str().expect("a name")) {
        let name = if preset == "example" { "acme" } else { preset };
        let project = sandbox.connector(name);
        let place = format!("--basetemp={}", sandbox.work().join("temporary").display());
        let said = succeed(&pytest, &["-q", "-p", "no:cacheprovider", &place], &project);
        let verdict = said.lines().last().unwrap_or_default();
        assert!(verdict.contains(" passed in ") && !verdict.contains("skipped"), "{said}");
    }
}
