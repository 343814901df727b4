//! The answers of `aos upgrade`.

use crate::generate::record::Record;
use crate::inputs::project::Project;
use crate::inputs::spec_source::Obtained;
use crate::merge::Conflict;
use crate::plan::{Content, Plan, RelativePath};
use crate::report::answers::upgrade::{
    ChangedQuestionAnswer, ConflictedUpgrade, MergeConflict, NewQuestionAnswer, UpgradeAnswer,
    UpgradeFacts, UpgradedProject,
};
use crate::report::{ErrorCode, Failure, Outcome, Style, changes};
use crate::visible::{Visible, or_empty, visible};
use crate::workflows::Run;
use crate::workflows::write_gate::Offer;

use super::change::UpgradeChange;
use super::request::UpgradeRequest;
use super::settled::SettledProject;
use super::sides::Sides;

/// The facts of one upgrade, for every form of its answer.
pub struct UpgradeReport<'a> {
    args: &'a UpgradeRequest,
    run: &'a Run,
    sides: &'a Sides,
    change: &'a UpgradeChange,
    spec_tag: Option<String>,
    notes: Vec<String>,
}

impl<'a> UpgradeReport<'a> {
    pub fn new(
        args: &'a UpgradeRequest,
        run: &'a Run,
        sides: &'a Sides,
        change: &'a UpgradeChange,
        obtained: Option<&Obtained>,
        mut notes: Vec<String>,
    ) -> Self {
        notes.extend(obtained.iter().flat_map(|obtained| obtained.notes.iter().cloned()));
        notes.extend(sides.own.iter().flat_map(|own| own.notes.iter().cloned()));
        notes.extend(change.kept.iter().map(|path| {
            format!("`{path}` is no longer needed; it was kept, because you changed it")
        }));
        let spec_tag = obtained.map(|obtained| obtained.release.tag.to_string());
        Self { args, run, sides, change, spec_tag, notes }
    }

    fn status(&self) -> &'static str {
        if self.change.plan.is_empty() {
            "unchanged"
        } else if !self.change.conflicts.is_empty() {
            "conflicted"
        } else if self.sides.previous.version == self.sides.info.version
            && self.sides.own.as_ref().is_none_or(|own| own.archive.is_none())
        {
            "renewed"
        } else {
            "upgraded"
        }
    }

    /// Returns the facts of the change that are in every answer.
    fn facts(&self) -> UpgradeFacts {
        let (sides, change) = (self.sides, self.change);
        let changed =
            sides.changed().into_iter().map(|(key, before, after)| ChangedQuestionAnswer {
                key: key.to_owned(),
                before: before.to_owned(),
                after: after.to_owned(),
            });
        let added = sides
            .added
            .iter()
            .map(|(key, value)| NewQuestionAnswer { key: key.clone(), value: value.clone() });
        UpgradeFacts {
            template: sides.info.name.clone(),
            previous_version: sides.previous.version.clone(),
            version: sides.info.version.clone(),
            spec_tag: self.spec_tag.clone(),
            conflicts: change.conflicts.iter().map(conflict).collect(),
            merged: names(&change.merged),
            deleted: names(&change.deleted),
            differs: names(&change.differs),
            same: change.same,
            restored: names(&change.restored),
            healed: names(&change.healed),
            new_answers: added.collect(),
            changed_answers: changed.collect(),
            api_changes: self.args.api.as_ref().map(|api| api.changes.clone()).unwrap_or_default(),
            notes: self.notes.clone(),
        }
    }

    /// The preview with the facts.
    pub fn preview(&self, mut offer: Offer) -> Outcome {
        self.speak(&mut offer);
        offer.outcome_with(self.facts(), UpgradeAnswer::Preview)
    }

    fn speak(&self, offer: &mut Offer) {
        offer.text.push(&visible!("\n{}", Visible::joined(self.lines(), "\n")));
    }

    /// A refusal of the gate with the facts.
    pub fn explain(&self, mut failure: Failure) -> Failure {
        if failure.code == ErrorCode::ConfirmationRequired {
            failure = failure.with(&self.facts());
            if let Some(report) = &mut failure.report {
                report.push(&visible!("\n{}", Visible::joined(self.lines(), "\n")));
            }
        }
        failure
    }

    /// Conflicts, and nothing written: what would be, with the token for it.
    pub fn refused(&self, mut offer: Offer) -> Failure {
        self.speak(&mut offer);
        let token = &offer.answer.confirm_token;
        let mut failure = Failure::new(
            ErrorCode::MergeConflict,
            format!("{}; nothing was written", self.sentence()),
        )
        .hint(format!(
            "look at `conflicts`; `--confirm {token}` writes the change with conflict markers, `--conflicts reject` keeps your lines, and `--heal FILE` takes the template's file"
        ))
        .with(&offer.answer)
        .with(&self.facts());
        failure.report = Some(offer.text);
        failure.raw = Some(offer.raw);
        failure
    }

    /// Conflicts that were written.
    pub fn conflicted(&self) -> Failure {
        let mut failure = Failure::new(
            ErrorCode::MergeConflict,
            format!("{}; everything else was merged", self.sentence()),
        )
        .hint(
            "resolve them, remove the markers and the `.rej` files, and run `aos upgrade` again; `aos upgrade --abort` \
             undoes the upgrade",
        )
        .with(&ConflictedUpgrade {
            status: "conflicted",
            facts: self.facts(),
            changes: changes::listed(&self.change.plan, self.args.write.diff),
        });
        let mut lines = vec![changes::text(&self.change.plan, self.run.style)];
        lines.extend(self.lines());
        failure.report = Some(Visible::joined(lines, "\n"));
        failure.raw = Some(changes::patch(&self.change.plan));
        failure
    }

    fn sentence(&self) -> String {
        let paths: std::collections::BTreeSet<_> =
            self.change.conflicts.iter().map(|conflict| &conflict.path).collect();
        let version = &self.sides.info.version;
        match paths.len() {
            1 => format!("your changes conflict with those of template {version} in 1 file"),
            count => {
                format!("your changes conflict with those of template {version} in {count} files")
            }
        }
    }

    pub fn outcome(&self) -> Outcome {
        let (plan, style) = (&self.change.plan, self.run.style);
        let next = (!plan.is_empty()).then(|| "aos check".to_owned());
        let data = UpgradeAnswer::Upgraded(Box::new(UpgradedProject {
            status: self.status(),
            facts: self.facts(),
            changes: changes::listed(plan, self.args.write.diff),
            next: next.into_iter().collect(),
        }));
        let (name, version) = (&self.sides.info.name, &self.sides.info.version);
        let head = match self.status() {
            "unchanged" => format!("already at {name} {version}"),
            "renewed" => format!("{name} {version}"),
            _ => format!("{name} {} -> {version}", self.sides.previous.version),
        };
        let mut lines =
            vec![visible!("{} {} ({})", style.good(self.status()), head, changes::summary(plan))];
        if !plan.is_empty() {
            lines.push(changes::text(plan, style));
        }
        if self.args.write.diff {
            lines.push(changes::diffs(plan, style));
        }
        lines.extend(self.lines());
        Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(plan))
    }

    /// Returns the lines for people in addition to the list of changes.
    fn lines(&self) -> Vec<Visible> {
        let (style, change) = (self.run.style, self.change);
        let mut lines: Vec<Visible> = Vec::new();
        lines.extend(change.conflicts.iter().map(|conflict| {
            let places = match conflict.places {
                1 => String::new(),
                count => format!(", {count} places"),
            };
            let rest = match conflict.open == conflict.path {
                true => String::new(),
                false => format!(", see {}", conflict.open),
            };
            let kind = conflict.kind.label();
            visible!("{} {} ({}{}{})", style.bad("conflict"), conflict.path, kind, places, rest)
        }));
        lines.extend(
            change.merged.iter().map(|path| visible!("{} {}", style.warning("merged"), path)),
        );
        lines.extend(deleted(&change.deleted, style));
        lines.extend(self.sides.added.iter().map(|(key, value)| {
            visible!("{} {} = {}", style.warning("new answer"), key, or_empty(value))
        }));
        lines.extend(self.sides.changed().into_iter().map(|(key, before, after)| {
            let (before, after) = (or_empty(before), or_empty(after));
            visible!("{} {}: {} -> {}", style.warning("answer"), key, before, after)
        }));
        lines.extend(differing(&change.differs, change.same));
        lines.extend(self.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)));
        lines
    }
}

