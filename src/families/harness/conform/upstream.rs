//! The mock of an API whose facts are known: it checks credentials, headers, path, method, query and body, and refuses
//! as the API does. It never looks at the code of the connector.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::facts::{ApiFacts, Exchange, StatedPartial, StatedRefusal, When, names_in};
use super::media;
use crate::conform::fixture::Fixture;
use crate::conform::mock::{Behaviour, Mock, ReceivedRequest, Reply, scripted};
use crate::conform::secrets::{Sentinel, base64};

/// The values of the variables of one call: secrets and what else is set.
pub type Values = BTreeMap<String, String>;

/// The lists of facts whose replies a mock can give for every request.
pub const REFUSALS: &str = "refusals";
pub const PARTIALS: &str = "partials";

/// Starts the API of these facts; other behaviours than [`Behaviour::Good`] are the same for every request.
///
/// # Errors
/// Returns an error if loopback has no free port.
pub fn start(behaviour: Behaviour, facts: ApiFacts, values: Values) -> std::io::Result<Mock> {
    Mock::with(Arc::new(move |request| {
        let stated = match behaviour {
            Behaviour::Good => Some(reply(&facts, &values, request)),
            Behaviour::Listed(REFUSALS, at) => facts.refusals.get(at).map(refused),
            Behaviour::Listed(PARTIALS, at) => facts.partials.get(at).map(partly),
            _ => None,
        };
        stated.unwrap_or_else(|| scripted(behaviour, request))
    }))
}

/// The variables of a call that credentials are made of.
#[must_use]
pub fn values(fixture: Option<&Fixture>, secrets: &[Sentinel]) -> Values {
    let set = fixture.into_iter().flat_map(|fixture| fixture.environment.clone());
    set.chain(secrets.iter().map(|secret| (secret.name.clone(), secret.value.clone()))).collect()
}

/// Returns the API's reply to a request.
#[must_use]
pub fn reply(facts: &ApiFacts, values: &Values, request: &ReceivedRequest) -> Reply {
    match judge(facts, values, request) {
        Ok(exchange) => {
            let base = format!("http://{}{}", header(request, "host"), facts.base_path());
            let headers = exchange
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), value.replace("{base_url}", &base)));
            with_headers(exchange.status, headers.collect(), &exchange.reply)
        }
        Err((when, _)) => {
            let stated = facts.refusal(when);
            let as_path = || facts.refusal(When::Path).filter(|_| when == When::Method);
            stated.or_else(as_path).map_or_else(|| with_headers(400, Vec::new(), "{}"), refused)
        }
    }
}

/// The reply of a refusal to any request.
#[must_use]
pub fn refused(refusal: &StatedRefusal) -> Reply {
    let headers = refusal.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    with_headers(refusal.status, headers.collect(), &refusal.body)
}

/// A possibly partial reply to any request.
#[must_use]
pub fn partly(partial: &StatedPartial) -> Reply {
    let headers = partial.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    with_headers(partial.status, headers.collect(), &partial.reply)
}

fn with_headers(status: u16, mut headers: Vec<(String, String)>, body: &str) -> Reply {
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    Reply { status, headers, body: body.as_bytes().to_vec(), ..Reply::default() }
}

/// The exchange that a request belongs to.
///
/// # Errors
/// Why the API refuses it: the kind and one phrase.
pub fn judge<'a>(
    facts: &'a ApiFacts,
    values: &Values,
    request: &ReceivedRequest,
) -> Result<&'a Exchange, (When, String)> {
    let sent = SentRequest::of(request, facts.base_path()).without(&facts.auth.query_names());
    let there: Vec<_> =
        facts.exchanges().filter(|exchange| segments(&exchange.path) == sent.path).collect();
    let is_public = there.iter().any(|one| one.public && one.method == request.method);
    if !is_public && let Some(fault) = credentials(facts, values, request) {
        return Err((When::Credentials, fault));
    }
    let shown = format!("{} {}", request.method, sent.shown);
    if there.is_empty() {
        return Err((When::Path, format!("the API has nothing at `{shown}`")));
    }
    let taken: Vec<_> =
        there.into_iter().filter(|exchange| exchange.method == request.method).collect();
    if taken.is_empty() {
        return Err((When::Method, format!("the API does not take `{shown}`")));
    }
    let kind = taken.iter().find(|one| !one.body.is_empty()).map(|one| one.media_type());
    if let Some(fault) = headers(facts, request, kind) {
        return Err((When::Request, fault));
    }
    let fitting = taken.iter().filter(|exchange| sent.lacks(exchange).is_none());
    let best = fitting
        .max_by_key(|exchange| (exchange.query.len(), exchange.json().as_ref().map_or(0, leaves)));
    best.copied().ok_or_else(|| {
        let lacks = taken.first().and_then(|exchange| sent.lacks(exchange));
        (When::Request, format!("`{shown}` {}", lacks.unwrap_or_default()))
    })
}

