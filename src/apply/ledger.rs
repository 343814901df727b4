//! The directories that this machine has created in trees and not removed yet: one file each in the state directory.
//!
//! The files of a tree prove nothing, because a repository can contain them. A directory of aos is believed, and
//! removed, only when the ledger has it for exactly this place.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::plan::digest::hex;
use crate::system::files::{self, Kind, Mode};
use crate::system::machine_secret::{self, SecretError};
use crate::system::{clock, random};

/// Directory of the ledger in the state directory.
const DIRECTORY: &str = "writes";
/// Largest entry, in bytes.
const MAX_ENTRY: u64 = 64 * 1024;
/// Entries whose directory no longer exists are removed after this time, in seconds.
const FORGOTTEN_AFTER: u64 = 24 * 60 * 60;

/// A directory of aos in a tree.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    /// 16 random hex digits in the name of the directory.
    pub id: String,
    /// `None` where the state directory cannot be written.
    file: Option<PathBuf>,
    /// Its canonical parent directory, as hex of its bytes.
    root: String,
    /// Seal of the journal, once there is one.
    pub seal: Option<String>,
}

/// The bytes of a path, to seal and compare.
#[must_use]
pub fn bytes(root: &Path) -> Vec<u8> {
    let root = files::canonical(root).unwrap_or_else(|_| root.to_owned());
    root.as_os_str().as_encoded_bytes().to_vec()
}

/// True if `text` can be the id of an entry.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

impl LedgerEntry {
    /// A new entry for a directory that will be created in `root`. If the state directory is not writable, there is no
    /// entry, and later runs neither complete nor remove what a kill leaves.
    ///
    /// # Errors
    /// Returns an error if the system has no source of randomness.
    pub fn open(root: &Path) -> io::Result<Self> {
        let id = hex(&random::bytes::<8>()?);
        let mut entry = Self { file: None, root: hex(&bytes(root)), seal: None, id };
        entry.file = entry.recorded().ok();
        Ok(entry)
    }

    fn recorded(&self) -> Result<PathBuf, SecretError> {
        let directory = machine_secret::state_directory()?.join(DIRECTORY);
        files::create_private_directory(&directory).map_err(SecretError::io(&directory))?;
        prune(&directory);
        let file = directory.join(&self.id);
        self.write(&file).map(|()| file)
    }

    /// The entry of `id`; `None` when this machine has none. It may be of another directory.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        if !is_id(id) {
            return None;
        }
        let file = machine_secret::state_directory().ok()?.join(DIRECTORY).join(id);
        let loaded = files::read(&file, MAX_ENTRY).ok()?;
        let document: Value = serde_json::from_slice(&loaded.bytes).ok()?;
        let text = |name: &str| document[name].as_str().map(str::to_owned);
        Some(Self { root: text("root")?, seal: text("seal"), id: id.to_owned(), file: Some(file) })
    }

    /// True if the entry is of a directory in `root`.
    #[must_use]
    pub fn is_of(&self, root: &Path) -> bool {
        self.root == hex(&bytes(root))
    }

    /// Adds the seal of the journal; durable before the journal counts.
    ///
    /// # Errors
    /// Returns an error if the state directory cannot be written.
    pub fn seal(&mut self, seal: String) -> Result<(), SecretError> {
        self.seal = Some(seal);
        let Some(file) = &self.file else { return Ok(()) };
        let staged = file.with_extension("new");
        self.write(&staged)?;
        files::rename(&staged, file).map_err(SecretError::io(file))
    }

    /// Removes the entry after the directory was removed.
    pub fn close(&self) {
        // A remaining entry names a random directory that is never created again, and is removed later.
        if let Some(file) = &self.file {
            let _ = files::remove_file(file);
        }
    }

    fn write(&self, file: &Path) -> Result<(), SecretError> {
        let text = json!({"root": self.root, "seal": self.seal, "opened": clock::now_seconds()});
        files::write_new(file, text.to_string().as_bytes(), Mode::Secret)
            .and_then(|()| files::sync(file))
            .map_err(SecretError::io(file))
    }
}

/// Removes entries of runs that were killed long ago and whose directory no longer exists.
fn prune(directory: &Path) {
    let now = clock::now_seconds();
    for name in files::names(directory).unwrap_or_default() {
        let file = directory.join(&name);
        let Ok(loaded) = files::read(&file, MAX_ENTRY) else { continue };
        let document: Value = serde_json::from_slice(&loaded.bytes).unwrap_or_default();
        let opened = document["opened"].as_u64().unwrap_or_default();
        let root = document["root"].as_str().and_then(unhex);
        let id = name.to_string_lossy();
        let is_gone = root.is_none_or(|root| {
            let names = [
                super::names::JOURNAL_DIRECTORY.to_owned(),
                format!("{}{id}", super::names::DRAFT_PREFIX),
                format!("{}{id}", super::names::STAGING_PREFIX),
            ];
            names.iter().all(|name| matches!(files::kind(&root.join(name)), Ok(Kind::Absent)))
        });
        if is_gone && now.saturating_sub(opened) > FORGOTTEN_AFTER {
            let _ = files::remove_file(&file);
        }
    }
}

fn unhex(text: &str) -> Option<PathBuf> {
    let digits = text.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    let bytes = digits.collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
