//! Edits of an existing `aos.toml`: everything else keeps its form.

use std::collections::BTreeMap;

use super::output::Output;
use super::record::Record;
use super::record_spec::{HostedPlace, SpecSection};
use super::record_text::{RecordError, syntax};

/// The text of an `aos.toml` with another spec source; everything else keeps its form.
///
/// # Errors
/// Returns an error if the text is not TOML.
pub fn with_spec_source(text: &str, spec: &SpecSection) -> Result<String, RecordError> {
    let mut document: toml_edit::DocumentMut = text.parse().map_err(syntax)?;
    let section = document.entry("spec").or_insert_with(toml_edit::table);
    let fault = || RecordError::Member {
        member: "spec".to_owned(),
        reason: "it is not a table".to_owned(),
    };
    let table = section.as_table_like_mut().ok_or_else(fault)?;
    table.insert("source", toml_edit::value(spec.source.to_string()));
    if spec.trust_lock {
        table.insert("trust", toml_edit::value("lock"));
    } else {
        table.remove("trust");
    }
    if spec.place == HostedPlace::default() {
        table.remove("prefix");
        table.remove("files");
    }
    Ok(document.to_string())
}

/// The text of an `aos.toml` with other outputs; entries that are the same keep their form.
///
/// # Errors
/// Returns an error if the text is not TOML.
pub fn with_outputs(
    text: &str,
    outputs: &BTreeMap<String, Vec<Output>>,
) -> Result<String, RecordError> {
    let mut document: toml_edit::DocumentMut = text.parse().map_err(syntax)?;
    let known = Record::parse(text.as_bytes())?.outputs;
    let section = document.entry("outputs").or_insert_with(toml_edit::table);
    let fault = || RecordError::Member {
        member: "outputs".to_owned(),
        reason: "it is not a table".to_owned(),
    };
    let table = section.as_table_like_mut().ok_or_else(fault)?;
    for (generator, entries) in outputs {
        if known.get(generator) == Some(entries) {
            continue;
        }
        let rendered: Vec<_> = entries.iter().map(Output::render).collect();
        let value: toml_edit::Value =
            format!("[{}]", rendered.join(", ")).parse().map_err(syntax)?;
        match table.get_mut(generator).and_then(toml_edit::Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(generator, toml_edit::value(value));
            }
        }
    }
    Ok(document.to_string())
}
