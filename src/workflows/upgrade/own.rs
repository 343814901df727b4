//! The two versions of a template of the user's own: that of the archive in the project, and the one to move to.

use std::path::Path;

use crate::generate::record::Record;
use crate::generate::record_origin::{TemplateOrigin, TemplateSource};
use crate::generate::record_template::TemplateSection;
use crate::generate::runtime::Version;
use crate::inputs::own_template::{self, FoundTemplate, NamedTemplate, TemplateTree, archived};
use crate::inputs::template::Template;
use crate::plan::Content;
use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;
use crate::workflows::new::choices;

use super::request::UpgradeRequest;

/// Both versions.
pub struct OwnVersions {
    pub newest: Template,
    /// The recorded one; `None` when it is the same.
    pub old: Option<Template>,
    pub change: OwnChange,
}

/// The change of the origin.
pub struct OwnChange {
    pub origin: TemplateOrigin,
    /// The archive of the new version; `None` when it stays as it is.
    pub archive: Option<Content>,
    pub notes: Vec<String>,
}

/// The versions for the project at `root`; `None` when its template is one of aos.
///
/// # Errors
/// Returns an error if one of them is not available, or the new one is not a later version of the recorded one.
pub fn versions(
    args: &UpgradeRequest,
    (root, record): (&Path, &Record),
    previous: &TemplateSection,
) -> Result<Option<OwnVersions>, Failure> {
    let Some(origin) = &previous.origin else {
        return match &args.template {
            Some(_) => Err(of_aos(previous)),
            None => Ok(None),
        };
    };
    let old = recorded(root, previous, origin)?;
    let Some(found) = wanted(args, origin)? else {
        let mut notes = Vec::new();
        if origin.source == TemplateSource::Directory && !args.stay {
            notes.push(
                "the template came from a directory; `--template DIR` uses the version in a directory"
                    .to_owned(),
            );
        }
        let change = OwnChange { origin: origin.clone(), archive: None, notes };
        return Ok(Some(OwnVersions { newest: old, old: None, change }));
    };
    let FoundTemplate { template: newest, origin: now, archive, notes } = found;
    is_later(previous, record, &newest)?;
    let is_same = now.digest == origin.digest;
    let old = (!is_same).then_some(old);
    let archive = (!is_same).then_some(archive);
    let change = OwnChange { origin: now, archive, notes };
    Ok(Some(OwnVersions { newest, old, change }))
}

/// The template that a project was made from.
///
/// # Errors
/// Returns an error if it is not available.
pub fn recorded_template(root: &Path, section: &TemplateSection) -> Result<Template, Failure> {
    match &section.origin {
        Some(origin) => recorded(root, section, origin),
        None => choices::embedded_template(&section.name),
    }
}

/// The template in the archive of the project. A fault that was no fault to the aos that made the project is passed
/// over: an old version must never keep a project from a new one.
fn recorded(
    root: &Path,
    previous: &TemplateSection,
    origin: &TemplateOrigin,
) -> Result<Template, Failure> {
    let tree: TemplateTree = archived(root, origin)?;
    let (template, faults) = own_template::judge(&tree);
    template.ok_or_else(|| {
        let fault = faults.first().map(ToString::to_string).unwrap_or_default();
        Failure::new(
            ErrorCode::Config,
            format!("the recorded template `{}` cannot be read: {fault}", previous.name),
        )
        .hint("pass the template with `--template`")
    })
}

/// Returns the template that the user named, otherwise the newest of the origin; `None` for the recorded one.
fn wanted(
    args: &UpgradeRequest,
    origin: &TemplateOrigin,
) -> Result<Option<FoundTemplate>, Failure> {
    if let Some(text) = &args.template {
        return match NamedTemplate::of(text)? {
            NamedTemplate::Own(place) => {
                let found = own_template::found(&place, args.roots.as_deref())?;
                own_template::is_same_tag(origin, &found.origin)?;
                Ok(Some(found))
            }
            NamedTemplate::Embedded(name) => Err(Failure::new(
                ErrorCode::Validation,
                format!("`{}` is not a directory or a repository", excerpt(name, 60)),
            )
            .hint("a directory has a `/` in its name, such as `./web`")),
        };
    }
    if args.stay {
        return Ok(None);
    }
    let Some(found) = own_template::newest(origin, args.roots.as_deref())? else { return Ok(None) };
    own_template::is_same_tag(origin, &found.origin)?;
    Ok(Some(found))
}

/// Only a later version of the same template can be merged.
fn is_later(previous: &TemplateSection, record: &Record, newest: &Template) -> Result<(), Failure> {
    let info = &newest.info;
    let refused =
        |message: String, hint: &str| Err(Failure::new(ErrorCode::Validation, message).hint(hint));
    if info.name != previous.name {
        let message = format!(
            "the project was made from the template `{}`, not from `{}`",
            previous.name, info.name
        );
        return refused(message, "pass the template of the project");
    }
    if info.family != record.family {
        let message = format!(
            "the template `{}` now has the family `{}`, but the project has `{}`",
            info.name, info.family, record.family
        );
        return refused(message, "a project keeps its family; create a new project");
    }
    let versions = (Version::parse(&previous.version), Version::parse(&info.version));
    if matches!(versions, (Some(recorded), Some(found)) if recorded > found) {
        let message = format!(
            "the project has version {} of the template `{}`, but the given one is {}",
            previous.version, info.name, info.version
        );
        return refused(message, "pass a version that is not older");
    }
    Ok(())
}

fn of_aos(previous: &TemplateSection) -> Failure {
    let message = format!("the template `{}` is a part of aos", previous.name);
    Failure::new(ErrorCode::Validation, message)
        .hint("omit `--template`; it is for projects of your own template")
}
