//! The template that a project was made from, out of the archive in the project.

use std::path::Path;

use crate::generate::record_origin::{ARCHIVE_PATH, TemplateOrigin};
use crate::plan::Content;
use crate::system::files;

use super::fault::TemplateError;
use super::tree::TemplateTree;

/// Largest archive, in bytes.
const MAX_ARCHIVE: u64 = 16 * 1024 * 1024;

/// The template in the archive of the project at `root`, which has the digest in its record.
///
/// # Errors
/// Returns an error if the archive is missing, damaged, or that of another template.
pub fn archived(root: &Path, origin: &TemplateOrigin) -> Result<TemplateTree, TemplateError> {
    let fault = |reason: String| TemplateError::Archive { path: ARCHIVE_PATH, reason };
    let loaded = files::read(&root.join(ARCHIVE_PATH), MAX_ARCHIVE).map_err(|error| {
        fault(match error.kind() {
            std::io::ErrorKind::NotFound => "it does not exist".to_owned(),
            _ => error.to_string(),
        })
    })?;
    let tree = TemplateTree::unpack(&loaded.bytes, ARCHIVE_PATH)
        .map_err(|error| fault(error.to_string()))?;
    let found = tree.digest();
    if found != origin.digest {
        let recorded = &origin.digest;
        return Err(fault(format!("its digest is {found}, but aos.toml has {recorded}")));
    }
    Ok(tree)
}

/// The archive of a template, as a file of a project.
///
/// # Errors
/// Returns an error if a path is too long for an archive, or the archive is too large.
pub fn packed(tree: &TemplateTree, name: &str) -> Result<Content, TemplateError> {
    let bytes = tree.pack().map_err(|error| super::tree::unusable(name, error.to_string()))?;
    if bytes.len() as u64 > MAX_ARCHIVE {
        return Err(super::tree::unusable(
            name,
            format!("it packs to more than {MAX_ARCHIVE} bytes"),
        ));
    }
    Ok(Content { bytes: bytes.into(), executable: false })
}
