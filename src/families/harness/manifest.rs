//! A connector's `connector.json`, read tolerantly: what is well formed is there, the rest is a fault.
//!
//! No judgement lives here: which keys a contract requires and what values mean is the rules' business.
//! Uses the positioned JSON of `rules::json_document`.

mod reader;

use crate::contract::rules::json_document::{JsonNode, JsonValue};
use reader::{ManifestPlace, ManifestReader};

/// A non-empty string and its position.
#[derive(Clone, Copy, Debug)]
pub struct ManifestText<'a> {
    pub at: usize,
    pub text: &'a str,
}

/// A part of the manifest whose type is not the documented one.
#[derive(Debug)]
pub struct ShapeFault {
    pub at: usize,
    /// Member path, `commands[3].id`.
    pub path: String,
    pub expected: &'static str,
    pub found: &'static str,
}

#[derive(Debug)]
pub struct ConnectorManifest<'a> {
    pub root: &'a JsonNode<'a>,
    pub tool: Option<ManifestText<'a>>,
    pub backend: Option<ManifestText<'a>>,
    pub schema_version: Option<ManifestText<'a>>,
    pub resources: Vec<ManifestText<'a>>,
    pub auth: ManifestAuth<'a>,
    pub scope: ManifestScope<'a>,
    pub commands: Vec<ManifestCommand<'a>>,
    pub faults: Vec<ShapeFault>,
}

#[derive(Debug, Default)]
pub struct ManifestAuth<'a> {
    pub at: usize,
    pub kind: Option<ManifestText<'a>>,
    pub required: Option<bool>,
    pub service_keys: Vec<ManifestText<'a>>,
    pub interactive_setup: Vec<ManifestText<'a>>,
    /// Other members that name keys (`optional_service_keys`, `required_one_of` …), with every name they hold.
    pub other_keys: Vec<(ManifestText<'a>, Vec<&'a str>)>,
}

#[derive(Debug, Default)]
pub struct ManifestScope<'a> {
    /// Its position; `None` when the manifest has none.
    pub at: Option<usize>,
    pub scaffold_only: Option<bool>,
    pub live_backend_available: Option<bool>,
    pub live_read_available: Option<bool>,
    pub write_bridge_available: Option<bool>,
    pub worker_visible_actions: Vec<ManifestText<'a>>,
    /// Name of each hint and the command that fills it.
    pub picker_hints: Vec<(ManifestText<'a>, Option<ManifestText<'a>>)>,
    /// Command id and its defaults.
    pub command_defaults: Vec<(ManifestText<'a>, &'a JsonNode<'a>)>,
    pub fields: Vec<ManifestField<'a>>,
}

#[derive(Debug)]
pub struct ManifestField<'a> {
    pub at: usize,
    pub node: &'a JsonNode<'a>,
    pub id: Option<ManifestText<'a>>,
    pub kind: Option<ManifestText<'a>>,
    pub render_as: Option<ManifestText<'a>>,
    pub required: bool,
    pub applies_to: Option<Vec<ManifestText<'a>>>,
    pub picker_hint: Option<ManifestText<'a>>,
    /// The field another one's visibility depends on.
    pub show_when: Option<ManifestText<'a>>,
    pub options: Option<Vec<ManifestText<'a>>>,
    pub default: Option<ManifestText<'a>>,
    pub children: Vec<ManifestField<'a>>,
}

#[derive(Debug)]
pub struct ManifestCommand<'a> {
    pub at: usize,
    pub node: &'a JsonNode<'a>,
    pub id: Option<ManifestText<'a>>,
    pub summary: Option<ManifestText<'a>>,
    pub required_mode: Option<ManifestText<'a>>,
    pub supports_json: Option<(usize, bool)>,
    pub resource: Option<ManifestText<'a>>,
    pub action_class: Option<ManifestText<'a>>,
    pub side_effect_level: Option<ManifestText<'a>>,
    pub required_fields: Vec<ManifestText<'a>>,
}

