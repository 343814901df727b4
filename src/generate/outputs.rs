//! Generated files: which generators a family has, and what each one writes.

use std::collections::BTreeMap;

use crate::contract::connector::{Connector, ConnectorError};
use crate::contract::extension::ExtensionError;
use crate::contract::harness::HarnessContract;
use crate::contract::{AgentCliContract, Extension, Family};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::visible::excerpt;

use super::contract::{Model, connector, go, python, rust, typescript};
use super::output::Output;
use super::vendor::Contract;
use super::{permissions, test_cases};

/// The manifest that harness outputs are generated from.
pub const CONNECTOR_PATH: &str = "connector.json";

/// Names of the generators of a family, as `aos.toml` writes them under `[outputs]`.
#[must_use]
pub fn generators(family: Family) -> &'static [&'static str] {
    match family {
        Family::Harness => &["permissions", "python", "test_cases"],
        Family::AgentCli => &["go", "python", "rust", "typescript"],
    }
}

/// What generators read besides the contract; `None` means that the file does not exist.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// `connector.json` (harness).
    pub connector: Option<&'a [u8]>,
    /// `contract-ext.json` (agent-cli).
    pub extension: Option<&'a [u8]>,
}

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    #[error("`{CONNECTOR_PATH}` does not exist")]
    NoConnector,
    #[error("`{CONNECTOR_PATH}` cannot be generated from: {0}")]
    Connector(#[from] ConnectorError),
    #[error("`contract-ext.json` is refused: {0}")]
    Extension(#[from] ExtensionError),
    #[error("`{first}` and `{second}` would get one name in the generated module")]
    NameCollision { first: String, second: String },
    #[error("`outputs.{generator}` in `aos.toml` is not a generator of the family `{family}`; it has {}", known.join(", "))]
    UnknownGenerator { generator: String, family: Family, known: &'static [&'static str] },
    #[error("`{path}` in `outputs.{generator}` of `aos.toml` cannot be generated: {reason}")]
    Output { generator: String, path: RelativePath, reason: String },
    #[error(transparent)]
    Files(#[from] FileSetError),
}

/// Every generated file of a repository.
///
/// # Errors
/// When a source is missing or cannot become code; nothing is generated then.
pub fn files(
    contract: &Contract,
    outputs: &BTreeMap<String, Vec<Output>>,
    sources: Sources<'_>,
) -> Result<FileSet, GenerateError> {
    match contract {
        Contract::Harness(contract) => harness_files(contract, outputs, sources),
        Contract::AgentCli(contract) => agent_cli_files(contract, outputs, sources),
    }
}

fn harness_files(
    contract: &HarnessContract,
    outputs: &BTreeMap<String, Vec<Output>>,
    sources: Sources<'_>,
) -> Result<FileSet, GenerateError> {
    let bytes = sources.connector.ok_or(GenerateError::NoConnector)?;
    let connector = Connector::parse(bytes, contract)?;
    write(outputs, |generator, _| {
        Ok(match generator {
            "permissions" => permissions::document(contract, &connector),
            "python" => connector::module(contract, &connector),
            "test_cases" => test_cases::table(&connector),
            other => return Err(unknown(other, Family::Harness)),
        })
    })
}

fn agent_cli_files(
    contract: &AgentCliContract,
    outputs: &BTreeMap<String, Vec<Output>>,
    sources: Sources<'_>,
) -> Result<FileSet, GenerateError> {
    let extension = match sources.extension {
        Some(bytes) => Extension::parse(bytes, contract)?,
        None => Extension::default(),
    };
    let model = Model::new(contract, &extension)?;
    write(outputs, |generator, output| {
        Ok(match generator {
            "go" => {
                // An output without a package is a fault, and `write` has refused it.
                output.go_package().map(|package| go::module(&model, &package)).unwrap_or_default()
            }
            "python" => python::module(&model),
            "rust" => rust::module(&model)?,
            "typescript" => typescript::module(&model),
            other => return Err(unknown(other, Family::AgentCli)),
        })
    })
}

fn write(
    outputs: &BTreeMap<String, Vec<Output>>,
    generate: impl Fn(&str, &Output) -> Result<String, GenerateError>,
) -> Result<FileSet, GenerateError> {
    let mut files = FileSet::default();
    for (generator, outputs) in outputs {
        for output in outputs {
            if let Some(reason) = output.fault(generator) {
                return Err(GenerateError::Output {
                    generator: generator.clone(),
                    path: output.path.clone(),
                    reason,
                });
            }
            let text = generate(generator, output)?;
            files.insert(output.path.clone(), Content::plain(text))?;
        }
    }
    Ok(files)
}

fn unknown(generator: &str, family: Family) -> GenerateError {
    GenerateError::UnknownGenerator {
        generator: excerpt(generator, 40),
        family,
        known: generators(family),
    }
}
