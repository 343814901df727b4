//! `conform.toml`: the facts about upstream and commands that a project states for `aos conform`. An unknown member is
//! an error.

pub mod document;
pub mod section;

use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::contract::json;
use crate::system::files;

use super::mock::{Reply, Route};
use document::{FixtureFault, listed, whole_word};
use section::{SECTIONS, Section};

pub use document::FilePlace;

/// Its path in a project.
pub const FIXTURE_PATH: &str = "conform.toml";
const MAX_BYTES: u64 = 1024 * 1024;
const MAX_ENTRIES: usize = 2_000;
const MAX_DELAY_MS: u64 = 60_000;

/// Why a fixture cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    #[error("`{path}` cannot be read: {source}")]
    Read { path: String, source: std::io::Error },
    #[error("`{path}`{place}: {reason}")]
    Document { path: String, place: FilePlace, reason: String },
}

/// A fixture.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// The directory of the file: programs that it names are below.
    pub directory: PathBuf,
    /// Environment variable that moves the tool to another upstream.
    pub base_url_env: Option<String>,
    /// Variables that hold secrets, beyond those of the manifest.
    pub secrets: Vec<String>,
    /// Variables of the manifest that hold no secret, such as a user name.
    pub public: Vec<String>,
    /// More variables for each call; `{base_url}` in a value is replaced with the address of the mock.
    pub environment: BTreeMap<String, String>,
    /// Replies of a good upstream.
    pub routes: Vec<Route>,
    /// Arguments with which a command does its work.
    pub samples: BTreeMap<String, Vec<String>>,
    /// The part of the address of the API that is before every path.
    pub base_path: String,
    /// The upstream takes no credentials.
    pub is_open: bool,
    sections: Vec<Section>,
}

/// Members of the file that do not belong to one family.
const MEMBERS: &[&str] =
    &["version", "base_url_env", "secrets", "public", "environment", "routes", "samples"];

#[derive(Deserialize)]
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
    /// Returns an error if it is there and cannot be used.
    pub fn read(root: &Path) -> Result<Option<Self>, FixtureError> {
        let loaded = files::read(&root.join(FIXTURE_PATH), MAX_BYTES);
        match loaded {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            loaded => Self::of(FIXTURE_PATH, loaded, root).map(Some),
        }
    }

    /// Reads a fixture that a person names.
    ///
    /// # Errors
    /// Returns an error if it is not there, or cannot be used.
    pub fn named(path: &Path) -> Result<Self, FixtureError> {
        let shown = json::printable(&path.display().to_string());
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let directory = parent.unwrap_or(Path::new("."));
        Self::of(&shown, files::read_named(path, MAX_BYTES), directory)
    }

    fn of(
        shown: &str,
        loaded: std::io::Result<files::Loaded>,
        directory: &Path,
    ) -> Result<Self, FixtureError> {
        let fault = |source| FixtureError::Read { path: shown.to_owned(), source };
        let loaded = loaded.map_err(fault)?;
        let directory = files::canonical(directory).map_err(fault)?;
        Self::parse(&loaded.bytes).map(|fixture| Self { directory, ..fixture }).map_err(
            |(place, reason)| FixtureError::Document { path: shown.to_owned(), place, reason },
        )
    }

    /// Parses a fixture.
    ///
    /// # Errors
    /// Where the fault is and what it is.
    pub fn parse(bytes: &[u8]) -> Result<Self, FixtureFault> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let text = String::from_utf8_lossy(bytes);
            (
                FilePlace::of(&text, error.valid_up_to()),
                "the file is not UTF-8 from here on".to_owned(),
            )
        })?;
        let sections = sections(text)?;
        Self::checked(document::members(text)?, sections).map_err(|(quoted, reason)| {
            let place = quoted.and_then(|word| whole_word(text, &word));
            let place = place.map(|offset| FilePlace::of(text, offset)).unwrap_or_default();
            (place, json::printable(&reason))
        })
    }

    /// Checks what types cannot say; a fault comes with a word of the file near it.
    fn checked(
        document: Document,
        sections: Vec<(&str, Section)>,
    ) -> Result<Self, (Option<String>, String)> {
        let fault = |text: String| (None, text);
        let near = |word: &str, text: String| (Some(word.to_owned()), text);
        if document.version != 1 {
            return Err(near(
                "version",
                format!("version {} is not known; it must be 1", document.version),
            ));
        }
        if document.routes.len() > MAX_ENTRIES || document.samples.len() > MAX_ENTRIES {
            return Err(fault(format!("it has more than {MAX_ENTRIES} routes or samples")));
        }
        let names = document.base_url_env.iter().chain(&document.secrets).chain(&document.public);
        if let Some(name) = names.chain(document.environment.keys()).find(|name| !is_variable(name))
        {
            let what = "a name has letters, digits and `_`, and does not begin with a digit";
            return Err(near(
                name,
                format!("`{name}` is not the name of an environment variable; {what}"),
            ));
        }
        let names = document.base_url_env.iter().chain(&document.secrets);
        if let Some(name) = names.chain(document.environment.keys()).find(|name| is_reserved(name))
        {
            let why = "the sandbox and the network of the tool depend on it";
            return Err(near(name, format!("`{name}` cannot be set here: {why}")));
        }
        let held = |(_, value): &(&String, &String)| value.contains('\0');
        if let Some((name, _)) = document.environment.iter().find(held) {
            return Err(near(
                name,
                format!(
                    "the value of `{name}` contains a NUL character, which is not allowed in a variable"
                ),
            ));
        }
        if let Some((name, _)) = sections.iter().find(|(_, section)| section.has_replies)
            && !document.routes.is_empty()
        {
            let what = "has the requests of the commands, so `routes` is not allowed";
            return Err(near("routes", format!("[{name}] {what}")));
        }
        let sections: Vec<_> = sections.into_iter().map(|(_, section)| section).collect();
        let stated = sections.iter().flat_map(|section| &section.samples);
        let stated: Vec<_> = stated
            .map(|(command, arguments)| SampleDocument {
                command: command.clone(),
                arguments: arguments.clone(),
            })
            .collect();
        let is_open = sections.iter().any(|section| section.is_open);
        let base_path = sections.iter().map(|section| section.base_path.clone()).collect();
        let routes = document.routes.into_iter().map(route);
        let mut samples = BTreeMap::new();
        for sample in stated.into_iter().chain(document.samples) {
            if sample.arguments.iter().any(|argument| argument.contains('\0')) {
                let what = "contains a NUL character, which is not allowed in an argument";
                return Err(near(
                    &sample.command,
                    format!("a sample of `{}` {what}", sample.command),
                ));
            }
            if samples.insert(sample.command.clone(), sample.arguments).is_some() {
                return Err(near(&sample.command, format!("`{}` has two samples", sample.command)));
            }
        }
        Ok(Self {
            directory: PathBuf::new(),
            base_url_env: document.base_url_env,
            secrets: document.secrets,
            public: document.public,
            environment: document.environment,
            routes: routes.collect::<Result<_, _>>().map_err(|error| fault(error.to_string()))?,
            samples,
            base_path,
            is_open,
            sections,
        })
    }

    /// The table of a family, by the type that it parses it to.
    #[must_use]
    pub fn section<T: Any>(&self) -> Option<&T> {
        self.sections.iter().find_map(|section| section.value.downcast_ref())
    }
}

