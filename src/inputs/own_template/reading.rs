//! A template of one's own, as it is found today, with what a project records of it.

use crate::generate::record_origin::{TemplateOrigin, TemplateSource};
use crate::inputs::template::Template;
use crate::plan::Content;
use crate::system::files;

use super::fault::TemplateError;
use super::judge::judged;
use super::kept::packed;
use super::named::Place;
use super::tree::TemplateTree;

/// A template and its origin.
pub struct FoundTemplate {
    pub template: Template,
    pub origin: TemplateOrigin,
    /// What a project keeps, so that its next upgrade has the version that it was made from.
    pub archive: Content,
    pub notes: Vec<String>,
}

/// Reads the template at `place`.
///
/// # Errors
/// When there is none, or it has a fault.
pub fn found(place: &Place) -> Result<FoundTemplate, TemplateError> {
    match place {
        Place::Directory(directory) => {
            let shown = directory.display().to_string();
            let root = files::canonical(directory).map_err(|source| TemplateError::Read {
                path: directory.clone(),
                source,
            })?;
            let tree = TemplateTree::read(&root, &shown)?;
            let origin = TemplateOrigin {
                source: TemplateSource::Directory,
                tag: None,
                commit: None,
                directory: None,
                digest: tree.digest(),
            };
            of_tree(&tree, origin, &shown, Vec::new())
        }
        Place::Host { .. } | Place::Git { .. } => Err(super::tree::unusable("x", "later")),
    }
}

pub fn of_tree(
    tree: &TemplateTree,
    origin: TemplateOrigin,
    name: &str,
    notes: Vec<String>,
) -> Result<FoundTemplate, TemplateError> {
    let template = judged(tree, name)?;
    Ok(FoundTemplate { template, origin, archive: packed(tree, name)?, notes })
}
