//! `aos mcp`: augmentors, connectors and CLIs as tools of MCP clients, over stdio, with the real binary.

use serde_json::{Value, json};

use crate::augmentor::{fixture, package};
use crate::mcp_client::Client;
use crate::sandbox::{Answer, Sandbox, run};
use crate::toolchain;

const RUNTIMES: [&str; 2] = ["python", "node"];

/// A manifest with a prefix, for [`package`].
const PREFIX: &str = "[mcp]\ntool_prefix = \"acme\"\n";

/// A CLI that follows the contract: it lists, deletes behind a token, and says which variables it has.
const CLI: &str = r#"#!/usr/bin/env python3
import json, os, sys

words = sys.argv[1:]
options = [word for word in words if word.startswith("--")]
say = lambda ok, **rest: print(json.dumps({"ok": ok, "schema_version": "1.0", **rest, "meta": {"duration_ms": 1}}))
if words[0] == "reference":
    param = lambda name, kind="string", **rest: {"name": name, "type": kind, "required": False, "multiple": False, **rest}
    say(True, data={
        "tool": "mailer", "version": "2.0.0",
        "environment": [{"name": "MAILER_TOKEN", "secret": True}],
        "schemas": {"messages": {"shape": "object", "fields": ["items"], "untrusted_fields": []}},
        "commands": [
            {"path": "message list", "type": "read", "description": "List messages", "params": [param("limit", "integer", minimum=1)],
             "output_schema": "messages", "examples": []},
            {"path": "message delete", "type": "write", "confirm": "always", "description": "Delete a message",
             "params": [param("id", required=True, positional=True)], "output_schema": "gone", "examples": []},
            {"path": "reference", "type": "read", "description": "This", "params": [], "output_schema": "x", "examples": []},
        ],
    })
elif words[:2] == ["message", "list"]:
    say(True, data={"items": sorted(os.environ), "words": words})
elif words[:2] == ["message", "delete"]:
    if "--confirm=ct_1" in options:
        say(True, data={"deleted": words[-1], "words": words})
    elif "--dry-run" in options:
        say(True, data={"preview": [words[-1]], "confirm_token": "ct_1", "expires_at": "2030-01-01T00:00:00Z"})
    else:
        say(False, error={"code": "E_CONFIRMATION_REQUIRED", "message": "no token", "details": {}, "retryable": False})
        sys.exit(5)
"#;

/// A connector of its own: a run leaves caches behind.
fn connector(sandbox: &Sandbox) -> String {
    sandbox.connector("acme").to_str().expect("UTF-8").to_owned()
}

