//! The result of examining a project.

use crate::contract::{Family, Finding};

use crate::inputs::spec_source::FaultNumber;

use super::inventory::Inventory;
use super::runtime::RuntimeState;
use super::template::TemplateState;
use super::waivers::{self, Waived};

/// The scope of a check.
#[derive(Clone, Debug, Default)]
pub struct AuditOptions {
    /// Only findings of these rules; all when empty.
    pub rules: Vec<String>,
    /// The day waivers are judged by, `YYYY-MM-DD`.
    pub today: String,
}

/// The verdict on one project.
#[derive(Clone, Debug)]
pub struct ProjectReport {
    /// As the user named it.
    pub path: String,
    /// Name of its directory.
    pub name: String,
    pub family: Family,
    /// The pinned tag, when it can be read.
    pub tag: Option<String>,
    /// The source of the contract, from the record.
    pub source: Option<String>,
    /// How the vendored bytes were judged: `embedded`, `signed`, `lock`, or `none` when they were not.
    pub trust: &'static str,
    /// The signer of the contract, if it was signed.
    pub signer: Option<String>,
    /// The reason why the contract is not available. If it is set, the project gets no verdict, whatever the findings are.
    pub fault: Option<FaultNumber>,
    pub notes: Vec<String>,
    /// The runtime that the project has, when it has one.
    pub runtime: Option<RuntimeState>,
    /// The template that the project was made from, when there is one.
    pub template: Option<TemplateState>,
    /// How many managed files were compared.
    pub compared: usize,
    /// How many files are managed, by the lock, the record and the pinned release.
    pub wanted: usize,
    /// Every path of the project by its class.
    pub inventory: Inventory,
    /// Directories inside that are projects of their own.
    pub nested: Vec<String>,
    pub findings: Vec<Finding>,
    pub waived: Vec<Waived>,
    /// The omitted findings, if only some rules were requested.
    pub passed_over: Option<PassedOverProject>,
}

/// Findings of rules that were not requested.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PassedOverProject {
    pub errors: usize,
    pub warnings: usize,
}

impl ProjectReport {
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.fault.is_none() && waivers::is_ok(&self.findings)
    }
}
