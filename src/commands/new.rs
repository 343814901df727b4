//! `aos new`: a complete project from a template, in place by one rename.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::apply;
use crate::cli::WriteOptions;
use crate::contract::connector::ToolName;
use crate::contract::operations::Preset;
use crate::contract::{Family, SpecTag, suggestion};
use crate::generate::outputs::CONNECTOR_PATH;
use crate::generate::record::{
    CONTRACT_DIRECTORY, RECORD_PATH, Record, SpecSection, SpecSource, TemplateSection, quote,
};
use crate::generate::scaffold::Scaffold;
use crate::generate::vendor::SpecRelease;
use crate::inputs::desired::{Desired, SourceBytes};
use crate::inputs::embedded::{self, EXAMPLE_PRESET, TemplateInfo};
use crate::inputs::{answers, spec_source, tree};
use crate::plan::{Content, FileSet, Plan, RelativePath};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::environment;
use crate::system::files::{self, Kind};

use super::Run;
use super::first_commit::{self, FirstCommit};
use super::write_gate::{self, Decision, Request};

/// Longest path inside an archive of a connector: the host's reader cuts names there, in bytes.
const MAX_ARCHIVE_PATH: usize = 100;
const DEFAULT_TEMPLATE: &str = "connector-python";

/// Create a project from a template
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  aos new github\n  aos new acme --set base_url=https://api.acme.example\n  aos new --list"
)]
pub struct NewArgs {
    /// Name of the connector, with or without `aos-`
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,
    /// Describe templates, presets and questions instead
    #[arg(long, conflicts_with_all = ["name", "dry_run", "confirm"])]
    pub list: bool,
    /// Template to use
    #[arg(long, value_name = "TEMPLATE", default_value = DEFAULT_TEMPLATE)]
    pub template: String,
    /// API whose operations become commands; default is the preset called like NAME, else `example`
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<String>,
    /// Directory to create the project in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Answer a question of the template; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// TOML or JSON file with answers; `--set` wins
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Contract tag to pin, or `latest`
    #[arg(long, value_name = "TAG", default_value = "latest")]
    pub spec: String,
    /// Make no git repository
    #[arg(long)]
    pub no_git: bool,
    #[command(flatten)]
    pub write: WriteOptions,
}

/// Runs the command.
///
/// # Errors
/// When an input is wrong or the target is taken; nothing is written then.
pub fn run(args: &NewArgs, run: &Run) -> Result<Outcome, Failure> {
    if args.list {
        return list(run);
    }
    let project = NewProject::plan(args)?;
    let parent = parent(&args.dir)?;
    if !args.write.dry_run {
        apply::remove_leftovers(&parent);
    }
    let target = parent.join(project.tool.as_str());
    let plan = match target_state(&target)? {
        TargetState::Free => Plan::between(&Default::default(), &project.files, &BTreeSet::new()),
        TargetState::Occupied => {
            let current = tree::snapshot(&target, project.files.paths());
            let plan = Plan::between(&current, &project.files, &BTreeSet::new());
            if plan.is_empty() && args.write.confirm.is_none() && !args.write.dry_run {
                return Ok(project.unchanged(&target, run));
            }
            return Err(occupied(&target, &project, &plan));
        }
    };
    let request = Request {
        command: "new",
        arguments: format!("{} {}", project.tool, if args.no_git { "--no-git" } else { "" }),
        root: &target,
        plan: &plan,
        known: &BTreeMap::new(),
    };
    if let Decision::Preview(outcome) = write_gate::decide(&request, &args.write, run)? {
        return Ok(*outcome);
    }
    let wants_git = !args.no_git;
    let inside = first_commit::inside_repository(&parent);
    let tool = project.tool.as_str();
    let git = apply::create(&target, &project.files, |staged| match (wants_git, inside) {
        (false, _) => FirstCommit::none("--no-git was given"),
        (true, true) => FirstCommit::none("the directory is inside a git repository already"),
        (true, false) => first_commit::make(staged, tool),
    })?;
    Ok(project.created(&target, &git, run))
}

