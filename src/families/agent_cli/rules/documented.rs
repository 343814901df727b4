//! Documents of a tool that name commands which its sources do not declare.
//!
//! A call is judged only where the commands of the tool are known from its sources.

use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::documented::facts_file;
use crate::contract::rules::documented::mentions::mentions;
use crate::contract::rules::documented::{CONFORM, KnownCommands, alike, documents, unknown};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

use super::sources::{ToolSources, assigned};

/// The directory of a table of operations.
const TABLE: &str = "/operations/";

/// Every tool whose commands are declared for the runtime of aos.
pub(super) const OF_TOOL: Rule = Rule {
    id: "documents/unknown-command",
    summary: "README, docs, AGENTS.md, the Skill and conform.toml name only commands that the sources declare",
    why: "People and agents copy calls from these files, and a call of a missing command is a usage error",
    fix: "correct the call, or declare the command",
    source: "documents describe what is there",
    ..Rule::error(&[FAMILY])
};

pub(super) fn check(repository: &ProjectFiles, sources: &ToolSources<'_>, found: &mut Collector) {
    let Some(known) = declared(repository, sources) else { return };
    for tool in tools(repository) {
        for (path, text) in documents(repository) {
            let source = SourceText::new(path, text.as_bytes());
            for mention in mentions(text, tool).iter().filter(|mention| !known.has(&mention.words))
            {
                found.at(&OF_TOOL, &source, mention.at, unknown(tool, &mention.words));
            }
        }
    }
    let text = repository.text(CONFORM).unwrap_or_default();
    for (at, path) in facts_file::values(text, "[[agent_cli.command]]", "path") {
        if !known.0.contains(&alike(path)) {
            let message = format!("there is no command {}", shown(path));
            found.at(&OF_TOOL, &SourceText::new(CONFORM, text.as_bytes()), at, message);
        }
    }
}

/// Returns the note for calls that were found while the commands of the tool are not known.
pub(super) fn not_judged(repository: &ProjectFiles, sources: &ToolSources<'_>) -> Option<String> {
    let is_named =
        |(_, text): (&str, &str)| tools(repository).any(|tool| !mentions(text, tool).is_empty());
    let names = || documents(repository).any(is_named);
    (declared(repository, sources).is_none() && names()).then(|| {
        "the commands in README, docs and the Skill were not checked: the sources declare them in a way that aos does not read".to_owned()
    })
}

/// The names of the tool: those of its Skills.
fn tools(repository: &ProjectFiles) -> impl Iterator<Item = &str> {
    let skills = repository.below("skills/", "/SKILL.md");
    let names =
        skills.filter_map(|(path, _)| path.strip_prefix("skills/")?.strip_suffix("/SKILL.md"));
    names.filter(|name| !name.is_empty() && !name.contains('/'))
}

/// The commands that the sources declare for the runtime of aos; `None` when they do so in another way, or when a
/// name is put together at run time.
fn declared(repository: &ProjectFiles, sources: &ToolSources<'_>) -> Option<KnownCommands> {
    /// How far behind its name the summary of a command begins.
    const NEAR: usize = 300;
    let mut paths = Vec::new();
    for code in &sources.program {
        let (name, summary) = match code.language {
            "go" => ("Path", "Summary:"),
            "py" => ("path", "summary="),
            _ => continue,
        };
        for (_, value) in assigned(code.text, name) {
            let end = value.char_indices().nth(NEAR).map_or(value.len(), |(end, _)| end);
            if !value[..end].split('}').next().unwrap_or_default().contains(summary) {
                continue;
            }
            let path = value.strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let (path, after) = path?;
            if !after.starts_with(',') || path.contains('\\') {
                return None;
            }
            paths.push(path);
        }
    }
    // A table of operations is data; the runtime makes commands of it.
    let is_table = |path: &&String| path.contains(TABLE) && path.ends_with(".json");
    let tables = repository.files.keys().filter(is_table);
    for text in tables.filter_map(|path| repository.text(path)) {
        let commands = assigned(text, "command").into_iter();
        paths.extend(
            commands.filter_map(|(_, value)| Some(value.strip_prefix('"')?.split_once('"')?.0)),
        );
    }
    // The runtime declares these itself; without them the tool is made in another way.
    let is_ours = ["reference", "context"].iter().all(|own| paths.contains(own));
    is_ours.then(|| KnownCommands::of(paths))
}
