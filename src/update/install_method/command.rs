//! The command that updates a managed program: as arguments, and as a line for people.

use std::path::{Path, PathBuf};

use semver::Version;

use crate::release::{Repository, repository};
use crate::system::search_path;

use super::method::{CrateSource, InstallMethod, is_file};
use super::node::PACKAGE;

/// Calls of one package manager, in order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ManagerCommand {
    /// The package manager that owns this installation, or the one on PATH; `None` if there is none.
    pub program: Option<PathBuf>,
    pub name: &'static str,
    pub calls: Vec<Vec<String>>,
    /// The same for a shell.
    pub shown: String,
}

impl ManagerCommand {
    fn new(name: &'static str, program: Option<PathBuf>, calls: Vec<Vec<String>>) -> Self {
        let call = |call: &Vec<String>| {
            let words = call.iter().map(|word| quoted(word));
            [name.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
        };
        let shown = calls.iter().map(call).collect::<Vec<_>>().join(" && ");
        Self { program, name, calls, shown }
    }
}

impl InstallMethod {
    /// Returns the command with which the package manager installs `target`; `None` if aos replaces the file itself or
    /// does not run the manager.
    #[must_use]
    pub fn command(&self, target: &Version, own: &Repository) -> Option<ManagerCommand> {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        match self {
            Self::Standalone | Self::Managed { .. } => None,
            Self::Npm { prefix } => {
                let program =
                    beside(&prefix.join(if cfg!(windows) { "npm.cmd" } else { "bin/npm" }))
                        .or_else(|| search_path::find("npm"));
                let prefix = prefix.display().to_string();
                let package = format!("{PACKAGE}@{target}");
                // The prefix of this installation; another npm on PATH may have another prefix.
                let call = words(&["install", "--global", "--prefix", &prefix, &package]);
                Some(ManagerCommand::new("npm", program, vec![call]))
            }
            Self::Cargo { root, source } => {
                let root = root.display().to_string();
                let tag = repository::tag(target);
                let url = own.url();
                let version = format!("={target}");
                let call = match source {
                    CrateSource::Git => words(&[
                        "install", "--locked", "--root", &root, "--git", &url, "--tag", &tag, "aos",
                    ]),
                    CrateSource::Registry => words(&[
                        "install",
                        "--locked",
                        "--root",
                        &root,
                        "--version",
                        &version,
                        "aos",
                    ]),
                };
                let program = beside(&Path::new(&root).join("bin/cargo"))
                    .or_else(|| search_path::find("cargo"));
                Some(ManagerCommand::new("cargo", program, vec![call]))
            }
            Self::Homebrew { prefix, formula, is_cask } => {
                let kind = if *is_cask { "--cask" } else { "--formula" };
                // The first call refreshes the index that the second one uses.
                let calls = vec![words(&["update"]), words(&["upgrade", kind, formula])];
                let program =
                    beside(&prefix.join("bin/brew")).or_else(|| search_path::find("brew"));
                Some(ManagerCommand::new("brew", program, calls))
            }
        }
    }

    /// True if the package manager can install only its newest version.
    #[must_use]
    pub fn is_newest_only(&self) -> bool {
        matches!(self, Self::Homebrew { .. })
    }
}

/// The program of the package manager in its own installation.
fn beside(path: &Path) -> Option<PathBuf> {
    is_file(path).then(|| path.to_owned())
}

/// A word for a POSIX shell, in single quotes if it has special characters.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "@%+=:,./-_".contains(symbol);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_meaning_in_a_shell() {
        for (word, expected) in [
            ("@argentaios/aos@1.2.3", "@argentaios/aos@1.2.3"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$(rm -rf /)", "'$(rm -rf /)'"),
            ("it's", r"'it'\''s'"),
            ("~/x", "'~/x'"),
            ("a\nb", "'a\nb'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn every_manager_is_told_the_exact_version_where_it_takes_one() {
        let own = Repository::parse("acme/aos").unwrap();
        let shown =
            |method: &InstallMethod| method.command(&Version::new(1, 2, 3), &own).unwrap().shown;
        let prefix = PathBuf::from("/opt/a b");
        assert_eq!(
            shown(&InstallMethod::Npm { prefix: prefix.clone() }),
            "npm install --global --prefix '/opt/a b' @argentaios/aos@1.2.3"
        );
        let cargo = |source| InstallMethod::Cargo { root: "/c".into(), source };
        assert_eq!(
            shown(&cargo(CrateSource::Git)),
            "cargo install --locked --root /c --git https://github.com/acme/aos --tag v1.2.3 aos"
        );
        assert_eq!(
            shown(&cargo(CrateSource::Registry)),
            "cargo install --locked --root /c --version =1.2.3 aos"
        );
        let formula = "aos".to_owned();
        assert_eq!(
            shown(&InstallMethod::Homebrew { prefix, formula, is_cask: false }),
            "brew update && brew upgrade --formula aos"
        );
        assert_eq!(InstallMethod::Standalone.command(&Version::new(1, 2, 3), &own), None);
    }
}
