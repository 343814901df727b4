//! Faults of the command line: each names the option, what it takes, and its values when they are few.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn an_option_without_its_value_says_what_it_takes() {
    let sandbox = Sandbox::new();
    for (words, starts, contains) in [
        (
            &["new", "x", "--template"][..],
            "write `--template <TEMPLATE>`: template to use",
            "known values are agent-adapter, ",
        ),
        (
            &["check", "--report"],
            "write `--report <FORMAT=FILE>`: ",
            "`aos check --help` describes it",
        ),
        (&["new", "x", "--set"], "write `--set <KEY=VALUE>`: ", "`aos new --help` describes it"),
        (&["new", "x", "--openapi"], "write `--openapi <FILE>`: API description", ""),
        (
            &["check", "--format"],
            "write `--format <FORMAT>`: output format",
            "possible values are json, text, raw",
        ),
        (&["-C"], "write `--directory <DIR>`: run as if", "`aos --help` describes it"),
        (
            &["upgrade", "--conflicts"],
            "write `--conflicts <STYLE>`: ",
            "possible values are inline, reject",
        ),
        (
            &["upgrade", "--conflicts", "foo"],
            "write `--conflicts <STYLE>`: ",
            "possible values are inline, reject",
        ),
        (
            &["mcp", "serve", ".", "--timeout"],
            "write `--timeout <SECONDS>`: time limit",
            "`aos mcp serve --help`",
        ),
        (&["mcp", "serve", ".", "--timeout", "abc"], "write `--timeout <SECONDS>`: time limit", ""),
        (&["conform", "--family"], "write `--family <FAMILY>`: ", "known values are "),
        (&["completions", "fihs"], "did you mean `fish`?", ""),
    ] {
        let error = sandbox.aos(words).error("E_USAGE", 2);
        let fix = error["details"]["fix"].as_str().unwrap_or_default();
        assert!(fix.starts_with(starts) && fix.contains(contains), "{words:?}: {error}");
    }
    let error = sandbox.aos(&["upgrade", "--conflicts"]).error("E_USAGE", 2);
    assert_eq!(error["details"]["known_values"], json!(["inline", "reject"]));
    // Too many to list.
    let error = sandbox.aos(&["check", "--rule"]).error("E_USAGE", 2);
    assert_eq!(error["details"].get("known_values"), None, "{error}");
    let error = sandbox.aos(&["mcp", "serve", ".", "--timeout", "abc"]).error("E_USAGE", 2);
    assert_eq!(
        error["message"],
        "`abc` is not a valid value of `--timeout <SECONDS>`: invalid digit found in string"
    );
}
