//! Reads the parts of a manifest and notes those whose type is wrong.

use std::fmt;

use super::{
    ManifestAuth, ManifestCommand, ManifestField, ManifestScope, ManifestText, ShapeFault,
    collect_texts,
};
use crate::contract::rules::json_document::{JsonMember, JsonNode, JsonValue};

/// The position of a member, computed only when there is something to report about it.
#[derive(Clone, Copy)]
pub(super) struct ManifestPlace {
    list: &'static str,
    index: Option<usize>,
}

impl ManifestPlace {
    pub fn root() -> Self {
        Self { list: "", index: None }
    }

    fn object(list: &'static str) -> Self {
        Self { list, index: None }
    }

    fn item(list: &'static str, index: usize) -> Self {
        Self { list, index: Some(index) }
    }
}

impl fmt::Display for ManifestPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(formatter, "{}[{index}]", self.list),
            None => formatter.write_str(self.list),
        }
    }
}

#[derive(Default)]
pub(super) struct ManifestReader {
    pub faults: Vec<ShapeFault>,
}

impl ManifestReader {
    pub fn connector<'a>(&mut self, root: &'a JsonNode<'a>) -> Vec<ManifestText<'a>> {
        let Some(connector) = self.object(root, "connector", &ManifestPlace::root()) else {
            return Vec::new();
        };
        let place = ManifestPlace::object("connector");
        self.text(connector, "label", &place);
        self.text(connector, "category", &place);
        self.texts(connector, "categories", &place);
        self.texts(connector, "resources", &place).unwrap_or_default()
    }

    pub fn auth<'a>(&mut self, root: &'a JsonNode<'a>) -> ManifestAuth<'a> {
        let Some(auth) = self.object(root, "auth", &ManifestPlace::root()) else {
            return ManifestAuth::default();
        };
        let place = ManifestPlace::object("auth");
        let other_keys = auth
            .members()
            .iter()
            .filter(|member| member.name.contains("key") || member.name.contains("one_of"))
            .filter(|member| member.name != "service_keys")
            .map(|member| {
                let mut names = Vec::new();
                collect_texts(&member.node, &mut names);
                (ManifestText { at: member.at, text: &member.name }, names)
            })
            .collect();
        ManifestAuth {
            at: auth.at,
            kind: self.text(auth, "kind", &place),
            required: self.boolean(auth, "required", &place).map(|(_, value)| value),
            service_keys: self.texts(auth, "service_keys", &place).unwrap_or_default(),
            interactive_setup: self.texts(auth, "interactive_setup", &place).unwrap_or_default(),
            other_keys,
        }
    }

    pub fn scope<'a>(&mut self, root: &'a JsonNode<'a>) -> ManifestScope<'a> {
        let Some(scope) = self.object(root, "scope", &ManifestPlace::root()) else {
            return ManifestScope::default();
        };
        let place = ManifestPlace::object("scope");
        self.text(scope, "kind", &place);
        self.text(scope, "surface", &place);
        let mut flag = |name| self.boolean(scope, name, &place).map(|(_, value)| value);
        let scaffold_only = flag("scaffold_only");
        let live_backend_available = flag("live_backend_available");
        let live_read_available = flag("live_read_available");
        let write_bridge_available = flag("write_bridge_available");
        let picker_hints =
            self.object(scope, "pickerHints", &place).map_or_else(Vec::new, |hints| {
                let named = |node: &'a JsonNode<'a>| match &node.value {
                    JsonValue::Text(text) => Some(ManifestText { at: node.at, text }),
                    JsonValue::Object(_) => node.member("source_command").and_then(|member| {
                        member.node.text().map(|text| ManifestText { at: member.node.at, text })
                    }),
                    _ => None,
                };
                hints.members().iter().map(|member| (name(member), named(&member.node))).collect()
            });
        let command_defaults =
            self.object(scope, "commandDefaults", &place).map_or_else(Vec::new, |defaults| {
                defaults.members().iter().map(|member| (name(member), &member.node)).collect()
            });
        ManifestScope {
            at: Some(scope.at),
            scaffold_only,
            live_backend_available,
            live_read_available,
            write_bridge_available,
            worker_visible_actions: self
                .texts(scope, "worker_visible_actions", &place)
                .unwrap_or_default(),
            picker_hints,
            command_defaults,
            fields: self.fields(scope, "fields", &place, "scope.fields"),
        }
    }

