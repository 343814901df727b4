//! The answer: every tool judged, grouped by reason, with the steps that make it ready.

use std::collections::BTreeMap;
use std::path::Path;

use crate::report::conformance::shell;
use crate::report::discovery::{self, Discovery, Group, Summary, Tool};
use crate::visible::excerpt;

use super::probing::{Probed, workers};
use super::scan::{Candidate, Scan};
use super::seam::{Described, Host, Judged, Said, State};

/// Most names of one group, and most entries that are listed as passed over.
const MAX_NAMES: usize = 40;
const MAX_PASSED_OVER: usize = 20;
/// Longest text that a tool says, in bytes, and most entries of a list in it.
const MAX_DETAIL: usize = 200;
const MAX_LISTED: usize = 12;
/// Most commands in `next`, and most tools that one of them names.
const MAX_NEXT: usize = 10;
/// The first words of the command that gives a connector its program.
const INSTALLER: &str = "python3 -m venv ";
/// Longest name in an answer.
const MAX_NAME: usize = 80;

/// The selection of tools in the answer.
#[derive(Clone, Copy, Debug)]
pub struct WantedTools<'a> {
    pub details: bool,
    pub probed: bool,
    /// The call that looks at the same directories.
    pub call: &'a str,
}

/// Judges everything that was found.
pub fn of(
    host: &dyn Host,
    scan: Scan,
    probed: Vec<Option<Probed>>,
    wanted: WantedTools<'_>,
) -> Discovery {
    let mut notes = scan.notes.clone();
    if wanted.probed {
        notes.extend(crowded(host, &probed));
    }
    let mut tools = Vec::new();
    let mut groups: BTreeMap<(u8, &'static str, &'static str), Group> = BTreeMap::new();
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut summary = Summary { tools: scan.candidates.len(), ..Summary::default() };
    for (candidate, probed) in scan.candidates.iter().zip(probed) {
        let described = candidate.directory.as_deref().map(|path| host.describe(path));
        let described = described.unwrap_or_default();
        let judged = judge(host, candidate, &described, probed.as_ref());
        let shown = excerpt(&candidate.name, MAX_NAME);
        let called = judged.tool.clone().or_else(|| described.tool.clone());
        names
            .entry(called.unwrap_or_else(|| candidate.name.clone()))
            .or_default()
            .push(shown.clone());
        count(&mut summary, &judged);
        let group = groups
            .entry((rank(judged.state), judged.reason, judged.promised.name()))
            .or_insert_with(|| Group {
                state: judged.state.name(),
                promised: judged.promised.name(),
                reason: judged.reason,
                meaning: judged.meaning,
                fix: judged.fix,
                count: 0,
                tools: Vec::new(),
            });
        group.count += 1;
        if group.tools.len() < MAX_NAMES {
            group.tools.push(shown);
        }
        let tool = tool(host, candidate, described, judged, probed.as_ref());
        summary.with_warnings += usize::from(!tool.warnings.is_empty());
        tools.push(tool);
    }
    notes.extend(names.iter().filter(|(_, users)| users.len() > 1).map(|(name, users)| {
        let users: Vec<_> = users.iter().take(MAX_LISTED).map(String::as_str).collect();
        let name = excerpt(name, MAX_NAME);
        format!("{} have the same name `{name}`; the host keeps one of them", users.join(" and "))
    }));
    summary.passed_over = scan.passed_over.len();
    if scan.passed_over.len() > MAX_PASSED_OVER {
        let more = scan.passed_over.len() - MAX_PASSED_OVER;
        notes.push(format!("{more} more entries are passed over"));
    }
    let next = next(&summary, &tools, wanted);
    Discovery {
        host: host.name(),
        summary,
        groups: groups.into_values().collect(),
        tools: wanted.details.then_some(tools),
        passed_over: scan
            .passed_over
            .into_iter()
            .take(MAX_PASSED_OVER)
            .map(|entry| discovery::PassedOver {
                path: path_text(&entry.path),
                reason: entry.reason,
                fix: entry.fix,
            })
            .collect(),
        roots: scan
            .roots
            .into_iter()
            .map(|looked| discovery::Root {
                path: path_text(&looked.root.path),
                source: looked.root.source,
                exists: looked.exists,
                tools: looked.tools,
                fault: looked.fault,
            })
            .collect(),
        notes,
        next,
    }
}

