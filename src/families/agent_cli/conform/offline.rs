//! Commands that must work without a network and from anywhere (agent-cli §11, §14).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::conform::mock::{Mock, ReceivedRequest, Reply};
use crate::conform::sandbox::Sandbox;
use crate::conform::session::Event;
use crate::system::files::{self, Kind};

use super::lab::{Account, ProbeCaller, examine, words};
use super::stop::{ProbeStep, Unfinished};
use crate::conform::probe::Probe;
use crate::families::agent_cli::contract::FAMILY;

pub const CONTEXT_OFFLINE: Probe = Probe {
    id: "cli.context-offline",
    section: "§11",
    title: "`context` opens no connection, even if there are credentials",
    why: "Agents call it first and often, and it must work without a network",
    fix: "use only configuration and caches; let `doctor` check whether a token is valid",
    run: |session| examine(session, context_offline),
    ..Probe::of(FAMILY)
};

fn context_offline(lab: &ProbeCaller<'_>) -> ProbeStep {
    if lab.fixture.credentials.is_none() {
        let message =
            "conform.toml has no [agent_cli.credentials], so no connection can be expected";
        return Err(if lab.fixture.local {
            Unfinished::NotApplicable("conform.toml says that the tool has no upstream".to_owned())
        } else {
            Unfinished::Blocked(message.to_owned())
        });
    }
    let trap = trap()?;
    let url = trap.url();
    let host = lab.fixture.update.as_ref().map(|update| (update.host.as_str(), url.as_str()));
    let more: Vec<_> = host.into_iter().collect();
    for call in [&["context"][..], &["--help"], &["reference"]] {
        let shot = lab.run_against(&trap, Account::One, &words(call), &more, Event::None);
        if trap.connections() > 0 {
            return Err(shot.fail(format!("`{}` opens a connection", call.join(" "))));
        }
        if shot.exit() == Some(0) {
            shot.judged();
        }
    }
    Ok(())
}

fn trap() -> ProbeStep<Mock> {
    let answer = |_: &ReceivedRequest| Reply::new(200, "application/json", "{}");
    Mock::with(Arc::new(answer))
        .map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))
}

pub const DOCTOR_OFFLINE: Probe = Probe {
    id: "cli.doctor-offline",
    section: "§11",
    title: "`doctor` succeeds without a network, and names what it could not reach",
    why: "It is called if something is wrong, and must not fail itself",
    fix: "report every failure of a check as its status and fix",
    run: |session| examine(session, doctor_offline),
    ..Probe::of(FAMILY)
};

fn doctor_offline(lab: &ProbeCaller<'_>) -> ProbeStep {
    if lab.fixture.local {
        return Err(Unfinished::NotApplicable(
            "conform.toml says that the tool has no upstream".to_owned(),
        ));
    }
    if lab.fixture.credentials.is_none() || lab.session.base_url_env().is_none() {
        let message = "conform.toml does not say how the tool reaches an upstream";
        return Err(Unfinished::Blocked(message.to_owned()));
    }
    let refused = lab.run_as(Account::One, &words(&["doctor"]), &[]);
    let trouble =
        Mock::with(Arc::new(|_: &ReceivedRequest| Reply::new(500, "application/json", "{}")));
    let trouble =
        trouble.map_err(|error| Unfinished::Blocked(format!("no port is free: {error}")))?;
    let failing = lab.run_against(&trouble, Account::One, &words(&["doctor"]), &[], Event::None);
    for (shot, what) in [(refused, "without a network"), (failing, "with an upstream that fails")] {
        shot.expect(shot.is_ok(), format!("`doctor` is not ok {what}"))?;
        let checks = shot.at("/data/checks").as_array().into_iter().flatten();
        let names_it = checks.into_iter().any(|check| {
            check["status"] != "pass"
                && check["check"] != "release_readiness"
                && check["fix"].as_str().is_some_and(|fix| !fix.is_empty())
        });
        shot.expect(names_it, format!("`doctor` reports no problem {what}"))?;
    }
    Ok(())
}

pub const ANY_DIRECTORY: Probe = Probe {
    id: "cli.any-directory",
    section: "§11",
    title: "The tool describes itself in the same way in every directory",
    why: "An agent works in the user's project, not in the tool's",
    fix: "embed the description, or find it relative to the program",
    run: |session| examine(session, any_directory),
    ..Probe::of(FAMILY)
};

fn any_directory(lab: &ProbeCaller<'_>) -> ProbeStep {
    let target = &lab.session.target;
    let home = target.directory.clone().or_else(|| target.root.clone());
    if target.prefix.iter().any(|word| word == "-m") {
        return Err(Unfinished::NotApplicable(
            "[conform] `command` starts a module, which Python finds in its own directory only"
                .to_owned(),
        ));
    }
    // A relative path in the command must still name the same file.
    let prefix = target.prefix.iter().map(|word| match &home {
        Some(home) if names_file(home, word) => home.join(word).display().to_string(),
        _ => word.clone(),
    });
    let prefix = prefix.collect();
    let elsewhere = Sandbox::new()
        .map_err(|error| Unfinished::Blocked(format!("the sandbox cannot be created: {error}")))?;
    let work = elsewhere.work();
    elsewhere
        .file("work/CHANGELOG.md", b"## [9.9.9] - 2026-01-01\n\n### Added\n\n- A trap.\n")
        .map_err(|error| Unfinished::Blocked(format!("the sandbox cannot be written: {error}")))?;
    elsewhere.run_in(work, prefix);
    for call in [["changelog"], ["reference"], ["context"]] {
        let here = lab.run_as(Account::None, &words(&call), &[]);
        let there = lab.run_in(&elsewhere, Account::None, &words(&call), &[]);
        let same = here.is_ok() == there.is_ok()
            && ["/data/entries", "/data/commands", "/data/version"]
                .iter()
                .all(|place| here.at(place) == there.at(place));
        if !same {
            let message = format!("`{}` responds differently in another directory", call[0]);
            return Err(there.fail(message));
        }
        if here.is_ok() {
            there.judged();
        }
    }
    Ok(())
}

fn names_file(home: &Path, word: &str) -> bool {
    let path = PathBuf::from(word);
    path.is_relative() && matches!(files::kind(&home.join(path)), Ok(Kind::File { .. }))
}
