//! Data inside the binary: templates, presets, contracts, the Agent Skill, the changelog.

use include_dir::{Dir, include_dir};

use crate::contract::family::FamilyParts;
use crate::contract::{Family, SpecTag, suggestion};
use crate::generate::scaffold::TemplateFile;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
static CONTRACTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/contract");
static SKILL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/skills/aos");

/// The changelog of this very build.
pub const CHANGELOG: &str = include_str!("../../CHANGELOG.md");
/// The preset for a name that is not the name of a preset.
pub const EXAMPLE_PRESET: &str = "example";

/// Why embedded data cannot be used; only a faulty build has it.
#[derive(Debug, thiserror::Error)]
#[error("embedded `{path}`: {reason}")]
pub struct EmbeddedError {
    pub path: String,
    pub reason: String,
}

/// Names of all templates.
#[must_use]
pub fn template_names() -> Vec<&'static str> {
    directory_names(&TEMPLATES)
}

/// The text of the `template.toml` of one template.
#[must_use]
pub fn template_text(name: &str) -> Option<&'static str> {
    TEMPLATES.get_file(format!("{name}/template.toml"))?.contents_utf8()
}

/// The digests of released templates.
pub const TEMPLATE_RELEASES: &str = "releases.toml";

/// The text of the list of released templates.
#[must_use]
pub fn template_releases() -> Option<&'static str> {
    TEMPLATES.get_file(TEMPLATE_RELEASES)?.contents_utf8()
}

/// Returns the path of the archive of a released version.
#[must_use]
pub fn archive_path(name: &str, version: &str) -> String {
    format!("{name}/released/{version}.tar.gz")
}

/// The archive of a released version of a template.
#[must_use]
pub fn template_archive(name: &str, version: &str) -> Option<&'static [u8]> {
    TEMPLATES.get_file(archive_path(name, version)).map(include_dir::File::contents)
}

/// The files of one template, in path order.
#[must_use]
pub fn template_files(name: &str) -> Vec<TemplateFile> {
    let root = format!("{name}/files/");
    let mut files = Vec::new();
    if let Some(directory) = TEMPLATES.get_dir(root.trim_end_matches('/')) {
        collect(directory, &root, &mut files);
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

fn collect(directory: &'static Dir<'static>, root: &str, files: &mut Vec<TemplateFile>) {
    for file in directory.files() {
        if let Some(path) = file.path().to_str().and_then(|path| path.strip_prefix(root)) {
            files.push(TemplateFile::new(path, file.contents()));
        }
    }
    for inner in directory.dirs() {
        collect(inner, root, files);
    }
}

/// Names of the presets of a template, the example left out.
#[must_use]
pub fn preset_names(template: &str) -> Vec<&'static str> {
    let Some(directory) = TEMPLATES.get_dir(format!("{template}/presets")) else {
        return Vec::new();
    };
    let mut names: Vec<_> = directory
        .files()
        .filter_map(|file| file.path().file_stem()?.to_str())
        .filter(|name| *name != EXAMPLE_PRESET)
        .collect();
    names.sort_unstable();
    names
}

/// True if a template makes its commands from a preset.
#[must_use]
pub fn has_presets(template: &str) -> bool {
    preset_text(template, EXAMPLE_PRESET).is_some()
}

/// The text of one preset.
#[must_use]
pub fn preset_text(template: &str, name: &str) -> Option<&'static str> {
    TEMPLATES.get_file(format!("{template}/presets/{name}.toml"))?.contents_utf8()
}

/// Contracts of families that bring their own: a directory for each tag. Those of all others are in `contract/`.
pub static CONTRACTS_OF_FAMILIES: FamilyParts<Dir<'static>> = FamilyParts::new();

/// Released tags of a family, oldest first.
#[must_use]
pub fn tags(family: Family) -> Vec<SpecTag> {
    let own = CONTRACTS_OF_FAMILIES.of(family);
    let Some(directory) = own.or_else(|| CONTRACTS.get_dir(family.name())) else {
        return Vec::new();
    };
    let mut tags: Vec<_> = directory_names(directory)
        .into_iter()
        .filter_map(|name| SpecTag::parse(name).ok())
        .collect();
    tags.sort();
    tags
}

/// One file of a released tag.
#[must_use]
pub fn contract_file(family: Family, tag: &SpecTag, name: &str) -> Option<&'static [u8]> {
    let inner = format!("{}/{name}", tag.as_str());
    let file = match CONTRACTS_OF_FAMILIES.of(family) {
        Some(own) => own.get_file(inner),
        None => CONTRACTS.get_file(format!("{}/{inner}", family.name())),
    };
    file.map(include_dir::File::contents)
}

/// The files of the Agent Skill of this very build, in path order: path with `/`, and bytes.
#[must_use]
pub fn skill_files() -> Vec<(String, &'static [u8])> {
    let mut files = Vec::new();
    collect_skill(&SKILL, &mut files);
    files.sort();
    files
}

fn collect_skill(directory: &'static Dir<'static>, files: &mut Vec<(String, &'static [u8])>) {
    for file in directory.files() {
        let parts: Vec<_> = file.path().iter().map(|part| part.to_string_lossy()).collect();
        files.push((parts.join("/"), file.contents()));
    }
    for inner in directory.dirs() {
        collect_skill(inner, files);
    }
}

fn directory_names(directory: &'static Dir<'static>) -> Vec<&'static str> {
    let mut names: Vec<_> =
        directory.dirs().filter_map(|inner| inner.path().file_name()?.to_str()).collect();
    names.sort_unstable();
    names
}

/// Parses TOML of this build.
///
/// # Errors
/// Returns an error if it is malformed.
pub fn toml<T: serde::de::DeserializeOwned>(path: &str, text: &str) -> Result<T, EmbeddedError> {
    toml_edit::de::from_str(text).map_err(|error: toml_edit::de::Error| {
        let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let reason = format!(
            "line {line}, column {column}: {}",
            suggestion::short_list(error.message().trim())
        );
        EmbeddedError { path: path.to_owned(), reason }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_in_the_binary_has_its_description() {
        let files = skill_files();
        let (_, text) = files.iter().find(|(path, _)| path == "SKILL.md").unwrap();
        assert!(text.starts_with(b"---\nname: aos\ndescription: "));
    }

    #[test]
    fn every_family_has_released_tags() {
        for family in Family::all() {
            let tags = tags(family);
            assert!(tags.len() >= 2, "{family}");
            for tag in &tags {
                assert!(contract_file(family, tag, "contract.json").is_some());
                assert!(contract_file(family, tag, family.spec_file()).is_some());
            }
        }
    }
}
