//! Contracts from a directory that the user names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::contract::{Family, SpecTag};
use crate::generate::record_spec::SpecSource;
use crate::generate::vendor::SpecRelease;
use crate::system::files;

use super::fault::SpecError;
use super::obtained::MAX_SPEC_FILE;
use super::places;
use super::received::Received;

/// A tag from `directory`: `<family>/<tag>/` below it, or the files themselves.
///
/// # Errors
/// Returns an error if it is not there, malformed, or contradicts what is already released.
pub fn directory_release(
    directory: &Path,
    family: Family,
    tag: Option<&SpecTag>,
) -> Result<Arc<SpecRelease>, SpecError> {
    let place = locate(directory, family, tag)?;
    let contract_path = place.join(places::CONTRACT_FILE);
    let received = Received {
        contract: read(&contract_path)?,
        spec: read(&place.join(family.spec_file()))?,
        contract_path: contract_path.display().to_string(),
        place: place.display().to_string(),
    };
    let found = received.stated_tag()?;
    if tag.is_some_and(|wanted| *wanted != found) {
        return Err(SpecError::NotInDirectory { path: place, family, tag: tag.cloned() });
    }
    received.accept(family, found, &SpecSource::Directory)
}

/// True if `directory` has a subdirectory for `tag`.
#[must_use]
pub fn has_tag(directory: &Path, family: Family, tag: &SpecTag) -> bool {
    own_places(directory, family, tag).any(|place| holds_contract(&place))
}

fn own_places(
    directory: &Path,
    family: Family,
    tag: &SpecTag,
) -> impl Iterator<Item = PathBuf> + use<> {
    let directory = directory.to_owned();
    let tagged = places::directories(family, tag).into_iter().filter(|place| !place.is_empty());
    tagged.map(move |place| directory.join(place))
}

fn holds_contract(place: &Path) -> bool {
    matches!(files::kind(&place.join(places::CONTRACT_FILE)), Ok(files::Kind::File { .. }))
}

fn locate(directory: &Path, family: Family, tag: Option<&SpecTag>) -> Result<PathBuf, SpecError> {
    let tagged = tag.map(|tag| own_places(directory, family, tag)).into_iter().flatten();
    tagged.chain([directory.to_owned()]).find(|place| holds_contract(place)).ok_or_else(|| {
        SpecError::NotInDirectory { path: directory.to_owned(), family, tag: tag.cloned() }
    })
}

fn read(path: &Path) -> Result<Vec<u8>, SpecError> {
    files::read(path, MAX_SPEC_FILE)
        .map(|loaded| loaded.bytes)
        .map_err(|source| SpecError::Read { path: path.to_owned(), source })
}
