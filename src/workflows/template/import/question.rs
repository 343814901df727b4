//! The questions of an imported template, and its `template.toml`.

use std::collections::BTreeMap;

use crate::generate::record_text::quote;
use crate::generate::scaffold::{is_within, marks, output_name};
use crate::inputs::own_template::is_taken;

/// A question of the other tool.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its name there.
    pub source: String,
    /// Its key here.
    pub key: String,
    pub help: String,
    pub default: String,
    pub choices: Vec<String>,
    /// Its answers are `yes` and `no` here, true and false there.
    pub is_yes_no: bool,
}

/// The members of `template.toml`.
#[derive(Clone, Debug, Default)]
pub struct Info {
    pub name: String,
    pub origin: &'static str,
    pub questions: Vec<Asked>,
    /// Path in a project and condition.
    pub only: Vec<(String, String)>,
    /// Paths in `files/` of programs.
    pub executables: Vec<String>,
}

impl Info {
    /// The text; paths of files that are left out are not in it.
    #[must_use]
    pub fn render(&self, files: &BTreeMap<String, Vec<u8>>) -> String {
        let outputs: Vec<_> = files.keys().map(|path| output_name(path)).collect();
        let executables = self.executables.iter().filter(|path| files.contains_key(*path));
        let executables: Vec<_> = executables.map(|path| quote(&output_name(path))).collect();
        let mut text = format!(
            "# Imported from {} by aos; docs/templates.md of aos describes the format.\nname = {}\nversion = \"1.0.0\"\nsummary = \"\"\nexecutables = [{}]\n",
            self.origin,
            quote(&self.name),
            executables.join(", ")
        );
        for asked in &self.questions {
            text.push_str(&format!(
                "\n[[questions]]\nkey = {}\nhelp = {}\ndefault = {}\n",
                quote(&asked.key),
                quote(&asked.help),
                quote(&asked.default)
            ));
            let is_mark = |path: &String| marks(path).any(|key| key == asked.key);
            if asked.choices.is_empty() && files.keys().any(is_mark) {
                text.push_str("required = true\n");
            }
            if !asked.choices.is_empty() {
                let choices: Vec<_> = asked.choices.iter().map(|choice| quote(choice)).collect();
                text.push_str(&format!("choices = [{}]\n", choices.join(", ")));
            }
        }
        let exists = |path: &str| outputs.iter().any(|output| is_within(output, path));
        for (path, condition) in self.only.iter().filter(|(path, _)| exists(path)) {
            text.push_str(&format!(
                "\n[[only]]\npath = {}\nwhen = [{}]\n",
                quote(path),
                quote(condition)
            ));
        }
        text
    }
}

/// The key of a question with this name; some are words of the language or variables of aos.
#[must_use]
pub fn free_key(name: &str) -> String {
    match is_taken(name) {
        true => format!("{name}_answer"),
        false => name.to_owned(),
    }
}

/// The key in the form of aos; `None` when it cannot be one.
#[must_use]
pub fn key(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase().replace('-', "_");
    let formed = lower.starts_with(|first: char| first.is_ascii_lowercase())
        && lower.chars().all(|symbol| symbol.is_ascii_alphanumeric() || symbol == '_');
    formed.then_some(lower)
}
