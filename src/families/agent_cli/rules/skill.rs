//! Rules about the Agent Skill that comes with a tool.

use super::sources::{ToolSources, is_foreign, literals};
use super::yaml::{self, YamlEntry};
use crate::contract::json;
use crate::contract::repository::ProjectFiles;
use crate::contract::rules::collector::{Collector, SourceText, shown, shown_list};
use crate::contract::rules::rule::Rule;
use crate::families::agent_cli::contract::FAMILY;

pub(super) const MISSING: Rule = Rule {
    id: "skill/missing",
    summary: "The repository has `skills/<tool>/SKILL.md`",
    why: "Without it, agents do not know when to use the tool, and an update has no Skill to install",
    fix: "write the Skill; `aos new --template cli-go` shows one",
    source: "repository checklist: skills",
    ..Rule::warning(&[FAMILY])
};
pub(super) const FRONT_MATTER: Rule = Rule {
    id: "skill/front-matter",
    summary: "SKILL.md begins with front matter that has `name` and `description`",
    why: "Agents choose a Skill by these two members, and never load one without them",
    fix: "begin the file with `---`, the members, and `---`",
    source: "repository checklist: SKILL.md",
    ..Rule::error(&[FAMILY])
};
pub(super) const NAME: Rule = Rule {
    id: "skill/name",
    summary: "The Skill has the name of its directory: lower-case words joined by dashes, at most 64 characters, without `claude` or `anthropic`",
    why: "Installers refuse other names, or install the Skill under an unexpected name",
    fix: "use one name for directory and Skill",
    source: "repository checklist: SKILL.md",
    ..Rule::error(&[FAMILY])
};
pub(super) const DESCRIPTION: Rule = Rule {
    id: "skill/description",
    summary: "The description has at most 1024 characters and no tags",
    why: "It is part of the prompt of every session: a longer text is cut, and tags are treated as markup",
    fix: "describe in fewer words what the tool does and when to use it",
    source: "repository checklist: SKILL.md",
    ..Rule::error(&[FAMILY])
};
pub(super) const REQUIREMENTS: Rule = Rule {
    id: "skill/requirements",
    summary: "The Skill names the binaries and the version that it needs, as quoted strings",
    why: "With an older binary, an agent would call commands that do not exist; YAML reads a version without quotes as a number",
    fix: "write `metadata: {\"requires\": {\"bins\": [\"<tool>\"], \"min_version\": \"<version>\"}}`",
    source: "repository checklist: SKILL.md",
    ..Rule::warning(&[FAMILY])
};
pub(super) const LENGTH: Rule = Rule {
    id: "skill/length",
    summary: "The body of SKILL.md has fewer than 500 lines",
    why: "Agents read all of it whenever they use the Skill; rarely needed details belong in a reference file",
    fix: "move details to `reference/`",
    source: "repository checklist: SKILL.md",
    ..Rule::warning(&[FAMILY])
};
pub(super) const PROMPTS: Rule = Rule {
    id: "skill/prompts",
    summary: "test-prompts.json is a list of {id, prompt, expected} with the five scenarios that every tool needs",
    why: "They test whether agents use the Skill correctly",
    fix: "add the scenario to `test-prompts.json`",
    source: "repository checklist: test-prompts.json",
    ..Rule::warning(&[FAMILY])
};
pub(super) const INSTALL_COMMAND: Rule = Rule {
    id: "skill/install-command",
    summary: "The tool has no command `install-skill`",
    why: "The agent's own installer installs Skills, and `update` updates them; another way would create a second copy",
    fix: "remove the command",
    source: "conformance item 50",
    ..Rule::error(&[FAMILY])
};

/// The command that no tool has; not spelled out here, or this file would have it.
const FORBIDDEN: &str = concat!("install", "-skill");
/// Longest name and longest description, in characters; most lines of a body.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_LINES: usize = 500;
/// Scenarios that every tool has.
const SCENARIOS: [&str; 5] = [
    "fresh-agent-read",
    "write-dry-run-confirm",
    "permission-boundary",
    "untrusted-content",
    "self-update",
];

/// Every `skills/<name>/SKILL.md` with its text.
pub(super) fn documents(repository: &ProjectFiles) -> impl Iterator<Item = (&str, &str)> {
    repository
        .below("skills/", "/SKILL.md")
        .filter(|(path, _)| directory(path).is_some())
        .filter_map(|(path, file)| Some((path, file.bytes.text()?)))
}

