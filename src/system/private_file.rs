//! Files of aos's own state that are written whole or not at all, and that only the user may read.

use std::io;
use std::path::Path;

use super::files::{self, Mode};
use super::random;

/// Puts `bytes` in place of the file, and creates its directory. They are on the disk when this returns.
///
/// # Errors
/// When one of them cannot be written; the old file is still there then.
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
