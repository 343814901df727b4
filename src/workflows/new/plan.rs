//! Everything about a new project that is decided before anything is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::contract::SpecTag;
use crate::generate::outputs;
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::vendor::SpecRelease;
use crate::inputs::answers;
use crate::inputs::desired::{Desired, SourceBytes, WantedRuntime};
use crate::inputs::spec_source;
use crate::inputs::template::TemplateInfo;
use crate::plan::{Content, FileSet, RelativePath};
use crate::report::answers::openapi::DescribedApi;
use crate::report::{ErrorCode, Failure};
use crate::workflows::asked::requested_tag;

use super::choices::template;
use super::described;
use super::own_preset;
use super::rendering::{NamedProject, Rendering};
use super::request::NewRequest;
use super::subject::{SCAFFOLDERS, Subject};

/// Everything that is decided before anything is written.
pub struct NewProject {
    pub subject: Box<dyn Subject>,
    pub template: TemplateInfo,
    pub tag: SpecTag,
    pub files: FileSet,
    pub managed: BTreeSet<RelativePath>,
    /// The directory of the runtime, when there is one.
    pub runtime: Option<RelativePath>,
    pub notes: Vec<String>,
    /// Commands to run in the new project.
    pub next: Vec<String>,
    /// What to do with it first.
    pub advice: Option<String>,
    /// The description that its commands are made from.
    pub api: Option<DescribedApi>,
}

impl NewProject {
    /// Decides on names, preset, tag and every file.
    ///
    /// # Errors
    /// When an input is wrong.
    pub fn plan(args: &NewRequest) -> Result<Self, Failure> {
        let mut template = template(&args.template)?;
        let described = match &args.openapi {
            None => None,
            Some(request) => Some(described::read(&template, &args.name, request)?),
        };
        let preset = match &described {
            Some(described) => Some(own_preset::given(&mut template, described.preset.clone())),
            None => own_preset::named(&mut template, args.preset.as_deref())?,
        };
        let takes_checkout =
            SCAFFOLDERS.of(template.info.family).is_some_and(|family| family.takes_checkout());
        if args.ao.is_some() && !takes_checkout {
            let name = &template.info.name;
            let message = format!("`--ao` is for adapters, not for the template `{name}`");
            return Err(Failure::new(ErrorCode::Validation, message)
                .hint("omit it, or add `--template agent-adapter`"));
        }
        let named = NamedProject::of(&template, &args.name, preset, args.ao.as_deref())?;
        let answers = answers::collect(
            &template.info.questions,
            args.answers.as_deref(),
            &args.set,
            &named.variables(),
        )?;
        let tag = requested_tag(template.info.family, &args.spec)?;
        let release = spec_source::embedded_release(template.info.family, &tag)?;
        let made = named.render(answers, (env!("CARGO_PKG_VERSION"), tag.as_str()))?;
        let Rendering { subject, files, mut record, next, advice, .. } = made;
        record.openapi = described.as_ref().map(|described| described.section.clone());
        let runtime = record.runtime.as_ref().map(|runtime| runtime.path.clone());
        let (files, managed) = assemble(files, &record, release)?;
        subject.refuse(&files)?;
        let (template, notes) = (template.info, Vec::new());
        let api = described.map(|described| described.answer);
        Ok(Self { subject, template, tag, files, managed, runtime, notes, next, advice, api })
    }

    /// Name of the project's directory.
    pub fn tool(&self) -> &str {
        self.subject.tool()
    }
}

/// All files of the new project, and which of them aos keeps.
pub fn assemble(
    scaffolded: FileSet,
    record: &Record,
    release: Arc<SpecRelease>,
) -> Result<(FileSet, BTreeSet<RelativePath>), Failure> {
    let files_failure =
        |error: crate::plan::FileSetError| Failure::new(ErrorCode::Unknown, error.to_string());
    let bytes = |path: &str| {
        let path = RelativePath::parse(path).ok()?;
        scaffolded.get(&path).map(|content| content.bytes.to_vec())
    };
    let sources = SourceBytes {
        source: outputs::source(record.family, &record.spec.directory)
            .and_then(|path| bytes(&path)),
        go_mod: bytes("go.mod"),
    };
    let desired = Desired::compute(record, release, &sources, WantedRuntime::Newest(None))?;
    let managed = desired.files()?;
    let mut files = scaffolded;
    let record_path = RelativePath::literal(RECORD_PATH);
    files.insert(record_path, Content::plain(record.render())).map_err(files_failure)?;
    let paths = managed.paths().cloned().collect();
    files.extend(managed).map_err(files_failure)?;
    files.validate_tree().map_err(files_failure)?;
    Ok((files, paths))
}
