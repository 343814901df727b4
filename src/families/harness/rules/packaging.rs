//! Rules about `agent-harness/pyproject.toml`: it builds, it names the tool, and the host can read it.

use super::super::python_source::NoteKind;
use super::host_view::HostView;
use super::subject::{ConnectorSubject, HARNESS, PYPROJECT};
use crate::contract::pyproject::{Pyproject, TomlText};
use crate::contract::rules::collector::{Collector, SourceText, shown};
use crate::contract::rules::rule::Rule;
use crate::families::harness::contract::FAMILY;

pub(super) const MISSING: Rule = Rule {
    id: "pyproject/missing",
    summary: "`agent-harness/pyproject.toml` exists",
    why: "The host installs the connector with `pip install -e .` in that directory",
    fix: "add the file (`aos new` writes it)",
    source: "host discovery: files read",
    ..Rule::error(&[FAMILY])
};
pub(super) const SYNTAX: Rule = Rule {
    id: "pyproject/syntax",
    summary: "`pyproject.toml` is TOML in UTF-8",
    why: "Otherwise pip cannot install the connector",
    fix: "correct the TOML at this line",
    source: "host readers: marketplace-tool",
    ..Rule::error(&[FAMILY])
};
pub(super) const NAME: Rule = Rule {
    id: "pyproject/name",
    summary: "`project.name` is the name of the tool",
    why: "A connector with two names is installed, listed and removed as two connectors",
    fix: "use one name for directory, tool, project and script",
    source: "CONNECTOR-SPEC §11; failure map, failure 18",
    ..Rule::error(&[FAMILY])
};
pub(super) const SCRIPT: Rule = Rule {
    id: "pyproject/script",
    summary: "`project.scripts` has one script of the tool's name, before any other `aos-` script",
    why: "The host uses the first `aos-` script as the tool, and looks for a binary with the directory's name",
    fix: "add `<tool> = \"<package>.cli:main\"` as the first script",
    source: "host discovery: pyproject.toml",
    ..Rule::error(&[FAMILY])
};
pub(super) const HOST_UNREADABLE: Rule = Rule {
    id: "pyproject/host-unreadable",
    summary: "The host can read name, version, description, requires-python and the script",
    why: "The host uses regular expressions: a section ends at a line with `[` or at a capital Z, and values need double quotes",
    fix: "put the value in double quotes, before any capital Z, and add another table after the section",
    source: "host discovery: pyproject.toml; failure map, failure 28",
    ..Rule::error(&[FAMILY])
};
pub(super) const REQUIRES_PYTHON: Rule = Rule {
    id: "pyproject/requires-python",
    summary: "`requires-python` is a lower bound such as `>=3.10`",
    why: "The marketplace selects the interpreter by the `>=`",
    fix: "add `requires-python = \">=3.10\"`",
    source: "host readers: marketplace-tool",
    ..Rule::warning(&[FAMILY])
};
pub(super) const CLICK_MISSING: Rule = Rule {
    id: "pyproject/click-missing",
    summary: "A connector whose sources import click depends on click",
    why: "A new virtual environment has no click, so the connector fails at its first import",
    fix: "add `\"click>=8.1,<9\"` to `dependencies`",
    source: "fleet survey: pyproject",
    ..Rule::error(&[FAMILY])
};
pub(super) const ENTRY_MODULE: Rule = Rule {
    id: "pyproject/entry-module",
    summary: "The script's module exists and defines the function",
    why: "Otherwise the installed command fails with ModuleNotFoundError, which the host shows as `error`",
    fix: "correct the entry point, or add the module",
    source: "host discovery: install state",
    ..Rule::error(&[FAMILY])
};
pub(super) const SHARED_PACKAGE: Rule = Rule {
    id: "pyproject/shared-package",
    summary: "The top-level package belongs only to this connector (not `cli_aos`)",
    why: "All fleet connectors contain `cli_aos`: of 12 in one environment, 11 cannot be imported",
    fix: "rename the package to the tool's name with `_`, for example `aos_github`",
    source: "fleet survey: 12 connectors in one venv",
    ..Rule::error(&[FAMILY])
};
pub(super) const README_MISSING: Rule = Rule {
    id: "pyproject/readme-missing",
    summary: "The file named by `readme` exists",
    why: "Otherwise building a wheel fails or warns; 17 fleet connectors name a missing file",
    fix: "add the file, or remove `readme`",
    source: "fleet survey: pyproject",
    ..Rule::warning(&[FAMILY])
};
pub(super) const VERSION: Rule = Rule {
    id: "pyproject/version",
    summary: "`project.version` is the package's `__version__`",
    why: "Otherwise envelopes report one version and the catalogue another; published versions are immutable",
    fix: "set both to the same version",
    source: "failure map, failure 14",
    ..Rule::error(&[FAMILY])
};

