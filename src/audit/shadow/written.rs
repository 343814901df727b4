//! Steps of a build, and code, that write other bytes to a generated file before it is compiled or loaded.
//!
//! Only what names the file as the target of a write counts. Reads, deletions and `aos gen` do not.

mod indirect;

use std::cell::OnceCell;
use std::sync::Arc;

use memchr::memmem;
use regex::Regex;

use crate::contract::Finding;
use crate::generate::record::Record;

use super::module::{GeneratedModule, join, line};
use super::pattern::regex;
use super::scripts::is_script;
use super::unread::is_test_only;

/// Sources that can write a file.
const SOURCES: &[&str] =
    &[".py", ".pyw", ".go", ".rs", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];
/// Functions of the four languages that write the file that they are given.
const WRITERS: &str = r"write_text|write_bytes|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|cp|cpSync|renameSync|symlinkSync|shutil\.\w+|os\.(?:replace|rename|renames|link|symlink|WriteFile|Create|Rename|Symlink|Link|OpenFile)|fs::(?:write|copy|rename)|File::create|fs\.rename|fs\.symlink";

/// Every file that writes to the module, or with a pattern to all files of its directory.
pub fn check(module: &GeneratedModule<'_>, record: &Record, found: &mut Vec<Finding>) {
    let writes = Writes::of(module, record);
    for (path, text) in module.others(&[""]) {
        if is_test_only(path) || module.ours.contains(path) {
            continue;
        }
        let is_source = SOURCES.iter().any(|ending| path.ends_with(ending));
        let at = match writes.is_named_in(text) {
            true if is_source => writes.in_source(text),
            true if is_script(module, path) => writes.in_script(text),
            _ => None,
        };
        let at = at.or_else(|| indirect::write(module, path, text));
        if let Some(at) = at {
            let mut finding = module.shadowed(path, "it writes other bytes to");
            finding.line = Some(line(text, at));
            found.push(finding);
        }
    }
}

/// A command that writes, a redirection, or a call: each match of the patterns has one of them.
const HINTS: &str = r"\b(?:cp|mv|ln|install|rsync|sed|perl|ruby|gawk|awk|tee|patch|truncate|ed|ex|dd|curl|wget|git)\s|[>(]";

/// The patterns for one generated file.
struct Writes<'a> {
    file_name: &'a str,
    needles: Vec<String>,
    /// Made for the first file that names the module: in most projects there is none.
    patterns: OnceCell<Option<WritePatterns>>,
}

struct WritePatterns {
    shell: Vec<Arc<Regex>>,
    source: Vec<Arc<Regex>>,
}

impl<'a> Writes<'a> {
    fn of(module: &GeneratedModule<'a>, record: &Record) -> Self {
        let directory = module.directory.rsplit('/').next().unwrap_or_default();
        let mut needles = vec![module.file_name.to_owned()];
        if !directory.is_empty() {
            needles.push(format!("{directory}/*"));
        }
        if let Some(runtime) = &record.runtime {
            let parts: Vec<&str> = runtime.path.as_str().rsplit('/').take(2).collect();
            needles.push(
                parts.into_iter().rev().fold(String::new(), |path, part| join(&path, part)) + "/",
            );
        }
        Self { file_name: module.file_name, needles, patterns: OnceCell::new() }
    }

    /// True if a text names the module, or its directory, and may write something.
    fn is_named_in(&self, text: &str) -> bool {
        self.needles.iter().any(|needle| memmem::find(text.as_bytes(), needle.as_bytes()).is_some())
            && regex(HINTS).is_ok_and(|hints| hints.is_match(text))
    }

    fn patterns(&self) -> Option<&WritePatterns> {
        self.patterns.get_or_init(|| WritePatterns::of(self)).as_ref()
    }

    fn in_script(&self, text: &str) -> Option<usize> {
        let patterns = self.patterns()?;
        first(&patterns.shell, text).or_else(|| first(&patterns.source, text))
    }

    fn in_source(&self, text: &str) -> Option<usize> {
        let patterns = self.patterns()?;
        // `//go:generate` runs a command of the shell.
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if line.starts_with("//go:generate ") && first(&patterns.shell, line).is_some() {
                return Some(start);
            }
            start += line.len();
        }
        first(&patterns.source, text)
    }
}

