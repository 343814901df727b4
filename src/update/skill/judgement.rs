//! Conclusions from one examination of the installed copies: who made them, who may write them, and what npx reports.

use crate::system::session::SessionEnding;

use super::agents::Pin;
use super::examination::{CopyState, Examined, SkillExamination};
use super::journal::Journal;

/// True if the installer changed this copy since `journal` to something else than the verified files.
pub(super) fn is_foreign(examined: &Examined, journal: &Journal) -> bool {
    !examined.is_exact && journal.is_changed(examined) || journal.is_redirected(examined)
}

/// True if this copy was made or changed where no installer writes, so that it belongs to the user.
pub(super) fn is_left_alone(examined: &Examined) -> bool {
    let place = &examined.place;
    let is_managed = place.is_canonical
        || [Pin::Older, Pin::Newer].iter().any(|pin| !place.writers(*pin).is_empty());
    !is_managed && !matches!(examined.state, CopyState::Stale | CopyState::Current)
}

/// Agents whose names make the installer write the wrong copies.
pub(super) fn writers(after: &SkillExamination, pin: Pin) -> Vec<&'static str> {
    let mut names: Vec<_> =
        after.wrong().flat_map(|examined| examined.place.writers(pin)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the complaint of npx although every installed file is correct.
pub(super) fn contradiction(ending: SessionEnding) -> Option<String> {
    let said = match ending {
        SessionEnding::Exited(Some(0)) => return None,
        SessionEnding::Exited(Some(code)) => format!("ended with {code}"),
        SessionEnding::Exited(None) => "was killed by a signal".to_owned(),
        SessionEnding::TimedOut => "did not end in time".to_owned(),
        SessionEnding::Interrupted => "was interrupted".to_owned(),
    };
    Some(format!("npx {said}"))
}
