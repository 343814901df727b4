//! Names of an API as words of ids and options: folded, singular and plural.
//!
//! For every input, the output has only `a-z`, `0-9` and `_`.

/// Longest folded name.
const MAX_NAME: usize = 48;
/// Plurals that no rule finds, and words that are not plurals.
const IRREGULAR: [(&str, &str); 9] = [
    ("people", "person"),
    ("caches", "cache"),
    ("children", "child"),
    ("indices", "index"),
    ("statuses", "status"),
    ("aliases", "alias"),
    ("analyses", "analysis"),
    ("movies", "movie"),
    ("cookies", "cookie"),
];
const UNCOUNTED: &[&str] = &[
    "news",
    "series",
    "data",
    "media",
    "status",
    "access",
    "address",
    "process",
    "dns",
    "sms",
    "https",
    "canvas",
    "kubernetes",
];

/// `petId`, `X-Trace-ID` and `créé le` as `pet_id`, `x_trace_id` and `cr_le`; empty when nothing is left.
#[must_use]
pub fn folded(name: &str) -> String {
    let symbols: Vec<char> = name.chars().take(200).collect();
    let mut words = String::with_capacity(name.len() + 4);
    for (at, symbol) in symbols.iter().enumerate() {
        if !symbol.is_ascii_alphanumeric() {
            words.push('_');
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| symbols.get(at));
        let after = symbols.get(at + 1);
        // The `s` of `IDs` and `URLs` is the plural of the letters before it.
        let is_plural_end = after == Some(&'s')
            && !symbols.get(at + 2).is_some_and(|symbol| symbol.is_ascii_lowercase());
        let starts = symbol.is_ascii_uppercase()
            && (before
                .is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit())
                || before.is_some_and(char::is_ascii_uppercase)
                    && after.is_some_and(char::is_ascii_lowercase)
                    && !is_plural_end);
        if starts {
            words.push('_');
        }
        words.push(symbol.to_ascii_lowercase());
    }
    let joined = words.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    cut(&joined).to_owned()
}

/// A folded name that begins with a letter.
#[must_use]
pub fn identifier(name: &str, otherwise: &str) -> String {
    let folded = folded(name);
    if folded.is_empty() {
        return otherwise.to_owned();
    }
    if folded.starts_with(|first: char| first.is_ascii_digit()) {
        return format!("n{folded}");
    }
    folded
}

/// The last word of `name` in the singular.
#[must_use]
pub fn singular(name: &str) -> String {
    let (front, word) = split(name);
    let one = match word {
        _ if UNCOUNTED.contains(&word) || word.len() < 4 => word.to_owned(),
        _ if is_irregular(word).is_some() => is_irregular(word).unwrap_or(word).to_owned(),
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if ["sses", "xes", "zes", "ches", "shes"].iter().any(|end| word.ends_with(end)) => {
            word[..word.len() - 2].to_owned()
        }
        _ if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") => {
            word.to_owned()
        }
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    };
    format!("{front}{one}")
}

/// The last word of `name`, which is in the singular, in the plural.
#[must_use]
pub fn plural(name: &str) -> String {
    let (front, word) = split(name);
    if UNCOUNTED.contains(&word) && !matches!(word, "status" | "address" | "process") {
        return format!("{name}_list");
    }
    if let Some((many, _)) = IRREGULAR.iter().find(|(_, one)| *one == word) {
        return format!("{front}{many}");
    }
    let ends_in_consonant_y =
        word.ends_with('y') && !["ay", "ey", "oy", "uy"].iter().any(|end| word.ends_with(end));
    if ends_in_consonant_y {
        return format!("{front}{}ies", &word[..word.len() - 1]);
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end)) {
        return format!("{front}{word}es");
    }
    format!("{front}{word}s")
}

/// True if the last word of `name` is in the plural.
#[must_use]
pub fn is_plural(name: &str) -> bool {
    singular(name) != name
}

fn is_irregular(word: &str) -> Option<&'static str> {
    IRREGULAR.iter().find(|(many, _)| *many == word).map(|(_, one)| *one)
}

fn split(name: &str) -> (&str, &str) {
    name.rfind('_').map_or(("", name), |at| name.split_at(at + 1))
}

fn cut(name: &str) -> &str {
    let end = name.len().min(MAX_NAME);
    name[..end].trim_end_matches('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, wanted) in [
            ("petId", "pet_id"),
            ("X-Trace-ID", "x_trace_id"),
            ("HTTPServerURL", "http_server_url"),
            ("filter[name]", "filter_name"),
            ("créé le", "cr_le"),
            ("import os; os.system('x')", "import_os_os_system_x"),
            ("日本", ""),
            ("v2Beta", "v2_beta"),
            ("IDs", "ids"),
            ("contactIDsOrURLs", "contact_ids_or_urls"),
            ("HTTPSettings", "http_settings"),
        ] {
            assert_eq!(folded(name), wanted);
        }
        assert_eq!(identifier("2fa", "x"), "n2fa");
        assert_eq!(identifier("日本", "field"), "field");
    }

    #[test]
    fn singular_and_plural_forms_are_recognised() {
        for (many, one) in [
            ("pets", "pet"),
            ("categories", "category"),
            ("branches", "branch"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("api_keys", "api_key"),
            ("people", "person"),
            ("issues", "issue"),
            ("caches", "cache"),
        ] {
            assert_eq!(singular(many), one, "{many}");
            assert!(is_plural(many));
        }
        for word in ["status", "news", "analysis", "access", "gas", "data"] {
            assert!(!is_plural(word), "{word}");
        }
        for (one, many) in [
            ("pet", "pets"),
            ("category", "categories"),
            ("box", "boxes"),
            ("key", "keys"),
            ("data", "data_list"),
        ] {
            assert_eq!(plural(one), many);
        }
    }
}
