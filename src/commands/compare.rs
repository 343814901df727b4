//! `aos compare`: what the users of a connector lose and gain with another one.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use crate::contract::surface::{SURFACES, Surface, differences};
use crate::report::comparison::Comparison;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::files::{self, Kind};

use super::Run;

/// Name of the manifest in the directory of a connector.
const MANIFEST: &str = "connector.json";
/// Largest manifest, in bytes.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// Compare two connectors, and list what users lose and gain
#[derive(Args, Debug)]
#[command(
    after_help = "The command compares commands, modes, fields, defaults, keys, pickers and events of both manifests. \
                  The exit code is 6 if something is lost.\n\n\
                  Examples:\n  aos compare ../old/aos-github .\n  aos compare old.json connector.json --json"
)]
pub struct CompareArgs {
    /// Current connector: its directory or its connector.json
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// Connector that replaces it
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// List all differences
    #[arg(long)]
    pub all: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if a manifest cannot be read, or the new connector lacks something of the old one.
pub fn run(args: &CompareArgs, run: &Run) -> Result<Outcome, Failure> {
    let (old, new) = (surface(&args.old)?, surface(&args.new)?);
    let found = differences(&old, &new);
    let shown = |path: &Path| path.display().to_string();
    let comparison = Comparison::new(shown(&args.old), shown(&args.new), found, args.all);
    let text = comparison.text(run.style);
    let data = serde_json::to_value(&comparison).map_err(|error| {
        Failure::new(ErrorCode::Unknown, format!("the comparison cannot be written: {error}"))
    })?;
    if comparison.lost == 0 {
        return Ok(Outcome::new(data, text));
    }
    let mut failure = Failure::new(
        ErrorCode::Drift,
        format!(
            "`{}` lacks entries of `{}`: {}",
            comparison.new,
            comparison.old,
            comparison.summary()
        ),
    )
    .hint("keep the ids, fields and keys that are lost, or tell the operators before the change");
    if let Value::Object(members) = data {
        failure.details.extend(members);
    }
    failure.report = Some(text);
    Err(failure)
}

fn surface(path: &Path) -> Result<Surface, Failure> {
    let is_directory = matches!(files::kind(path), Ok(Kind::Directory));
    let file = if is_directory { path.join(MANIFEST) } else { path.to_owned() };
    let name = file.display();
    let bytes = files::read(&file, MAX_MANIFEST).map_err(|error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorCode::NotFound,
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::FileTooLarge => {
                ErrorCode::Validation
            }
            _ => crate::error::io_code(&error),
        };
        Failure::new(code, format!("`{name}`: {error}"))
            .hint("pass the directory of a connector, or its connector.json")
    })?;
    let unusable = |reason: String| {
        Failure::new(ErrorCode::Validation, format!("`{name}`: {reason}"))
            .hint("pass the connector.json of a connector")
    };
    let text = std::str::from_utf8(&bytes.bytes)
        .map_err(|_| unusable("it is not UTF-8 text".to_owned()))?;
    let mut reasons = Vec::new();
    for (_, reader) in SURFACES.entries() {
        match reader.read(text) {
            Ok(surface) => return Ok(surface),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(unusable(reasons.join("; ")))
}
