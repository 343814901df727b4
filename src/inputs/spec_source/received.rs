//! Bytes from outside become a release: the one gate for directories and hosts.

use std::sync::Arc;

use serde_json::Value;

use crate::contract::document::ContractError;
use crate::contract::json::{self, JsonError};
use crate::contract::{Family, SpecTag};
use crate::generate::record_spec::SpecSource;
use crate::generate::vendor::{Contract, SpecRelease};
use crate::visible::excerpt;

use super::carried::embedded_release;
use super::core;
use super::fault::SpecError;

/// Members by which a contract says what it is.
const IDENTITY: [&str; 2] = ["contract", "tag"];

/// The two files of a contract, as they were received.
#[derive(Debug)]
pub struct Received {
    /// The name of the contract in messages.
    pub contract_path: String,
    /// The location of both files in messages.
    pub place: String,
    pub contract: Vec<u8>,
    pub spec: Vec<u8>,
}

impl Received {
    /// The tag that the contract gives itself.
    ///
    /// # Errors
    /// Returns an error if the document is none, or says nothing that is a tag.
    pub fn stated_tag(&self) -> Result<SpecTag, SpecError> {
        let document = json::parse(&self.contract).map_err(|error| self.unusable(error.into()))?;
        for member in IDENTITY {
            if !document.get(member).is_some_and(Value::is_string) {
                let reason = match document.get(member) {
                    Some(_) => "it is not text",
                    None => "it does not exist",
                };
                return Err(SpecError::Format {
                    path: self.contract_path.clone(),
                    member: member.to_owned(),
                    reason: reason.to_owned(),
                });
            }
        }
        let text = document.get("tag").and_then(Value::as_str).unwrap_or_default();
        SpecTag::parse(text).map_err(|error| SpecError::Tag {
            path: self.contract_path.clone(),
            tag: excerpt(text, 64),
            reason: error.to_string(),
        })
    }

    /// The release that these bytes are.
    ///
    /// # Errors
    /// Returns an error if they are malformed, or contradict what is already released.
    pub fn accept(
        &self,
        family: Family,
        tag: SpecTag,
        source: &SpecSource,
    ) -> Result<Arc<SpecRelease>, SpecError> {
        if let Ok(released) = embedded_release(family, &tag) {
            let same =
                *released.contract_bytes == *self.contract && *released.spec_bytes == *self.spec;
            return if same {
                Ok(released)
            } else {
                Err(SpecError::Frozen { path: self.place.clone(), family, tag })
            };
        }
        let contract = Contract::parse(family, &tag, &self.contract)
            .map_err(|source| self.unusable(source))?;
        core::is_kept(&self.contract_path, family, &tag, &contract)?;
        Ok(Arc::new(SpecRelease::new(
            (family, tag, source.clone()),
            &self.contract,
            &self.spec,
            contract,
        )))
    }

    /// A member of another shape is another format; anything else is a fault inside the right one.
    fn unusable(&self, source: ContractError) -> SpecError {
        let path = self.contract_path.clone();
        match source {
            ContractError::Json(JsonError::Shape { path: member, message }) => {
                SpecError::Format { path, member, reason: message }
            }
            source => SpecError::Contract { path, source },
        }
    }
}
