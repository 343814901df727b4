//! The rules of adapters, for `aos check`: what can be seen without Go.

use std::collections::BTreeSet;

use regex::Regex;

use crate::audit::rules::FamilyRules;
use crate::contract::rules::collector::{Collector, SourceText};
use crate::contract::rules::rule::Rule;
use crate::contract::rules::{RECORD, secrets};
use crate::contract::{Finding, ProjectFiles, Severity};
use crate::generate::record::Record;
use crate::generate::vendor::Contract;
use crate::visible::excerpt;

use super::contract::AdapterContract;
use super::contract::FAMILY;

/// Where adapters are in the orchestrator.
const PLACE: &str = "/internal/adapters/agent/";
/// The module of the orchestrator.
const ORCHESTRATOR: &str = "github.com/aoagents/agent-orchestrator/backend";

pub struct AdapterRules;

impl FamilyRules for AdapterRules {
    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn check(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        record: Option<&Record>,
    ) -> Vec<Finding> {
        let Ok(contract) = contract.of::<AdapterContract>() else { return Vec::new() };
        let mut found = Collector::default();
        files(repository, contract, &mut found);
        methods(repository, contract, &mut found);
        module(repository, &mut found);
        names(repository, record, &mut found);
        hooks(repository, contract, &mut found);
        state(repository, &mut found);
        for (path, file) in &repository.files {
            secrets::scan(path, &file.bytes, &mut found);
        }
        found.into_findings(repository.files.contains_key(RECORD))
    }
}

/// Base of the rules that fail a check.
const ERROR: Rule = Rule {
    id: "",
    severity: Severity::Error,
    waivable: true,
    families: &[FAMILY],
    summary: "",
    why: "",
    fix: "",
    source: "",
};

/// Every rule, in the order of the reference.
pub const RULES: &[Rule] = &[
    FILE_MISSING,
    METHOD_MISSING,
    MODULE,
    REPLACE,
    IMPORT,
    PACKAGE,
    ID,
    HOOK_ARGUMENTS,
    HOOK_EVENT,
    OUTSIDE_STATE,
];

const FILE_MISSING: Rule = Rule {
    id: "adapter/file-missing",
    summary: "Every file that the contract requires exists",
    why: "The directory is compiled into the orchestrator as it is; a missing file breaks the build",
    fix: "restore the file from version control",
    source: "adapter contract: required files",
    ..ERROR
};
const METHOD_MISSING: Rule = Rule {
    id: "adapter/method-missing",
    summary: "The package has every method of the port",
    why: "If one is missing, the orchestrator does not compile",
    fix: "add the method with the parameters and results of the contract",
    source: "adapter contract: port",
    ..ERROR
};
const MODULE: Rule = Rule {
    id: "adapter/module",
    summary: "The module path in go.mod is the adapter's path in the orchestrator",
    why: "Only a module with such a path can import the orchestrator's internal packages",
    fix: "name the module as `aos new` does, ending with `/internal/adapters/agent/PACKAGE`",
    source: "adapter contract: form",
    ..ERROR
};
const REPLACE: Rule = Rule {
    id: "adapter/replace",
    summary: "go.mod replaces the orchestrator's module with a directory",
    why: "The orchestrator's module is not published, so Go cannot download it",
    fix: "keep the `replace` line; `aos new` writes one to the kit of the runtime",
    source: "adapter contract: form",
    ..ERROR
};
const IMPORT: Rule = Rule {
    id: "adapter/import",
    summary: "The adapter imports only the standard library, the orchestrator and itself",
    why: "Any other module would have to be added to the orchestrator's go.mod",
    fix: "use the standard library, or the runtime",
    source: "adapter contract: form",
    ..ERROR
};
const PACKAGE: Rule = Rule {
    id: "adapter/package",
    summary: "Every file of the adapter is in the package that its module path ends with",
    why: "The orchestrator imports the package by that name",
    fix: "correct the package clause",
    source: "adapter contract: form",
    ..ERROR
};
const ID: Rule = Rule {
    id: "adapter/id",
    summary: "The constant `ID` is the name that aos.toml records, in lower-case words joined by dashes",
    why: "Hook commands, the registry and the database use the id; another spelling is an unknown harness",
    fix: "give `ID` the recorded name",
    source: "adapter contract: manifest",
    ..ERROR
};
const OUTSIDE_STATE: Rule = Rule {
    id: "adapter/outside-state",
    summary: "The adapter writes only through the runtime, and reads only variables that the orchestrator sets",
    why: "Files outside the data directory remain after the session, direct writes can destroy the user's hooks, and AO_DAEMON_URL does not exist",
    fix: "use the packages of internal/runtime; find the daemon with AO_RUN_FILE",
    source: "adapter contract: files",
    ..ERROR
};
const HOOK_ARGUMENTS: Rule = Rule {
    id: "adapter/hook-arguments",
    summary: "Hook commands have the form of the contract: `ao hooks AGENT EVENT` and nothing more",
    why: "The orchestrator refuses any other number of arguments with exit code 1, and the agent shows an error at each hook",
    fix: "remove the extra words; the session comes from AO_SESSION_ID",
    source: "adapter contract: hook command",
    ..ERROR
};
const HOOK_EVENT: Rule = Rule {
    id: "adapter/hook-event",
    summary: "Hook commands name events that the orchestrator knows",
    why: "An unknown event is ignored with exit code 0, so the activity of the session is never reported",
    fix: "use one of the events of the contract",
    source: "adapter contract: hook events",
    ..ERROR
};

