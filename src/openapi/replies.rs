//! What a success of an operation is: nothing, one thing, a list with its pages, a text, bytes, a stream.
//!
//! Ambiguity is a note, and the reply is then passed on whole.

use super::document::{DocumentTrees, Node};
use super::model::{ApiPaging, Endpoint, InputKind, InputPlace, ListForm, ReplyForm, ReplyKind};
use super::reading::reply_kind;
use super::schema::FlatSchema;

/// Members that name an entry, the best one first.
const IDS: [&str; 8] = ["id", "uuid", "uid", "gid", "key", "number", "slug", "name"];
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
/// Names of inputs that are about pages, without `_`, `-` and case.
const LIMITS: [&str; 15] = [
    "perpage",
    "limit",
    "pagesize",
    "size",
    "maxresults",
    "first",
    "top",
    "count",
    "pagelimit",
    "itemsperpage",
    "maxitems",
    "resultsperpage",
    "recordsperpage",
    "take",
    "per",
];
const PAGES: [&str; 5] = ["page", "pagenumber", "pageno", "pagenum", "currentpage"];
const OFFSETS: [&str; 6] = ["offset", "skip", "start", "startat", "startindex", "from"];
const CURSORS: [&str; 14] = [
    "cursor",
    "after",
    "startingafter",
    "pagetoken",
    "nexttoken",
    "nextpagetoken",
    "continuationtoken",
    "startcursor",
    "pagecursor",
    "marker",
    "paginationtoken",
    "nextcursor",
    "next",
    "continue",
];
/// Where a reply says what comes next.
const NEXT: [&str; 14] = [
    "next_cursor",
    "nextCursor",
    "next_page_token",
    "nextPageToken",
    "nextToken",
    "next_token",
    "end_cursor",
    "endCursor",
    "next_page",
    "nextPage",
    "cursor",
    "next",
    "after",
    "continuation_token",
];
/// Members that have the one above inside.
const AROUND: [&str; 11] = [
    "meta",
    "pagination",
    "paging",
    "page_info",
    "pageInfo",
    "links",
    "_links",
    "response_metadata",
    "cursors",
    "metadata",
    "page",
];
const TOTALS: [&str; 7] =
    ["total", "total_count", "totalCount", "totalItems", "total_items", "totalResults", "count"];
/// The largest page that is asked for when nobody said.
const PAGE: u32 = 100;

/// Reads the success of an operation.
pub fn read<'a>(trees: &'a DocumentTrees, endpoint: &mut Endpoint, operation: Node<'a>) {
    let mut replies: Vec<_> = operation.members("responses").collect();
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
        endpoint.notes.push("its success is not there".to_owned());
        return;
    };
    let kind = match reply_kind(reply.get("content")) {
        _ if endpoint.method == "HEAD" => ReplyKind::Empty,
        None if *status == "202" => ReplyKind::Accepted,
        None if *status == "200" => ReplyKind::Empty,
        None => ReplyKind::Empty,
        Some(ReplyKind::Json) if *status == "202" => ReplyKind::Accepted,
        Some(kind) => kind,
    };
    endpoint.reply = ReplyForm { kind, list: None };
    match kind {
        ReplyKind::Binary => endpoint.obstacle = Some("its reply is a file".to_owned()),
        ReplyKind::Stream => endpoint.obstacle = Some("its reply is a stream".to_owned()),
        ReplyKind::Text => endpoint.notes.push("its reply is text, not JSON".to_owned()),
        ReplyKind::Accepted => endpoint.notes.push(
            "202: the work is done later; read the state of it with another command".to_owned(),
        ),
        ReplyKind::Json | ReplyKind::Empty => {}
    }
    let is_reading = endpoint.method == "GET"
        || endpoint.method == "POST" && {
            let end = endpoint.path.rsplit(['/', ':']).next().unwrap_or_default().to_lowercase();
            ["search", "query", "list"].iter().any(|word| end.contains(word))
        };
    if kind != ReplyKind::Json || !is_reading {
        return;
    }
    let content =
        reply.members("content").find(|(kind, _)| kind.contains("json") || kind.contains('*'));
    let Some(schema) = content.and_then(|(_, content)| content.get("schema")) else { return };
    let has_link = reply.members("headers").any(|(name, _)| name.eq_ignore_ascii_case("link"));
    let flat = FlatSchema::of(trees, schema);
    if let Some(list) = list(trees, endpoint, &flat, has_link) {
        endpoint.reply.list = Some(list);
    }
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
    let is_array = |schema: &FlatSchema<'_>| {
        schema.types == ["array"] || schema.types.is_empty() && schema.items.is_some()
    };
    if is_array(flat) {
        let entry = FlatSchema::of(trees, flat.items?);
        return form(trees, endpoint, String::new(), &entry, flat, has_link);
    }
    let mut found: Vec<(String, FlatSchema<'a>)> = Vec::new();
    for (name, member) in &flat.members {
        let schema = FlatSchema::of(trees, *member);
        if name.contains('.') {
            continue;
        }
        if is_array(&schema) {
            if let Some(items) = schema.items {
                found.push(((*name).to_owned(), FlatSchema::of(trees, items)));
            }
        } else if matches!(*name, "data" | "meta" | "result" | "results" | "response" | "_embedded")
        {
            for (inner, member) in &schema.members {
                let schema = FlatSchema::of(trees, *member);
                if is_array(&schema)
                    && !inner.contains('.')
                    && let Some(items) = schema.items
                {
                    found.push((format!("{name}.{inner}"), FlatSchema::of(trees, items)));
                }
            }
        }
    }
    found.retain(|(_, entry)| !entry.members.is_empty() && id_of(entry).is_some());
    // One thing with lists inside has members of its own; a wrapped list has only what is about the list.
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
                "its reply has {several} lists ({}), so it is passed on whole",
                names.join(", ")
            ));
            None
        }
    }
}

