//! Lists as a whole (agent-cli §8): nothing is cut off in silence, and no page loses its controls or its marks.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::conform::mock::Reply;

use super::fixture::Role;
use super::gate::{meant, token};
use super::lab::{ProbeCaller, and, examine};
use super::listing::params;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::values;
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// Most pages that are read.
const MAX_PAGES: usize = 40;
/// More than any upstream gives at once.
const HUGE: &str = "100000";

/// Returns how a list is paged: the option for the next page, and the member with its value.
fn paged(lab: &ProbeCaller<'_>, path: &str) -> ProbeStep<(&'static str, String)> {
    let options: BTreeSet<String> = params(&lab.declared(path)?).collect();
    let offset = lab.contract.pagination.offset_next_key.as_str().to_owned();
    match (options.contains("cursor"), options.contains("offset"), options.contains("limit")) {
        (true, _, true) => Ok(("--cursor", "next_cursor".to_owned())),
        (_, true, true) => Ok(("--offset", offset)),
        _ => Err(lab.absent(&format!("`{path}` declares no pages"))),
    }
}

fn worked(lab: &ProbeCaller<'_>, call: &[String]) -> ProbeStep<Answered> {
    let shot = lab.call(call);
    shot.expect(shot.is_ok(), format!("`{}` fails against the mock upstream", call.join(" ")))?;
    Ok(shot)
}

fn count(shot: &Answered) -> usize {
    shot.at("/data/items").as_array().map_or(0, Vec::len)
}

pub const SILENT_CAP: Probe = Probe {
    id: "cli.paging-cap",
    section: "§8",
    title: "An incomplete list has has_more or truncated",
    why: "An incomplete list must not look complete",
    fix: "set `has_more` from the upstream's response; if no further page can be requested, print `truncated: true`",
    run: |session| examine(session, silent_cap),
    ..Probe::of(FAMILY)
};

fn silent_cap(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.reading(Role::List)?;
    let (option, next_key) = paged(lab, &sample.path)?;
    let whole = lab.call(&and(&sample.call(), &["--limit", HUGE]));
    let mut candidates = vec![worked(lab, &sample.call())?];
    candidates.extend(Some(whole).filter(Answered::is_ok));
    let truncated = lab.contract.pagination.truncated_key.as_str();
    let is_open =
        |shot: &Answered| shot.data()["has_more"] == true || shot.data()[truncated] == true;
    let Some(largest) =
        candidates.iter().filter(|shot| !is_open(shot)).min_by_key(|shot| count(shot))
    else {
        return Ok(());
    };
    // It says that this is all: pages that are smaller must not lead further.
    let size = (count(largest) / 2).max(1).to_string();
    let mut call = and(&sample.call(), &["--limit", &size]);
    let mut total = 0;
    for _ in 0..MAX_PAGES {
        let page = worked(lab, &call)?;
        total += count(&page);
        let next = &page.data()[next_key.as_str()];
        if page.data()["has_more"] != true || next.is_null() {
            break;
        }
        let next = next.as_str().map_or_else(|| next.to_string(), str::to_owned);
        call = and(&sample.call(), &["--limit", &size, option, &next]);
    }
    let message = format!(
        "a list of {} items reports that there are no more, but its pages have {total}",
        count(largest)
    );
    largest.expect(total <= count(largest), message)
}

pub const FIELDS_OF_PAGES: Probe = Probe {
    id: "cli.fields-paging",
    section: "§8",
    title: "--fields on a list selects fields of its items and keeps the members for paging",
    why: "Without them, an agent never finds the second page",
    fix: "filter the items, and keep `items`, `count` and the members for the next page",
    run: |session| examine(session, fields_of_pages),
    ..Probe::of(FAMILY)
};

