//! The files around the manifest: the entry, and the published packages.

use indexmap::IndexMap;
use serde_json::Value;

use crate::contract::name::Key;
use crate::contract::pyproject::Pyproject;
use crate::contract::rules::collector::Collector;
use crate::contract::{ProjectFiles, json};
use crate::visible::excerpt;

use super::contract::AugmentorContract;
use super::contract::MANIFEST;
use super::manifest::AugmentorManifest;
use super::rules::{
    DEPENDENCIES, ENTRY_FILE, ENTRY_OUTSIDE, NAME_DIFFERS, NOT_PUBLISHED, VERSION_DIFFERS,
};

const PYPROJECT: &str = "pyproject.toml";
const PACKAGE_JSON: &str = "package.json";
/// Directories that a compiler writes, and git usually ignores.
const BUILT: &[&str] = &["dist/", "build/", "lib/", "out/"];

/// Judges the files around the manifest.
pub fn check(
    repository: &ProjectFiles,
    contract: &AugmentorContract,
    manifest: &AugmentorManifest,
    found: &mut Collector,
) {
    for (runtime, entry) in &manifest.entries {
        entry_file(repository, contract, runtime, entry, found);
    }
    python(repository, manifest, found);
    node(repository, manifest, found);
}

/// Every file that the entry may mean, in the order in which a host tries them.
pub(super) fn candidates(contract: &AugmentorContract, runtime: &str, entry: &str) -> Vec<String> {
    let Some((module, _)) = entry.rsplit_once('.') else { return Vec::new() };
    let entry = &contract.entry;
    let of = |map: &IndexMap<Key, Vec<String>>, usual: &[&str]| {
        let listed = map.iter().find(|(name, _)| name.as_str() == runtime);
        let listed = listed.map(|(_, values)| values.clone()).filter(|values| !values.is_empty());
        listed.unwrap_or_else(|| usual.iter().map(|value| (*value).to_owned()).collect())
    };
    // A tag may leave them open; then a file counts where any host finds it.
    let is_python = runtime == "python";
    let roots = of(&entry.source_roots, if is_python { &["src", "."] } else { &["."] });
    let under = |root: &str, path: &str| match root {
        "." => path.to_owned(),
        root => format!("{root}/{path}"),
    };
    if is_python {
        let path = module.replace('.', "/");
        return roots
            .iter()
            .flat_map(|root| {
                [format!("{path}/__init__.py"), format!("{path}.py")].map(|file| under(root, &file))
            })
            .collect();
    }
    let path = module.trim_start_matches("./");
    let suffixes = of(&entry.suffixes, &["", ".js", ".mjs", ".cjs"]);
    let with =
        |root: &String| suffixes.iter().map(|end| under(root, path) + end).collect::<Vec<_>>();
    roots.iter().flat_map(with).collect()
}

fn entry_file(
    repository: &ProjectFiles,
    contract: &AugmentorContract,
    runtime: &str,
    entry: &str,
    found: &mut Collector,
) {
    let candidates = candidates(contract, runtime, entry);
    if candidates.is_empty() {
        return;
    }
    if let Some(link) = candidates.iter().find(|path| goes_through_a_link(repository, path)) {
        let message = format!("`{}` is a link, or is inside one", excerpt(link, 80));
        found.whole(&ENTRY_OUTSIDE, MANIFEST, message);
        return;
    }
    let is_there = |path: &String| repository.holds(path);
    // A tree that is compiled holds the source; the file itself appears with the build.
    let is_built = |path: &String| {
        BUILT.iter().any(|directory| path.starts_with(directory)) && {
            let stem = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or("");
            ["ts", "mts", "cts", "tsx"]
                .iter()
                .any(|end| repository.holds(&format!("src/{stem}.{end}")))
        }
    };
    if !candidates.iter().any(is_there) && !candidates.iter().any(is_built) {
        let message = format!(
            "the entry `{}` of {runtime} was not found; looked for {}",
            excerpt(entry, 80),
            candidates.iter().map(|path| excerpt(path, 80)).collect::<Vec<_>>().join(", ")
        );
        found.whole(&ENTRY_FILE, MANIFEST, message);
    }
}

