//! Answers that fit an agent: at most [`LIMIT`] bytes, [`conformance::LIMIT`] for a run of `aos conform`.
//!
//! Leaves out, counts what it left out, and never invents; the whole is in the value that it is given.

mod conformance;
mod projects;
mod served;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::visible::{Visible, visible};

use super::answers;
use super::answers::changes::{DirectoryCount, OmittedEntries};

/// Longest default answer of `check` and of a command that writes, in bytes on stdout.
pub const LIMIT: usize = 4096;
/// Longest text inside an answer that had to be cut, in bytes.
const MAX_TEXT: usize = 300;
/// Most lines of a text for a person: a screen and a half.
const MAX_LINES: usize = 40;
/// Lines and bytes at the end of a text that stay: the token and the next step are there.
const TAIL_LINES: usize = 14;
const TAIL_BYTES: usize = 1700;
/// Most top-level directories that are counted one by one.
const MAX_DIRECTORIES: usize = 12;
/// Members that a change keeps; digests and diffs are in the whole answer.
const CHANGE_MEMBERS: [&str; 3] = ["action", "resource", "id"];
/// Members that are never cut: a shortened token is none.
const WHOLE: [&str; 3] = ["confirm_token", "_untrusted", "omitted"];
/// Lists in the order in which they get room.
const PRIORITY: [&str; 18] = [
    "next",
    "packages",
    "withheld",
    "conflicts",
    "instructions",
    "summary.unsearched",
    "summary.by_rule",
    "preview.directories",
    "would_lose",
    "preview.obstacles",
    "collisions",
    "clashes",
    "api_changes",
    "notes",
    "findings",
    "preview.changes",
    "changes",
    "files",
];
const MORE: &str = "`--diff` shows everything, `--fields` the complete value of selected members";

/// The part of `data` that fits: `measure` says how many bytes an answer with such data has. Lists that had to be cut
/// are named in `omitted`, with the number of entries that are missing.
#[must_use]
pub fn fit(data: &Value, measure: impl Fn(&Value) -> usize) -> Value {
    if conformance::applies(data) {
        return conformance::fit(data, measure);
    }
    let mut brief = data.clone();
    let mut omitted = BTreeMap::new();
    if served::applies(data) {
        if measure(data) <= LIMIT {
            return brief;
        }
        served::slim(&mut brief, &mut omitted);
    }
    slim(&mut brief, &mut omitted);
    announce(&mut brief, &omitted);
    if measure(&brief) <= LIMIT {
        return brief;
    }
    drop_diffs(&mut brief, &mut omitted);
    count_directories(&mut brief);
    shorten_texts(&mut brief, MAX_TEXT);
    projects::sort_rules(&mut brief);
    announce(&mut brief, &omitted);
    if measure(&brief) <= LIMIT {
        return brief;
    }
    let verdicts = if projects::applies(&brief) { projects::take(&mut brief) } else { Vec::new() };
    let mut lists: Vec<(String, Vec<Value>)> = Vec::new();
    take_lists(&mut brief, "", &mut lists);
    lists.sort_by_key(|(name, _)| {
        PRIORITY.iter().position(|known| known == name).unwrap_or(PRIORITY.len())
    });
    omitted.extend(lists.iter().map(|(name, entries)| (name.clone(), entries.len())));
    announce(&mut brief, &omitted);
    // Without its lists, only texts are left to be cut.
    let mut longest = MAX_TEXT;
    while measure(&brief) > LIMIT && longest > 20 {
        longest /= 2;
        shorten_texts(&mut brief, longest);
    }
    if !verdicts.is_empty() {
        projects::fill(&mut brief, &verdicts, &mut omitted, &measure);
    }
    for (name, entries) in lists {
        fill(&mut brief, &name, &entries, &mut omitted, &measure);
    }
    brief
}

/// True if the text for a person is cut too. CI logs have the text of a run of `aos conform`, and a person asks for the
/// tools of a server: both are shown whole.
#[must_use]
pub fn cuts_text(data: &Value) -> bool {
    !conformance::applies(data) && !served::applies(data)
}

/// Gives one list as many of its entries as there is room for.
fn fill(
    brief: &mut Value,
    name: &str,
    entries: &[Value],
    omitted: &mut BTreeMap<String, usize>,
    measure: &impl Fn(&Value) -> usize,
) {
    let (mut fitting, mut too_many) = (0, entries.len() + 1);
    while too_many - fitting > 1 {
        let middle = usize::midpoint(fitting, too_many);
        let mut attempt = brief.clone();
        let mut left_out = omitted.clone();
        put(&mut attempt, name, &entries[..middle], entries.len() - middle, &mut left_out);
        if measure(&attempt) <= LIMIT { fitting = middle } else { too_many = middle }
    }
    put(brief, name, &entries[..fitting], entries.len() - fitting, omitted);
}

fn put(
    brief: &mut Value,
    name: &str,
    entries: &[Value],
    missing: usize,
    omitted: &mut BTreeMap<String, usize>,
) {
    let pointer = format!("/{}", name.replace('.', "/"));
    if let Some(place) = brief.pointer_mut(&pointer) {
        *place = entries.to_vec().into();
    }
    omitted.remove(name);
    if missing > 0 {
        omitted.insert(name.to_owned(), missing);
    }
    announce(brief, omitted);
}

