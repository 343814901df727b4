//! The changes of `aos upgrade` to aos.toml; everything else in the file keeps its form.

use std::collections::BTreeMap;

use super::output::Output;
use super::record::Record;
use super::record_runtime::RuntimeSection;
use super::record_template::{TemplateSection, UpgradeSection};
use super::record_text::RecordError;

/// The changes of an upgrade to `aos.toml`; everything else in it keeps its form.
#[derive(Clone, Copy, Debug)]
pub struct RecordChange<'a> {
    /// The output of the old template; a member that differs from it was changed by the user and is kept.
    pub before: &'a Record,
    /// The output of the new template.
    pub after: &'a Record,
    /// Leaves version and answers as they are until the conflicts are resolved.
    pub waiting: Option<&'a UpgradeSection>,
}

impl RecordChange<'_> {
    /// The record after the change, and its text.
    ///
    /// # Errors
    /// Returns an error if the text is not a record.
    pub fn applied(&self, text: &str) -> Result<(Record, String), RecordError> {
        let ours = Record::parse(text.as_bytes())?;
        let mut document = document(text)?;
        self.outputs(&ours, &mut document)?;
        self.runtime(&ours, &mut document)?;
        self.conform(&ours, &mut document)?;
        match self.waiting {
            Some(section) => {
                document.insert("upgrade", toml_edit::Item::Table(upgrade_table(section)));
            }
            None => {
                document.remove("upgrade");
                if let Some(section) = &self.after.template {
                    set_template(&mut document, section)?;
                }
                set_answers(&mut document, &self.before.answers, &self.after.answers)?;
            }
        }
        let text = document.to_string();
        Ok((Record::parse(text.as_bytes())?, text))
    }

    /// Updates the paths of generated files, unless the user has moved them.
    fn outputs(
        &self,
        ours: &Record,
        document: &mut toml_edit::DocumentMut,
    ) -> Result<(), RecordError> {
        let generators = self.before.outputs.keys().chain(self.after.outputs.keys());
        for generator in generators {
            let (before, after) =
                (self.before.outputs.get(generator), self.after.outputs.get(generator));
            if before == after || ours.outputs.get(generator) != before {
                continue;
            }
            let section = table(document, "outputs")?;
            match after {
                Some(outputs) => {
                    let entries: Vec<_> = outputs.iter().map(Output::render).collect();
                    let value: toml_edit::Value = format!("[{}]", entries.join(", "))
                        .parse()
                        .map_err(|_| fault("outputs", "they cannot be written"))?;
                    section.insert(generator, toml_edit::value(value));
                }
                None => {
                    section.remove(generator);
                }
            }
        }
        Ok(())
    }

    /// Updates the command of `aos conform`, unless the user has changed it.
    fn conform(
        &self,
        ours: &Record,
        document: &mut toml_edit::DocumentMut,
    ) -> Result<(), RecordError> {
        let (before, after) = (&self.before.conform, &self.after.conform);
        if before == after || ours.conform != *before {
            return Ok(());
        }
        let mut text = String::new();
        after.render(&mut text);
        match self::document(&text)?.remove("conform") {
            Some(section) => document.insert("conform", section),
            None => document.remove("conform"),
        };
        Ok(())
    }

    /// Updates the runtime of the project and its directory, unless the user has moved it.
    fn runtime(
        &self,
        ours: &Record,
        document: &mut toml_edit::DocumentMut,
    ) -> Result<(), RecordError> {
        let place = |record: &Record| {
            let section = record.runtime.as_ref();
            section.map(|RuntimeSection { name, path, .. }| (name.clone(), path.clone()))
        };
        let (before, after) = (place(self.before), place(self.after));
        if before == after || place(ours) != before {
            return Ok(());
        }
        match after {
            Some((name, path)) => {
                let section = table(document, "runtime")?;
                section.insert("name", toml_edit::value(name));
                section.insert("path", toml_edit::value(path.as_str()));
            }
            None => {
                document.remove("runtime");
            }
        }
        Ok(())
    }
}

