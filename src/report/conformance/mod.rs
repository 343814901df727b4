//! What `aos conform` found, as data and as text.

pub mod junit;
pub mod sarif;

use serde_json::{Value, json};

use crate::conform::runner::{Result, Verdicts};
use crate::conform::waivers::Fault;
use crate::conform::{Evidence, Session, Verdict};

use super::style::Style;

/// The whole result of a run.
#[derive(Clone, Debug)]
pub struct Conformance {
    pub tool: String,
    pub family: &'static str,
    pub tag: String,
    pub program: String,
    pub found: String,
    /// Why the network was not cut off; `None` when it was.
    pub open_network: Option<String>,
    pub verdicts: Verdicts,
    pub waiver_faults: Vec<Fault>,
    pub notes: Vec<String>,
    /// Only some probes were asked for.
    pub is_partial: bool,
    pub calls: usize,
    pub tool_ms: u64,
    pub startup_ms: Option<u64>,
}

impl Conformance {
    #[must_use]
    pub fn new(
        session: &Session,
        verdicts: Verdicts,
        waiver_faults: Vec<Fault>,
        notes: Vec<String>,
        is_partial: bool,
    ) -> Self {
        let (calls, tool_ms) = session.spent();
        Self {
            tool: session.target.tool.clone(),
            family: session.family().name(),
            tag: session.target.tag.to_string(),
            program: session.target.program.display().to_string(),
            found: session.target.found.clone(),
            open_network: session.isolation.clone().err(),
            verdicts,
            waiver_faults,
            notes,
            is_partial,
            calls,
            tool_ms,
            startup_ms: session.startup_ms(),
        }
    }

    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.results().filter(|result| result.finding.verdict == verdict).count()
    }

    fn results(&self) -> impl Iterator<Item = &Result> {
        self.verdicts.results.iter()
    }

    /// Nothing failed, nothing that had to run was blocked, something ran, and every waiver counts.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.count(Verdict::Fail) == 0
            && self.count(Verdict::Blocked) == 0
            && self.count(Verdict::Pass) + self.count(Verdict::Waived) > 0
            && self.waiver_faults.is_empty()
    }

    /// What keeps the tool from conforming, in one sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let (failed, blocked) = (self.count(Verdict::Fail), self.count(Verdict::Blocked));
        let total = self.verdicts.results.len();
        let mut parts = Vec::new();
        if failed > 0 {
            parts.push(format!("{failed} of {total} probes failed"));
        }
        if blocked > 0 {
            parts.push(format!("{blocked} could not be carried out"));
        }
        if !self.waiver_faults.is_empty() {
            parts.push(format!("{} waivers do not count", self.waiver_faults.len()));
        }
        if parts.is_empty() {
            parts.push("no probe applies to it".to_owned());
        }
        format!(
            "`{}` does not conform to {} {}: {}",
            self.tool,
            self.family,
            self.tag,
            parts.join(", ")
        )
    }

    /// The fix of the first failure.
    #[must_use]
    pub fn next_step(&self) -> String {
        let of = |verdict| self.results().find(move |result| result.finding.verdict == verdict);
        if let Some(failed) = of(Verdict::Fail) {
            return format!(
                "{}; then `--probe {}` looks at this one again",
                failed.probe.fix, failed.probe.id
            );
        }
        if let Some(fault) = self.waiver_faults.first() {
            return format!("mend or delete the waiver of `{}` in aos.toml", fault.probe);
        }
        "give the blocked probes what they need; each says what it lacks".to_owned()
    }
}

/// The result as data.
#[must_use]
pub fn json(conformance: &Conformance) -> Value {
    let counts = |verdict| conformance.count(verdict);
    let startup = conformance.startup_ms;
    json!({
        "summary": {
            "ok": conformance.is_ok(),
            "probes": conformance.verdicts.results.len(),
            "pass": counts(Verdict::Pass),
            "fail": counts(Verdict::Fail),
            "not_applicable": counts(Verdict::NotApplicable),
            "blocked": counts(Verdict::Blocked),
            "waived": counts(Verdict::Waived),
            "partial": conformance.is_partial,
            "duration_ms": conformance.verdicts.duration_ms,
            "calls": conformance.calls,
            "tool_ms": conformance.tool_ms,
            "startup_ms": startup,
        },
        "tool": {
            "name": conformance.tool,
            "family": conformance.family,
            "tag": conformance.tag,
            "program": conformance.program,
            "found": conformance.found,
        },
        "network": {
            "cut_off": conformance.open_network.is_none(),
            "reason": conformance.open_network,
        },
        "results": conformance.results().map(result).collect::<Vec<_>>(),
        "waiver_faults": conformance.waiver_faults.iter().map(|fault| {
            json!({"probe": fault.probe, "message": fault.message})
        }).collect::<Vec<_>>(),
        "orphans": conformance.verdicts.orphans,
        "notes": conformance.notes,
    })
}

