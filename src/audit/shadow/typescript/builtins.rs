//! Code that changes built-in objects of JavaScript: `Object.freeze`, the prototypes of arrays, sets and maps, the
//! global objects. Generated values use them, so a change affects every value without naming the module.

use super::super::pattern::regex;
use super::additions;

/// The objects that generated values and lookups use.
const OBJECTS: &str =
    "Object|Array|Set|Map|WeakMap|WeakSet|String|Number|Function|RegExp|Reflect|Proxy|Iterator";
const GLOBALS: &str = "globalThis|global|window|self";
/// Members of an object, plain or computed; a string in it is blank.
const MEMBERS: &str = r"(?:\s*(?:\?\.)?(?:\.?\s*\[[^\[\]\n]*\]|\.\s*[\w$]+))";
const ASSIGNMENT: &str = r"\s*(?:(?:\?\?|\|\||&&|\*\*|<<|>>|[-+*/%&|^])?=(?:[^=>]|$)|\+\+|--)";
const SETTERS: &str = "defineProperty|defineProperties|assign|set|setPrototypeOf|deleteProperty|__defineGetter__|__defineSetter__";
/// Longest call whose text is read, in bytes.
const MAX_CALL: usize = 400;

/// The first change in a source; `code` is `text` without comments and the content of strings.
pub fn change(text: &str, code: &str) -> Option<usize> {
    let (text, code) = &with_global(text, code);
    let objects = format!("(?:(?:{GLOBALS})\\s*\\.\\s*)?(?:{OBJECTS})");
    let cast = r"(?:\s+as\s+[\w<>, .\[\]]+)?\s*\)*";
    let through = r"(?:\.\s*__proto__|\.\s*constructor\s*\.\s*prototype|\bgetPrototypeOf\s*\((?:[^()\n]|\([^()\n]*\))*\))";
    let mut targets = vec![format!(r"\b{objects}\b")];
    targets.extend(aliases(code, &objects, through));
    let target = targets.join("|");
    let patterns = [
        // A member gets a value.
        format!(r"(?m)(?:^|[^\w.$])(?:{target}){cast}{MEMBERS}+{cast}{MEMBERS}*{ASSIGNMENT}"),
        format!(r"{through}{cast}{MEMBERS}+{ASSIGNMENT}"),
        format!(r"\bdelete\s+\(*(?:{target}){cast}{MEMBERS}+"),
        // A function changes it.
        format!(r"\b(?:{SETTERS})\s*\(\s*\(?\s*(?:{target}){MEMBERS}*{cast}\s*,"),
        format!(r"\b(?:Object|Reflect)\s*\[[^\[\]\n]*\]\s*\(\s*(?:{target}){MEMBERS}*{cast}\s*,"),
        format!(
            r"\b(?:{SETTERS})\s*\.\s*(?:call|apply)\s*\([^,\n]*,\s*\[?\s*(?:{target}){MEMBERS}*"
        ),
        format!(r"(?:{target}){MEMBERS}*\.\s*(?:__defineGetter__|__defineSetter__)\s*\("),
        format!(r"\b(?:{SETTERS})\s*\([^,\n]*{through}{cast}\s*,"),
        // The name itself, outside of a declaration.
        format!(r"(?m)^[ \t]*(?:{OBJECTS})\s*=\s*(?:class|function|async|new|\()"),
    ];
    let first = |pattern: &String| {
        let pattern = regex(pattern).ok()?;
        let mut found = pattern.find_iter(code);
        let change = found.find(|found| !additions::is_addition(text, code, &found.range()))?;
        Some(change.start())
    };
    patterns.iter().filter_map(first).chain(global(text, code)).min()
}

/// Both texts with the name of the global object in place of calls that return it, every other byte where it was.
fn with_global(text: &str, code: &str) -> (String, String) {
    let mut texts = (text.to_owned(), code.to_owned());
    let call = regex(
        r#"(?:\bnew\s+)?\bFunction\s*\(\s*["'`]\s*return\s+this\s*;?\s*["'`]\s*\)\s*\(\s*\)"#,
    );
    for found in call.iter().flat_map(|call| call.find_iter(text)) {
        if code.get(found.start()..found.start() + 3) == text.get(found.start()..found.start() + 3)
        {
            let name = format!("{:>1$}", "globalThis", found.len());
            texts.0.replace_range(found.range(), &name);
            texts.1.replace_range(found.range(), &name);
        }
    }
    texts
}

