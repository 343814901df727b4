//! The outputs of an augmentor: the interface as a module of each language.

use std::collections::BTreeMap;

use crate::contract::SpecTag;
use crate::contract::document::ContractError;
use crate::generate::output::Output;
use crate::generate::outputs::{self, GenerateError, Outputs};
use crate::generate::vendor::Contract;
use crate::plan::{FileSet, RelativePath};

use super::contract::AugmentorContract;
use super::contract::MANIFEST;
use super::module;

pub struct AugmentorOutputs;

impl Outputs for AugmentorOutputs {
    fn parse(&self, bytes: &[u8], tag: &SpecTag) -> Result<Contract, ContractError> {
        AugmentorContract::parse(bytes, tag).map(Contract::new)
    }

    fn generators(&self) -> &'static [&'static str] {
        &["javascript", "python"]
    }

    fn source(&self, _directory: &RelativePath) -> String {
        MANIFEST.to_owned()
    }

    /// The modules follow from the contract alone; the manifest is judged by rules.
    fn files(
        &self,
        contract: &Contract,
        outputs: &BTreeMap<String, Vec<Output>>,
        _source: Option<&[u8]>,
    ) -> Result<FileSet, GenerateError> {
        let contract = contract.of::<AugmentorContract>()?;
        outputs::write(outputs, |generator, _| {
            Ok(match generator {
                "javascript" => Some(module::javascript(contract)),
                "python" => Some(module::python(contract)),
                _ => None,
            })
        })
    }
}
