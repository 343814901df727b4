//! The files of a connector as the host reads them: three files, a few members of each, nothing validated.

use std::path::Path;

use serde_json::Value;

use crate::contract::pyproject::Pyproject;
use crate::families::harness::rules::host_view::HostView;
use crate::system::files;
use crate::visible::excerpt;
use crate::workflows::discover::seam::Described;

const MANIFEST: &str = "connector.json";
const PERMISSIONS: &str = "agent-harness/permissions.json";
const PYPROJECT: &str = "agent-harness/pyproject.toml";
/// Largest file that is read, in bytes, and most entries of a list.
const MAX_FILE: u64 = 2 * 1024 * 1024;
const MAX_ENTRIES: usize = 2_000;

/// Reads the files of the connector in `directory`.
pub fn describe(directory: &Path) -> Described {
    let mut described = Described {
        is_installable: files::canonical(&directory.join(PYPROJECT)).is_ok(),
        ..Described::default()
    };
    let manifest = document(directory, MANIFEST, &mut described.warnings);
    let permissions = document(directory, PERMISSIONS, &mut described.warnings);
    if let Some(manifest) = &manifest {
        described.label = text(manifest.pointer("/connector/label"));
        described.keys = texts(manifest.pointer("/auth/service_keys"));
        let commands = manifest.get("commands").and_then(Value::as_array).into_iter().flatten();
        let ids = commands.filter_map(|command| text(command.get("id")));
        described.commands = ids.filter(|id| !is_meta(id)).take(MAX_ENTRIES).collect();
    }
    if let Some(permissions) = &permissions {
        fill_from_permissions(permissions, &mut described);
    }
    pyproject(directory, &mut described);
    described
}

/// Ids that the host keeps from its workers.
pub fn is_meta(id: &str) -> bool {
    matches!(id, "capabilities" | "health" | "doctor" | "config") || id.starts_with("config.")
}

/// The commands of permissions.json count when the manifest has none; its meta commands are not hidden then.
fn fill_from_permissions(permissions: &Value, described: &mut Described) {
    let modes = permissions.get("permissions").and_then(Value::as_object);
    if modes.is_none() && permissions.get("commands").is_some() {
        described.warnings.push(format!(
            "`{PERMISSIONS}` has `commands` only; the host reads `permissions` and sees no modes"
        ));
    }
    if described.commands.is_empty() {
        let ids = modes.into_iter().flatten().filter(|(_, mode)| mode.is_string());
        described.commands = ids.map(|(id, _)| id.clone()).take(MAX_ENTRIES).collect();
    }
}

fn pyproject(directory: &Path, described: &mut Described) {
    let Some(bytes) = read(directory, PYPROJECT, &mut described.warnings) else { return };
    let text = String::from_utf8_lossy(&bytes);
    let seen = HostView::read(&text);
    described.tool = seen.tool().map(str::to_owned);
    described.version = seen.version.map(str::to_owned);
    let meant = match Pyproject::read(&text) {
        Ok(meant) => meant,
        Err(fault) => {
            let message = excerpt(&fault.message, 100);
            described.warnings.push(format!("`{PYPROJECT}` is not TOML: {message}"));
            return;
        }
    };
    let script = meant.scripts.iter().any(|(name, _)| name.starts_with("aos-"));
    let lost: Vec<_> = [
        ("name", meant.name.is_some(), seen.name.is_some()),
        ("version", meant.version.is_some(), seen.version.is_some()),
        ("description", meant.description.is_some(), seen.description.is_some()),
        ("requires-python", meant.requires_python.is_some(), seen.requires_python.is_some()),
        ("the script", script, seen.tool().is_some()),
    ]
    .iter()
    .filter(|(_, is_there, is_seen)| *is_there && !is_seen)
    .map(|(key, ..)| *key)
    .collect();
    if !lost.is_empty() {
        described.warnings.push(format!(
            "the host cannot read {} in `{PYPROJECT}`: it needs double quotes, no capital Z before it, and a table after it",
            lost.join(", ")
        ));
    }
    if described.version.is_none() {
        described.version = meant.version.map(|version| version.value);
    }
}

fn document(directory: &Path, path: &str, warnings: &mut Vec<String>) -> Option<Value> {
    let bytes = read(directory, path, warnings)?;
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(value) if value.is_object() => Some(value),
        Ok(_) => {
            warnings.push(format!("`{path}` is not an object, and the host ignores it"));
            None
        }
        Err(error) => {
            let error = excerpt(&error.to_string(), 100);
            warnings.push(format!("`{path}` is not JSON, and the host ignores it: {error}"));
            None
        }
    }
}

/// Follows a link to a file, as the host does; anything but a file is not opened.
fn read(directory: &Path, path: &str, warnings: &mut Vec<String>) -> Option<Vec<u8>> {
    match files::read_named(&directory.join(path), MAX_FILE) {
        Ok(loaded) => Some(loaded.bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            warnings.push(format!("`{path}` cannot be read: {error}"));
            None
        }
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| text(Some(entry))).take(MAX_ENTRIES).collect()
}
