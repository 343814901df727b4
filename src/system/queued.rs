//! How long a process has waited for a processor. Only Linux reports it.
//!
//! A correct program can be slow on a busy machine; this number distinguishes it from a slow program.

use std::time::Duration;

use super::descendants;

/// Most processes that are asked.
const MOST: usize = 64;

/// The longest wait of a process or one below it; zero where the system does not report it.
#[must_use]
pub fn longest(root: u32) -> Duration {
    let Ok(root) = i32::try_from(root) else { return Duration::ZERO };
    let below = descendants::of(root).into_iter().take(MOST).map(|process| process.id());
    std::iter::once(root).chain(below).filter_map(of).max().unwrap_or_default()
}

/// The part of a wait that does not count for a time limit, which is thus at most four times as long.
#[must_use]
pub fn excused(queued: Duration, limit: Duration) -> Duration {
    queued.min(limit * 3)
}

fn of(process: i32) -> Option<Duration> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let text = super::files::read(std::path::Path::new(&format!("/proc/{process}/schedstat")), 256);
    waited(std::str::from_utf8(&text.ok()?.bytes).ok()?)
}

/// The second number: nanoseconds in the queue of a processor.
fn waited(text: &str) -> Option<Duration> {
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_the_second_number_and_invalid_text_has_none() {
        assert_eq!(waited("763622 4718678 2\n"), Some(Duration::from_nanos(4_718_678)));
        for text in ["", "1", "1 x 2", "1 -2 3"] {
            assert_eq!(waited(text), None, "{text}");
        }
    }

    #[test]
    fn a_limit_becomes_at_most_four_times_as_long() {
        let seconds = Duration::from_secs;
        assert_eq!(excused(seconds(0), seconds(15)), seconds(0));
        assert_eq!(excused(seconds(20), seconds(15)), seconds(20));
        assert_eq!(excused(seconds(900), seconds(15)), seconds(45));
    }

    #[test]
    fn this_process_waited_for_less_than_it_exists() {
        let clock = super::super::clock::now_seconds();
        assert!(longest(std::process::id()) < Duration::from_secs(clock));
    }
}
