//! The programs that a sync needs: npx, a Node that can run `skills`, git.

use std::path::{Path, PathBuf};
use std::time::Duration;

use semver::Version;

use crate::system::process::{self, Invocation, ProcessError};
use crate::system::{interrupt, search_path};

use super::agents::Pin;
use super::report::Cause;

/// Time limit for Node to report its version.
const LIMIT: Duration = Duration::from_secs(10);

/// The tools that are installed.
#[derive(Debug)]
pub struct SkillTools {
    pub npx: PathBuf,
    pub pin: Pin,
}

/// The reason why a sync cannot run.
#[derive(Debug)]
pub struct MissingTool {
    pub cause: Cause,
    /// The repair; `None` if there is nothing to repair.
    pub fix: Option<String>,
}

/// Looks for the programs; the only one that is run is `node --version`.
///
/// # Errors
/// The first one that is missing or too old.
pub fn find() -> Result<SkillTools, MissingTool> {
    let missing = |cause, fix: &str| MissingTool { cause, fix: Some(fix.to_owned()) };
    let npx = search_path::find("npx")
        .ok_or_else(|| missing(Cause::NpxMissing, "install Node 22.20 or newer, with npm"))?;
    let node = match node() {
        Ok(Some(node)) => node,
        Ok(None) => return Err(missing(Cause::NodeMissing, "install Node 22.20 or newer")),
        Err(interrupt::Interrupted) => {
            return Err(MissingTool { cause: Cause::Interrupted, fix: None });
        }
    };
    let too_old = || format!("Node {node} cannot run `skills`: install Node 22.20 or newer");
    let pin = pin_for(&node).ok_or_else(|| missing(Cause::NodeTooOld, &too_old()))?;
    if search_path::find("git").is_none() {
        return Err(missing(Cause::GitMissing, "install git"));
    }
    Ok(SkillTools { npx, pin })
}

/// The version of Node; `None` when there is none that says it.
fn node() -> Result<Option<Version>, interrupt::Interrupted> {
    let path = search_path::find("node");
    let Some(program) = path.as_deref().and_then(Path::to_str) else { return Ok(None) };
    let arguments = &["--version"];
    let directory = Path::new(".");
    let invocation = Invocation { program, arguments, directory, without: &[], limit: LIMIT };
    match process::run(&invocation) {
        Ok(output) => Ok(version(&output.stdout)),
        Err(ProcessError::Interrupted) => Err(interrupt::Interrupted),
        Err(_) => Ok(None),
    }
}

/// The version in what `node --version` says.
fn version(said: &str) -> Option<Version> {
    Version::parse(said.trim().strip_prefix('v')?).ok()
}

/// The `skills` that this Node can run.
fn pin_for(node: &Version) -> Option<Pin> {
    match (node.major, node.minor) {
        (23.., _) | (22, 20..) => Some(Pin::Newer),
        (22, _) | (21, 7..) | (20, 12..) => Some(Pin::Older),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_gets_the_newest_skills_that_it_can_run() {
        let pin = |text: &str| pin_for(&version(text).unwrap()).map(Pin::version);
        for text in ["v22.20.0\n", "v22.21.1", "v23.0.0", "v24.1.0", "v100.0.0"] {
            assert_eq!(pin(text), Some("1.7.4"), "{text}");
        }
        for text in ["v20.12.0", "v20.20.2", "v21.7.0", "v22.0.0", "v22.19.9"] {
            assert_eq!(pin(text), Some("1.5.16"), "{text}");
        }
        for text in ["v0.10.48", "v18.20.0", "v20.11.1", "v21.6.2"] {
            assert_eq!(pin(text), None, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_version_is_not_node() {
        for text in ["", "v", "20.20.2", "node: command not found", "v20"] {
            assert!(version(text).is_none(), "{text}");
        }
        assert!(version("v24.0.0-nightly20250101abcdef").is_some());
    }
}
