//! `[agent_adapter]` of conform.toml: the facts of the agent that an adapter runs. The driver of the adapter reads the
//! same members as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::conform::fixture::document::{self, FixtureFault};
use crate::conform::fixture::section::{Section, SectionReader};
use crate::conform::session::ToolCaller;

/// The facts of a run.
#[must_use]
pub fn of(session: &ToolCaller) -> Option<&AdapterFacts> {
    session.fixture.as_ref()?.section()
}

/// Reads the table of the file.
pub struct AdapterSection;

impl SectionReader for AdapterSection {
    fn name(&self) -> &'static str {
        "agent_adapter"
    }

    fn read(&self, text: &str) -> Result<Option<Section>, FixtureFault> {
        let table: Option<AdapterFacts> = document::table(text, self.name())?;
        Ok(table.map(Section::of))
    }
}

/// The facts of the agent, independent of the code of the adapter.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterFacts {
    pub id: String,
    pub name: String,
    pub binary: String,
    pub strategy: Strategy,
    pub configures: ConfiguredBy,
    pub restore: bool,
    pub system_prompt: bool,
    #[serde(default)]
    pub auth: Vec<String>,
    #[serde(default)]
    pub permissions: BTreeMap<PermissionMode, Vec<String>>,
    #[serde(default)]
    pub launch_words: Vec<String>,
    #[serde(default)]
    pub restore_words: Vec<String>,
    #[serde(default)]
    pub allowed_tools: String,
    #[serde(default)]
    pub denied_tools: String,
    #[serde(default)]
    pub supervised: bool,
    pub hooks: HookFacts,
}

/// How the first prompt reaches the agent.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    InCommand,
    AfterStart,
    CustomAgent,
}

/// The setting that a person configures.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfiguredBy {
    Model,
    Mode,
}

/// A permission mode.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PermissionMode {
    Default,
    AcceptEdits,
    Auto,
    BypassPermissions,
}

/// Where the agent finds its hooks.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HookFacts {
    pub family: HookFamily,
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub home: String,
    #[serde(default)]
    pub dialect: Dialect,
    #[serde(default)]
    pub reply: String,
    #[serde(default)]
    pub timeout: u64,
    #[serde(default)]
    pub events: Vec<HookEvent>,
}

/// The form of the hooks.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookFamily {
    MatcherGroups,
    Flat,
    Shells,
    Plugin,
    Scripts,
    Toml,
    SessionFlags,
    None,
}

/// The form of a plugin.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    #[default]
    Bus,
    Emitter,
}

/// An event of the agent, and what the orchestrator calls it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HookEvent {
    pub native: String,
    pub name: String,
    #[serde(default)]
    pub matcher: String,
}
