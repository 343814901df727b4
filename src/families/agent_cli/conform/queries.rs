//! Queries and streams (agent-cli §5, §8): what lists, fields, ids, times and marks of foreign text look like.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fixture::Role;
use super::lab::{Account, ProbeCaller, and, examine};
use super::listing::params;
use super::shot::Answered;
use super::stop::{ProbeStep, Unfinished};
use super::{filters, kind, listing, shapes, short_page, values};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

/// The data of a sample, which has to work.
fn worked(lab: &ProbeCaller<'_>, call: &[String]) -> ProbeStep<Answered> {
    let shot = lab.call(call);
    shot.expect(shot.is_ok(), format!("`{}` fails against the mock upstream", call.join(" ")))?;
    Ok(shot)
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

pub const FIELDS: Probe = Probe {
    id: "cli.fields",
    section: "§8",
    title: "--fields keeps only the named fields, their marks in `_untrusted`, and the members for paging",
    why: "Agents use it to save tokens; without the mark, data could be read as instructions",
    fix: "filter after the data is built; keep `_untrusted` for the remaining fields",
    run: |session| examine(session, fields),
    ..Probe::of(FAMILY)
};

fn fields(lab: &ProbeCaller<'_>) -> ProbeStep {
    let untrusted = lab.contract.untrusted_key.as_str();
    let sample = lab.reading(Role::Get)?;
    let whole = worked(lab, &sample.call())?;
    let marked: Vec<&str> = whole.data()[untrusted]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let plain_keys = keys(whole.data()).into_iter().filter(|key| !key.starts_with('_'));
    let mut chosen: Vec<&str> = marked.iter().copied().take(1).collect();
    let mut plain_keys: Vec<&str> = plain_keys.collect();
    // A key of every object is certainly a field.
    plain_keys.sort_by_key(|key| *key != "id");
    chosen.extend(plain_keys.into_iter().filter(|key| !marked.contains(key)).take(1));
    let shot = worked(lab, &and(&sample.call(), &["--fields", &chosen.join(",")]))?;
    let found = keys(shot.data());
    for key in &chosen {
        shot.expect(found.contains(key), format!("--fields loses `{key}`"))?;
    }
    let more = found.iter().find(|key| !chosen.contains(key) && **key != untrusted);
    shot.expect(more.is_none(), "--fields keeps a field that was not named")?;
    if let Some(first) = marked.first() {
        let kept = shot.data()[untrusted].as_array();
        let kept = kept.is_some_and(|marks| marks.iter().any(|mark| mark == first));
        shot.expect(kept, format!("--fields loses the mark of `{first}` in `{untrusted}`"))?;
    }
    let shot = lab.call(&and(&sample.call(), &["--fields", "no_such_field"]));
    let is_left_out = shot.is_ok() && shot.data().get("no_such_field").is_none();
    if !is_left_out {
        shot.expect_code(&["E_VALIDATION", "E_USAGE"], "a field that does not exist")?;
    }
    Ok(())
}

pub const PAGING: Probe = Probe {
    id: "cli.paging",
    section: "§8",
    title: "A list has items, count and a reference to the next page, also on a short page; pages do not overlap, filters have an effect, and defaults are those of `reference`",
    why: "An agent must know that there are more entries, and how to get them; an ignored filter returns wrong entries",
    fix: "return the keys of the cursor style or the offset style, with `count` as the number of `items`, and pass each filter to the upstream",
    run: |session| examine(session, paging),
    ..Probe::of(FAMILY)
};

fn paging(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.reading(Role::List)?;
    filters::examine(lab, sample)?;
    let options: BTreeSet<String> = params(&lab.declared(&sample.path)?).collect();
    let way = ["cursor", "offset"].into_iter().find(|option| options.contains(*option));
    let (Some(way), true) = (way, options.contains("limit")) else {
        return Err(lab.absent(&format!("`{}` declares no pages", sample.path)));
    };
    let call = and(&sample.call(), &["--limit", short_page::SHORT]);
    let first = worked(lab, &call)?;
    let rules = &lab.contract.pagination;
    let wanted = if way == "cursor" { &rules.cursor_keys } else { &rules.offset_keys };
    for key in wanted {
        let there = first.data().get(key.as_str()).is_some();
        first.expect(there, format!("the page has no `{key}`"))?;
    }
    let count = first.data()["items"].as_array().map_or(0, Vec::len);
    first.expect(
        first.data()["count"].as_u64() == Some(count as u64),
        "`count` does not count `items`",
    )?;
    first.expect((1..=2).contains(&count), format!("--limit 2 returns {count} items"))?;
    let next = match way {
        "cursor" => &first.data()["next_cursor"],
        _ => &first.data()[rules.offset_next_key.as_str()],
    };
    let has_more = first.data()["has_more"] == true;
    first.expect(has_more != next.is_null(), "`has_more` and the way to the next page disagree")?;
    if !has_more {
        let message = "the list of the mock upstream has one page of two entries, so no pages can be compared";
        return Err(Unfinished::Blocked(message.to_owned()));
    }
    let next = next.as_str().map_or_else(|| next.to_string(), str::to_owned);
    let second = worked(lab, &and(&call, &[&format!("--{way}"), &next]))?;
    let ids = |shot: &Answered| -> Vec<String> {
        let items = shot.data()["items"].as_array().into_iter().flatten();
        items.map(|item| item.get("id").unwrap_or(item).to_string()).collect()
    };
    let (one, two) = (ids(&first), ids(&second));
    second.expect(!one.iter().any(|id| two.contains(id)), "two pages have an item in common")?;
    let again = worked(lab, &call)?;
    again.expect(
        ids(&again) == one,
        "the same page has other items, or another order, the second time",
    )?;
    let third = match way {
        "cursor" => &second.data()["next_cursor"],
        _ => &second.data()[rules.offset_next_key.as_str()],
    };
    if lab.fixture.local || third.is_null() {
        return Ok(());
    }
    let third = third.as_str().map_or_else(|| third.to_string(), str::to_owned);
    short_page::examine(lab, &and(&sample.call(), &[&format!("--{way}"), &next]), &third)
}

pub const IDS_AND_TIMES: Probe = Probe {
    id: "cli.ids-and-times",
    section: "§8",
    title: "Ids are strings and times are ISO 8601 in UTC",
    why: "Large numbers lose digits in JSON readers, and local times cannot be compared",
    fix: "convert both where the upstream's response is read",
    run: |session| examine(session, ids_and_times),
    ..Probe::of(FAMILY)
};

fn ids_and_times(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.reading(Role::Get)?;
    let lists = lab.samples(Role::List).map(super::fixture::Sample::call);
    for call in std::iter::once(sample.call()).chain(lists) {
        let shot = worked(lab, &call)?;
        if let Some((_, fault)) = values::wrong(&lab.contract.fields, shot.data()) {
            return Err(shot.fail(fault));
        }
    }
    Ok(())
}

pub const UNTRUSTED: Probe = Probe {
    id: "cli.untrusted",
    section: "§15.8",
    title: "Text from outside is marked in `_untrusted`, and the marks name existing fields",
    why: "An attacker's text must not be read as an instruction",
    fix: "add `_untrusted` to each object that has fields of `untrusted_fields`",
    run: |session| examine(session, untrusted),
    ..Probe::of(FAMILY)
};

fn untrusted(lab: &ProbeCaller<'_>) -> ProbeStep {
    let key = lab.contract.untrusted_key.as_str();
    let sample = lab.reading(Role::Get)?;
    let foreign = lab.foreign(&sample.path)?;
    let foreign: BTreeSet<&str> = foreign.iter().map(String::as_str).collect();
    let shot = worked(lab, &sample.call())?;
    let marks = shot.data()[key].as_array();
    let marks: BTreeSet<&str> = marks.into_iter().flatten().filter_map(Value::as_str).collect();
    for field in
        foreign.iter().filter(|field| shot.data().get(**field).is_some_and(values::is_text))
    {
        shot.expect(
            marks.contains(field),
            format!("`{field}` is text from outside, but is not in `{key}`"),
        )?;
    }
    let lists = lab.samples(Role::List).map(super::fixture::Sample::call);
    for call in std::iter::once(sample.call()).chain(lists) {
        let shot = worked(lab, &call)?;
        if let Some(mark) = values::stray_mark(shot.data(), key) {
            return Err(
                shot.fail(format!("`{key}` names `{mark}`, which is not a member of its object"))
            );
        }
    }
    other_reads(lab)
}

/// The first example of each query without a sample in conform.toml, if it works against the mock upstream.
fn other_reads(lab: &ProbeCaller<'_>) -> ProbeStep {
    let key = lab.contract.untrusted_key.as_str();
    let reference = lab.reference()?;
    let is_other = |path: &str| {
        let is_sample = lab.fixture.commands.iter().any(|sample| sample.path == path);
        !is_sample && !lab.fixture.long.iter().any(|long| long == path)
    };
    let others: Vec<_> = listing::commands(&reference)
        .filter(|(path, command)| {
            let reads = kind::reads(&lab.contract.commands, command);
            reads && command["stream"] != true && is_other(path)
        })
        .collect();
    for (path, command) in lab.tally.chosen(&others) {
        let foreign = lab.foreign(path).unwrap_or_default();
        let example = command["examples"].get(0).and_then(Value::as_str).unwrap_or_default();
        let words = listing::split(example);
        let is_own = words.first().is_some_and(|first| reference["tool"] == first.as_str());
        if foreign.is_empty() || !is_own {
            continue;
        }
        let shot = lab.call(&words[1..]);
        if !shot.is_ok() {
            continue;
        }
        let foreign: BTreeSet<&str> = foreign.iter().map(String::as_str).collect();
        let unmarked = values::unmarked_here(shot.data(), key, &foreign);
        shot.without(
            unmarked.map(|field| format!("`{field}` is foreign text and not in `{key}`")),
        )?;
    }
    Ok(())
}

pub const SCOPES: Probe = Probe {
    id: "cli.scopes",
    section: "§8.3",
    title: "A container that cannot be read is reported together with the others",
    why: "An incomplete response must not look complete",
    fix: "collect the failures of containers in a separate list, and continue",
    run: |session| examine(session, scopes),
    ..Probe::of(FAMILY)
};

fn scopes(lab: &ProbeCaller<'_>) -> ProbeStep {
    let sample = lab.sample(Role::Scopes)?;
    let shot = worked(lab, &sample.call())?;
    let errors = shot.data().as_object().into_iter().flatten().find(|(key, value)| {
        key.ends_with("_errors") && value.as_array().is_some_and(|errors| !errors.is_empty())
    });
    shot.expect(errors.is_some(), "the container that cannot be read is not reported")
}

pub const STREAM: Probe = Probe {
    id: "cli.stream",
    section: "§5",
    title: "Every line of a stream is a complete object with ok, schema_version and type",
    why: "A reader can stop at any line",
    fix: "print ok, schema_version and type in each line",
    run: |session| examine(session, stream),
    ..Probe::of(FAMILY)
};

fn stream(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = streamed(lab)?;
    let text = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
    let fault = shapes::stream(&lab.contract.envelope, &text).err();
    shot.without(fault.map(String::from))
}

/// The whole stream of the first sample.
fn streamed(lab: &ProbeCaller<'_>) -> ProbeStep<Answered> {
    let sample = lab.sample(Role::Stream)?;
    // Past the proxy, which would wait for the end of the stream; so with what the mock knows.
    let direct = lab.with_upstream(super::upstream::UpstreamProcess::direct)?;
    let variable = lab.session.base_url_env().unwrap_or_default();
    let mut more = vec![(variable, direct.as_str())];
    let credentials = lab.fixture.credentials.as_ref();
    more.extend(credentials.map(|each| (each.env.as_str(), each.account.as_str())));
    let shot = lab.run_as(Account::None, &sample.call(), &more);
    let text = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
    shot.expect(shot.exit() == Some(0) && !text.trim().is_empty(), "the stream fails")?;
    Ok(shot)
}

pub const STREAM_SUMMARY: Probe = Probe {
    id: "cli.stream-summary",
    section: "§5",
    title: "The last line of a stream has the type summary",
    why: "Without it, a reader cannot tell a complete stream from one that broke off",
    fix: "print a line with the type summary when the stream ends by itself",
    run: |session| examine(session, stream_summary),
    ..Probe::of(FAMILY)
};

fn stream_summary(lab: &ProbeCaller<'_>) -> ProbeStep {
    let shot = streamed(lab)?;
    let text = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
    let lines = shapes::stream(&lab.contract.envelope, &text);
    let lines = lines.map_err(|_| Unfinished::Blocked("`cli.stream` fails".to_owned()))?;
    shot.without(shapes::summary(&lab.contract.envelope, &lines))
}
