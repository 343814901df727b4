//! The brief form of a verdict on projects: failures first, the errors of each project first, every count complete.
//!
//! Works on the data of `aos check`: a list of projects, each with a list of findings. Leaves everything else to the
//! general rules.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{LIMIT, announce};

/// Room that a fleet leaves for the table of rules, in bytes.
const RESERVE: usize = 600;
/// Members of a project that a list of many projects keeps.
const MEMBERS: [&str; 8] =
    ["path", "tag", "status", "errors", "warnings", "compared", "fault", "passed_over"];
/// Lists inside a project.
const LISTS: [&str; 3] = ["findings", "waived", "notes"];

/// True if `data` has projects with findings.
#[must_use]
pub fn applies(data: &Value) -> bool {
    data["projects"].as_array().is_some_and(|projects| !projects.is_empty())
}

/// Takes the projects out of `brief`; the lists of each are taken out of it in turn.
#[must_use]
pub fn take(brief: &mut Value) -> Vec<BriefProject> {
    let Some(Value::Array(entries)) = brief.get_mut("projects").map(Value::take) else {
        return Vec::new();
    };
    brief["projects"] = Value::Array(Vec::new());
    let many = entries.len() > 1;
    let mut projects: Vec<_> =
        entries.into_iter().map(|entry| BriefProject::of(entry, many)).collect();
    projects.sort_by_key(|project| project.rank);
    projects
}

/// One project, its lists apart from the rest.
pub struct BriefProject {
    rank: u8,
    head: Map<String, Value>,
    lists: BTreeMap<&'static str, Vec<Value>>,
}

impl BriefProject {
    fn of(entry: Value, many: bool) -> Self {
        let Value::Object(mut head) = entry else {
            return Self { rank: 4, head: Map::new(), lists: BTreeMap::new() };
        };
        let mut lists = BTreeMap::new();
        for name in LISTS {
            let Some(Value::Array(mut entries)) = head.remove(name) else { continue };
            // Errors first, causes before what follows from them; else the order of the paths stays.
            entries.sort_by_key(|finding| (finding["severity"] == "warning", !is_cause(finding)));
            lists.insert(name, entries);
        }
        let rank = match head.get("status").and_then(Value::as_str) {
            Some("failed") => 0,
            Some("uncompared") => 1,
            Some("partial") => 2,
            _ => 3,
        };
        if many {
            head.retain(|name, value| MEMBERS.contains(&name.as_str()) && !value.is_null());
        }
        Self { rank, head, lists }
    }

    fn shown(&self, counts: &BTreeMap<&'static str, usize>) -> Value {
        let mut project = self.head.clone();
        for (name, entries) in &self.lists {
            let count = counts.get(name).copied().unwrap_or_default().min(entries.len());
            if count > 0 || *name == "findings" {
                project.insert((*name).to_owned(), entries[..count].to_vec().into());
            }
        }
        Value::Object(project)
    }
}

/// True if other findings follow from this one: a record or a manifest that cannot be used.
fn is_cause(finding: &Value) -> bool {
    let rule = finding["rule"].as_str().unwrap_or_default();
    rule == "drift/cannot-generate"
        || ["project/", "pin/", "manifest/"].iter().any(|group| rule.starts_with(group))
}

/// Puts back as many projects as half of the room holds, then one finding after the other: the first of each project,
/// then the second of each.
pub fn fill(
    brief: &mut Value,
    projects: &[BriefProject],
    omitted: &mut BTreeMap<String, usize>,
    measure: &impl Fn(&Value) -> usize,
) {
    let room = if projects.len() > 1 { LIMIT - RESERVE } else { LIMIT };
    let mut counts: Vec<BTreeMap<&'static str, usize>> = vec![BTreeMap::new(); projects.len()];
    let fits = |counts: &[BTreeMap<&'static str, usize>], shown: usize, room: usize| {
        let mut attempt = brief.clone();
        let mut left_out = omitted.clone();
        put(&mut attempt, &projects[..shown], counts, projects, &mut left_out);
        measure(&attempt) <= room
    };
    let bare = {
        let mut attempt = brief.clone();
        put(&mut attempt, &[], &counts, projects, &mut omitted.clone());
        measure(&attempt)
    };
    let has_findings = projects
        .iter()
        .any(|project| project.lists.get("findings").is_some_and(|findings| !findings.is_empty()));
    let heads = if has_findings { bare + room.saturating_sub(bare) / 2 } else { room };
    let (mut shown, mut too_many) = (0, projects.len() + 1);
    while too_many - shown > 1 {
        let middle = usize::midpoint(shown, too_many);
        if fits(&counts, middle, heads) { shown = middle } else { too_many = middle }
    }
    if shown == 0 && fits(&counts, 1, room) {
        shown = 1;
    }
    'filled: for name in LISTS {
        let longest = projects[..shown].iter().filter_map(|project| project.lists.get(name));
        let longest = longest.map(Vec::len).max().unwrap_or_default();
        for depth in 1..=longest {
            for index in 0..shown {
                if projects[index].lists.get(name).is_none_or(|entries| entries.len() < depth) {
                    continue;
                }
                counts[index].insert(name, depth);
                if !fits(&counts, shown, room) {
                    counts[index].insert(name, depth - 1);
                    break 'filled;
                }
            }
        }
    }
    put(brief, &projects[..shown], &counts, projects, omitted);
}

