//! Rules about the tree: where the project lives, which files it has, which paths survive an archive.

use super::subject::{ConnectorSubject, HARNESS, MANIFEST};
use crate::contract::rules::collector::{Collector, shown};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const DIRECTORY_NAME: Rule = Rule {
    id: "layout/directory-name",
    summary: "Where the host searches, the name of the connector's directory is `aos-` followed by a-z, 0-9 and `-`",
    why: "The host looks only at directories that start with `aos-`; other checkouts can have any name",
    fix: "rename the directory to the name of the tool where the host looks for connectors; elsewhere, ignore this",
    source: "host discovery: candidate",
    ..Rule::warning(&[FAMILY])
};
pub(super) const DIRECTORY_SYMLINK: Rule = Rule {
    id: "layout/directory-symlink",
    summary: "The project directory is a real directory",
    why: "The host skips directories that are symbolic links",
    fix: "move or clone the project to that place, or add its parent directory to ARGENT_CONNECTOR_REPOS",
    source: "host discovery: candidate",
    ..Rule::error(&[FAMILY])
};
pub(super) const TOOL_NAME: Rule = Rule {
    id: "layout/tool-name",
    summary: "A project directory that starts with `aos-` is named after `tool`",
    why: "The host looks for a binary with the directory's name, and lists the connector under the tool's name",
    fix: "rename the directory to the name of the tool where the host looks for connectors; elsewhere, ignore this",
    source: "CONNECTOR-SPEC §11; failure map, failure 18",
    ..Rule::warning(&[FAMILY])
};
pub(super) const HARNESS_MISSING: Rule = Rule {
    id: "layout/harness-missing",
    summary: "The project has an `agent-harness/` directory",
    why: "Without a harness, the commands in the manifest cannot run; this was so in three fleet connectors",
    fix: "add the harness (`aos new` writes one), or do not publish the manifest",
    source: "failure map, failure 6",
    ..Rule::error(&[FAMILY])
};
pub(super) const PACKAGE_MISSING: Rule = Rule {
    id: "layout/package-missing",
    summary: "`agent-harness/` contains the Python package of the connector",
    why: "Without sources, the host shows the connector as repo-only",
    fix: "add the package, or copy the whole project",
    source: "host discovery: install state; failure map, failure 16",
    ..Rule::error(&[FAMILY])
};
pub(super) const UNREADABLE: Rule = Rule {
    id: "layout/unreadable",
    summary: "Every file of the project can be read",
    why: "A file that was not read was not checked",
    fix: "make the file readable and smaller, or remove it",
    source: "CONNECTOR-SPEC §9",
    ..Rule::error(&[FAMILY])
};
pub(super) const SYMLINK: Rule = Rule {
    id: "layout/symlink",
    summary: "The project contains no symbolic links",
    why: "The marketplace archive contains only files and directories, so links are lost on installation",
    fix: "replace the link with the file",
    source: "host readers: marketplace-tool",
    ..Rule::warning(&[FAMILY])
};
pub(super) const ARCHIVE_PATH: Rule = Rule {
    id: "layout/archive-path",
    summary: "No path is longer than 100 bytes, the project directory included",
    why: "The host's archive reader truncates names at 100 bytes, so the file would be installed under another name",
    fix: "shorten the path",
    source: "host readers: marketplace-tool",
    ..Rule::error(&[FAMILY])
};
pub(super) const SHIM_EXECUTABLE: Rule = Rule {
    id: "layout/shim-executable",
    summary: "The launcher in `agent-harness/shims/` is executable",
    why: "The host finds it by name, and reports an error if it cannot run it",
    fix: "run `chmod +x` on the file",
    source: "host discovery: binary",
    ..Rule::warning(&[FAMILY])
};
pub(super) const README_MISSING: Rule = Rule {
    id: "layout/readme-missing",
    summary: "The project has a README",
    why: "Thirteen fleet connectors have no documentation",
    fix: "add `README.md`",
    source: "fleet survey: no README",
    ..Rule::warning(&[FAMILY])
};
pub(super) const CHANGELOG_MISSING: Rule = Rule {
    id: "layout/changelog-missing",
    summary: "The project has a CHANGELOG",
    why: "Users need to know what a new version changes",
    fix: "add `CHANGELOG.md`",
    source: "fleet survey: no CHANGELOG",
    ..Rule::warning(&[FAMILY])
};
pub(super) const TESTS_MISSING: Rule = Rule {
    id: "layout/tests-missing",
    summary: "`agent-harness/tests/` contains tests",
    why: "Without tests, the readiness index lists the connector as unverified",
    fix: "add tests (`aos new` writes them)",
    source: "host readers: readiness-index",
    ..Rule::warning(&[FAMILY])
};
pub(super) const TESTS_COVERAGE: Rule = Rule {
    id: "layout/tests-coverage",
    summary: "The tests cover every mode, exit codes and redaction",
    why: "Of 68 fleet connectors 63 never test each mode, 45 no exit code and 18 no redaction",
    fix: "add the missing tests (`aos new` writes them)",
    source: "fleet survey: tests",
    ..Rule::warning(&[FAMILY])
};

