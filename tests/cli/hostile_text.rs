//! Names, arguments, contents and messages that steer terminals and workflow runners, in every command and format.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::sandbox::Sandbox;

/// A hostile name. Each part is one way to attack a terminal, a log or a reader.
const HOSTILE: &str = "a\u{1b}]0;x\u{7}\u{1b}[31m\n::error file=x::forged\r##[error]forged\t##vso[x]\u{202e}\u{9b}1m\u{2028}\u{2029}\u{200b}\u{200d}\u{e0041}\u{7f}\u{ad}\u{61c}\u{2066}\u{feff}";
/// The same as one that begins a line.
const COMMAND: &str = "::error file=x::forged";
const FORMATS: [&str; 3] = ["json", "text", "raw"];

/// Fails when a terminal, a person or a workflow runner would see something else than plain lines.
#[track_caller]
pub fn assert_fit(what: &str, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    for symbol in text.chars() {
        let hidden = matches!(symbol,
            '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
        assert!(!hidden, "{what}: {symbol:?} in {text:?}");
    }
    for line in text.lines() {
        assert!(!line.contains("##[") && !line.contains("##vso["), "{what}: {line:?}");
    }
}

/// The same for a job of GitHub Actions, where only annotations of aos may begin a line with `::`.
#[track_caller]
pub fn assert_no_command(what: &str, bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).lines().map(str::trim_start) {
        let annotation = line.contains(",title=") && line.contains("%0Afix: ");
        let rest = line.strip_prefix("::notice::").unwrap_or(line);
        let rest = rest.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
        let notice = rest == " more findings are in the log of this step";
        assert!(!line.starts_with("::") || annotation || notice, "{what}: {line:?}");
        assert!(!line.starts_with("::error file=x::"), "{what}: {line:?}");
    }
}

/// Runs a command in every format, as a job of GitHub Actions and not as one; gives how many runs there were.
#[track_caller]
fn runs(name: &str, make: &dyn Fn() -> Command) -> usize {
    let mut count = 0;
    for format in FORMATS {
        for (actions, more) in [(false, &["--compact"][..]), (true, &["--quiet"])] {
            let mut command = make();
            // Before `--`, which ends the options.
            command.env("AOS_FORMAT", format).args(more);
            if actions {
                command.env("GITHUB_ACTIONS", "true");
            }
            let output = command.output().expect("the binary runs");
            let what = format!("{name} ({format}, actions {actions}, {more:?})");
            let said = output.stdout.len() + output.stderr.len();
            assert!(said > 0 || format == "raw", "{what} said nothing");
            assert!(output.status.code().is_some(), "{what} died: {output:?}");
            for stream in [&output.stdout, &output.stderr] {
                assert_fit(&what, stream);
                if actions {
                    assert_no_command(&what, stream);
                }
            }
            if format == "json" {
                let parsed: Result<serde_json::Value, _> = serde_json::from_slice(&output.stdout);
                parsed.unwrap_or_else(|error| panic!("{what}: {error}: {output:?}"));
            }
            count += 1;
        }
    }
    count
}

