//! Calls that succeed and calls that fail, each prepared from nothing: the tests of this folder run them all.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::sandbox::{Answer, Sandbox, answer};
use crate::sigstore::{GITHUB, Signing, Sigstore};
use crate::wire;

/// Longest time that any call may take; the machine may be busy.
const LIMIT: Duration = Duration::from_secs(30);

/// Answers of the calls alone, by what is expected and the name.
type Answers = BTreeMap<(&'static str, &'static str), Arc<OnceLock<Answer>>>;

/// One call of aos and how it must end.
pub struct Case {
    pub name: &'static str,
    /// Error code, or `OK`.
    pub expected: &'static str,
    prepare: fn(&Sandbox) -> Call,
}

/// A call of the program, and its directory.
pub struct Call {
    arguments: Vec<OsString>,
    directory: Option<PathBuf>,
    environment: Vec<(&'static str, OsString)>,
}

pub fn call(arguments: &[&str]) -> Call {
    Call {
        arguments: arguments.iter().map(OsString::from).collect(),
        directory: None,
        environment: Vec::new(),
    }
}

impl Call {
    fn within(mut self, directory: PathBuf) -> Self {
        self.directory = Some(directory);
        self
    }

    fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((name, value.into()));
        self
    }
}

impl Case {
    /// The leaf command of this case; empty when the call has none.
    pub fn leaf(&self) -> String {
        let sandbox = Sandbox::new();
        let arguments = (self.prepare)(&sandbox).arguments;
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        match words.as_slice() {
            [first, second, ..] if first == "runtime" && ["own", "return"].contains(&&**second) => {
                format!("{first} {second}")
            }
            [first, second, ..] if first == "add" && second == "code" => {
                format!("{first} {second}")
            }
            [first, second, ..] if ["augmentor", "mcp", "template"].contains(&&**first) => {
                format!("{first} {second}")
            }
            [first, ..] => first.to_string(),
            [] => String::new(),
        }
    }

    /// Runs the call with `extra` arguments, in a sandbox of its own.
    pub fn run(&self, extra: &[&str]) -> Answer {
        let sandbox = Sandbox::new();
        finish(self.name, &mut self.command(&sandbox, extra))
    }

    /// The answer of the call alone, with a stdin that is open and says nothing. Many tests look at it, so that it is made
    /// once for all of them.
    pub fn plain(&self) -> Answer {
        static ANSWERS: Mutex<Answers> = Mutex::new(BTreeMap::new());
        let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = Arc::clone(answers.entry((self.expected, self.name)).or_default());
        drop(answers);
        let run = || {
            let sandbox = Sandbox::new();
            finish(self.name, self.command(&sandbox, &[]).stdin(Stdio::piped()))
        };
        answer.get_or_init(run).clone()
    }

    /// The prepared call.
    pub fn command(&self, sandbox: &Sandbox, extra: &[&str]) -> Command {
        let call = (self.prepare)(sandbox);
        let mut command = sandbox.command(&[]);
        command.args(call.arguments).args(extra);
        if let Some(directory) = call.directory {
            command.current_dir(directory);
        }
        for (name, value) in call.environment {
            // An empty value takes the variable away.
            if value.is_empty() {
                command.env_remove(name)
            } else {
                command.env(name, value)
            };
        }
        command
    }
}

/// Runs a command that must end by itself.
pub fn finish(name: &str, command: &mut Command) -> Answer {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("a process");
    // Where it is open, it is closed after the end.
    let _stdin = child.stdin.take();
    let pid = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(LIMIT) {
        Ok(output) => answer(output.expect("its output")),
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
            panic!("{name}: did not end within {} s", LIMIT.as_secs())
        }
    }
}

const fn case(expected: &'static str, name: &'static str, prepare: fn(&Sandbox) -> Call) -> Case {
    Case { name, expected, prepare }
}

/// A stand-alone CLI.
fn tool(sandbox: &Sandbox) -> PathBuf {
    let answer = sandbox.aos(&["new", "acme", "--template", "cli-python", "--no-git"]);
    PathBuf::from(answer.data()["path"].as_str().expect("a path"))
}

/// A connector whose generated permissions were edited by hand.
fn edited(sandbox: &Sandbox) -> PathBuf {
    let project = sandbox.connector("acme");
    std::fs::write(project.join("agent-harness/permissions.json"), "{}\n").expect("a file");
    project
}

