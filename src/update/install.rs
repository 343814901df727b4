//! Installs a verified release: archive, digest, unpacking beside the program, trial run, replacement.
//!
//! Before `commit`, only a temporary directory and a staged file are written; both are removed at the end.

use std::collections::BTreeMap;

use semver::Version;

use crate::release::archive::{self, ArchiveError, KeptFile, Receiver};
use crate::release::signed::{DownloadProgress, download_directory};
use crate::release::{Fault, ReleaseError, Signed, Stage};
use crate::system::{checkpoint, files, interrupt};
use crate::verify::Sha256;

use super::executable;
use super::fault::UpdateError;
use super::find;
use super::swap;

/// Largest archive, in bytes.
const MAX_ARCHIVE: u64 = 200 * 1024 * 1024;
/// Largest Skill, in bytes.
const MAX_SKILL: u64 = 4 * 1024 * 1024;
/// The directory of the Skill in an archive.
const SKILL: &str = "skills/aos/";
/// The program in an archive.
const PROGRAM: &str = if cfg!(windows) { "aos.exe" } else { "aos" };

/// A program that was put in place.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The version that the installed file reports.
    pub version: Version,
    pub archive_sha256: Sha256,
    /// Files of the Skill in the same archive; paths below its directory.
    pub skill: BTreeMap<String, Vec<u8>>,
}

/// Replaces the program with the one in `signed`.
///
/// # Errors
/// Before the replacement nothing has changed; the replacement is one step.
pub fn install(
    signed: &Signed<'_>,
    mut stage: swap::UpdateStage,
    progress: DownloadProgress<'_>,
) -> Result<Installed, UpdateError> {
    let version = &signed.release.version;
    let directory = download_directory()?;
    let (path, archive_sha256) =
        signed.file(&find::archive_name(version), MAX_ARCHIVE, &directory, progress)?;
    let unpack = |fault: Fault| UpdateError::from(fault.at(Stage::Replace));
    let stream = files::open_named(&path)
        .map_err(|source| unpack(Fault::Io { path: path.display().to_string(), source }))?;
    let mut unpacking = Unpacking {
        stage: &mut stage,
        fault: None,
        found: false,
        skill: KeptFile::below(SKILL, MAX_SKILL),
    };
    let top = find::archive_directory(version);
    let result = archive::read(stream, &top, &mut unpacking);
    let Unpacking { fault, found, skill, .. } = unpacking;
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    result.map_err(|error| match error {
        ArchiveError::Interrupted => unpack(Fault::Interrupted),
        other => unpack(Fault::Archive(other)),
    })?;
    if !found {
        return Err(unpack(Fault::Archive(ArchiveError::Absent { path: PROGRAM.to_owned() })));
    }
    stage.finish()?;
    executable::verify(stage.path(), version)?;
    drop(directory);
    interrupt::check()
        .map_err(|_| ReleaseError { stage: Stage::Replace, fault: Fault::Interrupted })?;
    checkpoint::reached("update:tested");
    stage.verify()?;
    stage.commit()?;
    let skill = skill
        .files
        .into_iter()
        .filter_map(|(path, bytes)| path.strip_prefix(SKILL).map(|path| (path.to_owned(), bytes)))
        .collect();
    Ok(Installed { version: version.clone(), archive_sha256, skill })
}

/// Writes the program to the staged file, and keeps the Skill in memory.
struct Unpacking<'a> {
    stage: &'a mut swap::UpdateStage,
    fault: Option<swap::SwapError>,
    found: bool,
    skill: KeptFile,
}

impl Receiver for Unpacking<'_> {
    fn wants(&self, path: &str) -> bool {
        path == PROGRAM || self.skill.wants(path)
    }

    fn take(&mut self, path: &str, piece: &[u8]) -> Result<(), ArchiveError> {
        if path != PROGRAM {
            return self.skill.take(path, piece);
        }
        self.found = true;
        self.stage.write(piece).map_err(|error| {
            // The inner error is more specific than an error of the archive.
            self.fault = Some(error);
            ArchiveError::Sink(std::io::Error::other("staging failed"))
        })
    }
}
