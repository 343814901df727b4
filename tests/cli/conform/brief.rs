//! Without `--all`, a run prints at most 10 kB, even if everything fails, with every call of a failure.

use serde_json::Value;

use super::super::sandbox::{Answer, Sandbox};
use super::executable;

const LIMIT: usize = 10_000;
/// A tool that describes many commands, and answers nothing as it should.
const TOOL: &str = r#"#!/bin/sh
if [ "$1" = reference ]; then
    printf '{"ok": true, "schema_version": "1.0", "data": {"tool": "t", "commands": ['
    for name in list get create update delete close watch; do
        printf '{"path": "item %s", "type": "read", "summary": "x", "flags": []},' "$name"
    done
    printf '{"path": "reference", "type": "read"}]}, "meta": {"duration_ms": 0, "stray": 1}}\n'
    exit 3
fi
i=0
while [ "$i" -lt 200 ]; do echo "noise of $1 $2 $i"; i=$((i + 1)); done
exit 1
"#;

fn details(answer: &Answer) -> Value {
    answer.error("E_NONCONFORMANT", 6)["details"].clone()
}

fn results(details: &Value) -> &Vec<Value> {
    details["results"].as_array().expect("results")
}

fn omitted(details: &Value, field: &str) -> u64 {
    let entries = details["omitted"].as_array().expect("what was left out").iter();
    let mut of_field = entries.filter(|entry| entry["field"] == field);
    of_field.next().and_then(|entry| entry["count"].as_u64()).unwrap_or_default()
}

fn commands(result: &Value) -> Vec<&Value> {
    let calls = result["evidence"].as_array().map_or(&[][..], Vec::as_slice);
    calls.iter().map(|call| &call["argv"]).collect()
}

/// The entry of a probe, its own or one that it shares.
fn entry<'a>(details: &'a Value, probe: &Value) -> Option<&'a Value> {
    let shares = |result: &&Value| {
        let also = result["also"].as_array();
        result["probe"] == *probe || also.is_some_and(|also| also.contains(probe))
    };
    results(details).iter().find(shares)
}

#[test]
fn a_tool_that_fails_nearly_everything_is_told_in_ten_kilobytes() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("tool", TOOL);
    executable(&path);
    let call = ["conform", "--family", "agent-cli", "--", path.to_str().expect("a path")];
    let run = |more: &[&str]| sandbox.aos(&[&call[..1], more, &call[1..]].concat());
    let whole = run(&["--all"]);
    assert!(whole.stdout.len() > 5 * LIMIT, "{}", whole.stdout.len());
    let all = details(&whole);
    assert_eq!((&all["omitted"], &all["more"]), (&Value::Null, &Value::Null));
    for form in [&[][..], &["--compact"]] {
        let answer = run(form);
        assert!(answer.stdout.len() <= LIMIT, "{form:?}: {}", answer.stdout.len());
        let brief = details(&answer);
        let mut named = 0;
        for result in results(&all) {
            let shown = entry(&brief, &result["probe"]);
            match result["verdict"].as_str() {
                Some("fail") => assert!(shown.is_some(), "{result}"),
                Some("blocked") => {}
                _ => assert!(shown.is_none(), "{result}"),
            }
            named += u64::from(shown.is_some());
            let calls_missing = omitted(&brief, "results.evidence") > 0;
            if let Some(shown) = shown.filter(|_| result["verdict"] == "fail" && !calls_missing) {
                assert_eq!(commands(shown), commands(result), "{shown}");
            }
        }
        assert!(named > 40, "{named}");
        let counted = omitted(&brief, "results") + omitted(&brief, "results.also");
        assert_eq!(named + counted, results(&all).len() as u64);
        let first = results(&all).iter().find(|result| result["verdict"] == "fail");
        let first = first.expect("a failure");
        let shown = entry(&brief, &first["probe"]).expect("the first failure");
        assert_eq!(commands(shown), commands(first), "{shown}");
        assert_eq!(shown["message"], first["message"]);
        assert!(brief["containment"].as_array().is_some_and(|parts| parts.len() > 5), "{brief}");
    }
    // One probe on request is whole.
    let one = details(&run(&["--probe", "cli.one-document"]));
    assert!(results(&one)[0]["evidence"][0]["stdout"].as_str().expect("a text").len() > 600);
    assert_eq!(one["omitted"], Value::Null);
    // CI logs have the text, and it is never cut.
    let text = run(&["--format", "text"]);
    assert!(!text.stdout.contains("more lines"), "{}", text.stdout);
}
