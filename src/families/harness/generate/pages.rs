//! The pages of a list for `conform.toml`: what each adds to the request, and its reply.
//!
//! An API says in several ways that a page is the last one, and each list shows one of them, so that no setting of the
//! paging is without effect on some list.

use serde_json::{Map, Value, json};

use crate::families::harness::operations::{
    ErrorStyle, Operation, Paging, PagingPlace, PagingStyle,
};

use super::facts::{set, with_ok};

/// How many entries a page has, and the ids and names of all of them: no number of ten digits, and no double, holds
/// such an id.
const PAGE: usize = 2;
pub const IDS: [&str; 3] = ["9007199254740993", "9007199254740995", "9007199254740997"];
pub const NAMES: [&str; 3] = ["one", "two", "three"];
/// A cursor that must be encoded and must not be read as a number.
pub const CURSOR: &str = "next+2/=";
/// A cursor beside the statement that there are no more entries.
const STALE: &str = "none+3/=";
/// In the path of the next cursor: the last entry of the page.
const LAST_ENTRY: &str = ".-1.";
const HEADER: &str = "header:";

/// The query members of one page, and its response.
#[derive(Default)]
pub struct Page {
    pub parameters: Vec<(String, Value)>,
    pub place: PagingPlace,
    pub headers: Vec<(String, String)>,
    pub reply: String,
    /// Whether a Link header names the page after it.
    pub is_linked: bool,
}

fn entry_id(id: &str) -> Value {
    id.parse::<u64>().map_or_else(|_| json!(id), |number| json!(number))
}

/// A list operation and what its pages show.
pub struct PagedList<'a> {
    pub operation: &'a Operation,
    pub rules: &'a Paging,
    pub style: ErrorStyle,
    /// How many lists with these rules precede it.
    pub turn: usize,
    /// Whether it requests more entries than a page of the API has.
    pub asks_for_most: bool,
}