/// Says what is missing and how to see it; a preview says so even when nothing is.
fn announce(brief: &mut Value, omitted: &BTreeMap<String, usize>) {
    let Value::Object(members) = brief else { return };
    members.remove("omitted");
    members.remove("more");
    if !omitted.is_empty() || members.contains_key("preview") {
        let omitted = omitted.iter();
        let omitted =
            omitted.map(|(field, count)| OmittedEntries { field: field.clone(), count: *count });
        let omitted: Vec<_> = omitted.collect();
        members.insert("omitted".to_owned(), answers::value(&omitted));
        let more = if members.contains_key(served::MARK) { served::MORE } else { MORE };
        members.insert("more".to_owned(), more.into());
    }
}

/// Changes without digests and diffs, in the order of their importance: deletions first.
fn slim(data: &mut Value, omitted: &mut BTreeMap<String, usize>) {
    for (pointer, diffs) in
        [("/preview/changes", "preview.changes.diff"), ("/changes", "changes.diff")]
    {
        let Some(Value::Array(changes)) = data.pointer_mut(pointer) else { continue };
        let dropped = changes.iter().filter(|change| change.get("diff").is_some()).count();
        if dropped > 0 {
            omitted.insert(diffs.to_owned(), dropped);
        }
        for change in changes.iter_mut() {
            if let Value::Object(members) = change {
                members.retain(|name, _| CHANGE_MEMBERS.contains(&name.as_str()));
            }
        }
        changes.sort_by_key(|change| match change["action"].as_str() {
            Some("delete") => 0,
            Some("replace") => 1,
            Some("create") => 3,
            _ => 2,
        });
    }
}

fn drop_diffs(data: &mut Value, omitted: &mut BTreeMap<String, usize>) {
    let of_projects = projects::drop_diffs(data);
    if of_projects > 0 {
        omitted.insert("projects.findings.diff".to_owned(), of_projects);
    }
    let Some(Value::Array(findings)) = data.get_mut("findings") else { return };
    let dropped = findings
        .iter_mut()
        .filter_map(Value::as_object_mut)
        .filter_map(|finding| finding.remove("diff"))
        .count();
    if dropped > 0 {
        omitted.insert("findings.diff".to_owned(), dropped);
    }
}

/// Counts the files that change below each directory of the root: the extent of a list that is cut.
fn count_directories(data: &mut Value) {
    let Some(Value::Array(changes)) = data.pointer("/preview/changes") else { return };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in changes.iter().filter_map(|change| change["id"].as_str()) {
        let top = path.split_once('/').map_or(".", |(top, _)| top);
        *counts.entry(top.to_owned()).or_default() += 1;
    }
    let fits = counts.len() <= MAX_DIRECTORIES && counts.keys().all(|name| name.len() <= 40);
    if let Some(Value::Object(preview)) = data.get_mut("preview").filter(|_| fits) {
        let directories = counts.into_iter();
        let directories: Vec<_> =
            directories.map(|(path, count)| DirectoryCount { path, count }).collect();
        preview.insert("directories".to_owned(), answers::value(&directories));
    }
}

/// Takes the entries out of every list but those inside other lists.
fn take_lists(value: &mut Value, path: &str, lists: &mut Vec<(String, Vec<Value>)>) {
    let Value::Object(members) = value else { return };
    for (name, member) in members.iter_mut().filter(|(name, _)| !WHOLE.contains(&name.as_str())) {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match member {
            Value::Array(entries) if !entries.is_empty() => {
                lists.push((path, std::mem::take(entries)));
            }
            _ => take_lists(member, &path, lists),
        }
    }
}

