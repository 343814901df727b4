//! Questions to a person, on a terminal only: asked on stderr, answered on stdin.

use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};
use dialoguer::{Confirm, Input, Select};

use super::{environment, interrupt, terminal};
use crate::visible::Visible;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("the dialog was cancelled with Ctrl-C")]
    Interrupted,
    #[error("the terminal returned no answer: {0}")]
    Terminal(std::io::Error),
}

impl From<dialoguer::Error> for PromptError {
    fn from(dialoguer::Error::IO(error): dialoguer::Error) -> Self {
        // A choice hides the cursor, and does not show it again when the user leaves.
        let _ = dialoguer::console::Term::stderr().show_cursor();
        match error.kind() {
            std::io::ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Terminal(error),
        }
    }
}

/// True if somebody can be asked: every stream is a terminal that can move its cursor.
#[must_use]
pub fn is_possible() -> bool {
    terminal::stdin_is_terminal()
        && terminal::stdout_is_terminal()
        && terminal::stderr_is_terminal()
        && environment::read("TERM").is_none_or(|term| term != "dumb")
}

fn theme() -> Box<dyn Theme> {
    if terminal::stdout_has_color() {
        Box::new(ColorfulTheme::default())
    } else {
        Box::new(SimpleTheme)
    }
}

/// Refuses to ask a person who has left between two questions.
fn listening() -> Result<(), PromptError> {
    interrupt::check().map_err(|_| PromptError::Interrupted)
}

/// One of `choices`, by its place.
///
/// # Errors
/// Returns an error if the person leaves, or the terminal is gone.
pub fn choose(
    question: &Visible,
    choices: &[Visible],
    default: usize,
) -> Result<usize, PromptError> {
    let theme = theme();
    let choices: Vec<_> = choices.iter().map(Visible::as_str).collect();
    let prompt = Select::with_theme(theme.as_ref())
        .with_prompt(question.as_str())
        .items(choices)
        .default(default);
    listening()?;
    Ok(prompt.interact()?)
}

/// A line of text for which `fault` finds nothing wrong.
///
/// # Errors
/// Returns an error if the person leaves, or the terminal is gone.
pub fn text(
    question: &Visible,
    default: &str,
    fault: impl Fn(&str) -> Option<Visible>,
) -> Result<String, PromptError> {
    let theme = theme();
    let judge = |text: &String| fault(text.trim()).map_or(Ok(()), |why| Err(why.into_string()));
    let mut prompt = Input::<String>::with_theme(theme.as_ref())
        .with_prompt(question.as_str())
        .allow_empty(true)
        .validate_with(judge);
    if !default.is_empty() {
        prompt = prompt.default(default.to_owned());
    }
    listening()?;
    Ok(prompt.interact_text()?.trim().to_owned())
}

/// Yes or no, confirmed with Enter. Many people press it anyway, and it would answer the next question.
///
/// # Errors
/// Returns an error if the person leaves, or the terminal is gone.
pub fn yes(question: &Visible, default: bool) -> Result<bool, PromptError> {
    let theme = theme();
    let prompt = Confirm::with_theme(theme.as_ref())
        .with_prompt(question.as_str())
        .default(default)
        .wait_for_newline(true);
    listening()?;
    Ok(prompt.interact()?)
}
