//! The files of a template of the user's own, in memory: read from a directory or an archive, packed, and their digest.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use crate::plan::{Digest, RelativePath};
use crate::release::archive::{self, ArchiveError, KeptFile, Layout};
use crate::system::files::{self, Kind};

use super::fault::{TemplateError, TemplateFault};

/// Description of a template.
pub const INFO: &str = "template.toml";
/// Directories whose files belong to a template; everything else beside them is not part of it.
const PARTS: [&str; 2] = ["files", "presets"];
/// Largest number of files.
const MAX_FILES: usize = 900;
/// Largest file, in bytes.
pub const MAX_FILE: u64 = 4 * 1024 * 1024;
/// Largest template, in bytes.
const MAX_TREE: u64 = 16 * 1024 * 1024;
/// Most faults that are listed.
const MAX_FAULTS: usize = 100;
const LINK: &str = "it is a symbolic link, which no template may contain";
/// Deepest directory.
const MAX_DEPTH: usize = 32;
/// Directory inside the archive.
const TOP: &str = "template";

/// A template, by path relative to its directory.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TemplateTree(BTreeMap<RelativePath, Vec<u8>>);

impl TemplateTree {
    /// Reads `template.toml`, `files/` and `presets/` of a directory; `name` is for messages.
    ///
    /// # Errors
    /// Returns an error if something in it is a link or special, has a name that not every system supports, or is too
    /// large.
    pub fn read(directory: &Path, name: &str) -> Result<Self, TemplateError> {
        let unreadable =
            |path: &Path, source| TemplateError::Read { path: path.to_owned(), source };
        match files::kind(&directory.join(INFO)) {
            Ok(Kind::Absent) => return Err(TemplateError::NotATemplate { name: name.to_owned() }),
            Ok(_) => {}
            Err(source) => return Err(unreadable(directory, source)),
        }
        let mut tree = GrowingTree { name, ..GrowingTree::default() };
        match files::kind(&directory.join(INFO)) {
            Ok(Kind::Symlink) => tree.refuse(INFO, LINK)?,
            _ => tree.add(INFO, &directory.join(INFO))?,
        }
        for part in PARTS {
            let root = directory.join(part);
            if matches!(files::kind(&root), Ok(Kind::Absent)) {
                continue;
            }
            let walk = walkdir::WalkDir::new(&root)
                .follow_links(false)
                .follow_root_links(false)
                .max_depth(MAX_DEPTH);
            for entry in walk.sort_by_file_name() {
                let entry = entry.map_err(|error| {
                    let path = error.path().unwrap_or(&root).to_owned();
                    unreadable(&path, error.into())
                })?;
                let inner = entry.path().strip_prefix(directory).unwrap_or(entry.path());
                let shown = inner.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
                if entry.file_type().is_dir() {
                    if entry.depth() == MAX_DEPTH {
                        tree.refuse(&shown, "the directory is too deep")?;
                    }
                    continue;
                }
                if inner.to_str().is_none() {
                    tree.refuse(&shown, "its name is not UTF-8")?;
                } else if entry.file_type().is_symlink() {
                    tree.refuse(&shown, LINK)?;
                } else {
                    tree.add(&shown, entry.path())?;
                }
            }
        }
        tree.finished()
    }

    /// A template whose files were read already.
    ///
    /// # Errors
    /// As [`TemplateTree::read`].
    pub fn of_files(
        all: impl IntoIterator<Item = (String, Vec<u8>)>,
        name: &str,
    ) -> Result<Self, TemplateError> {
        let mut tree = GrowingTree { name, ..GrowingTree::default() };
        for (path, bytes) in all {
            if is_part(&path) {
                tree.take(&path, bytes)?;
            }
        }
        if tree.faults.is_empty() && !tree.files.keys().any(|path| path.as_str() == INFO) {
            return Err(TemplateError::NotATemplate { name: name.to_owned() });
        }
        tree.finished()
    }