/// Cuts the middle out of every text above `longest` bytes.
fn shorten_texts(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => {
            if let Some(shorter) = shortened(text, longest) {
                *text = shorter;
            }
        }
        Value::Array(entries) => {
            entries.iter_mut().for_each(|entry| shorten_texts(entry, longest));
        }
        Value::Object(members) => shorten_members(members, longest),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn shorten_members(members: &mut Map<String, Value>, longest: usize) {
    for (name, member) in members.iter_mut() {
        if !WHOLE.contains(&name.as_str()) {
            shorten_texts(member, longest);
        }
    }
}

/// The beginning and the end of a text that is longer than `longest` bytes.
#[must_use]
pub fn shortened(text: &str, longest: usize) -> Option<String> {
    if text.len() <= longest {
        return None;
    }
    let half = longest / 2;
    let start = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (text.len() - half..=text.len()).find(|at| text.is_char_boundary(*at));
    Some(format!("{}…{}", &text[..start], &text[end.unwrap_or(text.len())..]))
}

/// True if a text for a person is shown whole.
#[must_use]
pub fn is_screenful(shown: &Visible) -> bool {
    shown.lines().len() <= MAX_LINES && shown.as_str().len() < LIMIT
}

/// A text for a person, as far as it fits a screen: its beginning and its end.
#[must_use]
pub fn screenful(shown: &Visible) -> Visible {
    let lines = shown.lines();
    if is_screenful(shown) {
        return shown.clone();
    }
    let lines: Vec<Visible> = lines.into_iter().map(|line| line.cut(MAX_TEXT)).collect();
    let room = |lines: &mut dyn Iterator<Item = &Visible>, most: usize, bytes: usize| {
        let mut used = 0;
        lines
            .take(most)
            .take_while(|line| {
                used += line.as_str().len() + 1;
                used <= bytes
            })
            .count()
    };
    let tail = room(&mut lines.iter().rev(), TAIL_LINES, TAIL_BYTES);
    let head = lines.len() - tail;
    let shown =
        room(&mut lines[..head].iter(), MAX_LINES - TAIL_LINES - 1, LIMIT - TAIL_BYTES - 200);
    let cut = head - shown;
    let mut kept: Vec<Visible> = lines[..shown].to_vec();
    if cut > 0 {
        kept.push(visible!("… {} more lines: `--diff` shows everything", cut));
    }
    kept.extend_from_slice(&lines[head..]);
    Visible::joined(kept, "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn measure(value: &Value) -> usize {
        value.to_string().len()
    }

    fn missing(brief: &Value, field: &str) -> usize {
        let entries = brief["omitted"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["field"] == field);
        entry.map_or(0, |entry| usize::try_from(entry["count"].as_u64().unwrap()).unwrap())
    }

    fn preview(count: usize, name: &str) -> Value {
        let changes: Vec<_> = (0..count)
            .map(|index| {
                json!({"action": "create", "resource": "file", "id": format!("{name}/{index}"),
                       "before": null, "after": "sha256:00", "diff": "+line\n".repeat(50)})
            })
            .collect();
        json!({"preview": {"total": count, "changes": changes}, "would_lose": ["a"],
               "confirm_token": "ct_1", "_untrusted": ["preview"]})
    }

    #[test]
    fn a_small_answer_loses_its_diffs_only() {
        let brief = fit(&preview(2, "src"), measure);
        assert_eq!(
            brief["preview"]["changes"][0],
            json!({"action": "create", "resource": "file", "id": "src/0"})
        );
        assert_eq!(brief["omitted"], json!([{"field": "preview.changes.diff", "count": 2}]));
        assert_eq!(fit(&json!({"status": "created"}), measure), json!({"status": "created"}));
    }

    #[test]
    fn a_large_answer_is_cut_and_counts_what_is_missing() {
        for count in [30, 300, 3000] {
            let brief = fit(&preview(count, "src"), measure);
            assert!(measure(&brief) <= LIMIT);
            let shown = brief["preview"]["changes"].as_array().unwrap().len();
            assert_eq!(shown + missing(&brief, "preview.changes"), count);
            assert!(shown > 20, "{shown}");
            assert_eq!(brief["would_lose"], json!(["a"]));
            assert_eq!(brief["_untrusted"], json!(["preview"]));
        }
        let brief = fit(&preview(300, "src"), measure);
        let directories = json!([{"path": "src", "count": 300}]);
        assert_eq!(brief["preview"]["directories"], directories);
        assert_eq!(missing(&brief, "preview.directories"), 0);
    }

    #[test]
    fn hostile_names_and_many_losses_fit_too() {
        let long = vec!["é".repeat(120); 8].join("/");
        let mut data = preview(400, &long);
        data["would_lose"] = (0..400).map(|index| format!("{long}/{index}")).collect();
        data["path"] = "/deep".repeat(2000).into();
        data["notes"] = json!(["x".repeat(9000)]);
        let brief = fit(&data, measure);
        assert!(measure(&brief) <= LIMIT, "{}", measure(&brief));
        let shown = brief["would_lose"].as_array().unwrap().len();
        assert!(shown > 0);
        assert_eq!(missing(&brief, "would_lose"), 400 - shown);
        assert_eq!(brief["confirm_token"], "ct_1");
    }

    #[test]
    fn deletions_are_shown_before_additions() {
        let mut data = preview(300, "src");
        data["preview"]["changes"][200]["action"] = "replace".into();
        data["preview"]["changes"][299]["action"] = "delete".into();
        let brief = fit(&data, measure);
        assert_eq!(brief["preview"]["changes"][0]["id"], "src/299");
        assert_eq!(brief["preview"]["changes"][1]["id"], "src/200");
    }

    #[test]
    fn a_text_keeps_its_beginning_and_its_end() {
        let text: String = (0..300).map(|line| format!("line {line}\n")).collect();
        let screenful = |text: &str| screenful(&Visible::block(text)).into_string();
        let short = screenful(&text);
        assert!(short.lines().count() <= MAX_LINES && short.len() < LIMIT);
        assert!(short.starts_with("line 0\n") && short.ends_with("line 299"), "{short}");
        assert!(short.contains("… 261 more lines: `--diff` shows everything"), "{short}");
        let wide = screenful(&vec!["é".repeat(4000); 60].join("\n"));
        assert!(wide.len() < LIMIT, "{}", wide.len());
        assert_eq!(screenful("short"), "short");
    }
}
