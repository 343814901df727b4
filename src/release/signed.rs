//! The pipeline for all files of a release: first the signed list, then the files in the list.

use std::path::{Path, PathBuf};

use sha2::Digest as _;

use crate::system::clock;
use crate::system::http::Sink;
use crate::system::temporary::{NewFile, TemporaryDirectory};
use crate::verify::bundle::MAX_BUNDLE;
use crate::verify::checksums::MAX_CHECKSUMS;
use crate::verify::{
    Bundle, Checksums, ExpectedContent, ExpectedIdentity, ExpectedSigner, Policy, Sha256, Signer,
    TrustRoot, VerifiedSubject,
};

use super::fault::{Fault, ReleaseError, Stage};
use super::host::{Asset, Release, ReleasesApi};
use super::repository::Repository;

/// The list of digests.
pub const CHECKSUMS: &str = "checksums.txt";
/// Its signature.
pub const BUNDLE: &str = "checksums.txt.sigstore.json";
/// The OpenID Connect issuer for workflows on GitHub.
pub const ISSUER: &str = "https://token.actions.githubusercontent.com";

/// A release whose list of digests is signed by its own release workflow, for exactly its tag.
pub struct Signed<'a> {
    host: &'a ReleasesApi,
    pub release: &'a Release,
    /// The verified bytes, for a cache.
    pub evidence: SignedList,
    checksums: Checksums,
    /// The signer.
    pub signer: String,
    /// The commit of the release, as the certificate says.
    pub commit: Option<String>,
    /// Index of the signature in the transparency log.
    pub log_index: u64,
}

/// Called with the bytes received so far and the bytes expected.
pub type DownloadProgress<'a> = &'a mut dyn FnMut(u64, Option<u64>);

impl<'a> Signed<'a> {
    /// Checks that the release has everything that a verification needs, before anything is downloaded.
    ///
    /// # Errors
    /// If the list or its signature is missing: an unsigned release is refused.
    pub fn preflight(release: &Release) -> Result<(&Asset, &Asset), ReleaseError> {
        let tag = || release.tag.clone();
        let list = release
            .asset(CHECKSUMS)
            .ok_or_else(|| Fault::NoChecksums { tag: tag() }.at(Stage::VerifyChecksum))?;
        let bundle = release.asset(BUNDLE).ok_or_else(|| {
            Fault::Unsigned { tag: tag(), bundle: BUNDLE }.at(Stage::VerifySignature)
        })?;
        Ok((list, bundle))
    }

    /// Downloads the list and its signature and verifies who signed it.
    ///
    /// # Errors
    /// If one of them is not available, or the release workflow did not sign at this tag.
    pub fn verify(
        host: &'a ReleasesApi,
        release: &'a Release,
        repository: &Repository,
        trust: &TrustRoot,
    ) -> Result<Self, ReleaseError> {
        let (list_asset, bundle_asset) = Self::preflight(release)?;
        let mut list = Vec::new();
        host.download(list_asset, MAX_CHECKSUMS as u64, &mut list).map_err(
            |fault| match fault {
                Fault::NotFound { .. } => {
                    Fault::NoChecksums { tag: release.tag.clone() }.at(Stage::VerifyChecksum)
                }
                other => other.at(Stage::Download),
            },
        )?;
        let mut bundle = Vec::new();
        host.download(bundle_asset, MAX_BUNDLE as u64, &mut bundle).map_err(
            |fault| match fault {
                // An asset that is listed but missing counts as unsigned.
                Fault::NotFound { .. } => {
                    Fault::Unsigned { tag: release.tag.clone(), bundle: BUNDLE }
                        .at(Stage::VerifySignature)
                }
                other => other.at(Stage::Download),
            },
        )?;
        let evidence = SignedList { list, bundle };
        let Proven { checksums, signer, commit, log_index } =
            evidence.verify(repository, &release.tag, trust)?;
        Ok(Self { host, release, evidence, checksums, signer, commit, log_index })
    }

    /// A small verified file of the release, in memory.
    ///
    /// # Errors
    /// If it is missing, not listed, too large, or has another digest.
    pub fn bytes(&self, name: &str, max_bytes: u64) -> Result<Vec<u8>, ReleaseError> {
        let (asset, expected) = self.expect(name)?;
        let mut bytes = Vec::new();
        self.host
            .download(asset, max_bytes, &mut bytes)
            .map_err(|fault| fault.at(Stage::Download))?;
        same(name, Sha256::of(&bytes), expected)?;
        Ok(bytes)
    }

    /// Downloads a file of the release to `directory`, and verifies it.
    ///
    /// # Errors
    /// If it is missing, not listed, too large, has another digest, or cannot be stored.
    pub fn file(
        &self,
        name: &str,
        max_bytes: u64,
        directory: &TemporaryDirectory,
        progress: DownloadProgress<'_>,
    ) -> Result<(PathBuf, Sha256), ReleaseError> {
        let (asset, expected) = self.expect(name)?;
        let path = directory.path().join("download");
        let io = |source| Fault::Io { path: path.display().to_string(), source };
        let file =
            directory.create_file("download").map_err(|error| io(error).at(Stage::Download))?;
        let mut writer =
            Writer { file, digest: sha2::Sha256::new(), received: 0, size: asset.size, progress };
        self.host.download(asset, max_bytes, &mut writer).map_err(|fault| {
            use crate::system::http::HttpError;
            match fault {
                Fault::Http(HttpError::Sink(source)) => io(source),
                other => other,
            }
            .at(Stage::Download)
        })?;
        let found = Sha256(writer.digest.finalize().into());
        same(name, found, expected)?;
        Ok((path, found))
    }

