//! Bundlers and test runners that put other code in place of the module: flags, constants of a build, plugins, mocks.

use std::ops::Range;

use crate::audit::shadow::masked::{Syntax, masked};
use crate::audit::shadow::module::{GeneratedModule, line};
use crate::audit::shadow::pattern::regex;
use crate::audit::shadow::scripts::is_script;
use crate::contract::Finding;

use super::SOURCES;
use super::executed::end_of_brackets;
use super::reexports::exported;

/// Each such file contains at least one of these words; other files are not parsed.
const WORDS: [&str; 11] = [
    "alias",
    "define",
    "Define",
    "replace",
    "mock",
    "Mock",
    "load",
    "transform",
    "resolveId",
    "onLoad",
    "onResolve",
];
/// Built-in objects that the module uses.
const BUILT_IN: &[&str] = &["Object", "Array", "Set", "Map"];

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let mut names: Vec<String> = exported(module.text()).into_iter().collect();
    names.extend(BUILT_IN.iter().map(|name| (*name).to_owned()));
    let names: Vec<_> = names.iter().map(|name| regex::escape(name)).collect();
    let names = names.join("|");
    for (path, text) in module.others(&[""]) {
        if module.ours.contains(path)
            || is_for_tests(path)
            || !WORDS.iter().any(|word| text.contains(word))
        {
            continue;
        }
        let is_source = SOURCES.iter().any(|ending| path.ends_with(ending));
        let at = match is_source {
            true => constants(&names, text).or_else(|| replaced(module.stem, text)),
            false if is_script(module, path) => flag(module.stem, &names, text),
            false => None,
        };
        if let Some(at) = at {
            let mut finding = module.shadowed(path, "a build puts other code in place of");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
}

fn is_for_tests(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    [".test.", ".spec.", "setup"].iter().any(|part| name.contains(part))
        || directory
            .split('/')
            .any(|part| matches!(part, "test" | "tests" | "__tests__" | "__mocks__" | "e2e"))
}

/// `--alias:…` and `--define:…` of a bundler on a command line.
fn flag(stem: &str, names: &str, text: &str) -> Option<usize> {
    let stem = regex::escape(stem);
    let alias = regex(&format!(r#"--alias[:=][^\s"'=]*\b{stem}(?:\.\w+)?=(?P<target>[^\s"'\\]+)"#));
    let aliased = alias.ok()?.captures_iter(text).find_map(|captures| {
        let target = captures.name("target").map_or("", |target| target.as_str());
        let is_itself =
            regex(&format!(r"\b{stem}(?:\.\w+)?$")).is_ok_and(|own| own.is_match(target));
        (!is_itself).then_some(captures.get(0)?.start())
    });
    let define = regex(&format!(r"--define[:=](?:{names})\b[\w.]*=")).ok()?;
    aliased.or_else(|| define.find(text).map(|found| found.start()))
}

/// A constant that a build replaces, if it has the name of a value of the module or of a built-in object.
fn constants(names: &str, text: &str) -> Option<usize> {
    let code = masked(text, Syntax::Braces);
    let start = regex(r"(?:\bdefine\s*:|\bDefinePlugin\s*\(|\breplace\s*\()\s*\{").ok()?;
    let key = regex(&format!(r#"[{{,]\s*["']?(?:{names})(?:\.[\w.]+)?["']?\s*:"#)).ok()?;
    start.find_iter(&code).find_map(|found| {
        let open = found.end() - 1;
        let end = end_of_brackets(&code, found.end());
        let inside = text.get(open..end)?;
        Some(open + key.find(inside)?.start())
    })
}

/// A mock of the module, or a plugin that names it; its name can be put together.
fn replaced(stem: &str, text: &str) -> Option<usize> {
    let joined = regex(r#"["'`][ \t]*\+[ \t]*["'`]"#).ok()?.replace_all(text, "");
    if !joined.contains(stem) {
        return None;
    }
    let code = masked(text, Syntax::Braces);
    let stem = regex::escape(stem);
    let mock = regex(&format!(
        r#"\b(?:vi|jest|mock|td)\s*\.\s*(?:mock|doMock|setMock|module|replaceEsm|unstable_mockModule)\s*\(\s*["'`][^"'`\n]*\b{stem}\b"#
    ))
    .ok()?;
    let is_code = |at: usize| code.get(at..at + 2) == text.get(at..at + 2);
    if let Some(found) = mock.find_iter(text).find(|found| is_code(found.start())) {
        return Some(found.start());
    }
    let plugin = regex(r"\b(?:transform|load|resolveId|onLoad|onResolve)\s*(?:\([^()\n]*\)\s*\{|:\s*(?:async\s*)?(?:function|\()|\(\s*\{)").ok()?;
    let plugin = plugin.find_iter(&code).map(|found| found.start());
    // Close to the test of the name, in a string or an expression.
    let test = regex(&format!(r#"(?:includes|endsWith|startsWith|test|match|===?|filter\s*:)\s*\(?\s*["'`/][^"'`\n]*\b{stem}\b|/[^/\n]*\b{stem}\b[^/\n]*/[a-z]*\s*\.\s*test"#)).ok()?;
    let is_tested = test.find_iter(&joined).any(|found| !leaves_out(&joined, found.range()));
    plugin.filter(|_| is_tested).min()
}

/// True if a plugin tests for the name to do nothing with that file.
fn leaves_out(text: &str, test: Range<usize>) -> bool {
    let Ok(negation) = regex(r"!\s*[\w$.?]*$") else { return false };
    let Ok(nothing) = regex(
        r"^[^;{}\n]*?(?:\)\s*\{?\s*return\b\s*(?:null|undefined|false)?\s*[;}\n]|\?\s*(?:null|undefined)\b)",
    ) else {
        return false;
    };
    let is_negated = negation.is_match(&text[..test.start]) || text[test.clone()].contains("(?!");
    is_negated != nothing.is_match(&text[test.end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_that_replace_the_module_are_told_from_others() {
        let names = "CODES|Object";
        for text in [
            "export default { define: { CODES: '{}' } };",
            "build({ define: { 'a': '1', 'Object.freeze': 'String' } });",
            "new webpack.DefinePlugin({ CODES: '{}' })",
            "plugins: [replace({ preventAssignment: true, CODES: '{}' })]",
        ] {
            assert!(constants(names, text).is_some(), "{text}");
        }
        for text in [
            "export default { define: { 'process.env.X': '1', __VERSION__: '2' } };",
            "const CODES = { define: 1 };",
            "define: { DEBUG: 1 }, other: { CODES: 1 }",
        ] {
            assert_eq!(constants(names, text), None, "{text}");
        }
        for text in [
            "vi.mock('./c_gen.js', () => ({}));",
            "{ name: 'x', load(id) { if (id.includes('c' + '_gen')) return ''; } }",
            "{ transform(code, id) { if (id.endsWith('c_gen.ts')) return code.replace('6', '0'); } }",
            "build.onLoad({ filter: /c_gen/ }, () => ({ contents: '' }))",
            "{ transform(code, id) { if (!id.endsWith('c_gen.ts')) return null; return ''; } }",
            "{ transform(code, id) { if (!id.endsWith('c_gen.ts')) return; return ''; } }",
        ] {
            assert!(replaced("c_gen", text).is_some(), "{text}");
        }
        for text in [
            "import { CODES } from './c_gen.js';\nexport function load(id) { return CODES[id]; }",
            "// vi.mock('./c_gen.js')",
            "vi.mock('./other.js');\nimport './c_gen.js';",
            "const transform = (x) => x; // c_gen",
            "{ transform(code, id) { if (id.endsWith('c_gen.ts')) return null; return f(code); } }",
            "{ transform(code, id) {\n  if (id.includes('c_gen')) {\n    return;\n  }\n  return f(code);\n} }",
            "{ transform(code, id) { if (x && !id.includes('c_gen')) { return f(code); } } }",
            "{ transform(code, id) { return /c_gen/.test(id) ? null : f(code); } }",
            "build.onLoad({ filter: /^(?!.*c_gen).*\\.ts$/ }, () => f())",
        ] {
            assert_eq!(replaced("c_gen", text), None, "{text}");
        }
        for text in ["esbuild --alias:./c_gen.js=./alt.ts", "esbuild --define:CODES={}"] {
            assert!(flag("c_gen", names, text).is_some(), "{text}");
        }
        for text in ["esbuild --alias:#c_gen=./src/c_gen.ts", "esbuild --define:DEBUG=1"] {
            assert_eq!(flag("c_gen", names, text), None, "{text}");
        }
    }
}
