//! A preset of the user's own, `--preset FILE.toml`: one file that declares an API and all its operations.
//!
//! The project keeps the file, so that `aos upgrade` renders it again.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use crate::inputs::template::Template;
use crate::report::{ErrorCode, Failure};
use crate::system::files;

use super::subject::SCAFFOLDERS;

/// The path of a project's preset; also its name in the record.
pub const PATH: &str = "preset.toml";
/// Largest preset, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The preset that is intended: a file is read and becomes one of those of the template.
///
/// # Errors
/// Returns an error if the file cannot be read, or the template takes none.
pub fn named<'a>(
    template: &mut Template,
    preset: Option<&'a str>,
) -> Result<Option<&'a str>, Failure> {
    let Some(file) = preset.filter(|preset| is_file(preset)) else { return Ok(preset) };
    let family = SCAFFOLDERS.of(template.info.family);
    if !family.is_some_and(|family| family.takes_own_preset()) {
        let message =
            format!("the template `{}` does not accept a preset file", template.info.name);
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("use one of its presets, or omit `--preset`"));
    }
    add(template, Path::new(file), "check the path; `aos new --list` names the presets of aos")?;
    Ok(Some(PATH))
}

/// Makes the preset that a project was made from one of those of the template, where it has one of its own.
///
/// # Errors
/// Returns an error if the project has lost the file.
pub fn recorded(template: &mut Template, preset: Option<&str>, root: &Path) -> Result<(), Failure> {
    if preset == Some(PATH) {
        add(template, &root.join(PATH), "restore the file from version control")
    } else {
        Ok(())
    }
}

/// No preset of a template has a dot in its name.
fn is_file(preset: &str) -> bool {
    Path::new(preset).extension().is_some_and(|ending| ending == "toml")
}

/// Makes `text` the preset of a project.
pub fn given(template: &mut Template, text: String) -> &'static str {
    template.presets.insert(PATH.to_owned(), Cow::Owned(text));
    PATH
}

/// `absent` is the fix if the file does not exist.
fn add(template: &mut Template, file: &Path, absent: &str) -> Result<(), Failure> {
    let refused = |reason: String| {
        let message = format!("preset `{}`: {reason}", file.display());
        Failure::new(ErrorCode::Validation, message)
            .hint("docs/presets.md describes the file; the presets of aos are examples")
    };
    let loaded = files::read_named(file, MAX_BYTES).map_err(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            return refused(error.to_string());
        }
        let message = format!("preset `{}`: the file does not exist", file.display());
        Failure::new(ErrorCode::NotFound, message).hint(absent)
    })?;
    let text =
        String::from_utf8(loaded.bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
    template.presets.insert(PATH.to_owned(), Cow::Owned(text));
    Ok(())
}
