//! `[openapi]` in aos.toml: the description of an API that the commands of a project were made from, and what was
//! chosen of it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::plan::Digest;

use super::record_text::{RecordError, quote, syntax};

/// Most entries of one member.
const MAX_ENTRIES: usize = 2000;

/// The description and the choices.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OpenapiSection {
    /// The name of the file, without its directory.
    pub description: String,
    pub digest: Digest,
    pub select: Vec<String>,
    pub include_deprecated: bool,
    /// Modes that were chosen, by command id.
    pub modes: BTreeMap<String, String>,
    /// Ids that were chosen, by those that aos gave.
    pub renames: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenapiDocument {
    description: String,
    digest: String,
    #[serde(default)]
    select: Vec<String>,
    #[serde(default)]
    include_deprecated: bool,
    #[serde(default)]
    modes: BTreeMap<String, String>,
    #[serde(default)]
    renames: BTreeMap<String, String>,
}

impl OpenapiDocument {
    pub(super) fn parse(self) -> Result<OpenapiSection, RecordError> {
        let fault = |member: &str, reason: &str| RecordError::Member {
            member: format!("openapi.{member}"),
            reason: reason.to_owned(),
        };
        let digest = Digest::parse(&self.digest)
            .ok_or_else(|| fault("digest", "it is not `sha256:` and 64 digits"))?;
        for (member, count) in [
            ("select", self.select.len()),
            ("modes", self.modes.len()),
            ("renames", self.renames.len()),
        ] {
            if count > MAX_ENTRIES {
                return Err(fault(member, "it has more than 2000 entries"));
            }
        }
        Ok(OpenapiSection {
            description: self.description,
            digest,
            select: self.select,
            include_deprecated: self.include_deprecated,
            modes: self.modes,
            renames: self.renames,
        })
    }
}

impl OpenapiSection {
    pub(super) fn render(&self, text: &mut String) {
        text.push_str(&format!(
            "\n[openapi]\ndescription = {}\ndigest = {}\n",
            quote(&self.description),
            quote(&self.digest.to_string())
        ));
        if !self.select.is_empty() {
            let quoted: Vec<_> = self.select.iter().map(|one| quote(one)).collect();
            text.push_str(&format!("select = [{}]\n", quoted.join(", ")));
        }
        if self.include_deprecated {
            text.push_str("include_deprecated = true\n");
        }
        for (name, pairs) in [("modes", &self.modes), ("renames", &self.renames)] {
            if !pairs.is_empty() {
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(id, value)| format!("{} = {}", quote(id), quote(value)))
                    .collect();
                text.push_str(&format!("{name} = {{ {} }}\n", pairs.join(", ")));
            }
        }
    }

    /// The text of an `aos.toml` with this section; everything else keeps its form.
    ///
    /// # Errors
    /// Returns an error if the text is not TOML.
    pub fn written_to(&self, text: &str) -> Result<String, RecordError> {
        let mut document: toml_edit::DocumentMut = text.parse().map_err(syntax)?;
        let mut section = String::new();
        self.render(&mut section);
        let mut own: toml_edit::DocumentMut = section.parse().map_err(syntax)?;
        if let Some(toml_edit::Item::Table(mut table)) = own.remove("openapi") {
            // It stays where it is; a new one goes to the end.
            let before = document.get("openapi").and_then(toml_edit::Item::as_table);
            table.set_position(before.and_then(toml_edit::Table::position));
            if let Some(before) = before {
                *table.decor_mut() = before.decor().clone();
            }
            document.insert("openapi", toml_edit::Item::Table(table));
        }
        Ok(document.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::record::Record;

    #[test]
    fn the_section_is_read_as_it_is_written() {
        let section = OpenapiSection {
            description: "acme.yaml".to_owned(),
            digest: Digest::of(b"x"),
            select: vec!["pets".to_owned(), "!DELETE".to_owned()],
            include_deprecated: true,
            modes: [("pet.search".to_owned(), "readonly".to_owned())].into(),
            renames: [("a.get".to_owned(), "b.get".to_owned())].into(),
        };
        let text = section.written_to("family = \"harness\"\n").unwrap();
        assert_eq!(Record::parse(text.as_bytes()).unwrap().openapi, Some(section.clone()));
        let again = section.written_to(&text).unwrap();
        assert_eq!(text, again);
        let amid = format!(
            "a = 1\n\n[x]\nb = 2\n{}\n[y]\nc = 3\n",
            &text[text.find("\n[openapi]").unwrap()..]
        );
        assert_eq!(section.written_to(&amid).unwrap(), amid);
        let wrong = text.replace("sha256:", "md5:");
        assert!(Record::parse(wrong.as_bytes()).is_err());
    }
}
