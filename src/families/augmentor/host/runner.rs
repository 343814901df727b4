//! The files of the runners, written to a private directory for each package that is loaded.

use std::path::Path;

use crate::system::files::{self, Mode};
use crate::system::temporary::TemporaryDirectory;

const PYTHON: [(&str, &str); 4] = [
    ("runner.py", include_str!("../runner/runner.py")),
    ("package.py", include_str!("../runner/package.py")),
    ("values.py", include_str!("../runner/values.py")),
    ("observe.py", include_str!("../runner/observe.py")),
];
const NODE: [(&str, &str); 4] = [
    ("runner.mjs", include_str!("../runner/runner.mjs")),
    ("package.mjs", include_str!("../runner/package.mjs")),
    ("values.mjs", include_str!("../runner/values.mjs")),
    ("observe.mjs", include_str!("../runner/observe.mjs")),
];

/// The directory of the files, and the one in which the process runs.
pub const FILES: &str = "runner";
pub const WORK: &str = "work";

/// Writes the files of one language and returns the name of the one to start.
///
/// # Errors
/// If the system reports an error.
pub fn write(directory: &TemporaryDirectory, runtime: &str) -> std::io::Result<&'static str> {
    let (names, first) = match runtime {
        "python" => (PYTHON, "runner.py"),
        _ => (NODE, "runner.mjs"),
    };
    directory.create_directory(FILES)?;
    directory.create_directory(WORK)?;
    let folder: &Path = &directory.path().join(FILES);
    for (name, text) in names {
        files::write_new(&folder.join(name), text.as_bytes(), Mode::Plain)?;
    }
    Ok(first)
}
