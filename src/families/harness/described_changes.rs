//! The changes to the commands of a connector after its API has changed, with breaking changes separate from compatible
//! ones.

use std::collections::BTreeMap;

use super::generate::manifest;
use super::operations::{Operation, Preset, PresetField};
use crate::openapi::{InputPlace, KeptOptions, KnownCommand, RequestKey};
use crate::report::answers::openapi::ApiChange;

/// The ids of the operations that came from a description.
pub fn known(preset: &Preset) -> BTreeMap<RequestKey, KnownCommand> {
    let operations = preset.operations.iter().filter_map(|operation| {
        let (method, path) = operation.x_request.split_once(' ')?;
        let command = KnownCommand {
            id: operation.id.to_string(),
            operation_id: operation.x_operation_id.clone(),
            options: options(operation, path),
        };
        Some(((method.to_owned(), path.to_owned()), command))
    });
    operations.collect()
}

/// The option of each input, by the name that the description gives it.
fn options(operation: &Operation, path: &str) -> KeptOptions {
    let named = |path: &str| -> Vec<String> {
        let parts = path.split('{').skip(1).filter_map(|part| part.split_once('}'));
        parts.map(|(name, _)| name.to_owned()).collect()
    };
    let mut options: KeptOptions = named(path)
        .into_iter()
        .zip(named(&operation.path))
        .map(|(name, option)| ((InputPlace::Path, name), option))
        .collect();
    for (place, wires) in [
        (InputPlace::Query, &operation.query),
        (InputPlace::Header, &operation.headers),
        (InputPlace::Body, &operation.body),
    ] {
        for (name, option) in wires.pairs() {
            let input = match name.as_str() {
                "" => (InputPlace::WholeBody, "body".to_owned()),
                _ => (place, name),
            };
            options.insert(input, option.to_string());
        }
    }
    options
}

/// The changes in the order of the commands, those that are gone at the end.
pub fn between(before: &Preset, after: &Preset) -> Vec<ApiChange> {
    let mut changes = Vec::new();
    let find = |preset: &'_ Preset, request: &str| {
        preset.operations.iter().position(|operation| operation.x_request == request)
    };
    // A command that stays while its request is another.
    let moved = |new: &Operation| {
        before.operations.iter().find(|old| {
            old.id == new.id && !old.x_request.is_empty() && find(after, &old.x_request).is_none()
        })
    };
    for new in &after.operations {
        let same = find(before, &new.x_request).and_then(|at| before.operations.get(at));
        match (same, moved(new)) {
            (Some(old), _) => compare((before, old), (after, new), &mut changes),
            (None, Some(old)) => {
                let is_known = !old.x_operation_id.is_empty();
                let is_other = !is_known || old.x_operation_id != new.x_operation_id;
                let what =
                    format!("its request is `{}`, no longer `{}`", new.x_request, old.x_request);
                changes.push(change(new, is_other, what));
                compare((before, old), (after, new), &mut changes);
            }
            (None, None) => changes.push(change(new, false, "the command is new".to_owned())),
        }
    }
    for old in before.operations.iter().filter(|old| !old.x_request.is_empty()) {
        let stays = after.operations.iter().any(|new| new.id == old.id);
        if find(after, &old.x_request).is_none() && !stays {
            changes.push(change(old, true, "the API no longer has it".to_owned()));
        }
    }
    if before.api.base_url != after.api.base_url {
        changes.push(ApiChange {
            command: String::new(),
            request: String::new(),
            is_breaking: true,
            what: format!(
                "the address is `{}`, no longer `{}`",
                after.api.base_url, before.api.base_url
            ),
        });
    }
    let differs = before.auth.scheme != after.auth.scheme
        || before.auth.secret_key != after.auth.secret_key
        || before.auth.more != after.auth.more;
    if differs {
        changes.push(ApiChange {
            command: String::new(),
            request: String::new(),
            is_breaking: true,
            what: "the credentials are sent in another way".to_owned(),
        });
    }
    changes
}

fn change(operation: &Operation, is_breaking: bool, what: String) -> ApiChange {
    ApiChange {
        command: operation.id.to_string(),
        request: operation.x_request.clone(),
        is_breaking,
        what,
    }
}

fn compare(
    (before, old): (&Preset, &Operation),
    (after, new): (&Preset, &Operation),
    changes: &mut Vec<ApiChange>,
) {
    let mut add = |is_breaking, what: String| changes.push(change(new, is_breaking, what));
    if old.id != new.id {
        add(true, format!("its id was `{}`", old.id));
    }
    let (had, has) = (inputs(old), inputs(new));
    let (needed, needs) = (manifest::required(old), manifest::required(new));
    for input in &has {
        let is_required = needs.contains(input);
        if !had.contains(input) {
            let kind = if is_required { "required" } else { "optional" };
            add(is_required, format!("`{input}` is a new {kind} input"));
        } else if is_required && !needed.contains(input) {
            add(true, format!("`{input}` is required now"));
        } else if !is_required && needed.contains(input) {
            add(false, format!("`{input}` is no longer required"));
        }
    }
    for input in had.iter().filter(|input| !has.contains(input)) {
        add(true, format!("`{input}` was removed"));
    }
    for input in has.iter().filter(|input| had.contains(input)) {
        let (Some(was), Some(is)) = (field(before, input), field(after, input)) else { continue };
        if was.kind != is.kind {
            add(true, format!("`{input}` is of another type"));
            continue;
        }
        let gone: Vec<_> = was.options.iter().filter(|one| !is.options.contains(one)).collect();
        let fresh: Vec<_> = is.options.iter().filter(|one| !was.options.contains(one)).collect();
        if !gone.is_empty() && !is.options.is_empty() {
            let gone: Vec<_> = gone.iter().map(|one| one.as_str()).collect();
            add(true, format!("`{input}` may no longer be {}", gone.join(", ")));
        }
        if !fresh.is_empty() && !was.options.is_empty() {
            let fresh: Vec<_> = fresh.iter().map(|one| one.as_str()).collect();
            add(false, format!("`{input}` may be {}", fresh.join(", ")));
        }
    }
    if old.required_mode() != new.required_mode() {
        add(
            true,
            format!("its mode is {}, no longer {}", new.required_mode(), old.required_mode()),
        );
    }
    if old.list != new.list || old.items != new.items {
        add(true, "its reply is of another form".to_owned());
    } else if old.summary != new.summary {
        add(false, "its summary changed".to_owned());
    }
}

/// Each input once, in order.
fn inputs(operation: &Operation) -> Vec<String> {
    let mut inputs: Vec<String> = Vec::new();
    for input in manifest::inputs(operation) {
        if !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    inputs
}

fn field<'a>(preset: &'a Preset, id: &str) -> Option<&'a PresetField> {
    preset.fields.iter().find(|field| field.id.as_str() == id)
}