/// A file with its bundle and trust root, and the call that verifies it.
fn signed(sandbox: &Sandbox, command: &str, signing: &Signing) -> Call {
    let sigstore = Sigstore::new();
    sandbox.write("file", "signed\n");
    sandbox.write("bundle.json", &sigstore.sign(b"signed\n", signing).to_string());
    sandbox.write("root.json", &sigstore.trust_root().to_string());
    let signer = "https://github.com/acme/aos/.github/workflows/release.yml@refs/tags/v1.2.3";
    call(&[
        command,
        "file",
        "--bundle",
        "bundle.json",
        "--trusted-root",
        "root.json",
        "--certificate-identity",
        signer,
        "--certificate-oidc-issuer",
        GITHUB,
    ])
}

/// A connector that owns an edited part of its runtime.
fn owner(sandbox: &Sandbox) -> PathBuf {
    let project = sandbox.connector("acme");
    sandbox.aos_in(&project, &["runtime", "own", "redaction.py"]).data();
    let part = project.join("agent-harness/aos_acme/_runtime/redaction.py");
    super::disk::append(&part, "# ours\n");
    project
}

/// A connector whose LICENSE was edited where the answer `author` goes.
fn licensed(sandbox: &Sandbox) -> PathBuf {
    let project = sandbox.connector("acme");
    let place = project.join("LICENSE");
    let text = super::disk::read(&place).replace("the authors of", "everybody at");
    std::fs::write(place, text).expect("a file");
    project
}

/// The answer that contradicts it.
const AUTHOR: [&str; 3] = ["upgrade", "--set", "author=Ann"];

/// The same after an upgrade that left a conflict.
fn conflicted(sandbox: &Sandbox) -> PathBuf {
    let project = licensed(sandbox);
    let token = token(sandbox, &project, &[&AUTHOR[..], &["--dry-run"]].concat());
    let words = [&AUTHOR[..], &["--confirm", &token]].concat();
    sandbox.aos_in(&project, &words).error("E_MERGE_CONFLICT", 6);
    project
}

/// Descriptions of the tests, before and after a change of the API.
const DESCRIPTION: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/parcel.yaml");
const CHANGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/openapi/parcel-2.yaml");

/// A connector made from some operations of a description.
fn described(sandbox: &Sandbox) -> PathBuf {
    let words = ["new", "parcel", "--no-git", "--openapi", DESCRIPTION, "--select", "shipments"];
    sandbox.aos(&words).data();
    sandbox.work().join("aos-parcel")
}

/// A token for the change that `arguments` would make in `directory`.
fn token(sandbox: &Sandbox, directory: &std::path::Path, arguments: &[&str]) -> String {
    let data = sandbox.aos_in(directory, arguments).data();
    data["confirm_token"].as_str().expect("a token").to_owned()
}

