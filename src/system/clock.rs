//! The time of day and elapsed time.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Measures how long a command runs.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "only this module reads the clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Whole milliseconds since the start.
    #[must_use]
    pub fn elapsed_ms(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Seconds since the Unix epoch; 0 when the clock is set before it.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only this module reads the clock")]
pub fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

/// `seconds` since the Unix epoch as ISO 8601 UTC, for example `2026-01-31T12:00:00Z`.
#[must_use]
pub fn iso8601(seconds: u64) -> String {
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), |time| time.to_string())
}

/// Today in UTC, as `YYYY-MM-DD`.
#[must_use]
pub fn today() -> String {
    iso8601(now_seconds()).chars().take(10).collect()
}
