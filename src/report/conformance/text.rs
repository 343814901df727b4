//! The result on one screen: failures with what proves them, then what could not be found out, then one line.

use crate::conform::ProbeVerdict;
use crate::conform::containment::{ContainedPart, RunContainment};
use crate::conform::probe::CALLS;
use crate::conform::runner::ProbeResult;
use crate::report::style::Style;
use crate::visible::{Visible, visible};

use super::proof::{proof, telling};
use super::{Conformance, shell};

/// Characters of a line before it is cut.
const WIDTH: usize = 100;
/// Failures that are shown with everything; the others get a line each.
const MAX_DETAILED: usize = 8;
/// Most reasons for blocked probes, and most waivers, that are shown.
const MAX_GROUPS: usize = 12;
/// Lines that the ids of one reason may take.
const MAX_ID_LINES: usize = 3;
/// Longest message of a failure that is shown with everything.
const MAX_MESSAGE: usize = 300;

/// The result as text.
#[must_use]
pub fn render(conformance: &Conformance, style: Style) -> Visible {
    let note = style.warning("note:");
    let mut lines = Vec::new();
    if !conformance.containment.protects_files() {
        lines.push(visible!(
            "{} the tool ran with your rights, so it could read and change your files; test only trusted tools in this way",
            style.bad("warning:")
        ));
    }
    lines.push(visible!(
        "{} against {} {}  {}",
        style.strong(&conformance.tool),
        conformance.family,
        conformance.tag,
        style.faint(visible!("{} ({})", conformance.program, conformance.found)),
    ));
    lines.extend(containment(&conformance.containment, style));
    if let Some(why) = &conformance.open_network {
        lines.push(visible!("{} the network was not isolated: {}", note, why));
    }
    lines.extend(conformance.notes.iter().map(|text| visible!("{} {}", note, text)));
    let of = |verdict| -> Vec<&ProbeResult> {
        conformance.results().filter(|result| result.finding.verdict() == verdict).collect()
    };
    passed(&of(ProbeVerdict::Pass), style, &mut lines);
    failures(&of(ProbeVerdict::Fail), style, &mut lines);
    blocked(&of(ProbeVerdict::Blocked), style, &mut lines);
    waived(&of(ProbeVerdict::Waived), style, &mut lines);
    advised(&of(ProbeVerdict::Advised), style, &mut lines);
    for notice in &conformance.waiver_notes {
        lines.push(visible!("{} waiver of {}: {}", note, notice.probe, notice.message));
    }
    for fault in &conformance.waiver_faults {
        let label = style.bad("error");
        lines.push(visible!("{}   waiver of {}: {}", label, fault.probe, fault.message));
    }
    lines.extend(orphans(&conformance.verdicts.orphans).map(|text| visible!("{} {}", note, text)));
    for fault in &conformance.report_faults {
        lines.push(visible!("{}   {}", style.bad("error"), fault));
    }
    lines.push(calls(conformance, style));
    lines.push(verdict(conformance, style));
    Visible::joined(lines, "\n")
}

/// Renders the limits on the tool and the missing ones in one line; if files were not contained, with each reason once
/// and a line for each missing limit.
fn containment(containment: &RunContainment, style: Style) -> Vec<Visible> {
    let held = containment.parts.iter().filter(|part| part.reason.is_none());
    let held: Vec<&str> = held.map(|part| part.part).collect();
    let open: Vec<_> = containment.parts.iter().filter(|part| part.reason.is_some()).collect();
    if containment.parts.is_empty() {
        return Vec::new();
    }
    let label = style.faint("contained:");
    if containment.protects_files() {
        let effects: Vec<String> =
            open.iter().map(|part| format!("{} ({})", part.part, part.otherwise)).collect();
        let open = if effects.is_empty() {
            String::new()
        } else {
            format!("; not: {}", effects.join(", "))
        };
        return vec![visible!("{} {}{}", label, held.join(", "), Visible::line(&open))];
    }
    let mut lines = vec![visible!("{} {}", label, held.join(", "))];
    // Several parts often have one reason.
    let mut reasons: Vec<(&str, Vec<&ContainedPart>)> = Vec::new();
    for part in open {
        let reason = part.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, parts)) => parts.push(part),
            None => reasons.push((reason, vec![part])),
        }
    }
    for (reason, parts) in reasons {
        lines.push(visible!("{} {}", style.warning("not contained:"), Visible::line(reason)));
        lines.extend(parts.iter().map(|part| visible!("  {}: {}", part.part, part.otherwise)));
    }
    lines
}

