//! Templates: what `template.toml` says, and the files beside it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use serde::Deserialize;

use crate::contract::Family;
use crate::generate::record_conform::ConformDocument;
use crate::generate::runtime::Version;
use crate::generate::scaffold::{Only, TemplateFile};
use crate::system::{environment, files};

use super::embedded::{self, EXAMPLE_PRESET, EmbeddedError};
use super::runtimes;
use super::template_archive::{self, Releases};

/// Where debug builds look for more templates, so that tests can bring their own.
const TEST_TEMPLATES: &str = "AOS_TEST_TEMPLATES";
/// Largest file of such a template, in bytes.
const MAX_TEST_FILE: u64 = 1024 * 1024;

/// `template.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateInfo {
    pub name: String,
    pub version: String,
    /// A template of the user's own may do without one.
    #[serde(default = "no_family", deserialize_with = "family")]
    pub family: Family,
    #[serde(default)]
    pub summary: String,
    /// Another template whose files this one has too; its own come first.
    #[serde(default)]
    pub base: Option<String>,
    #[serde(default)]
    pub executables: Vec<String>,
    /// Names that a tool of this template cannot have.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// Commands to run in the new project.
    #[serde(default)]
    pub next: Vec<String>,
    /// The first step after creation; empty for none.
    #[serde(default)]
    pub advice: String,
    /// Generator name to output paths.
    #[serde(default)]
    pub outputs: BTreeMap<String, Paths>,
    #[serde(default)]
    pub questions: Vec<Question>,
    #[serde(default)]
    pub only: Vec<Only>,
    pub runtime: Option<TemplateRuntime>,
    /// The command of `aos conform`, and its waivers; goes to `[conform]` in aos.toml.
    #[serde(default)]
    pub conform: ConformDocument,
}

/// The runtime that a template's projects get.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateRuntime {
    pub name: String,
    /// The directory of the runtime in the project.
    pub path: String,
    /// Files of the runtime's example tool that become the user's, by their path in the runtime's repository.
    #[serde(default)]
    pub examples: Vec<String>,
}

/// One path or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Paths {
    One(String),
    Several(Vec<String>),
}

impl Paths {
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
        }
    }
}

/// One answer a template takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub key: String,
    pub help: String,
    /// The answer when there is none; rendered with the names and the answers to earlier questions.
    #[serde(default)]
    pub default: String,
    #[serde(default)]
    pub choices: Vec<String>,
    pub max_length: Option<usize>,
    pub pattern: Option<Pattern>,
    /// An empty answer is refused.
    #[serde(default)]
    pub required: bool,
}

impl Question {
    /// The allowed answers, for people; the empty one has a name.
    #[must_use]
    pub fn shown_choices(&self) -> String {
        let shown = |choice: &String| if choice.is_empty() { "empty" } else { choice }.to_owned();
        self.choices.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    /// The default, for people who have not chosen a name yet.
    #[must_use]
    pub fn shown_default(&self) -> String {
        shown_text(&self.default)
    }
}

/// A text of a template, with `<title>` where the value of `title` will be.
#[must_use]
pub fn shown_text(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once("{=") {
        let Some((value, after)) = after.split_once("=}") else { break };
        out.push_str(before);
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        match quoted {
            Some(text) => out.push_str(text),
            // A filter changes the form of a value, not what it is.
            None => {
                out.push('<');
                out.push_str(value.split('|').next().unwrap_or_default().trim());
                out.push('>');
            }
        }
        rest = after;
    }
    out + rest
}

/// The form of a free answer.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    Slug,
    HttpsUrl,
    Owner,
    GoModule,
    NpmPackage,
    Contact,
    Year,
    Words,
    Variable,
    UrlPath,
}

fn family<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Family, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

fn no_family() -> Family {
    Family::NONE
}

/// Texts of presets by name.
pub type Presets = BTreeMap<String, Cow<'static, str>>;

/// A template with its files.
#[derive(Clone, Debug)]
pub struct Template {
    pub info: TemplateInfo,
    /// In path order.
    pub files: Vec<TemplateFile>,
    pub presets: Presets,
    /// Whether it is the user's own and not a part of this program.
    pub is_own: bool,
}

/// Names of all templates.
#[must_use]
pub fn names() -> Vec<String> {
    let mut names: Vec<_> = embedded::template_names().into_iter().map(str::to_owned).collect();
    if let Some(directory) = test_templates() {
        let more = files::names(Path::new(&directory)).unwrap_or_default();
        let more = more.into_iter().filter_map(|name| name.into_string().ok());
        names.extend(more.filter(|name| name != embedded::TEMPLATE_RELEASES));
    }
    names.sort();
    names
}

