//! Contract modules: the published contract and a tool's own codes as constants of a language.
//!
//! Every language has the same content, which is `Model`. Formatters of any configuration do not change the files,
//! because each part that they could change already has their format or is excluded from formatting.

pub mod go;
pub mod python;
pub mod rust;
pub mod text;
pub mod typescript;

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::contract::AgentCliContract;
use super::contract::{CodeSpec, SelfDescription};
use super::executable::ValueKind;
use super::extension::Extension;
use crate::contract::name::{Constant, Key, SchemaVersion};

use crate::generate::outputs::GenerateError;

/// The content of a contract module of the family `agent-cli`.
#[derive(Debug)]
pub struct ContractModel<'a> {
    pub tag: &'a str,
    pub schema_version: &'a SchemaVersion,
    /// The core, then the tool's own codes; each by exit code and name.
    pub codes: Vec<ContractCode<'a>>,
    /// Meaning of each exit code.
    pub exits: BTreeMap<u8, &'a str>,
    /// Status, `5xx` or `transport` to error code.
    pub statuses: BTreeMap<&'a str, &'a Constant>,
    pub words: Vec<Word<'a>>,
    pub lists: Vec<NameList<'a>>,
    /// Exit code of the codes that need a person.
    pub human_exit: u8,
}

/// One row of the code table.
#[derive(Debug)]
pub struct ContractCode<'a> {
    pub name: &'a Constant,
    pub spec: CodeSpec,
    pub core: bool,
}

/// A constant text.
#[derive(Debug)]
pub struct Word<'a> {
    pub name: Name,
    pub about: &'static str,
    pub value: &'a str,
}

/// A constant list of names.
#[derive(Debug)]
pub struct NameList<'a> {
    pub name: Name,
    pub about: String,
    pub items: Vec<&'a str>,
}

/// The name of a constant, as words: each language spells it in its own way.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Name(String);

impl Name {
    fn new(words: &str) -> Self {
        let joined: String = words
            .chars()
            .map(|symbol| if symbol.is_ascii_alphanumeric() { symbol } else { '_' })
            .collect();
        Self(joined)
    }

    /// `SUCCESS_ENVELOPE_KEYS`.
    #[must_use]
    pub fn upper(&self) -> String {
        self.0.to_ascii_uppercase()
    }

    /// `SuccessEnvelopeKeys`.
    #[must_use]
    pub fn exported(&self) -> String {
        let mut name = String::new();
        for word in self.0.split('_').filter(|word| !word.is_empty()) {
            let (first, rest) = word.split_at(1);
            name.push_str(&first.to_ascii_uppercase());
            name.push_str(rest);
        }
        name
    }
}

impl<'a> ContractModel<'a> {
    /// The model of one contract and one extension.
    ///
    /// # Errors
    /// Returns an error if two members would get one name.
    pub fn new(
        contract: &'a AgentCliContract,
        extension: &'a Extension,
    ) -> Result<Self, GenerateError> {
        let exits = contract.exit_codes.table.iter();
        let model = Self {
            tag: &contract.tag,
            schema_version: &contract.envelope.schema_version_value,
            codes: codes(contract, extension),
            exits: exits
                .filter_map(|(exit, meaning)| Some((exit.parse().ok()?, meaning.as_str())))
                .collect(),
            statuses: contract
                .http_status
                .iter()
                .map(|(status, code)| (status.as_str(), code))
                .collect(),
            words: words(contract),
            lists: lists(contract),
            human_exit: contract.extension.human_action_exit,
        };
        model.names_differ()?;
        Ok(model)
    }

    /// Names must differ in every language, so they are compared without what only some keep.
    fn names_differ(&self) -> Result<(), GenerateError> {
        let mut seen = BTreeMap::new();
        let words = self.words.iter().map(|word| &word.name);
        for name in words.chain(self.lists.iter().map(|list| &list.name)) {
            if let Some(other) = seen.insert(name.exported().to_ascii_lowercase(), name) {
                return Err(GenerateError::NameCollision {
                    first: other.upper(),
                    second: name.upper(),
                });
            }
        }
        Ok(())
    }
}

fn codes<'a>(contract: &'a AgentCliContract, extension: &'a Extension) -> Vec<ContractCode<'a>> {
    let mut all = Vec::new();
    for (codes, core) in [(&contract.error_codes.core, true), (&extension.codes, false)] {
        let mut part: Vec<_> =
            codes.iter().map(|(name, spec)| ContractCode { name, spec: *spec, core }).collect();
        part.sort_by(|left, right| (left.spec.exit, left.name).cmp(&(right.spec.exit, right.name)));
        all.extend(part);
    }
    all
}

fn words(contract: &AgentCliContract) -> Vec<Word<'_>> {
    let word = |name: &str, about, value| Word { name: Name::new(name), about, value };
    vec![
        word(
            "naming_convention",
            "How members of JSON are spelled.",
            contract.naming.convention.as_str(),
        ),
        word(
            "untrusted_key",
            "Member that lists the fields whose text comes from outside.",
            contract.untrusted_key.as_str(),
        ),
        word(
            "stream_last_type",
            "Type of the last line of a stream.",
            contract.envelope.stream_last_type.as_str(),
        ),
        word(
            "offset_next_key",
            "Member that says where the next page begins, while there is one.",
            contract.pagination.offset_next_key.as_str(),
        ),
        word(
            "truncated_key",
            "Member that says that a list was cut.",
            contract.pagination.truncated_key.as_str(),
        ),
    ]
}

