//! Compares every installed copy of the Skill with the expected files. Read-only; needs no network and no other
//! program.

use std::path::Path;

use crate::system::files::{self, Kind};

use super::installed;
use super::manifest::{ManifestDifference, SkillManifest};
use super::places::{Bases, SkillDirectory};

/// The state of one installed copy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CopyState {
    /// Exactly the expected files.
    Current,
    /// Another release of the Skill, only other line endings, or nothing.
    Stale,
    /// Neither the expected files nor a known release: changed by a person.
    Modified,
    /// The working tree of a developer, regardless of its content.
    Developer,
    /// It cannot be read, with the reason.
    Unreadable(String),
}

impl CopyState {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::Modified => "modified",
            Self::Developer => "developer",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

/// One installed copy and its state.
#[derive(Clone, Debug)]
pub struct Examined {
    pub place: SkillDirectory,
    pub state: CopyState,
    /// Digest of the list of its files; `None` if it cannot be read.
    pub digest: Option<String>,
    /// Digest of everything in it; `None` if it cannot be read. Different after any change.
    pub fingerprint: Option<String>,
    /// Whether it has exactly the expected files and no link.
    pub is_exact: bool,
    /// The first differences from the expected files.
    pub differences: Vec<ManifestDifference>,
}

/// All places.
#[derive(Clone, Debug, Default)]
pub struct SkillExamination {
    pub places: Vec<Examined>,
}

/// Examines every installed copy of the Skill. `known` are the file lists of older releases: a copy that equals one of
/// them is stale, not modified.
///
/// `None` without a home directory.
#[must_use]
pub fn examine(expected: &SkillManifest, known: &[SkillManifest]) -> Option<SkillExamination> {
    Bases::from_environment().map(|bases| examine_in(&bases, expected, known))
}

/// Like [`examine`], with the directories in `bases`.
#[must_use]
pub fn examine_in(
    bases: &Bases,
    expected: &SkillManifest,
    known: &[SkillManifest],
) -> SkillExamination {
    let examined = |place: SkillDirectory| {
        let found = installed::manifest(&place.real);
        let state = match &found {
            _ if is_work_tree(&place) => CopyState::Developer,
            Err(error) => CopyState::Unreadable(error.to_string()),
            Ok(found) if !expected.is_empty() && found == expected => CopyState::Current,
            Ok(found) if found.is_empty() => CopyState::Stale,
            Ok(found) if known.iter().chain([expected]).any(|older| older.is_same_text(found)) => {
                CopyState::Stale
            }
            Ok(_) => CopyState::Modified,
        };
        let differences =
            found.as_ref().map(|found| expected.differences(found)).unwrap_or_default();
        let digest = found.ok().map(|found| found.digest().to_string());
        let all = installed::all(&place.real).ok();
        let list = all.as_ref().map(SkillManifest::of_tree);
        let is_exact = list.as_ref().is_some_and(|list| !list.is_empty() && list == expected)
            && all.is_some_and(|all| all.skipped.is_empty() && !all.has_links);
        let fingerprint = list.map(|list| list.fingerprint());
        Examined { place, state, digest, fingerprint, is_exact, differences }
    };
    SkillExamination { places: bases.places().into_iter().map(examined).collect() }
}

/// True if this is a working tree of a developer: the Skill is a repository itself, or a link into one.
fn is_work_tree(place: &SkillDirectory) -> bool {
    let has_repository = |directory: &Path| {
        !matches!(files::kind(&directory.join(".git")), Ok(Kind::Absent) | Err(_))
    };
    // A home directory may be a repository, so only a link shows that the Skill is developed there.
    let leads_away = place.is_link && place.real != place.path;
    has_repository(&place.real) || leads_away && place.real.ancestors().any(has_repository)
}

impl SkillExamination {
    /// True if the Skill is installed and every copy is correct, ignoring working trees of developers.
    #[must_use]
    pub fn is_current(&self) -> bool {
        let mut counted =
            self.places.iter().filter(|place| place.state != CopyState::Developer).peekable();
        counted.peek().is_some() && counted.all(|place| place.state == CopyState::Current)
    }

    /// True if the canonical copy is correct.
    #[must_use]
    pub fn is_canonical_current(&self) -> bool {
        self.places
            .iter()
            .any(|examined| examined.place.is_canonical && examined.state == CopyState::Current)
    }

