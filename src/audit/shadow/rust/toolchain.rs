//! Settings of cargo, and variables of scripts, with which the project brings a compiler or a linker of its own: it can
//! compile other code in place of the module.

use toml_edit::{DocumentMut, Item, TableLike};

use super::super::module::{GeneratedModule, join};
use super::super::pattern::regex;
use super::super::scripts::is_script;

/// Keys below `[build]`, and variables, that name a program which compiles.
const KEYS: &[&str] = &["rustc", "rustc-wrapper", "rustc-workspace-wrapper"];
const VARIABLES: &str = "RUSTC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|CARGO_BUILD_RUSTC|CARGO_BUILD_RUSTC_WRAPPER|CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER|CARGO_TARGET_[A-Z0-9_]+_LINKER";
/// Caches that are often named with their whole path.
const CACHES: &[&str] = &["sccache", "ccache", "cachepot", "buildcache", "icecc", "distcc"];
/// Deepest chain of files that settings include.
const MAX_INCLUDES: usize = 4;

/// Where a file of cargo's settings names such a program.
pub fn compiler(module: &GeneratedModule<'_>, path: &str, text: &str) -> Option<usize> {
    let is_named = ["rustc", "RUSTC", "linker", "include"].iter().any(|word| text.contains(word));
    if !is_named {
        return None;
    }
    let place = |word: &str| text.find(word).unwrap_or_default();
    let Ok(settings) = text.parse::<DocumentMut>() else { return Some(0) };
    let of = |item: Option<&Item>| {
        item.is_some_and(|item| named(item).iter().any(|value| is_own(value)))
    };
    let build = settings.get("build").and_then(Item::as_table_like);
    if build.is_some_and(|build| KEYS.iter().any(|key| of(build.get(key)))) {
        return Some(place("rustc"));
    }
    let variables = regex(&format!("^(?:{VARIABLES})$")).ok()?;
    let environment = settings.get("env").and_then(Item::as_table_like);
    if environment.is_some_and(|table| {
        table.iter().any(|(name, value)| variables.is_match(name) && of(Some(value)))
    }) {
        return Some(place("RUSTC"));
    }
    let targets = settings.get("target").and_then(Item::as_table_like);
    let mut targets = targets.into_iter().flat_map(TableLike::iter);
    let is_linker =
        |item: &Item| named(item).iter().any(|value| !value.starts_with('/') && is_own(value));
    if targets.any(|(_, target)| target.get("linker").is_some_and(is_linker)) {
        return Some(place("linker"));
    }
    let includes = settings.get("include").map(named).unwrap_or_default();
    let is_included = includes.iter().any(|include| included(module, path, include, MAX_INCLUDES));
    is_included.then(|| place("include"))
}

/// Whether included settings name such a program, or were not read.
fn included(module: &GeneratedModule<'_>, path: &str, include: &str, left: usize) -> bool {
    let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
    let place = join(directory, include.trim_start_matches("./"));
    match module.repository.text(&place) {
        Some(text) if left > 0 => compiler(module, &place, text).is_some(),
        _ => true,
    }
}

/// The texts of a setting: one, a list of words, or a table with `value` or `path`.
fn named(item: &Item) -> Vec<String> {
    if let Some(text) = item.as_str() {
        return vec![text.to_owned()];
    }
    if let Some(list) = item.as_array() {
        let first = list.iter().filter_map(|value| {
            let inner = value.as_inline_table().and_then(|table| table.get("path"));
            inner.unwrap_or(value).as_str()
        });
        return first.map(str::to_owned).collect();
    }
    let table = item.as_table_like();
    let value = table.and_then(|table| table.get("value").or_else(|| table.get("path")));
    value.and_then(Item::as_str).map(str::to_owned).into_iter().collect()
}

/// Whether a program comes from the project: one that is installed is named without a path.
fn is_own(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let is_absolute = program.starts_with(['/', '~', '$', '%']);
    let is_cache = is_absolute && CACHES.contains(&name.trim_end_matches(".exe"));
    program.contains(['/', '\\']) && !is_cache
}

/// Where flags of the compiler name a linker or a standard library of the project, or a library in place of the module.
pub fn flags(stem: &str, text: &str) -> Option<usize> {
    if !["sysroot", "linker", "--extern"].iter().any(|word| text.contains(word)) {
        return None;
    }
    let given = regex(&format!(
        r#"(?:--sysroot["',\s=\x1f]+|-C["',\s\x1f]*linker=)["'\\]*(?P<place>[^\s"'\\;&|,\x1f]+)|--extern["',\s=\x1f]+(?:\w+:)?{}\b"#,
        regex::escape(stem)
    ))
    .ok()?;
    let mut found = given.captures_iter(text).filter_map(|captures| {
        let at = captures.get(0)?.start();
        let is_theirs = captures
            .name("place")
            .is_some_and(|place| !is_own(place.as_str()) || place.as_str().starts_with('/'));
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let is_comment = text[start..].trim_start().starts_with(['#', ';']);
        (!is_theirs && !is_comment).then_some(at)
    });
    found.next()
}

