//! Code that a source or a launcher has as a text and runs: `eval("…")`, `new Function("…")`, `node -e "…"`, `data:` URLs.

use crate::audit::shadow::literals::{codes, percent_decoded, unescaped};
use crate::audit::shadow::masked::{Syntax, masked};
use crate::audit::shadow::module::{GeneratedModule, line};
use crate::audit::shadow::pattern::regex;
use crate::audit::shadow::scripts::is_script;
use crate::audit::shadow::unread::is_test_only;
use crate::contract::Finding;

use super::{builtins, loaders};

/// Each call that runs a text contains at least one of these words.
const WORDS: &[&str] = &[
    "constructor",
    "construct",
    "_compile",
    "eval",
    "Function",
    "runIn",
    "Script",
    "compileFunction",
    "setTimeout",
    "setInterval",
    "data:",
    "SourceText",
];
/// Most calls of one file that are read.
const MAX_CALLS: usize = 50;

/// Every launcher that gives such code to Node, Bun or Deno.
pub fn launchers(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    for (path, text) in module.others(&[""]) {
        let may_start = ["node", "bun", "deno"].iter().any(|word| text.contains(word));
        if !may_start
            || module.ours.contains(path)
            || is_test_only(path)
            || !is_script(module, path)
        {
            continue;
        }
        let change = commands(text).into_iter().find(|(_, code)| is_change(code));
        if let Some((at, _)) = change {
            let mut finding = module.amended(path, text, at);
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
}

/// Returns the position at which a source runs a text that changes what values are made of. `code` is `text` without
/// comments and the content of strings.
pub fn change(text: &str, code: &str) -> Option<usize> {
    if !WORDS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let call = regex(
        r"\b(?:eval\s*\)?|\w*Function|constructor|construct|_compile|runInThisContext|runInContext|runInNewContext|Script|compileFunction|SourceTextModule|(setTimeout|setInterval))\s*(?:\?\.)?\s*\(",
    )
    .ok()?;
    let calls = call.captures_iter(code).take(MAX_CALLS).filter_map(|captures| {
        let whole = captures.get(0)?;
        let arguments = whole.end()..end_of_brackets(code, whole.end());
        let expression = text.get(arguments)?;
        let is_timer = captures.get(1).is_some();
        let is_text = expression.trim_start().starts_with(['"', '\'', '`']);
        (!is_timer || is_text).then(|| (whole.start(), with_values(expression, text)))
    });
    let found =
        calls.filter(|(_, expression)| codes(expression).iter().any(|code| is_change(code)));
    let found = found.map(|(at, _)| at);
    found.chain(in_urls(text).filter(|(_, code)| is_change(code)).map(|(at, _)| at)).min()
}

fn is_change(text: &str) -> bool {
    // A name that is put in later can be any.
    let computed = regex(r"\.\s*\$\{[^{}]*\}");
    let text = &computed
        .map_or_else(|_| text.to_owned(), |name| name.replace_all(text, "[x]").into_owned());
    let code = masked(text, Syntax::Braces);
    builtins::change(text, &code).is_some() || loaders::hook(text).is_some()
}

/// The bracket that closes the group whose inside starts at `start`.
pub(super) fn end_of_brackets(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, symbol) in code.as_bytes().iter().enumerate().skip(start) {
        match symbol {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// An expression together with the texts that its names have.
fn with_values(expression: &str, text: &str) -> String {
    let Ok(name) = regex(r"^\s*([A-Za-z_$][\w$]*)\s*(?:[,)]|$)") else {
        return expression.to_owned();
    };
    let Some(name) = name.captures(expression) else { return expression.to_owned() };
    let assigned = format!(
        r#"\b(?:const|let|var)\s+{}\b[^=\n]*=\s*((?:(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)\s*\+?\s*)+)"#,
        regex::escape(&name[1])
    );
    let assigned = regex(&assigned).ok();
    let value = assigned.and_then(|assigned| Some(assigned.captures(text)?[1].to_owned()));
    value.unwrap_or_else(|| expression.to_owned())
}

/// The code of URLs that hold it.
fn in_urls(text: &str) -> impl Iterator<Item = (usize, String)> {
    let url =
        regex(r#"\bdata:(?:text|application)/(?:javascript|ecmascript)([^,\s"'`]*),([^"'`\n]*)"#)
            .ok();
    let mut found = Vec::new();
    for captures in url.iter().flat_map(|url| url.captures_iter(text)).take(MAX_CALLS) {
        let (Some(whole), Some(kind), Some(code)) =
            (captures.get(0), captures.get(1), captures.get(2))
        else {
            continue;
        };
        match kind.as_str().contains("base64") {
            true => found.extend(
                codes(&format!("'{}'", code.as_str()))
                    .into_iter()
                    .map(|code| (whole.start(), code)),
            ),
            false => found.push((whole.start(), percent_decoded(code.as_str()))),
        }
    }
    found.into_iter()
}

/// The code in each `-e` of a runtime, with its place; also in a list of words, in a string of JSON and after `<<`.
fn commands(text: &str) -> Vec<(usize, String)> {
    let quoted = r#"(?:\\"((?:[^"\\\n]|\\[^"\n])*)\\"|"((?:[^"\\]|\\.)*)"|'([^']*)')"#;
    let patterns = [
        format!(
            r"\b(?:node|nodejs|bun|deno)\b[^\n;|&]*?[ \t](?:-e|--eval|-p|--print|-pe|eval)(?:=|[ \t]+){quoted}"
        ),
        format!(r#"["'](?:-e|--eval|-p|--print|-pe|eval)["'],\s*{quoted}"#),
        r#"\b(?:node|nodejs|bun|deno)\b[^\n]*<<-?[ \t]*["']?(?:\w+)["']?[^\n]*\n((?s:.*))"#
            .to_owned(),
    ];
    let mut found: Vec<_> = in_urls(text).collect();
    for pattern in patterns.iter().filter_map(|pattern| regex(pattern).ok()) {
        for captures in pattern.captures_iter(text).take(MAX_CALLS) {
            let code = (1..captures.len()).find_map(|group| captures.get(group));
            found.extend(code.map(|code| (code.start(), unescaped(code.as_str()))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(text: &str) -> bool {
        change(text, &masked(text, Syntax::Braces)).is_some()
    }

    #[test]
    fn texts_that_are_run_count_when_they_change_what_values_are_made_of() {
        for text in [
            "eval(\"Object.freeze = (x) => x\");",
            "(0, eval)('Array.prototype.includes = () => true');",
            "globalThis.eval?.(`Set.prototype.has = f`);",
            "new Function(\"Object.fre\" + \"eze = (x) => x\")();",
            "vm.runInThisContext('Object.freeze = f');",
            "new vm.Script('Object.freeze = f').runInThisContext();",
            "const code = 'Object.' +\n  'freeze = f';\neval(code);",
            "eval(atob('T2JqZWN0LmZyZWV6ZSA9IGYg'));",
            "setTimeout('Object.freeze = f', 0);",
            "eval(`Object.${n} = f`);",
            "(() => {}).constructor('Object.freeze = f')();",
            "new AsyncFunction('Object.freeze = f')();",
            "Reflect.construct(Function, ['Object.freeze = f'])();",
            "eval(String.fromCharCode(79, 98, 106, 101, 99, 116, 46, 102, 114, 101, 101, 122, 101, 61, 102));",
            "await import('data:text/javascript,Object.freeze%3Df');",
            "await import('data:text/javascript;base64,T2JqZWN0LmZyZWV6ZSA9IGYg');",
        ] {
            assert!(is_found(text), "{text}");
        }
        for text in [
            "const x = eval('1 + 1');",
            "const root = Function('return this')();",
            "new Function('x', body);",
            "vm.runInNewContext(code, {});",
            "setTimeout(() => f('Object.freeze = f'), 0);",
            "console.log('Object.freeze = f');",
            "// eval('Object.freeze = f')",
            "const url = 'data:text/javascript,export const x = 1';",
        ] {
            assert!(!is_found(text), "{text}");
        }
    }

    #[test]
    fn code_on_a_command_line_is_read() {
        for text in [
            "run:\n\tnode -e 'Object.freeze = f; import(\"./x.js\")'\n",
            "{\"scripts\": {\"x\": \"node --eval \\\"Object.freeze = f\\\"\"}}",
            "CMD [\"node\", \"-e\", \"Object.freeze = f\"]\n",
            "node --import 'data:text/javascript,Object.freeze=f' x.js\n",
            "node - <<END\nObject.freeze = f\nEND\n",
        ] {
            assert!(commands(text).iter().any(|(_, code)| is_change(code)), "{text}");
        }
        for text in [
            "node -e 'console.log(1)'\n",
            "node -p process.version\n",
            "grep -e 'Object.freeze = f' node\n",
        ] {
            assert!(!commands(text).iter().any(|(_, code)| is_change(code)), "{text}");
        }
    }
}