/// The answer of an upgrade that has nothing to do, as [`UpgradeReport::outcome`] gives it.
pub fn settled(
    args: &UpgradeRequest,
    run: &Run,
    (project, record): (&Project, &Record),
    settled: &SettledProject,
    notes: Vec<String>,
) -> Outcome {
    let (plan, style) = (Plan::default(), run.style);
    let section = record.template.as_ref();
    let name = section.map_or("", |section| section.name.as_str());
    let version = section.map_or("", |section| section.version.as_str());
    let mut lines = vec![visible!(
        "{} already at {} {} ({})",
        style.good("unchanged"),
        name,
        version,
        changes::summary(&plan)
    )];
    if args.write.diff {
        lines.push(changes::diffs(&plan, style));
    }
    lines.extend(deleted(&settled.deleted, style));
    lines.extend(differing(&settled.differs, settled.same));
    lines.extend(notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)));
    let facts = UpgradeFacts {
        template: name.to_owned(),
        previous_version: version.to_owned(),
        version: version.to_owned(),
        spec_tag: project.pin.good().map(ToString::to_string),
        conflicts: Vec::new(),
        merged: Vec::new(),
        deleted: names(&settled.deleted),
        differs: names(&settled.differs),
        same: settled.same,
        restored: Vec::new(),
        healed: Vec::new(),
        new_answers: Vec::new(),
        changed_answers: Vec::new(),
        api_changes: Vec::new(),
        notes,
    };
    let data = UpgradeAnswer::Upgraded(Box::new(UpgradedProject {
        status: "unchanged",
        facts,
        changes: Vec::new(),
        next: Vec::new(),
    }));
    Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(&plan))
}

fn deleted(paths: &[RelativePath], style: Style) -> impl Iterator<Item = Visible> {
    paths.iter().map(move |path| {
        let word = style.faint("deleted");
        visible!("{} {} stays deleted; `--restore {}` restores it", word, path, path)
    })
}

fn differing(paths: &[RelativePath], same: usize) -> Option<Visible> {
    (!paths.is_empty()).then(|| {
        visible!(
            "{} of {} files differ from the template: {}; `--heal FILE` restores the template's",
            paths.len(),
            paths.len() + same,
            names(paths).join(", ")
        )
    })
}

fn names(paths: &[RelativePath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

fn conflict(conflict: &Conflict) -> MergeConflict {
    let digest =
        |content: &Option<Content>| content.as_ref().map(|content| content.digest().to_string());
    MergeConflict {
        path: conflict.path.to_string(),
        kind: conflict.kind.name(),
        file: conflict.open.to_string(),
        places: conflict.places,
        moved_to: conflict.moved_to.as_ref().map(ToString::to_string),
        base: digest(&conflict.base),
        ours: digest(&conflict.ours),
        theirs: digest(&conflict.theirs),
    }
}
