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
    why: "Hosts find a package by its manifest and load nothing without one",
    fix: "add augmentor.toml; `aos new NAME --template augmentor-python` writes one to start from",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const SYNTAX: Rule = Rule {
    id: "augmentor/syntax",
    summary: "augmentor.toml is TOML in UTF-8, of at most the size that hosts read",
    why: "A host that cannot read the manifest does not list the package",
    fix: "correct the line",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const UNKNOWN_MEMBER: Rule = Rule {
    id: "augmentor/unknown-member",
    summary: "augmentor.toml has members of the contract only",
    why: "A misspelt member does nothing, and a misspelt permission is one that nobody sees",
    fix: "correct the name, or remove the member",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const MEMBER: Rule = Rule {
    id: "augmentor/member",
    summary: "Every required member of augmentor.toml is there, and each has its type",
    why: "A host refuses a manifest without them",
    fix: "write the member with a value of its type",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const FORM: Rule = Rule {
    id: "augmentor/form",
    summary: "Names, version, entry, prefix and secrets have the form of the contract",
    why: "They become names of tools, environment variables and modules; a host refuses others",
    fix: "write a value of that form",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const VALUE: Rule = Rule {
    id: "augmentor/value",
    summary: "Runtime, caps, permissions and `abi` have values of the contract",
    why: "A host refuses a value that it does not know",
    fix: "use one of the listed values",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const TWICE: Rule = Rule {
    id: "augmentor/twice",
    summary: "No list of augmentor.toml names something twice",
    why: "The second one has no effect, and usually another value was meant",
    fix: "remove one of them",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const ENTRIES: Rule = Rule {
    id: "augmentor/entries",
    summary: "The member of `[entries]` for `runtime` equals `entry`",
    why: "Hosts that know `entry` only would load other code than hosts that read `[entries]`",
    fix: "make both name the same factory",
    source: "augmentor ABI §2.2",
    ..ERROR
};
pub(super) const ENTRY_FILE: Rule = Rule {
    id: "augmentor/entry-file",
    summary: "The file that the entry names is in the package",
    why: "A host that finds no file cannot load the package",
    fix: "correct `entry`, or add the file",
    source: "augmentor ABI §2.1",
    ..ERROR
};
pub(super) const ENTRY_OUTSIDE: Rule = Rule {
    id: "augmentor/entry-outside",
    summary: "The entry is a file of the package, not a link",
    why: "Code outside the package is not the code that was published and reviewed",
    fix: "replace the link by the file",
    source: "augmentor ABI §2.1",
    ..ERROR
};
pub(super) const NAME_DIFFERS: Rule = Rule {
    id: "augmentor/name-differs",
    summary: "pyproject.toml and package.json carry the name of augmentor.toml",
    why: "People install the package by one name and hosts list it by the other",
    fix: "use one name; package.json may add a scope",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const VERSION_DIFFERS: Rule = Rule {
    id: "augmentor/version-differs",
    summary: "pyproject.toml and package.json carry the version of augmentor.toml",
    why: "Hosts keep a package by the version of its manifest; a release with an old one is not loaded anew",
    fix: "use one version",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const NOT_PUBLISHED: Rule = Rule {
    id: "augmentor/not-published",
    summary: "augmentor.toml is among the files of the wheel and of the npm package",
    why: "An installed package without its manifest is invisible to hosts",
    fix: "add augmentor.toml to `files` of package.json, and to the wheel in pyproject.toml",
    source: "augmentor ABI §2",
    ..ERROR
};
pub(super) const DEPENDENCIES: Rule = Rule {
    id: "augmentor/dependencies",
    severity: Severity::Warning,
    summary: "The package needs no other package at run time",
    why: "A host loads many packages; each dependency can clash with that of another",
    fix: "vendor what is small, or accept the finding with a reason",
    source: "augmentor ABI §1",
    ..ERROR
};
