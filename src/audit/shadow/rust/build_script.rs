//! Build scripts: one that names the module, or that writes to a place which it computes, can write the module.

use std::collections::BTreeSet;

use super::super::masked::{Syntax, masked};
use super::super::module::{GeneratedModule, join};
use super::super::pattern::regex;

/// Most rounds in which the names of an expression are replaced by their values.
const MAX_ROUNDS: usize = 4;

/// The files that cargo runs before it compiles: `build.rs` beside a manifest, or what the manifest names.
pub fn scripts(module: &GeneratedModule<'_>) -> BTreeSet<String> {
    let manifests = module.others(&["Cargo.toml"]);
    let scripts = manifests.flat_map(|(manifest, text)| {
        let directory = manifest.rsplit_once('/').map_or("", |(above, _)| above);
        let named = || {
            let manifest = text.parse::<toml_edit::DocumentMut>().ok()?;
            Some(manifest.get("package")?.get("build")?.as_str()?.to_owned())
        };
        let named = text.contains("build").then(named).flatten();
        let named = named.map(|script| join(directory, script.trim_start_matches("./")));
        [Some(join(directory, "build.rs")), named]
    });
    // Without a manifest, a file of this name is for one that is not committed.
    scripts.flatten().chain(["build.rs".to_owned()]).collect()
}

/// The position at which a build script writes to the module, or to a path that cannot be determined from its text.
pub fn written(stem: &str, text: &str) -> Option<usize> {
    named(stem, text).or_else(|| computed(text))
}

/// A line that names the module, other than one that says when to run again.
fn named(stem: &str, text: &str) -> Option<usize> {
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

/// A write whose target is neither one text nor in the directory of the build.
fn computed(text: &str) -> Option<usize> {
    let code = masked(text, Syntax::Braces);
    let write = regex(
        r"\b(?:fs::write|fs::copy|fs::rename|File::create|File::create_new|fs::hard_link|unix::fs::symlink)\s*\(",
    )
    .ok()?;
    let is_there = text.contains("OUT_DIR");
    let found = write.find_iter(&code).find(|found| {
        let call = found.as_str();
        let arguments = arguments(&code, found.end());
        // A copy writes to its second argument.
        let target = match call.contains("copy") || call.contains("rename") || call.contains("link")
        {
            true => arguments.get(1),
            false => arguments.first(),
        };
        let Some(target) = target.and_then(|range| text.get(range.clone())) else { return true };
        let target = target.trim().trim_start_matches('&');
        let is_text =
            target.starts_with('"') && target.matches('"').count() == 2 && target.ends_with('"');
        if is_text {
            return false;
        }
        let whole = resolved(target, &code, text);
        let is_given = whole == target
            && target.chars().all(|letter| letter.is_alphanumeric() || "_.".contains(letter));
        !(whole.contains("OUT_DIR") || is_given && is_there || is_there && !whole.contains('"'))
    });
    found.map(|found| found.start())
}

/// The arguments of a call whose bracket ends at `start`.
fn arguments(code: &str, start: usize) -> Vec<std::ops::Range<usize>> {
    let mut depth = 0_usize;
    let mut from = start;
    let mut found = Vec::new();
    for (at, symbol) in code[start..].char_indices().map(|(at, symbol)| (at + start, symbol)) {
        match symbol {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                found.push(from..at);
                return found;
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// An expression with the values of the names in it.
fn resolved(expression: &str, code: &str, text: &str) -> String {
    let mut whole = expression.to_owned();
    let (Ok(name), Ok(string)) = (regex(r"\b[a-z_]\w*\b"), regex(r#""[^"\n]*""#)) else {
        return whole;
    };
    let mut known = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let bare = string.replace_all(&whole, "\"\"").into_owned();
        let names: Vec<_> = name.find_iter(&bare).map(|found| found.as_str().to_owned()).collect();
        let mut more = String::new();
        for name in names {
            if !known.insert(name.clone()) {
                continue;
            }
            let bound = format!(r"\blet\s+(?:mut\s+)?{name}\s*(?::[^=\n]*)?=([^;]*);");
            let Ok(bound) = regex(&bound) else { continue };
            for captures in bound.captures_iter(code).take(4) {
                let value = captures.get(1).and_then(|value| text.get(value.range()));
                more.push_str(value.unwrap_or_default());
            }
        }
        if more.is_empty() {
            break;
        }
        whole.push_str(&more);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_of_a_build_script_outside_of_its_directory_are_found() {
        for text in [
            "fn main() { std::fs::write(\"src/contract_gen.rs\", \"\"); }",
            "fn main() { fs::write(format!(\"src/contract{}\", \"_gen.rs\"), b); }",
            "fn main() { let p = Path::new(\"src\").join([\"contract\", \"_gen.rs\"].concat()); fs::write(p, b); }",
            "fn main() { let out = env::var(\"OUT_DIR\"); let p = Path::new(\"src\").join(name); fs::write(&p, b); }",
            "fn main() { fs::copy(\"alt.rs\", format!(\"src/{name}\")); }",
            "fn main() { File::create(manifest.join(\"src\").join(name)); }",
            "fn main() { fs::write(target(), b); }",
        ] {
            assert!(written("contract_gen", text).is_some(), "{text}");
        }
        for text in [
            "fn main() { let out = env::var(\"OUT_DIR\").unwrap(); fs::write(Path::new(&out).join(\"x.rs\"), b); }",
            "fn main() { let out = env::var_os(\"OUT_DIR\"); let p = PathBuf::from(out).join(name); fs::write(&p, b); }",
            "fn main() { fs::write(\"src/version.rs\", b); }",
            "fn put(p: &Path) { fs::write(p, b); }\nfn main() { put(&out(\"OUT_DIR\")); }",
            "fn main() { println!(\"cargo::rerun-if-changed=src/contract_gen.rs\"); }",
            "fn main() { fs::read(name); }",
            "// fs::write(name, b);",
        ] {
            assert_eq!(written("contract_gen", text), None, "{text}");
        }
        for hostile in ["fs::write(", "fs::write(é", "File::create(((", "fs::copy(a"] {
            let _ = written("contract_gen", hostile);
        }
    }
}
