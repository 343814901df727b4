//! Copies of managed files that no record names: a tool would load them, and nothing compares them.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::repository::is_below;
use crate::contract::{Finding, ProjectFiles};
use crate::generate::outputs::OUTPUTS;
use crate::generate::ownership;
use crate::generate::record::Record;
use crate::inputs::runtimes;
use crate::plan::{FileSet, RelativePath};

use super::rules;

/// The usual name of a generated module.
const MODULE: &str = "contract_gen";
/// Generators that write a module of a programming language.
const LANGUAGES: &[&str] = &["go", "javascript", "python", "rust", "typescript"];
/// Endings of files that an interpreter, a compiler or a bundler takes for such a module.
const ENDINGS: &[&str] = &[
    "py", "pyw", "pyc", "pyd", "so", "go", "rs", "ts", "mts", "cts", "tsx", "js", "mjs", "cjs",
    "jsx", "node",
];
/// How many files of the runtime make a directory a copy of it.
const COPIED_FILES: usize = 2;

/// Every copy, in a stable order.
#[must_use]
pub fn findings(repository: &ProjectFiles, record: &Record, wanted: &FileSet) -> Vec<Finding> {
    let mut found = modules(repository, record, wanted);
    found.extend(read_by_hosts(repository, record, wanted));
    found.extend(runtime_copies(repository, record));
    found.extend(runtime_place(repository, record));
    found
}

fn is_wanted(wanted: &FileSet, path: &str) -> bool {
    wanted.paths().any(|known| known.as_str() == path)
}

