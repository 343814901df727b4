//! Whether what `reference` lacks is really absent: it must be readable in full, and help must not list it either.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::conform::help;

use super::fixture::Role;
use super::lab::{ProbeCaller, local, unusable};
use super::listing;
use super::stop::Unfinished;

/// Most groups of commands whose help is compared with `reference`.
const MAX_GROUPS: usize = 100;

impl ProbeCaller<'_> {
    /// Blocked, unless `reference` shows that the tool has nothing of this kind.
    pub(super) fn lacks_sample(&self, role: Role) -> Unfinished {
        if self.fixture.local {
            return local();
        }
        let Some(reference) = self.session_reference() else { return unusable() };
        if !self.may_have(&reference, role) {
            let message = format!("`reference` has no command of the kind `{}`", role.name());
            return self.absent(&message);
        }
        let message = "conform.toml has no [[agent_cli.command]] with the role";
        Unfinished::Blocked(format!("{message} `{}`", role.name()))
    }

    /// True if the tool has commands of this kind: `reference` shows one, or says so in `capabilities`.
    fn may_have(&self, reference: &Value, role: Role) -> bool {
        let says = || {
            let listed = reference["capabilities"].as_array().into_iter().flatten();
            role.capability().is_some_and(|word| listed.into_iter().any(|each| each == word))
        };
        listing::may_have(self.contract, reference, role)
            || !self.contract.capabilities.is_empty() && says()
    }

    /// Not applicable for what `reference` lacks, when it can be read in full and help lists no other command; blocked
    /// otherwise.
    #[must_use]
    pub(super) fn absent(&self, evidence: &str) -> Unfinished {
        let Some(reference) = self.session_reference() else { return unusable() };
        match listing::incomplete(&self.contract.commands, &reference)
            .or_else(|| self.hidden(&reference))
        {
            Some(why) => Unfinished::Blocked(format!("{why}, so a missing entry proves nothing")),
            None => {
                Unfinished::NotApplicable(format!("{evidence}, and help lists no other command"))
            }
        }
    }

    /// The same for a command that `reference` lacks.
    #[must_use]
    pub(super) fn absent_command(&self, path: &str) -> Unfinished {
        let call: Vec<&str> = path.split(' ').chain(["--help"]).collect();
        if self.look(&call).exit() == Some(0) {
            return Unfinished::Blocked(format!(
                "`{path}` exists, but `reference` does not list it"
            ));
        }
        self.absent(&format!("`reference` has no `{path}`"))
    }

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
                // Help of a group may list whole paths, which begin with the group.
                let is_path = above.split(' ').next() == Some(word.as_str());
                (!is_known && !is_path && !is_free(&word))
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
                let of_group = String::from_utf8_lossy(shot.observed.stdout()).into_owned();
                // A tool may have one help for everything.
                if of_group == text { None } else { unlisted(&format!("{group} "), &of_group) }
            })
        })
    }
}
