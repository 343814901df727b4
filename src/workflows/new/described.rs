//! `--openapi FILE`: a description is read, its commands are decided on, and become the preset of a project.

use std::collections::BTreeMap;
use std::path::Path;

use crate::generate::record_openapi::OpenapiSection;
use crate::inputs::template::Template;
use crate::openapi::{
    self, ApiDescription, ApiPlan, ApiWishes, CredentialForm, DescriptionError, MAX_UNASKED,
    WishFault,
};
use crate::plan::Digest;
use crate::reason::Reason;
use crate::report::answers::openapi::{
    DescribedApi, DescribedCommand, LeftOutOperation, TagCount, UnsupportedPart,
};
use crate::report::style::Style;
use crate::report::{ErrorCode, Failure};
use crate::system::files;
use crate::visible::{Visible, excerpt, visible};

use super::request::OpenapiRequest;
use super::subject::SCAFFOLDERS;

/// Most tags in a failure.
const MAX_TAGS: usize = 40;

/// A description that was read and planned.
pub struct DescribedProject {
    pub preset: String,
    pub section: OpenapiSection,
    pub answer: DescribedApi,
    pub api: ApiDescription,
    pub plan: ApiPlan,
}

/// The description in a file, regardless of the selection.
pub struct LoadedApi {
    pub api: ApiDescription,
    pub digest: Digest,
    pub name: String,
}

/// Reads a description and makes the preset of the project `name`.
///
/// # Errors
/// Returns an error if it cannot be read, a choice does not fit, or nothing is chosen of too many operations.
pub fn read(
    template: &Template,
    name: &str,
    request: &OpenapiRequest,
) -> Result<DescribedProject, Failure> {
    let loaded = load(&request.file)?;
    if request.select.is_empty() {
        few_enough(&loaded.api, &request.file)?;
    }
    let wishes = wishes(request)?;
    make(template, name, loaded, &wishes)
}

/// Explores a description without a limit on its operations.
///
/// # Errors
/// As those of `read`.
pub fn explore(
    template: &Template,
    name: &str,
    request: &OpenapiRequest,
) -> Result<DescribedApi, Failure> {
    let wishes = wishes(request)?;
    Ok(make(template, name, load(&request.file)?, &wishes)?.answer)
}

/// Decides on the commands of a description.
///
/// # Errors
/// Returns an error if the family takes no description, or a choice does not fit.
pub fn make(
    template: &Template,
    name: &str,
    loaded: LoadedApi,
    wishes: &ApiWishes,
) -> Result<DescribedProject, Failure> {
    let info = &template.info;
    let without = || {
        let message = format!("the template `{}` makes no commands from a description", info.name);
        Failure::new(ErrorCode::Validation, message).hint(
            "use `--template connector-python`, `cli-python` or `cli-go`, or omit `--openapi`",
        )
    };
    let family = SCAFFOLDERS.of(info.family).ok_or_else(without)?;
    let names = family.described_names(name)?.ok_or_else(without)?;
    let LoadedApi { api, digest, name: file } = loaded;
    let plan = openapi::plan(&api, wishes, (&names.variable_prefix, names.id_length))
        .map_err(|fault| unmet(&fault))?;
    let preset = family.described_preset(name, &api, &plan)?;
    let section = OpenapiSection {
        description: file,
        digest,
        select: wishes.select.clone(),
        include_deprecated: wishes.include_deprecated,
        modes: wishes.modes.clone(),
        renames: wishes.renames.clone(),
    };
    let answer = answer(&api, &plan, digest);
    Ok(DescribedProject { preset, section, answer, api, plan })
}

/// Reads the description at `file`, and the files below its directory that it refers to.
///
/// # Errors
/// Returns an error if it is not a description, or too large.
pub fn load(file: &Path) -> Result<LoadedApi, Failure> {
    let shown = file.display().to_string();
    let refused = |reason: String| {
        Failure::new(ErrorCode::Validation, format!("description `{}`: {reason}", excerpt(&shown, 200)))
            .hint("supported are OpenAPI 3.0 to 3.2 and Swagger 2.0, as JSON or YAML; docs/openapi.md has the details")
    };
    let loaded =
        files::read_named(file, openapi::MAX_BYTES).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::new(
                ErrorCode::NotFound,
                format!("description `{}` does not exist", excerpt(&shown, 200)),
            )
            .hint("check the path; aos downloads nothing, so download the description first"),
            _ => refused(error.to_string()),
        })?;
    let digest = Digest::of(&loaded.bytes);
    let name =
        file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let directory = file.parent().map(Path::to_owned).unwrap_or_default();
    let below = |path: &str| {
        let loaded = files::read(&directory.join(path), openapi::MAX_BYTES);
        loaded.map(|loaded| loaded.bytes).map_err(Reason::of)
    };
    let api = openapi::read(&name, loaded.bytes, &below)
        .map_err(|error: DescriptionError| refused(error.reason(&name)))?;
    Ok(LoadedApi { api, digest, name: excerpt(&name, 100) })
}

