//! Checks that a new program starts on this machine and reports the expected version.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use semver::Version;

use crate::system::environment;
use crate::system::process::{self, Invocation, ProcessError};
use crate::visible::excerpt;

use super::output;

/// Time limit for a program to report its version.
const LIMIT: Duration = Duration::from_secs(10);
/// Number of retries while the system still has the program open for writing.
const ATTEMPTS: u32 = 20;
/// Delay between the retries.
const PAUSE: Duration = Duration::from_millis(20);
/// Longest part of its output in a message, in characters.
const MAX_SHOWN: usize = 300;

/// Why a program is not the expected one.
#[derive(Debug, thiserror::Error)]
pub enum ExecutableError {
    #[error("does not start here: {reason}")]
    DoesNotRun { reason: String },
    #[error("did not report its version within {} s", LIMIT.as_secs())]
    TimedOut,
    #[error("reports `{said}` instead of `aos {wanted}`")]
    OtherVersion { said: String, wanted: Version },
    #[error("was not started: interrupted")]
    Interrupted,
}

/// Starts the program at `path`, and compares its version with `wanted`.
///
/// # Errors
/// If it does not start, hangs, or reports another version.
pub fn verify(path: &Path, wanted: &Version) -> Result<(), ExecutableError> {
    let said = version_line(path)?;
    if said == format!("aos {wanted}") {
        return Ok(());
    }
    Err(ExecutableError::OtherVersion { said: shown(&said), wanted: wanted.clone() })
}

/// The version that the program at `path` reports.
///
/// # Errors
/// If it does not start, hangs, or reports no version.
pub fn version(path: &Path, wanted: &Version) -> Result<Version, ExecutableError> {
    let said = version_line(path)?;
    said.strip_prefix("aos ")
        .and_then(|text| Version::parse(text).ok())
        .ok_or_else(|| ExecutableError::OtherVersion { said: shown(&said), wanted: wanted.clone() })
}

fn version_line(path: &Path) -> Result<String, ExecutableError> {
    let program = path.to_string_lossy();
    let directory = path.parent().unwrap_or(Path::new("."));
    let invocation = Invocation {
        program: &program,
        arguments: &["--version"],
        directory,
        without: &[],
        limit: LIMIT,
    };
    let mut result = process::run(&invocation);
    for _ in 0..ATTEMPTS {
        match &result {
            Err(ProcessError::Io { source, .. })
                if source.kind() == ErrorKind::ExecutableFileBusy =>
            {
                std::thread::sleep(PAUSE);
                result = process::run(&invocation);
            }
            _ => break,
        }
    }
    let output = result.map_err(|error| match error {
        ProcessError::TimedOut { .. } => ExecutableError::TimedOut,
        ProcessError::Interrupted => ExecutableError::Interrupted,
        ProcessError::NotFound { .. } => ExecutableError::DoesNotRun {
            reason: "its loader or interpreter does not exist; it may be built for another system"
                .to_owned(),
        },
        ProcessError::Io { source, .. } => {
            ExecutableError::DoesNotRun { reason: source.to_string() }
        }
    })?;
    if !output.success {
        let said = if output.stderr.trim().is_empty() { &output.stdout } else { &output.stderr };
        let reason = match said.trim() {
            "" => "it exited at once without any output".to_owned(),
            said => shown(said),
        };
        return Err(ExecutableError::DoesNotRun { reason });
    }
    Ok(output.stdout.trim().to_owned())
}

/// Output of an unknown program, on one line of bounded length, without secrets from the environment.
fn shown(text: &str) -> String {
    let secrets = output::secrets(&environment::variables());
    let text = output::shown(text.as_bytes(), false, &secrets);
    excerpt(&text, MAX_SHOWN)
}
