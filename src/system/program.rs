//! The version, the platform and the file of this program.

/// Target triple of this build, which is part of the name of its archive.
pub const TARGET: &str = env!("AOS_TARGET");

/// The version of this program.
#[must_use]
#[cfg(not(debug_assertions))]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The version of this program. In debug builds a test can append another one to a copy of the program, which is then
/// a newer release that can do everything this one can.
#[must_use]
#[cfg(debug_assertions)]
pub fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| appended().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()))
}

/// A text that distinguishes the file of this program from that of another build; `None` if the system has none.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
pub fn build() -> Option<String> {
    let metadata = std::fs::metadata(super::environment::current_executable().ok()?).ok()?;
    let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {modified:?} {}", version(), metadata.len(), place(&metadata)))
}

/// A file that is replaced gets another number, and one that is written to another time of change.
#[cfg(unix)]
fn place(metadata: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let (device, number) = (metadata.dev(), metadata.ino());
    format!("{device} {number} {} {}", metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn place(_metadata: &std::fs::Metadata) -> String {
    String::new()
}

/// `AOS_TEST_VERSION=<version>` as the last line of the program's file.
#[cfg(debug_assertions)]
#[expect(clippy::disallowed_methods, reason = "a test hook that release builds do not have")]
fn appended() -> Option<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    const LONGEST: i64 = 100;
    let mut file = std::fs::File::open(std::env::current_exe().ok()?).ok()?;
    file.seek(SeekFrom::End(-LONGEST)).ok()?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).ok()?;
    let text = String::from_utf8_lossy(&tail);
    let (_, version) = text.strip_suffix('\n')?.rsplit_once("\nAOS_TEST_VERSION=")?;
    semver::Version::parse(version).ok().map(|version| version.to_string())
}
