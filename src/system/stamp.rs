//! Size and time of files, to see that one was changed.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// What changes with a file; `None` when it is not there or cannot be looked at.
pub type Stamp = Option<(u64, Duration)>;

/// Looks at a file, links followed.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
pub fn of(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), changed))
}