impl PagedList<'_> {
    /// The value of `--limit`.
    pub fn limit(&self) -> usize {
        if self.asks_for_most() { self.size() + 1 } else { PAGE }
    }

    /// The pages that read it to its end.
    pub fn pages(&self) -> Vec<Page> {
        let rules = self.rules;
        if rules.style == PagingStyle::None {
            return vec![self.page(0..IDS.len(), Vec::new())];
        }
        let size = (!rules.limit.is_empty()).then(|| (rules.limit.clone(), json!(self.size())));
        let at = |position: Value| {
            // The address in a link to the next page cannot be constructed.
            let name = if self.is_linked() { "after" } else { &rules.position };
            size.clone().into_iter().chain([(name.to_owned(), position)]).collect()
        };
        let position = match rules.style {
            PagingStyle::Page => json!(2),
            PagingStyle::Offset => json!(PAGE),
            PagingStyle::Link if !self.is_linked() => json!("2"),
            PagingStyle::Cursor if self.is_after_entry() => entry_id(IDS[PAGE - 1]),
            PagingStyle::Cursor | PagingStyle::Link | PagingStyle::None => json!(CURSOR),
        };
        let mut first = self.page(0..PAGE, size.clone().into_iter().collect());
        let mut last = self.page(PAGE..IDS.len(), at(position));
        if let (PagingStyle::Link, Some(name)) = (rules.style, self.next_header()) {
            first.headers.push((name.to_owned(), "2".to_owned()));
            last.headers.push((name.to_owned(), String::new()));
        }
        first.is_linked = self.is_linked();
        // If the API does not mark the last page, an empty page ends the list.
        let end = match rules.style {
            PagingStyle::Page => json!(3),
            PagingStyle::Offset => json!(IDS.len()),
            _ => return vec![first, last],
        };
        if self.says_more() || self.says_last() {
            return vec![first, last];
        }
        vec![first, last, self.page(IDS.len()..IDS.len(), at(end))]
    }

    fn asks_for_most(&self) -> bool {
        self.asks_for_most && self.rules.max_limit > 0 && !self.rules.limit.is_empty()
    }

    /// The request to the API.
    fn size(&self) -> usize {
        if self.asks_for_most() { self.rules.max_limit as usize } else { PAGE }
    }

    fn is_linked(&self) -> bool {
        self.rules.style == PagingStyle::Link && self.next_header().is_none()
    }

    /// The header with the next page instead of a link, in every other list.
    fn next_header(&self) -> Option<&str> {
        self.rules.next.strip_prefix(HEADER).filter(|_| self.turn % 2 == 1)
    }

    /// True if a page is marked as the last one.
    fn says_last(&self) -> bool {
        let is_counted = matches!(self.rules.style, PagingStyle::Page | PagingStyle::Offset);
        is_counted && self.has_members() && !self.rules.last.is_empty() && self.turn % 2 == 1
    }

    /// True if a page says that there are more entries, or how many there are.
    fn says_more(&self) -> bool {
        let is_left_out = match self.rules.style {
            PagingStyle::Cursor if self.is_after_entry() => false,
            PagingStyle::Cursor => self.rules.empty_ends && self.turn.is_multiple_of(3),
            _ => self.says_last(),
        };
        self.has_members() && !self.rules.more.is_empty() && !is_left_out
    }

    /// True if a page begins after the last entry of the one before it.
    fn is_after_entry(&self) -> bool {
        self.rules.next.contains(LAST_ENTRY)
    }

    /// True if the list is a member of an object, which has others.
    fn has_members(&self) -> bool {
        !self.operation.items.is_empty()
    }

    fn page(&self, entries: std::ops::Range<usize>, parameters: Vec<(String, Value)>) -> Page {
        let reply = self.reply(entries);
        Page { parameters, place: self.rules.place, reply, ..Page::default() }
    }

    /// A reply with some of the entries, and with the way to the rest.
    fn reply(&self, entries: std::ops::Range<usize>) -> String {
        let (operation, rules) = (self.operation, self.rules);
        let is_last = entries.end == IDS.len();
        let mut list = Vec::new();
        for (id, name) in IDS.iter().zip(NAMES).take(entries.end).skip(entries.start) {
            let mut entry = Value::Object(Map::new());
            if operation.item_name != operation.item_id {
                set(&mut entry, &operation.item_name, name.into());
            }
            set(&mut entry, &operation.item_id, entry_id(id));
            list.push(entry);
        }
        if !self.has_members() {
            return Value::Array(list).to_string();
        }
        let mut tree = Value::Object(Map::new());
        set(&mut tree, &operation.items, Value::Array(list));
        if rules.style == PagingStyle::Cursor {
            self.set_cursor(&mut tree, is_last);
        } else if self.says_last() {
            set(&mut tree, &rules.last, is_last.into());
        } else if rules.style != PagingStyle::None {
            for count in [&rules.more, &rules.total] {
                let place = if count.starts_with(HEADER) { "" } else { count };
                set(&mut tree, place, IDS.len().into());
            }
        }
        with_ok(tree, self.style).to_string()
    }

    /// At the end the cursor is empty, where the API documents that, or its whole object is null; or a word says that
    /// there is nothing more.
    fn set_cursor(&self, tree: &mut Value, is_last: bool) {
        let rules = self.rules;
        if self.is_after_entry() {
            set(tree, &rules.more, (!is_last).into());
            return;
        }
        let object = rules.next.split('.').next().unwrap_or_default();
        // The object may also have the entries.
        let has_items = self.operation.items.split('.').next() == Some(object);
        let object = if has_items { rules.next.as_str() } else { object };
        let is_stale = self.says_more() && self.turn % 2 == 1;
        match (is_last, is_stale, rules.empty_ends) {
            (false, ..) => set(tree, &rules.next, CURSOR.into()),
            (true, true, _) => set(tree, &rules.next, STALE.into()),
            (true, false, true) => set(tree, &rules.next, "".into()),
            (true, false, false) => set(tree, object, Value::Null),
        }
        if self.says_more() {
            set(tree, &rules.more, (!is_last).into());
        }
    }
}
