//! The brief form of a run of `aos conform`: what failed and what was blocked, with the calls that prove it.
//!
//! Works on the data of a report. Probes that passed are only counted, and probes that are blocked for the same reason
//! by the same calls share an entry.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{answers, shorten_texts, shortened};
use crate::report::answers::changes::OmittedEntries;

/// Longest default answer, in bytes on stdout.
pub const LIMIT: usize = 10_000;
/// Longest text beside the results, in bytes.
const MAX_TEXT: usize = 300;
/// Most entries of a list beside the results.
const MAX_ENTRIES: usize = 6;
/// Longest answer with names alone: the rest is for what proves the first of them.
const MAX_NAMES: usize = LIMIT * 7 / 10;
/// Most probes that an entry names beside its own.
const MAX_ALSO: usize = 20;
/// Lists beside the results that have no bound of their own.
const LISTS: [&str; 5] =
    ["waiver_faults", "waiver_notes", "report_faults", "notes", "orphan_programs"];
const MORE: &str = "`--probe ID` shows the whole result of one probe, `--all` that of every probe";

/// The part of an entry that is shown; each level has everything of the levels before it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Detail {
    Name,
    Message,
    Calls,
    ShortOutput,
    Output,
    Whole,
}

impl Detail {
    /// Longest stdout and stderr of a call, in bytes.
    const fn output(self) -> usize {
        match self {
            Self::Name | Self::Message | Self::Calls => 0,
            Self::ShortOutput => 120,
            Self::Output => 600,
            Self::Whole => usize::MAX,
        }
    }

    /// Longest message, in bytes.
    const fn message(self) -> usize {
        match self {
            Self::Name | Self::Message => 160,
            Self::Calls | Self::ShortOutput => 400,
            Self::Output | Self::Whole => usize::MAX,
        }
    }
}

/// The order in which entries get room, and the part of the room beside the names, in percent, that is then used:
/// failures before blocked probes, every call before the output of one.
const STEPS: [(&str, Detail, usize); 11] = [
    ("fail", Detail::Message, 40),
    ("fail", Detail::Calls, 85),
    ("blocked", Detail::Message, 100),
    ("fail", Detail::Calls, 100),
    ("blocked", Detail::Calls, 100),
    ("fail", Detail::ShortOutput, 100),
    ("fail", Detail::Output, 100),
    ("blocked", Detail::ShortOutput, 100),
    ("fail", Detail::Whole, 100),
    ("blocked", Detail::Output, 100),
    ("blocked", Detail::Whole, 100),
];

/// True if `data` is the report of a run.
#[must_use]
pub fn applies(data: &Value) -> bool {
    data["results"].is_array() && data["containment"].is_array()
}

/// The part of a report that fits.
#[must_use]
pub fn fit(data: &Value, measure: impl Fn(&Value) -> usize) -> Value {
    let mut brief = BriefRun::of(data);
    if measure(&brief.shown()) > MAX_NAMES {
        let all = brief.entries.len();
        brief.count = most(all, |count| measure(&brief.with_count(count).shown()) <= MAX_NAMES);
    }
    let names = measure(&brief.shown());
    for (verdict, detail, percent) in STEPS {
        let limit = names + LIMIT.saturating_sub(names) * percent / 100;
        let places = brief.before(verdict, detail);
        let raised =
            most(places.len(), |count| measure(&brief.raised(&places[..count], detail)) <= limit);
        for place in &places[..raised] {
            brief.details[*place] = detail;
        }
    }
    brief.shown()
}

/// The largest count up to `all` that fits, if smaller ones fit too.
fn most(all: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut too_many) = (0, all + 1);
    while too_many - fitting > 1 {
        let middle = usize::midpoint(fitting, too_many);
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    fitting
}

/// A run of which a part is shown.
#[derive(Clone)]
struct BriefRun {
    /// Everything but the results.
    base: Value,
    entries: Vec<BriefEntry>,
    details: Vec<Detail>,
    /// How many entries are shown at all.
    count: usize,
    omitted: BTreeMap<String, usize>,
}

/// One probe, and the others that are blocked for the same reason.
#[derive(Clone)]
struct BriefEntry {
    result: Map<String, Value>,
    also: Vec<Value>,
}

