//! Everything about a new project that is decided before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::connector::ToolName;
use crate::contract::operations::Preset;
use crate::contract::{Family, SpecTag};
use crate::generate::outputs::CONNECTOR_PATH;
use crate::generate::record::{RECORD_PATH, Record, SpecSection, TemplateSection};
use crate::generate::scaffold::Scaffold;
use crate::generate::vendor::SpecRelease;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::embedded::{self, TemplateInfo};
use crate::inputs::{answers, spec_source};
use crate::plan::{Content, FileSet, RelativePath};
use crate::report::{ErrorCode, Failure};

use super::choices::{preset, template, tool_name};
use super::{NewArgs, requested_tag};

/// Longest path inside an archive of a connector: the host's reader cuts names there, in bytes.
const MAX_ARCHIVE_PATH: usize = 100;

/// Everything that is decided before anything is written.
pub struct NewProject {
    pub tool: ToolName,
    pub template: TemplateInfo,
    pub preset_name: String,
    pub preset: Preset,
    pub tag: SpecTag,
    pub files: FileSet,
    pub managed: BTreeSet<RelativePath>,
    pub notes: Vec<String>,
}

impl NewProject {
    /// Decides on names, preset, tag and every file.
    ///
    /// # Errors
    /// When an input is wrong.
    pub fn plan(args: &NewArgs) -> Result<Self, Failure> {
        let template = template(&args.template)?;
        let tool = tool_name(args.name.as_deref().unwrap_or_default())?;
        let mut answers =
            answers::collect(&template.questions, args.answers.as_deref(), &args.set)?;
        let mut notes = Vec::new();
        let (preset_name, preset) = preset(args, &template, &tool, &answers, &mut notes)?;
        let tag = requested_tag(Family::Harness, &args.spec)?;
        let release = spec_source::embedded_release(Family::Harness, &tag)?;
        answers.insert("preset".to_owned(), preset_name.clone());
        let scaffold = Scaffold {
            files: &embedded::template_files(&template.name),
            executables: &template.executables,
            tool: &tool,
            preset: &preset,
            answers: &answers,
            spec_tag: tag.as_str(),
            aos_version: env!("CARGO_PKG_VERSION"),
            aos_repository: env!("CARGO_PKG_REPOSITORY"),
        };
        let scaffolded = scaffold.files().map_err(|error| {
            Failure::new(ErrorCode::Unknown, format!("the template cannot be rendered: {error}"))
                .hint("this build of aos is faulty; install a release")
        })?;
        answers.insert("name".to_owned(), tool.short().to_owned());
        answers.retain(|_, value| !value.is_empty());
        let record = record(&template, &tool, answers)?;
        let (files, managed) = assemble(scaffolded, &record, release)?;
        archive_paths_fit(&tool, &files)?;
        Ok(Self { tool, template, preset_name, preset, tag, files, managed, notes })
    }
}

pub fn record(
    template: &TemplateInfo,
    tool: &ToolName,
    answers: BTreeMap<String, String>,
) -> Result<Record, Failure> {
    let output = |path: &str| {
        RelativePath::parse(&path.replace("@package@", &tool.package()))
            .map_err(|error| Failure::new(ErrorCode::Unknown, error.to_string()))
    };
    let mut outputs = BTreeMap::new();
    for (generator, path) in &template.outputs {
        outputs.insert(generator.clone(), vec![output(path)?]);
    }
    Ok(Record {
        family: Family::Harness,
        spec: SpecSection::embedded(),
        template: Some(TemplateSection {
            name: template.name.clone(),
            version: template.version.clone(),
        }),
        answers,
        outputs,
        waivers: Vec::new(),
    })
}

/// All files of the new project, and which of them aos keeps.
pub fn assemble(
    scaffolded: FileSet,
    record: &Record,
    release: Arc<SpecRelease>,
) -> Result<(FileSet, BTreeSet<RelativePath>), Failure> {
    let files_failure =
        |error: crate::plan::FileSetError| Failure::new(ErrorCode::Unknown, error.to_string());
    let connector = scaffolded
        .get(&RelativePath::literal(CONNECTOR_PATH))
        .map(|content| content.bytes.to_vec());
    let sources = SourceBytes { connector, extension: None };
    let desired = Desired::compute(record, release, &sources)?;
    let managed = desired.files()?;
    let mut files = scaffolded;
    let record_path = RelativePath::literal(RECORD_PATH);
    files.insert(record_path, Content::plain(record.render())).map_err(files_failure)?;
    let paths = managed.paths().cloned().collect();
    files.extend(managed).map_err(files_failure)?;
    files.validate_tree().map_err(files_failure)?;
    Ok((files, paths))
}

pub fn archive_paths_fit(tool: &ToolName, files: &FileSet) -> Result<(), Failure> {
    let longest = files
        .paths()
        .map(|path| tool.as_str().len() + 1 + path.as_str().len())
        .max()
        .unwrap_or_default();
    if longest <= MAX_ARCHIVE_PATH {
        return Ok(());
    }
    // The name stands in the directory and in the package directory.
    let excess = (longest - MAX_ARCHIVE_PATH).div_ceil(2);
    let room = tool.short().len().saturating_sub(excess);
    Err(Failure::new(
        ErrorCode::Validation,
        format!("`{tool}` is too long: a path of its archive would have {longest} bytes, and the host cuts names at {MAX_ARCHIVE_PATH}"),
    )
    .hint(format!("choose a name of at most {room} characters")))
}