/// The text of an `aos.toml` whose waiting upgrade is finished.
///
/// # Errors
/// Returns an error if the text is not a record with a waiting upgrade.
pub fn finished(text: &str) -> Result<String, RecordError> {
    let record = Record::parse(text.as_bytes())?;
    let (Some(template), Some(upgrade)) = (&record.template, &record.upgrade) else {
        return Err(fault("upgrade", "no upgrade is waiting"));
    };
    let section = TemplateSection {
        name: template.name.clone(),
        version: upgrade.version.clone(),
        aos: Some(upgrade.aos.clone()),
        spec: upgrade.spec.clone(),
        origin: upgrade.origin.clone(),
    };
    let mut document = document(text)?;
    document.remove("upgrade");
    set_template(&mut document, &section)?;
    set_answers(&mut document, &record.answers, &upgrade.answers)?;
    Ok(document.to_string())
}

fn document(text: &str) -> Result<toml_edit::DocumentMut, RecordError> {
    text.parse().map_err(|_| fault("(document)", "it is not TOML"))
}

fn set_template(
    document: &mut toml_edit::DocumentMut,
    section: &TemplateSection,
) -> Result<(), RecordError> {
    let table = table(document, "template")?;
    let members = [
        ("version", Some(&section.version)),
        ("aos", section.aos.as_ref()),
        ("spec", section.spec.as_ref()),
    ];
    for (key, value) in members.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        set(table, key, value);
    }
    if let Some(origin) = &section.origin {
        let origin_table = table.entry("origin").or_insert_with(toml_edit::table);
        let origin_table = origin_table
            .as_table_like_mut()
            .ok_or_else(|| fault("template.origin", "it is not a table"))?;
        for (key, value) in origin.members() {
            match value {
                Some(value) => set(origin_table, key, &value),
                None => {
                    origin_table.remove(key);
                }
            }
        }
    }
    Ok(())
}

/// New or changed answers; a key that the new template does not have is removed.
fn set_answers(
    document: &mut toml_edit::DocumentMut,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Result<(), RecordError> {
    if before == after {
        return Ok(());
    }
    let table = table(document, "answers")?;
    for (key, value) in after {
        set(table, key, value);
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        table.remove(key);
    }
    Ok(())
}

/// Sets a text and leaves one that is right in its own form.
fn set(table: &mut dyn toml_edit::TableLike, key: &str, value: &str) {
    if table.get(key).and_then(toml_edit::Item::as_str) != Some(value) {
        table.insert(key, toml_edit::value(value));
    }
}

fn table<'a>(
    document: &'a mut toml_edit::DocumentMut,
    name: &str,
) -> Result<&'a mut dyn toml_edit::TableLike, RecordError> {
    let section = document.entry(name).or_insert_with(toml_edit::table);
    section.as_table_like_mut().ok_or_else(|| fault(name, "it is not a table"))
}

fn upgrade_table(section: &UpgradeSection) -> toml_edit::Table {
    let mut table = toml_edit::Table::new();
    table.decor_mut().set_prefix(
        "\n# Conflicts of `aos upgrade` are open: resolve them and run it again, or `aos upgrade --abort`.\n",
    );
    let members = [
        ("version", Some(&section.version)),
        ("aos", Some(&section.aos)),
        ("spec", section.spec.as_ref()),
    ];
    for (key, value) in members.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        table.insert(key, toml_edit::value(value));
    }
    let mut conflicts = toml_edit::Array::new();
    for path in &section.conflicts {
        conflicts.push_formatted(toml_edit::Value::from(path.as_str()).decorated("\n  ", ""));
    }
    conflicts.set_trailing("\n");
    conflicts.set_trailing_comma(true);
    table.insert("conflicts", toml_edit::value(conflicts));
    if let Some(origin) = &section.origin {
        let mut members = toml_edit::Table::new();
        for (key, value) in origin.members().into_iter().filter_map(|(k, v)| Some((k, v?))) {
            members.insert(key, toml_edit::value(value));
        }
        table.insert("origin", toml_edit::Item::Table(members));
    }
    let mut answers = toml_edit::Table::new();
    for (key, value) in &section.answers {
        answers.insert(key, toml_edit::value(value));
    }
    table.insert("answers", toml_edit::Item::Table(answers));
    table
}

