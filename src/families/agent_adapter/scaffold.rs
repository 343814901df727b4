//! New adapters: their name, their preset, and what the templates get.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::contract::cli_name;
use crate::generate::cli_values;
use crate::generate::scaffold::ScaffoldOrigin;
use crate::inputs::embedded;
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::report::{ErrorCode, Failure};
use crate::system::files;
use crate::workflows::new::choices::{preset_text, shown, slug};
use crate::workflows::new::subject::{Named, Scaffolder, Subject, WantedProject};

use super::agent::{self, AgentPreset};
use super::name::AdapterName;
use super::wiring::checkout::OrchestratorCheckout;

/// The Go of the orchestrator.
pub const GO: &str = "1.25.7";
/// Its module.
pub const ORCHESTRATOR: &str = "github.com/aoagents/agent-orchestrator/backend";

pub struct AdapterScaffolder;

impl Scaffolder for AdapterScaffolder {
    fn takes_checkout(&self) -> bool {
        true
    }

    fn name(&self, wanted: &WantedProject<'_>) -> Result<Box<dyn Named>, Failure> {
        let error = match AdapterName::parse(wanted.name) {
            Ok(name) => return Ok(Box::new(AdapterId(name))),
            Err(error) => error,
        };
        let message = format!("`{}` cannot be the id of an adapter: {error}", shown(wanted.name));
        let failure = Failure::new(ErrorCode::Validation, message);
        let usable = slug(wanted.name);
        Err(match AdapterName::parse(&usable) {
            Ok(_) => {
                failure.hint(format!("`aos new {usable} --template {}`", wanted.template.name))
            }
            Err(_) => failure.hint("choose an id such as `acme` or `my-agent`"),
        })
    }
}

struct AdapterId(AdapterName);

impl AdapterId {
    fn names(&self) -> [(&'static str, String); 6] {
        [
            ("tool", self.0.as_str().to_owned()),
            ("package", self.0.package()),
            ("env_prefix", cli_name::env_prefix(self.0.as_str())),
            ("title", cli_name::title(self.0.as_str())),
            ("type_name", cli_name::type_name(self.0.as_str())),
            ("module", self.0.module()),
        ]
    }
}

impl Named for AdapterId {
    fn variables(&self) -> Map<String, Value> {
        let names = self.names().into_iter();
        names.map(|(key, value)| (key.to_owned(), json!(value))).collect()
    }

    fn subject(
        self: Box<Self>,
        wanted: &WantedProject<'_>,
        answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure> {
        let (preset, text) = preset_text(wanted, self.0.as_str())?;
        let text = agent::filled(text, &self.0);
        let mut agent: AgentPreset = embedded::toml(&format!("presets/{preset}.toml"), &text)?;
        agent.answer(answers, &self.0);
        if let Some(fault) = unusable(&agent) {
            return Err(Failure::new(ErrorCode::Validation, fault)
                .hint("`aos new --list --template NAME` describes the questions"));
        }
        answers.insert("preset".to_owned(), preset.clone());
        let checkout = wanted.checkout.map(checkout).transpose()?;
        Ok(Box::new(NewAdapter { id: *self, preset, agent, checkout }))
    }
}

/// Returns the reason why no adapter can be made from these answers.
fn unusable(agent: &AgentPreset) -> Option<String> {
    let hooks = &agent.hooks;
    let installs = !["session-flags", "none"].contains(&hooks.family.as_str());
    let outside = hooks.path.starts_with(['/', '~'])
        || hooks.path.split('/').any(|part| part == ".." || part == ".");
    if installs && (hooks.path.is_empty() || outside) {
        return Some("`hook_path` must be a path inside the workspace".to_owned());
    }
    if agent.binary.name.split_whitespace().count() != 1 || agent.binary.name.contains('/') {
        return Some("`binary` must be the name of one program".to_owned());
    }
    if !agent.restore.after.is_empty() && !agent.restore.after.iter().any(|word| word == "{id}") {
        return Some(
            "`restore` must contain the word `{id}`, which aos replaces with the id of the session"
                .to_owned(),
        );
    }
    None
}

struct NewAdapter {
    id: AdapterId,
    preset: String,
    agent: AgentPreset,
    /// The backend of a checkout of the orchestrator.
    checkout: Option<String>,
}

/// The directory of a checkout's module, as go.work writes it.
fn checkout(path: &Path) -> Result<String, Failure> {
    let root = files::canonical(path).map_err(|error| {
        Failure::new(ErrorCode::NotFound, format!("`{}`: {error}", path.display()))
            .hint("pass a checkout of Agent Orchestrator to `--ao`")
    })?;
    OrchestratorCheckout::open(&root)?;
    let directory = root.join("backend").display().to_string().replace('\\', "/");
    match directory.contains(|symbol: char| symbol.is_whitespace() || "\"'`".contains(symbol)) {
        false => Ok(directory),
        true => Err(Failure::new(
            ErrorCode::Validation,
            format!("`{directory}` cannot be written into go.work: it has a blank or a quote"),
        )
        .hint("move the checkout to a path without them")),
    }
}

impl Subject for NewAdapter {
    /// go.work is for this machine alone, and the project's .gitignore names it.
    fn files(&self) -> Result<FileSet, FileSetError> {
        let mut files = FileSet::default();
        if let Some(directory) = &self.checkout {
            let text = format!(
                "// On this machine the adapter builds against a checkout of the orchestrator. Without this file it builds\n\
                 // against internal/runtime/kit.\ngo {GO}\n\nuse .\n\nreplace {ORCHESTRATOR} => {directory}\n"
            );
            files.insert(RelativePath::literal("go.work"), Content::plain(text))?;
        }
        Ok(files)
    }

