//! Contracts from releases on a host: cached or downloaded, and verified in both cases.

use std::collections::BTreeSet;
use std::sync::Arc;

use semver::Version;

use crate::contract::{Family, SpecTag};
use crate::generate::record::Record;
use crate::generate::record_spec::{HostedPlace, SpecSource};
use crate::generate::vendor::SpecRelease;
use crate::release::archive::{self, ChosenFiles, Layout};
use crate::release::{
    Fault, Release, ReleaseError, ReleasesApi, Repository, Signed, Stage, unsigned,
};
use crate::system::http::{Client, Limits};
use crate::system::program;
use crate::verify::TrustRoot;

use super::fault::SpecError;
use super::obtained::{MAX_SPEC_FILE, Obtained, Trust};
use super::received::Received;
use super::{kept, places};

/// Largest archive of a release, in bytes.
pub(super) const MAX_ARCHIVE: u64 = 8 * 1024 * 1024;
/// Largest archive that a host packs from a repository, in bytes.
const MAX_SOURCE: u64 = 32 * 1024 * 1024;

/// One contract at one tag, and its location.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WantedRelease {
    repository: Repository,
    place: HostedPlace,
    family: Family,
    tag: SpecTag,
}

/// The proof that is accepted.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    pub roots: &'a TrustRoot,
    /// Whether a release without a signature will do; one with a wrong signature never does.
    pub unsigned: bool,
}

/// The newest release of a repository.
pub struct Newest {
    host: ReleasesApi,
    release: Release,
    pub tag: SpecTag,
}

/// Requests the newest release from the host.
///
/// # Errors
/// If there is none, or the response of the host is not valid.
pub fn newest(repository: &Repository) -> Result<Newest, SpecError> {
    let asked = || {
        let host = connect()?;
        let release = host.latest(repository)?;
        let tag = SpecTag::parse(&release.tag)
            .map_err(|error| Fault::Malformed { reason: error.to_string() }.at(Stage::Discover))?;
        Ok(Newest { host, release, tag })
    };
    asked().map_err(|error| SpecError::Newest {
        origin: SpecSource::Host(repository.clone()).to_string(),
        error,
    })
}

/// A contract of a host: out of what earlier runs kept, or fetched; `newest` saves a question when it is the one.
///
/// # Errors
/// If it is not available, is not signed by its release workflow at its tag, or is not a contract of that tag.
pub fn hosted_release(
    wanted: &WantedRelease,
    terms: Terms<'_>,
    newest: Option<Newest>,
) -> Result<Obtained, SpecError> {
    if let Some(obtained) = wanted.kept(terms.roots) {
        return obtained;
    }
    let unavailable = |error| wanted.unavailable(error);
    let (host, release) = match newest.filter(|newest| newest.tag == wanted.tag) {
        Some(newest) => (newest.host, Ok(newest.release)),
        None => {
            let host = connect().map_err(unavailable)?;
            let release = host.tagged(&wanted.repository, wanted.tag.as_str());
            (host, release)
        }
    };
    match release {
        Ok(release) if unsigned::claims_signature(&release) || !terms.unsigned => {
            wanted.signed(&host, &release, terms)
        }
        Ok(release) => wanted.unsigned(&host, &release),
        // A tag can be there without a release.
        Err(ReleaseError { fault: Fault::NotFound { .. }, .. }) if terms.unsigned => {
            wanted.packed(&host)
        }
        Err(error) => Err(unavailable(error)),
    }
}

fn connect() -> Result<ReleasesApi, ReleaseError> {
    let agent = format!("aos/{}", program::version());
    let client = Client::new(&agent, Limits::patient())
        .map_err(|error| Fault::from(error).at(Stage::Discover))?;
    Ok(ReleasesApi::from_environment(client)?.reading(version))
}

/// Spec tags may have two numbers, and no `v`.
fn version(tag: &str) -> Option<Version> {
    SpecTag::parse(tag).ok().map(|tag| tag.version().clone())
}

impl WantedRelease {
    /// The contract that a record asks for at `tag`; `None` when it names no host.
    #[must_use]
    pub fn of(record: &Record, tag: SpecTag) -> Option<Self> {
        match &record.spec.source {
            SpecSource::Host(repository) => Some(Self::from_releases(repository, record, tag)),
            SpecSource::Embedded | SpecSource::Directory => None,
        }
    }

    /// The contract at `tag` in the releases of `repository`, at the location that `record` names.
    #[must_use]
    pub fn from_releases(repository: &Repository, record: &Record, tag: SpecTag) -> Self {
        let (repository, place) = (repository.clone(), record.spec.place.clone());
        Self { repository, place, family: record.family, tag }
    }

    fn source(&self) -> SpecSource {
        SpecSource::Host(self.repository.clone())
    }

    /// Name of the directory inside the archive, and of the archive without its suffix.
    fn top(&self) -> String {
        format!("contract-{}", self.tag)
    }

    fn archive(&self) -> String {
        format!("{}.tar.gz", self.top())
    }

    /// The page of the release, for people; computed, not taken from the host.
    fn page(&self, kind: &str) -> String {
        format!("{}/{kind}/{}", self.repository.url(), self.tag)
    }

    pub(super) fn unavailable(&self, error: ReleaseError) -> SpecError {
        SpecError::Release { origin: self.source().to_string(), tag: self.tag.clone(), error }
    }

