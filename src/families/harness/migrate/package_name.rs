//! `package-name`: the top-level package `cli_aos`, which every connector of the fleet has, gets the name of the tool.
//!
//! Only the first part of the name changes, so relative imports and counted directories keep their meaning.

use crate::audit::shadow::python::imports::{ImportedName, imports};
use crate::audit::shadow::python::tokens::PythonKind;
use crate::contract::json;
use crate::contract::pyproject::Pyproject;
use crate::families::harness::connector::ToolName;
use crate::workflows::migrate::seam::{RewriteSubject, Rewritten, UntouchedPlace};

use super::code::CodeText;
use super::places::{HARNESS, MANIFEST, PYPROJECT};
use super::toml_values::{holds, replace_word, replaced};

const SHARED: &str = "cli_aos";

/// Renames the package.
pub fn rewrite(subject: &RewriteSubject<'_>) -> Rewritten {
    let files = subject.files;
    let roots = [HARNESS.to_owned(), format!("{HARNESS}src/")];
    let root =
        roots.iter().find(|root| files.below(&format!("{root}{SHARED}/"), "").next().is_some());
    let Some(root) = root else { return Rewritten::default() };
    let refused = |path: &str, line: Option<u32>, reason: String| {
        Rewritten::refused(UntouchedPlace::of(path, line, reason))
    };
    let Some(name) = package(subject) else {
        return refused(
            MANIFEST,
            None,
            "it names no tool `aos-…`, so there is no new name".to_owned(),
        );
    };
    let (old, new) = (format!("{root}{SHARED}"), format!("{root}{name}"));
    if files.below(&format!("{new}/"), "").next().is_some() || files.holds(&format!("{new}.py")) {
        return refused(&new, None, "the package already exists".to_owned());
    }
    if let Some((path, _)) = files.unreadable.iter().find(|(path, _)| path.starts_with(&old)) {
        return refused(path, None, "it cannot be read".to_owned());
    }
    if let Some(path) = files.symlinks.iter().find(|path| path.starts_with(&old)) {
        return refused(path, None, "it is a link".to_owned());
    }
    let mut result =
        Rewritten { renamed: Some((old.clone(), new.clone())), ..Rewritten::default() };
    let mut blocking = Vec::new();
    for (path, file) in &files.files {
        if subject.managed.contains(path) {
            continue;
        }
        let inner = path.strip_prefix(&old).filter(|rest| rest.starts_with('/'));
        let target = inner.map_or_else(|| path.clone(), |inner| format!("{new}{inner}"));
        let text = std::str::from_utf8(&file.bytes).ok();
        let edited = match text {
            Some(text) if holds(text, SHARED) => edited(path, text, &name),
            _ => Ok(None),
        };
        match edited {
            Ok(None) if inner.is_none() => {}
            Ok(text) => {
                let bytes = text.map_or_else(|| file.bytes.to_vec(), String::into_bytes);
                result.files.insert(target, Some(bytes));
                if inner.is_some() {
                    result.files.insert(path.clone(), None);
                }
            }
            Err(UnclearMention::Page) => result.untouched.push(UntouchedPlace::of(
                path,
                None,
                format!("this page names `{SHARED}`; its author decides"),
            )),
            Err(UnclearMention::Code(line, reason)) => {
                blocking.push(UntouchedPlace::of(path, line, reason));
            }
        }
    }
    if blocking.is_empty() {
        return result;
    }
    // Half a rename is worse than none.
    Rewritten { untouched: blocking, ..Rewritten::default() }
}

/// The package that belongs to this tool alone.
fn package(subject: &RewriteSubject<'_>) -> Option<String> {
    let manifest = subject.files.bytes(MANIFEST).and_then(|bytes| json::parse(bytes).ok());
    let stated = manifest.as_ref().and_then(|it| it.get("tool")?.as_str());
    let project = || {
        let project = Pyproject::read(subject.files.text(PYPROJECT)?).ok()?;
        Some(project.name?.value)
    };
    let tool = stated.map(str::to_owned).or_else(project)?;
    ToolName::parse(&tool).map(|tool| tool.package())
}

