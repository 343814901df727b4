//! Every rule of aos: its own, those about guards and members, and those of each family.

use crate::contract::family::FamilyParts;
use crate::contract::rules::rule::Rule;
use crate::contract::{Family, Finding, ProjectFiles};
use crate::generate::record::Record;
use crate::generate::vendor::Contract;

use super::{guard, members, rules};

/// The static rules of a family.
pub trait FamilyRules: Sync {
    /// Every rule, in the order of the reference.
    fn rules(&self) -> &'static [Rule];

    /// Judges a project by `contract`; the record is `None` when there is none that can be read.
    fn check(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        record: Option<&Record>,
    ) -> Vec<Finding>;

    /// The rules that report a source file which cannot be parsed, so that nothing can be generated from it.
    fn unreadable_source(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns notes about facts that the rules could not judge, with the reasons.
    fn notes(&self, _: &ProjectFiles, _: &Contract, _: Option<&Record>) -> Vec<String> {
        Vec::new()
    }
}

/// The rules of each family.
pub static FAMILY_RULES: FamilyParts<dyn FamilyRules> = FamilyParts::new();

/// Every rule of aos: its own, then those of each family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_families = FAMILY_RULES.entries().into_iter().flat_map(|(_, part)| part.rules());
    rules::RULES.iter().chain(guard::RULES).chain(members::RULES).chain(of_families)
}

/// The rule called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// True if the rule judges projects of `family`.
#[must_use]
pub fn applies(rule: &Rule, family: Family) -> bool {
    rule.families.is_empty() || rule.families.contains(&family)
}
