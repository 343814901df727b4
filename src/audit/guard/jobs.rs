//! Jobs of a workflow that do not run, because a job that they need does not.

use std::collections::BTreeMap;

use super::yaml::YamlNode;

/// The jobs that need, directly or through others, a job for which `skipped` gives a reason; by name, with the reason.
pub fn needing(
    document: &YamlNode,
    skipped: fn(&YamlNode) -> Option<String>,
) -> BTreeMap<&str, String> {
    let mut needing: BTreeMap<&str, String> = BTreeMap::new();
    let Some(YamlNode::Table(jobs)) = document.member("jobs") else { return needing };
    let own: Vec<&str> = jobs
        .iter()
        .filter(|(_, job)| skipped(job).is_some())
        .map(|(name, _)| name.as_str())
        .collect();
    loop {
        let before = needing.len();
        for (name, job) in jobs.iter().filter(|(_, job)| !runs_anyway(job)) {
            let needs = job.member("needs").map(YamlNode::scalars).unwrap_or_default();
            let mut needs = needs.into_iter();
            if let Some(need) = needs.find(|need| own.contains(need) || needing.contains_key(need))
            {
                let reason =
                    || format!("its job needs `{need}`, which does not run on every change");
                needing.entry(name).or_insert_with(reason);
            }
        }
        if before == needing.len() {
            return needing;
        }
    }
}

/// A condition such as `always()` runs a job also after others were skipped.
fn runs_anyway(job: &YamlNode) -> bool {
    let condition = job.member("if").and_then(YamlNode::text).unwrap_or_default();
    ["always()", "failure()", "cancelled()"].iter().any(|word| condition.contains(word))
}
