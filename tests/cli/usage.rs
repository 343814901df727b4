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

#[test]
fn help_before_a_command_is_the_help_of_the_command() {
    let sandbox = Sandbox::new();
    for (help, option) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "check"], &["check", "--help"]),
        (&["help", "template", "import"], &["template", "import", "--help"]),
        (&["help", "check", "--json"], &["check", "--help", "--json"]),
        (&["--format", "text", "help", "check"], &["--format", "text", "check", "--help"]),
    ] {
        let [first, second] = [help, option].map(|words| {
            let answer = sandbox.aos(words);
            let text = match words.contains(&"--json") {
                true => answer.data().to_string(),
                false => answer.stdout,
            };
            (answer.exit, text, answer.stderr)
        });
        assert_eq!(first, second);
        assert_eq!(first.0, Some(0));
    }
    let error = sandbox.aos(&["help", "chek"]).error("E_USAGE", 2);
    assert_eq!(error["details"]["fix"], "did you mean `check`?");
    let error = sandbox.aos(&["help", "check", "it"]).error("E_USAGE", 2);
    assert_eq!(error["message"], "the command `check it` does not exist");
}

#[test]
fn a_relative_path_of_a_call_with_another_directory_is_named_in_full() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.work().join("sub")).unwrap();
    let full = |name: &str| sandbox.work().canonicalize().unwrap().join("sub").join(name);
    for words in [
        &["new", "x", "--template", "./none"][..],
        &["new", "x", "--openapi", "./none"],
        &["new", "x", "--answers", "./none"],
        &["new", "x", "--preset", "./none.toml"],
        &["new", "x", "--template", "github:a/b", "--trusted-root", "./none"],
        &["check", "./none"],
        &["check", "--recursive", "./none"],
        &["check", "--report", "sarif=./none/x"],
        &["sync-spec", "./none"],
        &["gen", "./none"],
        &["upgrade", "./none"],
        &["migrate", "./none"],
        &["conform", "./none"],
        &["template", "check", "./none"],
        &["template", "from", "./none", "--to", "./x"],
        &["template", "import", "./none", "--to", "./x"],
        &["discover", "./none"],
        &["compare", "./none", "./x"],
        &["wire", "./none", "--ao", "./x"],
        &["augmentor", "describe", "./none"],
        &["augmentor", "run", "./none", "x", "--args", "@./none.json"],
        &["mcp", "serve", "./none"],
        &["verify", "./f", "--bundle", "./b", "--key", "./none"],
    ] {
        let call = [&["-C", "sub"], words].concat();
        let json = sandbox.aos(&call).json();
        let message = json["error"]["message"].as_str().expect("a message").to_owned();
        let shown = full("none").display().to_string();
        assert!(
            message.contains("(looked at `") && message.contains(&shown),
            "{words:?}: {message}"
        );
        // Without `-C`, the path is the one that was given.
        let message = sandbox.aos(words).json()["error"]["message"].to_string();
        assert!(!message.contains("looked at"), "{message}");
    }
}
