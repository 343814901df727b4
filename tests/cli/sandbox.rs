//! A directory of its own for each test, and the binary run with a cleared environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A temporary directory with a home; removed when dropped.
pub struct Sandbox {
    directory: tempfile::TempDir,
}

/// The result of one run.
#[derive(Clone, Debug)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    /// `None` when a signal ended the run.
    pub exit: Option<i32>,
}

impl Answer {
    /// The one JSON document on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document: {error}\n{self:?}"))
    }

    /// The data of a success.
    #[track_caller]
    pub fn data(&self) -> Value {
        let envelope = self.json();
        assert_eq!(envelope["ok"], true, "{}", self.stdout);
        assert_eq!(self.exit, Some(0), "{}", self.stdout);
        envelope["data"].clone()
    }

    /// The error of a failure; checks that exit code and envelope agree.
    #[track_caller]
    pub fn error(&self, code: &str, exit: i32) -> Value {
        let envelope = self.json();
        assert_eq!(envelope["ok"], false, "{}", self.stdout);
        assert_eq!(envelope["error"]["code"], code, "{}", self.stdout);
        assert_eq!(self.exit, Some(exit), "{}", self.stdout);
        envelope["error"].clone()
    }
}

impl Sandbox {
    pub fn new() -> Self {
        let directory =
            tempfile::Builder::new().prefix("aos-test-").tempdir().expect("a temporary directory");
        std::fs::create_dir(directory.path().join("home")).expect("a home");
        std::fs::create_dir(directory.path().join("work")).expect("a work directory");
        Self { directory }
    }

    /// Where commands run.
    pub fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// The binary with a cleared environment: HOME and PATH only, no terminal, no network needed.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aos"));
        command
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            // `doctor` would look for a release; tests that serve one unset it.
            .env("AOS_OFFLINE", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary in the work directory.
    pub fn aos(&self, arguments: &[&str]) -> Answer {
        run(&mut self.command(arguments))
    }

    /// Runs the binary in `directory`.
    pub fn aos_in(&self, directory: &Path, arguments: &[&str]) -> Answer {
        run(self.command(arguments).current_dir(directory))
    }

    /// A connector without a git repository, made by the binary.
    pub fn connector(&self, name: &str) -> PathBuf {
        let answer = self.aos(&["new", name, "--no-git"]);
        PathBuf::from(answer.data()["path"].as_str().expect("a path"))
    }

    /// Writes a file below the work directory.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let place = self.work().join(path);
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
        std::fs::write(&place, text).expect("a file");
        place
    }
}

pub fn run(command: &mut Command) -> Answer {
    answer(command.output().expect("the binary runs"))
}

pub fn answer(output: Output) -> Answer {
    Answer {
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        exit: output.status.code(),
    }
}

/// How many files aos keeps in a connector: those of its runtime, and seven others.
pub fn kept(connector: &Path) -> usize {
    7 + tree(connector).keys().filter(|path| path.contains("/_runtime/")).count()
}

/// The template `connector-python` in the answer of `aos new --list`.
pub fn connector(list: &Value) -> &Value {
    let templates = list["templates"].as_array().expect("templates");
    templates.iter().find(|template| template["name"] == "connector-python").expect("the template")
}

/// Every file below `root` with its bytes and execute bit, `.git` left out.
pub fn tree(root: &Path) -> std::collections::BTreeMap<String, (Vec<u8>, bool)> {
    let mut files = std::collections::BTreeMap::new();
    for entry in
        walkdir::WalkDir::new(root).into_iter().filter_entry(|entry| entry.file_name() != ".git")
    {
        let entry = entry.expect("a readable tree");
        if entry.file_type().is_file() {
            let path =
                entry.path().strip_prefix(root).expect("below root").to_string_lossy().into_owned();
            files.insert(
                path,
                (std::fs::read(entry.path()).expect("a file"), is_executable(entry.path())),
            );
        }
    }
    files
}

#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
pub fn is_executable(_path: &Path) -> bool {
    false
}

/// Whether every case of the long tables is wanted, however long it takes.
pub fn is_full_run() -> bool {
    std::env::var_os("AOS_TEST_FULL").is_some()
}

/// Why a usual run leaves a test out.
pub const WITH_FULL: &str = "it runs with AOS_TEST_FULL=1";

/// Says that a test did not run and why, past the test runner, which hides what a passing test prints.
pub fn skipped(test: &str, reason: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}
