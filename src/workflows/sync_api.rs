//! `aos sync-api` and `aos add --openapi`: other operations of the API that the commands of a project were made from.
//!
//! Both renderings, before and after, go through the three-way merge of `upgrade`, so that edited handlers are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::generate::record_openapi::OpenapiSection;
use crate::inputs::project::{Project, Slot};
use crate::inputs::template::Template;
use crate::openapi::{ApiDescription, ApiWishes, KnownCommand, RequestKey, moved};
use crate::report::answers::openapi::ApiChange;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::files;
use crate::visible::excerpt;
use crate::workflows::Run;
use crate::workflows::new::described::DescribedProject;
use crate::workflows::new::subject::SCAFFOLDERS;
use crate::workflows::new::{described, own_preset};
use crate::workflows::upgrade::{self, OtherOperations, UpgradeRequest};
use crate::workflows::write_gate::WriteOptions;

/// Largest preset, in bytes.
const MAX_PRESET: u64 = 8 * 1024 * 1024;

/// The request of `aos sync-api`.
#[derive(Clone, Debug)]
pub struct SyncApiRequest {
    pub path: PathBuf,
    pub description: PathBuf,
    /// An operation to add, by operationId, id or request; without one the whole selection is renewed.
    pub operation: Option<String>,
    pub write: WriteOptions,
}

/// The recorded facts about the API of a project.
struct Recorded {
    name: String,
    template: Template,
    section: OpenapiSection,
    preset: String,
    known: BTreeMap<RequestKey, KnownCommand>,
}

/// Renews the commands of a project, or adds one.
///
/// # Errors
/// Returns an error if the project was not made from a description, an operation is not there, or work would be lost
/// without a token.
pub fn run(request: &SyncApiRequest, run: &Run) -> Result<Outcome, Failure> {
    let recorded = recorded(&request.path)?;
    let template = &recorded.template;
    let loaded = described::load(&request.description)?;
    let mut notes = Vec::new();
    let mut wishes = kept_wishes(&recorded, &loaded.api, &mut notes);
    let mut select = recorded.section.select.clone();
    if let Some(operation) = &request.operation {
        let key = find(&loaded.api, &recorded, operation)?;
        let request = format!("{} {}", key.0, key.1);
        if recorded.known.contains_key(&key) {
            let message = format!("the project already has a command for `{request}`");
            return Err(Failure::new(ErrorCode::Conflict, message)
                .hint("`aos sync-api` updates existing commands"));
        }
        let mut only: BTreeSet<RequestKey> = recorded.known.keys().cloned().collect();
        only.extend(wishes.kept.keys().cloned());
        only.insert(key);
        wishes.only = Some(only);
        if !select.is_empty() {
            if select.iter().all(|pattern| pattern.trim_start().starts_with('!')) {
                // With exclusions alone, everything else is selected, which one more operation must not change.
                select.push("*".to_owned());
            }
            select.push(request);
        }
    }
    let described = described::make(template, &recorded.name, loaded, &wishes)?;
    let family = SCAFFOLDERS.of(template.info.family);
    let mut changes = match family {
        Some(family) => family.described_changes(&recorded.preset, &described.preset)?,
        None => Vec::new(),
    };
    explain_missing(&mut changes, &described);
    let deprecated = described.plan.commands.iter().filter(|one| one.endpoint.is_deprecated);
    notes.extend(deprecated.map(|one| format!("the API calls `{}` deprecated", one.id)));
    // A long list is cut at its end.
    changes.sort_by_key(|change| !change.is_breaking);
    if request.operation.is_some() {
        only_adds(&recorded, &changes)?;
    }
    let breaking = changes.iter().filter(|change| change.is_breaking).count();
    let compatible = changes.iter().filter(|change| !change.is_breaking).count();
    notes.push(format!(
        "`api_changes` lists the changes of the API: {breaking} breaking, {compatible} compatible"
    ));
    for change in &changes {
        let kind = if change.is_breaking { "breaking" } else { "compatible" };
        notes.push(format!("{kind}: `{}`: {}", change.command, change.what));
    }
    let section = OpenapiSection {
        select,
        modes: recorded.section.modes.clone(),
        renames: recorded.section.renames.clone(),
        ..described.section
    };
    let command = if request.operation.is_some() { "add" } else { "sync-api" };
    let api = OtherOperations { command, preset: described.preset, section, changes, notes };
    let upgrade = UpgradeRequest {
        path: request.path.clone(),
        api: Some(api),
        stay: true,
        write: request.write.clone(),
        ..UpgradeRequest::default()
    };
    upgrade::merge(&upgrade, run)
}

/// Says of each command that goes while the API still has its operation why it goes.
fn explain_missing(changes: &mut [ApiChange], described: &DescribedProject) {
    let (api, plan) = (&described.api, &described.plan);
    for change in changes.iter_mut().filter(|change| change.is_breaking) {
        let stays = plan.commands.iter().any(|command| command.id == change.command);
        let is_in_api = api.endpoints.iter().any(|one| one.request() == change.request);
        if stays || !is_in_api {
            continue;
        }
        let reason = plan.left_out.iter().find(|left| left.request == change.request);
        change.what = reason.map_or_else(
            || "the recorded selection no longer includes it".to_owned(),
            |left| format!("it is now left out: {}", left.reason),
        );
    }
}

