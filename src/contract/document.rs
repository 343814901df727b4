//! The members of every `contract.json`, which state its family and tag.

use crate::visible::excerpt;

use super::family::Family;
use super::json::JsonError;
use super::name::Key;
use super::tag::SpecTag;

/// Why bytes are not a contract of the wanted family and tag.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("it is a contract of the family `{0}`")]
    OtherFamily(String),
    #[error("its tag is `{found}`, but `{wanted}` is expected")]
    OtherTag { found: String, wanted: String },
    #[error("{0}")]
    Inconsistent(String),
}

/// Checks that a document calls itself `family` at `tag`.
///
/// # Errors
/// Returns an error if it calls itself something else.
pub fn identify(
    family: Family,
    tag: &SpecTag,
    contract: &Key,
    stated_tag: &str,
) -> Result<(), ContractError> {
    if contract.as_str() != family.name() {
        return Err(ContractError::OtherFamily(contract.to_string()));
    }
    if stated_tag != tag.as_str() {
        let found = excerpt(stated_tag, 64);
        return Err(ContractError::OtherTag { found, wanted: tag.to_string() });
    }
    Ok(())
}
