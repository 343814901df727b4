//! Names of directories that a write needs for a while.

/// Path of the journal of a running write.
pub const JOURNAL_DIRECTORY: &str = ".aos-transaction";
/// Prefix of a journal that is still being written, or is done; the rest is 16 hex digits.
pub const DRAFT_PREFIX: &str = ".aos-draft-";
/// Prefix of staging directories; the rest is 16 hex digits.
pub const STAGING_PREFIX: &str = ".aos-tmp-";
