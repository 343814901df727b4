//! What the names on the command line stand for, with a hint when it is nothing.

use crate::contract::suggestion;
use crate::inputs::template::{self, Template};
use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;

pub fn template(name: &str) -> Result<Template, Failure> {
    template::find(name)?.ok_or_else(|| {
        let known = template::names();
        let hint = suggestion::nearest(name, known.iter().map(String::as_str)).map_or_else(
            || format!("templates are {}", known.join(", ")),
            |nearest| format!("did you mean `{nearest}`?"),
        );
        Failure::new(ErrorCode::Validation, format!("there is no template `{}`", shown(name)))
            .hint(hint)
            .detail("known_templates", known)
    })
}

pub fn shown(text: &str) -> String {
    excerpt(text, 60)
}

/// `name` as lower-case words joined by single dashes.
pub fn slug(name: &str) -> String {
    let words = name.to_lowercase();
    let words = words.split(|symbol: char| !symbol.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
