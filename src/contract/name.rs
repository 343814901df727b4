//! Names inside contract documents: the few shapes that may reach generated code.

use serde::Deserialize;
use serde::de::Error as _;

use crate::visible::excerpt;

macro_rules! name_type {
    ($(#[$doc:meta])* $type:ident, $expected:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub struct $type(String);

        impl $type {
            /// Parses `text`; `None` when it does not have the shape.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let valid: fn(&str) -> bool = $valid;
                (!text.is_empty() && text.len() <= 64 && valid(text)).then(|| Self(text.to_owned()))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| {
                    let shown: String = text.chars().take(80).collect();
                    D::Error::custom(format_args!("`{}` is not {}", excerpt(&shown, 200), $expected))
                })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

name_type!(
    /// A key or word: lower-case letters, digits, `_`, `-` and `.`, beginning with a letter or `_`.
    Key,
    "a key (lower-case letters, digits, `_`, `-`, `.`)",
    |text| text.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && text.chars().all(|symbol| symbol.is_ascii_lowercase()
            || symbol.is_ascii_digit()
            || matches!(symbol, '_' | '-' | '.'))
);

name_type!(
    /// An upper-case constant: an error code or the name of an environment variable.
    Constant,
    "an upper-case name (A-Z, 0-9, `_`)",
    |text| text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|symbol| symbol.is_ascii_uppercase()
            || symbol.is_ascii_digit()
            || symbol == '_')
);

name_type!(
    /// An identifier of a programming language: letters, digits and `_`, no digit first.
    Identifier,
    "an identifier (letters, digits, `_`)",
    |text| text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
);

name_type!(
    /// A long option, `--name`.
    Flag,
    "an option (`--name`)",
    |text| text.strip_prefix("--").is_some_and(|name| !name.is_empty()
        && name.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol == '-'))
);

name_type!(
    /// The name of a Go package: an identifier that is not a keyword and has no meaning of its own for the go command.
    GoPackage,
    "the name of a Go package",
    |text| text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
        && !text.ends_with("_test")
        && text != "documentation"
        && !GO_KEYWORDS.contains(&text)
);

name_type!(
    /// A schema version, `MAJOR.MINOR` or `MAJOR.MINOR.PATCH`.
    SchemaVersion,
    "a version (`1.0`)",
    |text| matches!(text.split('.').count(), 2 | 3)
        && text.split('.').all(|part| !part.is_empty()
            && part.len() <= 4
            && part.chars().all(|symbol| symbol.is_ascii_digit()))
);

/// Words that no Go identifier can be.
pub const GO_KEYWORDS: &[&str] = &[
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
];

/// True if a name is `pattern`: the name itself, or `*` and its suffix.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) => name.ends_with(suffix),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_does_not_have_the_shape_of_a_name() {
        for text in ["", "a b", "a\"", "__import__('os')", "x\n", "A", "é", &"a".repeat(65)] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
        for text in ["e_lower", "E-X", "E_X\"", "E_X\nE_Y", "_E"] {
            assert_eq!(Constant::parse(text), None, "{text}");
        }
        for text in ["1", "1.", "1.0.0.0", "null", "1.x", "v1.0"] {
            assert_eq!(SchemaVersion::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_names_of_the_contracts_have_it() {
        assert!(Key::parse("backend_unavailable").is_some());
        assert!(Key::parse("config.show").is_some());
        assert!(Constant::parse("E_2FA_REQUIRED").is_some());
        assert!(Flag::parse("--json").is_some());
        assert!(SchemaVersion::parse("1.0").is_some());
    }

    #[test]
    fn a_pattern_is_a_name_or_a_suffix() {
        assert!(fits("id", "id") && !fits("id", "paid"));
        assert!(fits("*_id", "user_id") && fits("*_id", "_id") && !fits("*_id", "id"));
    }
}
