//! The meaning of the names on the command line, with a hint for an unknown one.

use crate::contract::suggestion;
use crate::generate::record_origin::TemplateOrigin;
use crate::inputs::embedded::EXAMPLE_PRESET;
use crate::inputs::own_template::{self, FoundTemplate, NamedTemplate};
use crate::inputs::template::{self, Template};
use crate::plan::Content;
use crate::report::{ErrorCode, Failure};
use crate::verify::TrustRoot;
use crate::visible::excerpt;

use super::subject::WantedProject;

/// A template, and where it came from when it is the user's own.
pub struct ChosenValues {
    pub template: Template,
    pub own: Option<OwnTemplate>,
}

/// The parts of the user's own template that a project keeps.
pub struct OwnTemplate {
    pub origin: TemplateOrigin,
    pub archive: Content,
    pub notes: Vec<String>,
}

/// The template that `text` names: one of aos, a directory, or a repository.
///
/// # Errors
/// Returns an error if there is none, or it has a fault.
pub fn template(text: &str, roots: Option<&TrustRoot>) -> Result<ChosenValues, Failure> {
    match NamedTemplate::of(text)? {
        NamedTemplate::Embedded(name) => {
            Ok(ChosenValues { template: embedded_template(name)?, own: None })
        }
        NamedTemplate::Own(place) => {
            let FoundTemplate { template, origin, archive, notes } =
                own_template::found(&place, roots)?;
            Ok(ChosenValues { template, own: Some(OwnTemplate { origin, archive, notes }) })
        }
    }
}

/// The template of this build called `name`.
///
/// # Errors
/// Returns an error if there is none.
pub fn embedded_template(name: &str) -> Result<Template, Failure> {
    template::find(name)?.ok_or_else(|| {
        let known = template::names();
        let hint = suggestion::nearest(name, known.iter().map(String::as_str)).map_or_else(
            || {
                format!(
                    "templates are {}; a directory has a `/` in its name, such as `./web`",
                    known.join(", ")
                )
            },
            |nearest| format!("did you mean `{nearest}`?"),
        );
        Failure::new(
            ErrorCode::Validation,
            format!("the template `{}` does not exist", shown(name)),
        )
        .hint(hint)
        .detail("known_templates", known)
    })
}

pub fn shown(text: &str) -> String {
    excerpt(text, 60)
}

/// The preset that the command line asks for, else the one called like the project, else the example; with its text.
///
/// # Errors
/// Returns an error if there is no preset of that name, or the name of the project is nearly that of a preset.
pub fn preset_text<'a>(
    wanted: &WantedProject<'a>,
    name: &str,
) -> Result<(String, &'a str), Failure> {
    let known = wanted.presets.keys().map(String::as_str);
    let known: Vec<_> = known.filter(|preset| *preset != EXAMPLE_PRESET).collect();
    let chosen = match wanted.preset {
        Some(preset) if known.contains(&preset) || preset == EXAMPLE_PRESET => preset,
        Some(preset) => {
            let hint = suggestion::nearest(preset, known.iter().copied()).map_or_else(
                || format!("presets are {}, {EXAMPLE_PRESET}", known.join(", ")),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            return Err(Failure::new(
                ErrorCode::Validation,
                format!("the preset `{}` does not exist", shown(preset)),
            )
            .hint(hint)
            .detail("known_presets", known));
        }
        None if known.contains(&name) => name,
        None => {
            if let Some(nearest) = suggestion::nearest(name, known.iter().copied()) {
                return Err(nearly(name, nearest));
            }
            EXAMPLE_PRESET
        }
    };
    let text = wanted.presets.get(chosen).map_or("", |text| text);
    Ok((chosen.to_owned(), text))
}

/// Refuses a name that is nearly that of a preset: a typing error would create another project than the intended one.
fn nearly(name: &str, preset: &str) -> Failure {
    let message = format!(
        "`{}` is not a preset, but `{preset}` is; nothing was written, because the name may be a typing error",
        shown(name)
    );
    Failure::new(ErrorCode::Validation, message)
        .hint(format!(
            "use the name `{preset}` for that preset; to use this name without a preset, add `--preset {EXAMPLE_PRESET}`"
        ))
        .detail("nearest_preset", preset)
}

/// `name` as lower-case words joined by single dashes.
pub fn slug(name: &str) -> String {
    let words = name.to_lowercase();
    let words = words.split(|symbol: char| !symbol.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
