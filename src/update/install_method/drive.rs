//! Runs the package manager that owns the program, and believes only what the program says afterwards.

use std::path::Path;
use std::time::Duration;

use semver::Version;

use crate::system::clock::Stopwatch;
use crate::system::environment;
use crate::system::session::{self, Changes, Ending, Session};

use super::super::executable::{self, ExecutableError};
use super::super::output;
use super::{Installation, ManagerCommand};

/// Longest time of all calls together: a manager may build from source.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Why a manager failed, as far as can be told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    Permission,
    Network,
    Other,
}

/// Why the program is not the one that was wanted.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error("`{name}` is not installed, or not on PATH")]
    Missing { name: &'static str },
    #[error("`{name}` could not be run: {source}")]
    Start { name: &'static str, source: std::io::Error },
    #[error("`{name}` did not end within {seconds} s")]
    TimedOut { name: &'static str, seconds: u64 },
    #[error("`{name}` failed{}", exit.map(|exit| format!(" (exit {exit})")).unwrap_or_default())]
    Failed { name: &'static str, exit: Option<i32>, cause: Cause, output: String },
    #[error("`{name}` was content, but the program {source}")]
    Unusable { name: &'static str, source: ExecutableError, output: String },
    #[error("`{name}` was content, but the program still says {observed}, not {wanted}")]
    Unchanged { name: &'static str, observed: Version, wanted: Version, output: String },
    #[error("interrupted")]
    Interrupted,
}

/// Carries out `command` for `installation` and gives the version that the program reports then: `wanted`, or from a
/// manager that has only one version at a time, another one that is newer than `running`.
///
/// # Errors
/// When the manager fails, or the program is still the old one.
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
    let observed = match executable::version(&installation.invoked, wanted) {
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
    let directory = environment::temporary_directory();
    let environment = Changes::default();
    let finished = session::run(&Session {
        program,
        arguments: call,
        directory: &directory,
        environment: &environment,
        limit: limit.saturating_sub(spent),
    })
    .map_err(|source| DriveError::Start { name, source })?;
    let output = output::shown(&finished.tail, finished.is_cut, &output::secrets(&variables));
    match finished.ending {
        Ending::Exited(Some(0)) => Ok(output),
        Ending::Exited(exit) => {
            Err(DriveError::Failed { name, exit, cause: cause(&output), output })
        }
        Ending::TimedOut => Err(DriveError::TimedOut { name, seconds: limit.as_secs() }),
        Ending::Interrupted => Err(DriveError::Interrupted),
    }
}

/// Debug builds only: lets a test meet a manager that hangs.
fn limit() -> Duration {
    let shorter = environment::read("AOS_TEST_MANAGER_LIMIT_MS").filter(|_| cfg!(debug_assertions));
    shorter.and_then(|text| text.parse().ok()).map_or(LIMIT, Duration::from_millis)
}

/// What the manager complains about. Its exit code says nothing, so its words have to.
fn cause(output: &str) -> Cause {
    const PERMISSION: [&str; 5] =
        ["eacces", "eperm", "permission denied", "operation not permitted", "erofs"];
    const NETWORK: [&str; 14] = [
        "enotfound",
        "econnrefused",
        "econnreset",
        "etimedout",
        "eai_again",
        "could not resolve",
        "failed to connect",
        "network is unreachable",
        "failed to download",
        "network failure",
        "connection refused",
        "connection reset",
        "spurious network error",
        "failed to fetch",
    ];
    let text = output.to_lowercase();
    let has = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    if has(&PERMISSION) {
        Cause::Permission
    } else if has(&NETWORK) {
        Cause::Network
    } else {
        Cause::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_is_understood_by_its_complaint() {
        for (output, expected) in [
            ("npm error code EACCES\nnpm error syscall mkdir", Cause::Permission),
            ("error: Permission denied (os error 13)", Cause::Permission),
            ("npm error code ENOTFOUND", Cause::Network),
            ("fatal: Could not resolve host: github.com", Cause::Network),
            ("curl: (7) Failed to connect to formulae.brew.sh", Cause::Network),
            ("error: could not compile `aos`", Cause::Other),
            ("", Cause::Other),
        ] {
            assert_eq!(cause(output), expected, "{output}");
        }
    }
}
