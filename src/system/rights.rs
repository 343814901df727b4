//! Modes of files, links, and dropping the capability of root to ignore modes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The permission bits of `path`; `None` if the system has none.
///
/// # Errors
/// Returns an error if it cannot be looked at.
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

/// Sets the permission bits of `path`; does nothing if the system has none.
///
/// # Errors
/// If the system reports an error.
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

/// Creates a symbolic link at `at`, which must not exist.
///
/// # Errors
/// If the system reports an error; `Unsupported` if links need special permissions.
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

/// The target of a symbolic link; `None` if there is no link.
#[must_use]
pub fn link_target(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// From now on, programs that this thread starts cannot ignore the modes of files, even as root. Other threads keep
/// their capabilities.
///
/// # Errors
/// If the system does not allow this thread to drop the capability.
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

/// From now on, programs that this thread starts cannot ignore the modes of files.
///
/// # Errors
/// If this is root, whose capabilities cannot be dropped separately on this system.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn obey_modes() -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        return Err(io::Error::other("root ignores file modes on this system"));
    }
    Ok(())
}

/// From now on, programs that this thread starts cannot ignore the modes of files.
///
/// # Errors
/// Always: this system has no such modes.
#[cfg(not(unix))]
pub fn obey_modes() -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
