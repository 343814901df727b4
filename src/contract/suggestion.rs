//! "Did you mean": the known name that is nearest to an unknown one.

/// Returns the nearest known name, if it is close enough to be the intended one.
#[must_use]
pub fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if unknown.len() > 80 {
        return None;
    }
    // Any two short words are alike.
    let is_long = unknown.chars().count() > 3;
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(unknown, name), name))
        .filter(|(similarity, name)| {
            is_long && *similarity > 0.8 || strsim::damerau_levenshtein(unknown, name) == 1
        })
        .max_by(|left, right| left.0.total_cmp(&right.0).then_with(|| right.1.cmp(left.1)))
        .map(|(_, name)| name)
}

/// Longest list of known names that is repeated to a reader.
const MAX_NAMES: usize = 8;

/// A reader's message about an unknown member or value, with the nearest name in place of a long list of all.
#[must_use]
pub fn short_list(message: &str) -> String {
    let Some((said, list)) = message.split_once(", expected one of ") else {
        return message.to_owned();
    };
    let unknown = said.split('`').nth(1).unwrap_or_default();
    let known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    if let Some(near) = nearest(unknown, known.iter().copied()) {
        return format!("{said}, did you mean `{near}`?");
    }
    if known.len() <= MAX_NAMES {
        return message.to_owned();
    }
    let shown: Vec<_> = known.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    format!("{said}, expected one of {} and {} more", shown.join(", "), known.len() - MAX_NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name_and_another_word_finds_nothing() {
        let known = ["license", "label", "author"];
        assert_eq!(nearest("licence", known), Some("license"));
        assert_eq!(nearest("lable", known), Some("label"));
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest("go", ["grok", "goose"]), None);
        assert_eq!(nearest("nwe", ["gen", "new"]), Some("new"));
    }

    #[test]
    fn a_message_names_the_nearest_of_many_names() {
        let listed = |unknown: &str, known: &[&str]| {
            let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
            short_list(&format!("unknown field `{unknown}`, expected one of {}", known.join(", ")))
        };
        assert_eq!(
            listed("itms", &["item", "items", "paging"]),
            "unknown field `itms`, did you mean `items`?"
        );
        assert_eq!(
            listed("xyz", &["item", "items"]),
            "unknown field `xyz`, expected one of `item`, `items`"
        );
        let many: Vec<_> = (0..20).map(|number| format!("name{number}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert!(listed("xyz", &many).ends_with("`name6`, `name7` and 12 more"));
        assert_eq!(short_list("missing field `label`"), "missing field `label`");
    }
}
