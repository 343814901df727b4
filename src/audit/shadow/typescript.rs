//! TypeScript and JavaScript: files that a runtime or a bundler takes for the module, and code that changes its constants.

mod additions;
mod aliases;
mod builtins;
mod bundled;
mod computed;
mod executed;
mod loaders;
mod mapped;
mod reexports;

use crate::contract::Finding;
use crate::system::files::Kind;

use super::masked::{Syntax, masked};
use super::module::GeneratedModule;
use super::mutation::{Mutation, STEPS};
use super::pattern::regex;
use super::started;

const SOURCES: [&str; 8] = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"];

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for name in module.siblings() {
        let path = module.beside(&name);
        if name == module.stem && module.kind(&path) != Kind::Absent {
            found
                .push(module.shadowed(&path, "an import may resolve to this directory instead of"));
        }
        let ending = name.strip_prefix(module.stem).and_then(|rest| rest.strip_prefix('.'));
        let Some(ending) = ending.filter(|_| name != module.file_name) else { continue };
        // A compiler that writes beside its sources makes these, and a project with such a compiler ignores them. Every
        // other file would be loaded in place of the module, also when git ignores it.
        let compiled = matches!(ending, "js" | "mjs" | "cjs" | "jsx" | "d.ts" | "d.mts" | "d.cts")
            && module.repository.ignored.contains_key(&path);
        // A word between is a platform (`contract_gen.web.ts`) or says that the file holds types.
        let kind = ending.rsplit('.').next().unwrap_or(ending);
        let is_test = ending.starts_with("test.") || ending.starts_with("spec.");
        if !compiled
            && !is_test
            && matches!(
                kind,
                "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "json" | "node"
            )
        {
            found.push(module.shadowed(&path, "a runtime or a bundler loads this file instead of"));
        }
    }
    aliases::check(module, found);
    loaders::check(module, found);
    mapped::check(module, found);
    bundled::check(module, found);
    executed::launchers(module, found);
    constants(module, found);
}

fn constants(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let stem = regex::escape(module.stem);
    let pattern = format!(
        r#"import\s+(?:type\s+)?(?:\w+\s*,\s*)?(?:\*\s+as\s+(?P<all>\w+)|\{{(?P<list>[^}}]*)\}})\s+from\s+["'][^"'\n]*\b{stem}(?:\.\w+)?["']"#
    );
    let required = format!(
        r#"(?:const|let|var)\s+(?:(?P<all>\w+)|\{{(?P<list>[^}}]*)\}})\s*=\s*(?:await\s+import|require)\(\s*["'][^"'\n]*\b{stem}(?:\.\w+)?["']"#
    );
    let patterns: Vec<_> =
        [pattern, required].iter().filter_map(|pattern| regex(pattern).ok()).collect();
    let inline = format!(
        r#"\b(?:require|import)\(\s*["'][^"'\n]*\b{stem}(?:\.\w+)?["']\s*\)(?:\s+as\s+\w+)?\)*{STEPS}+\s*=[^=>]"#
    );
    let inline = regex(&inline).ok();
    let scripts = module.others(&[""]).filter(|(path, text)| {
        let first = text.lines().next().unwrap_or_default();
        let is_node = ["node", "bun", "deno"].iter().any(|word| first.contains(word));
        let is_source = SOURCES.iter().any(|ending| path.ends_with(ending));
        !is_source && !path.ends_with(".md") && first.starts_with("#!") && is_node
    });
    let started = started::texts(module, &started::NODE);
    for (path, text) in module.others(&SOURCES).chain(scripts).chain(started) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.contains(".test.") || name.contains(".spec.") {
            continue;
        }
        let mut names = Vec::new();
        for captures in patterns.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            names.extend(captures.name("all").map(|name| regex::escape(name.as_str())));
            let list = captures.name("list").map_or("", |list| list.as_str());
            names.extend(list.split(',').filter_map(|item| {
                item.split([' ', ':', '\n', '\t']).rfind(|word| !word.is_empty()).map(regex::escape)
            }));
        }
        let code = masked(text, Syntax::Braces);
        if let Some(at) = reexports::change(module, text, &code) {
            let why = "it exports the whole module again, but its own values replace those of";
            found.push(module.amended_by(path, text, at, why));
            continue;
        }
        let inline = inline.iter().flat_map(|inline| inline.captures_iter(text));
        let inline = inline.filter_map(|captures| {
            // Of a call in a comment or a string nothing is left.
            let at = captures.get(0)?.start();
            (code.get(at..at + 3) == text.get(at..at + 3)).then_some(at)
        });
        let changed = Mutation::of(&names, false).first(&code);
        let changed = changed
            .into_iter()
            .chain(builtins::change(text, &code))
            .chain(computed::change(text, &code))
            .chain(executed::change(text, &code))
            .chain(inline)
            .chain(through_a_name(&names, &code))
            .min();
        if let Some(at) = changed {
            found.push(module.amended(path, text, at));
        }
    }
}

/// A change of a value that got another name, anywhere below the line that names it.
fn through_a_name(names: &[String], code: &str) -> Option<usize> {
    if names.is_empty() {
        return None;
    }
    let pattern = format!(
        r"(?m)\b(?:const|let|var)\s+(\w+)[^=\n;]*=\s*\(*(?:{})\b{STEPS}*(?:\s+as\s+[^;\n]+)?\)*\s*;?\s*$",
        names.join("|")
    );
    let named = regex(&pattern).ok()?;
    let found = named.captures_iter(code).filter_map(|captures| {
        let end = captures.get(0)?.end();
        let name = regex::escape(captures.get(1)?.as_str());
        Some(end + Mutation::of(&[name], false).first(code.get(end..)?)?)
    });
    found.min()
}
