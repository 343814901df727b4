//! Where the name of the module is declared, and code that a source includes: a declaration in another directory gets
//! another file, and a name that nothing declares comes from somewhere else.

use crate::contract::Finding;

use super::super::masked::{Syntax, masked};
use super::super::module::{GeneratedModule, join, line, normal};
use super::super::pattern::regex;
use super::super::unread::is_test_only;
use super::stand_in;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let stem = regex::escape(module.stem);
    let (Ok(declared), Ok(used)) = (
        regex(&format!(r"\bmod\s+(?:r#)?{stem}\s*;")),
        regex(&format!(r"\b(?:r#)?{stem}\s*::|::\s*(?:r#)?{stem}\b")),
    ) else {
        return;
    };
    let mut uses = Vec::new();
    let mut is_declared = false;
    for (path, text) in module.others(&[".rs"]).filter(|(path, _)| !module.ours.contains(path)) {
        let may_include = text.contains("include!") || text.contains("include !");
        if !may_include && !text.contains(module.stem) {
            continue;
        }
        let code = masked(text, Syntax::Braces);
        let mut push = |at: usize, why: &str| {
            let mut finding = module.shadowed(path, why);
            finding.line = Some(line(text, at));
            found.push(finding);
        };
        let declarations: Vec<_> = declared.find_iter(&code).map(|found| found.start()).collect();
        is_declared |= !declarations.is_empty();
        for at in &declarations {
            if other_file(module, path, &code, *at) {
                push(*at, "it declares the name for a file other than");
            }
        }
        if let Some(at) =
            used.find(&code).filter(|_| declarations.is_empty() && !is_test_only(path))
        {
            uses.push((path, text, at.start()));
        }
        if let Some((at, why)) = may_include.then(|| included(module, path, text, &code)).flatten()
        {
            push(at, why);
        }
    }
    let Some((path, text, at)) = uses.into_iter().next().filter(|_| !is_declared) else { return };
    let mut finding = module.shadowed(path, "it uses the name, and no `mod` declares");
    finding.line = Some(line(text, at));
    found.push(finding);
}

/// Whether the declaration at `at` gets a file that exists and is not the module.
fn other_file(module: &GeneratedModule<'_>, path: &str, code: &str, at: usize) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut place = match name {
        "lib.rs" | "main.rs" | "mod.rs" => directory.to_owned(),
        name => join(directory, name.trim_end_matches(".rs")),
    };
    for name in bodies(code, at) {
        place = join(&place, name);
    }
    let statement = code[..at].rfind([';', '}', '{']).map_or(0, |end| end + 1);
    let is_attributed =
        regex(r"#\s*\[[^\]]*\bpath\s*=").is_ok_and(|path| path.is_match(&code[statement..at]));
    let candidates = [
        join(&place, &format!("{}.rs", module.stem)),
        join(&place, &format!("{}/mod.rs", module.stem)),
    ];
    !is_attributed
        && candidates.iter().any(|place| {
            place != module.path
                && module.repository.holds(place)
                && !module.ours.contains(place.as_str())
        })
}

/// Names of the modules with a body around a position; each is one more directory.
fn bodies(code: &str, at: usize) -> Vec<&str> {
    let Ok(body) = regex(r"\bmod\s+(?:r#)?(\w+)\s*\{") else { return Vec::new() };
    let around = body.captures_iter(&code[..at]).filter_map(|captures| {
        let inner = &code[captures.get(0)?.end()..at];
        let mut depth = 1_i64;
        let is_open = inner.bytes().all(|byte| {
            depth += i64::from(byte == b'{') - i64::from(byte == b'}');
            depth > 0
        });
        let name = captures.get(1).filter(|_| is_open)?.range();
        code.get(name)
    });
    around.collect()
}

