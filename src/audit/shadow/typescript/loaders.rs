//! Code that changes how modules are found, and patterns of settings that lead an import of the module elsewhere.

use serde_json::Value;

use crate::contract::{Finding, json};

use super::super::masked::{Syntax, masked};
use super::super::pattern::regex;
use super::SOURCES;
use crate::audit::shadow::module::{GeneratedModule, join, line};

/// Whether a file has patterns for imports: `imports` and `exports` of Node, `paths` of TypeScript.
pub fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "package.json" | "jsconfig.json" | "deno.json" | "deno.jsonc")
        || name.starts_with("tsconfig") && name.ends_with(".json")
}

/// JSON without comments and without trailing commas, because the tools accept both.
pub fn plain_json(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = match rest[0] {
            b'"' => {
                let mut end = 1;
                while end < rest.len() && rest[end] != b'"' {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                let end = (end + 1).min(rest.len());
                plain.extend_from_slice(&rest[..end]);
                end
            }
            b'/' if rest.starts_with(b"//") => {
                rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = rest.windows(2).skip(2).position(|window| window == b"*/");
                end.map_or(rest.len(), |end| end + 4)
            }
            byte => {
                if matches!(byte, b'}' | b']') {
                    let last = plain.iter().rposition(|byte: &u8| !byte.is_ascii_whitespace());
                    if let Some(last) = last.filter(|last| plain[*last] == b',') {
                        plain[last] = b' ';
                    }
                }
                plain.push(byte);
                1
            }
        };
        at += length;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for (path, text) in module.others(&SOURCES) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.contains(".test.") || name.contains(".spec.") || module.ours.contains(path) {
            continue;
        }
        if let Some(at) = hook(text) {
            let mut finding =
                module.shadowed(path, "it changes how modules are found, which can replace");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
    resolvers(module, found);
    let aliased = aliased_imports(module);
    if aliased.is_empty() {
        return;
    }
    for (path, text) in module.others(&[".json", ".jsonc"]).filter(|(path, _)| is_settings(path)) {
        let settings = json::parse(text.as_bytes());
        let settings = settings.or_else(|_| json::parse(plain_json(text).as_bytes()));
        let Ok(settings) = settings else { continue };
        let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
        let maps = ["/imports", "/compilerOptions/paths"]
            .iter()
            .filter_map(|place| settings.pointer(place));
        let leads_away = maps.filter_map(Value::as_object).flatten().any(|(pattern, targets)| {
            aliased.iter().any(|import| {
                let Some(part) = star(pattern, import) else { return false };
                texts(targets).iter().any(|target| {
                    let target =
                        join(directory, target.replace('*', part).trim_start_matches("./"));
                    !is_module(module.path, &target)
                })
            })
        });
        if leads_away {
            found
                .push(module.shadowed(path, "its patterns resolve an import to a file other than"));
        }
    }
}

/// Functions that Node asks where a module is and what it holds, in a project that starts Node with such a file.
fn resolvers(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let (Ok(flag), Ok(function)) = (
        regex(r"--(?:experimental-)?loader\b"),
        regex(r"\bexport\s+(?:async\s+)?(?:function\s+|const\s+)(?:resolve|load)\b"),
    ) else {
        return;
    };
    let is_started = module.others(&[""]).any(|(path, text)| {
        !path.ends_with(".md") && text.contains("loader") && flag.is_match(text)
    });
    if !is_started {
        return;
    }
    for (path, text) in module.others(&SOURCES) {
        if let Some(at) = function.find(text).filter(|_| !module.ours.contains(path)) {
            let mut finding =
                module.shadowed(path, "Node asks this file for modules, so it can replace");
            finding.line = Some(line(text, at.start()));
            found.push(finding);
        }
    }
}

/// Where a source changes the way in which Node finds modules.
pub fn hook(text: &str) -> Option<usize> {
    let code = masked(text, Syntax::Braces);
    let imports_loader = regex(r#"["'](?:node:)?module["']"#).ok()?.is_match(text);
    let patterns = [
        (r"\b(?:register|registerHooks)\s*\(", imports_loader),
        (r"\bModule\s*\.\s*(?:_resolveFilename|_load|_extensions|_cache|_findPath)\b", true),
        (r"\brequire\s*\.\s*(?:extensions|cache)\b[^\n]*=[^=>]", true),
        (r"\bdelete\s+require\s*\.\s*cache\b", true),
        (r"\.\s*(?:wrap|wrapper)\s*=[^=>]", imports_loader),
        (r"\.\s*prototype\s*\.\s*(?:require|load|_compile)\s*=[^=>]", imports_loader),
    ];
    let places = patterns.iter().filter(|(_, applies)| *applies);
    places.filter_map(|(pattern, _)| Some(regex(pattern).ok()?.find(&code)?.start())).min()
}

/// Specifiers of imports of the module that settings resolve.
fn aliased_imports(module: &GeneratedModule<'_>) -> Vec<String> {
    let stem = regex::escape(module.stem);
    let pattern = format!(
        r#"\b(?:from|import|require)\s*\(?\s*["']([^."'\n/][^"'\n]*\b{stem}(?:\.\w+)?)["']"#
    );
    let Ok(pattern) = regex(&pattern) else { return Vec::new() };
    let of = |text: &str| -> Vec<String> {
        pattern
            .captures_iter(text)
            .filter_map(|found| Some(found.get(1)?.as_str().to_owned()))
            .collect()
    };
    let mut imports: Vec<_> = module.others(&SOURCES).flat_map(|(_, text)| of(text)).collect();
    imports.sort();
    imports.dedup();
    imports
}

/// The text that the star of a pattern matches in an import.
pub fn star<'t>(pattern: &str, import: &'t str) -> Option<&'t str> {
    let (before, after) = pattern.split_once('*')?;
    import.strip_prefix(before)?.strip_suffix(after)
}

pub fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whether a path is the module, with any ending of its language.
pub fn is_module(module: &str, target: &str) -> bool {
    let bare = |path: &str| {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        join(directory, name.split('.').next().unwrap_or(name))
    };
    bare(module) == bare(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_comments_and_commas_as_their_tools_read_them() {
        for (text, plain) in [
            ("{// c\n\"a\": [1, 2,],}", "{\n\"a\": [1, 2 ] }"),
            ("{/* , ] */\"a\": \"// b, }\"}", "{\"a\": \"// b, }\"}"),
            ("{\"a\": \"\\\"//\"}", "{\"a\": \"\\\"//\"}"),
        ] {
            assert_eq!(plain_json(text), plain);
            assert!(json::parse(plain_json(text).as_bytes()).is_ok(), "{text}");
        }
        for hostile in ["\"", "/*", "/", "//", "\"\\", "é/* é", "]", ",]"] {
            let _ = plain_json(hostile);
        }
        for path in ["tsconfig.app.json", "a/tsconfig.json", "package.json", "deno.jsonc"] {
            assert!(is_settings(path), "{path}");
        }
        assert!(!is_settings("a/data.json"));
    }

    #[test]
    fn hooks_of_node_are_told_from_other_calls() {
        for text in [
            "import { register } from 'node:module';\nregister('./x.mjs', import.meta.url);",
            "const Module = require('module');\nModule._resolveFilename = f;",
            "Module._load = () => fake;",
            "require.cache[key] = { exports: {} };",
            "require.extensions['.js'] = f;",
            "const M = require('module');\nM.wrap = f;",
            "const M = require('node:module');\nM.prototype.require = f;",
        ] {
            assert!(hook(text).is_some(), "{text}");
        }
        for text in [
            "app.register('x')",
            "// Module._load = x",
            "const s = 'require.cache[1] = 2'",
            "register(plugin)",
        ] {
            assert_eq!(hook(text), None, "{text}");
        }
        assert_eq!(star("#*", "#src/contract_gen.js"), Some("src/contract_gen.js"));
        assert!(
            is_module("src/contract_gen.js", "src/contract_gen")
                && !is_module("src/a.js", "b/a.js")
        );
    }
}
