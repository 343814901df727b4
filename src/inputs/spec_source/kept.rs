//! Verified releases in the state directory, so that a check needs no network.
//!
//! The kept bytes are exactly those from the host, including the signature, and the caller that loads them verifies
//! them again: no digest beside them, no name and no date is trusted. So a damaged, exchanged or planted file has no
//! effect.

use std::path::{Path, PathBuf};

use crate::contract::SpecTag;
use crate::release::Repository;
use crate::release::signed::SignedList;
use crate::system::files::{self, Mode};
use crate::system::{environment, random};
use crate::verify::bundle::MAX_BUNDLE;
use crate::verify::checksums::{MAX_CHECKSUMS, Sha256};

use super::hosted::MAX_ARCHIVE;

/// The directory, below the state directory.
const DIRECTORY: &str = "spec-cache";
/// First line of every file.
const FORMAT: &str = "aos spec release 1";
/// Longest head of a file, in bytes.
const MAX_HEAD: usize = 512;
/// Most files; which one goes when there is another is left to chance.
const MAX_FILES: usize = 32;

/// A release as it came from its host.
#[derive(Debug)]
pub struct KeptRelease {
    pub evidence: SignedList,
    pub archive: Vec<u8>,
}

/// Returns the kept files of the release of `repository` at `tag`. They are not verified yet.
#[must_use]
pub fn load(repository: &Repository, tag: &SpecTag) -> Option<KeptRelease> {
    let path = directory()?.join(name(repository, tag));
    let limit = MAX_HEAD as u64 + MAX_CHECKSUMS as u64 + MAX_BUNDLE as u64 + MAX_ARCHIVE;
    parse(&files::read(&path, limit).ok()?.bytes)
}

/// Why a release is not in the cache.
#[derive(Debug, thiserror::Error)]
#[error("the release could not be cached in `{}` ({error}), so the next run downloads it again", directory.display())]
pub struct NotKept {
    directory: PathBuf,
    error: std::io::Error,
}

/// Keeps a release, whole or not at all. Without a state directory nothing is kept.
///
/// # Errors Says in a sentence why it could not be kept; the release itself is still valid.
pub fn keep(
    repository: &Repository,
    tag: &SpecTag,
    evidence: &SignedList,
    archive: &[u8],
) -> Result<(), NotKept> {
    let Some(directory) = directory() else { return Ok(()) };
    let head =
        format!("{FORMAT}\n{} {} {}\n", evidence.list.len(), evidence.bundle.len(), archive.len());
    let bytes = [head.as_bytes(), &evidence.list, &evidence.bundle, archive].concat();
    let write = || -> std::io::Result<()> {
        files::create_private_directory(&directory)?;
        let name = name(repository, tag);
        make_room(&directory, &name)?;
        let random: String =
            random::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        let staged = directory.join(format!("{name}.{random}"));
        files::write_new(&staged, &bytes, Mode::Secret)?;
        files::rename(&staged, &directory.join(name)).inspect_err(|_| {
            // A file that remains here is removed later, when space is needed.
            let _ = files::remove_file(&staged);
        })
    };
    write().map_err(|error| NotKept { directory: directory.clone(), error })
}

fn directory() -> Option<PathBuf> {
    environment::state_directory().map(|state| state.join(DIRECTORY))
}

/// Returns a name that identifies the repository without being a path that an outsider chose.
fn name(repository: &Repository, tag: &SpecTag) -> String {
    Sha256::of(format!("github:{repository} {tag}").as_bytes()).to_string()
}

/// Removes files until there is place for `name`: what a killed run left first, the others in the order of their
/// digests.
fn make_room(directory: &Path, name: &str) -> std::io::Result<()> {
    let mut names = files::names(directory)?;
    names.retain(|known| known.to_str() != Some(name));
    names.sort_by_key(|known| !known.to_string_lossy().contains('.'));
    let surplus = (names.len() + 1).saturating_sub(MAX_FILES);
    for known in names.iter().take(surplus) {
        files::remove_file(&directory.join(known))?;
    }
    Ok(())
}

/// The parts of a file whose lengths add up.
fn parse(bytes: &[u8]) -> Option<KeptRelease> {
    let end = |from: usize| {
        let rest = bytes.get(from..)?;
        rest.iter().take(MAX_HEAD).position(|byte| *byte == b'\n').map(|at| from + at)
    };
    let first = end(0)?;
    let second = end(first + 1)?;
    if &bytes[..first] != FORMAT.as_bytes() {
        return None;
    }
    let lengths = std::str::from_utf8(&bytes[first + 1..second]).ok()?;
    let lengths: Vec<usize> =
        lengths.split(' ').map(|length| length.parse().ok()).collect::<Option<_>>()?;
    let [list, bundle, archive] = lengths.as_slice() else { return None };
    let (list_bytes, rest) = bytes[second + 1..].split_at_checked(*list)?;
    let (bundle_bytes, rest) = rest.split_at_checked(*bundle)?;
    if rest.len() != *archive {
        return None;
    }
    let evidence = SignedList { list: list_bytes.to_vec(), bundle: bundle_bytes.to_vec() };
    Some(KeptRelease { evidence, archive: rest.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_whose_parts_add_up_is_read() {
        let good = format!("{FORMAT}\n1 2 3\nabbccc");
        let kept = parse(good.as_bytes()).unwrap();
        assert_eq!(
            (&*kept.evidence.list, &*kept.evidence.bundle, &*kept.archive),
            (&b"a"[..], &b"bb"[..], &b"ccc"[..])
        );
        for length in 0..good.len() {
            assert!(parse(&good.as_bytes()[..length]).is_none(), "{length}");
        }
        for text in [
            "",
            "\n\n",
            "aos spec release 2\n1 2 3\nabbccc",
            &format!("{FORMAT}\n1 2 3\nabbcccd"),
            &format!("{FORMAT}\n1 2\nabb"),
            &format!("{FORMAT}\n1 2 3 0\nabbccc"),
            &format!("{FORMAT}\n-1 2 3\nabbccc"),
            &format!("{FORMAT}\n18446744073709551615 2 3\nabbccc"),
            &format!("{FORMAT}\n1 2 3\r\nabbccc"),
        ] {
            assert!(parse(text.as_bytes()).is_none(), "{text:?}");
        }
    }
}
