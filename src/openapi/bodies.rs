//! Bodies of requests and of replies: told apart by their media types, taken apart into inputs.

use super::document::{DocumentTrees, Node};
use super::model::{Endpoint, InputKind, InputPlace, ReplyKind};
use super::parameters::unusable;
use super::reading::input;
use super::schema::FlatSchema;
use super::styles;
use crate::visible::{excerpt, is_invisible};

/// Most members of a JSON body that become options of their own, and most fields of a form.
const MAX_MEMBERS: usize = 60;
const MAX_FIELDS: usize = 250;

/// Media types of bodies, the best one first.
fn rank(kind: &str) -> Option<usize> {
    let kind = media_type(kind);
    let is_json = kind == "application/json"
        || kind.ends_with("+json")
        || kind == "*/*"
        || kind == "application/*";
    Some(match kind.as_str() {
        "application/json" => 0,
        _ if is_json => 1,
        "application/x-www-form-urlencoded" => 2,
        "multipart/form-data" => 3,
        "text/plain" => 4,
        _ if kind.starts_with("text/") => 5,
        "application/octet-stream" => 6,
        _ => return None,
    })
}

/// `application/json` of `application/json; charset=utf-8`.
#[must_use]
pub fn media_type(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_lowercase()
}

pub fn body<'a>(trees: &'a DocumentTrees, endpoint: &mut Endpoint, operation: Node<'a>) {
    let Some(request) = operation.get("requestBody") else { return };
    let request = match trees.followed(request) {
        Ok(request) => request,
        Err(lost) => {
            endpoint.obstacle = Some(format!("its body is missing: {lost}"));
            return;
        }
    };
    let is_required = request.is_set("required");
    // Many descriptions do not say whether a body is required, and only name the members that it needs.
    let is_unsaid = request.get("required").is_none();
    let mut kinds: Vec<_> = trees.members(request, "content").collect();
    kinds.sort_by_key(|(kind, _)| rank(kind).unwrap_or(usize::MAX));
    let Some((kind, content)) = kinds.first().copied() else { return };
    let Some(rank) = rank(kind) else {
        let reason = format!("its body is `{}`", excerpt(kind, 60));
        if is_required {
            endpoint.obstacle = Some(reason);
        } else {
            endpoint.notes.push(format!("{reason}, which is left out"));
        }
        return;
    };
    let schema = content.get("schema").unwrap_or(content);
    let flat = FlatSchema::of(trees, schema);
    if !is_required && matches!(rank, 2 | 3) && flat.is_empty_object() {
        return;
    }
    if matches!(endpoint.method.as_str(), "GET" | "HEAD") {
        if is_required {
            endpoint.obstacle = Some("it is a read with a body".to_owned());
        } else {
            endpoint.notes.push("the body of a read is left out".to_owned());
        }
        return;
    }
    let kind = media_type(kind);
    endpoint.content_type = if kind.contains('*') { "application/json".to_owned() } else { kind };
    // A name with a dot would be nested, so such a body is one input.
    let has_dots = rank < 2 && flat.members.keys().any(|name| name.contains('.'));
    // A form can be sent in no other way than by its fields.
    let most = if rank < 2 { MAX_MEMBERS } else { MAX_FIELDS };
    if rank < 4 && flat.is_flat_object(most) && !has_dots {
        members(trees, endpoint, content, &flat, is_required || is_unsaid);
        return;
    }
    if matches!(rank, 2 | 3) {
        endpoint.obstacle = Some(match flat.members.len() {
            0 => "its form has no known fields".to_owned(),
            count if count > MAX_FIELDS => format!("its form has more than {MAX_FIELDS} fields"),
            _ => "its form has several shapes".to_owned(),
        });
        return;
    }
    let mut whole = input(trees, ("body", InputPlace::Body), schema, is_required);
    whole.kind = match rank {
        0 | 1 => InputKind::Json,
        4 | 5 => InputKind::LongText,
        _ => InputKind::File,
    };
    let outer = request.text("description");
    whole.help = flat.help(outer, &whole.kind, trees);
    whole.sample = if rank < 2 { flat.sample(trees, &InputKind::Json) } else { None };
    whole.place = InputPlace::WholeBody;
    endpoint.inputs.push(whole);
}

/// Each member of the body is an input; those that only the API writes are not.
fn members<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    content: Node<'a>,
    flat: &FlatSchema<'a>,
    is_required: bool,
) {
    let is_form = !endpoint.content_type.ends_with("json");
    for (name, member) in &flat.members {
        let schema = FlatSchema::of(trees, *member);
        if schema.is_read_only {
            continue;
        }
        if name.is_empty() || name.len() > 120 || name.chars().any(is_invisible) {
            endpoint.notes.push(unusable("member", name, "body"));
            continue;
        }
        let required = is_required && flat.required.contains(name);
        let mut input = input(trees, (name, InputPlace::Body), *member, required);
        if is_form {
            let encoding = content.get("encoding").and_then(|all| all.get(name));
            input.style = styles::of_form(encoding, &input);
            if endpoint.content_type == "multipart/form-data" {
                let kind = encoding.map_or("", |encoding| encoding.text("contentType"));
                let of_schema = schema.media_type(trees);
                let kind = if kind.is_empty() { &of_schema } else { kind };
                if let Some(style) = styles::of_part(kind, &input, schema.is_of_files(trees)) {
                    input.style = style;
                }
            }
        } else if input.kind == InputKind::File {
            input.kind = InputKind::Text;
        }
        if member.is_set("deprecated") && !required {
            endpoint.notes.push(format!("`{}` is deprecated and left out", excerpt(name, 60)));
            continue;
        }
        // A default is not copied: the API applies it when the member is absent.
        endpoint.inputs.push(input);
    }
}

/// Tells the replies of an operation apart by their media types; `None` without content.
#[must_use]
pub fn reply_kind(content: Option<Node<'_>>) -> Option<ReplyKind> {
    let members = content?.value.as_object().filter(|members| !members.is_empty())?;
    let kinds: Vec<_> = members.keys().map(|kind| media_type(kind)).collect();
    let is_json = |kind: &String| {
        kind == "application/json"
            || kind.ends_with("+json") && !kind.ends_with("seq+json")
            || kind.contains('*')
    };
    let is_stream = |kind: &String| {
        kind.contains("ndjson")
            || kind.contains("event-stream")
            || kind.contains("jsonl")
            || kind.contains("json-seq")
    };
    Some(if kinds.iter().any(is_json) {
        ReplyKind::Json
    } else if kinds.iter().any(is_stream) {
        ReplyKind::Stream
    } else if kinds.iter().any(|kind| kind.starts_with("text/") || kind.ends_with("xml")) {
        ReplyKind::Text
    } else {
        ReplyKind::Binary
    })
}