fn lists(contract: &AgentCliContract) -> Vec<NameList<'_>> {
    let (envelope, pagination) = (&contract.envelope, &contract.pagination);
    let (batch, write, notices) = (&contract.batch, &contract.write, &contract.notices);
    let fixed: [(&str, &str, &[Key]); 20] = [
        ("success_envelope_keys", "Members of a success envelope.", &envelope.success_keys),
        ("error_envelope_keys", "Members of a failure envelope.", &envelope.error_keys),
        ("error_object_keys", "Members of `error`.", &envelope.error_object_keys),
        ("meta_required_keys", "Members that `meta` always has.", &envelope.meta_required_keys),
        ("meta_optional_keys", "Members that `meta` may have.", &envelope.meta_optional_keys),
        ("stream_keys", "Members of each line of a stream.", &envelope.stream_keys),
        ("cursor_page_keys", "Members of a page with a cursor.", &pagination.cursor_keys),
        ("offset_page_keys", "Members of a page with an offset.", &pagination.offset_keys),
        ("batch_preview_keys", "Members of the preview of a batch.", &batch.preview_keys),
        ("batch_item_keys", "Members of each item of a batch.", &batch.item_keys),
        ("batch_item_error_keys", "Members of the error of an item.", &batch.item_error_keys),
        ("batch_summary_keys", "Members of the summary of a batch.", &batch.summary_keys),
        (
            "batch_summary_optional_keys",
            "Members that the summary of a batch may have.",
            &batch.summary_optional_keys,
        ),
        ("batch_total_of", "Members of the summary that add up to `total`.", &batch.total_of),
        ("dry_run_keys", "Members of the data of a dry run.", &write.dry_run_keys),
        ("confirm_policies", "When a write command asks for a token.", &write.confirm_policies),
        ("notice_types", "Types of notices.", &notices.types),
        ("notice_severities", "Severities of notices.", &notices.severities),
        ("notice_required_keys", "Members that a notice always has.", &notices.required_keys),
        ("notice_optional_keys", "Members that a notice may have.", &notices.optional_keys),
    ];
    let mut lists: Vec<_> = fixed
        .into_iter()
        .map(|(name, about, keys)| NameList {
            name: Name::new(name),
            about: about.to_owned(),
            items: keys.iter().map(Key::as_str).collect(),
        })
        .collect();
    lists.push(NameList {
        name: Name::new("human_action_codes"),
        about: "Codes that ask for a person; a tool may add them.".to_owned(),
        items: contract.extension.human_action_codes.iter().map(Constant::as_str).collect(),
    });
    lists.extend(executable(contract));
    lists.extend(self_description(&contract.self_description));
    lists
}

/// Returns the lists that tags before v1.2.0 leave open; they are empty for such a tag.
fn executable(contract: &AgentCliContract) -> Vec<NameList<'_>> {
    let list =
        |name: String, about: String, items| NameList { name: Name::new(&name), about, items };
    let types = contract.commands.types.keys().map(Key::as_str).collect();
    let required = contract.commands.required.iter().map(Key::as_str).collect();
    let capabilities = contract.capabilities.keys().map(Key::as_str).collect();
    let kinds = contract.fields.kinds.iter().map(|kind| kind.name()).collect();
    let mut lists = vec![
        list("command_types".to_owned(), "Types of commands.".to_owned(), types),
        list("required_commands".to_owned(), "Commands that every tool has.".to_owned(), required),
        list("capabilities".to_owned(), "What a tool may be able to do.".to_owned(), capabilities),
        list("field_kinds".to_owned(), "Kinds of fields.".to_owned(), kinds),
    ];
    for kind in [ValueKind::Id, ValueKind::Time] {
        let names = contract.fields.names.iter().filter(|(_, each)| **each == kind);
        let about = format!("Names of fields of the kind {}; `*` matches any prefix.", kind.name());
        let names = names.map(|(name, _)| name.as_str()).collect();
        lists.push(list(format!("{}_field_names", kind.name()), about, names));
    }
    lists
}

/// One list for each member of each self-describing command.
fn self_description(described: &SelfDescription) -> Vec<NameList<'_>> {
    let sections: [(&str, &IndexMap<Key, Vec<Key>>); 6] = [
        ("reference", &described.reference),
        ("context", &described.context),
        ("doctor", &described.doctor),
        ("changelog", &described.changelog),
        ("update", &described.update),
        ("failure", &described.failure),
    ];
    let mut lists = Vec::new();
    for (command, members) in sections {
        for (member, keys) in members {
            lists.push(NameList {
                name: Name::new(&format!("{command}_{member}")),
                about: format!("`{}` of `{command}`.", member.as_str()),
                items: keys.iter().map(Key::as_str).collect(),
            });
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_spells_a_name_in_its_own_way() {
        let name = Name::new("update_failure-detail.keys");
        assert_eq!(name.upper(), "UPDATE_FAILURE_DETAIL_KEYS");
        assert_eq!(name.exported(), "UpdateFailureDetailKeys");
        assert_eq!(Name::new("doctor__x").exported(), "DoctorX");
    }
}