/// The states in the order in which a person wants to see them.
fn rank(state: State) -> u8 {
    match state {
        State::Error => 0,
        State::NeedsSetup => 1,
        State::RepoOnly => 2,
        State::NotProbed => 3,
        State::Ready => 4,
    }
}

fn count(summary: &mut Summary, judged: &Judged) {
    let counter = match judged.state {
        State::Ready => &mut summary.ready,
        State::NeedsSetup => &mut summary.needs_setup,
        State::Error => &mut summary.error,
        State::RepoOnly => &mut summary.repo_only,
        State::NotProbed => &mut summary.not_probed,
    };
    *counter += 1;
    summary.unlike_document += usize::from(judged.state != judged.promised);
}

fn judge(
    host: &dyn Host,
    candidate: &Candidate,
    described: &Described,
    probed: Option<&Probed>,
) -> Judged {
    match (&candidate.program, probed) {
        (None, _) => host.without_program(described),
        (Some(_), Some(probed)) => host.judge(&probed.answers),
        (Some(_), None) => Judged {
            state: State::NotProbed,
            promised: State::NotProbed,
            reason: "not_probed",
            meaning: "it has a program, which was not run",
            fix: "run `aos discover` without `--no-probe`",
            detail: None,
            tool: None,
            version: None,
            commands: None,
            missing: Vec::new(),
        },
    }
}

fn tool(
    host: &dyn Host,
    candidate: &Candidate,
    described: Described,
    judged: Judged,
    probed: Option<&Probed>,
) -> Tool {
    let mut warnings = candidate.warnings.clone();
    warnings.extend(described.warnings.iter().cloned());
    warnings.extend(differences(candidate, &described, &judged));
    let steps = steps(host, candidate, &described, &judged);
    let commands = judged.commands.as_ref().filter(|commands| !commands.is_empty());
    let commands = commands.unwrap_or(&described.commands).len();
    Tool {
        name: excerpt(&candidate.name, MAX_NAME),
        label: described.label.map(|label| excerpt(&label, MAX_NAME)),
        state: judged.state.name(),
        promised: judged.promised.name(),
        reason: judged.reason,
        detail: judged.detail.map(|detail| excerpt(detail.trim(), MAX_DETAIL)),
        directory: candidate.directory.as_deref().map(path_text),
        program: candidate.program.as_deref().map(path_text),
        source: candidate.source,
        version: judged.version.or(described.version).map(|version| excerpt(&version, MAX_NAME)),
        commands,
        missing_keys: bounded(&judged.missing),
        steps,
        warnings: warnings.iter().map(|warning| excerpt(warning, 2 * MAX_DETAIL)).collect(),
        duration_ms: probed.map(|probed| probed.duration_ms),
    }
}

/// Returns the differences between program and files: it was installed from other files, or is another tool.
fn differences(candidate: &Candidate, described: &Described, judged: &Judged) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(program), Some(files)) = (&judged.version, &described.version)
        && program != files
    {
        let (program, files) = (excerpt(program, MAX_NAME), excerpt(files, MAX_NAME));
        found.push(format!("the program is {program}, the files say {files}: install it again"));
    }
    let called = judged.tool.as_ref().or(described.tool.as_ref());
    if let Some(called) = called.filter(|called| **called != candidate.name) {
        let called = excerpt(called, MAX_NAME);
        found.push(format!("it calls itself `{called}`, and the host lists it under that name"));
    }
    if let Some(commands) = judged.commands.as_ref().filter(|commands| !commands.is_empty()) {
        let lacks = |left: &[String], right: &[String]| {
            let missing: Vec<_> = left.iter().filter(|id| !right.contains(id)).cloned().collect();
            bounded(&missing).join(", ")
        };
        let missing = lacks(&described.commands, commands);
        if !missing.is_empty() {
            found.push(format!("the program lacks commands of its manifest: {missing}"));
        }
        let more = lacks(commands, &described.commands);
        if candidate.directory.is_some() && !more.is_empty() {
            found.push(format!("the manifest lacks commands of the program: {more}"));
        }
    }
    found
}

