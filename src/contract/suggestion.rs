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
}