#[test]
fn no_argument_of_any_command_reaches_a_terminal_as_it_is() {
    let sandbox = Sandbox::new();
    let project = sandbox.connector("acme");
    let h = HOSTILE;
    let set = format!("base_url={h}");
    let option = format!("--{h}");
    let reports = [format!("junit=no/{h}"), format!("{h}=x")];
    let digest = format!("sha256:{h}");
    let commands: Vec<Vec<&str>> = vec![
        vec![h],
        vec![COMMAND],
        vec!["check", &option],
        vec!["new", h],
        vec!["new", COMMAND],
        vec!["new", "x", "--template", h],
        vec!["new", "x", "--preset", h],
        vec!["new", "x", "--set", h],
        vec!["new", "x", "--set", &set],
        vec!["new", "x", "--answers", h],
        vec!["new", "x", "--spec", h],
        vec!["new", "x", "--dir", h],
        vec!["new", "x", "--confirm", h],
        vec!["sync-spec", h],
        vec!["sync-spec", "--to", h],
        vec!["sync-spec", "--from", h, "--to", "v9.9.9"],
        vec!["sync-spec", "--trusted-root", h],
        vec!["sync-spec", "--confirm", h],
        vec!["gen", h],
        vec!["gen", "--check", h],
        vec!["gen", "--confirm", h],
        vec!["check", h],
        vec!["check", "--recursive", h],
        vec!["check", "--rule", h],
        vec!["check", "--explain", h],
        vec!["check", "--trusted-root", h],
        // One probe: `new` above made a project there, and a whole run of its tool says nothing more.
        vec!["conform", h, "--probe", "harness.unknown-command"],
        vec!["conform", "--probe", h],
        vec!["conform", "--explain", h],
        vec!["conform", "--family", h],
        vec!["conform", "--tag", h, "--family", "harness", "x"],
        vec!["conform", "--fixture", h],
        vec!["conform", "--report", &reports[0]],
        vec!["conform", "--report", &reports[1]],
        vec!["conform", "--jobs", h],
        vec!["verify", h, "--bundle", h, "--key", h],
        vec!["verify", &digest, "--bundle", h, "--key", h],
        vec![
            "verify",
            "x",
            "--bundle",
            h,
            "--certificate-identity-regexp",
            h,
            "--certificate-oidc-issuer",
            h,
        ],
        vec![
            "verify-bundle",
            h,
            "--bundle",
            h,
            "--certificate-identity",
            h,
            "--certificate-oidc-issuer",
            h,
        ],
        vec!["update", "--target-version", h],
        vec!["update", "--check", "--trusted-root", h],
        vec!["reference", "--fields", h],
        vec!["context", "--fields", h],
        vec!["context", h],
        vec!["doctor", "-C", h],
        vec!["changelog", "--since", h],
        vec!["completions", h],
        vec!["check", "--format", h],
    ];
    let mut count = 0;
    for arguments in &commands {
        count += runs(&format!("{arguments:?}"), &|| {
            let mut command = sandbox.command(arguments);
            command.current_dir(&project);
            command
        });
    }
    for variable in ["AOS_FORMAT", "AOS_HOME", "HOME", "TERM", "AOS_UPDATE_API_URL", "HTTPS_PROXY"]
    {
        for arguments in
            [&["context"][..], &["doctor"], &["update", "--check"], &["gen", "--dry-run"]]
        {
            let mut command = sandbox.command(arguments);
            command.current_dir(&project).env(variable, HOSTILE).env("GITHUB_ACTIONS", "1");
            command.env_remove("AOS_OFFLINE");
            let output = command.output().expect("the binary runs");
            for stream in [&output.stdout, &output.stderr] {
                assert_fit(variable, stream);
                assert_no_command(variable, stream);
            }
            count += 1;
        }
    }
    assert!(count > 300, "only {count} runs");
}

#[test]
fn the_name_by_which_aos_is_called_is_never_printed_raw() {
    let sandbox = Sandbox::new();
    for arguments in
        [&["--help"][..], &["check", "--help"], &[], &["--version"], &["check", "--nonsense"]]
    {
        for format in ["text", "json"] {
            let mut command = sandbox.command(arguments);
            command.arg0(HOSTILE).env("AOS_FORMAT", format).env("GITHUB_ACTIONS", "1");
            let output = command.output().expect("the binary runs");
            for stream in [&output.stdout, &output.stderr] {
                assert_fit("argument 0", stream);
                assert!(!String::from_utf8_lossy(stream).contains("forged"), "{output:?}");
            }
        }
    }
}

