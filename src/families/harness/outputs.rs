//! What is generated for a connector.

use std::collections::BTreeMap;

use crate::contract::connector::Connector;
use crate::contract::document::ContractError;
use crate::contract::{HarnessContract, SpecTag};
use crate::generate::contract::connector;
use crate::generate::output::Output;
use crate::generate::outputs::{self, CONNECTOR_PATH, GenerateError, Outputs};
use crate::generate::vendor::Contract;
use crate::generate::{permissions, test_cases};
use crate::plan::{FileSet, RelativePath};

pub struct HarnessOutputs;

impl Outputs for HarnessOutputs {
    fn parse(&self, bytes: &[u8], tag: &SpecTag) -> Result<Contract, ContractError> {
        HarnessContract::parse(bytes, tag).map(Contract::new)
    }

    fn generators(&self) -> &'static [&'static str] {
        &["permissions", "python", "test_cases"]
    }

    fn source(&self, _directory: &RelativePath) -> String {
        CONNECTOR_PATH.to_owned()
    }

    fn files(
        &self,
        contract: &Contract,
        outputs: &BTreeMap<String, Vec<Output>>,
        source: Option<&[u8]>,
    ) -> Result<FileSet, GenerateError> {
        let contract = contract.of::<HarnessContract>()?;
        let bytes = source
            .ok_or_else(|| GenerateError::Source(format!("`{CONNECTOR_PATH}` does not exist")))?;
        let connector = Connector::parse(bytes, contract).map_err(|error| {
            GenerateError::Source(format!(
                "nothing can be generated from `{CONNECTOR_PATH}`: {error}"
            ))
        })?;
        outputs::write(outputs, |generator, _| {
            Ok(match generator {
                "permissions" => Some(permissions::document(contract, &connector)),
                "python" => Some(connector::module(contract, &connector)),
                "test_cases" => Some(test_cases::table(&connector)),
                _ => None,
            })
        })
    }
}
