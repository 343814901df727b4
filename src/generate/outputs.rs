//! Generated files: the trait for a family, and the code that is the same for all families.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::contract::document::ContractError;
use crate::contract::family::FamilyParts;
use crate::contract::{Family, SpecTag};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::visible::excerpt;

use super::output::Output;
use super::vendor::{Contract, OtherContract};

/// The outputs that a family generates.
pub trait Outputs: Sync {
    /// Parses `contract.json` of the family at `tag`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not that contract.
    fn parse(&self, bytes: &[u8], tag: &SpecTag) -> Result<Contract, ContractError>;

    /// Names of the generators, as `aos.toml` writes them under `[outputs]`.
    fn generators(&self) -> &'static [&'static str];

    /// The file of a project that generators read in addition to the contract in `directory`.
    fn source(&self, directory: &RelativePath) -> String;

    /// The name of a file in the directory of the contract that the project writes itself.
    fn own_file(&self) -> Option<&'static str> {
        None
    }

    /// True if a JSON document is one that the family generates; JSON has no place for a mark.
    fn is_document(&self, _members: &Map<String, Value>) -> bool {
        false
    }

    /// A file that hosts read at this place, whether an output declares it or not, and what is wrong when none does.
    fn read_by_hosts(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// True if only the tests of a project load what this generator writes.
    fn is_for_tests(&self, _generator: &str) -> bool {
        false
    }

    /// Every generated file of a repository; `source` is `None` when there is no such file.
    ///
    /// # Errors
    /// Returns an error if the source is missing or cannot become code; nothing is generated then.
    fn files(
        &self,
        contract: &Contract,
        outputs: &BTreeMap<String, Vec<Output>>,
        source: Option<&[u8]>,
    ) -> Result<FileSet, GenerateError>;
}

/// The generators of each family.
pub static OUTPUTS: FamilyParts<dyn Outputs> = FamilyParts::new();

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Why the file that generators read in addition to the contract is not valid.
    #[error("{0}")]
    Source(String),
    #[error(transparent)]
    OtherContract(#[from] OtherContract),
    #[error("`{first}` and `{second}` would have the same name in the generated module")]
    NameCollision { first: String, second: String },
    #[error("`outputs.{generator}` in `aos.toml` is not a generator of the family `{family}`; it has {}", known.join(", "))]
    UnknownGenerator { generator: String, family: Family, known: &'static [&'static str] },
    #[error("`{path}` in `outputs.{generator}` of `aos.toml` cannot be generated: {reason}")]
    Output { generator: String, path: RelativePath, reason: String },
    #[error(transparent)]
    Files(#[from] FileSetError),
}

/// Names of the generators of a family.
#[must_use]
pub fn generators(family: Family) -> &'static [&'static str] {
    OUTPUTS.of(family).map(Outputs::generators).unwrap_or_default()
}

/// The file that generators of a family read besides the contract in `directory`.
#[must_use]
pub fn source(family: Family, directory: &RelativePath) -> Option<String> {
    OUTPUTS.of(family).map(|part| part.source(directory))
}

/// The files in the directory of a contract that projects of any family write themselves.
#[must_use]
pub fn own_files(directory: &RelativePath) -> Vec<String> {
    let names = OUTPUTS.entries().into_iter().filter_map(|(_, part)| part.own_file());
    names.map(|name| format!("{directory}/{name}")).collect()
}

/// The file in the directory of a contract that projects of `family` write themselves.
#[must_use]
pub fn own_file_of(family: Family, directory: &RelativePath) -> Option<String> {
    OUTPUTS.of(family)?.own_file().map(|name| format!("{directory}/{name}"))
}

/// True if a path is that of such a file, in every location of the contract.
#[must_use]
pub fn is_own_file(path: &RelativePath) -> bool {
    let name = path.as_str().rsplit_once('/').map(|(_, name)| name);
    let own = OUTPUTS.entries().into_iter().filter_map(|(_, part)| part.own_file());
    name.is_some_and(|name| own.into_iter().any(|own| own == name))
}

/// True if a JSON document is one that any family generates.
#[must_use]
pub fn is_document(members: &Map<String, Value>) -> bool {
    OUTPUTS.entries().into_iter().any(|(_, part)| part.is_document(members))
}

/// True if only the tests of a project load what this generator writes.
#[must_use]
pub fn is_for_tests(family: Family, generator: &str) -> bool {
    OUTPUTS.of(family).is_some_and(|part| part.is_for_tests(generator))
}

/// Every generated file of a repository.
///
/// # Errors
/// Returns an error if the source is missing or cannot become code; nothing is generated then.
pub fn files(
    family: Family,
    contract: &Contract,
    outputs: &BTreeMap<String, Vec<Output>>,
    source: Option<&[u8]>,
) -> Result<FileSet, GenerateError> {
    let known = generators(family);
    if let Some(other) = outputs.keys().find(|generator| !known.contains(&generator.as_str())) {
        let generator = excerpt(other, 40);
        return Err(GenerateError::UnknownGenerator { generator, family, known });
    }
    OUTPUTS
        .of(family)
        .map_or_else(|| Ok(FileSet::default()), |part| part.files(contract, outputs, source))
}

/// Writes each output with the text of its generator; `generate` returns `None` for an unknown generator.
///
/// # Errors
/// Returns an error if an output is at a place that the generator cannot write, or the text cannot be made.
pub fn write(
    outputs: &BTreeMap<String, Vec<Output>>,
    generate: impl Fn(&str, &Output) -> Result<Option<String>, GenerateError>,
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
            if let Some(text) = generate(generator, output)? {
                files.insert(output.path.clone(), Content::plain(text))?;
            }
        }
    }
    Ok(files)
}
