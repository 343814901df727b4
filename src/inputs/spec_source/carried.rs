//! Released contracts inside the binary.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::contract::{Family, SpecTag};
use crate::generate::record_spec::SpecSource;
use crate::generate::vendor::{Contract, SpecRelease};
use crate::inputs::embedded;

use super::fault::SpecError;

type Parsed = BTreeMap<(Family, String), Arc<SpecRelease>>;
static PARSED: Mutex<Parsed> = Mutex::new(Parsed::new());

/// A tag from the binary; parsed once per process.
///
/// # Errors
/// Returns an error if the binary does not carry it.
pub fn embedded_release(family: Family, tag: &SpecTag) -> Result<Arc<SpecRelease>, SpecError> {
    let key = (family, tag.as_str().to_owned());
    let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(release) = parsed.get(&key) {
        return Ok(Arc::clone(release));
    }
    let file = |name: &str| embedded::contract_file(family, tag, name);
    let (Some(contract_bytes), Some(spec_bytes)) =
        (file("contract.json"), file(family.spec_file()))
    else {
        return Err(unknown_tag(family, tag.as_str()));
    };
    let contract = Contract::parse(family, tag, contract_bytes).map_err(|source| {
        SpecError::Contract { path: format!("{family}/{tag}/contract.json"), source }
    })?;
    let release = Arc::new(SpecRelease::new(
        (family, tag.clone(), SpecSource::Embedded),
        contract_bytes,
        spec_bytes,
        contract,
    ));
    parsed.insert(key, Arc::clone(&release));
    Ok(release)
}

/// The same for a project that follows `source`: of a tag that the binary carries, every source has the same bytes.
///
/// # Errors
/// Returns an error if the binary does not carry it.
pub fn embedded_release_of(
    source: &SpecSource,
    family: Family,
    tag: &SpecTag,
) -> Result<Arc<SpecRelease>, SpecError> {
    let release = embedded_release(family, tag)?;
    Ok(match source {
        SpecSource::Host(_) => release.from_source(source),
        SpecSource::Embedded | SpecSource::Directory => release,
    })
}

/// The newest tag that the binary carries.
///
/// # Errors
/// Returns an error if the family has none.
pub fn latest(family: Family) -> Result<SpecTag, SpecError> {
    embedded::tags(family).pop().ok_or_else(|| unknown_tag(family, "latest"))
}

fn unknown_tag(family: Family, tag: &str) -> SpecError {
    let known = embedded::tags(family).iter().map(ToString::to_string).collect();
    SpecError::UnknownTag { family, tag: tag.to_owned(), known }
}
