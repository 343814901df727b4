//! The description of a rule: `--explain`.

use crate::audit::rules;
use crate::contract::rules::Rule;
use crate::contract::suggestion;
use crate::report::answers::check::{CheckAnswer, RuleDescription, RuleList};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::excerpt;
use crate::visible::{Visible, visible};
use crate::workflows::Run;

/// The rule called `id`.
///
/// # Errors
/// When there is none, with the nearest one.
pub fn rule(id: &str) -> Result<&'static Rule, Failure> {
    rules::find(id).ok_or_else(|| {
        let known: Vec<_> = rules::all().map(|rule| rule.id).collect();
        let shown = id.chars().take(60).collect::<String>();
        let hint = suggestion::nearest(id, known.iter().copied()).map_or_else(
            || "`aos check --explain all` lists every rule".to_owned(),
            |nearest| format!("did you mean `{nearest}`?"),
        );
        Failure::new(
            ErrorCode::Validation,
            format!("the rule `{}` does not exist", excerpt(&shown, 200)),
        )
        .hint(hint)
        .detail("known_rules", known)
    })
}

/// One rule, or all of them.
///
/// # Errors
/// When there is no such rule.
pub fn explain(id: &str, run: &Run) -> Result<Outcome, Failure> {
    let wanted: Vec<&Rule> = if id == "all" { rules::all().collect() } else { vec![rule(id)?] };
    let rules = wanted.iter().map(|rule| described(rule)).collect();
    let texts = wanted.iter().map(|rule| {
        visible!(
            "{} ({})\n  {}\n  why: {}\n  fix: {}\n  source: {}",
            run.style.strong(rule.id),
            rule.severity,
            rule.summary,
            rule.why,
            rule.fix,
            rule.source
        )
    });
    let data = CheckAnswer::Rules(RuleList { rules });
    Ok(Outcome::new(data, Visible::joined(texts, "\n\n")))
}

/// A rule as data.
pub fn described(rule: &Rule) -> RuleDescription {
    RuleDescription {
        rule: rule.id,
        severity: rule.severity.to_string(),
        families: rule.families.iter().map(|family| family.name()).collect(),
        summary: rule.summary,
        why: rule.why,
        fix: rule.fix,
        source: rule.source,
        waivable: rule.waivable,
    }
}
