//! Names that a program adds to built-in objects: polyfills of missing names, and names of its own. Neither changes what
//! generated values do.

use std::ops::Range;

use super::super::pattern::regex;

/// The names that JavaScript itself gives each object and its prototype.
const STANDARD: &[(&str, &str)] = &[
    (
        "Object",
        "assign getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols hasOwn is preventExtensions seal create defineProperties defineProperty freeze getPrototypeOf setPrototypeOf isExtensible isFrozen isSealed keys entries fromEntries values groupBy",
    ),
    (
        "Array",
        "isArray from fromAsync of at concat copyWithin fill find findIndex findLast findLastIndex lastIndexOf pop push reverse shift unshift slice sort splice includes indexOf join keys entries values forEach filter flat flatMap map every some reduce reduceRight toReversed toSorted toSpliced with",
    ),
    (
        "Set",
        "has add delete clear entries forEach size values keys union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom",
    ),
    (
        "Map",
        "get set has delete clear entries forEach keys size values groupBy getOrInsert getOrInsertComputed",
    ),
    ("WeakMap", "delete get set has getOrInsert getOrInsertComputed"),
    ("WeakSet", "delete has add"),
    (
        "String",
        "fromCharCode fromCodePoint raw at charAt charCodeAt codePointAt concat endsWith includes indexOf isWellFormed lastIndexOf localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice split substr substring startsWith toWellFormed trim trimStart trimLeft trimEnd trimRight toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase",
    ),
    (
        "Number",
        "isFinite isInteger isNaN isSafeInteger parseFloat parseInt MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON toExponential toFixed toPrecision",
    ),
    ("Function", "apply bind call"),
    (
        "RegExp",
        "escape exec dotAll flags global hasIndices ignoreCase multiline source sticky unicode compile test unicodeSets",
    ),
    (
        "Reflect",
        "defineProperty deleteProperty apply construct get getOwnPropertyDescriptor getPrototypeOf has isExtensible ownKeys preventExtensions set setPrototypeOf",
    ),
    ("Proxy", "revocable"),
    (
        "Iterator",
        "from concat next return throw map filter take drop flatMap reduce toArray forEach some every find",
    ),
];
/// Names that the language asks every object for.
const OF_ALL: &str = "constructor toString toLocaleString valueOf toJSON then length name prototype __proto__ hasOwnProperty isPrototypeOf propertyIsEnumerable";
/// How far before an assignment its condition is looked for, in bytes.
const MAX_BEFORE: usize = 2000;

/// True if the change that is found at `found` only adds names. `code` is `text` without comments and the content of
/// strings.
pub fn is_addition(text: &str, code: &str, found: &Range<usize>) -> bool {
    let Some(rest) = text.get(found.start..) else { return false };
    let Some(added) = AddedNames::read(rest) else { return false };
    let start = found.start + added.at;
    added.names.iter().all(|name| {
        if !is_standard(&added.object, name) {
            // Every table of the module would have a name of the prototype of all objects.
            let is_of_all = added.object == "Object" && added.is_prototype;
            return !is_of_all && !name.starts_with(|first: char| first.is_ascii_digit());
        }
        added.is_conditional || is_guarded(text, code, start, &added, name)
    })
}

fn is_standard(object: &str, name: &str) -> bool {
    let of_object = STANDARD.iter().filter(|(known, _)| *known == object);
    of_object
        .flat_map(|(_, names)| names.split(' '))
        .chain(OF_ALL.split(' '))
        .any(|known| known == name)
}

/// Names that a statement gives to an object.
struct AddedNames {
    object: String,
    is_prototype: bool,
    names: Vec<String>,
    /// The statement itself gives the name only when it is missing.
    is_conditional: bool,
    /// Where the object is named, from the start of the text.
    at: usize,
}

