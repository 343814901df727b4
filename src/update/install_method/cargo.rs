//! `cargo install`: the parent of the program's `bin` directory has a record that names the file.

use std::path::Path;

use serde_json::Value;

use crate::release::Repository;
use crate::strict_json;
use crate::system::files;
use crate::visible::excerpt;

use super::command::quoted;
use super::method::{CrateSource, InstallMethod, Owner};

/// The record of `cargo install`.
const RECORD: &str = ".crates2.json";
/// Largest record, in bytes.
const MAX_RECORD: u64 = 8 * 1024 * 1024;
/// The name of the public registry in a record, however it was reached.
const PUBLIC_REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

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
    let evidence = format!("`{}` lists it as `{}`", record.display(), excerpt(package, 200));
    // `aos 1.2.3 (registry+https://…)`
    let source = package.split_once('(')?.1.trim_end_matches(')');
    Some((method(root, source), evidence))
}

fn method(root: &Path, source: &str) -> InstallMethod {
    let cargo = |source| InstallMethod::Cargo { root: root.to_owned(), source };
    if source == PUBLIC_REGISTRY {
        return cargo(CrateSource::Registry);
    }
    let managed = |manager, command| InstallMethod::Managed { manager, command };
    let from = |option: &str, url: &str| {
        let root = quoted(&root.display().to_string());
        let plain = url.len() < 2000 && url.chars().all(|symbol| symbol.is_ascii_graphic());
        plain.then(|| format!("cargo install --locked --root {root} {option} {} aos", quoted(url)))
    };
    if let Some(location) = source.strip_prefix("git+") {
        let url = location.split(['?', '#']).next().unwrap_or(location);
        return match Repository::own() {
            Ok(own) if is_of(url, &own) => cargo(CrateSource::Git),
            // A fork of aos is not replaced with the original.
            _ => managed("cargo-git", from("--git", url)),
        };
    }
    if let Some(url) = source.strip_prefix("registry+") {
        return managed("cargo-registry", from("--index", url));
    }
    if source.starts_with("sparse+") {
        return managed("cargo-registry", from("--index", source));
    }
    // Built from a local directory, which only its owner can update.
    managed("cargo-path", Some("cargo install --locked --path .".to_owned()))
}

/// True if `url` refers to the repository `own`.
fn is_of(url: &str, own: &Repository) -> bool {
    let url = url.trim_end_matches('/').to_ascii_lowercase();
    let url = url.strip_suffix(".git").unwrap_or(&url);
    let own = own.to_string().to_ascii_lowercase();
    ["https://github.com/", "ssh://git@github.com/"]
        .iter()
        .any(|host| url.strip_prefix(host) == Some(own.as_str()))
}
