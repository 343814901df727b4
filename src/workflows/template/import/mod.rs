//! `aos template import`: templates of cookiecutter and copier, as far as they use no code.

mod conditions;
mod cookiecutter;
mod copier;
mod imported;
mod jinja;
mod paths;
mod question;
mod yaml_tree;

use std::collections::BTreeMap;
use std::path::Path;

use crate::inputs::own_template::{RepositoryFile, judge, judged, repository_files};
use crate::report::answers::template::LeftOutPart;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::files;
use crate::visible::Visible;
use crate::workflows::Run;
use crate::workflows::write_gate::WriteOptions;

use super::made::{Making, left_out_lines, tree};
use imported::Imported;

/// Imports the template in `directory`.
///
/// # Errors
/// Returns an error if it is none of the two kinds, none of its files can be imported, or the target is taken.
pub fn import(
    directory: &Path,
    target: &Path,
    write: &WriteOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    let root = files::canonical(directory).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", directory.display());
        Failure::new(crate::error::source_code(&error), message)
            .hint("pass the directory of a template")
    })?;
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = crate::workflows::new::choices::slug(&name.unwrap_or_default());
    let name = if name.is_empty() { "template".to_owned() } else { name };
    let (sources, passed) = repository_files(&root)?;
    let mut imported = match kind(&sources) {
        Some(ImportKind::Cookiecutter) => cookiecutter::import(&name, &sources)?,
        Some(ImportKind::Copier(path)) => copier::import(&name, &sources, &path)?,
        None => {
            let message = format!(
                "`{}` has no cookiecutter.json, copier.yml or copier.yaml",
                directory.display()
            );
            return Err(Failure::new(ErrorCode::NotFound, message)
                .hint("`aos template from` derives a template from any repository"));
        }
    };
    imported.left_out.extend(passed.into_iter().map(|(what, reason)| LeftOutPart {
        what,
        line: None,
        reason,
    }));
    finish(imported, &name, target, write, run)
}

enum ImportKind {
    Cookiecutter,
    Copier(String),
}

fn kind(sources: &[RepositoryFile]) -> Option<ImportKind> {
    let has = |path: &str| sources.iter().any(|file| file.path == path);
    if has("cookiecutter.json") {
        return Some(ImportKind::Cookiecutter);
    }
    let copier = ["copier.yml", "copier.yaml"].into_iter().find(|path| has(path));
    copier.map(|path| ImportKind::Copier(path.to_owned()))
}

/// Files that do not parse after the translation are left out; everything else must be a template without fault.
fn finish(
    mut imported: Imported,
    name: &str,
    target: &Path,
    write: &WriteOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    let (made, template) = loop {
        let mut all: BTreeMap<_, _> = imported
            .files
            .iter()
            .map(|(path, bytes)| (format!("files/{path}"), bytes.clone()))
            .collect();
        let info = imported.info.render(&imported.files);
        all.insert("template.toml".to_owned(), info.into_bytes());
        let made = tree(all, name)?;
        let (_, faults) = judge(&made);
        let before = imported.files.len();
        for fault in faults {
            let Some(path) = fault.path.strip_prefix("files/") else { continue };
            if imported.files.remove(path).is_some() {
                imported.left_out.push(LeftOutPart {
                    what: path.to_owned(),
                    line: fault.place.map(|(line, _)| line),
                    reason: fault.message,
                });
            }
        }
        if imported.files.is_empty() {
            return Err(no_file(name, imported.left_out, run));
        }
        if imported.files.len() == before {
            let template = judged(&made, name)?;
            break (made, template);
        }
    };
    let Imported { left_out, notes, .. } = imported;
    let command = "template import";
    Making { command, target, option: "--to", tree: made, template, left_out, notes }
        .write(write, run)
}

fn no_file(name: &str, left_out: Vec<LeftOutPart>, run: &Run) -> Failure {
    let message = match left_out.is_empty() {
        true => format!("the template `{name}` has no files for a project"),
        false => format!("no file of the template `{name}` can be imported"),
    };
    let report = Visible::joined(left_out_lines(&left_out, run), "\n");
    let mut failure = Failure::new(ErrorCode::Validation, message)
        .hint("remove the code from the files, or derive a template from a project with `aos template from DIR --to TEMPLATE`; nothing was written")
        .detail("left_out", left_out);
    failure.report = Some(report);
    failure
}
