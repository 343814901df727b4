//! `--report FORMAT=FILE`: the result for other programs, in a file that a person names.

use std::path::{Path, PathBuf};

use crate::error::{io_code, io_hint};
use crate::report::conformance::{Conformance, junit, sarif};
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Kind, Mode};

/// A file to write, and in which format.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReportFile {
    format: Format,
    path: PathBuf,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Format {
    Junit,
    Sarif,
}

impl ReportFile {
    /// Parses `junit=FILE` or `sarif=FILE`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let parsed = text.split_once('=').filter(|(_, path)| !path.is_empty());
        let format = parsed.and_then(|(format, _)| match format {
            "junit" => Some(Format::Junit),
            "sarif" => Some(Format::Sarif),
            _ => None,
        });
        match (format, parsed) {
            (Some(format), Some((_, path))) => Ok(Self { format, path: PathBuf::from(path) }),
            _ => {
                let shown = text.chars().take(80).collect::<String>();
                let message = format!("`{}` is no report", shown.escape_debug());
                Err(Failure::new(ErrorCode::Validation, message)
                    .hint("write `--report junit=FILE` or `--report sarif=FILE`"))
            }
        }
    }

    /// Writes the report; one that is there already is replaced as a whole.
    ///
    /// # Errors
    /// When something other than a file is there, or the directory cannot be written.
    pub fn write(&self, conformance: &Conformance) -> Result<(), Failure> {
        let text = match self.format {
            Format::Junit => junit::render(conformance),
            Format::Sarif => sarif::render(conformance),
        };
        put(&self.path, text.as_bytes()).map_err(|error| {
            let message =
                format!("the report `{}` cannot be written: {error}", self.path.display());
            Failure::new(io_code(&error), message).hint(io_hint(&error))
        })
    }
}

fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.ok_or_else(|| std::io::Error::other("it names no file"))?;
    match files::kind(path)? {
        Kind::Absent => return files::write_new(path, bytes, Mode::Plain),
        Kind::File { .. } => {}
        Kind::Directory | Kind::Symlink | Kind::Other => {
            return Err(std::io::Error::other("something other than a plain file is there"));
        }
    }
    let suffix = crate::system::random::bytes::<6>()?.map(|byte| format!("{byte:02x}")).concat();
    let staged = path.with_file_name(format!(".{name}.{suffix}"));
    files::write_new(&staged, bytes, Mode::Plain)?;
    files::rename(&staged, path).inspect_err(|_| {
        // What cannot be put in place is not left beside it.
        let _ = files::remove_file(&staged);
    })
}