fn result(result: &Result) -> Value {
    let mut object = json!({
        "probe": result.probe.id,
        "verdict": result.finding.verdict.name(),
        "section": result.probe.section,
        "title": result.probe.title,
        "message": result.finding.message,
        "fix": result.probe.fix,
        "duration_ms": result.duration_ms,
        "evidence": result.finding.evidence.iter().map(evidence).collect::<Vec<_>>(),
    });
    if let Some(waiver) = &result.waiver {
        object["waiver"] = json!({"reason": waiver.reason, "expires": waiver.expires});
    }
    object
}

fn evidence(evidence: &Evidence) -> Value {
    json!({
        "argv": evidence.argv,
        "ending": evidence.ending,
        "exit": evidence.exit,
        "duration_ms": evidence.duration_ms,
        "stdout": evidence.stdout,
        "stderr": evidence.stderr,
        "note": evidence.note,
    })
}

/// The result on one screen: what is wrong first, what holds as a number.
#[must_use]
pub fn text(conformance: &Conformance, style: Style) -> String {
    let mut blocks = vec![format!(
        "{} against {} {}  {}",
        style.strong(&visible(&conformance.tool)),
        conformance.family,
        conformance.tag,
        style.faint(&format!("{} ({})", visible(&conformance.program), conformance.found)),
    )];
    if let Some(why) = &conformance.open_network {
        blocks.push(format!("{} the network was not cut off: {why}", style.warning("note:")));
    }
    blocks
        .extend(conformance.notes.iter().map(|note| format!("{} {note}", style.warning("note:"))));
    for result in conformance.results() {
        blocks.extend(result_text(result, style));
    }
    for fault in &conformance.waiver_faults {
        blocks.push(format!("{} waiver of {}: {}", style.bad("error"), fault.probe, fault.message));
    }
    blocks.push(summary(conformance, style));
    blocks.join("\n")
}

/// One line that steers no terminal: controls and marks that turn the direction of text are escaped.
fn visible(text: &str) -> String {
    let steers = |symbol: char| {
        symbol.is_control() || matches!(symbol, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let shown = |symbol: char| -> String {
        if steers(symbol) { symbol.escape_default().collect() } else { symbol.into() }
    };
    text.chars().map(shown).collect()
}

fn result_text(result: &Result, style: Style) -> Option<String> {
    let label = match result.finding.verdict {
        Verdict::Pass | Verdict::NotApplicable => return None,
        Verdict::Fail => style.bad("fail   "),
        Verdict::Blocked => style.warning("blocked"),
        Verdict::Waived => style.faint("waived "),
    };
    let message = &result.finding.message;
    let mut text =
        format!("{label} {} {}\n  {message}", result.probe.id, style.faint(result.probe.section));
    if let Some(waiver) = &result.waiver {
        let until =
            waiver.expires.as_ref().map(|day| format!(" (until {day})")).unwrap_or_default();
        text.push_str(&format!("\n  accepted: {}{until}", visible(&waiver.reason)));
        return Some(text);
    }
    if let Some(evidence) = result.finding.evidence.first() {
        let line = format!("{} ({})", evidence.argv.join(" "), evidence.ending);
        text.push_str(&format!("\n  {} {line}", style.faint("$")));
    }
    if result.finding.verdict == Verdict::Fail {
        text.push_str(&format!("\n  {} {}", style.accent("fix:"), result.probe.fix));
    }
    Some(text)
}

fn summary(conformance: &Conformance, style: Style) -> String {
    let verdict = if conformance.is_ok() { style.good("OK") } else { style.bad("FAILED") };
    let counts: Vec<_> = [
        (Verdict::Pass, "passed"),
        (Verdict::Fail, "failed"),
        (Verdict::Blocked, "blocked"),
        (Verdict::Waived, "waived"),
        (Verdict::NotApplicable, "not applicable"),
    ]
    .into_iter()
    .filter(|(verdict, _)| conformance.count(*verdict) > 0)
    .map(|(verdict, word)| format!("{} {word}", conformance.count(verdict)))
    .collect();
    let startup = match conformance.startup_ms {
        Some(startup) => format!(", {startup} ms to start it"),
        None => String::new(),
    };
    let partial = if conformance.is_partial { "; only some probes were asked for" } else { "" };
    format!(
        "{verdict} {} of {} probes in {:.1} s ({} calls{startup}){partial}",
        counts.join(", "),
        conformance.verdicts.results.len(),
        conformance.verdicts.duration_ms as f64 / 1000.0,
        conformance.calls,
    )
}
