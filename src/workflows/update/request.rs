//! The request of `aos update`.

use std::path::PathBuf;

use crate::update::install_method;

/// An update of this program.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Ask only; change nothing.
    pub check: bool,
    /// Show what would be done; change nothing.
    pub dry_run: bool,
    pub target_version: Option<String>,
    pub allow_downgrade: bool,
    pub trusted_root: Option<PathBuf>,
}

impl UpdateRequest {
    /// True if nothing is changed.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        self.check || self.dry_run
    }

    /// The same call again.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = "aos update".to_owned();
        for (given, flag) in [
            (self.check, " --check"),
            (self.dry_run, " --dry-run"),
            (self.allow_downgrade, " --allow-downgrade"),
        ] {
            line.push_str(if given { flag } else { "" });
        }
        for (name, value) in [
            ("--target-version", self.target_version.clone()),
            ("--trusted-root", self.trusted_root.as_ref().map(|path| path.display().to_string())),
        ] {
            if let Some(value) = value {
                line.push_str(&format!(" {name} {}", install_method::quoted(&value)));
            }
        }
        line
    }
}