/// Probes that passed, each with the number of its targets. They come first: what is wrong is nearest to the prompt.
fn passed(passed: &[&ProbeResult], style: Style, lines: &mut Vec<Visible>) {
    if passed.is_empty() {
        return;
    }
    let shown = |result: &&ProbeResult| {
        let name = result.probe.id.split_once('.').map_or(result.probe.id, |(_, name)| name);
        let (targets, unit) = (result.finding.targets(), result.finding.unit());
        let unit = if unit == CALLS { String::new() } else { format!(" {unit}") };
        format!("{name} {targets}{unit}")
    };
    let shown: Vec<String> = passed.iter().map(shown).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    lines.push(visible!(
        "{} {}, each with the calls that it judged:",
        style.good("passed"),
        passed.len()
    ));
    let wrapped = wrapped_within(&shown, usize::MAX);
    lines.extend(wrapped.into_iter().map(|line| visible!("  {}", style.faint(line))));
    for result in passed.iter().filter(|result| !result.finding.message.is_empty()) {
        let message = Visible::line(&result.finding.message).cut(MAX_MESSAGE);
        lines.push(visible!("{} {}: {}", style.warning("note:"), result.probe.id, message));
    }
}

/// The targets of a probe, as a failure shows them.
fn targets(result: &ProbeResult) -> String {
    format!("{} {}", result.finding.targets(), result.finding.unit())
}

fn failures(failed: &[&ProbeResult], style: Style, lines: &mut Vec<Visible>) {
    let label = style.bad("fail   ");
    for result in failed.iter().take(MAX_DETAILED) {
        let about = style.faint(format!("{}, {}", result.probe.section, targets(result)));
        lines.push(visible!("{} {} {}", label, result.probe.id, about));
        lines.push(visible!("  {}", Visible::line(&result.finding.message).cut(MAX_MESSAGE)));
        if let Some(evidence) = telling(&result.finding.evidence) {
            let call = Visible::line(&shell::line(&evidence.argv)).cut(WIDTH);
            lines.push(visible!("  {} {} ({})", style.faint("$"), call, evidence.ending));
            let proof = proof(evidence, &result.finding.message);
            lines.extend(proof.into_iter().map(|line| visible!("  {}", style.faint(line))));
        }
        lines.push(visible!("  {} {}", style.accent("fix:"), result.probe.fix));
    }
    for result in failed.iter().skip(MAX_DETAILED) {
        let line = visible!("{}: {}", result.probe.id, result.finding.message);
        lines.push(visible!("{} {}", label, line.cut(WIDTH - 8)));
    }
}

/// Blocked probes by their reason: one line says why and how many, the next ones which; one probe alone takes
/// one line.
fn blocked(blocked: &[&ProbeResult], style: Style, lines: &mut Vec<Visible>) {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for result in blocked {
        let reason = result.finding.message.as_str();
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, ids)) => ids.push(result.probe.id),
            None => groups.push((reason, vec![result.probe.id])),
        }
    }
    let label = style.warning("blocked");
    for (reason, ids) in groups.iter().take(MAX_GROUPS) {
        let reason = Visible::line(reason).cut(MAX_MESSAGE);
        if let [id] = ids.as_slice() {
            lines.push(visible!("{} {}: {}", label, id, reason));
            continue;
        }
        lines.push(visible!("{} {}: {}", label, ids.len(), reason));
        lines.extend(wrapped(ids).into_iter().map(|line| visible!("  {}", style.faint(line))));
    }
    let rest: usize = groups.iter().skip(MAX_GROUPS).map(|(_, ids)| ids.len()).sum();
    if rest > 0 {
        lines.push(visible!("{} … and {} more for other reasons", label, rest));
    }
}

fn waived(waived: &[&ProbeResult], style: Style, lines: &mut Vec<Visible>) {
    for result in waived.iter().take(MAX_GROUPS) {
        let label = style.faint("waived ");
        let section = style.faint(result.probe.section);
        lines.push(visible!("{} {} {}", label, result.probe.id, section));
        lines.push(visible!("  {}", Visible::line(&result.finding.message).cut(WIDTH)));
        if let Some(waiver) = &result.waiver {
            let until = waiver.expires.as_ref().map(|day| format!(" (until {day})"));
            let reason = Visible::line(&waiver.reason).cut(MAX_MESSAGE);
            lines.push(visible!("  accepted: {}{}", reason, until.unwrap_or_default()));
        }
    }
    if waived.len() > MAX_GROUPS {
        lines.push(visible!("waived  … and {} more", waived.len() - MAX_GROUPS));
    }
}

/// Renders the recommendations of the contract that the tool does not follow: they do not fail the run.
fn advised(advised: &[&ProbeResult], style: Style, lines: &mut Vec<Visible>) {
    for result in advised {
        let label = style.warning("advice ");
        let message = Visible::line(&result.finding.message).cut(MAX_MESSAGE);
        lines.push(visible!("{} {}: {}", label, result.probe.id, message));
        lines.push(visible!("  {} {}", style.accent("fix:"), result.probe.fix));
    }
}