fn files(repository: &ProjectFiles, contract: &AdapterContract, found: &mut Collector) {
    for path in contract.required_files.iter().filter(|path| !repository.files.contains_key(*path))
    {
        found.whole(&FILE_MISSING, path, format!("`{}` is missing", excerpt(path, 80)));
    }
}

/// The Go files of the package itself, tests left out.
fn sources(repository: &ProjectFiles) -> impl Iterator<Item = (&str, &str)> {
    repository.files.iter().filter_map(|(path, file)| {
        let own = !path.contains('/') && path.ends_with(".go") && !path.ends_with("_test.go");
        let text = file.bytes.text().filter(|_| own)?;
        Some((path.as_str(), text))
    })
}

fn methods(repository: &ProjectFiles, contract: &AdapterContract, found: &mut Collector) {
    let Ok(form) = Regex::new(r"(?m)^func \([A-Za-z0-9_]* ?\*?[A-Za-z0-9_]+\) ([A-Za-z0-9_]+)\(")
    else {
        return;
    };
    let mut has = BTreeSet::new();
    for (_, text) in sources(repository) {
        has.extend(form.captures_iter(text).filter_map(|hit| Some(hit.get(1)?.as_str())));
    }
    for method in contract.port.methods.iter().filter(|method| !has.contains(method.name.as_str()))
    {
        let message = format!(
            "no method `{}({}) ({})`",
            method.name,
            method.parameters.join(", "),
            method.results.join(", ")
        );
        found.whole(&METHOD_MISSING, ".", message);
    }
}

fn module(repository: &ProjectFiles, found: &mut Collector) {
    const GO_MOD: &str = "go.mod";
    let Some(text) = repository.text(GO_MOD) else { return };
    let source = SourceText::new(GO_MOD, text.as_bytes());
    let mut at = 0;
    let mut module = None;
    let mut replaced = false;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        let words: Vec<_> = code.split_whitespace().collect();
        if let ["module", path] = words.as_slice() {
            module = Some((at, path.trim_matches('"').to_owned()));
        }
        let words = words.strip_prefix(&["replace"]).unwrap_or(&words);
        if let [path, rest @ ..] = words
            && *path == ORCHESTRATOR
            && rest
                .iter()
                .skip_while(|word| **word != "=>")
                .nth(1)
                .is_some_and(|to| to.starts_with(['.', '/']))
        {
            replaced = true;
        }
        at += line.len();
    }
    match module {
        Some((at, path)) if !path.starts_with(ORCHESTRATOR) || !path.contains(PLACE) => {
            found.at(&MODULE, &source, at, format!("the module is `{}`", excerpt(&path, 120)));
        }
        Some((_, path)) => {
            imports(repository, &path, found);
            packages(repository, path.rsplit('/').next().unwrap_or_default(), found);
        }
        None => found.whole(&MODULE, GO_MOD, "it names no module".to_owned()),
    }
    if !replaced {
        let message = format!("`{ORCHESTRATOR}` is not replaced with a directory");
        found.whole(&REPLACE, GO_MOD, message);
    }
}

fn imports(repository: &ProjectFiles, module: &str, found: &mut Collector) {
    let Ok(form) = Regex::new(r#"(?m)^(?:import )?\s*(?:[A-Za-z0-9_.]+ )?"([^"\n]+)"\s*$"#) else {
        return;
    };
    for (path, text) in sources(repository) {
        let source = SourceText::new(path, text.as_bytes());
        // Imports are above the first declaration.
        let end = ["\nfunc ", "\ntype ", "\nvar ", "\nconst "];
        let end = end.iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
        for hit in form.captures_iter(&text[..end]).filter_map(|hit| hit.get(1)) {
            let import = hit.as_str();
            let host = import.split('/').next().unwrap_or_default();
            let is_own = import == module || import.starts_with(&format!("{module}/"));
            let is_theirs = import.starts_with(&format!("{ORCHESTRATOR}/"));
            if host.contains('.') && !is_own && !is_theirs {
                let message = format!("it imports `{}`", excerpt(import, 120));
                found.at(&IMPORT, &source, hit.start(), message);
            }
        }
    }
}