/// A mention of the package that is not edited.
enum UnclearMention {
    /// In a text for people.
    Page,
    /// Where it means something.
    Code(Option<u32>, String),
}

fn edited(path: &str, text: &str, name: &str) -> Result<Option<String>, UnclearMention> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending {
        "py" => python(path, text, name),
        "toml" if path.starts_with(HARNESS) => replace_word(text, SHARED, name)
            .map(Some)
            .map_err(|reason| UnclearMention::Code(None, reason.into())),
        "md" | "txt" | "rst" => Err(UnclearMention::Page),
        _ => Err(UnclearMention::Code(
            None,
            format!("it names `{SHARED}`, and aos does not know what for"),
        )),
    }
}

fn python(path: &str, text: &str, name: &str) -> Result<Option<String>, UnclearMention> {
    let mut code = CodeText::read(path, text);
    let (names, is_import) = imports(&code.tokens);
    let is_of_others = |name: &ImportedName<'_>| {
        name.alias == SHARED
            && (!name.origin.is_empty() || name.name.split('.').next() != Some(SHARED))
    };
    if names.iter().any(is_of_others) {
        let reason = "`cli_aos` is a name of the file's own here".to_owned();
        return Err(UnclearMention::Code(Some(1), reason));
    }
    for (index, imported) in is_import.into_iter().enumerate() {
        let token = code.tokens[index];
        let range = token.at..token.at + token.text.len();
        let odd = |reason: &str| UnclearMention::Code(code.line(token.at), reason.to_owned());
        match token.kind {
            PythonKind::Name if token.text == SHARED => {
                let before = code.before(index).map_or("", |token| token.text);
                let after = code.after(index).map_or("", |token| token.text);
                if before == "." {
                    return Err(odd("`cli_aos` is a member of something else here"));
                }
                if !imported && after != "." {
                    return Err(odd("the package is used as a value here"));
                }
                code.replace(range, name);
            }
            PythonKind::Text if holds(token.text, SHARED) => {
                if !is_path(token.literal()) {
                    if is_docstring(&code, index) {
                        continue;
                    }
                    return Err(odd("a text names `cli_aos`, and aos does not know what for"));
                }
                code.replace(range, replaced(token.text, SHARED, name));
            }
            _ => {}
        }
    }
    Ok(code.edited())
}

/// The dotted path of a module or of something in it, as `mock.patch` takes it.
fn is_path(text: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    text.split([':', '.']).all(is_name) && text.split([':', '.']).next() == Some(SHARED)
}

/// A text that is a statement of its own.
fn is_docstring(code: &CodeText<'_>, index: usize) -> bool {
    code.before(index).is_none() && code.after(index).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Option<String>, u32> {
        python("a.py", text, "aos_x").map_err(|mention| match mention {
            UnclearMention::Page => 0,
            UnclearMention::Code(line, _) => line.unwrap_or_default(),
        })
    }

    #[test]
    fn imports_uses_and_paths_of_modules_follow_the_new_name() {
        for (text, expected) in [
            ("from cli_aos.x import a  # cli_aos\n", "from aos_x.x import a  # cli_aos\n"),
            ("import cli_aos.x as x, os\n", "import aos_x.x as x, os\n"),
            ("import os, cli_aos.x\ncli_aos.x.f()\n", "import os, aos_x.x\naos_x.x.f()\n"),
            ("patch('cli_aos.x.f')\n", "patch('aos_x.x.f')\n"),
            ("from .. import cli_aos_x\n", ""),
        ] {
            let found = of(text).map(|found| found.unwrap_or_default());
            assert_eq!(found, Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_use_that_is_not_understood_refuses_the_file() {
        for text in [
            "x = cli_aos\n",
            "self.cli_aos.x = 1\n",
            "run('python -m cli_aos.x')\n",
            "__import__('cli_' 'aos'); p = 'lib/cli_aos'\n",
            "import x as cli_aos\n",
            "f\"{cli_aos.x.A}\"\n",
        ] {
            assert_eq!(of(text), Err(1), "{text}");
        }
    }
}
