//! The digests of what a project is to contain, from the last upgrade that had nothing to do: the next one renders nothing.
//!
//! One file per project in the state directory. It is used only for the same program, records and sources of generators,
//! and only if the project still has every file of aos as it was wanted. The files of the project are always read.

use std::path::{Path, PathBuf};

use crate::generate::lock::LOCK_PATH;
use crate::generate::record::{PIN_PATH, RECORD_PATH, Record};
use crate::generate::record_spec::SpecSource;
use crate::inputs::desired::SourceBytes;
use crate::inputs::project::Project;
use crate::inputs::{template, tree};
use crate::merge::content;
use crate::plan::{Content, Digest, FileSet, RelativePath, TreeEntry};
use crate::system::{environment, files, private_file, program};
use crate::workflows::new::own_preset;

use super::ours::Files;
use super::request::UpgradeRequest;

/// The directory, below the state directory.
const DIRECTORY: &str = "settled";
/// First line of every file; the second is the key.
const FORMAT: &str = "aos settled 1";
/// Largest file, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Largest record, source or preset that is part of a key, in bytes.
const MAX_INPUT: u64 = 8 * 1024 * 1024;
/// Most files; the first by digest go when there is another.
const MAX_FILES: usize = 512;

/// Everything that decides what a project is to contain, and where the digests of that are.
pub struct SettledKey {
    place: PathBuf,
    digest: Digest,
}

/// How the files differ from the template, in a project in which an upgrade has nothing to do.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct SettledProject {
    pub deleted: Vec<RelativePath>,
    pub differs: Vec<RelativePath>,
    /// Paths where the user has no plain file; an upgrade passes over them.
    pub others: Vec<RelativePath>,
    pub same: usize,
}

/// One wanted file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Wanted {
    is_of_aos: bool,
    executable: bool,
    digest: Digest,
}

impl SettledKey {
    /// The key of a project; `None` for a call that asks for something, for a template or contract that is not part of
    /// this program, and if an input cannot be read.
    pub fn of(args: &UpgradeRequest, project: &Project, record: &Record) -> Option<Self> {
        let asks = !(args.set.is_empty() && args.restore.is_empty() && args.heal.is_empty())
            || args.spec.is_some()
            || args.template.is_some()
            || args.api.is_some()
            || args.write.dry_run
            || args.write.confirm.is_some();
        let section = record.template.as_ref()?;
        let is_embedded = section.origin.is_none()
            && record.spec.source == SpecSource::Embedded
            && !template::is_replaced();
        let is_whole = project.pin.good().is_some()
            && project.lock.good().is_some()
            && record.upgrade.is_none();
        if asks || !is_embedded || !is_whole {
            return None;
        }
        let read = |path: &str| Some(files::read(&project.root.join(path), MAX_INPUT).ok()?.bytes);
        let sources = SourceBytes::read(&project.root, record).ok()?;
        let has_preset =
            record.answers.get("preset").is_some_and(|preset| preset == own_preset::PATH);
        let preset = if has_preset { Some(read(own_preset::PATH)?) } else { None };
        let inputs = [
            Some(program::build()?.into_bytes()),
            Some(read(RECORD_PATH)?),
            Some(read(PIN_PATH)?),
            Some(read(LOCK_PATH)?),
            sources.source,
            sources.go_mod,
            preset,
        ];
        let digests = inputs.map(|input| match input {
            Some(bytes) => Digest::of(&bytes).to_string(),
            None => "-".to_owned(),
        });
        let root = Digest::of(project.root.as_os_str().as_encoded_bytes()).to_string();
        let name = root.rsplit(':').next()?;
        Some(Self {
            place: environment::state_directory()?.join(DIRECTORY).join(name),
            digest: Digest::of(digests.join("\n").as_bytes()),
        })
    }

    /// How the project compares with what it is to contain; `None` if that is not known, or an upgrade would write.
    pub fn recall(&self, root: &Path) -> Option<SettledProject> {
        let wanted = parse(&files::read(&self.place, MAX_BYTES).ok()?.bytes, self.digest)?;
        let tree = tree::snapshot(root, wanted.iter().map(|(path, _)| path));
        let mut settled = SettledProject::default();
        for (path, wanted) in wanted {
            let now = tree.entries.get(&path);
            match (now, wanted.is_of_aos) {
                (Some(TreeEntry::File(now)), true) if wanted.is_exactly(now) => {}
                (_, true) => return None,
                (None, false) => settled.deleted.push(path),
                (Some(TreeEntry::File(now)), false) if wanted.is_like(now) => settled.same += 1,
                (Some(TreeEntry::File(_)), false) => settled.differs.push(path),
                (Some(_), false) => settled.others.push(path),
            }
        }
        Some(settled)
    }

    /// Saves the expected content of a project. A fault is not an error, because the next upgrade is then only slower.
    pub fn keep(&self, of_aos: &FileSet, of_template: &Files) {
        let of_aos = of_aos.iter().map(|(path, content)| (path, content, true));
        let of_template = of_template.iter().map(|(path, content)| (path, content, false));
        let lines = of_aos.chain(of_template).map(|(path, content, is_of_aos)| {
            let owner = if is_of_aos { 'a' } else { 't' };
            let mode = if content.executable { 'x' } else { '-' };
            format!("{owner}{mode} {} {path}\n", content.digest())
        });
        let text = format!("{FORMAT}\n{}\n{}", self.digest, lines.collect::<String>());
        let _ = private_file::make_room(&self.place, MAX_FILES)
            .and_then(|()| private_file::replace(&self.place, text.as_bytes()));
    }
}

impl Wanted {
    fn is_exactly(&self, now: &Content) -> bool {
        now.executable == self.executable && now.digest() == self.digest
    }

    /// Line endings of a whole file left aside, as `content::is_same` does.
    fn is_like(&self, now: &Content) -> bool {
        now.executable == self.executable
            && (now.digest() == self.digest
                || content::without_crlf(&now.bytes)
                    .is_some_and(|bytes| Digest::of(&bytes) == self.digest))
    }
}

/// The wanted files of a file with the key `digest`; a path may be in it twice.
fn parse(bytes: &[u8], digest: Digest) -> Option<Vec<(RelativePath, Wanted)>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let rest = text.strip_prefix(FORMAT)?.strip_prefix('\n')?;
    let rest = rest.strip_prefix(&digest.to_string())?.strip_prefix('\n')?;
    if rest.is_empty() || !rest.ends_with('\n') {
        return None;
    }
    rest.lines().map(line).collect()
}

fn line(text: &str) -> Option<(RelativePath, Wanted)> {
    let (head, rest) = text.split_once(' ')?;
    let (digest, path) = rest.split_once(' ')?;
    let (is_of_aos, executable) = match head {
        "a-" => (true, false),
        "ax" => (true, true),
        "t-" => (false, false),
        "tx" => (false, true),
        _ => return None,
    };
    let wanted = Wanted { is_of_aos, executable, digest: Digest::parse(digest)? };
    Some((RelativePath::parse(path).ok()?, wanted))
}