/// Returns the line about processes that left the session of their call.
fn orphans(programs: &[String]) -> Option<String> {
    let (first, rest) = programs.split_first()?;
    let names: Vec<_> = std::iter::once(first).chain(rest.iter().take(7)).cloned().collect();
    let more = programs.len() - names.len();
    let more = if more > 0 { format!(" … and {more} more") } else { String::new() };
    let (it, was) = if rest.is_empty() { ("process", "was") } else { ("processes", "were") };
    Some(format!(
        "{} {it} left the session of the call and {was} killed after the run: {}{more}",
        programs.len(),
        names.join(", ")
    ))
}

/// Renders the number of calls that were judged by the rules for every call, and why others were not.
fn calls(conformance: &Conformance, style: Style) -> Visible {
    let monitored = &conformance.verdicts.monitored;
    if monitored.calls == 0 {
        // A family without such rules: its probes judge their own calls.
        return style.faint(match conformance.calls {
            0 => Visible::literal("no calls were made"),
            1 => Visible::literal("1 call was made, judged by the probe that made it"),
            made => visible!("{} calls were made, each judged by the probe that made it", made),
        });
    }
    let judged = match monitored.calls {
        1 => visible!("{} of 1 call was judged", monitored.judged),
        calls => visible!("{} of {} calls were judged", monitored.judged, calls),
    };
    let reasons = monitored.excluded.iter().map(|(reason, calls)| format!("{calls}: {reason}"));
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    let excluded = if reasons.is_empty() { String::new() } else { format!(" ({reasons})") };
    style.faint(visible!("{}{}", judged, Visible::line(&excluded).cut(MAX_MESSAGE)))
}

fn verdict(conformance: &Conformance, style: Style) -> Visible {
    let verdict = if conformance.is_ok() { style.good("OK") } else { style.bad("FAILED") };
    let counts: Vec<_> = [
        (ProbeVerdict::Pass, "passed"),
        (ProbeVerdict::Fail, "failed"),
        (ProbeVerdict::Blocked, "blocked"),
        (ProbeVerdict::Waived, "waived"),
        (ProbeVerdict::Advised, "advised"),
        (ProbeVerdict::NotApplicable, "not applicable"),
    ]
    .into_iter()
    .filter(|(verdict, _)| conformance.count(*verdict) > 0)
    .map(|(verdict, word)| format!("{} {word}", conformance.count(verdict)))
    .collect();
    let startup = match conformance.startup_ms {
        Some(startup) => format!(", {startup} ms to start the tool"),
        None => String::new(),
    };
    let total = conformance.verdicts.results.len();
    let partial = if conformance.is_partial { "; only some probes were run" } else { "" };
    visible!(
        "{} {} of {} {} with {} targets in {} s ({} {}{}){}",
        verdict,
        counts.join(", "),
        total,
        if total == 1 { "probe" } else { "probes" },
        conformance.targets(),
        format!("{:.1}", conformance.verdicts.duration_ms as f64 / 1000.0),
        conformance.calls,
        if conformance.calls == 1 { "call" } else { "calls" },
        startup,
        partial,
    )
}

/// Ids in lines of the width of a screen, not more than a few.
fn wrapped(ids: &[&str]) -> Vec<String> {
    wrapped_within(ids, MAX_ID_LINES)
}

fn wrapped_within(ids: &[&str], most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for (index, id) in ids.iter().enumerate() {
        if line.len() + id.len() + 4 > WIDTH {
            if lines.len() + 1 == most {
                line.push_str(&format!("… and {} more", ids.len() - index));
                lines.push(line);
                return lines;
            }
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        line.push_str(id);
        if index + 1 < ids.len() {
            line.push_str(", ");
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_several_limits_are_missing_for_is_shown_once() {
        let part = |part, reason: &str| ContainedPart {
            part,
            holds: "",
            otherwise: "it can do more",
            reason: Some(reason.to_owned()).filter(|reason| !reason.is_empty()),
        };
        let parts = [("network", ""), ("files", "old"), ("memory", "old"), ("processes", "none")];
        let parts = parts.map(|(name, reason)| part(name, reason)).to_vec();
        let mut containment = RunContainment::default();
        containment.parts.extend(parts);
        let lines = containment_text(&containment);
        assert_eq!(
            lines,
            "contained: network\nnot contained: old\n  files: it can do more\n  \
             memory: it can do more\nnot contained: none\n  processes: it can do more"
        );
    }

    fn containment_text(of: &RunContainment) -> String {
        Visible::joined(containment(of, Style { color: false }), "\n").into_string()
    }

    #[test]
    fn many_ids_end_with_how_many_more_there_are() {
        let ids = vec!["cli.some-probe-name"; 40];
        let lines = wrapped(&ids);
        assert_eq!(lines.len(), MAX_ID_LINES);
        assert!(lines[2].ends_with("… and 28 more"), "{lines:?}");
        assert_eq!(wrapped(&["cli.a", "cli.b"]), ["cli.a, cli.b"]);
    }
}
