//! The paging of a list, derived from its inputs and its reply.

use super::document::DocumentTrees;
use super::model::{ApiInput, ApiPaging, Endpoint, InputKind, InputPlace};
use super::schema::FlatSchema;

/// Names of inputs that are about pages, without `_`, `-` and case.
pub const LIMITS: [&str; 15] = [
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
pub const PAGES: [&str; 5] = ["page", "pagenumber", "pageno", "pagenum", "currentpage"];
pub const OFFSETS: [&str; 6] = ["offset", "skip", "start", "startat", "startindex", "from"];
const CURSORS: [&str; 16] = [
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
    "iterator",
    "bookmark",
];
/// The members of a reply that name the next page.
pub const NEXT: &[&str] = &[
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
    "continue",
    "next_page_uri",
    "next_marker",
    "iterator",
    "bookmark",
    "next_url",
    "next_link",
];
/// Members that have the one above inside.
pub const AROUND: [&str; 12] = [
    "pages",
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
/// Objects about the next page, and what they call it; the text of a position before an address.
const NEXT_OBJECTS: [&str; 3] = ["next_page", "nextPage", "next"];
const POSITIONS: [&str; 6] = ["offset", "cursor", "token", "page_token", "starting_after", "after"];
const ADDRESSES: [&str; 3] = ["href", "uri", "url"];
/// The last entry of a page, by which an API finds the next page.
const LAST_ENTRY: [&str; 2] = ["last_id", "lastId"];
pub const TOTALS: [&str; 7] =
    ["total", "total_count", "totalCount", "totalItems", "total_items", "totalResults", "count"];
/// The largest page that is asked for by default.
const PAGE: u32 = 100;

/// A name without `_`, `-` and case.
fn plain(name: &str) -> String {
    let symbols = name.chars().filter(char::is_ascii_alphanumeric);
    symbols.map(|symbol| symbol.to_ascii_lowercase()).collect()
}

/// True if a name is one of these, without `_`, `-` and case.
pub fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.contains(&plain(name).as_str())
}

/// Returns how the pages follow each other; the inputs for pages are then no longer inputs of the command.
///
/// A list that is asked for by POST may have them in its JSON body.
pub fn paging<'a>(
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    whole: &FlatSchema<'a>,
    list: (&str, &str),
    has_link: bool,
) -> Option<ApiPaging> {
    if endpoint.method != "POST" || !endpoint.content_type.ends_with("json") {
        return paging_in(InputPlace::Query, trees, endpoint, whole, list, has_link);
    }
    let before = endpoint.notes.len();
    let of_body = paging_in(InputPlace::Body, trees, endpoint, whole, list, false);
    if of_body.is_some() {
        return of_body;
    }
    let notes = before..endpoint.notes.len();
    let of_query = paging_in(InputPlace::Query, trees, endpoint, whole, list, has_link);
    if of_query.is_some() {
        endpoint.notes.drain(notes);
    }
    of_query
}

