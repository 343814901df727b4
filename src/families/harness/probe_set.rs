//! How connectors are found, called and judged by `aos conform`.

use crate::conform::family::ProbeSet;
use crate::conform::harness::{PROBES, invariants};
use crate::conform::monitor::{Noted, Ruling};
use crate::conform::secrets::Sentinel;
use crate::conform::{Probe, Session};
use crate::inputs::project::Project;

pub struct HarnessProbes;

impl ProbeSet for HarnessProbes {
    fn probes(&self) -> &'static [Probe] {
        PROBES
    }

    fn greeting(&self) -> &'static [&'static str] {
        &["--json", "capabilities"]
    }

    fn directory(&self) -> &'static str {
        "agent-harness"
    }

    fn places(&self) -> &'static [&'static str] {
        &[
            "agent-harness/.venv/bin",
            "agent-harness/venv/bin",
            "agent-harness/bin",
            "agent-harness/shims",
        ]
    }

    fn tool(&self, project: &Project) -> Option<String> {
        let answered = || project.answer("name").map(|name| format!("aos-{name}"));
        project
            .member("connector.json", "tool")
            .or_else(|| project.python_name("agent-harness/pyproject.toml"))
            .or_else(answered)
    }

    fn sentinels(&self, session: &Session) -> Vec<Sentinel> {
        invariants::sentinels(session)
    }

    fn judge(&self, session: &Session, calls: &[Noted]) -> Vec<Ruling> {
        invariants::judge(session, calls)
    }
}