fn packages(repository: &ProjectFiles, package: &str, found: &mut Collector) {
    for (path, text) in sources(repository) {
        let clause = text.lines().find_map(|line| line.strip_prefix("package "));
        let clause = clause.map(|rest| rest.split_whitespace().next().unwrap_or_default());
        if let Some(clause) = clause.filter(|clause| *clause != package) {
            let message =
                format!("it is in the package `{}`, not `{package}`", excerpt(clause, 60));
            found.whole(&PACKAGE, path, message);
        }
    }
}

/// The id, where the record says which it is.
fn names(repository: &ProjectFiles, record: Option<&Record>, found: &mut Collector) {
    let Some(name) = record.and_then(|record| record.answers.get("name")) else { return };
    let Ok(form) = Regex::new(r#"(?m)^(?:const )?\s*ID\s*=\s*"([^"\n]*)""#) else { return };
    let mut ids = 0;
    for (path, text) in sources(repository) {
        for hit in form.captures_iter(text).filter_map(|hit| hit.get(1)) {
            ids += 1;
            if hit.as_str() != name {
                let source = SourceText::new(path, text.as_bytes());
                let message = format!("`ID` is `{}`, not `{name}`", excerpt(hit.as_str(), 60));
                found.at(&ID, &source, hit.start(), message);
            }
        }
    }
    if ids == 0 {
        found.whole(&ID, ".", "no constant `ID` is declared".to_owned());
    }
}

/// Functions that an adapter must not use: writes of its own, temporary directories, undefined variables.
const OUTSIDE: &[&str] = &[
    "os.WriteFile(",
    "os.Create(",
    "os.OpenFile(",
    "os.TempDir(",
    "os.MkdirTemp(",
    "ioutil.",
    "\"AO_DAEMON_URL\"",
];

fn state(repository: &ProjectFiles, found: &mut Collector) {
    for (path, text) in sources(repository) {
        let source = SourceText::new(path, text.as_bytes());
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = OUTSIDE.iter().find(|word| code.contains(**word)) {
                let word = word.trim_end_matches(['(', '.']);
                found.at(&OUTSIDE_STATE, &source, at, format!("it uses {word}"));
            }
            at += line.len();
        }
    }
}

/// Literals of a whole hook command, as an adapter writes them that does not use the runtime.
fn hooks(repository: &ProjectFiles, contract: &AdapterContract, found: &mut Collector) {
    let Ok(form) =
        Regex::new(r#""(?:[^"\n]*[/ ])?ao hooks ([^"\n]*)"|`(?:[^`]*[/ ])?ao hooks ([^`\n]*)`"#)
    else {
        return;
    };
    let takes = contract.hook.command.len().saturating_sub(2);
    let known: BTreeSet<String> =
        contract.hook.events.iter().map(|event| event.name.to_string()).collect();
    let Ok(row) = Regex::new(r#"\{Native: "[^"\n]*", Name: "([^"\n]*)""#) else { return };
    for (path, text) in sources(repository) {
        let source = SourceText::new(path, text.as_bytes());
        for hit in row.captures_iter(text).filter_map(|hit| hit.get(1)) {
            if !known.contains(hit.as_str()) {
                let meant =
                    found.meant(&HOOK_EVENT, hit.as_str(), known.iter().map(String::as_str));
                let message = format!(
                    "`{}` is not an event of the contract{meant}",
                    excerpt(hit.as_str(), 60)
                );
                found.at(&HOOK_EVENT, &source, hit.start(), message);
            }
        }
        for hit in form.captures_iter(text) {
            let Some(words) = hit.get(1).or_else(|| hit.get(2)) else { continue };
            let arguments: Vec<_> = words.as_str().split_whitespace().collect();
            if arguments.is_empty() || arguments.iter().any(|word| word.contains('%')) {
                continue;
            }
            let shown = excerpt(words.as_str(), 80);
            if arguments.len() != takes {
                let message = format!(
                    "`ao hooks {shown}` has {} arguments, but the orchestrator accepts {takes}",
                    arguments.len()
                );
                found.at(&HOOK_ARGUMENTS, &source, words.start(), message);
            } else if let Some(event) = arguments.get(1)
                && !known.contains(*event)
            {
                let meant = found.meant(&HOOK_EVENT, event, known.iter().map(String::as_str));
                let message =
                    format!("`{}` is not an event of the contract{meant}", excerpt(event, 60));
                found.at(&HOOK_EVENT, &source, words.start(), message);
            }
        }
    }
}
