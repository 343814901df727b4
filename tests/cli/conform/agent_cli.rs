//! `aos conform` on tools of the family `agent-cli`: a good one passes, and each broken promise fails its probe and no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::conform::EXCHANGE;
use super::sandbox::{Answer, Sandbox, is_full_run};
use super::toolchain::{bytecode, python_of_connectors as python};

/// The tool, in modules by what they do; its fixture and its record come last.
const TOOL: [(&str, &str); 22] = [
    ("about.py", include_str!("agent_cli_tool/about.py")),
    ("basis.py", include_str!("agent_cli_tool/basis.py")),
    ("client.py", include_str!("agent_cli_tool/client.py")),
    ("commands.py", include_str!("agent_cli_tool/commands.py")),
    ("document.py", include_str!("agent_cli_tool/document.py")),
    ("exchange.py", EXCHANGE),
    ("faults.py", include_str!("agent_cli_tool/faults.py")),
    ("gate.py", include_str!("agent_cli_tool/gate.py")),
    ("installed.py", include_str!("agent_cli_tool/installed.py")),
    ("ledger.py", include_str!("agent_cli_tool/ledger.py")),
    ("notes.py", include_str!("agent_cli_tool/notes.py")),
    ("notice.py", include_str!("agent_cli_tool/notice.py")),
    ("output.py", include_str!("agent_cli_tool/output.py")),
    ("publish.py", include_str!("agent_cli_tool/publish.py")),
    ("release.py", include_str!("agent_cli_tool/release.py")),
    ("schemas.py", include_str!("agent_cli_tool/schemas.py")),
    ("update.py", include_str!("agent_cli_tool/update.py")),
    ("upstream.py", include_str!("agent_cli_tool/upstream.py")),
    ("CHANGELOG.md", include_str!("agent_cli_tool/CHANGELOG.md")),
    ("package.json", include_str!("agent_cli_tool/package.json")),
    ("conform.toml", FIXTURE),
    ("aos.toml", include_str!("agent_cli_tool/aos.toml")),
];
/// The codes of the tool that the core does not have.
const EXTENSION: &str =
    "{\"error_codes\": {\"E_HUMAN_REQUIRED\": {\"exit\": 9, \"retryable\": false}}}\n";
pub const FIXTURE: &str = include_str!("agent_cli_tool/conform.toml");
/// Faults that are broken at the same time are this far apart in the registry, so that none hides another.
const GROUPS: usize = 4;

/// The one fault that is none of the program.
const PACKAGE_VERSION: &str = "package-version";

/// The tool with these promises broken.
pub fn tool(sandbox: &Sandbox, name: &str, faults: &[&str]) -> PathBuf {
    let quoted: Vec<_> = faults.iter().map(|fault| format!("\"{fault}\"")).collect();
    let set =
        if quoted.is_empty() { "set()".to_owned() } else { format!("{{{}}}", quoted.join(", ")) };
    for (path, text) in TOOL {
        let mut text = text.replace("FAULTS = set()", &format!("FAULTS = {set}"));
        if path == "package.json" && faults.contains(&PACKAGE_VERSION) {
            text = text.replace("1.2.0", "1.1.0");
        }
        let project = sandbox.work().join(name);
        sandbox.write(
            &format!("{name}/{path}"),
            &text.replace("@PROJECT@", project.to_str().expect("a path")),
        );
    }
    sandbox.write(&format!("{name}/.agent/SPEC_VERSION"), "v1.2.0\n");
    sandbox.write(&format!("{name}/contract/contract-ext.json"), EXTENSION);
    sandbox.write(&format!("{name}/contract_gen.py"), contract_module());
    sandbox.work().join(name)
}

/// The contract module of the tool, generated once.
fn contract_module() -> &'static str {
    static MODULE: OnceLock<String> = OnceLock::new();
    MODULE.get_or_init(|| {
        let sandbox = Sandbox::new();
        sandbox.write(
            "tool/aos.toml",
            "family = \"agent-cli\"\n[outputs]\npython = [\"contract_gen.py\"]\n",
        );
        sandbox.write("tool/contract/contract-ext.json", EXTENSION);
        let tool = sandbox.work().join("tool");
        sandbox.aos_in(&tool, &["sync-spec", "--to", "v1.2.0"]).data();
        crate::disk::read(&tool.join("contract_gen.py"))
    })
}

/// Runs `aos conform` with a Python that starts quickly.
fn conform(sandbox: &Sandbox, project: &Path) -> Answer {
    conform_with(sandbox, project, python(), &[])
}

