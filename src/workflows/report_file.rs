//! `--report FORMAT=FILE`: the result for other programs, in a file that a person names.

use std::path::{Path, PathBuf};

use crate::error::{io_code, io_hint};
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Kind, Mode};
use crate::visible::excerpt;

/// Largest file that is recognized as an earlier report, in bytes.
const MAX_REPORT: u64 = 256 * 1024 * 1024;

/// A file to write, and in which format.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReportFile {
    pub format: &'static str,
    path: PathBuf,
}

impl ReportFile {
    /// Parses `FORMAT=FILE` with one of `formats`, and sees whether each file can be written: a run takes minutes, and
    /// its result must have a place.
    ///
    /// # Errors
    /// Returns an error if one is something else, two are the same file, or one cannot be written.
    pub fn all(texts: &[String], formats: &[&'static str]) -> Result<Vec<Self>, Failure> {
        let mut files: Vec<(PathBuf, Self)> = Vec::new();
        for text in texts {
            let file = Self::parse(text, formats)?;
            let place = file.place().map_err(|error| file.fault(&error))?;
            if files.iter().any(|(other, _)| *other == place) {
                let message =
                    format!("two reports would be written to the file `{}`", file.path.display());
                return Err(Failure::new(ErrorCode::Validation, message)
                    .hint("use a different file for each `--report`"));
            }
            files.push((place, file));
        }
        for (_, file) in &files {
            file.rehearse()?;
        }
        Ok(files.into_iter().map(|(_, file)| file).collect())
    }

    fn parse(text: &str, formats: &[&'static str]) -> Result<Self, Failure> {
        let parsed = text.split_once('=').filter(|(_, path)| !path.is_empty());
        let format =
            parsed.and_then(|(name, _)| formats.iter().copied().find(|format| *format == name));
        match (format, parsed) {
            (Some(_), Some((_, "-"))) => {
                let message =
                    "a report must be a file; `-` is not allowed, because stdout has the response";
                Err(Failure::new(ErrorCode::Validation, message)
                    .hint("use a file, for example `--report junit=report.xml`"))
            }
            (Some(format), Some((_, path))) => Ok(Self { format, path: PathBuf::from(path) }),
            _ => {
                let shown = text.chars().take(80).collect::<String>();
                let message = format!("`{}` is not a report", excerpt(&shown, 200));
                Err(Failure::new(ErrorCode::Validation, message)
                    .hint(format!("write {}", written(formats))))
            }
        }
    }

    /// The file without links and dots in its directory, so that two names of one file are equal.
    fn place(&self) -> std::io::Result<PathBuf> {
        let (parent, name) = parts(&self.path)?;
        Ok(files::canonical(parent)?.join(name))
    }

    /// Does everything but the last step: creates and removes a file beside it.
    fn rehearse(&self) -> Result<(), Failure> {
        let (_, existing) = standing(&self.path).map_err(|error| self.fault(&error))?;
        if existing && files::is_read_only(&self.path).unwrap_or(false) {
            let message = format!("the report `{}` is read-only", self.path.display());
            return Err(Failure::new(ErrorCode::Forbidden, message)
                .hint("make it writable with `chmod u+w`, or use another file"));
        }
        if existing && !self.is_earlier_report() {
            let message = format!(
                "`{}` already exists and is not an earlier {} report",
                self.path.display(),
                self.format
            );
            return Err(Failure::new(ErrorCode::Conflict, message)
                .hint("use another file, or delete this one first"));
        }
        let staged = staged(&self.path).map_err(|error| self.fault(&error))?;
        files::write_new(&staged, b"", Mode::Plain)
            .and_then(|()| files::remove_file(&staged))
            .map_err(|error| self.fault(&error))
    }

    /// True if the file that is there is empty, or begins as a report of this format does.
    fn is_earlier_report(&self) -> bool {
        let Ok(loaded) = files::read(&self.path, MAX_REPORT) else { return false };
        let text = String::from_utf8_lossy(&loaded.bytes);
        let text = text.trim_start();
        let marks: &[&str] = match self.format {
            "junit" => &["<?xml", "<testsuites"],
            "sarif" => &["{", "\"version\"", "\"runs\""],
            "html" => &["<!doctype html>", "<title>aos: "],
            _ => &["{", "\"summary\"", "\"projects\""],
        };
        text.is_empty()
            || marks.first().is_some_and(|start| text.starts_with(start))
                && marks.iter().all(|mark| text.contains(mark))
    }

    fn fault(&self, error: &std::io::Error) -> Failure {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "its directory does not exist".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("the report `{}` cannot be written: {why}", self.path.display());
        Failure::new(io_code(error), message).hint(match error.kind() {
            std::io::ErrorKind::NotFound => "create the directory first, or use another file",
            _ => io_hint(error),
        })
    }

    /// Writes the report; one that is there already is replaced as a whole and keeps its mode.
    ///
    /// # Errors
    /// Returns an error if something other than a file is there, or the directory cannot be written.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        put(&self.path, text.as_bytes()).map_err(|error| self.fault(&error))
    }
}

/// The formats in a sentence.
fn written(formats: &[&str]) -> String {
    let each: Vec<_> = formats.iter().map(|format| format!("`--report {format}=FILE`")).collect();
    match each.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Directory and name of a file.
fn parts(path: &Path) -> std::io::Result<(&Path, &std::ffi::OsStr)> {
    let is_directory =
        path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    let name = path.file_name().filter(|_| !is_directory);
    let name = name.ok_or_else(|| std::io::Error::other("it names no file"))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok((parent.unwrap_or(Path::new(".")), name))
}

/// The directory, and whether a plain file is there already.
fn standing(path: &Path) -> std::io::Result<(&Path, bool)> {
    let (parent, _) = parts(path)?;
    match files::kind(path)? {
        Kind::Absent => Ok((parent, false)),
        Kind::File { .. } => Ok((parent, true)),
        Kind::Directory => Err(std::io::Error::other("it is a directory")),
        Kind::Symlink => {
            Err(std::io::Error::other("it is a link; use the file to which it points"))
        }
        Kind::Other => Err(std::io::Error::other("it is not a plain file")),
    }
}

/// Returns an unused path beside the file.
fn staged(path: &Path) -> std::io::Result<PathBuf> {
    let (_, name) = parts(path)?;
    let suffix = crate::system::random::bytes::<6>()?.map(|byte| format!("{byte:02x}")).concat();
    let mut staged = std::ffi::OsString::from(".");
    staged.push(name);
    staged.push(format!(".{suffix}"));
    Ok(path.with_file_name(staged))
}

pub fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let (_, existing) = standing(path)?;
    let staged = staged(path)?;
    files::write_new(&staged, bytes, Mode::Plain)?;
    let kept = if existing { files::copy_permissions(path, &staged) } else { Ok(()) };
    kept.and_then(|()| files::rename(&staged, path)).inspect_err(|_| {
        // A staged file that cannot be moved into place is removed.
        let _ = files::remove_file(&staged);
    })
}
