//! The state of the program after its package manager ran, determined from the program and not from the manager's
//! output.

use semver::Version;

use crate::system::files;
use crate::verify::Sha256;

use super::super::executable;
use super::method::Installation;

/// Largest program that is compared, in bytes.
const MAX_PROGRAM: u64 = 256 * 1024 * 1024;

/// The state of the program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Aftermath {
    Untouched,
    Replaced(Version),
    /// The file was changed or removed, and reports no version.
    Unknown,
}

/// The program before the package manager runs.
#[derive(Clone, Debug)]
pub struct Before {
    digest: Option<Sha256>,
    version: Version,
}

impl Before {
    /// Records the program, whose version is `version`.
    #[must_use]
    pub fn look(installation: &Installation, version: &Version) -> Self {
        Self { digest: digest(installation), version: version.clone() }
    }

    /// Compares with the current file. After a signal, the program is not started, and only its bytes are compared.
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
