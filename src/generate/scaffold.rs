//! A new project: the files of a template, rendered for one set of variables.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

use crate::plan::{Content, FileSet, FileSetError, RelativePath};
use crate::visible::excerpt;

use super::record::{AGENT_DIRECTORY, RECORD_PATH};
use super::render::{Engine, RenderError};

/// Mark of the name in paths of a template.
pub const TOOL_MARK: &str = "@tool@";
/// Mark of the package in paths of a template.
pub const PACKAGE_MARK: &str = "@package@";
/// Mark of a resource: such a file is rendered once for each.
const RESOURCE_MARK: &str = "@resource@";

/// One file of a template.
#[derive(Clone, Debug)]
pub struct TemplateFile {
    /// Path inside the template, `/`-separated.
    pub path: Cow<'static, str>,
    pub bytes: Cow<'static, [u8]>,
    /// Names of an example tool in it, which become those of the project.
    pub names: ExampleNames,
}

/// The name of the example tool.
#[derive(Clone, Debug, Default)]
pub struct ExampleNames {
    /// Go: its module path, which becomes the answer `module`.
    pub module: Option<String>,
    /// Python: its package.
    pub package: Option<String>,
}

impl TemplateFile {
    /// A file of the template itself.
    pub fn new(path: impl Into<Cow<'static, str>>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), names: ExampleNames::default() }
    }

    fn is_of_this_program(&self) -> bool {
        matches!(self.bytes, Cow::Borrowed(_))
    }
}

/// A part of the tree that exists for some answers only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Only {
    /// A file or directory of the new project.
    pub path: String,
    /// It exists when one of these holds.
    pub when: Vec<Condition>,
}

/// `key=value`: an answer has a value; `key!=value`: it has another one, or there is none.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Condition {
    pub key: String,
    pub value: String,
    pub is_negated: bool,
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split_once('=') {
            Some((key, value)) if !key.trim_end_matches('!').is_empty() && !value.is_empty() => {
                let (key, is_negated) =
                    key.strip_suffix('!').map_or((key, false), |key| (key, true));
                Ok(Self { key: key.to_owned(), value: value.to_owned(), is_negated })
            }
            _ => Err(D::Error::custom(format_args!("`{}` is not key=value", excerpt(&text, 200)))),
        }
    }
}

/// The origin of a project; the same for every family.
#[derive(Clone, Copy, Debug)]
pub struct ScaffoldOrigin<'a> {
    pub spec_tag: &'a str,
    pub aos_version: &'a str,
    pub aos_repository: &'a str,
}

/// The input for a new project.
#[derive(Debug)]
pub struct Scaffold<'a> {
    pub files: &'a [TemplateFile],
    /// Paths of the project that get the execute bit.
    pub executables: &'a [String],
    pub only: &'a [Only],
    pub tool: &'a str,
    pub package: &'a str,
    pub variables: Value,
    /// Values of `resource`, by name.
    pub resources: Vec<(String, Value)>,
    /// Validated answers by key.
    pub answers: &'a BTreeMap<String, String>,
}

/// Why a project could not be created.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Files(#[from] FileSetError),
    #[error("template file `{0}` is not UTF-8")]
    NotUtf8(String),
    #[error("`{0}` is written by aos itself")]
    OfAos(String),
    #[error("the answer to `{key}` cannot be in the name of the file `{path}`: {reason}")]
    Name { path: String, key: String, reason: &'static str },
}

/// The names between `@` and `@` in a path of a template.
pub fn marks(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').flat_map(|component| {
        let is_key = |part: &&str| {
            part.starts_with(|first: char| first.is_ascii_lowercase())
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        let parts: Vec<_> = component.split('@').collect();
        let inner = parts.len().saturating_sub(1);
        parts.into_iter().take(inner).skip(1).filter(is_key)
    })
}