fn goes_through_a_link(repository: &ProjectFiles, path: &str) -> bool {
    let is_link = |part: &str| repository.symlinks.iter().any(|link| link == part);
    is_link(path) || path.match_indices('/').any(|(at, _)| is_link(&path[..at]))
}

fn differs(
    found: &mut Collector,
    path: &str,
    manifest: &AugmentorManifest,
    name: Option<&str>,
    version: Option<&str>,
) {
    let shown = |text: &str| excerpt(text, 60);
    if let (Some(theirs), Some(ours)) = (name, &manifest.name) {
        let plain = theirs.rsplit('/').next().unwrap_or(theirs).replace(['_', '.'], "-");
        if plain.to_lowercase() != *ours {
            let message = format!(
                "its name is `{}`, but in {MANIFEST} it is `{}`",
                shown(theirs),
                shown(ours)
            );
            found.whole(&NAME_DIFFERS, path, message);
        }
    }
    if let (Some(theirs), Some(ours)) = (version, &manifest.version)
        && theirs != ours
    {
        let message = format!(
            "its version is `{}`, but in {MANIFEST} it is `{}`",
            shown(theirs),
            shown(ours)
        );
        found.whole(&VERSION_DIFFERS, path, message);
    }
}

fn python(repository: &ProjectFiles, manifest: &AugmentorManifest, found: &mut Collector) {
    let Some(text) = repository.text(PYPROJECT) else { return };
    let Ok(project) = Pyproject::read(text) else { return };
    let value = |entry: &Option<crate::contract::pyproject::TomlText>| {
        entry.as_ref().map(|entry| entry.value.clone())
    };
    let (name, version) = (value(&project.name), value(&project.version));
    differs(found, PYPROJECT, manifest, name.as_deref(), version.as_deref());
    if project.dependencies.is_some_and(|list| !list.is_empty()) {
        let message = "it has dependencies at run time".to_owned();
        found.whole(&DEPENDENCIES, PYPROJECT, message);
    }
    // A build system ships data files only when it is told to; whichever it is, a line names the manifest.
    let ships = |line: &str| !line.trim_start().starts_with('#') && line.contains(MANIFEST);
    if name.is_some() && !text.lines().any(ships) {
        let message = "it does not put augmentor.toml into the wheel".to_owned();
        found.whole(&NOT_PUBLISHED, PYPROJECT, message);
    }
}

fn node(repository: &ProjectFiles, manifest: &AugmentorManifest, found: &mut Collector) {
    let Some(bytes) = repository.bytes(PACKAGE_JSON) else { return };
    let Ok(document) = json::parse(bytes) else { return };
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    differs(found, PACKAGE_JSON, manifest, text("name"), text("version"));
    let is_some = |name: &str| {
        document.get(name).and_then(Value::as_object).is_some_and(|members| !members.is_empty())
    };
    if is_some("dependencies") || is_some("peerDependencies") {
        let message = "it has dependencies at run time".to_owned();
        found.whole(&DEPENDENCIES, PACKAGE_JSON, message);
    }
    let listed = document.get("files").and_then(Value::as_array);
    let ships = |entries: &Vec<Value>| {
        entries.iter().filter_map(Value::as_str).any(|entry| {
            matches!(
                entry.trim_start_matches("./").trim_start_matches('/'),
                MANIFEST | "*.toml" | "*"
            )
        })
    };
    // Without `files` npm publishes everything that is not ignored.
    if text("name").is_some() && listed.is_some_and(|entries| !ships(entries)) {
        let message = "`files` does not name augmentor.toml".to_owned();
        found.whole(&NOT_PUBLISHED, PACKAGE_JSON, message);
    }
}