/// Returns the fault of the credentials of a request.
#[must_use]
pub fn credentials(facts: &ApiFacts, values: &Values, request: &ReceivedRequest) -> Option<String> {
    let sent = SentRequest::of(request, facts.base_path());
    facts.auth.keys().find_map(|(header, query, value)| {
        if !query.is_empty() {
            let is_right = sent.query.get(query) == Some(&vec![filled(value, values)]);
            return (!is_right).then(|| format!("`{query}` in the query is not `{value}`"));
        }
        if header.is_empty() {
            return None;
        }
        let mut found =
            request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(header));
        let is_right = found.next().is_some_and(|(_, sent)| *sent == filled(value, values));
        (!is_right || found.next().is_some())
            .then(|| format!("the header `{header}` is not `{value}`"))
    })
}

/// Returns the fault of the other headers of a request.
#[must_use]
pub fn headers(facts: &ApiFacts, request: &ReceivedRequest, body: Option<&str>) -> Option<String> {
    let wrong = facts.headers.iter().find(|(name, value)| header(request, name) != value.as_str());
    if let Some((name, value)) = wrong {
        return Some(format!("does not send the header `{name}: {value}`"));
    }
    let kind = header(request, "content-type").split(';').next().unwrap_or_default().trim();
    let wanted = body.filter(|wanted| !kind.eq_ignore_ascii_case(wanted))?;
    Some(format!("sends its body without `Content-Type: {wanted}`"))
}

/// `Bearer {KEY}` with the value of the variable.
fn filled(pattern: &str, values: &Values) -> String {
    let value = |name: &str| values.get(name).map_or("", String::as_str);
    names_in(pattern).into_iter().fold(pattern.to_owned(), |text, name| {
        let filled = match name.split_once(':') {
            Some((user, secret)) => {
                let text = base64(format!("{}:{}", value(user), value(secret)).as_bytes());
                let padding = "=".repeat(text.len().next_multiple_of(4) - text.len());
                text + &padding
            }
            None => value(name).to_owned(),
        };
        text.replace(&format!("{{{name}}}"), &filled)
    })
}

fn header<'a>(request: &'a ReceivedRequest, wanted: &str) -> &'a str {
    let found = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    found.map_or("", |(_, value)| value.as_str())
}

/// The content of a request.
pub struct SentRequest {
    path: Vec<String>,
    query: BTreeMap<String, Vec<String>>,
    body: Option<Value>,
    headers: Vec<(String, String)>,
    /// The path without the path of `base_url`.
    pub shown: String,
}

impl SentRequest {
    #[must_use]
    pub fn of(request: &ReceivedRequest, base_path: &str) -> Self {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let below = path.strip_prefix(base_path).filter(|rest| rest.starts_with('/'));
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            values
                .entry(decoded(&name.replace('+', " ")))
                .or_default()
                .push(decoded(&value.replace('+', " ")));
        }
        Self {
            // Outside of the base URL there is nothing that the API knows.
            path: below.map(segments).unwrap_or_default(),
            query: values,
            body: media::body(header(request, "content-type"), &request.body),
            headers: request.headers.clone(),
            shown: below.unwrap_or(path).to_owned(),
        }
    }

    /// The same without the names of the query that hold keys.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        for name in names {
            self.query.remove(*name);
        }
        self
    }

    /// True if it has the path of an exchange, regardless of its method.
    #[must_use]
    pub fn is_at(&self, exchange: &Exchange) -> bool {
        self.path == segments(&exchange.path)
    }

    /// Returns the first part of an exchange that this request lacks.
    #[must_use]
    pub fn lacks(&self, exchange: &Exchange) -> Option<String> {
        let missing = exchange
            .query
            .iter()
            .find(|(name, texts)| self.query.get(*name).map(Vec::as_slice) != Some(texts.all()));
        if let Some((name, texts)) = missing {
            return Some(format!("lacks `{name}={}` in its query", texts.all().join(",")));
        }
        let is_sent = |(name, text): &(&String, &String)| {
            self.headers
                .iter()
                .any(|(other, sent)| other.eq_ignore_ascii_case(name) && sent == *text)
        };
        if let Some((name, text)) = exchange.sends.iter().find(|sends| !is_sent(sends)) {
            return Some(format!("lacks the header `{name}: {text}`"));
        }
        let wanted = exchange.json()?;
        missing_in(&wanted, self.body.as_ref().unwrap_or(&Value::Null), "")
    }

    /// Returns the first part of this request that an exchange lacks.
    #[must_use]
    pub fn adds(&self, exchange: &Exchange) -> Option<String> {
        if let Some(name) = self.query.keys().find(|name| !exchange.query.contains_key(*name)) {
            return Some(format!("has `{name}` in its query, which conform.toml does not state"));
        }
        let sent = self.body.as_ref()?;
        let wanted = exchange.json().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        missing_in(sent, &wanted, "")
            .map(|_| "has more in its body than conform.toml states".to_owned())
    }
}

