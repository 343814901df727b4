//! The answer of `aos compare`: what a connector loses and gains, as JSON and as a table.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::surface::{SurfaceDifference, SurfaceEffect};
use crate::visible::{Visible, or_empty, visible};

use super::Style;

/// Most differences that an answer lists by default, and with `--all`; the counts are always whole.
const MOST: [usize; 2] = [24, 1_000];

/// Everything that differs between two connectors.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Comparison {
    pub old: String,
    pub new: String,
    pub lost: usize,
    pub changed: usize,
    pub gained: usize,
    /// Losses first.
    pub differences: Vec<SurfaceDifference>,
    /// The number of differences that are not listed.
    pub omitted: usize,
}

impl Comparison {
    #[must_use]
    pub fn new(
        old: String,
        new: String,
        mut differences: Vec<SurfaceDifference>,
        is_whole: bool,
    ) -> Self {
        let count =
            |effect| differences.iter().filter(|difference| difference.effect == effect).count();
        let (lost, changed, gained) = (
            count(SurfaceEffect::Lost),
            count(SurfaceEffect::Changed),
            count(SurfaceEffect::Gained),
        );
        let most = MOST[usize::from(is_whole)];
        let omitted = differences.len().saturating_sub(most);
        differences.truncate(most);
        Self { old, new, lost, changed, gained, differences, omitted }
    }

    /// One line that says how much.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} lost, {} changed, {} gained", self.lost, self.changed, self.gained)
    }

    /// The table for people.
    #[must_use]
    pub fn text(&self, style: Style) -> Visible {
        let mut lines = vec![visible!("{}", style.strong(self.summary()))];
        let width = self.differences.iter().map(|one| one.name.chars().count()).max();
        let width = width.unwrap_or_default().min(48);
        for one in &self.differences {
            let name = format!("{:width$}", one.name);
            let effect = match one.effect {
                SurfaceEffect::Lost => style.bad("lost   "),
                SurfaceEffect::Changed => style.warning("changed"),
                SurfaceEffect::Gained => style.good("gained "),
            };
            let kind = format!("{:8}", one.kind);
            let (old, new) = (or_empty(&one.old), or_empty(&one.new));
            lines.push(visible!("{} {} {}  {} -> {}", effect, kind, name, old, new));
        }
        if self.omitted > 0 {
            let is_whole = self.differences.len() >= MOST[1];
            let hint = if is_whole { "" } else { "; `--all` lists them" };
            lines.push(visible!("and {} more{}", self.omitted, hint));
        }
        Visible::joined(lines, "\n")
    }
}
