//! How the running program was installed, from where it lies.

use semver::Version;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InstallMethod {
    Standalone,
    Npm,
}
impl InstallMethod {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Standalone => "standalone",
            Self::Npm => "npm",
        }
    }
}
#[derive(Clone, Debug)]
pub struct Installation {
    pub method: InstallMethod,
    pub executable: PathBuf,
    pub evidence: String,
}
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct DetectError;
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct DriveError;
pub fn detect(path: &Path) -> Result<Installation, DetectError> {
    Ok(Installation {
        method: InstallMethod::Standalone,
        executable: crate::system::files::canonical(path).map_err(|_| DetectError)?,
        evidence: String::new(),
    })
}
pub fn drive(_: &Installation, _: &Version) -> Result<Version, DriveError> {
    Err(DriveError)
}
