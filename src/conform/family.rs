//! What the engine asks of a family whose tools are programs that answer calls.

use crate::contract::family::Parts;
use crate::contract::{Family, SpecTag};
use crate::inputs::project::Project;

use super::monitor::{Noted, Ruling};
use super::probe::Probe;
use super::secrets::Sentinel;
use super::session::Session;
use super::target::{Target, TargetError};

/// How tools of a family are found, called and judged.
pub trait ProbeSet: Sync {
    /// Every probe, in the order of the reference.
    fn probes(&self) -> &'static [Probe];

    /// The call that every tool of the family answers.
    fn greeting(&self) -> &'static [&'static str];

    /// The directory of a project in which its tool runs; `.` is the root.
    fn directory(&self) -> &'static str;

    /// Directories of a project in which its program usually is.
    fn places(&self) -> &'static [&'static str];

    /// The name of a project's tool, as its files say.
    fn tool(&self, project: &Project) -> Option<String>;

    /// Secrets that no call may show.
    fn sentinels(&self, session: &Session) -> Vec<Sentinel>;

    /// What the family runs in place of a program of the project; `None` when the tool is a program.
    fn target(&self, _project: &Project, _tag: &SpecTag) -> Option<Result<Target, TargetError>> {
        None
    }

    /// Whether a tool answers with envelopes. Then a run without one proves nothing.
    fn answers_with_envelopes(&self) -> bool {
        true
    }

    /// What each call of the run says about the rules that hold for every call.
    fn judge(&self, session: &Session, calls: &[Noted]) -> Vec<Ruling>;
}

/// The probes of each family.
pub static PROBES: Parts<dyn ProbeSet> = Parts::new();

/// Every probe of a family.
#[must_use]
pub fn of(family: Family) -> &'static [Probe] {
    PROBES.of(family).map(ProbeSet::probes).unwrap_or_default()
}

/// Every probe of every family.
#[must_use]
pub fn all() -> Vec<&'static Probe> {
    PROBES.entries().into_iter().flat_map(|(_, part)| part.probes()).collect()
}

/// The probe called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static Probe> {
    all().into_iter().find(|probe| probe.id == id)
}
