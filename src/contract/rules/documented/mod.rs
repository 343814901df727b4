//! Documents that name commands: README, AGENTS.md, docs, the Skill and conform.toml. Each family judges them by a rule of
//! its own.

pub mod facts_file;
pub mod mentions;

use std::collections::BTreeSet;

use crate::contract::repository::ProjectFiles;

use super::collector::shown;

/// The facts of a project for `aos conform`.
pub const CONFORM: &str = "conform.toml";
/// Words that libraries for command lines bring along.
const BUILT_IN: &[&str] = &["help", "completion", "completions"];

/// The documents in which calls are looked for, with their text.
pub fn documents(repository: &ProjectFiles) -> impl Iterator<Item = (&str, &str)> {
    let top = ["README.md", "AGENTS.md", "CONTRIBUTING.md"].into_iter();
    let top = top.filter_map(|path| Some((path, repository.files.get(path)?)));
    let below = ["docs/", "skills/"].into_iter().flat_map(|place| repository.below(place, ".md"));
    let all = top.chain(below);
    all.filter_map(|(path, file)| Some((path, file.bytes.text()?)))
}

/// Commands, each as words that are joined by dots.
#[derive(Debug, Default)]
pub struct KnownCommands(pub BTreeSet<String>);

impl KnownCommands {
    #[must_use]
    pub fn of<'a>(commands: impl IntoIterator<Item = &'a str>) -> Self {
        Self(commands.into_iter().map(alike).collect())
    }

    /// True if the words begin with a command, or are those of a group.
    #[must_use]
    pub fn has(&self, words: &[&str]) -> bool {
        let is_command = |count| self.0.contains(&alike(&words[..count].join(".")));
        let group = alike(&words.join(".")) + ".";
        let is_group =
            || self.0.range(group.clone()..).next().is_some_and(|id| id.starts_with(&group));
        words.first().is_some_and(|word| BUILT_IN.contains(word))
            || (1..=words.len()).any(is_command)
            || is_group()
    }
}

/// Normalizes text that looks the same to a reader: dashes, underscores, and the separators of words.
#[must_use]
pub fn alike(words: &str) -> String {
    words.replace('-', "_").replace(' ', ".")
}

/// The message for a call that no command answers.
#[must_use]
pub fn unknown(tool: &str, words: &[&str]) -> String {
    let call = format!("{tool} {}", words.join(" "));
    format!("{} does not call an existing command", shown(&call))
}
