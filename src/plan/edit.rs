//! Edits: the difference between a tree and the wanted files.

use std::collections::{BTreeMap, BTreeSet};

use super::digest::Digest;
use super::file_set::{Content, FileSet};
use super::relative_path::RelativePath;

/// The current content of one path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TreeEntry {
    File(Content),
    Symlink,
    Directory,
    /// A socket, device, pipe, or a file that could not be read whole; the text says why.
    Other(String),
}

/// The state of the paths a plan is about; a path that is not here does not exist.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub entries: BTreeMap<RelativePath, TreeEntry>,
}

/// The action on one path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Action {
    Create,
    Replace,
    Delete,
    /// Same bytes, other execute bit.
    SetMode,
}

impl Action {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::SetMode => "set_mode",
        }
    }
}

/// One change of one file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edit {
    pub path: RelativePath,
    pub action: Action,
    /// `None` for `Create`.
    pub before: Option<Content>,
    /// `None` for `Delete`.
    pub after: Option<Content>,
}

/// Something that is not a regular file where a file is wanted; no plan writes through it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Obstacle {
    pub path: RelativePath,
    pub reason: String,
}

/// The whole change, sorted by path; `apply` accepts nothing else.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Plan {
    edits: Vec<Edit>,
    obstacles: Vec<Obstacle>,
}

impl Plan {
    /// Compares `tree` with the wanted files and with the paths that must go. Equal files make no edit.
    #[must_use]
    pub fn between(tree: &Tree, wanted: &FileSet, unwanted: &BTreeSet<RelativePath>) -> Self {
        let mut plan = Self::default();
        for (path, content) in wanted {
            match tree.entries.get(path) {
                None => plan.push(path, Action::Create, None, Some(content)),
                Some(TreeEntry::File(now)) if now == content => {}
                Some(TreeEntry::File(now)) if now.bytes == content.bytes => {
                    plan.push(path, Action::SetMode, Some(now), Some(content));
                }
                Some(TreeEntry::File(now)) => {
                    plan.push(path, Action::Replace, Some(now), Some(content));
                }
                Some(other) => plan.obstruct(path, other),
            }
        }
        for path in unwanted {
            match tree.entries.get(path) {
                None => {}
                Some(TreeEntry::File(now)) => plan.push(path, Action::Delete, Some(now), None),
                Some(other) => plan.obstruct(path, other),
            }
        }
        plan.edits.sort_by(|left, right| left.path.cmp(&right.path));
        plan
    }

    fn push(
        &mut self,
        path: &RelativePath,
        action: Action,
        before: Option<&Content>,
        after: Option<&Content>,
    ) {
        self.edits.push(Edit {
            path: path.clone(),
            action,
            before: before.cloned(),
            after: after.cloned(),
        });
    }

    fn obstruct(&mut self, path: &RelativePath, entry: &TreeEntry) {
        let reason = match entry {
            TreeEntry::Symlink => "it is a symbolic link".to_owned(),
            TreeEntry::Directory => "it is a directory".to_owned(),
            TreeEntry::Other(reason) => reason.clone(),
            TreeEntry::File(_) => "it is a file".to_owned(),
        };
        self.obstacles.push(Obstacle { path: path.clone(), reason });
    }

