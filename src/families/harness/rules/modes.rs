//! Rules about permission modes, action classes and side effects of the manifest's commands.

use super::super::manifest::{ManifestCommand, ManifestText};
use super::facts::HarnessFacts;
use super::manifest_shape::names_each_missing_key;
use super::subject::ConnectorSubject;
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::names;
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const UNKNOWN_MODE: Rule = Rule {
    id: "commands/unknown-mode",
    summary: "`required_mode` is one of the contract's modes",
    why: "The host treats an unknown mode as the lowest, so everyone can run the command",
    fix: "use one of the contract's modes",
    source: "host calls: agent tools (fail-open)",
    ..Rule::error(&[FAMILY])
};
pub(super) const META_MODE: Rule = Rule {
    id: "commands/meta-mode",
    summary: "Required commands are readonly reads",
    why: "The host calls them without a mode; if a gate refuses them, the connector looks broken",
    fix: "set `required_mode` to readonly and `action_class` to read",
    source: "CONNECTOR-SPEC §11",
    ..Rule::error(&[FAMILY])
};
pub(super) const DESTRUCTIVE_MODE: Rule = Rule {
    id: "commands/destructive-mode",
    summary: "Commands whose verb the contract reserves for admin require that mode",
    why: "Such a command cannot be undone; nine fleet commands allow it in the mode write",
    fix: "set `required_mode` to admin in `connector.json`, then run `aos gen`",
    source: "CONNECTOR-SPEC §6; contract.json, destructive_verbs",
    ..Rule::error(&[FAMILY])
};
pub(super) const DESTRUCTIVE_CLASS: Rule = Rule {
    id: "commands/destructive-class",
    summary: "Commands that destroy have the class `destructive`",
    why: "Canvas and approvals warn only before commands of the class destructive",
    fix: "set `action_class` to destructive",
    source: "CONNECTOR-SPEC §11",
    ..Rule::error(&[FAMILY])
};
pub(super) const IRREVERSIBLE_MODE: Rule = Rule {
    id: "commands/irreversible-mode",
    summary: "Commands that look irreversible require the mode admin, even if the contract does not list their verb",
    why: "Operators do not expect a reset or prune in the mode write; v1.0.0 lists only delete and revoke",
    fix: "set `required_mode` to admin, or rename the command if it can be undone",
    source: "fleet survey: cancel/merge/archive/kill below admin",
    ..Rule::warning(&[FAMILY])
};
pub(super) const BULK_MODE: Rule = Rule {
    id: "commands/bulk-mode",
    summary: "Bulk writes require at least the mode full",
    why: "One call changes many records, which the contract treats differently from single writes",
    fix: "set `required_mode` to full",
    source: "CONNECTOR-SPEC §6; contract.json, bulk_verbs",
    ..Rule::error(&[FAMILY])
};
pub(super) const WRITE_AT_LOWEST: Rule = Rule {
    id: "commands/write-at-readonly",
    summary: "No command that writes is allowed in the lowest mode",
    why: "readonly promises that nothing changes, and it is the mode of every call that names none",
    fix: "raise `required_mode`, or set `action_class` to read if nothing changes",
    source: "CONNECTOR-SPEC §6",
    ..Rule::error(&[FAMILY])
};
pub(super) const READ_MUTATES: Rule = Rule {
    id: "commands/read-mutates",
    summary: "A command whose verb changes something does not have the class read",
    why: "The canvas executes reads when a user presses `test node`, so a wrong class would make the change",
    fix: "set `action_class` to write or destructive and raise the mode, or rename the command",
    source: "host calls: pickers and test node",
    ..Rule::error(&[FAMILY])
};
pub(super) const CLASS_MODE: Rule = Rule {
    id: "commands/class-mode",
    summary: "A read requires only the lowest mode",
    why: "Otherwise the canvas shows the command as a write, and the readiness index as a read, or the other way round",
    fix: "lower `required_mode`, or set the class that matches what the command does",
    source: "host readers: readiness-index",
    ..Rule::warning(&[FAMILY])
};
pub(super) const ACTION_CLASS: Rule = Rule {
    id: "commands/action-class",
    summary: "`action_class` is one of the contract's classes",
    why: "If the host does not know the class, it guesses from the id",
    fix: "use one of the contract's classes",
    source: "contract.json, manifest.action_classes",
    ..Rule::error(&[FAMILY])
};
pub(super) const SIDE_EFFECT: Rule = Rule {
    id: "commands/side-effect",
    summary: "`side_effect_level` is a level of the contract and matches the class",
    why: "A write with the level `none` runs without a confirmation",
    fix: "set none for reads and external_mutation for everything else",
    source: "CONNECTOR-SPEC §11; contract.json, manifest.side_effect_levels",
    ..Rule::error(&[FAMILY])
};
pub(super) const SIDE_EFFECT_MISSING: Rule = Rule {
    id: "commands/side-effect-missing",
    summary: "A command that is destructive or writes in the mode admin has a `side_effect_level`",
    why: "Without a level, the readiness index lists the command as a read without side effects",
    fix: "add `\"side_effect_level\": \"external_mutation\"`",
    source: "host readers: readiness-index",
    ..Rule::warning(&[FAMILY])
};

