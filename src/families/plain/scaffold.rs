//! New projects without a contract: what their templates get.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::generate::scaffold::ScaffoldOrigin;
use crate::report::{ErrorCode, Failure};
use crate::workflows::new::choices::{shown, slug};
use crate::workflows::new::subject::{Named, Scaffolder, Subject, WantedProject, without_preset};

use super::name::PlainName;

pub struct PlainScaffolder;

impl Scaffolder for PlainScaffolder {
    fn name(&self, wanted: &WantedProject<'_>) -> Result<Box<dyn Named>, Failure> {
        let name = PlainName::parse(wanted.name).ok_or_else(|| {
            let message = format!(
                "`{}` cannot be the name of a project: it must be letters, digits, `-`, `_` and `.`",
                shown(wanted.name)
            );
            let mended = slug(wanted.name);
            let usable = PlainName::parse(&mended).is_some();
            let example = if usable { mended } else { "acme".to_owned() };
            Failure::new(ErrorCode::Validation, message)
                .hint(format!("choose a name such as `{example}`"))
        })?;
        Ok(Box::new(NamedPlain(name)))
    }
}

struct NamedPlain(PlainName);

impl Named for NamedPlain {
    fn variables(&self) -> Map<String, Value> {
        names(&self.0)
    }

    fn subject(
        self: Box<Self>,
        wanted: &WantedProject<'_>,
        _answers: &mut BTreeMap<String, String>,
    ) -> Result<Box<dyn Subject>, Failure> {
        without_preset(wanted)?;
        Ok(Box::new(PlainProject(self.0)))
    }
}

struct PlainProject(PlainName);

impl Subject for PlainProject {
    fn tool(&self) -> &str {
        self.0.as_str()
    }

    fn name(&self) -> &str {
        self.0.as_str()
    }

    fn package(&self) -> String {
        self.0.package()
    }

    /// No tag of a contract: printing one is an error of the template.
    fn variables(&self, answers: &BTreeMap<String, String>, origin: &ScaffoldOrigin<'_>) -> Value {
        let mut variables: Map<String, Value> =
            answers.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
        variables.insert("aos_version".to_owned(), origin.aos_version.into());
        variables.insert("aos_repository".to_owned(), origin.aos_repository.into());
        variables.extend(names(&self.0));
        variables.into()
    }
}

fn names(name: &PlainName) -> Map<String, Value> {
    let names = [
        ("tool", name.as_str().to_owned()),
        ("package", name.package()),
        ("env_prefix", name.env_prefix()),
        ("title", name.title()),
        ("type_name", name.type_name()),
    ];
    names.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}
