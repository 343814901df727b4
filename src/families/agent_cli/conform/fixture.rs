//! The member `[agent_cli]` of `conform.toml`: what `reference` cannot say about a tool. docs/conform-toml.md describes it.
//!
//! Bounded and strict: what is not known here is an error, and no value becomes part of a shell word.

use std::path::{Component, Path};

use serde::Deserialize;

use super::signed::declared::TestBuild;
use crate::conform::fixture::document::{self, FixtureFault};
use crate::conform::fixture::section::{Section, SectionReader};
use crate::conform::fixture::{is_reserved, is_variable};
use crate::conform::secrets::{SecretShape, Sentinel};
use crate::conform::session::ToolCaller;
use crate::visible::excerpt;

/// Most commands with samples, most words of one list, most characters of a word.
const MAX_COMMANDS: usize = 200;
const MAX_WORDS: usize = 200;
const MAX_WORD: usize = 1_000;
/// Stands for the port in the command of the mock upstream.
pub const PORT: &str = "{port}";

/// What a tool says about its credentials, its upstream, its releases and its commands.
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

/// How the tool gets its secret. It is given a made-up one; the proxy puts the one of the mock in its place.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// The variable that holds it.
    pub env: String,
    /// What the mock upstream knows one account by.
    pub account: String,
    /// What it knows another account by.
    pub other_account: Option<String>,
    /// The variable that says until when the secret is good, and a value for a time that is over.
    pub expired: Option<Variable>,
}

/// The write gate of the tool.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The variable that shortens the life of a token, and its value for a few seconds.
    pub lifetime: Variable,
}

/// How the mock upstream of the project is started.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct DeclaredUpstream {
    /// Program and arguments; `{port}` is the port on 127.0.0.1 to listen on.
    pub command: Vec<String>,
    /// The variable that shortens the tool's patience, and its value for about a second.
    pub timeout: Option<Variable>,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub env: String,
    pub value: String,
}

/// Where the tool looks for its releases.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The variable that moves it to another host.
    pub host: String,
    /// `owner/name`.
    pub repository: String,
    /// The variable that shortens the tool's patience with that host, and its value for about a second.
    pub timeout: Option<Variable>,
    /// A build that believes releases which are made for it.
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

/// Which kind of command a sample is of.
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

/// Arguments with which a command does its work against the mock.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// As `reference` has it.
    pub path: String,
    pub role: Role,
    #[serde(default)]
    pub args: Vec<String>,
    /// Other arguments that work as well, for something else.
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
    /// More targets than the upstream takes in one call.
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

impl TryFrom<AgentCliTable> for AgentCliFixture {
    type Error = String;

    fn try_from(document: AgentCliTable) -> Result<Self, String> {
        let AgentCliTable { local, long, credentials, gate, upstream, update, commands } = document;
        bounded("agent_cli.long", &long)?;
        if local && (upstream.is_some() || credentials.is_some()) {
            return Err("a tool that is `local` has no upstream and no credentials".to_owned());
        }
        let variables = credentials.iter().map(|credentials| &credentials.env);
        let variables = variables.chain(update.iter().map(|update| &update.host));
        let settings = upstream.iter().filter_map(|upstream| upstream.timeout.as_ref());
        let settings = settings.chain(update.iter().filter_map(|update| update.timeout.as_ref()));
        let settings = settings.chain(gate.iter().map(|gate| &gate.lifetime));
        let settings = settings.chain(credentials.iter().filter_map(|each| each.expired.as_ref()));
        let settings: Vec<_> = settings.collect();
        for name in variables.chain(settings.iter().map(|setting| &setting.env)) {
            if !is_variable(name) {
                return Err(format!("`{name}` is not the name of an environment variable"));
            }
            if is_reserved(name) {
                let why = "the sandbox and the network of the tool depend on it";
                return Err(format!("`{name}` cannot be set here: {why}"));
            }
        }
        if settings
            .iter()
            .any(|setting| setting.value.len() > MAX_WORD || setting.value.contains('\0'))
        {
            return Err("a value of a variable is too long, or is none".to_owned());
        }
        if let Some(upstream) = &upstream {
            bounded("agent_cli.upstream.command", &upstream.command)?;
            if !upstream.command.iter().any(|word| word.contains(PORT)) {
                return Err(format!("agent_cli.upstream.command has no `{PORT}`"));
            }
            if upstream.command.first().is_none_or(|program| leaves(program)) {
                return Err("the first word of agent_cli.upstream.command is not a program of the project or on PATH".to_owned());
            }
        }
        if let Some(update) = &update
            && !is_repository(&update.repository)
        {
            return Err(format!("`{}` is not `owner/name`", update.repository));
        }
        if let Some(build) = update.as_ref().and_then(|update| update.test_build.as_ref()) {
            build.check()?;
        }
        if commands.len() > MAX_COMMANDS {
            return Err(format!("it has more than {MAX_COMMANDS} commands"));
        }
        for (index, sample) in commands.iter().enumerate() {
            checked(sample)?;
            if commands[..index].iter().any(|earlier| earlier.path == sample.path) {
                return Err(format!("the command `{}` is there twice", sample.path));
            }
        }
        Ok(Self { local, long, credentials, gate, upstream, update, commands })
    }
}

