//! The options of the user for the commands of a description, and whether they can be met.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::KeptOptions;
use super::ids::RequestKey;
use super::model::Endpoint;
use super::modes::{self, ModeDecision, ModeFault};
use crate::visible::excerpt;

/// The options of the user for the commands.
#[derive(Clone, Debug, Default)]
pub struct ApiWishes {
    pub select: Vec<String>,
    pub include_deprecated: bool,
    /// Modes by command id.
    pub modes: BTreeMap<String, String>,
    /// New ids by the ids that were found.
    pub renames: BTreeMap<String, String>,
    /// Ids that a project already has for method and path.
    pub kept: BTreeMap<RequestKey, String>,
    /// The options of commands that a project already has for method and path.
    pub options: BTreeMap<RequestKey, KeptOptions>,
    /// Only these requests, whatever `select` says; `None` for all.
    pub only: Option<BTreeSet<RequestKey>>,
}

/// A wish that cannot be met.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum WishFault {
    #[error("`--{option} {id}=…`: no selected operation has this id")]
    Unknown { option: &'static str, id: String, near: Option<String> },
    #[error("`--mode {id}={mode}`: the modes are readonly, write, full and admin")]
    Mode { id: String, mode: String },
    #[error("`--mode {id}={mode}` is too low: {why}, so `{lowest}` is the lowest mode")]
    LowMode { id: String, mode: String, lowest: &'static str, why: String },
    #[error("`--rename {id}={new}`: {reason}")]
    Rename { id: String, new: String, reason: String },
    #[error("`--select {0}` matches no operation")]
    Select(String),
    #[error("no operation can be used: {0}")]
    Nothing(String),
}

/// The mode that the user chose; the contract judges the verb in the id that the command gets.
pub(super) fn wished_mode(
    mode: &str,
    endpoint: &Endpoint,
    id: &str,
    wishes: &ApiWishes,
    before: &ModeDecision,
) -> Result<ModeDecision, WishFault> {
    let named = wishes.renames.get(id).map_or(id, String::as_str);
    modes::chosen(mode, endpoint, named, before).map_err(|fault| {
        let (id, mode) = (id.to_owned(), excerpt(mode, 40));
        match fault {
            ModeFault::Unknown => WishFault::Mode { id, mode },
            ModeFault::TooLow { lowest, why } => WishFault::LowMode { id, mode, lowest, why },
        }
    })
}

/// Every command that a wish names must be there.
pub(super) fn check_wishes(wishes: &ApiWishes, known: &[String]) -> Result<(), WishFault> {
    let unknown = |option, id: &String| WishFault::Unknown {
        option,
        id: excerpt(id, 80),
        near: crate::contract::suggestion::nearest(id, known.iter().map(String::as_str))
            .map(str::to_owned),
    };
    for (option, ids) in [("mode", &wishes.modes), ("rename", &wishes.renames)] {
        if let Some(id) = ids.keys().find(|id| !known.contains(id)) {
            return Err(unknown(option, id));
        }
    }
    Ok(())
}

/// Checks that `new` can be an id.
pub(super) fn renamed(
    id: &str,
    new: &str,
    room: usize,
    taken: &BTreeSet<String>,
) -> Result<(), WishFault> {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && !word.ends_with('_')
            && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let words = new.split_once('.');
    let reason = if !words.is_some_and(|(resource, action)| is_word(resource) && is_word(action)) {
        Some("an id is `resource.action` in lower-case words".to_owned())
    } else if new.len() > room {
        Some(format!("an id of this tool has at most {room} characters"))
    } else if taken.contains(new) {
        Some("another command has this id".to_owned())
    } else {
        None
    };
    reason.map_or(Ok(()), |reason| {
        Err(WishFault::Rename { id: excerpt(id, 80), new: excerpt(new, 80), reason })
    })
}
