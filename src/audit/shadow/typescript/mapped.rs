//! Names of imports that settings map to files: an alias that leads to the module in one setting and to another file in
//! the next, an alias whose file offers names of the module, and a pattern of `exports` that leads to a second file.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::{Finding, json};

use super::super::pattern::regex;
use super::SOURCES;
use super::loaders::{is_module, is_settings, plain_json, star, texts};
use super::reexports::exported;
use crate::audit::shadow::module::{GeneratedModule, join, normal};

/// Members of settings that map names to files, and whether the names are those of a package.
const MAPS: [(&str, bool); 4] = [
    ("/imports", false),
    ("/compilerOptions/paths", false),
    ("/browser", false),
    ("/exports", true),
];

/// Files with settings in code, and other settings of aliases.
const CODE: [&str; 10] = [
    ".config.js",
    ".config.mjs",
    ".config.cjs",
    ".config.ts",
    ".config.mts",
    ".config.cts",
    ".babelrc",
    ".swcrc",
    "package.json",
    ".json5",
];
/// Most pairs of one file that are read.
const MAX_PAIRS: usize = 500;

/// One name and a file that it leads to.
struct Mapped<'a> {
    settings: &'a str,
    name: String,
    /// From the root of the project.
    target: String,
    of_package: bool,
}

pub fn check(module: &GeneratedModule<'_>, found: &mut Vec<Finding>) {
    let mapped = mapped(module);
    if mapped.is_empty() {
        return;
    }
    let ours = exported(module.text());
    let mut leads: BTreeMap<&str, bool> = BTreeMap::new();
    for entry in mapped.iter().filter(|entry| !entry.of_package) {
        *leads.entry(&entry.name).or_default() |= is_same(module, &entry.target);
    }
    for entry in &mapped {
        let why = match entry.name.contains('*') {
            true if entry.of_package => {
                second(module, entry).then_some("its export patterns give another file the name of")
            }
            true => None,
            false if is_same(module, &entry.target) || entry.of_package => None,
            false if leads.get(entry.name.as_str()) == Some(&true) => {
                Some("it maps a name to another file, while other settings map it to")
            }
            false => offers(module, entry, &ours)
                .then_some("it maps a name to a file whose own values replace those of"),
        };
        if let Some(why) = why {
            found.push(module.shadowed(entry.settings, why));
        }
    }
}

/// Every name with each of its files.
fn mapped<'a>(module: &GeneratedModule<'a>) -> Vec<Mapped<'a>> {
    let mut mapped = Vec::new();
    for (path, text) in module.others(&[".json", ".jsonc"]) {
        if !is_settings(path) && !text.contains("\"imports\"") {
            continue;
        }
        let settings = json::parse(text.as_bytes());
        let settings = settings.or_else(|_| json::parse(plain_json(text).as_bytes()));
        let Ok(settings) = settings else { continue };
        let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
        let base = settings.pointer("/compilerOptions/baseUrl").and_then(Value::as_str);
        for (place, of_package) in MAPS {
            let from = base.filter(|_| place.ends_with("paths")).unwrap_or_default();
            let Some(map) = settings.pointer(place).and_then(Value::as_object) else { continue };
            for (name, targets) in map {
                mapped.extend(texts(targets).into_iter().map(|target| Mapped {
                    settings: path,
                    name: name.clone(),
                    target: normal(&join(directory, &format!("{from}/{target}"))),
                    of_package,
                }));
            }
        }
    }
    mapped.extend(in_code(module));
    mapped
}

/// Aliases of bundlers and compilers: a name and the text of a path on one line.
fn in_code<'a>(module: &GeneratedModule<'a>) -> Vec<Mapped<'a>> {
    let name = r#"["'`]?(?P<name>[#@~]?[\w@/.$-]+)["'`]?"#;
    let value = r"(?P<value>(?:[^\n{},()]|\([^\n()]*\))*)";
    let patterns = [
        format!(r"{name}\s*:{value}"),
        format!(r"\bfind\s*:\s*{name}\s*,\s*replacement\s*:{value}"),
    ];
    let patterns: Vec<_> = patterns.iter().filter_map(|pattern| regex(pattern).ok()).collect();
    let Ok(string) = regex(r#"["'`]([^"'`\n]+)["'`]"#) else { return Vec::new() };
    let mut mapped = Vec::new();
    for (path, text) in module.others(&CODE).filter(|(_, text)| text.contains("lias")) {
        let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
        let pairs = patterns.iter().flat_map(|pattern| pattern.captures_iter(text).take(MAX_PAIRS));
        for captures in pairs {
            let value = captures.name("value").map_or("", |value| value.as_str());
            // A regular expression of a bundler is anchored.
            let name = captures["name"].trim_end_matches('$').to_owned();
            let targets = string.captures_iter(value).filter(|found| found[1].contains(['.', '/']));
            mapped.extend(targets.map(|found| Mapped {
                settings: path,
                name: name.clone(),
                target: normal(&join(directory, found[1].trim_start_matches('/'))),
                of_package: false,
            }));
        }
    }
    mapped
}

