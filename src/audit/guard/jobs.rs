//! Jobs of a workflow that never run, because a job that they need never runs.

use std::collections::BTreeMap;

use super::conditions;
use super::yaml::YamlNode;

/// The jobs of a workflow that never run, by name, with the reason.
pub fn never_run(document: &YamlNode) -> BTreeMap<&str, String> {
    let Some(YamlNode::Table(jobs)) = document.member("jobs") else { return BTreeMap::new() };
    let mut never: BTreeMap<&str, String> = BTreeMap::new();
    for (name, job) in jobs {
        let reason = conditions::never_run(job).or_else(|| conditions::condition(job));
        never.extend(reason.map(|reason| (name.as_str(), reason)));
    }
    // The job itself is judged by its own condition; here only what needs it is.
    let own: Vec<&str> = never.keys().copied().collect();
    loop {
        let before = never.len();
        for (name, job) in jobs.iter().filter(|(_, job)| !runs_anyway(job)) {
            let needs = job.member("needs").map(YamlNode::scalars).unwrap_or_default();
            let needed = needs.into_iter().find_map(|need| Some((need, never.get(need)?)));
            if let Some((need, _)) = needed
                && !never.contains_key(name.as_str())
            {
                let reason = format!("its job needs `{need}`, which does not run on every change");
                never.insert(name, reason);
            }
        }
        if before == never.len() {
            break;
        }
    }
    never.retain(|name, _| !own.contains(name));
    never
}

/// A condition such as `always()` runs a job also after others were skipped.
fn runs_anyway(job: &YamlNode) -> bool {
    let condition = job.member("if").and_then(YamlNode::text).unwrap_or_default();
    ["always()", "failure()", "cancelled()"].iter().any(|word| condition.contains(word))
}