fn paging_in<'a>(
    place: InputPlace,
    trees: &'a DocumentTrees,
    endpoint: &mut Endpoint,
    whole: &FlatSchema<'a>,
    (items, item_id): (&str, &str),
    has_link: bool,
) -> Option<ApiPaging> {
    let is_number = |kind: &InputKind| matches!(kind, InputKind::Integer | InputKind::Decimal);
    let inputs: Vec<_> = endpoint.in_place(place).collect();
    let named = |known: &[&str]| {
        known.iter().find_map(|word| inputs.iter().find(|input| is_one_of(&input.name, &[*word])))
    };
    let limit = named(&LIMITS).filter(|input| input.kind != InputKind::Json);
    let page =
        named(&PAGES).filter(|input| is_number(&input.kind) || input.kind == InputKind::Text);
    let offset = named(&OFFSETS).filter(|input| is_number(&input.kind));
    let cursor = named(&CURSORS)
        .filter(|input| !matches!(input.kind, InputKind::Json | InputKind::List { .. }));
    let next = next_of(trees, whole, cursor.map_or("", |input| &input.name));
    // An offset that is a text is a cursor, if the reply names it as the next one.
    let is_next = |input: &&&ApiInput| {
        let last = next.as_ref().map(|(next, _)| next.rsplit('.').next().unwrap_or_default());
        input.kind == InputKind::Text && last == Some(input.name.as_str())
    };
    let cursor = cursor.or_else(|| named(&OFFSETS).filter(is_next));
    let last_entry = LAST_ENTRY.into_iter().find(|name| whole.members.contains_key(name));
    let more = ["has_more", "hasMore"].into_iter().find(|name| whole.members.contains_key(name));
    let is_after_entry = cursor.is_some_and(|input| {
        is_one_of(&input.name, &["startingafter"])
            || is_one_of(&input.name, &["after"])
                && input.kind == InputKind::Text
                && !is_about_time(input)
    });
    let total = TOTALS.into_iter().find(|name| {
        let member = whole.members.get(name).map(|member| FlatSchema::of(trees, *member));
        member.is_some_and(|member| member.types == ["integer"])
    });
    let max_limit = limit.map_or(PAGE, |input| most(input));
    let mut rules = ApiPaging {
        limit: limit.map_or_else(String::new, |input| input.name.clone()),
        max_limit,
        is_in_body: place == InputPlace::Body,
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
        // The address of a next page does not have the body.
        (_, Some((next, true)), _, _) if place == InputPlace::Query => {
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
        // The next page begins after the last entry of this one.
        _ if is_after_entry && !items.is_empty() && !rules.more.is_empty() => {
            rules.style = "cursor";
            rules.position = cursor.map_or_else(String::new, |input| input.name.clone());
            rules.next = last_entry.map_or_else(|| format!("{items}.-1.{item_id}"), str::to_owned);
            rules.empty_ends = true;
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
        endpoint
            .inputs
            .iter()
            .any(|input| input.name == *name && input.is_required && input.place == place)
    };
    // The first page is asked for without its position.
    let is_always_sent = rules.is_in_body && is_required(&rules.position);
    if is_always_sent || also.iter().any(is_required) {
        return None;
    }
    endpoint.inputs.retain(|input| {
        let is_paging = taken.contains(&input.name) || also.contains(&input.name);
        input.place != place || input.name.is_empty() || !is_paging
    });
    Some(rules)
}

/// The largest page: the limit of the number, or the usual one.
fn most(input: &ApiInput) -> u32 {
    input
        .most
        .and_then(|most| u32::try_from(most).ok())
        .filter(|most| *most > 0)
        .map_or(PAGE, |most| most.min(1_000))
}

/// Whether an input filters by a time: `after` of a list of events.
fn is_about_time(input: &ApiInput) -> bool {
    let sample = input.sample.as_ref().and_then(serde_json::Value::as_str);
    sample.is_some_and(|sample| sample.starts_with("2026-01-31"))
}

fn has_url(text: &str) -> bool {
    text.split(|symbol: char| !symbol.is_ascii_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case("url") || word.eq_ignore_ascii_case("uri"))
}

/// Returns the member of the reply with the next page, and whether it is an address; `cursor` is the input for it.
fn next_of<'a>(
    trees: &'a DocumentTrees,
    whole: &FlatSchema<'a>,
    cursor: &str,
) -> Option<(String, bool)> {
    let cursor = plain(cursor);
    let of_cursor = [format!("next{cursor}"), format!("{cursor}next"), cursor.clone()];
    let wanted: Vec<String> = of_cursor
        .into_iter()
        .filter(|_| !cursor.is_empty())
        .chain(NEXT.iter().map(|name| plain(name)))
        .collect();
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
        wanted.iter().find_map(|wanted| {
            let (name, member) = schema.members.iter().find(|(name, _)| plain(name) == *wanted)?;
            let member = FlatSchema::of(trees, *member);
            is_value(&member).then(|| ((*name).to_owned(), is_link(name, outer, &member)))
        })
    };
    // `next: {href}`: an object about the next page, at the top or in one about the list.
    let find_object = |schema: &FlatSchema<'a>| {
        NEXT_OBJECTS.iter().find_map(|name| {
            let object = FlatSchema::of(trees, *schema.members.get(name)?);
            let has = |inner: &&&str| {
                let member = object.members.get(**inner);
                member.is_some_and(|member| is_value(&FlatSchema::of(trees, *member)))
            };
            let position = POSITIONS.iter().find(has).map(|inner| (inner, false));
            let (inner, is_link) =
                position.or_else(|| ADDRESSES.iter().find(has).map(|inner| (inner, true)))?;
            Some((format!("{name}.{inner}"), is_link))
        })
    };
    let found = find(whole, "").or_else(|| find_object(whole));
    if found.is_some() {
        return found;
    }
    AROUND.iter().find_map(|outer| {
        let around = FlatSchema::of(trees, *whole.members.get(outer)?);
        if let Some((name, is_link)) = find(&around, outer).or_else(|| find_object(&around)) {
            return Some((format!("{outer}.{name}"), is_link));
        }
        AROUND.iter().find_map(|middle| {
            let inner = FlatSchema::of(trees, *around.members.get(middle)?);
            let (name, is_link) = find(&inner, middle)?;
            Some((format!("{outer}.{middle}.{name}"), is_link))
        })
    })
}