pub(super) fn check(subject: &ConnectorSubject<'_>, found: &mut Collector) {
    let Some(file) = &subject.pyproject else {
        let unreadable = subject.repository.unreadable.iter().any(|(path, _)| path == PYPROJECT);
        if subject.has_harness && !unreadable {
            found.whole(&MISSING, PYPROJECT, "there is no `pyproject.toml`".to_owned());
        }
        return;
    };
    let source = &file.source;
    if subject.repository.text(PYPROJECT).is_none() {
        found.at(&SYNTAX, source, 0, "the file contains bytes that are not UTF-8".to_owned());
    }
    match &file.project {
        Err(fault) => {
            found.at(&SYNTAX, source, fault.at, format!("not readable as TOML: {}", fault.message));
        }
        Ok(project) => {
            names(subject, project, &file.host, source, found);
            host_view(project, &file.host, source, found);
            requirements(subject, project, source, found);
            entry_points(subject, project, source, found);
            version(subject, project, found);
        }
    }
}

fn names(
    subject: &ConnectorSubject<'_>,
    project: &Pyproject,
    host: &HostView<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let Some(tool) = subject.tool() else { return };
    match &project.name {
        Some(name) if name.value == tool => {}
        Some(name) => {
            let message = format!(
                "`project.name` is {}, but the tool is {}",
                shown(&name.value),
                shown(tool)
            );
            found.at(&NAME, source, name.at, message);
        }
        None => found.at(&NAME, source, 0, "there is no `project.name`".to_owned()),
    }
    let first = project.scripts.iter().find(|(name, _)| name.starts_with("aos-"));
    match first {
        Some((name, _)) if name == tool => {
            if host.tool().is_some_and(|seen| seen != tool) {
                let message =
                    format!("the host uses {} as the tool", shown(host.tool().unwrap_or("")));
                found.at(&SCRIPT, source, 0, message);
            }
        }
        Some((name, entry)) => {
            let message =
                format!("the first script is {}, but the tool is {}", shown(name), shown(tool));
            found.at(&SCRIPT, source, entry.at, message);
        }
        None => found.at(&SCRIPT, source, 0, format!("there is no script {}", shown(tool))),
    }
}

fn host_view(
    project: &Pyproject,
    host: &HostView<'_>,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    for (key, entry, seen) in [
        ("name", &project.name, host.name),
        ("version", &project.version, host.version),
        ("description", &project.description, host.description),
        ("requires-python", &project.requires_python, host.requires_python),
    ] {
        if let Some(TomlText { at, value }) = entry
            && seen != Some(value.trim())
        {
            let sees = seen.map_or_else(|| "nothing".to_owned(), |seen| shown(seen).to_string());
            found.at(&HOST_UNREADABLE, source, *at, format!("the host reads {sees} for `{key}`"));
        }
        if project.dynamic.iter().any(|name| name == key) {
            let message = format!("`{key}` is dynamic, which the host cannot read");
            found.at(&HOST_UNREADABLE, source, 0, message);
        }
    }
    if let Some((name, entry)) = project.scripts.iter().find(|(name, _)| name.starts_with("aos-"))
        && host.tool().is_none()
    {
        let message = format!("the host does not see the script {}", shown(name));
        found.at(&HOST_UNREADABLE, source, entry.at, message);
    }
}

fn requirements(
    subject: &ConnectorSubject<'_>,
    project: &Pyproject,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    match &project.requires_python {
        Some(bound) if bound.value.contains(">=") => {}
        Some(bound) => {
            let message =
                format!("`requires-python` is {}, without a lower bound", shown(&bound.value));
            found.at(&REQUIRES_PYTHON, source, bound.at, message);
        }
        None => found.at(&REQUIRES_PYTHON, source, 0, "there is no `requires-python`".to_owned()),
    }
    let is_click = |requirement: &String| {
        let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
        requirement
            .get(..end.unwrap_or(requirement.len()))
            .is_some_and(|name| name.eq_ignore_ascii_case("click"))
    };
    let depends = project.dependencies.as_ref().is_some_and(|list| list.iter().any(is_click));
    let is_dynamic = project.dynamic.iter().any(|name| name == "dependencies");
    let imports = || {
        subject.python.iter().any(|file| {
            let text = subject.repository.text(file.source.path).unwrap_or_default();
            text.contains("import click") || text.contains("from click import")
        })
    };
    if !depends && !is_dynamic && imports() {
        found.at(&CLICK_MISSING, source, 0, "`dependencies` does not name click".to_owned());
    }
    if let Some(readme) = &project.readme {
        let path = format!("{HARNESS}{}", readme.value.trim_start_matches("./"));
        let outside = readme.value.split('/').any(|part| part == "..");
        if !outside && !subject.repository.files.contains_key(&path) {
            let message = format!("`readme` names {}, which does not exist", shown(&readme.value));
            found.at(&README_MISSING, source, readme.at, message);
        }
    }
}

