//! One run of `npx skills add`: its arguments, environment and result.
//!
//! Its output and exit code are not reliable; the caller examines the installed files.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use semver::Version;

use crate::release::Repository;
use crate::release::repository::tag;
use crate::system::environment::{
    ASKING_PROGRAMS, FORCE_COLOR, FOREIGN_TO_GIT, FOREIGN_TO_NPX, GIT_CONFIG_COUNT,
    SIGNS_OF_AGENTS, variables,
};
use crate::system::session::{self, Changes, Session, SessionEnding};
use crate::system::temporary::TemporaryDirectory;

use super::super::output;
use super::agents::Pin;
use super::places::{SKILL, unusable};

/// Prevents npx from using `node_modules` of a parent directory, and git from converting line endings and running
/// hooks.
const OWN_SETTINGS_OF_GIT: [(&str, &str); 2] =
    [("core.autocrlf", "false"), ("core.hooksPath", "/dev/null")];
/// Larger than any real number of settings; git refuses such a count too.
const MAX_SETTINGS: usize = 10_000;
/// No prompts, no telemetry, and short timeouts for the registry.
const ADDED: &[(&str, &str)] = &[
    ("DISABLE_TELEMETRY", "1"),
    ("DO_NOT_TRACK", "1"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("SKILLS_CLONE_TIMEOUT_MS", "90000"),
    ("npm_config_audit", "false"),
    ("npm_config_fetch_retries", "1"),
    ("npm_config_fetch_timeout", "30000"),
    ("npm_config_fund", "false"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_yes", "true"),
];

/// The agents for which the Skill is installed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Targets {
    /// For all agents that `skills` recognizes.
    Recognised,
    /// For the canonical directory and these agents.
    Universal(Vec<&'static str>),
}

/// The arguments of npx. No word needs quoting, so the same command works in any shell.
#[must_use]
pub fn arguments(
    pin: Pin,
    repository: &Repository,
    version: &Version,
    targets: &Targets,
) -> Vec<String> {
    // Pinned to the tag; otherwise the Skill of the newest commit would be installed.
    let source = format!("{}/tree/{}", repository.url(), tag(version));
    let skills = format!("skills@{}", pin.version());
    // `-s` and `-a` take all words that follow them.
    // With `-y` and no name, the installer installs every Skill of the repository, but only one is verified.
    let words = ["--yes", &skills, "add", &source, "-y", "-g", "-s", SKILL];
    let mut words: Vec<_> = words.into_iter().map(str::to_owned).collect();
    if let Targets::Universal(agents) = targets {
        words.extend(["-a", "universal"].map(str::to_owned));
        words.extend(agents.iter().map(|agent| (*agent).to_owned()));
    }
    words
}

/// The result of a run.
#[derive(Debug)]
pub struct InstallerRun {
    pub ending: SessionEnding,
    /// The end of its output, prepared for display.
    pub output: String,
}

/// Why the installer did not run.
#[derive(Debug, thiserror::Error)]
pub enum InstallerError {
    #[error("`{}` cannot be written: {error}", path.display())]
    NotWritten { path: PathBuf, error: io::Error },
    #[error("`{}` cannot be run: {error}", program.display())]
    NotRun { program: PathBuf, error: io::Error },
}

/// Runs npx in a private directory and a new session.
///
/// # Errors
/// Why it could not be started.
pub fn run(
    npx: &Path,
    arguments: &[String],
    limit: Duration,
) -> Result<InstallerRun, InstallerError> {
    let directory = TemporaryDirectory::new()
        .map_err(|(path, error)| InstallerError::NotWritten { path, error })?;
    // npx stops its search for installed packages at a project directory, so this directory is one.
    directory
        .create_file("package.json")
        .and_then(|mut file| file.write(b"{\"private\":true}\n"))
        .map_err(|error| InstallerError::NotWritten { path: directory.path().to_owned(), error })?;
    let variables = variables();
    let environment = changes(&variables, directory.path());
    let session = Session {
        program: npx,
        arguments,
        directory: directory.path(),
        environment: &environment,
        limit,
    };
    let finished = session::run(&session)
        .map_err(|error| InstallerError::NotRun { program: npx.to_owned(), error })?;
    let output = output::shown(&finished.tail, finished.is_cut, &output::secrets(&variables));
    Ok(InstallerRun { ending: finished.ending, output })
}

/// The changes of the environment for npx; `inherited` are the variables of aos.
fn changes(inherited: &[(String, String)], directory: &Path) -> Changes {
    let mut added: Vec<_> =
        ADDED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let directory = directory.display().to_string();
    added.extend(["TMPDIR", "TMP", "TEMP"].map(|name| (name.to_owned(), directory.clone())));
    added.extend(settings_of_git(inherited));
    // npm accepts its settings in upper and lower case.
    let replaced = |name: &str| {
        let is_npm = name.to_ascii_lowercase().starts_with("npm_config_");
        let foreign = FOREIGN_TO_NPX.iter().any(|other| name.eq_ignore_ascii_case(other));
        foreign || is_npm && added.iter().any(|(other, _)| name.eq_ignore_ascii_case(other))
    };
    let mut removed: Vec<String> = SIGNS_OF_AGENTS
        .iter()
        .chain(&FOREIGN_TO_GIT)
        .chain(&ASKING_PROGRAMS)
        .chain([&FORCE_COLOR])
        .map(|name| (*name).to_owned())
        .collect();
    removed.extend(unusable(inherited));
    removed.extend(inherited.iter().map(|(name, _)| name.clone()).filter(|name| replaced(name)));
    Changes { removed, added }
}

/// Adds our settings after the existing ones.
fn settings_of_git(inherited: &[(String, String)]) -> Vec<(String, String)> {
    let count = inherited.iter().find(|(name, _)| name == GIT_CONFIG_COUNT);
    // An invalid count is replaced, together with the settings that it counts.
    let count = count
        .and_then(|(_, value)| value.parse::<usize>().ok())
        .filter(|count| *count < MAX_SETTINGS)
        .unwrap_or(0);
    let mut added =
        vec![(GIT_CONFIG_COUNT.to_owned(), (count + OWN_SETTINGS_OF_GIT.len()).to_string())];
    for (number, (key, value)) in (count..).zip(OWN_SETTINGS_OF_GIT) {
        added.push((format!("GIT_CONFIG_KEY_{number}"), key.to_owned()));
        added.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
    }
    added
}

/// True if the output reports an unreachable registry or repository.
#[must_use]
pub fn is_network_fault(output: &str) -> bool {
    const SIGNS: &[&str] = &[
        "connection",
        "could not resolve",
        "eai_again",
        "econnrefused",
        "econnreset",
        "ehostunreach",
        "enetunreach",
        "enotfound",
        "etimedout",
        "failed to clone",
        "failed to connect",
        "fetch failed",
        "network",
        "rate limit",
        "self_signed_cert",
        "socket hang up",
        "timed out",
        "unable to access",
    ];
    let output = output.to_lowercase();
    SIGNS.iter().any(|sign| output.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(targets: &Targets) -> String {
        let repository = Repository::parse("acme/tool").unwrap();
        let arguments = arguments(Pin::Newer, &repository, &Version::new(1, 2, 3), targets);
        arguments.join(" ")
    }

    #[test]
    fn the_command_pins_the_installer_and_the_release() {
        let usual = "--yes skills@1.7.4 add https://github.com/acme/tool/tree/v1.2.3 -y -g -s aos";
        assert_eq!(words(&Targets::Recognised), usual);
        let narrow = Targets::Universal(Vec::new());
        assert_eq!(words(&narrow), format!("{usual} -a universal"));
        let some = Targets::Universal(vec!["goose", "roo"]);
        assert_eq!(words(&some), format!("{usual} -a universal goose roo"));
    }

    fn changed(inherited: &[(&str, &str)]) -> Changes {
        let inherited: Vec<_> = inherited
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        changes(&inherited, Path::new("/private"))
    }

    fn added<'a>(changes: &'a Changes, name: &str) -> Option<&'a str> {
        changes.added.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn signs_of_agents_and_of_outer_calls_are_taken_away() {
        let changes = changed(&[("NPM_CONFIG_PACKAGE", "aos"), ("npm_config_registry", "x")]);
        for name in ["CLAUDECODE", "AI_AGENT", "GIT_WORK_TREE", "GIT_ASKPASS", "NPM_CONFIG_PACKAGE"]
        {
            assert!(changes.removed.iter().any(|other| other == name), "{name}");
        }
        assert!(!changes.removed.iter().any(|name| name == "npm_config_registry"));
    }

    #[test]
    fn a_setting_of_npm_in_capitals_is_replaced_by_ours() {
        let changes = changed(&[("NPM_CONFIG_YES", "false"), ("no_color", "")]);
        assert!(changes.removed.contains(&"NPM_CONFIG_YES".to_owned()));
        assert_eq!(added(&changes, "npm_config_yes"), Some("true"));
    }

    #[test]
    fn temporary_files_stay_in_the_private_directory() {
        let changes = changed(&[]);
        for name in ["TMPDIR", "TMP", "TEMP"] {
            assert_eq!(added(&changes, name), Some("/private"));
        }
    }

    #[test]
    fn settings_of_git_are_added_after_the_existing_ones() {
        let changes = changed(&[(GIT_CONFIG_COUNT, "3")]);
        assert_eq!(added(&changes, GIT_CONFIG_COUNT), Some("5"));
        assert_eq!(added(&changes, "GIT_CONFIG_KEY_3"), Some("core.autocrlf"));
        assert_eq!(added(&changes, "GIT_CONFIG_VALUE_3"), Some("false"));
        assert_eq!(added(&changes, "GIT_CONFIG_KEY_2"), None);
        for count in ["", "x", "-1", "99999999999999999999"] {
            assert_eq!(added(&changed(&[(GIT_CONFIG_COUNT, count)]), GIT_CONFIG_COUNT), Some("2"));
        }
    }

    #[test]
    fn faults_of_the_network_are_told_from_others() {
        for text in
            ["npm error code ECONNREFUSED", "Failed to clone repository", "could not resolve host"]
        {
            assert!(is_network_fault(text), "{text}");
        }
        assert!(!is_network_fault("EACCES: permission denied, mkdir '/root/.agents'"));
    }
}
