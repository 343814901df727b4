//! Homebrew: the program is in the Cellar or the Caskroom of a prefix.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::strict_json;
use crate::system::files;

use super::method::{InstallMethod, Owner, is_file, parts};

/// The receipt that Homebrew writes for an installation.
const RECEIPT: &str = "INSTALL_RECEIPT.json";
/// Largest receipt, in bytes.
const MAX_RECEIPT: u64 = 1024 * 1024;

pub(super) fn owner(path: &Path) -> Option<Owner> {
    let keg = Keg::around(path)?;
    if keg.name.starts_with("node") {
        // Node.js came with Homebrew; the packages in it came with npm.
        return None;
    }
    let formula = match keg.tap() {
        // The whole name, so that Homebrew never uses a formula of the same name in another tap.
        Some(tap) if tap != "homebrew/core" && tap != "homebrew/cask" => {
            format!("{tap}/{}", keg.name)
        }
        _ => keg.name.to_owned(),
    };
    let evidence = format!("Homebrew owns `{}` in `{}`", path.display(), keg.prefix.display());
    Some((InstallMethod::Homebrew { prefix: keg.prefix, formula, is_cask: keg.is_cask }, evidence))
}

/// The link to the program that stays when its version changes: `Cellar/<formula>/<version>` is removed then.
pub(super) fn link(path: &Path) -> Option<PathBuf> {
    let keg = Keg::around(path)?;
    // Every formula has this one, also when its programs are not linked into the prefix.
    let inner = path.strip_prefix(&keg.directory).ok()?;
    let stable = keg.prefix.join("opt").join(keg.name).join(inner);
    if !keg.is_cask && is_file(&stable) {
        return Some(stable);
    }
    Some(keg.prefix.join("bin").join(path.file_name()?))
}

/// `<prefix>/Cellar/<formula>/<version>` or `<prefix>/Caskroom/<token>/<version>`.
struct Keg<'a> {
    prefix: PathBuf,
    name: &'a str,
    directory: PathBuf,
    is_cask: bool,
}

impl<'a> Keg<'a> {
    fn around(path: &'a Path) -> Option<Self> {
        let parts = parts(path);
        let at = parts.iter().position(|part| *part == "Cellar" || *part == "Caskroom")?;
        let [name, _version, _program, ..] = parts.get(at + 1..)? else { return None };
        if !is_word(name) {
            return None;
        }
        let part = |length: usize| path.components().take(length).collect::<PathBuf>();
        Some(Self {
            prefix: part(at),
            name,
            directory: part(at + 3),
            is_cask: parts[at] == "Caskroom",
        })
    }

    /// `owner/repository` that it came from.
    fn tap(&self) -> Option<String> {
        let receipt = if self.is_cask {
            self.directory.parent()?.join(".metadata").join(RECEIPT)
        } else {
            self.directory.join(RECEIPT)
        };
        let bytes = files::read(&receipt, MAX_RECEIPT).ok()?.bytes;
        let document = strict_json::read(std::str::from_utf8(&bytes).ok()?).ok()?;
        let tap = document.get("source")?.get("tap").and_then(Value::as_str)?;
        let (owner, name) = tap.split_once('/')?;
        (is_word(owner) && is_word(name)).then(|| tap.to_owned())
    }
}

/// A word that is safe in a command line and is not an option.
fn is_word(word: &str) -> bool {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "@+-_.".contains(symbol);
    !word.is_empty() && word.len() <= 100 && !word.starts_with('-') && word.chars().all(plain)
}
