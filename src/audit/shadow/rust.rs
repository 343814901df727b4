//! Rust: declarations that give the module's name to other code. Its constants cannot be changed.

mod build_script;
mod declared;
mod toolchain;

use std::collections::BTreeSet;

use crate::contract::Finding;

use super::masked::{Syntax, masked};
use super::module::{GeneratedModule, line};
use super::pattern::regex;

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let twin = module.beside(&format!("{}/mod.rs", module.stem));
    if module.repository.holds(&twin) {
        found.push(module.shadowed(&twin, "rustc refuses two files for one module; the other is"));
    }
    let scripts = build_script::scripts(module);
    for (path, text) in module.others(&[".rs"]) {
        let at = stand_in(module, path, text).or_else(|| hidden_name(module, text));
        if let Some(at) = at.or_else(|| {
            scripts.contains(path).then(|| build_script::written(module.stem, text)).flatten()
        }) {
            let mut finding = module.shadowed(path, "it binds the name to code other than");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
    let package = package(module);
    let replaced = |text: &str| package.as_deref().and_then(|name| replaced(name, text));
    for (path, text) in module.others(&[""]) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let at = match name {
            "Cargo.toml" => dependency(module.stem, text).or_else(|| replaced(text)),
            "config.toml" | "config" if path.contains(".cargo/") => {
                toolchain::compiler(module, path, text)
                    .or_else(|| toolchain::flags(module.stem, text))
                    .or_else(|| replaced(text))
            }
            "rust-toolchain.toml" | "rust-toolchain" => toolchain::directory(text),
            _ => toolchain::in_script(module, path, text),
        };
        if let Some(at) = at {
            let mut finding =
                module.shadowed(path, "cargo uses other code or another compiler for");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
    declared::check(module, found);
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

/// A name of the module that a source declares itself and, with `*`, passes on beside the others.
fn hidden_name(module: &GeneratedModule<'_>, text: &str) -> Option<usize> {
    let code = masked(text, Syntax::Braces);
    let stem = regex::escape(module.stem);
    let star = regex(&format!(r"\bpub\s+use\s+(?:\w+\s*::\s*)*{stem}\s*::\s*\*")).ok()?;
    star.find(&code)?;
    let declared =
        regex(r"(?m)^pub(?:\s*\([^)]*\))?\s+(?:const|static|fn|enum|struct|type|union)\s+(\w+)")
            .ok()?;
    let names: BTreeSet<&str> = declared
        .captures_iter(module.text())
        .filter_map(|found| Some(found.get(1)?.as_str()))
        .collect();
    let own = declared.captures_iter(&code).filter_map(|found| found.get(1));
    own.filter(|name| names.contains(name.as_str())).map(|name| name.start()).min()
}

/// A dependency or a library that has the name of the module.
fn dependency(stem: &str, text: &str) -> Option<usize> {
    let stem = regex::escape(stem).replace('_', "[-_]");
    let named = regex(&format!(
        r#"(?m)^[ \t]*(?:["']?{stem}["']?[ \t]*[.=]|\[[^\]\n#]*\b{stem}["']?[ \t]*\]|name[ \t]*=[ \t]*["']{stem}["'])"#
    ));
    named.ok()?.find(text).map(|found| found.start())
}

/// The name of the package that compiles the module.
fn package(module: &GeneratedModule<'_>) -> Option<String> {
    let mut directory = module.directory;
    loop {
        let manifest = super::module::join(directory, "Cargo.toml");
        if let Some(text) = module.repository.text(&manifest) {
            let manifest = text.parse::<toml_edit::DocumentMut>().ok()?;
            let name = manifest.get("package")?.get("name")?.as_str()?;
            return Some(name.to_owned());
        }
        if directory.is_empty() {
            return None;
        }
        directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// Where `[patch]`, `[replace]` or `paths` puts another package in place of the one called `name`.
fn replaced(name: &str, text: &str) -> Option<usize> {
    if !["patch", "replace", "paths"].iter().any(|word| text.contains(word)) {
        return None;
    }
    let settings = text.parse::<toml_edit::DocumentMut>().ok()?;
    let alike = |key: &str| key.replace('-', "_") == name.replace('-', "_");
    let takes = |table: &dyn toml_edit::TableLike| {
        table.iter().any(|(key, value)| {
            let renamed = value.get("package").and_then(toml_edit::Item::as_str);
            alike(renamed.unwrap_or_else(|| key.split([':', '@']).next().unwrap_or(key)))
        })
    };
    let of = |key: &str| settings.get(key).and_then(toml_edit::Item::as_table_like);
    let patched = of("patch").is_some_and(|sources| {
        sources.iter().filter_map(|(_, source)| source.as_table_like()).any(takes)
    });
    let is_replaced = of("replace").is_some_and(takes);
    let paths = settings.get("paths").is_some_and(toml_edit::Item::is_array);
    let word = match (patched, is_replaced, paths) {
        (true, ..) => "patch",
        (_, true, _) => "replace",
        (.., true) => "paths",
        _ => return None,
    };
    text.find(word)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    fn found(path: &str, text: &str) -> usize {
        let repository = project([(path, text), ("src/bin/top/main.rs", "mod contract_gen;")]);
        let none = std::collections::BTreeSet::new();
        let module =
            GeneratedModule::at(Path::new("/nowhere"), &repository, "src/contract_gen.rs", &none);
        let mut found = Vec::new();
        check(&module, &mut found);
        found.len()
    }

    #[test]
    fn another_package_in_place_of_the_one_with_the_module_is_found() {
        for text in [
            "[patch.crates-io]\nmy-tool = { path = \"alt\" }",
            "[patch.\"https://example.com/x\"]\nother = { path = \"alt\", package = \"my-tool\" }",
            "[replace]\n\"my_tool:0.1.0\" = { path = \"alt\" }",
            "paths = [\"alt\"]",
        ] {
            assert!(replaced("my-tool", text).is_some(), "{text}");
        }
        for text in [
            "[patch.crates-io]\nserde = { path = \"vendor/serde\" }",
            "[package]\nname = \"my-tool\"\ninclude = [\"patch\"]",
            "[replace]\n\"serde:1.0.0\" = { path = \"alt\" }",
            "paths = 1",
            "patch = [",
        ] {
            assert_eq!(replaced("my-tool", text), None, "{text}");
        }
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
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\n[patch.crates-io]\nserde = { path = \"b\" }",
                0,
            ),
            (
                ".cargo/config.toml",
                "[build]\nrustflags = [\"--extern\", \"contract_gen=x.rlib\"]",
                1,
            ),
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
