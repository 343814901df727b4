//! `[runtime]` in aos.toml: which runtime a project has, where it is, and which parts the project owns.

use serde::Deserialize;

use crate::plan::RelativePath;

use super::record_text::{RecordError, quote, relative};
use super::runtime::Version;

/// Most parts that a project can own.
const MAX_OWNED: usize = 200;

/// The runtime of a project.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RuntimeSection {
    /// Name of the runtime: `go`, `python`, `connector`.
    pub name: String,
    /// Its directory.
    pub path: RelativePath,
    /// Parts that the project took over, in path order.
    pub own: Vec<OwnedPart>,
}

/// A file or directory of the runtime that belongs to the project.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct OwnedPart {
    pub path: RelativePath,
    /// The version of the runtime it was taken from.
    pub version: Version,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuntimeDocument {
    name: String,
    path: String,
    #[serde(default)]
    own: Vec<OwnedDocument>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedDocument {
    path: String,
    version: String,
}

impl RuntimeDocument {
    pub(crate) fn parse(self) -> Result<RuntimeSection, RecordError> {
        let member = |member: &str, reason: &str| RecordError::Member {
            member: member.to_owned(),
            reason: reason.to_owned(),
        };
        if self.own.len() > MAX_OWNED {
            return Err(member("runtime.own", "it has more than 200 entries"));
        }
        let path = relative("runtime.path", &self.path)?;
        let mut own = Vec::new();
        for part in self.own {
            let owned = relative("runtime.own.path", &part.path)?;
            if !is_below(&owned, &path) {
                return Err(member("runtime.own.path", "it is not below `runtime.path`"));
            }
            let version = Version::parse(&part.version)
                .ok_or_else(|| member("runtime.own.version", "it is not a version `X.Y.Z`"))?;
            own.push(OwnedPart { path: owned, version });
        }
        own.sort();
        if own.windows(2).any(|pair| pair[0].path == pair[1].path) {
            return Err(member("runtime.own.path", "a path is listed twice"));
        }
        Ok(RuntimeSection { name: self.name, path, own })
    }
}

impl RuntimeSection {
    /// The entry that hands `path` to the project.
    #[must_use]
    pub fn owner(&self, path: &RelativePath) -> Option<&OwnedPart> {
        self.own.iter().find(|part| part.path == *path || is_below(path, &part.path))
    }

    pub(crate) fn render(&self, text: &mut String) {
        text.push_str(&format!(
            "\n[runtime]\nname = {}\npath = {}\n",
            quote(&self.name),
            quote(self.path.as_str())
        ));
        if !self.own.is_empty() {
            text.push_str(&format!("own = {}\n", owned_text(&self.own)));
        }
    }
}

fn owned_text(own: &[OwnedPart]) -> String {
    let entries = own.iter().map(|part| {
        format!("  {{ path = {}, version = \"{}\" }},\n", quote(part.path.as_str()), part.version)
    });
    format!("[\n{}]", entries.collect::<String>())
}

/// The text of an `aos.toml` whose owned parts are `own`; everything else keeps its form.
///
/// # Errors
/// Returns an error if the text has no `[runtime]`.
pub fn with_owned(text: &str, own: &[OwnedPart]) -> Result<String, RecordError> {
    let fault = |reason: &str| RecordError::Member {
        member: "runtime".to_owned(),
        reason: reason.to_owned(),
    };
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|_| fault("aos.toml is not TOML"))?;
    let table = document
        .get_mut("runtime")
        .and_then(toml_edit::Item::as_table_like_mut)
        .ok_or_else(|| fault("it is not a table"))?;
    if own.is_empty() {
        table.remove("own");
    } else {
        let value: toml_edit::Value =
            owned_text(own).parse().map_err(|_| fault("the owned parts cannot be written"))?;
        table.insert("own", toml_edit::value(value));
    }
    Ok(document.to_string())
}

/// True if `path` is below the directory `place`.
#[must_use]
pub fn is_below(path: &RelativePath, place: &RelativePath) -> bool {
    path.as_str().strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::record::Record;

    const HEAD: &str =
        "family = \"agent-cli\"\n\n[runtime]\nname = \"go\"\npath = \"internal/runtime\"\n";

    fn section(text: &str) -> Result<RuntimeSection, RecordError> {
        Record::parse(text.as_bytes()).map(|record| record.runtime.unwrap())
    }

    #[test]
    fn owned_parts_are_written_and_read_back() {
        let part = OwnedPart {
            path: RelativePath::parse("internal/runtime/redact").unwrap(),
            version: Version::parse("0.1.0").unwrap(),
        };
        let text = with_owned(&format!("{HEAD}# kept\n"), std::slice::from_ref(&part)).unwrap();
        assert!(text.contains("# kept"), "{text}");
        let read = section(&text).unwrap();
        assert_eq!(read.own, std::slice::from_ref(&part));
        let inside = RelativePath::parse("internal/runtime/redact/redact.go").unwrap();
        let beside = RelativePath::parse("internal/runtime/redact_more/x.go").unwrap();
        assert_eq!(read.owner(&inside), Some(&part));
        assert_eq!(read.owner(&beside), None);
        assert_eq!(section(&with_owned(&text, &[]).unwrap()).unwrap().own, []);
        let mut rendered = String::from("family = \"agent-cli\"\n");
        read.render(&mut rendered);
        assert_eq!(section(&rendered).unwrap(), read);
    }

    #[test]
    fn parts_outside_the_runtime_and_versions_that_are_none_are_refused() {
        for own in [
            "{ path = \"internal/other\", version = \"0.1.0\" }",
            "{ path = \"internal/runtime\", version = \"0.1.0\" }",
            "{ path = \"internal/runtime/../x\", version = \"0.1.0\" }",
            "{ path = \"internal/runtime/x\", version = \"1\" }",
            "{ path = \"internal/runtime/x\" }",
            "{ path = \"internal/runtime/x\", version = \"0.1.0\" }, { path = \"internal/runtime/x\", version = \"0.1.0\" }",
        ] {
            assert!(section(&format!("{HEAD}own = [{own}]\n")).is_err(), "{own}");
        }
    }
}
