//! Everything about a new project that is decided before anything is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::contract::{Family, SpecTag};
use crate::generate::outputs;
use crate::generate::record::{RECORD_PATH, Record};
use crate::generate::record_origin::ARCHIVE_PATH;
use crate::generate::vendor::SpecRelease;
use crate::inputs::answers;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::desired_runtime::WantedRuntime;
use crate::inputs::spec_source;
use crate::inputs::template::TemplateInfo;
use crate::plan::{Content, FileSet, RelativePath};
use crate::report::answers::openapi::DescribedApi;
use crate::report::{ErrorCode, Failure};
use crate::workflows::asked::requested_tag;

use super::choices::{ChosenValues, template};
use super::described;
use super::own_preset;
use super::rendering::{NamedProject, Rendering};
use super::request::NewRequest;
use super::subject::{SCAFFOLDERS, Subject};

/// Everything that is decided before anything is written.
pub struct NewProject {
    pub subject: Box<dyn Subject>,
    pub template: TemplateInfo,
    /// The contract it follows; `None` without one.
    pub tag: Option<SpecTag>,
    pub files: FileSet,
    pub managed: BTreeSet<RelativePath>,
    /// The directory of the runtime, when there is one.
    pub runtime: Option<RelativePath>,
    pub notes: Vec<String>,
    /// Commands to run in the new project.
    pub next: Vec<String>,
    /// The first step after creation.
    pub advice: Option<String>,
    /// The description that its commands are made from.
    pub api: Option<DescribedApi>,
}

impl NewProject {
    /// Decides on names, preset, tag and every file.
    ///
    /// # Errors
    /// Returns an error if an input is wrong.
    pub fn plan(args: &NewRequest) -> Result<Self, Failure> {
        let ChosenValues { mut template, own } = template(&args.template, args.roots.as_deref())?;
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
        let tag = contract_tag(template.info.family, &args.spec)?;
        let versions = (env!("CARGO_PKG_VERSION"), tag.as_ref().map(SpecTag::as_str));
        let made = named.render(answers, versions)?;
        let Rendering { subject, mut files, mut record, next, advice, .. } = made;
        record.openapi = described.as_ref().map(|described| described.section.clone());
        let runtime = record.runtime.as_ref().map(|runtime| runtime.path.clone());
        let mut notes = Vec::new();
        let mut kept = FileSet::default();
        if let (Some(own), Some(section)) = (own, &mut record.template) {
            section.origin = Some(own.origin);
            notes = own.notes;
            kept.insert(RelativePath::literal(ARCHIVE_PATH), own.archive).map_err(files_failure)?;
        }
        let mut managed: BTreeSet<_> = kept.paths().cloned().collect();
        files.extend(kept).map_err(files_failure)?;
        let files = match &tag {
            Some(tag) => {
                let release = spec_source::embedded_release(template.info.family, tag)?;
                let (files, of_contract) = assemble(files, &record, release)?;
                managed.extend(of_contract);
                files
            }
            None => with_record(files, &record)?,
        };
        subject.refuse(&files)?;
        let template = template.info;
        let api = described.map(|described| described.answer);
        Ok(Self { subject, template, tag, files, managed, runtime, notes, next, advice, api })
    }

    /// Name of the project's directory.
    pub fn tool(&self) -> &str {
        self.subject.tool()
    }
}

/// The tag of the contract of a family; `None` for a project without one.
fn contract_tag(family: Family, spec: &str) -> Result<Option<SpecTag>, Failure> {
    if family != Family::NONE {
        return requested_tag(family, spec).map(Some);
    }
    if spec == "latest" {
        return Ok(None);
    }
    Err(Failure::new(ErrorCode::Validation, "the template has no `family`, so it has no contract")
        .hint("omit `--spec`"))
}

fn files_failure(error: crate::plan::FileSetError) -> Failure {
    Failure::new(ErrorCode::Unknown, error.to_string())
}

fn with_record(mut files: FileSet, record: &Record) -> Result<FileSet, Failure> {
    let path = RelativePath::literal(RECORD_PATH);
    files.insert(path, Content::plain(record.render())).map_err(files_failure)?;
    files.validate_tree().map_err(files_failure)?;
    Ok(files)
}

/// All files of the new project, and which of them aos keeps.
pub fn assemble(
    scaffolded: FileSet,
    record: &Record,
    release: Arc<SpecRelease>,
) -> Result<(FileSet, BTreeSet<RelativePath>), Failure> {
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
    let mut files = with_record(scaffolded, record)?;
    let paths = managed.paths().cloned().collect();
    files.extend(managed).map_err(files_failure)?;
    files.validate_tree().map_err(files_failure)?;
    Ok((files, paths))
}
