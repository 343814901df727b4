//! A machine for one run of the script: a home, a temporary directory and a PATH with known programs only.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::release::{PLATFORM, Release, VERSION};
use crate::server::Server;

pub const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/install.sh");

/// Programs that the script may use besides the shell; those that a machine lacks are left out.
const PROGRAMS: [&str; 24] = [
    "sh",
    "awk",
    "cat",
    "chmod",
    "cmp",
    "curl",
    "cut",
    "grep",
    "gzip",
    "head",
    "mkdir",
    "mktemp",
    "mv",
    "printf",
    "readlink",
    "rm",
    "sleep",
    "tail",
    "tar",
    "timeout",
    "tr",
    "wc",
    "sha256sum",
    "shasum",
];

/// Shells that people pipe the script into.
const SHELLS: [&[&str]; 6] =
    [&["sh"], &["dash"], &["bash"], &["busybox", "sh"], &["mksh"], &["yash"]];

pub struct Scene {
    directory: tempfile::TempDir,
    pub server: Server,
    /// Variables besides those of every run.
    pub variables: Vec<(String, String)>,
    /// The shell that runs the script.
    pub shell: Vec<PathBuf>,
}

/// The result of one run.
#[derive(Debug)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub exit: Option<i32>,
}

impl Scene {
    /// A machine of the platform of the releases, without cosign and without aos.
    pub fn new() -> Self {
        let directory =
            tempfile::Builder::new().prefix("aos-test-").tempdir().expect("a temporary directory");
        for name in ["home", "tmp", "path"] {
            std::fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        let scene =
            Self { directory, server: Server::new(), variables: Vec::new(), shell: Vec::new() };
        for program in PROGRAMS {
            if let Some(found) = which(program) {
                symlink(found, scene.path_directory().join(program)).expect("a link");
            }
        }
        scene.pretend("Linux", "x86_64");
        scene.shim("getconf", "case $1 in LONG_BIT) echo 64 ;; *) exit 1 ;; esac");
        Self { shell: shells().remove(0), ..scene }
    }

    /// A machine and a release for it.
    pub fn with_release() -> (Self, Release) {
        let scene = Self::new();
        let release = Release::new(VERSION);
        release.publish(&scene.server);
        (scene, release)
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub fn path_directory(&self) -> PathBuf {
        self.directory.path().join("path")
    }

    /// The default directory of the installation.
    pub fn target(&self) -> PathBuf {
        self.home().join(".local/bin/aos")
    }

    /// Makes the machine one of another kind.
    pub fn pretend(&self, system: &str, machine: &str) {
        self.shim("uname", &format!("case $1 in -s) echo {system} ;; -m) echo {machine} ;; esac"));
    }

    /// A program on PATH, in place of what was there.
    pub fn shim(&self, name: &str, body: &str) {
        let place = self.path_directory().join(name);
        let _ = std::fs::remove_file(&place);
        script(&place, body);
    }

    pub fn without(&self, program: &str) {
        let _ = std::fs::remove_file(self.path_directory().join(program));
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The script with a cleared environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let (program, first) = self.shell.split_first().expect("a shell");
        let mut command = Command::new(program);
        command
            .args(first)
            .arg(SCRIPT)
            .args(arguments)
            .current_dir(self.home())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", self.path_directory())
            .env("TMPDIR", self.directory.path().join("tmp"))
            .env("AOS_RELEASE_URL", &self.server.url)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs the script and sees that it cleaned up.
    #[track_caller]
    pub fn install(&self, arguments: &[&str]) -> Answer {
        let answer = answer(self.command(arguments).output().expect("a shell"));
        self.assert_clean();
        answer
    }

    /// No temporary file is left, neither in TMPDIR nor beside the program.
    #[track_caller]
    pub fn assert_clean(&self) {
        let left: Vec<_> = names(&self.directory.path().join("tmp"));
        assert!(left.is_empty(), "{left:?}");
        let beside = self.target().parent().map(names).unwrap_or_default();
        assert!(beside.iter().all(|name| !name.starts_with(".aos")), "{beside:?}");
    }

    /// Runs the script, which must refuse with this exit and these words, and change nothing.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str], exit: i32, words: &str) -> Answer {
        let before = std::fs::read(self.target()).ok();
        let answer = self.install(arguments);
        assert_eq!(answer.exit, Some(exit), "{answer:?}");
        assert!(answer.stderr.contains(words), "{answer:?}");
        assert!(answer.stderr.contains("  fix: "), "{answer:?}");
        assert!(!answer.stdout.contains("installed"), "{answer:?}");
        assert_eq!(std::fs::read(self.target()).ok(), before, "{answer:?}");
        answer
    }

    /// Whether the archive was asked for.
    pub fn downloaded(&self) -> bool {
        self.server.asked().iter().any(|path| path.ends_with(&format!("{PLATFORM}.tar.gz")))
    }
}

/// Writes a program of the shell.
pub fn script(place: &Path, body: &str) {
    std::fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    let text =
        if body.starts_with("#!") { body.to_owned() } else { format!("#!/bin/sh\n{body}\n") };
    // Written under another name first: a program that is open for writing cannot be started.
    let staged = place.with_extension("staged");
    std::fs::write(&staged, text).expect("a program");
    std::fs::set_permissions(&staged, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    std::fs::rename(&staged, place).expect("a program");
}

/// Every shell of the list that this machine has, as a command.
pub fn shells() -> Vec<Vec<PathBuf>> {
    let found = SHELLS.iter().filter_map(|command| {
        let program = which(command[0])?;
        let rest = command[1..].iter().map(PathBuf::from);
        Some(std::iter::once(program).chain(rest).collect())
    });
    found.collect()
}

/// Shells of the list that this machine does not have.
pub fn missing_shells() -> Vec<String> {
    let missing = SHELLS.iter().filter(|command| which(command[0]).is_none());
    missing.map(|command| command.join(" ")).collect()
}

pub fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|place| place.join(program)).find(|place| place.is_file())
}

pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub fn answer(output: Output) -> Answer {
    Answer {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        exit: output.status.code(),
    }
}

/// Says that a test did not run and why, past the test runner, which hides what a passing test prints.
pub fn skipped(test: &str, reason: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}