    fn tool(&self) -> &str {
        self.id.0.as_str()
    }

    fn name(&self) -> &str {
        self.id.0.as_str()
    }

    fn package(&self) -> String {
        self.id.0.package()
    }

    fn preset_name(&self) -> Option<&str> {
        Some(&self.preset)
    }

    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value {
        let mut variables = cli_values::with_answers(self.id.variables(), answers, origin);
        variables["agent"] = described(&self.agent, self.tool());
        variables
    }
}

/// The agent, and what follows from it.
fn described(agent: &AgentPreset, tool: &str) -> Value {
    let mut value = json!(agent);
    let hooks = &agent.hooks;
    let program = &agent.binary.name;
    let package = match hooks.family.as_str() {
        "matcher-groups" | "flat" | "shells" => "jsonhooks",
        "plugin" => "pluginhooks",
        "scripts" => "scripthooks",
        "toml" => "tomlhooks",
        "session-flags" => "sessionflags",
        _ => "",
    };
    let dialect = if hooks.dialect == "emitter" { "Emitter" } else { "Bus" };
    let installs = !["session-flags", "none"].contains(&hooks.family.as_str());
    let has_home = !hooks.home.is_empty();
    let of_binary = json!({
        "names": [program],
        "windows": [format!("{program}.exe"), format!("{program}.cmd")],
        "paths": [format!("/usr/local/bin/{program}"), format!("/opt/homebrew/bin/{program}")],
    });
    let of_hooks = json!({
        "package": package,
        "shape": match hooks.family.as_str() {
            "matcher-groups" => "MatcherGroups",
            "flat" => "Flat",
            "shells" => "Shells",
            _ => "",
        },
        "dialect_name": dialect,
        "go_unit": if hooks.unit == "milliseconds" { "time.Millisecond" } else { "time.Second" },
        "installs": installs,
        "test_family": match package {
            "jsonhooks" => "JSON",
            "tomlhooks" => "TOML",
            "scripthooks" => "Scripts",
            "sessionflags" => "SessionFlags",
            "pluginhooks" => dialect,
            _ => "",
        },
        "test_path": if has_home {
            format!("agent-runtime/{tool}/{}", hooks.path)
        } else {
            hooks.path.clone()
        },
    });
    let system = &agent.system_prompt;
    let style = system.style.as_str();
    let (section, name) =
        agent.permissions.key.split_once('.').unwrap_or((&agent.permissions.key, ""));
    let in_hooks = ["workspace-file", "rule", "profile", "plugin"].contains(&style);
    let of_agent = json!({
        "submits": hooks.events.iter().any(|event| event.name == "user-prompt-submit"),
        "uses_session_file": agent.permissions.style == "settings"
            || ["file", "agent-config"].contains(&style),
        "uses_runtime_in_hooks": hooks.family != "none" || in_hooks,
        "writes_files": installs && !has_home || ["workspace-file", "rule", "profile"].contains(&style),
        "needs_workspace_check": !installs || has_home,
        "calls": if agent.restore.after.is_empty() { json!(["launch"]) } else { json!(["launch", "restore"]) },
    });
    let assignment = match style {
        "config" => format!("{}=", system.key),
        "profile" => format!("{}=", system.option),
        _ => String::new(),
    };
    add(&mut value["binary"], of_binary);
    add(&mut value["hooks"], of_hooks);
    add(&mut value["system_prompt"], json!({"assignment": assignment}));
    add(&mut value["permissions"], json!({"section": section, "name": name}));
    add(&mut value, of_agent);
    value
}

fn add(value: &mut Value, more: Value) {
    if let (Value::Object(members), Value::Object(more)) = (value, more) {
        members.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "agent-adapter";

    fn agent(preset: &str) -> AgentPreset {
        let text = embedded::preset_text(TEMPLATE, preset).unwrap();
        let name = AdapterName::parse("acme").unwrap();
        embedded::toml(preset, &agent::filled(text, &name)).unwrap()
    }

    #[test]
    fn every_preset_makes_an_adapter() {
        let names = embedded::preset_names(TEMPLATE);
        assert!(names.len() >= 13, "{names:?}");
        for preset in names.into_iter().chain([embedded::EXAMPLE_PRESET]) {
            assert_eq!(unusable(&agent(preset)), None, "{preset}");
        }
    }

    #[test]
    fn answers_that_no_adapter_can_have_are_refused() {
        for (key, value) in [
            ("hook_path", "../x"),
            ("hook_path", "/etc/x"),
            ("binary", "a b"),
            ("binary", "a/b"),
            ("restore", "--resume"),
        ] {
            let mut agent = agent("example");
            let name = AdapterName::parse("acme").unwrap();
            let answers = BTreeMap::from([(key.to_owned(), value.to_owned())]);
            agent.answer(&answers, &name);
            assert!(unusable(&agent).is_some(), "{key}={value}");
        }
    }
}