/// Whether a file is the module, or has its name: the output of a compiler is in another directory.
fn is_same(module: &GeneratedModule<'_>, target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    is_module(module.path, target) || name.split('.').next() == Some(module.stem)
}

/// Whether a source imports a name of the module by this alias, and the file of the alias offers that name itself.
fn offers(
    module: &GeneratedModule<'_>,
    entry: &Mapped<'_>,
    ours: &std::collections::BTreeSet<String>,
) -> bool {
    let Some(text) = source(module, &entry.target) else { return false };
    let own = exported(text);
    let shared: Vec<_> = ours.iter().filter(|name| own.contains(*name)).collect();
    let alias = regex::escape(&entry.name);
    let Ok(import) = regex(&format!(
        r#"(?:\{{(?P<list>[^{{}}]*)\}}|(?P<all>\*\s*as\s+\w+|\b\w+)|\*)\s*(?:from|=\s*(?:await\s+)?(?:require|import)\s*\()\s*["']{alias}["']"#
    )) else {
        return false;
    };
    let imports = |text: &str| {
        import.captures_iter(text).any(|captures| match captures.name("list") {
            Some(list) => list.as_str().split(',').any(|item| {
                let name = item.trim().trim_start_matches("type ").split([' ', ':', '\n']).next();
                shared.iter().any(|shared| Some(shared.as_str()) == name)
            }),
            // All of its names: most of them are the module's then.
            None => shared.len() > 1,
        })
    };
    !shared.is_empty() && module.others(&SOURCES).any(|(_, text)| imports(text))
}

/// The text of the file that a path without its ending may mean.
fn source<'a>(module: &GeneratedModule<'a>, target: &str) -> Option<&'a str> {
    let (bare, is_whole) = match SOURCES.iter().find_map(|ending| target.strip_suffix(ending)) {
        Some(bare) => (bare, true),
        None => (target, false),
    };
    let mut found = module.others(&SOURCES).filter(|(path, _)| {
        !module.ours.contains(path)
            && (*path == target
                || SOURCES.iter().any(|ending| {
                    path.strip_suffix(ending).is_some_and(|path| {
                        path == bare || !is_whole && path.strip_suffix("/index") == Some(bare)
                    })
                }))
    });
    found.next().map(|(_, text)| text)
}

/// Whether a pattern of `exports` leads the name of the module to another source of the project.
fn second(module: &GeneratedModule<'_>, entry: &Mapped<'_>) -> bool {
    let package = entry.settings.rsplit_once('/').map_or("", |(above, _)| above);
    let inner = match package {
        "" => module.path,
        package => module.path.strip_prefix(package).unwrap_or(module.path).trim_start_matches('/'),
    };
    let bare = |path: &str| {
        let end = SOURCES.iter().find_map(|ending| path.strip_suffix(ending));
        end.unwrap_or(path).to_owned()
    };
    let mut names =
        vec![module.stem.to_owned(), module.file_name.to_owned(), bare(inner), inner.to_owned()];
    names.extend([".js", ".mjs"].map(|ending| format!("{}{ending}", module.stem)));
    names.extend([".js", ".mjs"].map(|ending| format!("{}{ending}", bare(inner))));
    names.iter().any(|name| {
        let name = format!("./{name}");
        let Some(part) = star(&entry.name, &name) else { return false };
        let target = entry.target.replace('*', part);
        !is_module(module.path, &target)
            && !is_compiled(module, &target)
            && source(module, &target).is_some()
    })
}

