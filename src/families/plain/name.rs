//! The name of a project that follows no contract: one component of a path, and safe in every language's files.

use crate::contract::cli_name;

/// Longest name, in bytes.
const MAX_LENGTH: usize = 64;

/// `acme-crm`, `AcmeCrm`, `acme.crm`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PlainName(String);

impl PlainName {
    /// Parses a name; `None` when it has not the form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "-_.".contains(symbol);
        let formed = (1..=MAX_LENGTH).contains(&text.len())
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.ends_with(|last: char| last.is_ascii_alphanumeric())
            && text.chars().all(plain);
        let is_path = crate::plan::RelativePath::parse(text).is_ok();
        (formed && is_path).then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `acme-crm` for `Acme_CRM`.
    fn slug(&self) -> String {
        let words = self.0.to_ascii_lowercase();
        let words: Vec<_> = words.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
        words.join("-")
    }

    /// `acme_crm`, a word in most languages.
    #[must_use]
    pub fn package(&self) -> String {
        let package = self.slug().replace('-', "_");
        if package.starts_with(|first: char| first.is_ascii_digit()) {
            format!("_{package}")
        } else {
            package
        }
    }

    /// `ACME_CRM`.
    #[must_use]
    pub fn env_prefix(&self) -> String {
        self.package().to_ascii_uppercase()
    }

    /// `Acme Crm`.
    #[must_use]
    pub fn title(&self) -> String {
        cli_name::title(&self.slug())
    }

    /// `AcmeCrm`.
    #[must_use]
    pub fn type_name(&self) -> String {
        cli_name::type_name(&self.slug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_every_form_and_nothing_that_leaves_the_directory() {
        let name = PlainName::parse("Acme_crm.v2").unwrap();
        assert_eq!(name.package(), "acme_crm_v2");
        assert_eq!(name.env_prefix(), "ACME_CRM_V2");
        assert_eq!(name.title(), "Acme Crm V2");
        assert_eq!(name.type_name(), "AcmeCrmV2");
        assert_eq!(PlainName::parse("2x").unwrap().package(), "_2x");
        for text in ["", "..", ".git", "-x", "x/y", "x y", "nul", "x.", "a\\b", "é", "x\n"] {
            assert_eq!(PlainName::parse(text), None, "{text}");
        }
    }
}
