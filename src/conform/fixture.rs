//! `conform.toml`: what a project tells `aos conform` about its upstream and its commands. Unknown members are errors.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::contract::json;
use crate::system::files;

use super::agent_cli::fixture::AgentCliFixture;
use super::mock::{Reply, Route};

/// Where it lies in a project.
pub const FIXTURE_PATH: &str = "conform.toml";
const MAX_BYTES: u64 = 1024 * 1024;
const MAX_ENTRIES: usize = 2_000;
const MAX_DELAY_MS: u64 = 60_000;

/// Why a fixture cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    #[error("`conform.toml` cannot be read: {0}")]
    Read(std::io::Error),
    #[error("`conform.toml` is not a usable fixture: {0}")]
    Document(String),
}

/// A fixture.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// Environment variable that moves the tool to another upstream.
    pub base_url_env: Option<String>,
    /// Variables that hold secrets, beyond those of the manifest.
    pub secrets: Vec<String>,
    /// Variables of the manifest that hold no secret, such as a user name.
    pub public: Vec<String>,
    /// More variables for each call; `{base_url}` in a value stands for the address of the mock.
    pub environment: BTreeMap<String, String>,
    /// Replies of a good upstream.
    pub routes: Vec<Route>,
    /// Arguments with which a command does its work.
    pub samples: BTreeMap<String, Vec<String>>,
    pub agent_cli: AgentCliFixture,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    base_url_env: Option<String>,
    #[serde(default)]
    secrets: Vec<String>,
    #[serde(default)]
    public: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    routes: Vec<RouteDocument>,
    #[serde(default)]
    samples: Vec<SampleDocument>,
    #[serde(default)]
    agent_cli: AgentCliFixture,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteDocument {
    #[serde(default)]
    method: String,
    path: String,
    #[serde(default = "ok_status")]
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    delay_ms: u64,
}

fn ok_status() -> u16 {
    200
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleDocument {
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

impl Fixture {
    /// Reads the fixture of the project at `root`; `None` when it has none.
    ///
    /// # Errors
    /// When it is there and cannot be used.
    pub fn read(root: &Path) -> Result<Option<Self>, FixtureError> {
        match files::read(&root.join(FIXTURE_PATH), MAX_BYTES) {
            Ok(loaded) => Self::parse(&loaded.bytes).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FixtureError::Read(error)),
        }
    }

    /// Parses a fixture.
    ///
    /// # Errors
    /// Names what is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, FixtureError> {
        let fault = |text: String| FixtureError::Document(json::printable(&text));
        let text = std::str::from_utf8(bytes).map_err(|_| fault("it is not UTF-8".to_owned()))?;
        let document: Document = toml_edit::de::from_str(text)
            .map_err(|error| fault(error.message().replace('\n', ", ")))?;
        if document.version != 1 {
            return Err(fault(format!("version {} is not known; it must be 1", document.version)));
        }
        if document.routes.len() > MAX_ENTRIES || document.samples.len() > MAX_ENTRIES {
            return Err(fault(format!("it has more than {MAX_ENTRIES} routes or samples")));
        }
        let names = document.base_url_env.iter().chain(&document.secrets).chain(&document.public);
        if let Some(name) = names.chain(document.environment.keys()).find(|name| !is_variable(name))
        {
            return Err(fault(format!("`{name}` is no name of an environment variable")));
        }
        let names = document.base_url_env.iter().chain(&document.secrets);
        if let Some(name) = names.chain(document.environment.keys()).find(|name| is_reserved(name))
        {
            let why = "the sandbox and the network of the tool depend on it";
            return Err(fault(format!("`{name}` cannot be set here: {why}")));
        }
        let routes = document.routes.into_iter().map(route);
        let mut samples = BTreeMap::new();
        for sample in document.samples {
            if sample.arguments.iter().any(|argument| argument.contains('\0')) {
                return Err(fault(format!("an argument of `{}` is none", sample.command)));
            }
            if samples.insert(sample.command.clone(), sample.arguments).is_some() {
                return Err(fault(format!("`{}` has two samples", sample.command)));
            }
        }
        Ok(Self {
            base_url_env: document.base_url_env,
            secrets: document.secrets,
            public: document.public,
            environment: document.environment,
            routes: routes.collect::<Result<_, _>>().map_err(fault)?,
            samples,
            agent_cli: document.agent_cli,
        })
    }
}

fn route(document: RouteDocument) -> Result<Route, String> {
    let path = document.path;
    if !path.starts_with('/') {
        return Err(format!("the route `{path}` does not begin with `/`"));
    }
    if !(100..=599).contains(&document.status) || document.delay_ms > MAX_DELAY_MS {
        return Err(format!("the route `{path}` has a status or a delay that is none"));
    }
    let mut headers: Vec<_> = document.headers.into_iter().collect();
    if headers.iter().any(|(name, value)| (name.clone() + value).contains(['\r', '\n'])) {
        return Err(format!("a header of the route `{path}` has a line break"));
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    let reply = Reply {
        status: document.status,
        headers,
        body: document.body.into_bytes(),
        delay: Duration::from_millis(document.delay_ms),
        ..Reply::default()
    };
    Ok(Route { method: document.method, path, reply })
}

/// Variables that would undo the sandbox: its places, what finds programs, proxies, the dynamic loader.
pub fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    const NAMES: [&str; 8] =
        ["HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "PATH", "PATHEXT", "COMSPEC"];
    NAMES.contains(&name.as_str())
        || ["XDG_", "LD_", "DYLD_"].iter().any(|start| name.starts_with(start))
        || name.ends_with("_PROXY")
}

/// Whether this names an environment variable that a fixture may set.
fn is_variable(name: &str) -> bool {
    let mut symbols = name.chars();
    symbols.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && symbols.all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
        && name.len() <= 100
}
