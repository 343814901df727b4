//! How stand-alone CLIs are found, called and judged by `aos conform`.

use crate::conform::agent_cli::{PROBES, invariants};
use crate::conform::family::ProbeSet;
use crate::conform::monitor::{Noted, Ruling};
use crate::conform::secrets::Sentinel;
use crate::conform::{Probe, Session};
use crate::inputs::project::Project;

pub struct AgentCliProbes;

impl ProbeSet for AgentCliProbes {
    fn probes(&self) -> &'static [Probe] {
        PROBES
    }

    fn greeting(&self) -> &'static [&'static str] {
        &["reference"]
    }

    fn directory(&self) -> &'static str {
        "."
    }

    fn places(&self) -> &'static [&'static str] {
        &["bin", "dist", "build", ".venv/bin", "venv/bin", "target/release", "target/debug"]
    }

    fn tool(&self, project: &Project) -> Option<String> {
        project.answer("name").or_else(|| project.python_name("pyproject.toml"))
    }

    fn sentinels(&self, session: &Session) -> Vec<Sentinel> {
        invariants::sentinels(session)
    }

    fn judge(&self, session: &Session, calls: &[Noted]) -> Vec<Ruling> {
        invariants::judge(session, calls)
    }
}