    /// Copies that differ from the expected files.
    pub fn wrong(&self) -> impl Iterator<Item = &Examined> {
        self.places
            .iter()
            .filter(|examined| !matches!(examined.state, CopyState::Current | CopyState::Developer))
    }

    /// Working trees of developers.
    pub fn developers(&self) -> impl Iterator<Item = &Examined> {
        self.places.iter().filter(|examined| examined.state == CopyState::Developer)
    }
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests lay out directories")]
mod tests {
    use super::*;

    const NEW: [(&str, &str); 2] = [("SKILL.md", "new\n"), ("sub/x.md", "x\n")];
    const OLD: [(&str, &str); 1] = [("SKILL.md", "old\n")];

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> &Path {
            self.0.path()
        }

        fn install(&self, place: &str, files: &[(&str, &str)]) {
            for (path, text) in files {
                let path = self.path().join(place).join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
        }

        fn link(&self, target: &str, path: &str) {
            let path = self.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(target, path).unwrap();
        }

        fn examine(&self) -> SkillExamination {
            let bases = Bases::new(self.path().to_owned(), |_| None);
            examine_in(&bases, &SkillManifest::of(NEW), &[SkillManifest::of(OLD)])
        }

        fn states(&self) -> Vec<&'static str> {
            self.examine().places.iter().map(|examined| examined.state.name()).collect()
        }
    }

    #[test]
    fn each_copy_has_its_state() {
        let home = Home::new();
        home.install(".agents/skills/aos", &NEW);
        home.install(".aider-desk/skills/aos", &OLD);
        home.install(".bob/skills/aos", &[("SKILL.md", "mine\n")]);
        home.install(".claude/skills/aos", &[("SKILL.md", "new\r\n"), ("sub/x.md", "x\n")]);
        home.link("gone", ".roo/skills/aos");
        assert_eq!(home.states(), ["current", "stale", "modified", "stale", "stale"]);
        let examination = home.examine();
        assert!(examination.is_canonical_current() && !examination.is_current());
        assert_eq!(examination.wrong().count(), 4);
        let causes: Vec<_> = examination.places[3]
            .differences
            .iter()
            .map(|difference| difference.cause.name())
            .collect();
        assert_eq!(causes, ["eol"]);
    }

    #[test]
    fn the_skill_is_current_only_where_it_is_installed() {
        let home = Home::new();
        assert!(!home.examine().is_current());
        home.install(".claude/skills/aos", &NEW);
        assert!(home.examine().is_current());
        assert!(!home.examine().is_canonical_current());
    }

    #[test]
    fn without_expected_files_no_copy_is_current() {
        let home = Home::new();
        std::fs::create_dir_all(home.path().join(".agents/skills/aos")).unwrap();
        let bases = Bases::new(home.path().to_owned(), |_| None);
        assert!(!examine_in(&bases, &SkillManifest::default(), &[]).is_current());
    }

    #[test]
    fn a_link_into_a_work_tree_belongs_to_a_developer() {
        let home = Home::new();
        home.install("src/aos/skills/aos", &OLD);
        home.install("src/aos/.git", &[("HEAD", "")]);
        home.link("../../src/aos/skills/aos", ".agents/skills/aos");
        home.link("../../.agents/skills/aos", ".claude/skills/aos");
        assert_eq!(home.states(), ["developer"]);
        assert!(!home.examine().is_current());
        home.install(".bob/skills/aos", &NEW);
        assert!(home.examine().is_current());
    }

    #[test]
    fn a_repository_in_the_place_itself_belongs_to_a_developer() {
        let home = Home::new();
        home.install(".agents/skills/aos", &OLD);
        home.install(".agents/skills/aos/.git", &[("HEAD", "")]);
        assert_eq!(home.states(), ["developer"]);
    }

    #[test]
    fn a_home_that_is_a_repository_makes_nobody_a_developer() {
        let home = Home::new();
        home.install(".git", &[("HEAD", "")]);
        home.install(".agents/skills/aos", &OLD);
        home.link("../../.agents/skills/aos", ".claude/skills/aos");
        assert_eq!(home.states(), ["stale"]);
    }

    #[test]
    fn a_link_elsewhere_is_an_installed_copy() {
        let home = Home::new();
        home.install("else", &OLD);
        home.link("../../else", ".agents/skills/aos");
        assert_eq!(home.states(), ["stale"]);
    }
}
