//! The member `[agent_cli]` of `conform.toml`: what `reference` cannot say about a tool. docs/conform-toml.md describes it.
//!
//! Bounded and strict: what is not known here is an error, and no value becomes part of a shell word.

mod accepted;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::signed::declared::TestBuild;
use crate::conform::fixture::document::{self, FixtureFault};
use crate::conform::fixture::section::{Section, SectionReader};
use crate::conform::secrets::{SecretShape, Sentinel};
use crate::conform::session::ToolCaller;

pub use accepted::{bounded, leaves};

/// Is replaced with the port in the command of the mock upstream.
pub const PORT: &str = "{port}";

/// The facts about the credentials, the upstream, the releases and the commands of a tool.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(try_from = "AgentCliTable")]
pub struct AgentCliFixture {
    /// The tool works on this machine alone and has no upstream.
    pub local: bool,
    /// Commands that work for a long time when they are called without arguments.
    pub long: Vec<String>,
    pub credentials: Option<Credentials>,
    pub gate: Option<Gate>,
    pub upstream: Option<DeclaredUpstream>,
    pub update: Option<Update>,
    pub commands: Vec<Sample>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentCliTable {
    #[serde(default)]
    local: bool,
    #[serde(default)]
    long: Vec<String>,
    credentials: Option<Credentials>,
    gate: Option<Gate>,
    upstream: Option<DeclaredUpstream>,
    update: Option<Update>,
    #[serde(default, rename = "command")]
    commands: Vec<Sample>,
}

/// The credentials of the tool. The tool gets a made-up secret; the proxy replaces it with that of the mock.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The variable that holds it.
    pub env: String,
    /// The credential of one account in the mock upstream.
    pub account: String,
    /// The credential of another account in it.
    pub other_account: Option<String>,
    /// The variable with the expiry of the secret, and a time in the past.
    pub expired: Option<Variable>,
    /// Further secrets that the upstream takes together with the first one.
    #[serde(default)]
    pub more: Vec<FurtherSecret>,
}

/// A secret beside the first one.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FurtherSecret {
    pub env: String,
    /// The secret of the first account in the mock upstream.
    pub account: String,
    /// The secret of the other account in it.
    pub other_account: Option<String>,
}

impl Credentials {
    /// The secrets of one account: variable, made-up value, and value in the mock.
    #[must_use]
    pub fn of_first(&self) -> Vec<(Sentinel, &str)> {
        let own = |env: &str| Sentinel::new(env, SecretShape::Plain);
        let more = self.more.iter().map(|each| (own(&each.env), each.account.as_str()));
        std::iter::once((own(&self.env), self.account.as_str())).chain(more).collect()
    }

    /// The secrets of the other account; without one in the mock, the made-up values are unknown to it.
    #[must_use]
    pub fn of_other(&self) -> Vec<(Sentinel, Option<&str>)> {
        let more = self.more.iter().map(|each| (each.env.as_str(), each.other_account.as_deref()));
        let first = (self.env.as_str(), self.other_account.as_deref());
        let all = std::iter::once(first).chain(more);
        all.map(|(env, account)| (other_secret(env), account)).collect()
    }
}

/// The write gate of the tool.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The variable that shortens the life of a token, and its value for a few seconds.
    pub lifetime: Variable,
}

/// The mock upstream of the project, and how to start it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct DeclaredUpstream {
    /// Program and arguments; `{port}` is the port on 127.0.0.1 to listen on.
    pub command: Vec<String>,
    /// The variable that shortens the tool's patience, and its value for about a second.
    pub timeout: Option<Variable>,
    /// Errors of the API that its status alone does not tell.
    #[serde(default)]
    pub refusals: Vec<TypedRefusal>,
}

/// A response without success, and the error code that it means.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TypedRefusal {
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub body: String,
    pub code: String,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub env: String,
    pub value: String,
}

/// The release host of the tool.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The variable that moves it to another host.
    pub host: String,
    /// `owner/name`.
    pub repository: String,
    /// The variable that shortens the tool's patience with that host, and its value for about a second.
    pub timeout: Option<Variable>,
    /// A build that trusts releases which are made for it.
    pub test_build: Option<TestBuild>,
}

/// The table of a run.
#[must_use]
pub fn of(session: &ToolCaller) -> Option<&AgentCliFixture> {
    session.fixture.as_ref()?.section()
}

/// Reads the table of the file.
pub struct AgentCliSection;

impl SectionReader for AgentCliSection {
    fn name(&self) -> &'static str {
        "agent_cli"
    }

    fn read(&self, text: &str) -> Result<Option<Section>, FixtureFault> {
        let table: Option<AgentCliFixture> = document::table(text, self.name())?;
        Ok(table.map(Section::of))
    }
}

/// The secret of the other account, in the same variable.
#[must_use]
pub fn other_secret(variable: &str) -> Sentinel {
    let value = Sentinel::new(&format!("{variable}_OTHER"), SecretShape::Plain).value;
    Sentinel { name: variable.to_owned(), value }
}

/// The role of a sample's command.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    List,
    Get,
    Create,
    Update,
    Delete,
    Batch,
    Stream,
    Scopes,
    Job,
    Human,
    Other,
}

impl Role {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Get => "get",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Batch => "batch",
            Self::Stream => "stream",
            Self::Scopes => "scopes",
            Self::Job => "job",
            Self::Human => "human",
            Self::Other => "other",
        }
    }

    /// The capability of a tool that has such a command, where the contract has a word for it.
    #[must_use]
    pub fn capability(self) -> Option<&'static str> {
        match self {
            Self::List => Some("lists"),
            Self::Create | Self::Update | Self::Delete => Some("writes"),
            Self::Batch => Some("batch"),
            Self::Stream => Some("streams"),
            Self::Scopes => Some("scopes"),
            Self::Job => Some("jobs"),
            Self::Human => Some("human_action"),
            Self::Get | Self::Other => None,
        }
    }
}

/// Arguments with which a command succeeds against the mock.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The path of the command in `reference`.
    pub path: String,
    pub role: Role,
    #[serde(default)]
    pub args: Vec<String>,
    /// Other arguments that succeed, for another object.
    #[serde(default)]
    pub changed: Vec<String>,
    /// A whole call, path and arguments, that changes the object of `args`.
    #[serde(default)]
    pub changed_by: Vec<String>,
    /// Arguments that name something that does not exist.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The plural flag of a batch.
    #[serde(default)]
    pub flag: String,
    /// At least three targets for it, all of which succeed.
    #[serde(default)]
    pub targets: Vec<String>,
    /// A target for it that fails.
    #[serde(default)]
    pub failing: String,
    /// More targets than the upstream accepts in one request.
    #[serde(default)]
    pub many: Vec<String>,
}

impl Sample {
    /// The words of the command itself.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.path.split(' ').map(str::to_owned).collect()
    }

    /// The command with arguments.
    #[must_use]
    pub fn with(&self, arguments: &[String]) -> Vec<String> {
        self.words().into_iter().chain(arguments.iter().cloned()).collect()
    }

    /// The command with the arguments that work.
    #[must_use]
    pub fn call(&self) -> Vec<String> {
        if self.role == Role::Batch {
            self.of_targets(&self.targets)
        } else {
            self.with(&self.args)
        }
    }

    /// The batch over these targets.
    #[must_use]
    pub fn of_targets(&self, targets: &[String]) -> Vec<String> {
        let mut words = self.with(&self.args);
        words.extend([self.flag.clone(), targets.join(",")]);
        words
    }
}
