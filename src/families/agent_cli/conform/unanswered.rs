//! A target of a batch that the response of the upstream leaves out (agent-cli §15.5): nobody knows whether it was
//! written, so it is not a success.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::fixture::Sample;
use super::gate::{meant, token};
use super::lab::{ProbeCaller, and};
use super::stop::ProbeStep;
use super::upstream::UpstreamProcess;

/// Confirms the batch while the upstream leaves out the entry of one target. An upstream that gets one request for each
/// target, or that reports failures alone, has no such entries.
///
/// # Errors
/// Returns an error if the tool reports the target as a success.
pub fn examine(lab: &ProbeCaller<'_>, sample: &Sample) -> ProbeStep {
    let call = meant(lab, sample, &sample.call());
    let token = token(lab, &call)?;
    let victim = sample.targets[1].clone();
    let (targets, left_out) = (sample.targets.clone(), victim.clone());
    let is_removed = Arc::new(AtomicBool::new(false));
    let removed = Arc::clone(&is_removed);
    lab.with_upstream(|upstream| {
        upstream.alter(
            |_| {},
            move |request, reply| {
                let Ok(mut body) = serde_json::from_slice::<Value>(&reply.body) else { return };
                if request.method != "GET" && remove(&mut body, &targets, &left_out) {
                    reply.body = body.to_string().into_bytes();
                    removed.store(true, Ordering::SeqCst);
                }
            },
        );
    })?;
    let shot = lab.call(&and(&call, &["--confirm", &token]));
    lab.with_upstream(UpstreamProcess::restore)?;
    if !shot.is_ok() || !is_removed.load(Ordering::SeqCst) {
        return Ok(());
    }
    let items = shot.at("/data/items").as_array().into_iter().flatten();
    let succeeds =
        items.into_iter().any(|item| item["target"] == victim.as_str() && item["ok"] == true);
    let message =
        format!("`{victim}` is reported as ok, although the response of the upstream omits it");
    shot.expect(!succeeds, message)
}

/// Removes the entry of a target from a list or a table that has one for every target.
fn remove(value: &mut Value, targets: &[String], victim: &str) -> bool {
    match value {
        Value::Array(items) => {
            // A list of bare ids may only repeat the request.
            let is_about = |item: &Value, target: &str| {
                let members = item.as_object().filter(|members| members.len() > 1);
                members.is_some_and(|members| members.values().any(|member| is(member, target)))
            };
            let has = |target: &String| items.iter().any(|item| is_about(item, target));
            if targets.iter().all(has) {
                items.retain(|item| !is_about(item, victim));
                return true;
            }
            items.iter_mut().any(|item| remove(item, targets, victim))
        }
        Value::Object(members) => {
            if targets.iter().all(|target| members.contains_key(target)) {
                return members.remove(victim).is_some();
            }
            members.values_mut().any(|member| remove(member, targets, victim))
        }
        _ => false,
    }
}

fn is(value: &Value, target: &str) -> bool {
    match value {
        Value::String(text) => text == target,
        Value::Number(number) => target == number.to_string(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_is_removed_only_where_every_target_has_one() {
        let targets = ["1", "2"].map(str::to_owned);
        let removed = |mut value: Value| remove(&mut value, &targets, "2").then_some(value);
        let listed = json!({"results": [{"id": 1, "status": 200}, {"id": "2", "status": 200}]});
        assert_eq!(removed(listed), Some(json!({"results": [{"id": 1, "status": 200}]})));
        assert_eq!(
            removed(json!({"done": {"1": 200, "2": 404}})),
            Some(json!({"done": {"1": 200}}))
        );
        assert_eq!(removed(json!({"ids": [1, 2], "errors": []})), None);
        assert_eq!(removed(json!({"failed": [{"id": 2, "why": "gone"}]})), None);
    }
}
