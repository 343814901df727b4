//! Private copies of a project, for what must look at a whole tree. The project itself is not written.

use std::path::Path;

use crate::contract::ProjectFiles;
use crate::error::{io_code, io_hint};
use crate::report::Failure;
use crate::system::files::{self, Mode};
use crate::system::temporary::TemporaryDirectory;

/// A copy of `files` in a directory called `name`, with programs instead of or beside them.
///
/// # Errors
/// Returns an error if the system reports one.
pub fn make(
    name: &str,
    files: &ProjectFiles,
    programs: &[(&str, &str)],
) -> std::io::Result<TemporaryDirectory> {
    let directory = TemporaryDirectory::new().map_err(|(_, error)| error)?;
    let root = directory.path().join(name);
    create(directory.path(), &root)?;
    let is_program = |path: &str| programs.iter().any(|(program, _)| *program == path);
    let copied = files
        .files
        .iter()
        .filter(|(path, _)| !is_program(path))
        .map(|(path, file)| (path.as_str(), file.bytes.as_slice(), file.executable));
    let added = programs.iter().map(|(path, text)| (*path, text.as_bytes(), true));
    for (path, bytes, executable) in copied.chain(added) {
        let place = root.join(path);
        if let Some(parent) = place.parent() {
            create(directory.path(), parent)?;
        }
        let mode = if executable { Mode::Executable } else { Mode::Plain };
        files::write_new(&place, bytes, mode)?;
    }
    Ok(directory)
}

fn create(above: &Path, directory: &Path) -> std::io::Result<()> {
    if directory == above || matches!(files::kind(directory)?, files::Kind::Directory) {
        return Ok(());
    }
    if let Some(parent) = directory.parent() {
        create(above, parent)?;
    }
    files::create_directory(directory)
}

/// Returns the error for a copy that cannot be made.
#[must_use]
pub fn failure(error: &std::io::Error) -> Failure {
    Failure::new(io_code(error), format!("a copy of the project cannot be made: {error}"))
        .hint(io_hint(error))
}