fn put(
    brief: &mut Value,
    shown: &[BriefProject],
    counts: &[BTreeMap<&'static str, usize>],
    all: &[BriefProject],
    omitted: &mut BTreeMap<String, usize>,
) {
    let entries: Vec<_> =
        shown.iter().zip(counts).map(|(project, counts)| project.shown(counts)).collect();
    let mut missing = vec![("projects".to_owned(), all.len() - shown.len())];
    for name in LISTS {
        let total: usize =
            all.iter().filter_map(|project| project.lists.get(name)).map(Vec::len).sum();
        let there: usize =
            entries.iter().filter_map(|entry| entry[name].as_array()).map(Vec::len).sum();
        missing.push((format!("projects.{name}"), total - there));
    }
    brief["projects"] = entries.into();
    for (name, count) in missing {
        omitted.remove(&name);
        if count > 0 {
            omitted.insert(name, count);
        }
    }
    announce(brief, omitted);
}

/// Takes the diffs out of all findings, and gives their number.
pub fn drop_diffs(data: &mut Value) -> usize {
    let Some(Value::Array(projects)) = data.get_mut("projects") else { return 0 };
    let findings = projects
        .iter_mut()
        .filter_map(|project| project.get_mut("findings")?.as_array_mut())
        .flatten()
        .filter_map(Value::as_object_mut);
    findings.filter_map(|finding| finding.remove("diff")).count()
}

/// The most frequent rules first: a table that is cut keeps these.
pub fn sort_rules(data: &mut Value) {
    if let Some(Value::Array(rules)) = data.pointer_mut("/summary/by_rule") {
        rules.sort_by_key(|rule| Reverse(rule["count"].as_u64()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fit;
    use super::*;

    fn measure(value: &Value) -> usize {
        crate::contract::json::pretty(value).len()
    }

    fn missing(brief: &Value, field: &str) -> usize {
        let entries = brief["omitted"].as_array().cloned().unwrap_or_default();
        let entry = entries.iter().find(|entry| entry["field"] == field);
        entry.map_or(0, |entry| usize::try_from(entry["count"].as_u64().unwrap()).unwrap())
    }

    fn finding(severity: &str, index: usize) -> Value {
        json!({"rule": "a/b", "severity": severity, "path": format!("p{index}"), "line": 1,
               "message": "m".repeat(80), "fix": "f".repeat(40), "diff": "+x\n".repeat(40)})
    }

    fn project(index: usize, status: &str, findings: usize) -> Value {
        let findings: Vec<_> = (0..findings)
            .map(|at| finding(if at % 2 == 0 { "warning" } else { "error" }, at))
            .collect();
        json!({"path": format!("fleet/aos-{index}"), "family": "harness", "tag": "v1.1.0",
               "status": status, "fault": null, "notes": [], "findings": findings, "waived": []})
    }

    fn verdict(projects: Vec<Value>) -> Value {
        let by_rule: Vec<_> =
            (0..90).map(|index| json!({"rule": format!("rule/{index}"), "count": index})).collect();
        json!({"summary": {"projects": projects.len(), "by_rule": by_rule}, "projects": projects,
               "_untrusted": ["projects"]})
    }

    #[test]
    fn a_small_verdict_stays_whole() {
        let data = json!({"summary": {}, "projects": [project(0, "failed", 2)]});
        assert_eq!(fit(&data, measure), data);
    }

    #[test]
    fn a_fleet_shows_failures_first_and_counts_the_rest() {
        let mut projects: Vec<_> = (0..300).map(|index| project(index, "ok", 0)).collect();
        projects[200] = project(200, "uncompared", 0);
        projects[270] = project(270, "failed", 30);
        projects[280] = project(280, "failed", 30);
        let brief = fit(&verdict(projects), measure);
        assert!(measure(&brief) <= LIMIT);
        let shown = brief["projects"].as_array().unwrap();
        let paths: Vec<_> = shown.iter().take(3).map(|project| &project["path"]).collect();
        assert_eq!(paths, ["fleet/aos-270", "fleet/aos-280", "fleet/aos-200"]);
        assert_eq!(shown.len() + missing(&brief, "projects"), 300);
        let findings: Vec<_> =
            shown.iter().filter_map(|project| project["findings"].as_array()).flatten().collect();
        assert!(findings.len() >= 2 && findings.iter().all(|found| found["severity"] == "error"));
        assert_eq!(findings.len() + missing(&brief, "projects.findings"), 60);
        assert_eq!(missing(&brief, "projects.findings.diff"), 60);
        assert_eq!(brief["summary"]["projects"], 300);
        let rules = brief["summary"]["by_rule"].as_array().unwrap();
        assert_eq!(rules[0], json!({"rule": "rule/89", "count": 89}));
        assert_eq!(rules.len() + missing(&brief, "summary.by_rule"), 90);
    }

    #[test]
    fn one_project_keeps_all_its_members_and_hostile_ones_fit() {
        let brief = fit(&verdict(vec![project(0, "failed", 500)]), measure);
        assert!(measure(&brief) <= LIMIT);
        assert_eq!(brief["projects"][0]["family"], "harness");
        let shown = brief["projects"][0]["findings"].as_array().unwrap().len();
        assert!(shown >= 5, "{shown}");
        assert_eq!(shown + missing(&brief, "projects.findings"), 500);
        let mut hostile = project(0, "failed", 50);
        hostile["path"] = "é/".repeat(9000).into();
        hostile["notes"] = json!(["n".repeat(9000), "n"]);
        for finding in hostile["findings"].as_array_mut().unwrap() {
            finding["message"] = "é".repeat(9000).into();
            finding["path"] = "p/".repeat(9000).into();
        }
        let brief = fit(&verdict(vec![hostile; 40]), measure);
        assert!(measure(&brief) <= LIMIT, "{}", measure(&brief));
        assert!(!brief["projects"][0]["findings"].as_array().unwrap().is_empty(), "{brief}");
    }
}
