//! The surroundings of one call of the tool: an empty home, a cleared environment, nothing of the user.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::system::temporary::TemporaryDirectory;
use crate::system::{environment, files, rights};

/// An empty home with the usual directories; gone when dropped.
#[derive(Debug)]
pub struct Sandbox {
    directory: TemporaryDirectory,
    program: OnceLock<PathBuf>,
    setting: OnceLock<(PathBuf, Vec<String>)>,
    /// Files elsewhere that programs in it may read.
    shown: Mutex<Vec<PathBuf>>,
}

/// The directories of a sandbox and the variables that name them.
const PLACES: [(&str, &str); 8] = [
    ("HOME", "home"),
    ("USERPROFILE", "home"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_STATE_HOME", "state"),
    ("TMPDIR", "tmp"),
    ("TEMP", "tmp"),
];
/// The file that says that a moment has come.
pub const MARK: &str = "mark";
/// The variables that a program needs from this machine to start at all.
const INHERITED: [&str; 4] = ["PATH", "SYSTEMROOT", "PATHEXT", "COMSPEC"];
/// Variables with the same values on every machine, so that output does not depend on it.
const FIXED: [(&str, &str); 4] =
    [("NO_COLOR", "1"), ("LANG", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "dumb")];

impl Sandbox {
    /// Makes a new one.
    ///
    /// # Errors
    /// Returns an error if the directory for temporary files cannot be written.
    pub fn new() -> std::io::Result<Self> {
        let directory = TemporaryDirectory::new().map_err(|(_, error)| error)?;
        for place in ["home", "config", "data", "cache", "state", "tmp", "work"] {
            directory.create_directory(place)?;
        }
        Ok(Self {
            directory,
            program: OnceLock::new(),
            setting: OnceLock::new(),
            shown: Mutex::default(),
        })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// From now on calls in this sandbox start this copy: the tool may replace its own program.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn place_program(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        const PLACE: &str = "program";
        if self.program.get().is_none() {
            self.directory.create_directory(PLACE)?;
            self.directory.create_program(&format!("{PLACE}/{name}"), bytes)?;
            // Nobody else has this sandbox.
            let _ = self.program.set(self.path().join(PLACE).join(name));
        }
        Ok(())
    }

    /// From now on calls in this sandbox start what is at this place of it.
    pub fn start_at(&self, place: &str) {
        // The first one counts.
        let _ = self.program.set(self.path().join(place));
    }

    /// Makes a program below the sandbox, with the directories above it.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn place(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.directories_above(name)?;
        self.directory.create_program(name, bytes)
    }

    /// Makes a symbolic link below the sandbox, with the directories above it.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn link(&self, name: &str, target: &Path) -> std::io::Result<()> {
        self.directories_above(name)?;
        self.show(target);
        rights::link(target, &self.path().join(name))
    }

    /// From now on programs in this sandbox may read this file or directory too.
    pub fn show(&self, path: &Path) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.iter().any(|known| known == path) {
            shown.push(path.to_owned());
        }
    }

    /// Returns the paths outside the sandbox that programs in it may read.
    #[must_use]
    pub fn shown(&self) -> Vec<PathBuf> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn directories_above(&self, name: &str) -> std::io::Result<()> {
        for (at, _) in name.match_indices('/') {
            match self.directory.create_directory(&name[..at]) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(error);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// True if the mark of the sandbox exists: a file of this name in it.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        matches!(files::kind(&self.path().join(MARK)), Ok(files::Kind::File { .. }))
    }

    /// The copy that calls start in place of the tool's program.
    #[must_use]
    pub fn program(&self) -> Option<&Path> {
        self.program.get().map(PathBuf::as_path)
    }

    /// From now on calls in this sandbox run in this directory, with these words before those of the call; the first
    /// place counts.
    pub fn run_in(&self, directory: PathBuf, prefix: Vec<String>) {
        // Nobody else has this sandbox.
        let _ = self.setting.set((directory, prefix));
    }

    /// Returns the directory of calls in place of the tool's own, and the words before those of the call.
    #[must_use]
    pub fn setting(&self) -> Option<(&Path, &[String])> {
        self.setting.get().map(|(directory, prefix)| (directory.as_path(), prefix.as_slice()))
    }

    /// An empty directory to run in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// Makes a directory below the sandbox; its parent must be there.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn directory(&self, name: &str) -> std::io::Result<()> {
        self.directory.create_directory(name)
    }

    /// Takes a directory of the sandbox away, with everything in it.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn discard(&self, name: &str) -> std::io::Result<()> {
        self.directory.discard(name)
    }

    /// Makes a file below the sandbox.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn file(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.directory.create_file(name)?.write(bytes)
    }

    /// All variables of a program in this sandbox, before those of the call.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let place = |(name, place): (&str, &str)| {
            (name.to_owned(), self.path().join(place).display().to_string())
        };
        let inherited = INHERITED
            .into_iter()
            .filter_map(|name| environment::read(name).map(|value| (name.to_owned(), value)));
        let fixed = FIXED.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        PLACES.into_iter().map(place).chain(inherited).chain(fixed).collect()
    }
}
