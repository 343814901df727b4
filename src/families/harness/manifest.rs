//! A connector's `connector.json`, read tolerantly: what is well formed is there, the rest is a fault.
//!
//! No judgement lives here: which keys a contract requires and what values mean is the rules' business.
//! Uses the positioned JSON of `rules::json_document`.

mod reader;

use crate::contract::rules::json_document::{Node, Value};
use reader::{Place, Reader};

/// A non-empty string and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
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
pub struct Manifest<'a> {
    pub root: &'a Node<'a>,
    pub tool: Option<Text<'a>>,
    pub backend: Option<Text<'a>>,
    pub schema_version: Option<Text<'a>>,
    pub resources: Vec<Text<'a>>,
    pub auth: Auth<'a>,
    pub scope: Scope<'a>,
    pub commands: Vec<Command<'a>>,
    pub faults: Vec<ShapeFault>,
}

#[derive(Debug, Default)]
pub struct Auth<'a> {
    pub at: usize,
    pub kind: Option<Text<'a>>,
    pub required: Option<bool>,
    pub service_keys: Vec<Text<'a>>,
    pub interactive_setup: Vec<Text<'a>>,
    /// Other members that name keys (`optional_service_keys`, `required_one_of` …), with every name they hold.
    pub other_keys: Vec<(Text<'a>, Vec<&'a str>)>,
}

#[derive(Debug, Default)]
pub struct Scope<'a> {
    /// Where it stands; `None` when the manifest has none.
    pub at: Option<usize>,
    pub scaffold_only: Option<bool>,
    pub live_backend_available: Option<bool>,
    pub live_read_available: Option<bool>,
    pub write_bridge_available: Option<bool>,
    pub worker_visible_actions: Vec<Text<'a>>,
    /// Name of each hint and the command that fills it.
    pub picker_hints: Vec<(Text<'a>, Option<Text<'a>>)>,
    /// Command id and its defaults.
    pub command_defaults: Vec<(Text<'a>, &'a Node<'a>)>,
    pub fields: Vec<Field<'a>>,
}

#[derive(Debug)]
pub struct Field<'a> {
    pub at: usize,
    pub node: &'a Node<'a>,
    pub id: Option<Text<'a>>,
    pub kind: Option<Text<'a>>,
    pub render_as: Option<Text<'a>>,
    pub required: bool,
    pub applies_to: Option<Vec<Text<'a>>>,
    pub picker_hint: Option<Text<'a>>,
    /// The field another one's visibility depends on.
    pub show_when: Option<Text<'a>>,
    pub options: Option<Vec<Text<'a>>>,
    pub default: Option<Text<'a>>,
    pub children: Vec<Field<'a>>,
}

#[derive(Debug)]
pub struct Command<'a> {
    pub at: usize,
    pub node: &'a Node<'a>,
    pub id: Option<Text<'a>>,
    pub summary: Option<Text<'a>>,
    pub required_mode: Option<Text<'a>>,
    pub supports_json: Option<(usize, bool)>,
    pub resource: Option<Text<'a>>,
    pub action_class: Option<Text<'a>>,
    pub side_effect_level: Option<Text<'a>>,
    pub required_fields: Vec<Text<'a>>,
}

impl<'a> Field<'a> {
    /// Commands the field applies to; `None` when it names none, which means all for the host.
    #[must_use]
    pub fn named_commands(&self) -> Option<&[Text<'a>]> {
        self.applies_to.as_deref().filter(|commands| !commands.is_empty())
    }

    /// How the canvas shows it: a known `renderAs`, else a known `type`.
    #[must_use]
    pub fn widget(&self) -> Option<Text<'a>> {
        [self.render_as, self.kind].into_iter().flatten().find(|name| WIDGETS.contains(&name.text))
    }

    /// A call without it fails, whatever else is given.
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

impl<'a> Manifest<'a> {
    #[must_use]
    pub fn read(root: &'a Node<'a>) -> Self {
        let mut reader = Reader::default();
        if !matches!(root.value, Value::Object(_)) {
            reader.fault(root, &Place::root(), "", "an object");
        }
        let place = Place::root();
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
    pub fn identified(&self) -> impl Iterator<Item = (Text<'a>, &Command<'a>)> {
        self.commands.iter().filter_map(|command| Some((command.id?, command)))
    }

    /// Every field, children of option groups included.
    pub fn fields(&self) -> impl Iterator<Item = &Field<'a>> {
        self.scope.fields.iter().flat_map(|field| std::iter::once(field).chain(&field.children))
    }
}

/// Every string below a node, in order.
pub fn collect_texts<'a>(node: &'a Node<'a>, texts: &mut Vec<&'a str>) {
    match &node.value {
        Value::Text(text) => texts.push(text),
        Value::List(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => {
            members.iter().for_each(|member| collect_texts(&member.node, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::rules::json_document::Document;

    #[test]
    fn malformed_parts_become_faults_and_the_rest_is_still_read() {
        let text = r#"{"tool":7,"connector":[],"auth":{"kind":"","service_keys":["A",null]},
            "scope":{"fields":[3,{"id":"owner","applies_to":"x"}],"scaffold_only":"no"},
            "commands":[null,{"id":"issue.list","supports_json":1}]}"#;
        let document = Document::read(text);
        let manifest = Manifest::read(document.root.as_ref().unwrap());
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
    fn a_manifest_that_is_no_object_is_one_fault() {
        let document = Document::read("[1]");
        let manifest = Manifest::read(document.root.as_ref().unwrap());
        assert_eq!(manifest.faults.len(), 1);
    }
}
