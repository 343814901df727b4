//! The path of a Go module, as `go.mod` states it.

/// Longest path, in bytes.
const MAX_PATH: usize = 200;

/// A module path that needs no quoting in an import.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GoModule(String);

/// Why `go.mod` names no module that can be used.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum GoModuleError {
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("it has no `module` line")]
    Missing,
    #[error(
        "its module path must have elements of letters, digits and `-`, `_`, `.`, `~`, joined by `/`"
    )]
    Malformed,
}

impl GoModule {
    /// A path whose elements are plain.
    ///
    /// # Errors
    /// If it contains anything that an import path cannot.
    pub fn parse(text: &str) -> Result<Self, GoModuleError> {
        let element = |element: &str| {
            !element.is_empty()
                && !element.starts_with('.')
                && !element.ends_with('.')
                && element.chars().all(|symbol| {
                    symbol.is_ascii_alphanumeric() || matches!(symbol, '.' | '-' | '_' | '~')
                })
        };
        if text.len() <= MAX_PATH && text.split('/').all(element) {
            Ok(Self(text.to_owned()))
        } else {
            Err(GoModuleError::Malformed)
        }
    }

    /// The module that a `go.mod` declares.
    ///
    /// # Errors
    /// Returns an error if it declares none, or one that cannot be used.
    pub fn of_go_mod(bytes: &[u8]) -> Result<Self, GoModuleError> {
        let text = std::str::from_utf8(bytes).map_err(|_| GoModuleError::NotUtf8)?;
        let declared = text.lines().find_map(|line| {
            let line = line.split("//").next().unwrap_or_default().trim();
            let rest = line.strip_prefix("module")?;
            rest.starts_with([' ', '\t', '"', '`']).then(|| rest.trim())
        });
        let declared = declared.ok_or(GoModuleError::Missing)?;
        let quoted = |quote| declared.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        Self::parse(quoted('"').or_else(|| quoted('`')).unwrap_or(declared))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_line_is_found_in_every_form_that_go_accepts() {
        for text in [
            "module github.com/acme/acme\n\ngo 1.25\n",
            "// a comment\nmodule  github.com/acme/acme // Deprecated: x\n",
            "go 1.25\nmodule \"github.com/acme/acme\"\r\n",
            "module\t`github.com/acme/acme`",
        ] {
            let module = GoModule::of_go_mod(text.as_bytes()).unwrap();
            assert_eq!(module.as_str(), "github.com/acme/acme", "{text}");
        }
    }

    #[test]
    fn text_that_could_end_an_import_is_refused() {
        use GoModuleError::{Malformed, Missing, NotUtf8};
        let table: [(&[u8], GoModuleError); 7] = [
            (b"", Missing),
            (b"modules x\n", Missing),
            (b"module a\"; evil\n", Malformed),
            (b"module a/../b\n", Malformed),
            (b"module (\n", Malformed),
            (b"module \"a\nb\"\n", Malformed),
            (b"module \xff\n", NotUtf8),
        ];
        for (bytes, expected) in table {
            assert_eq!(GoModule::of_go_mod(bytes), Err(expected), "{bytes:?}");
        }
    }
}
