//! Rust: declarations that give the module's name to other code. Its constants cannot be changed.

use crate::contract::Finding;

use super::masked::{Syntax, masked};
use super::module::{GeneratedModule, line};
use super::pattern::regex;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let twin = module.beside(&format!("{}/mod.rs", module.stem));
    if module.repository.holds(&twin) {
        found.push(module.shadowed(&twin, "rustc refuses two files for one module; the other is"));
    }
    for (path, text) in module.others(&[".rs"]) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let at = stand_in(module, path, text);
        if let Some(at) =
            at.or_else(|| (name == "build.rs").then(|| written(module.stem, text)).flatten())
        {
            let mut finding = module.shadowed(path, "it binds the name to other code than");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
    for (path, text) in module.others(&["Cargo.toml", "config.toml", ".cargo/config"]) {
        let at = match path.ends_with("Cargo.toml") {
            true => dependency(module.stem, text),
            false if path.contains(".cargo/") => compiler(text),
            false => None,
        };
        if let Some(at) = at {
            let mut finding =
                module.shadowed(path, "cargo uses other code or another compiler for");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
}

/// A declaration or a renaming that gives the name of the module to something else.
fn stand_in(module: &GeneratedModule<'_>, path: &str, text: &str) -> Option<usize> {
    let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
    // Comments are spaces there, and strings keep their quotes.
    let code = masked(text, Syntax::Braces);
    let stem = format!("(?:r#)?{}", regex::escape(module.stem));
    let attributes = r"(?:\s*#\s*\[[^\]]*\])*\s*(?:pub(?:\s*\([^)]*\))?\s+)?";
    let moved = format!(
        r#"#\s*\[[^\]]*\bpath\s*=\s*(?P<path>"[^"\n]*")?[^\]]*\]{attributes}mod\s+{stem}\s*;"#
    );
    let moved = regex(&moved).ok()?;
    let moved = moved.captures_iter(&code).filter_map(|captures| {
        let target = captures.name("path").and_then(|path| text.get(path.range()));
        let target = target.unwrap_or_default().trim_matches('"');
        let is_itself =
            super::module::join(directory, target.trim_start_matches("./")) == module.path;
        (!is_itself).then_some(captures.get(0)?.start())
    });
    let patterns = [
        // A module with a body.
        format!(r"\bmod\s+{stem}\s*\{{"),
        // A macro that gets the name, for example to declare a module of that name.
        format!(r"!\s*[(\[{{](?:[^()\[\]{{}};]*[,\s(])?{stem}\s*[,)\]}};]"),
        format!(r"\bextern\s+crate\s+(?:\w+\s+as\s+)?{stem}\b"),
    ];
    let others =
        patterns.iter().filter_map(|pattern| Some(regex(pattern).ok()?.find(&code)?.start()));
    let renamed = regex(&format!(r"\b(\w+)\s+as\s+{stem}\s*[;,}}]")).ok()?;
    let renamed = renamed.captures_iter(&code).filter(|captures| &captures[1] != module.stem);
    let renamed = renamed.filter_map(|captures| Some(captures.get(0)?.start()));
    moved.chain(others).chain(renamed).min()
}

/// A line of a build script that names the module, other than one that says when to run again.
fn written(stem: &str, text: &str) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_comment = line.trim_start().starts_with("//");
        if !is_comment && line.contains(stem) && !line.contains("rerun-if-changed") {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// A dependency or a library that has the name of the module.
fn dependency(stem: &str, text: &str) -> Option<usize> {
    let stem = regex::escape(stem).replace('_', "[-_]");
    let named = regex(&format!(
        r#"(?m)^[ \t]*(?:["']?{stem}["']?[ \t]*[.=]|\[[^\]\n#]*\b{stem}["']?[ \t]*\]|name[ \t]*=[ \t]*["']{stem}["'])"#
    ));
    named.ok()?.find(text).map(|found| found.start())
}

/// A compiler, or a program around it, that the project brings along; one that is installed is named without a path.
fn compiler(text: &str) -> Option<usize> {
    let given = regex(
        r#"(?m)^[ \t]*(?:[\w.-]*\.)?["']?(?:rustc|rustc-wrapper|rustc-workspace-wrapper|RUSTC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER)["']?[ \t]*=[ \t]*[^\n]*["'][^"'\n/]*/[^"'\n]*["']"#,
    );
    given.ok()?.find(text).map(|found| found.start())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::contract::ProjectFiles;
    use crate::contract::repository::SourceFile;

    fn found(path: &str, text: &str) -> usize {
        let mut repository = ProjectFiles::default();
        let file = SourceFile { bytes: text.into(), executable: false };
        repository.files.insert(path.to_owned(), file);
        let none = std::collections::BTreeSet::new();
        let module =
            GeneratedModule::at(Path::new("/nowhere"), &repository, "src/contract_gen.rs", &none);
        let mut found = Vec::new();
        check(&module, &mut found);
        found.len()
    }

    #[test]
    fn code_and_settings_that_give_the_name_to_other_code_are_found() {
        for code in [
            "#[path = \"other.rs\"]\nmod contract_gen;",
            "#[path = \"other.rs\"]\n// The contract.\npub mod contract_gen;",
            "#[path = \"other.rs\"]\n/// The contract.\n/* x */ #[allow(dead_code)]\npub(crate) mod contract_gen;",
            "#[path = \"other.rs\"] pub mod r#contract_gen;",
            "# [ path = \"other.rs\" ] mod contract_gen ;",
            "#[cfg_attr(unix, path = \"other.rs\")]\npub mod contract_gen;",
            "pub mod contract_gen /* values */ {\n}",
            "pub mod r#contract_gen { }",
            "use other as contract_gen;",
            "pub use gen as\n    contract_gen;",
            "m!(contract_gen);",
            "m! { contract_gen }",
            "declare![pub, contract_gen];",
            "extern crate contract_gen;",
            "extern crate other as contract_gen;",
        ] {
            assert_eq!(found("src/lib.rs", code), 1, "{code}");
        }
        for code in [
            "pub mod contract_gen;",
            "#[path = \"contract_gen.rs\"]\nmod contract_gen;",
            "#[path = \"./contract_gen.rs\"]\n// why\nmod contract_gen;",
            "// mod contract_gen { }\nmod contract_gen;",
            "use crate::contract_gen::{self, CODES};",
            "use super::contract_gen as contract;",
            "println!(\"{}\", contract_gen::SPEC_TAG);",
            "assert_eq!(contract_gen::A, contract_gen::B);",
            "println!(\"contract_gen\");",
            "#[path = \"other.rs\"]\nmod other;\nmod contract_gen;",
        ] {
            assert_eq!(found("src/lib.rs", code), 0, "{code}");
        }
        for (path, text, count) in [
            ("build.rs", "fn main() { write(\"src/contract_gen.rs\"); }", 1),
            (
                "build.rs",
                "fn main() { println!(\"cargo::rerun-if-changed=src/contract_gen.rs\"); }",
                0,
            ),
            ("Cargo.toml", "[dependencies]\ncontract_gen = { path = \"../other\" }", 1),
            ("Cargo.toml", "[dependencies]\ncontract-gen.path = \"../other\"", 1),
            ("Cargo.toml", "[dependencies.contract_gen]\npath = \"../other\"", 1),
            ("Cargo.toml", "[lib]\nname = \"contract_gen\"", 1),
            ("Cargo.toml", "[package]\nexclude = [\"src/contract_gen.rs\"]", 0),
            (".cargo/config.toml", "[build]\nrustc-wrapper = \"./swap.sh\"", 1),
            (".cargo/config.toml", "build.rustc = \"tools/rustc\"", 1),
            (
                ".cargo/config.toml",
                "[env]\nRUSTC_WRAPPER = { value = \"./x\", relative = true }",
                1,
            ),
            (".cargo/config.toml", "[build]\nrustc-wrapper = \"sccache\"", 0),
            (".cargo/config.toml", "[target.x]\nlinker = \"/usr/bin/clang\"", 0),
        ] {
            assert_eq!(found(path, text), count, "{text}");
        }
    }
}