/// A fleet below a hostile directory, one member of which is hostile in every place that a check repeats.
fn fleet(sandbox: &Sandbox) -> (PathBuf, PathBuf) {
    let made = sandbox.connector("acme");
    let root = sandbox.work().join("fleet");
    let parent = root.join(HOSTILE);
    std::fs::create_dir_all(&parent).expect("a directory");
    let member = parent.join("aos-acme");
    std::fs::rename(&made, &member).expect("a move");
    let other = root.join("aos-good");
    std::fs::rename(sandbox.connector("good"), other).expect("a move");
    (root, member)
}

fn append(path: &Path, text: &str) {
    let before = std::fs::read_to_string(path).expect("a file");
    std::fs::write(path, before + text).expect("a file");
}

type Damage = fn(&Path);

const DAMAGES: [(&str, Damage); 9] = [
    ("nothing", |_| {}),
    ("a stray file", |project| {
        std::fs::write(project.join(".agent").join(HOSTILE), "x").expect("a file");
        std::fs::write(project.join("contract").join(format!("{COMMAND}\n")), "x").expect("a file");
    }),
    ("an edited managed file", |project| {
        append(&project.join(".agent/CONNECTOR-SPEC.md"), &format!("{HOSTILE}\n{COMMAND}\n"));
        append(&project.join("contract/contract.json"), &format!("{COMMAND}\n"));
    }),
    ("a pin", |project| {
        std::fs::write(project.join(".agent/SPEC_VERSION"), HOSTILE).expect("a file");
    }),
    ("a lock", |project| {
        std::fs::write(project.join(".agent/spec.lock"), format!("x = \"{COMMAND}\"\n"))
            .expect("it");
    }),
    ("a waiver", |project| {
        let quoted = serde_json::to_string(HOSTILE).expect("json").replace("\u{7f}", "\\u007f");
        let quoted: String = quoted
            .chars()
            .map(|symbol| {
                if symbol.is_ascii() {
                    symbol.to_string()
                } else {
                    format!("\\U{:08X}", u32::from(symbol))
                }
            })
            .collect();
        append(
            &project.join("aos.toml"),
            &format!(
                "\n[[waivers]]\nrule = \"layout/tool-name\"\nreason = {quoted}\n\n[[waivers]]\nrule = {quoted}\nreason = \"{COMMAND}\"\n"
            ),
        );
    }),
    ("a manifest", |project| {
        let path = project.join("connector.json");
        let path = if path.exists() { path } else { project.join("agent-harness/connector.json") };
        if let Ok(text) = std::fs::read_to_string(&path) {
            let mut document: serde_json::Value = serde_json::from_str(&text).expect("json");
            document["tool"] = HOSTILE.into();
            document[HOSTILE] = COMMAND.into();
            std::fs::write(&path, document.to_string()).expect("a file");
        }
    }),
    ("a secret and a workflow", |project| {
        let directory = project.join(".github/workflows");
        std::fs::create_dir_all(&directory).expect("a directory");
        std::fs::write(
            directory.join(format!("{HOSTILE}.yml")),
            format!("on: push\njobs:\n  a:\n    steps:\n      - uses: {HOSTILE}\n"),
        )
        .expect("a file");
    }),
    ("a link", |project| {
        std::os::unix::fs::symlink(HOSTILE.replace('\0', ""), project.join(".agent/link"))
            .expect("a link");
        let spec = project.join(".agent/CONNECTOR-SPEC.md");
        std::fs::remove_file(&spec).expect("a file");
        std::os::unix::fs::symlink(COMMAND, spec).expect("a link");
    }),
];