/// Whether a compiler writes a file: it is below the directory of its output.
fn is_compiled(module: &GeneratedModule<'_>, target: &str) -> bool {
    module.others(&[".json"]).filter(|(path, _)| is_settings(path)).any(|(path, text)| {
        let settings = json::parse(text.as_bytes());
        let settings = settings.or_else(|_| json::parse(plain_json(text).as_bytes()));
        let Ok(settings) = settings else { return false };
        let output = settings.pointer("/compilerOptions/outDir").and_then(Value::as_str);
        let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
        let output = output.map(|output| normal(&join(directory, output)));
        output.is_some_and(|output| {
            !output.is_empty() && crate::contract::repository::is_below(target, &output)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    const MODULE: &str = "web/src/contract_gen.ts";
    const ALT: (&str, &str) = ("web/src/alt.ts", "export const CODES = {};\n");
    const USES: (&str, &str) = ("web/src/main.ts", "import { CODES } from \"#codes\";\n");

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let own = (MODULE, "export const CODES = {};\nexport const SPEC_TAG = \"v\";\n");
        let repository = project(files.iter().chain([&own]).copied());
        let none = BTreeSet::new();
        let module = GeneratedModule::at(Path::new("/nowhere"), &repository, MODULE, &none);
        let mut found = Vec::new();
        check(&module, &mut found);
        found.into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn an_alias_that_offers_values_in_place_of_the_module_is_found() {
        for (path, text) in [
            ("web/package.json", "{\"imports\": {\"#codes\": \"./src/alt.ts\"}}"),
            ("web/package.json", "{\"imports\": {\"#codes\": {\"node\": [\"./src/alt.js\"]}}}"),
            (
                "web/tsconfig.json",
                "{\"compilerOptions\": {\"paths\": {\"#codes\": [\"./src/alt\"]}}}",
            ),
            (
                "web/tsconfig.json",
                "{\"compilerOptions\": {\"baseUrl\": \"src\", \"paths\": {\"#codes\": [\"alt\"]}}}",
            ),
            ("web/deno.json", "{\"imports\": {\"#codes\": \"./src/alt.ts\"}}"),
        ] {
            assert_eq!(found(&[ALT, USES, (path, text)]), [path], "{text}");
        }
        for (path, text) in [
            (
                "web/vite.config.ts",
                "export default { resolve: { alias: { \"#codes\": \"/src/alt.ts\" } } };",
            ),
            (
                "web/vite.config.ts",
                "alias: {\n  '#codes': path.resolve(import.meta.dirname, 'src/alt.ts'),\n}",
            ),
            ("web/vite.config.ts", "alias: [{ find: '#codes', replacement: '/src/alt.ts' }]"),
            (
                "web/.babelrc",
                "{\"plugins\": [[\"module-resolver\", {\"alias\": {\"#codes\": \"./src/alt\"}}]]}",
            ),
            ("web/package.json", "{\"_moduleAliases\": {\"#codes\": \"./src/alt.ts\"}}"),
        ] {
            assert_eq!(found(&[ALT, USES, (path, text)]), [path], "{text}");
        }
        let two = "{\"imports\": {\"#codes\": {\"node\": \"./src/x.ts\", \"default\": \"./src/contract_gen.ts\"}}}";
        assert_eq!(found(&[("web/package.json", two)]), ["web/package.json"]);
        let paths = "{\"compilerOptions\": {\"paths\": {\"#codes\": [\"./src/contract_gen.ts\"]}}}";
        let imports = "{\"imports\": {\"#codes\": \"./src/alt.ts\"}}";
        let both = [("web/tsconfig.json", paths), ("web/package.json", imports)];
        assert_eq!(found(&both), ["web/package.json"]);
    }

    #[test]
    fn a_pattern_of_exports_that_leads_to_a_second_module_is_found() {
        for text in [
            "{\"exports\": {\"./*\": \"./alt/*.ts\"}}",
            "{\"exports\": {\"./*\": \"./alt/*\"}}",
            "{\"exports\": {\"./src/*\": {\"default\": \"./alt/*\"}}}",
            "{\"exports\": {\"./*.js\": \"./alt/*.ts\"}}",
        ] {
            let alt = ("web/alt/contract_gen.ts", "export const CODES = {};\n");
            assert_eq!(found(&[alt, ("web/package.json", text)]), ["web/package.json"], "{text}");
        }
    }

    #[test]
    fn usual_aliases_and_compiled_files_are_not_findings() {
        let config = "alias: { '#codes': '/src/contract_gen.ts', '#other': '/src/alt.ts' }";
        assert_eq!(found(&[ALT, USES, ("web/vite.config.ts", config)]), [""; 0]);
        let compiled = ("web/alt/contract_gen.js", "export const CODES = {};\n");
        let output = ("web/tsconfig.json", "{\"compilerOptions\": {\"outDir\": \"alt\"}}");
        let exports = ("web/package.json", "{\"exports\": {\"./*\": \"./alt/*\"}}");
        assert_eq!(found(&[compiled, output, exports]), [""; 0]);
        let module = "{\"imports\": {\"#codes\": {\"types\": \"./src/contract_gen.ts\", \"default\": \"./dist/contract_gen.js\"}}}";
        assert_eq!(found(&[ALT, USES, ("web/package.json", module)]), [""; 0]);
        let other = "{\"imports\": {\"#other\": \"./src/alt.ts\"}}";
        assert_eq!(found(&[ALT, USES, ("web/package.json", other)]), [""; 0]);
        let own = ("web/src/alt.ts", "export const LIMIT = 1;\n");
        let alias = "{\"imports\": {\"#codes\": \"./src/alt.ts\"}}";
        assert_eq!(found(&[own, USES, ("web/package.json", alias)]), [""; 0]);
        let star = "{\"exports\": {\"./*\": \"./src/*\"}}";
        assert_eq!(found(&[ALT, ("web/package.json", star)]), [""; 0]);
    }
}
