//! `--fields`: selects members of a response, and refuses unknown names.

use serde_json::Value;

use crate::cli::{Cli, Command, Format, Global};
use crate::commands::Run;
use crate::report::envelope;
use crate::report::{ErrorCode, Failure, Outcome};

use super::output::json_text;

/// Applies `--fields`.
pub fn select(
    mut outcome: Outcome,
    global: &Global,
    run: &Run,
    declared: &[String],
) -> Result<Outcome, Failure> {
    if global.fields.is_empty() || run.format == Format::Raw {
        return Ok(outcome);
    }
    // A field that this command has in another answer (a preview, a list) is left out, not refused.
    let elsewhere = |field: &&String| {
        let name = field.split('.').next().unwrap_or(field);
        outcome.data.get(name).is_none() && declared.iter().any(|known| known == name)
    };
    let fields: Vec<String> =
        global.fields.iter().filter(|field| !elsewhere(field)).cloned().collect();
    match envelope::select(&outcome.data, &fields) {
        Ok(data) => {
            outcome.data = data;
            if run.format == Format::Text {
                outcome.text = json_text(&outcome.data);
            }
            Ok(outcome)
        }
        Err(error) => Err(not_selected(&error)),
    }
}

/// A field that `conform` never has, found before a run that takes minutes.
pub fn unknown_field(cli: &Cli, global: &Global, declared: &[String]) -> Option<Failure> {
    let head = |field: &String| field.split('.').next().unwrap_or_default().to_owned();
    let is_unknown = |field: &&String| !declared.contains(&head(field));
    let field = global.fields.iter().find(is_unknown)?;
    matches!(cli.command, Command::Conform(_)).then(|| {
        let known = declared.to_vec();
        not_selected(&envelope::UnknownField { field: field.clone(), known })
    })
}

fn not_selected(error: &envelope::UnknownField) -> Failure {
    Failure::new(ErrorCode::Validation, error.to_string())
        .hint("`aos reference` lists the fields of every command")
        .detail("known_fields", error.known.clone())
}

/// A failure keeps its code and message whole; of its details, `--fields` keeps what was asked for. Details that are
/// the data of the command are compared with `--fields` as those of a success are.
pub fn narrowed(mut failure: Failure, global: &Global, declared: &[String]) -> Failure {
    let details = Value::Object(failure.details.clone());
    let present =
        |field: &&String| field.split('.').next().is_some_and(|name| details.get(name).is_some());
    let fields: Vec<String> = global.fields.iter().filter(present).cloned().collect();
    match envelope::select(&details, &fields) {
        Ok(Value::Object(kept)) => failure.details = kept,
        Err(error) if failure.code == ErrorCode::Nonconformant && !declared.is_empty() => {
            return not_selected(&error);
        }
        _ => {}
    }
    if !fields.is_empty() && failure.code == ErrorCode::Nonconformant {
        let details = Value::Object(failure.details.clone());
        failure.report = Some(json_text(&details));
    }
    failure
}
