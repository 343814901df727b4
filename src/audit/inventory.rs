//! Every path of a project by its class, so that nothing is left out of the verdict unseen.

use std::collections::BTreeSet;

use crate::contract::repository::is_below;
use crate::contract::{Finding, ProjectFiles};
use crate::plan::RelativePath;

use super::rules;

/// The number of paths in each class. The classes are disjoint, and together they contain every path of the walk.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Inventory {
    /// Compared with what aos writes.
    pub managed: usize,
    /// Files of the project itself.
    pub user: usize,
    /// Ignored by git: files, and directories that were not entered.
    pub ignored: usize,
    /// In another project inside this one.
    pub nested: usize,
    /// Loaded in place of a managed file, or beside it without a declaration.
    pub shadow: usize,
    /// Not read, each with a finding or a reason.
    pub not_read: usize,
    /// Without a class.
    pub unclassified: usize,
}

impl Inventory {
    /// Counts the paths that the walk found.
    #[must_use]
    pub fn of(
        repository: &ProjectFiles,
        compared: &BTreeSet<RelativePath>,
        nested: &[String],
        findings: &[Finding],
    ) -> Self {
        let of_shadows = [rules::SHADOWED.id, rules::STRAY_MODULE.id, rules::EXTRA.id];
        let shadows: BTreeSet<&str> = findings
            .iter()
            .filter(|finding| of_shadows.contains(&finding.rule))
            .map(|finding| finding.path.as_str())
            .collect();
        let managed: BTreeSet<&str> = compared.iter().map(RelativePath::as_str).collect();
        let mut counts = Self { ignored: repository.ignored_files, ..Self::default() };
        for path in repository.files.keys() {
            counts.count(path, &managed, &shadows, nested, |counts| &mut counts.user);
        }
        for path in repository.ignored.keys() {
            counts.count(path, &managed, &shadows, nested, |counts| &mut counts.ignored);
        }
        let unread = repository.unreadable.iter().map(|(path, _)| path);
        for path in repository.symlinks.iter().chain(unread) {
            counts.count(path, &managed, &shadows, nested, |counts| &mut counts.not_read);
        }
        counts.unclassified = repository.walked.saturating_sub(counts.total());
        counts.ignored += repository.ignored_directories;
        counts.not_read += repository.unlisted.len();
        counts
    }

    fn count(
        &mut self,
        path: &str,
        managed: &BTreeSet<&str>,
        shadows: &BTreeSet<&str>,
        nested: &[String],
        otherwise: impl FnOnce(&mut Self) -> &mut usize,
    ) {
        let class = if managed.contains(path) {
            &mut self.managed
        } else if shadows.contains(path) {
            &mut self.shadow
        } else if nested.iter().any(|project| is_below(path, project)) {
            &mut self.nested
        } else {
            otherwise(self)
        };
        *class += 1;
    }

    /// All paths.
    #[must_use]
    pub fn total(&self) -> usize {
        self.managed
            + self.user
            + self.ignored
            + self.nested
            + self.shadow
            + self.not_read
            + self.unclassified
    }
}
