//! The form of an operation's success: nothing, one object, a list with its pages, a text, bytes, a stream.
//!
//! Ambiguity is a note, and the reply is then passed on whole.

use super::alternatives::ListEntry;
use super::bodies::reply_kind;
use super::document::{DocumentTrees, Node};
use super::model::{Endpoint, ListForm, ReplyForm, ReplyKind};
use super::paging::{AROUND, LIMITS, NEXT, OFFSETS, PAGES, TOTALS, is_one_of, paging};
use super::schema::FlatSchema;
use super::words::{folded, singular};
use crate::visible::is_invisible;

/// Members that name an entry, the best one first.
const IDS: &[&str] = &["id", "uuid", "uid", "gid", "sid", "key", "number", "slug", "name"];
const NAMES: [&str; 12] = [
    "name",
    "title",
    "display_name",
    "displayName",
    "label",
    "full_name",
    "login",
    "username",
    "summary",
    "subject",
    "email",
    "key",
];
/// Members that an entry shows without being asked, after its id and name.
const TELLING: [&str; 22] = [
    "status",
    "state",
    "type",
    "kind",
    "email",
    "description",
    "number",
    "amount",
    "currency",
    "url",
    "html_url",
    "web_url",
    "created",
    "created_at",
    "createdAt",
    "updated",
    "updated_at",
    "updatedAt",
    "due_date",
    "owner",
    "version",
    "count",
];
/// Most of them.
const MAX_SLIM: usize = 8;
/// Most members of a reply that are named.
const MAX_MEMBERS: usize = 200;
/// Reads the success of an operation.
pub fn read<'a>(trees: &'a DocumentTrees, endpoint: &mut Endpoint, operation: Node<'a>) {
    let mut replies: Vec<_> = trees.members(operation, "responses").collect();
    replies.sort_by_key(|(status, _)| match *status {
        "200" => 0,
        "201" => 1,
        "202" => 2,
        "204" => 9,
        "2XX" | "2xx" => 5,
        "default" => 8,
        other if other.starts_with('2') => 4,
        _ => 10,
    });
    let success =
        replies.iter().find(|(status, _)| status.starts_with('2') || *status == "default");
    let Some((status, reply)) = success else {
        endpoint.notes.push("no success is described".to_owned());
        return;
    };
    let Ok(reply) = trees.followed(*reply) else {
        endpoint.notes.push("its successful response is missing".to_owned());
        return;
    };
    let kind = match reply_kind(trees.child(reply, "content")) {
        _ if endpoint.method == "HEAD" => ReplyKind::Empty,
        None if *status == "202" => ReplyKind::Accepted,
        None if *status == "200" => ReplyKind::Empty,
        None => ReplyKind::Empty,
        Some(ReplyKind::Json) if *status == "202" => ReplyKind::Accepted,
        Some(kind) => kind,
    };
    endpoint.reply = ReplyForm { kind, ..ReplyForm::default() };
    match kind {
        ReplyKind::Binary => endpoint.obstacle = Some("its reply is a file".to_owned()),
        ReplyKind::Stream => endpoint.obstacle = Some("its reply is a stream".to_owned()),
        ReplyKind::Text => endpoint.notes.push("its reply is text, not JSON".to_owned()),
        ReplyKind::Accepted => endpoint.notes.push(
            "status 202: the work continues after the response; read its state with another command".to_owned(),
        ),
        ReplyKind::Json | ReplyKind::Empty => {}
    }
    let is_reading = endpoint.method == "GET"
        || endpoint.method == "POST" && {
            let end = endpoint.path.rsplit(['/', ':']).next().unwrap_or_default().to_lowercase();
            ["search", "query", "list"].iter().any(|word| end.contains(word))
        };
    if !matches!(kind, ReplyKind::Json | ReplyKind::Accepted) {
        return;
    }
    let content = trees
        .members(reply, "content")
        .find(|(kind, _)| kind.contains("json") || kind.contains('*'));
    let Some(schema) = content.and_then(|(_, content)| content.get("schema")) else { return };
    let flat = FlatSchema::of(trees, schema);
    describe(trees, &mut endpoint.reply, &flat);
    if kind != ReplyKind::Json || !is_reading {
        return;
    }
    let has_link =
        trees.members(reply, "headers").any(|(name, _)| name.eq_ignore_ascii_case("link"));
    if let Some(list) = list(trees, endpoint, &flat, has_link) {
        endpoint.reply.list = Some(list);
    }
}

/// Describes the object that a reply contains.
fn describe<'a>(trees: &'a DocumentTrees, reply: &mut ReplyForm, flat: &FlatSchema<'a>) {
    let usable =
        |name: &&&str| !name.is_empty() && name.len() <= 100 && !name.chars().any(is_invisible);
    let members = if flat.alternatives.is_empty() { flat.members.keys() } else { return };
    reply.members =
        members.filter(usable).take(MAX_MEMBERS).map(|name| (*name).to_owned()).collect();
    reply.sample = flat.reply_sample(trees);
}

