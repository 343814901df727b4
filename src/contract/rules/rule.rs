//! The description of a static rule.

use crate::contract::family::Family;
use crate::contract::findings::{Finding, Severity};

/// A rule as `--explain`, `docs/rules.md` and `reference` show it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable id, `topic/name`.
    pub id: &'static str,
    pub severity: Severity,
    /// Whether a project may accept a finding; never for a rule that guards the comparison itself.
    pub waivable: bool,
    /// Families whose projects it judges; empty means every family.
    pub families: &'static [Family],
    /// The requirement, one line without a full stop.
    pub summary: &'static str,
    /// Why it matters: what breaks in the real world when it does not hold.
    pub why: &'static str,
    /// How to fix a finding.
    pub fix: &'static str,
    /// The section of the spec or the fact it comes from.
    pub source: &'static str,
}

impl Rule {
    /// Returns the defaults of the rules of these families that fail a check; each rule sets the rest itself. No family
    /// means all.
    #[must_use]
    pub const fn error(families: &'static [Family]) -> Self {
        Self {
            id: "",
            severity: Severity::Error,
            waivable: true,
            families,
            summary: "",
            why: "",
            fix: "",
            source: "",
        }
    }

    /// The same for rules that are only worth knowing.
    #[must_use]
    pub const fn warning(families: &'static [Family]) -> Self {
        Self { severity: Severity::Warning, ..Self::error(families) }
    }

    /// A finding of this rule with its severity and usual fix.
    #[must_use]
    pub fn finding(&self, path: &str, message: String) -> Finding {
        Finding {
            path: path.to_owned(),
            line: None,
            rule: self.id,
            severity: self.severity,
            message,
            fix: self.fix.to_owned(),
            diff: None,
        }
    }
}
