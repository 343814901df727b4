//! Every answer by the name that `reference` gives it: its JSON Schema, and the fields with their types.
//!
//! Everything but the untrusted fields follows from the types.

use indexmap::IndexMap;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use super::super::comparison::Comparison;
use super::super::discovery::Discovery;
use super::changes::OmittedEntries;
use super::{
    augmentor, changelog, check, command_change, completions, conformance, context, doctor,
    generated, mcp, migrate, new, reference, runtime, sync, template, update, upgrade, verify,
    wire,
};

/// The data of a command.
#[derive(Clone, Copy, Debug)]
pub struct AnswerShape {
    /// Name in `reference`.
    pub name: &'static str,
    /// Fields whose text comes from files or answers and may try to instruct an agent.
    pub untrusted_fields: &'static [&'static str],
    /// Whether a long answer is shortened: it then says what it leaves out.
    is_shortened: bool,
    root: fn(SchemaGenerator) -> schemars::Schema,
    omitted: fn(&mut SchemaGenerator) -> schemars::Schema,
}

/// Every answer, in the order of the commands.
pub const ANSWERS: &[AnswerShape] = &[
    AnswerShape::shortened::<new::NewAnswer>(
        "created_project",
        &["preview", "api", "commands", "left_out", "tags", "title"],
    ),
    AnswerShape::shortened::<sync::SyncAnswer>("synced_spec", &["preview"]),
    AnswerShape::shortened::<generated::GenAnswer>("generated_files", &["preview"]),
    AnswerShape::shortened::<upgrade::UpgradeAnswer>(
        "upgraded_project",
        &["preview", "conflicts", "changed_answers"],
    ),
    AnswerShape::shortened::<migrate::MigrateAnswer>(
        "migrated_project",
        &["preview", "rewrites", "notes"],
    ),
    AnswerShape::shortened::<command_change::CommandChangeAnswer>("command_change", &["preview"]),
    AnswerShape::whole::<Discovery>(
        "discovery",
        &["groups", "tools", "passed_over", "roots", "notes"],
    ),
    AnswerShape::shortened::<check::CheckAnswer>("check_report", &["projects"]),
    AnswerShape::whole::<Comparison>("comparison", &["differences"]),
    AnswerShape::shortened::<conformance::ConformAnswer>("conformance", &["results"]),
    AnswerShape::shortened::<wire::WireAnswer>("wired_adapter", &["preview"]),
    AnswerShape::whole::<augmentor::AugmentorDescription>(
        "augmentor",
        &["package", "commands", "agents", "tools", "warnings"],
    ),
    AnswerShape::whole::<augmentor::AugmentorResult>(
        "augmentor_result",
        &["package", "result", "error", "permissions", "warnings"],
    ),
    AnswerShape::shortened::<mcp::ServedTools>("mcp_server", &["packages", "tools"]),
    AnswerShape::whole::<mcp::McpConfigAnswer>("mcp_config", &["content", "server"]),
    AnswerShape::whole::<verify::VerifiedFile>(
        "verified_file",
        &["predicate_type", "signer", "claims"],
    ),
    AnswerShape::whole::<reference::Reference>("reference", &[]),
    AnswerShape::whole::<template::CheckedTemplate>("checked_template", &["faults", "notes"]),
    AnswerShape::shortened::<template::TemplateAnswer>("made_template", &["preview", "left_out"]),
    AnswerShape::whole::<runtime::RuntimeParts>("runtime", &["runtime", "parts"]),
    AnswerShape::shortened::<runtime::RuntimeAnswer>("runtime_change", &["preview", "runtime"]),
    AnswerShape::whole::<update::UpdateAnswer>("update", &[]),
    AnswerShape::whole::<context::RunContext>("context", &["project"]),
    AnswerShape::whole::<doctor::DoctorReport>("doctor", &["checks"]),
    AnswerShape::whole::<changelog::ChangelogAnswer>("changelog", &[]),
    AnswerShape::whole::<completions::CompletionScript>("completions", &[]),
];

impl AnswerShape {
    const fn whole<T: JsonSchema>(name: &'static str, untrusted: &'static [&'static str]) -> Self {
        Self {
            name,
            untrusted_fields: untrusted,
            is_shortened: false,
            root: SchemaGenerator::into_root_schema_for::<T>,
            omitted: SchemaGenerator::subschema_for::<Vec<OmittedEntries>>,
        }
    }

    const fn shortened<T: JsonSchema>(
        name: &'static str,
        untrusted: &'static [&'static str],
    ) -> Self {
        Self { is_shortened: true, ..Self::whole::<T>(name, untrusted) }
    }