fn steps(
    host: &dyn Host,
    candidate: &Candidate,
    described: &Described,
    judged: &Judged,
) -> Vec<String> {
    if judged.state == State::Ready {
        return Vec::new();
    }
    let mut steps = Vec::new();
    let directory = candidate.directory.as_ref().map(|path| path.join(host.working_directory()));
    if let (State::RepoOnly, Some(directory), true) =
        (judged.state, &directory, described.is_installable)
    {
        steps.push(installation(directory));
    } else {
        steps.push(judged.fix.to_owned());
    }
    let missing = match judged.missing.as_slice() {
        [] => described.keys.as_slice(),
        missing => missing,
    };
    if matches!(judged.state, State::NeedsSetup | State::RepoOnly) && !missing.is_empty() {
        let missing = bounded(missing).join(", ");
        steps.push(format!(
            "set {missing} in the environment of {}: its probes get no stored keys",
            host.name()
        ));
    }
    steps
}

/// One command that gives a connector its program, from any directory.
fn installation(directory: &Path) -> String {
    let word = |path: &Path| shell::word(&path_text(path));
    let environment = directory.join(".venv");
    format!(
        "{INSTALLER}{} && {} install -e {}",
        word(&environment),
        word(&environment.join("bin/pip")),
        word(directory)
    )
}

/// Returns a note if the host, which starts all probes at the same time, would exceed its limit on this machine.
fn crowded(host: &dyn Host, probed: &[Option<Probed>]) -> Option<String> {
    let answered = |probed: &&Probed| {
        let Probed { answers, .. } = probed;
        [&answers.first, &answers.second].into_iter().flatten().all(|said| *said != Said::TimedOut)
    };
    let (count, total) = probed
        .iter()
        .flatten()
        .filter(answered)
        .fold((0, 0), |(count, total), probed| (count + 1, total + probed.duration_ms));
    let (limit, _) = host.limits();
    let together = total / workers() as u64;
    (u128::from(together) > limit.as_millis()).then(|| {
        format!(
            "{} runs all {count} at the same time, which takes about {} s on this machine; each may take {} s, so \
             expect the state `error` there",
            host.name(),
            together.div_ceil(1_000),
            limit.as_secs()
        )
    })
}

/// One command for each tool that lacks only its program, and one that describes the others.
fn next(summary: &Summary, tools: &[Tool], wanted: WantedTools<'_>) -> Vec<String> {
    let is_command = |step: &&String| step.starts_with(INSTALLER);
    let mut next: Vec<String> =
        tools.iter().filter_map(|tool| tool.steps.first().filter(is_command)).cloned().collect();
    let more = next.len().saturating_sub(MAX_NEXT);
    next.truncate(MAX_NEXT);
    let others = tools.iter().filter(|tool| {
        tool.state != State::Ready.name() && tool.steps.first().filter(is_command).is_none()
    });
    let others: Vec<_> = others.map(|tool| shell::word(&tool.name)).collect();
    if !wanted.details && more + others.len() > MAX_NEXT {
        next.push(format!("{} --details", wanted.call));
    } else if !wanted.details && !others.is_empty() {
        next.push(format!("{} --tool {}", wanted.call, others.join(" --tool ")));
    }
    if summary.tools == 0 {
        next.push("aos new NAME".to_owned());
    }
    next
}

fn bounded(names: &[String]) -> Vec<String> {
    names.iter().take(MAX_LISTED).map(|name| excerpt(name, MAX_NAME)).collect()
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}
