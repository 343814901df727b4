//! Code that changes how modules are found, and patterns of settings that lead an import of the module elsewhere.

use serde_json::Value;

use crate::contract::{Finding, json};

use super::super::masked::{Syntax, masked};
use super::super::pattern::regex;
use super::SOURCES;
use crate::audit::shadow::module::{GeneratedModule, join, line};

/// Settings with patterns for imports: `imports` of Node, `paths` of TypeScript.
const SETTINGS: &[&str] =
    &["package.json", "tsconfig.json", "jsconfig.json", "deno.json", "tsconfig.base.json"];

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
    for (path, text) in module.others(SETTINGS) {
        let Ok(settings) = json::parse(text.as_bytes()) else { continue };
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
            found.push(module.shadowed(path, "its patterns lead an import to another file than"));
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
fn hook(text: &str) -> Option<usize> {
    let code = masked(text, Syntax::Braces);
    let imports_loader = regex(r#"["'](?:node:)?module["']"#).ok()?.is_match(text);
    let patterns = [
        (r"\b(?:register|registerHooks)\s*\(", imports_loader),
        (r"\bModule\s*\.\s*(?:_resolveFilename|_load|_extensions|_cache|_findPath)\b", true),
        (r"\brequire\s*\.\s*(?:extensions|cache)\b[^\n]*=[^=>]", true),
        (r"\bdelete\s+require\s*\.\s*cache\b", true),
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

/// What the star of a pattern stands for in an import.
fn star<'t>(pattern: &str, import: &'t str) -> Option<&'t str> {
    let (before, after) = pattern.split_once('*')?;
    import.strip_prefix(before)?.strip_suffix(after)
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whether a path is the module, with any ending of its language.
fn is_module(module: &str, target: &str) -> bool {
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
    fn hooks_of_node_are_told_from_other_calls() {
        for text in [
            "import { register } from 'node:module';\nregister('./x.mjs', import.meta.url);",
            "const Module = require('module');\nModule._resolveFilename = f;",
            "Module._load = () => fake;",
            "require.cache[key] = { exports: {} };",
            "require.extensions['.js'] = f;",
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
