//! The changes to the commands of a CLI after its API has changed, with breaking changes separate from compatible ones.

use std::collections::BTreeMap;

use super::table::{DescribedInput, DescribedOperation, DescribedTool};
use crate::openapi::{InputPlace, KeptOptions, KnownCommand, RequestKey};
use crate::report::answers::openapi::ApiChange;

/// The ids of the operations.
#[must_use]
pub fn known(tool: &DescribedTool) -> BTreeMap<RequestKey, KnownCommand> {
    let operations = tool.operations.iter().filter_map(|operation| {
        let (method, path) = operation.request.split_once(' ')?;
        let command = KnownCommand {
            id: operation.id.clone(),
            operation_id: operation.operation_id.clone(),
            options: options(operation),
        };
        Some(((method.to_owned(), path.to_owned()), command))
    });
    operations.collect()
}

/// The option of each input, by the name that the description gives it.
fn options(operation: &DescribedOperation) -> KeptOptions {
    let options = operation.inputs.iter().filter_map(|input| {
        let place = match input.place.as_str() {
            "path" => InputPlace::Path,
            "query" => InputPlace::Query,
            "header" => InputPlace::Header,
            "body" => InputPlace::Body,
            "whole" => InputPlace::WholeBody,
            _ => return None,
        };
        Some(((place, input.name.clone()), input.option.clone()))
    });
    options.collect()
}

/// The changes in the order of the commands, those that are gone at the end.
#[must_use]
pub fn between(before: &DescribedTool, after: &DescribedTool) -> Vec<ApiChange> {
    let find = |tool: &'_ DescribedTool, request: &str| {
        tool.operations.iter().position(|operation| operation.request == request)
    };
    let mut changes = Vec::new();
    // A command that stays while its request is another.
    let moved = |new: &DescribedOperation| {
        let gone = |old: &&DescribedOperation| find(after, &old.request).is_none();
        before.operations.iter().filter(gone).find(|old| old.id == new.id)
    };
    for new in &after.operations {
        let same = find(before, &new.request).and_then(|at| before.operations.get(at));
        match (same, moved(new)) {
            (Some(old), _) => compare(old, new, &mut changes),
            (None, Some(old)) => {
                let is_known = !old.operation_id.is_empty();
                let is_other = !is_known || old.operation_id != new.operation_id;
                let what = format!("its request is `{}`, no longer `{}`", new.request, old.request);
                changes.push(change(new, is_other, what));
                compare(old, new, &mut changes);
            }
            (None, None) => changes.push(change(new, false, "the command is new".to_owned())),
        }
    }
    for old in &before.operations {
        let stays = after.operations.iter().any(|new| new.id == old.id);
        if find(after, &old.request).is_none() && !stays {
            changes.push(change(old, true, "the API no longer has it".to_owned()));
        }
    }
    let mut whole = |what: String| {
        let (command, request) = (String::new(), String::new());
        changes.push(ApiChange { command, request, is_breaking: true, what });
    };
    if before.base_url != after.base_url {
        whole(format!("the address is `{}`, no longer `{}`", after.base_url, before.base_url));
    }
    if before.auth != after.auth {
        whole("the credentials are sent in another way".to_owned());
    }
    changes
}

fn change(operation: &DescribedOperation, is_breaking: bool, what: String) -> ApiChange {
    let (command, request) = (operation.id.clone(), operation.request.clone());
    ApiChange { command, request, is_breaking, what }
}

fn compare(old: &DescribedOperation, new: &DescribedOperation, changes: &mut Vec<ApiChange>) {
    let mut add = |is_breaking, what: String| changes.push(change(new, is_breaking, what));
    if old.id != new.id {
        add(true, format!("its id was `{}`", old.id));
    }
    let find = |operation: &'_ DescribedOperation, option: &str| {
        operation.inputs.iter().find(|input| input.option == option).cloned()
    };
    for input in &new.inputs {
        let option = &input.option;
        match find(old, option) {
            None => {
                let kind = if input.required { "required" } else { "optional" };
                add(input.required, format!("`{option}` is a new {kind} input"));
            }
            Some(was) => differences(&was, input, &mut add),
        }
    }
    for input in old.inputs.iter().filter(|input| find(new, &input.option).is_none()) {
        add(true, format!("`{}` was removed", input.option));
    }
    if old.mode != new.mode {
        add(true, format!("its mode is {}, no longer {}", new.mode, old.mode));
    }
    let at =
        |operation: &DescribedOperation| operation.list.as_ref().map(|list| list.items.clone());
    if at(old) != at(new) {
        add(true, "its reply is of another form".to_owned());
    } else if old.summary != new.summary {
        add(false, "its summary changed".to_owned());
    }
}

fn differences(was: &DescribedInput, is: &DescribedInput, add: &mut impl FnMut(bool, String)) {
    let option = &is.option;
    match (was.required, is.required) {
        (false, true) => add(true, format!("`{option}` is required now")),
        (true, false) => add(false, format!("`{option}` is no longer required")),
        _ => {}
    }
    if was.kind != is.kind {
        add(true, format!("`{option}` is of another type"));
        return;
    }
    let missing = |from: &[String], of: &[String]| -> Vec<String> {
        from.iter().filter(|one| !of.contains(one)).cloned().collect()
    };
    let (gone, fresh) = (missing(&was.values, &is.values), missing(&is.values, &was.values));
    if !gone.is_empty() && !is.values.is_empty() {
        add(true, format!("`{option}` may no longer be {}", gone.join(", ")));
    }
    if !fresh.is_empty() && !was.values.is_empty() {
        add(false, format!("`{option}` may be {}", fresh.join(", ")));
    }
}
