//! Package managers of Node.js: the program is in a package of aos, according to its `package.json`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::strict_json;
use crate::system::files::{self, Kind};

use super::command::quoted;
use super::method::{InstallMethod, Owner, parts};

/// The package that people install; the program is in a platform package with the same name and a suffix.
pub const PACKAGE: &str = "@argentaios/aos";
/// Largest `package.json`, in bytes.
const MAX_PACKAGE: u64 = 64 * 1024;

/// Consecutive components in the path of a global installation, and the command that updates it.
const GLOBAL: &[(&[&str], &str, &str)] = &[
    (&["pnpm", "global"], "pnpm", "pnpm add --global"),
    // All installations share one store, so the installation is unknown.
    (&["pnpm", "store"], "pnpm", "pnpm add --global"),
    (&[".bun", "install", "global"], "bun", "bun add --global"),
    (&["yarn", "global"], "yarn", "yarn global add"),
    (&["yarn", "data", "global"], "yarn", "yarn global add"),
    (&[".volta", "tools", "image", "packages"], "volta", "volta install"),
    (&["volta", "tools", "image", "packages"], "volta", "volta install"),
];

/// How the package manager of a project is recognized: the directory of packages, a file beside it, and the command for
/// the user, with the project's directory.
const PROJECTS: [(&str, &str, &str, &str, &str); 4] = [
    (".pnpm", "pnpm-lock.yaml", "pnpm-project", "pnpm --dir", "add"),
    (".yarn", "yarn.lock", "yarn-project", "yarn --cwd", "add"),
    (".bun", "bun.lock", "bun-project", "bun --cwd", "add"),
    ("", "", "npm-project", "npm --prefix", "install"),
];

pub(super) fn owner(path: &Path) -> Option<Owner> {
    // The name of the directory is not enough: the package must be one of aos.
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
    let managed = |manager, words: &str| InstallMethod::Managed {
        manager,
        command: Some(format!("{words} {PACKAGE}@latest")),
    };
    if let Some((manager, words)) = single_run(&parts) {
        return managed(manager, words);
    }
    let global = GLOBAL.iter().find(|(names, ..)| {
        parts.windows(names.len()).any(|window| {
            window.iter().zip(*names).all(|(part, name)| part.eq_ignore_ascii_case(name))
        })
    });
    if let Some((_, manager, words)) = global {
        return managed(manager, words);
    }
    let project = modules.parent().unwrap_or(modules);
    let has = |name: &str| matches!(files::kind(&project.join(name)), Ok(Kind::File { .. }));
    if !has("package.json")
        && !parts.contains(&".pnpm")
        && let Some(prefix) = global_prefix(project)
    {
        return InstallMethod::Npm { prefix };
    }
    let (_, _, manager, before, after) = PROJECTS
        .iter()
        .find(|(directory, lock, ..)| parts.contains(directory) || lock.is_empty() || has(lock))
        .unwrap_or(&PROJECTS[3]);
    managed(manager, &format!("{before} {} {after}", quoted(&project.display().to_string())))
}

/// A package that was downloaded for one run, and the command that downloads it again.
fn single_run(parts: &[&str]) -> Option<(&'static str, &'static str)> {
    if parts.contains(&"_npx") {
        return Some(("npx", "npx --yes"));
    }
    if parts.iter().any(|part| part.starts_with("bunx-")) {
        return Some(("bunx", "bunx"));
    }
    let is_fetched = |part: &&str| *part == "dlx" || part.starts_with("dlx-");
    if parts.iter().any(is_fetched) {
        let is_pnpm = parts.contains(&"pnpm") || parts.contains(&".pnpm");
        return Some(if is_pnpm { ("pnpm-dlx", "pnpm dlx") } else { ("yarn-dlx", "yarn dlx") });
    }
    None
}

/// `<prefix>/lib/node_modules`, on Windows `<prefix>/node_modules`; `parent` has the modules.
fn global_prefix(parent: &Path) -> Option<PathBuf> {
    if cfg!(windows) {
        return Some(parent.to_owned());
    }
    let is_lib = parent.file_name().is_some_and(|name| name == "lib");
    is_lib.then(|| parent.parent()).flatten().map(Path::to_owned)
}

/// The path that starts the program after its package was moved.
pub(super) fn launcher(prefix: &Path) -> PathBuf {
    prefix.join(if cfg!(windows) { "aos.cmd" } else { "bin/aos" })
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