/// Everything that is decided before anything is written.
struct NewProject {
    tool: ToolName,
    template: TemplateInfo,
    preset_name: String,
    preset: Preset,
    tag: SpecTag,
    files: FileSet,
    managed: BTreeSet<RelativePath>,
    notes: Vec<String>,
}

impl NewProject {
    fn plan(args: &NewArgs) -> Result<Self, Failure> {
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

    fn unchanged(&self, target: &Path, run: &Run) -> Outcome {
        let text = format!(
            "{} {} is already what `aos new` makes (template {} {}, spec {})",
            run.style.good("unchanged"),
            target.display(),
            self.template.name,
            self.template.version,
            self.tag
        );
        Outcome::new(
            self.data("unchanged", target, &FirstCommit::none("nothing was written")),
            text,
        )
    }

    fn created(&self, target: &Path, git: &FirstCommit, run: &Run) -> Outcome {
        Outcome::new(self.data("created", target, git), self.text(target, git, run))
    }

    fn data(&self, status: &str, target: &Path, git: &FirstCommit) -> serde_json::Value {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|(path, content)| {
                json!({"path": path.as_str(), "role": self.role(path), "executable": content.executable})
            })
            .collect();
        json!({
            "status": status,
            "tool": self.tool.as_str(),
            "path": target,
            "template": self.template.name,
            "template_version": self.template.version,
            "preset": self.preset_name,
            "spec_tag": self.tag.as_str(),
            "commands": self.preset.operations.len() + 3,
            "files": files,
            "git": git.json(),
            "notes": self.notes,
            "next": self.next(target),
        })
    }

    fn role(&self, path: &RelativePath) -> &'static str {
        if self.managed.contains(path) { "managed" } else { "yours" }
    }

    fn next(&self, target: &Path) -> Vec<String> {
        let mut next = vec![
            format!("cd {}", shell_word(&target.display().to_string())),
            "pip install -e \"agent-harness[dev]\" && pytest".to_owned(),
            "aos check".to_owned(),
        ];
        if self.preset_name == EXAMPLE_PRESET {
            next.push("edit connector.json and agent-harness/*/api.py: the example resource `item` is a stand-in for your API".to_owned());
        }
        next
    }

    fn text(&self, target: &Path, git: &FirstCommit, run: &Run) -> String {
        let style = run.style;
        let mut lines = vec![format!(
            "{} {} in {} ({} commands, preset {}, spec {})",
            style.good("created"),
            style.strong(self.tool.as_str()),
            target.display(),
            self.preset.operations.len() + 3,
            self.preset_name,
            self.tag
        )];
        for (role, title) in [
            ("yours", "Yours to edit"),
            ("managed", "Kept by aos (renew with `aos gen` and `aos sync-spec`)"),
        ] {
            lines.push(format!("\n{}", style.strong(title)));
            lines.extend(
                self.files
                    .paths()
                    .filter(|path| self.role(path) == role)
                    .map(|path| format!("  {path}")),
            );
        }
        let repository = match git {
            FirstCommit { committed: true, .. } => "repository made, first commit done".to_owned(),
            FirstCommit { initialised: true, reason, .. } => {
                format!("repository made, not committed: {}", reason.as_deref().unwrap_or_default())
            }
            FirstCommit { reason, .. } => {
                format!("no repository: {}", reason.as_deref().unwrap_or_default())
            }
        };
        lines.push(format!("\n{} {repository}", style.strong("Git")));
        lines.extend(self.notes.iter().map(|note| format!("{} {note}", style.warning("note:"))));
        lines.push(format!("\n{}", style.strong("Next")));
        lines.extend(self.next(target).iter().map(|step| format!("  {}", style.accent(step))));
        lines.join("\n")
    }
}