/// Files that have the name or the mark of a generated module, and that no output declares. A project below this one has
/// outputs of its own, but in a directory of a module it cannot take them out of the tool.
fn modules(repository: &ProjectFiles, record: &Record, wanted: &FileSet) -> Vec<Finding> {
    let declared = || {
        let languages = LANGUAGES.iter().filter_map(|name| record.outputs.get(*name));
        languages.flatten().map(|output| output.path.as_str())
    };
    let directories: Vec<_> = declared()
        .filter_map(|path| path.rsplit_once('/').map(|(directory, _)| directory))
        .collect();
    let stems: BTreeSet<&str> = declared().map(|path| name_of(path).0).chain([MODULE]).collect();
    let nested = repository.nested(wanted.paths().map(RelativePath::as_str));
    let is_elsewhere = |path: &str| {
        nested.iter().any(|directory| is_below(path, directory))
            && !directories.iter().any(|directory| is_below(path, directory))
    };
    let finding = |path: &str, message: &str| rules::STRAY_MODULE.finding(path, message.to_owned());
    let wanted: BTreeSet<&str> = wanted.paths().map(RelativePath::as_str).collect();
    let mut found = Vec::new();
    for (path, file) in &repository.files {
        if wanted.contains(path.as_str()) || is_elsewhere(path) {
            continue;
        }
        let (stem, ending) = name_of(path);
        // A copy may have any name that code can be loaded by. A generator has the mark, too, but not in its first line.
        let is_generated = || ownership::has_mark(first_line(&file.bytes));
        let is_marked = match path.contains(MODULE) || path.contains("contract_cases") {
            true => ownership::has_mark(&file.bytes),
            false => ENDINGS.contains(&ending) && is_generated(),
        };
        if is_marked {
            found.push(finding(path, "it is generated, but no output declares it"));
        } else if stems.contains(stem) && ENDINGS.contains(&ending) && !is_test(path) {
            let message = "it has the name of a generated module, but no output declares it";
            found.push(finding(path, message));
        }
    }
    for path in repository.ignored.keys() {
        let (stem, ending) = name_of(path);
        // The output of the TypeScript compiler has the name of its source.
        let is_compiled =
            matches!(ending, "js" | "mjs" | "cjs" | "jsx") || name(path).contains(".d.");
        let is_near = directories.iter().any(|directory| is_below(path, directory));
        if is_near
            && stems.contains(stem)
            && ENDINGS.contains(&ending)
            && !is_compiled
            && !wanted.contains(path.as_str())
        {
            let message =
                "it has the name of a generated module, git ignores it, and no output declares it";
            found.push(finding(path, message));
        }
    }
    found
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name up to its first dot, and its last ending.
fn name_of(path: &str) -> (&str, &str) {
    let name = name(path);
    let stem = name.split('.').next().unwrap_or(name);
    (stem, name.rsplit_once('.').map_or("", |(_, ending)| ending))
}

/// `contract_gen.test.ts` tests the module.
fn is_test(path: &str) -> bool {
    name(path).contains(".test.") || name(path).contains(".spec.")
}

/// A file that hosts read, in a project that does not declare it.
fn read_by_hosts(repository: &ProjectFiles, record: &Record, wanted: &FileSet) -> Option<Finding> {
    let (path, message) = OUTPUTS.of(record.family)?.read_by_hosts()?;
    let is_stray = repository.holds(path) && !is_wanted(wanted, path);
    is_stray.then(|| rules::STRAY_MODULE.finding(path, message.to_owned()))
}

/// Another directory with the name of the runtime and files of it.
fn runtime_copies(repository: &ProjectFiles, record: &Record) -> Vec<Finding> {
    let Some(section) = &record.runtime else { return Vec::new() };
    let own = section.path.as_str();
    let Ok(Some(runtime)) = runtimes::find(&section.name) else { return Vec::new() };
    let tail = tail(&runtime.info.root);
    let inner: BTreeSet<&str> = repository
        .files
        .keys()
        .filter_map(|path| path.strip_prefix(own)?.strip_prefix('/'))
        .collect();
    let known = repository.files.keys().chain(repository.ignored.keys());
    let mut copies: BTreeMap<&str, usize> = BTreeMap::new();
    for path in known.filter(|path| !is_below(path, own)) {
        for (at, _) in path.match_indices('/') {
            let directory = &path[..at];
            let is_named = directory == tail || directory.ends_with(&format!("/{tail}"));
            if is_named && inner.contains(&path[at + 1..]) {
                *copies.entry(directory).or_default() += 1;
            }
        }
    }
    let nested = repository.nested(std::iter::once(own));
    copies.retain(|directory, count| {
        let is_elsewhere = nested.iter().any(|nested| is_below(directory, nested));
        *count >= COPIED_FILES.min(inner.len()) && *count > 0 && !is_elsewhere
    });
    let finding = |directory: &str| {
        let message = format!(
            "it is a copy of the runtime, but aos.toml names `{own}`, so the copy is not compared"
        );
        let mut finding = rules::STRAY_MODULE.finding(directory, message);
        finding.fix = "delete the copy, or set it as `path` under [runtime] in aos.toml".to_owned();
        finding
    };
    copies.into_keys().map(finding).collect()
}

/// The name by which the runtime is imported: two parts if one part alone is a common word.
fn tail(root: &str) -> &str {
    let cut = root.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    match name(root).starts_with('_') {
        true => name(root),
        false => &root[cut..],
    }
}

/// A runtime of Python imports the module of the package that it is in.
fn runtime_place(repository: &ProjectFiles, record: &Record) -> Option<Finding> {
    let section = record.runtime.as_ref()?;
    let own = section.path.as_str();
    let above = own.rsplit_once('/').map_or("", |(above, _)| above);
    let imports = [format!("from ..{MODULE} import"), format!("from .. import {MODULE}")];
    let prefix = format!("{own}/");
    let uses_module = repository.below(&prefix, ".py").any(|(path, file)| {
        !path[prefix.len()..].contains('/')
            && file
                .bytes
                .text()
                .is_some_and(|text| imports.iter().any(|import| text.contains(import.as_str())))
    });
    let outputs = record.outputs.get("python").into_iter().flatten();
    let mut directories = outputs
        .map(|output| output.path.as_str().rsplit_once('/').map_or("", |(directory, _)| directory));
    if !uses_module || directories.any(|directory| directory == above) {
        return None;
    }
    let message = format!(
        "the runtime imports `{MODULE}` of the package that it is in, and no output of `python` is in `{above}`"
    );
    let mut finding = rules::STRAY_MODULE.finding(own, message);
    finding.fix =
        "set `path` under [runtime] in aos.toml to the directory that the package loads".to_owned();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::repository::SourceFile;

    const CONNECTOR: &str = "family = \"harness\"\n\n[outputs]\n\
        permissions = [\"agent-harness/permissions.json\"]\npython = [\"agent-harness/p/contract_gen.py\"]\n\n\
        [runtime]\nname = \"connector\"\npath = \"agent-harness/p/_runtime\"\n";

    fn judged(record: &str, files: &[(&str, &str)], ignored: &[&str]) -> Vec<String> {
        let record = Record::parse(record.as_bytes()).unwrap();
        let mut repository = ProjectFiles::default();
        let file = |text: &str| SourceFile { bytes: text.into(), executable: false };
        repository.files.extend(files.iter().map(|(path, text)| ((*path).to_owned(), file(text))));
        repository.ignored.extend(ignored.iter().map(|path| ((*path).to_owned(), file(""))));
        let mut wanted = FileSet::default();
        for output in record.outputs.values().flatten() {
            wanted.insert(output.path.clone(), crate::plan::Content::plain("x")).unwrap();
        }
        findings(&repository, &record, &wanted).into_iter().map(|found| found.path).collect()
    }

    const OWN: [(&str, &str); 5] = [
        ("agent-harness/p/contract_gen.py", "x"),
        ("agent-harness/permissions.json", "{}"),
        ("agent-harness/p/_runtime/__init__.py", ""),
        ("agent-harness/p/_runtime/cli.py", "from ..contract_gen import COMMANDS\n"),
        ("agent-harness/p/_runtime/meta.py", ""),
    ];

    #[test]
    fn declared_files_are_in_order_and_copies_are_found() {
        assert_eq!(judged(CONNECTOR, &OWN, &[]), [""; 0]);
        for path in [
            "agent-harness/p/alt/contract_gen.py",
            "agent-harness/other/contract_gen.py",
            "contract_gen.rs",
            "web/contract_gen.mjs",
            "agent-harness/p/contract_gen.cpython-311.so",
        ] {
            let files: Vec<_> = OWN.into_iter().chain([(path, "x")]).collect();
            assert_eq!(judged(CONNECTOR, &files, &[]), [path]);
        }
        for path in ["docs/contract_gen.md", "web/contract_gen.test.ts", "p/contract_gen_values.py"]
        {
            let files: Vec<_> = OWN.into_iter().chain([(path, "x")]).collect();
            assert_eq!(judged(CONNECTOR, &files, &[]), [""; 0]);
        }
        let near = "agent-harness/p/x/contract_gen.py";
        assert_eq!(judged(CONNECTOR, &OWN, &[near, "env/contract_gen.py"]), [near]);
        // A record of another project inside the package does not exclude its files from the package.
        let files: Vec<_> =
            OWN.into_iter().chain([(near, "x"), ("agent-harness/p/x/aos.toml", "")]).collect();
        assert_eq!(judged(CONNECTOR, &files, &[]), [near]);
        let files: Vec<_> =
            OWN.into_iter().chain([("a/contract_gen.py", "x"), ("a/aos.toml", "")]).collect();
        assert_eq!(judged(CONNECTOR, &files, &[]), [""; 0]);
    }

    #[test]
    fn a_module_that_the_tool_loads_must_be_declared() {
        let python = "python = [\"agent-harness/p/contract_gen.py\"]\n";
        let without = CONNECTOR.replace(python, "");
        let found = judged(&without, &OWN, &[]);
        assert_eq!(found, ["agent-harness/p/contract_gen.py", "agent-harness/p/_runtime"]);
        let without = CONNECTOR.replace("permissions = [\"agent-harness/permissions.json\"]\n", "");
        assert_eq!(judged(&without, &OWN, &[]), ["agent-harness/permissions.json"]);
        let elsewhere = CONNECTOR.replace("agent-harness/p/_runtime", "docs/_runtime");
        let copy = OWN
            .map(|(path, text)| (path.replace("agent-harness/p/_runtime", "docs/_runtime"), text));
        let files: Vec<_> =
            copy.iter().map(|(path, text)| (path.as_str(), *text)).chain(OWN).collect();
        assert_eq!(judged(&elsewhere, &files, &[]), ["agent-harness/p/_runtime", "docs/_runtime"]);
    }
}
