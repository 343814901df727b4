//! Records every installed copy before the installer runs, until all copies were examined again.
//!
//! If a sync is killed, the record remains: a copy that differs from it was changed by the installer, not by the user.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::strict_json;
use crate::system::files::{self, Kind, Mode};

use super::backup;
use super::examination::{Examined, SkillExamination};
use super::report::KeptCopy;

/// In the state directory.
const FILE: &str = "skill-sync.json";
/// Largest list, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// Each copy by its path.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Journal(BTreeMap<String, JournalCopy>);

/// The recorded state of a copy.
#[derive(Clone, Debug, Eq, PartialEq)]
struct JournalCopy {
    /// `None` when it could not be read.
    fingerprint: Option<String>,
    /// The target of its path.
    real: String,
    /// Its backup, if only the user may replace the copy.
    kept: Option<String>,
}

impl Journal {
    #[must_use]
    pub fn of(before: &SkillExamination, own: &[KeptCopy]) -> Self {
        let entry = |examined: &Examined| {
            let real = text(&examined.place.real);
            let fingerprint = examined.fingerprint.clone();
            let kept = own.iter().find(|kept| kept.place == examined.place.path);
            let kept = kept.map(|kept| text(&kept.backup));
            (text(&examined.place.path), JournalCopy { fingerprint, real, kept })
        };
        Self(before.places.iter().map(entry).collect())
    }

    /// The record of a killed sync. An unreadable record has no copies, so that no copy is treated as the user's.
    #[must_use]
    pub fn load(state: &Path) -> Option<Self> {
        let path = state.join(FILE);
        if matches!(files::kind(&path), Ok(Kind::Absent) | Err(_)) {
            return None;
        }
        let loaded = files::read(&path, MAX_FILE).ok();
        Some(loaded.and_then(|loaded| parse(&loaded.bytes)).unwrap_or_default())
    }

    /// Writes the record durably.
    ///
    /// # Errors
    /// If the system reports an error; an earlier file is kept.
    pub fn save(&self, state: &Path) -> io::Result<()> {
        files::create_private_directory(state)?;
        let entry = |(path, entry): (&String, &JournalCopy)| {
            let JournalCopy { fingerprint, real, kept } = entry;
            json!({ "path": path, "fingerprint": fingerprint, "real": real, "kept": kept })
        };
        let places: Vec<_> = self.0.iter().map(entry).collect();
        let document = json!({ "format": 1, "places": places });
        let staged = state.join(format!("{FILE}.{}", backup::unique()?));
        files::write_new(&staged, format!("{document}\n").as_bytes(), Mode::Secret)?;
        files::sync(&staged).and_then(|()| files::rename(&staged, &state.join(FILE))).inspect_err(
            |_| {
                let _ = files::remove_file(&staged);
            },
        )?;
        files::sync(state)
    }

    /// Removes the record after all copies were examined.
    ///
    /// # Errors
    /// If the system reports an error.
    pub fn end(state: &Path) -> io::Result<()> {
        match files::remove_file(&state.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// True if the copy was changed or created since then.
    #[must_use]
    pub fn is_changed(&self, examined: &Examined) -> bool {
        let before = self.0.get(&text(&examined.place.path));
        before.is_none_or(|before| before.fingerprint != examined.fingerprint)
    }

    /// True if the copy is a link that did not lead there then.
    #[must_use]
    pub fn is_redirected(&self, examined: &Examined) -> bool {
        let before = self.0.get(&text(&examined.place.path));
        let real = text(&examined.place.real);
        examined.place.is_link && before.is_none_or(|before| before.real != real)
    }

    /// The user's own copies, which are kept in `state`.
    #[must_use]
    pub fn own(&self, state: &Path) -> Vec<KeptCopy> {
        let kept = self.0.iter().filter_map(|(path, entry)| {
            let backup = PathBuf::from(entry.kept.as_ref()?);
            backup::is_in(&backup, state).then(|| KeptCopy { place: PathBuf::from(path), backup })
        });
        kept.collect()
    }

    /// Paths of copies that no longer exist.
    #[must_use]
    pub fn gone(&self) -> Vec<PathBuf> {
        let paths = self.0.keys().map(PathBuf::from).filter(|path| path.is_absolute());
        paths.filter(|path| matches!(files::kind(path), Ok(Kind::Absent))).collect()
    }
}

fn parse(bytes: &[u8]) -> Option<Journal> {
    let document = strict_json::read(std::str::from_utf8(bytes).ok()?).ok()?;
    let entry = |place: &Value| {
        let text = |name: &str| place.get(name)?.as_str().map(str::to_owned);
        let optional = |name: &str| match place.get(name)? {
            Value::Null => Some(None),
            _ => text(name).map(Some),
        };
        let (fingerprint, kept) = (optional("fingerprint")?, optional("kept")?);
        Some((text("path")?, JournalCopy { fingerprint, real: text("real")?, kept }))
    };
    document.get("places")?.as_array()?.iter().map(entry).collect::<Option<_>>().map(Journal)
}

fn text(path: &Path) -> String {
    // Two different paths that are not UTF-8 must stay different.
    path.to_str().map_or_else(|| format!("{:?}", PathBuf::from(path)), str::to_owned)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out directories")]
mod tests {
    use super::*;

    #[test]
    fn a_journal_survives_and_ends() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(Journal::load(state.path()), None);
        let entry = |fingerprint: Option<&str>| JournalCopy {
            fingerprint: fingerprint.map(str::to_owned),
            real: "/real".to_owned(),
            kept: None,
        };
        let places = [("/a".to_owned(), entry(Some("x"))), ("/b".to_owned(), entry(None))];
        let journal = Journal(places.into());
        journal.save(state.path()).unwrap();
        assert_eq!(Journal::load(state.path()), Some(journal));
        Journal::end(state.path()).unwrap();
        assert_eq!(Journal::load(state.path()), None);
        Journal::end(state.path()).unwrap();
    }

    #[test]
    fn a_journal_that_cannot_be_read_knows_nothing() {
        let state = tempfile::tempdir().unwrap();
        for text in ["", "{", "[]", "{\"places\":[{\"path\":1}]}"] {
            std::fs::write(state.path().join(FILE), text).unwrap();
            assert_eq!(Journal::load(state.path()), Some(Journal::default()), "{text}");
        }
    }
}
