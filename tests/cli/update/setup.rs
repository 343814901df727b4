//! An installed aos, a release that is newer, and the host that has it.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::host::{Host, Reply};
use crate::cases::finish;
use crate::sandbox::{Answer, Sandbox};
use crate::sigstore::{Signing, Sigstore, hex};

/// The version that is installed.
pub const RUNNING: &str = env!("CARGO_PKG_VERSION");
/// The version that is out.
pub const NEWER: &str = "1.2.3";
pub const REPOSITORY: &str = "ArgentAIOS/aos";
pub const CHECKSUMS: &str = "checksums.txt";
pub const BUNDLE: &str = "checksums.txt.sigstore.json";
pub const LATEST: &str = "/repos/ArgentAIOS/aos/releases/latest";

/// A program that only prints its version.
pub fn program(version: &str) -> Vec<u8> {
    format!("#!/bin/sh\necho 'aos {version}'\n").into_bytes()
}

/// Name of the directory in an archive.
pub fn top(version: &str) -> String {
    format!("aos-v{version}-{}", aos::system::program::TARGET)
}

pub fn archive_name(version: &str) -> String {
    format!("{}.tar.gz", top(version))
}

/// The path of a release by its tag.
pub fn tagged(version: &str) -> String {
    format!("/repos/ArgentAIOS/aos/releases/tags/v{version}")
}

/// An entry of an archive.
#[derive(Clone)]
pub struct Entry {
    pub path: String,
    pub kind: tar::EntryType,
    pub bytes: Vec<u8>,
}

pub fn file(path: &str, bytes: &[u8]) -> Entry {
    Entry { path: path.to_owned(), kind: tar::EntryType::Regular, bytes: bytes.to_vec() }
}

/// The files of a good archive.
pub fn entries(version: &str, program: &[u8]) -> Vec<Entry> {
    let top = top(version);
    vec![
        file(&format!("{top}/aos"), program),
        file(&format!("{top}/README.md"), b"read me\n"),
        file(&format!("{top}/skills/aos/SKILL.md"), skill(version).as_bytes()),
    ]
}

/// The Skill of a release.
pub fn skill(version: &str) -> String {
    format!("---\nname: aos\ndescription: The Skill of {version}.\n---\n\n# aos {version}\n")
}

/// A tree in the order of `entries`; names are written as they are, even those that no archiver would write.
pub fn tree(entries: &[Entry]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        let name = &mut header.as_ustar_mut().expect("a header of this kind").name;
        assert!(entry.path.len() < name.len(), "a short name");
        name[..entry.path.len()].copy_from_slice(entry.path.as_bytes());
        header.set_entry_type(entry.kind);
        header.set_mode(0o755);
        if !matches!(entry.kind, tar::EntryType::Regular | tar::EntryType::Directory) {
            header.set_link_name("/etc/hostname").expect("a link");
            header.set_size(0);
        } else {
            header.set_size(entry.bytes.len() as u64);
        }
        header.set_cksum();
        builder.append(&header, entry.bytes.as_slice()).expect("an entry");
    }
    builder.into_inner().expect("a tree")
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Digest and name, as `sha256sum` writes them.
pub fn listed(name: &str, bytes: &[u8]) -> String {
    format!("{}  {name}\n", hex(sigstore_crypto::sha256(bytes).as_bytes()))
}

/// A release that is being put together; everything may be replaced before it is published.
pub struct Release {
    pub version: String,
    pub archive: Vec<u8>,
    /// Without it, what the other assets give.
    pub checksums: Option<Vec<u8>>,
    pub signing: Signing,
    /// Without it, the signature of the list.
    pub bundle: Option<Vec<u8>>,
    pub changelog: Option<String>,
    /// Names of assets that are not listed.
    pub unlisted: Vec<&'static str>,
}

impl Release {
    pub fn new(version: &str) -> Self {
        Self::of(version, &program(version))
    }

    pub fn of(version: &str, program: &[u8]) -> Self {
        Self {
            version: version.to_owned(),
            archive: gzip(&tree(&entries(version, program))),
            checksums: None,
            signing: Signing::release(REPOSITORY, &format!("v{version}")),
            bundle: None,
            changelog: Some(format!(
                "# Changelog\n\n## [{version}] - 2026-11-28\n\n### Added\n\n- x\n"
            )),
            unlisted: Vec::new(),
        }
    }

    pub fn archive(mut self, bytes: Vec<u8>) -> Self {
        self.archive = bytes;
        self
    }

