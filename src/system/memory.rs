//! The memory that this process uses.

use std::path::Path;

use super::files;

/// Largest text that the system gives about a process, in bytes.
const MAX_TEXT: u64 = 64 * 1024;

/// The memory in use, in bytes; `None` if the system does not report it.
#[must_use]
pub fn in_use() -> Option<u64> {
    let text = files::read(Path::new("/proc/self/status"), MAX_TEXT).ok()?.bytes;
    let text = std::str::from_utf8(&text).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn written_memory_counts_as_in_use() {
        let before = super::in_use().unwrap();
        let used = vec![1_u8; 64 * 1024 * 1024];
        let after = super::in_use().unwrap();
        assert!(after > before, "{before} {after} {}", used.len());
    }
}