const MAX_ARCHIVE_PATH: usize = 100;

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    identity(subject, found);
    parts(subject, found);
    tests(subject, found);
    paths(subject, found);
}

fn identity(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let repository = subject.repository;
    let directory = repository.directory_name.as_str();
    if !directory.is_empty() {
        let slug = directory.strip_prefix("aos-").unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if slug.is_empty() || !slug.bytes().all(plain) {
            let message = format!(
                "the directory has the name {}, so the host does not find the connector",
                shown(directory)
            );
            found.whole(&DIRECTORY_NAME, ".", message);
        } else if let Some((manifest, source)) = subject.judged_manifest()
            && let Some(tool) = manifest.tool
            && tool.text != directory
        {
            let message = format!(
                "`tool` is {}, but the directory is {}",
                shown(tool.text),
                shown(directory)
            );
            found.at(&TOOL_NAME, source, tool.at, message);
        }
    }
    if repository.directory_is_symlink {
        found.whole(&DIRECTORY_SYMLINK, ".", "the directory is a symbolic link".to_owned());
    }
}

fn parts(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let files = &subject.repository.files;
    if !subject.has_harness {
        if files.contains_key(MANIFEST) {
            let live = subject.manifest.as_ref().is_some_and(|manifest| {
                let scope = &manifest.scope;
                [
                    scope.live_backend_available,
                    scope.live_read_available,
                    scope.write_bridge_available,
                ]
                .contains(&Some(true))
            });
            let claim = if live { ", but it claims a live backend" } else { "" };
            let message = format!("there is only a manifest, no `agent-harness/`{claim}");
            found.whole(&HARNESS_MISSING, ".", message);
        }
    } else if subject.python.is_empty() {
        let message =
            "there is no Python source in `agent-harness/`: it is a stub or a partial copy"
                .to_owned();
        found.whole(&PACKAGE_MISSING, "agent-harness", message);
    }
    if let Some(tool) = subject.tool() {
        let path = format!("{HARNESS}shims/{tool}");
        if cfg!(unix) && files.get(&path).is_some_and(|shim| !shim.executable) {
            found.whole(&SHIM_EXECUTABLE, &path, "the launcher is not executable".to_owned());
        }
    }
    let in_root = |name: &str| {
        let named =
            |path: &&String| !path.contains('/') && path.to_ascii_uppercase().starts_with(name);
        files.keys().any(|path| named(&path))
    };
    if !in_root("README") {
        found.whole(&README_MISSING, ".", "there is no README".to_owned());
    }
    if !in_root("CHANGELOG") {
        found.whole(&CHANGELOG_MISSING, ".", "there is no CHANGELOG".to_owned());
    }
}

