//! `[template]` and `[upgrade]` in aos.toml: the template of a project, and an upgrade with open conflicts.
//!
//! `record_change` writes them into an existing file.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::plan::RelativePath;

use super::record_origin::{OriginDocument, TemplateOrigin};
use super::record_text::{RecordError, quote, relative};

/// Most conflicts of one upgrade.
const MAX_CONFLICTS: usize = 2000;

/// The template of a project, and the versions on which its files depend.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TemplateSection {
    pub name: String,
    pub version: String,
    /// The aos that rendered it; `None` in a record of an older form.
    pub aos: Option<String>,
    /// The contract it was rendered for; `None` in a record of an older form.
    pub spec: Option<String>,
    /// The source of a user's own template; `None` for a template of this program.
    pub origin: Option<TemplateOrigin>,
}

/// An upgrade that was written with conflicts: its target version, and the open files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UpgradeSection {
    pub version: String,
    pub aos: String,
    /// The contract it is for; `None` in a project without one.
    pub spec: Option<String>,
    pub origin: Option<TemplateOrigin>,
    /// Files with markers, and `.rej` files.
    pub conflicts: Vec<RelativePath>,
    /// The answers that the project has afterwards.
    pub answers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TemplateDocument {
    name: String,
    version: String,
    aos: Option<String>,
    spec: Option<String>,
    origin: Option<OriginDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UpgradeDocument {
    version: String,
    aos: String,
    spec: Option<String>,
    origin: Option<OriginDocument>,
    #[serde(default)]
    conflicts: Vec<String>,
    #[serde(default)]
    answers: BTreeMap<String, String>,
}

impl TemplateDocument {
    pub(super) fn parse(self) -> Result<TemplateSection, RecordError> {
        let Self { name, version, aos, spec, origin } = self;
        let origin = origin.map(|origin| origin.parse("template.origin")).transpose()?;
        Ok(TemplateSection { name, version, aos, spec, origin })
    }
}

impl UpgradeDocument {
    pub(super) fn parse(self) -> Result<UpgradeSection, RecordError> {
        if self.conflicts.len() > MAX_CONFLICTS {
            return Err(RecordError::Member {
                member: "upgrade.conflicts".to_owned(),
                reason: "it has more than 2000 entries".to_owned(),
            });
        }
        let conflicts = self.conflicts.iter().map(|path| relative("upgrade.conflicts", path));
        Ok(UpgradeSection {
            conflicts: conflicts.collect::<Result<_, _>>()?,
            version: self.version,
            aos: self.aos,
            spec: self.spec,
            origin: self.origin.map(|origin| origin.parse("upgrade.origin")).transpose()?,
            answers: self.answers,
        })
    }
}

impl TemplateSection {
    pub(super) fn render(&self, text: &mut String) {
        text.push_str(&format!(
            "\n[template]\nname = {}\nversion = {}\n",
            quote(&self.name),
            quote(&self.version)
        ));
        let more = [("aos", &self.aos), ("spec", &self.spec)];
        for (key, value) in more.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
        {
            text.push_str(&format!("{key} = {}\n", quote(value)));
        }
        if let Some(origin) = &self.origin {
            origin.render("template.origin", text);
        }
    }
}