    /// Returns the release that an earlier run kept. It is verified again, so a faulty copy is treated as absent.
    fn kept(&self, roots: &TrustRoot) -> Option<Result<Obtained, SpecError>> {
        let kept = kept::load(&self.repository, &self.tag)?;
        let proven = kept.evidence.verify(&self.repository, self.tag.as_str(), roots).ok()?;
        proven.admit(&self.archive(), &kept.archive).ok()?;
        let trust = Trust::Signed { signer: proven.signer };
        Some(self.unpacked(&kept.archive, Layout::documents(&self.top())).map(|release| Obtained {
            release,
            trust,
            release_url: Some(self.page("releases/tag")),
            notes: Vec::new(),
        }))
    }

    fn signed(
        &self,
        host: &ReleasesApi,
        release: &Release,
        terms: Terms<'_>,
    ) -> Result<Obtained, SpecError> {
        let unavailable = |error| self.unavailable(error);
        let signed =
            Signed::verify(host, release, &self.repository, terms.roots).map_err(unavailable)?;
        let name = self.archive();
        if terms.unsigned && release.asset(&name).is_none() {
            return self.packed(host);
        }
        let bytes = signed.bytes(&name, MAX_ARCHIVE).map_err(unavailable)?;
        let unpacked = self.unpacked(&bytes, Layout::documents(&self.top()))?;
        let notes = kept::keep(&self.repository, &self.tag, &signed.evidence, &bytes);
        Ok(Obtained {
            release: unpacked,
            trust: Trust::Signed { signer: signed.signer },
            release_url: Some(self.page("releases/tag")),
            notes: notes.err().iter().map(ToString::to_string).collect(),
        })
    }

    /// Returns the archive of an unsigned release, or else the archive that the host generates.
    fn unsigned(&self, host: &ReleasesApi, release: &Release) -> Result<Obtained, SpecError> {
        let name = self.archive();
        if release.asset(&name).is_none() {
            return self.packed(host);
        }
        let bytes = unsigned::asset(host, release, &name, MAX_ARCHIVE)
            .map_err(|error| self.unavailable(error))?;
        Ok(Obtained {
            release: self.unpacked(&bytes, Layout::documents(&self.top()))?,
            trust: Trust::Lock,
            release_url: Some(self.page("releases/tag")),
            notes: Vec::new(),
        })
    }

    fn packed(&self, host: &ReleasesApi) -> Result<Obtained, SpecError> {
        let bytes = unsigned::source(host, &self.repository, self.tag.as_str(), MAX_SOURCE)
            .map_err(|error| self.unavailable(error))?;
        Ok(Obtained {
            release: self.unpacked(&bytes, Layout::source())?,
            trust: Trust::Lock,
            release_url: Some(self.page("tree")),
            notes: Vec::new(),
        })
    }

    /// The contract inside an archive.
    fn unpacked(&self, bytes: &[u8], layout: Layout<'_>) -> Result<Arc<SpecRelease>, SpecError> {
        let candidates = self.candidates();
        let names: BTreeSet<_> =
            candidates.iter().flat_map(|(contract, spec)| [contract, spec]).cloned().collect();
        let mut chosen = ChosenFiles::named(names, MAX_SPEC_FILE);
        archive::read_as(bytes, layout, &mut chosen)
            .map_err(|error| self.unavailable(Fault::from(error).at(Stage::Unpack)))?;
        let absent = |looked: Vec<String>| SpecError::NotInArchive {
            origin: self.source().to_string(),
            family: self.family,
            tag: self.tag.clone(),
            looked,
        };
        let Some((contract_path, spec_path)) =
            candidates.iter().find(|(contract, _)| chosen.files.contains_key(contract))
        else {
            return Err(absent(candidates.into_iter().map(|(contract, _)| contract).collect()));
        };
        let mut taken =
            |path: &String| chosen.files.remove(path).ok_or_else(|| absent(vec![path.clone()]));
        let place = format!("{} of {}", self.tag, self.source());
        let received = Received {
            contract: taken(contract_path)?,
            spec: taken(spec_path)?,
            contract_path: format!("{contract_path} in {place}"),
            place,
        };
        let found = received.stated_tag()?;
        if found != self.tag {
            return Err(SpecError::OtherTag {
                path: received.contract_path,
                found,
                wanted: self.tag.clone(),
            });
        }
        Ok(received.accept(self.family, found, &self.source())?.from_source(&self.source()))
    }

    /// Contract and spec text in every place they can have.
    fn candidates(&self) -> Vec<(String, String)> {
        let prefix = self.place.prefix.as_ref().map_or("", |prefix| prefix.as_str());
        let name = |named: &Option<crate::plan::RelativePath>, usual: &str| {
            named.as_ref().map_or(usual, |path| path.as_str()).to_owned()
        };
        let contract = name(&self.place.contract, places::CONTRACT_FILE);
        let spec = name(&self.place.spec, self.family.spec_file());
        let inside = |directory: &String| places::below(prefix, directory);
        places::directories(self.family, &self.tag)
            .iter()
            .map(inside)
            .map(|directory| {
                let directory = directory.trim_end_matches('/');
                (places::below(directory, &contract), places::below(directory, &spec))
            })
            .collect()
    }
}
