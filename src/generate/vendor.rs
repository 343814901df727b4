//! Vendored files: the bytes of one released tag, where a repository keeps them.

use std::borrow::Cow;

use crate::contract::harness::ContractError;
use crate::contract::{AgentCliContract, Family, HarnessContract, SpecTag};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};

use super::record::{AGENT_DIRECTORY, PIN_PATH, SpecSource};

/// One tag of one family: bytes and their meaning.
#[derive(Clone, Debug)]
pub struct SpecRelease {
    pub family: Family,
    pub tag: SpecTag,
    pub source: SpecSource,
    pub contract_bytes: Cow<'static, [u8]>,
    pub spec_bytes: Cow<'static, [u8]>,
    pub contract: Contract,
}

/// A validated contract.
#[derive(Clone, Debug)]
pub enum Contract {
    Harness(Box<HarnessContract>),
    AgentCli(Box<AgentCliContract>),
}

impl Contract {
    /// Parses `contract.json` of `family` at `tag`.
    ///
    /// # Errors
    /// When the bytes are not that contract.
    pub fn parse(family: Family, tag: &SpecTag, bytes: &[u8]) -> Result<Self, ContractError> {
        Ok(match family {
            Family::Harness => Self::Harness(Box::new(HarnessContract::parse(bytes, tag)?)),
            Family::AgentCli => Self::AgentCli(Box::new(AgentCliContract::parse(bytes, tag)?)),
        })
    }
}

/// The files a repository vendors for `release`: contract, spec text and pin.
///
/// # Errors
/// When the contract directory makes two of them one file.
pub fn files(release: &SpecRelease, directory: &RelativePath) -> Result<FileSet, FileSetError> {
    let mut files = FileSet::default();
    files.insert(
        RelativePath::parse(&format!("{directory}/contract.json"))?,
        Content::plain(release.contract_bytes.as_ref()),
    )?;
    files.insert(
        RelativePath::parse(&format!("{AGENT_DIRECTORY}/{}", release.family.spec_file()))?,
        Content::plain(release.spec_bytes.as_ref()),
    )?;
    files.insert(RelativePath::literal(PIN_PATH), Content::plain(release.tag.pin_bytes()))?;
    Ok(files)
}
