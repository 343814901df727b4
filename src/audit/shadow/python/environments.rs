//! Virtual environments in the project: what Python runs there at its start, and archives on the import path.
//!
//! Package managers put files there, so only code that changes the module counts.

use std::collections::BTreeSet;

use crate::audit::shadow::module::{GeneratedModule, join, line};
use crate::audit::shadow::pattern::regex;
use crate::audit::shadow::python::commands::names_and_changes;
use crate::audit::shadow::scripts::is_script;
use crate::audit::shadow::unread::is_test_only;
use crate::contract::Finding;
use crate::inputs::import_path::{MAX_PATH_FILE, site_packages};
use crate::system::files;

use super::AT_START;
use super::uses::Guarded;

/// Most files of one environment that are read.
const MAX_FILES: usize = 400;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    archives(module, found);
    let guarded = Guarded { package: None, stems: BTreeSet::from([module.stem.to_owned()]) };
    for place in site_packages(module.root, module.repository) {
        let text_of = |name: &str| {
            let loaded = files::read(&module.root.join(join(&place, name)), MAX_PATH_FILE).ok()?;
            String::from_utf8(loaded.bytes).ok()
        };
        let names = files::names(&module.root.join(&place)).unwrap_or_default();
        let names = names.iter().filter_map(|name| name.to_str()).take(MAX_FILES);
        let mut started: BTreeSet<String> =
            AT_START.iter().map(|name| format!("{name}.py")).collect();
        for name in names.filter(|name| name.ends_with(".pth")) {
            let Some(text) = text_of(name) else { continue };
            let code: Vec<&str> = text
                .lines()
                .filter(|line| ["import ", "import\t"].iter().any(|word| line.starts_with(word)))
                .collect();
            let code = code.join("\n");
            started.extend(imported(&code).map(|name| format!("{name}.py")));
            if names_and_changes(&guarded, name, &code) {
                found.push(at_start(module, &place, name));
            }
        }
        for name in started {
            if text_of(&name).is_some_and(|text| names_and_changes(&guarded, &name, &text)) {
                found.push(at_start(module, &place, &name));
            }
        }
    }
}

fn at_start(module: &GeneratedModule<'_>, place: &str, name: &str) -> Finding {
    module.shadowed(&join(place, name), "Python runs this code at its start, and it changes")
}

/// First names of the modules that a line imports.
fn imported(code: &str) -> impl Iterator<Item = &str> {
    let lines = code.lines().flat_map(|line| line.split(';'));
    let lists = lines.filter_map(|line| line.trim().strip_prefix("import"));
    let names = lists.flat_map(|list| list.split(','));
    names.filter_map(|name| name.trim().split([' ', '.']).next()).filter(|name| !name.is_empty())
}

/// Archives that a launcher puts on the import path: aos does not read them.
fn archives(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let Ok(archive) =
        regex(r#"\bPYTHONPATH["'\]]*[ \t]*(?:[:?+]?=|:|,|[ \t])[^\n;&|#]*\.(?:zip|egg|whl|pyz)\b"#)
    else {
        return;
    };
    for (path, text) in module.others(&[""]) {
        if !text.contains("PYTHONPATH") || is_test_only(path) || !is_script(module, path) {
            continue;
        }
        let named = archive.find_iter(text).find(|found| {
            let start = text[..found.start()].rfind('\n').map_or(0, |end| end + 1);
            !text[start..].trim_start().starts_with(['#', ';'])
        });
        if let Some(named) = named {
            let mut finding =
                module.shadowed(path, "it puts an archive on the import path, which can replace");
            finding.line = Some(line(text, named.start()));
            found.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_path_files_are_read() {
        let found: Vec<_> = imported("import os, a.b; x = 1; import c as d").collect();
        assert_eq!(found, ["os", "a", "c"]);
    }
}
