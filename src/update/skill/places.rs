//! The possible locations of the Skill: the canonical directory and those of all agents, according to the environment.

use std::path::{Path, PathBuf};

use crate::system::environment as variables;
use crate::system::files::{self, Kind};

use super::agent_table::AGENTS;
use super::agents::{Agent, Pin, Reach};

/// The name of the Skill, which is the name of its directory.
pub const SKILL: &str = "aos";
/// The directory that every installation writes, below the home directory.
const CANONICAL: &str = ".agents/skills";
/// Most directories that are looked into for copies of agents that no list has.
const MAX_DIRECTORIES: usize = 5000;

/// A directory that contains directories of agents.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Base {
    Home,
    Config,
    Claude,
    Codex,
    Vibe,
    Hermes,
    Autohand,
    Grok,
    Sarvam,
    AppData,
    FlatpakConfig,
    /// The root of the file system.
    Root,
}

impl Base {
    /// The variable that moves it, and where it is without, below the home directory.
    fn rule(self) -> (Option<&'static str>, Option<&'static str>) {
        match self {
            Self::Home => (None, Some("")),
            Self::Config => (Some(variables::XDG_CONFIG_HOME), Some(".config")),
            Self::Claude => (Some(variables::CLAUDE_CONFIG_DIR), Some(".claude")),
            Self::Codex => (Some(variables::CODEX_HOME), Some(".codex")),
            Self::Vibe => (Some(variables::VIBE_HOME), Some(".vibe")),
            Self::Hermes => (Some(variables::HERMES_HOME), Some(".hermes")),
            Self::Autohand => (Some(variables::AUTOHAND_HOME), Some(".autohand")),
            Self::Grok => (Some(variables::GROK_HOME), Some(".grok")),
            Self::Sarvam => (Some(variables::SARVAM_HOME), Some(".sarvam")),
            Self::AppData => (Some(variables::APPDATA), None),
            Self::FlatpakConfig => (Some(variables::FLATPAK_XDG_CONFIG_HOME), None),
            Self::Root => (None, None),
        }
    }
}

/// Variables that move a base. Their values must be absolute: `skills` would look for any other below the directory
/// it runs in.
pub const MOVING: &[Base] = &[
    Base::Config,
    Base::Claude,
    Base::Codex,
    Base::Vibe,
    Base::Hermes,
    Base::Autohand,
    Base::Grok,
    Base::Sarvam,
    Base::AppData,
    Base::FlatpakConfig,
];

/// Names of the variables among `values` that move a base to a path that is not absolute.
#[must_use]
pub fn unusable(values: &[(String, String)]) -> Vec<String> {
    let moving: Vec<_> = MOVING.iter().filter_map(|base| base.rule().0).collect();
    values
        .iter()
        .filter(|(name, value)| {
            moving.contains(&name.as_str()) && !Path::new(value.trim()).is_absolute()
        })
        .map(|(name, _)| name.clone())
        .collect()
}

/// All bases of this user.
#[derive(Clone, Debug)]
pub struct Bases {
    home: PathBuf,
    moved: Vec<(Base, PathBuf)>,
}

impl Bases {
    /// As the environment places them; `None` without a home directory.
    #[must_use]
    pub fn from_environment() -> Option<Self> {
        variables::home_directory().map(|home| Self::new(home, variables::read))
    }

    /// With the values of variables that `value` knows.
    #[must_use]
    pub fn new(home: PathBuf, value: impl Fn(&str) -> Option<String>) -> Self {
        let moved = |base: &Base| {
            let value = value(base.rule().0?)?;
            let path = PathBuf::from(value.trim());
            path.is_absolute().then_some((*base, path))
        };
        Self { moved: MOVING.iter().filter_map(moved).collect(), home }
    }

    /// `path` below `base`; `None` when this system has no such base.
    fn below(&self, (base, path): (Base, &str)) -> Option<PathBuf> {
        let moved = self.moved.iter().find(|(moved, _)| *moved == base);
        let start = match (moved, base, base.rule().1) {
            (Some((_, start)), ..) => start.clone(),
            (None, Base::Root, _) => PathBuf::from("/"),
            (None, _, Some(below)) => join(&self.home, below),
            (None, _, None) => return None,
        };
        Some(join(&start, path))
    }

    /// The directory that every installation writes.
    #[must_use]
    pub fn canonical(&self) -> PathBuf {
        self.home.join(CANONICAL).join(SKILL)
    }

    /// True if `skills` would recognize any agent; without one it would make directories for all of them.
    #[must_use]
    pub fn has_agent(&self, pin: Pin) -> bool {
        AGENTS.iter().any(|agent| {
            agent.reach(pin) != Reach::Unknown
                && agent.sign.and_then(|sign| self.below(sign)).is_some_and(|sign| exists(&sign))
        })
    }