    /// Puts every asset on the host and gives the description of the release.
    pub fn describe(&self, host: &Host, sigstore: &Sigstore) -> Value {
        let name = archive_name(&self.version);
        let mut list = listed(&name, &self.archive);
        if let Some(changelog) = &self.changelog {
            list.push_str(&listed("CHANGELOG.md", changelog.as_bytes()));
        }
        let list = self.checksums.clone().unwrap_or_else(|| list.into_bytes());
        let signed = || sigstore.sign(&list, &self.signing).to_string().into_bytes();
        let bundle = self.bundle.clone().unwrap_or_else(signed);
        let mut assets =
            vec![(name.as_str(), self.archive.clone()), (CHECKSUMS, list), (BUNDLE, bundle)];
        if let Some(changelog) = &self.changelog {
            assets.push(("CHANGELOG.md", changelog.clone().into_bytes()));
        }
        let listed: Vec<_> = assets
            .iter()
            .filter(|(name, _)| !self.unlisted.contains(name))
            .map(|(name, bytes)| {
                let url = format!("{}{}", host.base, asset(&self.version, name));
                json!({"name": name, "size": bytes.len(), "browser_download_url": url})
            })
            .collect();
        for (name, bytes) in &assets {
            host.set(&asset(&self.version, name), Reply::bytes(bytes));
        }
        json!({
            "tag_name": format!("v{}", self.version),
            "html_url": format!("https://github.com/{REPOSITORY}/releases/tag/v{}", self.version),
            "draft": false,
            "prerelease": false,
            "assets": listed,
        })
    }
}

/// The path of an asset.
pub fn asset(version: &str, name: &str) -> String {
    format!("/download/v{version}/{name}")
}

/// An installed program and the host it asks.
pub struct Setup {
    pub sandbox: Sandbox,
    pub host: Host,
    pub sigstore: Sigstore,
    /// How long each part of a question may take, in milliseconds.
    patience: Cell<u32>,
}

impl Setup {
    /// A host without releases.
    pub fn empty() -> Self {
        let setup = Self {
            sandbox: Sandbox::new(),
            host: Host::new(),
            sigstore: Sigstore::new(),
            patience: Cell::new(20_000),
        };
        for directory in ["bin", "tmp", "shims"] {
            std::fs::create_dir(setup.place(directory)).expect("a directory");
        }
        install(&setup.program());
        std::fs::write(setup.place("trusted_root.json"), setup.sigstore.trust_root().to_string())
            .expect("a trust root");
        setup.npx("noop", "exit 1\n");
        setup
    }

    /// A host with one release that is newer.
    pub fn new() -> Self {
        let setup = Self::empty();
        setup.publish(&Release::new(NEWER));
        setup
    }

    /// From now on a host that stalls is given up after a moment; a busy machine needs more than that for the rest.
    pub fn impatient(&self) {
        self.patience.set(1000);
    }

    /// Makes `release` the newest one.
    pub fn publish(&self, release: &Release) -> Value {
        let described = release.describe(&self.host, &self.sigstore);
        self.host.set(LATEST, Reply::json(&described));
        self.host.set(&tagged(&release.version), Reply::json(&described));
        described
    }

    pub fn place(&self, name: &str) -> PathBuf {
        self.sandbox.work().join(name)
    }

    /// The installed program.
    pub fn program(&self) -> PathBuf {
        self.place("bin/aos")
    }

    /// A program on PATH in front of all others.
    pub fn shim(&self, name: &str, script: &str) {
        let path = self.place("shims").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}")).expect("a shim");
        executable(&path);
    }

    /// A node that is new enough, and an npx that does as `script` says after it wrote its name.
    pub fn npx(&self, name: &str, script: &str) {
        self.shim("node", "echo v22.21.0\n");
        self.shim("npx", &format!("echo {name} >>'{}'\n{script}", self.place("npx.log").display()));
    }

    /// An npx that installs the Skill of `version`, as the real one would.
    pub fn good_npx(&self, version: &str) {
        let text = self.place("skill.md");
        std::fs::write(&text, skill(version)).expect("a Skill");
        self.npx(
            "good",
            &format!("mkdir -p \"$HOME/.agents/skills/aos\" && cp '{}' \"$HOME/.agents/skills/aos/SKILL.md\"\n", text.display()),
        );
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(&self.program(), arguments)
    }

    /// The program at `path` with the environment of a test.
    pub fn command_of(&self, path: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(path);
        let others = std::env::var("PATH").expect("a PATH");
        command
            .args(arguments)
            .current_dir(self.sandbox.work())
            .env_clear()
            .env("HOME", self.sandbox.home())
            .env("PATH", format!("{}:{others}", self.place("shims").display()))
            .env("TMPDIR", self.place("tmp"))
            .env("NO_PROXY", "127.0.0.1")
            .env("AOS_UPDATE_API_URL", &self.host.base)
            .env("AOS_TEST_HTTP_LIMIT_MS", self.patience.get().to_string())
            .stdin(std::process::Stdio::null());
        command
    }

    /// `aos update` with the trust root of the tests.
    pub fn update_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&["update", "--trusted-root"]);
        command.arg(self.place("trusted_root.json")).args(arguments);
        command
    }

    pub fn update(&self, arguments: &[&str]) -> Answer {
        run(&mut self.update_command(arguments))
    }

    /// An update that must fail before the swap, as `row` says.
    #[track_caller]
    pub fn fails(&self, row: Row, arguments: &[&str]) -> Value {
        row.check(self, &self.update(arguments))
    }

    /// Nothing that an update writes on its way is left.
    #[track_caller]
    pub fn is_clean(&self) {
        let names = |place: &str| -> Vec<_> {
            let entries = std::fs::read_dir(self.place(place)).expect("a directory");
            entries.map(|entry| entry.expect("an entry").file_name()).collect()
        };
        assert_eq!(names("bin"), ["aos"]);
        assert_eq!(names("tmp"), [""; 0]);
        let state = std::fs::read_dir(self.sandbox.home().join(".aos")).into_iter().flatten();
        for entry in state {
            let name = entry.expect("an entry").file_name().into_string().expect("text");
            let lock = name.starts_with("update-") && name.ends_with(".lock");
            let known = lock
                || ["audit.jsonl", "update-notice.json", "skill-backups", "skill-quarantine"]
                    .contains(&name.as_str());
            assert!(known, "`{name}` is left in the state");
        }
    }

    /// The installed program has exactly the bytes it had.
    #[track_caller]
    pub fn is_untouched(&self) {
        let now = std::fs::read(self.program()).expect("a program");
        assert!(now == original_bytes(), "the program changed");
    }
}

