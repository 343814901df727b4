//! The member `[agent_cli.update.test_build]` of `conform.toml`: a build that trusts a Sigstore of the tests, and who
//! publishes for it.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Deserialize;

use crate::conform::fixture::{is_reserved, is_variable};
use crate::reason::Reason;
use crate::system::environment;
use crate::visible::excerpt;

use super::super::fixture::{bounded, leaves};

/// Is replaced with the directory of the trust root of the test build.
const TRUST: &str = "{trust}";
/// Is replaced with the platform, as npm names it.
const PLATFORM: &str = "{platform}";

/// A build of the tool for these probes alone.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TestBuild {
    /// One file that works in every directory; an update replaces a copy of it.
    pub program: String,
    /// The program that makes releases, with its first words.
    pub publisher: Vec<String>,
    /// Words after `update` and its options.
    #[serde(default)]
    pub arguments: Vec<String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    pub npm: Option<Npm>,
}

/// The path of the tool below `node_modules` after npm installed it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Npm {
    pub package: String,
    /// The path of the program in the package, when it is not `bin/<tool>`.
    pub program: Option<String>,
}

impl TestBuild {
    /// Checks all values.
    ///
    /// # Errors
    /// Names the one that is not.
    pub fn check(&self) -> Result<(), Reason> {
        let part = "agent_cli.update.test_build";
        bounded(&format!("{part}.publisher"), &self.publisher)?;
        bounded(&format!("{part}.arguments"), &self.arguments)?;
        let values: Vec<_> = self.environment.values().cloned().collect();
        bounded(&format!("{part}.environment"), &values)?;
        for program in [Some(&self.program), self.publisher.first()] {
            if program.is_none_or(|program| program.is_empty() || leaves(program)) {
                return Err(format!(
                    "a program of {part} is neither one of the project nor on PATH"
                )
                .into());
            }
        }
        if let Some(name) =
            self.environment.keys().find(|name| !is_variable(name) || is_reserved(name))
        {
            return Err(format!("{part} cannot set the variable `{}`", excerpt(name, 200)).into());
        }
        let Some(npm) = &self.npm else { return Ok(()) };
        if !is_package(&npm.package) {
            return Err(format!("`{}` is not an npm package", excerpt(&npm.package, 200)).into());
        }
        match &npm.program {
            Some(program) if !is_inside(program) => {
                Err(format!("`{}` leaves its package", excerpt(program, 200)).into())
            }
            _ => Ok(()),
        }
    }

    /// The words after those of an update.
    pub fn arguments_for(&self, trust: &str) -> Vec<String> {
        self.arguments.iter().map(|word| word.replace(TRUST, trust)).collect()
    }

    /// The variables of a call.
    pub fn environment_for(&self, trust: &str) -> Vec<(String, String)> {
        let filled =
            |(name, value): (&String, &String)| (name.clone(), value.replace(TRUST, trust));
        self.environment.iter().map(filled).collect()
    }
}

impl Npm {
    /// The path of the program in its package on this platform.
    pub fn program_on_this_platform(&self, tool: &str) -> String {
        let program = self.program.clone().unwrap_or_else(|| format!("bin/{tool}"));
        program.replace(PLATFORM, &platform())
    }
}

/// As Node names it.
fn platform() -> String {
    let (system, machine) = environment::platform();
    let system = match system {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let machine = match machine {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{machine}")
}

fn is_package(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && part.len() <= 100
            && part.chars().all(|symbol| matches!(symbol, 'a'..='z' | '0'..='9' | '-' | '_' | '.'))
    };
    match name.strip_prefix('@') {
        Some(scoped) => {
            scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name))
        }
        None => is_part(name),
    }
}

fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    path.components().count() > 0
        && path.components().all(|part| matches!(part, Component::Normal(_)))
        && path.to_str().is_some_and(|text| text.len() <= 300 && !text.contains('\\'))
}