/// Reads the tables of families; a member that no family reads is a fault.
fn sections(text: &str) -> Result<Vec<(&'static str, Section)>, FixtureFault> {
    let readers = SECTIONS.entries();
    let known = || MEMBERS.iter().copied().chain(readers.iter().map(|(_, reader)| reader.name()));
    for (name, place) in document::names(text)? {
        if known().all(|known| known != name) {
            let known: Vec<_> = known().collect();
            let name = json::printable(&name);
            let what = format!("unknown member `{name}` at the top; known are {}", listed(&known));
            return Err((place, what));
        }
    }
    let mut sections = Vec::new();
    for (_, reader) in &readers {
        if let Some(section) = reader.read(text)? {
            sections.push((reader.name(), section));
        }
    }
    Ok(sections)
}

/// Why a `[[routes]]` table is not a route of the mock.
#[derive(Debug, thiserror::Error)]
enum RouteError {
    #[error("the route `{0}` does not begin with `/`")]
    Relative(String),
    #[error("the route `{0}` has an invalid status or delay")]
    Numbers(String),
    #[error("a header of the route `{0}` has a line break")]
    LineBreak(String),
}

fn route(document: RouteDocument) -> Result<Route, RouteError> {
    let path = document.path;
    if !path.starts_with('/') {
        return Err(RouteError::Relative(path));
    }
    if !(100..=599).contains(&document.status) || document.delay_ms > MAX_DELAY_MS {
        return Err(RouteError::Numbers(path));
    }
    let mut headers: Vec<_> = document.headers.into_iter().collect();
    if headers.iter().any(|(name, value)| (name.clone() + value).contains(['\r', '\n'])) {
        return Err(RouteError::LineBreak(path));
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
    const NAMES: &[&str] =
        &["HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "PATH", "PATHEXT", "COMSPEC"];
    NAMES.contains(&name.as_str())
        || ["XDG_", "LD_", "DYLD_"].iter().any(|start| name.starts_with(start))
        || name.ends_with("_PROXY")
}

/// True if this names an environment variable that a fixture may set.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let mut symbols = name.chars();
    symbols.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && symbols.all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_')
        && name.len() <= 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let (place, reason) = Fixture::parse(text.as_bytes()).unwrap_err();
        format!("{place}: {reason}")
    }

    #[test]
    fn a_fault_names_its_place_and_speaks_of_the_file() {
        for (text, wanted) in [
            (
                "version = 1\n\n[agent_cli.upstream]\nshell = \"rm\"\n",
                ", line 4, column 1: unknown member `shell` in [agent_cli.upstream]; known are `command`, `timeout`, `refusals`",
            ),
            (
                "version = 1\ncolour = 1\n",
                ", line 2, column 1: unknown member `colour` at the top; known are `version`, `base_url_env`, `secrets`, `public`, `environment`, `routes`, `samples`, `agent_adapter`, `agent_cli`, `harness`",
            ),
            ("version = 2\n", ", line 1, column 1: version 2 is not known; it must be 1"),
            (
                "version = 1\n[environment]\nA = 1\n",
                ", line 3, column 5: `environment.A` is a whole number (1), and it must be a text",
            ),
            (
                "version = 1\n[environment]\n\"A-B\" = \"x\"\n",
                ", line 3, column 2: `A-B` is not the name of an environment variable; a name has letters, digits and `_`, and does not begin with a digit",
            ),
            (
                "version = 1\n[environment]\nA = \"x\\u0000\"\n",
                ", line 3, column 1: the value of `A` contains a NUL character, which is not allowed in a variable",
            ),
        ] {
            assert_eq!(fault(text), wanted);
        }
        assert!(fault("version = 1\nx = [\n").starts_with(", line "));
        assert!(fault("").contains("the member `version` is missing at the top"));
    }
}
