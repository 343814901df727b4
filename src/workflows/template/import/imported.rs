//! The result of importing a template, file by file.

use std::collections::BTreeMap;

use crate::inputs::own_template::RepositoryFile;
use crate::report::answers::template::LeftOutPart;

use super::jinja::{JinjaNames, is_template, translate};
use super::paths::place;
use super::question::Info;

/// The result of importing a template.
pub struct Imported {
    pub info: Info,
    /// Path in `files/` and bytes.
    pub files: BTreeMap<String, Vec<u8>>,
    pub left_out: Vec<LeftOutPart>,
    pub notes: Vec<String>,
}

type FileRefusal = (Option<usize>, String);
type Translated = (String, Vec<(String, String)>, Vec<u8>);

impl Imported {
    /// Adds a file, or says why it is left out. `path` is its path in the project; a file that is `copied` is never
    /// translated.
    pub fn add(&mut self, path: &str, file: &RepositoryFile, names: &JinjaNames<'_>, copied: bool) {
        match translated(path, file, names, copied) {
            Ok((place, only, bytes)) => {
                if file.executable {
                    self.info.executables.push(place.clone());
                }
                self.info.only.extend(only);
                self.files.insert(place, bytes);
            }
            Err((line, reason)) => {
                self.left_out.push(LeftOutPart { what: file.path.clone(), line, reason });
            }
        }
    }
}

/// The place of a file in the template and its bytes.
fn translated(
    path: &str,
    file: &RepositoryFile,
    names: &JinjaNames<'_>,
    copied: bool,
) -> Result<Translated, FileRefusal> {
    let placed = place(path, names).map_err(|reason| (None, reason.into()))?;
    let text = std::str::from_utf8(&file.bytes).ok().filter(|text| !copied && is_template(text));
    let Some(text) = text else {
        // A file that only looks like one of ours.
        return match placed.path.ends_with(".tera") {
            true => Err((None, "its name ends with `.tera`".to_owned())),
            false => Ok((placed.path, placed.only, file.bytes.clone())),
        };
    };
    let text = translate(text, names).map_err(|(line, reason)| (Some(line), reason))?;
    Ok((format!("{}.tera", placed.path), placed.only, text.into_bytes()))
}
