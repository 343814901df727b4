//! The answer of `aos migrate`, as data and as text.

use crate::plan::Plan;
use crate::visible::{Visible, visible};

use super::answers::migrate::{
    MigrateAnswer, MigratedProject, MigrationFacts, RewriteProof, RewriteReport,
};
use super::changes;
use super::envelope::Outcome;
use super::style::Style;

/// Most places of one rewrite in a text.
const MAX_PLACES: usize = 8;

/// A migration that was worked out.
#[derive(Clone, Debug)]
pub struct MigrationReport {
    pub facts: MigrationFacts,
}

impl MigrationReport {
    /// The rewrites that change something.
    pub fn done(&self) -> impl Iterator<Item = &'static str> {
        self.facts.rewrites.iter().filter(|entry| entry.status == "rewritten").map(|entry| entry.id)
    }

    /// The answer of a migration that was made.
    #[must_use]
    pub fn outcome(&self, plan: &Plan, with_diffs: bool, style: Style) -> Outcome {
        let status = if plan.is_empty() { "unchanged" } else { "migrated" };
        let mut lines = vec![visible!(
            "{} {} {} ({})",
            style.good(status),
            self.facts.family,
            self.facts.tag,
            changes::summary(plan)
        )];
        if !plan.is_empty() {
            lines.push(changes::text(plan, style));
        }
        if with_diffs {
            lines.push(changes::diffs(plan, style));
        }
        lines.extend(self.lines(style));
        let next = self.next();
        lines.extend(next.iter().map(|next| visible!("next: {}", style.accent(next))));
        let answer = MigrateAnswer::Migrated(Box::new(MigratedProject {
            status,
            facts: self.facts.clone(),
            changes: changes::listed(plan, with_diffs),
            next,
        }));
        Outcome::new(answer, Visible::joined(lines, "\n")).raw(changes::patch(plan))
    }

    fn next(&self) -> Vec<String> {
        let check = match &self.facts.baseline {
            Some(_) => "aos check --recursive . --baseline compare",
            None => "aos check",
        };
        vec!["run the tests of the project".to_owned(), check.to_owned()]
    }

    /// Returns the lines of the preview that are not about changes.
    #[must_use]
    pub fn lines(&self, style: Style) -> Vec<Visible> {
        let mut lines = Vec::new();
        if let Some(baseline) = &self.facts.baseline {
            lines.push(visible!(
                "baseline: {} known findings in {}",
                baseline.findings,
                baseline.path.as_str()
            ));
        }
        for entry in &self.facts.rewrites {
            lines.extend(rewrite(entry, style));
        }
        let notes = self.facts.notes.iter();
        lines.extend(notes.map(|note| visible!("{} {}", style.warning("note:"), note)));
        lines
    }
}

fn rewrite(entry: &RewriteReport, style: Style) -> Vec<Visible> {
    let status = match entry.status {
        "rewritten" => style.good(entry.status),
        "untouched" | "refused" => style.warning(entry.status),
        "nothing" => visible!("nothing to rewrite:"),
        other => visible!("{}", other),
    };
    let mut lines = vec![visible!("{} {} ({})", status, entry.id, entry.summary)];
    lines.extend(entry.proof.as_ref().map(|proof| visible!("  proof: {}", proved(proof))));
    for place in entry.untouched.iter().take(MAX_PLACES) {
        let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        lines.push(visible!("  not changed: {}{}: {}", place.path, line, place.reason));
    }
    let more = entry.untouched.len().saturating_sub(MAX_PLACES);
    if more > 0 {
        lines.push(visible!("  and {} more places", more));
    }
    lines
}

fn proved(proof: &RewriteProof) -> String {
    match (&proof.before, &proof.after) {
        (Some(before), Some(after)) => {
            let mut text = format!("{} probes passed before, {} after", before.pass, after.pass);
            if !proof.broken.is_empty() {
                text.push_str(&format!("; broken: {}", proof.broken.join(", ")));
            }
            text
        }
        _ => format!("none: {}", proof.reason.as_deref().unwrap_or("the tool was not run")),
    }
}
