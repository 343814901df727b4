//! Options of commands from inputs of an API: one option for one meaning, and no two meanings under one name.

use std::collections::BTreeMap;

use serde_json::Value;

use super::model::{ApiInput, Endpoint, InputKind, InputPlace};
use super::words::{folded, identifier};

/// Names that options of every connector have, and words that its host keeps to itself.
const TAKEN: [&str; 23] = [
    "json",
    "mode",
    "verbose",
    "version",
    "help",
    "fields",
    "max_bytes",
    "limit",
    "cursor",
    "type",
    "resource",
    "operation",
    "each_item",
    "connector_id",
    "credential_id",
    "yes",
    "confirm",
    "output",
    "dry_run",
    "quiet",
    "action_type",
    "id_",
    "input",
];
/// Most texts that are compared before a help is general.
const MAX_LABEL: usize = 40;

/// The options that a command already has, by place and name of their inputs.
pub type KeptOptions = BTreeMap<(InputPlace, String), String>;

/// An option, whichever commands take it.
#[derive(Clone, Debug)]
pub struct ApiField {
    pub id: String,
    pub label: String,
    pub kind: InputKind,
    pub help: String,
    pub sample: Option<Value>,
}

/// The options so far; the order is that of their first use.
#[derive(Clone, Debug, Default)]
pub struct FieldNames {
    pub fields: Vec<ApiField>,
    index: BTreeMap<String, usize>,
    /// The kinds of the options that commands already have, by name.
    reserved: BTreeMap<String, InputKind>,
}

impl FieldNames {
    /// Keeps the options of a command for its inputs, before any name is chosen.
    pub fn reserve(&mut self, endpoint: &Endpoint, kept: &KeptOptions) {
        for input in &endpoint.inputs {
            if let Some(option) = kept_option(input, kept) {
                self.reserved.entry(option.clone()).or_insert_with(|| input.kind.clone());
            }
        }
    }

    /// The option ids of the inputs of one command, in their order.
    pub fn assign(
        &mut self,
        endpoint: &Endpoint,
        command: &str,
        kept: &KeptOptions,
    ) -> Vec<String> {
        let mut own: Vec<String> = Vec::new();
        let theirs: Vec<&String> =
            endpoint.inputs.iter().filter_map(|input| kept_option(input, kept)).collect();
        for input in &endpoint.inputs {
            let known = kept_option(input, kept).filter(|id| !own.contains(id));
            if let Some(id) = known.filter(|id| self.stays(id, input)) {
                self.add(id, input);
                own.push(id.clone());
                continue;
            }
            let mut plain = identifier(&input.name, "value");
            if TAKEN.contains(&plain.as_str()) {
                plain.push_str("_value");
            }
            let resource = command.split('.').next().unwrap_or_default();
            let place = format!("{plain}_{}", input.place.word());
            let whole = folded(command);
            // Two inputs of one command differ in their places; those of two commands in what they are about.
            let begins = |name: &str| plain == name || plain.starts_with(&format!("{name}_"));
            let mut choices = vec![plain.clone()];
            if !own.contains(&plain) && !begins(resource) {
                choices.push(format!("{resource}_{plain}"));
            }
            choices.push(place.clone());
            choices.push(format!("{resource}_{plain}"));
            choices.push(format!("{resource}_{place}"));
            choices.push(format!("{whole}_{plain}"));
            choices.push(format!("{whole}_{place}"));
            let lengthened = |name: &String| name.len() <= 64;
            let found = choices
                .into_iter()
                .filter(lengthened)
                .find(|id| !own.contains(id) && !theirs.contains(&id) && self.fits(id, input));
            let id = found.unwrap_or_else(|| self.numbered(&plain, &own));
            self.add(&id, input);
            own.push(id);
        }
        own
    }

    /// Whether an input keeps the option `id`: another sample, or more choices, do not change the name.
    fn stays(&self, id: &str, input: &ApiInput) -> bool {
        let known = self.known(id).map(|field| &field.kind).or_else(|| self.reserved.get(id));
        known.is_none_or(|known| {
            *known == input.kind
                || matches!((known, &input.kind), (InputKind::Choice(_), InputKind::Choice(_)))
        })
    }

    fn known(&self, id: &str) -> Option<&ApiField> {
        self.index.get(id).and_then(|at| self.fields.get(*at))
    }

    /// Whether the option `id` is free, or is the same input elsewhere.
    fn fits(&self, id: &str, input: &ApiInput) -> bool {
        let Some(known) = self.known(id) else {
            return self.reserved.get(id).is_none_or(|kind| *kind == input.kind);
        };
        known.kind == input.kind && (input.kind != InputKind::Json || known.sample == input.sample)
    }

    /// Only for names that are equal in everything: letters, which stay the same for the same input.
    fn numbered(&self, plain: &str, own: &[String]) -> String {
        let mut id = format!("{}_x", &plain[..plain.len().min(40)]);
        while own.contains(&id) || self.index.contains_key(&id) {
            id.push('x');
        }
        id
    }

    fn add(&mut self, id: &str, input: &ApiInput) {
        if let Some(at) = self.index.get(id) {
            let known = &mut self.fields[*at];
            if let (InputKind::Choice(known), InputKind::Choice(more)) =
                (&mut known.kind, &input.kind)
            {
                let more: Vec<_> =
                    more.iter().filter(|one| !known.contains(one)).cloned().collect();
                known.extend(more);
            }
            if known.help != input.help {
                known.help = general(&known.help, &input.help, &known.label);
            }
            if known.sample.is_none() {
                known.sample.clone_from(&input.sample);
            }
            return;
        }
        self.index.insert(id.to_owned(), self.fields.len());
        let label = label(id);
        let help = if input.help.is_empty() { label.clone() } else { input.help.clone() };
        self.fields.push(ApiField {
            id: id.to_owned(),
            label,
            kind: input.kind.clone(),
            help,
            sample: input.sample.clone(),
        });
    }
}

fn kept_option<'a>(input: &ApiInput, kept: &'a KeptOptions) -> Option<&'a String> {
    kept.get(&(input.place, input.name.clone()))
}

/// The help for two texts about one option: the shorter one if the longer begins with it, otherwise the name.
fn general(known: &str, other: &str, label: &str) -> String {
    if other.is_empty() || known.starts_with(other) && !other.is_empty() {
        return if other.is_empty() { known.to_owned() } else { other.to_owned() };
    }
    if other.starts_with(known) {
        return known.to_owned();
    }
    label.to_owned()
}

/// `pet_id` as `Pet id`.
fn label(id: &str) -> String {
    let words: String = id.replace('_', " ").chars().take(MAX_LABEL).collect();
    let mut symbols = words.chars();
    symbols.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + symbols.as_str()
    })
}
