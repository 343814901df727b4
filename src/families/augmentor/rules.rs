//! The rules of augmentors, for `aos check`: what can be seen in a package without running it.

use crate::audit::rules::FamilyRules;
use crate::contract::rules::collector::Collector;
use crate::contract::rules::rule::Rule;
use crate::contract::rules::{RECORD, secrets};
use crate::contract::{Finding, ProjectFiles, Severity};
use crate::generate::record::Record;
use crate::generate::vendor::Contract;

use super::contract::AugmentorContract;
use super::contract::FAMILY;
use super::{manifest, package};

pub struct AugmentorRules;

impl FamilyRules for AugmentorRules {
    fn rules(&self) -> &'static [Rule] {
        RULES
    }

    fn check(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        _record: Option<&Record>,
    ) -> Vec<Finding> {
        let Ok(contract) = contract.of::<AugmentorContract>() else { return Vec::new() };
        let mut found = Collector::default();
        if let Some(manifest) = manifest::check(repository, contract, &mut found) {
            package::check(repository, contract, &manifest, &mut found);
        }
        for (path, file) in &repository.files {
            secrets::scan(path, &file.bytes, &mut found);
        }
        found.into_findings(repository.files.contains_key(RECORD))
    }
}

/// Base of the rules that fail a check.
const ERROR: Rule = Rule {
    id: "",
    severity: Severity::Error,
    waivable: true,
    families: &[FAMILY],
    summary: "",
    why: "",
    fix: "",
    source: "",
};

/// Every rule, in the order of the reference.
pub const RULES: &[Rule] = &[
    MISSING,
    SYNTAX,
    UNKNOWN_MEMBER,
    MEMBER,
    FORM,
    VALUE,
    TWICE,
    ENTRIES,
    ENTRY_FILE,
    ENTRY_OUTSIDE,
    NAME_DIFFERS,
    VERSION_DIFFERS,
    NOT_PUBLISHED,
    DEPENDENCIES,
];

pub(super) const MISSING: Rule = Rule {
    id: "augmentor/missing",
    summary: "The package has an `augmentor.toml` at its root",
    why: "Hosts find a package by its manifest",
    fix: "add augmentor.toml; `aos new NAME --template augmentor-python` writes one to start from",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const SYNTAX: Rule = Rule {
    id: "augmentor/syntax",
    summary: "augmentor.toml is UTF-8 TOML and not larger than the limit of hosts",
    why: "A host does not list a package whose manifest it cannot read",
    fix: "correct the line",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const UNKNOWN_MEMBER: Rule = Rule {
    id: "augmentor/unknown-member",
    summary: "augmentor.toml has only members of the contract",
    why: "A misspelt member has no effect, and a misspelt permission is not shown to the user",
    fix: "correct the name, or remove the member",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const MEMBER: Rule = Rule {
    id: "augmentor/member",
    summary: "augmentor.toml has every required member, and each member has its type",
    why: "A host refuses any other manifest",
    fix: "add the member with a value of its type",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const FORM: Rule = Rule {
    id: "augmentor/form",
    summary: "Names, version, entry, prefix and secrets have the form of the contract",
    why: "They become names of tools, environment variables and modules; a host refuses other values",
    fix: "write a value of that form",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const VALUE: Rule = Rule {
    id: "augmentor/value",
    summary: "Runtime, caps, permissions and `abi` have values of the contract",
    why: "A host refuses an unknown value",
    fix: "use one of the listed values",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const TWICE: Rule = Rule {
    id: "augmentor/twice",
    summary: "No list in augmentor.toml has duplicate entries",
    why: "A duplicate has no effect, and usually another value was intended",
    fix: "remove one of them",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const ENTRIES: Rule = Rule {
    id: "augmentor/entries",
    summary: "The member of `[entries]` for `runtime` equals `entry`",
    why: "Hosts that ignore `[entries]` and hosts that read it would load different code",
    fix: "make both name the same factory",
    source: "augmentor ABI §2.2",
    ..ERROR
};
pub(super) const ENTRY_FILE: Rule = Rule {
    id: "augmentor/entry-file",
    summary: "The file of the entry is in the package",
    why: "Without the file, a host cannot load the package",
    fix: "correct `entry`, or add the file",
    source: "augmentor ABI §2.1",
    ..ERROR
};
pub(super) const ENTRY_OUTSIDE: Rule = Rule {
    id: "augmentor/entry-outside",
    summary: "The entry is a file of the package, not a link",
    why: "Code outside the package was neither published nor reviewed with it",
    fix: "replace the link with the file",
    source: "augmentor ABI §2.1",
    ..ERROR
};
pub(super) const NAME_DIFFERS: Rule = Rule {
    id: "augmentor/name-differs",
    summary: "pyproject.toml and package.json have the name in augmentor.toml",
    why: "Otherwise people install the package under one name, and hosts list it under another",
    fix: "use one name; package.json may add a scope",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const VERSION_DIFFERS: Rule = Rule {
    id: "augmentor/version-differs",
    summary: "pyproject.toml and package.json have the version in augmentor.toml",
    why: "Hosts cache a package by the version in its manifest, and do not reload a release with an old one",
    fix: "use one version",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const NOT_PUBLISHED: Rule = Rule {
    id: "augmentor/not-published",
    summary: "augmentor.toml is among the files of the wheel and of the npm package",
    why: "Hosts do not find an installed package without its manifest",
    fix: "add augmentor.toml to `files` of package.json, and to the wheel in pyproject.toml",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const DEPENDENCIES: Rule = Rule {
    id: "augmentor/dependencies",
    severity: Severity::Warning,
    summary: "The package needs no other package at run time",
    why: "A host loads many packages, whose dependencies can conflict",
    fix: "vendor small dependencies, or waive the finding with a reason",
    source: "augmentor ABI §1",
    ..ERROR
};