/// A path with the answers in it; the text of an answer is not looked through for marks.
fn answered(path: &str, answers: &BTreeMap<String, String>) -> String {
    let (mut out, mut rest) = (String::new(), path);
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        let known = after.split_once('@').and_then(|(key, rest)| Some((answers.get(key)?, rest)));
        match known {
            Some((answer, after)) => {
                out.push_str(answer);
                rest = after;
            }
            None => {
                out.push('@');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the reason why an answer cannot be part of a file name.
fn is_no_name(answer: &str) -> Option<&'static str> {
    if answer.is_empty() {
        return Some("it is empty; such a question needs `required = true`");
    }
    if answer.contains(['/', '\\']) {
        return Some("it contains a separator of directories");
    }
    RelativePath::parse(answer).err().map(|error| error.reason)
}

/// A path of a project with the names in it.
#[must_use]
pub fn named(path: &str, tool: &str, package: &str) -> String {
    path.replace(TOOL_MARK, tool).replace(PACKAGE_MARK, package)
}

impl Scaffold<'_> {
    /// The files of the new repository that come from the template.
    ///
    /// # Errors
    /// Returns an error if a template is broken or two of its files are one.
    pub fn files(&self) -> Result<FileSet, ScaffoldError> {
        let mut files = FileSet::default();
        let mut engine = Engine::new(&self.variables)?;
        let texts = self.files.iter().filter(|file| file.path.ends_with(".tera"));
        let texts = texts.map(|file| match std::str::from_utf8(&file.bytes) {
            Ok(text) => Ok((file.path.as_ref(), text)),
            Err(_) => Err(ScaffoldError::NotUtf8(file.path.to_string())),
        });
        engine.parse_all(&texts.collect::<Result<Vec<_>, _>>()?)?;
        if self.files.iter().all(TemplateFile::is_of_this_program) {
            engine = engine.trusted();
        }
        for file in self.files {
            if file.path.contains(RESOURCE_MARK) {
                for (name, value) in &self.resources {
                    engine.set("resource", value);
                    self.add(&mut files, &mut engine, file, name)?;
                }
            } else {
                self.add(&mut files, &mut engine, file, "")?;
            }
        }
        files.validate_tree()?;
        Ok(files)
    }

    /// Returns the template file of each path, including files that the answers exclude. The same file has the same
    /// name in every version and with all answers, wherever it goes.
    #[must_use]
    pub fn origins(&self) -> BTreeMap<RelativePath, String> {
        let mut origins = BTreeMap::new();
        let mut note = |file: &TemplateFile, resource: &str| {
            if let Ok(path) = RelativePath::parse(&self.output_path(&file.path, resource)) {
                origins.insert(path, format!("{}#{resource}", output_name(&file.path)));
            }
        };
        for file in self.files {
            if file.path.contains(RESOURCE_MARK) {
                self.resources.iter().for_each(|(name, _)| note(file, name));
            } else {
                note(file, "");
            }
        }
        origins
    }

    fn add(
        &self,
        files: &mut FileSet,
        engine: &mut Engine,
        file: &TemplateFile,
        resource: &str,
    ) -> Result<(), ScaffoldError> {
        let path = self.output_path(&file.path, resource);
        if !self.exists(&path) {
            return Ok(());
        }
        for key in marks(&file.path) {
            if let Some(reason) = self.answers.get(key).and_then(|answer| is_no_name(answer)) {
                let path = output_name(&file.path);
                return Err(ScaffoldError::Name { path, key: key.to_owned(), reason });
            }
        }
        let bytes = if file.path.ends_with(".tera") {
            let text = std::str::from_utf8(&file.bytes)
                .map_err(|_| ScaffoldError::NotUtf8(file.path.to_string()))?;
            let rendered = engine.render(&file.path, text)?;
            // A file that an answer makes empty is a file that the project does not want.
            if rendered.trim().is_empty() {
                return Ok(());
            }
            rendered.into_bytes()
        } else {
            self.renamed(file)
        };
        let executable = self.executables.iter().any(|wanted| self.named(wanted) == path);
        if is_of_aos(&path) {
            return Err(ScaffoldError::OfAos(path));
        }
        let path = RelativePath::parse(&path).map_err(FileSetError::from)?;
        files.insert(path, Content { bytes: bytes.into(), executable })?;
        Ok(())
    }

    /// The bytes of a file, with the names of the project instead of those of the example tool.
    fn renamed(&self, file: &TemplateFile) -> Vec<u8> {
        let module = self.answers.get("module").map(String::as_str);
        let names = [(&file.names.module, module), (&file.names.package, Some(self.package))];
        let mut bytes = file.bytes.to_vec();
        for (theirs, ours) in names {
            if let (Some(theirs), Some(ours), Ok(text)) =
                (theirs, ours, std::str::from_utf8(&bytes))
            {
                bytes = text.replace(theirs.as_str(), ours).into_bytes();
            }
        }
        bytes
    }

    /// True if the answers want the file at `path`.
    fn exists(&self, path: &str) -> bool {
        is_wanted(self.only, path, (self.tool, self.package), self.answers)
    }

    fn named(&self, path: &str) -> String {
        answered(&named(path, self.tool, self.package), self.answers)
    }

    /// `dot_github/@tool@.tera` to `.github/acme`.
    fn output_path(&self, template: &str, resource: &str) -> String {
        self.named(&output_name(template).replace(RESOURCE_MARK, resource))
    }
}

/// True if the answers want a project to have the file at `path`.
#[must_use]
pub fn is_wanted(
    only: &[Only],
    path: &str,
    (tool, package): (&str, &str),
    answers: &BTreeMap<String, String>,
) -> bool {
    let holds = |condition: &Condition| {
        let is_so = answers.get(&condition.key).is_some_and(|answer| *answer == condition.value);
        is_so != condition.is_negated
    };
    only.iter()
        .filter(|only| is_within(path, &answered(&named(&only.path, tool, package), answers)))
        .all(|only| only.when.iter().any(holds))
}

/// The path that a file of a template gets, with its marks.
#[must_use]
pub fn output_name(template: &str) -> String {
    let path = template.strip_suffix(".tera").unwrap_or(template);
    let components = path.split('/').map(|component| match component.strip_prefix("dot_") {
        Some(rest) => format!(".{rest}"),
        None => component.to_owned(),
    });
    components.collect::<Vec<_>>().join("/")
}

/// True if aos itself writes the file at `path` of a project, so that no template can.
#[must_use]
pub fn is_of_aos(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path == RECORD_PATH || is_within(&path, AGENT_DIRECTORY)
}

/// True if `path` is `place` or is below it.
#[must_use]
pub fn is_within(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(path: &'static str, text: &'static str) -> TemplateFile {
        TemplateFile::new(path, text.as_bytes())
    }

    fn made(answers: &[(&str, &str)]) -> Vec<(String, String, bool)> {
        let files = [
            file("dot_github/@tool@.yml.tera", "x: {= description | json =} ${{ y }}\n"),
            file("@package@/main.py", "{= not rendered =}\n"),
            file("internal/jobs/poll.go", "package jobs\n"),
            file("internal/jobs_other.go", "package internal\n"),
            file("internal/jobs/wait.go", "package jobs\n"),
            file("LICENSE.tera", "{% if license == \"MIT\" %}MIT{% endif %}\n"),
            file("bin/@tool@", "#!/bin/sh\n"),
        ];
        let condition = |key: &str, value: &str| Condition {
            key: key.into(),
            value: value.into(),
            is_negated: false,
        };
        let only = [
            Only { path: "internal/jobs".into(), when: vec![condition("jobs", "yes")] },
            Only {
                path: "internal/jobs/wait.go".into(),
                when: vec![condition("human", "yes"), condition("credentials", "expiring")],
            },
        ];
        let answers: BTreeMap<_, _> =
            answers.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let license = answers.get("license").cloned().unwrap_or_default();
        let scaffold = Scaffold {
            files: &files,
            executables: &["bin/@tool@".to_owned()],
            only: &only,
            tool: "acme-crm",
            package: "acme_crm",
            variables: json!({"description": "a\"b", "license": license}),
            resources: Vec::new(),
            answers: &answers,
        };
        let files = scaffold.files().unwrap();
        let entry = |(path, content): (&RelativePath, &Content)| {
            let text = String::from_utf8(content.bytes.to_vec()).unwrap();
            (path.to_string(), text, content.executable)
        };
        files.iter().map(entry).collect()
    }

    #[test]
    fn names_go_into_paths_and_only_tera_files_are_rendered() {
        let files = made(&[("license", "MIT")]);
        let expected = [
            (".github/acme-crm.yml", "x: \"a\\\"b\" ${{ y }}\n", false),
            ("LICENSE", "MIT\n", false),
            ("acme_crm/main.py", "{= not rendered =}\n", false),
            ("bin/acme-crm", "#!/bin/sh\n", true),
            ("internal/jobs_other.go", "package internal\n", false),
        ];
        let expected = expected.map(|(path, text, bit)| (path.to_owned(), text.to_owned(), bit));
        assert_eq!(files, expected);
    }

    #[test]
    fn an_example_file_gets_the_names_of_the_project() {
        let names = ExampleNames {
            module: Some("aos.invalid/tool".into()),
            package: Some("acme_tool".into()),
        };
        let example = TemplateFile {
            names,
            ..file("@package@/x.py", "import acme_tool.y; \"aos.invalid/tool/z\"")
        };
        let answers = BTreeMap::from([("module".to_owned(), "example.com/crm".to_owned())]);
        let scaffold = Scaffold {
            files: &[example],
            executables: &[],
            only: &[],
            tool: "acme-crm",
            package: "acme_crm",
            variables: json!({}),
            resources: Vec::new(),
            answers: &answers,
        };
        let files = scaffold.files().unwrap();
        let (path, content) = files.iter().next().unwrap();
        assert_eq!(path.as_str(), "acme_crm/x.py");
        assert_eq!(&*content.bytes, b"import acme_crm.y; \"example.com/crm/z\"");
    }

    #[test]
    fn a_part_of_the_tree_exists_only_when_every_entry_for_it_holds() {
        let has = |answers: &[(&str, &str)], path: &str| {
            made(answers).iter().any(|(made, _, _)| made == path)
        };
        assert!(!has(&[], "internal/jobs/poll.go"));
        assert!(has(&[("jobs", "yes")], "internal/jobs/poll.go"));
        assert!(!has(&[("jobs", "yes")], "internal/jobs/wait.go"));
        assert!(!has(&[("human", "yes")], "internal/jobs/wait.go"));
        assert!(has(&[("jobs", "yes"), ("human", "yes")], "internal/jobs/wait.go"));
        assert!(has(&[("jobs", "yes"), ("credentials", "expiring")], "internal/jobs/wait.go"));
        assert!(!has(&[], "LICENSE"));
    }
}
