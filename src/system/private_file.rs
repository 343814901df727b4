//! Files of aos's own state that are written whole or not at all, and that only the user may read.

use std::io;
use std::path::Path;

use super::files::{self, Mode};
use super::random;

/// Puts `bytes` in place of the file, and creates its directory. They are on the disk when this returns.
///
/// # Errors
/// Returns an error if one of them cannot be written; the old file is still there then.
pub fn replace(place: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(directory) = place.parent() {
        files::create_private_directory(directory)?;
    }
    let random: String = random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = place.with_extension(random);
    let written = files::write_new(&draft, bytes, Mode::Secret)
        .and_then(|()| files::sync(&draft))
        .and_then(|()| files::rename(&draft, place));
    if written.is_err() {
        let _ = files::remove_file(&draft);
    }
    written
}

/// Removes files beside `place`, the first by name, until there are at most `most` with it.
///
/// # Errors
/// Returns an error if the directory cannot be read, or one of them cannot be removed.
pub fn make_room(place: &Path, most: usize) -> io::Result<()> {
    let Some(directory) = place.parent() else { return Ok(()) };
    files::create_private_directory(directory)?;
    let mut names = files::names(directory)?;
    names.retain(|name| Some(name.as_os_str()) != place.file_name());
    names.sort();
    let surplus = (names.len() + 1).saturating_sub(most);
    for name in names.iter().take(surplus) {
        files::remove_file(&directory.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_makes_room_for_itself() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("inner");
        for name in ["a", "b", "c", "d"] {
            make_room(&inner.join(name), 3).unwrap();
            replace(&inner.join(name), name.as_bytes()).unwrap();
        }
        replace(&inner.join("d"), b"again").unwrap();
        make_room(&inner.join("d"), 3).unwrap();
        assert_eq!(files::names(&inner).unwrap(), ["b", "c", "d"]);
        assert_eq!(files::read(&inner.join("d"), 10).unwrap().bytes, b"again");
        assert!(files::is_private(&inner.join("d")).unwrap());
    }
}
