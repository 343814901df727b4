//! The differences between two surfaces, entry by entry: lost and gained.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{OfferedCommand, Surface};

/// Modes, lowest first.
const MODES: [&str; 4] = ["readonly", "write", "full", "admin"];

/// The effect of a difference on users of the old connector.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceEffect {
    /// Something that worked no longer does, or needs more.
    Lost,
    /// It works in another way.
    Changed,
    Gained,
}

/// One difference.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, JsonSchema, Serialize)]
pub struct SurfaceDifference {
    pub effect: SurfaceEffect,
    /// `tool`, `key`, `resource`, `command`, `mode`, `field`, `required`, `default`, `choice`, `picker` or `event`.
    pub kind: &'static str,
    pub name: String,
    pub old: String,
    pub new: String,
}

/// All differences, losses first.
#[must_use]
pub fn differences(old: &Surface, new: &Surface) -> Vec<SurfaceDifference> {
    let mut found = Found { old, new, list: Vec::new() };
    found.identity();
    found.keys();
    found.commands();
    found.fields();
    found.rest();
    found.list.sort();
    found.list.dedup();
    found.list
}

struct Found<'a> {
    old: &'a Surface,
    new: &'a Surface,
    list: Vec<SurfaceDifference>,
}

impl Found<'_> {
    fn add(
        &mut self,
        effect: SurfaceEffect,
        kind: &'static str,
        name: impl Into<String>,
        [old, new]: [&str; 2],
    ) {
        let (name, old, new) = (name.into(), old.to_owned(), new.to_owned());
        self.list.push(SurfaceDifference { effect, kind, name, old, new });
    }

    /// Names that only one of two has.
    fn names(&mut self, kind: &'static str, old: BTreeSet<&String>, new: BTreeSet<&String>) {
        for name in old.difference(&new) {
            self.add(SurfaceEffect::Lost, kind, name.as_str(), ["present", "absent"]);
        }
        for name in new.difference(&old) {
            self.add(SurfaceEffect::Gained, kind, name.as_str(), ["absent", "present"]);
        }
    }

    fn identity(&mut self) {
        let (old, new) = (self.old, self.new);
        if old.tool != new.tool && !old.tool.is_empty() {
            // Workflows and agents name the connector by it.
            self.add(SurfaceEffect::Lost, "tool", old.tool.as_str(), [&old.tool, &new.tool]);
        }
        if old.backend != new.backend {
            self.add(
                SurfaceEffect::Changed,
                "backend",
                old.backend.as_str(),
                [&old.backend, &new.backend],
            );
        }
    }

    fn keys(&mut self) {
        let (old, new) = (self.old, self.new);
        for key in old.keys.difference(&new.keys) {
            let now = match new.variables.get(key) {
                Some(place) => format!("read from the environment only, {place}"),
                None => "not read".to_owned(),
            };
            self.add(SurfaceEffect::Lost, "key", key.as_str(), ["passed in by the host", &now]);
        }
        for key in new.keys.difference(&old.keys) {
            // The host wants every key, and health too.
            self.add(SurfaceEffect::Lost, "key", key.as_str(), ["not needed", "needed"]);
        }
        for (name, place) in &old.variables {
            if !new.variables.contains_key(name) && !new.keys.contains(name) {
                self.add(SurfaceEffect::Lost, "key", name.as_str(), [place, "not read"]);
            }
        }
        for (name, place) in &new.variables {
            if !old.variables.contains_key(name) && !old.keys.contains(name) {
                self.add(SurfaceEffect::Gained, "key", name.as_str(), ["not read", place]);
            }
        }
    }

    fn commands(&mut self) {
        let (old, new) = (self.old, self.new);
        self.names("command", old.commands.keys().collect(), new.commands.keys().collect());
        self.names("resource", old.resources.iter().collect(), new.resources.iter().collect());
        for (id, before) in &old.commands {
            let Some(after) = new.commands.get(id) else { continue };
            self.mode(id, before, after);
            if before.class != after.class {
                self.add(
                    SurfaceEffect::Changed,
                    "class",
                    id.as_str(),
                    [&before.class, &after.class],
                );
            }
            if before.is_offered && !after.is_offered {
                let shown = ["in the workflow form", "hidden"];
                self.add(SurfaceEffect::Lost, "command", id.as_str(), shown);
            }
            let renamed = before.required.iter().filter_map(|name| new.field(name));
            let renamed: BTreeSet<&str> = renamed.map(|(found, _)| found).collect();
            for field in after.required.difference(&before.required) {
                let has_name = renamed.contains(field.as_str());
                let own = new.fields.get(field);
                let has_default = own.is_some_and(|field| field.default.is_some());
                // A command that says nothing of what it requires may have required it before.
                let was_known = old.field(field).is_none() || !before.required.is_empty();
                if !has_name && !has_default && was_known {
                    let name = format!("{id} --{}", field.replace('_', "-"));
                    self.add(SurfaceEffect::Changed, "required", name, ["not said", "required"]);
                }
            }
        }
    }

    fn mode(&mut self, id: &str, before: &OfferedCommand, after: &OfferedCommand) {
        if before.mode == after.mode {
            return;
        }
        let rank = |mode: &str| MODES.iter().position(|known| *known == mode);
        let effect = match (rank(&before.mode), rank(&after.mode)) {
            (Some(old), Some(new)) if new < old => SurfaceEffect::Gained,
            _ => SurfaceEffect::Lost,
        };
        self.add(effect, "mode", id, [&before.mode, &after.mode]);
    }

    fn fields(&mut self) {
        let (old, new) = (self.old, self.new);
        for (id, before) in &old.fields {
            let Some((now, after)) = new.field(id) else {
                self.add(SurfaceEffect::Lost, "field", id.as_str(), ["present", "absent"]);
                continue;
            };
            let kept = before.commands.iter().filter(|command| new.commands.contains_key(*command));
            for command in kept.filter(|command| !after.commands.contains(*command)) {
                let name = format!("{command} --{}", id.replace('_', "-"));
                self.add(SurfaceEffect::Lost, "field", name, ["taken", "ignored"]);
            }
            if now != id {
                self.add(SurfaceEffect::Changed, "field", id.as_str(), [id, now]);
            }
            let [was, is] = [before, after].map(|field| field.default.as_deref().unwrap_or(""));
            if was != is {
                let effect =
                    if was.is_empty() { SurfaceEffect::Changed } else { SurfaceEffect::Lost };
                self.add(effect, "default", id.as_str(), [was, is]);
            }
            // Without choices any value can be entered.
            for choice in before.choices.iter().filter(|_| !after.choices.is_empty()) {
                if !after.choices.contains(choice) {
                    let name = format!("{id}={choice}");
                    self.add(SurfaceEffect::Lost, "choice", name, ["offered", "absent"]);
                }
            }
            if !before.picker.is_empty() && after.picker.is_empty() {
                let shown = [before.picker.as_str(), "a text field"];
                self.add(SurfaceEffect::Changed, "picker", id.as_str(), shown);
            }
        }
        for (id, field) in &new.fields {
            let has_name = |name: &String| old.fields.contains_key(name);
            if !has_name(id) && !field.aliases.iter().any(has_name) {
                self.add(SurfaceEffect::Gained, "field", id.as_str(), ["absent", "present"]);
            }
        }
    }

    fn rest(&mut self) {
        let (old, new) = (self.old, self.new);
        self.names("picker", old.pickers.keys().collect(), new.pickers.keys().collect());
        self.names("event", old.events.keys().collect(), new.events.keys().collect());
        for (id, filters) in &old.events {
            let Some(now) = new.events.get(id) else { continue };
            for filter in filters.difference(now) {
                let name = format!("{id} {filter}");
                self.add(SurfaceEffect::Lost, "event", name, ["filter", "absent"]);
            }
        }
    }
}