fn tests(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    if !subject.has_harness {
        return;
    }
    let path = "agent-harness/tests";
    let texts: Vec<&str> = subject
        .repository
        .below("agent-harness/tests/", ".py")
        .filter_map(|(_, file)| file.bytes.text())
        .collect();
    if texts.is_empty() {
        found.whole(&TESTS_MISSING, path, "there are no tests".to_owned());
        return;
    }
    let speak =
        |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| text.contains(word)));
    let mut missing = Vec::new();
    // A table of expected modes is as good as their names.
    let by_table = speak(&["MODES", "contract_cases"]);
    if !by_table && !subject.facts.modes.iter().all(|mode| speak(&[mode.as_str()])) {
        missing.push("every mode");
    }
    if !speak(&["exit_code", "returncode", "exit code", "EXIT_CODES", ".exit"]) {
        missing.push("exit codes");
    }
    if !speak(&["redact", "secret", "sentinel", "mask"]) {
        missing.push("redaction of secrets");
    }
    if !missing.is_empty() {
        let message = format!("the tests do not cover {}", missing.join(", "));
        found.whole(&TESTS_COVERAGE, path, message);
    }
}

fn paths(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let repository = subject.repository;
    // An archive holds the connector under its own name, wherever it was checked out.
    let prefix = subject.tool().unwrap_or(repository.directory_name.as_str()).len() + 1;
    for path in repository.files.keys() {
        if prefix + path.len() > MAX_ARCHIVE_PATH {
            let message = format!("the path has {} bytes in an archive", prefix + path.len());
            found.whole(&ARCHIVE_PATH, path, message);
        }
    }
    for path in &repository.symlinks {
        found.whole(&SYMLINK, path, "this is a symbolic link".to_owned());
    }
    for (path, reason) in &repository.unreadable {
        found.whole(&UNREADABLE, path, format!("the file was not read: {reason}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    fn repository(change: impl FnOnce(&mut crate::contract::ProjectFiles)) -> Vec<&'static str> {
        let mut sample = Sample::good();
        change(&mut sample.repository);
        only(&sample)
    }

    #[test]
    fn the_directory_must_be_visible_to_the_host_under_the_tools_name() {
        for name in ["demo", "project", "workspace", "with space", "build", "aos-", "aos-Demo"] {
            let found = repository(|r| r.directory_name = name.into());
            assert_eq!(found, ["layout/directory-name"], "{name}");
        }
        assert_eq!(repository(|r| r.directory_name = "aos-other".into()), ["layout/tool-name"]);
        assert_eq!(repository(|r| r.directory_is_symlink = true), ["layout/directory-symlink"]);
        assert!(repository(|r| r.directory_name = String::new()).is_empty());
    }

    #[test]
    fn missing_parts_are_told_apart() {
        let stub = repository(|r| r.files.retain(|path, _| !path.starts_with("agent-harness/")));
        assert_eq!(stub, ["layout/harness-missing"]);
        let partial = repository(|r| r.files.retain(|path, _| !path.ends_with(".py")));
        assert_eq!(partial, ["layout/package-missing", "layout/tests-missing"]);
        assert_eq!(only(&Sample::good().without("README.md")), ["layout/readme-missing"]);
        assert_eq!(only(&Sample::good().without("CHANGELOG.md")), ["layout/changelog-missing"]);
        let tests = "agent-harness/tests/test_contract.py";
        assert_eq!(only(&Sample::good().without(tests)), ["layout/tests-missing"]);
        assert_eq!(
            only(&Sample::good().file(tests, "def test_x(): pass\n")),
            ["layout/tests-coverage"]
        );
    }

    #[test]
    fn files_that_cannot_be_installed_or_read_are_reported() {
        assert_eq!(repository(|r| r.symlinks.push("docs".into())), ["layout/symlink"]);
        assert_eq!(
            repository(|r| r.unreadable.push(("big.bin".into(), "too large".into()))),
            ["layout/unreadable"]
        );
        let path = |bytes: usize| "x".repeat(bytes - "aos-demo/".len());
        assert_eq!(only(&Sample::good().file(&path(101), "")), ["layout/archive-path"]);
        assert!(only(&Sample::good().file(&path(100), "")).is_empty());
        let shim = Sample::good().file("agent-harness/shims/aos-demo", "#!/bin/sh\n");
        assert_eq!(only(&shim), if cfg!(unix) { &["layout/shim-executable"][..] } else { &[] });
    }
}
