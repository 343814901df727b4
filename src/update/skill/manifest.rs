//! The digests of all files of the Skill, and the differences between two such lists.
//!
//! Skips the files that the installer skips, so that the list of the sources equals that of an installed copy.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::inputs::embedded;
use crate::verify::Sha256;

use super::installed::{self, FoundCopy, SkillTree};

/// Largest number of reported differences.
const MAX_DIFFERENCES: usize = 20;

/// Digests of all files, in the order of the bytes of their paths.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SkillManifest(BTreeMap<String, Digests>);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Digests {
    exact: Sha256,
    /// Of the content with LF for every CRLF.
    unix: Sha256,
    /// Whether it is executable but not a script, which never happens in a correct installation.
    is_strange: bool,
}

/// A file that differs from the expected one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ManifestDifference {
    pub path: String,
    pub cause: DifferenceCause,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DifferenceCause {
    Missing,
    Extra,
    Content,
    /// Only the line endings differ.
    LineEnds,
    /// The file is executable, but not a script.
    Mode,
}

impl DifferenceCause {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Content => "content",
            Self::LineEnds => "eol",
            Self::Mode => "mode",
        }
    }
}

impl SkillManifest {
    /// The list of the Skill inside this program.
    #[must_use]
    pub fn embedded() -> Self {
        Self::of(embedded::skill_files())
    }

    /// The list of files with paths below the Skill's directory, `/` between parts.
    pub fn of<P: AsRef<str>, B: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        Self::of_all(files.into_iter().filter(|(path, _)| is_part(path.as_ref())))
    }

    /// The list of all files, including those that the installer skips.
    pub(super) fn of_all<P: AsRef<str>, B: AsRef<[u8]>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Self {
        let entry = |(path, bytes): (P, B)| (path.as_ref().to_owned(), digests(bytes.as_ref()));
        Self(files.into_iter().map(entry).collect())
    }

    /// The list of files on the disk, which have modes.
    pub(super) fn of_tree(tree: &SkillTree) -> Self {
        let entry = |file: &FoundCopy| {
            let is_strange = file.executable && !file.bytes.starts_with(b"#!");
            (installed::text(&file.relative), Digests { is_strange, ..digests(&file.bytes) })
        };
        Self(tree.files.iter().map(entry).collect())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `<sha256> <path>` for every file.
    #[must_use]
    pub fn lines(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, (path, digests)| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {path}", digests.exact);
            text
        })
    }

    /// The digest of the list.
    #[must_use]
    pub fn digest(&self) -> Sha256 {
        Sha256::of(self.lines().as_bytes())
    }

    /// Like the digest, but also different if a mode differs.
    #[must_use]
    pub(super) fn fingerprint(&self) -> String {
        let strange = self.0.iter().filter(|(_, digests)| digests.is_strange);
        let modes: String = strange.map(|(path, _)| format!("executable {path}\n")).collect();
        Sha256::of((self.lines() + &modes).as_bytes()).to_string()
    }

    /// The first differences between `found` and this list.
    #[must_use]
    pub fn differences(&self, found: &Self) -> Vec<ManifestDifference> {
        let wrong = self.0.iter().filter_map(|(path, expected)| {
            let cause = match found.0.get(path) {
                None => DifferenceCause::Missing,
                Some(there) if there == expected => return None,
                Some(there) if there.exact == expected.exact => DifferenceCause::Mode,
                Some(there) if there.unix == expected.unix => DifferenceCause::LineEnds,
                Some(_) => DifferenceCause::Content,
            };
            Some(ManifestDifference { path: path.clone(), cause })
        });
        let extra =
            found.0.keys().filter(|path| !self.0.contains_key(*path)).map(|path| {
                ManifestDifference { path: path.clone(), cause: DifferenceCause::Extra }
            });
        wrong.chain(extra).take(MAX_DIFFERENCES).collect()
    }

    /// True if both lists have the same files up to the ends of their lines.
    #[must_use]
    pub fn is_same_text(&self, other: &Self) -> bool {
        let texts = |manifest: &Self| -> Vec<_> {
            manifest.0.iter().map(|(path, digests)| (path.clone(), digests.unix)).collect()
        };
        texts(self) == texts(other)
    }
}

