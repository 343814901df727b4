//! A bench for the Skill sync: a home, a repository with releases, and the library in a process of its own.
//!
//! The environment decides what a sync does, and a process can change only that of its children. So a test starts this
//! very program again, with one ignored test that does the sync.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use aos::release::Repository;
use aos::update::skill::{self, SkillManifest, SkillRequest, Verified};
use serde_json::{Value, json};

use super::sandbox::{Sandbox, skipped};

/// Names the job file of the child.
const JOB: &str = "AOS_TEST_SKILL_JOB";
/// The installer that a Node from 20.12 to 22.19 runs; others are left to the library.
const INSTALLER_OF_NODE_20: &str = "skills@1.5.16";
const INSTALLER: &str = "skills@1.7.4";
/// Variables that lead to the registry: proxies and certificates.
const WAY_OUT: [&str; 10] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "npm_config_cafile",
    "npm_config_registry",
];

pub const OLD: [(&str, &str); 2] =
    [("SKILL.md", "---\nname: aos\ndescription: d\n---\nold\n"), ("gone.md", "gone\n")];
pub const NEW: [(&str, &str); 2] =
    [("SKILL.md", "---\nname: aos\ndescription: d\n---\nnew\n"), ("test-prompts.json", "[]\n")];
/// On the branch, after the release.
const UNRELEASED: [(&str, &str); 2] = [
    ("SKILL.md", "---\nname: aos\ndescription: d\n---\nunreleased\n"),
    ("test-prompts.json", "[]\n"),
];

/// One test's home and repository.
pub struct Bench {
    pub sandbox: Sandbox,
    variables: BTreeMap<OsString, OsString>,
    version: &'static str,
}

impl Bench {
    /// With the releases 1.2.0 (`OLD`) and 1.3.0 (`NEW`); 1.3.0 is asked for.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        let root = sandbox.home().parent().expect("a parent").to_owned();
        let mut bench = Self { sandbox, variables: BTreeMap::new(), version: "1.3.0" };
        bench.set("HOME", bench.home());
        bench.set("PATH", std::env::var_os("PATH").unwrap_or_default());
        bench.set("GIT_CONFIG_NOSYSTEM", "1");
        bench.set("GIT_CONFIG_COUNT", "1");
        bench.set(
            "GIT_CONFIG_KEY_0",
            format!("url.file://{}/.insteadOf", root.join("remote").display()),
        );
        bench.set("GIT_CONFIG_VALUE_0", "https://github.com/");
        bench.set("npm_config_cache", cache());
        for name in WAY_OUT {
            if let Some(value) = std::env::var_os(name) {
                bench.set(name, value);
            }
        }
        repository(&root);
        bench
    }

    pub fn home(&self) -> PathBuf {
        self.sandbox.home()
    }

    /// Sets a variable of the child.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.into(), value.into());
    }

    pub fn unset(&mut self, name: &str) {
        self.variables.remove(&OsString::from(name));
    }

    pub fn ask_for(&mut self, version: &'static str) {
        self.version = version;
    }

    /// Writes `files` at `place`, below the home.
    pub fn install(&self, place: &str, files: &[(&str, &str)]) -> PathBuf {
        let place = self.home().join(place);
        write(&place, files);
        place
    }

    pub fn make(&self, directory: &str) {
        std::fs::create_dir_all(self.home().join(directory)).expect("a directory");
    }

    /// Puts a program before all others of its name.
    pub fn shim(&mut self, name: &str, script: &str) {
        let path = self.bin().join(name);
        write(&self.bin(), &[(name, &format!("#!/bin/sh\n{script}\n"))]);
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("an executable");
        let others = std::env::var("PATH").unwrap_or_default();
        self.set("PATH", format!("{}:{others}", self.bin().display()));
    }

    /// Leaves only the programs of these names, and the shims.
    pub fn only(&mut self, names: &[&str]) {
        for name in names {
            let there = which(name).expect("a program");
            let path = self.bin().join(name);
            std::fs::create_dir_all(self.bin()).expect("a directory");
            std::os::unix::fs::symlink(there, path).expect("a link");
        }
        self.set("PATH", self.bin());
    }

    fn bin(&self) -> PathBuf {
        self.home().with_file_name("bin")
    }

    /// Does the sync, in the work directory.
    #[track_caller]
    pub fn sync(&self) -> Synced {
        self.sync_in(&self.sandbox.work())
    }

    #[track_caller]
    pub fn sync_in(&self, directory: &Path) -> Synced {
        let child = self.start(directory);
        self.wait(child)
    }

    /// Starts the sync.
    pub fn start(&self, directory: &Path) -> Child {
        let job = json!({
            "version": self.version,
            "expected": BTreeMap::from(NEW),
            "known": BTreeMap::from(OLD),
            "report": self.report_path(),
        });
        let job_path = self.report_path().with_file_name("job.json");
        std::fs::write(&job_path, job.to_string()).expect("a job");
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "skill_bench::does_the_sync_that_a_job_file_asks_for", "--ignored"])
            .current_dir(directory)
            .env_clear()
            .envs(&self.variables)
            .env(JOB, &job_path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the child starts")
    }

    /// Waits for the report.
    #[track_caller]
    pub fn wait(&self, child: Child) -> Synced {
        let output = child.wait_with_output().expect("the child ends");
        let text = std::fs::read_to_string(self.report_path()).unwrap_or_else(|error| {
            panic!("no report ({error}): {}", String::from_utf8_lossy(&output.stdout))
        });
        Synced { report: serde_json::from_str(&text).expect("a report"), home: self.home() }
    }

    fn report_path(&self) -> PathBuf {
        self.home().with_file_name("report.json")
    }
}

