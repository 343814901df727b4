//! `aos template from`: a repository becomes a template, and renders back to the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::generate::record_text::quote;
use crate::generate::scaffold::{PACKAGE_MARK, TOOL_MARK, is_of_aos};
use crate::inputs::answers;
use crate::inputs::own_template::{RepositoryFile, TemplateTree, judged, repository_files};
use crate::inputs::template::Template;
use crate::plan::{Content, RelativePath};
use crate::report::answers::template::LeftOutPart;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{files, program};
use crate::visible::excerpt;
use crate::workflows::Run;
use crate::workflows::new::choices::slug;
use crate::workflows::new::rendering::NamedProject;
use crate::workflows::write_gate::WriteOptions;

use super::forms::Forms;
use super::made::{Making, tree};

/// A template of nothing, for the names of a project.
const NAMING: &str = "name = \"naming\"\nversion = \"1.0.0\"\n";

/// Makes a template of the repository in `directory`, in which the project is called `name`.
///
/// # Errors
/// Returns an error if the target is taken, or the template would not render back to the same files.
pub fn from(
    directory: &Path,
    name: Option<&str>,
    target: &Path,
    write: &WriteOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    let root = files::canonical(directory).map_err(|error| {
        Failure::new(
            crate::error::source_code(&error),
            format!("`{}` cannot be read: {error}", directory.display()),
        )
        .hint("pass the directory of a repository")
    })?;
    let own_name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.map(str::to_owned).or(own_name).unwrap_or_default();
    let (sources, passed) = repository_files(&root)?;
    let mut left_out: Vec<_> =
        passed.into_iter().map(|(what, reason)| LeftOutPart { what, line: None, reason }).collect();
    let forms = forms(&name)?;
    let mut maker = Maker { forms: &forms, title: slug(&name), plain: BTreeSet::new() };
    let mut kept = Vec::new();
    for file in sources {
        match refusal(&file.path) {
            Some(reason) => left_out.push(LeftOutPart { what: file.path, line: None, reason }),
            None => kept.push(file),
        }
    }
    if kept.is_empty() {
        let reasons: Vec<_> =
            left_out.iter().take(5).map(|part| format!("{}: {}", part.what, part.reason)).collect();
        let message = format!(
            "`{}` has no file that a template can have",
            excerpt(&directory.display().to_string(), 200)
        );
        let message = match reasons.is_empty() {
            true => message,
            false => format!("{message} ({})", excerpt(&reasons.join("; "), 400)),
        };
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("pass the directory of a repository with files of its own"));
    }
    // A file that would render differently is copied unchanged, without variables.
    let (made, template) = loop {
        let made = maker.template(&kept)?;
        let template = judged(&made, &name)?;
        let unlike = unlike(&template, &kept, &name)?;
        if unlike.is_empty() {
            break (made, template);
        }
        let before = maker.plain.len();
        maker.plain.extend(unlike.iter().cloned());
        if maker.plain.len() == before {
            let list: Vec<_> = unlike.into_iter().take(5).collect();
            let message = format!("the template would not render back to {}", list.join(", "));
            return Err(Failure::new(ErrorCode::Unknown, message)
                .hint("rename these files, or remove them from the repository"));
        }
    };
    let mut notes = vec![format!(
        "rendered with the name `{name}`, the template returns the same {}",
        crate::visible::counted(kept.len(), "file")
    )];
    notes.extend(maker.plain.iter().map(|path| {
        format!("`{path}` is copied unchanged, because replacing the name in it cannot be reversed")
    }));
    if forms.are_ambiguous() {
        notes.push(format!(
            "`{name}` is one word, so its forms look the same: look at `tool`, `package`, `title` and `type_name` in the files"
        ));
    }
    let command = "template from";
    Making { command, target, option: "--to", tree: made, template, left_out, notes }
        .write(write, run)
}