#[test]
fn text_of_a_project_is_escaped_before_it_reaches_a_terminal() {
    let mut count = 0;
    for (damage, apply) in DAMAGES {
        let sandbox = Sandbox::new();
        let (root, member) = fleet(&sandbox);
        apply(&member);
        let commands: [(&[&str], &Path); 8] = [
            (&["check", "--recursive", "."], &root),
            (&["check"], &member),
            (&["gen", "--check"], &member),
            (&["gen", "--dry-run"], &member),
            (&["sync-spec", "--to", "v1.0.0", "--dry-run"], &member),
            (&["context"], &member),
            (&["doctor"], &member),
            (&["gen"], &member),
        ];
        for (arguments, directory) in commands {
            count += runs(&format!("{damage}: {arguments:?}"), &|| {
                let mut command = sandbox.command(arguments);
                command.current_dir(directory);
                command
            });
        }
        let path = member.display().to_string();
        for arguments in [["check", &path], ["gen", &path], ["sync-spec", &path]] {
            count +=
                runs(&format!("{damage}: {} PATH", arguments[0]), &|| sandbox.command(&arguments));
        }
    }
    assert!(count > 500, "only {count} runs");
}

/// A program of the name on a PATH of its own.
fn fake(sandbox: &Sandbox, name: &str, script: &str) {
    let path = sandbox.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn printf(text: &str) -> String {
    let bytes: String = text.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '{bytes}\\n'")
}

#[test]
fn no_program_on_path_reaches_a_terminal_as_it_is() {
    let sandbox = Sandbox::new();
    for name in ["git", "python3", "node", "go"] {
        fake(
            &sandbox,
            name,
            &format!(
                "{0}; {0} >&2; {1} >&2; exit ${{FAKE_EXIT:-0}}",
                printf(HOSTILE),
                printf(COMMAND)
            ),
        );
    }
    for exit in ["0", "1"] {
        for (name, arguments) in [("doctor", &["doctor"][..]), ("new", &["new", "acme"])] {
            runs(name, &|| {
                let _ = std::fs::remove_dir_all(sandbox.work().join("aos-acme"));
                let mut command = sandbox.command(arguments);
                let path = format!("{}:/usr/bin:/bin", sandbox.work().join("bin").display());
                command.env("PATH", path).env("FAKE_EXIT", exit);
                command
            });
        }
    }
}

#[test]
fn output_of_a_tool_under_test_is_escaped_in_the_terminal_and_in_reports() {
    let sandbox = Sandbox::new();
    let said = format!("{{\"ok\":true,\"{HOSTILE}\":\"x\"}}");
    for (name, script) in [
        ("both", format!("{}; {} >&2; {} >&2", printf(&said), printf(HOSTILE), printf(COMMAND))),
        (
            "json",
            printf(
                &serde_json::json!({"ok": false, "error": {"code": HOSTILE, "message": COMMAND}})
                    .to_string(),
            ),
        ),
    ] {
        let tool = format!("{name}{HOSTILE}");
        fake(&sandbox, &tool, &script);
        let program = sandbox.work().join("bin").join(&tool).display().to_string();
        let (junit, sarif) = (sandbox.work().join("j.xml"), sandbox.work().join("s.sarif"));
        for format in ["json", "text"] {
            let reports =
                [format!("junit={}", junit.display()), format!("sarif={}", sarif.display())];
            let arguments = [
                "conform",
                "--family",
                "harness",
                "--probe",
                "harness.one-document",
                "--format",
                format,
                "--report",
                &reports[0],
                "--report",
                &reports[1],
                "--",
                &program,
                HOSTILE,
            ];
            let mut command = sandbox.command(&arguments);
            let output = command.env("GITHUB_ACTIONS", "1").output().expect("the binary runs");
            for stream in [&output.stdout, &output.stderr] {
                assert_fit(name, stream);
                assert_no_command(name, stream);
            }
            for report in [&junit, &sarif] {
                let bytes = std::fs::read(report).expect("a report");
                let is_told = String::from_utf8_lossy(&bytes).contains("forged");
                assert!(is_told || name == "json", "the text is not in {report:?}");
                assert_fit("report", &bytes);
                assert_no_command("report", &bytes);
            }
            let _: serde_json::Value =
                serde_json::from_slice(&std::fs::read(&sarif).expect("it")).expect("JSON");
        }
    }
}
