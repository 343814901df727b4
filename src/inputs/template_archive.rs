//! Released versions of templates: one archive for a version, frozen by its digest.
//!
//! An archive is complete: the files of the base and of the example tool are in it, so that a later build produces the
//! same bytes for it, even if they change later.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use serde::Deserialize;

use crate::generate::scaffold::{ExampleNames, TemplateFile};
use crate::plan::Digest;
use crate::release::archive::{KeptFile, Layout, read_as};

use super::embedded::{self, EmbeddedError};
use super::template::{Presets, Template, TemplateInfo};

/// Description of the template.
const INFO: &str = "template.toml";
/// Names of the example tool, and the files that have them.
const NAMES: &str = "names.toml";
const FILES: &str = "files/";
const PRESETS: &str = "presets/";
/// Largest unpacked template, in bytes.
const MAX_UNPACKED: u64 = 16 * 1024 * 1024;

/// `names.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesDocument {
    module: Option<String>,
    package: Option<String>,
    #[serde(default)]
    examples: Vec<String>,
}

/// `releases.toml`: the digest of each archive, by template and version.
pub type Releases = BTreeMap<String, BTreeMap<String, String>>;

/// The template in `archive`, which is that of `version` only with the digest in `releases`.
///
/// # Errors
/// Returns an error if the archive is not the released one, or cannot be read.
pub fn open(
    releases: &Releases,
    name: &str,
    version: &str,
    archive: &[u8],
) -> Result<Template, EmbeddedError> {
    let fault = |reason: String| EmbeddedError { path: format!("{name} {version}"), reason };
    let frozen = releases.get(name).and_then(|versions| versions.get(version));
    let frozen = frozen.ok_or_else(|| fault("its archive was never released".to_owned()))?;
    let found = Digest::of(archive).to_string();
    if *frozen != found {
        return Err(fault(format!("its archive is {found}, but {frozen} was released")));
    }
    let template = unpack(name, version, archive)?;
    if template.info.version != version {
        return Err(fault(format!("its archive has version {}", template.info.version)));
    }
    Ok(template)
}

fn unpack(name: &str, version: &str, archive: &[u8]) -> Result<Template, EmbeddedError> {
    let fault = |reason: String| EmbeddedError { path: format!("{name} {version}"), reason };
    let top = format!("{name}-{version}");
    let mut kept = KeptFile::below("", MAX_UNPACKED);
    read_as(archive, Layout::documents(&top), &mut kept)
        .map_err(|error| fault(error.to_string()))?;
    let mut info: Option<TemplateInfo> = None;
    let mut names = NamesDocument::default();
    let (mut files, mut presets) = (Vec::new(), Presets::new());
    for (path, bytes) in kept.files {
        if let Some(inner) = path.strip_prefix(FILES) {
            files.push(TemplateFile::new(inner.to_owned(), bytes));
            continue;
        }
        let text = String::from_utf8(bytes).map_err(|error| fault(error.to_string()))?;
        let preset = path.strip_prefix(PRESETS).and_then(|inner| inner.strip_suffix(".toml"));
        match (preset, path.as_str()) {
            (Some(preset), _) => {
                presets.insert(preset.to_owned(), Cow::Owned(text));
            }
            (None, INFO) => info = Some(embedded::toml(&path, &text)?),
            (None, NAMES) => names = embedded::toml(&path, &text)?,
            (None, _) => return Err(fault(format!("`{path}` does not belong in it"))),
        }
    }
    let info = info.ok_or_else(|| fault(format!("it has no `{INFO}`")))?;
    let example = ExampleNames { module: names.module, package: names.package };
    for file in files.iter_mut().filter(|file| names.examples.iter().any(|path| *path == file.path))
    {
        file.names = example.clone();
    }
    Ok(Template { info, files, presets, is_own: false })
}

/// The archive of `template`: the same bytes for the same template, on every machine.
///
/// # Errors
/// Returns an error if a path cannot be in an archive.
pub fn pack(template: &Template, info: &str) -> io::Result<Vec<u8>> {
    let top = format!("{}-{}", template.info.name, template.info.version);
    let mut entries: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    entries.insert(INFO.to_owned(), info.as_bytes().to_vec());
    let examples: Vec<_> = template
        .files
        .iter()
        .filter(|file| file.names.module.is_some() || file.names.package.is_some())
        .collect();
    if let Some(first) = examples.first() {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let mut document = toml_edit::DocumentMut::new();
        for (key, value) in [("module", &first.names.module), ("package", &first.names.package)] {
            if value.is_some() {
                document[key] = toml_edit::value(text(value));
            }
        }
        let paths: toml_edit::Array = examples.iter().map(|file| file.path.as_ref()).collect();
        document["examples"] = toml_edit::value(paths);
        entries.insert(NAMES.to_owned(), document.to_string().into_bytes());
    }
    for file in &template.files {
        entries.insert(format!("{FILES}{}", file.path), file.bytes.to_vec());
    }
    for (name, text) in &template.presets {
        entries.insert(format!("{PRESETS}{name}.toml"), text.as_bytes().to_vec());
    }
    let compressed = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::best());
    let mut archive = tar::Builder::new(compressed);
    for (path, bytes) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, format!("{top}/{path}"), bytes.as_slice())?;
    }
    archive.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use super::super::template;
    use super::*;

    fn packed(name: &str) -> (Template, Vec<u8>) {
        let template = template::find(name).unwrap().unwrap();
        let archive = pack(&template, embedded::template_text(name).unwrap()).unwrap();
        (template, archive)
    }

    fn frozen(template: &Template, digest: &str) -> Releases {
        let versions = BTreeMap::from([(template.info.version.clone(), digest.to_owned())]);
        BTreeMap::from([(template.info.name.clone(), versions)])
    }

    #[test]
    fn every_template_comes_out_of_its_archive_as_it_went_in() {
        for name in embedded::template_names() {
            let (template, archive) = packed(name);
            let version = &template.info.version;
            assert_eq!(archive, packed(name).1, "{name}");
            let releases = frozen(&template, &Digest::of(&archive).to_string());
            let read = open(&releases, name, version, &archive).unwrap();
            let shown = |template: &Template| {
                let files = template.files.iter();
                files
                    .map(|file| format!("{} {:?} {:?}", file.path, file.bytes, file.names))
                    .collect::<Vec<_>>()
            };
            assert_eq!(shown(&read), shown(&template), "{name}");
            assert_eq!(read.presets, template.presets, "{name}");
        }
    }

    #[test]
    fn an_archive_that_was_changed_or_never_released_is_refused() {
        let (template, mut archive) = packed("agent-adapter");
        let (name, version) = (template.info.name.clone(), template.info.version.clone());
        let releases = frozen(&template, &Digest::of(&archive).to_string());
        assert!(open(&Releases::new(), &name, &version, &archive).is_err());
        assert!(open(&releases, &name, "0.0.1", &archive).is_err());
        *archive.last_mut().unwrap() ^= 1;
        let error = open(&releases, &name, &version, &archive).unwrap_err();
        assert!(error.reason.contains("was released"), "{error}");
    }

    #[test]
    fn every_released_version_is_in_the_binary_and_the_current_one_did_not_change_since() {
        for (name, versions) in template::releases().unwrap() {
            for (version, digest) in versions {
                let released = template::released(&name, &version).unwrap();
                assert!(released.is_some(), "{name} {version} has no archive");
                let current = template::find(&name).unwrap().unwrap();
                if current.info.version == version {
                    let now = Digest::of(&packed(&name).1).to_string();
                    assert_eq!(now, digest, "{name} {version} is released: give it a new version");
                }
            }
        }
    }
}