impl AddedNames {
    fn read(rest: &str) -> Option<Self> {
        let target = r"(?:(?:globalThis|global|window|self)\s*\.\s*)?(?P<object>[A-Z]\w+)(?P<prototype>\s*\.\s*prototype\b)?(?:\s+as\s+[\w<>, .\[\]]+\))?";
        let assigned = regex(&format!(
            r#"^[^\w$"'`]*?\(?(?P<target>{target})\s*(?:\.\s*(?P<name>[\w$]+)|\[\s*["'](?P<key>[^"'\n]+)["']\s*\]|\[\s*(?P<symbol>Symbol\.for\([^()\n]*\))\s*\])(?:\s+as\s+[\w<>, .\[\]]+\))?\s*(?P<sign>(?:\?\?|\|\|)?=)\s*(?P<value>[^=>][^\n;]*)"#
        ));
        if let Some(captures) = assigned.ok()?.captures(rest) {
            let group = |name: &str| captures.name(name).map_or("", |found| found.as_str());
            let name = [group("name"), group("key"), group("symbol")].join("");
            let path = bare(&format!("{}.{}", group("target"), name));
            let value = bare(group("value"));
            let kept = ["||".to_owned(), "??".to_owned(), format!("?{path}:")];
            let keeps = kept.iter().any(|sign| value.starts_with(&format!("{path}{sign}")));
            return Some(Self {
                object: group("object").to_owned(),
                is_prototype: captures.name("prototype").is_some(),
                names: vec![name],
                is_conditional: group("sign").len() > 1 || keeps,
                at: captures.name("target")?.start(),
            });
        }
        let defined = regex(&format!(
            r#"^[^\w$"'`]*?(?:(?:Object|Reflect)\s*\.\s*)?defineProperty\s*\(\s*\(?(?P<target>{target})\s*,\s*["'](?P<name>[^"'\n]+)["']\s*,"#
        ));
        let listed = regex(&format!(
            r"^[^\w$]*?(?:Object\s*\.\s*)?assign\s*\(\s*\(?(?P<target>{target})\s*,\s*\{{"
        ));
        let (captures, names) = match defined.ok()?.captures(rest) {
            Some(captures) => {
                let name = captures.name("name")?.as_str().to_owned();
                (captures, vec![name])
            }
            None => {
                let captures = listed.ok()?.captures(rest)?;
                let names = members(rest.get(captures.get(0)?.end()..)?)?;
                (captures, names)
            }
        };
        Some(Self {
            object: captures.name("object")?.as_str().to_owned(),
            is_prototype: captures.name("prototype").is_some(),
            names,
            is_conditional: false,
            at: captures.get(0)?.start(),
        })
    }
}