impl<'a> ManifestField<'a> {
    /// Commands the field applies to; `None` when it names none, which means all for the host.
    #[must_use]
    pub fn named_commands(&self) -> Option<&[ManifestText<'a>]> {
        self.applies_to.as_deref().filter(|commands| !commands.is_empty())
    }

    /// Returns the widget of the canvas: a known `renderAs`, else a known `type`.
    #[must_use]
    pub fn widget(&self) -> Option<ManifestText<'a>> {
        [self.render_as, self.kind].into_iter().flatten().find(|name| WIDGETS.contains(&name.text))
    }

    /// A call without it fails, regardless of the other arguments.
    #[must_use]
    pub fn is_always_required(&self) -> bool {
        self.required && self.show_when.is_none() && self.node.member("default").is_none()
    }
}

/// Names in `renderAs` and `type` that are known to give a widget.
const WIDGETS: &[&str] = &[
    "text",
    "string",
    "textarea",
    "richtext",
    "number",
    "integer",
    "boolean",
    "checkbox",
    "select",
    "multiselect",
    "json",
    "date",
    "datetime",
    "file",
    "password",
    "options_group",
];

impl<'a> ConnectorManifest<'a> {
    #[must_use]
    pub fn read(root: &'a JsonNode<'a>) -> Self {
        let mut reader = ManifestReader::default();
        if !matches!(root.value, JsonValue::Object(_)) {
            reader.fault(root, &ManifestPlace::root(), "", "an object");
        }
        let place = ManifestPlace::root();
        let tool = reader.text(root, "tool", &place);
        let backend = reader.text(root, "backend", &place);
        let schema_version = reader.text(root, "manifest_schema_version", &place);
        let resources = reader.connector(root);
        let auth = reader.auth(root);
        let scope = reader.scope(root);
        let commands = reader.commands(root);
        let faults = reader.faults;
        Self { root, tool, backend, schema_version, resources, auth, scope, commands, faults }
    }

    /// Commands with an id, in order.
    pub fn identified(&self) -> impl Iterator<Item = (ManifestText<'a>, &ManifestCommand<'a>)> {
        self.commands.iter().filter_map(|command| Some((command.id?, command)))
    }

    /// Every field, children of option groups included.
    pub fn fields(&self) -> impl Iterator<Item = &ManifestField<'a>> {
        self.scope.fields.iter().flat_map(|field| std::iter::once(field).chain(&field.children))
    }
}

/// Every string below a node, in order.
pub fn collect_texts<'a>(node: &'a JsonNode<'a>, texts: &mut Vec<&'a str>) {
    match &node.value {
        JsonValue::Text(text) => texts.push(text),
        JsonValue::List(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        JsonValue::Object(members) => {
            members.iter().for_each(|member| collect_texts(&member.node, texts));
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::rules::json_document::JsonDocument;

    #[test]
    fn malformed_parts_become_faults_and_the_rest_is_still_read() {
        let text = r#"{"tool":7,"connector":[],"auth":{"kind":"","service_keys":["A",null]},
            "scope":{"fields":[3,{"id":"owner","applies_to":"x"}],"scaffold_only":"no"},
            "commands":[null,{"id":"issue.list","supports_json":1}]}"#;
        let document = JsonDocument::read(text);
        let manifest = ConnectorManifest::read(document.root.as_ref().unwrap());
        let mut paths: Vec<_> = manifest.faults.iter().map(|fault| fault.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(
            paths,
            [
                "auth.kind",
                "auth.service_keys",
                "commands[0]",
                "commands[1].supports_json",
                "connector",
                "scope.fields[0]",
                "scope.fields[1].applies_to",
                "scope.scaffold_only",
                "tool"
            ]
        );
        assert_eq!(manifest.identified().count(), 1);
        assert_eq!(manifest.auth.service_keys.len(), 1);
        assert_eq!(manifest.fields().count(), 1);
    }

    #[test]
    fn a_manifest_that_is_not_an_object_is_one_fault() {
        let document = JsonDocument::read("[1]");
        let manifest = ConnectorManifest::read(document.root.as_ref().unwrap());
        assert_eq!(manifest.faults.len(), 1);
    }
}
