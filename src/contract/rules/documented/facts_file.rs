//! Values of one member in one kind of table of conform.toml, with their places.
//!
//! Reading only; whether the document is well formed is judged where it is used.

/// Returns each value with its position: `member = "value"` below a header, up to the next header.
pub fn values<'a>(text: &'a str, header: &str, member: &str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    let mut is_inside = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim();
        if content.starts_with('[') {
            is_inside = content.split('#').next().unwrap_or_default().trim() == header;
        }
        let value = content.strip_prefix(member).map(str::trim_start);
        let value = value.and_then(|rest| rest.strip_prefix('=')).map(str::trim_start);
        let quoted = value.and_then(|rest| {
            let quote = rest.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
            rest[1..].split_once(quote)
        });
        if let Some((value, _)) = quoted.filter(|_| is_inside) {
            let inside = line.find(value).unwrap_or_default();
            found.push((start + inside, value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_of_the_tables_of_one_kind_are_found() {
        let text = "id = \"no\"\n[[a.b]] # x\nid = \"one\"\nids = [\"no\"]\n[[a.b.c]]\nid = \"no\"\n[[a.b]]\nid='two' # y\nid = 3\n";
        let found = values(text, "[[a.b]]", "id");
        assert_eq!(found.iter().map(|(_, value)| *value).collect::<Vec<_>>(), ["one", "two"]);
        assert!(found.iter().all(|(at, value)| text[*at..].starts_with(value)));
        assert!(values("[[a.b]]\nid = \"", "[[a.b]]", "id").is_empty());
    }
}
