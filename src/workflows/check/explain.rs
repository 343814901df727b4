//! The description of a rule: `--explain`.

use crate::audit::rules;
use crate::contract::rules::Rule;
use crate::contract::suggestion;
use crate::report::answers::check::{
    CheckAnswer, RuleDescription, RuleList, RuleTopic, RuleTopics,
};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::excerpt;
use crate::visible::{Visible, visible};
use crate::workflows::Run;

/// The rule called `id`.
///
/// # Errors
/// Returns an error if there is none, with the nearest one.
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

/// How to get the descriptions.
const MORE: &str =
    "`--explain TOPIC` describes the rules of a topic, `--explain all --all` describes every rule";

/// One rule, those of a topic (the part before the slash), or all of them: their ids, or the whole if `is_whole`.
///
/// # Errors
/// Returns an error if there is no such rule.
pub fn explain(id: &str, is_whole: bool, run: &Run) -> Result<Outcome, Failure> {
    if id == "all" && !is_whole {
        return Ok(topics(run));
    }
    let topic = |rule: &&Rule| rule.id.split_once('/').is_some_and(|(topic, _)| topic == id);
    let wanted: Vec<&Rule> = if id == "all" {
        rules::all().collect()
    } else if rules::all().any(|rule| topic(&rule)) {
        rules::all().filter(topic).collect()
    } else {
        vec![rule(id)?]
    };
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

/// The ids of every rule, by topic.
fn topics(run: &Run) -> Outcome {
    let mut topics: Vec<RuleTopic> = Vec::new();
    for rule in rules::all() {
        let (topic, name) = rule.id.split_once('/').unwrap_or((rule.id, ""));
        match topics.iter_mut().find(|known| known.topic == topic) {
            Some(known) => known.rules.push(name),
            None => topics.push(RuleTopic { topic, rules: vec![name] }),
        }
    }
    let mut lines: Vec<Visible> = topics
        .iter()
        .map(|topic| visible!("{}/ {}", run.style.strong(topic.topic), topic.rules.join(", ")))
        .collect();
    lines.push(visible!("\n{}", MORE));
    let data = CheckAnswer::Topics(RuleTopics { topics, more: MORE });
    Outcome::new(data, Visible::joined(lines, "\n"))
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