/// True if the installer installs the file with this path in the Skill's directory.
pub(super) fn is_part(path: &str) -> bool {
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let is_directory = parts.peek().is_some();
        let left_out = ["__pycache__", "__pypackages__", ".git"].contains(&part) && is_directory;
        if left_out || part == "metadata.json" {
            return false;
        }
    }
    true
}

fn digests(bytes: &[u8]) -> Digests {
    let exact = Sha256::of(bytes);
    if !bytes.contains(&b'\r') {
        return Digests { exact, unix: exact, is_strange: false };
    }
    let followed_by_lf = |at: usize| bytes.get(at + 1) == Some(&b'\n');
    let unix: Vec<u8> = bytes
        .iter()
        .enumerate()
        .filter(|(at, byte)| **byte != b'\r' || !followed_by_lf(*at))
        .map(|(_, byte)| *byte)
        .collect();
    Digests { exact, unix: Sha256::of(&unix), is_strange: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_sorted_by_bytes_and_its_digest_is_that_of_its_lines() {
        let manifest = SkillManifest::of([("b/x", "2"), ("a", "1"), ("Z", ""), ("b-c", "3")]);
        let paths: Vec<_> = manifest.lines().lines().map(|line| line[65..].to_owned()).collect();
        assert_eq!(paths, ["Z", "a", "b-c", "b/x"]);
        assert!(
            manifest.lines().starts_with(
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 Z\n"
            )
        );
        assert_eq!(manifest.digest(), Sha256::of(manifest.lines().as_bytes()));
    }

    #[test]
    fn files_that_the_installer_omits_are_in_no_list() {
        let left_out = [
            "metadata.json",
            "sub/metadata.json",
            ".git/HEAD",
            "sub/__pycache__/a.pyc",
            "__pypackages__/x/y",
        ];
        assert!(SkillManifest::of(left_out.map(|path| (path, "x"))).is_empty());
        let kept = ["metadata.json5", ".gitignore", ".git", "__pycache__.md", "sub/.github/x"];
        assert_eq!(SkillManifest::of(kept.map(|path| (path, "x"))).0.len(), kept.len());
    }

    #[test]
    fn each_difference_has_its_cause() {
        let expected =
            SkillManifest::of([("a", "1\n"), ("b", "2\n"), ("c", "3\n"), ("d", "4\r\n")]);
        let found = SkillManifest::of([("a", "1\n"), ("b", "2\r\n"), ("c", "4\n"), ("e", "")]);
        let said: Vec<_> = expected
            .differences(&found)
            .into_iter()
            .map(|difference| format!("{} {}", difference.path, difference.cause.name()))
            .collect();
        assert_eq!(said, ["b eol", "c content", "d missing", "e extra"]);
        assert!(expected.differences(&expected).is_empty());
    }

    #[test]
    fn a_carriage_return_inside_a_line_is_content() {
        let expected = SkillManifest::of([("a", "1\r2\n")]);
        assert!(!expected.is_same_text(&SkillManifest::of([("a", "12\n")])));
        assert!(expected.is_same_text(&SkillManifest::of([("a", "1\r2\r\n")])));
    }

    #[test]
    fn many_differences_are_cut() {
        let expected = SkillManifest::of((0..100).map(|number| (number.to_string(), "")));
        assert_eq!(expected.differences(&SkillManifest::default()).len(), MAX_DIFFERENCES);
    }

    #[test]
    fn the_skill_of_this_program_is_not_empty() {
        assert!(SkillManifest::embedded().lines().contains(" SKILL.md\n"));
    }
}