fn entry_points(
    subject: &ConnectorSubject<'_>,
    project: &Pyproject,
    source: &SourceText<'_>,
    found: &mut Collector,
) {
    let files = &subject.repository.files;
    for (name, entry) in &project.scripts {
        let module = entry.value.split(':').next().unwrap_or_default().trim();
        let top = module.split('.').next().unwrap_or_default();
        if top == "cli_aos" {
            let message = format!("the script {} comes from the package `cli_aos`", shown(name));
            found.at(&SHARED_PACKAGE, source, entry.at, message);
        }
        let path = module.replace('.', "/");
        let stands = ["", "src/"].iter().any(|root| {
            files.contains_key(&format!("{HARNESS}{root}{path}.py"))
                || files.contains_key(&format!("{HARNESS}{root}{path}/__init__.py"))
        });
        let function = entry.value.split(':').nth(1).unwrap_or_default().trim();
        let own = subject.python.iter().find(|file| {
            let inside = file.source.path.strip_prefix(HARNESS).unwrap_or(file.source.path);
            inside.strip_prefix("src/").unwrap_or(inside) == format!("{path}.py")
        });
        // The module has the name if it defines, assigns or imports it.
        if let Some(file) = own
            && !function.is_empty()
            && !file
                .source
                .bytes
                .windows(function.len())
                .any(|window| window == function.as_bytes())
        {
            let message = format!(
                "the module {} does not define {}, which the script {} starts",
                shown(module),
                shown(function),
                shown(name)
            );
            found.at(&ENTRY_MODULE, source, entry.at, message);
        }
        // Without any source the tree is a partial copy, which has a rule of its own.
        if !stands && !subject.python.is_empty() {
            let message = format!(
                "the module {} of the script {} does not exist",
                shown(module),
                shown(name)
            );
            found.at(&ENTRY_MODULE, source, entry.at, message);
        }
    }
}

fn version(subject: &ConnectorSubject<'_>, project: &Pyproject, found: &mut Collector) {
    let Some(version) = &project.version else { return };
    for file in &subject.python {
        for note in &file.content.notes {
            if let NoteKind::Version(own) = note.what
                && note.function.is_empty()
                && own != version.value
            {
                let message = format!(
                    "the version of the package is {}, but that of the project is {}",
                    shown(own),
                    shown(&version.value)
                );
                found.at(&VERSION, &file.source, note.at, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, only};

    #[test]
    fn each_fault_of_the_project_file_is_named_by_its_rule() {
        for (from, to, rules) in [
            ("name = \"aos-demo\"", "name = ", &["pyproject/syntax"][..]),
            ("name = \"aos-demo\"", "name = \"demo\"", &["pyproject/name"]),
            ("aos-demo = \"aos_demo", "aos-other = \"aos_demo", &["pyproject/script"]),
            ("version = \"0.1.0\"", "version = '0.1.0'", &["pyproject/host-unreadable"]),
            (
                "\n[tool.setuptools]\npackages = [\"aos_demo\", \"aos_demo.commands\"]\n",
                "",
                &["pyproject/host-unreadable"],
            ),
            ("\">=3.10\"", "\"<4\"", &["pyproject/requires-python"]),
            ("\"click>=8.1,<9\"", "\"click-extra\"", &["pyproject/click-missing"]),
            ("aos_demo.cli:main", "aos_demo.main:main", &["pyproject/entry-module"]),
            ("aos_demo.cli:main", "aos_demo.cli:launch_it", &["pyproject/entry-module"]),
            (
                "version = \"0.1.0\"",
                "version = \"0.1.0\"\nreadme = \"README.md\"",
                &["pyproject/readme-missing"],
            ),
            ("version = \"0.1.0\"", "version = \"0.2.0\"", &["pyproject/version"]),
        ] {
            assert_eq!(only(&Sample::good().pyproject(from, to)), rules, "{to}");
        }
        assert_eq!(
            only(&Sample::good().without("agent-harness/pyproject.toml")),
            ["pyproject/missing"]
        );
        let shared = Sample::good()
            .pyproject("aos_demo.cli:main", "cli_aos.demo.cli:main")
            .file("agent-harness/cli_aos/demo/cli.py", "def main(): pass\n");
        assert_eq!(only(&shared), ["pyproject/shared-package"]);
    }
}
