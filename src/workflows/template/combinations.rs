//! The combinations of answers that a template is rendered for: all of them, or a stated part.

use std::collections::BTreeMap;

use crate::inputs::template::{Pattern, Question};
use crate::report::answers::template::TemplateCoverage;

/// Most combinations that are rendered.
const MAX_RENDERED: usize = 512;

/// GivenAnswers that differ from the defaults: key and value.
pub type GivenAnswers = BTreeMap<String, String>;

/// The combinations to render, and what they cover.
pub struct Combinations {
    pub all: Vec<GivenAnswers>,
    pub coverage: TemplateCoverage,
}

/// One question with its values; the first is the default, which is not given.
struct Axis {
    key: String,
    others: Vec<String>,
    /// A value that must be given because there is no default.
    given: Option<String>,
}

impl Combinations {
    /// For the questions of a template.
    #[must_use]
    pub fn of(questions: &[Question]) -> Self {
        let axes: Vec<_> = questions.iter().map(axis).collect();
        let base: GivenAnswers =
            axes.iter().filter_map(|axis| Some((axis.key.clone(), axis.given.clone()?))).collect();
        let count = |axis: &Axis| axis.others.len() as u64 + 1;
        let possible = axes.iter().map(count).fold(1_u64, u64::saturating_mul);
        let (all, statement) = if possible <= MAX_RENDERED as u64 {
            let statement = match possible {
                1 => "the only combination of answers was rendered".to_owned(),
                all => format!("all {all} combinations of answers were rendered"),
            };
            (product(&axes, &base), statement)
        } else {
            part(&axes, &base, possible)
        };
        let rendered = all.len() as u64;
        let coverage =
            TemplateCoverage { possible, rendered, complete: rendered >= possible, statement };
        Self { all, coverage }
    }
}

/// The values of a question: every choice, or for free text the default, a sample, and nothing where that is allowed.
fn axis(question: &Question) -> Axis {
    let key = question.key.clone();
    if !question.choices.is_empty() {
        let others = question.choices.iter().filter(|choice| **choice != question.default);
        return Axis { key, others: others.cloned().collect(), given: None };
    }
    let sample = sample(question);
    if question.default.is_empty() && question.required {
        return Axis { key, others: Vec::new(), given: Some(sample) };
    }
    let others = match (question.default.is_empty(), question.required) {
        (true, _) => vec![sample],
        (false, false) => vec![String::new()],
        (false, true) => Vec::new(),
    };
    Axis { key, others, given: None }
}

fn sample(question: &Question) -> String {
    let text = match question.pattern {
        None => "A \"quoted\" text",
        Some(Pattern::Slug | Pattern::Owner | Pattern::NpmPackage) => "acme",
        Some(Pattern::HttpsUrl | Pattern::Contact) => "https://acme.example",
        Some(Pattern::GoModule) => "github.com/acme/acme",
        Some(Pattern::Year) => "2024",
        Some(Pattern::Words) => "acme words",
        Some(Pattern::Variable) => "ACME_KEY",
        Some(Pattern::UrlPath) => "/v1/me",
    };
    text.chars().take(question.max_length.unwrap_or(usize::MAX)).collect()
}

fn product(axes: &[Axis], base: &GivenAnswers) -> Vec<GivenAnswers> {
    let mut all = vec![base.clone()];
    for axis in axes {
        let more: Vec<_> = all
            .iter()
            .flat_map(|answers| {
                axis.others.iter().map(|value| {
                    let mut answers = answers.clone();
                    answers.insert(axis.key.clone(), value.clone());
                    answers
                })
            })
            .collect();
        all.extend(more);
    }
    all
}

/// The defaults, every other answer once, and as many pairs of other answers as there is room for.
fn part(axes: &[Axis], base: &GivenAnswers, possible: u64) -> (Vec<GivenAnswers>, String) {
    let singles: Vec<_> = axes
        .iter()
        .enumerate()
        .flat_map(|(index, axis)| axis.others.iter().map(move |value| (index, &axis.key, value)))
        .collect();
    let with = |given: &[(usize, &String, &String)]| {
        let mut answers = base.clone();
        for (_, key, value) in given {
            answers.insert((*key).clone(), (*value).clone());
        }
        answers
    };
    let mut all = vec![base.clone()];
    all.extend(singles.iter().take(MAX_RENDERED - 1).map(|single| with(&[*single])));
    let (mut pairs, mut tried) = (0_usize, 0_usize);
    for (position, first) in singles.iter().enumerate() {
        for second in singles.iter().skip(position + 1).filter(|second| second.0 != first.0) {
            pairs += 1;
            if all.len() < MAX_RENDERED {
                all.push(with(&[*first, *second]));
                tried += 1;
            }
        }
    }
    let covered = singles.len().min(MAX_RENDERED - 1);
    let statement = format!(
        "{} of {possible} combinations of answers were rendered: the defaults, {covered} of {} other answers alone, and \
         {tried} of {pairs} pairs of them",
        all.len(),
        singles.len()
    );
    (all, statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(key: &str, choices: usize) -> Question {
        let choices: Vec<_> = (0..choices).map(|number| format!("c{number}")).collect();
        let default = choices.first().cloned().unwrap_or_default();
        Question { key: key.to_owned(), default, choices, ..Question::default() }
    }

    #[test]
    fn few_combinations_are_all_rendered_once() {
        let combinations =
            Combinations::of(&[question("a", 3), question("b", 4), question("c", 0)]);
        assert_eq!(combinations.coverage.possible, 24);
        assert!(combinations.coverage.complete);
        let mut all = combinations.all;
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn for_many_combinations_the_statement_names_the_rendered_part() {
        let questions: Vec<_> = (0..12).map(|number| question(&format!("q{number}"), 3)).collect();
        let Combinations { all, coverage } = Combinations::of(&questions);
        assert_eq!((coverage.possible, coverage.rendered), (531_441, 289));
        assert!(!coverage.complete);
        assert!(coverage.statement.contains("264 of 264 pairs"), "{}", coverage.statement);
        assert_eq!(all.len(), 289);
    }
}