/// The first member of `wanted` that `given` does not have.
fn missing_in(wanted: &Value, given: &Value, place: &str) -> Option<String> {
    match (wanted, given) {
        (Value::Object(members), Value::Object(found)) => {
            members.iter().find_map(|(name, value)| {
                let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                match found.get(name) {
                    Some(other) => missing_in(value, other, &place),
                    None => Some(format!("lacks `{place}` in its body")),
                }
            })
        }
        _ if wanted == given => None,
        _ if place.is_empty() => Some("has another body".to_owned()),
        _ => Some(format!("has another `{place}` in its body")),
    }
}

fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(leaves).sum(),
        _ => 1,
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(decoded).collect()
}

/// Text without percent-encoding; what is not UTF-8 stays as it is.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            digits.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> ApiFacts {
        toml_edit::de::from_str(text).unwrap()
    }

    fn request(method: &str, target: &str, authorization: &str, body: &str) -> ReceivedRequest {
        let mut headers = vec![("authorization".to_owned(), authorization.to_owned())];
        if !body.is_empty() {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        ReceivedRequest {
            method: method.to_owned(),
            target: target.to_owned(),
            headers,
            body: body.into(),
        }
    }

    #[test]
    fn a_request_is_held_against_every_fact() {
        let facts = facts(
            r#"
            base_url = "https://api.example.com/v1"
            auth = { header = "Authorization", value = "Basic {USER:KEY}" }
            health = { method = "GET", path = "/me" }
            [[commands]]
            id = "item.list"
            requests = [
              { method = "GET", path = "/items", query = { q = "a b" }, reply = "1" },
              { method = "GET", path = "/items", query = { q = "a b", page = "2" }, reply = "2" },
            ]
            [[commands]]
            id = "item.create"
            requests = [{ method = "POST", path = "/a%2Fb/items", body = '{"x": {"y": 1}}', reply = "3" }]
            "#,
        );
        let values = Values::from([("USER".into(), "me".into()), ("KEY".into(), "word".into())]);
        let good = "Basic bWU6d29yZA==";
        let judged = |method: &str, target: &str, authorization: &str, body: &str| match judge(
            &facts,
            &values,
            &request(method, target, authorization, body),
        ) {
            Ok(exchange) => exchange.reply.clone(),
            Err((when, why)) => format!("{}: {why}", when.name()),
        };
        for (method, target, body, wanted) in [
            ("GET", "/v1/items?q=a+b", "", "1"),
            ("GET", "/v1/items?page=2&q=a%20b", "", "2"),
            ("GET", "/v1/items?cursor=2&q=a%20b", "", "1"),
            ("GET", "/v1/items?q=b", "", "request: `GET /items` lacks `q=a b` in its query"),
            ("GET", "/items?q=a+b", "", "path: the API has nothing at `GET /items`"),
            ("PUT", "/v1/items?q=a+b", "", "method: the API does not take `PUT /items`"),
            ("POST", "/v1/a%2fb/items", "{\"x\":{\"y\":1}}", "3"),
            (
                "POST",
                "/v1/a/b/items",
                "{\"x\":{\"y\":1}}",
                "path: the API has nothing at `POST /a/b/items`",
            ),
            (
                "POST",
                "/v1/a%2fb/items",
                "{\"x\":{\"y\":\"1\"}}",
                "request: `POST /a%2fb/items` has another `x.y` in its body",
            ),
            (
                "POST",
                "/v1/a%2fb/items",
                "{\"x.y\":1}",
                "request: `POST /a%2fb/items` lacks `x` in its body",
            ),
        ] {
            assert_eq!(judged(method, target, good, body), wanted);
        }
        for wrong in ["Basic bWU6d29yZB==", "Bearer word", "", "word"] {
            let said = judged("GET", "/v1/me", wrong, "");
            assert_eq!(said, "credentials: the header `Authorization` is not `Basic {USER:KEY}`");
        }
    }
}