/// The names of the members of an object literal up to its end; `None` for a computed or a spread one.
fn members(literal: &str) -> Option<Vec<String>> {
    let name =
        regex(r#"^\s*(?:async\s+)?(?:get\s+|set\s+)?\*?\s*["']?([\w$]+)["']?\s*[(:,}]"#).ok()?;
    let mut names = Vec::new();
    let (mut depth, mut is_start) = (0_usize, true);
    for (at, symbol) in literal.char_indices() {
        if depth == 0 && is_start && !symbol.is_whitespace() {
            if symbol == '}' {
                return Some(names);
            }
            names.push(name.captures(&literal[at..])?[1].to_owned());
            is_start = false;
        }
        match symbol {
            '(' | '[' | '{' => depth += 1,
            '}' if depth == 0 => return Some(names),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => is_start = true,
            _ => {}
        }
    }
    None
}

/// True if the statement at `start` runs only when the name is missing.
fn is_guarded(text: &str, code: &str, start: usize, added: &AddedNames, name: &str) -> bool {
    let object = match added.is_prototype {
        true => format!("{}.prototype", added.object),
        false => added.object.clone(),
    };
    let path = regex::escape(&format!("{object}.{name}"));
    let object = regex::escape(&object);
    let name = regex::escape(name);
    let missing = [
        format!(r"!\(?{path}\)?"),
        format!(r#"!\(["']{name}["']in{object}\)"#),
        format!(r#"!{object}\.hasOwnProperty\(["']{name}["']\)"#),
        format!(r#"!Object\.hasOwn\({object},["']{name}["']\)"#),
        format!(r#"!Object\.prototype\.hasOwnProperty\.call\({object},["']{name}["']\)"#),
        format!(r#"typeof\(?{path}\)?!==?["']function["']"#),
        format!(r#"typeof\(?{path}\)?===?["']undefined["']"#),
        format!(r"{path}===?(?:undefined|null|void0)"),
    ];
    let missing = format!("(?:{})", missing.join("|"));
    let named = regex(&format!(r"\b(?:const|let|var) (\w+)={missing}[;,]")).ok();
    let whole = bare(text.get(..start).unwrap_or_default());
    let mut names: Vec<_> = named
        .iter()
        .flat_map(|named| named.captures_iter(&whole))
        .map(|found| regex::escape(&found[1]))
        .collect();
    names.push(missing);
    let missing = format!("(?:{})", names.join("|"));
    let conditions = [
        format!(r"\bif\({missing}(?:&&[^|]*)?\)\{{?$"),
        format!(r"\bif\({path}\)\{{?return\b[^{{}}]*\}}?[^{{}}]*$"),
        format!(r"(?:^|[;}}\n]){path}(?:\|\||\?\?)\(?$"),
    ];
    before(text, code, start).iter().any(|before| {
        let before = bare(before);
        let before = ["Object.", "Reflect."]
            .iter()
            .find_map(|name| before.strip_suffix(name))
            .unwrap_or(&before);
        conditions.iter().any(|pattern| regex(pattern).is_ok_and(|found| found.is_match(before)))
    })
}

/// The text before a statement, and before the block that it is in.
fn before<'t>(text: &'t str, code: &str, start: usize) -> Vec<&'t str> {
    let mut from = start.saturating_sub(MAX_BEFORE);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut found: Vec<_> = text.get(from..start).into_iter().collect();
    let mut depth = 0_usize;
    for at in (from..start).rev() {
        match code.as_bytes().get(at) {
            Some(b'}') => depth += 1,
            Some(b'{') if depth == 0 => {
                found.extend(text.get(from..=at));
                break;
            }
            Some(b'{') => depth -= 1,
            _ => {}
        }
    }
    found
}

/// A text without white space, types of TypeScript and the name of the global object.
fn bare(text: &str) -> String {
    let cast = regex(r"\s+as\s+(?:any|unknown|[\w<>, .\[\]]+)");
    let plain =
        cast.map_or_else(|_| text.to_owned(), |cast| cast.replace_all(text, "").into_owned());
    let global = regex(r"\b(?:globalThis|window|self|global)\s*\.\s*");
    let plain =
        global.map_or_else(|_| plain.clone(), |global| global.replace_all(&plain, "").into_owned());
    let group = regex(r"\((\w+(?:\.\w+)*)\)\.");
    let plain =
        group.map_or_else(|_| plain.clone(), |group| group.replace_all(&plain, "$1.").into_owned());
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut bare = String::new();
    let mut gap = false;
    for letter in plain.chars() {
        if letter.is_whitespace() {
            gap = true;
            continue;
        }
        // Words stay apart, apart from the words of the conditions above.
        if gap && is_word(letter) && bare.ends_with(is_word) && !ends_with_operator(&bare) {
            bare.push(' ');
        }
        gap = false;
        bare.push(letter);
    }
    bare
}

fn ends_with_operator(text: &str) -> bool {
    let word = text.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    matches!(word, "typeof" | "in" | "void")
}

#[cfg(test)]
mod tests {
    use super::super::super::masked::{Syntax, masked};
    use super::super::builtins::change;

    fn is_found(text: &str) -> bool {
        change(text, &masked(text, Syntax::Braces)).is_some()
    }

    #[test]
    fn polyfills_and_names_of_a_program_are_told_from_changes() {
        for text in [
            "String.prototype.replaceAll ??= f;",
            "Map.groupBy ||= f;",
            "Array.fromAsync = Array.fromAsync || f;",
            "Array.prototype.at = Array.prototype.at ?? f;",
            "if (!Array.prototype.at) {\n  Array.prototype.at = f;\n}",
            "if (!Array.prototype.at) Array.prototype.at = f;",
            "if (!(Array.prototype as any).at) {\n  (Array.prototype as any).at = f;\n}",
            "if (typeof Array.prototype.at !== 'function') {\n  const x = { a: 1 };\n  Array.prototype.at = f;\n}",
            "if (Array.prototype.at === undefined) Array.prototype.at = f;",
            "if (!('flat' in Array.prototype)) { Array.prototype.flat = f; }",
            "if (!Object.hasOwn) {\n  Object.defineProperty(Object, 'hasOwn', { value: f });\n}",
            "if (!Array.prototype.at && isOld) { Array.prototype.at = f; }",
            "Array.prototype.toSorted || (Array.prototype.toSorted = f);",
            "Array.prototype.last = function () { return this[0]; };",
            "(String.prototype as any).shout = f;",
            "Object.defineProperty(Array.prototype, 'last', { get() { return 1; } });",
            "Object.assign(String.prototype, { shout() { return f(1, 2); }, 'whisper': g });",
            "Array.prototype[Symbol.for('x')] = 1;",
            "Number.prototype.clamp = f;",
            "(function () {\n  if (Array.prototype.at) return;\n  Array.prototype.at = f;\n})();",
            "const needed = !Array.prototype.at;\nif (needed) Array.prototype.at = f;",
            "String.prototype.at = String.prototype.at ? String.prototype.at : f;",
            "Object.pick = f;",
            "globalThis.Set ??= OwnSet;",
        ] {
            assert!(!is_found(text), "{text}");
        }
        for text in [
            "Object.freeze &&= f;",
            "if (Array.prototype.includes) Array.prototype.includes = f;",
            "if (!globalThis.done) Array.prototype.includes = f;",
            "if (!Array.prototype.at) Array.prototype.includes = f;",
            "if (!Array.prototype.at || true) Array.prototype.at = f;",
            "if (!Array.prototype.at) {}\nArray.prototype.at = f;",
            "Array.prototype.last = f;\nArray.prototype.includes = f;",
            "Array.prototype[Symbol.iterator] = f;",
            "Array.prototype[name] = f;",
            "Number.prototype.valueOf = f;",
            "Object.prototype.own ??= 1;",
            "Object.assign(Set.prototype, { own() {}, has() {} });",
            "Object.assign(Set.prototype, { ...own });",
            "delete Array.prototype.at;",
            "Array.prototype[0] = f;",
            "const g = Function('return this')();\ng.Object = f;",
            "Function(\"return this\")().Set = f;",
        ] {
            assert!(is_found(text), "{text}");
        }
    }
}
