//! The limits on a tool under test, and the limits that this system cannot enforce.
//!
//! The engine states what it enforces; nothing is implied. Which files a tool needs to start is worked out here.

use std::path::{Path, PathBuf};

use crate::reason::Reason;
use crate::system::enclosure::{DEVICES, Enclosure, Enforced, system_directories};
use crate::system::files::{self, Kind};
use crate::system::subject::{Ending, Ran};
use crate::system::{environment, search_path};
use crate::visible::excerpt;

use super::bytecode::BytecodeDirectory;
use super::sandbox::Sandbox;
use super::session::ToolCaller;
use super::start;
use super::target::Target;

/// Largest `pyvenv.cfg`, in bytes.
const MAX_SETTINGS: u64 = 64 * 1024;
/// Entries beside a directory `bin` that belong to its programs.
const BESIDE: [&str; 8] =
    ["lib", "lib64", "libexec", "include", "tools", "pyvenv.cfg", "package.json", "node_modules"];
/// Deepest chain of links and interpreters.
const MAX_STEPS: usize = 6;

/// A resource, and whether the tool under test is kept from it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ContainedPart {
    pub part: &'static str,
    /// The guarantee when it is contained.
    pub holds: &'static str,
    /// The actions that are possible when it is not.
    pub otherwise: &'static str,
    /// Why it is not contained; `None` when it is.
    pub reason: Option<String>,
}

fn part(
    part: &'static str,
    holds: &'static str,
    otherwise: &'static str,
    state: &Result<(), impl ToString>,
) -> ContainedPart {
    let reason = state.as_ref().err().map(ToString::to_string);
    ContainedPart { part, holds, otherwise, reason }
}

/// What a run enforces, and the files that a call may reach.
#[derive(Clone, Debug, Default)]
pub struct RunContainment {
    pub parts: Vec<ContainedPart>,
    /// Where each call may read; absent where nothing is enclosed.
    readable: Option<Vec<PathBuf>>,
}

impl RunContainment {
    /// Returns the containment of this run; the tool may read `more` too. `network` and `sockets` say why these were
    /// not cut off.
    #[must_use]
    pub fn of(
        target: &Target,
        network: &Result<(), Reason>,
        sockets: &Result<(), Reason>,
        enforced: Enforced,
        more: &[PathBuf],
    ) -> Self {
        let is_enclosed = enforced.files.is_ok() || enforced.privileges.is_ok();
        Self {
            parts: vec![
                part(
                    "network",
                    "it reaches only loopback",
                    "it reaches every network that you reach",
                    network,
                ),
                part(
                    "files",
                    "it writes only to its sandbox, and reads only its sandbox, its project, programs and system files that every user may read",
                    "it can read and change every file that you can",
                    &enforced.files,
                ),
                part(
                    "memory",
                    "it cannot read the memory and the environment of other processes",
                    "it can read the environment of your other processes, with the secrets in it",
                    &enforced.memory,
                ),
                part(
                    "signals",
                    "it cannot send signals to other processes",
                    "it can end your other processes",
                    &enforced.signals,
                ),
                part(
                    "sockets",
                    "local sockets that existed at the start, such as those of containers and of ssh agents, are hidden",
                    "it can talk to local sockets, such as those of containers and of ssh agents",
                    sockets,
                ),
                part(
                    "privileges",
                    "no program that it starts gains privileges",
                    "it can start programs such as sudo",
                    &enforced.privileges,
                ),
                part(
                    "capabilities",
                    "it has no capabilities, even as root",
                    "as root, it has the capabilities of root",
                    &enforced.capabilities,
                ),
                part(
                    "environment",
                    "its variables are made for the call and hold no secret of yours",
                    "",
                    &Ok::<(), Reason>(()),
                ),
                part(
                    "processes",
                    "it sees only processes of its own call",
                    "it can list the processes of this machine with their command lines",
                    &Err(Reason::from("aos has no process namespace for it")),
                ),
            ],
            readable: is_enclosed.then(|| [&readable(target)[..], more].concat()),
        }
    }

    /// Returns the limits of a call that may write only below `places`.
    #[must_use]
    pub fn enclosure<'a>(&self, places: impl Iterator<Item = &'a Path>) -> Option<Enclosure> {
        let writable = places.map(Path::to_owned).chain(DEVICES.iter().map(PathBuf::from));
        let readable = self.readable.clone()?;
        Some(Enclosure {
            readable,
            writable: writable.collect(),
            write_only: Vec::new(),
            is_required: self.protects_files(),
        })
    }

    /// Returns the reason why a tool did not start, if it may be a file that the tool is not allowed to read.
    #[must_use]
    pub fn explains(&self, ran: &Ran) -> Option<String> {
        let Ending::Exited(126 | 127 | 1 | 2) = ran.ending else { return None };
        if self.readable.is_none() || !ran.stdout.is_empty() {
            return None;
        }
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let line = said.lines().find(|line| line.contains("Permission denied"))?;
        Some(format!(
            "the tool needs a path that it may not read; `--readable PATH` allows a file or a directory: {}",
            excerpt(line, 200)
        ))
    }

    /// True if the user's files are out of reach; otherwise an untrusted tool should not be run.
    #[must_use]
    pub fn protects_files(&self) -> bool {
        self.parts.iter().any(|part| part.part == "files" && part.reason.is_none())
    }
}

