//! The description of one agent: how it is started, prompted, continued and observed. The data of a preset, overridden
//! by the answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::cli_name;

use super::name::AdapterName;

/// Permission modes with their own words.
const MODES: [&str; 3] = ["accept_edits", "auto", "bypass"];

/// One agent.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentPreset {
    pub label: String,
    pub binary: Binary,
    pub prompt: Prompt,
    pub launch: Words,
    pub permissions: AgentPermissions,
    pub model: AgentModel,
    pub system_prompt: SystemPrompt,
    pub tools: AgentTools,
    pub restore: Restore,
    pub auth: AgentAuth,
    pub exit: Exit,
    pub hooks: AgentHooks,
}

/// The program.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Binary {
    pub name: String,
    pub node_managed: bool,
}

/// How the agent gets the first prompt.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prompt {
    pub style: String,
    pub option: String,
    /// Texts on the screen that say that a prompt can be typed.
    pub ready: Vec<String>,
}

impl Default for Prompt {
    fn default() -> Self {
        Self { style: "dashes".to_owned(), option: String::new(), ready: Vec::new() }
    }
}

/// Words of a command line, before and after those of the session.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// The words of each permission mode.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentPermissions {
    pub style: String,
    pub setting: String,
    pub option: String,
    pub key: String,
    #[serde(rename = "default")]
    pub usual: Vec<String>,
    pub accept_edits: Vec<String>,
    pub auto: Vec<String>,
    pub bypass: Vec<String>,
}

impl Default for AgentPermissions {
    fn default() -> Self {
        Self {
            style: "words".to_owned(),
            setting: String::new(),
            option: String::new(),
            key: String::new(),
            usual: Vec::new(),
            accept_edits: Vec::new(),
            auto: Vec::new(),
            bypass: Vec::new(),
        }
    }
}

/// How the model is chosen.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentModel {
    pub style: String,
    pub option: String,
}

impl Default for AgentModel {
    fn default() -> Self {
        Self { style: "option".to_owned(), option: "--model".to_owned() }
    }
}

/// How the system prompt is given.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SystemPrompt {
    pub style: String,
    pub option: String,
    pub file_option: String,
    pub key: String,
    pub path: String,
    pub setting: String,
    pub schema: String,
}

impl Default for SystemPrompt {
    fn default() -> Self {
        let none = String::new;
        Self {
            style: "none".to_owned(),
            option: none(),
            file_option: none(),
            key: none(),
            path: none(),
            setting: none(),
            schema: none(),
        }
    }
}

/// Options that allow and deny tools.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentTools {
    pub allowed: String,
    pub denied: String,
}

/// Words that continue a session; `{id}` is its id.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Restore {
    pub before: Vec<String>,
    pub after: Vec<String>,
}

impl Default for Restore {
    fn default() -> Self {
        Self { before: Vec::new(), after: vec!["--resume".to_owned(), "{id}".to_owned()] }
    }
}

/// Variables that hold the key of the agent.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentAuth {
    pub variables: Vec<String>,
}

/// Whether the orchestrator watches for the end of the process.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exit {
    pub supervised: bool,
}

/// Where the agent finds its hooks, and which it has.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentHooks {
    pub family: String,
    pub path: String,
    pub option: String,
    /// The variable that names the home of the agent, where its hooks are.
    pub home: String,
    pub dialect: String,
    pub reply: String,
    pub timeout: u32,
    pub unit: String,
    pub events: Vec<AgentEvent>,
}

impl Default for AgentHooks {
    fn default() -> Self {
        let none = String::new;
        Self {
            family: "none".to_owned(),
            path: none(),
            option: none(),
            home: none(),
            dialect: "bus".to_owned(),
            reply: none(),
            timeout: 0,
            unit: "seconds".to_owned(),
            events: Vec::new(),
        }
    }
}

/// One event of the agent, and what the orchestrator calls it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentEvent {
    pub native: String,
    pub name: String,
    pub matcher: String,
}

/// The text of a preset with the names of the adapter in it.
#[must_use]
pub fn filled(text: &str, name: &AdapterName) -> String {
    text.replace("@tool@", name.as_str())
        .replace("@title@", &cli_name::title(name.as_str()))
        .replace("@env_prefix@", &cli_name::env_prefix(name.as_str()))
}

impl AgentPreset {
    /// Lays answers over the preset; an empty one changes nothing.
    pub fn answer(&mut self, answers: &BTreeMap<String, String>, name: &AdapterName) {
        let answer = |key: &str| answers.get(key).filter(|value| !value.is_empty());
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (key, member) in [("label", &mut self.label), ("binary", &mut self.binary.name)] {
            if let Some(value) = answer(key) {
                member.clone_from(value);
            }
        }
        if let Some(style) = answer("prompt") {
            self.prompt.style.clone_from(style);
            if style != "after-start" {
                self.prompt.ready.clear();
            }
        }
        if let Some(option) = answer("prompt_option") {
            self.prompt.option.clone_from(option);
        }
        if self.prompt.style == "option" && self.prompt.option.is_empty() {
            "--prompt".clone_into(&mut self.prompt.option);
        }
        if let Some(family) = answer("hook_family").filter(|family| **family != self.hooks.family) {
            self.take_hook_family(family, name);
        }
        if let Some(path) = answer("hook_path") {
            self.hooks.path.clone_from(path);
        }
        let permissions = &mut self.permissions;
        let modes = [&mut permissions.accept_edits, &mut permissions.auto, &mut permissions.bypass];
        for (key, mode) in MODES.into_iter().zip(modes) {
            if let Some(value) = answer(key) {
                *mode = words(value);
            }
        }
        if let Some(option) = answer("model_option") {
            self.model = AgentModel { style: "option".to_owned(), option: option.clone() };
        }
        if let Some(option) = answer("system_prompt_option") {
            self.system_prompt = SystemPrompt {
                style: "option".to_owned(),
                option: option.clone(),
                ..SystemPrompt::default()
            };
        }
        if let Some(value) = answer("restore") {
            self.restore.after = words(value);
        }
    }

    /// Another place for hooks than the preset has: what belongs to the old place goes.
    fn take_hook_family(&mut self, family: &str, name: &AdapterName) {
        let hooks = &mut self.hooks;
        family.clone_into(&mut hooks.family);
        let name = name.as_str();
        hooks.path = match family {
            "matcher-groups" | "flat" | "shells" => format!(".{name}/hooks.json"),
            "plugin" => format!(".{name}/plugins/ao.ts"),
            "scripts" => format!(".{name}/hooks"),
            "toml" => format!(".{name}/hooks.toml"),
            _ => String::new(),
        };
        hooks.home.clear();
        hooks.reply.clear();
        "emitter".clone_into(&mut hooks.dialect);
        if family == "session-flags" && hooks.option.is_empty() {
            "-c".clone_into(&mut hooks.option);
        }
        if family == "none" {
            hooks.events.clear();
        }
        if ["flat", "plugin", "scripts", "none"].contains(&family) {
            hooks.timeout = 0;
        }
        if ["flat", "shells", "scripts", "plugin"].contains(&family) {
            hooks.events.iter_mut().for_each(|event| event.matcher.clear());
        }
        if family != "plugin" && self.system_prompt.style == "plugin" {
            "none".clone_into(&mut self.system_prompt.style);
        }
    }
}
