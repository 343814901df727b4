//! A template in any other repository, over https: git fetches one tag, and nothing of it is checked out or run.
//!
//! Only the commit and the digest that the project records identify it: it has no signature.

use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

use crate::generate::record_origin::{
    GitAddress, TemplateOrigin, TemplateSource, is_commit, is_tag,
};
use crate::release::archive::{self, KeptFile, Layout};
use crate::system::environment;
use crate::system::files;
use crate::system::process::{self, Invocation, ProcessError};
use crate::system::temporary::TemporaryDirectory;

use super::fault::TemplateError;
use super::hosted::version;
use super::named::InRepository;
use super::reading::{FoundTemplate, of_tree};
use super::tree::{TemplateTree, is_part};

/// Longest time one call of git may take.
const LIMIT: Duration = Duration::from_secs(120);
/// Largest unpacked directory, in bytes.
const MAX_UNPACKED: u64 = 64 * 1024 * 1024;
/// Longest list of tags that is surely complete, in bytes.
const MAX_LIST: usize = 60 * 1024;
/// Settings that keep other transports, prompts, hooks and conversions out.
const SETTINGS: [&str; 18] = [
    "-c",
    "protocol.allow=never",
    "-c",
    "protocol.https.allow=always",
    "-c",
    "core.askPass=true",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.autocrlf=false",
    "-c",
    "core.eol=lf",
    "-c",
    "fetch.fsckObjects=true",
];
/// Variables that would point git at another repository.
const FOREIGN: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_TEMPLATE_DIR",
];

/// The template at the tag that is wanted, or at the newest version.
///
/// # Errors
/// Returns an error if git cannot get it, or it is not a template.
pub fn found(address: &GitAddress, wanted: &InRepository) -> Result<FoundTemplate, TemplateError> {
    let source = TemplateSource::Git(address.clone());
    let git = Git { origin: source.to_string(), address };
    let place =
        TemporaryDirectory::new().map_err(|(path, source)| TemplateError::Read { path, source })?;
    let tag = match &wanted.tag {
        Some(tag) => tag.clone(),
        None => git.newest(place.path())?,
    };
    let commit = git.fetch(place.path(), &tag)?;
    let tree = match &wanted.directory {
        Some(directory) => format!("{commit}:{directory}"),
        None => commit.clone(),
    };
    let name = match &wanted.directory {
        Some(directory) => format!("{}@{tag}//{directory}", git.origin),
        None => format!("{}@{tag}", git.origin),
    };
    let tree = TemplateTree::of_files(git.files(place.path(), &tree, &name)?, &name)?;
    let origin = TemplateOrigin {
        source,
        tag: Some(tag),
        commit: Some(commit),
        directory: wanted.directory.clone(),
        digest: tree.digest(),
    };
    let note = "the template is not signed: only its commit and digest in aos.toml are checked";
    of_tree(&tree, origin, &name, vec![note.to_owned()])
}

struct Git<'a> {
    origin: String,
    address: &'a GitAddress,
}

impl Git<'_> {
    fn fault(&self, reason: impl Into<String>, network: bool) -> TemplateError {
        TemplateError::Git { origin: self.origin.clone(), reason: reason.into(), network }
    }

    fn run(
        &self,
        place: &Path,
        arguments: &[&str],
        network: bool,
    ) -> Result<String, TemplateError> {
        let mut all = SETTINGS.to_vec();
        // Debug builds only: tests have repositories in directories.
        if cfg!(debug_assertions) && environment::read("AOS_TEST_GIT_FILES").is_some() {
            all.extend(["-c", "protocol.file.allow=always"]);
        }
        all.extend(arguments);
        let invocation = Invocation {
            program: "git",
            arguments: &all,
            directory: place,
            without: &FOREIGN,
            limit: LIMIT,
        };
        let output = process::run(&invocation).map_err(|error| match error {
            ProcessError::NotFound { .. } => self.fault("git is not installed", false),
            error => self.fault(error.to_string(), network),
        })?;
        if output.success {
            return Ok(output.stdout);
        }
        let said = output.stderr.lines().rev().find(|line| !line.trim().is_empty());
        Err(self.fault(said.unwrap_or("it failed without a reason").to_owned(), network))
    }

    /// The tag with the highest version.
    fn newest(&self, place: &Path) -> Result<String, TemplateError> {
        let list =
            self.run(place, &["ls-remote", "--tags", "--refs", "--", self.address.as_str()], true)?;
        if list.len() > MAX_LIST {
            return Err(self.fault("it has too many tags; name one with `@TAG`", false));
        }
        let tags = list.lines().filter_map(|line| line.split_once("\trefs/tags/"));
        let versions = tags.filter_map(|(_, tag)| Some((version(tag)?, tag)));
        let released = versions.filter(|(version, _)| version.pre.is_empty());
        let newest = released.max_by(|left, right| left.0.cmp(&right.0));
        newest.map(|(_, tag)| tag.to_owned()).ok_or_else(|| {
            self.fault("it has no tag with a version; name a tag with `@TAG`", false)
        })
    }

    /// Fetches the tag; the commit that it names.
    fn fetch(&self, place: &Path, tag: &str) -> Result<String, TemplateError> {
        if !is_tag(tag) {
            return Err(self.fault(format!("`{tag}` is not a tag"), false));
        }
        self.run(place, &["init", "--quiet", "--bare", "--template="], false)?;
        let named = format!("refs/tags/{tag}");
        let fetch =
            ["fetch", "--quiet", "--depth=1", "--no-tags", "--", self.address.as_str(), &named];
        self.run(place, &fetch, true).map_err(|error| match error {
            TemplateError::Git { reason, .. } if reason.contains("couldn't find remote ref") => {
                self.fault(format!("it has no tag `{tag}`"), false)
            }
            error => error,
        })?;
        let commit = self.run(place, &["rev-parse", "--verify", "FETCH_HEAD^{commit}"], false)?;
        let commit = commit.trim().to_owned();
        if !is_commit(&commit) {
            return Err(self.fault(format!("`{tag}` does not name a commit"), false));
        }
        Ok(commit)
    }

    /// The files of the template in the tree.
    fn files(
        &self,
        place: &Path,
        tree: &str,
        name: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, TemplateError> {
        let archive = ["archive", "--format=tar", "--prefix=template/", "--output=tree.tar", tree];
        self.run(place, &archive, false)?;
        let path = place.join("tree.tar");
        let bytes = files::read(&path, MAX_UNPACKED)
            .map_err(|source| TemplateError::Read { path, source })?
            .bytes;
        let damaged = |reason: String| super::tree::unusable(name, reason);
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = packed.write_all(&bytes).and_then(|()| packed.finish());
        let packed = packed.map_err(|error| damaged(error.to_string()))?;
        let mut kept = TemplateParts(KeptFile::below("", MAX_UNPACKED));
        archive::read_as(packed.as_slice(), Layout::source(), &mut kept)
            .map_err(|error| damaged(error.to_string()))?;
        Ok(kept.0.files.into_iter().collect())
    }
}

/// Only the files of the template; a link elsewhere in the repository is ignored.
struct TemplateParts(KeptFile);

impl archive::Receiver for TemplateParts {
    fn wants(&self, path: &str) -> bool {
        is_part(path)
    }

    fn take(&mut self, path: &str, piece: &[u8]) -> Result<(), archive::ArchiveError> {
        self.0.take(path, piece)
    }
}
