//! Sources that a tool would load and that were not read as they are loaded: links, files above the limit, and texts in
//! an encoding that hides their code. What was not read was not judged, so each of them is a finding.

use std::path::{Component, Path};

use crate::contract::Finding;
use crate::contract::repository::is_below;
use crate::system::files::{self, Kind};

use super::super::rules;
use super::module::GeneratedModule;
use super::python::loaded::is_test;

/// Encodings whose ASCII letters are ASCII bytes, without `-` and `_` and in lower case.
const PLAIN: &[&str] = &["utf8", "utf8sig", "u8", "ascii", "usascii", "latin1", "l1"];
const PLAIN_FAMILIES: &[&str] = &["iso8859", "cp125", "windows125", "koi8", "mac"];

/// The endings of the files that a compiler, an interpreter or a build reads.
fn endings(generator: &str) -> &'static [&'static str] {
    match generator {
        "go" => &[".go", "go.mod", "go.work", "modules.txt"],
        "python" => &[".py", ".pyw", "pyproject.toml", "setup.cfg"],
        "rust" => &[".rs", "Cargo.toml"],
        "javascript" | "typescript" => {
            &[".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", "package.json"]
        }
        _ => &[],
    }
}

/// Reports sources of the language of `generator` that were not read.
pub fn check(module: &GeneratedModule<'_>, generator: &str, found: &mut Vec<Finding>) {
    let endings = endings(generator);
    let is_source =
        |path: &str| endings.iter().any(|ending| path.ends_with(ending)) && !is_test_only(path);
    let repository = module.repository;
    for path in repository.symlinks.iter().filter(|path| path.as_str() != module.path) {
        match leads_to(module, path) {
            Some(target) if repository.files.contains_key(&target) => {
                let is_read =
                    is_source(&target) && (generator != "go" || same_place(path, &target));
                if is_source(path) && !is_read {
                    found
                        .push(unread(path, "it is a link, and its target is not read as a source"));
                }
            }
            Some(target) if module.kind(&target) == Kind::Directory => {}
            _ if is_source(path) => {
                found.push(unread(path, "it is a link to something outside the project"));
            }
            _ if is_below(path, module.directory)
                && files::kind(&target_of(module, path))
                    .is_ok_and(|kind| kind == Kind::Directory) =>
            {
                found.push(unread(path, "it is a link to a directory outside the project"));
            }
            _ => {}
        }
    }
    for (path, reason) in repository.unreadable.iter().filter(|(path, _)| is_source(path)) {
        found.push(unread(path, reason));
    }
    let files = repository.files.iter().chain(&repository.ignored);
    for (path, file) in files.filter(|(path, _)| is_source(path)) {
        // The compilers of Go and Rust refuse such a file.
        let is_lenient = !matches!(generator, "go" | "rust");
        if is_lenient && file.bytes.text().is_none() {
            found.push(unread(path, "it is not UTF-8, so its code was not read"));
        } else if generator == "python"
            && let Some(name) = encoding(&file.bytes).filter(|name| !is_plain(name))
        {
            let message =
                format!("it declares the encoding `{name}`, in which other code can be hidden");
            found.push(unread(path, &message));
        }
    }
}

/// The finding about a source that was not read.
pub fn unread(path: &str, reason: &str) -> Finding {
    let mut finding = rules::NOT_READ
        .finding(path, format!("the tool can load this file, but its code was not read: {reason}"));
    finding.fix = "replace it with a plain UTF-8 file of at most 2 MiB, or delete it".to_owned();
    finding
}

/// True if only tests load a source.
pub fn is_test_only(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_test(path)
        || name.ends_with("_test.go")
        || name.contains(".test.")
        || name.contains(".spec.")
}

fn same_place(path: &str, target: &str) -> bool {
    let directory = |path: &str| path.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
    directory(path) == directory(target)
}

fn target_of(module: &GeneratedModule<'_>, path: &str) -> std::path::PathBuf {
    files::canonical(&module.root.join(path)).unwrap_or_default()
}

/// Returns the target of a link, relative to the project, if it is inside the project.
fn leads_to(module: &GeneratedModule<'_>, path: &str) -> Option<String> {
    let root = files::canonical(module.root).ok()?;
    let target = files::canonical(&module.root.join(path)).ok()?;
    let inner = target.strip_prefix(root).ok()?;
    let parts = Path::new(inner).components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(parts.collect::<Option<Vec<_>>>()?.join("/"))
}

/// The encoding that the first or second line of a Python source declares.
fn encoding(bytes: &[u8]) -> Option<String> {
    for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')).take(3) {
        let line = String::from_utf8_lossy(line);
        let Some(comment) = line.trim_start().strip_prefix('#') else { continue };
        let Some((_, rest)) = comment.split_once("coding") else { continue };
        let Some(rest) = rest.strip_prefix([':', '=']) else { continue };
        let name: String = rest
            .trim_start()
            .chars()
            .take_while(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter))
            .collect();
        return (!name.is_empty()).then_some(name);
    }
    None
}

fn is_plain(name: &str) -> bool {
    let name: String =
        name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    PLAIN.contains(&name.as_str())
        || PLAIN_FAMILIES.iter().any(|family| name.starts_with(family))
        || name.starts_with("utf8")
        || name.starts_with("latin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_counts_where_python_reads_it_and_when_it_can_hide_code() {
        for (text, expected) in [
            ("# -*- coding: utf-7 -*-\nx", Some("utf-7")),
            (
                "#!/usr/bin/python\n# vim: set fileencoding=unicode_escape :\n",
                Some("unicode_escape"),
            ),
            ("x = 1\n", None),
            ("# about coding in general\n", None),
            ("a\nb\nc\n# coding: utf-7\n", None),
        ] {
            assert_eq!(encoding(text.as_bytes()).as_deref(), expected, "{text}");
        }
        for name in ["utf-8", "UTF_8", "latin-1", "iso-8859-15", "cp1252", "ascii", "koi8-r"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["utf-7", "unicode_escape", "raw_unicode_escape", "utf-16", "rot13", "punycode"]
        {
            assert!(!is_plain(name), "{name}");
        }
    }
}
