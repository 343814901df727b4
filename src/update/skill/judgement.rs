//! What one look at the installed copies says: whose they are, who may write them, and what npx claims.

use crate::system::session::Ending;

use super::agents::Pin;
use super::examination::{Examined, SkillExamination, State};
use super::journal::Journal;

/// Whether somebody else than the user wrote this copy since `journal`, and not the verified files.
pub(super) fn is_foreign(examined: &Examined, journal: &Journal) -> bool {
    !examined.is_exact && journal.is_changed(examined) || journal.is_redirected(examined)
}

/// Whether somebody made this copy, or changed it, where no installer writes: it is the user's.
pub(super) fn is_left_alone(examined: &Examined) -> bool {
    let place = &examined.place;
    let is_managed = place.is_canonical
        || [Pin::Older, Pin::Newer].iter().any(|pin| !place.writers(*pin).is_empty());
    !is_managed && !matches!(examined.state, State::Stale | State::Current)
}

/// Agents by whose name the wrong places can be written.
pub(super) fn writers(after: &SkillExamination, pin: Pin) -> Vec<&'static str> {
    let mut names: Vec<_> =
        after.wrong().flat_map(|examined| examined.place.writers(pin)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What npx says although every installed file is right.
pub(super) fn contradiction(ending: Ending) -> Option<String> {
    let said = match ending {
        Ending::Exited(Some(0)) => return None,
        Ending::Exited(Some(code)) => format!("ended with {code}"),
        Ending::Exited(None) => "was ended by a signal".to_owned(),
        Ending::TimedOut => "did not end in time".to_owned(),
        Ending::Interrupted => "was interrupted".to_owned(),
    };
    Some(format!("npx {said}"))
}
