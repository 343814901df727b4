//! The connector as a package: built, unpacked somewhere else, run without its sources.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::contract::pyproject::Pyproject;
use crate::system::subject::{self, Ending, Launch, Stimulus};
use crate::system::{files, search_path};

use crate::conform::probe::{CallEvidence, Conclusion, Need, Probe};
use crate::conform::sandbox::Sandbox;
use crate::conform::session::{MAX_OUTPUT, ToolCaller};
use crate::families::harness::contract::FAMILY;

/// How long building a package may take.
const BUILD_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(15);
const MAX_PYPROJECT: u64 = 1024 * 1024;

pub(super) const WHEEL: Probe = Probe {
    id: "harness.install",
    section: "§11",
    title: "The connector works when it is installed as a package, without its sources",
    why: "An editable installation hides files that are missing in the package",
    fix: "include every file that is read at run time in the package, or generate its content into a module",
    needs: &[Need::Project, Need::Python],
    run: wheel,
    ..Probe::of(FAMILY)
};

pub(super) const TWO: Probe = Probe {
    id: "harness.install-two",
    section: "§11",
    title: "The connector works together with another connector in one environment",
    why: "Connectors with the same top-level package hide each other, so only one of them works",
    fix: "give the package the name `aos_<name>`",
    needs: &[Need::Project, Need::Python],
    run: two,
    ..Probe::of(FAMILY)
};

fn wheel(session: &ToolCaller) -> Conclusion {
    installed(session, false)
}

fn two(session: &ToolCaller) -> Conclusion {
    installed(session, true)
}

/// One step of the installation.
struct InstallStep<'a> {
    program: &'a Path,
    arguments: Vec<String>,
    directory: &'a Path,
    more: Vec<(String, String)>,
    limit: Duration,
}

fn installed(session: &ToolCaller, beside_another: bool) -> Conclusion {
    let Some(root) = &session.target.root else {
        return Conclusion::blocked("there is no project");
    };
    let harness = root.join("agent-harness");
    let Some(entry) = entry(&harness, &session.target.tool) else {
        return Conclusion::not_applicable("agent-harness/pyproject.toml declares no such command");
    };
    let Some(python) = python(&harness) else { return Conclusion::blocked("there is no python3") };
    let sandbox = match Sandbox::new() {
        Ok(sandbox) => sandbox,
        Err(error) => {
            return Conclusion::blocked(format!(
                "the package directory cannot be created: {error}"
            ));
        }
    };
    // The sources stay as they are: a build leaves files beside what it builds.
    let source = sandbox.path().join("source");
    if let Err(error) = copy(&harness, &source) {
        return Conclusion::blocked(format!("the sources cannot be copied: {error}"));
    }
    let site = sandbox.path().join("site");
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let place = site.display().to_string();
    let (arguments, directory) = if uses_setuptools(&source) {
        // Builds the files of a wheel, without the packages that only packing the wheel needs.
        let run =
            ["-c", "import setuptools; setuptools.setup()", "-q", "build", "--build-lib", &place];
        (words(&run), source.clone())
    } else {
        let source = source.display().to_string();
        let run = [
            "-m",
            "pip",
            "--isolated",
            "-q",
            "install",
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
            "--target",
            &place,
            &source,
        ];
        (words(&run), sandbox.work())
    };
    let work = sandbox.work();
    let build = InstallStep {
        program: &python,
        arguments,
        directory: &directory,
        more: Vec::new(),
        limit: BUILD_LIMIT,
    };
    match step(&sandbox, &build) {
        (Some(0), _) => {}
        (_, evidence) => {
            let said = &evidence.stderr;
            let lacks = [
                "No module named pip",
                "Cannot import 'setuptools",
                "No module named 'setuptools",
                "BackendUnavailable",
                "invalid command 'bdist_wheel'",
            ];
            if lacks.iter().any(|mark| said.contains(mark)) {
                return Conclusion::blocked("this Python has no pip or no build backend")
                    .with(evidence);
            }
            return Conclusion::fail("the package cannot be built").with(evidence);
        }
    }
    if sandbox.discard("source").is_err() {
        return Conclusion::blocked("the copied sources cannot be removed");
    }
    let (module, function) = entry;
    let code = format!(
        "import sys; from {module} import {function} as run; sys.argv[0] = '{}'; sys.exit(run())",
        session.target.tool.replace(['\'', '\\'], "")
    );
    let run = |before: Option<PathBuf>| {
        let path: Vec<_> = before.into_iter().chain([site.clone()]).collect();
        let path: Vec<_> = path.iter().map(|place| place.display().to_string()).collect();
        let separator = if cfg!(windows) { ";" } else { ":" };
        let run = InstallStep {
            program: &python,
            arguments: words(&["-c", &code, "--json", "capabilities"]),
            directory: &work,
            more: vec![("PYTHONPATH".to_owned(), path.join(separator))],
            limit: RUN_LIMIT,
        };
        step(&sandbox, &run)
    };
    match (run(None), beside_another) {
        ((Some(0), _), false) => return installed_packages(1),
        ((Some(0), _), true) => {}
        ((_, evidence), _) if evidence.stderr.contains("No module named 'click'") => {
            return Conclusion::blocked("its dependencies are not installed for this Python")
                .with(evidence);
        }
        ((_, evidence), false) => {
            return Conclusion::fail("`--json capabilities` fails when it runs from the package")
                .with(evidence);
        }
        (_, true) => {
            return Conclusion::not_applicable(
                "it does not work as a package even alone; see `harness.install`",
            );
        }
    }
    let place = match neighbour(&sandbox) {
        Ok(place) => place,
        Err(error) => return Conclusion::blocked(format!("no second package: {error}")),
    };
    match run(Some(place)) {
        (Some(0), _) => installed_packages(2),
        (_, evidence) => {
            Conclusion::fail("`--json capabilities` fails together with another connector")
                .with(evidence)
        }
    }
}

