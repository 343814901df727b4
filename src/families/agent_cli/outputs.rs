//! The outputs of a stand-alone CLI.

use std::collections::BTreeMap;

use super::contract::AgentCliContract;
use super::extension::Extension;
use super::modules::{ContractModel, go, python, rust, typescript};
use crate::contract::SpecTag;
use crate::contract::document::ContractError;
use crate::generate::output::Output;
use crate::generate::outputs::{self, GenerateError, Outputs};
use crate::generate::vendor::Contract;
use crate::plan::{FileSet, RelativePath};

/// The file in which a project declares its own codes, in the directory of the contract.
pub const EXTENSION: &str = "contract-ext.json";

pub struct AgentCliOutputs;

impl Outputs for AgentCliOutputs {
    fn parse(&self, bytes: &[u8], tag: &SpecTag) -> Result<Contract, ContractError> {
        AgentCliContract::parse(bytes, tag).map(Contract::new)
    }

    fn generators(&self) -> &'static [&'static str] {
        &["go", "python", "rust", "typescript"]
    }

    fn source(&self, directory: &RelativePath) -> String {
        format!("{directory}/{EXTENSION}")
    }

    fn own_file(&self) -> Option<&'static str> {
        Some(EXTENSION)
    }

    fn files(
        &self,
        contract: &Contract,
        outputs: &BTreeMap<String, Vec<Output>>,
        source: Option<&[u8]>,
    ) -> Result<FileSet, GenerateError> {
        let contract = contract.of::<AgentCliContract>()?;
        let extension = match source {
            Some(bytes) => Extension::parse(bytes, contract).map_err(|error| {
                GenerateError::Source(format!("`contract-ext.json` is not valid: {error}"))
            })?,
            None => Extension::default(),
        };
        let model = ContractModel::new(contract, &extension)?;
        outputs::write(outputs, |generator, output| {
            Ok(match generator {
                // An output without a package is a fault, and `write` has refused it.
                "go" => Some(
                    output
                        .go_package()
                        .map(|package| go::module(&model, &package))
                        .unwrap_or_default(),
                ),
                "python" => Some(python::module(&model)),
                "rust" => Some(rust::module(&model)?),
                "typescript" => Some(typescript::module(&model)),
                _ => None,
            })
        })
    }
}
