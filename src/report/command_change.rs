//! The answers of `aos add`, `aos rename` and `aos remove`, as data and as text.

use crate::plan::Plan;
use crate::visible::{Visible, visible};

use super::answers::command_change::{ChangedCommand, CommandChangeAnswer, CommandFacts};
use super::changes;
use super::envelope::Outcome;
use super::style::Style;

/// A change of the commands or codes of a project.
#[derive(Clone, Debug)]
pub struct CommandChange {
    pub status: &'static str,
    pub facts: CommandFacts,
}

impl CommandChange {
    /// The answer of a change that was made.
    #[must_use]
    pub fn outcome(&self, plan: &Plan, with_diffs: bool, next: &[String], style: Style) -> Outcome {
        let subject = match &self.facts.alias {
            Some(former) => visible!("{} to {}", former, self.facts.subject),
            None => visible!("{}", self.facts.subject),
        };
        let (status, summary) = (style.good(self.status), changes::summary(plan));
        let mut lines = vec![visible!("{} {} ({})", status, subject, summary)];
        lines.push(changes::text(plan, style));
        if with_diffs {
            lines.push(changes::diffs(plan, style));
        }
        lines.extend(self.lines(style));
        lines.extend(next.iter().map(|next| visible!("next: {}", style.accent(next))));
        let answer = CommandChangeAnswer::Changed(Box::new(ChangedCommand {
            status: self.status,
            facts: self.facts.clone(),
            changes: changes::listed(plan, with_diffs),
            next: next.to_vec(),
        }));
        Outcome::new(answer, Visible::joined(lines, "\n")).raw(changes::patch(plan))
    }

    /// Returns the lines of the preview that are not about changes.
    #[must_use]
    pub fn lines(&self, style: Style) -> Vec<Visible> {
        let facts = &self.facts;
        let lost = facts.lost.iter().map(|lost| visible!("{} {}", style.bad("lost:"), lost));
        let edited = facts.edited.iter().map(|part| {
            visible!("{} {}:{} since `aos add`", style.bad("edited:"), part.path, part.line)
        });
        let by_hand =
            facts.by_hand.iter().map(|place| visible!("{} {}", style.warning("by hand:"), place));
        let notes = facts.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note));
        lost.chain(edited).chain(by_hand).chain(notes).collect()
    }
}