fn installed_packages(count: usize) -> Conclusion {
    Conclusion::unless_vacuous(count, "packages", "no package was installed")
}

/// True if the package is built by setuptools, which is also the default.
fn uses_setuptools(source: &Path) -> bool {
    let loaded = files::read(&source.join("pyproject.toml"), MAX_PYPROJECT).ok();
    let text = loaded.and_then(|loaded| String::from_utf8(loaded.bytes).ok()).unwrap_or_default();
    text.contains("setuptools") || !text.contains("build-backend")
}

/// Module and function of the command in pyproject.toml, when both are plain names.
fn entry(harness: &Path, tool: &str) -> Option<(String, String)> {
    let loaded = files::read(&harness.join("pyproject.toml"), MAX_PYPROJECT).ok()?;
    let text = String::from_utf8(loaded.bytes).ok()?;
    let scripts = Pyproject::read(&text).ok()?.scripts;
    let (_, entry) = scripts.iter().find(|(name, _)| name == tool)?;
    let (module, function) = entry.value.split_once(':')?;
    let is_name = |name: &str| {
        let mut symbols = name.chars();
        symbols.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && symbols.all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
    };
    let usable = module.trim().split('.').all(is_name) && is_name(function.trim());
    usable.then(|| (module.trim().to_owned(), function.trim().to_owned()))
}

/// The Python of the project's environment, which has its dependencies; else that of the system.
fn python(harness: &Path) -> Option<PathBuf> {
    let own = [".venv/bin/python", "venv/bin/python"].into_iter().map(|place| harness.join(place));
    own.into_iter()
        .find(|path| files::canonical(path).is_ok())
        .or_else(|| search_path::find("python3"))
}

/// A second package that has the top package which many connectors share.
fn neighbour(sandbox: &Sandbox) -> std::io::Result<PathBuf> {
    sandbox.directory("neighbour")?;
    sandbox.directory("neighbour/cli_aos")?;
    sandbox.file("neighbour/cli_aos/__init__.py", b"")?;
    Ok(sandbox.path().join("neighbour"))
}

fn step(sandbox: &Sandbox, step: &InstallStep<'_>) -> (Option<i32>, CallEvidence) {
    let mut environment = sandbox.environment();
    environment.extend(step.more.iter().cloned());
    let launch = Launch {
        program: step.program,
        arguments: &step.arguments,
        directory: step.directory,
        environment: &environment,
        stdin: &[],
        holds_stdin: false,
        limit: step.limit,
        excuses_queue: true,
        most_output: MAX_OUTPUT,
        stimulus: Stimulus::None,
        obeys_modes: false,
        enclosure: None,
    };
    let argv = std::iter::once("python".to_owned()).chain(step.arguments.iter().cloned());
    let mut evidence = CallEvidence { argv: argv.collect(), ..CallEvidence::default() };
    match subject::run(&launch) {
        Err(error) => {
            evidence.ending = format!("not started: {error}");
            (None, evidence)
        }
        Ok(ran) => {
            let exit = match ran.ending {
                Ending::Exited(code) => Some(code),
                _ => None,
            };
            evidence.ending = format!("{:?}", ran.ending).to_lowercase();
            evidence.was_made = true;
            evidence.exit = exit;
            evidence.duration_ms = ran.duration_ms;
            let excerpt = crate::conform::evidence::excerpt;
            evidence.stdout = excerpt(&ran.stdout, ran.stdout_length, &[]);
            evidence.stderr = excerpt(&ran.stderr, ran.stderr_length, &[]);
            (exit, evidence)
        }
    }
}

/// Copies the sources of a package: plain files only, without environments and caches.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    crate::system::temporary::copy_tree(
        from,
        to,
        &[".venv", "venv", "__pycache__", "build", ".git", "tests"],
    )
}