/// Names for one of the objects, for its prototype, or for the prototype of a value.
fn aliases(code: &str, objects: &str, through: &str) -> Vec<String> {
    let prototype = r"(?:\s*(?:\.\s*prototype\b|\[[^\[\]\n]*\]))?";
    let cast = r"(?:\s+as\s+[^;,\n]+)?\)*";
    let patterns = [
        format!(
            r"(?m)\b(?:const|let|var)\s+([\w$]+)[^=\n;]*=\s*\(*{objects}\b{prototype}{cast}\s*(?:[;,]|$)"
        ),
        format!(r"(?m)\b(?:const|let|var)\s+([\w$]+)[^=\n;]*=[^;\n]*{through}{cast}\s*(?:[;,]|$)"),
        format!(r"\{{[^{{}}\n]*\bprototype\s*:\s*([\w$]+)[^{{}}\n]*\}}\s*=\s*{objects}\b"),
        format!(r"\{{[^{{}}\n]*\b(prototype)\b\s*[,}}][^=\n]*=\s*{objects}\b"),
    ];
    let mut names = Vec::new();
    for pattern in patterns.iter().filter_map(|pattern| regex(pattern).ok()) {
        let found = pattern.captures_iter(code).filter_map(|captures| captures.get(1));
        names.extend(found.map(|name| format!(r"\b{}\b", regex::escape(name.as_str()))));
    }
    names.sort();
    names.dedup();
    names
}

