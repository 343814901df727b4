//! A template in a signed release of a repository: verified as a contract is, and recorded with tag, commit and digest.

use semver::Version;

use crate::generate::record_origin::{TemplateOrigin, TemplateSource, is_commit, is_tag};
use crate::plan::RelativePath;
use crate::release::archive::{self, KeptFile, Layout};
use crate::release::{Fault, Release, ReleaseError, ReleasesApi, Repository, Signed, Stage};
use crate::system::http::{Client, Limits};
use crate::system::program;
use crate::verify::TrustRoot;

use super::fault::TemplateError;
use super::named::InRepository;
use super::reading::{FoundTemplate, of_tree};
use super::tree::{TemplateTree, is_part};

/// Largest archive of a release, in bytes.
const MAX_ARCHIVE: u64 = 16 * 1024 * 1024;
/// Largest unpacked archive, with all its templates, in bytes.
const MAX_UNPACKED: u64 = 64 * 1024 * 1024;

/// The template in the release that is wanted, or in the newest one.
///
/// # Errors
/// Returns an error if it is not available, or the release workflow of the repository did not sign it at its tag.
pub fn found(
    repository: &Repository,
    wanted: &InRepository,
    roots: &TrustRoot,
) -> Result<FoundTemplate, TemplateError> {
    let source = TemplateSource::Host(repository.clone());
    let origin = source.to_string();
    let shown_tag = wanted.tag.clone().unwrap_or_else(|| "latest".to_owned());
    let unavailable = |tag: &str, error: ReleaseError| TemplateError::Release {
        origin: origin.clone(),
        tag: tag.to_owned(),
        error,
    };
    let asked = || -> Result<(ReleasesApi, Release), ReleaseError> {
        let agent = format!("aos/{}", program::version());
        let client = Client::new(&agent, Limits::patient())
            .map_err(|error| Fault::from(error).at(Stage::Discover))?;
        let host = ReleasesApi::from_environment(client)?.reading(version);
        let release = match &wanted.tag {
            Some(tag) => host.tagged(repository, tag)?,
            None => host.latest(repository)?,
        };
        Ok((host, release))
    };
    let (host, release) = asked().map_err(|error| unavailable(&shown_tag, error))?;
    let tag = release.tag.clone();
    let read = || -> Result<(Vec<u8>, Option<String>), ReleaseError> {
        let signed = Signed::verify(&host, &release, repository, roots)?;
        let bytes = signed.bytes(&format!("{}.tar.gz", top(&tag)), MAX_ARCHIVE)?;
        Ok((bytes, signed.commit.clone()))
    };
    let (bytes, commit) = read().map_err(|error| unavailable(&tag, error))?;
    let name = match &wanted.directory {
        Some(directory) => format!("{origin}@{tag}//{directory}"),
        None => format!("{origin}@{tag}"),
    };
    let mut kept = KeptFile::below("", MAX_UNPACKED);
    archive::read_as(bytes.as_slice(), Layout::documents(&top(&tag)), &mut kept)
        .map_err(|error| unavailable(&tag, Fault::from(error).at(Stage::Unpack)))?;
    let tree = TemplateTree::of_files(below(kept.files, wanted.directory.as_ref()), &name)?;
    let origin = TemplateOrigin {
        source,
        tag: Some(tag),
        commit: commit.filter(|commit| is_commit(commit)),
        directory: wanted.directory.clone(),
        digest: tree.digest(),
    };
    of_tree(&tree, origin, &name, Vec::new())
}

/// Name of the archive without its ending, and of the directory inside it.
fn top(tag: &str) -> String {
    format!("template-{tag}")
}

/// `v1.2.3` or `1.2.3`.
pub fn version(tag: &str) -> Option<Version> {
    let version = Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok();
    version.filter(|version| version.build.is_empty() && is_tag(tag))
}

/// The files of one template among all of an archive.
pub fn below(
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    directory: Option<&RelativePath>,
) -> Vec<(String, Vec<u8>)> {
    let inner = |path: String| match directory {
        Some(directory) => {
            let rest = path.strip_prefix(directory.as_str())?.strip_prefix('/')?;
            Some(rest.to_owned())
        }
        None => Some(path),
    };
    let files = files.into_iter().filter_map(|(path, bytes)| Some((inner(path)?, bytes)));
    files.filter(|(path, _)| is_part(path)).collect()
}
