//! Checks of the facts: bounded, consistent, and with a reply for every request that the mock can get.

use std::collections::{BTreeMap, BTreeSet};

use super::{ApiFacts, Exchange, FurtherAuth, When, names_in};
use crate::strict_json;

/// Most commands, requests of a command, and refusals.
const MAX_COMMANDS: usize = 2_000;
const MAX_REQUESTS: usize = 100;
const MAX_REFUSALS: usize = 200;
/// The refusals that every API has; the mock answers with them.
const WANTED: [When; 3] = [When::Credentials, When::Path, When::Request];

impl ApiFacts {
    /// Checks what types cannot say; a fault comes with a word of the file near it.
    ///
    /// # Errors
    /// The word and what is wrong.
    pub fn check(&self) -> Result<(), (String, String)> {
        let fault = |word: &str, reason: String| Err((word.to_owned(), reason));
        if !self.base_url.is_empty() && !self.base_url.starts_with("https://") {
            return fault(&self.base_url, "`harness.base_url` must begin with https://".to_owned());
        }
        let has_place = !self.auth.header.is_empty() || !self.auth.query.is_empty();
        if has_place && names_in(&self.auth.value).is_empty() {
            let reason = "`harness.auth.value` names no variable, as `Bearer {NAME}` does";
            return fault("auth", reason.to_owned());
        }
        let is_right = |more: &FurtherAuth| {
            more.header.is_empty() != more.query.is_empty() && !names_in(&more.value).is_empty()
        };
        if !self.auth.more.iter().all(is_right) {
            let reason = "each of `harness.auth.more` has `header` or `query`, and a `value` that names a variable, as `{NAME}` does";
            return fault("more", reason.to_owned());
        }
        let answers = self.refusals.len() + self.partials.len();
        if self.commands.len() > MAX_COMMANDS || answers > MAX_REFUSALS {
            return fault(
                "harness",
                format!(
                    "[harness] has more than {MAX_COMMANDS} commands, or {MAX_REFUSALS} refusals and partials"
                ),
            );
        }
        let auth = self.auth.keys().filter(|(header, ..)| !header.is_empty());
        let auth = auth.map(|(header, _, value)| (header, value));
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in headers.chain(auth) {
            if name.is_empty()
                || name.contains(char::is_control)
                || value.contains(char::is_control)
            {
                return fault(name, format!("`{name}` cannot be a header"));
            }
        }
        let mut seen = BTreeSet::new();
        for command in &self.commands {
            if !seen.insert(&command.id) {
                return fault(&command.id, format!("`{}` is in [harness] twice", command.id));
            }
            if command.arguments.iter().any(|argument| argument.contains('\0')) {
                let reason = format!("an argument of `{}` has a NUL character", command.id);
                return fault(&command.id, reason);
            }
            if command.requests.is_empty() || command.requests.len() > MAX_REQUESTS {
                let reason = format!("`{}` must have 1 to {MAX_REQUESTS} requests", command.id);
                return fault(&command.id, reason);
            }
            if command.ids.as_ref().map(Vec::len) != command.names.as_ref().map(Vec::len) {
                let reason = format!("`{}` must have as many `names` as `ids`", command.id);
                return fault(&command.id, reason);
            }
        }
        let exchanges: Vec<_> = self.exchanges().collect();
        for (at, exchange) in exchanges.iter().enumerate() {
            exchange.check()?;
            let is_other =
                |other: &&&Exchange| other.asks_like(exchange) && other.answers_unlike(exchange);
            if exchanges[..at].iter().any(|other| is_other(&other)) {
                let reason = format!(
                    "`{} {}` has two replies; the mock cannot know which one is wanted",
                    exchange.method, exchange.path
                );
                return fault(&exchange.path, reason);
            }
        }
        for refusal in &self.refusals {
            if !(100..=599).contains(&refusal.status) {
                let reason = format!("{} is not an HTTP status", refusal.status);
                return fault("refusals", reason);
            }
            checked_headers(&refusal.headers)?;
        }
        for partial in &self.partials {
            if self.command(&partial.command).is_none() {
                let reason = format!(
                    "a partial names `{}`, which [harness] does not state",
                    partial.command
                );
                return fault(&partial.command, reason);
            }
            if !(200..=299).contains(&partial.status) {
                return fault(
                    "partials",
                    format!("{} is not a status of a success", partial.status),
                );
            }
            checked_headers(&partial.headers)?;
        }
        let missing = WANTED.into_iter().find(|when| self.refusal(*when).is_none());
        missing.map_or(Ok(()), |when| {
            let name = when.name();
            let reason = format!(
                "[harness] has no refusal with `when = \"{name}\"`; the mock answers with it"
            );
            fault("harness", reason)
        })
    }
}

impl Exchange {
    fn check(&self) -> Result<(), (String, String)> {
        let fault = |reason: String| Err((self.path.clone(), reason));
        let is_method = |method: &str| {
            !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase())
        };
        if !is_method(&self.method) {
            return fault(format!("`{}` is not a method in capital letters", self.method));
        }
        if !self.path.starts_with('/') || self.path.contains(['?', '#', ' ']) {
            return fault(format!(
                "`{}` must begin with `/`, be percent-encoded, and leave its query to `query`",
                self.path
            ));
        }
        if !(100..=599).contains(&self.status) {
            return fault(format!("{} is not an HTTP status", self.status));
        }
        if !self.body.is_empty() && strict_json::read(&self.body).is_err() {
            return fault(format!("the body of `{} {}` is not JSON", self.method, self.path));
        }
        checked_headers(&self.headers)
    }

    fn asks_like(&self, other: &Self) -> bool {
        (&self.method, &self.path, &self.query, self.json(), &self.sends)
            == (&other.method, &other.path, &other.query, other.json(), &other.sends)
    }

    fn answers_unlike(&self, other: &Self) -> bool {
        (self.status, &self.headers, &self.reply) != (other.status, &other.headers, &other.reply)
    }
}

fn checked_headers(headers: &BTreeMap<String, String>) -> Result<(), (String, String)> {
    let broken = |(name, value): &(&String, &String)| {
        name.is_empty() || (name.to_string() + value).contains(char::is_control)
    };
    match headers.iter().find(broken) {
        Some((name, _)) => Err((name.clone(), format!("`{name}` cannot be a header"))),
        None => Ok(()),
    }
}
