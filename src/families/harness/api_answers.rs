//! The answers that describe an API without a preset: where it is, its key, its health, pages and failures.
//!
//! They change the example preset before anything is rendered, so that code and conform.toml agree.

use std::collections::BTreeMap;

use serde_json::Value;

use super::generate::facts::set;
use crate::contract::name::Constant;
use crate::families::harness::operations::{AuthScheme, Paging, PagingPlace, PagingStyle, Preset};
use crate::report::{ErrorCode, Failure};

/// Questions that only an API without a preset leaves open.
const KEYS: [&str; 10] = [
    "auth",
    "auth_header",
    "secret_key",
    "user_key",
    "health",
    "paging",
    "paging_limit",
    "paging_position",
    "paging_next",
    "error_message",
];
const USUAL_HEADER: &str = "X-Api-Key";
/// Largest page that is asked for by default.
const PAGE: u32 = 100;

/// Changes the preset as the answers say.
///
/// # Errors
/// Returns an error if an answer does not fit the preset or another answer.
pub fn apply(
    preset: &mut Preset,
    (preset_name, is_open): (&str, bool),
    answers: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    let answer = |key: &str| answers.get(key).filter(|text| !text.is_empty()).map(String::as_str);
    if !is_open {
        if let Some(key) = KEYS.into_iter().find(|key| answer(key).is_some()) {
            return Err(refused(
                format!("`{key}` cannot be set: the preset `{preset_name}` sets it"),
                "omit it; a preset or a description of the API decides this",
            ));
        }
        return Ok(());
    }
    authentication(preset, answer)?;
    if let Some(path) = answer("health") {
        path.clone_into(&mut preset.api.health.path);
    }
    paging(preset, answer)?;
    if let Some(place) = answer("error_message") {
        preset.api.messages = vec![place.to_owned()];
        for refusal in &mut preset.refusals {
            refusal.body = with_message_at(&refusal.body, place);
        }
    }
    Ok(())
}

/// Makes room for the credentials of an API whose description does not say how it is called.
///
/// # Errors
/// Returns an error if `name` is not a variable.
pub fn open(preset: &mut Preset, name: &str) -> Result<(), Failure> {
    let auth = &mut preset.auth;
    "Authorization".clone_into(&mut auth.header);
    name.clone_into(&mut auth.secret_key);
    auth.service_keys.push(constant(name)?);
    auth.interactive_setup.push(format!("Create a key in the settings of {}.", preset.label));
    auth.interactive_setup.push(format!("Store it as {name} in API Keys."));
    Ok(())
}