/// A path as one word for a shell; plain words stay as they are.
fn shell_word(text: &str) -> String {
    let plain = !text.is_empty()
        && text.chars().all(|symbol| {
            symbol.is_ascii_alphanumeric() || matches!(symbol, '/' | '.' | '_' | '-' | '+')
        });
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn template(name: &str) -> Result<TemplateInfo, Failure> {
    embedded::template(name)?.ok_or_else(|| {
        let known = embedded::template_names();
        let hint = suggestion::nearest(name, known.iter().copied()).map_or_else(
            || format!("templates are {}", known.join(", ")),
            |nearest| format!("did you mean `{nearest}`?"),
        );
        Failure::new(ErrorCode::Validation, format!("there is no template `{}`", shown(name)))
            .hint(hint)
            .detail("known_templates", known)
    })
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect::<String>().escape_debug().to_string()
}

fn tool_name(name: &str) -> Result<ToolName, Failure> {
    let full = if name.starts_with("aos-") { name.to_owned() } else { format!("aos-{name}") };
    ToolName::parse(&full).ok_or_else(|| {
        let mended: String = name
            .trim_start_matches("aos-")
            .to_lowercase()
            .split(|symbol: char| !symbol.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-");
        let failure = Failure::new(
            ErrorCode::Validation,
            format!("`{}` is not a connector name: lower-case letters, digits and single dashes, at most 40", shown(name)),
        );
        match ToolName::parse(&format!("aos-{mended}")) {
            Some(_) => failure.hint(format!("`aos new {mended}`")),
            None => failure.hint("choose a name such as `acme` or `my-crm`"),
        }
    })
}

fn preset(
    args: &NewArgs,
    template: &TemplateInfo,
    tool: &ToolName,
    answers: &BTreeMap<String, String>,
    notes: &mut Vec<String>,
) -> Result<(String, Preset), Failure> {
    let known = embedded::preset_names(&template.name);
    let name = match args.preset.as_deref() {
        Some(name) if known.contains(&name) || name == EXAMPLE_PRESET => name,
        Some(name) => {
            let hint = suggestion::nearest(name, known.iter().copied()).map_or_else(
                || format!("presets are {}, {EXAMPLE_PRESET}", known.join(", ")),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            return Err(Failure::new(
                ErrorCode::Validation,
                format!("there is no preset `{}`", shown(name)),
            )
            .hint(hint)
            .detail("known_presets", known));
        }
        None if known.contains(&tool.short()) => tool.short(),
        None => {
            if let Some(nearest) = suggestion::nearest(tool.short(), known.iter().copied()) {
                notes.push(format!(
                    "`{}` is not a preset, so the example was used; if you meant `{nearest}`, delete the project and run `aos new {nearest}`",
                    tool.short()
                ));
            }
            EXAMPLE_PRESET
        }
    };
    let text = embedded::preset_text(&template.name, name).unwrap_or_default();
    let mut preset = embedded::parse_preset(name, &fill_example(text, tool))?;
    override_preset(&mut preset, answers)?;
    Ok((name.to_owned(), preset))
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

fn override_preset(preset: &mut Preset, answers: &BTreeMap<String, String>) -> Result<(), Failure> {
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
    if let Some(base_url) = answer("base_url") {
        if !preset.api.base_url_key.is_empty() {
            return Err(Failure::new(
                ErrorCode::Validation,
                format!(
                    "`base_url` cannot be set: with this preset each user gives it in {}",
                    preset.api.base_url_key
                ),
            )
            .hint("leave `base_url` out"));
        }
        preset.api.base_url = base_url.trim_end_matches('/').to_owned();
    }
    Ok(())
}

/// A tag somebody asked for; `latest` is the newest that the binary carries.
///
/// # Errors
/// When the text is not a tag.
pub fn requested_tag(family: Family, text: &str) -> Result<SpecTag, Failure> {
    if text == "latest" {
        return Ok(spec_source::latest(family)?);
    }
    SpecTag::parse(text).map_err(|error| {
        let known: Vec<_> = embedded::tags(family).iter().map(ToString::to_string).collect();
        Failure::new(ErrorCode::Validation, format!("the tag cannot be used: {error}"))
            .hint(format!("tags of `{family}` are {}, or `latest`", known.join(", ")))
            .detail("known_tags", known)
    })
}

fn record(
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
        spec: SpecSection {
            source: SpecSource::Embedded,
            directory: RelativePath::literal(CONTRACT_DIRECTORY),
            trust_lock: false,
        },
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
fn assemble(
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

fn archive_paths_fit(tool: &ToolName, files: &FileSet) -> Result<(), Failure> {
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

fn parent(dir: &Path) -> Result<PathBuf, Failure> {
    let given = if dir.is_absolute() {
        dir.to_owned()
    } else {
        environment::current_directory()
            .map_err(|error| {
                Failure::new(
                    ErrorCode::Io,
                    format!("the current directory cannot be used: {error}"),
                )
                .hint("run in a directory that exists")
            })?
            .join(dir)
    };
    files::canonical(&given).map_err(|error| {
        Failure::new(ErrorCode::NotFound, format!("`{}` cannot be used: {error}", dir.display()))
            .hint("create the directory first, or leave `--dir` out")
    })
}

enum TargetState {
    Free,
    Occupied,
}

fn target_state(target: &Path) -> Result<TargetState, Failure> {
    let look = |error: std::io::Error| {
        Failure::new(
            crate::error::io_code(&error),
            format!("`{}` cannot be looked at: {error}", target.display()),
        )
    };
    match files::kind(target).map_err(look)? {
        Kind::Absent => Ok(TargetState::Free),
        Kind::Directory if files::names(target).map_err(look)?.is_empty() => Ok(TargetState::Free),
        Kind::Directory => Ok(TargetState::Occupied),
        _ => Err(Failure::new(
            ErrorCode::Validation,
            format!("`{}` exists and is not a directory", target.display()),
        )
        .hint("move it away, or choose another `--dir`; nothing was changed")),
    }
}

/// Every file in the way is named before anything is written.
fn occupied(target: &Path, project: &NewProject, plan: &Plan) -> Failure {
    let differing: BTreeSet<_> = plan
        .edits()
        .iter()
        .filter(|edit| edit.before.is_some())
        .map(|edit| edit.path.to_string())
        .chain(plan.obstacles().iter().map(|obstacle| obstacle.path.to_string()))
        .collect();
    let message = match differing.len() {
        0 => format!("`{}` is not empty", target.display()),
        1 => format!(
            "`{}` is not empty, and one file differs from what aos would write",
            target.display()
        ),
        count => format!(
            "`{}` is not empty, and {count} files differ from what aos would write",
            target.display()
        ),
    };
    let mut failure = Failure::new(ErrorCode::Validation, message)
        .detail("path", target.display().to_string())
        .detail("collisions", differing.iter().cloned().collect::<Vec<_>>());
    failure.hint = Some(format!(
        "move `{}` away or choose another `--dir`; nothing was changed",
        project.tool
    ));
    if !differing.is_empty() {
        failure.report =
            Some(differing.iter().map(|path| format!("  {path}")).collect::<Vec<_>>().join("\n"));
    }
    failure
}

/// Templates, presets and questions.
fn list(run: &Run) -> Result<Outcome, Failure> {
    let style = run.style;
    let mut templates = Vec::new();
    let mut lines = Vec::new();
    for name in embedded::template_names() {
        let info = template(name)?;
        let presets = embedded::preset_names(name);
        lines.push(format!("{} {}: {}", style.strong(&info.name), info.version, info.summary));
        lines.push(format!("  presets: {}, {EXAMPLE_PRESET}", presets.join(", ")));
        lines.push("  answers (--set KEY=VALUE):".to_owned());
        for question in &info.questions {
            let allowed = if question.choices.is_empty() {
                String::new()
            } else {
                format!(" ({}; default {})", question.choices.join(", "), question.default)
            };
            lines.push(format!("    {:<9} {}{allowed}", question.key, question.help));
        }
        let questions: Vec<_> = info
            .questions
            .iter()
            .map(|question| {
                json!({
                    "key": question.key,
                    "help": question.help,
                    "default": question.default,
                    "choices": question.choices,
                })
            })
            .collect();
        templates.push(json!({
            "name": info.name,
            "version": info.version,
            "family": info.family,
            "summary": info.summary,
            "presets": presets.iter().copied().chain([EXAMPLE_PRESET]).collect::<Vec<_>>(),
            "questions": questions,
        }));
    }
    Ok(Outcome::new(json!({"templates": templates}), lines.join("\n")))
}