fn is_about_list(name: &str, lists: &[(String, FlatSchema<'_>)]) -> bool {
    let is_list = lists.iter().any(|(at, _)| at.split('.').next() == Some(name));
    let known = [&NEXT[..], &AROUND[..], &TOTALS[..]];
    is_list
        || known.iter().any(|names| names.contains(&name))
        || is_one_of(name, &LIMITS)
        || is_one_of(name, &PAGES)
        || is_one_of(name, &OFFSETS)
        || matches!(
            name,
            "has_more"
                | "hasMore"
                | "object"
                | "incomplete_results"
                | "ok"
                | "success"
                | "total_pages"
                | "previous"
                | "prev"
                | "prev_page"
                | "prev_cursor"
                | "errors"
                | "error"
                | "status"
                | "self"
                | "isLast"
                | "last_page"
        )
}

fn form<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    items: String,
    entry: &FlatSchema<'a>,
    whole: &FlatSchema<'a>,
    has_link: bool,
) -> Option<ListForm> {
    let item_id = id_of(entry)?;
    let item_name =
        NAMES.into_iter().find(|name| entry.members.contains_key(name)).unwrap_or(item_id);
    let mut slim = vec![item_id.to_owned()];
    let mut add = |name: &str| {
        if slim.len() < MAX_SLIM && !slim.iter().any(|known| known == name) {
            slim.push(name.to_owned());
        }
    };
    add(item_name);
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
    let paging = paging(trees, endpoint, whole, has_link);
    Some(ListForm {
        items,
        item_id: item_id.to_owned(),
        item_name: item_name.to_owned(),
        slim,
        paging,
    })
}

/// Members that are too long for a list.
const LONGISH: [&str; 6] = ["body", "content", "html", "text", "description", "node_id"];

/// The member that names an entry.
fn id_of<'a>(entry: &FlatSchema<'a>) -> Option<&'a str> {
    let known = IDS.iter().find_map(|id| entry.members.get_key_value(id)).map(|(name, _)| *name);
    known
        .or_else(|| {
            entry.members.keys().copied().find(|name| name.ends_with("_id") || name.ends_with("Id"))
        })
        .or_else(|| {
            entry
                .members
                .keys()
                .copied()
                .find(|name| name.ends_with("name") || name.ends_with("Name"))
        })
        .filter(|name| !name.contains('.'))
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|symbol| symbol.to_ascii_lowercase())
        .collect();
    known.contains(&plain.as_str())
}

