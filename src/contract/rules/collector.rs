//! Gathers findings: gives them lines, bounds how many one rule may report, sorts them.
//!
//! No rule lives here.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::super::findings::Finding;
use super::super::suggestion::nearest;
use super::rule::Rule;
use crate::visible::is_invisible;

/// Findings of one rule in one project; what is above is only counted.
const MAX_PER_RULE: usize = 200;
/// Longest piece of foreign text that a message repeats, in characters.
const MAX_SHOWN: usize = 60;

/// A file of the project whose positions can be turned into lines.
#[derive(Debug)]
pub struct SourceText<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
    /// Offset of every line break, found when the first line is asked for.
    breaks: OnceCell<Vec<usize>>,
}

impl<'a> SourceText<'a> {
    pub fn new(path: &'a str, bytes: &'a [u8]) -> Self {
        Self { path, bytes, breaks: OnceCell::new() }
    }

    fn line(&self, at: usize) -> u32 {
        let breaks = self.breaks.get_or_init(|| {
            let breaks = self.bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            breaks.map(|(at, _)| at).collect()
        });
        u32::try_from(breaks.partition_point(|end| *end < at) + 1).unwrap_or(u32::MAX)
    }
}

#[derive(Default)]
pub struct Collector {
    findings: Vec<Finding>,
    counts: BTreeMap<&'static str, (usize, Rule)>,
}

impl fmt::Debug for Collector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(&self.findings).finish()
    }
}

impl Collector {
    /// True if nothing was found yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// A finding at a byte of a file.
    pub fn at(&mut self, rule: &Rule, source: &SourceText<'_>, at: usize, message: String) {
        self.with_fix(rule, source, at, message, rule.fix);
    }

    /// A finding that is fixed in another way than others of its rule.
    pub fn with_fix(
        &mut self,
        rule: &Rule,
        source: &SourceText<'_>,
        at: usize,
        message: String,
        fix: impl Into<String>,
    ) {
        if self.counted(rule) {
            let mut finding = rule.finding(source.path, message);
            finding.line = Some(source.line(at));
            finding.fix = fix.into();
            self.findings.push(finding);
        }
    }

    /// A finding about a file as a whole, or about the project (`.`).
    pub fn whole(&mut self, rule: &Rule, path: &str, message: String) {
        if self.counted(rule) {
            self.findings.push(rule.finding(path, message));
        }
    }

    /// Returns ", did you mean `x`?" if a known name is close enough, and nothing once the rule has reported enough.
    pub fn meant<'a>(
        &self,
        rule: &Rule,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> String {
        if self.counts.get(rule.id).is_some_and(|(count, _)| *count >= MAX_PER_RULE) {
            return String::new();
        }
        let candidates = known.into_iter().filter(|candidate| candidate.len() <= 80).take(400);
        let near = nearest(name, candidates);
        near.map_or_else(String::new, |near| format!(", did you mean {}?", shown(near)))
    }

    fn counted(&mut self, rule: &Rule) -> bool {
        let (count, _) = self.counts.entry(rule.id).or_insert((0, *rule));
        *count += 1;
        *count <= MAX_PER_RULE
    }

    /// Everything found, in order; a project without a record is told how to get one first.
    pub fn into_findings(self, has_record: bool) -> Vec<Finding> {
        let mut findings = self.findings;
        for finding in findings.iter_mut().filter(|_| !has_record) {
            finding.fix = finding.fix.replace("`aos gen`", "`aos sync-spec`, then `aos gen`");
        }
        findings.sort();
        findings.dedup();
        for (count, rule) in self.counts.into_values() {
            if count > MAX_PER_RULE {
                let more = count - MAX_PER_RULE;
                findings
                    .push(rule.finding(".", format!("… and {more} more findings of this rule")));
            }
        }
        findings.sort();
        findings
    }
}

/// Foreign text made fit for a message: one line, short, in backticks. Costs nothing until it is written.
#[must_use]
pub fn shown(text: &str) -> QuotedText<'_> {
    QuotedText(text)
}

/// Foreign text that a message shows.
#[derive(Clone, Copy, Debug)]
pub struct QuotedText<'a>(&'a str);

impl fmt::Display for QuotedText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_char('`')?;
        let mut letters = self.0.chars();
        for letter in letters.by_ref().take(MAX_SHOWN) {
            let hidden = letter == '`' || is_invisible(letter);
            formatter.write_char(if hidden { '?' } else { letter })?;
        }
        formatter.write_str(if letters.next().is_some() { "…`" } else { "`" })
    }
}

/// Names in backticks, at most five of them.
#[must_use]
pub fn shown_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut text: Vec<String> =
        names.by_ref().take(5).map(|name| shown(name).to_string()).collect();
    let rest = names.count();
    if rest > 0 {
        text.push(format!("{rest} more"));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_above_the_bound_are_counted_in_one_last_finding() {
        let rule = Rule { id: "layout/many", ..Rule::warning(&[]) };
        let mut found = Collector::default();
        for index in 0..MAX_PER_RULE + 7 {
            found.whole(&rule, "a", format!("finding {index}"));
        }
        let findings = found.into_findings(true);
        assert_eq!(findings.len(), MAX_PER_RULE + 1);
        assert_eq!(findings[0].message, "… and 7 more findings of this rule");
    }

    #[test]
    fn foreign_text_is_cut_and_kept_on_one_line() {
        assert_eq!(shown("a`b\n").to_string(), "`a?b?`");
        assert!(shown(&"é".repeat(10_000)).to_string().len() < 200);
        let (found, rule) =
            (Collector::default(), Rule { id: "layout/many", ..Rule::warning(&[]) });
        let meant = |name| found.meant(&rule, name, ["issue.list", "repo.get"]);
        assert_eq!(meant("isue.list"), ", did you mean `issue.list`?");
        assert_eq!(meant("zebra"), "");
    }

    #[test]
    fn a_line_is_counted_from_one() {
        let source = SourceText::new("a", b"x\ny\n\nz");
        assert_eq!([0, 1, 2, 4, 5, 99].map(|at| source.line(at)), [1, 1, 2, 3, 4, 4]);
    }
}
