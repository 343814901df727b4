//! Homebrew: the program lies in the Cellar or the Caskroom of a prefix that has a `brew`.

use std::path::{Path, PathBuf};

use super::{InstallMethod, Owner};

pub(super) fn owner(path: &Path) -> Option<Owner> {
    let names: Vec<_> = path.components().collect();
    let at = names.iter().position(|part| {
        let name = part.as_os_str();
        name == "Cellar" || name == "Caskroom"
    })?;
    // `<prefix>/Cellar/<formula>/<version>/…`
    let formula = names.get(at + 1)?.as_os_str().to_str()?;
    names.get(at + 3)?;
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "@+-_.".contains(symbol);
    if formula.starts_with('-') || !formula.chars().all(plain) {
        return None;
    }
    let prefix: PathBuf = names[..at].iter().collect();
    let is_cask = names[at].as_os_str() == "Caskroom";
    let evidence = format!("`{}` belongs to Homebrew below `{}`", path.display(), prefix.display());
    Some((InstallMethod::Homebrew { prefix, formula: formula.to_owned(), is_cask }, evidence))
}
