//! The description of a probe: `--list` and `--explain`.

use crate::conform::{Probe, family as registry};
use crate::contract::{Family, suggestion};
use crate::report::answers::conformance::{
    ConformAnswer, FixtureGuide, ProbeDescription, ProbeList, ProbeTitle, ProbeTitles,
};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::excerpt;
use crate::visible::{Visible, visible};
use crate::workflows::Run;

/// The probe called `id`.
///
/// # Errors
/// When there is none, with the nearest one.
pub fn probe(id: &str) -> Result<&'static Probe, Failure> {
    registry::find(id).ok_or_else(|| {
        let hint = suggestion::nearest(id, registry::all().into_iter().map(|probe| probe.id))
            .map_or_else(
                || "`aos conform --list` lists every probe".to_owned(),
                |nearest| format!("did you mean `{nearest}`?"),
            );
        let shown = id.chars().take(60).collect::<String>();
        Failure::new(
            ErrorCode::Validation,
            format!("the probe `{}` does not exist", excerpt(&shown, 200)),
        )
        .hint(hint)
    })
}

fn of(family: Option<Family>) -> Vec<&'static Probe> {
    registry::all()
        .into_iter()
        .filter(|probe| family.is_none_or(|family| family == probe.family))
        .collect()
}

/// All probes in one line each.
#[must_use]
pub fn list(family: Option<Family>, run: &Run) -> Outcome {
    let probes = of(family);
    let width = probes.iter().map(|probe| probe.id.len()).max().unwrap_or_default();
    let lines = probes.iter().map(|probe| {
        visible!("{} {}", run.style.strong(format!("{:width$}", probe.id)), probe.title)
    });
    let titles = probes.iter().map(|probe| ProbeTitle { probe: probe.id, title: probe.title });
    let titles = ProbeTitles { probes: titles.collect() };
    Outcome::new(ConformAnswer::Listed(titles), Visible::joined(lines, "\n"))
}

/// Returns the format of conform.toml, without a network.
fn fixture() -> Outcome {
    let text = include_str!("../../../docs/conform-toml.md");
    Outcome::new(
        ConformAnswer::Fixture(FixtureGuide { fixture: text }),
        Visible::block(text.trim_end()),
    )
}

/// One probe, all of them, or the file `conform.toml`.
///
/// # Errors
/// When the probe does not exist.
pub fn explain(id: &str, family: Option<Family>, run: &Run) -> Result<Outcome, Failure> {
    if id == "fixture" {
        return Ok(fixture());
    }
    let probes = if id == "all" { of(family) } else { vec![probe(id)?] };
    let text = probes.iter().map(|probe| {
        let needs: Vec<_> = probe.needs.iter().map(|need| need.name()).collect();
        let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") };
        visible!(
            "{} ({} {})\n  {}\n  why: {}\n  fix: {}\n  needs: {}{}",
            run.style.strong(probe.id),
            probe.family,
            probe.section,
            probe.title,
            probe.why,
            probe.fix,
            needs,
            requirement(probe),
        )
    });
    Ok(Outcome::new(described(&probes), Visible::joined(text, "\n\n")))
}

/// The level of the requirement, and the capabilities that it depends on.
fn requirement(probe: &Probe) -> Visible {
    let Some(found) = registry::requirement(probe) else { return Visible::default() };
    let tools = match found.capabilities.as_slice() {
        [] => String::new(),
        words => format!(", for tools with: {}", words.join(", ")),
    };
    visible!("\n  level: {}{}", found.level, tools)
}

fn described(probes: &[&Probe]) -> ConformAnswer {
    let described = |probe: &&Probe| ProbeDescription {
        level: registry::requirement(probe).map(|found| found.level),
        capabilities: registry::requirement(probe)
            .map(|found| found.capabilities)
            .unwrap_or_default(),
        probe: probe.id,
        family: probe.family.name(),
        section: probe.section,
        title: probe.title,
        why: probe.why,
        fix: probe.fix,
        needs: probe.needs.iter().map(|need| need.name()).collect(),
    };
    ConformAnswer::Probes(ProbeList { probes: probes.iter().map(described).collect() })
}
