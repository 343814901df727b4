//! The files of a Skill that were verified: with the release they came in, or because they are inside this program.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::inputs::embedded;

use super::installed::{FoundCopy, SkillTree};
use super::manifest::{SkillManifest, is_part};

/// Files by their path below the directory of the Skill, `/` between parts.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    files: BTreeMap<String, Vec<u8>>,
    manifest: SkillManifest,
}

impl Verified {
    /// The Skill inside this program.
    #[must_use]
    pub fn embedded() -> Self {
        Self::new(embedded::skill_files().into_iter().map(|(path, bytes)| (path, bytes.to_vec())))
    }

    /// `files` without those that no installer installs, and without paths that leave the directory.
    pub fn new<P: Into<String>>(files: impl IntoIterator<Item = (P, Vec<u8>)>) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files
            .into_iter()
            .map(|(path, bytes)| (path.into(), bytes))
            .filter(|(path, _)| is_part(path) && is_below(path))
            .collect();
        let manifest = SkillManifest::of(&files);
        Self { files, manifest }
    }

    #[must_use]
    pub fn manifest(&self) -> &SkillManifest {
        &self.manifest
    }

    /// The same as files to write; scripts may be executed.
    pub(super) fn tree(&self) -> SkillTree {
        let file = |(path, bytes): (&String, &Vec<u8>)| FoundCopy {
            relative: PathBuf::from(path),
            bytes: bytes.clone(),
            executable: bytes.starts_with(b"#!"),
        };
        SkillTree { files: self.files.iter().map(file).collect(), ..SkillTree::default() }
    }
}

impl Verified {
    /// True if `found` is what an installer leaves that was stopped: some of the files, some of them cut.
    pub(super) fn has_begun(&self, found: &SkillTree) -> bool {
        let is_part = |file: &FoundCopy| {
            let whole = self.files.get(&super::installed::text(&file.relative));
            whole.is_some_and(|whole| whole.starts_with(&file.bytes))
        };
        found.skipped.is_empty() && !found.has_links && found.files.iter().all(is_part)
    }
}

fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_installer_installs_below_the_directory_is_a_part() {
        let files = ["SKILL.md", "../SKILL.md", "/x", "a/../../x", "", "metadata.json", "sub/x.md"];
        let verified = Verified::new(files.map(|path| (path, b"x".to_vec())));
        let paths: Vec<_> = verified.files.keys().collect();
        assert_eq!(paths, ["SKILL.md", "sub/x.md"]);
        assert_eq!(*verified.manifest(), SkillManifest::of([("SKILL.md", "x"), ("sub/x.md", "x")]));
    }

    #[test]
    fn the_skill_of_this_program_is_whole() {
        assert_eq!(*Verified::embedded().manifest(), SkillManifest::embedded());
    }
}