    /// Every location with a file, each real one once, the canonical one first.
    #[must_use]
    pub fn places(&self) -> Vec<SkillDirectory> {
        let mut places: Vec<SkillDirectory> = Vec::new();
        let canonical = std::iter::once((self.canonical(), None));
        let others = AGENTS.iter().filter_map(|agent| {
            Some((self.below(agent.root)?.join("skills").join(SKILL), Some(agent)))
        });
        let unlisted = self.unlisted().into_iter().map(|path| (path, None));
        for (path, agent) in canonical.chain(others).chain(unlisted) {
            // A directory that may not be searched is not a place: `skills` cannot write there either.
            let is_link = match files::kind(&path) {
                Ok(Kind::Absent) | Err(_) => continue,
                Ok(kind) => kind == Kind::Symlink,
            };
            let real = files::canonical(&path).unwrap_or_else(|_| path.clone());
            match places.iter_mut().find(|place| place.real == real) {
                Some(place) => {
                    place.is_link &= is_link;
                    place.agents.extend(agent);
                }
                None => places.push(SkillDirectory {
                    is_canonical: path == self.canonical(),
                    agents: agent.into_iter().collect(),
                    path,
                    real,
                    is_link,
                }),
            }
        }
        places
    }

    /// Copies in directories that no list has: an installer knows more agents than we do. Looks two levels below the
    /// home directory and what the environment has moved, in hidden directories, and not in work trees.
    fn unlisted(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut left = MAX_DIRECTORIES;
        let mut look = |above: &Path, is_wanted: &dyn Fn(&str) -> bool| -> Vec<PathBuf> {
            let names = files::names(above).unwrap_or_default();
            let mut directories = Vec::new();
            for name in names.iter().filter_map(|name| name.to_str()).filter(|name| is_wanted(name))
            {
                let path = above.join(name);
                if left == 0 {
                    break;
                }
                left -= 1;
                // Links lead to what has a path of its own, or away from here.
                if !matches!(files::kind(&path), Ok(Kind::Directory)) || has_repository(&path) {
                    continue;
                }
                let copy = path.join("skills").join(SKILL);
                if matches!(files::kind(&copy), Ok(kind) if kind != Kind::Absent) {
                    found.push(copy);
                }
                directories.push(path);
            }
            directories
        };
        let mut roots = look(&self.home, &|name| name.starts_with('.'));
        roots.extend(self.moved.iter().map(|(_, path)| path.clone()));
        for root in roots {
            look(&root, &|_| true);
        }
        found
    }
}

/// True if this is the root of a work tree.
fn has_repository(directory: &Path) -> bool {
    !matches!(files::kind(&directory.join(".git")), Ok(Kind::Absent) | Err(_))
}

/// A place where something is installed.
#[derive(Clone, Debug)]
pub struct SkillDirectory {
    /// The first of the paths that lead here.
    pub path: PathBuf,
    /// The target of the path; the path itself if it has none.
    pub real: PathBuf,
    /// Agents that look here.
    pub agents: Vec<&'static Agent>,
    /// Whether the canonical path leads here.
    pub is_canonical: bool,
    /// Whether every path here is a link.
    pub is_link: bool,
}

impl SkillDirectory {
    /// Returns the state of a path at which nothing exists yet.
    #[must_use]
    pub fn absent(path: PathBuf) -> Self {
        Self { real: path.clone(), path, agents: Vec::new(), is_canonical: false, is_link: false }
    }

    /// Agents by whose name `skills` writes here, each once.
    #[must_use]
    pub fn writers(&self, pin: Pin) -> Vec<&'static str> {
        let mut names: Vec<_> = self
            .agents
            .iter()
            .filter(|agent| agent.reach(pin) == Reach::Own)
            .map(|agent| agent.name)
            .collect();
        names.dedup();
        names
    }
}

fn exists(path: &Path) -> bool {
    files::canonical(path).is_ok()
}

