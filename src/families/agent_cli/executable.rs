//! The parts of the contract that a program acts on (since v1.2.0): types of commands, capabilities, kinds of fields and
//! requirements. Earlier tags have none of them, which leaves their subjects open.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::contract::name::{Key, fits};

/// The kinds of commands, and the commands that every tool has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRules {
    pub types: IndexMap<Key, CommandType>,
    pub required: Vec<Key>,
}

/// The meaning of a word of `type`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandType {
    pub changes: bool,
}

impl CommandRules {
    /// Says whether a command of this type changes something; `None` for a word that the contract does not define.
    #[must_use]
    pub fn changes(&self, word: &str) -> Option<bool> {
        let mut types = self.types.iter();
        types.find(|(name, _)| name.as_str() == word).map(|(_, known)| known.changes)
    }

    /// The contract leaves the words open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.types.is_empty()
    }
}

/// The kinds of fields: which there are, which names have one in every tool, and those of the published objects.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRules {
    pub kinds: Vec<ValueKind>,
    /// A name, or `*` and a suffix, to its kind.
    pub names: IndexMap<String, ValueKind>,
    /// An object of the contract to its fields.
    pub published: IndexMap<Key, IndexMap<Key, ValueKind>>,
}

impl FieldRules {
    /// Returns the kind of an undeclared field, by its name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<ValueKind> {
        let mut names = self.names.iter();
        names.find(|(pattern, _)| fits(pattern, name)).map(|(_, kind)| *kind)
    }

    /// The fields of a published object.
    #[must_use]
    pub fn of(&self, object: &str) -> Option<&IndexMap<Key, ValueKind>> {
        let mut published = self.published.iter();
        published.find(|(name, _)| name.as_str() == object).map(|(_, fields)| fields)
    }

    fn fault(&self) -> Option<String> {
        let is_name = |pattern: &str| {
            let word = pattern.strip_prefix('*').unwrap_or(pattern);
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        if let Some(pattern) = self.names.keys().find(|pattern| !is_name(pattern)) {
            let shown = crate::visible::excerpt(pattern, 200);
            return Some(format!(
                "`{shown}` in `fields.names` is neither a name nor `*` and a suffix"
            ));
        }
        let published = self.published.values().flat_map(IndexMap::values);
        let mut used = self.names.values().chain(published);
        let unknown = used.find(|kind| !self.kinds.contains(kind))?;
        Some(format!("`fields` uses the kind `{}`, which is not in `fields.kinds`", unknown.name()))
    }
}

/// The kind of the value of a field.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// A whole number, 0 or more.
    Count,
    /// A day as `YYYY-MM-DD`.
    Date,
    /// A text that identifies one object.
    Id,
    /// Never printed.
    Secret,
    Text,
    /// ISO 8601 in UTC.
    Time,
    /// A text that the caller passes back unchanged.
    Token,
    /// Text that others wrote.
    Untrusted,
    /// A semantic version.
    Version,
}

impl ValueKind {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Date => "date",
            Self::Id => "id",
            Self::Secret => "secret",
            Self::Text => "text",
            Self::Time => "time",
            Self::Token => "token",
            Self::Untrusted => "untrusted",
            Self::Version => "version",
        }
    }

    /// The kind called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Count,
            Self::Date,
            Self::Id,
            Self::Secret,
            Self::Text,
            Self::Time,
            Self::Token,
            Self::Untrusted,
            Self::Version,
        ];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

/// One promise of the contract.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    pub section: String,
    pub level: RequirementLevel,
    /// Without all of these capabilities it asks nothing of a tool.
    #[serde(default)]
    pub needs: Vec<Key>,
}

/// The level of a requirement.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum RequirementLevel {
    /// Exactly what the contract says.
    Exact,
    /// All of it, and more is allowed.
    AtLeast,
    /// A tool without it conforms.
    Recommended,
}

impl RequirementLevel {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::AtLeast => "at_least",
            Self::Recommended => "recommended",
        }
    }
}

/// Returns the inconsistency between the parts, if there is one.
pub fn fault(
    capabilities: &IndexMap<Key, String>,
    fields: &FieldRules,
    requirements: &IndexMap<String, Requirement>,
) -> Option<String> {
    for (name, requirement) in requirements {
        let is_unknown = |need: &&Key| !capabilities.contains_key(*need);
        if let Some(need) = requirement.needs.iter().find(is_unknown) {
            let name = crate::visible::excerpt(name, 200);
            return Some(format!(
                "the requirement `{name}` needs `{need}`, which is not in `capabilities`"
            ));
        }
    }
    fields.fault()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_parts_of_a_contract_use_must_exist() {
        let capabilities = IndexMap::new();
        let needs = |need: &str| {
            let text =
                format!(r#"{{"x": {{"section": "§1", "level": "exact", "needs": ["{need}"]}}}}"#);
            serde_json::from_str::<IndexMap<String, Requirement>>(&text).unwrap()
        };
        let fields = FieldRules::default();
        assert!(fault(&capabilities, &fields, &needs("batch")).unwrap().contains("`batch`"));
        let fields = r#"{"kinds": ["id"], "names": {"*_at": "time"}, "published": {}}"#;
        let fields: FieldRules = serde_json::from_str(fields).unwrap();
        assert!(fields.fault().unwrap().contains("`time`"));
        let fields = r#"{"kinds": ["id"], "names": {"* at": "id"}, "published": {}}"#;
        let fields: FieldRules = serde_json::from_str(fields).unwrap();
        assert!(fields.fault().unwrap().contains("`* at`"));
    }
}
