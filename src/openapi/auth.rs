//! The credentials that a project sends, and the operations for which they are not enough.
//!
//! Environment names follow the name of the tool. A token that OAuth gives is taken ready; nothing is ever obtained.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{ApiDescription, Endpoint, SecurityScheme};
use crate::reason::Reason;
use crate::visible::excerpt;

/// The way in which the key is sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CredentialForm {
    None,
    Bearer,
    Basic,
    Header(String),
    Query(String),
}

/// The credentials of a project.
#[derive(Clone, Debug)]
pub struct ApiCredentials {
    pub form: CredentialForm,
    /// The variable of the secret, and that of the user name.
    pub secret: String,
    pub user: String,
    /// Further keys that the API wants together with the secret.
    pub more: Vec<FurtherCredential>,
    /// Whether it is a token that the user obtained by OAuth.
    pub is_ready_token: bool,
    pub notes: Vec<String>,
    /// Names of schemes that these credentials satisfy.
    satisfied: Vec<String>,
    /// The name of each scheme.
    known: BTreeMap<String, String>,
    default: Option<super::model::Requirements>,
}

/// A key beside the first one, sent as it is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FurtherCredential {
    pub in_query: bool,
    /// The header, or the name in the query.
    pub name: String,
    pub variable: String,
}

/// Chooses the scheme that opens most of the operations, or the schemes that most of them want at once.
pub fn choose<'a>(
    api: &ApiDescription,
    endpoints: impl Iterator<Item = &'a Endpoint> + Clone,
    name: &str,
) -> ApiCredentials {
    let together = together(api, endpoints.clone());
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut needing = 0;
    for endpoint in endpoints {
        let alternatives = endpoint.security.iter().flatten();
        let single: Vec<&str> = alternatives
            .filter(|names| names.len() == 1)
            .filter_map(|names| names.first().map(String::as_str))
            .filter(|name| api.schemes.get(*name).is_some_and(is_supported))
            .collect();
        needing += usize::from(!single.is_empty());
        for name in single {
            *votes.entry(name).or_default() += 1;
        }
    }
    let best = votes.iter().max_by_key(|(name, count)| {
        let scheme = api.schemes.get(**name);
        (**count, scheme.map_or(0, preference), std::cmp::Reverse(**name))
    });
    let single = votes.values().max().copied().unwrap_or_default();
    let together = together.into_iter().find(|(_, count)| *count > single).map(|(names, _)| names);
    let first = match &together {
        Some(names) => names.first().map(String::as_str),
        None => best.map(|(name, _)| *name),
    };
    let chosen = first.and_then(|name| api.schemes.get_key_value(name));
    let (form, is_ready_token) = match chosen.map(|(_, scheme)| scheme) {
        Some(SecurityScheme::Bearer) => (CredentialForm::Bearer, false),
        Some(SecurityScheme::ReadyToken) => (CredentialForm::Bearer, true),
        Some(SecurityScheme::Basic) => (CredentialForm::Basic, false),
        Some(SecurityScheme::Header(header)) => (CredentialForm::Header(header.clone()), false),
        Some(SecurityScheme::Query(query)) => (CredentialForm::Query(query.clone()), false),
        _ => (CredentialForm::None, false),
    };
    let satisfied = api
        .schemes
        .iter()
        .filter(|(name, scheme)| {
            together.as_ref().is_some_and(|names| names.contains(name))
                || chosen.is_some_and(|(chosen, kind)| {
                    *name == chosen || *scheme == kind || is_bearer(scheme) && is_bearer(kind)
                })
        })
        .map(|(name, _)| name.clone())
        .collect();
    let known =
        api.schemes.iter().map(|(name, scheme)| (name.clone(), described(scheme))).collect();
    let word = match form {
        CredentialForm::None => "",
        CredentialForm::Bearer => "TOKEN",
        CredentialForm::Basic => "PASSWORD",
        CredentialForm::Header(_) | CredentialForm::Query(_) => "API_KEY",
    };
    let mut secret = if word.is_empty() { String::new() } else { format!("{name}_{word}") };
    let mut more = Vec::new();
    if let Some(names) = &together {
        if let CredentialForm::Header(key) | CredentialForm::Query(key) = &form {
            secret = variable(name, key);
        }
        let mut taken = BTreeSet::from([secret.clone()]);
        for scheme in names.iter().skip(1).filter_map(|name| api.schemes.get(name)) {
            let Some(mut key) = further(name, scheme) else { continue };
            while !taken.insert(key.variable.clone()) {
                key.variable.push_str(if key.in_query { "_QUERY" } else { "_HEADER" });
            }
            more.push(key);
        }
    }
    let user =
        if form == CredentialForm::Basic { format!("{name}_USERNAME") } else { String::new() };
    let mut notes = Vec::new();
    if form == CredentialForm::None && needing == 0 && !api.schemes.is_empty() {
        notes.push(unasked(api));
    }
    if api.schemes.is_empty() {
        notes.push("the description says nothing about credentials, so none are sent; `--set auth=bearer` (or `header`, `basic`) sends them".to_owned());
    }
    ApiCredentials {
        form,
        secret,
        user,
        more,
        is_ready_token,
        notes,
        satisfied,
        known,
        default: None,
    }
}

