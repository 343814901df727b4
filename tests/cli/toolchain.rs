//! The real compilers, formatters and linters: found, installed once for all tests of a run, run with a limit.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::sandbox::skipped;

/// Where `program` is on PATH; says that `test` did not run when it is nowhere.
pub fn program(test: &str, program: &str) -> Option<PathBuf> {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|directory| directory.join(program))
        .find(|path| path.is_file());
    if found.is_none() {
        skipped(test, &format!("`{program}` is not on PATH"));
    }
    found
}

/// Settings by which every call of Go in the tests finds what another has compiled: one cache, and neither the directory
/// of a project nor a compiler of C in what is compiled.
pub fn go_settings() -> [(&'static str, PathBuf); 5] {
    [
        ("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-build")),
        ("GOFLAGS", "-mod=readonly -trimpath".into()),
        ("GOTOOLCHAIN", "local".into()),
        ("GOWORK", "off".into()),
        ("CGO_ENABLED", "0".into()),
    ]
}

/// The systems that programs are released for.
pub const SYSTEMS: [&str; 3] = ["linux", "darwin", "windows"];

/// Builds and vets packages for a system. What is compiled for another one is never run, so it is not optimised; and both
/// have the same flags, so that what one of them compiled serves the other.
#[track_caller]
pub fn build_and_vet(go: &Path, directory: &Path, system: &str, tags: &str) {
    let is_here = system == std::env::consts::OS;
    for verb in ["build", "vet"] {
        let mut command = Command::new(go);
        command.args([verb, "-tags", tags]);
        if !is_here {
            command.arg("-gcflags=all=-N -l");
        }
        command.arg("./...").current_dir(directory).envs(go_settings()).env("GOOS", system);
        let output = command.output().expect("go starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{verb} for {system} with `{tags}`: {said}");
    }
}

/// The variable by which Python keeps no compiled sources.
const NOT_KEPT: &str = "PYTHONDONTWRITEBYTECODE";

/// Where Python keeps compiled sources: outside of the projects, and for all tests, since a test starts the same tool
/// hundreds of times. A test that edits a source and runs it again does so with [`super::disk::edit`].
pub fn compiled() -> [(&'static str, PathBuf); 1] {
    [("PYTHONPYCACHEPREFIX", bytecode())]
}

/// The directory of these compiled sources.
pub fn bytecode() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("python")
}

/// Runs a program in `directory`, whatever it answers.
pub fn run(program: impl AsRef<OsStr>, arguments: &[&str], directory: &Path) -> Output {
    let program = program.as_ref();
    // Runs of pytest at the same time take each other's directories away.
    let temporary = tempfile::Builder::new().prefix("aos-pytest-").tempdir().expect("a directory");
    Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env("PYTEST_DEBUG_TEMPROOT", temporary.path())
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONHOME")
        .envs(compiled())
        .env_remove(NOT_KEPT)
        .envs(go_settings())
        .env("RUFF_NO_CACHE", "true")
        .output()
        .unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()))
}

/// Runs a program that must succeed; gives its stdout.
#[track_caller]
pub fn succeed(program: impl AsRef<OsStr>, arguments: &[&str], directory: &Path) -> String {
    let program = program.as_ref();
    let output = run(program, arguments, directory);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{} {arguments:?} failed:\n{stdout}\n{}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    stdout
}

/// A directory below the target directory that `fill` makes once for a run; `None` when it fails.
fn installed(
    once: &'static OnceLock<Result<PathBuf, String>>,
    name: &str,
    fill: impl Fn(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let made = once.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        fill(&directory)?;
        Ok(directory)
    });
    made.clone()
}

fn quietly(program: &str, arguments: &[&str], directory: &Path) -> Result<(), String> {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let last = said.lines().last().unwrap_or_default().to_owned();
            Err(format!("`{program} {}` failed: {last}", arguments.join(" ")))
        }
        Err(error) => Err(format!("`{program}` does not start: {error}")),
    }
}

/// The programs of a virtual environment with these packages.
fn environment(
    once: &'static OnceLock<Result<PathBuf, String>>,
    name: &str,
    packages: &[&str],
) -> Result<PathBuf, String> {
    let made = installed(once, name, |directory| {
        if !directory.join("venv/bin/python").exists() {
            quietly("python3", &["-m", "venv", "venv"], directory)?;
        }
        let python = directory.join("venv/bin/python");
        let python = python.to_str().ok_or("the path is not UTF-8")?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        quietly(python, &[&install[..], packages].concat(), directory)
    });
    made.map(|directory| directory.join("venv/bin"))
}

/// A virtual environment with ruff, mypy, black and isort.
pub fn python_tools(test: &str) -> Option<PathBuf> {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let packages = ["ruff>=0.8", "mypy>=1.10", "black>=24", "isort>=5"];
    environment(&ONCE, "python-tools", &packages).map_err(|why| skipped(test, &why)).ok()
}

/// A Python with the official client of MCP.
pub fn python_with_mcp(test: &str) -> Option<PathBuf> {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = environment(&ONCE, "python-mcp", &["mcp>=2"]);
    made.map(|programs| programs.join("python")).map_err(|why| skipped(test, &why)).ok()
}

/// The programs of a Python with what a connector needs, and nothing else: it starts thousands of times.
pub fn python_of_connectors() -> &'static Path {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        environment(&ONCE, "python-connectors", &["click>=8.1,<9"]).expect("a Python with click")
    })
}

/// A directory whose `node_modules/.bin` has tsc and prettier; the types of Node are beside it.
pub fn node_tools(test: &str) -> Option<PathBuf> {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let packages = ["typescript@5.9.3", "prettier@3.6.2", "@types/node@20.19.0"];
    npm_packages(&ONCE, "node-tools", &packages, test)
        .map(|directory| directory.join("node_modules/.bin"))
}

/// A directory where Node finds the official client of MCP.
pub fn node_with_mcp(test: &str) -> Option<PathBuf> {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    npm_packages(&ONCE, "node-mcp", &["@modelcontextprotocol/sdk@1.32.2"], test)
}

/// A directory with these packages of npm, whose scripts never run.
fn npm_packages(
    once: &'static OnceLock<Result<PathBuf, String>>,
    name: &str,
    packages: &[&str],
    test: &str,
) -> Option<PathBuf> {
    let made = installed(once, name, |directory| {
        let package = directory.join("package.json");
        std::fs::write(package, "{\"private\": true}\n").map_err(|error| error.to_string())?;
        let install =
            ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"];
        quietly("npm", &[&install[..], packages].concat(), directory)
    });
    made.map_err(|why| skipped(test, &why)).ok()
}
