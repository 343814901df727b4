//! The user's files in place of the template's, and where files were moved to.

use std::collections::{BTreeMap, BTreeSet};

use crate::inputs::project::Project;
use crate::inputs::{repository, tree};
use crate::merge::moves;
use crate::merge::tree::Ours;
use crate::plan::{Content, FileSet, RelativePath, TreeEntry};

use super::sides::Sides;

/// The files of a rendering by path.
pub type Files = BTreeMap<RelativePath, Content>;

/// The three trees and how their files belong together.
pub struct Read {
    pub base: Files,
    pub theirs: Files,
    pub ours: BTreeMap<RelativePath, Ours>,
    pub their_moves: BTreeMap<RelativePath, RelativePath>,
    pub our_moves: BTreeMap<RelativePath, RelativePath>,
    /// Files of the old template that the new one knows and these answers do not want.
    pub unwanted: BTreeSet<RelativePath>,
}

impl Read {
    /// Reads what the user has at every path of both templates, and looks for files that were moved.
    pub fn of(project: &Project, sides: &Sides) -> Self {
        let (mut base, theirs) = (files(&sides.base.files), files(&sides.theirs.files));
        let known = project.lock.good().map(|lock| lock.known()).unwrap_or_default();
        let paths = base.keys().chain(theirs.keys());
        let mut ours = entries(project, paths);
        // A file that aos managed and that now belongs to the user still has the bytes that aos wrote.
        for (path, digest) in &known {
            if let (Some(Ours::File(content)), true, false) =
                (ours.get(path), theirs.contains_key(path), base.contains_key(path))
                && content.digest() == *digest
            {
                base.insert(path.clone(), content.clone());
            }
        }
        let (their_moves, unwanted) = followed(sides, &base, &theirs);
        let changed = |path: &&RelativePath| {
            let now = their_moves.get(*path).unwrap_or(path);
            !ours.contains_key(*path) && (now != *path || theirs.get(now) != base.get(*path))
        };
        let lost: BTreeSet<_> = base.keys().filter(changed).cloned().collect();
        let mut our_moves = BTreeMap::new();
        if !lost.is_empty() {
            let is_other = |path: &RelativePath| {
                !base.contains_key(path) && !theirs.contains_key(path) && !known.contains_key(path)
            };
            let found: Files = repository::load(project)
                .files
                .into_iter()
                .filter_map(|(path, file)| {
                    let content =
                        Content { bytes: file.bytes.to_arc(), executable: file.executable };
                    Some((RelativePath::parse(&path).ok()?, content))
                })
                .filter(|(path, _)| is_other(path))
                .collect();
            let lost = lost.iter().filter_map(|path| Some((path, base.get(path)?))).collect();
            our_moves = moves::detect(&lost, &found.iter().collect());
            for path in our_moves.values() {
                let content = found.get(path).cloned();
                ours.extend(content.map(|content| (path.clone(), Ours::File(content))));
            }
        }
        Self { base, theirs, ours, their_moves, our_moves, unwanted }
    }
}

fn files(rendered: &FileSet) -> Files {
    rendered.iter().map(|(path, content)| (path.clone(), content.clone())).collect()
}

/// Returns the entries at `paths` in the project.
pub fn entries<'a>(
    project: &Project,
    paths: impl Iterator<Item = &'a RelativePath>,
) -> BTreeMap<RelativePath, Ours> {
    let snapshot = tree::snapshot(&project.root, paths);
    let entry = |(path, entry)| match entry {
        TreeEntry::File(content) => (path, Ours::File(content)),
        TreeEntry::Symlink | TreeEntry::Directory | TreeEntry::Other(_) => (path, Ours::Other),
    };
    snapshot.entries.into_iter().map(entry).collect()
}

type Moves = BTreeMap<RelativePath, RelativePath>;

/// Returns the paths of the old template's files in the new template, and the files that its answers exclude.
fn followed(sides: &Sides, base: &Files, theirs: &Files) -> (Moves, BTreeSet<RelativePath>) {
    let (old, new) = (&sides.base.origins, &sides.theirs.origins);
    let places: BTreeMap<_, _> = new.iter().map(|(path, origin)| (origin, path)).collect();
    let (mut moved, mut unwanted) = (Moves::new(), BTreeSet::new());
    for path in base.keys().filter(|path| !theirs.contains_key(*path)) {
        let place = old.get(path).and_then(|origin| places.get(origin));
        match place {
            Some(place) if theirs.contains_key(*place) && !base.contains_key(*place) => {
                moved.insert(path.clone(), (*place).clone());
            }
            Some(place) if !theirs.contains_key(*place) => {
                unwanted.insert(path.clone());
            }
            Some(_) | None => {}
        }
    }
    let taken: BTreeSet<_> = moved.values().cloned().collect();
    let is_lost = |path: &&RelativePath| {
        !theirs.contains_key(*path) && !moved.contains_key(*path) && !unwanted.contains(*path)
    };
    let is_new = |path: &&RelativePath| !base.contains_key(*path) && !taken.contains(*path);
    let lost = base.iter().filter(|(path, _)| is_lost(path)).collect();
    let found = theirs.iter().filter(|(path, _)| is_new(path)).collect();
    let alike = moves::detect(&lost, &found);
    moved.extend(alike);
    (moved, unwanted)
}