/// The position at which a source includes code that redeclares the name, or code that was not read.
fn included(
    module: &GeneratedModule<'_>,
    path: &str,
    text: &str,
    code: &str,
) -> Option<(usize, &'static str)> {
    let include =
        regex(r"\binclude\s*!\s*[(\[{]((?:[^()\[\]{}]|\((?:[^()]|\([^()]*\))*\))*)[)\]}]").ok()?;
    let string = regex(r#""([^"\n]*)""#).ok()?;
    let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
    include.captures_iter(code).find_map(|captures| {
        let at = captures.get(0)?.start();
        let argument = text.get(captures.get(1)?.range())?;
        let parts: String = string.captures_iter(argument).map(|part| part[1].to_owned()).collect();
        if argument.contains("OUT_DIR") {
            let why = "it includes code of the build that has the name of";
            return parts.contains(module.stem).then_some((at, why));
        }
        let inner = parts.trim_start_matches("CARGO_MANIFEST_DIR").trim_start_matches('/');
        let mut above = directory;
        let mut places = vec![normal(&join(directory, inner))];
        while argument.contains("CARGO_MANIFEST_DIR") && !above.is_empty() {
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
            places.push(normal(&join(above, inner)));
        }
        if places.iter().any(|place| place == module.path) {
            return None;
        }
        let target = places.iter().find(|place| module.repository.holds(place));
        let file = target.and_then(|place| {
            module.repository.files.get(place).or_else(|| module.repository.ignored.get(place))
        });
        let included = file.and_then(|file| file.bytes.text());
        match (target, included) {
            // A source is judged by itself.
            (Some(target), Some(_)) if target.ends_with(".rs") => None,
            (Some(target), Some(included)) => stand_in(module, target, included)
                .map(|_| (at, "it includes code that binds the name to something else than")),
            _ => Some((at, "it includes code that was not read and can replace")),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let repository = project(files.iter().copied());
        let none = BTreeSet::new();
        let place = "src/contract_gen.rs";
        let module = GeneratedModule::at(Path::new("/nowhere"), &repository, place, &none);
        let mut found = Vec::new();
        check(&module, &mut found);
        found.into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn a_declaration_gets_the_module_and_no_other_file() {
        let alt = ("src/alt/contract_gen.rs", "");
        for (path, text) in [
            ("src/alt/mod.rs", "pub mod contract_gen;\n"),
            ("src/alt.rs", "mod contract_gen;\n"),
            ("src/lib.rs", "mod alt {\n    pub mod contract_gen;\n}\n"),
        ] {
            assert_eq!(found(&[(path, text), alt]), [path], "{text}");
        }
        for (path, text) in
            [("src/lib.rs", "mod contract_gen;\n"), ("src/main.rs", "pub mod contract_gen;\n")]
        {
            assert_eq!(found(&[(path, text), alt]), [""; 0], "{text}");
        }
        let used = ("src/main.rs", "fn main() { println!(\"{}\", contract_gen::SPEC_TAG); }\n");
        assert_eq!(found(&[used]), ["src/main.rs"]);
        assert_eq!(found(&[used, ("src/lib.rs", "pub mod contract_gen;\n")]), [""; 0]);
    }

    #[test]
    fn included_code_is_judged_like_a_source() {
        let module = "pub mod contract_gen { }\n";
        for (text, more) in [
            ("include!(\"alt.inc\");", ("src/alt.inc", module)),
            ("include!(\"../alt.txt\");", ("alt.txt", module)),
            ("include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/alt.inc\"));", ("alt.inc", module)),
            ("include!(concat!(env!(\"OUT_DIR\"), \"/contract_gen.rs\"));", ("x", "")),
            ("include!(\"missing.inc\");", ("x", "")),
            ("include!(env!(\"OTHER\"));", ("x", "")),
        ] {
            assert_eq!(found(&[("src/lib.rs", text), more]), ["src/lib.rs"], "{text}");
        }
        for (text, more) in [
            ("include!(\"alt.inc\");", ("src/alt.inc", "pub const A: u8 = 1;\n")),
            ("include!(\"alt.rs\");", ("src/alt.rs", "pub const A: u8 = 1;\n")),
            ("include!(\"contract_gen.rs\");", ("x", "")),
            ("include!(concat!(env!(\"OUT_DIR\"), \"/bindings.rs\"));", ("x", "")),
            ("include_str!(\"missing.txt\");", ("x", "")),
            ("// include!(\"missing.inc\");", ("x", "")),
        ] {
            assert_eq!(found(&[("src/lib.rs", text), more]), [""; 0], "{text}");
        }
    }
}