/// The note about schemes that no operation asks for, with the answer that sends the first of them.
fn unasked(api: &ApiDescription) -> String {
    let named = api.schemes.iter().find(|(_, scheme)| is_supported(scheme));
    let is_silent = api.endpoints.iter().all(|endpoint| endpoint.security.is_none());
    let Some((name, scheme)) = named.filter(|_| is_silent) else {
        return "no operation asks for credentials that can be sent, so none are".to_owned();
    };
    let answer = match scheme {
        SecurityScheme::Basic => "`--set auth=basic` sends it".to_owned(),
        SecurityScheme::Header(header) => {
            format!("`--set auth=header --set auth_header={header}` sends it")
        }
        SecurityScheme::Query(_) => "add `security` to the description to send it".to_owned(),
        _ => "`--set auth=bearer` sends it".to_owned(),
    };
    let (name, kind) = (excerpt(name, 40), described(scheme));
    format!("no operation asks for `{name}` ({kind}), so nothing is sent; {answer}")
}

/// Most keys of one call.
const MAX_KEYS: usize = 4;

/// Returns the sets of schemes that operations want at once, with the number of operations, the most frequent first.
/// The first scheme of a set is the one that a project can send in any form; the others are keys with different places.
fn together<'a>(
    api: &ApiDescription,
    endpoints: impl Iterator<Item = &'a Endpoint>,
) -> Vec<(Vec<String>, usize)> {
    let mut sets: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for endpoint in endpoints {
        for names in endpoint.security.iter().flatten().filter(|names| names.len() > 1) {
            let mut names: Vec<String> = names.clone();
            let rank = |name: &String| match api.schemes.get(name) {
                Some(SecurityScheme::Header(_)) => 1,
                Some(SecurityScheme::Query(_)) | None => 0,
                // Only the first can be more than a key.
                Some(_) => 2,
            };
            names.sort_by(|left, right| rank(right).cmp(&rank(left)).then_with(|| left.cmp(right)));
            *sets.entry(names).or_default() += 1;
        }
    }
    let mut sets: Vec<_> = sets.into_iter().filter(|(names, _)| can_be_sent(api, names)).collect();
    sets.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.len().cmp(&right.0.len())));
    sets
}