fn cli(sandbox: &Sandbox) -> String {
    let path = sandbox.write("mailer", CLI);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn an_augmentor_is_listed_and_called() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let mut client = Client::start(&sandbox, &[&fixture(&format!("{runtime}/good"))]);
        assert_eq!(client.initialized["serverInfo"]["name"], "aos");
        let tools = client.tools();
        let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["context", "count", "echo", "refuse"]);
        assert_eq!(tools[2]["inputSchema"]["required"], json!(["text"]));
        assert_eq!(tools[2]["annotations"]["readOnlyHint"], true);
        assert_eq!(tools[2]["annotations"]["openWorldHint"], false);
        assert_eq!(client.call("echo", json!({"text": "hé"})), json!({"text": "hé"}));
        let error = client.fail("refuse", json!({"text": "x"}));
        assert_eq!(
            (&error["code"], &error["data"]),
            (&json!("not_allowed"), &json!({"text": "x"}))
        );
        let error = client.fail("echo", json!({"text": 1, "more": 2}));
        assert_eq!(error["code"], "invalid_input");
        assert_eq!(error["data"]["errors"].as_array().map(Vec::len), Some(2), "{error}");
        let unknown = client.ask("tools/call", json!({"name": "none", "arguments": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        let answer = client.end();
        assert_eq!((answer.stdout.as_str(), answer.exit), ("", Some(0)), "{answer:?}");
    }
}

/// Other tests read the protocol line by line; this one uses the client of the protocol's own project.
#[test]
fn the_official_python_client_lists_and_calls() {
    let test = "mcp::the_official_python_client_lists_and_calls";
    let Some(python) = toolchain::python_with_mcp(test) else { return };
    let sandbox = Sandbox::new();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
    let server = [env!("CARGO_BIN_EXE_aos"), "mcp", "serve", &fixture("python/good")];
    let mut command = std::process::Command::new(python);
    command.arg(client).args(server).current_dir(sandbox.work()).env("HOME", sandbox.home());
    let seen = a_client_saw_all(&run(&mut command));
    assert_eq!(seen["progress"], json!(["a", "b", "{\"last\":\"c\"}"]));
}

/// It reads what it gets against the schemas of the protocol, more strictly than the other one.
#[test]
fn the_official_typescript_client_lists_and_calls() {
    let test = "mcp::the_official_typescript_client_lists_and_calls";
    let Some(packages) = toolchain::node_with_mcp(test) else { return };
    let sandbox = Sandbox::new();
    // Node looks for packages beside a module.
    let client = packages.join("client.mjs");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.mjs");
    std::fs::copy(source, &client).expect("a copy");
    let body = "import os, time\n    ctx['stream']({'type': 'text', 'data': 'half'})\n    \
                while not os.path.exists(args['mark']):\n        time.sleep(0.01)\n    return {}";
    let slow = package(&sandbox, "python", "", body);
    let manifest = std::fs::read_to_string(slow.join("augmentor.toml")).expect("a manifest");
    let manifest = manifest.replace("[\"command\"]", "[\"command\", \"stream\"]");
    std::fs::write(slow.join("augmentor.toml"), manifest).expect("a manifest");
    let slow = slow.to_str().expect("UTF-8");
    let server = [env!("CARGO_BIN_EXE_aos"), "mcp", "serve", &fixture("python/good"), slow];
    let mut command = std::process::Command::new("node");
    command.arg(client).arg(sandbox.work().join("mark")).args(server);
    command.current_dir(sandbox.work()).env("HOME", sandbox.home());
    let seen = a_client_saw_all(&run(&mut command));
    assert_eq!(
        (&seen["progress"], &seen["slow"]["isError"]),
        (&json!(["half"]), &json!(false)),
        "{seen}"
    );
}

#[track_caller]
fn a_client_saw_all(answer: &Answer) -> Value {
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    let seen: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(seen["tools"]["echo"]["annotations"]["readOnlyHint"], true, "{seen}");
    assert_eq!(seen["result"]["structuredContent"], json!({"letters": 3}));
    assert_eq!(seen["error"]["isError"], true);
    assert_eq!(seen["invalid"]["structuredContent"]["error"]["code"], "invalid_input");
    assert!(seen["unknown"].as_str().is_some_and(|said| said.contains("`none`")), "{seen}");
    seen
}

#[test]
fn chunks_are_progress_for_a_client_that_asks_for_it() {
    for runtime in RUNTIMES {
        let sandbox = Sandbox::new();
        let mut client = Client::start(&sandbox, &[&fixture(&format!("{runtime}/good"))]);
        let params =
            json!({"name": "count", "arguments": {"text": "abc"}, "_meta": {"progressToken": "t"}});
        let answer = client.ask("tools/call", params);
        assert_eq!(answer["result"]["structuredContent"], json!({"letters": 3}));
        let notes: Vec<_> = client.notes.iter().map(|note| &note["params"]).collect();
        let messages: Vec<_> = notes.iter().map(|note| &note["message"]).collect();
        assert_eq!(messages, ["a", "b", r#"{"last":"c"}"#]);
        assert!(notes.iter().all(|note| note["progressToken"] == "t"), "{notes:?}");
        client.notes.clear();
        client.call("count", json!({"text": "abc"}));
        assert_eq!(client.notes, Vec::<Value>::new());
    }
}

/// A call that notices is cancelled in its process; one that does not loses it.
#[test]
fn a_cancelled_call_ends_and_the_next_one_runs() {
    let sandbox = Sandbox::new();
    let body = "import asyncio, os, time\n    how = args.get('how')\n    \
                open(args['mark'], 'w').close() if how else None\n    \
                await asyncio.sleep(900) if how == 'asks' else None\n    \
                time.sleep(900) if how == 'blocks' else None\n    return {'process': os.getpid()}";
    let place = package(&sandbox, "python", "[permissions]\nfilesystem = \"write\"\n", body);
    let mut client =
        Client::start(&sandbox, &[place.to_str().expect("UTF-8"), "--allow-mode", "write"]);
    let process = |client: &mut Client| client.call("go", json!({}))["process"].clone();
    let first = process(&mut client);
    for (how, is_same) in [("asks", true), ("blocks", false)] {
        let mark = sandbox.work().join(how);
        let arguments = json!({"how": how, "mark": mark});
        let id = client.send("tools/call", json!({"name": "go", "arguments": arguments}));
        while !mark.exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        client.notify("notifications/cancelled", json!({"requestId": id}));
        assert_eq!(process(&mut client) == first, is_same, "{how}");
    }
    assert_eq!(client.end().exit, Some(0));
}

#[test]
fn a_crash_is_an_error_of_one_call_that_may_be_tried_again() {
    for (runtime, crash) in [
        (
            "python",
            "import os\n    os._exit(3) if args.get('crash') else None\n    return {'ok': 1}",
        ),
        ("node", "if (args.crash) process.exit(3); return { ok: 1 };"),
    ] {
        let sandbox = Sandbox::new();
        let place = package(&sandbox, runtime, PREFIX, crash);
        let mut client = Client::start(&sandbox, &[place.to_str().expect("UTF-8")]);
        let error = client.fail("acme_go", json!({"crash": true}));
        assert_eq!((&error["code"], &error["retryable"]), (&json!("crashed"), &json!(true)));
        assert_eq!(client.call("acme_go", json!({})), json!({"ok": 1}));
    }
}

#[test]
fn a_tool_that_can_change_data_needs_a_mode_that_a_person_allows() {
    let sandbox = Sandbox::new();
    let manifest = "[permissions]\nnetwork = \"https\"\n";
    let place = package(&sandbox, "python", manifest, "return {'ok': 1}");
    let place = place.to_str().expect("UTF-8");
    let mut client = Client::start(&sandbox, &[place]);
    assert_eq!(client.names(), Vec::<String>::new());
    let error = client.fail("go", json!({}));
    assert_eq!(
        (&error["code"], &error["data"]["required_mode"]),
        (&json!("E_FORBIDDEN"), &json!("write"))
    );
    let answer = client.end();
    assert!(answer.stderr.contains("1 tool needs `--allow-mode write`"), "{answer:?}");
    let mut client = Client::start(&sandbox, &[place, "--allow-mode", "write"]);
    assert_eq!(client.tools()[0]["annotations"]["readOnlyHint"], false);
    assert_eq!(client.call("go", json!({})), json!({"ok": 1}));
}

#[test]
fn a_connector_is_served_from_its_manifest() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox);
    let mut client = Client::start(&sandbox, &[&project, "--allow-mode", "admin"]);
    let tools = client.tools();
    let manifest = std::fs::read_to_string(format!("{project}/connector.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let commands = manifest["commands"].as_array().unwrap();
    let is_meta =
        |id: &str| matches!(id, "capabilities" | "health" | "doctor") || id.starts_with("config");
    let wanted: Vec<_> =
        commands.iter().filter(|one| !is_meta(one["id"].as_str().unwrap())).collect();
    assert_eq!(tools.len(), wanted.len());
    for command in wanted {
        let id = command["id"].as_str().unwrap();
        let name = format!("acme_{}", id.replace('.', "_"));
        let tool =
            tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("{name}"));
        let mode = command["required_mode"].as_str().unwrap();
        assert_eq!(tool["annotations"]["readOnlyHint"], mode == "readonly", "{name}");
        assert_eq!(
            tool["annotations"]["destructiveHint"],
            matches!(mode, "full" | "admin"),
            "{name}"
        );
        assert_eq!(tool["description"], command["summary"]);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    }
    assert_eq!(client.end().exit, Some(0));
}

#[test]
fn a_connector_answers_through_its_program() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[&connector(&sandbox), "--tools", "health,*.list"]);
    let health = client.call("acme_health", json!({}));
    assert_eq!(health["status"], "needs_setup", "{health}");
    let list = client.names().into_iter().find(|name| name.ends_with("_list")).expect("a list");
    let error = client.fail(&list, json!({}));
    assert_eq!((&error["code"], &error["retryable"]), (&json!("AUTH_ERROR"), &json!(false)));
    let error = client.fail(&list, json!({"no_such_input": "--mode=admin"}));
    assert_eq!(error["code"], "INVALID_USAGE");
    let answer = client.end();
    assert!(answer.stderr.contains("not set in the environment"), "{answer:?}");
}