/// Where one of the objects is replaced among the global names.
fn global(text: &str, code: &str) -> Option<usize> {
    let named = regex(&format!(
        r"(?m)\b(?:const|let|var)\s+([\w$]+)[^=\n;]*=\s*\(*(?:{GLOBALS})\b(?:\s+as\s+[^;,\n]+)?\)*\s*(?:[;,]|$)"
    ))
    .ok()?;
    let mut globals = vec![GLOBALS.to_owned()];
    globals.extend(named.captures_iter(code).map(|found| regex::escape(&found[1])));
    let globals = globals.join("|");
    let cast = r"(?:\s+as\s+[\w<>, .\[\]]+)?\s*\)*";
    let member = regex(&format!(
        r"(?:^|[^\w.$])((?:{globals})){cast}\s*(?:\.\s*(?P<name>[\w$]+)|\[(?P<key>[^\[\]\n]*)\]){cast}{MEMBERS}*{ASSIGNMENT}"
    ))
    .ok()?;
    let members = member.captures_iter(code).filter(|captures| {
        // A polyfill gives a missing name.
        if ["??=", "||="].iter().any(|sign| captures[0].contains(sign)) {
            return false;
        }
        let plain = captures.name("name").is_some_and(|name| is_object(name.as_str()));
        let key = captures.name("key").and_then(|key| text.get(key.range()));
        plain || key.is_some_and(|key| may_be_object(key, &captures[1]))
    });
    let call = regex(&format!(r"\b(?:{SETTERS})\s*\(\s*(?:{globals}){cast}\s*,")).ok()?;
    let calls = call.captures_iter(code).filter(|captures| {
        let start = captures.get(0).map_or(0, |found| found.end());
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_CALL);
        let rest = &rest[..end.unwrap_or(rest.len())];
        let rest = rest.split(";\n").next().unwrap_or(rest);
        let first = rest.split(',').next().unwrap_or_default();
        let listed = regex(&format!(r#"["'`]?\b(?:{OBJECTS})\b["'`]?\s*[:,(]"#));
        may_be_object(first, "") || listed.is_ok_and(|listed| listed.is_match(rest))
    });
    let places = members.chain(calls).filter_map(|captures| Some(captures.get(0)?.start()));
    places.min()
}

fn is_object(name: &str) -> bool {
    OBJECTS.split('|').any(|object| object == name)
}

/// Whether the key of a member gives one of the objects: strings are put together, and what is computed otherwise can be
/// anything. Pages name functions of their own in that way.
fn may_be_object(key: &str, holder: &str) -> bool {
    let Ok(string) = regex(r#""([^"\n]*)"|'([^'\n]*)'|`([^`$\n]*)`"#) else { return true };
    let rest = string.replace_all(key, "");
    let joined: String = string
        .captures_iter(key)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3)))
        .map(|part| part.as_str())
        .collect();
    match rest.chars().all(|letter| letter == '+' || letter.is_whitespace()) {
        true => is_object(&joined),
        false => matches!(holder, "globalThis" | "global") && !rest.contains("Symbol"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::masked::{Syntax, masked};
    use super::*;

    fn is_found(text: &str) -> bool {
        change(text, &masked(text, Syntax::Braces)).is_some()
    }

    #[test]
    fn changes_of_what_values_are_made_of_are_found_in_every_form() {
        let missed: Vec<_> = [
            "Object.freeze = (x) => x;",
            "Object[\"fre\" + \"eze\"] = (x) => x;",
            "Object[`fre${e}`] = f;",
            "(Object as any).freeze = f;",
            "globalThis.Object.freeze = f;",
            "globalThis[\"Object\"][\"freeze\"] = f;",
            "globalThis[\"Ob\" + \"ject\"] = f;",
            "globalThis[name] = f;",
            "const g = globalThis;\ng.Set = class {};",
            "(globalThis as any).Map = f;",
            "Array.prototype.includes = () => true;",
            "Array.prototype[\"inc\" + \"ludes\"] = f;",
            "Array[\"prototype\"].includes = f;",
            "(Array.prototype as any).includes = f;",
            "Set.prototype.has = f;",
            "Object.prototype.E_X = { exit: 0 };",
            "const P = Array.prototype;\nP.includes = f;",
            "const { prototype: P } = Array;\nP.includes = f;",
            "const { prototype } = Set;\nprototype.has = f;",
            "const O = Object;\nO.freeze = f;",
            "const O = Object\nO['fre' + 'eze'] = f",
            "[].__proto__.includes = f;",
            "Object.getPrototypeOf([]).includes = f;",
            "const P = Object.getPrototypeOf(new Set());\nP.has = f;",
            "[].constructor.prototype.includes = f;",
            "delete Array.prototype.includes;",
            "Object.defineProperty(Array.prototype, 'includes', { value: f });",
            "Object.assign(Set.prototype, { has: f });",
            "Reflect.set(Object, 'fre' + 'eze', f);",
            "Reflect['set'](Object, 'freeze', f);",
            "Reflect.defineProperty.call(null, Array.prototype, 'x', d);",
            "const { defineProperty } = Object;\ndefineProperty(Map.prototype, 'get', d);",
            "Object.defineProperty(globalThis, 'Set', { value: f });",
            "Object.assign(globalThis, { Map: f });",
            "Array.prototype.__defineGetter__('x', f);",
            "Set = class extends Map {};",
            "Object.setPrototypeOf(Array.prototype, x);",
        ]
        .into_iter()
        .filter(|text| !is_found(text))
        .collect();
        assert_eq!(missed, [""; 0]);
    }

    #[test]
    fn reads_calls_and_local_names_are_not_changes() {
        let wrong: Vec<_> = [
            "const own = Object.freeze({ a: 1 });",
            "const keys = Object.keys(CODES).sort();",
            "const seen = new Set(); seen.add(1);",
            "const list = Array.from(x).map((y) => y.z);",
            "x.prototype = Object.create(y.prototype);",
            "Object.assign(own, { a: 1 });",
            "Reflect.set(own, 'a', 1);",
            "Object.defineProperty(exports, '__esModule', { value: true });",
            "if (Array.prototype.includes === f) {}",
            "const has = Object.prototype.hasOwnProperty.call(x, 'a');",
            "const slice = Array.prototype.slice;\nslice.call(x);",
            "const f = (x) => Object.entries(x);",
            "enum Kind { Set = 1, Map = 2 }",
            "enum Kind {\n  Set = 1,\n  Map = 'x',\n}",
            "type Map = Record<string, string>;",
            "const Set = makeSet();",
            "globalThis.fetch = f;",
            "globalThis[\"fetch\"] = f;",
            "globalThis[Symbol.for('x')] = f;",
            "window[callback] = f;",
            "Object.assign(globalThis, { fetch: f });",
            "// Object.freeze = f\nconst s = 'Array.prototype.x = 1';",
            "const o = { Object: 1, Set: 2 };",
            "let x: Set<string> = new Set();",
            "function f(x: Map<string, string> = new Map()) {}",
            "const m = new Map<string, Array<number>>();",
            "this.Object.x = 1;",
            "class A { static Map = 1; }",
        ]
        .into_iter()
        .filter(|text| is_found(text))
        .collect();
        assert_eq!(wrong, [""; 0]);
    }
}
