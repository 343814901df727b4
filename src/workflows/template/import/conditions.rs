//! A condition of Jinja as `key=value`, where a condition of aos can say the same.

use super::jinja::JinjaNames;

/// `key=value`; `None` for anything that is not one comparison with a choice.
#[must_use]
pub fn condition(text: &str, names: &JinjaNames<'_>) -> Option<String> {
    let text = text.trim();
    let asked = |name: &str| names.question(name);
    let literal = |text: &str| {
        let text = text.trim();
        let quote = text.chars().next().filter(|first| ['"', '\''].contains(first))?;
        text.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned)
    };
    if let Some(name) = text.strip_prefix("not ") {
        return asked(name)
            .filter(|asked| asked.is_yes_no)
            .map(|asked| format!("{}=no", asked.key));
    }
    if let Some((name, value)) = text.split_once("==") {
        let (asked, value) = (asked(name)?, literal(value)?);
        return asked.choices.contains(&value).then(|| format!("{}={value}", asked.key));
    }
    if let Some((name, value)) = text.split_once("!=") {
        let (asked, value) = (asked(name)?, literal(value)?);
        let others: Vec<_> = asked.choices.iter().filter(|choice| **choice != value).collect();
        let [other] = others.as_slice() else { return None };
        return asked.choices.contains(&value).then(|| format!("{}={other}", asked.key));
    }
    asked(text).filter(|asked| asked.is_yes_no).map(|asked| format!("{}=yes", asked.key))
}
