//! `cargo install`: the root of the program's `bin` directory keeps a record that names the file.

use std::path::Path;

use serde_json::Value;

use crate::strict_json;
use crate::system::files;

use super::{CrateSource, InstallMethod, Owner};

/// The record of `cargo install`.
const RECORD: &str = ".crates2.json";
/// Largest record, in bytes.
const MAX_RECORD: u64 = 8 * 1024 * 1024;

pub(super) fn owner(path: &Path) -> Option<Owner> {
    let bin = path
        .parent()
        .filter(|directory| directory.file_name().is_some_and(|name| name == "bin"))?;
    let root = bin.parent()?;
    let record = root.join(RECORD);
    let bytes = files::read(&record, MAX_RECORD).ok()?.bytes;
    let document = strict_json::read(std::str::from_utf8(&bytes).ok()?).ok()?;
    let program = path.file_name()?.to_str()?;
    let installs = document.get("installs")?.as_object()?;
    let (package, _) = installs.iter().find(|(package, install)| {
        package.starts_with("aos ")
            && install
                .get("bins")
                .and_then(Value::as_array)
                .is_some_and(|bins| bins.iter().any(|bin| bin.as_str() == Some(program)))
    })?;
    let evidence = format!("`{}` lists it as `{}`", record.display(), package.escape_debug());
    // `aos 1.2.3 (registry+https://…)`
    let source = package.split_once('(')?.1;
    let method = if source.starts_with("git+") {
        InstallMethod::Cargo { root: root.to_owned(), source: CrateSource::Git }
    } else if source.starts_with("registry+") || source.starts_with("sparse+") {
        InstallMethod::Cargo { root: root.to_owned(), source: CrateSource::Registry }
    } else {
        // Built from a directory of this machine: only its owner knows what should be in it.
        InstallMethod::Managed {
            manager: "cargo-path",
            command: Some("cargo install --locked --path .".to_owned()),
        }
    };
    Some((method, evidence))
}