/// Without the separator at the end that joining nothing would leave.
fn join(start: &Path, path: &str) -> PathBuf {
    if path.is_empty() { start.to_owned() } else { start.join(path) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out directories")]
mod tests {
    use super::*;

    fn make(path: &Path) {
        std::fs::create_dir_all(path).unwrap();
    }

    fn bases(home: &Path) -> Bases {
        Bases::new(home.to_owned(), |_| None)
    }

    fn real(path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap()
    }

    #[test]
    fn bases_and_versions_are_those_that_the_runtimes_use() {
        let data = include_str!("../../../runtime/fixtures/agents.json");
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let known: std::collections::BTreeSet<_> = data["bases"]
            .as_object()
            .unwrap()
            .values()
            .map(|base| (base["variable"].as_str(), base["below"].as_str()))
            .collect();
        let moving: std::collections::BTreeSet<_> = MOVING.iter().map(|base| base.rule()).collect();
        assert_eq!(moving, known);
        for (pin, member) in [(Pin::Older, "older"), (Pin::Newer, "newer")] {
            assert_eq!(data["installer"][member], pin.version());
        }
    }

    #[test]
    fn an_empty_home_has_no_place_and_no_agent() {
        let home = tempfile::tempdir().unwrap();
        assert!(bases(home.path()).places().is_empty());
        assert!(!bases(home.path()).has_agent(Pin::Older) || Path::new("/etc/codex").exists());
    }

    #[test]
    fn every_place_counts_once_and_the_canonical_one_comes_first() {
        let home = tempfile::tempdir().unwrap();
        for path in [".claude/skills/aos", ".config/goose/skills/aos", ".agents/skills/aos"] {
            make(&home.path().join(path));
        }
        let places = bases(home.path()).places();
        let paths: Vec<_> =
            places.iter().map(|place| place.path.strip_prefix(home.path()).unwrap()).collect();
        assert_eq!(
            paths,
            [".agents/skills/aos", ".claude/skills/aos", ".config/goose/skills/aos"].map(Path::new)
        );
        assert_eq!(
            places.iter().map(|place| place.is_canonical).collect::<Vec<_>>(),
            [true, false, false]
        );
        assert_eq!(places[1].writers(Pin::Older), ["claude-code"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_a_place_are_the_same_place() {
        let home = tempfile::tempdir().unwrap();
        let canonical = home.path().join(".agents/skills/aos");
        make(&canonical);
        make(&home.path().join(".claude/skills"));
        make(&home.path().join(".roo"));
        let link = |target: &str, path: &str| {
            std::os::unix::fs::symlink(target, home.path().join(path)).unwrap();
        };
        link("../../.agents/skills/aos", ".claude/skills/aos");
        link("../.agents/skills", ".roo/skills");
        let places = bases(home.path()).places();
        assert_eq!(places.len(), 1);
        assert!(places[0].is_canonical && !places[0].is_link);
        assert_eq!(places[0].real, real(&canonical));
        assert_eq!(places[0].writers(Pin::Newer), ["claude-code", "roo"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_a_place() {
        let home = tempfile::tempdir().unwrap();
        make(&home.path().join(".claude/skills"));
        let path = home.path().join(".claude/skills/aos");
        std::os::unix::fs::symlink("gone", &path).unwrap();
        let places = bases(home.path()).places();
        assert_eq!(places.len(), 1);
        assert!(places[0].is_link && places[0].real == path);
    }

    #[test]
    fn a_copy_of_an_agent_that_no_list_has_is_found() {
        let home = tempfile::tempdir().unwrap();
        for path in [
            ".agents/skills/aos",
            ".new-agent/skills/aos",
            ".new-agent/deep/skills/aos",
            ".config/newer/skills/aos",
            ".sources/.git",
            ".sources/skills/aos",
            "visible/skills/aos",
        ] {
            make(&home.path().join(path));
        }
        let places = bases(home.path()).places();
        let paths: Vec<_> =
            places.iter().map(|place| place.path.strip_prefix(home.path()).unwrap()).collect();
        let expected = [
            ".agents/skills/aos",
            ".new-agent/skills/aos",
            ".config/newer/skills/aos",
            ".new-agent/deep/skills/aos",
        ];
        assert_eq!(paths, expected.map(Path::new));
        assert!(places[0].is_canonical && !places[1].is_canonical);
    }

    #[test]
    fn variables_move_directories_when_they_are_absolute() {
        let home = tempfile::tempdir().unwrap();
        let moved = home.path().join("moved").display().to_string();
        make(&home.path().join("moved/skills/aos"));
        make(&home.path().join("moved/goose/skills/aos"));
        make(&home.path().join(".claude/skills/aos"));
        let with = |name: &'static str, value: String| {
            Bases::new(home.path().to_owned(), move |asked| (asked == name).then(|| value.clone()))
                .places()
                .into_iter()
                .map(|place| place.path.strip_prefix(home.path()).unwrap().display().to_string())
                .collect::<Vec<_>>()
        };
        let usual = ".claude/skills/aos";
        // A copy where the variable does not lead is found too: agents without the variable read it.
        assert_eq!(
            with("CLAUDE_CONFIG_DIR", format!(" {moved} ")),
            ["moved/skills/aos", usual, "moved/goose/skills/aos"]
        );
        assert_eq!(with("XDG_CONFIG_HOME", moved), [usual, "moved/goose/skills/aos"]);
        assert_eq!(with("CLAUDE_CONFIG_DIR", "moved".to_owned()), [usual]);
    }

    #[test]
    fn a_variable_that_is_not_absolute_is_named() {
        let values = [("CLAUDE_CONFIG_DIR", "x"), ("XDG_CONFIG_HOME", "/x"), ("HOME", "x")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(unusable(&values), ["CLAUDE_CONFIG_DIR"]);
    }

    #[test]
    fn an_agent_of_only_the_newer_version_is_unknown_to_the_older_one() {
        let home = tempfile::tempdir().unwrap();
        make(&home.path().join(".grok"));
        let bases = bases(home.path());
        assert!(bases.has_agent(Pin::Newer));
        assert!(!bases.has_agent(Pin::Older) || Path::new("/etc/codex").exists());
        make(&home.path().join(".claude"));
        assert!(bases.has_agent(Pin::Older));
    }
}
