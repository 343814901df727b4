//! The outputs of a connector.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::connector::CONNECTOR_PATH;
use super::connector::Connector;
use super::contract::HarnessContract;
use super::generate::module as connector;
use super::generate::{permissions, test_cases};
use crate::contract::SpecTag;
use crate::contract::document::ContractError;
use crate::generate::output::Output;
use crate::generate::outputs;
use crate::generate::outputs::{GenerateError, Outputs};
use crate::generate::vendor::Contract;
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

    /// A permission map names the mode of each command.
    fn is_document(&self, members: &Map<String, Value>) -> bool {
        let is_text = |name: &str| members.get(name).is_some_and(Value::is_string);
        let is_map = |value: &Value| {
            value.as_object().is_some_and(|modes| modes.values().all(Value::is_string))
        };
        is_text("tool")
            && is_text("backend")
            && ["permissions", "commands"].iter().any(|name| members.get(*name).is_some_and(is_map))
    }

    fn read_by_hosts(&self) -> Option<(&'static str, &'static str)> {
        let message = "hosts read the mode of each command here, but no output declares the file";
        Some(("agent-harness/permissions.json", message))
    }

    fn is_for_tests(&self, generator: &str) -> bool {
        generator == "test_cases"
    }

    fn files(
        &self,
        contract: &Contract,
        outputs: &BTreeMap<String, Vec<Output>>,
        source: Option<&[u8]>,
    ) -> Result<FileSet, GenerateError> {
        if outputs.is_empty() {
            return Ok(FileSet::default());
        }
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
