//! Rust: declarations that give the module's name to another file. Its constants cannot be changed.

use crate::contract::Finding;

use super::Module;
use super::masked::{Syntax, masked};
use super::pattern::regex;

pub fn check(module: &Module<'_>, found: &mut Vec<Finding>) {
    let twin = module.beside(&format!("{}/mod.rs", module.stem));
    if module.repository.holds(&twin) {
        found.push(module.shadowed(&twin, "rustc refuses two files for one module, the other is"));
    }
    let stem = regex::escape(module.stem);
    let attributes = r"(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?";
    let patterns = [
        format!(
            r#"#\[[^\]]*\bpath\s*=\s*(?:"(?P<path>[^"\n]*)")?[^\]]*\]\s*{attributes}mod\s+{stem}\s*;"#
        ),
        format!(r"\bmod\s+{stem}\s*\{{"),
        format!(r"\b(?P<from>\w+)\s+as\s+{stem}\s*[;,}}]"),
    ];
    let patterns: Vec<_> = patterns.iter().filter_map(|pattern| regex(pattern).ok()).collect();
    for (path, text) in module.others(&[".rs"]) {
        let code = masked(text, Syntax::Braces);
        let found_at = patterns.iter().find_map(|pattern| {
            pattern.captures_iter(text).find_map(|captures| {
                let whole = captures.get(0)?;
                // In a comment or a string nothing is left of it.
                let real = code.get(whole.range()).is_some_and(|code| code.contains(module.stem));
                let directory = path.rsplit_once('/').map_or("", |(above, _)| above);
                let itself = captures.name("path").is_some_and(|target| {
                    super::join(directory, target.as_str().trim_start_matches("./")) == module.path
                });
                let own = captures.name("from").is_some_and(|from| from.as_str() == module.stem);
                (real && !itself && !own).then_some(whole.start())
            })
        });
        if let Some(at) = found_at {
            let mut finding = module.shadowed(path, "it gives the name to other code than");
            finding.line = Some(super::line(text, at));
            found.push(finding);
        }
    }
}