fn fault(member: &str, reason: &str) -> RecordError {
    RecordError::Member { member: member.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::RelativePath;

    const OLD: &str = "family = \"agent-cli\" # mine\n\n[template]\nname = \"t\"\nversion = '1.0.0'\n\n\
                       [answers]\nname = \"acme\"\nold = \"x\" # why\n\n[outputs]\ngo = [\"a/contract_gen.go\"]\n";

    fn record(text: &str) -> Record {
        Record::parse(text.as_bytes()).unwrap()
    }

    fn newer() -> Record {
        let mut after = record(OLD);
        after.template = Some(TemplateSection {
            name: "t".to_owned(),
            version: "1.1.0".to_owned(),
            aos: Some("0.2.0".to_owned()),
            spec: Some("v1.1.0".to_owned()),
            origin: None,
        });
        after.answers.remove("old");
        after.answers.insert("new".to_owned(), "y".to_owned());
        after
    }

    #[test]
    fn an_upgrade_changes_version_and_answers_and_keeps_the_form_of_the_rest() {
        let (before, after) = (record(OLD), newer());
        let change = RecordChange { before: &before, after: &after, waiting: None };
        let (read, text) = change.applied(OLD).unwrap();
        assert_eq!((&read.template, &read.answers), (&after.template, &after.answers));
        assert!(text.starts_with("family = \"agent-cli\" # mine\n"), "{text}");
        assert!(text.contains("go = [\"a/contract_gen.go\"]"), "{text}");
    }

    #[test]
    fn with_open_conflicts_version_and_answers_stay_until_the_upgrade_is_finished() {
        let (before, after) = (record(OLD), newer());
        let waiting = UpgradeSection {
            version: "1.1.0".to_owned(),
            aos: "0.2.0".to_owned(),
            spec: Some("v1.1.0".to_owned()),
            origin: None,
            conflicts: vec![RelativePath::parse("README.md").unwrap()],
            answers: after.answers.clone(),
        };
        let change = RecordChange { before: &before, after: &after, waiting: Some(&waiting) };
        let (read, text) = change.applied(OLD).unwrap();
        assert_eq!((&read.template, &read.answers), (&before.template, &before.answers));
        assert_eq!(read.upgrade.as_ref(), Some(&waiting), "{text}");
        let text = finished(&text).unwrap();
        let read = record(&text);
        assert_eq!((&read.template, &read.answers), (&after.template, &after.answers));
        assert_eq!(read.upgrade, None, "{text}");
        assert!(!text.contains("conflicts"), "{text}");
    }

    #[test]
    fn outputs_that_the_user_moved_stay_where_they_are() {
        let mut after = newer();
        let path = RelativePath::parse("b/contract_gen.go").unwrap();
        after.outputs.insert("go".to_owned(), vec![Output::at(path)]);
        let before = record(OLD);
        let change = RecordChange { before: &before, after: &after, waiting: None };
        assert_eq!(change.applied(OLD).unwrap().0.outputs, after.outputs);
        let moved = OLD.replace("a/contract_gen", "c/contract_gen");
        assert_eq!(change.applied(&moved).unwrap().0.outputs, record(&moved).outputs);
    }

    #[test]
    fn the_command_of_conform_follows_unless_the_user_wrote_another() {
        let mut after = newer();
        after.conform.command = vec!["bin/acme".to_owned()];
        let before = record(OLD);
        let change = RecordChange { before: &before, after: &after, waiting: None };
        assert_eq!(change.applied(OLD).unwrap().0.conform, after.conform);
        let own = format!("{OLD}\n[conform]\ncommand = [\"mine\"]\n");
        assert_eq!(change.applied(&own).unwrap().0.conform, record(&own).conform);
    }
}
