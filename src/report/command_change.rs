//! What `aos add`, `aos rename` and `aos remove` did to a project, as data and as text.

use serde::Serialize;
use serde_json::Value;

use crate::plan::Plan;
use crate::visible::{Visible, visible};

use super::changes;
use super::envelope::Outcome;
use super::style::Style;

/// A change of the commands or codes of a project.
#[derive(Clone, Debug, Serialize)]
pub struct CommandChange {
    pub status: &'static str,
    /// The command or the code.
    pub subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// The request of a first proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The former name, which still works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// What is gone afterwards.
    pub lost: Vec<String>,
    /// Places that a person has to look at.
    pub by_hand: Vec<String>,
    pub notes: Vec<String>,
}

impl CommandChange {
    /// The answer of a change that was made.
    #[must_use]
    pub fn outcome(&self, plan: &Plan, with_diffs: bool, next: &[String], style: Style) -> Outcome {
        let mut lines = vec![visible!(
            "{} {} ({})",
            style.good(self.status),
            self.subject,
            changes::summary(plan)
        )];
        lines.push(changes::text(plan, style));
        if with_diffs {
            lines.push(changes::diffs(plan, style));
        }
        lines.extend(self.lines(style));
        lines.extend(next.iter().map(|next| visible!("next: {}", style.accent(next))));
        let mut data = self.members();
        if let Value::Object(members) = &mut data {
            members.insert("changes".to_owned(), changes::json(plan, with_diffs));
            members.insert("next".to_owned(), next.into());
        }
        Outcome::new(data, Visible::joined(lines, "\n")).raw(changes::patch(plan))
    }

    /// The preview of the gate with what is known about the change.
    #[must_use]
    pub fn preview(&self, mut outcome: Outcome, style: Style) -> Outcome {
        if let (Value::Object(members), Value::Object(own)) = (&mut outcome.data, self.members()) {
            members.extend(own.into_iter().filter(|(name, _)| name != "status"));
        }
        let lines = std::iter::once(outcome.text).chain(self.lines(style));
        outcome.text = Visible::joined(lines, "\n");
        outcome
    }

    /// The members, for a refusal of the gate.
    #[must_use]
    pub fn members(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    #[must_use]
    pub fn lines(&self, style: Style) -> Vec<Visible> {
        let lost = self.lost.iter().map(|lost| visible!("{} {}", style.bad("lost:"), lost));
        let by_hand =
            self.by_hand.iter().map(|place| visible!("{} {}", style.warning("by hand:"), place));
        let notes = self.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note));
        lost.chain(by_hand).chain(notes).collect()
    }
}
