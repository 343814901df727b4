//! `aos new --list`: templates, their presets and, on request, their questions.

use crate::inputs::embedded::{self, EXAMPLE_PRESET};
use crate::inputs::template::{self, Question, Template, shown_text};
use crate::report::answers::new::{NewAnswer, TemplateList, TemplateQuestion, TemplateSummary};
use crate::report::{Failure, Outcome};
use crate::verify::TrustRoot;
use crate::visible::{Visible, visible};
use crate::workflows::Run;

use super::choices::{self, embedded_template};

/// How to get the questions.
const MORE: &str = "`--list --template NAME` shows the questions of a template, `--list --all` those of every template";

/// Names every template of aos, with its questions if `is_whole`; or describes the one that `wanted` names.
///
/// # Errors
/// Returns an error if there is no such template, or one is faulty.
pub fn list(
    wanted: Option<&str>,
    is_whole: bool,
    roots: Option<&TrustRoot>,
    run: &Run,
) -> Result<Outcome, Failure> {
    let has_questions = is_whole || wanted.is_some();
    let style = run.style;
    let mut templates = Vec::new();
    let mut lines = Vec::new();
    let all = match wanted {
        Some(wanted) => vec![choices::template(wanted, roots)?.template],
        None => {
            let names = template::names().into_iter();
            names.map(|name| embedded_template(&name)).collect::<Result<_, _>>()?
        }
    };
    for Template { info, presets, is_own, .. } in all {
        let mut presets: Vec<_> = match is_own {
            true => presets.into_keys().collect(),
            false => embedded::preset_names(&info.name).into_iter().map(str::to_owned).collect(),
        };
        if !is_own && embedded::has_presets(&info.name) {
            presets.push(EXAMPLE_PRESET.to_owned());
        }
        lines.push(visible!(
            "{} {}: {}",
            style.strong(&info.name),
            info.version,
            shown_text(&info.summary)
        ));
        if !presets.is_empty() {
            lines.push(visible!("  presets: {}", presets.join(", ")));
        }
        if has_questions {
            lines.push(Visible::literal("  answers (--set KEY=VALUE):"));
            let width = info.questions.iter().map(|question| question.key.len()).max();
            lines.extend(info.questions.iter().map(|asked| line(asked, width.unwrap_or_default())));
        }
        templates.push(TemplateSummary {
            questions: has_questions.then(|| info.questions.iter().map(question).collect()),
            name: info.name,
            version: info.version,
            family: info.family.name(),
            summary: shown_text(&info.summary),
            presets,
        });
    }
    let more = (!has_questions).then_some(MORE);
    lines.extend(more.map(|more| visible!("\n{}", more)));
    let data = NewAnswer::Templates(TemplateList { templates, more });
    Ok(Outcome::new(data, Visible::joined(lines, "\n")))
}

fn line(question: &Question, width: usize) -> Visible {
    let mut more = Vec::new();
    if !question.choices.is_empty() {
        more.push(question.shown_choices());
    }
    if !question.default.is_empty() {
        more.push(format!("default {}", question.shown_default()));
    }
    if question.required && question.default.is_empty() {
        more.push("required".to_owned());
    }
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    let help = shown_text(&question.help);
    visible!("    {} {}{}", format!("{:<width$}", question.key), help, more)
}

fn question(question: &Question) -> TemplateQuestion {
    TemplateQuestion {
        key: question.key.clone(),
        help: shown_text(&question.help),
        default: question.shown_default(),
        choices: question.choices.clone(),
        required: question.required,
    }
}