#[test]
fn a_cli_is_served_from_its_reference_and_a_write_keeps_its_two_steps() {
    let sandbox = Sandbox::new();
    let program = cli(&sandbox);
    let mut client = Client::start(&sandbox, &[&program, "--allow-mode", "admin"]);
    let tools = client.tools();
    let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["mailer_message_delete", "mailer_message_list"]);
    assert_eq!(tools[0]["annotations"]["destructiveHint"], true);
    assert_eq!(tools[1]["outputSchema"]["properties"]["items"], json!({}));
    let preview = client.call("mailer_message_delete", json!({"id": "--all"}));
    assert_eq!(preview["preview"], json!(["--all"]));
    let token = preview["confirm_token"].clone();
    let done = client.call("mailer_message_delete", json!({"id": "--all", "confirm": token}));
    assert_eq!(done["deleted"], "--all");
    let error = client.fail("mailer_message_delete", json!({"id": "7", "confirm": "ct_0"}));
    assert_eq!(error["code"], "E_CONFIRMATION_REQUIRED");
    let error = client.fail("mailer_message_list", json!({"limit": 0}));
    assert_eq!(error["code"], "E_VALIDATION");
}

#[test]
fn a_program_gets_the_variables_that_it_names_and_no_others() {
    let sandbox = Sandbox::new();
    let program = cli(&sandbox);
    let start = |more: &[&str]| {
        let mut command = sandbox.command(&[&["mcp", "serve", program.as_str()], more].concat());
        command.env("MAILER_TOKEN", "t").env("OTHER_TOKEN", "o").env("AOS_MODE", "admin");
        Client::start_with(command)
    };
    let seen =
        |client: &mut Client| client.call("mailer_message_list", json!({}))["items"].to_string();
    let own = seen(&mut start(&[]));
    assert!(own.contains("MAILER_TOKEN") && own.contains("PATH"), "{own}");
    assert!(!own.contains("OTHER_TOKEN") && !own.contains("AOS_MODE"), "{own}");
    assert!(seen(&mut start(&["--env", "OTHER_TOKEN"])).contains("OTHER_TOKEN"));
}

