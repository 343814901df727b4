//! The name of a command in any of its spellings: `item archive`, `item.archive`.

use std::fmt;

/// Longest part of a name.
const MAX_PART: usize = 40;

/// A command of two words: what it is about, and what it does.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommandName {
    /// Lower-case words joined by `_`.
    pub group: String,
    pub verb: String,
}

/// Why a text is not a name.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    #[error("a command name needs two words: a resource and a verb")]
    Words,
    #[error(
        "`{0}` must be lower-case letters, digits and single dashes or underscores, and start with a letter"
    )]
    Form(String),
}

impl CommandName {
    /// # Errors
    /// Returns an error if it is not two words.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let words: Vec<_> =
            text.split(['.', ' ']).filter(|word| !word.is_empty()).take(3).collect();
        let [group, verb] = words.as_slice() else { return Err(NameError::Words) };
        Ok(Self { group: part(group)?, verb: part(verb)? })
    }

    /// `item.archive_all`: the id of a connector.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}.{}", self.group, self.verb)
    }

    /// `item archive-all`: the words of a command line.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{} {}", dashed(&self.group), dashed(&self.verb))
    }

    /// `item_archive_all`: a module.
    #[must_use]
    pub fn module(&self) -> String {
        format!("{}_{}", self.group, self.verb)
    }

    /// `ItemArchiveAll`.
    #[must_use]
    pub fn pascal(&self) -> String {
        self.module().split('_').map(capitalised).collect()
    }

    /// `itemArchiveAll`.
    #[must_use]
    pub fn camel(&self) -> String {
        let pascal = self.pascal();
        let mut symbols = pascal.chars();
        symbols.next().map_or_else(String::new, |first| {
            first.to_lowercase().collect::<String>() + symbols.as_str()
        })
    }
}

impl fmt::Display for CommandName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path())
    }
}

/// `item_id` to `item-id`.
#[must_use]
pub fn dashed(name: &str) -> String {
    name.replace('_', "-")
}

/// The first letter as a capital.
#[must_use]
pub fn capitalised(word: &str) -> String {
    let mut symbols = word.chars();
    symbols.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + symbols.as_str()
    })
}

/// One word of a name, or the name of an input, with `_` between its parts.
///
/// # Errors
/// Returns an error if it holds anything but lower-case letters, digits and single separators.
pub fn part(text: &str) -> Result<String, NameError> {
    let plain = text.replace('-', "_");
    let is_fine = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let starts_well = plain.starts_with(|first: char| first.is_ascii_lowercase());
    if starts_well && plain.len() <= MAX_PART && plain.split('_').all(is_fine) {
        return Ok(plain);
    }
    Err(NameError::Form(crate::visible::excerpt(text, MAX_PART)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_spelling_for_each_place() {
        for text in ["item archive-all", "item.archive_all", " item  archive_all"] {
            let name = CommandName::parse(text).unwrap();
            assert_eq!(
                (name.id().as_str(), name.path().as_str()),
                ("item.archive_all", "item archive-all")
            );
            assert_eq!(
                (name.pascal().as_str(), name.camel().as_str()),
                ("ItemArchiveAll", "itemArchiveAll")
            );
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "item",
            "a b c",
            "Item get",
            "item get!",
            "item --x",
            "item a__b",
            "9x get",
            "item _a",
        ] {
            assert!(CommandName::parse(text).is_err(), "{text}");
        }
    }
}