/// The list that a reply is or has: its only list of objects.
fn list<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    flat: &FlatSchema<'a>,
    has_link: bool,
) -> Option<ListForm> {
    if !flat.alternatives.is_empty() {
        return None;
    }
    if flat.is_list() {
        let entry = ListEntry::of(trees, flat.items?);
        return form(trees, endpoint, String::new(), &entry, flat, has_link);
    }
    let mut found: Vec<(String, ListEntry<'a>)> = Vec::new();
    for (name, member) in &flat.members {
        let schema = FlatSchema::of(trees, *member);
        if name.contains('.') {
            continue;
        }
        if schema.is_list() {
            if let Some(items) = schema.items {
                found.push(((*name).to_owned(), ListEntry::of(trees, items)));
            }
        } else if matches!(*name, "data" | "meta" | "result" | "results" | "response" | "_embedded")
        {
            for (inner, member) in &schema.members {
                let schema = FlatSchema::of(trees, *member);
                if schema.is_list()
                    && !inner.contains('.')
                    && let Some(items) = schema.items
                {
                    found.push((format!("{name}.{inner}"), ListEntry::of(trees, items)));
                }
            }
        }
    }
    found.retain(|(at, entry)| {
        !entry.known.members.is_empty() && id_of(trees, &entry.known, at).is_some()
    });
    // An object that contains lists has other members too; a wrapped list has only members about the list.
    let own = flat.members.keys().filter(|name| !is_about_list(name, &found)).count();
    match found.len() {
        0 => None,
        _ if own > 3 => None,
        1 => {
            let (at, entry) = found.remove(0);
            form(trees, endpoint, at, &entry, flat, has_link)
        }
        several => {
            let names: Vec<_> = found.iter().take(4).map(|(at, _)| format!("`{at}`")).collect();
            endpoint.notes.push(format!(
                "its reply has {several} lists ({}), so the whole reply is returned",
                names.join(", ")
            ));
            None
        }
    }
}

fn is_about_list(name: &str, lists: &[(String, ListEntry<'_>)]) -> bool {
    let is_list = lists.iter().any(|(at, _)| at.split('.').next() == Some(name));
    let known = [NEXT, &AROUND, &TOTALS];
    is_list
        || known.iter().any(|names| names.contains(&name))
        || name.to_lowercase().starts_with("next")
        || is_one_of(name, &LIMITS)
        || is_one_of(name, &PAGES)
        || is_one_of(name, &OFFSETS)
        || name.contains("page")
        || matches!(
            name,
            "has_more"
                | "hasMore"
                | "object"
                | "incomplete_results"
                | "ok"
                | "success"
                | "previous"
                | "prev"
                | "prev_cursor"
                | "errors"
                | "error"
                | "status"
                | "self"
                | "isLast"
                | "uri"
                | "url"
                | "first_id"
                | "last_id"
                | "end"
                | "kind"
                | "apiVersion"
        )
}

fn form<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    items: String,
    ListEntry { known: entry, whole: described }: &ListEntry<'a>,
    whole: &FlatSchema<'a>,
    has_link: bool,
) -> Option<ListForm> {
    let item_id = id_of(trees, entry, &items)?;
    let item_name = NAMES
        .into_iter()
        .find(|name| entry.members.contains_key(name))
        .map_or_else(|| item_id.clone(), str::to_owned);
    let mut slim = vec![item_id.clone()];
    let mut add = |name: &str| {
        if slim.len() < MAX_SLIM && !slim.iter().any(|known| known == name) {
            slim.push(name.to_owned());
        }
    };
    add(&item_name);
    for name in TELLING.into_iter().chain(entry.members.keys().copied()) {
        let Some(member) = entry.members.get(name).filter(|_| !name.contains(['.', ','])) else {
            continue;
        };
        let member = FlatSchema::of(trees, *member);
        let is_scalar =
            matches!(member.types.as_slice(), ["string" | "integer" | "number" | "boolean"]);
        if is_scalar && !member.is_write_only && !LONGISH.contains(&name) {
            add(name);
        }
    }
    let paging = paging(trees, endpoint, whole, (&items, &item_id), has_link);
    describe(trees, &mut endpoint.reply, described);
    Some(ListForm { items, item_id, item_name, slim, paging })
}

/// Members that are too long for a list.
const LONGISH: [&str; 6] = ["body", "content", "html", "text", "description", "node_id"];

/// The member that names an entry of the list at `items`; it may be in an object about the entry.
fn id_of<'a>(trees: &'a DocumentTrees, entry: &FlatSchema<'a>, items: &str) -> Option<String> {
    let known =
        |entry: &FlatSchema<'a>| IDS.iter().find(|id| entry.members.contains_key(*id)).copied();
    let ends = |ends: &[&str]| {
        let mut names = entry.members.keys().copied();
        names.find(|name| ends.iter().any(|end| name.ends_with(end)) && !name.contains('.'))
    };
    // `InvoiceID` of `Invoices`, whichever other ids an invoice has.
    let whole = folded(items.rsplit('.').next().unwrap_or_default());
    let own = format!("{}_id", singular(&whole));
    let of_list = || entry.members.keys().copied().find(|name| folded(name) == own);
    let ends_in_id = || ends(&["_id", "Id", "ID", "_sid", "Sid", "_gid", "_uuid", "Uuid", "UUID"]);
    if let Some(id) = known(entry).or_else(of_list).or_else(ends_in_id) {
        return Some(id.to_owned());
    }
    let within = ["metadata", "meta", "attributes"].into_iter().find_map(|outer| {
        let inner = FlatSchema::of(trees, *entry.members.get(outer)?);
        Some(format!("{outer}.{}", known(&inner)?))
    });
    within.or_else(|| ends(&["name", "Name"]).map(str::to_owned))
}
