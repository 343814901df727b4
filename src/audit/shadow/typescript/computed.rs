//! Changes of a module that `require` loads by a computed name: the text does not show which module that is.

use super::super::mutation::STEPS;
use super::super::pattern::regex;

/// Where `code`, which is `text` without comments and the content of strings, changes such a module.
pub fn change(text: &str, code: &str) -> Option<usize> {
    if !text.contains("equire") {
        return None;
    }
    let call =
        r"(?:\brequire|\bcreateRequire\s*\([^()\n]*\))\s*\((?P<name>(?:[^()\n]|\([^()\n]*\))*)\)";
    let cast = r"(?:\s+as\s+[\w<>, .\[\]]+)?\s*\)*";
    let is_computed = |name: Option<regex::Match<'_>>| {
        let name = name.and_then(|name| text.get(name.range())).unwrap_or_default().trim();
        let literal = regex(r#"^(?:"[^"\n]*"|'[^'\n]*'|`[^`$\n]*`)$"#);
        !name.is_empty() && literal.is_ok_and(|literal| !literal.is_match(name))
    };
    let direct = regex(&format!(r"{call}{cast}{STEPS}+\s*=[^=>]")).ok()?;
    let direct = direct.captures_iter(code).filter(|found| is_computed(found.name("name")));
    let direct: Vec<usize> = direct.filter_map(|found| Some(found.get(0)?.start())).collect();
    let named = regex(&format!(r"(?m)\b(?:const|let|var)\s+([\w$]+)[^=\n;]*=\s*\(*{call}")).ok()?;
    let named = named.captures_iter(code).filter(|found| is_computed(found.name("name")));
    let changed = named.filter_map(|found| {
        let name = regex::escape(found.get(1)?.as_str());
        let end = found.get(0)?.end();
        let set = format!(
            r"(?:^|[^\w.$])\b{name}\b{cast}{STEPS}+\s*=[^=>]|\b(?:defineProperty|defineProperties|assign|set)\s*\(\s*\(?{name}\b"
        );
        Some(end + regex(&set).ok()?.find(code.get(end..)?)?.start())
    });
    changed.chain(direct).min()
}

#[cfg(test)]
mod tests {
    use super::super::super::masked::{Syntax, masked};
    use super::*;

    #[test]
    fn a_change_of_a_module_with_a_computed_name_is_found() {
        let is_found = |text: &str| change(text, &masked(text, Syntax::Braces)).is_some();
        for text in [
            "require('./contract' + '_gen').CODES = {};",
            "const m = require(name);\nm.CODES = {};",
            "const m = require(`./${name}`);\nm['CODES'] = {};",
            "const m: any = require(name);\nObject.assign(m, { CODES: {} });",
            "createRequire(import.meta.url)('./contract' + '_gen').CODES = {};",
            "(require(name) as any).CODES = {};",
        ] {
            assert!(is_found(text), "{text}");
        }
        for text in [
            "require('./other').CODES = {};",
            "const m = require(name);\nm.run();",
            "const m = require(name);\nconst x = m.CODES === 1;",
            "const m = require('x');\nm.y = 1;",
            "// require(name).x = 1",
        ] {
            assert!(!is_found(text), "{text}");
        }
    }
}
