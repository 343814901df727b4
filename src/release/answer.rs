//! Maps the status of a response to a fault (agent-cli §6). Only 200 is a success.

use jiff::fmt::rfc2822;

use crate::system::clock;
use crate::system::http::Head;
use crate::visible::excerpt;

use super::fault::Fault;

/// Longest wait that is reported, in seconds, regardless of the server.
const MAX_WAIT: u64 = 6 * 60 * 60;
/// The wait if a server does not state one.
const DEFAULT_WAIT: u64 = 60;

/// Longest text from outside in a message, in characters.
const MAX_SHOWN: usize = 200;

/// Accepts 200, and returns the fault for any other status.
pub(super) fn accept(head: &Head, host: &str, what: &str, with_token: bool) -> Result<(), Fault> {
    let host = host.to_owned();
    let status = head.status;
    Err(match status {
        200 => return Ok(()),
        403 | 429 if is_rate_limit(head) => {
            let retry_after_s = wait(head, clock::now_seconds());
            Fault::RateLimited { host, retry_after_s, with_token }
        }
        401 => Fault::Unauthorized { host, with_token },
        403 => Fault::Forbidden { host },
        404 | 410 => Fault::NotFound { what: what.to_owned(), host },
        408 => Fault::SlowServer { host },
        500..=599 => Fault::Server { host, status },
        _ => Fault::Status { host, status },
    })
}

fn is_rate_limit(head: &Head) -> bool {
    head.status == 429
        || head.header("retry-after").is_some()
        || head.header("x-ratelimit-remaining").is_some_and(|left| left.trim() == "0")
}

/// Seconds until the server accepts another request.
fn wait(head: &Head, now: u64) -> u64 {
    let after = head.header("retry-after").and_then(|text| retry_after(text.trim(), now));
    let reset = head.header("x-ratelimit-reset").and_then(|text| text.trim().parse::<u64>().ok());
    let reset = reset.map(|reset| reset.saturating_sub(now));
    after.or(reset).unwrap_or(DEFAULT_WAIT).min(MAX_WAIT)
}

/// Seconds, or a date.
fn retry_after(text: &str, now: u64) -> Option<u64> {
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    u64::try_from(date.as_second()).ok().map(|date| date.saturating_sub(now))
}

/// Outside text on one line of bounded length.
pub(super) fn shown(text: &str) -> String {
    excerpt(text, MAX_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let now = 784_111_770;
        assert_eq!(retry_after("120", now), Some(120));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(7));
        assert_eq!(retry_after("Tue, 06 Nov 1984 08:49:37 GMT", now), Some(0));
        for text in ["-1", "soon", "", "1e9"] {
            assert_eq!(retry_after(text, now), None, "{text}");
        }
    }
}