/// Where a script or a pipeline sets a variable or an option to such a program.
pub fn in_script(module: &GeneratedModule<'_>, path: &str, text: &str) -> Option<usize> {
    let is_compiled = ["RUSTFLAGS", "rustc", "cargo"].iter().any(|word| text.contains(word));
    if let Some(at) = flags(module.stem, text).filter(|_| is_compiled && is_script(module, path)) {
        return Some(at);
    }
    if !["RUSTC", "_LINKER", "build.rustc"].iter().any(|word| text.contains(word))
        || !is_script(module, path)
    {
        return None;
    }
    let set = regex(&format!(
        r#"\b(?:{VARIABLES})["'\]]*[ \t]*(?:\??=|:=|:|,|[ \t])[ \t]*["']?([^\s"'`;&|]+)"#
    ));
    let option = regex(
        r#"--config[= \t]+["']*(?:build\.rustc[\w-]*|target\.[^\s=]+\.linker)\s*=\s*["'\\]*([^\s"'\\;&|]+)"#,
    );
    let patterns = [set.ok()?, option.ok()?];
    let mut found: Vec<usize> = Vec::new();
    for captures in patterns.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(whole), Some(value)) = (captures.get(0), captures.get(1)) else { continue };
        let start = text[..whole.start()].rfind('\n').map_or(0, |end| end + 1);
        let is_comment = text[start..].trim_start().starts_with(['#', ';']);
        if !is_comment && is_own(value.as_str()) {
            found.push(whole.start());
        }
    }
    found.into_iter().min()
}

/// Where the file that chooses the toolchain names a directory.
pub fn directory(text: &str) -> Option<usize> {
    let settings = text.parse::<DocumentMut>().ok()?;
    settings.get("toolchain")?.get("path")?.as_str()?;
    text.find("path")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    fn with_module<T>(files: &[(&str, &str)], judge: impl Fn(&GeneratedModule<'_>) -> T) -> T {
        let repository = project(files.iter().copied());
        let none = BTreeSet::new();
        let place = "src/contract_gen.rs";
        judge(&GeneratedModule::at(Path::new("/nowhere"), &repository, place, &none))
    }

    #[test]
    fn programs_of_the_project_are_told_from_installed_ones() {
        for text in [
            "[build]\nrustc-wrapper = \"./swap.sh\"",
            "build = { rustc-wrapper = \"tools/swap\" }",
            "build.rustc = \"tools/rustc\"",
            "[build]\n\"rustc-workspace-wrapper\" = 'x/y'",
            "[env]\nRUSTC_WRAPPER = { value = \"./x\", relative = true }",
            "[env]\nRUSTC_WORKSPACE_WRAPPER = \"./x\"",
            "[target.x86_64-unknown-linux-gnu]\nlinker = \"tools/link\"",
            "include = \"missing.toml\"",
            "include = [{ path = \"more.toml\" }]",
            "[build\nrustc-wrapper = \"./swap.sh\"",
        ] {
            let more = (".cargo/more.toml", "[build]\nrustc = \"./x\"\n");
            let found = with_module(&[more], |module| compiler(module, ".cargo/config.toml", text));
            assert!(found.is_some(), "{text}");
        }
        for text in [
            "[build]\nrustc-wrapper = \"sccache\"",
            "[build]\nrustc-wrapper = \"/usr/bin/sccache\"",
            "[target.x]\nlinker = \"clang\"",
            "include = [\"more.toml\"]",
            "[alias]\nx = \"run\"",
        ] {
            let more = (".cargo/more.toml", "[net]\nretry = 2\n");
            let found = with_module(&[more], |module| compiler(module, ".cargo/config.toml", text));
            assert_eq!(found, None, "{text}");
        }
        for (path, text) in [
            ("build.sh", "RUSTC_WRAPPER=./swap.sh cargo build\n"),
            ("build.sh", "export RUSTC_WORKSPACE_WRAPPER=\"$PWD/swap.sh\"\n"),
            ("Makefile", "export RUSTC := tools/rustc\n"),
            ("Dockerfile", "ENV RUSTC_WRAPPER /src/swap.sh\n"),
            (".github/workflows/ci.yml", "env:\n  RUSTC_WRAPPER: ./swap.sh\n"),
            ("build.sh", "cargo --config 'build.rustc-wrapper=\"./swap.sh\"' build\n"),
            ("x.py", "env = {\"RUSTC_WRAPPER\": \"./swap.sh\"}\n"),
            (".env", "CARGO_BUILD_RUSTC_WRAPPER=./swap.sh\n"),
        ] {
            let found = with_module(&[(path, text)], |module| in_script(module, path, text));
            assert!(found.is_some(), "{text}");
        }
        for (path, text) in [
            ("build.sh", "RUSTC_WRAPPER=sccache cargo build\n"),
            ("build.sh", "RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test\n"),
            ("ci.yml", "env:\n  RUSTC_WRAPPER: /usr/local/bin/sccache\n"),
            ("build.sh", "# RUSTC_WRAPPER=./swap.sh\n"),
            ("README.md", "RUSTC_WRAPPER=./swap.sh\n"),
            ("build.sh", "RUSTC_BOOTSTRAP=1 cargo build\n"),
        ] {
            let found = with_module(&[(path, text)], |module| in_script(module, path, text));
            assert_eq!(found, None, "{text}");
        }
        for text in [
            "rustflags = [\"--sysroot=./sys\"]",
            "RUSTFLAGS=\"-C linker=./ld.sh\" cargo build",
            "cargo rustc -- --extern contract_gen=x.rlib",
            "rustflags = [\"-C\", \"linker=tools/ld\"]",
        ] {
            assert!(flags("contract_gen", text).is_some(), "{text}");
        }
        for text in [
            "RUSTFLAGS=\"-C linker=clang -C link-arg=-fuse-ld=mold\"",
            "rustflags = [\"--sysroot=/opt/sys\"]",
            "# rustflags = [\"--sysroot=./sys\"]",
            "--extern serde=x.rlib",
        ] {
            assert_eq!(flags("contract_gen", text), None, "{text}");
        }
        assert!(directory("[toolchain]\npath = \"./toolchain\"\n").is_some());
        assert_eq!(directory("[toolchain]\nchannel = \"1.90\"\n"), None);
    }
}
