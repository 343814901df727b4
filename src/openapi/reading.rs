//! From the trees of a description to its endpoints: parameters merged, bodies taken apart, replies told apart.

use std::collections::BTreeMap;

use super::document::{DescriptionError, DocumentTrees, FileReader, Node};
use super::model::{
    ApiDescription, ApiInput, Endpoint, InputKind, InputPlace, ReplyForm, Requirements,
    SecurityScheme, sent,
};
use super::schema::FlatSchema;
use super::{bodies, implied, parameters, replies, servers, text};
use crate::visible::{excerpt, is_invisible};
use indexmap::IndexMap;

/// Methods that become commands.
const METHODS: [&str; 6] = ["get", "head", "post", "put", "patch", "delete"];
/// Methods that do not.
const OTHER_METHODS: [&str; 3] = ["options", "trace", "query"];
/// Headers that the client sets itself, by their lower-case names.
pub(super) const OWN_HEADERS: [&str; 9] = [
    "accept",
    "authorization",
    "content-type",
    "user-agent",
    "host",
    "content-length",
    "cookie",
    "accept-encoding",
    "connection",
];
/// Most endpoints.
const MAX_ENDPOINTS: usize = 5_000;

/// Reads a description.
///
/// # Errors
/// Returns an error if it is none, or a file of it is wrong.
pub fn read(
    name: &str,
    bytes: Vec<u8>,
    files: FileReader<'_>,
) -> Result<ApiDescription, DescriptionError> {
    let trees = DocumentTrees::read(name, bytes, files)?;
    let root = trees.root();
    let mut api = ApiDescription {
        title: text::sentence(root.get("info").map_or("", |info| info.text("title")), 60),
        summary: summary(root),
        version: excerpt(root.get("info").map_or("", |info| info.text("version")), 40),
        documentation: documentation(root),
        servers: servers::of(root),
        schemes: schemes(&trees),
        endpoints: Vec::new(),
        unsupported: BTreeMap::new(),
        unread: trees.unread.clone(),
        notes: Vec::new(),
    };
    let global = requirements(root);
    let webhooks = root.members("webhooks").count() + root.members("x-webhooks").count();
    count(&mut api, "webhooks", webhooks);
    for (path, item) in trees.members(root, "paths") {
        if !path.starts_with('/') && path.starts_with("x-") {
            continue;
        }
        let Ok(item) = trees.followed(item) else {
            count(&mut api, "paths whose reference leads nowhere", 1);
            continue;
        };
        for method in OTHER_METHODS {
            count(
                &mut api,
                "operations with OPTIONS, TRACE or QUERY",
                usize::from(item.get(method).is_some()),
            );
        }
        for method in METHODS {
            let Some(written) = item.get(method) else { continue };
            let operation = trees.followed(written).unwrap_or(written);
            if api.endpoints.len() == MAX_ENDPOINTS {
                count(&mut api, "operations beyond the first 5000", 1);
                continue;
            }
            count(&mut api, "callbacks", trees.members(operation, "callbacks").count());
            let replies = trees.members(operation, "responses");
            let links = replies.filter(|(_, reply)| trees.child(*reply, "links").is_some());
            count(&mut api, "links", links.count());
            let mut endpoint = endpoint(&trees, (method, path), item, operation);
            if let Err(lost) = trees.followed(written) {
                endpoint.obstacle = Some(format!("its description is missing: {lost}"));
            }
            endpoint.security = endpoint.security.or_else(|| global.clone());
            api.endpoints.push(endpoint);
        }
    }
    if api.endpoints.is_empty() {
        return Err(DescriptionError::Empty);
    }
    implied::add(&mut api);
    Ok(api)
}

fn count(api: &mut ApiDescription, what: &'static str, more: usize) {
    if more > 0 {
        *api.unsupported.entry(what).or_default() += more;
    }
}

fn summary(root: Node<'_>) -> String {
    let Some(info) = root.get("info") else { return String::new() };
    let said = text::sentence(info.text("summary"), text::MAX_SUMMARY);
    if said.is_empty() { text::sentence(info.text("description"), text::MAX_SUMMARY) } else { said }
}

