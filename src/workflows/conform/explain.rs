//! The description of a probe: `--list` and `--explain`.

use std::collections::BTreeMap;

use crate::conform::{Probe, family as registry};
use crate::contract::{Family, suggestion};
use crate::report::answers::conformance::{
    ConformAnswer, FamilySize, FamilySizes, FixtureGuide, ProbeDescription, ProbeList, ProbeTitle,
    ProbeTitles,
};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::visible::excerpt;
use crate::visible::{Visible, visible};
use crate::workflows::Run;

/// The probe called `id`.
///
/// # Errors
/// Returns an error if there is none, with the nearest one.
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

/// Most bytes of a list without `--all`, about; the rest of 10 kB is for JSON around it.
const MAX_LISTED: usize = 8_000;
/// Bytes of JSON around one entry with a title, and around one without.
const AROUND_TITLE: usize = 62;
const AROUND_ID: usize = 40;
/// How to get the probes themselves.
const MORE: &str = "`--family FAMILY` lists the probes of a family, `--probe PREFIX` those whose names begin so, `--all` all with their titles, `--explain all --all` describes all";

/// The families, or the probes of one, or those that begin with one of `prefixes`.
///
/// # Errors
/// Returns an error if no probe begins so.
pub fn list(
    family: Option<Family>,
    prefixes: &[String],
    is_whole: bool,
    run: &Run,
) -> Result<Outcome, Failure> {
    if family.is_none() && prefixes.is_empty() && !is_whole {
        return Ok(families(run));
    }
    for prefix in prefixes {
        if !of(family).iter().any(|found| found.id.starts_with(prefix.as_str())) {
            probe(prefix)?;
        }
    }
    let is_wanted =
        |id: &str| prefixes.is_empty() || prefixes.iter().any(|one| id.starts_with(one.as_str()));
    let probes: Vec<_> = of(family).into_iter().filter(|probe| is_wanted(probe.id)).collect();
    let with_titles: usize =
        probes.iter().map(|probe| probe.id.len() + probe.title.len() + AROUND_TITLE).sum();
    let has_titles = is_whole || with_titles <= MAX_LISTED;
    let mut size = 0;
    let shown = probes.iter().take_while(|probe| {
        size += probe.id.len() + AROUND_ID;
        has_titles || size <= MAX_LISTED
    });
    let shown: Vec<_> = shown.collect();
    let more = (!has_titles).then(|| {
        let others = match probes.len() - shown.len() {
            0 => String::new(),
            count => format!("{count} probes and "),
        };
        format!("{others}the titles are left out; `--probe PREFIX` lists fewer probes, with their titles, and `--all` lists everything")
    });
    let width = shown.iter().map(|probe| probe.id.len()).max().unwrap_or_default();
    let mut lines: Vec<Visible> = shown
        .iter()
        .map(|probe| match has_titles {
            true => {
                visible!("{} {}", run.style.strong(format!("{:width$}", probe.id)), probe.title)
            }
            false => visible!("{}", probe.id),
        })
        .collect();
    lines.extend(more.iter().map(|more| visible!("{}", more)));
    let titles = shown
        .iter()
        .map(|probe| ProbeTitle { probe: probe.id, title: has_titles.then_some(probe.title) });
    let titles = ProbeTitles { probes: titles.collect(), more };
    Ok(Outcome::new(ConformAnswer::Listed(titles), Visible::joined(lines, "\n")))
}

/// Each family with the number of its probes, by section of its specification.
fn families(run: &Run) -> Outcome {
    let mut families: Vec<FamilySize> = Vec::new();
    for probe in of(None) {
        let name = probe.family.name();
        if families.last().is_none_or(|last| last.family != name) {
            families.push(FamilySize { family: name, probes: 0, sections: BTreeMap::new() });
        }
        if let Some(last) = families.last_mut() {
            last.probes += 1;
            *last.sections.entry(probe.section).or_default() += 1;
        }
    }
    let width = families.iter().map(|family| family.family.len()).max().unwrap_or_default();
    let mut lines: Vec<Visible> = families
        .iter()
        .map(|family| {
            let name = run.style.strong(format!("{:width$}", family.family));
            visible!("{} {} probes", name, family.probes)
        })
        .collect();
    lines.push(visible!("{}", MORE));
    let answer = FamilySizes { families, more: MORE };
    Outcome::new(ConformAnswer::Families(answer), Visible::joined(lines, "\n"))
}

/// Returns the format of conform.toml, without a network.
fn fixture() -> Outcome {
    let text = include_str!("../../../docs/conform-toml.md");
    Outcome::new(
        ConformAnswer::Fixture(FixtureGuide { fixture: text }),
        Visible::block(text.trim_end()),
    )
}

/// One probe, all of them if `is_whole` and else their list, or the file `conform.toml`.
///
/// # Errors
/// Returns an error if the probe does not exist.
pub fn explain(
    id: &str,
    family: Option<Family>,
    is_whole: bool,
    run: &Run,
) -> Result<Outcome, Failure> {
    if id == "fixture" {
        return Ok(fixture());
    }
    if id == "all" && !is_whole {
        return list(family, &[], false, run);
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
