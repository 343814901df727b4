//! Everything about a new project that is decided before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::SpecTag;
use crate::generate::output::Output;
use crate::generate::outputs;
use crate::generate::record::{RECORD_PATH, Record, SpecSection, TemplateSection};
use crate::generate::record_runtime::RuntimeSection;
use crate::generate::render::Engine;
use crate::generate::scaffold::{Origin, Scaffold, is_wanted, named};
use crate::generate::vendor::SpecRelease;
use crate::inputs::desired::{Desired, SourceBytes, WantedRuntime};
use crate::inputs::template::{Template, TemplateInfo};
use crate::inputs::{answers, spec_source};
use crate::plan::{Content, FileSet, RelativePath};
use crate::report::{ErrorCode, Failure};

use super::choices::template;
use super::subject::{SCAFFOLDERS, Subject, Wanted};
use super::{NewArgs, requested_tag};

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
}

impl NewProject {
    /// Decides on names, preset, tag and every file.
    ///
    /// # Errors
    /// When an input is wrong.
    pub fn plan(args: &NewArgs) -> Result<Self, Failure> {
        let Template { info, files } = template(&args.template)?;
        let wanted = Wanted {
            name: args.name.as_deref().unwrap_or_default(),
            preset: args.preset.as_deref(),
            template: &info,
            checkout: args.ao.as_deref(),
        };
        let family = SCAFFOLDERS.of(info.family);
        let family = family.ok_or_else(|| faulty("its family makes no projects"))?;
        if args.ao.is_some() && !family.takes_checkout() {
            let message = format!("`--ao` is for adapters, not for the template `{}`", info.name);
            return Err(Failure::new(ErrorCode::Validation, message)
                .hint("leave it out, or add `--template agent-adapter`"));
        }
        let name = family.name(&wanted)?;
        let mut answers = answers::collect(
            &info.questions,
            args.answers.as_deref(),
            &args.set,
            &name.variables(),
        )?;
        let notes = Vec::new();
        let subject = name.subject(&wanted, &mut answers)?;
        let tag = requested_tag(info.family, &args.spec)?;
        let release = spec_source::embedded_release(info.family, &tag)?;
        let origin = Origin {
            spec_tag: tag.as_str(),
            aos_version: env!("CARGO_PKG_VERSION"),
            aos_repository: env!("CARGO_PKG_REPOSITORY"),
        };
        let variables = subject.variables(&answers, &origin);
        let mut engine = Engine::new(&variables).map_err(faulty)?;
        let mut render = |name: &str, text: &str| engine.render(name, text).map_err(faulty);
        let next = info.next.iter().map(|step| render(step, step)).collect::<Result<_, _>>()?;
        let advice = render("advice", &info.advice)?;
        let scaffold = Scaffold {
            files: &files,
            executables: &info.executables,
            only: &info.only,
            tool: subject.tool(),
            package: &subject.package(),
            variables,
            resources: subject.resources(),
            answers: &answers,
        };
        let mut scaffolded = scaffold.files().map_err(faulty)?;
        scaffolded.extend(subject.files().map_err(faulty)?).map_err(faulty)?;
        answers.insert("name".to_owned(), subject.name().to_owned());
        answers.retain(|_, value| !value.is_empty());
        let record = record(&info, subject.as_ref(), answers)?;
        let runtime = record.runtime.as_ref().map(|runtime| runtime.path.clone());
        let (files, managed) = assemble(scaffolded, &record, release)?;
        subject.refuse(&files)?;
        let advice = Some(advice.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Self { subject, template: info, tag, files, managed, runtime, notes, next, advice })
    }

    /// Name of the project's directory.
    pub fn tool(&self) -> &str {
        self.subject.tool()
    }
}

/// Templates are part of the binary, so what they break is no fault of the input.
fn faulty(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Unknown, format!("the template cannot be rendered: {error}"))
        .hint("this build of aos is faulty; install a release")
}

pub fn record(
    template: &TemplateInfo,
    subject: &dyn Subject,
    answers: BTreeMap<String, String>,
) -> Result<Record, Failure> {
    let output = |path: &String| {
        let path = named(path, subject.tool(), &subject.package());
        RelativePath::parse(&path).map(Output::at).map_err(faulty)
    };
    let mut outputs = BTreeMap::new();
    for (generator, paths) in &template.outputs {
        let paths = paths.all().iter().map(output).collect::<Result<Vec<Output>, _>>()?;
        let wanted = |output: &Output| {
            let path = output.path.as_str();
            is_wanted(&template.only, path, (subject.tool(), &subject.package()), &answers)
        };
        let paths: Vec<_> = paths.into_iter().filter(wanted).collect();
        if !paths.is_empty() {
            outputs.insert(generator.clone(), paths);
        }
    }
    let runtime = match &template.runtime {
        Some(runtime) => {
            let path = named(&runtime.path, subject.tool(), &subject.package());
            let path = RelativePath::parse(&path).map_err(faulty)?;
            Some(RuntimeSection { name: runtime.name.clone(), path, own: Vec::new() })
        }
        None => None,
    };
    let mut conform = template.conform.clone().parse().map_err(faulty)?;
    for word in &mut conform.command {
        *word = named(word, subject.tool(), &subject.package());
    }
    Ok(Record {
        family: template.family,
        spec: SpecSection::embedded(),
        template: Some(TemplateSection {
            name: template.name.clone(),
            version: template.version.clone(),
        }),
        answers,
        outputs,
        runtime,
        waivers: Vec::new(),
        conform,
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