impl WritePatterns {
    fn of(writes: &Writes<'_>) -> Option<Self> {
        let escaped: Vec<_> = writes.needles.iter().map(|needle| regex::escape(needle)).collect();
        let target = format!(r#"(?:^|[\s"'=/])(?:{})[^\s"';&|]*"#, escaped.join("|"));
        let name = regex::escape(writes.file_name);
        let shell = [
            // The last word of a command is what it writes.
            format!(
                r#"(?m)(?:^|[\s"'(;&|`@-])(?:cp|mv|ln|install|rsync)\s[^\n;&|]*{target}["']?\s*(?:$|[;&|#)"'`\],])"#
            ),
            format!(r"(?m)\b(?:sed|perl|ruby|gawk|awk)\s[^\n;&|]*-\w*i[^\n;|]*{target}"),
            format!(r"(?m)\b(?:tee|patch|truncate|ed|ex|dd)\s[^\n;&|]*{target}"),
            format!(
                r"(?m)\b(?:curl|wget)\s[^\n;|]*(?:-o|-O|--output|--output-document)[\s=]*[^\s;|]*{name}"
            ),
            format!(r"(?m)\bgit\s+(?:apply|am|show)\b[^\n]*{name}"),
            format!(r#"(?m)>\|?\s*["']?[^\s;&|>]*{name}"#),
        ];
        let source = [
            format!(r#"\b(?:{WRITERS})\s*\([^\n]*{name}["'`]"#),
            format!(r#"{name}["'`][^\n]{{0,40}}\.(?:write_text|write_bytes|symlink_to)\s*\("#),
            format!(
                r#"\bopen\s*\([^\n]*{name}["'][^\n]{{0,20}},\s*(?:mode\s*=\s*)?["'][rb]?[wax]"#
            ),
        ];
        let compiled = |patterns: &[String]| {
            patterns.iter().map(|pattern| regex(pattern).ok()).collect::<Option<Vec<_>>>()
        };
        Some(Self { shell: compiled(&shell)?, source: compiled(&source)? })
    }
}

/// The first match that is not in a comment.
fn first(patterns: &[Arc<Regex>], text: &str) -> Option<usize> {
    let matches = patterns.iter().flat_map(|pattern| pattern.find_iter(text));
    let places = matches.filter(|found| {
        let start = text[..found.end()].trim_end().rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].trim_start();
        line.starts_with("//go:generate ")
            || !["#", "//", "*", ";"].iter().any(|comment| line.starts_with(comment))
    });
    places.map(|found| found.start()).min()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::audit::shadow::module::project;

    const RECORD: &str = "family = \"agent-cli\"\n\n[spec]\nsource = \"embedded\"\n\n[outputs]\n\
        go = [\"internal/contract/contract_gen.go\"]\n\n[runtime]\nname = \"go\"\npath = \"internal/runtime\"\n";

    fn found(path: &str, text: &str) -> usize {
        let repository = project([(path, text)]);
        let none = BTreeSet::new();
        let place = "internal/contract/contract_gen.go";
        let module = GeneratedModule::at(Path::new("/nowhere"), &repository, place, &none);
        let record = Record::parse(RECORD.as_bytes()).unwrap();
        let mut found = Vec::new();
        check(&module, &record, &mut found);
        found.len()
    }

    #[test]
    fn writes_are_told_from_reads() {
        for (path, text) in [
            ("Makefile", "build:\n\tcp alt.go internal/contract/contract_gen.go; go build\n"),
            ("Makefile", "x:\n\t@mv -f alt.go internal/contract/contract_gen.go\n"),
            ("x.sh", "sed -i s/a/b/ internal/contract/contract_gen.go\n"),
            ("x.sh", "sed -i s/a/b/ internal/contract/*.go\n"),
            ("x.sh", "sed -i.bak -e s/a/b/ internal/runtime/gate/gate.go\n"),
            ("x.sh", "cat alt > internal/contract/contract_gen.go\n"),
            ("x.sh", "curl -o internal/contract/contract_gen.go https://example.com\n"),
            (
                ".goreleaser.yml",
                "before:\n  hooks:\n    - cp alt internal/contract/contract_gen.go\n",
            ),
            (
                "package.json",
                "{\"scripts\": {\"prepare\": \"cp a internal/contract/contract_gen.go\"}}",
            ),
            (".github/workflows/ci.yml", "run: patch internal/contract/contract_gen.go x.patch\n"),
            ("a.go", "package a\n\n//go:generate cp x ../contract/contract_gen.go\n"),
            (
                "a.go",
                "package a\n\nvar _ = os.WriteFile(\"internal/contract/contract_gen.go\", b, 0o644)\n",
            ),
            ("setup.py", "open('internal/contract/contract_gen.go', 'w').write('x')\n"),
            ("setup.py", "shutil.copy('x', 'internal/contract/contract_gen.go')\n"),
            ("p.js", "writeFileSync('internal/contract/contract_gen.go', x)\n"),
        ] {
            assert_eq!(found(path, text), 1, "{text}");
        }
        for (path, text) in [
            ("Makefile", "lint:\n\tgofmt -l internal/contract/contract_gen.go\n"),
            ("x.sh", "cp internal/contract/contract_gen.go backup/\n"),
            ("x.sh", "# cp alt internal/contract/contract_gen.go\n"),
            ("x.sh", "rm -f internal/contract/contract_gen.go && aos gen\n"),
            ("x.sh", "grep -n x internal/contract/contract_gen.go | tee log\n"),
            ("x.sh", "git add internal/contract/contract_gen.go\n"),
            ("ci.yml", "paths: [internal/contract/contract_gen.go]\n"),
            ("README.md", "cp alt internal/contract/contract_gen.go\n"),
            ("a.go", "package a\n\nvar x = strings.Replace(s, \"contract_gen.go\", \"\", 1)\n"),
            ("a_test.go", "package a\n\nvar _ = os.WriteFile(\"contract_gen.go\", b, 0o644)\n"),
            ("setup.py", "open('internal/contract/contract_gen.go').read()\n"),
        ] {
            assert_eq!(found(path, text), 0, "{text}");
        }
    }
}
