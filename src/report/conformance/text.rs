//! The result on one screen: failures with what proves them, then what could not be found out, then one line.

use crate::conform::containment::RunContainment;
use crate::conform::probe::CALLS;
use crate::conform::runner::ProbeResult;
use crate::conform::{CallEvidence, ProbeVerdict};
use crate::report::style::Style;
use crate::visible::{Visible, visible};

use super::{Conformance, shell};

/// Characters of a line before it is cut.
const WIDTH: usize = 100;
/// Failures that are shown with everything; the others get a line each.
const MAX_DETAILED: usize = 8;
/// Most reasons for blocked probes, and most waivers, that are shown.
const MAX_GROUPS: usize = 12;
/// Lines that the ids of one reason may take.
const MAX_ID_LINES: usize = 3;
/// Characters of output that are shown as proof.
const MAX_PROOF: usize = 160;
/// Longest message of a failure that is shown with everything.
const MAX_MESSAGE: usize = 300;

/// The result as text.
#[must_use]
pub fn render(conformance: &Conformance, style: Style) -> Visible {
    let note = style.warning("note:");
    let mut lines = Vec::new();
    if !conformance.containment.protects_files() {
        lines.push(visible!(
            "{} the tool ran with your rights, so it could read and change your files; run tools of strangers on Linux",
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

/// What the tool was kept from and what not, in one line; without an enclosure of files, a line for each part that is open.
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
    lines.extend(open.into_iter().map(|part| {
        let reason = Visible::line(part.reason.as_deref().unwrap_or_default());
        let label = style.warning("not contained:");
        visible!("{} {}: {} ({})", label, part.part, part.otherwise, reason)
    }));
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

/// What the contract recommends and the tool does not do: its advice does not fail the run.
fn advised(advised: &[&ProbeResult], style: Style, lines: &mut Vec<Visible>) {
    for result in advised {
        let label = style.warning("advice ");
        let message = Visible::line(&result.finding.message).cut(MAX_MESSAGE);
        lines.push(visible!("{} {}: {}", label, result.probe.id, message));
        lines.push(visible!("  {} {}", style.accent("fix:"), result.probe.fix));
    }
}

/// What fled from the session of its call.
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

/// How many calls were judged by the rules that hold for every call, and why others were not.
fn calls(conformance: &Conformance, style: Style) -> Visible {
    let monitored = &conformance.verdicts.monitored;
    if monitored.calls == 0 {
        // A family without such rules: its probes judge their own calls.
        return style.faint(match conformance.calls {
            0 => Visible::literal("no calls were made"),
            made => visible!("{} calls were made, each judged by the probe that made it", made),
        });
    }
    let judged = visible!("{} of {} calls were judged", monitored.judged, monitored.calls);
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
        Some(startup) => format!(", {startup} ms to start it"),
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

/// The call that shows what is wrong: the first one with a note.
fn telling(evidence: &[CallEvidence]) -> Option<&CallEvidence> {
    evidence.iter().find(|evidence| !evidence.note.is_empty()).or_else(|| evidence.first())
}

/// The part of what a call said that shows the fault: a secret, the member that the message names, else how it begins
/// and what it said last on stderr.
fn proof(evidence: &CallEvidence, message: &str) -> Vec<String> {
    let streams = [("stdout", one_line(&evidence.stdout)), ("stderr", one_line(&evidence.stderr))];
    let about_secrets = ["secret", "printed", "token"].iter().any(|word| message.contains(word));
    let marks: Vec<String> = if about_secrets { redaction_marks(&streams) } else { Vec::new() };
    let named = quoted(message).map(|word| format!("\"{word}\""));
    for wanted in marks.into_iter().chain(named) {
        for (name, text) in &streams {
            if let Some(at) = text.find(&wanted) {
                return vec![format!("{name}: {}", window(text, at))];
            }
        }
    }
    let mut lines = Vec::new();
    if !streams[0].1.is_empty() {
        lines.push(format!("stdout: {}", cut(&streams[0].1, MAX_PROOF)));
    }
    let last = evidence.stderr.lines().rev().find(|line| !line.trim().is_empty());
    if let Some(last) = last {
        lines.push(format!("stderr: {}", cut(&one_line(last), MAX_PROOF)));
    }
    if lines.is_empty() && evidence.exit.is_some() {
        lines.push("it printed nothing to stdout and stderr".to_owned());
    }
    lines
}

/// What stands in place of secrets.
fn redaction_marks(streams: &[(&str, String); 2]) -> Vec<String> {
    let is_name = |mark: &str| {
        let name = mark.strip_prefix("part of ").unwrap_or(mark);
        let upper = |symbol: char| symbol.is_ascii_uppercase() || symbol.is_ascii_digit();
        !name.is_empty() && name.chars().all(|symbol| symbol == '_' || upper(symbol))
    };
    let marks = streams.iter().flat_map(|(_, text)| {
        text.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(mark, _)| mark))
    });
    marks.filter(|mark| is_name(mark)).map(|mark| format!("<{mark}>")).collect()
}

/// Words in backticks, the last part of dotted ones.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let words = message.split('`').skip(1).step_by(2);
    words.filter_map(|word| word.rsplit('.').next()).filter(|word| !word.is_empty())
}

/// Some text before a place and more of it after.
fn window(text: &str, at: usize) -> String {
    let before: Vec<char> = text[..at].chars().rev().take(MAX_PROOF / 4).collect();
    let start = if text[..at].chars().count() > before.len() { "… " } else { "" };
    let before: String = before.into_iter().rev().collect();
    format!("{start}{before}{}", cut(&text[at..], MAX_PROOF * 3 / 4))
}

fn one_line(text: &str) -> String {
    Visible::line(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_string()
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

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(stdout: &str, stderr: &str) -> CallEvidence {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        CallEvidence { stdout, stderr, exit: Some(0), ..CallEvidence::default() }
    }

    #[test]
    fn the_proof_of_a_leak_is_the_place_of_the_secret() {
        let long = "x".repeat(500);
        let shown = evidence(&format!("{long}<b>token=<part of ACME_TOKEN> {long}"), "note\n");
        let lines = proof(&shown, "the secret was printed in part");
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("stdout: … x") && lines[0].contains("<part of ACME_TOKEN>"));
        assert!(lines[0].chars().count() < 200, "{lines:?}");
    }

    #[test]
    fn the_proof_of_a_wrong_member_is_the_member() {
        let shown = evidence("{\n  \"ok\": true,\n  \"meta\": {\"timestamp\": 1}\n}", "");
        let lines = proof(&shown, "the keys of `meta` are timestamp");
        assert_eq!(lines, ["stdout: { \"ok\": true, \"meta\": {\"timestamp\": 1} }"]);
    }

    #[test]
    fn otherwise_the_proof_is_the_start_of_stdout_and_the_last_line_of_stderr() {
        let shown = evidence("", "first\nError: \u{1b}[31mlast\n\n");
        assert_eq!(proof(&shown, "x"), ["stderr: Error: \\u{1b}[31mlast"]);
        assert_eq!(proof(&evidence("", ""), "x"), ["it printed nothing to stdout and stderr"]);
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
