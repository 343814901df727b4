//! Whole trees: every file of the old template followed to where the user and the new template have it.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::{Content, RelativePath};

use super::content::{self, MergeOutcome};
use super::lines::Labels;

/// How conflicts are left in the tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MergeStyle {
    /// Between markers in the file, the base shown.
    Inline,
    /// The user's lines stay, and the template's change goes to a file `PATH.rej`.
    Reject,
}

/// The kind of a conflict.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum MergeKind {
    /// Both sides changed the same lines, or a file without lines.
    Content,
    /// Both sides added a file of that name.
    AddAdd,
    /// The user changed a file that the template no longer has.
    ModifyDelete,
    /// The user moved a file that the template no longer has.
    RenameDelete,
    /// Both sides moved the file, to different places.
    RenameRename,
    /// The template moved the file to where the user has another one.
    RenameAdd,
    /// The template changed a file in whose place the user has no plain file.
    NotAFile,
}

impl MergeKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::AddAdd => "add_add",
            Self::ModifyDelete => "modify_delete",
            Self::RenameDelete => "rename_delete",
            Self::RenameRename => "rename_rename",
            Self::RenameAdd => "rename_add",
            Self::NotAFile => "not_a_file",
        }
    }
}

impl MergeKind {
    /// The kind for people, as git writes it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::AddAdd => "add/add",
            Self::ModifyDelete => "modify/delete",
            Self::RenameDelete => "rename/delete",
            Self::RenameRename => "rename/rename",
            Self::RenameAdd => "rename/add",
            Self::NotAFile => "not a file",
        }
    }
}

/// One contradiction that a person has to resolve.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conflict {
    /// The user's path of the file.
    pub path: RelativePath,
    pub kind: MergeKind,
    /// The file whose markers, or whose existence, say that the conflict is open.
    pub open: RelativePath,
    /// The number of places in the file that conflict.
    pub places: usize,
    pub base: Option<Content>,
    pub ours: Option<Content>,
    pub theirs: Option<Content>,
    /// The template's path of the file, if it is another one.
    pub moved_to: Option<RelativePath>,
}

/// The user's entry at a path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Ours {
    File(Content),
    /// A link, a directory, or a file that cannot be read.
    Other,
}

/// The three trees, and how their files belong together.
#[derive(Clone, Copy, Debug)]
pub struct Trees<'a> {
    pub base: &'a BTreeMap<RelativePath, Content>,
    pub theirs: &'a BTreeMap<RelativePath, Content>,
    /// Every path that one of the other trees names, or that a file was moved to.
    pub ours: &'a BTreeMap<RelativePath, Ours>,
    /// The paths of old template files in the new template; a file that stays is not in it.
    pub their_moves: &'a BTreeMap<RelativePath, RelativePath>,
    /// The paths to which the user moved files of the old template.
    pub our_moves: &'a BTreeMap<RelativePath, RelativePath>,
    /// Files of the old template that the new one still knows and these answers do not want.
    pub unwanted: &'a BTreeSet<RelativePath>,
    /// Files that programs read: they never get markers.
    pub parsed: &'a BTreeSet<RelativePath>,
    pub style: MergeStyle,
    pub labels: Labels<'a>,
}

/// The result of merging into the user's tree.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Merged {
    /// Files to write.
    pub wanted: BTreeMap<RelativePath, Content>,
    /// Files to remove.
    pub removed: BTreeSet<RelativePath>,
    /// Files that hold what the old template gave, so that nothing is lost when they go.
    pub untouched: BTreeSet<RelativePath>,
    pub conflicts: Vec<Conflict>,
    /// Files of the new template that the user deleted.
    pub deleted: Vec<RelativePath>,
    /// Files that the answers do not want any more and the user changed: they stay.
    pub kept: Vec<RelativePath>,
    /// Files that both sides changed, without a contradiction.
    pub merged: Vec<RelativePath>,
}

