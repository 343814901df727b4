//! A template of the user's own in its current version, with the members that a project records.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::generate::record_origin::{HOST_PREFIX, TemplateOrigin, TemplateSource};
use crate::inputs::template::Template;
use crate::plan::Content;
use crate::release::{Fault, Stage};
use crate::system::files;
use crate::verify::TrustRoot;

use super::fault::TemplateError;
use super::judge::judged;
use super::kept::packed;
use super::named::{InRepository, Place};
use super::tree::{TemplateTree, unusable};
use super::{git, hosted};

/// A template and its origin.
#[derive(Clone)]
pub struct FoundTemplate {
    pub template: Template,
    pub origin: TemplateOrigin,
    /// The archive that a project keeps, so that its next upgrade has the version from which it was made.
    pub archive: Content,
    pub notes: Vec<String>,
}

/// Reads the template at `place`; releases of hosts are verified with `roots`.
///
/// # Errors
/// Returns an error if there is none, or it has a fault.
pub fn found(place: &Place, roots: Option<&TrustRoot>) -> Result<FoundTemplate, TemplateError> {
    let key = (!matches!(place, Place::Directory(_))).then(|| format!("{place:?}"));
    if let Some(known) = key.as_ref().and_then(|key| memory().get(key).cloned()) {
        return Ok(known);
    }
    let found = fetched(place, roots)?;
    if let Some(key) = key {
        memory().insert(key, found.clone());
    }
    Ok(found)
}

/// Returns the templates that this run has fetched: a fleet of projects asks a repository once.
fn memory() -> MutexGuard<'static, BTreeMap<String, FoundTemplate>> {
    static FETCHED: Mutex<BTreeMap<String, FoundTemplate>> = Mutex::new(BTreeMap::new());
    FETCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn fetched(place: &Place, roots: Option<&TrustRoot>) -> Result<FoundTemplate, TemplateError> {
    match place {
        Place::Directory(directory) => {
            let shown = directory.display().to_string();
            let root = files::canonical(directory)
                .map_err(|source| TemplateError::Read { path: directory.clone(), source })?;
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
        Place::Host { repository, wanted } => {
            let embedded = match roots {
                Some(_) => None,
                None => Some(TrustRoot::embedded().map_err(|error| TemplateError::Release {
                    origin: format!("{HOST_PREFIX}{repository}"),
                    tag: wanted.tag.clone().unwrap_or_else(|| "latest".to_owned()),
                    error: Fault::from(error).at(Stage::VerifySignature),
                })?),
            };
            match roots.or(embedded.as_ref()) {
                Some(roots) => hosted::found(repository, wanted, roots),
                None => Err(unusable(&repository.to_string(), "there is no trust root")),
            }
        }
        Place::Git { address, wanted } => git::found(address, wanted),
    }
}

/// The newest version at the place that a project records; `None` for a directory, which no project knows.
///
/// # Errors
/// Returns an error if it is not available, or the recorded tag now names something else.
pub fn newest(
    origin: &TemplateOrigin,
    roots: Option<&TrustRoot>,
) -> Result<Option<FoundTemplate>, TemplateError> {
    let wanted = InRepository { tag: None, directory: origin.directory.clone() };
    let place = match &origin.source {
        TemplateSource::Directory => return Ok(None),
        TemplateSource::Host(repository) => Place::Host { repository: repository.clone(), wanted },
        TemplateSource::Git(address) => Place::Git { address: address.clone(), wanted },
    };
    found(&place, roots).map(Some)
}

/// Refuses a tag that does not name what the project records of it.
///
/// # Errors
/// Returns an error if the tag was moved.
pub fn is_same_tag(recorded: &TemplateOrigin, found: &TemplateOrigin) -> Result<(), TemplateError> {
    let is_same_place = recorded.source == found.source
        && recorded.tag == found.tag
        && recorded.directory == found.directory;
    let (Some(tag), true) = (&recorded.tag, is_same_place) else { return Ok(()) };
    let moved = |recorded: &str, now: &str| TemplateError::Moved {
        origin: found.source.to_string(),
        tag: tag.clone(),
        recorded: recorded.to_owned(),
        found: now.to_owned(),
    };
    match (&recorded.commit, &found.commit) {
        (Some(old), Some(new)) if old != new => Err(moved(old, new)),
        _ if recorded.digest != found.digest => {
            Err(moved(&recorded.digest.to_string(), &found.digest.to_string()))
        }
        _ => Ok(()),
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
