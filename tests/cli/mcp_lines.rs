//! `aos mcp serve` and invalid lines: each gets the error that JSON-RPC describes, and the session continues.

use std::process::Command;

use serde_json::{Value, json};

use crate::augmentor::{fixture, package};
use crate::mcp_client::Client;
use crate::sandbox::{Sandbox, run};
use crate::toolchain;

/// Lines, with the code and the id of the error that each gets.
fn faults() -> Vec<(Vec<u8>, i64, Value)> {
    let request = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",{rest}}}").into_bytes();
    let long = request(&format!(
        "\"id\":1,\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}",
        "a".repeat(5 << 20)
    ));
    let deep = request(&format!(
        "\"id\":1,\"method\":\"ping\",\"params\":{}{}",
        "[".repeat(9_000),
        "]".repeat(9_000)
    ));
    vec![
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":".to_vec(), -32_700, Value::Null),
        (b"hello".to_vec(), -32_700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}".to_vec(), -32_700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x".to_vec(), -32_700, Value::Null),
        (
            request("\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\\ud800\"}"),
            -32_700,
            Value::Null,
        ),
        (deep, -32_700, Value::Null),
        (long, -32_600, Value::Null),
        (b"[]".to_vec(), -32_600, Value::Null),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]".to_vec(), -32_600, Value::Null),
        (b"42".to_vec(), -32_600, Value::Null),
        (b"null".to_vec(), -32_600, Value::Null),
        (b"{\"id\":7,\"method\":\"ping\"}".to_vec(), -32_600, json!(7)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}".to_vec(), -32_600, json!("a")),
        (request("\"id\":null,\"method\":\"ping\""), -32_600, Value::Null),
        (request("\"id\":{\"a\":1},\"method\":\"ping\""), -32_600, Value::Null),
        (request("\"id\":1.5,\"method\":\"ping\""), -32_600, Value::Null),
        (request("\"id\":true,\"method\":\"ping\""), -32_600, Value::Null),
        (request("\"id\":1,\"id\":2,\"method\":\"ping\""), -32_600, Value::Null),
        (request("\"id\":8,\"method\":1"), -32_600, json!(8)),
        (request("\"id\":9"), -32_600, json!(9)),
        (request("\"id\":10,\"method\":\"foo/bar\""), -32_601, json!(10)),
        (request("\"id\":11,\"method\":\"resources/read\""), -32_601, json!(11)),
        (request("\"id\":12,\"method\":\"tools/call\""), -32_602, json!(12)),
        (request("\"id\":13,\"method\":\"tools/call\",\"params\":{}"), -32_602, json!(13)),
        (request("\"id\":14,\"method\":\"tools/call\",\"params\":[1]"), -32_602, json!(14)),
        (
            request("\"id\":15,\"method\":\"tools/call\",\"params\":{\"name\":5}"),
            -32_602,
            json!(15),
        ),
        (
            request(
                "\"id\":16,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":[1]}",
            ),
            -32_602,
            json!(16),
        ),
        (request("\"id\":17,\"method\":\"tools/list\",\"params\":\"x\""), -32_602, json!(17)),
        (
            request("\"id\":18,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}"),
            -32_602,
            json!(18),
        ),
        (request("\"id\":19,\"method\":\"initialize\""), -32_602, json!(19)),
        (
            request("\"id\":20,\"method\":\"tools/list\",\"params\":{\"cursor\":5}"),
            -32_602,
            json!(20),
        ),
    ]
}

#[test]
fn a_line_that_is_not_a_message_gets_an_error_and_the_session_continues() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[&fixture("python/good")]);
    for (line, code, id) in faults() {
        let shown = String::from_utf8_lossy(&line[..line.len().min(120)]).into_owned();
        client.write_line(&line);
        let answer = client.hear();
        assert_eq!(
            (&answer["error"]["code"], answer.get("id")),
            (&json!(code), Some(&id)),
            "{shown}: {answer}"
        );
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(
            answer["error"]["message"].as_str().is_some_and(|text| text.contains(' ')),
            "{answer}"
        );
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}), "{shown}");
    }
    assert_eq!(client.call("echo", json!({"text": "x"})), json!({"text": "x"}));
    assert_eq!(client.end().exit, Some(0));
}

