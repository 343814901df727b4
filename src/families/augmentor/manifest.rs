//! `augmentor.toml` under the rules of the contract.

use indexmap::IndexMap;
use toml_edit::{Document, Item, TableLike};

use crate::contract::ProjectFiles;
use crate::contract::name::Key;
use crate::contract::rules::collector::{Collector, SourceText};
use crate::visible::excerpt;

use super::contract::MANIFEST;
use super::contract::{AugmentorContract, Level, MemberShape};
use super::rules::{ENTRIES, FORM, MEMBER, MISSING, SYNTAX, TWICE, UNKNOWN_MEMBER, VALUE};

/// Largest manifest where the contract says none, in bytes.
const MAX_BYTES: u64 = 65_536;
/// Longest text that a message repeats.
const MAX_SHOWN: usize = 60;

/// The facts of the manifest that other rules use.
#[derive(Clone, Debug, Default)]
pub struct AugmentorManifest {
    pub name: Option<String>,
    pub version: Option<String>,
    /// Runtime to entry, the preferred one first.
    pub entries: Vec<(String, String)>,
    pub caps: Vec<String>,
    pub permissions: AskedPermissions,
    pub tool_prefix: Option<String>,
}

/// The permissions that the package declares; none without a declaration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AskedPermissions {
    pub filesystem: String,
    pub network: String,
    /// Names of environment variables.
    pub secrets: Vec<String>,
}

impl Default for AskedPermissions {
    fn default() -> Self {
        let none = || "none".to_owned();
        Self { filesystem: none(), network: none(), secrets: Vec::new() }
    }
}

impl AskedPermissions {
    fn of(table: &dyn TableLike) -> Self {
        let none = Self::default();
        let text = |name: &str| table.get(name).and_then(Item::as_str).map(str::to_owned);
        Self {
            filesystem: text("filesystem").unwrap_or(none.filesystem),
            network: text("network").unwrap_or(none.network),
            secrets: texts(table, "secrets"),
        }
    }

    #[must_use]
    pub fn reads(&self) -> bool {
        matches!(self.filesystem.as_str(), "read" | "read-write")
    }

    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.filesystem.as_str(), "write" | "read-write")
    }

    /// A program that it starts can do anything, so all permissions are needed.
    #[must_use]
    pub fn starts_programs(&self) -> bool {
        self.filesystem == "read-write" && self.network == "all"
    }

    #[must_use]
    pub fn has_no_network(&self) -> bool {
        self.network == "none"
    }
}

fn texts(table: &dyn TableLike, name: &str) -> Vec<String> {
    let values = table.get(name).and_then(Item::as_array).into_iter().flatten();
    values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// Judges the manifest; `None` when it cannot be read.
pub fn check(
    repository: &ProjectFiles,
    contract: &AugmentorContract,
    found: &mut Collector,
) -> Option<AugmentorManifest> {
    let Some(bytes) = repository.bytes(MANIFEST) else {
        found.whole(&MISSING, MANIFEST, "there is no augmentor.toml".to_owned());
        return None;
    };
    let source = SourceText::new(MANIFEST, bytes);
    let most = contract.limits.iter().find(|(name, _)| name.as_str() == "manifest_bytes");
    let most = most.map_or(MAX_BYTES, |(_, most)| *most);
    if bytes.len() as u64 > most {
        found.whole(
            &SYNTAX,
            MANIFEST,
            format!("it has {} bytes, but hosts read at most {most}", bytes.len()),
        );
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = "the file is not UTF-8 from here on".to_owned();
            found.at(&SYNTAX, &source, error.valid_up_to(), message);
            return None;
        }
    };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().next().unwrap_or_default();
            found.at(&SYNTAX, &source, at, excerpt(message, 200));
            return None;
        }
    };
    let mut reader = AugmentorReader { contract, source, found, runtime: String::new() };
    let root = document.as_table();
    reader.runtime = root.get("runtime").and_then(Item::as_str).unwrap_or_default().to_owned();
    let shape = &contract.manifest;
    reader.table("", root, &shape.keys, level(shape, "manifest"));
    for (name, keys) in [
        ("entries", &shape.entries_keys),
        ("permissions", &shape.permissions_keys),
        ("mcp", &shape.mcp_keys),
    ] {
        if let Some(table) = root.get(name).and_then(Item::as_table_like) {
            reader.table(name, table, keys, level(shape, name));
        }
    }
    reader.entries_agree(root);
    Some(summary(root))
}

fn level(shape: &super::contract::ManifestShape, table: &str) -> Level {
    let known = shape.unknown_keys.iter().find(|(name, _)| name.as_str() == table);
    known.map_or(Level::Error, |(_, level)| *level)
}