/// Runs a call that must end by itself: a fault of the program must not hold up the tests for ever.
pub fn run(command: &mut Command) -> Answer {
    finish("the call", command)
}

/// Waits for something that must come, however busy the machine is.
#[track_caller]
pub fn wait_until(condition: impl Fn() -> bool) {
    let clock = Instant::now();
    while !condition() {
        assert!(clock.elapsed() < Duration::from_secs(30), "it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The expected failure before the swap, for a row of the table of faults.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub stage: &'static str,
    pub code: &'static str,
    pub exit: i32,
}

pub fn row(stage: &'static str, code: &'static str, exit: i32) -> Row {
    Row { stage, code, exit }
}

impl Row {
    #[track_caller]
    pub fn check(self, setup: &Setup, answer: &Answer) -> Value {
        let error = answer.error(self.code, self.exit);
        let details = &error["details"];
        assert_eq!(details["stage"], self.stage, "{error:#}");
        assert_eq!(details["binary_replaced"], false, "{error:#}");
        assert_eq!(details["current_version"], RUNNING, "{error:#}");
        assert_eq!(details["skill_sync_status"], "not_run", "{error:#}");
        let retryable = [7, 8, 130].contains(&self.exit);
        assert_eq!(error["retryable"], retryable, "{error:#}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(&format!("still on {RUNNING}")), "{message}");
        match (self.code, retryable) {
            ("E_INTERRUPTED", _) => {
                assert!(message.starts_with("cancelled, no change"), "{message}");
            }
            ("E_INTEGRITY", _) => {
                assert!(message.contains("do NOT retry, stop and report"), "{message}");
                assert!(!message.contains("transient"), "{message}");
            }
            (_, true) => {
                assert!(message.contains("transient: re-run `aos update"), "{message}");
                assert!(message.contains("idempotent"), "{message}");
            }
            (_, false) => {
                assert!(message.contains("no change"), "{message}");
                assert!(details["fix"].as_str().is_some_and(|hint| !hint.is_empty()), "{error:#}");
            }
        }
        setup.is_untouched();
        setup.is_clean();
        error
    }
}

/// The program of this build without what only a debugger wants: one copy for all tests of this process.
pub fn original() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (copy, staged) =
            (directory.join("aos"), directory.join(format!("aos-{}", std::process::id())));
        std::fs::copy(env!("CARGO_BIN_EXE_aos"), &staged).expect("a copy");
        // Without `strip` the copies are only larger.
        let _ = Command::new("strip").arg(&staged).output();
        std::fs::rename(&staged, &copy).expect("a copy");
        copy
    })
}

/// The same in memory.
pub fn original_bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| std::fs::read(original()).expect("a program"))
}

/// Puts the program of this build at `path`, in place of whatever is there.
pub fn install(path: &Path) {
    let _ = std::fs::remove_file(path);
    // A link costs nothing; an update replaces the entry of the directory, never the bytes.
    if std::fs::hard_link(original(), path).is_err() {
        copy(path);
    }
}

/// Copies the program of this build to `path`, as a file of its own. Another process writes it: a handle of this one
/// could live on for a moment in a child that another test starts, and what is open for writing cannot be started.
pub fn copy(path: &Path) {
    let _ = std::fs::remove_file(path);
    let done = Command::new("cp").arg(original()).arg(path).status();
    assert!(done.is_ok_and(|status| status.success()), "a copy at {}", path.display());
}

/// The program of this build as another version, able to do everything this one can.
pub fn as_version(version: &str) -> Vec<u8> {
    let mut bytes = original_bytes().to_vec();
    bytes.extend_from_slice(format!("\nAOS_TEST_VERSION={version}\n").as_bytes());
    bytes
}

#[cfg(unix)]
pub fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[cfg(not(unix))]
pub fn executable(_path: &Path) {}