#[test]
fn several_packages_are_served_at_once_and_each_name_is_one_tool() {
    let sandbox = Sandbox::new();
    let program = cli(&sandbox);
    let good = fixture("python/good");
    let project = connector(&sandbox);
    let mut client =
        Client::start(&sandbox, &[&program, &good, &project, "--tools", "echo,*.list,* list"]);
    let names = client.names();
    assert!(
        names.contains(&"mailer_message_list".to_owned()) && names.contains(&"echo".to_owned())
    );
    assert!(names.iter().any(|name| name.starts_with("acme_")), "{names:?}");
    drop(client);
    let answer = sandbox.aos(&["mcp", "serve", &good, &good, "--list"]);
    let error = answer.error("E_CONFLICT", 6);
    assert!(error["message"].as_str().unwrap().contains("two tools have the name"), "{error}");
}

#[test]
fn many_tools_are_found_by_search() {
    let sandbox = Sandbox::new();
    let commands: Vec<_> = (0..41)
        .map(|n| format!("{{'name': 'item_{n}', 'description': 'Show shelf {n}', 'schema': {{'type': 'object', 'properties': {{'n': {{'type': 'integer'}}}}, 'additionalProperties': False}}, 'run': lambda args, ctx: {{'item': {n}, **args}}}}"))
        .collect();
    let place = package(&sandbox, "python", PREFIX, "pass");
    let text = format!("def factory(**_):\n    return {{'commands': [{}]}}\n", commands.join(", "));
    sandbox.write("package/sample.py", &text);
    let place = place.to_str().expect("UTF-8");
    let mut client = Client::start(&sandbox, &[place]);
    assert_eq!(client.names(), ["search_tools", "describe_tools", "call_tool"]);
    assert!(client.initialized["instructions"].as_str().unwrap().contains("search_tools"));
    let found = client.call("search_tools", json!({"query": "the shelf 17", "limit": 3}));
    assert_eq!(found["tools"][0]["name"], "acme_item_17", "{found}");
    assert_eq!(found["tools"].as_array().map(Vec::len), Some(3));
    let described = client.call("describe_tools", json!({"names": ["acme_item_17"]}));
    assert_eq!(described["tools"][0]["inputSchema"]["properties"]["n"]["type"], "integer");
    let arguments = json!({"name": "acme_item_17", "arguments": {"n": 2}});
    assert_eq!(client.call("call_tool", arguments), json!({"item": 17, "n": 2}));
    for (arguments, code) in [
        (json!({"name": "acme_item_17", "arguments": {"n": "x"}}), "invalid_input"),
        (json!({"name": "none"}), "E_NOT_FOUND"),
        (json!({"names": "none"}), "E_VALIDATION"),
    ] {
        assert_eq!(client.fail("call_tool", arguments)["code"], code);
    }
    drop(client);
    let mut client = Client::start(&sandbox, &[place, "--tools", "item_1*"]);
    assert_eq!(client.names().len(), 11);
    drop(client);
    let mut client = Client::start(&sandbox, &[place, "--present", "all"]);
    assert_eq!(client.names().len(), 41);
}