/// Returns the choices on the command line.
///
/// # Errors
/// Returns an error if a pair is none.
pub fn wishes(request: &OpenapiRequest) -> Result<ApiWishes, Failure> {
    Ok(ApiWishes {
        select: request.select.clone(),
        include_deprecated: request.include_deprecated,
        modes: pairs("mode", &request.modes)?,
        renames: pairs("rename", &request.renames)?,
        ..ApiWishes::default()
    })
}

fn pairs(option: &str, texts: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pair = |text: &String| {
        text.split_once('=')
            .map(|(id, value)| (id.trim().to_owned(), value.trim().to_owned()))
            .ok_or_else(|| {
                let message =
                    format!("`--{option} {}` is not of the form ID=VALUE", excerpt(text, 80));
                Failure::new(ErrorCode::Usage, message)
            })
    };
    texts.iter().map(pair).collect()
}

/// Refuses to make a tool of everything without being asked: hosts and agents cannot use so many commands.
fn few_enough(api: &ApiDescription, file: &Path) -> Result<(), Failure> {
    let count = api.endpoints.iter().filter(|endpoint| !endpoint.is_deprecated).count();
    if count <= MAX_UNASKED {
        return Ok(());
    }
    let tags = tags(api);
    let first = tags.iter().find(|tag| tag.operations <= MAX_UNASKED);
    let selector = first.map_or_else(|| "/PATH*".to_owned(), |tag| tag.tag.clone());
    let file = super::outcome::shell_word(&file.display().to_string());
    let proposal =
        format!("aos new NAME --openapi {file} --select {}", super::outcome::shell_word(&selector));
    let shown: Vec<_> = tags.iter().take(MAX_TAGS).cloned().collect();
    let some: Vec<_> =
        tags.iter().take(6).map(|tag| format!("{} ({})", tag.tag, tag.operations)).collect();
    let named =
        if some.is_empty() { String::new() } else { format!("; its tags are {}", some.join(", ")) };
    let message = format!(
        "it describes {count} operations, and no client can use so many commands at once{named}"
    );
    Err(Failure::new(ErrorCode::Validation, message)
        .hint(format!("select some: `{proposal}`; `--list` lists all, `--select '*'` selects all"))
        .detail("operations", count)
        .detail("proposal", proposal)
        .detail("tags", shown))
}

/// The tags with their operations, the largest first.
fn tags(api: &ApiDescription) -> Vec<TagCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for endpoint in &api.endpoints {
        match endpoint.tags.first() {
            Some(tag) => *counts.entry(tag).or_default() += 1,
            None => *counts.entry("").or_default() += 1,
        }
    }
    let mut tags: Vec<_> = counts
        .into_iter()
        .filter(|(tag, _)| !tag.is_empty())
        .map(|(tag, operations)| TagCount { tag: tag.to_owned(), operations })
        .collect();
    tags.sort_by(|one, other| other.operations.cmp(&one.operations).then(one.tag.cmp(&other.tag)));
    tags
}

fn unmet(fault: &WishFault) -> Failure {
    let (code, hint) = match fault {
        WishFault::Unknown { near, .. } => (
            ErrorCode::NotFound,
            near.as_ref().map_or_else(
                || "`--list` shows the ids".to_owned(),
                |near| format!("did you mean `{near}`?"),
            ),
        ),
        WishFault::Select(_) => {
            (ErrorCode::NotFound, "`--list` shows tags, paths and ids".to_owned())
        }
        WishFault::LowMode { id, lowest, .. } => {
            (ErrorCode::Validation, format!("use `--mode {id}={lowest}`, or omit the option"))
        }
        WishFault::Mode { .. } | WishFault::Rename { .. } => {
            (ErrorCode::Validation, "`--list` shows ids and modes".to_owned())
        }
        WishFault::Nothing(_) => {
            (ErrorCode::Validation, "`--list` lists the operations that are left out".to_owned())
        }
    };
    Failure::new(code, fault.to_string()).hint(hint)
}