/// The address of the documentation, where it is a plain https address.
fn documentation(root: Node<'_>) -> String {
    let url = root.get("externalDocs").map_or("", |docs| docs.text("url"));
    let is_plain = url.starts_with("https://")
        && url.len() <= 200
        && url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>\\`{}|".contains(&byte));
    if is_plain { url.to_owned() } else { String::new() }
}

/// True if the name of a header may contain the byte (RFC 9110, section 5.6.2).
pub(super) fn is_header_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn schemes(trees: &DocumentTrees) -> IndexMap<String, SecurityScheme> {
    let Some(components) = trees.child(trees.root(), "components") else {
        return IndexMap::new();
    };
    trees
        .members(components, "securitySchemes")
        .filter_map(|(name, scheme)| {
            let scheme = trees.followed(scheme).ok()?;
            let key = || excerpt(scheme.text("name"), 100);
            let kind = match (scheme.text("type"), scheme.text("in")) {
                ("apiKey", "header")
                    if scheme.text("name").eq_ignore_ascii_case("authorization") =>
                {
                    SecurityScheme::Header("Authorization".to_owned())
                }
                ("apiKey", "header" | "query")
                    if scheme.text("name").is_empty()
                        || !scheme.text("name").bytes().all(is_header_byte) =>
                {
                    SecurityScheme::Other(format!(
                        "a key under the name `{}`, which no request can have",
                        key()
                    ))
                }
                ("apiKey", "header") => SecurityScheme::Header(key()),
                ("apiKey", "query") => SecurityScheme::Query(key()),
                ("apiKey", "cookie") => SecurityScheme::Cookie(key()),
                ("http", _) => match scheme.text("scheme").to_lowercase().as_str() {
                    "basic" => SecurityScheme::Basic,
                    "bearer" => SecurityScheme::Bearer,
                    other => SecurityScheme::Other(format!("http {}", excerpt(other, 20))),
                },
                ("oauth2" | "openIdConnect", _) => SecurityScheme::ReadyToken,
                (other, _) => SecurityScheme::Other(excerpt(other, 20)),
            };
            Some((name.to_owned(), kind))
        })
        .collect()
}

/// The requirements of a description or an operation; `None` where it says nothing.
fn requirements(node: Node<'_>) -> Option<Requirements> {
    node.value.get("security")?;
    let alternatives = node.entries("security").map(|alternative| {
        let names = alternative.value.as_object();
        names.into_iter().flatten().map(|(name, _)| name.clone()).collect()
    });
    Some(alternatives.collect())
}

fn endpoint(
    trees: &DocumentTrees,
    (method, path): (&str, &str),
    item: Node<'_>,
    operation: Node<'_>,
) -> Endpoint {
    let said = [operation.text("summary"), operation.text("description")];
    let said = said.into_iter().map(|said| text::sentence(said, text::MAX_SUMMARY));
    let own_servers = servers::of(operation);
    let servers = if own_servers.is_empty() { servers::of(item) } else { own_servers };
    let mut endpoint = Endpoint {
        method: method.to_uppercase(),
        path: path.to_owned(),
        operation_id: excerpt(operation.text("operationId"), 100),
        summary: said.into_iter().find(|said| !said.is_empty()).unwrap_or_default(),
        tags: operation
            .entries("tags")
            .filter_map(|tag| Some(excerpt(tag.value.as_str()?, 60)))
            .collect(),
        is_deprecated: operation.is_set("deprecated"),
        is_marked_unsafe: ["x-mutates", "x-side-effects", "x-destructive", "x-unsafe"]
            .into_iter()
            .any(|mark| operation.is_set(mark)),
        inputs: Vec::new(),
        content_type: String::new(),
        reply: ReplyForm::default(),
        security: requirements(operation),
        servers,
        credential: None,
        obstacle: None,
        notes: Vec::new(),
    };
    if !can_be_called(path) {
        endpoint.obstacle = Some("its path is not a path that can be called".to_owned());
        return endpoint;
    }
    parameters::read(trees, &mut endpoint, item, operation);
    bodies::body(trees, &mut endpoint, operation);
    replies::read(trees, &mut endpoint, operation);
    endpoint
}

/// True if a path can be part of a URL as it is written; its fragment is never sent. A part that means a directory can be percent-encoded, and what
/// follows `//` can be read as a host.
fn can_be_called(path: &str) -> bool {
    let is_directory = |part: &str| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        matches!(part.as_str(), "." | "..")
    };
    let is_fixed = |part: &str| part.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    let path = sent(path);
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(['?', ' ', '"', '\\'])
        && !path.contains("{}")
        && !path.split('/').any(is_directory)
        && !path.chars().any(is_invisible)
        && fixed_parts(path).all(is_fixed)
}

/// Returns the texts between the parameters of a path.
fn fixed_parts(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let text = rest?;
        let (fixed, behind) = text.split_once('{').map_or((text, None), |(fixed, after)| {
            (fixed, after.split_once('}').map(|(_, behind)| behind))
        });
        rest = behind;
        Some(fixed)
    })
}

pub fn input<'a>(
    trees: &'a DocumentTrees,
    (name, place): (&str, InputPlace),
    schema: Node<'a>,
    is_required: bool,
) -> ApiInput {
    let flat = FlatSchema::of(trees, schema);
    let kind = match flat.kind(trees, if place == InputPlace::Body { name } else { "" }) {
        InputKind::File if place != InputPlace::Body => InputKind::Text,
        InputKind::Json if flat.is_plain_choice && place != InputPlace::Body => InputKind::Text,
        kind => kind,
    };
    let mut sample = flat.sample(trees, &kind);
    if place == InputPlace::Path && sample.as_ref().is_some_and(is_empty) {
        sample = Some(serde_json::json!({"name": "text"}));
    }
    ApiInput {
        name: name.to_owned(),
        place,
        is_required,
        help: flat.help("", &kind, trees),
        style: String::new(),
        sample,
        default: None,
        most: flat.most(),
        kind,
    }
}

/// Nothing of it would be in a path.
fn is_empty(value: &serde_json::Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}
