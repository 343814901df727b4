//! The recipes of CONTRIBUTING.md, followed far enough to know that they are true.

#![expect(clippy::disallowed_methods, reason = "the test reads the repository")]
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).expect("a file that the test reads")
}

fn names(directory: impl AsRef<Path>) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(directory)).expect("a directory");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Every source below a directory.
fn sources(directory: &str) -> Vec<PathBuf> {
    walkdir::WalkDir::new(Path::new(ROOT).join(directory))
        .into_iter()
        .map(|entry| entry.expect("a readable tree").into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The families; what makes projects without a contract is beside them and is none.
fn families() -> Vec<String> {
    names("src/families")
        .into_iter()
        .filter(|name| !name.ends_with(".rs"))
        .filter(|name| !read(format!("src/families/{name}/mod.rs")).contains("Family::NONE"))
        .collect()
}

/// Each file that a recipe names, with `<family>` and the like filled in.
fn named_files() -> BTreeSet<String> {
    let text = read("CONTRIBUTING.md");
    let (_, recipes) = text.split_once("## Recipes").expect("the recipes");
    let recipes = recipes.split("\n## ").next().unwrap_or_default();
    let words = recipes.split('`').skip(1).step_by(2);
    let is_path = |word: &&str| word.contains('/') && !word.contains([' ', '"', '=']);
    words.filter(is_path).map(str::to_owned).collect()
}

/// Whether a path of a recipe exists, for some family, topic, tag and template.
fn exists(path: &str) -> bool {
    let (mut open, parts) = (vec![PathBuf::from(ROOT)], path.split('/'));
    for part in parts {
        open = open
            .into_iter()
            .flat_map(|directory| match part.split_once('<') {
                None => vec![directory.join(part)],
                Some((before, rest)) => {
                    let after = rest.split_once('>').map_or("", |(_, after)| after).to_owned();
                    let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
                    let fits = entries.filter(|entry| {
                        let name = entry.file_name().to_string_lossy().into_owned();
                        name.starts_with(before) && name.ends_with(&after)
                    });
                    fits.map(|entry| entry.path()).collect()
                }
            })
            .filter(|path| path.exists())
            .collect();
    }
    !open.is_empty()
}

#[test]
fn each_file_that_a_recipe_names_is_there() {
    let named = named_files();
    assert!(named.len() > 12, "{named:?}");
    // Ids of rules, and paths below a directory that the same line names, are not separate files.
    let inside = ["rules/mod.rs", "conform/mod.rs"];
    let missing: Vec<_> =
        named.iter().filter(|path| !inside.contains(&path.as_str()) && !exists(path)).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names {missing:?}");
}

/// Constants of a type that are declared below a directory: their names and their files.
fn constants(directory: &str, kind: &str) -> Vec<(String, String)> {
    let mark = format!(": {kind} =");
    let mut found = Vec::new();
    for path in sources(directory) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for line in code.lines() {
            let Some((before, _)) = line.split_once(&mark) else { continue };
            let Some(name) = before.split_whitespace().next_back() else { continue };
            if before.contains("const ") && !name.contains('$') {
                found.push((name.to_owned(), path.display().to_string()));
            }
        }
    }
    found
}

#[test]
fn each_rule_and_each_probe_of_a_family_is_in_its_list() {
    let mut seen = 0;
    for family in families() {
        let folder = format!("src/families/{family}");
        for (directory, list, kind) in
            [("rules", "rules/all.rs", "Rule"), ("conform", "conform/probes.rs", "Probe")]
        {
            let list = format!("{folder}/{list}");
            if !Path::new(ROOT).join(&list).is_file() {
                continue;
            }
            let listed = read(&list);
            for (name, file) in constants(&format!("{folder}/{directory}"), kind) {
                seen += 1;
                let is_listed = listed.contains(&format!("::{name},"));
                assert!(is_listed, "`{name}` of {file} is not in {list}");
            }
        }
    }
    assert!(seen > 150, "only {seen} were seen, so nothing is proved");
}

#[test]
fn each_family_has_its_line_its_contract_and_a_template() {
    let list = read("src/families/mod.rs");
    let releases = read("contract/releases.toml");
    let templates: Vec<_> = names("templates")
        .into_iter()
        .map(|name| format!("templates/{name}/template.toml"))
        .filter(|path| Path::new(ROOT).join(path).is_file())
        .map(read)
        .collect();
    let families = families();
    assert!(families.len() > 3, "{families:?}");
    for family in families {
        assert!(list.contains(&format!("pub mod {family};")), "{family}");
        assert!(list.contains(&format!("{family}::install")), "{family}");
        let name = family.replace('_', "-");
        assert!(names(format!("contract/{name}")).len() > 1, "{name} has fewer than two tags");
        assert!(releases.contains(&format!("[\"{name}/v1.0.0\"]")), "{name}");
        let line = format!("family = \"{name}\"");
        assert!(templates.iter().any(|template| template.contains(&line)), "{name}");
    }
}

#[test]
fn each_preset_names_its_documentation_first() {
    let presets = names("templates/connector-python/presets");
    assert!(presets.len() > 5, "{presets:?}");
    for preset in presets {
        let text = read(format!("templates/connector-python/presets/{preset}"));
        assert!(text.starts_with('#'), "{preset}");
    }
}