fn fields_of_pages(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.reading(Role::List)?;
    let (option, _) = paged(lab, &sample.path)?;
    let rules = &lab.contract.pagination;
    let controls = if option == "--cursor" { &rules.cursor_keys } else { &rules.offset_keys };
    let call = and(&sample.call(), &["--limit", "2"]);
    let whole = worked(lab, &call)?;
    let first = whole.at("/data/items/0").as_object();
    let chosen = first.and_then(|item| item.keys().find(|key| !key.starts_with('_')));
    let Some(chosen) = chosen else {
        let why = "the list of the mock upstream has no item with a field";
        return Err(Unfinished::Blocked(why.to_owned()));
    };
    let shot = worked(lab, &and(&call, &["--fields", chosen]))?;
    for key in controls.iter().map(crate::contract::name::Key::as_str) {
        let there = shot.data().get(key).is_some();
        shot.expect(there, format!("--fields removes `{key}` from the page"))?;
    }
    let same = count(&shot) == count(&whole);
    shot.expect(same, "--fields changes the number of items")?;
    let items = shot.at("/data/items").as_array().into_iter().flatten();
    for item in items.into_iter().filter_map(Value::as_object) {
        shot.expect(item.contains_key(chosen), format!("--fields loses `{chosen}` of an item"))?;
        let more = item.keys().find(|key| *key != chosen && !key.starts_with('_'));
        shot.expect(more.is_none(), "--fields keeps a field of an item that was not named")?;
    }
    Ok(())
}

pub const STREAM_FAILURE: Probe = Probe {
    id: "cli.stream-failure",
    section: "§5",
    title: "A stream that cannot start is a failure with its code, not an empty success",
    why: "A failure must not look like an empty stream",
    fix: "open the stream before printing the first line, and report its failure",
    run: |session| examine(session, stream_failure),
    ..Probe::of(FAMILY)
};

fn stream_failure(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Stream)?;
    lab.with_upstream(|upstream| {
        upstream.replace(|_| Reply::new(503, "application/json", "{}"));
    })?;
    let shot = lab.call(&sample.call());
    shot.expect(shot.exit() != Some(0), "a stream that cannot begin is a success")?;
    shot.expect_code(&["E_SERVER"], "a stream whose upstream fails")
}

pub const UNTRUSTED_ITEMS: Probe = Probe {
    id: "cli.untrusted-items",
    section: "§15.8",
    title: "Text from outside is marked on each item of a list, overview and batch, as on the single object",
    why: "Lists contain most of the outside text that an agent reads",
    fix: "mark objects in one function that builds them, for single objects and lists",
    run: |session| examine(session, untrusted_items),
    ..Probe::of(FAMILY)
};

fn untrusted_items(lab: &ProbeCaller<'_>) -> ProbeStep {
    let get = lab.reading(Role::Get)?;
    let foreign = lab.foreign(&get.path)?;
    let foreign: BTreeSet<&str> = foreign.iter().map(String::as_str).collect();
    if foreign.is_empty() {
        return Err(Unfinished::NotApplicable(format!(
            "`{}` has no field with text from outside",
            get.path
        )));
    }
    let mut shots = Vec::new();
    for sample in [Role::List, Role::Scopes].into_iter().flat_map(|role| lab.samples(role)) {
        shots.push(worked(lab, &sample.call())?);
    }
    if let Some(batch) = lab.samples(Role::Batch).next() {
        let call = meant(lab, batch, &batch.call());
        let token = token(lab, &call)?;
        shots.push(worked(lab, &and(&call, &["--confirm", &token]))?);
    }
    if shots.is_empty() && lab.fixture.local {
        let message = "the tool works only on this machine, and has no list and no batch";
        return Err(Unfinished::NotApplicable(message.to_owned()));
    }
    if shots.is_empty() {
        return Err(Unfinished::Blocked("conform.toml has no list and no batch".to_owned()));
    }
    let key = lab.contract.untrusted_key.as_str();
    for shot in &shots {
        shot.judged();
        if let Some(field) = values::unmarked(shot.data(), key, &foreign) {
            let message = format!(
                "an item has `{field}`, which is text from outside, but has no mark in `{key}`"
            );
            return Err(shot.fail(message));
        }
    }
    Ok(())
}
