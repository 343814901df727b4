//! Processes below another one, whichever sessions they are in. Found only on Linux.
//!
//! A process is known by its number and its start, so that a later process with the same number is not taken for it.

/// A process that was found.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct KnownProcess {
    id: i32,
    started: u64,
}

impl KnownProcess {
    #[must_use]
    pub fn id(self) -> i32 {
        self.id
    }

    /// Whether it is the process with this number.
    #[must_use]
    pub fn has_id(self, id: i32) -> bool {
        self.id == id
    }

    /// Whether it still runs.
    #[must_use]
    pub fn is_running(self) -> bool {
        system::state(self.id).is_some_and(|(start, ended)| start == self.started && !ended)
    }
}

/// Every running process below `root`, without `root` itself.
#[must_use]
pub fn of(root: i32) -> Vec<KnownProcess> {
    let children = Children::from(root);
    let (mut found, mut open) = (Vec::<KnownProcess>::new(), vec![root]);
    while let Some(parent) = open.pop() {
        for id in children.of(parent) {
            let is_new = found.len() < MOST && !found.iter().any(|known| known.id == id);
            if let (true, Some((started, false))) = (is_new, system::state(id)) {
                found.push(KnownProcess { id, started });
                open.push(id);
            }
        }
    }
    found
}

/// The children of a process, those that have ended and were not waited for included.
#[must_use]
pub fn children(parent: i32) -> Vec<i32> {
    Children::from(parent).of(parent)
}

/// How children are found: the system lists them, or every process names its parent.
enum Children {
    Listed,
    /// Processes with their parents.
    Table(Vec<(i32, i32)>),
}

impl Children {
    fn from(root: i32) -> Self {
        match system::listed(root) {
            Some(_) => Self::Listed,
            None => Self::Table(system::table()),
        }
    }

    fn of(&self, parent: i32) -> Vec<i32> {
        match self {
            Self::Listed => system::listed(parent).unwrap_or_default(),
            Self::Table(table) => {
                table.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id).collect()
            }
        }
    }
}

/// Whether a process has ended and was not waited for.
#[must_use]
pub fn has_ended(id: i32) -> bool {
    system::state(id).is_some_and(|(_, ended)| ended)
}

/// Kills those that still run.
pub fn kill(processes: &[KnownProcess]) {
    for process in processes.iter().filter(|process| process.is_running()) {
        system::kill(process.id);
    }
}

/// Most processes that are found.
const MOST: usize = 4096;

#[cfg(target_os = "linux")]
mod system {
    use std::path::{Path, PathBuf};

    use rustix::process::{Pid, Signal};

    use super::super::files;

    /// Most bytes that are read of a file about a process.
    const MAX_BYTES: u64 = 256 * 1024;

    /// The start of a process, and whether it has ended.
    pub(super) fn state(id: i32) -> Option<(u64, bool)> {
        let fields = fields(id)?;
        let mut fields = fields.split_whitespace();
        let state = fields.next()?;
        let started = fields.nth(18)?.parse().ok()?;
        Some((started, matches!(state, "Z" | "X")))
    }

    /// The children of a process as the system lists them; not every kernel does.
    pub(super) fn listed(parent: i32) -> Option<Vec<i32>> {
        let tasks = directory(parent).join("task");
        let mut found = Vec::new();
        for name in files::names(&tasks).ok()? {
            let text = read(&tasks.join(name).join("children"))?;
            found.extend(text.split_whitespace().flat_map(str::parse::<i32>));
        }
        Some(found)
    }

    /// Every process with its parent.
    pub(super) fn table() -> Vec<(i32, i32)> {
        let names = files::names(Path::new("/proc")).unwrap_or_default();
        let process = |name: &std::ffi::OsString| {
            let id: i32 = name.to_str()?.parse().ok()?;
            Some((id, fields(id)?.split_whitespace().nth(1)?.parse().ok()?))
        };
        names.iter().filter_map(process).collect()
    }

    /// The fields of `/proc/ID/stat` from the state on.
    fn fields(id: i32) -> Option<String> {
        let text = read(&directory(id).join("stat"))?;
        // The name in parentheses before it can contain anything.
        Some(text.rsplit_once(')')?.1.to_owned())
    }

    pub(super) fn kill(id: i32) {
        // It may have ended since.
        let _ = Pid::from_raw(id).map(|id| rustix::process::kill_process(id, Signal::KILL));
    }

    fn directory(id: i32) -> PathBuf {
        Path::new("/proc").join(id.to_string())
    }

    fn read(path: &Path) -> Option<String> {
        let loaded = files::read(path, MAX_BYTES).ok()?;
        Some(String::from_utf8_lossy(&loaded.bytes).into_owned())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn state(_id: i32) -> Option<(u64, bool)> {
        None
    }

    pub(super) fn listed(_parent: i32) -> Option<Vec<i32>> {
        Some(Vec::new())
    }

    pub(super) fn table() -> Vec<(i32, i32)> {
        Vec::new()
    }

    pub(super) fn kill(_id: i32) {}
}

#[cfg(test)]
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "starts the processes that are found")]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_that_left_its_session_is_found_and_killed_once() {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", "setsid sleep 900 & echo started; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let root = i32::try_from(shell.id()).unwrap();
        let below = of(root);
        assert_eq!(below.len(), 1, "{below:?}");
        assert!(below[0].is_running() && !below[0].has_id(root));
        let later = KnownProcess { started: below[0].started + 1, ..below[0] };
        kill(&[later]);
        assert!(below[0].is_running(), "another process with its number was killed");
        kill(&below);
        // The shell waits for what it started.
        assert!(shell.wait().is_ok());
        assert!(!below[0].is_running());
    }
}
