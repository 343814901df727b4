//! The little YAML that front matter and workflows are written in: keys with scalars, nested by indentation, lists of
//! scalars, and JSON on one line. Anything else is kept as text.

use serde_json::Value;

use crate::contract::json;

/// One scalar, by the path of its keys: `metadata.requires.min_version`, `bins[]`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct YamlEntry {
    pub path: String,
    pub value: String,
    pub quoted: bool,
    /// The offset of its line in the file.
    pub at: usize,
}

/// The front matter of a document; `None` without the two lines of dashes.
pub fn front_matter(text: &str) -> Option<Vec<YamlEntry>> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("\n---\n").or_else(|| rest.strip_suffix("\n---").map(str::len))?;
    Some(entries(&rest[..end], 4))
}

/// Returns the text after the front matter.
pub fn body(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(text, |(_, body)| body)
}

fn entries(text: &str, offset: usize) -> Vec<YamlEntry> {
    let mut entries = Vec::new();
    // Keys above the current line, each with its indentation.
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut at = offset;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        let indent = line.len() - line.trim_start().len();
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some(item) = content.strip_prefix("- ") {
            // A list may have the indentation of its key.
            above.retain(|(depth, _)| *depth <= indent);
            let path = format!("{}[]", joined(&above));
            push(&mut entries, path, item, start);
            continue;
        }
        above.retain(|(depth, _)| *depth < indent);
        let Some((key, value)) = split(content) else { continue };
        above.push((indent, key.to_owned()));
        if !value.is_empty() {
            push(&mut entries, joined(&above), value, start);
        }
    }
    entries
}

fn joined(above: &[(usize, String)]) -> String {
    above.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>().join(".")
}

/// `key: value`; the key without quotes.
fn split(content: &str) -> Option<(&str, &str)> {
    let (key, value) = content.split_once(':')?;
    let plain = value.is_empty() || value.starts_with(' ');
    plain.then(|| (key.trim().trim_matches(['"', '\'']), value.trim()))
}

fn push(entries: &mut Vec<YamlEntry>, path: String, value: &str, at: usize) {
    if value.starts_with(['{', '['])
        && let Ok(value) = json::parse(value.as_bytes())
    {
        return flatten(entries, path, &value, at);
    }
    let quoted = |quote: char| {
        value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)).map(|(inner, _)| inner)
    };
    let entry = match quoted('"').or_else(|| quoted('\'')) {
        Some(inner) => YamlEntry { path, value: inner.to_owned(), quoted: true, at },
        None => {
            let value = value.split(" #").next().unwrap_or(value).trim_end();
            YamlEntry { path, value: value.to_owned(), quoted: false, at }
        }
    };
    entries.push(entry);
}

fn flatten(entries: &mut Vec<YamlEntry>, path: String, value: &Value, at: usize) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                flatten(entries, format!("{path}.{key}"), value, at);
            }
        }
        Value::Array(items) => {
            for item in items {
                flatten(entries, format!("{path}[]"), item, at);
            }
        }
        Value::String(text) => {
            entries.push(YamlEntry { path, value: text.clone(), quoted: true, at });
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => {
            entries.push(YamlEntry { path, value: value.to_string(), quoted: false, at });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String, bool)> {
        let entries = front_matter(&format!("---\n{text}\n---\nbody\n")).unwrap();
        entries.into_iter().map(|entry| (entry.path, entry.value, entry.quoted)).collect()
    }

    #[test]
    fn nested_keys_lists_and_json_on_one_line_are_one_list_of_scalars() {
        let expected = [
            ("name", "x", false),
            ("version", "1.0.0", true),
            ("metadata.requires.bins[]", "x", true),
            ("metadata.requires.min_version", "1.0.0", true),
        ];
        let expected =
            expected.map(|(path, value, quoted)| (path.to_owned(), value.to_owned(), quoted));
        let json = "name: x # comment\nversion: '1.0.0'\nmetadata: {\"requires\": {\"bins\": [\"x\"], \"min_version\": \"1.0.0\"}}";
        let block = "name: x\nversion: \"1.0.0\"\nmetadata:\n  requires:\n    bins:\n      - \"x\"\n    min_version: \"1.0.0\"";
        let at_key = block.replace("      - ", "    - ");
        assert_eq!(read(json), expected);
        assert_eq!(read(block), expected);
        assert_eq!(read(&at_key), expected);
    }

    #[test]
    fn a_text_without_two_lines_of_dashes_has_no_front_matter() {
        for text in
            ["", "# x\n", "---\nname: x\n", "--- \nname: x\n---\n", "\u{feff}---\na: b\n---\n"]
        {
            assert_eq!(front_matter(text), None, "{text:?}");
        }
        assert_eq!(body("---\na: b\n---\nrest\n"), "rest\n");
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        for text in [
            "é: é",
            ":",
            "- ",
            "  - x",
            "a:b",
            "a: {",
            "a: \"",
            "a: [1, {\"b\": null}]",
            "\t- x: y",
        ] {
            let _ = read(text);
        }
    }
}