/// Sets the address of the API: a fixed one, or a variable that each operator sets.
///
/// # Errors
/// Returns an error if the preset already asks for it, or both were given.
pub fn place(preset: &mut Preset, answers: &BTreeMap<String, String>) -> Result<(), Failure> {
    let answer = |key: &str| answers.get(key).filter(|text| !text.is_empty());
    let (url, variable) = (answer("base_url"), answer("base_url_env"));
    let key = &preset.api.base_url_key;
    if !key.is_empty() && (url.is_some() || variable.is_some()) {
        return Err(refused(
            format!("`base_url` cannot be set: with this preset, each user sets it in {key}"),
            "omit `base_url`",
        ));
    }
    match (url, variable) {
        (Some(_), Some(_)) => Err(refused(
            "`base_url` and `base_url_env` exclude each other".to_owned(),
            "use `base_url` for one host, or `base_url_env` if each operator has another host",
        )),
        (Some(url), None) => {
            url.trim_end_matches('/').clone_into(&mut preset.api.base_url);
            Ok(())
        }
        (None, Some(variable)) => {
            preset.api.base_url.clear();
            preset.api.url_override.clear();
            preset.api.base_url_key.clone_from(variable);
            preset.auth.service_keys.insert(0, constant(variable)?);
            let step = format!("Store the address of the API as {variable} in API Keys.");
            preset.auth.interactive_setup.push(step);
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

fn authentication<'a>(
    preset: &mut Preset,
    answer: impl Fn(&str) -> Option<&'a str>,
) -> Result<(), Failure> {
    let auth = &mut preset.auth;
    if let Some(name) = answer("secret_key") {
        let old = std::mem::replace(&mut auth.secret_key, name.to_owned());
        auth.service_keys.retain(|key| key.as_str() != old);
        auth.service_keys.push(constant(name)?);
        for step in &mut auth.interactive_setup {
            *step = step.replace(&old, name);
        }
    }
    match answer("auth") {
        Some("header") => auth.scheme = AuthScheme::Header,
        Some("basic") => auth.scheme = AuthScheme::Basic,
        Some(_) => auth.scheme = AuthScheme::Bearer,
        None => {}
    }
    match (auth.scheme, answer("auth_header")) {
        (AuthScheme::Basic, Some(_)) => {
            let hint = "omit it, or choose `auth=header`";
            return Err(refused(
                "HTTP Basic always uses the header Authorization".to_owned(),
                hint,
            ));
        }
        (_, Some(header)) => header.clone_into(&mut auth.header),
        (AuthScheme::Header, None) => USUAL_HEADER.clone_into(&mut auth.header),
        (_, None) => {}
    }
    match (auth.scheme, answer("user_key")) {
        (AuthScheme::Basic, user) => {
            let usual = format!("{}_USER", auth.secret_key.trim_end_matches("_KEY"));
            auth.user_key = user.map_or(usual, str::to_owned);
            let step = format!("Store the name of the user as {} in API Keys.", auth.user_key);
            auth.service_keys.insert(0, constant(&auth.user_key)?);
            auth.interactive_setup.push(step);
        }
        (_, Some(_)) => {
            let hint = "omit it, or choose `auth=basic`";
            return Err(refused("`user_key` is for HTTP Basic".to_owned(), hint));
        }
        (_, None) => {}
    }
    Ok(())
}

fn paging<'a>(
    preset: &mut Preset,
    answer: impl Fn(&str) -> Option<&'a str>,
) -> Result<(), Failure> {
    let rules = &mut preset.api.paging;
    if let Some(style) = answer("paging") {
        *rules = usual(style);
    }
    for (key, place) in [
        ("paging_limit", &mut rules.limit),
        ("paging_position", &mut rules.position),
        ("paging_next", &mut rules.next),
    ] {
        let Some(text) = answer(key) else { continue };
        if rules.style == PagingStyle::None {
            let hint = "omit it, or choose a kind of pages with `paging`";
            return Err(refused(format!("`{key}` is for a list that has pages"), hint));
        }
        text.clone_into(place);
    }
    Ok(())
}

/// The names that most APIs have for a way of paging.
fn usual(style: &str) -> Paging {
    let named = |style, limit: &str, position: &str, next: &str| Paging {
        style,
        limit: limit.to_owned(),
        max_limit: PAGE,
        position: position.to_owned(),
        next: next.to_owned(),
        place: PagingPlace::Query,
        ..Paging::default()
    };
    match style {
        "cursor" => named(PagingStyle::Cursor, "limit", "cursor", "next_cursor"),
        "link" => named(PagingStyle::Link, "per_page", "", ""),
        "page" => named(PagingStyle::Page, "per_page", "page", ""),
        "offset" => named(PagingStyle::Offset, "limit", "offset", ""),
        _ => Paging::default(),
    }
}

/// The body of a failure with its message at a place of its own.
fn with_message_at(body: &str, place: &str) -> String {
    let Ok(Value::Object(mut members)) = serde_json::from_str(body) else {
        return body.to_owned();
    };
    let Some(message) = members.shift_remove("message") else { return body.to_owned() };
    let mut tree = Value::Object(members);
    set(&mut tree, place, message);
    tree.to_string()
}

fn constant(name: &str) -> Result<Constant, Failure> {
    Constant::parse(name).ok_or_else(|| {
        refused(format!("`{name}` is not a variable"), "use a name such as `ACME_API_KEY`")
    })
}

fn refused(message: String, hint: &str) -> Failure {
    Failure::new(ErrorCode::Validation, message).hint(hint)
}