#[test]
fn a_changed_manifest_changes_the_list() {
    let sandbox = Sandbox::new();
    let place = package(&sandbox, "python", PREFIX, "return {'ok': 1}");
    let mut client = Client::start(&sandbox, &[place.to_str().expect("UTF-8")]);
    assert_eq!(client.names(), ["acme_go"]);
    let manifest = place.join("augmentor.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    // A broken state changes nothing.
    std::fs::write(&manifest, "name = \n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    assert_eq!(client.names(), ["acme_go"]);
    std::fs::write(&manifest, text.replace("\"acme\"", "\"other\"")).unwrap();
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(client.names(), ["other_go"]);
    assert_eq!(client.call("other_go", json!({})), json!({"ok": 1}));
    let answer = client.end();
    assert!(answer.stderr.contains("the old state is kept"), "{answer:?}");
}

/// A client of every family's packages learns of each change while it stays connected.
#[test]
fn the_official_python_client_learns_of_changed_packages() {
    let test = "mcp::the_official_python_client_learns_of_changed_packages";
    let Some(python) = toolchain::python_with_mcp(test) else { return };
    let sandbox = Sandbox::new();
    let (project, program) = (connector(&sandbox), cli(&sandbox));
    let augmentor = package(&sandbox, "python", PREFIX, "return {}");
    let (manifest, connector) =
        (augmentor.join("augmentor.toml"), format!("{project}/connector.json"));
    let edits = [
        [connector.as_str(), "\"item.list\"", "\"item.all\""],
        [program.as_str(), "\"message list\"", "\"message show\""],
        [manifest.to_str().expect("UTF-8"), "\"acme\"", "\"other\""],
    ];
    let mut command = std::process::Command::new(python);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/changes.py"));
    command.args(edits.concat()).args(["--", env!("CARGO_BIN_EXE_aos"), "mcp", "serve"]);
    command.args([&project, &program]).arg(&augmentor);
    let answer = run(command.current_dir(sandbox.work()).env("HOME", sandbox.home()));
    assert_eq!(answer.exit, Some(0), "{answer:?}");
    let seen: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let mut wanted = ["acme_go", "acme_item_get", "acme_item_list", "mailer_message_list"];
    let mut expected = vec![json!(wanted)];
    for (at, name) in [(2, "acme_item_all"), (3, "mailer_message_show"), (0, "other_go")] {
        wanted[at] = name;
        let mut sorted = wanted;
        sorted.sort_unstable();
        expected.push(json!(sorted));
    }
    assert_eq!(seen, json!(expected));
}

#[test]
fn without_a_client_the_response_lists_the_tools_that_would_be_served() {
    let sandbox = Sandbox::new();
    let good = fixture("python/good");
    let listed = sandbox.aos(&["mcp", "serve", &good, "--list"]).data();
    assert_eq!(listed["packages"][0]["name"], "sample");
    assert_eq!(listed["tools"][0]["id"], "context");
    assert_eq!(listed["presented"], "all");
    // Stdin of a test is empty.
    assert_eq!(sandbox.aos(&["mcp", "serve", &good]).data(), listed);
    let text = sandbox.aos(&["mcp", "serve", &good, "--list", "--format", "text"]).stdout;
    assert!(text.contains("readonly  echo"), "{text}");
}

#[test]
fn an_unusable_package_is_reported_before_anything_is_served() {
    let sandbox = Sandbox::new();
    let nothing =
        sandbox.aos(&["mcp", "serve", &fixture("python/good"), "--tools", "zzz", "--list"]);
    assert!(nothing.error("E_NOT_FOUND", 3)["message"].as_str().unwrap().contains("--tools"));
    let answer = sandbox.aos(&["mcp", "serve", "no-such-thing"]);
    answer.error("E_NOT_FOUND", 3);
    assert!(answer.stderr.contains("no-such-thing"), "a client shows stderr: {answer:?}");
    let good = fixture("python/good");
    for arguments in [
        ["mcp", "serve", &good, "--tools", "tag:"],
        ["mcp", "serve", &good, "--timeout", "0"],
        ["mcp", "serve", &good, "--env", "A=b"],
        ["mcp", "serve", &good, "--runtime", "perl"],
    ] {
        sandbox.aos(&arguments).error("E_VALIDATION", 2);
    }
    for arguments in [
        ["mcp", "serve", &good, "--allow-mode", "some"],
        ["mcp", "serve", &good, "--present", "some"],
    ] {
        sandbox.aos(&arguments).error("E_USAGE", 2);
    }
    let broken = fixture("python/l1_import_fails");
    sandbox.aos(&["mcp", "serve", &broken, "--python", "python3"]).error("E_AUGMENTOR", 1);
    sandbox.write("plain", "no program");
    sandbox.aos(&["mcp", "serve", "./plain"]).error("E_NOT_FOUND", 3);
}

#[cfg(unix)]
#[test]
fn a_call_that_never_ends_is_ended_with_stdin_and_so_is_what_it_started() {
    let python = "import os, subprocess, time\n    \
                  other = subprocess.Popen(['sleep', '900'], start_new_session=True)\n    \
                  open(args['mark'], 'w').write(f'{os.getpid()} {other.pid}.')\n    time.sleep(900)";
    let node = "const { spawn } = await import('node:child_process'); \
                const { writeFileSync } = await import('node:fs'); \
                const other = spawn('sleep', ['900'], { detached: true, stdio: 'ignore' }); \
                writeFileSync(args.mark, `${process.pid} ${other.pid}.`); for (;;);";
    for (runtime, body) in [("python", python), ("node", node)] {
        let sandbox = Sandbox::new();
        let permissions = "[permissions]\nfilesystem = \"read-write\"\nnetwork = \"all\"\n";
        let place = package(&sandbox, runtime, permissions, body);
        let served = [place.to_str().expect("UTF-8"), "--allow-mode", "write"];
        let mut client = Client::start(&sandbox, &served);
        let mark = sandbox.work().join("mark");
        client.send("tools/call", json!({"name": "go", "arguments": {"mark": mark}}));
        let processes = loop {
            let text = std::fs::read_to_string(&mark).unwrap_or_default();
            match text.strip_suffix('.') {
                Some(processes) => break processes.to_owned(),
                None => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        };
        // The end of stdin ends the call too, which never would by itself.
        assert_eq!(client.end().exit, Some(0));
        for process in processes.split(' ') {
            let process = rustix::process::Pid::from_raw(process.parse().expect("a number"));
            let is_running = rustix::process::test_kill_process(process.expect("a process"));
            assert!(is_running.is_err(), "{runtime}: {processes} still run");
        }
    }
}

#[test]
fn a_client_gets_its_configuration() {
    let sandbox = Sandbox::new();
    let project = connector(&sandbox);
    let clients = sandbox.aos(&["mcp", "config"]).data()["clients"].clone();
    let ids: Vec<_> =
        clients.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"claude-code") && ids.contains(&"codex"), "{ids:?}");
    for id in &ids {
        let data = sandbox
            .aos(&[
                "mcp",
                "config",
                id,
                &project,
                "--allow-mode",
                "write",
                "--tools",
                "*.list,!x",
                "--name",
                "my server",
            ])
            .data();
        let content = data["content"].as_str().unwrap();
        assert!(content.contains("ACME_API_KEY") || content.contains("acme-api-key"), "{data}");
        assert!(content.contains("my-server") && content.contains(&*project), "{content}");
        let raw = sandbox.aos(&["mcp", "config", id, &project, "--format", "raw"]).stdout;
        assert!(raw.contains("aos-acme") && raw.contains("\"mcp\""), "{raw}");
    }
    let error = sandbox.aos(&["mcp", "config", "claude-cod"]).error("E_VALIDATION", 2);
    assert!(error["details"]["fix"].as_str().unwrap().contains("`claude-code`"), "{error}");
    let text = run(sandbox
        .command(&["mcp", "config", "cursor", &project, "--format", "text"])
        .arg("--quiet"));
    assert!(text.stdout.contains(".cursor/mcp.json"), "{text:?}");
}
