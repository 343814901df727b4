//! The Python or Node that runs a package.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indexmap::IndexSet;

use crate::system::files::{self, Kind};
use crate::system::process::{self, Invocation};
use crate::system::{environment, search_path};

/// How long an interpreter may take to say where its packages are.
const LIMIT: Duration = Duration::from_secs(20);
/// The directories of packages, in the order in which Python searches them: of the virtual environment, of the user, of
/// the installation.
const SITE_PACKAGES: &str = "
import site, sys, sysconfig
own = [sysconfig.get_path('purelib'), sysconfig.get_path('platlib')]
user = [site.getusersitepackages()] if sys.base_prefix in site.PREFIXES else []
first, second = (user, own) if sys.prefix == sys.base_prefix else (own, user)
print(*first, *second, *site.getsitepackages(), sep='\\n')
";

/// Python: the given one, else that of the active environment, of the `.venv` of the project, or of PATH.
#[must_use]
pub fn python(given: Option<&Path>, project: &Path) -> Option<PathBuf> {
    if let Some(given) = given {
        return of_environment(given).or_else(|| program(given));
    }
    let active = environment::read(environment::VIRTUAL_ENV).map(PathBuf::from);
    active
        .as_deref()
        .and_then(of_environment)
        .or_else(|| of_environment(&project.join(".venv")))
        .or_else(|| search_path::find("python3"))
        .or_else(|| search_path::find("python"))
}

/// Node: the one on PATH.
#[must_use]
pub fn node() -> Option<PathBuf> {
    search_path::find("node")
}

/// The interpreter of a virtual environment. The link is not resolved, because Python finds the environment through it.
fn of_environment(directory: &Path) -> Option<PathBuf> {
    let places = ["bin/python3", "bin/python", "Scripts/python.exe"];
    places.iter().find_map(|place| program(&directory.join(place)))
}

/// An absolute path of a program that is there.
fn program(path: &Path) -> Option<PathBuf> {
    if path.components().count() == 1
        && !matches!(files::kind(path), Ok(Kind::File { .. } | Kind::Symlink))
    {
        return search_path::find(path.to_str()?);
    }
    let real = files::canonical(path).ok()?;
    if !matches!(files::kind(&real), Ok(Kind::File { .. })) {
        return None;
    }
    match path.is_absolute() {
        true => Some(path.to_owned()),
        false => Some(files::canonical(Path::new(".")).ok()?.join(path)),
    }
}

/// The program behind a launcher, which costs its own start each time; the launcher itself when it does not say.
#[must_use]
pub fn resolved(python: PathBuf) -> PathBuf {
    let said = answer(&python, "import sys; print(sys.executable)");
    let found = said.lines().next().map(PathBuf::from).filter(|path| path.is_absolute());
    found.unwrap_or(python)
}

fn answer(python: &Path, question: &str) -> String {
    let Some(program) = python.to_str() else { return String::new() };
    let output = process::run(&Invocation {
        program,
        arguments: &["-I", "-c", question],
        directory: Path::new("."),
        without: &[],
        limit: LIMIT,
    });
    output.map(|output| output.stdout).unwrap_or_default()
}

/// The directories of the packages of an interpreter.
#[must_use]
pub fn site_packages(python: &Path) -> Vec<PathBuf> {
    let said = answer(python, SITE_PACKAGES);
    let found: IndexSet<_> =
        said.lines().map(PathBuf::from).filter(|path| path.is_absolute()).collect();
    found.into_iter().collect()
}
