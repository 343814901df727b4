//! A page that is shorter than was asked for, although the upstream says that there are more (agent-cli §8).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::conform::mock::{ReceivedRequest, Reply};
use crate::conform::secrets::percent;

use super::lab::{ProbeCaller, and};
use super::shot::Answered;
use super::stop::ProbeStep;
use super::upstream::UpstreamProcess;

/// Sizes of a page that the tool is asked for; one that no other argument has is used.
const ASKED: [&str; 3] = ["7", "9", "6"];
/// The size that the upstream is asked for in its place, as in the pages before.
pub const SHORT: &str = "2";

/// Repeats the call for a page with a larger `--limit`, of which the upstream sees the small one. `next` is how the tool
/// named the page after it. Only an upstream that states that page itself says that the list is not complete.
///
/// # Errors
/// Returns an error if the tool says that the list ends there.
pub fn examine(lab: &ProbeCaller<'_>, call: &[String], next: &str) -> ProbeStep {
    let is_free = |size: &&str| !call.iter().any(|word| word == *size);
    let (Some(asked), false) = (ASKED.into_iter().find(is_free), next == SHORT) else {
        return Ok(());
    };
    let is_stated = Arc::new(AtomicBool::new(false));
    let (stated, next) = (Arc::clone(&is_stated), next.to_owned());
    lab.with_upstream(|upstream| {
        upstream.alter(
            move |request| request.target = shortened(&request.target, asked),
            move |request, reply| {
                if has_size(request, SHORT) && states(reply, &next) {
                    stated.store(true, Ordering::SeqCst);
                }
            },
        );
    })?;
    let shot = lab.call(&and(call, &["--limit", asked]));
    lab.with_upstream(UpstreamProcess::restore)?;
    if !shot.is_ok() || !is_stated.load(Ordering::SeqCst) {
        return Ok(());
    }
    let count = shot.at("/data/items").as_array().map_or(0, Vec::len);
    let is_short = count.to_string() == SHORT;
    shot.expect(
        !is_short || is_open(lab, &shot),
        "a page with fewer items than --limit looks like the last one, although the upstream names the next page",
    )
}

fn is_open(lab: &ProbeCaller<'_>, shot: &Answered) -> bool {
    let truncated = lab.contract.pagination.truncated_key.as_str();
    shot.data()["has_more"] == true || shot.data()[truncated] == true
}

/// The target with another size of the page.
fn shortened(target: &str, asked: &str) -> String {
    let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if value == asked => format!("{name}={SHORT}"),
        _ => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

fn has_size(request: &ReceivedRequest, size: &str) -> bool {
    let query = request.target.split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|pair| pair.split_once('=').is_some_and(|(_, value)| value == size))
}

/// True if a response names the next page: in a member outside of its lists, or in an address in it or in a header.
fn states(reply: &Reply, next: &str) -> bool {
    let is_address = |text: &str| {
        [next.to_owned(), percent(next)].iter().any(|value| {
            let parts = text.split(['?', '&', '>', ';', '"']);
            parts.filter_map(|part| part.split_once('=')).any(|(_, found)| found == value)
        })
    };
    let names = |value: &Value| match value {
        Value::String(text) => text == next || is_address(text),
        Value::Number(number) => number.to_string() == next,
        _ => false,
    };
    reply.headers.iter().any(|(_, value)| is_address(value))
        || serde_json::from_slice(&reply.body).is_ok_and(|body: Value| outside(&body, &names))
}

/// True if a value that is in no list fits.
fn outside(value: &Value, fits: &dyn Fn(&Value) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(_, member)| outside(member, fits)),
        Value::Array(_) => false,
        other => fits(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_size_of_a_page_is_replaced() {
        assert_eq!(shortened("/a?limit=7&q=77&cursor=x", "7"), "/a?limit=2&q=77&cursor=x");
        assert_eq!(shortened("/7", "7"), "/7");
    }

    #[test]
    fn the_next_page_is_stated_in_a_member_or_an_address_and_not_by_an_entry() {
        let of = |body: &str| Reply::new(200, "application/json", body);
        assert!(states(&of(r#"{"paging": {"after": "b4"}, "items": []}"#), "b4"));
        assert!(states(&of(r#"{"after": 4}"#), "4"));
        assert!(states(&of(r#"{"next": "https://a.example/b?size=2&at=b%2F4"}"#), "b/4"));
        assert!(!states(&of(r#"{"items": [{"id": 4}]}"#), "4"));
        assert!(!states(&of(r#"[{"id": 4}]"#), "4"));
        let mut linked = of("[]");
        linked
            .headers
            .push(("Link".to_owned(), "<https://a.example/b?page=4>; rel=\"next\"".to_owned()));
        assert!(states(&linked, "4"));
    }
}
