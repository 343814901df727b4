//! A log that only its owner can read: lines are appended, and an old part is set aside.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::files::{Kind, Mode, kind};

/// Appends to a file that only the owner can read, and makes it if it is missing. A file of `most` bytes is set aside
/// first, once: as the same name with `.1`.
///
/// # Errors
/// Returns an error if it is a link or no file, or cannot be written.
#[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
pub fn append(path: &Path, bytes: &[u8], most: u64) -> io::Result<()> {
    if matches!(kind(path)?, Kind::File { length, .. } if length >= most) {
        let mut aside = path.as_os_str().to_owned();
        aside.push(".1");
        fs::rename(path, aside)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(Mode::Secret.bits()).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let mut file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(Mode::Secret.bits()))?;
        }
    }
    file.write_all(bytes)
}
