//! `aos template new`: a small template with a question, a condition, and a file of each kind.

use std::collections::BTreeMap;
use std::path::Path;

use crate::inputs::answer_forms;
use crate::inputs::own_template::judged;
use crate::inputs::template::Pattern;
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::excerpt;
use crate::workflows::Run;
use crate::workflows::write_gate::WriteOptions;

use super::made::{Making, tree};

const INFO: &str = r#"# The format is described in docs/templates.md of aos.
name = "@NAME@"
version = "1.0.0"
summary = ""
# Files that get the execute bit, by their path in a project.
executables = []
# Commands to run in a new project.
next = ["cat README.md"]

[[questions]]
key = "description"
help = "What the project does, in one line"
default = "{= title =}"

[[questions]]
key = "license"
help = "License of the project"
default = "none"
choices = ["none", "MIT"]

# A file or directory that exists for some answers only.
[[only]]
path = "LICENSE"
when = ["license=MIT"]
"#;
const README: &str = "# {= title =}\n\n{= description =}\n";
const LICENSE: &str = "MIT License\n\nCopyright (c) the authors of {= tool =}\n";
const IGNORE: &str = "*.log\n";

/// Starts the template `name` in `parent`.
///
/// # Errors
/// Returns an error if the name has not the form, or the target is taken.
pub fn start(
    name: &str,
    parent: &Path,
    write: &WriteOptions,
    run: &Run,
) -> Result<Outcome, Failure> {
    if let Some(reason) = answer_forms::fault(Pattern::Slug, name) {
        let message = format!("`{}` cannot be the name of a template: {reason}", excerpt(name, 60));
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("choose a name such as `web` or `go-service`"));
    }
    let files: BTreeMap<_, _> = [
        ("template.toml", INFO.replace("@NAME@", name)),
        ("files/README.md.tera", README.to_owned()),
        ("files/LICENSE.tera", LICENSE.to_owned()),
        ("files/dot_gitignore", IGNORE.to_owned()),
    ]
    .into_iter()
    .map(|(path, text)| (path.to_owned(), text.into_bytes()))
    .collect();
    let tree = tree(files, name)?;
    let template = judged(&tree, name)?;
    let target = parent.join(name);
    let (left_out, notes) = (Vec::new(), Vec::new());
    let command = "template new";
    Making { command, target: &target, option: "--dir", tree, template, left_out, notes }
        .write(write, run)
}
