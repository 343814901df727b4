//! What `aos upgrade` answers.

use serde_json::{Map, Value, json};

use crate::commands::Run;
use crate::inputs::spec_source::Obtained;
use crate::merge::Conflict;
use crate::plan::{Content, RelativePath};
use crate::report::{ErrorCode, Failure, Outcome, changes};
use crate::visible::{Visible, visible};

use super::UpgradeArgs;
use super::change::Change;
use super::sides::Sides;

/// The facts of one upgrade, for every form of its answer.
pub struct Answer<'a> {
    args: &'a UpgradeArgs,
    run: &'a Run,
    sides: &'a Sides,
    change: &'a Change,
    spec_tag: String,
    notes: Vec<String>,
}

impl<'a> Answer<'a> {
    pub fn new(
        args: &'a UpgradeArgs,
        run: &'a Run,
        sides: &'a Sides,
        change: &'a Change,
        obtained: &Obtained,
        mut notes: Vec<String>,
    ) -> Self {
        notes.extend(obtained.notes.iter().cloned());
        notes.extend(change.kept.iter().map(|path| {
            format!("`{path}` is no longer needed; it was kept, because you changed it")
        }));
        let spec_tag = obtained.release.tag.to_string();
        Self { args, run, sides, change, spec_tag, notes }
    }

    fn status(&self) -> &'static str {
        if self.change.plan.is_empty() {
            "unchanged"
        } else if !self.change.conflicts.is_empty() {
            "conflicted"
        } else if self.sides.previous.version == self.sides.info.version {
            "renewed"
        } else {
            "upgraded"
        }
    }

    /// What every answer says about the change.
    fn facts(&self) -> Map<String, Value> {
        let (sides, change) = (self.sides, self.change);
        let changed: Vec<_> = sides
            .changed()
            .into_iter()
            .map(|(key, before, after)| json!({"key": key, "before": before, "after": after}))
            .collect();
        let added: Vec<_> =
            sides.added.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
        let facts = json!({
            "template": sides.info.name,
            "previous_version": sides.previous.version,
            "version": sides.info.version,
            "spec_tag": self.spec_tag,
            "conflicts": change.conflicts.iter().map(conflict).collect::<Vec<_>>(),
            "merged": names(&change.merged),
            "deleted": names(&change.deleted),
            "differs": names(&change.differs),
            "same": change.same,
            "restored": names(&change.restored),
            "healed": names(&change.healed),
            "new_answers": added,
            "changed_answers": changed,
            "notes": self.notes,
        });
        match facts {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    /// The preview with the facts.
    pub fn preview(&self, mut outcome: Outcome) -> Outcome {
        let lines = Visible::joined(self.lines(), "\n");
        outcome.text.push(&visible!("\n{}", lines));
        if let Value::Object(members) = &mut outcome.data {
            members.extend(self.facts());
        }
        outcome
    }

    /// A refusal of the gate with the facts.
    pub fn explain(&self, mut failure: Failure) -> Failure {
        if failure.code == ErrorCode::ConfirmationRequired {
            failure.details.extend(self.facts());
            if let Some(report) = &mut failure.report {
                report.push(&visible!("\n{}", Visible::joined(self.lines(), "\n")));
            }
        }
        failure
    }

    /// Conflicts, and nothing written: what would be, with the token for it.
    pub fn refused(&self, preview: Outcome) -> Failure {
        let token = preview.data["confirm_token"].as_str().unwrap_or_default().to_owned();
        let mut failure = Failure::new(
            ErrorCode::MergeConflict,
            format!("{}; nothing was written", self.sentence()),
        )
        .hint(format!(
            "look at `conflicts`; `--confirm {token}` writes the change with conflict markers, `--conflicts reject` keeps your lines, and `--heal FILE` takes the template's file"
        ));
        if let Value::Object(members) = preview.data {
            failure.details.extend(members);
        }
        failure.report = Some(preview.text);
        failure.raw = preview.raw;
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
        .detail("status", "conflicted");
        failure.details.extend(self.facts());
        let changes = changes::json(&self.change.plan, self.args.write.diff);
        failure.details.insert("changes".to_owned(), changes);
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
        let mut data = json!({"status": self.status()});
        if let Value::Object(members) = &mut data {
            members.extend(self.facts());
            members.insert("changes".to_owned(), changes::json(plan, self.args.write.diff));
            let next: &[&str] = if plan.is_empty() { &[] } else { &["aos check"] };
            members.insert("next".to_owned(), next.into());
        }
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

    /// What a person should know besides the list of changes.
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
            let kind = conflict.kind.name().replace('_', "/");
            visible!("{} {} ({}{}{})", style.bad("conflict"), conflict.path, kind, places, rest)
        }));
        lines.extend(
            change.merged.iter().map(|path| visible!("{} {}", style.warning("merged"), path)),
        );
        lines.extend(change.deleted.iter().map(|path| {
            visible!(
                "{} {} stays deleted; `--restore {}` restores it",
                style.faint("deleted"),
                path,
                path
            )
        }));
        lines.extend(
            self.sides.added.iter().map(|(key, value)| {
                visible!("{} {} = {}", style.warning("new answer"), key, value)
            }),
        );
        lines.extend(self.sides.changed().into_iter().map(|(key, before, after)| {
            visible!("{} {}: {} -> {}", style.warning("answer"), key, before, after)
        }));
        if !change.differs.is_empty() {
            lines.push(visible!(
                "{} of {} files differ from the template: {}; `--heal FILE` takes the template's",
                change.differs.len(),
                change.differs.len() + change.same,
                names(&change.differs).join(", ")
            ));
        }
        lines.extend(self.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)));
        lines
    }
}

fn names(paths: &[RelativePath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

fn conflict(conflict: &Conflict) -> Value {
    let digest =
        |content: &Option<Content>| content.as_ref().map(|content| content.digest().to_string());
    json!({
        "path": conflict.path.as_str(),
        "kind": conflict.kind.name(),
        "file": conflict.open.as_str(),
        "places": conflict.places,
        "moved_to": conflict.moved_to.as_ref().map(RelativePath::as_str),
        "base": digest(&conflict.base),
        "ours": digest(&conflict.ours),
        "theirs": digest(&conflict.theirs),
    })
}