impl BriefRun {
    fn of(data: &Value) -> Self {
        let mut base = data.clone();
        let mut omitted = BTreeMap::new();
        let results = base.get_mut("results").map(Value::take);
        let Some(Value::Array(results)) = results else {
            return Self { base, entries: Vec::new(), details: Vec::new(), count: 0, omitted };
        };
        shorten_texts(&mut base, MAX_TEXT);
        for name in LISTS {
            let Some(Value::Array(entries)) = base.get_mut(name) else { continue };
            if entries.len() > MAX_ENTRIES {
                omitted.insert(name.to_owned(), entries.len() - MAX_ENTRIES);
                entries.truncate(MAX_ENTRIES);
            }
        }
        let (mut failed, mut blocked) = (Vec::new(), Vec::new());
        let total = results.len();
        for result in results {
            let Value::Object(result) = result else { continue };
            match result.get("verdict").and_then(Value::as_str) {
                Some("fail") => failed.push(BriefEntry { result, also: Vec::new() }),
                Some("blocked") => group(&mut blocked, result),
                _ => {}
            }
        }
        failed.append(&mut blocked);
        let shown: usize = failed.iter().map(|entry| 1 + entry.also.len()).sum();
        omitted.insert("results".to_owned(), total - shown);
        let (count, details) = (failed.len(), vec![Detail::Name; failed.len()]);
        Self { base, entries: failed, details, count, omitted }
    }

    fn with_count(&self, count: usize) -> Self {
        Self { count, ..self.clone() }
    }

    /// The entries of a verdict that have reached the level before this one.
    fn before(&self, verdict: &str, detail: Detail) -> Vec<usize> {
        let earlier = STEPS.iter().filter(|step| step.0 == verdict && step.1 < detail);
        let earlier = earlier.map(|step| step.1).max().unwrap_or(Detail::Name);
        let of_verdict = |place: &usize| self.entries[*place].result["verdict"] == verdict;
        (0..self.count).filter(of_verdict).filter(|place| self.details[*place] == earlier).collect()
    }

    fn raised(&self, places: &[usize], detail: Detail) -> Value {
        let mut raised = self.clone();
        for place in places {
            raised.details[*place] = detail;
        }
        raised.shown()
    }

    fn shown(&self) -> Value {
        let mut omitted = self.omitted.clone();
        let mut miss = |field: &str, count: usize| {
            *omitted.entry(field.to_owned()).or_default() += count;
        };
        let mut results = Vec::new();
        for (place, entry) in self.entries.iter().enumerate() {
            if place >= self.count {
                miss("results", 1 + entry.also.len());
                continue;
            }
            let (shown, calls, outputs) = entry.shown(self.details[place]);
            results.push(shown);
            miss("results.evidence", calls);
            miss("results.also", entry.also.len().saturating_sub(MAX_ALSO));
            miss("results.evidence.stdout", outputs);
        }
        let mut brief = self.base.clone();
        let omitted = omitted.into_iter().filter(|(_, count)| *count > 0);
        let omitted: Vec<_> =
            omitted.map(|(field, count)| OmittedEntries { field, count }).collect();
        if let Value::Object(members) = &mut brief {
            members.insert("results".to_owned(), results.into());
            if !omitted.is_empty() {
                members.insert("omitted".to_owned(), answers::value(&omitted));
                members.insert("more".to_owned(), MORE.into());
            }
        }
        brief
    }
}

/// Adds a blocked probe to the entry with the same reason and the same calls, or a new one.
fn group(blocked: &mut Vec<BriefEntry>, result: Map<String, Value>) {
    let same = blocked.iter_mut().find(|entry| {
        entry.result.get("message") == result.get("message")
            && commands(&entry.result) == commands(&result)
    });
    match (same, result.get("probe")) {
        (Some(entry), Some(probe)) => entry.also.push(probe.clone()),
        _ => blocked.push(BriefEntry { result, also: Vec::new() }),
    }
}