fn can_be_sent(api: &ApiDescription, names: &[String]) -> bool {
    let mut places = BTreeSet::new();
    let schemes = names.iter().map(|name| api.schemes.get(name));
    names.len() <= MAX_KEYS
        && schemes.enumerate().all(|(at, scheme)| match scheme {
            Some(SecurityScheme::Header(key)) => places.insert((false, key.to_lowercase())),
            Some(SecurityScheme::Query(key)) => places.insert((true, key.clone())),
            Some(scheme) => {
                at == 0
                    && is_supported(scheme)
                    && places.insert((false, "authorization".to_owned()))
            }
            None => false,
        })
}

fn further(name: &str, scheme: &SecurityScheme) -> Option<FurtherCredential> {
    let (in_query, key) = match scheme {
        SecurityScheme::Header(key) => (false, key),
        SecurityScheme::Query(key) => (true, key),
        _ => return None,
    };
    Some(FurtherCredential { in_query, name: key.clone(), variable: variable(name, key) })
}

/// The variable of one key among several: `PLAID_SECRET` for the header `PLAID-SECRET` of the tool `plaid`.
fn variable(name: &str, key: &str) -> String {
    let text = key.replace(|symbol: char| !symbol.is_ascii_alphanumeric(), "_").to_uppercase();
    let text = text.trim_matches('_');
    let text = text.strip_prefix("X_").unwrap_or(text);
    let text = text.strip_prefix(name).unwrap_or(text).trim_matches('_');
    if text.is_empty() { format!("{name}_API_KEY") } else { format!("{name}_{text}") }
}

impl ApiCredentials {
    /// Says whether an operation needs the credentials.
    ///
    /// # Errors
    /// Returns an error if it wants others, by their names.
    pub fn needs(&self, endpoint: &Endpoint) -> Result<bool, Reason> {
        let alternatives = match endpoint.security.as_ref().or(self.default.as_ref()) {
            None => return Ok(false),
            Some(alternatives) if alternatives.is_empty() => return Ok(false),
            Some(alternatives) => alternatives,
        };
        let is_met = |names: &Vec<String>| {
            !names.is_empty() && names.iter().all(|name| self.satisfied.contains(name))
        };
        if alternatives.iter().any(is_met) {
            return Ok(true);
        }
        if alternatives.iter().any(Vec::is_empty) {
            return Ok(false);
        }
        let shown = |names: &Vec<String>| {
            let names = names.iter().map(|name| {
                let kind = self.known.get(name).map_or("not described", String::as_str);
                format!("`{}` ({kind})", excerpt(name, 40))
            });
            names.collect::<Vec<_>>().join(" and ")
        };
        let wanted: Vec<_> = alternatives.iter().take(3).map(shown).collect();
        Err(format!("it needs {}", wanted.join(" or ")).into())
    }
}

fn is_supported(scheme: &SecurityScheme) -> bool {
    !matches!(scheme, SecurityScheme::Other(_) | SecurityScheme::Cookie(_))
}

fn is_bearer(scheme: &SecurityScheme) -> bool {
    matches!(scheme, SecurityScheme::Bearer | SecurityScheme::ReadyToken)
}

fn preference(scheme: &SecurityScheme) -> usize {
    match scheme {
        SecurityScheme::Bearer => 5,
        SecurityScheme::Header(_) => 4,
        SecurityScheme::ReadyToken => 3,
        SecurityScheme::Basic => 2,
        SecurityScheme::Query(_) => 1,
        SecurityScheme::Cookie(_) | SecurityScheme::Other(_) => 0,
    }
}

fn described(scheme: &SecurityScheme) -> String {
    match scheme {
        SecurityScheme::Bearer => "a bearer token".to_owned(),
        SecurityScheme::Basic => "HTTP Basic".to_owned(),
        SecurityScheme::Header(name) => format!("a key in the header {name}"),
        SecurityScheme::Query(name) => format!("a key in the query, {name}"),
        SecurityScheme::Cookie(name) => format!("a key in the cookie {name}"),
        SecurityScheme::ReadyToken => "an OAuth token".to_owned(),
        SecurityScheme::Other(kind) => kind.clone(),
    }
}
