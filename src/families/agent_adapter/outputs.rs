//! The outputs of an adapter: the facts of the contract as a Go package.

use std::collections::BTreeMap;

use crate::contract::SpecTag;
use crate::contract::document::ContractError;
use crate::generate::output::Output;
use crate::generate::outputs::{self, GenerateError, Outputs};
use crate::generate::vendor::Contract;
use crate::plan::{FileSet, RelativePath};

use super::contract::AdapterContract;
use super::module;

pub struct AdapterOutputs;

impl Outputs for AdapterOutputs {
    fn parse(&self, bytes: &[u8], tag: &SpecTag) -> Result<Contract, ContractError> {
        AdapterContract::parse(bytes, tag).map(Contract::new)
    }

    fn generators(&self) -> &'static [&'static str] {
        &["go"]
    }

    /// The facts follow from the contract alone; the record says where they go.
    fn source(&self, directory: &RelativePath) -> String {
        format!("{directory}/contract.json")
    }

    fn files(
        &self,
        contract: &Contract,
        outputs: &BTreeMap<String, Vec<Output>>,
        _source: Option<&[u8]>,
    ) -> Result<FileSet, GenerateError> {
        let contract = contract.of::<AdapterContract>()?;
        outputs::write(outputs, |_, output| {
            // An output without a package is a fault, and `write` has refused it.
            Ok(output.go_package().map(|package| module::go(contract, package.as_str())))
        })
    }
}