fn calls(result: &Map<String, Value>) -> &[Value] {
    result.get("evidence").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn commands(result: &Map<String, Value>) -> Vec<&Value> {
    calls(result).iter().map(|call| &call["argv"]).collect()
}

impl BriefEntry {
    /// The entry, how many calls it leaves out, and how many of its calls have less output.
    fn shown(&self, detail: Detail) -> (Value, usize, usize) {
        let mut shown = Map::new();
        let mut keep = |name: &str| {
            if let Some(Value::String(text)) = self.result.get(name) {
                let text = shortened(text, detail.message()).unwrap_or_else(|| text.clone());
                shown.insert(name.to_owned(), text.into());
            }
        };
        keep("probe");
        keep("verdict");
        if detail >= Detail::Message {
            keep("message");
        }
        if detail >= Detail::Calls && self.result["verdict"] == "fail" {
            keep("fix");
        }
        if !self.also.is_empty() {
            let named = &self.also[..self.also.len().min(MAX_ALSO)];
            shown.insert("also".to_owned(), named.to_vec().into());
        }
        let all = calls(&self.result);
        if detail < Detail::Calls {
            return (shown.into(), all.len(), 0);
        }
        let mut cut = 0;
        let message = self.result.get("message");
        let calls: Vec<_> = all
            .iter()
            .map(|call| {
                let (call, is_cut) = brief_call(call, message, detail);
                cut += usize::from(is_cut);
                call
            })
            .collect();
        shown.insert("evidence".to_owned(), calls.into());
        (shown.into(), 0, cut)
    }
}

/// One call, and whether output of it was left out.
fn brief_call(call: &Value, message: Option<&Value>, detail: Detail) -> (Value, bool) {
    let mut shown = Map::new();
    let mut is_cut = false;
    let Value::Object(members) = call else { return (call.clone(), false) };
    for (name, value) in members {
        match (name.as_str(), value) {
            ("argv" | "ending", _) => {
                let mut value = value.clone();
                shorten_texts(&mut value, detail.message().max(120));
                shown.insert(name.clone(), value);
            }
            ("note", Value::String(note)) if !note.is_empty() && Some(value) != message => {
                let note = shortened(note, detail.message()).unwrap_or_else(|| note.clone());
                shown.insert(name.clone(), note.into());
            }
            ("stdout" | "stderr", Value::String(text)) if !text.is_empty() => {
                let longest = detail.output();
                let shorter = shortened(text, longest);
                is_cut |= shorter.is_some();
                if longest > 0 {
                    shown.insert(name.clone(), shorter.unwrap_or_else(|| text.clone()).into());
                }
            }
            _ => {}
        }
    }
    (shown.into(), is_cut)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn measure(value: &Value) -> usize {
        value.to_string().len()
    }

    fn run(failed: usize, blocked: usize, output: usize) -> Value {
        let call = |index: usize| {
            json!({"argv": ["tool", "item", "list", format!("--page={index}")], "ending": "exit 3",
                   "exit": 3, "duration_ms": 1, "stdout": "x".repeat(output), "stderr": "",
                   "note": format!("note {index}")})
        };
        let result = |index: usize, verdict: &str, message: String| {
            json!({"probe": format!("cli.{verdict}-{index}"), "verdict": verdict, "message": message,
                   "fix": "fix it", "title": "t", "evidence": [call(index), call(index + 1)]})
        };
        let mut results: Vec<_> =
            (0..failed).map(|index| result(index, "fail", format!("fault {index}"))).collect();
        results.extend((0..blocked).map(|index| {
            let mut of = result(index, "blocked", "no credentials".to_owned());
            of["evidence"] = json!([]);
            of
        }));
        results.push(result(0, "pass", String::new()));
        json!({"summary": {"ok": false}, "containment": [], "results": results, "notes": []})
    }

    fn missing(brief: &Value, field: &str) -> u64 {
        let omitted = brief["omitted"].as_array().unwrap();
        let entry = omitted.iter().find(|entry| entry["field"] == field);
        entry.map_or(0, |entry| entry["count"].as_u64().unwrap())
    }

    #[test]
    fn a_few_failures_are_whole_and_what_passed_is_counted() {
        let brief = fit(&run(2, 3, 50), measure);
        let results = brief["results"].as_array().unwrap();
        assert_eq!(results.len(), 3, "{brief}");
        assert_eq!(results[0]["evidence"][1]["stdout"], "x".repeat(50));
        assert_eq!(results[2]["also"], json!(["cli.blocked-1", "cli.blocked-2"]));
        assert_eq!(missing(&brief, "results"), 1);
        assert_eq!(missing(&brief, "results.evidence"), 0);
    }

    #[test]
    fn every_call_of_a_failure_comes_before_the_output_of_one() {
        let brief = fit(&run(20, 90, 4000), measure);
        assert!(measure(&brief) <= LIMIT, "{}", measure(&brief));
        let results = brief["results"].as_array().unwrap();
        for failed in &results[..20] {
            assert_eq!(failed["evidence"].as_array().unwrap().len(), 2, "{failed}");
        }
        assert!(missing(&brief, "results.evidence.stdout") >= 38);
        let also = results[20]["also"].as_array().unwrap().len();
        assert_eq!(also as u64 + missing(&brief, "results.also"), 89);
    }

    #[test]
    fn any_number_of_failures_fits_and_is_counted() {
        for failed in [60, 130, 2000] {
            let brief = fit(&run(failed, 10, 4000), measure);
            assert!(measure(&brief) <= LIMIT, "{}", measure(&brief));
            let results = brief["results"].as_array().unwrap();
            let shown: usize = results
                .iter()
                .map(|result| 1 + result["also"].as_array().map_or(0, Vec::len))
                .sum();
            assert_eq!(shown as u64 + missing(&brief, "results"), failed as u64 + 11);
            assert_eq!(results[0]["message"].as_str(), Some("fault 0"), "{brief}");
        }
    }
}
