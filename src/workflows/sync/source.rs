//! The contract to vendor: from the binary, from `--from DIR`, or from the source in aos.toml.

use std::path::Path;
use std::sync::Arc;

use crate::contract::{Family, SpecTag};
use crate::generate::record::{PIN_PATH, Record};
use crate::generate::record_spec::{HostedPlace, SpecSection, SpecSource};
use crate::generate::vendor::SpecRelease;
use crate::inputs::embedded;
use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source::{self, Newest, Obtained, SpecError, Terms, Trust, WantedRelease};
use crate::release::Repository;
use crate::report::{ErrorCode, Failure};
use crate::verify::TrustRoot;
use crate::workflows::asked::requested_tag;

use super::request::SyncRequest;

/// The contract of `project` at its pin, or at the tag that the caller requested.
///
/// # Errors
/// Returns an error if it cannot be obtained or is refused.
pub fn obtain(project: &Project, record: &Record, to: Option<&str>) -> Result<Obtained, Failure> {
    choose(&SyncRequest::following(to), project, record, None)
}

/// Returns the section of the record about its source after it follows `obtained`.
#[must_use]
pub fn followed(record: &Record, obtained: &Obtained) -> SpecSection {
    follow(&record.spec, &SyncRequest::following(None), obtained).0
}

/// The contract that the caller requested.
///
/// # Errors
/// Returns an error if it cannot be obtained or is refused; nothing was written then.
pub fn choose(
    args: &SyncRequest,
    project: &Project,
    record: &Record,
    roots: Option<TrustRoot>,
) -> Result<Obtained, Failure> {
    match (&args.from, &record.spec.source) {
        (Some(directory), _) => from_directory(args, project, record.family, directory),
        (None, SpecSource::Host(repository)) => {
            from_host(args, &Follower { project, record, repository }, roots)
        }
        (None, SpecSource::Embedded | SpecSource::Directory) => {
            from_binary(args, project, record.family)
        }
    }
}

/// Returns the new section of the record. A source on a host was chosen by the owner and stays, unless the caller names
/// another source.
pub fn follow(
    spec: &SpecSection,
    args: &SyncRequest,
    obtained: &Obtained,
) -> (SpecSection, Option<String>) {
    let source = obtained.release.source.clone();
    if args.from.is_none() && matches!(spec.source, SpecSource::Host(_)) {
        return (spec.clone(), None);
    }
    let note = match &spec.source {
        SpecSource::Host(_) => {
            Some(format!("the source in aos.toml changed from `{}` to `{source}`", spec.source))
        }
        SpecSource::Embedded | SpecSource::Directory => None,
    };
    let spec = SpecSection {
        trust_lock: source == SpecSource::Directory,
        source,
        place: HostedPlace::default(),
        ..spec.clone()
    };
    (spec, note)
}

fn from_directory(
    args: &SyncRequest,
    project: &Project,
    family: Family,
    directory: &Path,
) -> Result<Obtained, Failure> {
    let wanted = match (&args.to, &project.pin) {
        (Some(text), _) if text == "latest" => None,
        (Some(text), _) => Some(requested_tag(family, text)?),
        // The pin decides when the directory has a place for that tag.
        (None, Slot::Good(pin)) if spec_source::has_tag(directory, family, pin) => {
            Some(pin.clone())
        }
        (None, Slot::Faulty { reason, .. }) => return Err(faulty_pin(family, reason)),
        (None, _) => None,
    };
    let release = spec_source::directory_release(directory, family, wanted.as_ref())?;
    let trust = match release.source {
        SpecSource::Embedded => Trust::Embedded,
        SpecSource::Directory | SpecSource::Host(_) => Trust::Lock,
    };
    Ok(Obtained::local(release, trust))
}

fn from_binary(args: &SyncRequest, project: &Project, family: Family) -> Result<Obtained, Failure> {
    let tag = match (&args.to, &project.pin) {
        (Some(text), _) => requested_tag(family, text)?,
        (None, Slot::Good(pin)) if is_foreign_pin(project, family, pin) => {
            return newest_instead(family, pin);
        }
        (None, Slot::Good(pin)) => pin.clone(),
        (None, Slot::Faulty { reason, .. }) => return Err(faulty_pin(family, reason)),
        (None, Slot::Absent) => spec_source::latest(family)?,
    };
    match spec_source::embedded_release(family, &tag) {
        Ok(release) => Ok(Obtained::local(release, Trust::Embedded)),
        // A tag that came from a directory is still here, as the lock describes it.
        Err(unknown) => match vendored_copy(project, &tag, &SpecSource::Directory) {
            Some(release) => Ok(Obtained::local(release, Trust::Lock)),
            None => Err(unknown.into()),
        },
    }
}

/// A pin that other scripts wrote: there is no record, no lock, and aos does not contain the tag.
fn is_foreign_pin(project: &Project, family: Family, pin: &SpecTag) -> bool {
    matches!(project.record, Slot::Absent)
        && matches!(project.lock, Slot::Absent)
        && !embedded::tags(family).contains(pin)
}

