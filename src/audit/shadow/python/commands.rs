//! Python code in the argument of `python -c`: a launcher can change the module before it starts the tool.

use std::collections::BTreeSet;

use super::super::pattern::regex;
use super::super::scripts::is_script;
use super::super::unread::is_test_only;
use super::uses::Guarded;
use super::{altered, changes, hooks, patched};
use crate::audit::shadow::module::GeneratedModule;
use crate::audit::shadow::python::loaded::PythonText;
use crate::contract::Finding;

/// Most calls of one file that are read.
const MAX_CALLS: usize = 50;

/// Every script or source that starts Python with code that changes the module.
pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let guarded = Guarded { package: None, stems: BTreeSet::from([module.stem.to_owned()]) };
    let package = module.directory.rsplit('/').next().unwrap_or_default();
    for (path, text) in module.others(&[""]) {
        if module.ours.contains(path)
            || is_test_only(path)
            || !(text.contains(module.stem) || !package.is_empty() && text.contains(package))
            || !["-c", "python"].iter().any(|word| text.contains(word))
            || !(path.ends_with(".py") || is_script(module, path))
        {
            continue;
        }
        let change =
            arguments(text).into_iter().find(|(_, code)| changes_module(&guarded, path, code));
        if let Some((at, _)) = change {
            let why = "it starts Python with code that changes values of";
            found.push(module.amended_by(path, text, at, why));
        }
    }
}

/// True if the code changes the generated module, or the parts of Python that load or build modules.
pub fn changes_module(guarded: &Guarded<'_>, path: &str, code: &str) -> bool {
    let source = PythonText::of(path, code);
    names_and_changes(guarded, path, code)
        || hooks::hook(&source).is_some()
        || altered::altered(&source).is_some()
        || patched::patched(&source).is_some()
}

/// True if a code names the module and changes it.
pub fn names_and_changes(guarded: &Guarded<'_>, path: &str, code: &str) -> bool {
    let is_named = guarded.stems.iter().any(|stem| code.contains(stem.as_str()));
    is_named && !changes(guarded, &[&PythonText::of(path, code)], &|_| true).is_empty()
}

/// The code in each `-c` of Python, with its place: a quoted word of a shell, or the next text of a list.
fn arguments(text: &str) -> Vec<(usize, String)> {
    let quoted = r#"(?s)("(?:[^"\\]|\\.)*"|'[^']*')"#;
    let patterns = [
        format!(r"\bpython[\w.]*[ \t]+(?:-[A-Za-z]+[ \t]+)*-[A-Za-z]*c[ \t]*{quoted}"),
        format!(r#"["']-[A-Za-z]*c["'],\s*[rbuf]*{quoted}"#),
    ];
    let mut found = Vec::new();
    for pattern in patterns.iter().filter_map(|pattern| regex(pattern).ok()) {
        for captures in pattern.captures_iter(text).take(MAX_CALLS) {
            let Some(code) = captures.get(1) else { continue };
            let inner = code.as_str().get(1..code.as_str().len() - 1).unwrap_or_default();
            let code_text = match code.as_str().starts_with('"') {
                true => inner.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"),
                false => inner.to_owned(),
            };
            found.push((code.start(), code_text));
        }
    }
    found.extend(documents(text));
    found
}

/// The code between `<<END` after Python and the line `END`.
fn documents(text: &str) -> Vec<(usize, String)> {
    let Ok(start) = regex(r#"\bpython[\w.]*[^\n]*<<-?[ \t]*["']?(\w+)["']?[^\n]*\n"#) else {
        return Vec::new();
    };
    let document = |captures: regex::Captures<'_>| {
        let (whole, end) = (captures.get(0)?, captures.get(1)?.as_str());
        let mut code = String::new();
        for line in text.get(whole.end()..)?.split_inclusive('\n') {
            if line.trim() == end {
                break;
            }
            code.push_str(line);
        }
        Some((whole.start(), code))
    };
    start.captures_iter(text).take(MAX_CALLS).filter_map(document).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::contract::ProjectFiles;
    use crate::contract::repository::SourceFile;

    fn found(path: &str, text: &str) -> usize {
        let mut repository = ProjectFiles::default();
        let file = SourceFile { bytes: text.into(), executable: true };
        repository.files.insert(path.to_owned(), file);
        let none = BTreeSet::new();
        let place = "p/contract_gen.py";
        let module = GeneratedModule::at(Path::new("/nowhere"), &repository, place, &none);
        let mut found = Vec::new();
        check(&module, &mut found);
        found.len()
    }

    #[test]
    fn code_on_a_command_line_counts_when_it_changes_the_module() {
        for (path, text) in [
            (
                "Makefile",
                "run:\n\tpython3 -c 'import p.contract_gen as c; c.CODES = {}; p.main()'\n",
            ),
            (
                "shims/p",
                "#!/bin/sh\nexec python3 -B -c \"import p.contract_gen as c; c.CODES = {}\" \"$@\"\n",
            ),
            (
                "Dockerfile",
                "ENTRYPOINT [\"python\", \"-c\", \"import p.contract_gen as c; c.CODES = {}\"]\n",
            ),
            ("run.py", "call([sys.executable, '-c', 'import p.contract_gen as c; c.CODES={}'])\n"),
            ("x.sh", "python -Ic 'import p.contract_gen as c; setattr(c, \"CODES\", 1)'\n"),
            ("x.sh", "python3 -c 'import io; io.open_code = f; import p.main'\n"),
            ("x.sh", "python3 - <<'END'\nimport p.contract_gen as c\nc.CODES = {}\nEND\n"),
        ] {
            assert_eq!(found(path, text), 1, "{text}");
        }
        for (path, text) in [
            ("Makefile", "run:\n\tpython3 -c 'import p.contract_gen as c; print(c.CODES)'\n"),
            ("x.sh", "python3 -c 'import json' # contract_gen\n"),
            ("README.md", "python3 -c 'import p.contract_gen as c; c.CODES = {}'\n"),
            ("x.sh", "gcc -c 'contract_gen.c'\n"),
            (
                "x.sh",
                "python3 - <<END\nimport p.contract_gen as c\nprint(c.CODES)\nEND\nc.CODES = {}\n",
            ),
        ] {
            assert_eq!(found(path, text), 0, "{text}");
        }
    }
}
