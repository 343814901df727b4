//! What the names on the command line stand for: template, tool, preset; each with a hint when it is none.

use std::collections::BTreeMap;

use crate::contract::cli_name::{CliName, CliNameError};
use crate::contract::connector::ToolName;
use crate::contract::operations::Preset;
use crate::contract::suggestion;
use crate::generate::record_text::quote;
use crate::inputs::embedded::{self, EXAMPLE_PRESET};
use crate::inputs::template::{self, Template, TemplateInfo};
use crate::report::{ErrorCode, Failure};
use crate::visible::excerpt;

use super::NewArgs;

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

pub fn tool_name(name: &str) -> Result<ToolName, Failure> {
    let full = if name.starts_with("aos-") { name.to_owned() } else { format!("aos-{name}") };
    ToolName::parse(&full).ok_or_else(|| {
        let mended: String = name
            .trim_start_matches("aos-")
            .to_lowercase()
            .split(|symbol: char| !symbol.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-");
        let failure = Failure::new(
            ErrorCode::Validation,
            format!("`{}` is not a connector name: lower-case letters, digits and single dashes, at most 40", shown(name)),
        );
        match ToolName::parse(&format!("aos-{mended}")) {
            Some(_) => failure.hint(format!("`aos new {mended}`")),
            None => failure.hint("choose a name such as `acme` or `my-crm`"),
        }
    })
}

/// The name of an agent-cli tool, as given.
pub fn cli_name(name: &str, template: &TemplateInfo) -> Result<CliName, Failure> {
    let python = template.outputs.contains_key("python");
    let parsed = CliName::parse(name, python).and_then(|parsed| {
        if template.reserved.iter().any(|taken| *taken == name || *taken == parsed.package()) {
            return Err(CliNameError::Reserved("taken by a part of the new project"));
        }
        Ok(parsed)
    });
    parsed.map_err(|error| {
        let mended: String = name
            .to_lowercase()
            .split(|symbol: char| !symbol.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-");
        let mended = match &error {
            CliNameError::Form => mended,
            CliNameError::Reserved(_) => format!("{mended}-cli"),
        };
        let failure = Failure::new(
            ErrorCode::Validation,
            format!("`{}` cannot be the name of a tool: {error}", shown(name)),
        );
        let usable = CliName::parse(&mended, python).is_ok();
        if usable && mended != name {
            failure.hint(format!("`aos new {mended} --template {}`", template.name))
        } else {
            failure.hint("choose a name such as `acme` or `my-crm`")
        }
    })
}

pub fn preset(
    args: &NewArgs,
    template: &TemplateInfo,
    tool: &ToolName,
    answers: &BTreeMap<String, String>,
    notes: &mut Vec<String>,
) -> Result<(String, Preset), Failure> {
    let known = embedded::preset_names(&template.name);
    let name = match args.preset.as_deref() {
        Some(name) if known.contains(&name) || name == EXAMPLE_PRESET => name,
        Some(name) => {
            let hint = suggestion::nearest(name, known.iter().copied()).map_or_else(
                || format!("presets are {}, {EXAMPLE_PRESET}", known.join(", ")),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            return Err(Failure::new(
                ErrorCode::Validation,
                format!("there is no preset `{}`", shown(name)),
            )
            .hint(hint)
            .detail("known_presets", known));
        }
        None if known.contains(&tool.short()) => tool.short(),
        None => {
            if let Some(nearest) = suggestion::nearest(tool.short(), known.iter().copied()) {
                notes.push(format!(
                    "`{}` is not a preset, so the example was used; if you meant `{nearest}`, delete the project and run `aos new {nearest}`",
                    tool.short()
                ));
            }
            EXAMPLE_PRESET
        }
    };
    let text = embedded::preset_text(&template.name, name).unwrap_or_default();
    let mut preset = embedded::parse_preset(name, &fill_example(text, tool))?;
    override_preset(&mut preset, answers)?;
    Ok((name.to_owned(), preset))
}

/// Writes the connector's name into the example preset; other presets hold no marks.
pub fn fill_example(text: &str, tool: &ToolName) -> String {
    let upper = tool.short().to_uppercase().replace('-', "_");
    // An environment variable may not begin with a digit.
    let upper = if upper.starts_with(|first: char| first.is_ascii_digit()) {
        format!("AOS_{upper}")
    } else {
        upper
    };
    let label = tool.short().split('-').map(capitalised).collect::<Vec<_>>().join(" ");
    text.replace("{NAME}", &upper)
        .replace("{name}", tool.short())
        .replace("{Label}", quote(&label).trim_matches('"'))
}

pub fn capitalised(word: &str) -> String {
    let mut symbols = word.chars();
    symbols.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + symbols.as_str()
    })
}

pub fn override_preset(
    preset: &mut Preset,
    answers: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    let answer = |key: &str| answers.get(key).filter(|value| !value.is_empty()).cloned();
    if let Some(label) = answer("label") {
        preset.label = label;
    }
    if let Some(summary) = answer("summary") {
        preset.summary = summary;
    }
    if let Some(backend) = answer("backend") {
        preset.backend = backend;
    }
    if let Some(category) = answer("category") {
        preset.categories.retain(|known| *known != preset.category && *known != category);
        preset.categories.insert(0, category.clone());
        preset.category = category;
    }
    if let Some(base_url) = answer("base_url") {
        if !preset.api.base_url_key.is_empty() {
            return Err(Failure::new(
                ErrorCode::Validation,
                format!(
                    "`base_url` cannot be set: with this preset each user gives it in {}",
                    preset.api.base_url_key
                ),
            )
            .hint("leave `base_url` out"));
        }
        preset.api.base_url = base_url.trim_end_matches('/').to_owned();
    }
    Ok(())
}