/// Refuses to add a command with a description that says something else of the commands that are there.
fn only_adds(recorded: &Recorded, changes: &[ApiChange]) -> Result<(), Failure> {
    let present: BTreeSet<&String> = recorded.known.values().map(|known| &known.id).collect();
    let others: BTreeSet<&str> = changes
        .iter()
        .filter(|change| present.contains(&change.command))
        .map(|change| change.command.as_str())
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> = others.iter().take(5).map(|command| format!("`{command}`")).collect();
    let more = others.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message =
        format!("this description also changes existing commands: {}{more}", shown.join(", "));
    Err(Failure::new(ErrorCode::Conflict, message)
        .hint("look at `aos sync-api --openapi FILE --dry-run`, update the commands first, then add the operation"))
}

fn recorded(path: &Path) -> Result<Recorded, Failure> {
    let without = || {
        Failure::new(
            ErrorCode::Validation,
            "the commands of this project were not made from a description",
        )
        .hint("`aos add NAME --request 'METHOD /path'` adds a command by hand")
    };
    let project = Project::open(path).map_err(|_| without())?;
    let Slot::Good(record) = &project.record else { return Err(without()) };
    let section = record.openapi.clone().ok_or_else(without)?;
    let name = record.answers.get("name").cloned().ok_or_else(without)?;
    let template = record.template.as_ref().ok_or_else(without)?;
    let template = upgrade::recorded_template(&project.root, template)?;
    let file = project.root.join(own_preset::PATH);
    let preset =
        files::read(&file, MAX_PRESET).ok().and_then(|loaded| String::from_utf8(loaded.bytes).ok());
    let preset = preset.ok_or_else(|| {
        Failure::new(ErrorCode::Config, format!("`{}` cannot be read", own_preset::PATH))
            .hint("restore it from the history of the project")
    })?;
    let family = SCAFFOLDERS.of(record.family).ok_or_else(without)?;
    let known = family.described_known(&preset)?;
    Ok(Recorded { name, template, section, preset, known })
}

/// The recorded choices for the ids that the operations have now.
fn kept_wishes(recorded: &Recorded, api: &ApiDescription, notes: &mut Vec<String>) -> ApiWishes {
    let section = &recorded.section;
    let is_free =
        |now: &RequestKey, key: &RequestKey| now == key || !recorded.known.contains_key(now);
    let mut kept = BTreeMap::new();
    let mut options = BTreeMap::new();
    for (key, known) in &recorded.known {
        let now = moved(&api.endpoints, key, &known.operation_id);
        if let Some(now) = now.filter(|now| is_free(now, key)) {
            options.insert(now.clone(), known.options.clone());
            kept.insert(now, known.id.clone());
        }
    }
    let present: BTreeSet<&String> = kept.values().collect();
    let mut modes = BTreeMap::new();
    for (id, mode) in &section.modes {
        let now = section.renames.get(id).unwrap_or(id);
        if present.contains(now) {
            modes.insert(now.clone(), mode.clone());
        } else {
            notes.push(format!(
                "the recorded mode of `{}` no longer has a command",
                excerpt(id, 60)
            ));
        }
    }
    ApiWishes {
        select: section.select.clone(),
        include_deprecated: section.include_deprecated,
        modes,
        kept,
        options,
        ..ApiWishes::default()
    }
}

/// The operation that is intended: by operationId, by id, or by method and path.
fn find(api: &ApiDescription, recorded: &Recorded, wanted: &str) -> Result<RequestKey, Failure> {
    let known = recorded.known.iter().map(|(key, known)| (key.clone(), known.id.clone()));
    let ids = crate::openapi::ids(api, &known.collect());
    let found: Vec<_> = api
        .endpoints
        .iter()
        .zip(&ids)
        .filter(|(endpoint, id)| {
            endpoint.operation_id == wanted || *id == wanted || endpoint.request() == wanted
        })
        .map(|(endpoint, _)| (endpoint.method.clone(), endpoint.path.clone()))
        .collect();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            let names = api.endpoints.iter().map(|endpoint| endpoint.operation_id.as_str());
            let near = crate::contract::suggestion::nearest(
                wanted,
                names.chain(ids.iter().map(String::as_str)),
            );
            let hint = near.map_or_else(
                || "`aos new NAME --openapi FILE --list` shows all".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("the description has no operation `{}`", excerpt(wanted, 80));
            Err(Failure::new(ErrorCode::NotFound, message).hint(hint))
        }
        several => {
            let requests: Vec<_> =
                several.iter().map(|(method, path)| format!("{method} {path}")).collect();
            let message = format!("`{}` names {} operations", excerpt(wanted, 80), several.len());
            Err(Failure::new(ErrorCode::Validation, message)
                .hint(format!("pass one of them: {}", requests.join(", "))))
        }
    }
}
