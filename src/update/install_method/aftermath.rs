//! What became of the program while its manager was at work: looked at, never taken from the manager's words.

use semver::Version;

use crate::system::files;
use crate::verify::Sha256;

use super::super::executable;
use super::method::Installation;

/// Largest program that is compared, in bytes.
const MAX_PROGRAM: u64 = 256 * 1024 * 1024;

/// What the program is now.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Aftermath {
    Untouched,
    Replaced(Version),
    /// It is another file, or none, that does not say its version.
    Unknown,
}

/// The program before its manager is called.
#[derive(Clone, Debug)]
pub struct Before {
    digest: Option<Sha256>,
    version: Version,
}

impl Before {
    /// Looks at the program, which is `version`.
    #[must_use]
    pub fn look(installation: &Installation, version: &Version) -> Self {
        Self { digest: digest(installation), version: version.clone() }
    }

    /// Compares with what is there now. After a signal the program is not started any more; then its bytes alone
    /// tell.
    #[must_use]
    pub fn compared(&self, installation: &Installation) -> Aftermath {
        if self.digest.is_some() && self.digest == digest(installation) {
            return Aftermath::Untouched;
        }
        match executable::version(&installation.program(), &self.version) {
            Ok(version) if version == self.version => Aftermath::Untouched,
            Ok(version) => Aftermath::Replaced(version),
            Err(_) => Aftermath::Unknown,
        }
    }
}

fn digest(installation: &Installation) -> Option<Sha256> {
    let loaded = files::read_named(&installation.program(), MAX_PROGRAM).ok()?;
    Some(Sha256::of(&loaded.bytes))
}
