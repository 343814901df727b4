//! Modules that reexport a whole generated module and replace some of its values.

use std::collections::BTreeSet;

use crate::audit::shadow::module::GeneratedModule;
use crate::audit::shadow::pattern::regex;

/// Returns the position at which a source that exports `*` of the module exports a name of the module itself. `code` is
/// `text` without the content of its strings.
pub fn change(module: &GeneratedModule<'_>, text: &str, code: &str) -> Option<usize> {
    let stem = regex::escape(module.stem);
    let star =
        regex(&format!(r#"\bexport\s*\*\s*from\s+["'][^"'\n]*\b{stem}(?:\.\w+)?["']"#)).ok()?;
    let is_code =
        |at: usize| code.get(at..at + 6).is_some_and(|start| Some(start) == text.get(at..at + 6));
    star.find_iter(text).find(|found| is_code(found.start()))?;
    let names = exported(module.text());
    let own = exports(code);
    own.into_iter().filter(|(name, _)| names.contains(name.as_str())).map(|(_, at)| at).min()
}

fn exported(text: &str) -> BTreeSet<String> {
    exports(text).into_iter().map(|(name, _)| name).collect()
}

/// The names that a source exports with a declaration or in a list, and where.
fn exports(code: &str) -> Vec<(String, usize)> {
    let declared = regex(
        r"\bexport\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:const\s+enum|const|let|var|function\s*\*?|class|enum|type|interface)\s+([\w$]+)",
    );
    let listed = regex(r"\bexport\s*(?:type\s*)?\{([^}]*)\}");
    let mut names = Vec::new();
    for captures in declared.iter().flat_map(|pattern| pattern.captures_iter(code)) {
        names.extend(captures.get(1).map(|name| (name.as_str().to_owned(), name.start())));
    }
    for captures in listed.iter().flat_map(|pattern| pattern.captures_iter(code)) {
        let Some(list) = captures.get(1) else { continue };
        for item in list.as_str().split(',') {
            names
                .extend(item.split_whitespace().last().map(|name| (name.to_owned(), list.start())));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_names_are_read_in_each_form() {
        let code = "export const A = 1;\nexport async function b() {}\nexport { c, d as E };\nexport type F = 1;\nconst g = 1;";
        assert_eq!(exported(code), ["A", "E", "F", "b", "c"].map(str::to_owned).into());
    }
}
