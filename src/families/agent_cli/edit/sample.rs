//! Samples of commands in conform.toml.

use crate::workflows::add::name::CommandName;
use crate::workflows::add::seam::{Desk, EditError};
use crate::workflows::add::toml_blocks;

use super::variables::Variables;

const CONFORM: &str = "conform.toml";
const TABLE: &str = "[[agent_cli.command]]";

const SAMPLE: &str = r#"
[[agent_cli.command]]
path = {= path | toml =}
role = {= role | toml =}
{%- if batch %}
flag = "--ids"
targets = ["1", "2", "3"]
{%- if segments | length > 0 %}
failing = "999999"
{%- endif %}
{%- else %}
args = {= args | json =}
{%- if role == "create" or role == "update" or role == "delete" %}
changed = {= changed_args | json =}
{%- endif %}
{%- if missing_args | length > 0 and role != "other" %}
missing = {= missing_args | json =}
{%- endif %}
{%- endif %}
"#;

/// A sample of a new command at the end of the file.
///
/// # Errors
/// Returns an error if the template is faulty.
pub fn add(desk: &mut Desk<'_>, variables: &Variables) -> Result<(), EditError> {
    let Some(text) = desk.text(CONFORM) else {
        desk.edited
            .notes
            .push(format!("there is no `{CONFORM}`: `aos conform` has no sample of it"));
        return Ok(());
    };
    // `--dangerous` is added by `aos conform` itself.
    let args = |words: &[String]| -> Vec<String> {
        words.iter().skip(2).filter(|word| *word != "--dangerous").cloned().collect()
    };
    let more = [
        ("args", args(&variables.call).into()),
        ("changed_args", args(&variables.changed).into()),
        ("missing_args", args(&variables.missing).into()),
    ];
    let sample = variables.render("sample", SAMPLE, &more)?;
    let text = toml_blocks::appended(text, &sample);
    desk.set(CONFORM, text);
    Ok(())
}

/// The samples of a command under its new name.
///
/// # Errors
/// Never: a file without samples stays as it is.
pub fn rename(desk: &mut Desk<'_>, old: &CommandName, new: &CommandName) -> Result<(), EditError> {
    if let Some(text) = desk.text(CONFORM) {
        let (old, new) = (old.path(), new.path());
        let text = text.replace(&format!("path = \"{old}\""), &format!("path = \"{new}\""));
        desk.set(CONFORM, text);
    }
    Ok(())
}

/// The file without the samples of a command.
///
/// # Errors
/// Never: a file without samples stays as it is.
pub fn remove(desk: &mut Desk<'_>, name: &CommandName) -> Result<(), EditError> {
    if let Some(text) = desk.text(CONFORM) {
        let (text, count) = toml_blocks::without(text, TABLE, "path", &name.path());
        if count > 0 {
            desk.edited.lost.push(format!("its sample in `{CONFORM}`"));
        }
        desk.set(CONFORM, text);
    }
    Ok(())
}