/// Runs `aos conform` with the programs of `directory` before all others.
pub fn conform_with(
    sandbox: &Sandbox,
    project: &Path,
    directory: &Path,
    options: &[&str],
) -> Answer {
    let path = std::env::var("PATH").expect("a PATH");
    let mut command = sandbox.command(&["conform", "--all", project.to_str().expect("a path")]);
    command.args(options).env("PATH", format!("{}:{path}", directory.display()));
    command.env("AOS_TEST_BYTECODE", bytecode());
    super::sandbox::run(&mut command)
}

/// Probes by their verdict, with their messages.
pub fn of_verdict(answer: &Answer, verdict: &str) -> Vec<(String, String)> {
    let document = answer.json();
    let data = document.get("data").unwrap_or(&document["error"]["details"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = data["results"].as_array().unwrap_or_else(|| panic!("no results: {document}"));
    results
        .iter()
        .filter(|result| result["verdict"] == verdict)
        .map(|result| (text(&result["probe"]), text(&result["message"])))
        .collect()
}

/// The ids of all probes of the family.
pub fn probes(sandbox: &Sandbox) -> Vec<String> {
    let data = sandbox.aos(&["conform", "--list", "--family", "agent-cli"]).data();
    let probes = data["probes"].as_array().expect("probes").iter();
    let id = |probe: &Value| {
        probe.get("id").or(probe.get("probe")).and_then(Value::as_str).map(str::to_owned)
    };
    probes.filter_map(id).collect()
}

/// The probes that call many commands. The others install releases or wait for limits, and call few.
pub fn probes_of_commands(sandbox: &Sandbox) -> Vec<String> {
    let without =
        ["update-", "notice", "token-", "interrupt", "terminate", "stream", "network-", "client-"];
    let is_wanted =
        |id: &&String| !without.iter().any(|part| id.trim_start_matches("cli.").starts_with(part));
    probes(sandbox).iter().filter(is_wanted).cloned().collect()
}

/// Arguments that ask only these probes.
pub fn asking<'i>(ids: impl IntoIterator<Item = &'i String>) -> Vec<&'i str> {
    ids.into_iter().flat_map(|id| ["--probe", id.as_str()]).collect()
}

#[test]
fn a_good_tool_fails_no_probe_and_blocks_none() {
    let sandbox = Sandbox::new();
    let answer = conform(&sandbox, &tool(&sandbox, "good", &[]));
    assert_eq!(of_verdict(&answer, "fail"), []);
    assert_eq!(of_verdict(&answer, "blocked"), []);
    answer.data();
}

#[test]
fn each_broken_promise_fails_its_probe_and_no_other() {
    let sandbox = Sandbox::new();
    let probes = probes(&sandbox);
    let faults: Vec<&str> = probes.iter().map(|id| id.trim_start_matches("cli.")).collect();
    for fault in &faults {
        let places = ["in FAULTS", "not in FAULTS", "in faults", "not in faults"];
        let knows = TOOL.iter().any(|(_, text)| {
            places.iter().any(|place| text.contains(&format!("\"{fault}\" {place}")))
        });
        assert!(knows || *fault == PACKAGE_VERSION, "the tool cannot break `{fault}`");
    }
    let of_group = |group: usize| {
        let broken: Vec<&str> = faults.iter().copied().skip(group).step_by(GROUPS).collect();
        let tool = tool(&sandbox, &format!("broken-{group}"), &broken);
        // A full run asks all probes about all faults.
        let is_asked =
            |at: usize| is_full_run() || [group, (group + 1) % GROUPS].contains(&(at % GROUPS));
        let asked = probes.iter().enumerate().filter(|(at, _)| is_asked(*at)).map(|(_, id)| id);
        let answer = conform_with(&sandbox, &tool, python(), &asking(asked));
        // A missing recommendation of the contract is reported as advice.
        let failed = [of_verdict(&answer, "fail"), of_verdict(&answer, "advised")].concat();
        let found: BTreeSet<&str> =
            failed.iter().map(|(id, _)| id.trim_start_matches("cli.")).collect();
        let wanted = broken.iter().copied().collect();
        let differences: Vec<_> = found.symmetric_difference(&wanted).collect();
        assert!(differences.is_empty(), "{differences:?}: {failed:#?}");
    };
    // A run waits for a good part of its time, so two of them take less than one after the other.
    let next = AtomicUsize::new(0);
    let work = || {
        while let group @ 0..GROUPS = next.fetch_add(1, Ordering::Relaxed) {
            of_group(group);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}

#[test]
fn without_conform_toml_nothing_about_the_upstream_is_passed() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "bare", &[]);
    std::fs::remove_file(project.join("conform.toml")).expect("the file goes");
    let answer = conform(&sandbox, &project);
    assert_eq!(of_verdict(&answer, "fail"), []);
    let blocked = of_verdict(&answer, "blocked");
    assert!(blocked.len() > 35, "{blocked:#?}");
    for id in [
        "cli.http-statuses",
        "cli.token-once",
        "cli.batch-result",
        "cli.update-check",
        "cli.secrets",
    ] {
        assert!(
            blocked.iter().any(|(blocked, _)| blocked == id),
            "{id} is not blocked: {blocked:#?}"
        );
    }
    answer.error("E_NONCONFORMANT", 6);
}

