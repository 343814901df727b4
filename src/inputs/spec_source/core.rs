//! The core of a family, which each new tag keeps, whatever source it comes from: all sources share one order of tags.

use crate::contract::{Family, SpecTag};
use crate::generate::vendor::Contract;
use crate::inputs::embedded;
use crate::inputs::frozen::{CoreChange, FROZEN};

use super::carried::embedded_release;
use super::fault::SpecError;

/// How a contract breaks with the released tags before it.
#[derive(Clone, Debug)]
pub struct BrokenCore {
    pub change: CoreChange,
    /// The first released tag with which it breaks.
    pub since: SpecTag,
    /// The newest released tag that it keeps, as a contract does that grew from it.
    pub base: Option<SpecTag>,
}

impl BrokenCore {
    /// How the publisher of the contract repairs it.
    #[must_use]
    pub fn fix(&self) -> String {
        let Self { change, since, base } = self;
        let add = match change.lacks.is_empty() {
            true => format!("define `{}` as `{since}` does", change.member),
            false => format!("add the missing entries to `{}`", change.member),
        };
        let next = base.as_ref().map(|base| {
            let version = base.version();
            let next = format!("v{}.{}.{}", version.major, version.minor, version.patch + 1);
            (base, next)
        });
        match next {
            Some((base, next)) => format!(
                "{add}; or, because the contract keeps everything of `{base}`, publish it under a tag between `{base}` and `{since}`, such as `{next}`"
            ),
            None => format!("{add}, and publish that under a new tag"),
        }
    }
}

/// How `contract` breaks with a tag before `tag`.
///
/// # Errors
/// Returns an error if a released contract cannot be read.
pub fn broken(
    family: Family,
    tag: &SpecTag,
    contract: &Contract,
) -> Result<Option<BrokenCore>, SpecError> {
    let Some(core) = FROZEN.of(family) else { return Ok(None) };
    let mut released: Vec<_> = embedded::tags(family);
    released.sort();
    let mut base = None;
    for since in released.into_iter().filter(|released| released <= tag) {
        if let Some(change) = core.changed(&embedded_release(family, &since)?.contract, contract) {
            return Ok(Some(BrokenCore { change, since, base }));
        }
        base = Some(since);
    }
    Ok(None)
}

/// A new tag may add to the core; what is released keeps its meaning.
///
/// # Errors
/// The first part that `contract` lacks or defines differently.
pub fn is_kept(
    path: &str,
    family: Family,
    tag: &SpecTag,
    contract: &Contract,
) -> Result<(), SpecError> {
    match broken(family, tag, contract)? {
        Some(core) => Err(SpecError::CoreChanged { path: path.to_owned(), core: Box::new(core) }),
        None => Ok(()),
    }
}
