//! `[added]` in aos.toml: the digests of the parts that `aos add` wrote for a command.
//!
//! `aos remove` compares them with the files; a digest that fits nothing only makes a part look edited.

use std::collections::BTreeMap;

use crate::plan::{Digest, RelativePath};
use crate::visible::excerpt;

use super::record_text::{RecordError, relative, syntax};

const MEMBER: &str = "added";
/// Most commands, and most files of one.
const MAX_COMMANDS: usize = 1_000;
const MAX_FILES: usize = 64;

/// The digest of a command's part of each file, by command.
pub type AddedCommands = BTreeMap<String, BTreeMap<RelativePath, Digest>>;

/// Parses the section.
///
/// # Errors
/// Returns an error that names the member that is wrong.
pub(crate) fn parse(
    section: BTreeMap<String, BTreeMap<String, String>>,
) -> Result<AddedCommands, RecordError> {
    let fault =
        |member: String, reason: &str| RecordError::Member { member, reason: reason.into() };
    if section.len() > MAX_COMMANDS {
        return Err(fault(MEMBER.to_owned(), "it has more than 1000 commands"));
    }
    let mut commands = AddedCommands::new();
    for (command, files) in section {
        let member = format!("{MEMBER}.\"{}\"", excerpt(&command, 80));
        if files.len() > MAX_FILES {
            return Err(fault(member, "it has more than 64 files"));
        }
        let mut parts = BTreeMap::new();
        for (path, text) in files {
            let digest = Digest::parse(&text).ok_or_else(|| {
                let reason = "it is not a digest of the form sha256:<64 hex digits>";
                fault(format!("{member}.\"{}\"", excerpt(&path, 200)), reason)
            })?;
            parts.insert(relative(&member, &path)?, digest);
        }
        commands.insert(command, parts);
    }
    Ok(commands)
}

/// The text of an `aos.toml` with other parts of one command, or without the command; everything else keeps its form.
///
/// # Errors
/// Returns an error if the text is not TOML.
pub fn with_parts(
    text: &str,
    command: &str,
    parts: Option<&BTreeMap<RelativePath, Digest>>,
) -> Result<String, RecordError> {
    let mut document: toml_edit::DocumentMut = text.parse().map_err(syntax)?;
    if parts.is_none() && document.get(MEMBER).is_none() {
        return Ok(text.to_owned());
    }
    let section = document.entry(MEMBER).or_insert_with(|| {
        let mut table = toml_edit::Table::new();
        table.set_implicit(true);
        toml_edit::Item::Table(table)
    });
    let table = section.as_table_like_mut().ok_or_else(|| RecordError::Member {
        member: MEMBER.to_owned(),
        reason: "it is not a table".to_owned(),
    })?;
    table.remove(command);
    match parts {
        Some(parts) => {
            let mut files = toml_edit::Table::new();
            for (path, digest) in parts {
                files.insert(path.as_str(), toml_edit::value(digest.to_string()));
            }
            table.insert(command, toml_edit::Item::Table(files));
        }
        None if table.is_empty() => {
            document.remove(MEMBER);
        }
        None => {}
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::record::Record;
    use super::*;

    const RECORD: &str = "# mine\nfamily = \"agent-cli\" # kept\n\n[answers]\nlabel = \"x\"\n";

    #[test]
    fn parts_are_written_read_back_and_taken_out_without_another_change() {
        let path = RelativePath::literal("README.md");
        let parts = BTreeMap::from([(path, Digest::of(b"a part"))]);
        let one = with_parts(RECORD, "item publish", Some(&parts)).unwrap();
        assert!(one.starts_with(RECORD), "{one}");
        let two = with_parts(&one, "item get", Some(&parts)).unwrap();
        let record = Record::parse(two.as_bytes()).unwrap();
        assert_eq!(record.added["item publish"], parts);
        assert_eq!(record.added.len(), 2);
        let back = with_parts(&two, "item get", None).unwrap();
        assert_eq!(back, one);
        assert_eq!(with_parts(&back, "item publish", None).unwrap(), RECORD);
        assert_eq!(with_parts(RECORD, "item publish", None).unwrap(), RECORD);
    }

    #[test]
    fn a_text_that_is_not_a_digest_is_named() {
        let text = format!("{RECORD}\n[added.\"item get\"]\n\"README.md\" = \"sha256:12\"\n");
        let error = Record::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(
            error.starts_with("added.\"item get\".\"README.md\": it is not a digest"),
            "{error}"
        );
        let files: String =
            (0..65).map(|at| format!("\"f{at}\" = \"{}\"\n", Digest::of(b""))).collect();
        let text = format!("{RECORD}\n[added.\"item get\"]\n{files}");
        let error = Record::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("more than 64 files"), "{error}");
    }
}