/// One successful call or more of every leaf command.
pub fn successes() -> Vec<Case> {
    let mut cases = vec![
        case("OK", "new", |_| call(&["new", "acme", "--no-git"])),
        case("OK", "new in a directory", |sandbox| {
            std::fs::create_dir(sandbox.work().join("there")).expect("a directory");
            call(&["new", "acme", "--no-git", "--dir", "there", "--spec", "v1.0.0"])
        }),
        case("OK", "new with a preset", |_| {
            call(&["new", "forge", "--preset", "github", "--template", "connector-python"])
        }),
        case("OK", "new with answers", |sandbox| {
            sandbox.write("answers.toml", "license = \"MIT\"\n");
            call(&["new", "acme", "--answers", "answers.toml", "--set", "label=Acme"])
        }),
        case("OK", "new unchanged", |sandbox| {
            sandbox.connector("acme");
            call(&["new", "acme", "--no-git"])
        }),
        case("OK", "new preview", |_| call(&["new", "acme", "--dry-run"])),
        case("OK", "new confirmed", |sandbox| {
            let token = token(sandbox, &sandbox.work(), &["new", "acme", "--dry-run"]);
            call(&["new", "acme", "--confirm", &token])
        }),
        case("OK", "new list", |_| call(&["new", "--list"])),
        case("OK", "new list of everything", |_| call(&["new", "--list", "--all"])),
        case("OK", "new from a template of one's own", |sandbox| {
            sandbox.aos(&["template", "new", "web"]).data();
            call(&["new", "shop", "--template", "./web", "--no-git"])
        }),
        case("OK", "template check", |sandbox| {
            sandbox.aos(&["template", "new", "web"]).data();
            call(&["template", "check", "./web"])
        }),
        case("OK", "template new", |_| call(&["template", "new", "web", "--dir", "."])),
        case("OK", "template new preview", |_| {
            call(&["template", "new", "web", "--dry-run", "--diff"])
        }),
        case("OK", "template from", |sandbox| {
            sandbox.write("shop/README.md", "# Shop\n");
            call(&["template", "from", "./shop", "--to", "./web", "--name", "shop"])
        }),
        case("OK", "template from preview", |sandbox| {
            sandbox.write("shop/README.md", "# Shop\n");
            call(&["template", "from", "./shop", "--to", "./web", "--dry-run", "--diff"])
        }),
        case("OK", "template from confirmed", |sandbox| {
            sandbox.write("shop/README.md", "# Shop\n");
            let words = ["template", "from", "./shop", "--to", "./web", "--dry-run"];
            let token = token(sandbox, &sandbox.work(), &words);
            call(&["template", "from", "./shop", "--to", "./web", "--confirm", &token])
        }),
        case("OK", "template import", |sandbox| {
            sandbox.write("cp/copier.yml", "port: 80\n");
            sandbox.write("cp/x.txt.jinja", "{{ port }}\n");
            call(&["template", "import", "./cp", "--to", "./web"])
        }),
        case("OK", "template import preview", |sandbox| {
            sandbox.write("cp/copier.yml", "port: 80\n");
            sandbox.write("cp/x.txt.jinja", "{{ port }}\n");
            call(&["template", "import", "./cp", "--to", "./web", "--dry-run", "--diff"])
        }),
        case("OK", "template import confirmed", |sandbox| {
            sandbox.write("cp/copier.yml", "port: 80\n");
            sandbox.write("cp/x.txt.jinja", "{{ port }}\n");
            let words = ["template", "import", "./cp", "--to", "./web", "--dry-run"];
            let token = token(sandbox, &sandbox.work(), &words);
            call(&["template", "import", "./cp", "--to", "./web", "--confirm", &token])
        }),
        case("OK", "new described", |_| {
            let pair = "shipment.search=readonly";
            call(&[
                "new",
                "parcel",
                "--openapi",
                DESCRIPTION,
                "--select",
                "shipments",
                "--mode",
                pair,
                "--rename",
                "shipment.list=shipment.list_all",
                "--include-deprecated",
                "--list",
            ])
        }),
        case("OK", "sync-api preview", |sandbox| {
            let project = described(sandbox);
            let place = project.to_str().expect("UTF-8");
            call(&["sync-api", place, "--openapi", DESCRIPTION, "--dry-run", "--diff"])
        }),
        case("OK", "sync-api confirmed", |sandbox| {
            let project = described(sandbox);
            let words = ["sync-api", "--openapi", CHANGED, "--dry-run"];
            let token = token(sandbox, &project, &words);
            call(&["sync-api", "--openapi", CHANGED, "--confirm", &token]).within(project)
        }),
        case("OK", "migrate preview", |sandbox| {
            let project = super::migrate::connector(sandbox, "aos-parcel");
            let place = project.to_str().expect("UTF-8");
            let one = "masks";
            call(&[
                "migrate",
                place,
                "--only",
                one,
                "--skip",
                "flags",
                "--proof",
                "none",
                "--dry-run",
                "--diff",
            ])
        }),
        case("OK", "migrate confirmed", |sandbox| {
            let project = super::migrate::connector(sandbox, "aos-parcel");
            let words = ["migrate", "--proof", "none", "--dry-run"];
            let token = token(sandbox, &project, &words);
            call(&["migrate", "--proof", "none", "--confirm", &token]).within(project)
        }),
        case("OK", "migrate fleet", |sandbox| {
            super::migrate::connector(sandbox, "aos-parcel");
            call(&["migrate", "--recursive", ".", "--proof", "none", "--dry-run"])
        }),
        case("OK", "add described", |sandbox| {
            let operation = ["--operation", "GET /boxes/{boxId}/comments"];
            call(&["add", "--openapi", DESCRIPTION, operation[0], operation[1]])
                .within(described(sandbox))
        }),
        case("OK", "conform with one probe", |sandbox| {
            let project = super::conform::connector(sandbox, "");
            call(&["conform", "--probe", "harness.one-document"]).within(project)
        }),
        case("OK", "conform of a fleet", |sandbox| {
            super::conform::connector(sandbox, "");
            call(&["conform", "--recursive", ".", "--probe", "harness.one-document"])
        }),
        case("OK", "conform with more files", |sandbox| {
            let project = super::conform::connector(sandbox, "");
            call(&["conform", "--probe", "harness.one-document", "--readable", "/usr"])
                .within(project)
        }),
        case("OK", "conform with everything", |sandbox| {
            let project = super::conform::connector(sandbox, "");
            call(&["conform", "--probe", "harness.one-document", "--all"]).within(project)
        }),
        case("OK", "conform explain fixture", |_| call(&["conform", "--explain", "fixture"])),
        case("OK", "conform families", |_| call(&["conform", "--list"])),
        case("OK", "conform list", |_| call(&["conform", "--list", "--family", "agent-cli"])),
        case("OK", "sync-spec unchanged", |sandbox| {
            call(&["sync-spec"]).within(sandbox.connector("acme"))
        }),
        case("OK", "sync-spec moved", |sandbox| {
            let project = sandbox.connector("acme");
            call(&["sync-spec", project.to_str().expect("UTF-8"), "--to", "v1.0.0"])
        }),
        case("OK", "sync-spec preview", |sandbox| {
            call(&["sync-spec", "--to", "v1.0.0", "--dry-run"]).within(sandbox.connector("acme"))
        }),
        case("OK", "sync-spec confirmed", |sandbox| {
            let project = sandbox.connector("acme");
            let token = token(sandbox, &project, &["sync-spec", "--to", "v1.0.0", "--dry-run"]);
            call(&["sync-spec", "--to", "v1.0.0", "--confirm", &token]).within(project)
        }),
        case("OK", "sync-spec from a directory", |sandbox| {
            let contract = concat!(env!("CARGO_MANIFEST_DIR"), "/contract");
            call(&["sync-spec", "--from", contract, "--to", "v1.0.0"])
                .within(sandbox.connector("acme"))
        }),
        case("OK", "sync-spec of a fleet", |sandbox| {
            sandbox.connector("acme");
            call(&["sync-spec", "--recursive", "."])
        }),
        case("OK", "gen unchanged", |sandbox| call(&["gen"]).within(sandbox.connector("acme"))),
        case("OK", "gen check", |sandbox| {
            let project = sandbox.connector("acme");
            call(&["gen", project.to_str().expect("UTF-8"), "--check"])
        }),
        case("OK", "gen preview", |sandbox| call(&["gen", "--dry-run"]).within(edited(sandbox))),
        case("OK", "gen confirmed", |sandbox| {
            let project = edited(sandbox);
            let token = token(sandbox, &project, &["gen", "--dry-run"]);
            call(&["gen", "--confirm", &token]).within(project)
        }),
        case("OK", "upgrade unchanged", |sandbox| {
            let project = sandbox.connector("acme");
            call(&["upgrade", project.to_str().expect("UTF-8"), "--spec", "latest"])
        }),
        case("OK", "upgrade preview", |sandbox| {
            call(&["upgrade", "--set", "author=Ann", "--conflicts", "reject", "--dry-run"])
                .within(licensed(sandbox))
        }),
        case("OK", "upgrade confirmed", |sandbox| {
            let project = licensed(sandbox);
            let token = token(sandbox, &project, &["upgrade", "--heal", "LICENSE", "--dry-run"]);
            call(&["upgrade", "--heal", "LICENSE", "--confirm", &token]).within(project)
        }),
        case("OK", "upgrade restored", |sandbox| {
            let project = sandbox.connector("acme");
            std::fs::remove_file(project.join("LICENSE")).expect("a file");
            call(&["upgrade", "--restore", "LICENSE", "--diff"]).within(project)
        }),
        case("OK", "upgrade of a fleet", |sandbox| {
            sandbox.connector("acme");
            call(&["upgrade", "--recursive", "."])
        }),
        case("OK", "upgrade undone", |sandbox| {
            call(&["upgrade", "--abort"]).within(conflicted(sandbox))
        }),
        case("OK", "check", |sandbox| call(&["check"]).within(sandbox.connector("acme"))),
        case("OK", "check one rule", |sandbox| {
            let project = sandbox.connector("acme");
            call(&["check", project.to_str().expect("UTF-8"), "--rule", "drift/modified"])
        }),
        case("OK", "check a fleet", |sandbox| {
            sandbox.connector("acme");
            sandbox.connector("bolt");
            call(&["check", "--recursive", "."])
        }),
        case("OK", "check with a baseline", |sandbox| {
            sandbox.connector("acme");
            call(&["check", "--recursive", ".", "--baseline", "write"])
        }),
        case("OK", "check with a report", |sandbox| {
            let project = sandbox.connector("acme");
            call(&["check", "--report", "sarif=check.sarif"]).within(project)
        }),
        case("OK", "check with everything", |sandbox| {
            call(&["check", "--diff"]).within(sandbox.connector("acme"))
        }),
        case("OK", "compare", |sandbox| {
            let project = sandbox.connector("acme");
            call(&["compare", "connector.json", "."]).within(project)
        }),
        case("OK", "runtime", |sandbox| call(&["runtime"]).within(sandbox.connector("acme"))),
        case("OK", "runtime own", |sandbox| {
            call(&["runtime", "own", "redaction.py"]).within(sandbox.connector("acme"))
        }),
        case("OK", "runtime own preview", |sandbox| {
            call(&["runtime", "own", "redaction.py", "--dry-run"]).within(sandbox.connector("acme"))
        }),
        case("OK", "runtime return preview", |sandbox| {
            let project = owner(sandbox);
            call(&["runtime", "return", "redaction.py", "--dry-run"]).within(project)
        }),
        case("OK", "runtime return confirmed", |sandbox| {
            let project = owner(sandbox);
            let words = ["runtime", "return", "redaction.py"];
            let token = token(sandbox, &project, &[&words[..], &["--dry-run"]].concat());
            call(&[&words[..], &["--confirm", &token]].concat()).within(project)
        }),
        case("OK", "add preview", |sandbox| {
            call(&[
                "add",
                "item.pin",
                "--mode",
                "write",
                "--summary",
                "Pin an item",
                "--dry-run",
                "--diff",
            ])
            .within(sandbox.connector("acme"))
        }),
        case("OK", "add confirmed", |sandbox| {
            let project = sandbox.connector("acme");
            let request = "POST /v1/items/{id}/pin";
            let words =
                ["add", "item.pin", "--mode", "write", "--request", request, "--input", "size?"];
            let token = token(sandbox, &project, &[&words[..], &["--dry-run"]].concat());
            call(&[
                "add",
                "item.pin",
                "--mode",
                "write",
                "--request",
                request,
                "--input",
                "size?",
                "--confirm",
                &token,
            ])
            .within(project)
        }),
        case("OK", "add code preview", |sandbox| {
            call(&["add", "code", "E_QUOTA", "--exit", "7", "--retryable", "--dry-run", "--diff"])
                .within(tool(sandbox))
        }),
        case("OK", "add code confirmed", |sandbox| {
            let project = tool(sandbox);
            let words = [
                "add",
                "code",
                "E_QUOTA",
                "--exit",
                "7",
                "--retryable",
                "--upstream",
                "spent",
                "--advice",
                "wait",
            ];
            let token = token(sandbox, &project, &[&words[..], &["--dry-run"]].concat());
            call(&[
                "add",
                "code",
                "E_QUOTA",
                "--exit",
                "7",
                "--retryable",
                "--upstream",
                "spent",
                "--advice",
                "wait",
                "--confirm",
                &token,
            ])
            .within(project)
        }),
        case("OK", "rename preview", |sandbox| {
            call(&["rename", "item.get", "item.show", "--dry-run", "--diff"])
                .within(sandbox.connector("acme"))
        }),
        case("OK", "rename confirmed", |sandbox| {
            let project = sandbox.connector("acme");
            let words = ["rename", "item.get", "item.show", "--dry-run"];
            let token = token(sandbox, &project, &words);
            call(&["rename", "item.get", "item.show", "--confirm", &token]).within(project)
        }),
        case("OK", "remove preview", |sandbox| {
            call(&["remove", "item.get", "--dry-run", "--diff"]).within(sandbox.connector("acme"))
        }),
        case("OK", "remove confirmed", |sandbox| {
            let project = sandbox.connector("acme");
            let token = token(sandbox, &project, &["remove", "item.get", "--dry-run"]);
            call(&["remove", "item.get", "--confirm", &token]).within(project)
        }),
        case("OK", "discover", |sandbox| {
            sandbox.connector("acme");
            call(&["discover", ".", "--no-probe", "--details"])
        }),
        case("OK", "discover one", |sandbox| {
            sandbox.connector("acme");
            call(&["discover", ".", "--no-probe", "--tool", "aos-acme"])
        }),
        case("OK", "discover beside the host", |_| {
            call(&["discover", "--host", "host", "--no-probe"])
        }),
        case("OK", "wire preview", |sandbox| {
            wire::checkout(sandbox);
            call(&["wire", "--ao", "../ao", "--dry-run", "--diff"])
                .within(wire::adapter(sandbox, "acme"))
        }),
        case("OK", "wire confirmed", |sandbox| {
            wire::checkout(sandbox);
            let project = wire::adapter(sandbox, "acme");
            let token = token(sandbox, &project, &["wire", "--ao", "../ao", "--dry-run"]);
            call(&["wire", "--ao", "../ao", "--confirm", &token]).within(project)
        }),
        case("OK", "wire undone", |sandbox| {
            wire::checkout(sandbox);
            let project = wire::adapter(sandbox, "acme");
            wire::wire(sandbox, &project, &[]);
            call(&["wire", "--ao", "../ao", "--undo", "--dry-run"]).within(project)
        }),
        case("OK", "explain one rule", |_| call(&["check", "--explain", "drift/modified"])),
        case("OK", "explain all rules", |_| call(&["check", "--explain", "all"])),
        case("OK", "explain all rules in full", |_| call(&["check", "--explain", "all", "--all"])),
        case("OK", "verify", |sandbox| {
            signed(sandbox, "verify", &Signing::release("acme/aos", "v1.2.3"))
        }),
        case("OK", "verify an attestation", |sandbox| {
            signed(sandbox, "verify-bundle", &Signing::release("acme/aos", "v1.2.3").attestation())
        }),
        case("OK", "update, nothing to do", |_| {
            call(&["update", "--dry-run", "--target-version", env!("CARGO_PKG_VERSION")])
        }),
        case("OK", "reference", |_| call(&["reference"])),
        case("OK", "context", |_| call(&["context"])),
        case("OK", "context of a project", |sandbox| {
            call(&["context"]).within(sandbox.connector("acme"))
        }),
        case("OK", "doctor", |_| call(&["doctor"])),
        case("OK", "context with an update", |sandbox| {
            crate::notices::keep(sandbox, &crate::notices::known("9.9.9", 60).to_string());
            call(&["context"])
        }),
        case("OK", "doctor with an update", |sandbox| {
            crate::notices::keep(sandbox, &crate::notices::known("9.9.9", 60).to_string());
            call(&["doctor"])
        }),
        case("OK", "doctor of a project", |sandbox| {
            call(&["doctor"]).within(sandbox.connector("acme"))
        }),
        case("OK", "augmentor describe", |_| {
            call(&["augmentor", "describe", &super::augmentor::fixture("node/good"), "--quiet"])
        }),
        case("OK", "augmentor run", |_| {
            let good = super::augmentor::fixture("node/good");
            call(&["augmentor", "run", &good, "echo", "--args", r#"{"text":"a"}"#, "--quiet"])
        }),
        case("OK", "augmentor agent", |_| {
            let good = super::augmentor::fixture("node/good");
            call(&["augmentor", "agent", &good, "helper", "--message", "hello", "--quiet"])
        }),
        case("OK", "mcp serve", |_| {
            call(&["mcp", "serve", &super::augmentor::fixture("node/good"), "--list", "--quiet"])
        }),
        case("OK", "mcp config", |_| {
            call(&["mcp", "config", "claude-code", &super::augmentor::fixture("node/good")])
        }),
        case("OK", "mcp config of any client", |_| call(&["mcp", "config"])),
        case("OK", "changelog", |_| call(&["changelog"])),
        case("OK", "changelog since", |_| call(&["changelog", "--since", "0.0.1"])),
        case("OK", "completions for bash", |_| call(&["completions", "bash"])),
        case("OK", "completions for zsh", |_| call(&["completions", "zsh"])),
        case("OK", "completions for fish", |_| call(&["completions", "fish"])),
        case("OK", "completions for elvish", |_| call(&["completions", "elvish"])),
        case("OK", "completions for powershell", |_| call(&["completions", "powershell"])),
    ];
    cases.push(case("OK", "elsewhere", |sandbox| {
        let project = sandbox.connector("acme");
        call(&["check", "-C", project.to_str().expect("UTF-8"), "--quiet"])
    }));
    cases
}

/// Every kind of failure that can be provoked from outside.
pub fn failures() -> Vec<Case> {
    let mut cases = usage_failures();
    cases.extend(value_failures());
    cases.extend(state_failures());
    cases
}

fn usage_failures() -> Vec<Case> {
    vec![
        case("E_USAGE", "no arguments", |_| call(&[])),
        case("E_USAGE", "unknown command", |_| call(&["chek"])),
        case("E_USAGE", "help of no command", |_| call(&["help", "chek"])),
        case("E_USAGE", "unknown flag", |_| call(&["context", "--bogus"])),
        case("E_USAGE", "unknown flag before a command", |_| call(&["--bogus", "context"])),
        case("E_USAGE", "bad format", |_| call(&["context", "--format", "xml"])),
        case("E_USAGE", "contradicting formats", |_| {
            call(&["context", "--json", "--format", "raw"])
        }),
        case("E_USAGE", "bad enum", |_| call(&["completions", "fihs"])),
        case("E_USAGE", "missing positional", |_| call(&["new"])),
        case("E_USAGE", "missing choice", |_| call(&["completions"])),
        case("E_USAGE", "missing value", |_| call(&["check", "--explain"])),
        case("E_USAGE", "one argument too many", |_| call(&["context", "extra"])),
        case("E_USAGE", "options that exclude each other", |_| {
            call(&["gen", "--dry-run", "--confirm", "ct_1"])
        }),
        case("E_USAGE", "confirm on a query", |_| call(&["check", "--confirm", "ct_1"])),
        case("E_USAGE", "nobody to verify", |_| call(&["verify", "file", "--bundle", "b"])),
        case("E_USAGE", "pattern that matches anybody", |_| {
            call(&[
                "verify",
                "file",
                "--bundle",
                "b",
                "--certificate-identity-regexp",
                ".*",
                "--certificate-oidc-issuer",
                GITHUB,
            ])
        }),
        case("E_USAGE", "answer that is no pair", |_| call(&["new", "acme", "--set", "label"])),
        #[cfg(unix)]
        case("E_USAGE", "command that is not UTF-8", |_| {
            use std::os::unix::ffi::OsStringExt as _;
            let mut call = call(&[]);
            call.arguments = vec![OsString::from_vec(vec![0xff, 0xfe])];
            call
        }),
        #[cfg(unix)]
        case("E_USAGE", "argument that is not UTF-8", |_| {
            use std::os::unix::ffi::OsStringExt as _;
            let mut call = call(&["new"]);
            call.arguments.push(OsString::from_vec(vec![b'a', 0xff]));
            call
        }),
    ]
}

fn value_failures() -> Vec<Case> {
    vec![
        case("E_VALIDATION", "bad name", |_| call(&["new", "Foo Bar"])),
        case("E_VALIDATION", "name that drives a terminal", |_| call(&["new", "a\u{1b}[31m\nb"])),
        case("E_VALIDATION", "unknown template", |_| {
            call(&["new", "acme", "--template", "conector-python"])
        }),
        case("E_VALIDATION", "unknown preset", |_| call(&["new", "acme", "--preset", "githb"])),
        case("E_VALIDATION", "unknown answer", |_| call(&["new", "acme", "--set", "licence=MIT"])),
        case("E_VALIDATION", "bad tag", |_| call(&["new", "acme", "--spec", "../../x"])),
        case("E_VALIDATION", "unknown field", |_| call(&["context", "--fields", "nope"])),
        case("E_VALIDATION", "unknown inner field", |_| {
            call(&["context", "--fields", "config.nope"])
        }),
        case("E_VALIDATION", "unknown rule", |_| call(&["check", "--explain", "drift/modifed"])),
        case("E_VALIDATION", "unknown rule to report", |_| call(&["check", "--rule", "nope"])),
        case("E_VALIDATION", "bad version", |_| call(&["changelog", "--since", "newest"])),
        case("E_VALIDATION", "target is taken", |sandbox| {
            sandbox.write("aos-acme/README.md/mine", "a directory is in the way\n");
            call(&["new", "acme"])
        }),
        case("E_VALIDATION", "malformed pin", |sandbox| {
            let project = sandbox.connector("acme");
            std::fs::write(project.join(".agent/SPEC_VERSION"), "main\n").expect("a file");
            call(&["sync-spec"]).within(project)
        }),
        case("E_NOT_FOUND", "new without the trust root", |_| {
            call(&["new", "x", "--template", "./web", "--trusted-root", "nothing.json"])
        }),
        case("E_NOT_FOUND", "upgrade without the trust root", |sandbox| {
            call(&["upgrade", "--template", "./web", "--trusted-root", "nothing.json"])
                .within(sandbox.connector("acme"))
        }),
        case("E_NOT_FOUND", "missing bundle", |_| {
            call(&["verify", "file", "--bundle", "b", "--key", "k"])
        }),
        case("E_NOT_FOUND", "missing project", |_| call(&["check", "nowhere"])),
        case("E_NOT_FOUND", "no project here", |_| call(&["check"])),
        case("E_NOT_FOUND", "missing directory", |_| call(&["context", "-C", "nowhere"])),
        case("E_NOT_FOUND", "missing parent", |_| call(&["new", "acme", "--dir", "nowhere/.."])),
        case("E_NOT_FOUND", "empty fleet", |_| call(&["check", "--recursive", "."])),
        case("E_NOT_FOUND", "unknown tag", |sandbox| {
            call(&["sync-spec", "--to", "v9.9.9"]).within(sandbox.connector("acme"))
        }),
        #[cfg(unix)]
        case("E_NOT_FOUND", "path that is not UTF-8", |_| {
            use std::os::unix::ffi::OsStringExt as _;
            let mut call = call(&["check"]);
            call.arguments.push(OsString::from_vec(vec![b'a', 0xff]));
            call
        }),
    ]
}

fn state_failures() -> Vec<Case> {
    vec![
        case("E_CONFIRMATION_REQUIRED", "gen would lose work", |sandbox| {
            call(&["gen"]).within(edited(sandbox))
        }),
        case("E_CONFIRMATION_REQUIRED", "sync-spec would lose work", |sandbox| {
            call(&["sync-spec"]).within(edited(sandbox))
        }),
        case("E_CONFLICT", "made-up token", |sandbox| {
            call(&["gen", "--confirm", "ct_made_up"]).within(edited(sandbox))
        }),
        case("E_CONFLICT", "token of another change", |sandbox| {
            let project = edited(sandbox);
            let token = token(sandbox, &project, &["gen", "--dry-run"]);
            std::fs::write(project.join("agent-harness/permissions.json"), "[]").expect("a file");
            call(&["gen", "--confirm", &token]).within(project)
        }),
        case("E_CONFLICT", "used token", |sandbox| {
            let project = edited(sandbox);
            let token = token(sandbox, &project, &["gen", "--dry-run"]);
            sandbox.aos_in(&project, &["gen", "--confirm", &token]).data();
            std::fs::write(project.join("agent-harness/permissions.json"), "{}\n").expect("a file");
            call(&["gen", "--confirm", &token]).within(project)
        }),
        case("E_AUGMENTOR", "augmentor that fails", |_| {
            let fails = super::augmentor::fixture("node/r1_fails");
            call(&["augmentor", "run", &fails, "echo", "--args", r#"{"text":"hello"}"#, "--quiet"])
        }),
        case("E_CRASHED", "augmentor that exits", |_| {
            let exits = super::augmentor::fixture("node/r7_exits");
            call(&["augmentor", "run", &exits, "echo", "--args", r#"{"text":"hello"}"#, "--quiet"])
        }),
        case("E_NONCONFORMANT", "a probe that fails", |sandbox| {
            let project = super::conform::connector(sandbox, "meta");
            call(&["conform", "--probe", "harness.meta"]).within(project)
        }),
        case("E_MERGE_CONFLICT", "contradicting changes", |sandbox| {
            call(&AUTHOR).within(licensed(sandbox))
        }),
        case("E_MERGE_CONFLICT", "open conflict", |sandbox| {
            call(&["upgrade"]).within(conflicted(sandbox))
        }),
        case("E_DRIFT", "edited file", |sandbox| call(&["check"]).within(edited(sandbox))),
        case("E_DRIFT", "fleet with an edited file", |sandbox| {
            edited(sandbox);
            sandbox.connector("bolt");
            call(&["check", "--recursive", "."])
        }),
        case("E_DRIFT", "stale file", |sandbox| call(&["gen", "--check"]).within(edited(sandbox))),
        case("E_CONFIG", "unknown AOS_FORMAT", |_| call(&["context"]).with("AOS_FORMAT", "xml")),
        case("E_CONFIG", "no home", |_| call(&["new", "acme", "--dry-run"]).with("HOME", "")),
        case("E_CONFIG", "broken aos.toml", |sandbox| {
            let project = sandbox.connector("acme");
            std::fs::write(project.join("aos.toml"), "family =\n[").expect("a file");
            call(&["gen"]).within(project)
        }),
        #[cfg(unix)]
        case("E_FORBIDDEN", "read-only file", |sandbox| {
            use std::os::unix::fs::PermissionsExt as _;
            let project = edited(sandbox);
            let token = token(sandbox, &project, &["gen", "--dry-run"]);
            let file = project.join("agent-harness/permissions.json");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).expect("chmod");
            call(&["gen", "--confirm", &token]).within(project)
        }),
        case("E_IO", "state directory that is a file", |sandbox| {
            let file = sandbox.write("state", "");
            call(&["new", "acme", "--dry-run"]).with("AOS_HOME", file)
        }),
        case("E_INTEGRITY", "released tag with other bytes", |sandbox| {
            let released = concat!(env!("CARGO_MANIFEST_DIR"), "/contract/harness/v1.0.0");
            for file in ["contract.json", "CONNECTOR-SPEC.md"] {
                let text = std::fs::read_to_string(format!("{released}/{file}")).expect("a file");
                sandbox.write(&format!("spec/{file}"), &format!("{text}\n"));
            }
            let spec = sandbox.work().join("spec");
            call(&["sync-spec", "--from", spec.to_str().expect("UTF-8")])
                .within(sandbox.connector("acme"))
        }),
        case("E_INTEGRITY", "file signed by somebody else", |sandbox| {
            signed(sandbox, "verify", &Signing::release("acme/aos", "v1.2.2"))
        }),
        case("E_CONFIG", "trust root that is none", |sandbox| {
            let call = signed(sandbox, "verify", &Signing::release("acme/aos", "v1.2.3"));
            sandbox.write("root.json", "{}");
            call
        }),
        #[cfg(debug_assertions)]
        case("E_UNKNOWN", "fault of aos itself", |_| {
            call(&["context"]).with("AOS_TEST_PANIC", "1").with("RUST_BACKTRACE", "full")
        }),
    ]
}
