//! `aos conform` for adapters: the driver of the adapter is built with Go, and answers one probe at a time.

mod driver;
mod probes;

use std::path::PathBuf;

use crate::conform::family::ProbeSet;
use crate::conform::monitor::{Noted, Ruling};
use crate::conform::secrets::Sentinel;
use crate::conform::target::{Target, TargetError};
use crate::conform::{Probe, Session};
use crate::contract::SpecTag;
use crate::inputs::project::Project;
use crate::system::search_path;

pub struct AdapterProbes;

impl ProbeSet for AdapterProbes {
    fn probes(&self) -> &'static [Probe] {
        &probes::PROBES
    }

    fn greeting(&self) -> &'static [&'static str] {
        &[]
    }

    fn directory(&self) -> &'static str {
        "."
    }

    fn places(&self) -> &'static [&'static str] {
        &[]
    }

    fn tool(&self, project: &Project) -> Option<String> {
        project.answer("name")
    }

    /// The Go toolchain. Without one there is still something to report: every probe is blocked.
    fn target(&self, project: &Project, tag: &SpecTag) -> Option<Result<Target, TargetError>> {
        let go = search_path::find("go");
        let found = if go.is_some() { "the Go toolchain on PATH" } else { "no Go toolchain" };
        Some(Ok(Target {
            family: project.family,
            tag: tag.clone(),
            program: go.unwrap_or_else(|| PathBuf::from("go")),
            prefix: Vec::new(),
            directory: Some(project.root.clone()),
            root: Some(project.root.clone()),
            tool: self.tool(project).unwrap_or_else(|| project.directory_name.clone()),
            found: found.to_owned(),
        }))
    }

    fn answers_with_envelopes(&self) -> bool {
        false
    }

    /// The driver needs no secret.
    fn sentinels(&self, _session: &Session) -> Vec<Sentinel> {
        Vec::new()
    }

    fn judge(&self, _session: &Session, calls: &[Noted]) -> Vec<Ruling> {
        calls.iter().map(|_| Ruling::default()).collect()
    }
}
