//! A project as one version of a template gives it for one set of answers: the user's files, and the record.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::generate::output::Output;
use crate::generate::record::Record;
use crate::generate::record_runtime::RuntimeSection;
use crate::generate::record_spec::SpecSection;
use crate::generate::record_template::TemplateSection;
use crate::generate::render::{Engine, RenderError};
use crate::generate::scaffold::{Scaffold, ScaffoldError, ScaffoldOrigin, is_wanted, named};
use crate::inputs::template::{Template, TemplateInfo};
use crate::plan::{FileSet, RelativePath};
use crate::report::{ErrorCode, Failure};

use super::subject::{self, SCAFFOLDERS, Subject, WantedProject};

/// A template and the name of a project, before the questions are answered.
pub struct NamedProject<'a> {
    template: &'a Template,
    wanted: WantedProject<'a>,
    name: Box<dyn subject::Named>,
}

/// A project as a template gives it.
pub struct Rendering {
    pub subject: Box<dyn Subject>,
    /// Files of the user; those that aos keeps follow from the record.
    pub files: FileSet,
    /// The name of each file inside the template, unwanted files included.
    pub origins: BTreeMap<RelativePath, String>,
    pub record: Record,
    /// Commands to run in the new project.
    pub next: Vec<String>,
    /// The first step after creation.
    pub advice: Option<String>,
}

impl<'a> NamedProject<'a> {
    /// The project `name` of `template`.
    ///
    /// # Errors
    /// Returns an error if no project can be called so.
    pub fn of(
        template: &'a Template,
        name: &'a str,
        preset: Option<&'a str>,
        checkout: Option<&'a Path>,
    ) -> Result<Self, Failure> {
        let (info, presets) = (&template.info, &template.presets);
        let wanted = WantedProject { name, preset, template: info, presets, checkout };
        let family = SCAFFOLDERS.of(template.info.family);
        let family = family.ok_or_else(|| faulty("projects of its family cannot be created"))?;
        let name = family.name(&wanted)?;
        Ok(Self { template, wanted, name })
    }

    /// Returns the variables for the defaults of questions.
    pub fn variables(&self) -> Map<String, Value> {
        self.name.variables()
    }

    /// Renders every file, as the aos of a version does for a contract.
    ///
    /// # Errors
    /// Returns an error if preset and answers do not fit, or the template is faulty.
    pub fn render(
        self,
        answers: BTreeMap<String, String>,
        versions: (&str, Option<&str>),
    ) -> Result<Rendering, Failure> {
        let is_own = self.template.is_own;
        self.rendered(answers, versions).map_err(|fault| match fault {
            Unrendered::Input(failure) => failure,
            Unrendered::Template(error) if is_own => of_the_user(&error),
            Unrendered::Template(error) => faulty(error),
        })
    }

    /// The same, for a caller that wants to know where a template is wrong.
    ///
    /// # Errors
    /// As [`NamedProject::render`].
    pub fn rendered(
        self,
        mut answers: BTreeMap<String, String>,
        (aos_version, spec_tag): (&str, Option<&str>),
    ) -> Result<Rendering, Unrendered> {
        let Template { info, files, .. } = self.template;
        let subject = self.name.subject(&self.wanted, &mut answers)?;
        let aos_repository = env!("CARGO_PKG_REPOSITORY");
        let origin =
            ScaffoldOrigin { spec_tag: spec_tag.unwrap_or_default(), aos_version, aos_repository };
        let variables = subject.variables(&answers, &origin);
        let mut engine = Engine::new(&variables)?;
        let mut render = |name: &str, text: &str| engine.render(name, text);
        let next = info.next.iter().map(|step| render(step, step)).collect::<Result<_, _>>()?;
        let advice = render("advice", &info.advice)?;
        let scaffold = Scaffold {
            files,
            executables: &info.executables,
            only: &info.only,
            tool: subject.tool(),
            package: &subject.package(),
            variables,
            resources: subject.resources(),
            answers: &answers,
        };
        let mut scaffolded = scaffold.files()?;
        let of_subject = subject.files().map_err(ScaffoldError::from)?;
        scaffolded.extend(of_subject).map_err(ScaffoldError::from)?;
        let origins = scaffold.origins();
        answers.insert("name".to_owned(), subject.name().to_owned());
        answers.retain(|_, value| !value.is_empty());
        let mut record = record(info, subject.as_ref(), answers)?;
        record.template = Some(TemplateSection {
            name: info.name.clone(),
            version: info.version.clone(),
            aos: Some(aos_version.to_owned()),
            spec: spec_tag.map(str::to_owned),
            origin: None,
        });
        let advice = Some(advice.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Rendering { subject, files: scaffolded, origins, record, next, advice })
    }
}

/// Why a template gives no project.
pub enum Unrendered {
    /// Preset, name and answers do not fit, or the record would be wrong.
    Input(Failure),
    Template(ScaffoldError),
}

impl From<Failure> for Unrendered {
    fn from(failure: Failure) -> Self {
        Self::Input(failure)
    }
}

impl From<ScaffoldError> for Unrendered {
    fn from(error: ScaffoldError) -> Self {
        Self::Template(error)
    }
}

impl From<RenderError> for Unrendered {
    fn from(error: RenderError) -> Self {
        Self::Template(error.into())
    }
}

/// Templates are part of the binary, so what they break is not a fault of the input.
fn faulty(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Unknown, format!("the template cannot be rendered: {error}"))
        .hint("this build of aos is defective; install a release")
}

/// Faults of a user's own template, which its author must fix.
fn of_the_user(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Validation, format!("the template cannot be rendered: {error}"))
        .hint("fix the template; `aos template check DIR` renders every combination of its choices")
}

fn record(
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
        template: None,
        upgrade: None,
        openapi: None,
        answers,
        outputs,
        runtime,
        waivers: Vec::new(),
        conform,
        added: BTreeMap::new(),
    })
}
