//! A preset that a user wrote: parsed, and refused where commands made from it could not work.
//!
//! Refusals that the preset omits are those of most APIs, as in the example preset.

use std::collections::BTreeSet;

use super::generate::manifest;
use crate::contract::name::Key;
use crate::families::harness::operations::{
    AuthScheme, Operation, Preset, PresetAuth, PresetRefusal,
};
use crate::families::harness::profile::FailureRule;
use crate::inputs::embedded;
use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;

/// Most operations of one preset.
const MAX_OPERATIONS: usize = 2_000;
/// Inputs that every list has.
const WINDOW: [&str; 2] = ["limit", "cursor"];

/// The preset of a text.
///
/// # Errors
/// Names the first place that is wrong.
pub fn parse(text: &str, example: &Preset) -> Result<Preset, Failure> {
    let mut preset: Preset =
        embedded::toml("preset.toml", text).map_err(|error| refused(&error.reason))?;
    if let Some(reason) = fault(&preset) {
        return Err(refused(&reason));
    }
    if preset.refusals.is_empty() {
        let usual = example.refusals.iter().filter(|refusal| is_usual(&preset, refusal));
        preset.refusals = usual.cloned().collect();
    }
    Ok(preset)
}

/// Whether the API refuses in this way, as most do: its own rules may classify a status in another way, and waiting
/// times of an API with rules are its own.
fn is_usual(preset: &Preset, refusal: &PresetRefusal) -> bool {
    let failures = &preset.api.failures;
    let is_plain = |rule: &&FailureRule| rule.header.is_empty() && rule.body.is_empty();
    let classifies =
        |rule: &FailureRule| rule.status.is_empty() || rule.status.contains(&refusal.status);
    failures.is_empty()
        || matches!(refusal.when.as_str(), "credentials" | "path" | "request")
            && !failures.iter().filter(is_plain).any(classifies)
}

fn fault(preset: &Preset) -> Option<String> {
    let texts = [&preset.label, &preset.summary, &preset.backend, &preset.category];
    if texts.iter().any(|text| text.is_empty() || text.chars().any(char::is_control)) {
        return Some("label, summary, backend and category must be one line each".to_owned());
    }
    let base = &preset.api.base_url;
    if !base.is_empty() && !base.starts_with("https://") {
        return Some("`api.base_url` must begin with https://".to_owned());
    }
    if preset.auth.service_keys.is_empty() && preset.auth.scheme != AuthScheme::None {
        return Some(
            "`auth.service_keys` must name the variables that hold the credentials, or `auth.scheme` must be \"none\""
                .to_owned(),
        );
    }
    if let Some(reason) = further_keys(&preset.auth) {
        return Some(reason);
    }
    if preset.operations.is_empty() || preset.operations.len() > MAX_OPERATIONS {
        return Some(format!("it must have 1 to {MAX_OPERATIONS} [[operations]]"));
    }
    let fields: BTreeSet<&str> = preset.fields.iter().map(|field| field.id.as_str()).collect();
    if fields.len() < preset.fields.len() {
        return Some("a field is declared twice".to_owned());
    }
    if let Some(taken) = WINDOW.into_iter().find(|name| fields.contains(name)) {
        return Some(format!("every list already has the field `{taken}`: remove it"));
    }
    let mut ids = BTreeSet::new();
    preset.operations.iter().find_map(|operation| {
        let id = operation.id.as_str();
        let reason = if ids.insert(id) {
            wrong(operation, &fields)?
        } else {
            "is declared twice".to_owned()
        };
        Some(format!("the operation `{}` {reason}", excerpt(id, 60)))
    })
}

/// Returns the fault of the further keys: each has one place of its own and is one of the service keys.
fn further_keys(auth: &PresetAuth) -> Option<String> {
    let mut seen = BTreeSet::new();
    for more in &auth.more {
        let places = [&more.header, &more.query];
        let [place] = places.iter().filter(|place| !place.is_empty()).collect::<Vec<_>>()[..]
        else {
            return Some("each of `auth.more` has either `header` or `query`".to_owned());
        };
        let is_name = |symbol: char| symbol.is_ascii_graphic() && !"\"\\:".contains(symbol);
        if !place.chars().all(is_name)
            || place.eq_ignore_ascii_case(&auth.header)
            || !seen.insert(place.to_lowercase())
        {
            let reason = format!("`auth.more` cannot send a key as `{}`", excerpt(place, 60));
            return Some(reason);
        }
        if !auth.service_keys.contains(&more.key) {
            return Some(format!(
                "`{}` in `auth.more` is not one of `auth.service_keys`",
                more.key
            ));
        }
    }
    None
}

fn wrong(operation: &Operation, fields: &BTreeSet<&str>) -> Option<String> {
    if !operation.id.as_str().contains('.') {
        return Some("has no dot: an id is RESOURCE.ACTION".to_owned());
    }
    if !operation.path.starts_with('/') {
        return Some("has a path that does not begin with `/`".to_owned());
    }
    if operation.list && operation.result.is_empty() {
        return Some("is a list without `result`, its name in the response".to_owned());
    }
    if operation.path.contains("{each_item}") != operation.each.is_some() {
        return Some("has only one of `each` and {each_item} in its path".to_owned());
    }
    let is_known = |id: &String| WINDOW.contains(&id.as_str()) || fields.contains(id.as_str());
    let unknown = manifest::inputs(operation).into_iter().find(|id| !is_known(id));
    unknown
        .or_else(|| unreadable(operation))
        .map(|id| format!("uses `{}`, which no [[fields]] declares", excerpt(&id, 60)))
}

/// A part of the path that can be no field.
fn unreadable(operation: &Operation) -> Option<String> {
    operation.path.split('{').skip(1).find_map(|part| {
        let name = part.split_once('}').map_or(part, |(name, _)| name);
        Key::parse(name.trim_start_matches('+')).is_none().then(|| name.to_owned())
    })
}

fn refused(reason: &str) -> Failure {
    Failure::new(
        ErrorCode::Validation,
        format!("the preset file is not valid: {}", excerpt(reason, 600)),
    )
    .hint("docs/presets.md describes the file; the presets of aos are examples")
}