/// Returns the reason why a path cannot be in a template.
fn refusal(path: &str) -> Option<String> {
    if is_of_aos(path) {
        return Some("aos writes it".to_owned());
    }
    if let Err(error) = RelativePath::parse(path) {
        return Some(error.reason.to_owned());
    }
    if path.contains(TOOL_MARK) || path.contains(PACKAGE_MARK) || path.contains("@resource@") {
        return Some("its name contains a mark of templates".to_owned());
    }
    path.split('/')
        .any(|component| component.starts_with("dot_"))
        .then(|| "a name that begins with `dot_` would begin with a dot in a project".to_owned())
}

/// The template that has only names.
fn naming() -> Result<Template, Failure> {
    let files = [("template.toml", NAMING), ("files/x", "")];
    let files: BTreeMap<_, _> =
        files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into();
    Ok(judged(&tree(files, "naming")?, "naming")?)
}

fn forms(name: &str) -> Result<Forms, Failure> {
    let naming = naming()?;
    let named = NamedProject::of(&naming, name, None, None)
        .map_err(|failure| failure.hint("pass the name of the project with `--name`"))?;
    Ok(Forms::of(&named.variables()))
}

struct Maker<'a> {
    forms: &'a Forms,
    /// Name of the template.
    title: String,
    /// Files in which nothing is replaced.
    plain: BTreeSet<String>,
}

impl Maker<'_> {
    fn template(&self, sources: &[RepositoryFile]) -> Result<TemplateTree, Failure> {
        let mut files = BTreeMap::new();
        let mut executables = Vec::new();
        for file in sources {
            let marked = self.forms.in_path(&file.path);
            if file.executable {
                executables.push(quote(&marked));
            }
            let dotted = marked.split('/').map(|component| match component.strip_prefix('.') {
                Some(rest) => format!("dot_{rest}"),
                None => component.to_owned(),
            });
            let mut place = format!("files/{}", dotted.collect::<Vec<_>>().join("/"));
            let (bytes, is_rendered) = self.content(file);
            // The ending of a file that has it already is taken away by the rendering.
            if is_rendered {
                place.push_str(".tera");
            }
            files.insert(place, bytes);
        }
        let list = match executables.is_empty() {
            true => "[]".to_owned(),
            false => format!("[\n  {},\n]", executables.join(",\n  ")),
        };
        let title = if self.title.is_empty() { "template" } else { &self.title };
        let info = format!(
            "name = {}\nversion = \"1.0.0\"\nsummary = \"\"\nexecutables = {list}\n\n# Add questions and conditions here; docs/templates.md of aos describes them.\n",
            quote(title)
        );
        files.insert("template.toml".to_owned(), info.into_bytes());
        Ok(tree(files, title)?)
    }

    /// The bytes in the template, and whether they are rendered.
    fn content(&self, file: &RepositoryFile) -> (Vec<u8>, bool) {
        let ends_so = file.path.ends_with(".tera");
        let text = match std::str::from_utf8(&file.bytes) {
            Ok(text) if !text.trim().is_empty() => text,
            _ => return (file.bytes.clone(), false),
        };
        if self.plain.contains(&file.path) {
            return (file.bytes.clone(), false);
        }
        let replaced = self.forms.in_text(&file.path, text);
        match replaced.has_names || ends_so {
            true => (replaced.text.into_bytes(), true),
            false => (file.bytes.clone(), false),
        }
    }
}

/// Files that the template does not render with the same bytes and mode.
fn unlike(
    template: &Template,
    sources: &[RepositoryFile],
    name: &str,
) -> Result<Vec<String>, Failure> {
    let named = NamedProject::of(template, name, None, None)?;
    let answers = answers::collect(&template.info.questions, None, &[], &named.variables())?;
    let rendered = named.render(answers, (program::version(), None))?;
    let is_same = |file: &&RepositoryFile| {
        let wanted = Content { bytes: file.bytes.as_slice().into(), executable: file.executable };
        let path = RelativePath::parse(&file.path);
        path.is_ok_and(|path| rendered.files.get(&path) == Some(&wanted))
    };
    let unlike: Vec<_> =
        sources.iter().filter(|file| !is_same(file)).map(|file| file.path.clone()).collect();
    Ok(unlike)
}