/// The result of a sync.
pub struct Synced {
    pub report: Value,
    home: PathBuf,
}

impl Synced {
    #[track_caller]
    pub fn is(&self, status: &str, cause: Option<&str>) -> &Self {
        assert_eq!(self.report["status"], status, "{:#}", self.report);
        assert_eq!(self.report["cause"], json!(cause), "{:#}", self.report);
        self
    }

    /// Places by their path below the home, with their states.
    pub fn places(&self) -> BTreeMap<String, String> {
        let places = self.report["places"].as_array().expect("places");
        let entry = |place: &Value| {
            let path = self.below(&place["path"]);
            (path, place["state"].as_str().expect("a state").to_owned())
        };
        places.iter().map(entry).collect()
    }

    pub fn stale_paths(&self) -> Vec<String> {
        let paths = self.report["stale_paths"].as_array().expect("paths");
        paths.iter().map(|path| self.below(path)).collect()
    }

    pub fn text(&self, member: &str) -> String {
        self.report[member].as_str().expect("a text").to_owned()
    }

    pub fn notes(&self) -> String {
        self.report["notes"].to_string()
    }

    fn below(&self, path: &Value) -> String {
        let path = Path::new(path.as_str().expect("a path"));
        path.strip_prefix(&self.home).unwrap_or(path).display().to_string()
    }
}

/// Files below `place`, read through links.
pub fn installed(place: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(place).follow_links(true) {
        let entry = entry.expect("a readable tree");
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(place).expect("below").display().to_string();
            files.insert(path, std::fs::read_to_string(entry.path()).expect("a text"));
        }
    }
    files
}

pub fn as_map(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

pub fn write(directory: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(path, text).expect("a file");
    }
}

/// The real program of this name.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|path| path.is_file())
}

/// Whether the real npx can run the real installer here; says so when it cannot.
pub fn installer_is_there(test: &str) -> bool {
    static REASON: OnceLock<Option<String>> = OnceLock::new();
    let reason = REASON.get_or_init(|| {
        if which("npx").is_none() || which("node").is_none() || which("git").is_none() {
            return Some("npx, node and git are not all installed".to_owned());
        }
        let said = Command::new("node").arg("--version").output().expect("node runs").stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut numbers = said.trim().trim_start_matches('v').split('.').map(str::parse::<u64>);
        let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
            return Some(format!("node says `{said}`"));
        };
        let package = match (major, minor) {
            (..20, _) | (20, ..12) | (21, ..7) => return Some(format!("node {said} is too old")),
            (..22, _) | (22, ..20) => INSTALLER_OF_NODE_20,
            _ => INSTALLER,
        };
        // One run before all others fills the cache that they share.
        let home = tempfile::tempdir().expect("a directory");
        let output = Command::new("npx")
            .args(["--yes", package, "--version"])
            .current_dir(home.path())
            .env("npm_config_cache", cache())
            .env("npm_config_fetch_retries", "1")
            .stdin(Stdio::null())
            .output()
            .expect("npx runs");
        (!output.status.success()).then(|| format!("npx cannot get {package} from the registry"))
    });
    if let Some(reason) = reason {
        skipped(test, reason);
    }
    reason.is_none()
}

