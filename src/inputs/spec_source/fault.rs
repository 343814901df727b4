//! Why a contract cannot be had.

use std::path::PathBuf;

use crate::contract::document::ContractError;
use crate::contract::{Family, SpecTag};
use crate::release::ReleaseError;

use super::core::BrokenCore;

/// Why a tag cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    #[error("the family `{family}` has no tag `{tag}`; this aos contains {}", known.join(", "))]
    UnknownTag { family: Family, tag: String, known: Vec<String> },
    #[error("`{}` contains no contract of the family `{family}`{}", path.display(), tag.as_ref().map(|tag| format!(" at tag `{tag}`")).unwrap_or_default())]
    NotInDirectory { path: PathBuf, family: Family, tag: Option<SpecTag> },
    #[error(
        "the release `{tag}` of `{origin}` contains no contract of the family `{family}`: there is no {}",
        quoted(looked)
    )]
    NotInArchive { origin: String, family: Family, tag: SpecTag, looked: Vec<String> },
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{path}` is not a usable contract: {source}")]
    Contract { path: String, source: ContractError },
    #[error(
        "`{path}` is not in the format of the contracts that aos vendors: member `{member}`: {reason}"
    )]
    Format { path: String, member: String, reason: String },
    #[error("the tag `{tag}` in `{path}` is not a valid tag: {reason}")]
    Tag { path: String, tag: String, reason: String },
    #[error("`{path}` is the contract of tag `{found}`, not of `{wanted}`")]
    OtherTag { path: String, found: SpecTag, wanted: SpecTag },
    #[error(
        "`{path}` differs from the released tag `{tag}` of `{family}`; a released tag never changes"
    )]
    Frozen { path: String, family: Family, tag: SpecTag },
    #[error("`{path}` changes {}, which must not change since `{}`", core.change, core.since)]
    CoreChanged { path: String, core: Box<BrokenCore> },
    #[error(
        "`{origin}` has other bytes for `{tag}` than .agent/spec.lock records; a released tag never changes"
    )]
    OtherBytes { origin: String, tag: SpecTag },
    #[error("the contract `{tag}` of `{origin}` is not available: {error}")]
    Release { origin: String, tag: SpecTag, error: ReleaseError },
    #[error("the newest contract of `{origin}` is not available: {error}")]
    Newest { origin: String, error: ReleaseError },
}

fn quoted(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" and no ")
}
