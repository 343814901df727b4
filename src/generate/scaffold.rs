//! A new connector: template files rendered for one preset and one set of answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::contract::connector::ToolName;
use crate::contract::json;
use crate::contract::operations::{Operation, Paging, Preset};
use crate::plan::{Content, FileSet, FileSetError, RelativePath};

use super::literal::python;
use super::manifest;
use super::outputs::CONNECTOR_PATH;
use super::render::{Engine, RenderError};

/// One file of a template.
#[derive(Clone, Copy, Debug)]
pub struct TemplateFile {
    /// Path inside the template, `/`-separated.
    pub path: &'static str,
    pub bytes: &'static [u8],
}

/// What a new connector is made from.
#[derive(Debug)]
pub struct Scaffold<'a> {
    pub files: &'a [TemplateFile],
    /// Output paths that get the execute bit.
    pub executables: &'a [String],
    pub tool: &'a ToolName,
    pub preset: &'a Preset,
    /// Validated answers by key.
    pub answers: &'a BTreeMap<String, String>,
    pub spec_tag: &'a str,
    pub aos_version: &'a str,
    pub aos_repository: &'a str,
}

/// Why no project was made.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Files(#[from] FileSetError),
    #[error("template file `{0}` is not UTF-8")]
    NotUtf8(&'static str),
}

impl Scaffold<'_> {
    /// The files of the new repository that come from the template, and its `connector.json`.
    ///
    /// # Errors
    /// When a template is broken or two of its files are one.
    pub fn files(&self) -> Result<FileSet, ScaffoldError> {
        let mut files = FileSet::default();
        let document = manifest::connector(self.tool, self.preset);
        files.insert(
            RelativePath::literal(CONNECTOR_PATH),
            Content::plain(json::pretty(&document)),
        )?;
        let mut engine = Engine::new(&self.variables())?;
        for file in self.files {
            if file.path.contains("@resource@") {
                for name in manifest::resources(self.preset) {
                    engine.set("resource", &self.resource(name));
                    self.add(&mut files, &mut engine, file, Some(name))?;
                }
            } else {
                self.add(&mut files, &mut engine, file, None)?;
            }
        }
        files.validate_tree()?;
        Ok(files)
    }

    fn add(
        &self,
        files: &mut FileSet,
        engine: &mut Engine,
        file: &TemplateFile,
        resource: Option<&str>,
    ) -> Result<(), ScaffoldError> {
        let bytes = if file.path.ends_with(".tera") {
            let text =
                std::str::from_utf8(file.bytes).map_err(|_| ScaffoldError::NotUtf8(file.path))?;
            let rendered = engine.render(file.path, text)?;
            // A file that an answer makes empty is a file that the project does not want.
            if rendered.trim().is_empty() {
                return Ok(());
            }
            rendered.into_bytes()
        } else {
            file.bytes.to_vec()
        };
        let path = self.output_path(file.path, resource);
        let executable =
            self.executables.iter().any(|wanted| self.output_path(wanted, None) == path);
        let path = RelativePath::parse(&path).map_err(FileSetError::from)?;
        files.insert(path, Content { bytes: bytes.into(), executable })?;
        Ok(())
    }

    /// `dot_github/@tool@.tera` to `.github/aos-acme`.
    fn output_path(&self, template: &str, resource: Option<&str>) -> String {
        let path = template.strip_suffix(".tera").unwrap_or(template);
        let components = path.split('/').map(|component| match component.strip_prefix("dot_") {
            Some(rest) => format!(".{rest}"),
            None => component.to_owned(),
        });
        components
            .collect::<Vec<_>>()
            .join("/")
            .replace("@tool@", self.tool.as_str())
            .replace("@package@", &self.tool.package())
            .replace("@resource@", resource.unwrap_or_default())
    }

    fn variables(&self) -> Value {
        let preset = self.preset;
        let answer = |key: &str| self.answers.get(key).map_or("", String::as_str);
        let headers: Vec<_> = preset
            .api
            .headers
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        json!({
            "tool": self.tool.as_str(),
            "name": self.tool.short(),
            "package": self.tool.package(),
            "label": preset.label,
            "summary": preset.summary,
            "backend": preset.backend,
            "documentation": preset.documentation,
            "license": answer("license"),
            "author": answer("author"),
            "preset": answer("preset"),
            "python_requires": ">=3.10",
            "aos_version": self.aos_version,
            "aos_repository": self.aos_repository,
            "spec_tag": self.spec_tag,
            "auth": preset.auth,
            "api": {
                "base_url": preset.api.base_url,
                "base_url_key": preset.api.base_url_key,
                "url_override": preset.api.url_override,
                "headers": headers,
                "error_style": preset.api.error_style,
                "health": preset.api.health,
                "paging": preset.api.paging,
            },
            "resources": manifest::resources(preset),
        })
    }

    fn resource(&self, name: &str) -> Value {
        let operations: Vec<_> = self
            .preset
            .operations
            .iter()
            .filter(|candidate| manifest::resource(candidate.id.as_str()) == name)
            .map(operation)
            .collect();
        json!({"name": name, "operations": operations})
    }
}

fn operation(operation: &Operation) -> Value {
    let wires = |pairs: Vec<(String, crate::contract::name::Key)>| -> Vec<Value> {
        pairs
            .into_iter()
            .map(|(wire, field)| json!({"wire": wire, "field": field.as_str()}))
            .collect()
    };
    let constants: Vec<_> = operation
        .constants
        .iter()
        .map(|(wire, value)| {
            let literal = python::value(value);
            json!({"wire": wire, "value": literal})
        })
        .collect();
    json!({
        "id": operation.id.as_str(),
        "function": function_name(operation.id.as_str()),
        "summary": operation.summary,
        "method": operation.method,
        "path": operation.path,
        "query": wires(operation.query.pairs()),
        "body": wires(operation.body.pairs()),
        "constants": constants,
        "result": operation.result,
        "list": operation.list,
        "items": operation.items,
        "item_id": operation.item_id,
        "item_name": operation.item_name,
        "mode": operation.required_mode(),
        "action_class": operation.class(),
        "each": operation.each.as_ref().map_or("", |field| field.as_str()),
        "paging": operation.paging.as_ref().map(paging),
    })
}

fn paging(paging: &Paging) -> Value {
    json!(paging)
}

/// `issue.list` to `list_issue`: never a Python keyword or builtin, and unique as the id is.
fn function_name(id: &str) -> String {
    let (resource, action) = id.split_once('.').unwrap_or(("", id));
    format!("{action}_{resource}").replace(['.', '-'], "_").trim_end_matches('_').to_owned()
}
