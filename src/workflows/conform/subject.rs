//! The tool to run: that of a project, or a command from the command line.

use std::path::Path;

use crate::conform::family as registry;
use crate::conform::fixture::{FIXTURE_PATH, Fixture};
use crate::conform::target::{self, Target};
use crate::conform::tools::TOOLS;
use crate::contract::{Family, SpecTag};
use crate::error::{io_code, io_hint};
use crate::generate::record_conform::ProbeWaiver;
use crate::generate::vendor::Contract;
use crate::inputs::project::{Project, Slot};
use crate::inputs::spec_source::{self, SpecError};
use crate::report::{ErrorCode, Failure};
use crate::system::files::{self, Kind};

use super::ConformRequest;

/// Largest vendored contract, in bytes.
const MAX_CONTRACT: u64 = 2 * 1024 * 1024;

/// A tool, its contract, and what its project says about the run.
pub struct ExaminedProject {
    pub target: Target,
    pub contract: Contract,
    pub fixture: Option<Fixture>,
    pub waivers: Vec<ProbeWaiver>,
    pub notes: Vec<String>,
}

/// Finds the tool.
///
/// # Errors
/// Returns an error if there is no project, no program or no contract.
pub fn find(request: &ConformRequest, family: Option<Family>) -> Result<ExaminedProject, Failure> {
    let tag = request.tag.as_deref().map(tag).transpose()?;
    if request.command.is_empty() {
        return of_project(request, family, tag);
    }
    let family = family.ok_or_else(|| {
        Failure::new(ErrorCode::Usage, "a command after `--` needs its contract family")
            .hint(format!("add `--family NAME`, with one of {}", Family::names().join(", ")))
    })?;
    has_probes(family)?;
    let tag = match tag {
        Some(tag) => tag,
        None => spec_source::latest(family)?,
    };
    let contract = spec_source::embedded_release(family, &tag)?.contract.clone();
    let target = target::given(&request.command, family, tag)?;
    // Only a named file: a file that happens to be in this directory may describe another tool.
    let fixture = request.fixture.as_deref().map(Fixture::named).transpose()?;
    let mut notes = Vec::new();
    if fixture.is_none()
        && files::kind(Path::new(FIXTURE_PATH)).is_ok_and(|kind| kind != Kind::Absent)
    {
        notes.push(format!(
            "`{FIXTURE_PATH}` in this directory was not read; pass `--fixture {FIXTURE_PATH}` to use it"
        ));
    }
    Ok(ExaminedProject { target, contract, fixture, waivers: Vec::new(), notes })
}

fn of_project(
    request: &ConformRequest,
    family: Option<Family>,
    tag: Option<SpecTag>,
) -> Result<ExaminedProject, Failure> {
    let project = Project::open(request.path.as_deref().unwrap_or(Path::new(".")))?;
    if let Some(family) = family.filter(|family| *family != project.family) {
        let message =
            format!("`{}` follows the family `{}`, not `{family}`", project.shown, project.family);
        return Err(Failure::new(ErrorCode::Validation, message)
            .hint("omit `--family`; aos.toml has the family"));
    }
    has_probes(project.family)?;
    if let Slot::Faulty { reason, .. } = &project.record {
        return Err(Failure::new(ErrorCode::Validation, format!("aos.toml: {reason}"))
            .hint("fix the member; `aos check` reports it too"));
    }
    let mut notes = Vec::new();
    let pinned = project.pin.good().cloned();
    if let (Some(pin), Some(tag)) = (&pinned, &tag)
        && pin != tag
    {
        notes.push(format!("the project is pinned to {pin}, but was tested against {tag}"));
    }
    let tag = match tag.or(pinned) {
        Some(tag) => tag,
        None => {
            let latest = spec_source::latest(project.family)?;
            notes.push(format!("the project has no pin; it was tested against {latest}"));
            latest
        }
    };
    let contract = contract(&project, &tag)?;
    let fixture = match request.fixture.as_deref() {
        Some(path) => Some(Fixture::named(path)?),
        None => Fixture::read(&project.root)?,
    };
    let target = target::of_project(&project, &tool(&project), tag)?;
    let record = project.record.good();
    let waivers = record.map(|record| record.conform.waivers.clone()).unwrap_or_default();
    Ok(ExaminedProject { target, contract, fixture, waivers, notes })
}

/// A family without probes proves nothing about its tools, so no run may pass for it.
fn has_probes(family: Family) -> Result<(), Failure> {
    if !registry::of(family).is_empty() {
        return Ok(());
    }
    let message = format!("aos has no probes for the family `{family}`; nothing was run");
    Err(Failure::new(ErrorCode::Validation, message)
        .hint("use `aos check` and the project's own tests"))
}

/// The contract of a tag: from the binary, else the one that the project vendors.
fn contract(project: &Project, tag: &SpecTag) -> Result<Contract, Failure> {
    match spec_source::embedded_release(project.family, tag) {
        Ok(release) => return Ok(release.contract.clone()),
        Err(SpecError::UnknownTag { .. }) if project.pin.good() == Some(tag) => {}
        Err(error) => return Err(error.into()),
    }
    let directory =
        project.record.good().map_or("contract", |record| record.spec.directory.as_str());
    let path = project.root.join(directory).join("contract.json");
    let loaded = files::read(&path, MAX_CONTRACT).map_err(|error| {
        let message = format!("`{}` cannot be read: {error}", path.display());
        Failure::new(io_code(&error), message).hint(io_hint(&error))
    })?;
    Contract::parse(project.family, tag, &loaded.bytes).map_err(|error| {
        Failure::new(ErrorCode::Validation, format!("`{}`: {error}", path.display()))
            .hint("`aos check` reports what is wrong with it")
    })
}

/// Name of the tool: the manifest's, the record's or the package's; that of the directory, which may be any name of a
/// checkout, only without all of them.
fn tool(project: &Project) -> String {
    let named = TOOLS.of(project.family).and_then(|tools| tools.tool(project));
    named.unwrap_or_else(|| project.directory_name.clone())
}

fn tag(text: &str) -> Result<SpecTag, Failure> {
    SpecTag::parse(text).map_err(|error| {
        Failure::new(ErrorCode::Validation, error.to_string()).hint("use a tag such as `v1.1.0`")
    })
}
