//! `aos conform` through the real binary.

#[cfg(target_os = "linux")]
mod brief;
mod command;
#[cfg(target_os = "linux")]
mod containment;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod every_call;
mod fleet;
mod harness;
mod hostile;
#[cfg(target_os = "linux")]
mod reasons;
mod reports;
mod summary;
mod terms;
mod vacuous;
mod waivers;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::sandbox::{Answer, Sandbox, is_executable};
use super::toolchain::{bytecode, python_of_connectors};

const GOOD: &str = include_str!("good.py");
/// HTTP for the connector and for the tool of `agent_cli`.
pub const EXCHANGE: &str = include_str!("exchange.py");
const LAUNCHER: &str = "#!/usr/bin/env -S python3 -S\nimport os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))\nfrom PACKAGE.cli import main\nsys.exit(main())\n";
const FIXTURE: &str = r#"version = 1
base_url_env = "GOOD_URL"

[harness]
base_url = "https://api.good.example/v1"
auth = { header = "Authorization", value = "Bearer {GOOD_TOKEN}" }
health = { method = "GET", path = "/me", reply = "{}" }
refusals = [
  { when = "credentials", status = 401, body = '{"why": "no such key"}', code = "AUTH_ERROR", says = "no such key" },
  { when = "path", status = 404, body = '{"why": "no such path"}', code = "NOT_FOUND", says = "no such path" },
  { when = "request", status = 400, body = '{"why": "bad request"}', code = "INVALID_USAGE", says = "bad request" },
  { when = "busy", status = 429, body = '{"why": "later"}', code = "BACKEND_UNAVAILABLE", says = "later" },
]

[[harness.partials]]
command = "item.list"
reply = '{"list": [], "cut": true}'
reason = "cut"

[[harness.commands]]
id = "item.list"
ids = ["1", "2"]
names = ["one", "two"]
requests = [
  { method = "GET", path = "/items", reply = '{"list": [{"id": 1, "title": "one"}], "next": "b"}' },
  { method = "GET", path = "/items", query = { after = "b" }, reply = '{"list": [{"id": 2, "title": "two"}]}' },
]

[[harness.commands]]
id = "item.create"
arguments = ["--label", "one"]
result = "item"
requests = [{ method = "POST", path = "/items", body = '{"label": "one"}', reply = '{"id": 1}' }]

[[harness.commands]]
id = "item.delete"
requests = [{ method = "DELETE", path = "/items/1", reply = "{}" }]
"#;
const COMMANDS: [(&str, &str, &str); 6] = [
    ("capabilities", "readonly", "read"),
    ("health", "readonly", "read"),
    ("config.show", "readonly", "read"),
    ("item.list", "readonly", "read"),
    ("item.create", "write", "write"),
    ("item.delete", "admin", "destructive"),
];

/// A connector in the work directory that breaks the promises whose names are in `faults`, one after the other, or none.
pub fn connector(sandbox: &Sandbox, faults: &str) -> PathBuf {
    let faults: Vec<&str> = faults.split_whitespace().collect();
    let commands: Vec<_> = COMMANDS
        .iter()
        .map(|(id, mode, class)| json!({"id": id, "required_mode": mode, "action_class": class}))
        .collect();
    let mut modes: serde_json::Map<String, Value> =
        COMMANDS.iter().map(|(id, mode, _)| ((*id).to_owned(), (*mode).into())).collect();
    if faults.contains(&"permissions-file") {
        modes.remove("item.create");
    }
    let manifest = json!({
        "tool": "aos-good",
        "backend": "good",
        "auth": {"kind": "service-key", "required": true, "service_keys": ["GOOD_TOKEN"]},
        "commands": commands,
        "scope": {"fields": [
            {"id": "dry", "type": "boolean", "applies_to": ["item.create"]},
            {"id": "label", "type": "string", "applies_to": ["item.create"]},
        ]},
    });
    let package = if faults.contains(&"install-two") { "cli_aos" } else { "aos_good" };
    let mut source = GOOD.replace("FAULTS = set()", &format!("FAULTS = set({})", json!(faults)));
    if faults.contains(&"install") {
        source.push_str(
            "\nopen(os.path.join(os.path.dirname(__file__), '..', 'permissions.json')).close()\n",
        );
    }
    let file = |path: &str, text: &str| sandbox.write(&format!("aos-good/{path}"), text);
    file("connector.json", &manifest.to_string());
    let permissions = json!({"permissions": modes, "commands": modes});
    file("agent-harness/permissions.json", &permissions.to_string());
    file("conform.toml", FIXTURE);
    file(&format!("agent-harness/{package}/__init__.py"), "");
    file(&format!("agent-harness/{package}/exchange.py"), EXCHANGE);
    file(&format!("agent-harness/{package}/cli.py"), &source);
    file(
        "agent-harness/pyproject.toml",
        &format!(
            "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n\n[project]\nname = \"aos-good\"\nversion = \"1.2.3\"\n\n[project.scripts]\naos-good = \"{package}.cli:main\"\n\n[tool.setuptools]\npackages = [\"{package}\"]\n"
        ),
    );
    let launcher = file("agent-harness/bin/aos-good", &LAUNCHER.replace("PACKAGE", package));
    executable(&launcher);
    sandbox.work().join("aos-good")
}

/// The result of a probe.
pub fn result<'a>(data: &'a Value, probe: &str) -> &'a Value {
    let results = data["results"].as_array().expect("results");
    results.iter().find(|result| result["probe"] == probe).expect("the probe ran")
}

/// Runs `aos conform` in `directory`.
pub fn conform(sandbox: &Sandbox, directory: &Path, arguments: &[&str]) -> Answer {
    let mut command = sandbox.command(&[&["conform", "--all"], arguments].concat());
    let path = std::env::var("PATH").expect("a PATH");
    command.env("PATH", format!("{}:{path}", python_of_connectors().display()));
    command.env("AOS_TEST_BYTECODE", bytecode());
    super::sandbox::run(command.current_dir(directory))
}

pub fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    assert!(is_executable(path));
}

/// Ids of the probes with this verdict, with their messages.
fn with_verdict<'a>(data: &'a Value, verdict: &str) -> Vec<&'a str> {
    let results = data["results"].as_array().expect("results");
    results
        .iter()
        .filter(|result| result["verdict"] == verdict)
        .map(|result| result["probe"].as_str().expect("an id"))
        .collect()
}
