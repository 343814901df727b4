//! Package managers of Node.js: the program lies in a package of ours, whose own `package.json` says so.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::strict_json;
use crate::system::files;

use super::command::quoted;
use super::{InstallMethod, Owner, parts};

/// The package that people install; the program is in a package per platform of the same name and a suffix.
pub const PACKAGE: &str = "@argentaios/aos";
/// Largest `package.json`, in bytes.
const MAX_PACKAGE: u64 = 64 * 1024;

pub(super) fn owner(path: &Path) -> Option<Owner> {
    // A directory of that name alone proves nothing: the package around the program must be ours.
    let package = path.ancestors().skip(1).take(3).find(|directory| is_ours(directory))?;
    let modules = package
        .ancestors()
        .filter(|directory| directory.file_name().is_some_and(|name| name == "node_modules"))
        .last()?;
    let evidence = format!("`{}` is a package of {PACKAGE}", package.display());
    Some((method(path, modules), evidence))
}

fn method(path: &Path, modules: &Path) -> InstallMethod {
    let parts = parts(path);
    let has = |name: &str| parts.contains(&name);
    let managed =
        |manager, command: String| InstallMethod::Managed { manager, command: Some(command) };
    if has("_npx") {
        return managed("npx", format!("npx --yes {PACKAGE}@latest"));
    }
    if has(".pnpm") || has("pnpm") {
        return managed("pnpm", format!("pnpm add --global {PACKAGE}@latest"));
    }
    if has(".bun") {
        return managed("bun", format!("bun add --global {PACKAGE}@latest"));
    }
    if has("yarn") || has(".yarn") {
        return managed("yarn", format!("yarn global add {PACKAGE}@latest"));
    }
    match global_prefix(modules) {
        Some(prefix) => InstallMethod::Npm { prefix },
        None => {
            let project = modules.parent().unwrap_or(modules).display().to_string();
            managed(
                "npm-project",
                format!("npm --prefix {} install {PACKAGE}@latest", quoted(&project)),
            )
        }
    }
}

/// `<prefix>/lib/node_modules`, on Windows `<prefix>/node_modules`; a project has its own `package.json` beside it.
fn global_prefix(modules: &Path) -> Option<PathBuf> {
    let parent = modules.parent()?;
    if cfg!(windows) {
        let is_project = files::read(&parent.join("package.json"), MAX_PACKAGE).is_ok();
        return (!is_project).then(|| parent.to_owned());
    }
    let is_lib = parent.file_name().is_some_and(|name| name == "lib");
    is_lib.then(|| parent.parent()).flatten().map(Path::to_owned)
}

fn is_ours(directory: &Path) -> bool {
    let name = || {
        let bytes = files::read(&directory.join("package.json"), MAX_PACKAGE).ok()?.bytes;
        let document = strict_json::read(std::str::from_utf8(&bytes).ok()?).ok()?;
        document.get("name").and_then(Value::as_str).map(str::to_owned)
    };
    name().is_some_and(|name| {
        name == PACKAGE || name.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with('-'))
    })
}
