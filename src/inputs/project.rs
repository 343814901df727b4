//! One project directory: its root, its records, its family.

use std::path::{Path, PathBuf};

use crate::contract::family::Marker;
use crate::contract::pyproject::Pyproject;
use crate::contract::tag::TagError;
use crate::contract::{Family, SpecTag, json};
use crate::generate::lock::{LOCK_PATH, Lock};
use crate::generate::record::{PIN_PATH, RECORD_PATH, Record};
use crate::generate::record_text::RecordError;
use crate::system::files::{self, Kind};

/// Largest record, in bytes.
const MAX_RECORD: u64 = 1024 * 1024;
/// Largest manifest of a package, in bytes.
const MAX_MANIFEST: u64 = 2 * 1024 * 1024;
/// The directory of an interrupted write; see `apply`.
pub const TRANSACTION_DIRECTORY: &str = ".aos-transaction";

/// A record that may be missing or invalid; each state has its own verdict.
#[derive(Clone, Debug)]
pub enum Slot<T> {
    Absent,
    Faulty { reason: String, line: Option<u32> },
    Good(T),
}

impl<T> Slot<T> {
    #[must_use]
    pub fn good(&self) -> Option<&T> {
        match self {
            Self::Good(value) => Some(value),
            Self::Absent | Self::Faulty { .. } => None,
        }
    }
}

/// A project on disk.
#[derive(Clone, Debug)]
pub struct Project {
    /// Canonical root directory.
    pub root: PathBuf,
    /// The path as the user gave it, for messages.
    pub shown: String,
    /// Name of the directory as its parent knows it.
    pub directory_name: String,
    pub directory_is_symlink: bool,
    pub family: Family,
    pub record: Slot<Record>,
    pub pin: Slot<SpecTag>,
    /// The pin's bytes are exactly those that aos writes.
    pub lock: Slot<Lock>,
    pub has_transaction: bool,
}

/// Why a path is not a project.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("`{}` does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("`{}` is not in a project: neither it nor a directory above has aos.toml, connector.json or a vendored contract", path.display())]
    NotAProject { path: PathBuf },
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
}

impl Project {
    /// Opens the project that `path` is in.
    ///
    /// # Errors
    /// Returns an error if the path does not exist or no directory above it is a project.
    pub fn open(path: &Path) -> Result<Self, ProjectError> {
        let directory_is_symlink = matches!(files::kind(path), Ok(Kind::Symlink));
        let start = files::canonical(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => ProjectError::Missing { path: path.to_owned() },
            _ => ProjectError::Read { path: path.to_owned(), source },
        })?;
        let start = match files::kind(&start) {
            Ok(Kind::Directory) => start,
            _ => start.parent().map(Path::to_owned).unwrap_or(start),
        };
        let root = start
            .ancestors()
            .find(|directory| is_project(directory))
            .ok_or_else(|| ProjectError::NotAProject { path: path.to_owned() })?
            .to_owned();
        let shown =
            if root == start { path.display().to_string() } else { root.display().to_string() };
        // A link counts as the link's own name: that is what a connector host sees.
        let named = if directory_is_symlink { path } else { &root };
        let directory_name =
            named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self::load(root, shown, directory_name, directory_is_symlink))
    }

    fn load(
        root: PathBuf,
        shown: String,
        directory_name: String,
        directory_is_symlink: bool,
    ) -> Self {
        let record = slot(&root, RECORD_PATH, |bytes| Record::parse(bytes).map_err(record_fault));
        let pin = slot(&root, PIN_PATH, |bytes| {
            SpecTag::parse_pin(bytes).map_err(|error| pin_fault(&error))
        });
        let lock = slot(&root, LOCK_PATH, |bytes| Lock::parse(bytes).map_err(record_fault));
        let family = record
            .good()
            .map(|record| record.family)
            .or_else(|| lock.good().map(|lock| lock.family))
            .unwrap_or_else(|| family_of(&root));
        let has_transaction =
            !matches!(files::kind(&root.join(TRANSACTION_DIRECTORY)), Ok(Kind::Absent));
        Self {
            root,
            shown,
            directory_name,
            directory_is_symlink,
            family,
            record,
            pin,
            lock,
            has_transaction,
        }
    }

    /// An answer in the record.
    #[must_use]
    pub fn answer(&self, key: &str) -> Option<String> {
        self.record.good()?.answers.get(key).cloned()
    }

    /// A text member of a JSON file of the project.
    #[must_use]
    pub fn member(&self, path: &str, name: &str) -> Option<String> {
        let loaded = files::read(&self.root.join(path), MAX_MANIFEST).ok()?;
        let value = json::parse(&loaded.bytes).ok()?;
        value.get(name).and_then(serde_json::Value::as_str).map(str::to_owned)
    }

    /// The name of the package that a pyproject.toml of the project describes.
    #[must_use]
    pub fn python_name(&self, path: &str) -> Option<String> {
        let loaded = files::read(&self.root.join(path), MAX_MANIFEST).ok()?;
        let text = String::from_utf8(loaded.bytes).ok()?;
        Pyproject::read(&text).ok()?.name.map(|name| name.value)
    }

    /// Reads the records again, after something was written.
    #[must_use]
    pub fn reload(self) -> Self {
        Self::load(self.root, self.shown, self.directory_name, self.directory_is_symlink)
    }
}

/// True if `directory` is a project, or could be adopted.
#[must_use]
pub fn is_project(directory: &Path) -> bool {
    let fixed = [RECORD_PATH, PIN_PATH, "contract/contract.json", TRANSACTION_DIRECTORY];
    let of_families = Family::all().into_iter().filter_map(|family| match family.marker() {
        Marker::File(path) => Some(path),
        Marker::Rest | Marker::Record => None,
    });
    fixed.into_iter().chain(of_families).any(|marker| is_there(directory, marker))
}

/// The family of a project without a record: one of them takes what no other recognizes.
fn family_of(root: &Path) -> Family {
    let families = Family::all();
    let marked = families.iter().find(|family| match family.marker() {
        Marker::File(path) => is_there(root, path),
        Marker::Rest | Marker::Record => false,
    });
    let rest = || families.iter().find(|family| family.marker() == Marker::Rest);
    marked.or_else(rest).copied().unwrap_or(Family::UNKNOWN)
}

fn is_there(root: &Path, path: &str) -> bool {
    !matches!(files::kind(&root.join(path)), Ok(Kind::Absent) | Err(_))
}

type LineFault = (String, Option<u32>);

fn slot<T>(root: &Path, path: &str, parse: impl Fn(&[u8]) -> Result<T, LineFault>) -> Slot<T> {
    match files::read(&root.join(path), MAX_RECORD) {
        Ok(loaded) => match parse(&loaded.bytes) {
            Ok(value) => Slot::Good(value),
            Err((reason, line)) => Slot::Faulty { reason, line },
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Slot::Absent,
        Err(error) => {
            let reason = match files::kind(&root.join(path)) {
                Ok(Kind::Symlink) => "it is a symbolic link".to_owned(),
                Ok(Kind::Directory) => "it is a directory".to_owned(),
                _ => error.to_string(),
            };
            Slot::Faulty { reason, line: None }
        }
    }
}

fn record_fault(error: RecordError) -> LineFault {
    let line = match &error {
        RecordError::Syntax { line, .. } => *line,
        RecordError::Member { .. } | RecordError::LockVersion(_) => None,
    };
    (error.to_string(), line)
}

fn pin_fault(error: &TagError) -> LineFault {
    (error.to_string(), Some(1))
}
