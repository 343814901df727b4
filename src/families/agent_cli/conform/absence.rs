//! Whether a command that `reference` lacks is really absent: help must not list it either.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::conform::help;

use super::lab::ProbeCaller;
use super::listing;

/// Most groups of commands whose help is compared with `reference`.
const MAX_GROUPS: usize = 100;

impl ProbeCaller<'_> {
    /// A command that help lists and `reference` does not, or that help cannot be read.
    pub(super) fn hidden(&self, reference: &Value) -> Option<String> {
        let root = self.look(&["--help"]);
        let text = String::from_utf8_lossy(root.observed.stdout()).into_owned();
        if root.exit() != Some(0) || text.trim().is_empty() {
            return Some(
                "`reference` cannot be compared with `--help`, which prints nothing".to_owned(),
            );
        }
        let known: Vec<&str> = listing::commands(reference).map(|(path, _)| path).collect();
        let is_free = |word: &str| ["help", "completion", "completions"].contains(&word);
        let unlisted = |above: &str, text: &str| {
            help::listed_commands(text).into_iter().find_map(|word| {
                let path = format!("{above}{word}");
                let below = format!("{path} ");
                let is_known =
                    known.iter().any(|known| *known == path || known.starts_with(&below));
                (!is_known && !is_free(&word))
                    .then(|| format!("`reference` does not list `{path}`, which help lists"))
            })
        };
        // Help of a group lists what is below it.
        let groups: BTreeSet<&str> =
            known.iter().filter_map(|path| Some(path.rsplit_once(' ')?.0)).collect();
        unlisted("", &text).or_else(|| {
            groups.into_iter().take(MAX_GROUPS).find_map(|group| {
                let call: Vec<&str> = group.split(' ').chain(["--help"]).collect();
                let shot = self.look(&call);
                let text = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
                unlisted(&format!("{group} "), &text)
            })
        })
    }
}
