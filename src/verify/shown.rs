//! Text from outside in messages.

use crate::visible::excerpt;

/// Longest text from outside in a message, in characters.
const MAX_SHOWN: usize = 240;

/// Outside text for a message: one line of bounded length.
pub(super) fn shown(text: &str) -> String {
    excerpt(text, MAX_SHOWN)
}