    /// Both plans as one; they are about different paths.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.edits.extend(other.edits);
        self.obstacles.extend(other.obstacles);
        self.edits.sort_by(|left, right| left.path.cmp(&right.path));
        self
    }

    /// The same plan with more that is in its way.
    #[must_use]
    pub fn with_obstacles(mut self, more: impl IntoIterator<Item = Obstacle>) -> Self {
        self.obstacles.extend(more);
        self
    }

    /// Only the changes of the paths that `keep` accepts.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&RelativePath) -> bool) -> Self {
        self.edits.retain(|edit| keep(&edit.path));
        self.obstacles.retain(|obstacle| keep(&obstacle.path));
        self
    }

    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.obstacles.is_empty()
    }

    /// Edits that would destroy bytes that are not in `known`, the digests of what aos itself wrote.
    pub fn lossy<'a>(
        &'a self,
        known: &'a BTreeMap<RelativePath, Digest>,
    ) -> impl Iterator<Item = &'a Edit> {
        self.edits.iter().filter(move |edit| match (&edit.before, edit.action) {
            (None, _) | (_, Action::Create | Action::SetMode) => false,
            (Some(before), _) => known.get(&edit.path) != Some(&before.digest()),
        })
    }

    /// A digest of the whole change: any other state or input has another digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = String::new();
        for edit in &self.edits {
            let side = |content: &Option<Content>| {
                content.as_ref().map_or_else(
                    || "-".to_owned(),
                    |content| {
                        format!("{}{}", content.digest(), if content.executable { "x" } else { "" })
                    },
                )
            };
            text.push_str(&format!(
                "{} {} {} {}\n",
                edit.action.name(),
                side(&edit.before),
                side(&edit.after),
                edit.path
            ));
        }
        Digest::of(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelativePath {
        RelativePath::parse(text).unwrap()
    }

    fn wanted() -> FileSet {
        let mut files = FileSet::default();
        files.insert(path("a.txt"), Content::plain("one\n")).unwrap();
        files.insert(path("b.txt"), Content::plain("two\n")).unwrap();
        files
    }

    fn tree(entries: &[(&str, TreeEntry)]) -> Tree {
        Tree { entries: entries.iter().map(|(name, entry)| (path(name), entry.clone())).collect() }
    }

    fn file(text: &str) -> TreeEntry {
        TreeEntry::File(Content::plain(text))
    }

    #[test]
    fn a_tree_that_is_right_gives_an_empty_plan() {
        let tree = tree(&[("a.txt", file("one\n")), ("b.txt", file("two\n")), ("mine", file("x"))]);
        assert!(Plan::between(&tree, &wanted(), &BTreeSet::new()).is_empty());
    }

    #[test]
    fn each_kind_of_difference_is_its_own_action() {
        let mut executable = Content::plain("two\n");
        executable.executable = true;
        let tree = tree(&[("b.txt", TreeEntry::File(executable)), ("old", file("gone"))]);
        let plan = Plan::between(&tree, &wanted(), &BTreeSet::from([path("old"), path("absent")]));
        let actions: Vec<_> =
            plan.edits().iter().map(|edit| (edit.path.as_str(), edit.action)).collect();
        assert_eq!(
            actions,
            [("a.txt", Action::Create), ("b.txt", Action::SetMode), ("old", Action::Delete)]
        );
    }

    #[test]
    fn a_link_or_directory_in_the_way_is_an_obstacle_and_not_an_edit() {
        let tree = tree(&[("a.txt", TreeEntry::Symlink), ("b.txt", TreeEntry::Directory)]);
        let plan = Plan::between(&tree, &wanted(), &BTreeSet::new());
        assert!(plan.edits().is_empty());
        assert_eq!(plan.obstacles().len(), 2);
        assert!(!plan.is_empty());
    }

    #[test]
    fn every_part_of_a_change_is_in_its_digest() {
        let digest = |before: Option<(&str, bool)>, name: &str, after: (&str, bool)| {
            let content = |(text, executable): (&str, bool)| {
                let mut content = Content::plain(text);
                content.executable = executable;
                content
            };
            let entries: Vec<_> =
                before.map(|before| (name, TreeEntry::File(content(before)))).into_iter().collect();
            let mut wanted = FileSet::default();
            wanted.insert(path(name), content(after)).unwrap();
            Plan::between(&tree(&entries), &wanted, &BTreeSet::new()).digest()
        };
        let changes = [
            (None, "a", ("1", false)),
            (None, "a", ("1", true)),
            (None, "a", ("2", false)),
            (None, "b", ("1", false)),
            (Some(("0", false)), "a", ("1", false)),
            (Some(("0", true)), "a", ("1", false)),
            (Some(("0", true)), "a", ("1", true)),
            (Some(("1", true)), "a", ("1", false)),
            (Some(("1", false)), "a", ("1", true)),
        ];
        let digests: BTreeSet<_> = changes
            .iter()
            .map(|(before, name, after)| digest(*before, name, *after).to_string())
            .collect();
        assert_eq!(digests.len(), changes.len());
    }

    #[test]
    fn only_bytes_that_aos_did_not_write_make_a_plan_lossy() {
        let tree = tree(&[("a.txt", file("mine\n")), ("b.txt", file("old\n"))]);
        let plan = Plan::between(&tree, &wanted(), &BTreeSet::new());
        let known = BTreeMap::from([(path("b.txt"), Digest::of(b"old\n"))]);
        let lossy: Vec<_> = plan.lossy(&known).map(|edit| edit.path.as_str()).collect();
        assert_eq!(lossy, ["a.txt"]);
    }

    #[test]
    fn the_digest_changes_with_the_state_of_the_tree() {
        let one = Plan::between(&tree(&[("a.txt", file("1"))]), &wanted(), &BTreeSet::new());
        let other = Plan::between(&tree(&[("a.txt", file("2"))]), &wanted(), &BTreeSet::new());
        assert_ne!(one.digest(), other.digest());
    }
}