    fn fields<'a>(
        &mut self,
        owner: &'a JsonNode<'a>,
        member: &'static str,
        place: &ManifestPlace,
        list: &'static str,
    ) -> Vec<ManifestField<'a>> {
        let mut fields = Vec::new();
        for (index, node) in self.list(owner, member, place).iter().enumerate() {
            let place = ManifestPlace::item(list, index);
            if !matches!(node.value, JsonValue::Object(_)) {
                self.fault(node, &place, "", "an object");
                continue;
            }
            let children = if list == "scope.fields" {
                self.fields(node, "children", &place, "scope.fields[].children")
            } else {
                Vec::new()
            };
            let show_when =
                node.member("showWhen").and_then(|member| self.text(&member.node, "field", &place));
            let required = self.boolean(node, "required", &place);
            self.text(node, "label", &place);
            fields.push(ManifestField {
                at: node.at,
                node,
                id: self.text(node, "id", &place),
                kind: self.text(node, "type", &place),
                // Only the rules about widgets judge it.
                render_as: node.member("renderAs").and_then(|member| {
                    member.node.text().map(|text| ManifestText { at: member.node.at, text })
                }),
                required: required.is_some_and(|(_, required)| required),
                applies_to: self.texts(node, "applies_to", &place),
                picker_hint: self.text(node, "pickerHint", &place),
                show_when,
                options: node.member("options").map(|options| option_values(&options.node)),
                default: node.member("default").and_then(|member| {
                    member.node.text().map(|text| ManifestText { at: member.at, text })
                }),
                children,
            });
        }
        fields
    }

    pub fn commands<'a>(&mut self, root: &'a JsonNode<'a>) -> Vec<ManifestCommand<'a>> {
        let nodes = self.list(root, "commands", &ManifestPlace::root());
        let mut commands = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let place = ManifestPlace::item("commands", index);
            if !matches!(node.value, JsonValue::Object(_)) {
                self.fault(node, &place, "", "an object");
                continue;
            }
            commands.push(ManifestCommand {
                at: node.at,
                node,
                id: self.text(node, "id", &place),
                summary: self.text(node, "summary", &place),
                required_mode: self.text(node, "required_mode", &place),
                supports_json: self.boolean(node, "supports_json", &place),
                resource: self.text(node, "resource", &place),
                action_class: self.text(node, "action_class", &place),
                side_effect_level: self.text(node, "side_effect_level", &place),
                required_fields: self.texts(node, "required_fields", &place).unwrap_or_default(),
            });
        }
        commands
    }

    pub fn text<'a>(
        &mut self,
        owner: &'a JsonNode<'a>,
        name: &'static str,
        place: &ManifestPlace,
    ) -> Option<ManifestText<'a>> {
        let node = &owner.member(name)?.node;
        match node.text() {
            Some(text) if !text.trim().is_empty() => Some(ManifestText { at: node.at, text }),
            _ => {
                self.fault(node, place, name, "a string that is not empty");
                None
            }
        }
    }

    fn boolean(
        &mut self,
        owner: &JsonNode<'_>,
        name: &'static str,
        place: &ManifestPlace,
    ) -> Option<(usize, bool)> {
        let node = &owner.member(name)?.node;
        if let JsonValue::Bool(value) = node.value {
            return Some((node.at, value));
        }
        self.fault(node, place, name, "true or false");
        None
    }

    fn object<'a>(
        &mut self,
        owner: &'a JsonNode<'a>,
        name: &'static str,
        place: &ManifestPlace,
    ) -> Option<&'a JsonNode<'a>> {
        let node = &owner.member(name)?.node;
        if matches!(node.value, JsonValue::Object(_)) {
            return Some(node);
        }
        self.fault(node, place, name, "an object");
        None
    }

    fn list<'a>(
        &mut self,
        owner: &'a JsonNode<'a>,
        name: &'static str,
        place: &ManifestPlace,
    ) -> &'a [JsonNode<'a>] {
        match owner.member(name).map(|member| &member.node) {
            Some(JsonNode { value: JsonValue::List(items), .. }) => items,
            Some(node) => {
                self.fault(node, place, name, "an array");
                &[]
            }
            None => &[],
        }
    }

    /// The strings of an array; `None` when there is no such array.
    fn texts<'a>(
        &mut self,
        owner: &'a JsonNode<'a>,
        name: &'static str,
        place: &ManifestPlace,
    ) -> Option<Vec<ManifestText<'a>>> {
        let node = &owner.member(name)?.node;
        let JsonValue::List(items) = &node.value else {
            self.fault(node, place, name, "an array of strings");
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match item.text() {
                Some(text) if !text.trim().is_empty() => {
                    texts.push(ManifestText { at: item.at, text })
                }
                _ => self.fault(item, place, name, "an array of strings that are not empty"),
            }
        }
        Some(texts)
    }

    pub fn fault(
        &mut self,
        node: &JsonNode<'_>,
        place: &ManifestPlace,
        name: &str,
        expected: &'static str,
    ) {
        let path = match (place.list.is_empty(), name.is_empty()) {
            (true, true) => "the document".to_owned(),
            (true, false) => name.to_owned(),
            (false, true) => place.to_string(),
            (false, false) => format!("{place}.{name}"),
        };
        self.faults.push(ShapeFault { at: node.at, path, expected, found: node.kind() });
    }
}

fn name<'a>(member: &'a JsonMember<'a>) -> ManifestText<'a> {
    ManifestText { at: member.at, text: &member.name }
}

/// The values of a select: strings, or objects with a `value`.
fn option_values<'a>(node: &'a JsonNode<'a>) -> Vec<ManifestText<'a>> {
    let JsonValue::List(items) = &node.value else { return Vec::new() };
    let value = |item: &'a JsonNode<'a>| {
        let node = item.member("value").map_or(item, |member| &member.node);
        node.text().map(|text| ManifestText { at: node.at, text })
    };
    items.iter().filter_map(value).collect()
}
