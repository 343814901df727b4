//! New connectors: their name, their preset, and what the templates get.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::connector::CONNECTOR_PATH;
use super::connector::ToolName;
use super::generate::{manifest, values as connector_values};
use super::operations::{AuthScheme, Preset, parse_preset};
use crate::contract::json;
use crate::generate::record_text::quote;
use crate::generate::scaffold::ScaffoldOrigin;
use crate::inputs::embedded::EXAMPLE_PRESET;
use crate::openapi::{ApiDescription, ApiPlan, KnownCommand, RequestKey};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::report::answers::openapi::ApiChange;
use crate::report::{ErrorCode, Failure};
use crate::workflows::new::choices::{preset_text, shown, slug};
use crate::workflows::new::own_preset;
use crate::workflows::new::subject::{DescribedNames, Named, Scaffolder, Subject, WantedProject};

use super::{api_answers, declared, described, described_changes};

/// Commands that every connector has in addition to those of its preset.
const META_COMMANDS: usize = 4;
/// Longest name that the host has for a command.
const MAX_TOOL_NAME: usize = 64;
/// Longest path inside an archive of a connector: the host's reader cuts names there, in bytes.
const MAX_ARCHIVE_PATH: usize = 100;

pub struct HarnessScaffolder;

impl Scaffolder for HarnessScaffolder {
    fn takes_own_preset(&self) -> bool {
        true
    }

    fn described_names(&self, name: &str) -> Result<Option<DescribedNames>, Failure> {
        let tool = tool_name(name)?;
        // The host calls a command `aos_NAME_RESOURCE_ACTION`.
        let id_length = MAX_TOOL_NAME.saturating_sub(tool.as_str().len() + 1);
        Ok(Some(DescribedNames { id_length, variable_prefix: described::variable_prefix(&tool) }))
    }

    fn described_known(&self, preset: &str) -> Result<BTreeMap<RequestKey, KnownCommand>, Failure> {
        Ok(described_changes::known(&parse_preset(own_preset::PATH, preset)?))
    }

    fn described_changes(&self, before: &str, after: &str) -> Result<Vec<ApiChange>, Failure> {
        let (before, after) =
            (parse_preset(own_preset::PATH, before)?, parse_preset(own_preset::PATH, after)?);
        Ok(described_changes::between(&before, &after))
    }

    fn described_preset(
        &self,
        name: &str,
        api: &ApiDescription,
        plan: &ApiPlan,
    ) -> Result<String, Failure> {
        Ok(described::preset(&tool_name(name)?, api, plan))
    }

    fn name(&self, wanted: &WantedProject<'_>) -> Result<Box<dyn Named>, Failure> {
        Ok(Box::new(ConnectorName(tool_name(wanted.name)?)))
    }
}

struct ConnectorName(ToolName);

impl Named for ConnectorName {
    fn variables(&self) -> Map<String, Value> {
        [("tool".to_owned(), Value::from(self.0.as_str()))].into_iter().collect()
    }

    fn subject(
        self: Box<Self>,
        wanted: &WantedProject<'_>,
        answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure> {
        let (preset_name, preset) = preset(wanted, &self.0, answers)?;
        answers.insert("preset".to_owned(), preset_name.clone());
        let own = wanted.presets.get(own_preset::PATH).filter(|_| preset_name == own_preset::PATH);
        let own = own.map(|text| text.to_string());
        Ok(Box::new(NewConnector { tool: self.0, preset_name, preset, own }))
    }
}

struct NewConnector {
    tool: ToolName,
    preset_name: String,
    preset: Preset,
    /// The text of a preset of the user's own.
    own: Option<String>,
}

impl Subject for NewConnector {
    fn tool(&self) -> &str {
        self.tool.as_str()
    }

    fn name(&self) -> &str {
        self.tool.short()
    }

    fn package(&self) -> String {
        self.tool.package()
    }

    fn preset_name(&self) -> Option<&str> {
        Some(&self.preset_name)
    }

    fn commands(&self) -> Option<usize> {
        Some(self.preset.operations.len() + META_COMMANDS)
    }

    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value {
        connector_values::variables(&self.tool, &self.preset, answers, origin)
    }

    fn resources(&self) -> Vec<(String, Value)> {
        connector_values::resources(&self.preset)
    }

    fn files(&self) -> Result<FileSet, FileSetError> {
        let mut files = FileSet::default();
        let document = json::pretty(&manifest::connector(&self.tool, &self.preset));
        files.insert(RelativePath::literal(CONNECTOR_PATH), Content::plain(document))?;
        if let Some(text) = &self.own {
            files.insert(RelativePath::literal(own_preset::PATH), Content::plain(text.clone()))?;
        }
        Ok(files)
    }