/// The template called `name`; `None` when there is none.
///
/// # Errors
/// Returns an error if its `template.toml` is malformed.
pub fn find(name: &str) -> Result<Option<Template>, EmbeddedError> {
    let mut template = if let Some(text) = embedded::template_text(name) {
        let info: TemplateInfo = embedded::toml(&format!("{name}/template.toml"), text)?;
        let mut files = embedded::template_files(name);
        if let Some(base) = &info.base {
            let shared = embedded::template_files(base);
            let is_new = |file: &TemplateFile| files.iter().all(|own| own.path != file.path);
            let mut shared: Vec<_> = shared.into_iter().filter(is_new).collect();
            files.append(&mut shared);
            files.sort_by(|left, right| left.path.cmp(&right.path));
        }
        let presets = embedded::preset_names(name).into_iter().chain([EXAMPLE_PRESET]);
        let presets = presets
            .filter_map(|preset| {
                let text = embedded::preset_text(name, preset)?;
                Some((preset.to_owned(), Cow::Borrowed(text)))
            })
            .collect();
        Template { info, files, presets, is_own: false }
    } else {
        match test_templates().filter(|_| names().iter().any(|known| known == name)) {
            Some(directory) => from_directory(&Path::new(&directory).join(name))?,
            None => return Ok(None),
        }
    };
    template.add_examples()?;
    Ok(Some(template))
}

/// The version of a template in this build; `None` when there is none of that name. Read once for a whole fleet.
#[must_use]
pub fn newest(name: &str) -> Option<String> {
    static EMBEDDED: OnceLock<BTreeMap<&str, String>> = OnceLock::new();
    let embedded = EMBEDDED.get_or_init(|| {
        let names = embedded::template_names().into_iter();
        names.filter_map(|name| Some((name, version(embedded::template_text(name)?)?))).collect()
    });
    if let Some(version) = embedded.get(name) {
        return Some(version.clone());
    }
    let directory = test_templates().filter(|_| names().iter().any(|known| known == name))?;
    let place = Path::new(&directory).join(name).join("template.toml");
    version(&String::from_utf8(files::read(&place, MAX_TEST_FILE).ok()?.bytes).ok()?)
}

/// True if this build has a template in a version, the newest or a released one.
#[must_use]
pub fn is_version(name: &str, version: &str) -> bool {
    newest(name).as_deref() == Some(version)
        || embedded::template_archive(name, version).is_some()
        || test_templates().is_some() && released(name, version).is_ok_and(|found| found.is_some())
}

/// The questions of a template; `None` when `version` is not the newest. Read once for a whole fleet.
#[must_use]
pub fn questions(name: &str, version: &str) -> Option<Arc<Vec<Question>>> {
    type Known = Mutex<BTreeMap<String, Option<Arc<Vec<Question>>>>>;
    static QUESTIONS: OnceLock<Known> = OnceLock::new();
    if newest(name).as_deref() != Some(version) {
        return None;
    }
    let of = || find(name).ok().flatten().map(|template| Arc::new(template.info.questions));
    if test_templates().is_some() {
        return of();
    }
    let mut known = QUESTIONS.get_or_init(Known::default).lock().ok()?;
    known.entry(name.to_owned()).or_insert_with(of).clone()
}

/// The version in the text of a `template.toml`.
fn version(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Versioned {
        version: String,
    }
    toml_edit::de::from_str::<Versioned>(text).ok().map(|info| info.version)
}

/// The template called `name` in one of its versions; `None` when this build has no such version.
///
/// # Errors
/// Returns an error if the template or the archive of the version is damaged.
pub fn find_version(name: &str, version: &str) -> Result<Option<Template>, EmbeddedError> {
    match find(name)? {
        Some(current) if current.info.version == version => Ok(Some(current)),
        _ => released(name, version),
    }
}

/// The released version of a template; `None` when it has none of that number.
///
/// # Errors
/// Returns an error if its archive is not the one that was released.
pub fn released(name: &str, version: &str) -> Result<Option<Template>, EmbeddedError> {
    // Both come from a record and go into a path.
    if Version::parse(version).is_none() || !names().iter().any(|known| known == name) {
        return Ok(None);
    }
    let archive = match test_templates() {
        Some(directory) => {
            let place = Path::new(&directory).join(embedded::archive_path(name, version));
            files::read(&place, MAX_TEST_FILE).ok().map(|loaded| Cow::Owned(loaded.bytes))
        }
        None => embedded::template_archive(name, version).map(Cow::Borrowed),
    };
    let Some(archive) = archive else { return Ok(None) };
    template_archive::open(&releases()?, name, version, &archive).map(Some)
}

/// The digests of every released archive.
///
/// # Errors
/// Returns an error if the list is malformed.
pub fn releases() -> Result<Releases, EmbeddedError> {
    let path = embedded::TEMPLATE_RELEASES;
    let text = match test_templates() {
        Some(directory) => files::read(&Path::new(&directory).join(path), MAX_TEST_FILE)
            .ok()
            .and_then(|loaded| String::from_utf8(loaded.bytes).ok()),
        None => embedded::template_releases().map(str::to_owned),
    };
    embedded::toml(path, &text.unwrap_or_default())
}