impl Trees<'_> {
    /// Merges the trees.
    #[must_use]
    pub fn merge(&self) -> Merged {
        let mut merged = Merged::default();
        let mut arrived = BTreeSet::new();
        for (path, base) in self.base {
            let theirs = self.their_moves.get(path).unwrap_or(path);
            let after = self.theirs.get(theirs);
            if after.is_some() {
                arrived.insert(theirs);
            }
            let place = self.place(path, theirs);
            match (place, after) {
                (None, None) => {}
                (None, Some(_)) => merged.deleted.push(theirs.clone()),
                (Some(place), None) => self.dropped(&mut merged, path, place, base),
                (Some(place), Some(after)) => {
                    self.changed(&mut merged, File { path, place, theirs, base, after });
                }
            }
        }
        for (path, after) in self.theirs.iter().filter(|(path, _)| !arrived.contains(path)) {
            self.added(&mut merged, path, after);
        }
        merged.removed.retain(|path| !merged.wanted.contains_key(path));
        merged.conflicts.sort_by(|left, right| left.path.cmp(&right.path));
        merged
    }

    /// Returns the user's path of a file of the old template.
    fn place<'p>(
        &'p self,
        path: &'p RelativePath,
        theirs: &'p RelativePath,
    ) -> Option<&'p RelativePath> {
        let candidates = [Some(path), self.our_moves.get(path), Some(theirs)];
        let there = |path: &&RelativePath| self.ours.contains_key(*path);
        // A file of the template that has another history is none of this one.
        let is_own =
            |candidate: &&RelativePath| *candidate == path || !self.base.contains_key(*candidate);
        candidates.into_iter().flatten().filter(is_own).find(there)
    }

    /// The template no longer has the file.
    fn dropped(
        &self,
        merged: &mut Merged,
        path: &RelativePath,
        place: &RelativePath,
        base: &Content,
    ) {
        let ours = match self.ours.get(place) {
            Some(Ours::File(ours)) => Some(ours),
            _ => None,
        };
        let untouched = ours.is_some_and(|ours| content::is_same(ours, base));
        if untouched && place == path {
            merged.removed.insert(path.clone());
            merged.untouched.insert(path.clone());
        } else if self.unwanted.contains(path) || ours.is_none() {
            merged.kept.push(place.clone());
        } else {
            let kind = if untouched { MergeKind::RenameDelete } else { MergeKind::ModifyDelete };
            let rest = format!(
                "The template no longer has `{path}`. Delete or keep `{place}`, then delete this file.\n"
            );
            let conflict = Conflict {
                path: place.clone(),
                kind,
                open: beside(place),
                places: 1,
                base: Some(base.clone()),
                ours: ours.cloned(),
                theirs: None,
                moved_to: None,
            };
            self.leave(merged, conflict, rest.into_bytes());
        }
    }

    /// The template still has the file, here or elsewhere.
    fn changed(&self, merged: &mut Merged, file: File<'_>) {
        let File { path, place, theirs, base, after } = file;
        let Some(Ours::File(ours)) = self.ours.get(place) else {
            if base != after || path != theirs {
                let conflict = file.conflict(place.clone(), MergeKind::NotAFile, None);
                self.leave(merged, conflict, after.bytes.to_vec());
            }
            return;
        };
        let target = match (place == path, theirs == path) {
            (true, _) => theirs,
            (false, _) => place,
        };
        let apart = place != path && theirs != path && place != theirs;
        let taken = target != place && self.ours.contains_key(target);
        let target = if taken { place } else { target };
        if content::is_same(ours, base) {
            merged.untouched.insert(place.clone());
        }
        if target != place {
            merged.removed.insert(place.clone());
        }
        let outcome = content::merge(Some(base), ours, after);
        match outcome {
            MergeOutcome::Stays if target == place => {}
            MergeOutcome::Stays => {
                merged.wanted.insert(target.clone(), ours.clone());
            }
            MergeOutcome::Follows(content) => {
                merged.wanted.insert(target.clone(), content);
            }
            MergeOutcome::Merged(content) => {
                merged.merged.push(target.clone());
                merged.wanted.insert(target.clone(), content);
            }
            MergeOutcome::Clash(blend) => {
                let conflict = file.conflict(target.clone(), MergeKind::Content, Some(ours));
                self.clash(merged, conflict, &blend);
            }
            MergeOutcome::Opaque => {
                if target != place {
                    merged.wanted.insert(target.clone(), ours.clone());
                }
                let conflict = file.conflict(target.clone(), MergeKind::Content, Some(ours));
                self.leave(merged, conflict, after.bytes.to_vec());
            }
        }
        if apart || taken {
            let kind = if taken { MergeKind::RenameAdd } else { MergeKind::RenameRename };
            let mut conflict = file.conflict(place.clone(), kind, Some(ours));
            conflict.open = beside(theirs);
            let text = format!(
                "The template moved `{path}` to `{theirs}`, and you moved it to `{place}`. Move it, or keep it there, then delete this file.\n"
            );
            self.leave(merged, conflict, text.into_bytes());
        }
    }

    /// The new template has a file that the old one did not have.
    fn added(&self, merged: &mut Merged, path: &RelativePath, after: &Content) {
        let conflict = |kind, ours: Option<&Content>| Conflict {
            path: path.clone(),
            kind,
            open: beside(path),
            places: 1,
            base: None,
            ours: ours.cloned(),
            theirs: Some(after.clone()),
            moved_to: None,
        };
        match self.ours.get(path) {
            None => {
                merged.wanted.insert(path.clone(), after.clone());
            }
            Some(Ours::Other) => {
                self.leave(merged, conflict(MergeKind::NotAFile, None), after.bytes.to_vec());
            }
            // It is there already as the new place of another file.
            Some(Ours::File(ours)) if self.our_moves.values().any(|moved| moved == path) => {
                self.leave(merged, conflict(MergeKind::AddAdd, Some(ours)), after.bytes.to_vec());
            }
            Some(Ours::File(ours)) => match content::merge(None, ours, after) {
                MergeOutcome::Clash(blend) => {
                    self.clash(merged, conflict(MergeKind::AddAdd, Some(ours)), &blend);
                }
                MergeOutcome::Opaque => {
                    self.leave(
                        merged,
                        conflict(MergeKind::AddAdd, Some(ours)),
                        after.bytes.to_vec(),
                    );
                }
                MergeOutcome::Stays | MergeOutcome::Follows(_) | MergeOutcome::Merged(_) => {}
            },
        }
    }

    /// A text with conflicts, in the style that was asked for.
    fn clash(&self, merged: &mut Merged, mut conflict: Conflict, blend: &content::Blend) {
        conflict.places = blend.conflicts();
        if self.style == MergeStyle::Inline && !self.parsed.contains(&conflict.path) {
            conflict.open = conflict.path.clone();
            merged.wanted.insert(conflict.path.clone(), blend.inline(self.labels));
            merged.conflicts.push(conflict);
            return;
        }
        let (kept, left_out) = blend.rejected();
        merged.wanted.insert(conflict.path.clone(), kept);
        let mut text = format!(
            "Template {} changes `{}`, but aos did not apply these changes. Apply those that you need, then delete this file.\n",
            self.labels.theirs, conflict.path
        )
        .into_bytes();
        text.extend(left_out);
        self.leave(merged, conflict, text);
    }

    /// A conflict whose rest is a file beside the user's.
    fn leave(&self, merged: &mut Merged, conflict: Conflict, rest: Vec<u8>) {
        merged.wanted.insert(conflict.open.clone(), Content::plain(rest));
        merged.conflicts.push(conflict);
    }
}

/// One file of the old template that the new one has too.
#[derive(Clone, Copy)]
struct File<'a> {
    /// In the old template.
    path: &'a RelativePath,
    /// In the user's tree.
    place: &'a RelativePath,
    /// In the new template.
    theirs: &'a RelativePath,
    base: &'a Content,
    after: &'a Content,
}

impl File<'_> {
    fn conflict(&self, path: RelativePath, kind: MergeKind, ours: Option<&Content>) -> Conflict {
        Conflict {
            open: beside(&path),
            path,
            kind,
            places: 1,
            base: Some(self.base.clone()),
            ours: ours.cloned(),
            theirs: Some(self.after.clone()),
            moved_to: (self.theirs != self.place).then(|| self.theirs.clone()),
        }
    }
}

/// Returns the path of the part of a conflict that is not written into the file itself.
fn beside(path: &RelativePath) -> RelativePath {
    path.with_ending(".rej")
}
