//! The rules of connectors, for `aos check`.

use crate::audit::rules::FamilyRules;
use crate::contract::rules::{self, Rule};
use crate::contract::{Finding, HarnessContract, Repository};
use crate::generate::record::Record;
use crate::generate::vendor::Contract;

pub struct HarnessRules;

impl FamilyRules for HarnessRules {
    fn rules(&self) -> &'static [Rule] {
        rules::RULES
    }

    fn check(
        &self,
        repository: &Repository,
        contract: &Contract,
        _record: Option<&Record>,
    ) -> Vec<Finding> {
        let contract = contract.of::<HarnessContract>();
        contract.map(|it| rules::check_harness(repository, &it.facts())).unwrap_or_default()
    }
}
