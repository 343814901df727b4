//! Settings of bundlers, runtimes and compilers, and code of theirs, that map the name of the module to another file.

use crate::contract::Finding;

use super::super::pattern::regex;
use crate::audit::shadow::module::{GeneratedModule, line};

/// Files that tools read, and sources: a bundler can be started from any of them.
const ENDINGS: [&str; 16] = [
    ".json",
    ".jsonc",
    ".json5",
    ".babelrc",
    ".swcrc",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".cts",
    ".jsx",
    ".tsx",
    ".html",
    ".htm",
    ".parcelrc",
];
/// Longest value of a setting that is read, in bytes.
const MAX_VALUE: usize = 4096;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for (path, text) in module.others(&ENDINGS) {
        if let Some(at) = alias(module.stem, text) {
            let mut finding = module.shadowed(path, "it maps the name to a file other than");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
}

/// Returns the position at which `text` maps a name of the module to something else.
fn alias(stem: &str, text: &str) -> Option<usize> {
    if !text.contains(stem) {
        return None;
    }
    let name = regex::escape(stem);
    let member = regex(&format!(r#"["'`][^"'`\n]*\b{name}\b[^"'`\n]*["'`]\s*\]?\s*:\s*"#)).ok()?;
    let mapped = member.find_iter(text).filter(|found| {
        let value = text.get(found.end()..).unwrap_or_default();
        maps_elsewhere(stem, value)
    });
    // Pairs of a pattern and what is put in its place, and calls that rewrite the name.
    let rewritten = [
        format!(r#"\bfind\s*:\s*(?:["'`/]|new\s+RegExp\()[^\n]*?\b{name}\b"#),
        format!(r#"\bNormalModuleReplacementPlugin\s*\(\s*[^\n,]*\b{name}\b"#),
        format!(r#"\.replace(?:All)?\s*\(\s*["'`/][^\n,]*\b{name}\b"#),
        format!(r#"\bonResolve\s*\(\s*\{{[^}}\n]*\b{name}\b"#),
    ];
    let rewritten = rewritten.iter().filter_map(|pattern| {
        regex(pattern).ok()?.find_iter(text).find(|found| {
            let rest = text.get(found.end()..).unwrap_or_default();
            let rest = rest.get(..rest.find("\n\n").unwrap_or(rest.len()).min(200)).unwrap_or(rest);
            // The text after the pattern.
            let rest = rest.split_once(',').map_or("", |(_, rest)| rest);
            let end = rest.find(['}', ')']).unwrap_or(rest.len());
            // The replacement may be the module itself.
            let is_rewrite = !found.as_str().starts_with("find");
            is_rewrite || targets(&rest[..end]).iter().any(|target| !names(stem, target))
        })
    });
    let positions = mapped.map(|found| found.start()).chain(rewritten.map(|found| found.start()));
    positions.filter(|at| !is_comment(text, *at)).min()
}

fn is_comment(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..at].trim_start();
    line.starts_with("//") || line.starts_with('*') || line.starts_with("/*")
}

/// True if the value of a setting, at the start of `value`, names another file, or none.
fn maps_elsewhere(stem: &str, value: &str) -> bool {
    let value = &value[..end_of_value(value)];
    let plain = value.trim_end();
    if plain == "false" {
        return true;
    }
    targets(value).iter().any(|target| {
        // A word such as `off` is a setting for the file and not another file.
        target.contains(['/', '.']) && !names(stem, target)
    })
}

/// The length of a value of JSON or of a script: up to the comma or bracket that ends it.
fn end_of_value(value: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, symbol) in value.char_indices() {
        if at > MAX_VALUE {
            return at;
        }
        match (quote, symbol) {
            (Some(open), _) if open == symbol => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(symbol),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') if depth == 0 => return at,
            (None, '}' | ']' | ')') => depth -= 1,
            (None, ',' | ';' | '\n') if depth == 0 => return at,
            _ => {}
        }
    }
    value.len()
}

/// The strings in a value that are not names of members.
fn targets(value: &str) -> Vec<&str> {
    let Ok(string) = regex(r#"["'`]([^"'`\n]*)["'`](\s*:)?"#) else { return Vec::new() };
    let found = string.captures_iter(value).filter(|captures| captures.get(2).is_none());
    found.filter_map(|captures| Some(captures.get(1)?.as_str())).collect()
}

/// True if a path names the module, with any ending and in any directory.
fn names(stem: &str, target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    name.split('.').next() == Some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_to_other_files_are_told_from_other_settings() {
        for text in [
            "{\"paths\": {\"./contract_gen\": [\"./other.ts\"]}}",
            "{\"browser\": {\"./src/contract_gen.js\": false}}",
            "{\"imports\": {\"#contract_gen\": {\"node\": \"./src/contract_gen.ts\", \"default\": \"./src/other.ts\"}}}",
            "{\"imports\": {\"#contract_gen\": [\"./src/contract_gen.ts\", \"./src/other.ts\"]}}",
            "export default { resolve: { alias: { \"./contract_gen\": \"/src/other.ts\" } } };",
            "alias: [{ find: \"./contract_gen\", replacement: \"/src/other.ts\" }]",
            "alias: [{ find: /contract_gen$/, replacement: '/src/other.ts' }]",
            "new webpack.NormalModuleReplacementPlugin(/contract_gen/, \"./other.ts\")",
            "resolve(s, c, n) { return n(s.replace(\"contract_gen\", \"other\"), c); }",
            "<script type=\"importmap\">{\"imports\":{\"./src/contract_gen.js\":\"./src/other.js\"}}</script>",
            "build.onResolve({ filter: /contract_gen/ }, () => ({ path: other }))",
        ] {
            assert!(alias("contract_gen", text).is_some(), "{text}");
        }
        for text in [
            "{\"exports\": {\"./contract_gen\": {\"types\": \"./dist/contract_gen.d.ts\", \"default\": \"./dist/contract_gen.js\"}}}",
            "{\"overrides\": {\"src/contract_gen.ts\": \"off\"}}",
            "export default [{ ignores: [\"src/contract_gen.ts\"] }];",
            "import { CODES } from \"./contract_gen.ts\";\nconst a = { b: \"./other.ts\" };",
            "alias: [{ find: \"#contract_gen\", replacement: \"/src/contract_gen.ts\" }]",
            "{\"files\": [\"src/contract_gen.ts\", \"src/other.ts\"]}",
            "{\"./other\": \"./x.ts\"}",
            "// \"./contract_gen\": \"./other.ts\"",
        ] {
            assert_eq!(alias("contract_gen", text), None, "{text}");
        }
        for hostile in [
            "\"contract_gen\":",
            "'contract_gen':\"é",
            "find: \"contract_gen",
            "`contract_gen`: {[(",
        ] {
            let _ = alias("contract_gen", hostile);
        }
    }
}
