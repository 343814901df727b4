//! `flags`: a small module before the click group puts global flags first, wherever the caller wrote them.
//!
//! The commands stay as they are: an option that a command has itself keeps its meaning.

use crate::contract::json;
use crate::contract::pyproject::Pyproject;
use crate::families::harness::python_source::PythonSource;
use crate::workflows::migrate::seam::{RewriteSubject, Rewritten, UntouchedPlace};

use super::places::{HARNESS, PYPROJECT};

/// The module that the rewrite adds.
const MODULE: &str = "global_flags";
const TEXT: &str = include_str!("global_flags.py");

/// Adds the module.
pub fn rewrite(subject: &RewriteSubject<'_>) -> Rewritten {
    let refused =
        |path: &str, reason: &str| Rewritten::refused(UntouchedPlace::of(path, None, reason));
    let files = subject.files;
    let Some(text) = files.text(PYPROJECT) else { return refused(PYPROJECT, "it cannot be read") };
    let Ok(project) = Pyproject::read(text) else { return refused(PYPROJECT, "it is not TOML") };
    let Some((_, entry)) = project.scripts.iter().find(|(name, _)| name.starts_with("aos-")) else {
        return refused(PYPROJECT, "it has no script `aos-…`");
    };
    let Some((module, function)) = entry.value.split_once(':') else {
        return refused(PYPROJECT, "its script names no function");
    };
    let Some((package, own)) = module.rsplit_once('.') else {
        return refused(PYPROJECT, "the script starts a module outside a package");
    };
    if own == MODULE {
        return Rewritten::default();
    }
    let directory = package.replace('.', "/");
    let place = |inner: &str| {
        ["", "src/"]
            .iter()
            .map(|root| format!("{HARNESS}{root}{inner}"))
            .find(|path| files.files.contains_key(path))
    };
    let Some(source) = place(&format!("{directory}/{own}.py")) else {
        return refused(PYPROJECT, "the module of its script does not exist");
    };
    let Some(bytes) = files.bytes(&source) else { return Rewritten::default() };
    let python = PythonSource::read(bytes);
    let group = python.decorated.iter().find(|decorated| {
        decorated.function == function
            && decorated.decorators.iter().any(|decorator| decorator.method == "group")
    });
    let Some(group) = group else {
        return refused(
            &source,
            "the script does not start a click group, so it may handle the order of its arguments itself",
        );
    };
    let takes = |flag: &str| {
        group
            .decorators
            .iter()
            .any(|decorator| decorator.method == "option" && decorator.strings.contains(&flag))
    };
    if !takes("--json") {
        return refused(&source, "the group has no option `--json`");
    }
    let target =
        source.strip_suffix(&format!("{own}.py")).map(|parent| format!("{parent}{MODULE}.py"));
    let Some(target) = target else { return Rewritten::default() };
    if files.holds(&target) {
        return refused(&target, "the file already exists");
    }
    let quoted = text.get(entry.at..).and_then(|rest| {
        let quote = rest.chars().next()?;
        let length = rest[1..].find(quote)? + 2;
        (rest[1..length - 1] == entry.value).then_some(length)
    });
    let Some(length) = quoted else {
        return refused(PYPROJECT, "its script is written in an unusual way");
    };
    let quote = &text[entry.at..entry.at + 1];
    let mut edited = text.to_owned();
    let start = format!("{quote}{package}.{MODULE}:main{quote}");
    edited.replace_range(entry.at..entry.at + length, &start);
    let added = TEXT.replace("ENTRY_MODULE", own).replace("ENTRY_FUNCTION", function);
    let mut result = Rewritten::default();
    result.files.insert(target, Some(added.into_bytes()));
    result.files.insert(PYPROJECT.to_owned(), Some(edited.into_bytes()));
    for (path, reason) in starters(subject, module) {
        result.untouched.push(UntouchedPlace::of(&path, None, reason));
    }
    result
}

/// Other files that start the tool past the new module.
fn starters(subject: &RewriteSubject<'_>, module: &str) -> Vec<(String, &'static str)> {
    let named = subject.files.files.iter().filter(|(path, file)| {
        !path.ends_with(".py")
            && !path.ends_with(".toml")
            && !path.ends_with(".md")
            && !subject.managed.contains(*path)
            && std::str::from_utf8(&file.bytes).is_ok_and(|text| text.contains(module))
    });
    named
        .map(|(path, _)| {
            (json::printable(path), "it starts the old entry point, which does not order flags")
        })
        .collect()
}
