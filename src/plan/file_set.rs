//! Wanted files: sorted, without collisions.

use std::collections::BTreeMap;
use std::collections::btree_map;
use std::sync::Arc;

use super::digest::Digest;
use super::relative_path::{PathError, RelativePath};

/// The content of a regular file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Content {
    /// Shared, since plans, locks and reports all look at the same bytes.
    pub bytes: Arc<[u8]>,
    /// Whether the owner may execute it.
    pub executable: bool,
}

impl Content {
    #[must_use]
    pub fn plain(bytes: impl AsRef<[u8]>) -> Self {
        Self { bytes: Arc::from(bytes.as_ref()), executable: false }
    }

    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// Why a set of files cannot exist together.
#[derive(Debug, thiserror::Error)]
pub enum FileSetError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("`{0}` would be written twice")]
    Duplicate(RelativePath),
    #[error("`{0}` and `{1}` are the same file on a case-insensitive file system")]
    CaseCollision(RelativePath, RelativePath),
    #[error("`{0}` would be both a file and a directory")]
    FileAndDirectory(RelativePath),
}

/// Wanted files by path. Two names for one file cannot both be in it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileSet {
    files: BTreeMap<RelativePath, Content>,
    names: BTreeMap<String, RelativePath>,
}

impl FileSet {
    /// Adds one file.
    ///
    /// # Errors
    /// Returns an error if the path, or another spelling of it, is in the set already.
    pub fn insert(&mut self, path: RelativePath, content: Content) -> Result<(), FileSetError> {
        if let Some(other) = self.names.insert(path.case_key(), path.clone()) {
            self.names.insert(other.case_key(), other.clone());
            return Err(if other == path {
                FileSetError::Duplicate(path)
            } else {
                FileSetError::CaseCollision(other, path)
            });
        }
        self.files.insert(path, content);
        Ok(())
    }

    /// Adds all files of `other`.
    ///
    /// # Errors
    /// On the first path that is in both.
    pub fn extend(&mut self, other: Self) -> Result<(), FileSetError> {
        for (path, content) in other.files {
            self.insert(path, content)?;
        }
        Ok(())
    }

    /// Checks that no file is also wanted as a directory.
    ///
    /// # Errors
    /// Names the first such path.
    pub fn validate_tree(&self) -> Result<(), FileSetError> {
        for path in self.files.keys() {
            for ancestor in path.ancestors() {
                if let Some(file) = self.names.get(&ancestor.to_lowercase()) {
                    return Err(FileSetError::FileAndDirectory(file.clone()));
                }
            }
        }
        Ok(())
    }

    #[must_use]
    pub fn get(&self, path: &RelativePath) -> Option<&Content> {
        self.files.get(path)
    }

    pub fn iter(&self) -> btree_map::Iter<'_, RelativePath, Content> {
        self.files.iter()
    }

    pub fn paths(&self) -> impl Iterator<Item = &RelativePath> {
        self.files.keys()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl<'a> IntoIterator for &'a FileSet {
    type Item = (&'a RelativePath, &'a Content);
    type IntoIter = btree_map::Iter<'a, RelativePath, Content>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelativePath {
        RelativePath::parse(text).unwrap()
    }

    #[test]
    fn two_spellings_of_one_name_are_refused_and_the_first_stays() {
        let mut files = FileSet::default();
        files.insert(path("README.md"), Content::plain("a")).unwrap();
        let error = files.insert(path("readme.md"), Content::plain("b")).unwrap_err();
        assert!(matches!(error, FileSetError::CaseCollision(..)));
        assert_eq!(files.len(), 1);
        assert!(files.insert(path("README.md"), Content::plain("c")).is_err());
    }

    #[test]
    fn a_file_cannot_also_be_a_directory() {
        let mut files = FileSet::default();
        files.insert(path("a"), Content::plain("")).unwrap();
        files.insert(path("A/b"), Content::plain("")).unwrap();
        assert!(files.validate_tree().is_err());
    }
}