impl ToolCaller {
    /// The same with what the system enforces and what else the tool may read; `sockets` says why local sockets are not hidden.
    #[must_use]
    pub fn contained(
        mut self,
        sockets: &Result<(), Reason>,
        enforced: Enforced,
        more: &[PathBuf],
    ) -> Self {
        self.containment =
            RunContainment::of(&self.target, &self.isolation, sockets, enforced, more);
        self
    }

    /// Returns the limits of a program of this run that works in this sandbox.
    #[must_use]
    pub fn enclosure(&self, sandbox: &Sandbox) -> Option<Enclosure> {
        let bytecode = self.bytecode.as_ref().map(BytecodeDirectory::path);
        let enclosure = self.containment.enclosure(std::iter::once(sandbox.path()).chain(bytecode));
        enclosure.map(|mut enclosure| {
            enclosure.readable.extend(sandbox.shown());
            enclosure
        })
    }
}

/// Everything that the tool reads to start and to work.
fn readable(target: &Target) -> Vec<PathBuf> {
    let mut all = system_directories();
    all.extend(search_path::directories().into_iter().filter(|directory| directory.is_absolute()));
    all.extend(target.root.iter().chain(&target.directory).cloned());
    let here = environment::current_directory().unwrap_or_default();
    let home = environment::read("HOME").map(PathBuf::from);
    // A command without a project has its files where it is called, but never a whole home.
    if target.root.is_none() && home.is_none_or(|home| !home.starts_with(&here)) {
        all.push(here.clone());
    }
    needs(&target.program, 0, &mut all);
    for word in &target.prefix {
        let base = target.directory.as_ref().or(target.root.as_ref()).unwrap_or(&here);
        let path = base.join(word);
        if path.is_absolute() && matches!(kind(&path), Some(Kind::File { .. })) {
            needs(&path, 0, &mut all);
        }
    }
    // Programs of PATH are often links into the installation of an interpreter.
    for name in ["python3", "node", "bash", "git"] {
        if let Some(program) = search_path::find(name) {
            needs(&program, 0, &mut all);
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The files that a program needs to start.
#[must_use]
pub fn files_of(program: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    needs(program, 0, &mut all);
    all
}

fn kind(path: &Path) -> Option<Kind> {
    files::kind(&files::canonical(path).ok()?).ok()
}

/// A program, what belongs to it, its interpreter, and the file that it is a link to.
fn needs(program: &Path, step: usize, all: &mut Vec<PathBuf>) {
    if step > MAX_STEPS {
        return;
    }
    all.push(program.to_owned());
    let home = environment::read("HOME").map(PathBuf::from);
    let is_private =
        |directory: &Path| home.as_deref().is_some_and(|home| home.starts_with(directory));
    let Some(directory) = program.parent() else { return };
    let interpreter = start::interpreter_of(program);
    if interpreter.is_some() && !is_private(directory) {
        // A script has its modules beside it.
        all.push(directory.to_owned());
    }
    if directory.ends_with("bin") || directory.ends_with("sbin") {
        let above = directory.parent().unwrap_or(directory);
        all.extend(BESIDE.iter().map(|name| above.join(name)));
        if !is_private(above) {
            all.push(directory.to_owned());
        }
        base_of_environment(&above.join("pyvenv.cfg"), step, all);
    }
    // Version managers put small programs there, which look for the real ones in the directory above.
    if directory.ends_with("shims") {
        all.extend(directory.parent().filter(|above| !is_private(above)).map(Path::to_owned));
    }
    // Packages of Node refer to each other.
    let modules = program.ancestors().find(|above| above.ends_with("node_modules"));
    all.extend(modules.map(Path::to_owned));
    if let Ok(real) = files::canonical(program)
        && real != program
    {
        needs(&real, step + 1, all);
    }
    if let Some(interpreter) = interpreter {
        needs(&interpreter, step + 1, all);
    }
}

/// The Python that a virtual environment was made with.
fn base_of_environment(settings: &Path, step: usize, all: &mut Vec<PathBuf>) {
    let Ok(loaded) = files::read(settings, MAX_SETTINGS) else { return };
    let text = String::from_utf8_lossy(&loaded.bytes).into_owned();
    let home = text
        .lines()
        .find_map(|line| line.split_once('=').filter(|(name, _)| name.trim() == "home"));
    if let Some((_, home)) = home {
        needs(&Path::new(home.trim()).join("python3"), step + 1, all);
    }
}