#[test]
fn a_conform_toml_with_something_unknown_is_refused() {
    let sandbox = Sandbox::new();
    let project = tool(&sandbox, "strange", &[]);
    let text = FIXTURE.replace("[agent_cli.upstream]", "[agent_cli.upstream]\nshell = \"rm\"");
    sandbox.write("strange/conform.toml", &text);
    let answer = conform(&sandbox, &project);
    let document = answer.json();
    assert_eq!(document["ok"], false);
    let message = document["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("conform.toml") && message.contains("shell"), "{message}");
}

/// A project of a template with every optional pattern.
fn generated(sandbox: &Sandbox, template: &str) -> PathBuf {
    let answers = ["credentials=expiring", "jobs=yes", "human_checkpoint=yes"];
    let mut arguments = vec!["new", "acme", "--template", template, "--no-git"];
    arguments.extend(answers.iter().flat_map(|answer| ["--set", *answer]));
    PathBuf::from(sandbox.aos(&arguments).data()["path"].as_str().expect("a path"))
}

/// Everything passes, and nothing is waived.
fn passes(answer: &Answer) {
    for verdict in ["fail", "blocked", "waived"] {
        assert_eq!(of_verdict(answer, verdict), [], "{verdict}");
    }
    assert!(of_verdict(answer, "pass").len() > 115);
    answer.data();
}

#[test]
fn a_generated_cli_go_passes_everything() {
    let test = "a_generated_cli_go_passes_everything";
    let Some(go) = super::toolchain::program(test, "go") else { return };
    let sandbox = Sandbox::new();
    let project = generated(&sandbox, "cli-go");
    super::toolchain::succeed(&go, &["build", "-o", "bin/", "./cmd/..."], &project);
    let test_build =
        ["build", "-trimpath", "-buildvcs=false", "-tags", "testhooks", "-o", "bin/test/"];
    super::toolchain::succeed(
        &go,
        &[&test_build[..], &["./cmd/acme", "./internal/runtime/testkit/publish"]].concat(),
        &project,
    );
    passes(&conform(&sandbox, &project));
}

/// Runs `aos conform` on a tool of `cli-python`, as `make conform` does.
pub fn conform_of_python(sandbox: &Sandbox, project: &Path, options: &[&str]) -> Answer {
    let programs = super::scaffolded_cli_python::python();
    let python = programs.join("python");
    let module = "acme._runtime.testkit.publish_release";
    let publish = ["-m", module, "--program", "build/conform"];
    super::toolchain::succeed(&python, &publish, project);
    let record = project.join("aos.toml");
    let mut text = std::fs::read_to_string(&record).expect("a record");
    text.push_str(&format!("\n[conform]\ncommand = [{python:?}, \"-m\", \"acme\"]\n"));
    std::fs::write(&record, text).expect("a record");
    conform_with(sandbox, project, programs, options)
}

#[test]
fn a_generated_cli_python_passes_everything() {
    let sandbox = Sandbox::new();
    let project = generated(&sandbox, "cli-python");
    passes(&conform_of_python(&sandbox, &project, &[]));
}

#[test]
fn from_a_list_of_commands_that_cannot_be_read_nothing_is_concluded() {
    const TOOL: &str = "#!/usr/bin/env python3\nimport json\nprint(json.dumps({'ok': True, 'schema_version': '1.0', 'data': {'commands': ['list', 'delete']}, 'meta': {'duration_ms': 0}}))\n";
    let sandbox = Sandbox::new();
    let path = sandbox.write("naive", TOOL);
    super::conform::executable(&path);
    let program = path.to_str().expect("a path");
    let answer = sandbox.aos(&["conform", "--family", "agent-cli", "--", program]);
    let skipped = of_verdict(&answer, "not_applicable");
    for id in ["cli.gate-bare", "cli.token-once", "cli.audit", "cli.dangerous", "cli.update-check"]
    {
        assert!(skipped.iter().all(|(skipped, _)| skipped != id), "{skipped:#?}");
    }
    assert!(of_verdict(&answer, "fail").iter().any(|(id, _)| id == "cli.reference"));
    answer.error("E_NONCONFORMANT", 6);
}
