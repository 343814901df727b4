//! One generated file, as `[outputs]` of `aos.toml` declares it: a path, or a path and the name of its Go package.

use serde_json::Value;

use crate::contract::name::GoPackage;
use crate::plan::RelativePath;

use super::record_text::{RecordError, quote, relative};

/// Operating systems and processors that the go command knows as the end of a file name.
const PLATFORMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
    "386",
    "amd64",
    "amd64p32",
    "arm",
    "armbe",
    "arm64",
    "arm64be",
    "loong64",
    "mips",
    "mipsle",
    "mips64",
    "mips64le",
    "mips64p32",
    "mips64p32le",
    "ppc",
    "ppc64",
    "ppc64le",
    "riscv",
    "riscv64",
    "s390",
    "s390x",
    "sparc",
    "sparc64",
    "wasm",
];

/// The file that a generator writes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Output {
    pub path: RelativePath,
    /// Name of the Go package; the name of the directory without it.
    pub package: Option<GoPackage>,
}

impl Output {
    #[must_use]
    pub fn at(path: RelativePath) -> Self {
        Self { path, package: None }
    }

    /// An entry of `outputs.GENERATOR`.
    ///
    /// # Errors
    /// Names the member that is wrong.
    pub(crate) fn parse(generator: &str, value: &Value) -> Result<Self, RecordError> {
        let member = format!("outputs.{generator}");
        let fault = |reason: &str| RecordError::Member {
            member: crate::contract::json::printable(&member),
            reason: reason.to_owned(),
        };
        match value {
            Value::String(path) => Ok(Self::at(relative(&member, path)?)),
            Value::Object(members) => {
                if let Some(other) =
                    members.keys().find(|key| !matches!(key.as_str(), "path" | "package"))
                {
                    return Err(fault(&format!(
                        "unknown member `{}`; allowed are `path` and `package`",
                        crate::contract::json::printable(other)
                    )));
                }
                let path = members.get("path").and_then(Value::as_str);
                let path = path.ok_or_else(|| fault("it needs a `path`"))?;
                let package = match members.get("package") {
                    None => None,
                    Some(_) if generator != "go" => {
                        return Err(fault("only `outputs.go` has packages"));
                    }
                    Some(value) => {
                        Some(value.as_str().and_then(GoPackage::parse).ok_or_else(|| {
                            fault("`package` must be a Go identifier that is not a keyword")
                        })?)
                    }
                };
                Ok(Self { path: relative(&member, path)?, package })
            }
            _ => Err(fault("each entry is a path, or a table with `path` and `package`")),
        }
    }

    /// The entry as TOML.
    pub(crate) fn render(&self) -> String {
        let path = quote(self.path.as_str());
        match &self.package {
            None => path,
            Some(package) => format!("{{ path = {path}, package = \"{package}\" }}"),
        }
    }

    /// The Go package of the file; `None` if it cannot be derived from the path.
    #[must_use]
    pub fn go_package(&self) -> Option<GoPackage> {
        self.package.clone().or_else(|| {
            let (directory, _) = self.path.as_str().rsplit_once('/')?;
            GoPackage::parse(directory.rsplit('/').next().unwrap_or(directory))
        })
    }