impl Template {
    /// Adds the files that come from the example tool of the runtime.
    fn add_examples(&mut self) -> Result<(), EmbeddedError> {
        let Some(section) = &self.info.runtime else { return Ok(()) };
        let fault = |reason: String| EmbeddedError { path: section.name.clone(), reason };
        let runtime = runtimes::find(&section.name)?;
        let runtime = runtime.ok_or_else(|| fault("the runtime does not exist".to_owned()))?;
        for path in &section.examples {
            let bytes = runtime.sources.get(path);
            let bytes = bytes.ok_or_else(|| fault(format!("it has no file `{path}`")))?;
            self.files.push(TemplateFile {
                path: runtime.template_path(path).into(),
                bytes: bytes.clone(),
                names: runtime.names(),
            });
        }
        self.files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(())
    }
}

/// Whether templates or runtimes are used that are not part of this program: in debug builds, for tests.
#[must_use]
pub fn is_replaced() -> bool {
    test_templates().is_some() || runtimes::is_replaced()
}

fn test_templates() -> Option<String> {
    if cfg!(debug_assertions) { environment::read(TEST_TEMPLATES) } else { None }
}

/// The template in a directory, without the files of a runtime's example tool.
///
/// # Errors
/// Returns an error if a file cannot be read or `template.toml` is malformed.
pub fn from_directory(directory: &Path) -> Result<Template, EmbeddedError> {
    let shown = directory.display().to_string();
    let fault = |reason: String| EmbeddedError { path: shown.clone(), reason };
    let read = |path: &Path| {
        let loaded = files::read(path, MAX_TEST_FILE).map_err(|error| fault(error.to_string()))?;
        Ok::<_, EmbeddedError>(loaded.bytes)
    };
    let text = String::from_utf8(read(&directory.join("template.toml"))?)
        .map_err(|error| fault(error.to_string()))?;
    let info = embedded::toml(&shown, &text)?;
    let root = directory.join("files");
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let entry = entry.map_err(|error| fault(error.to_string()))?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(&root).unwrap_or(entry.path());
            let path = path.to_string_lossy().into_owned();
            found.push(TemplateFile::new(path, read(entry.path())?));
        }
    }
    Ok(Template { info, files: found, presets: Presets::new(), is_own: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::outputs::generators;
    use crate::generate::scaffold::{is_within, output_name};
    use crate::inputs::own_template::is_taken;

    fn every(judge: impl Fn(&Template)) {
        let names = names();
        assert!(!names.is_empty());
        for name in names {
            judge(&find(&name).unwrap().unwrap());
        }
    }

    #[test]
    fn a_text_of_a_template_is_shown_without_its_marks() {
        for (text, shown) in [
            ("The {= title =} API", "The <title> API"),
            ("github.com/{= owner | lower =}/{=tool=}", "github.com/<owner>/<tool>"),
            ("a {= \"{%\" =} b {= open", "a {% b {= open"),
            ("plain", "plain"),
        ] {
            assert_eq!(shown_text(text), shown);
        }
    }

    #[test]
    fn every_template_in_the_binary_is_well_formed() {
        every(|template| {
            let info = &template.info;
            assert!(names().contains(&info.name));
            assert!(!template.files.is_empty(), "{}", info.name);
            assert!(info.family != Family::NONE && !info.summary.is_empty(), "{}", info.name);
            assert!(info.base.as_ref().is_none_or(|base| names().contains(base)), "{}", info.name);
            for generator in info.outputs.keys() {
                assert!(generators(info.family).contains(&generator.as_str()), "{generator}");
            }
        });
    }

    #[test]
    fn every_question_has_a_key_and_choices_that_can_be_used() {
        every(|template| {
            let mut seen = std::collections::BTreeSet::new();
            for question in &template.info.questions {
                let key = question.key.as_str();
                assert!(seen.insert(key) && !is_taken(key), "{key}");
                let lower = |symbol: char| {
                    symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == '_'
                };
                assert!(key.starts_with(|first: char| first.is_ascii_lowercase()), "{key}");
                assert!(key.chars().all(lower), "{key}");
                let choices = &question.choices;
                assert!(choices.is_empty() || choices.contains(&question.default), "{key}");
                assert!(choices.is_empty() || question.pattern.is_none(), "{key}");
            }
        });
    }

    #[test]
    fn every_path_and_condition_of_a_template_names_something() {
        every(|template| {
            let info = &template.info;
            let paths: Vec<_> = template.files.iter().map(|file| output_name(&file.path)).collect();
            for executable in &info.executables {
                assert!(paths.contains(executable), "{}: {executable}", info.name);
            }
            for only in &info.only {
                let outputs = info.outputs.values().flat_map(Paths::all);
                let hit = paths.iter().chain(outputs).any(|path| is_within(path, &only.path));
                assert!(hit && !only.when.is_empty(), "{}: {}", info.name, only.path);
                // A preset is not a question: a description gives one.
                for condition in only.when.iter().filter(|one| one.key != "preset") {
                    let question = info.questions.iter().find(|asked| asked.key == condition.key);
                    let question = question.unwrap_or_else(|| panic!("{}", condition.key));
                    assert!(question.choices.contains(&condition.value), "{}", condition.value);
                }
            }
            for path in info.outputs.values().flat_map(Paths::all) {
                assert!(!paths.contains(path), "{}: {path} is generated", info.name);
            }
        });
    }
}