#[test]
fn a_message_that_is_not_a_request_gets_no_response() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[&fixture("python/good")]);
    for line in [
        "",
        "  \t",
        "{\"jsonrpc\":\"2.0\",\"method\":\"foo/bar\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":{}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"x\"}}",
    ] {
        client.write_line(line.as_bytes());
        let answer = client.ask("ping", json!({}));
        assert_eq!(
            (&answer["result"], client.notes.len()),
            (&json!({}), 0),
            "{line}: {:?}",
            client.notes
        );
    }
    // A byte order mark at the start, and a line that ends with CRLF, are not faults.
    client.write_line(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":\"bom\",\"method\":\"ping\"}\r");
    assert_eq!(client.hear()["id"], "bom");
    assert_eq!(client.end().exit, Some(0));
}

#[test]
fn an_id_is_free_again_when_its_request_has_ended() {
    let sandbox = Sandbox::new();
    let body = "import asyncio, os\n    while not os.path.exists(args['mark']):\n        await asyncio.sleep(0.01)\n    return {}";
    let place = package(&sandbox, "python", "[permissions]\nfilesystem = \"read\"\n", body);
    let mut client = Client::start(&sandbox, &[place.to_str().expect("UTF-8")]);
    let mark = sandbox.work().join("mark");
    let call = |id: &str| {
        let params = json!({"name": "go", "arguments": {"mark": mark}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    client.write_line(call("one").as_bytes());
    client.write_line(b"{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"method\":\"ping\"}");
    let refused = client.hear();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32_600)),
        "{refused}"
    );
    std::fs::write(&mark, "").expect("a mark");
    let answer = client.hear();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!("one"), &json!(false)),
        "{answer}"
    );
    client.write_line(b"{\"jsonrpc\":\"2.0\",\"id\":\"one\",\"method\":\"ping\"}");
    assert_eq!(client.hear()["result"], json!({}));
    // A request that was cancelled has no answer, and its id is free too.
    std::fs::remove_file(&mark).expect("a mark");
    client.write_line(call("two").as_bytes());
    client.notify("notifications/cancelled", json!({"requestId": "two"}));
    client.write_line(b"{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"ping\"}");
    assert_eq!(client.hear()["result"], json!({}));
    assert_eq!(client.end().exit, Some(0));
}

#[test]
fn a_last_line_without_an_end_is_answered() {
    let sandbox = Sandbox::new();
    for (line, code) in [("{", -32_700), ("[]", -32_600)] {
        let input = sandbox.write("input", line);
        let mut command = sandbox.command(&["mcp", "serve", &fixture("python/good")]);
        command.stdin(std::fs::File::open(input).expect("a file"));
        let answer = run(&mut command);
        let first: Value =
            serde_json::from_str(answer.stdout.lines().next().unwrap_or_default()).expect("a line");
        assert_eq!(
            (&first["error"]["code"], &first["id"]),
            (&json!(code), &Value::Null),
            "{answer:?}"
        );
    }
}

/// The client of the protocol's own project continues after the server reports an invalid line in the stream.
#[cfg(unix)]
#[test]
fn the_official_python_client_survives_the_errors() {
    let test = "mcp_lines::the_official_python_client_survives_the_errors";
    let Some(python) = toolchain::python_with_mcp(test) else { return };
    let sandbox = Sandbox::new();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
    let script = "(printf '{\\n[]\\n{\"id\":\"other\"}\\n'; cat) | \"$0\" mcp serve \"$1\"";
    let mut command = Command::new(python);
    command
        .args([client, "sh", "-c", script, env!("CARGO_BIN_EXE_aos"), &fixture("python/good")])
        .current_dir(sandbox.work())
        .env("HOME", sandbox.home());
    let seen = run(&mut command).json();
    assert_eq!(seen["result"]["structuredContent"], json!({"letters": 3}), "{seen}");
}
