//! The state of a project before an upgrade with conflicts, from which it can be restored byte for byte.
//!
//! One file for a project, in the state directory and not in the tree, because a repository could contain one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::plan::digest::hex;
use crate::plan::{Content, Digest, Plan, RelativePath};
use crate::system::files::{self, Kind};
use crate::system::machine_secret::{self, SecretError};
use crate::system::private_file;

use super::fault::ApplyError;
use super::ledger;

/// Directory of these files in the state directory.
const DIRECTORY: &str = "undo";
/// Largest file, in bytes.
const MAX_KEPT: u64 = 256 * 1024 * 1024;

/// One file that the change touched.
#[derive(Clone, Debug)]
pub struct Former {
    pub path: RelativePath,
    /// The old content; `None` if the change created the file.
    pub before: Option<Content>,
    /// The new content; `None` if the change removed the file.
    pub after: Option<Digest>,
}

/// The state before a change.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    pub files: Vec<Former>,
    /// Directories that the change created, outermost first.
    pub directories: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct Header {
    root: String,
    /// Identifies the change; the state of another change is not restored.
    change: String,
    files: Vec<Line>,
    directories: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct Line {
    path: String,
    length: Option<usize>,
    executable: bool,
    after: Option<String>,
}

/// Keeps the state before `plan`, which is called `change`.
///
/// # Errors
/// Returns an error if the state directory cannot be written.
pub fn keep(root: &Path, plan: &Plan, change: &str) -> Result<(), ApplyError> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut lines = Vec::new();
    for edit in plan.edits() {
        let before = edit.before.as_ref();
        lines.push(Line {
            path: edit.path.to_string(),
            length: before.map(|content| content.bytes.len()),
            executable: before.is_some_and(|content| content.executable),
            after: edit.after.as_ref().map(|content| content.digest().to_string()),
        });
        bytes.extend(before.iter().flat_map(|content| content.bytes.iter()));
    }
    let header = Header {
        root: hex(&ledger::bytes(root)),
        change: change.to_owned(),
        files: lines,
        directories: missing(root, plan),
    };
    let failed = |error: serde_json::Error| {
        ApplyError::io("write the state before", root)(std::io::Error::other(error))
    };
    let mut text = serde_json::to_vec(&header).map_err(failed)?;
    text.push(b'\n');
    text.extend(bytes);
    let place = place(root)?;
    private_file::replace(&place, &text).map_err(SecretError::io(&place))?;
    Ok(())
}

/// The state before `change`; `None` when this machine did not create it.
///
/// # Errors
/// Returns an error if what is kept cannot be read.
pub fn find(root: &Path, change: &str) -> Result<Option<Undo>, ApplyError> {
    let place = place(root)?;
    if files::kind(&place).map_err(SecretError::io(&place))? == Kind::Absent {
        return Ok(None);
    }
    let loaded = files::read(&place, MAX_KEPT).map_err(SecretError::io(&place))?;
    Ok(parse(&loaded.bytes, &hex(&ledger::bytes(root)), change))
}

/// Forgets the state before a change that is done with.
pub fn forget(root: &Path) {
    if let Ok(place) = place(root) {
        // A journal that remains belongs to another change from now on, and must not restore anything.
        let _ = files::remove_file(&place);
    }
}

fn parse(bytes: &[u8], root: &str, change: &str) -> Option<Undo> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header: Header = serde_json::from_slice(&bytes[..end]).ok()?;
    if header.root != root || header.change != change {
        return None;
    }
    let mut rest = &bytes[end + 1..];
    let mut undo = Undo { directories: header.directories, ..Undo::default() };
    for line in header.files {
        let before = match line.length {
            Some(length) => {
                let (content, others) = rest.split_at_checked(length)?;
                rest = others;
                Some(Content { bytes: content.into(), executable: line.executable })
            }
            None => None,
        };
        let after = match line.after {
            Some(text) => Some(Digest::parse(&text)?),
            None => None,
        };
        undo.files.push(Former { path: RelativePath::parse(&line.path).ok()?, before, after });
    }
    rest.is_empty().then_some(undo)
}

/// Directories that `plan` needs and that are not there.
fn missing(root: &Path, plan: &Plan) -> Vec<String> {
    let written = plan.edits().iter().filter(|edit| edit.after.is_some());
    let mut missing: Vec<_> = written
        .flat_map(|edit| edit.path.ancestors())
        .filter(|ancestor| matches!(files::kind(&root.join(ancestor)), Ok(Kind::Absent)))
        .map(str::to_owned)
        .collect();
    missing.sort();
    missing.dedup();
    missing
}

/// Removes the directories of `undo` that are empty.
pub fn remove_directories(root: &Path, undo: &Undo) {
    for directory in undo.directories.iter().rev() {
        if RelativePath::parse(directory).is_ok() {
            let _ = files::remove_empty_directory(&root.join(directory));
        }
    }
}

fn place(root: &Path) -> Result<PathBuf, SecretError> {
    let name = Digest::of(&ledger::bytes(root)).to_string();
    let name = name.rsplit(':').next().unwrap_or_default().to_owned();
    Ok(machine_secret::state_directory()?.join(DIRECTORY).join(name))
}
