//! Runs the package manager that owns the program, and relies only on the version that the program reports afterwards.

use std::path::Path;
use std::time::Duration;

use semver::Version;

use crate::system::clock::Stopwatch;
use crate::system::environment;
use crate::system::session::{self, Changes, Session, SessionEnding};

use super::super::executable::{self, ExecutableError};
use super::super::output;
use super::command::ManagerCommand;
use super::method::Installation;

/// Time limit for all calls together; a package manager may build from source.
const LIMIT: Duration = Duration::from_secs(30 * 60);
/// The variable that makes Homebrew prompt, although nobody can answer.
const HOMEBREW_ASK: &str = "HOMEBREW_ASK";

/// Why a package manager failed, as far as its output shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DriveCause {
    Permission,
    Network,
    Other,
}

/// Why the program is not the expected one.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error("`{name}` is not installed, or not on PATH")]
    Missing { name: &'static str },
    #[error("`{name}` could not be run: {source}")]
    Start { name: &'static str, source: std::io::Error },
    #[error("`{name}` did not end within {seconds} s")]
    TimedOut { name: &'static str, seconds: u64 },
    #[error("`{name}` failed{}", exit.map(|exit| format!(" (exit {exit})")).unwrap_or_default())]
    Failed { name: &'static str, exit: Option<i32>, cause: DriveCause, output: String },
    #[error("`{name}` reported success, but the program {source}")]
    Unusable { name: &'static str, source: ExecutableError, output: String },
    #[error(
        "`{name}` reported success, but the program still has version {observed}, not {wanted}"
    )]
    Unchanged { name: &'static str, observed: Version, wanted: Version, output: String },
    #[error("interrupted")]
    Interrupted,
}

/// Runs `command` for `installation`, and returns the version that the program reports afterwards: `wanted`, or a
/// version newer than `running` if the package manager has only one version.
///
/// # Errors
/// If the package manager fails, or the program is still the old one.
pub fn drive(
    installation: &Installation,
    command: &ManagerCommand,
    running: &Version,
    wanted: &Version,
) -> Result<Version, DriveError> {
    let name = command.name;
    let program = command.program.as_deref().ok_or(DriveError::Missing { name })?;
    let clock = Stopwatch::start();
    let mut output = String::new();
    for call in &command.calls {
        output = called(name, program, call, clock)?;
    }
    let observed = match executable::version(&installation.program(), wanted) {
        Ok(version) => version,
        Err(ExecutableError::Interrupted) => return Err(DriveError::Interrupted),
        Err(source) => return Err(DriveError::Unusable { name, source, output }),
    };
    let newer = installation.method.is_newest_only() && observed.cmp_precedence(running).is_gt();
    if observed == *wanted || newer {
        return Ok(observed);
    }
    Err(DriveError::Unchanged { name, observed, wanted: wanted.clone(), output })
}

fn called(
    name: &'static str,
    program: &Path,
    call: &[String],
    clock: Stopwatch,
) -> Result<String, DriveError> {
    let variables = environment::variables();
    let limit = limit();
    let spent = Duration::from_millis(clock.elapsed_ms());
    let environment = changes(name, program);
    let finished = session::run(&Session {
        program,
        arguments: call,
        directory: neutral(program),
        environment: &environment,
        limit: limit.saturating_sub(spent),
    })
    .map_err(|source| DriveError::Start { name, source })?;
    let output = output::shown(&finished.tail, finished.is_cut, &output::secrets(&variables));
    match finished.ending {
        SessionEnding::Exited(Some(0)) => Ok(output),
        SessionEnding::Exited(exit) => {
            Err(DriveError::Failed { name, exit, cause: cause(&output), output })
        }
        SessionEnding::TimedOut => Err(DriveError::TimedOut { name, seconds: limit.as_secs() }),
        SessionEnding::Interrupted => Err(DriveError::Interrupted),
    }
}

/// A working directory without foreign settings: cargo and rustup read files in every parent directory, and anyone can
/// write to the directory for temporary files.
fn neutral(program: &Path) -> &Path {
    let root = Path::new("/");
    if cfg!(windows) { program.parent().unwrap_or(root) } else { root }
}

/// Variables that a package manager must not inherit, and those that it needs.
fn changes(name: &str, program: &Path) -> Changes {
    let foreign = |other: &str| {
        // npm ignores the case of its variables.
        other == HOMEBREW_ASK
            || environment::FOREIGN_TO_NPX.iter().any(|name| name.eq_ignore_ascii_case(other))
    };
    let names = environment::variables().into_iter().map(|(name, _)| name);
    let mut changes =
        Changes { removed: names.filter(|name| foreign(name)).collect(), added: Vec::new() };
    // npm is a script for the node beside it; without one, the node on PATH is used.
    let path = environment::read(environment::PATH);
    if name == "npm"
        && let Some(directory) = program.parent().and_then(Path::to_str)
        && let Some(path) = path
    {
        let separator = if cfg!(windows) { ';' } else { ':' };
        if !directory.contains(separator) {
            changes
                .added
                .push((environment::PATH.to_owned(), format!("{directory}{separator}{path}")));
        }
    }
    changes
}

/// Debug builds only: lets a test use a package manager that hangs.
fn limit() -> Duration {
    let shorter = environment::read("AOS_TEST_MANAGER_LIMIT_MS").filter(|_| cfg!(debug_assertions));
    shorter.and_then(|text| text.parse().ok()).map_or(LIMIT, Duration::from_millis)
}

/// The kind of failure, recognized by the output, because exit codes of package managers say nothing.
fn cause(output: &str) -> DriveCause {
    const PERMISSION_CODES: [&str; 3] = ["eacces", "eperm", "erofs"];
    const PERMISSION: [&str; 3] =
        ["permission denied", "operation not permitted", "read-only file system"];
    const NETWORK_CODES: [&str; 9] = [
        "enotfound",
        "econnrefused",
        "econnreset",
        "econnaborted",
        "etimedout",
        "enetunreach",
        "ehostunreach",
        "eai_again",
        "err_socket_timeout",
    ];
    const NETWORK: [&str; 16] = [
        "could not resolve",
        "couldn't resolve",
        "couldn't connect",
        "temporary failure in name resolution",
        "failed to connect",
        "network is unreachable",
        "no route to host",
        "failed to download",
        "network failure",
        "network timeout",
        "connection refused",
        "connection reset",
        "connection timed out",
        "operation timed out",
        "spurious network error",
        "failed to fetch",
    ];
    let text = output.to_lowercase();
    // Whole words only, because a short code can be part of a longer one.
    let words: Vec<_> =
        text.split(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_').collect();
    let says = |codes: &[&str], phrases: &[&str]| {
        codes.iter().any(|code| words.contains(code))
            || phrases.iter().any(|phrase| text.contains(phrase))
    };
    if says(&PERMISSION_CODES, &PERMISSION) {
        DriveCause::Permission
    } else if says(&NETWORK_CODES, &NETWORK) {
        DriveCause::Network
    } else {
        DriveCause::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_is_understood_by_its_complaint() {
        for (output, expected) in [
            ("npm error code EACCES\nnpm error syscall mkdir", DriveCause::Permission),
            ("error: Permission denied (os error 13)", DriveCause::Permission),
            ("npm error code ENOTFOUND", DriveCause::Network),
            ("fatal: Could not resolve host: github.com", DriveCause::Network),
            ("curl: (7) Failed to connect to formulae.brew.sh", DriveCause::Network),
            ("npm error Error: EROFS: read-only file system", DriveCause::Permission),
            ("npm error code EAI_AGAIN", DriveCause::Network),
            ("npm error code ERR_SOCKET_TIMEOUT", DriveCause::Network),
            ("curl: (28) Connection timed out after 15001 milliseconds", DriveCause::Network),
            (
                "warning: spurious network error (3 tries remaining): [6] Couldn't resolve host name",
                DriveCause::Network,
            ),
            ("error: could not compile `aos`", DriveCause::Other),
            (
                "npm error code ETARGET\nnpm error notarget No matching version found",
                DriveCause::Other,
            ),
            ("npm error code ENOSPC", DriveCause::Other),
            ("compiling supereperm v1.0.0", DriveCause::Other),
            ("", DriveCause::Other),
        ] {
            assert_eq!(cause(output), expected, "{output}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_manager_runs_where_nobody_else_leaves_settings_and_finds_its_own_node() {
        assert_eq!(neutral(Path::new("/opt/node/bin/npm")), Path::new("/"));
        let changed = changes("npm", Path::new("/opt/node/bin/npm"));
        let path = environment::read(environment::PATH).unwrap();
        assert_eq!(changed.added, [("PATH".to_owned(), format!("/opt/node/bin:{path}"))]);
        assert_eq!(changes("cargo", Path::new("/opt/cargo/bin/cargo")).added, []);
        assert_eq!(changes("npm", Path::new("/odd:place/npm")).added, []);
    }
}
