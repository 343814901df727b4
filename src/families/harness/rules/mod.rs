//! The rules of connectors, for `aos check`.

pub mod all;
mod auth;
mod cli_tree;
mod command_ids;
mod commands;
mod documented;
pub mod facts;
mod fields;
#[cfg(test)]
mod fleet;
pub mod host_view;
mod layout;
mod manifest_shape;
mod modes;
mod packaging;
mod permissions;
mod python;
#[cfg(test)]
mod sample;
mod secrets;
mod subject;
#[cfg(test)]
mod tests;

pub(super) use python::is_probe;
pub(super) use secrets::{is_mask_function, is_partial_mask};
pub(super) use subject::is_test;

use super::contract::HarnessContract;
use crate::audit::rules::FamilyRules;
use crate::contract::rules::rule::Rule;
use crate::contract::{Finding, ProjectFiles};
use crate::generate::record::Record;
use crate::generate::vendor::Contract;

pub struct HarnessRules;

impl FamilyRules for HarnessRules {
    fn rules(&self) -> &'static [Rule] {
        all::RULES
    }

    fn unreadable_source(&self) -> &'static [&'static str] {
        &["manifest/missing", "manifest/syntax", "manifest/encoding", "manifest/duplicate-key"]
    }

    fn check(
        &self,
        repository: &ProjectFiles,
        contract: &Contract,
        _record: Option<&Record>,
    ) -> Vec<Finding> {
        let contract = contract.of::<HarnessContract>();
        contract.map(|it| all::check_harness(repository, &it.facts())).unwrap_or_default()
    }
}