fn newest_instead(family: Family, pin: &SpecTag) -> Result<Obtained, Failure> {
    let tag = spec_source::latest(family)?;
    let release = spec_source::embedded_release(family, &tag)?;
    let mut obtained = Obtained::local(release, Trust::Embedded);
    obtained.notes.push(format!(
        "this aos does not contain the tag `{pin}` in `{PIN_PATH}` for `{family}`: the project moves to `{tag}`; `--to TAG` selects another"
    ));
    Ok(obtained)
}

/// The vendored copy, when the record trusts the lock and the lock is of this tag of this source.
fn vendored_copy(
    project: &Project,
    tag: &SpecTag,
    source: &SpecSource,
) -> Option<Arc<SpecRelease>> {
    let (record, lock) = (project.record.good()?, project.lock.good()?);
    if lock.tag != *tag || lock.source != *source || !record.spec.trust_lock {
        return None;
    }
    spec_source::locked_release(&project.root, &record.spec.directory, lock).ok()
}

fn faulty_pin(family: Family, reason: &str) -> Failure {
    let known: Vec<_> = embedded::tags(family).iter().map(ToString::to_string).collect();
    Failure::new(ErrorCode::Validation, format!("`{PIN_PATH}` is not a tag: {reason}"))
        .hint(format!(
            "pass the tag: `aos sync-spec --to {}`",
            known.last().map_or("TAG", String::as_str)
        ))
        .detail("known_tags", known)
}

/// A project whose record names a source on a host.
struct Follower<'a> {
    project: &'a Project,
    record: &'a Record,
    repository: &'a Repository,
}

fn from_host(
    args: &SyncRequest,
    follower: &Follower<'_>,
    roots: Option<TrustRoot>,
) -> Result<Obtained, Failure> {
    let (project, record) = (follower.project, follower.record);
    let Aim { tag, newest, note } = follower.aim(args.to.as_deref())?;
    let mut obtained = match vendored_copy(project, &tag, &record.spec.source) {
        Some(release) => Obtained::local(release, Trust::Lock),
        None => {
            let wanted = WantedRelease::from_releases(follower.repository, record, tag);
            let roots = roots.map_or_else(TrustRoot::embedded, Ok)?;
            let terms = Terms { roots: &roots, unsigned: record.spec.trust_lock };
            spec_source::hosted_release(&wanted, terms, newest)?
        }
    };
    obtained.notes.extend(note);
    match (spec_source::as_remembered(&obtained.release, project.lock.good()), &obtained.trust) {
        (Ok(()), _) => {}
        // The signer of a source may change the bytes of a tag; the user should see that.
        (Err(error @ SpecError::OtherBytes { .. }), Trust::Signed { .. }) => {
            obtained.notes.push(error.to_string());
        }
        (Err(error), _) => return Err(error.into()),
    }
    Ok(obtained)
}

/// The tag to go to, and what was learned about it on the way.
struct Aim {
    tag: SpecTag,
    newest: Option<Newest>,
    note: Option<String>,
}

impl Follower<'_> {
    fn aim(&self, to: Option<&str>) -> Result<Aim, Failure> {
        let known = |tag: SpecTag| Aim { tag, newest: None, note: None };
        match (to, &self.project.pin) {
            (Some("latest"), _) | (None, Slot::Absent) => self.latest(),
            (Some(text), _) => self.tag(text).map(known),
            (None, Slot::Good(pin)) => Ok(known(pin.clone())),
            (None, Slot::Faulty { reason, .. }) => Err(faulty_pin(self.record.family, reason)
                .hint("pass the tag: `aos sync-spec --to TAG`, or `--to latest`")),
        }
    }

    fn latest(&self) -> Result<Aim, Failure> {
        let newest = spec_source::newest(self.repository)?;
        let source = &self.record.spec.source;
        let from_here = self.project.lock.good().is_some_and(|lock| lock.source == *source);
        let pin = self.project.pin.good().filter(|pin| from_here && newest.tag < **pin);
        // The pin never moves back by itself: an older newest release may be a replay.
        Ok(match pin {
            Some(pin) => {
                let note = format!(
                    "the newest release of `{source}` is `{}`, which is older than the pin, so the pin was not changed; `--to {}` moves to it",
                    newest.tag, newest.tag
                );
                Aim { tag: pin.clone(), newest: None, note: Some(note) }
            }
            None => Aim { tag: newest.tag.clone(), newest: Some(newest), note: None },
        })
    }

    fn tag(&self, text: &str) -> Result<SpecTag, Failure> {
        SpecTag::parse(text).map_err(|error| {
            Failure::new(ErrorCode::Validation, format!("the tag cannot be used: {error}"))
                .hint(format!("use the tag of a release of {}, or `latest`", self.repository.url()))
        })
    }
}
