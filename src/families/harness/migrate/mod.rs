//! The migration of connectors: a file for each rewrite, and the start of a copy.
//!
//! A rewrite changes what it understands completely; every other place it leaves, with the reason.

mod code;
mod contract_module;
mod flags;
mod health_words;
mod launcher;
mod masks;
mod package_name;
mod permission_keys;
mod places;
mod toml_values;

use std::path::Path;

use crate::contract::ProjectFiles;
use crate::reason::Reason;
use crate::workflows::migrate::seam::{Migrator, ProjectLauncher, ProjectRewrite};

/// The package comes first, because generated files go into it.
const REWRITES: &[ProjectRewrite] = &[
    ProjectRewrite {
        id: "package-name",
        summary: "the Python package has the name of the tool, not `cli_aos`",
        generators: &[],
        run: package_name::rewrite,
    },
    ProjectRewrite {
        id: "permission-keys",
        summary: "permissions.json is generated, with the modes under both keys",
        generators: &["permissions"],
        run: permission_keys::rewrite,
    },
    ProjectRewrite {
        id: "contract-module",
        summary: "manifest and modes come from contract_gen.py, not from files outside the package",
        generators: &["python"],
        run: contract_module::rewrite,
    },
    ProjectRewrite {
        id: "health-words",
        summary: "health reports `healthy` instead of `ready`",
        generators: &[],
        run: health_words::rewrite,
    },
    ProjectRewrite {
        id: "masks",
        summary: "masks show no part of a secret",
        generators: &[],
        run: masks::rewrite,
    },
    ProjectRewrite {
        id: "flags",
        summary: "global flags are accepted in any position",
        generators: &[],
        run: flags::rewrite,
    },
];

pub struct HarnessMigrator;

impl Migrator for HarnessMigrator {
    fn rewrites(&self) -> &'static [ProjectRewrite] {
        REWRITES
    }

    fn launcher(&self, root: &Path, files: &ProjectFiles) -> Result<ProjectLauncher, Reason> {
        launcher::launcher(root, files)
    }
}