/// Classes whose side effect is known, regardless of the contract.
const CLASSES: &[&str] = &["read", "write", "destructive"];

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some((manifest, source)) = subject.judged_manifest() else { return };
    let has_levels = names_each_missing_key(manifest, "side_effect_level");
    for (id, command) in manifest.identified() {
        let judged = JudgedMode { id, command, facts: subject.facts, source, has_levels };
        judged.modes(found);
        judged.class(found);
        judged.side_effect(found);
    }
}

struct JudgedMode<'a> {
    id: ManifestText<'a>,
    command: &'a ManifestCommand<'a>,
    facts: &'a HarnessFacts,
    source: &'a SourceText<'a>,
    /// A command without its level is named by `manifest/missing-key`, if the contract requires one.
    has_levels: bool,
}

impl JudgedMode<'_> {
    fn class_is(&self, class: &str) -> bool {
        self.command.action_class.is_some_and(|known| known.text == class)
    }

    /// The mode is known and below the named one.
    fn is_below(&self, mode: &str) -> bool {
        let rank = self.command.required_mode.and_then(|mode| self.facts.rank(mode.text));
        rank.zip(self.facts.rank(mode)).is_some_and(|(rank, wanted)| rank < wanted)
    }

    fn modes(&self, found: &mut Collector) {
        let Some(mode) = self.command.required_mode else { return };
        let (id, facts) = (self.id.text, self.facts);
        let name = shown(id);
        if facts.rank(mode.text).is_none() && !facts.modes.is_empty() {
            let known = facts.modes.iter().map(String::as_str);
            let message = format!(
                "{name} has the unknown mode {}{}",
                shown(mode.text),
                found.meant(&UNKNOWN_MODE, mode.text, known)
            );
            found.at(&UNKNOWN_MODE, self.source, mode.at, message);
            return;
        }
        if facts.requires_command(id) {
            let is_read = self.command.action_class.is_none() || self.class_is("read");
            if mode.text != facts.lowest_mode() || !is_read {
                found.at(
                    &META_MODE,
                    self.source,
                    mode.at,
                    format!("{name} is not a readonly read"),
                );
            }
            return;
        }
        let verb = names::verb(id);
        let destroys = facts.destructive_verbs.iter().any(|known| known == verb);
        if destroys && self.is_below(&facts.admin_mode) {
            let message = format!(
                "the contract reserves the verb `{verb}` for {}, but the mode {} can run {name}",
                facts.admin_mode,
                shown(mode.text)
            );
            found.at(&DESTRUCTIVE_MODE, self.source, mode.at, message);
        } else if names::is_irreversible(verb) && !destroys && self.is_below(&facts.admin_mode) {
            let message = format!(
                "`{verb}` can rarely be undone, but the mode {} can run {name}",
                shown(mode.text)
            );
            found.at(&IRREVERSIBLE_MODE, self.source, mode.at, message);
        }
        if destroys
            && !self.class_is("destructive")
            && facts.action_classes.iter().any(|c| c == "destructive")
        {
            let at = self.command.action_class.map_or(self.id.at, |class| class.at);
            found.at(
                &DESTRUCTIVE_CLASS,
                self.source,
                at,
                format!("{name} does not have the class destructive"),
            );
        }
        let bulk = names::is_bulk(id, &facts.bulk_verbs) && !self.class_is("read");
        if bulk && self.is_below(&facts.bulk_mode) {
            let message = format!(
                "{name} changes many objects at once, but the mode {} can run it",
                shown(mode.text)
            );
            found.at(&BULK_MODE, self.source, mode.at, message);
        }
    }

    fn class(&self, found: &mut Collector) {
        let Some(class) = self.command.action_class else { return };
        let name = shown(self.id.text);
        let classes = &self.facts.action_classes;
        if !classes.is_empty() && !classes.iter().any(|known| known == class.text) {
            let mode =
                self.command.required_mode.filter(|mode| self.facts.rank(mode.text).is_some());
            // A class that contradicts the mode is not proposed, even if its name is similar.
            let fits = |class: &&str| {
                mode.is_none_or(|mode| {
                    (mode.text == self.facts.lowest_mode()) == (*class == "read")
                })
            };
            let known = classes.iter().map(String::as_str).filter(fits);
            let message = format!(
                "{name} has the unknown class {}{}",
                shown(class.text),
                found.meant(&ACTION_CLASS, class.text, known)
            );
            found.at(&ACTION_CLASS, self.source, class.at, message);
            return;
        }
        if self.facts.requires_command(self.id.text) {
            return;
        }
        let lowest = self.facts.lowest_mode();
        let mode = self.command.required_mode.filter(|mode| self.facts.rank(mode.text).is_some());
        let at_lowest = mode.is_some_and(|mode| mode.text == lowest);
        if class.text == "read" {
            let verb = names::verb(self.id.text);
            if names::is_mutating(verb) {
                let message = format!("{name} has the class read, but `{verb}` changes something");
                found.at(&READ_MUTATES, self.source, class.at, message);
            } else if let Some(mode) = mode.filter(|_| !at_lowest) {
                let message =
                    format!("{name} has the class read, but requires {}", shown(mode.text));
                found.at(&CLASS_MODE, self.source, class.at, message);
            }
        } else if at_lowest && matches!(class.text, "write" | "destructive") {
            let message =
                format!("{name} has the class {} in the mode `{lowest}`", shown(class.text));
            found.at(&WRITE_AT_LOWEST, self.source, class.at, message);
        }
    }

    fn side_effect(&self, found: &mut Collector) {
        let name = shown(self.id.text);
        let Some(level) = self.command.side_effect_level else {
            let named_elsewhere = self.has_levels
                && self.facts.command_keys.iter().any(|key| key == "side_effect_level");
            let is_admin =
                self.command.required_mode.is_some_and(|mode| mode.text == self.facts.admin_mode);
            let is_misread = self.class_is("destructive") || is_admin && self.class_is("write");
            if is_misread && !named_elsewhere {
                let message = format!("{name} has no side effect level");
                found.at(&SIDE_EFFECT_MISSING, self.source, self.command.at, message);
            }
            return;
        };
        let levels = &self.facts.side_effect_levels;
        if !levels.is_empty() && !levels.iter().any(|known| known == level.text) {
            let message = format!("{name} has the unknown level {}", shown(level.text));
            found.at(&SIDE_EFFECT, self.source, level.at, message);
        } else if self.command.action_class.is_some_and(|class| CLASSES.contains(&class.text))
            && self.class_is("read") != (level.text == "none")
        {
            let message = format!(
                "{name} has the level {}, which does not match its class",
                shown(level.text)
            );
            found.at(&SIDE_EFFECT, self.source, level.at, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only, only_v1_0};

    /// The good sample with its command `issue.create` changed to an id, mode, class and level.
    fn changed(id: &str, mode: &str, class: &str, level: &str) -> Vec<&'static str> {
        let from = "\"required_mode\": \"write\",\n      \"supports_json\": true,\n      \"resource\": \"issue\",\n      \"action_class\": \"write\",\n      \"side_effect_level\": \"external_mutation\"";
        let to = format!(
            "\"required_mode\": \"{mode}\",\n      \"supports_json\": true,\n      \"resource\": \"issue\",\n      \"action_class\": \"{class}\",\n      \"side_effect_level\": \"{level}\""
        );
        let sample = Sample::good()
            .manifest(from, &to)
            .permissions("\"issue.create\": \"write\"", &format!("\"issue.create\": \"{mode}\""))
            .renamed("issue.create", id);
        only(&sample)
    }

    const MUTATION: &str = "external_mutation";

    #[test]
    fn destruction_needs_admin_and_its_class() {
        assert_eq!(
            changed("issue.purge", "write", "destructive", MUTATION),
            ["commands/destructive-mode"]
        );
        assert_eq!(
            changed("issue.purge", "admin", "write", MUTATION),
            ["commands/destructive-class"]
        );
        assert!(changed("issue.purge", "admin", "destructive", MUTATION).is_empty());
        assert_eq!(
            changed("issue.reset", "write", "write", MUTATION),
            ["commands/irreversible-mode"]
        );
    }

    #[test]
    fn bulk_writes_need_full() {
        assert_eq!(changed("issue.bulk_close", "write", "write", MUTATION), ["commands/bulk-mode"]);
        assert!(changed("issue.bulk_close", "full", "write", MUTATION).is_empty());
    }

    #[test]
    fn class_mode_and_side_effect_must_tell_the_same() {
        assert_eq!(
            changed("issue.create", "readonly", "write", MUTATION),
            ["commands/write-at-readonly"]
        );
        let read = changed("issue.create", "write", "read", "none");
        assert!(read.contains(&"commands/read-mutates"));
        assert!(changed("issue.reveal", "admin", "read", "none").contains(&"commands/class-mode"));
        assert_eq!(changed("issue.create", "write", "writes", MUTATION), ["commands/action-class"]);
        assert_eq!(changed("issue.create", "write", "write", "none"), ["commands/side-effect"]);
        assert_eq!(changed("issue.create", "write", "write", "some"), ["commands/side-effect"]);
    }

    #[test]
    fn the_first_contract_only_asks_what_the_index_misreads_for_its_side_effect() {
        let level = ",\n      \"side_effect_level\": \"external_mutation\"";
        let sample = Sample::good().manifest(level, "").manifest(level, "");
        assert_eq!(only_v1_0(&sample), ["commands/side-effect-missing"]);
        assert_eq!(only(&sample), ["manifest/missing-key"; 2]);
    }

    #[test]
    fn unknown_modes_and_gated_meta_commands_are_refused() {
        assert_eq!(
            changed("issue.create", "writer", "write", MUTATION),
            ["permissions/unknown-mode", "commands/unknown-mode"]
        );
        let gated = Sample::good()
            .manifest("\"readonly\"", "\"write\"")
            .permissions("\"capabilities\": \"readonly\"", "\"capabilities\": \"write\"");
        assert_eq!(only(&gated), ["commands/meta-mode"]);
    }
}