    /// Returns the reason why the file would not be part of the program for which `generator` writes it.
    #[must_use]
    pub fn fault(&self, generator: &str) -> Option<String> {
        let name = self.path.as_str().rsplit('/').next().unwrap_or_default();
        let endings: &[&str] = match generator {
            "go" => &[".go"],
            "python" => &[".py"],
            "rust" => &[".rs"],
            "typescript" => &[".ts", ".mts", ".cts"],
            "javascript" => &[".js", ".mjs"],
            _ => return None,
        };
        let Some(stem) = endings.iter().find_map(|ending| name.strip_suffix(ending)) else {
            return Some(format!("its name must end with {}", endings.join(" or ")));
        };
        if generator == "go" && stem.ends_with("_test") {
            return Some("the go command builds `_test.go` files for tests only".to_owned());
        }
        if generator == "go"
            && let Some(platform) = platform(name)
        {
            return Some(format!(
                "the go command builds such a name for {platform} only; other platforms would see no package"
            ));
        }
        if generator == "go" && (name.starts_with(['_', '.']) || stem.is_empty()) {
            return Some("the go command passes over such a name".to_owned());
        }
        if generator == "go" && self.go_package().is_none() {
            return Some(
                "its directory is not the name of a Go package; write `{ path = \"…\", package = \"…\" }`"
                    .to_owned(),
            );
        }
        if generator == "typescript" && stem.ends_with(".d") {
            return Some("a `.d.ts` file contains only types".to_owned());
        }
        None
    }
}

/// The platform that the go command reads from a file name: the last word after `_`, up to the first dot.
#[must_use]
pub fn platform(name: &str) -> Option<&str> {
    let stem = name.split('.').next()?;
    let word = stem.strip_suffix("_test").unwrap_or(stem).rsplit_once('_')?.1;
    PLATFORMS.contains(&word).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn output(generator: &str, value: &Value) -> Result<Output, RecordError> {
        Output::parse(generator, value)
    }

    #[test]
    fn an_entry_reads_back_what_it_writes() {
        for value in [json!("a/b.go"), json!({"path": "c.go", "package": "main"})] {
            let parsed = output("go", &value).unwrap();
            let text = format!("entry = {}\n", parsed.render());
            let document: Value = toml_edit::de::from_str(&text).unwrap();
            assert_eq!(output("go", &document["entry"]), Ok(parsed), "{text}");
        }
    }

    #[test]
    fn the_package_is_the_directory_unless_the_record_names_one() {
        let package =
            |value| output("go", &value).unwrap().go_package().map(|name| name.to_string());
        assert_eq!(
            package(json!("internal/contract/contract_gen.go")).as_deref(),
            Some("contract")
        );
        assert_eq!(package(json!({"path": "a-b/c.go", "package": "ab"})).as_deref(), Some("ab"));
        for path in ["contract_gen.go", "a-b/c.go", "func/c.go", "x_test/c.go", "1a/c.go"] {
            assert_eq!(package(json!(path)), None, "{path}");
            assert!(output("go", &json!(path)).unwrap().fault("go").is_some(), "{path}");
        }
    }

    #[test]
    fn entries_that_are_not_files_of_their_language_are_refused() {
        for (generator, value) in [
            ("go", json!("../x.go")),
            ("go", json!(1)),
            ("go", json!({"package": "x"})),
            ("go", json!({"path": "a/x.go", "package": "type"})),
            ("go", json!({"path": "a/x.go", "package": "x\"; func init() {}"})),
            ("go", json!({"path": "a/x.go", "name": "x"})),
            ("python", json!({"path": "a/x.py", "package": "a"})),
        ] {
            assert!(output(generator, &value).is_err(), "{value}");
        }
        for (generator, path) in [
            ("go", "a/x.py"),
            ("go", "a/x_test.go"),
            ("go", "a/_x.go"),
            ("go", "a/.x.go"),
            ("go", "a/x_windows.go"),
            ("go", "a/x_linux_amd64.go"),
            ("go", "a/_arm64.go"),
            ("go", "a/x_wasip1.gen.go"),
            ("go", "a/x_windows_test.gen.go"),
            ("python", "a/x.pyi"),
            ("rust", "a/x.go"),
            ("typescript", "a/x.d.ts"),
            ("typescript", "a/x.js"),
        ] {
            assert!(output(generator, &json!(path)).unwrap().fault(generator).is_some(), "{path}");
        }
        for path in ["a/linux.go", "a/x_gen.go", "a/windows_gen.go", "a/x_Linux.go"] {
            assert_eq!(output("go", &json!(path)).unwrap().fault("go"), None, "{path}");
        }
    }
}