    /// The asset of a file, and its expected digest.
    ///
    /// # Errors
    /// If the release or the signed list does not have it.
    pub fn expect(&self, name: &str) -> Result<(&Asset, Sha256), ReleaseError> {
        let asset = required(self.release, name)?;
        let digest = self
            .checksums
            .digest_of(name)
            .map_err(|error| Fault::from(error).at(Stage::VerifyChecksum))?;
        Ok((asset, digest))
    }
}

/// The proof of a release: the list of digests and its signature, as they were downloaded.
#[derive(Clone, Debug)]
pub struct SignedList {
    pub list: Vec<u8>,
    pub bundle: Vec<u8>,
}

/// Digests that the release workflow of a repository signed at a tag.
pub struct Proven {
    checksums: Checksums,
    /// The signer.
    pub signer: String,
    /// The commit of the release, as the certificate says.
    pub commit: Option<String>,
    /// Index of the signature in the transparency log.
    pub log_index: u64,
}

impl SignedList {
    /// Verifies the signer of the list and parses it, without a connection.
    ///
    /// # Errors
    /// If the release workflow of `repository` did not sign at `tag`, or the list is not valid.
    pub fn verify(
        &self,
        repository: &Repository,
        tag: &str,
        trust: &TrustRoot,
    ) -> Result<Proven, ReleaseError> {
        let Checked { signer, commit, log_index } =
            check(&self.list, &self.bundle, repository, tag, trust)
                .map_err(|fault| fault.at(Stage::VerifySignature))?;
        let checksums = Checksums::parse(&self.list)
            .map_err(|error| Fault::from(error).at(Stage::VerifyChecksum))?;
        Ok(Proven { checksums, signer, commit, log_index })
    }
}

impl Proven {
    /// Checks that `bytes` are the file `name` of the release.
    ///
    /// # Errors
    /// If the list does not have it, or has another digest.
    pub fn admit(&self, name: &str, bytes: &[u8]) -> Result<(), ReleaseError> {
        listed(&self.checksums, name, bytes)
    }
}

/// Checks that `bytes` have the digest of `name` in `checksums`.
pub(super) fn listed(checksums: &Checksums, name: &str, bytes: &[u8]) -> Result<(), ReleaseError> {
    let expected =
        checksums.digest_of(name).map_err(|error| Fault::from(error).at(Stage::VerifyChecksum))?;
    same(name, Sha256::of(bytes), expected)
}

/// The asset with this name.
///
/// # Errors
/// If it is missing; the error lists the existing assets.
pub fn required<'a>(release: &'a Release, name: &str) -> Result<&'a Asset, ReleaseError> {
    release.asset(name).ok_or_else(|| {
        let (tag, wanted, available) = (release.tag.clone(), name.to_owned(), release.names());
        Fault::NoAsset { tag, wanted, available }.at(Stage::Discover)
    })
}

/// The content of a verified signature.
struct Checked {
    signer: String,
    commit: Option<String>,
    log_index: u64,
}

fn check(
    list: &[u8],
    bundle: &[u8],
    repository: &Repository,
    tag: &str,
    trust: &TrustRoot,
) -> Result<Checked, Fault> {
    let bundle = Bundle::parse(bundle)?;
    let identity = repository.signer(tag);
    let expected = ExpectedIdentity::exact(&identity)
        .map_err(|error| Fault::Malformed { reason: error.to_string() })?;
    let policy = Policy {
        signer: ExpectedSigner::Certificate {
            identity: expected,
            issuer: ISSUER.to_owned(),
            repository: Some(repository.url()),
        },
        content: ExpectedContent::Signature,
        now: clock::now_seconds(),
    };
    let verdict = policy.verify(VerifiedSubject::Bytes(list), &bundle, trust)?;
    let (signer, commit) = match verdict.signer {
        Signer::Certificate { identity, claims, .. } => (identity, claims.commit),
        Signer::Key { .. } => (identity, None),
    };
    Ok(Checked { signer, commit, log_index: verdict.log.index })
}

fn same(name: &str, found: Sha256, expected: Sha256) -> Result<(), ReleaseError> {
    if found == expected {
        return Ok(());
    }
    let (name, found, expected) = (name.to_owned(), found.to_string(), expected.to_string());
    Err(Fault::Digest { name, found, expected }.at(Stage::VerifyChecksum))
}

/// Writes a body to disk and hashes it.
struct Writer<'a> {
    file: NewFile,
    digest: sha2::Sha256,
    received: u64,
    size: Option<u64>,
    progress: DownloadProgress<'a>,
}

impl Sink for Writer<'_> {
    fn take(&mut self, piece: &[u8]) -> std::io::Result<()> {
        self.file.write(piece)?;
        self.digest.update(piece);
        self.received += piece.len() as u64;
        (self.progress)(self.received, self.size);
        Ok(())
    }
}

/// A private directory for downloads.
///
/// # Errors
/// If a directory is not writable; the error names it.
pub fn download_directory() -> Result<TemporaryDirectory, ReleaseError> {
    TemporaryDirectory::new().map_err(|(path, source)| io_fault(&path, source).at(Stage::Download))
}

fn io_fault(path: &Path, source: std::io::Error) -> Fault {
    Fault::Io { path: path.display().to_string(), source }
}
