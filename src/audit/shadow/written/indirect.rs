//! Writes to a generated file that name it by a pattern, by its directory or in a patch.

use super::super::module::{GeneratedModule, normal};
use super::super::pattern::regex;
use super::super::scripts::is_script;

/// Words of commands that write.
const WRITERS: [&str; 12] =
    ["tar", "unzip", "7z", "sed", "perl", "patch", "git", "gofmt", "cp", "COPY", "ADD", "mv"];

/// Returns the position of a line of a script that writes to the module in this way.
pub fn write(module: &GeneratedModule<'_>, path: &str, text: &str) -> Option<usize> {
    if !WRITERS.iter().any(|word| text.contains(word)) || !is_script(module, path) {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_image = name.contains("Dockerfile") || name.contains("Containerfile");
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_comment = line.trim_start().starts_with(['#', ';']);
        let is_write = !is_comment
            && (by_pattern(module, line)
                || by_patch(module, text, line)
                || by_git(module, line)
                || by_rewrite(module, line)
                || by_archive(module, line)
                || is_image && by_image(module, line));
        if is_write {
            return Some(start);
        }
        start += line.len();
    }
    None
}

/// `sed -i … *_gen.go`, in a line that names the directory or searches for files.
fn by_pattern(module: &GeneratedModule<'_>, line: &str) -> bool {
    if !line.contains('*') {
        return false;
    }
    let in_place = regex(r"\b(?:sed|perl|gawk)\s[^\n;|]*-\w*i");
    if !in_place.is_ok_and(|in_place| in_place.is_match(line)) {
        return false;
    }
    let words = line.split(|letter: char| letter.is_whitespace() || "\"';|&()`".contains(letter));
    let leads_there = !module.directory.is_empty() && line.contains(module.directory);
    let is_search = line.contains("find ");
    words.filter(|word| word.contains('*') && !word.starts_with("s/")).any(|word| {
        let word = word.trim_start_matches("./");
        match word.rsplit_once('/') {
            Some((directory, name)) => {
                matches(name, module.file_name) && matches_path(directory, module.directory)
            }
            None => (leads_there || is_search) && matches(word, module.file_name),
        }
    })
}

/// Whether a pattern of a shell fits a name.
fn matches(pattern: &str, name: &str) -> bool {
    let escaped = regex::escape(pattern).replace(r"\*", "[^/]*").replace(r"\?", "[^/]");
    regex(&format!("^{escaped}$")).is_ok_and(|pattern| pattern.is_match(name))
}

/// Whether the end of a directory fits a pattern, part by part; `**` fits any parts.
fn matches_path(pattern: &str, directory: &str) -> bool {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    if parts.contains(&"**") {
        return true;
    }
    let own: Vec<&str> = directory.split('/').collect();
    own.len() >= parts.len()
        && own[own.len() - parts.len()..]
            .iter()
            .zip(&parts)
            .all(|(own, part)| part.starts_with('$') || matches(part, own))
}

/// `patch` or `git apply` with a file of the project that changes the module.
fn by_patch(module: &GeneratedModule<'_>, script: &str, line: &str) -> bool {
    if !line.contains("patch") && !line.contains("git") {
        return false;
    }
    let applies = regex(r"\bpatch\b|\bgit\s+(?:[^\n]*\s)?(?:apply|am)\b");
    if !applies.is_ok_and(|applies| applies.is_match(line)) {
        return false;
    }
    let is_target = |line: &str| {
        let target = line.trim_start().strip_prefix("+++ ").map(str::trim);
        target.is_some_and(|target| {
            target == module.path || target.ends_with(&format!("/{}", module.path))
        })
    };
    // The patch can be in the script itself.
    if script.lines().any(is_target) {
        return true;
    }
    module.others(&[".patch", ".diff"]).any(|(path, text)| {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = directory.rsplit('/').next().unwrap_or_default();
        let is_named =
            line.contains(name) || line.contains('*') && (above.is_empty() || line.contains(above));
        is_named && text.lines().any(is_target)
    })
}

/// A file of another commit: `git checkout other -- path`, `git restore --source other path`.
fn by_git(module: &GeneratedModule<'_>, line: &str) -> bool {
    if !line.contains("checkout") && !line.contains("restore") {
        return false;
    }
    let taken = regex(
        r"\bgit\s+(?:checkout\s+(?P<from>[^\s-][^\s]*)\s+--\s+(?P<paths>[^\n;&|]+)|restore\s+(?:-\S+\s+)*(?:-s|--source)[=\s]+(?P<source>\S+)\s+(?P<others>[^\n;&|]+))",
    );
    let Some(captures) = taken.ok().and_then(|taken| taken.captures(line)) else { return false };
    let from = captures.name("from").or_else(|| captures.name("source"));
    let paths = captures.name("paths").or_else(|| captures.name("others"));
    from.is_some_and(|from| from.as_str() != "HEAD")
        && paths
            .is_some_and(|paths| paths.as_str().split_whitespace().any(|path| holds(module, path)))
}

/// `gofmt -r` over the directory of the module.
fn by_rewrite(module: &GeneratedModule<'_>, line: &str) -> bool {
    if !line.contains("gofmt") {
        return false;
    }
    let rewrites = regex(r"\bgofmt\s[^\n;|&]*-r\b");
    let is_rewrite = rewrites.is_ok_and(|rewrites| rewrites.is_match(line)) && line.contains("-w");
    is_rewrite && line.split_whitespace().any(|word| holds(module, word.trim_matches(['"', '\''])))
}