/// How the pages follow each other; what is about pages is then no input of its own.
fn paging<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    whole: &FlatSchema<'a>,
    has_link: bool,
) -> Option<ApiPaging> {
    let is_number = |kind: &InputKind| matches!(kind, InputKind::Integer | InputKind::Decimal);
    let query: Vec<_> = endpoint.in_place(InputPlace::Query).collect();
    let named = |known: &[&str]| {
        known.iter().find_map(|word| query.iter().find(|input| is_one_of(&input.name, &[*word])))
    };
    let limit = named(&LIMITS).filter(|input| input.kind != InputKind::Json);
    let page =
        named(&PAGES).filter(|input| is_number(&input.kind) || input.kind == InputKind::Text);
    let offset = named(&OFFSETS).filter(|input| is_number(&input.kind));
    let cursor = named(&CURSORS)
        .filter(|input| !matches!(input.kind, InputKind::Json | InputKind::List { .. }));
    let next = next_of(trees, whole);
    let more = ["has_more", "hasMore"].into_iter().find(|name| whole.members.contains_key(name));
    let total = TOTALS.into_iter().find(|name| {
        let member = whole.members.get(name).map(|member| FlatSchema::of(trees, *member));
        member.is_some_and(|member| member.types == ["integer"])
    });
    let max_limit = limit.map_or(PAGE, |input| most(input));
    let mut rules = ApiPaging {
        limit: limit.map_or_else(String::new, |input| input.name.clone()),
        max_limit,
        more: more.unwrap_or_default().to_owned(),
        total: total.unwrap_or_default().to_owned(),
        ..ApiPaging::default()
    };
    match (cursor, &next, page, offset) {
        (Some(cursor), Some((next, is_link)), _, _) if !is_link => {
            rules.style = "cursor";
            rules.position = cursor.name.clone();
            rules.next = next.clone();
            rules.empty_ends = true;
        }
        _ if has_link => {
            rules.style = "link";
            rules.position = page.map_or_else(String::new, |input| input.name.clone());
        }
        (_, Some((next, true)), _, _) => {
            rules.style = "link";
            rules.next = next.clone();
            rules.empty_ends = true;
        }
        (_, _, Some(page), _) => {
            rules.style = "page";
            rules.position = page.name.clone();
        }
        (_, _, _, Some(offset)) if limit.is_some() => {
            rules.style = "offset";
            rules.position = offset.name.clone();
        }
        _ => {
            if cursor.is_some() {
                let name = cursor.map_or("", |input| input.name.as_str()).to_owned();
                endpoint.notes.push(format!(
                    "`{name}` looks like a cursor, but the reply does not say where the next one is"
                ));
            }
            return None;
        }
    }
    let taken = [rules.limit.clone(), rules.position.clone()];
    let also: Vec<String> = match rules.style {
        "link" => {
            page.iter().chain(&cursor).chain(&offset).map(|input| input.name.clone()).collect()
        }
        _ => Vec::new(),
    };
    let is_required = |name: &String| {
        endpoint.inputs.iter().any(|input| {
            input.name == *name && input.is_required && input.place == InputPlace::Query
        })
    };
    if also.iter().any(is_required) {
        return None;
    }
    endpoint.inputs.retain(|input| {
        let is_paging = taken.contains(&input.name) || also.contains(&input.name);
        input.place != InputPlace::Query || input.name.is_empty() || !is_paging
    });
    Some(rules)
}

/// The largest page: the limit of the number, or the usual one.
fn most(input: &super::model::ApiInput) -> u32 {
    input
        .most
        .and_then(|most| u32::try_from(most).ok())
        .filter(|most| *most > 0)
        .map_or(PAGE, |most| most.min(1_000))
}

fn has_url(text: &str) -> bool {
    text.split(|symbol: char| !symbol.is_ascii_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case("url") || word.eq_ignore_ascii_case("uri"))
}

/// Where the reply says what comes next, and whether that is an address.
fn next_of<'a>(trees: &'a DocumentTrees, whole: &FlatSchema<'a>) -> Option<(String, bool)> {
    let is_value = |schema: &FlatSchema<'_>| {
        matches!(schema.types.as_slice(), ["string" | "integer"] | ["string", "integer"] | [])
            && schema.members.is_empty()
    };
    let is_link = |name: &str, outer: &str, schema: &FlatSchema<'_>| {
        schema.format.starts_with("uri")
            || schema.format == "url"
            || outer.ends_with("links")
            || has_url(schema.description)
            || name.to_lowercase().ends_with("url")
    };
    let find = |schema: &FlatSchema<'a>, outer: &str| {
        NEXT.iter().chain(&["next_url", "nextUrl", "nextLink"]).find_map(|name| {
            let member = FlatSchema::of(trees, *schema.members.get(name)?);
            is_value(&member).then(|| ((*name).to_owned(), is_link(name, outer, &member)))
        })
    };
    if let Some(found) = find(whole, "") {
        return Some(found);
    }
    AROUND.iter().find_map(|outer| {
        let around = FlatSchema::of(trees, *whole.members.get(outer)?);
        if let Some((name, is_link)) = find(&around, outer) {
            return Some((format!("{outer}.{name}"), is_link));
        }
        AROUND.iter().find_map(|middle| {
            let inner = FlatSchema::of(trees, *around.members.get(middle)?);
            let (name, is_link) = find(&inner, middle)?;
            Some((format!("{outer}.{middle}.{name}"), is_link))
        })
    })
}
