//! A connector's `connector.json`, read tolerantly: what is well formed is there, the rest is a fault.
//!
//! No judgement lives here: which keys a contract requires and what values mean is the rules' business.
//! Uses the positioned JSON of `rules::json_document`.

use std::fmt;

use super::rules::json_document::{Node, Value};

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
    /// `None` when absent: the field then applies to every command.
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
    pub required_mode: Option<Text<'a>>,
    pub supports_json: Option<(usize, bool)>,
    pub resource: Option<Text<'a>>,
    pub action_class: Option<Text<'a>>,
    pub side_effect_level: Option<Text<'a>>,
    pub required_fields: Vec<Text<'a>>,
}

impl<'a> Manifest<'a> {
    #[must_use]
    pub fn read(root: &'a Node<'a>) -> Self {
        let mut reader = Reader { faults: Vec::new() };
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

/// Where a member stands, spelled out only when there is something to say about it.
#[derive(Clone, Copy)]
struct Place {
    list: &'static str,
    index: Option<usize>,
}

impl Place {
    fn root() -> Self {
        Self { list: "", index: None }
    }

    fn object(list: &'static str) -> Self {
        Self { list, index: None }
    }

    fn item(list: &'static str, index: usize) -> Self {
        Self { list, index: Some(index) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(formatter, "{}[{index}]", self.list),
            None => formatter.write_str(self.list),
        }
    }
}

struct Reader {
    faults: Vec<ShapeFault>,
}

impl Reader {
    fn connector<'a>(&mut self, root: &'a Node<'a>) -> Vec<Text<'a>> {
        let Some(connector) = self.object(root, "connector", &Place::root()) else {
            return Vec::new();
        };
        let place = Place::object("connector");
        self.text(connector, "label", &place);
        self.text(connector, "category", &place);
        self.texts(connector, "categories", &place);
        self.texts(connector, "resources", &place).unwrap_or_default()
    }

    fn auth<'a>(&mut self, root: &'a Node<'a>) -> Auth<'a> {
        let Some(auth) = self.object(root, "auth", &Place::root()) else {
            return Auth::default();
        };
        let place = Place::object("auth");
        let other_keys = auth
            .members()
            .iter()
            .filter(|member| member.name.contains("key") || member.name.contains("one_of"))
            .filter(|member| member.name != "service_keys")
            .map(|member| {
                let mut names = Vec::new();
                collect_texts(&member.node, &mut names);
                (Text { at: member.at, text: &member.name }, names)
            })
            .collect();
        Auth {
            at: auth.at,
            kind: self.text(auth, "kind", &place),
            required: self.boolean(auth, "required", &place).map(|(_, value)| value),
            service_keys: self.texts(auth, "service_keys", &place).unwrap_or_default(),
            interactive_setup: self.texts(auth, "interactive_setup", &place).unwrap_or_default(),
            other_keys,
        }
    }

    fn scope<'a>(&mut self, root: &'a Node<'a>) -> Scope<'a> {
        let Some(scope) = self.object(root, "scope", &Place::root()) else {
            return Scope::default();
        };
        let place = Place::object("scope");
        self.text(scope, "kind", &place);
        self.text(scope, "surface", &place);
        let mut flag = |name| self.boolean(scope, name, &place).map(|(_, value)| value);
        let scaffold_only = flag("scaffold_only");
        let live_backend_available = flag("live_backend_available");
        let live_read_available = flag("live_read_available");
        let write_bridge_available = flag("write_bridge_available");
        let picker_hints =
            self.object(scope, "pickerHints", &place).map_or_else(Vec::new, |hints| {
                let named = |node: &'a Node<'a>| match &node.value {
                    Value::Text(text) => Some(Text { at: node.at, text }),
                    Value::Object(_) => node.member("source_command").and_then(|member| {
                        member.node.text().map(|text| Text { at: member.node.at, text })
                    }),
                    _ => None,
                };
                hints.members().iter().map(|member| (name(member), named(&member.node))).collect()
            });
        let command_defaults =
            self.object(scope, "commandDefaults", &place).map_or_else(Vec::new, |defaults| {
                defaults.members().iter().map(|member| (name(member), &member.node)).collect()
            });
        Scope {
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
        owner: &'a Node<'a>,
        member: &'static str,
        place: &Place,
        list: &'static str,
    ) -> Vec<Field<'a>> {
        let mut fields = Vec::new();
        for (index, node) in self.list(owner, member, place).iter().enumerate() {
            let place = Place::item(list, index);
            if !matches!(node.value, Value::Object(_)) {
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
            self.boolean(node, "required", &place);
            self.text(node, "label", &place);
            fields.push(Field {
                at: node.at,
                node,
                id: self.text(node, "id", &place),
                kind: self.text(node, "type", &place),
                applies_to: self.texts(node, "applies_to", &place),
                picker_hint: self.text(node, "pickerHint", &place),
                show_when,
                options: node.member("options").map(|options| option_values(&options.node)),
                default: node
                    .member("default")
                    .and_then(|member| member.node.text().map(|text| Text { at: member.at, text })),
                children,
            });
        }
        fields
    }

    fn commands<'a>(&mut self, root: &'a Node<'a>) -> Vec<Command<'a>> {
        let nodes = self.list(root, "commands", &Place::root());
        let mut commands = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let place = Place::item("commands", index);
            if !matches!(node.value, Value::Object(_)) {
                self.fault(node, &place, "", "an object");
                continue;
            }
            self.text(node, "summary", &place);
            commands.push(Command {
                at: node.at,
                node,
                id: self.text(node, "id", &place),
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

    fn text<'a>(
        &mut self,
        owner: &'a Node<'a>,
        name: &'static str,
        place: &Place,
    ) -> Option<Text<'a>> {
        let node = &owner.member(name)?.node;
        match node.text() {
            Some(text) if !text.trim().is_empty() => Some(Text { at: node.at, text }),
            _ => {
                self.fault(node, place, name, "a string that is not empty");
                None
            }
        }
    }

    fn boolean(
        &mut self,
        owner: &Node<'_>,
        name: &'static str,
        place: &Place,
    ) -> Option<(usize, bool)> {
        let node = &owner.member(name)?.node;
        if let Value::Bool(value) = node.value {
            return Some((node.at, value));
        }
        self.fault(node, place, name, "true or false");
        None
    }

    fn object<'a>(
        &mut self,
        owner: &'a Node<'a>,
        name: &'static str,
        place: &Place,
    ) -> Option<&'a Node<'a>> {
        let node = &owner.member(name)?.node;
        if matches!(node.value, Value::Object(_)) {
            return Some(node);
        }
        self.fault(node, place, name, "an object");
        None
    }

    fn list<'a>(
        &mut self,
        owner: &'a Node<'a>,
        name: &'static str,
        place: &Place,
    ) -> &'a [Node<'a>] {
        match owner.member(name).map(|member| &member.node) {
            Some(Node { value: Value::List(items), .. }) => items,
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
        owner: &'a Node<'a>,
        name: &'static str,
        place: &Place,
    ) -> Option<Vec<Text<'a>>> {
        let node = &owner.member(name)?.node;
        let Value::List(items) = &node.value else {
            self.fault(node, place, name, "an array of strings");
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match item.text() {
                Some(text) if !text.trim().is_empty() => texts.push(Text { at: item.at, text }),
                _ => self.fault(item, place, name, "an array of strings that are not empty"),
            }
        }
        Some(texts)
    }

    fn fault(&mut self, node: &Node<'_>, place: &Place, name: &str, expected: &'static str) {
        let path = match (place.list.is_empty(), name.is_empty()) {
            (true, true) => "the document".to_owned(),
            (true, false) => name.to_owned(),
            (false, true) => place.to_string(),
            (false, false) => format!("{place}.{name}"),
        };
        self.faults.push(ShapeFault { at: node.at, path, expected, found: node.kind() });
    }
}

fn name<'a>(member: &'a super::rules::json_document::Member<'a>) -> Text<'a> {
    Text { at: member.at, text: &member.name }
}

/// The values of a select: strings, or objects with a `value`.
fn option_values<'a>(node: &'a Node<'a>) -> Vec<Text<'a>> {
    let Value::List(items) = &node.value else { return Vec::new() };
    let value = |item: &'a Node<'a>| {
        let node = item.member("value").map_or(item, |member| &member.node);
        node.text().map(|text| Text { at: node.at, text })
    };
    items.iter().filter_map(value).collect()
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
    use super::super::rules::json_document::Document;
    use super::*;

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