fn summary(root: &dyn TableLike) -> AugmentorManifest {
    let text = |name: &str| root.get(name).and_then(Item::as_str).map(str::to_owned);
    let runtime = text("runtime").unwrap_or_default();
    let mut entries: Vec<_> =
        text("entry").into_iter().map(|entry| (runtime.clone(), entry)).collect();
    let more = root.get("entries").and_then(Item::as_table_like);
    for (name, item) in more.into_iter().flat_map(TableLike::iter) {
        if let Some(entry) = item.as_str().filter(|_| name != runtime) {
            entries.push((name.to_owned(), entry.to_owned()));
        }
    }
    let table = |name: &str| root.get(name).and_then(Item::as_table_like);
    let prefix = table("mcp").and_then(|mcp| mcp.get("tool_prefix")).and_then(Item::as_str);
    AugmentorManifest {
        name: text("name"),
        version: text("version"),
        entries,
        caps: texts(root, "caps"),
        permissions: table("permissions").map(AskedPermissions::of).unwrap_or_default(),
        tool_prefix: prefix.map(str::to_owned),
    }
}

struct AugmentorReader<'a, 'f> {
    contract: &'a AugmentorContract,
    source: SourceText<'a>,
    found: &'f mut Collector,
    runtime: String,
}

impl AugmentorReader<'_, '_> {
    fn at(&mut self, rule: &crate::contract::rules::rule::Rule, item: &Item, message: String) {
        let at = item.span().map_or(0, |span| span.start);
        self.found.at(rule, &self.source, at, message);
    }

    fn table(
        &mut self,
        place: &str,
        table: &dyn TableLike,
        keys: &IndexMap<Key, MemberShape>,
        unknown: Level,
    ) {
        let named = |name: &str| match place {
            "" => format!("`{}`", excerpt(name, MAX_SHOWN)),
            place => format!("`{place}.{}`", excerpt(name, MAX_SHOWN)),
        };
        for (name, item) in table.iter() {
            let member = keys.iter().find(|(key, _)| key.as_str() == name);
            let Some((_, member)) = member else {
                let meant = self.found.meant(&UNKNOWN_MEMBER, name, keys.keys().map(Key::as_str));
                let message = format!("{} is not a member of the contract{meant}", named(name));
                let rule = match unknown {
                    Level::Error => UNKNOWN_MEMBER,
                    Level::Warning => crate::contract::rules::rule::Rule {
                        severity: crate::contract::Severity::Warning,
                        ..UNKNOWN_MEMBER
                    },
                };
                self.at(&rule, item, message);
                continue;
            };
            self.member(&named(name), name, item, member);
        }
        for (key, member) in keys.iter().filter(|(key, _)| table.get(key.as_str()).is_none()) {
            if member.required {
                let message = format!("{} is missing", named(key.as_str()));
                self.found.whole(&MEMBER, MANIFEST, message);
            }
        }
    }

    fn member(&mut self, shown: &str, name: &str, item: &Item, member: &MemberShape) {
        let contract = self.contract;
        // Each member of [entries] is an entry of the runtime that it is called by.
        let runtime = if contract.runtimes.iter().any(|key| key.as_str() == name) {
            name.to_owned()
        } else {
            self.runtime.clone()
        };
        let form = contract.pattern(member, &runtime);
        let allowed = contract.allowed(member);
        let texts: Vec<&str> = match (member.kind.as_str(), item) {
            ("table", item) if item.is_table_like() => return,
            ("string", item) if item.is_str() => item.as_str().into_iter().collect(),
            ("list", item) if item.is_array() => {
                let values: Vec<_> = item.as_array().into_iter().flatten().collect();
                if values.iter().any(|value| !value.is_str()) {
                    self.at(&MEMBER, item, format!("{shown} must contain only strings"));
                }
                values.into_iter().filter_map(|value| value.as_str()).collect()
            }
            (kind, item) => {
                let message = format!("{shown} must be a {kind}, but it is a {}", item.type_name());
                self.at(&MEMBER, item, message);
                return;
            }
        };
        for (index, text) in texts.iter().enumerate() {
            let quoted = format!("`{}`", excerpt(text, MAX_SHOWN));
            if !allowed.is_empty() && !allowed.contains(text) {
                let meant = self.found.meant(&VALUE, text, allowed.iter().copied());
                let known = allowed.join(", ");
                let message = format!("{shown} is {quoted}, which is not one of {known}{meant}");
                self.at(&VALUE, item, message);
            } else if form.as_ref().is_some_and(|form| !form.is_match(text)) {
                let form = form.as_ref().map_or("", |form| form.as_str());
                self.at(&FORM, item, format!("{shown} is {quoted}, which does not match `{form}`"));
            }
            if member.kind.as_str() == "list" && texts[..index].contains(text) {
                self.at(&TWICE, item, format!("{shown} names {quoted} twice"));
            }
        }
    }

    fn entries_agree(&mut self, root: &dyn TableLike) {
        let entry = root.get("entry").and_then(Item::as_str);
        let table = root.get("entries").and_then(Item::as_table_like);
        let Some((table, entry)) = table.zip(entry) else { return };
        let own = table.get(&self.runtime);
        match own {
            Some(item) if item.as_str() != Some(entry) => {
                let message =
                    format!("`entries.{}` differs from `entry`", excerpt(&self.runtime, 20));
                self.at(&ENTRIES, item, message);
            }
            None if !self.contract.manifest.entries_keys.is_empty() => {
                let message = format!(
                    "`entries` has no member for `runtime`, which is `{}`",
                    excerpt(&self.runtime, 20)
                );
                self.found.whole(&ENTRIES, MANIFEST, message);
            }
            _ => {}
        }
    }
}