/// An archive that is unpacked in the directory of the module.
fn by_archive(module: &GeneratedModule<'_>, line: &str) -> bool {
    if !["tar", "unzip", "7z"].iter().any(|word| line.contains(word)) {
        return false;
    }
    let unpacks = regex(r"\b(?:(?:bsd)?tar\s[^\n;&]*x|unzip\s|7z\s+x)");
    unpacks.is_ok_and(|unpacks| unpacks.is_match(line))
        && line.split_whitespace().any(|word| {
            holds(
                module,
                word.trim_start_matches("-C").trim_start_matches("-d").trim_matches(['"', '\'']),
            )
        })
}

/// An instruction of an image that puts other files in place of the module.
fn by_image(module: &GeneratedModule<'_>, line: &str) -> bool {
    let mut words = line.split_whitespace().filter(|word| !word.starts_with("--"));
    if !words.next().is_some_and(|word| matches!(word, "COPY" | "ADD" | "copy" | "add")) {
        return false;
    }
    let mut paths: Vec<String> =
        words.map(|word| normal(word.trim_matches(['"', '\'', '[', ']', ',']))).collect();
    let Some(target) = paths.pop().filter(|target| holds(module, target) && !target.is_empty())
    else {
        return false;
    };
    // The same place in the project, in an earlier stage, or a directory above.
    let is_same = |source: &String| {
        source.is_empty()
            || *source == target
            || source.ends_with(&format!("/{target}"))
            || module.directory == *source
            || module.path == *source
    };
    let can_replace = |source: &String| {
        let below = super::super::module::join(source, module.file_name);
        source.ends_with(module.file_name) || module.repository.holds(&below)
    };
    paths.iter().any(|source| !is_same(source) && can_replace(source))
}

/// Whether a path is the module or its directory.
fn holds(module: &GeneratedModule<'_>, path: &str) -> bool {
    let path = normal(path);
    path == module.path || !path.is_empty() && path == module.directory
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    fn is_found(path: &str, text: &str) -> bool {
        let patch = "--- a/internal/c/c_gen.go\n+++ b/internal/c/c_gen.go\n@@ -1 +1 @@\n-a\n+b\n";
        let files = [
            (path, text),
            ("fix/one.patch", patch),
            ("alt/c_gen.go", "package c\n"),
            ("docs/a.md", "x\n"),
        ];
        let repository = project(files);
        let none = BTreeSet::new();
        let module =
            GeneratedModule::at(Path::new("/nowhere"), &repository, "internal/c/c_gen.go", &none);
        write(&module, path, text).is_some()
    }

    #[test]
    fn writes_by_a_pattern_a_directory_or_a_patch_are_told_from_others() {
        for (path, text) in [
            ("Makefile", "x:\n\tsed -i s/6/0/ internal/*/*_gen.go\n"),
            ("x.sh", "cd internal/c && sed -i s/6/0/ *.go\n"),
            ("x.sh", "find . -name '*_gen.go' -exec sed -i s/6/0/ {} +\n"),
            ("x.sh", "patch -p1 < fix/one.patch\n"),
            ("x.sh", "for p in fix/*.patch; do git apply \"$p\"; done\n"),
            ("x.sh", "git checkout other -- internal/c\n"),
            ("x.sh", "git restore --source=v1 internal/c/c_gen.go\n"),
            ("Makefile", "x:\n\tgofmt -w -r '6 -> 0' internal/c\n"),
            ("x.sh", "tar xf alt.tar -C internal/c\n"),
            ("x.sh", "curl -sL https://example.com/x | tar xz -C internal/c\n"),
            ("x.sh", "git apply <<'E'\n--- a/internal/c/c_gen.go\n+++ b/internal/c/c_gen.go\nE\n"),
            ("Dockerfile", "COPY alt/c_gen.go internal/c/c_gen.go\n"),
            ("Dockerfile", "COPY --chown=a alt/ ./internal/c/\n"),
        ] {
            assert!(is_found(path, text), "{text}");
        }
        for (path, text) in [
            ("x.sh", "sed -i s/6/0/ *.go\n"),
            ("x.sh", "tar -cf out.tgz internal/c\n"),
            ("x.sh", "sed -i s/6/0/ docs/*.md\n"),
            ("x.sh", "grep -n x internal/*/*_gen.go\n"),
            ("x.sh", "# patch -p1 < fix/one.patch\n"),
            ("x.sh", "patch -p1 < other.patch\n"),
            ("x.sh", "git checkout -- internal/c\n"),
            ("x.sh", "git checkout HEAD -- internal/c\n"),
            ("x.sh", "git checkout main\n"),
            ("Makefile", "x:\n\tgofmt -w internal/c\n"),
            ("Dockerfile", "COPY internal/c internal/c\n"),
            ("Dockerfile", "COPY --from=build /src/internal/c internal/c\n"),
            ("Dockerfile", "COPY . .\n"),
            ("Dockerfile", "COPY docs internal/c\n"),
            ("README.md", "git checkout other -- internal/c\n"),
        ] {
            assert!(!is_found(path, text), "{text}");
        }
    }
}