fn checked(sample: &Sample) -> Result<(), String> {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "-_".contains(symbol))
    };
    if sample.path.len() > MAX_WORD || !sample.path.split(' ').all(is_word) {
        return Err(format!("`{}` is not the path of a command", excerpt(&sample.path, 200)));
    }
    let lists = [
        ("args", &sample.args),
        ("changed", &sample.changed),
        ("changed_by", &sample.changed_by),
        ("missing", &sample.missing),
        ("targets", &sample.targets),
        ("many", &sample.many),
    ];
    for (name, words) in lists {
        bounded(&format!("`{name}` of `{}`", sample.path), words)?;
    }
    let is_batch = sample.role == Role::Batch;
    if is_batch && (!sample.flag.starts_with("--") || sample.targets.len() < 3) {
        return Err(format!("the batch `{}` needs `flag` and three `targets`", sample.path));
    }
    let has_parts =
        !sample.flag.is_empty() || !sample.targets.is_empty() || !sample.many.is_empty();
    if !is_batch && (has_parts || !sample.failing.is_empty()) {
        return Err(format!("`{}` is no batch and has members of one", sample.path));
    }
    Ok(())
}

/// Whether a program of a fixture is neither below the project nor on PATH.
pub fn leaves(program: &str) -> bool {
    let path = Path::new(program);
    path.has_root() || path.components().any(|part| part == Component::ParentDir)
}

pub fn bounded(name: &str, words: &[String]) -> Result<(), String> {
    let usable = |word: &String| word.len() <= MAX_WORD && !word.contains('\0');
    if words.len() <= MAX_WORDS && words.iter().all(usable) {
        return Ok(());
    }
    Err(format!("{name} has more than {MAX_WORDS} words, or one that is not an argument"))
}

fn is_repository(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.len() <= 100
            && part.chars().all(|symbol| symbol.is_ascii_alphanumeric() || "-_.".contains(symbol))
    };
    name.split_once('/').is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<AgentCliFixture, String> {
        toml_edit::de::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_member_that_is_not_known_is_refused() {
        assert!(parse("colour = 1").is_err());
        assert!(parse("[update]\nhost = \"A\"\nrepository = \"a/b\"\nother = 1").is_err());
        assert!(parse("[[command]]\npath = \"a\"\nrole = \"list\"\nextra = 1").is_err());
    }

    #[test]
    fn values_that_would_be_something_else_are_refused() {
        for text in [
            "[update]\nhost = \"A=B\"\nrepository = \"a/b\"",
            "[update]\nhost = \"A\"\nrepository = \"../b\"",
            "[update]\nhost = \"PATH\"\nrepository = \"a/b\"",
            "[gate]\nlifetime = { env = \"HOME\", value = \"1\" }",
            "[gate]\nlifetime = { env = \"A\", value = \"a\\u0000\" }",
            "[gate]",
            "[update]\nhost = \"A\"\nrepository = \"a/b\"\ntest_build = { program = \"/bin/sh\", publisher = [\"p\"] }",
            "[update]\nhost = \"A\"\nrepository = \"a/b\"\ntest_build = { program = \"t\", publisher = [\"../p\"] }",
            "[update]\nhost = \"A\"\nrepository = \"a/b\"\ntest_build = { program = \"t\", publisher = [] }",
            "[update]\nhost = \"A\"\nrepository = \"a/b\"\ntest_build = { program = \"t\", publisher = [\"p\"], environment = { PATH = \"x\" } }",
            "[update]\nhost = \"A\"\nrepository = \"a/b\"\ntest_build = { program = \"t\", publisher = [\"p\"], npm = { package = \"../x\" } }",
            "[upstream]\ncommand = [\"mock\"]",
            "[upstream]\ncommand = [\"/bin/sh\", \"{port}\"]",
            "[[command]]\npath = \"--help\"\nrole = \"list\"",
            "[[command]]\npath = \"a\"\nrole = \"batch\"\nflag = \"--ids\"\ntargets = [\"1\"]",
            "[[command]]\npath = \"a\"\nrole = \"list\"\ntargets = [\"1\"]",
            "[[command]]\npath = \"a\"\nrole = \"list\"\n[[command]]\npath = \"a\"\nrole = \"get\"",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_batch_gives_its_targets_in_one_word() {
        let fixture = parse(
            "[[command]]\npath = \"note archive\"\nrole = \"batch\"\nflag = \"--ids\"\ntargets = [\"1\", \"2\", \"3\"]",
        );
        let sample = &fixture.unwrap().commands[0];
        assert_eq!(sample.call(), ["note", "archive", "--ids", "1,2,3"]);
    }
}
