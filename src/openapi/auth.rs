//! The credentials that a project sends, and the operations for which they are not enough.
//!
//! Environment names follow the name of the tool. A token that OAuth gives is taken ready; nothing is ever obtained.

use std::collections::BTreeMap;

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
    /// Whether it is a token that the user obtained by OAuth.
    pub is_ready_token: bool,
    pub notes: Vec<String>,
    /// Names of schemes that these credentials satisfy.
    satisfied: Vec<String>,
    /// The name of each scheme.
    known: BTreeMap<String, String>,
    default: Option<super::model::Requirements>,
}

/// Chooses the scheme that opens most of the operations.
pub fn choose<'a>(
    api: &ApiDescription,
    endpoints: impl Iterator<Item = &'a Endpoint>,
    name: &str,
) -> ApiCredentials {
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
    let chosen = best.and_then(|(name, _)| api.schemes.get_key_value(*name));
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
            chosen.is_some_and(|(chosen, kind)| {
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
    let secret = if word.is_empty() { String::new() } else { format!("{name}_{word}") };
    let user =
        if form == CredentialForm::Basic { format!("{name}_USERNAME") } else { String::new() };
    let mut notes = Vec::new();
    if form == CredentialForm::None && needing == 0 && !api.schemes.is_empty() {
        notes.push("no operation asks for credentials that can be sent, so none are".to_owned());
    }
    if api.schemes.is_empty() {
        notes.push("the description says nothing about credentials, so none are sent; `--set auth=bearer` (or `header`, `basic`) sends them".to_owned());
    }
    ApiCredentials { form, secret, user, is_ready_token, notes, satisfied, known, default: None }
}

impl ApiCredentials {
    /// Says whether an operation needs the credentials.
    ///
    /// # Errors
    /// When it wants others, by their names.
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