    fn refuse(&self, files: &FileSet) -> Result<(), Failure> {
        archive_paths_fit(self, files)
    }
}

fn archive_paths_fit(subject: &dyn Subject, files: &FileSet) -> Result<(), Failure> {
    let longest = files
        .paths()
        .map(|path| subject.tool().len() + 1 + path.as_str().len())
        .max()
        .unwrap_or_default();
    if longest <= MAX_ARCHIVE_PATH {
        return Ok(());
    }
    // The name is in the directory and in the package directory.
    let excess = (longest - MAX_ARCHIVE_PATH).div_ceil(2);
    let room = subject.name().len().saturating_sub(excess);
    Err(Failure::new(
        ErrorCode::Validation,
        format!("`{}` is too long: a path in its archive would have {longest} bytes, but the host truncates names at {MAX_ARCHIVE_PATH}", subject.tool()),
    )
    .hint(format!("choose a name of at most {room} characters")))
}

fn tool_name(name: &str) -> Result<ToolName, Failure> {
    let full = if name.starts_with("aos-") { name.to_owned() } else { format!("aos-{name}") };
    ToolName::parse(&full).ok_or_else(|| {
        let mended = slug(name.trim_start_matches("aos-"));
        let failure = Failure::new(
            ErrorCode::Validation,
            format!("`{}` is not a connector name: it must have lower-case letters, digits and single dashes", shown(name)),
        );
        match ToolName::parse(&format!("aos-{mended}")) {
            Some(_) => failure.hint(format!("`aos new {mended}`")),
            None => failure.hint("choose a name such as `acme` or `my-crm`"),
        }
    })
}

fn preset(
    wanted: &WantedProject<'_>,
    tool: &ToolName,
    answers: &BTreeMap<String, String>,
) -> Result<(String, Preset), Failure> {
    let (name, text) = preset_text(wanted, tool.short())?;
    let mut preset = match name.as_str() {
        own_preset::PATH => declared::parse(text, &example(wanted, tool)?)?,
        EXAMPLE_PRESET => example(wanted, tool)?,
        _ => parse_preset(&name, text)?,
    };
    let is_silent = name == own_preset::PATH && preset.auth.scheme == AuthScheme::None;
    if is_silent && answers.get("auth").is_some_and(|auth| !auth.is_empty()) {
        api_answers::open(&mut preset, &format!("{}_TOKEN", described::variable_prefix(tool)))?;
    }
    let is_open = name == EXAMPLE_PRESET || is_silent;
    api_answers::apply(&mut preset, (&name, is_open), answers)?;
    api_answers::place(&mut preset, answers)?;
    override_preset(&mut preset, answers);
    Ok((name, preset))
}

fn example(wanted: &WantedProject<'_>, tool: &ToolName) -> Result<Preset, Failure> {
    let text = wanted.presets.get(EXAMPLE_PRESET).map_or("", |text| text);
    Ok(parse_preset(EXAMPLE_PRESET, &fill_example(text, tool))?)
}

/// Writes the connector's name into the example preset; other presets hold no marks.
fn fill_example(text: &str, tool: &ToolName) -> String {
    let upper = tool.short().to_uppercase().replace('-', "_");
    // An environment variable may not begin with a digit.
    let upper = if upper.starts_with(|first: char| first.is_ascii_digit()) {
        format!("AOS_{upper}")
    } else {
        upper
    };
    let label = tool.short().split('-').map(capitalised).collect::<Vec<_>>().join(" ");
    text.replace("{NAME}", &upper)
        .replace("{name}", tool.short())
        .replace("{Label}", quote(&label).trim_matches('"'))
}

fn capitalised(word: &str) -> String {
    let mut symbols = word.chars();
    symbols.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + symbols.as_str()
    })
}

fn override_preset(preset: &mut Preset, answers: &BTreeMap<String, String>) {
    let answer = |key: &str| answers.get(key).filter(|value| !value.is_empty()).cloned();
    if let Some(label) = answer("label") {
        preset.label = label;
    }
    if let Some(summary) = answer("summary") {
        preset.summary = summary;
    }
    if let Some(backend) = answer("backend") {
        preset.backend = backend;
    }
    if let Some(category) = answer("category") {
        preset.categories.retain(|known| *known != preset.category && *known != category);
        preset.categories.insert(0, category.clone());
        preset.category = category;
    }
}