    #[must_use]
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.0.get(&RelativePath::parse(path).ok()?).map(Vec::as_slice)
    }

    /// In path order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// The digest of a list with a line `sha256:DIGEST  PATH` for each file, in path order: independent of archives.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let line = |(path, bytes): (&str, &[u8])| format!("{}  {path}\n", Digest::of(bytes));
        Digest::of(self.iter().map(line).collect::<String>().as_bytes())
    }

    /// The archive that a project keeps: the same bytes for the same template, in one version of aos.
    ///
    /// # Errors
    /// Returns an error if a path is too long for an archive.
    pub fn pack(&self) -> io::Result<Vec<u8>> {
        let compressed = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
        let mut packed = tar::Builder::new(compressed);
        for (path, bytes) in self.iter() {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            packed.append_data(&mut header, format!("{TOP}/{path}"), bytes)?;
        }
        packed.into_inner()?.finish()
    }

    /// The template in such an archive.
    ///
    /// # Errors
    /// Returns an error if the archive is damaged, or what is in it is not a template.
    pub fn unpack(archive: &[u8], name: &str) -> Result<Self, TemplateError> {
        let mut kept = KeptFile::below("", MAX_TREE);
        archive::read_as(archive, Layout::documents(TOP), &mut kept)
            .map_err(|error: ArchiveError| unusable(name, error.to_string()))?;
        Self::of_files(kept.files, name)
    }
}

/// True if a file of a directory belongs to the template.
#[must_use]
pub fn is_part(path: &str) -> bool {
    path == INFO
        || PARTS
            .iter()
            .any(|part| path.strip_prefix(part).is_some_and(|rest| rest.starts_with('/')))
}

pub fn unusable(name: &str, reason: impl Into<String>) -> TemplateError {
    TemplateError::Unusable { name: name.to_owned(), reason: reason.into() }
}

/// Files so far, within the limits.
#[derive(Default)]
struct GrowingTree<'a> {
    name: &'a str,
    files: BTreeMap<RelativePath, Vec<u8>>,
    /// Their paths in lower case.
    names: BTreeSet<String>,
    length: u64,
    faults: Vec<TemplateFault>,
}

impl GrowingTree<'_> {
    /// Notes a file that no template may contain, so that all of them are listed at once.
    fn refuse(&mut self, path: &str, reason: &str) -> Result<(), TemplateError> {
        self.faults.push(TemplateFault::new(path, None, reason));
        if self.faults.len() < MAX_FAULTS {
            return Ok(());
        }
        Err(self.refused())
    }

    fn refused(&mut self) -> TemplateError {
        let faults = std::mem::take(&mut self.faults);
        TemplateError::Faulty { name: self.name.to_owned(), faults }
    }

    fn add(&mut self, path: &str, place: &Path) -> Result<(), TemplateError> {
        let loaded = match files::read(place, MAX_FILE) {
            Ok(loaded) => loaded,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return self.refuse(path, &error.to_string());
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return self.refuse(path, "it is not a regular file");
            }
            Err(source) => return Err(TemplateError::Read { path: place.to_owned(), source }),
        };
        self.take(path, loaded.bytes)
    }

    fn take(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), TemplateError> {
        let parsed = match RelativePath::parse(path) {
            Ok(parsed) => parsed,
            Err(error) => {
                return self.refuse(path, &format!("its name is not allowed: {}", error.reason));
            }
        };
        self.length = self.length.saturating_add(bytes.len() as u64);
        if bytes.len() as u64 > MAX_FILE {
            return self.refuse(path, &format!("it is larger than {MAX_FILE} bytes"));
        }
        if self.length > MAX_TREE {
            return Err(unusable(self.name, format!("it is larger than {MAX_TREE} bytes")));
        }
        if self.files.len() == MAX_FILES {
            return Err(unusable(self.name, format!("it has more than {MAX_FILES} files")));
        }
        if !self.names.insert(parsed.case_key()) {
            let reason = "another file differs from it only in upper and lower case";
            return self.refuse(path, reason);
        }
        self.files.insert(parsed, bytes);
        Ok(())
    }

    fn finished(mut self) -> Result<TemplateTree, TemplateError> {
        if !self.faults.is_empty() {
            return Err(self.refused());
        }
        Ok(TemplateTree(self.files))
    }
}
