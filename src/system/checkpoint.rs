//! Named places where a test can kill the process, to prove what a crash leaves behind.
//!
//! Empty in release builds.

/// Kills the process when a test asked for it here.
#[cfg(debug_assertions)]
#[expect(clippy::disallowed_methods, reason = "a test hook that release builds do not have")]
pub fn reached(name: &str) {
    if std::env::var("AOS_TEST_KILL_AT").is_ok_and(|wanted| wanted == name) {
        std::process::abort();
    }
    if std::env::var("AOS_TEST_PAUSE_AT").is_ok_and(|wanted| wanted == name) {
        std::thread::sleep(std::time::Duration::from_secs(5));
    }
}

#[cfg(not(debug_assertions))]
pub fn reached(_name: &str) {}
