//! The paging of a connector: `PAGING` and `ERROR_STYLE` in its api.py, for a list that is added.

use serde_json::{Map, Value, json};

use crate::families::harness::generate::pages::{Page, PagedList};
use crate::families::harness::operations::{ErrorStyle, Operation, Paging, PagingPlace};
use crate::generate::record_text::quote;
use crate::openapi::written::percent;
use crate::workflows::add::seam::Desk;

/// The rules by which the lists of a project continue.
pub struct ProjectPaging {
    rules: Paging,
    style: ErrorStyle,
}

impl ProjectPaging {
    /// The rules in the api.py of `package`. `None` if they are not a literal, or are about the body of a request, which a
    /// new list does not have.
    pub fn of(desk: &Desk<'_>, package: &str) -> Option<Self> {
        let text = desk.text(&format!("{package}/api.py"))?;
        let rules: Paging = serde_json::from_value(dictionary(text, "PAGING")?).ok()?;
        let style = text.lines().find_map(|line| line.strip_prefix("ERROR_STYLE = "))?;
        let style = serde_json::from_value(literal(style)?).ok()?;
        (rules.place == PagingPlace::Query).then_some(Self { rules, style })
    }

    /// The value of `--limit`, and the requests of a list that is read to its end: below `path`, with `query` in each.
    pub fn requests(
        &self,
        method: &str,
        path: &str,
        query: &[(String, String)],
    ) -> Option<(usize, String)> {
        let operation = json!({
            "id": "item.list", "summary": "", "method": "GET", "path": path, "list": true,
            "items": "items", "item_name": "name",
        });
        let operation: Operation = serde_json::from_value(operation).ok()?;
        let (rules, style) = (&self.rules, self.style);
        let list = PagedList { operation: &operation, rules, style, turn: 0, asks_for_most: false };
        let pages = list.pages();
        let queries: Vec<_> = pages.iter().map(|page| with_position(query, page)).collect();
        let mut text = String::new();
        for (at, (page, query)) in pages.iter().zip(&queries).enumerate() {
            text.push_str(&format!(
                "\n[[harness.commands.requests]]\nmethod = {}\npath = {}\n",
                quote(method),
                quote(path)
            ));
            text.push_str(&table("query", query));
            let mut headers = page.headers.clone();
            if let Some(next) = queries.get(at + 1).filter(|_| page.is_linked) {
                let next: Vec<_> = next
                    .iter()
                    .map(|(name, value)| {
                        format!("{}={}", percent(name, false), percent(value, false))
                    })
                    .collect();
                let link = format!("<{{base_url}}{path}?{}>; rel=\"next\"", next.join("&"));
                headers.push(("Link".to_owned(), link));
            }
            text.push_str(&table("headers", &headers));
            text.push_str(&format!("reply = '{}'\n", page.reply));
        }
        Some((list.limit(), text))
    }
}

fn with_position(query: &[(String, String)], page: &Page) -> Vec<(String, String)> {
    let own = page.parameters.iter().map(|(name, value)| {
        (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    });
    query.iter().cloned().chain(own).collect()
}

fn table(name: &str, pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| format!("{} = {}", quote(name), quote(value))).collect();
    format!("{name} = {{ {} }}\n", pairs.join(", "))
}

/// A dictionary of strings, numbers and truths, with an entry on each line.
fn dictionary(text: &str, name: &str) -> Option<Value> {
    let start = format!("{name} = {{");
    let mut members = Map::new();
    let mut lines = text.lines().skip_while(|line| line.trim_end() != start).skip(1);
    loop {
        let line = lines.next()?;
        let entry = line.trim();
        if line.trim_end() == "}" {
            return Some(Value::Object(members));
        }
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let (key, value) = entry.split_once(':')?;
        members.insert(literal(key)?.as_str()?.to_owned(), literal(value)?);
    }
}

/// A literal of Python that is one of JSON, or a truth; a comma after it does not count.
fn literal(text: &str) -> Option<Value> {
    match text.trim().trim_end_matches(',') {
        "True" => Some(true.into()),
        "False" => Some(false.into()),
        text => serde_json::from_str(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_dictionary_is_read() {
        let text = "A = 1\nPAGING = {\n    # why\n    \"style\": \"page\",\n    \"cap\": 0,\n    \"empty_ends\": False,\n}\n";
        let found = dictionary(text, "PAGING").unwrap();
        assert_eq!(found, json!({"style": "page", "cap": 0, "empty_ends": false}));
        assert_eq!(dictionary(&text.replace("0,", "max(1, 2),"), "PAGING"), None);
        assert_eq!(dictionary(&text.replace("}\n", ""), "PAGING"), None);
        assert_eq!(dictionary(text, "OTHER"), None);
    }

    #[test]
    fn the_requests_of_a_list_are_the_pages_of_the_project() {
        let paging = |rules: Value| ProjectPaging {
            rules: serde_json::from_value(rules).unwrap(),
            style: ErrorStyle::Status,
        };
        let query = [("q".to_owned(), "a b".to_owned())];
        let link = paging(json!({"style": "link", "limit": "per_page", "max_limit": 100}));
        let (limit, text) = link.requests("GET", "/items", &query).unwrap();
        assert_eq!(limit, 2);
        assert!(text.contains("<{base_url}/items?q=a%20b&per_page=2&after="), "{text}");
        let page = paging(json!({"style": "page", "limit": "size", "position": "page"}));
        let (_, text) = page.requests("GET", "/items", &[]).unwrap();
        assert!(text.contains("\"size\" = \"2\", \"page\" = \"3\""), "{text}");
        let (_, text) = paging(json!({})).requests("GET", "/items", &[]).unwrap();
        assert_eq!(text.matches("[[harness.commands.requests]]").count(), 1, "{text}");
    }
}