/// The name between `skills/` and `/SKILL.md`, when there is one level only.
fn directory(path: &str) -> Option<&str> {
    let name = path.strip_prefix("skills/")?.strip_suffix("/SKILL.md")?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

pub(super) fn check(repository: &ProjectFiles, sources: &ToolSources<'_>, found: &mut Collector) {
    let mut any = false;
    for (path, text) in documents(repository) {
        any = true;
        document(path, text, found);
        prompts(repository, path, found);
    }
    if !any {
        found.whole(&MISSING, "skills", "there is no Skill".to_owned());
    }
    for code in sources.program.iter().filter(|code| !is_foreign(code.source.path)) {
        for (at, _) in literals(code.text).filter(|(_, literal)| *literal == FORBIDDEN) {
            let message = "the tool installs Skills itself".to_owned();
            found.at(&INSTALL_COMMAND, &code.source, at, message);
        }
    }
}

fn document(path: &str, text: &str, found: &mut Collector) {
    let source = SourceText::new(path, text.as_bytes());
    let Some(entries) = yaml::front_matter(text) else {
        let message = "the file does not begin with front matter".to_owned();
        return found.at(&FRONT_MATTER, &source, 0, message);
    };
    let entry = |name: &str| entries.iter().find(|entry| entry.path == name);
    for name in ["name", "description"] {
        if entry(name).is_none() {
            let message = format!("the front matter has no `{name}`");
            found.at(&FRONT_MATTER, &source, 0, message);
        }
    }
    if let Some(name) = entry("name") {
        judge_name(path, &source, name, found);
    }
    if let Some(description) = entry("description") {
        judge_description(&source, description, found);
    }
    requirements(&source, &entries, found);
    let lines = yaml::body(text).lines().count();
    if lines >= MAX_LINES {
        found.whole(&LENGTH, path, format!("the body has {lines} lines"));
    }
}

fn judge_name(path: &str, source: &SourceText<'_>, name: &YamlEntry, found: &mut Collector) {
    let text = name.value.as_str();
    let word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|symbol| symbol.is_ascii_lowercase() || symbol.is_ascii_digit())
    };
    let formed = text.len() <= MAX_NAME && text.split('-').all(word);
    let reserved = ["claude", "anthropic"].iter().any(|word| text.contains(word));
    let message = if directory(path) != Some(text) {
        format!("{} is not the name of its directory", shown(text))
    } else if !formed {
        format!("{} is not a valid name of a Skill", shown(text))
    } else if reserved {
        format!("{} contains a word that is not allowed in names", shown(text))
    } else {
        return;
    };
    found.at(&NAME, source, name.at, message);
}

fn judge_description(source: &SourceText<'_>, description: &YamlEntry, found: &mut Collector) {
    let length = description.value.chars().count();
    let tag = |text: &str| {
        text.split_once('<').is_some_and(|(_, rest)| {
            rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
                && rest.contains('>')
        })
    };
    if length > MAX_DESCRIPTION {
        let message = format!("the description has {length} characters");
        found.at(&DESCRIPTION, source, description.at, message);
    } else if length == 0 || tag(&description.value) {
        let message =
            if length == 0 { "the description is empty" } else { "the description has a tag" };
        found.at(&DESCRIPTION, source, description.at, message.to_owned());
    }
}

fn requirements(source: &SourceText<'_>, entries: &[YamlEntry], found: &mut Collector) {
    let at = |end: &str| {
        let places = [format!("metadata.requires.{end}"), format!("requires.{end}")];
        entries.iter().find(|entry| places.contains(&entry.path))
    };
    if at("bins[]").is_none() {
        let message = "`metadata.requires.bins` names no binary".to_owned();
        found.at(&REQUIREMENTS, source, 0, message);
    }
    match at("min_version") {
        None => {
            let message = "`metadata.requires.min_version` is missing".to_owned();
            found.at(&REQUIREMENTS, source, 0, message);
        }
        Some(entry) if !entry.quoted => {
            let message = "`min_version` has no quotes".to_owned();
            found.at(&REQUIREMENTS, source, entry.at, message);
        }
        Some(_) => {}
    }
    if let Some(version) = entries.iter().find(|entry| entry.path == "version" && !entry.quoted) {
        let message = "`version` has no quotes".to_owned();
        found.at(&REQUIREMENTS, source, version.at, message);
    }
}

fn prompts(repository: &ProjectFiles, skill: &str, found: &mut Collector) {
    let path = skill.replace("SKILL.md", "test-prompts.json");
    let Some(bytes) = repository.bytes(&path) else {
        return found.whole(&PROMPTS, &path, "the scenarios do not exist".to_owned());
    };
    let document = json::parse(bytes).ok();
    let Some(scenarios) = document.as_ref().and_then(serde_json::Value::as_array) else {
        return found.whole(&PROMPTS, &path, "the file is not a list of scenarios".to_owned());
    };
    let complete = |scenario: &serde_json::Value| {
        ["id", "prompt", "expected"].iter().all(|member| !scenario[*member].is_null())
    };
    if !scenarios.iter().all(complete) {
        let message = "a scenario lacks `id`, `prompt` or `expected`".to_owned();
        found.whole(&PROMPTS, &path, message);
    }
    let missing: Vec<_> = SCENARIOS
        .into_iter()
        .filter(|id| !scenarios.iter().any(|scenario| scenario["id"] == *id))
        .collect();
    if !missing.is_empty() {
        found.whole(&PROMPTS, &path, format!("there is no {}", shown_list(missing)));
    }
}