/// Returns the answer about a plan.
#[must_use]
pub fn answer(api: &ApiDescription, plan: &ApiPlan, digest: Digest) -> DescribedApi {
    let commands = plan.commands.iter().map(|command| {
        let list = command.endpoint.reply.list.as_ref();
        let paging = list.map(|list| match &list.paging {
            Some(paging) if paging.next.is_empty() => paging.style.to_owned(),
            Some(paging) => format!("{} at {}", paging.style, paging.next),
            None => "one page".to_owned(),
        });
        let inputs = command.endpoint.inputs.iter().zip(&command.options);
        DescribedCommand {
            id: command.id.clone(),
            mode: command.decision.mode.to_owned(),
            class: command.decision.class.to_owned(),
            request: command.endpoint.request(),
            inputs: inputs
                .map(
                    |(input, option)| {
                        if input.is_required { format!("{option}*") } else { option.clone() }
                    },
                )
                .collect(),
            paging,
            mode_reason: command.decision.reason.clone(),
            id_reason: command.id_reason.clone(),
            summary: command.endpoint.summary.clone(),
            notes: command.endpoint.notes.clone(),
        }
    });
    let mut unsupported: Vec<_> = api
        .unsupported
        .iter()
        .map(|(what, count)| UnsupportedPart { what: (*what).to_owned(), count: *count })
        .collect();
    unsupported.extend(api.unread.iter().map(|(file, reason)| UnsupportedPart {
        what: format!("`{file}` was not read: {reason}"),
        count: 1,
    }));
    DescribedApi {
        title: api.title.clone(),
        api_version: api.version.clone(),
        digest: digest.to_string(),
        operations: api.endpoints.len(),
        unselected: plan.unselected,
        tags: tags(api),
        base_url: plan.base_url.clone(),
        auth: form_name(&plan.credentials.form).to_owned(),
        health: plan.health.clone(),
        commands: commands.collect(),
        left_out: plan
            .left_out
            .iter()
            .map(|left| LeftOutOperation {
                request: left.request.clone(),
                id: left.id.clone(),
                reason: left.reason.clone(),
            })
            .collect(),
        unsupported,
        notes: plan.notes.clone(),
    }
}

fn form_name(form: &CredentialForm) -> &'static str {
    match form {
        CredentialForm::None => "none",
        CredentialForm::Bearer => "bearer",
        CredentialForm::Basic => "basic",
        CredentialForm::Header(_) => "header",
        CredentialForm::Query(_) => "query",
    }
}

/// The table for people.
#[must_use]
pub fn text(api: &DescribedApi, style: Style) -> Visible {
    let width = |of: fn(&DescribedCommand) -> usize| api.commands.iter().map(of).max().unwrap_or(0);
    let (id, request) = (width(|c| c.id.len()), width(|c| c.request.len()).min(60));
    let mut lines = vec![visible!(
        "{} {}: {} of {} operations become commands",
        style.strong(&api.title),
        api.api_version,
        api.commands.len(),
        api.operations
    )];
    for command in &api.commands {
        let mode = format!("{} {}", command.mode, command.class);
        let paging =
            command.paging.as_ref().map_or_else(String::new, |paging| format!("  [{paging}]"));
        lines.push(visible!(
            "  {}  {}  {}  {}{}",
            format!("{:<id$}", command.id),
            format!("{mode:<17}"),
            format!("{:<request$}", command.request),
            command.inputs.join(" "),
            paging
        ));
        let reasons = command.id_reason.iter().chain(&command.notes);
        lines.extend(reasons.map(|note| visible!("      {} {}", style.warning("note:"), note)));
    }
    if !api.left_out.is_empty() {
        lines.push(visible!("left out: {}", api.left_out.len()));
        lines.extend(
            api.left_out.iter().map(|left| visible!("  {}: {}", left.request, left.reason)),
        );
    }
    if api.unselected > 0 {
        lines.push(visible!("not selected: {}", api.unselected));
    }
    let tags: Vec<_> =
        api.tags.iter().map(|tag| format!("{} ({})", tag.tag, tag.operations)).collect();
    if !tags.is_empty() {
        lines.push(visible!("tags: {}", tags.join(", ")));
    }
    for part in &api.unsupported {
        lines.push(visible!("not supported: {} ({})", part.what, part.count));
    }
    lines.extend(api.notes.iter().map(|note| visible!("{} {}", style.warning("note:"), note)));
    Visible::joined(lines, "\n")
}
