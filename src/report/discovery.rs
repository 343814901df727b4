//! The answer of `aos discover`, as data and as text.

use schemars::JsonSchema;
use serde::Serialize;

use crate::visible::{Visible, visible};

use super::style::Style;

/// The tools that a host sees on this machine.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Discovery {
    pub host: &'static str,
    pub summary: Summary,
    /// Tools by state and reason, those that are not ready first.
    pub groups: Vec<Group>,
    /// Every detail, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// Entries that look like a tool but are not one for the host.
    pub passed_over: Vec<PassedOver>,
    pub roots: Vec<Root>,
    pub notes: Vec<String>,
    pub next: Vec<String>,
}

/// The number of tools in each state.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct Summary {
    pub tools: usize,
    pub ready: usize,
    pub needs_setup: usize,
    pub error: usize,
    pub repo_only: usize,
    pub not_probed: usize,
    /// Tools whose state differs from that in the published document.
    pub unlike_document: usize,
    pub with_warnings: usize,
    pub passed_over: usize,
}

/// Tools with one state for one reason.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Group {
    pub state: &'static str,
    /// The state that the published document requires for the same responses.
    pub promised: &'static str,
    pub reason: &'static str,
    pub meaning: &'static str,
    pub fix: &'static str,
    pub count: usize,
    /// The first of them.
    pub tools: Vec<String>,
}

/// One tool.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Tool {
    pub name: String,
    pub label: Option<String>,
    pub state: &'static str,
    pub promised: &'static str,
    pub reason: &'static str,
    /// The tool's own statement about it.
    pub detail: Option<String>,
    pub directory: Option<String>,
    pub program: Option<String>,
    /// The root it was found in, or `PATH`.
    pub source: &'static str,
    pub version: Option<String>,
    pub commands: usize,
    pub missing_keys: Vec<String>,
    /// Steps that make it ready, in order.
    pub steps: Vec<String>,
    pub warnings: Vec<String>,
    pub duration_ms: Option<u64>,
}

/// An entry that the host passes over.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PassedOver {
    pub path: String,
    pub reason: &'static str,
    pub fix: String,
}

/// A directory that the host looks at.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Root {
    pub path: String,
    pub source: &'static str,
    pub exists: bool,
    pub tools: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl Discovery {
    /// The same for a person.
    #[must_use]
    pub fn text(&self, style: Style) -> Visible {
        let mut lines = vec![self.headline(style)];
        for group in &self.groups {
            let state = match group.state {
                "ready" => style.good(group.state),
                "error" => style.bad(group.state),
                _ => style.warning(group.state),
            };
            lines.push(visible!("\n{} ({}): {}", state, group.count, group.meaning));
            if group.promised != group.state {
                lines.push(visible!(
                    "  {} the published document promises {}",
                    style.faint("note:"),
                    group.promised
                ));
            }
            if !group.fix.is_empty() {
                lines.push(visible!("  {} {}", style.accent("fix:"), group.fix));
            }
            let more = group.count - group.tools.len();
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(visible!("  {}{}", group.tools.join(", "), rest));
        }
        for tool in self.tools.iter().flatten() {
            lines.extend(tool.lines(style));
        }
        for entry in &self.passed_over {
            lines.push(visible!(
                "{} {} ({}): {}",
                style.warning("passed over:"),
                entry.path,
                entry.reason,
                entry.fix
            ));
        }
        lines.extend(self.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)));
        lines.extend(self.next.iter().map(|next| visible!("next: {}", style.accent(next))));
        Visible::joined(lines, "\n")
    }

    fn headline(&self, style: Style) -> Visible {
        let Summary { tools, ready, needs_setup, error, repo_only, not_probed, .. } = self.summary;
        let counts = [
            (ready, "ready"),
            (needs_setup, "to set up"),
            (error, "failing"),
            (repo_only, "without a program"),
            (not_probed, "not probed"),
        ];
        let counts: Vec<_> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let counts =
            if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
        let noun = if tools == 1 { "tool" } else { "tools" };
        visible!("{} sees {} {}{}", style.strong(self.host), tools, noun, counts)
    }
}

impl Tool {
    fn lines(&self, style: Style) -> Vec<Visible> {
        let mut lines = vec![visible!("\n{} {}", style.strong(&self.name), self.state)];
        let facts = [
            ("detail", &self.detail),
            ("directory", &self.directory),
            ("program", &self.program),
            ("version", &self.version),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                lines.push(visible!("  {} {}", style.faint(format!("{name}:")), value));
            }
        }
        lines.extend(
            self.warnings
                .iter()
                .map(|warning| visible!("  {} {}", style.warning("warning:"), warning)),
        );
        let steps = self.steps.iter().enumerate();
        lines.extend(steps.map(|(at, step)| visible!("  {}. {}", at + 1, step)));
        lines
    }
}