/// Shared by all tests and runs: the registry is asked once.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm-cache")
}

/// `acme/aos` as a bare repository below `remote`.
fn repository(root: &Path) {
    let tree = root.join("tree");
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"])
            .args(arguments)
            .current_dir(&tree)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    // A Skill of another tool, which was not requested.
    write(
        &tree,
        &[("templates/x/files/skills/other/SKILL.md", "---\nname: other\ndescription: d\n---\n")],
    );
    git(&["init", "--quiet", "--initial-branch=main"]);
    for (files, tag) in [(OLD, "v1.2.0"), (NEW, "v1.3.0"), (UNRELEASED, "latest")] {
        let _ = std::fs::remove_dir_all(tree.join("skills"));
        write(&tree.join("skills/aos"), &files);
        write(&tree.join("skills/aos"), &[("metadata.json", "{}")]);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", tag]);
        git(&["tag", tag]);
    }
    let bare = root.join("remote/acme/aos.git").display().to_string();
    git(&["clone", "--quiet", "--bare", ".", &bare]);
}

/// Not a test: the child of the others.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn does_the_sync_that_a_job_file_asks_for() {
    let Some(path) = std::env::var_os(JOB) else { return };
    aos::system::interrupt::listen();
    let job: Value =
        serde_json::from_slice(&std::fs::read(path).expect("a job")).expect("a document");
    let files = |member: &str| -> Vec<(String, Vec<u8>)> {
        let files = job[member].as_object().expect("files");
        let text = |text: &Value| text.as_str().expect("a text").as_bytes().to_vec();
        files.iter().map(|(path, bytes)| (path.clone(), text(bytes))).collect()
    };
    let repository = Repository::parse("acme/aos").expect("a repository");
    let version = job["version"].as_str().expect("a version").parse().expect("a version");
    let (expected, known) = (Verified::new(files("expected")), [SkillManifest::of(files("known"))]);
    let request = SkillRequest {
        repository: &repository,
        version: &version,
        expected: &expected,
        known: &known,
    };
    let planned = skill::command(&version);
    let report = skill::sync(&request);
    let places: Vec<_> = report
        .places
        .iter()
        .map(|examined| {
            let causes: Vec<_> =
                examined.differences.iter().map(|difference| difference.cause.name()).collect();
            json!({"path": examined.place.path, "state": examined.state.name(), "digest": examined.digest, "causes": causes})
        })
        .collect();
    let backups: Vec<_> = report
        .backups
        .iter()
        .map(|kept| json!({"place": kept.place, "backup": kept.backup}))
        .collect();
    let repairs: Vec<_> = report
        .repairs
        .iter()
        .map(|repair| {
            let causes: Vec<_> =
                repair.differences.iter().map(|difference| difference.cause.name()).collect();
            json!({"path": repair.path, "causes": causes, "live": repair.live.name(), "quarantine": repair.quarantine})
        })
        .collect();
    let document = json!({
        "planned": planned,
        "status": report.status.name(),
        "cause": report.cause.map(skill::Cause::name),
        "command": report.command,
        "digest": report.digest,
        "places": places,
        "stale_paths": report.stale_paths,
        "backups": backups,
        "repairs": repairs,
        "exit": report.exit,
        "output_tail": report.output_tail,
        "notes": report.notes,
    });
    std::fs::write(job["report"].as_str().expect("a path"), document.to_string())
        .expect("a report");
}