    /// The answer called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        ANSWERS.iter().find(|answer| answer.name == name)
    }

    /// Its JSON Schema (draft 2020-12).
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        // Before the root takes the generator: its definitions go along.
        let omitted = self.is_shortened.then(|| (self.omitted)(&mut generator));
        let mut schema = (self.root)(generator).to_value();
        let names = self.variant_names(&schema);
        let mut more = vec![(super::super::envelope::UNTRUSTED_KEY, list_of_text())];
        if let Some(omitted) = omitted {
            more.push(("omitted", omitted.to_value()));
            more.push(("more", text()));
        }
        let pointers = names.iter().map(|name| format!("/$defs/{name}/properties"));
        let pointers: Vec<_> = match names.is_empty() {
            true => vec!["/properties".to_owned()],
            false => pointers.collect(),
        };
        for pointer in pointers {
            if let Some(Value::Object(properties)) = schema.pointer_mut(&pointer) {
                let added = more.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone()));
                properties.extend(added);
            }
        }
        if let Value::Object(members) = &mut schema {
            members.insert("title".to_owned(), self.name.into());
            let id = format!("urn:aos:schema:answer:{}", self.name);
            members.shift_insert(1, "$id".to_owned(), id.into());
        }
        schema
    }

    /// The names of the definitions that the root chooses from; none for an answer of one shape.
    fn variant_names(&self, schema: &Value) -> Vec<String> {
        let variants = schema["anyOf"].as_array().into_iter().flatten();
        variants.filter_map(|variant| defined(variant).map(str::to_owned)).collect()
    }

    /// Names of the fields that an answer can have.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let top = |name: &String| !name.contains('.');
        self.types().into_keys().filter(top).collect()
    }

    /// The type of each field, and of the fields inside it with dots in their names. `?` marks what can be absent.
    #[must_use]
    pub fn types(&self) -> IndexMap<String, String> {
        let schema = self.schema();
        let names = self.variant_names(&schema);
        let variants: Vec<&Value> = match names.is_empty() {
            true => vec![&schema],
            false => names.iter().map(|name| &schema["$defs"][name]).collect(),
        };
        let mut types = IndexMap::new();
        for variant in &variants {
            describe(variant, &schema, "", &mut types);
        }
        types.shift_remove(super::super::envelope::UNTRUSTED_KEY);
        for (name, word) in &mut types {
            let in_each = variants.iter().all(|variant| is_required(variant, name));
            if !name.contains('.') && !in_each && !word.ends_with('?') {
                word.push('?');
            }
        }
        types
    }
}

fn text() -> Value {
    Value::Object(Map::from_iter([("type".to_owned(), "string".into())]))
}

fn list_of_text() -> Value {
    let members = [("type".to_owned(), "array".into()), ("items".to_owned(), text())];
    Value::Object(Map::from_iter(members))
}

/// The name of the definition that a schema refers to.
fn defined(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().into_iter().flatten().any(|required| required == name)
}

/// Adds the fields of an object, each before those inside it.
fn describe(object: &Value, root: &Value, prefix: &str, types: &mut IndexMap<String, String>) {
    for (name, schema) in object["properties"].as_object().into_iter().flatten() {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        let (mut word, inner) = word(schema, root);
        if !is_required(object, name) {
            word.push('?');
        }
        types.entry(path.clone()).or_insert(word);
        if let Some(inner) = inner {
            describe(inner, root, &path, types);
        }
    }
}

/// The type of a value in a word or two, and the object in it, if there is one.
fn word<'s>(schema: &'s Value, root: &'s Value) -> (String, Option<&'s Value>) {
    if let Some(name) = defined(schema) {
        return word(&root["$defs"][name], root);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let words: Vec<_> = choices.iter().map(|choice| word(choice, root)).collect();
        let inner = words.iter().find_map(|(_, inner)| *inner);
        let words: Vec<_> = words.into_iter().map(|(word, _)| word).collect();
        return (words.join(" | "), inner);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return ("any".to_owned(), None),
    };
    let mut inner = None;
    let words = kinds.iter().map(|kind| match *kind {
        "array" => {
            let (word, object) = word(&schema["items"], root);
            inner = object;
            format!("{word}[]")
        }
        "object" => {
            inner = schema.get("properties").map(|_| schema);
            "object".to_owned()
        }
        kind => kind.to_owned(),
    });
    let words: Vec<_> = words.collect();
    (words.join(" | "), inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_types_follow_from_the_types() {
        let types = AnswerShape::find("created_project").unwrap().types();
        for (field, word) in [
            ("status", "string?"),
            ("files", "object[]?"),
            ("files.executable", "boolean"),
            ("commands", "integer | null?"),
            ("git.reason", "string | null"),
            ("preview.changes.id", "string"),
            ("preview.changes.diff", "string?"),
            ("templates.questions.choices", "string[]"),
            ("omitted.count", "integer"),
            ("more", "string?"),
        ] {
            assert_eq!(types.get(field).map(String::as_str), Some(word), "{field}");
        }
        let types = AnswerShape::find("doctor").unwrap().types();
        assert_eq!(types["checks"], "object[]");
        assert!(types.keys().all(|name| !name.starts_with('_')));
    }

    #[test]
    fn untrusted_fields_are_fields_and_names_are_there_once() {
        let mut names = std::collections::BTreeSet::new();
        for answer in ANSWERS {
            assert!(names.insert(answer.name), "{}", answer.name);
            let fields = answer.fields();
            assert!(!fields.is_empty(), "{}", answer.name);
            for untrusted in answer.untrusted_fields {
                assert!(fields.iter().any(|field| field == untrusted), "{untrusted}");
            }
        }
    }

    #[test]
    fn every_schema_is_one() {
        for answer in ANSWERS {
            let schema = answer.schema();
            assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", answer.name);
        }
    }
}
