//! Modes of files, links, and what a thread of root gives up so that modes count for it as for anybody.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The permission bits of what stands at `path`; `None` where the system has none.
///
/// # Errors
/// When it cannot be looked at.
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
pub fn mode(path: &Path) -> io::Result<Option<u32>> {
    let metadata = fs::symlink_metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        Ok(Some(metadata.permissions().mode() & 0o7777))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        Ok(None)
    }
}

/// Gives what stands at `path` these permission bits; nothing where the system has none.
///
/// # Errors
/// As the system says.
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
pub fn set_mode(path: &Path, bits: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(bits))
    }
    #[cfg(not(unix))]
    {
        let _ = (path, bits);
        Ok(())
    }
}

/// Makes a symbolic link at `at`, where nothing may be.
///
/// # Errors
/// As the system says; `Unsupported` where links need special rights.
pub fn link(target: &Path, at: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(target, at)
    }
    #[cfg(not(unix))]
    {
        let _ = (target, at);
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

/// Where a symbolic link leads; `None` when there is no link.
#[must_use]
pub fn link_target(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// From now on, what this thread starts cannot pass over the modes of files, also when root starts it. The rest of
/// the process keeps its rights.
///
/// # Errors
/// When the system does not let this thread give up the right.
#[cfg(target_os = "linux")]
pub fn obey_modes() -> io::Result<()> {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    for right in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
        remove_capability_from_bounding_set(right)?;
    }
    Ok(())
}

/// From now on, what this thread starts cannot pass over the modes of files.
///
/// # Errors
/// For root, whose rights cannot be split here.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn obey_modes() -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        return Err(io::Error::other("root ignores file modes on this system"));
    }
    Ok(())
}

/// From now on, what this thread starts cannot pass over the modes of files.
///
/// # Errors
/// Always: this system has no such modes.
#[cfg(not(unix))]
pub fn obey_modes() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
