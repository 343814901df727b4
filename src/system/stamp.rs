//! Size and time of files, to detect changes.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// The properties that change with a file; `None` if it does not exist or cannot be read.
pub type Stamp = Option<(u64, Duration)>;

/// Reads the properties of a file, following links.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
pub fn of(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), changed))
}
