//! Starts a copy of a connector: its script, with an interpreter that has click, from the copy alone.
//!
//! An environment may have the original installed; its modules must not be loaded instead of those of the copy.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::contract::ProjectFiles;
use crate::contract::pyproject::Pyproject;
use crate::reason::Reason;
use crate::system::process::{self, Invocation};
use crate::system::{files, search_path};
use crate::workflows::migrate::seam::ProjectLauncher;

use super::places::{HARNESS, PYPROJECT};

const LIMIT: Duration = Duration::from_secs(20);
/// Longest first line that systems accept, in bytes.
const MAX_SHEBANG: usize = 120;
/// Says where the interpreter is, and fails without click.
const QUESTION: &str = "import sys, click; print(sys.executable)";
const SCRIPT: &str = r#"
import importlib, os, sys
from importlib.machinery import PathFinder

HARNESS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOTS = [os.path.join(HARNESS, "src"), HARNESS]
OWN = OWN_PACKAGES


class FromTheCopy:
    def find_spec(self, name, path=None, target=None):
        if path is None and name in OWN:
            spec = PathFinder.find_spec(name, ROOTS)
            if spec is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return spec
        return None


sys.meta_path.insert(0, FromTheCopy())
sys.dont_write_bytecode = True
entry = importlib.import_module("ENTRY_MODULE")
for part in "ENTRY_FUNCTION".split("."):
    entry = getattr(entry, part)
sys.exit(entry())
"#;

/// The launcher of a copy of the project at `root`.
///
/// # Errors
/// Why the tool cannot be started.
pub fn launcher(root: &Path, files: &ProjectFiles) -> Result<ProjectLauncher, Reason> {
    let text = files.text(PYPROJECT).ok_or("there is no agent-harness/pyproject.toml")?;
    let project = Pyproject::read(text).map_err(|_| "pyproject.toml is not TOML")?;
    let script = project.scripts.iter().find(|(name, _)| name.starts_with("aos-"));
    let (name, entry) = script.ok_or("pyproject.toml has no script `aos-…`")?;
    let (module, function) = entry.value.split_once(':').ok_or("its script names no function")?;
    let is_dotted = |text: &str| {
        text.split('.').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !is_dotted(module) || !is_dotted(function) || !is_name {
        return Err("the script of pyproject.toml is not `module:function`".into());
    }
    let python = interpreter(root)?;
    let own: Vec<_> = packages(files).into_iter().map(|name| format!("\"{name}\"")).collect();
    let script = SCRIPT
        .replace("OWN_PACKAGES", &format!("[{}]", own.join(", ")))
        .replace("ENTRY_MODULE", module)
        .replace("ENTRY_FUNCTION", function);
    Ok(ProjectLauncher {
        path: format!("{HARNESS}.venv/bin/{name}"),
        text: format!("#!{python}{script}"),
        readable: Vec::new(),
    })
}

/// Names that the copy provides, and those that it had before a rewrite.
fn packages(files: &ProjectFiles) -> std::collections::BTreeSet<String> {
    let mut found: std::collections::BTreeSet<String> = ["cli_aos".to_owned()].into();
    for (path, _) in files.below(HARNESS, ".py") {
        let inner = path.strip_prefix(HARNESS).unwrap_or_default();
        let inner = inner.strip_prefix("src/").unwrap_or(inner);
        let first = inner.split('/').next().unwrap_or_default();
        let name = first.strip_suffix(".py").unwrap_or(first);
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_name && name != "tests" && name != "setup" {
            found.insert(name.to_owned());
        }
    }
    found
}

/// An interpreter that has click: that of the project's environment, else the one on PATH.
fn interpreter(root: &Path) -> Result<String, Reason> {
    let mut candidates: Vec<PathBuf> = [".venv/bin/python", "venv/bin/python"]
        .iter()
        .map(|place| root.join(HARNESS).join(place))
        .filter(|path| files::canonical(path).is_ok())
        .collect();
    candidates.extend(search_path::find("python3"));
    if candidates.is_empty() {
        return Err("no Python was found; install it, or make `agent-harness/.venv`".into());
    }
    for candidate in &candidates {
        let program = candidate.to_string_lossy();
        let invocation = Invocation {
            program: &program,
            arguments: &["-c", QUESTION],
            directory: Path::new("/"),
            without: &["PYTHONPATH", "PYTHONHOME"],
            limit: LIMIT,
        };
        let Ok(said) = process::run(&invocation) else { continue };
        let python = said.stdout.trim();
        if said.success
            && python.starts_with('/')
            && python.len() <= MAX_SHEBANG
            && !python.contains(char::is_whitespace)
        {
            return Ok(python.to_owned());
        }
    }
    Err("no Python with click was found; make `agent-harness/.venv` and install the connector in it"
        .into())
}
